#!/usr/bin/env python3
"""clusters_test.py WARPGAUGE GPU PROGRAM FILE: PROGRAM computes what it did on a card (FILE), executed at once and as a model issues it,
and its clocks see what they saw there."""
import json
import subprocess
import sys

TOLERANCE = 0.12  # of a clock's figure
WIDER = {"cycles_answer_to_both": 0.15}  # what arrives here while the warp still asks is 60 cycles sooner on the card


def lines(command):
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(line.split() for line in out.splitlines() if len(line.split()) == 2)


def main(warpgauge, gpu, program, path):
    expected = json.load(open(path))
    failed = False
    for how in (["--functional"], ["--quiet", "--threads", "2"]):
        found = lines([warpgauge, "run", "--gpu", gpu] + how + ["--", program])
        for name, value in expected["results"].items():
            if found.get(name) != value:
                print("%s: %s is %s, on the card %s" % (how[0], name, found.get(name), value))
                failed = True
    for name, cycles in expected["cycles"].items():
        seen = int(found[name])
        if abs(seen / cycles - 1) > WIDER.get(name, TOLERANCE):
            print("%s: %d cycles, on the card %d" % (name, seen, cycles))
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
