#!/usr/bin/env python3
"""bulk_copies_test.py WARPGAUGE GPU FILE PROGRAM...: the bulk copies that the programs ask for leave in memory what they left on a card
(FILE), executed at once and while a model issues them window by window."""
import json
import subprocess
import sys


def sums(command):
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(line.split() for line in out.splitlines() if len(line.split()) == 2)


def main(warpgauge, gpu, path, *programs):
    expected = json.load(open(path))
    failed = False
    for how in (["--functional"], ["--quiet"]):
        found = {}
        for program in programs:
            found.update(sums([warpgauge, "run", "--gpu", gpu] + how + ["--", program]))
        wrong = [name for name, value in expected["same"].items() if found.get(name) != value]
        for name in wrong:
            print("%s: %s, on the card %s" % (name, found.get(name), expected["same"][name]))
        print("%s: %d of %d copies as on the card" % (how[0], len(expected["same"]) - len(wrong), len(found)))
        failed = failed or bool(wrong) or bool(set(expected["differ"]["copies"]) - set(found))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
