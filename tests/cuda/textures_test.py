#!/usr/bin/env python3
"""textures_test.py WARPGAUGE GPU PROGRAM FILE: the sets of texture fetches that PROGRAM makes give the bits that a card gave (FILE), and
traces of some of them, stores to surfaces among these, take the cycles that they take themselves."""
import json
import os
import subprocess
import sys
import tempfile

TRACED = 12
FIRST_OF_THOSE_TRACED = (0, 236)  # the latter: surfaces


def cycles(report):
    with open(report) as stream:
        return [kernel["cycles"] for kernel in json.load(stream)["kernels"]]


def replays(warpgauge, gpu, program, first):
    chosen = ["--gpu", gpu, "-s", str(first), "-c", str(TRACED)]
    with tempfile.TemporaryDirectory() as folder:
        run, replay, trace = (os.path.join(folder, name) for name in ("run.json", "replay.json", "trace.wgt"))
        for command in ([warpgauge, "run"] + chosen + ["--quiet", "--json", run, "--", program],
                        [warpgauge, "trace", "record"] + chosen + ["-o", trace, "--", program],
                        [warpgauge, "predict", trace, "--gpu", gpu, "--json", replay]):
            subprocess.run(command, check=True, capture_output=True)
        own, replayed = cycles(run), cycles(replay)
        print("run and replayed: %s, %s" % (own, replayed))
        return own == replayed and len(own) == TRACED


def main(warpgauge, gpu, program, path):
    expected = json.load(open(path))
    command = [warpgauge, "run", "--gpu", gpu, "--functional", "--", program]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sums = dict(line.split() for line in out.splitlines() if len(line.split()) == 2)
    missing = set(expected["same"]) | set(expected["differ"]["sets"])
    missing -= set(sums)
    wrong = [name for name, value in expected["same"].items() if sums.get(name) != value]
    for name in sorted(missing) + wrong:
        print("%s: %s, on the card %s" % (name, sums.get(name), expected["same"].get(name)))
    print("%d of %d sets as on the card" % (len(expected["same"]) - len(wrong), len(sums)))
    same = all([replays(warpgauge, gpu, program, first) for first in FIRST_OF_THOSE_TRACED])
    return 1 if missing or wrong or not same else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
