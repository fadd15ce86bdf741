#!/usr/bin/env python3
"""warpgroup_products_test.py WARPGAUGE GPU PROGRAM FILE: the sets of matrix products that PROGRAM makes give the bits that a
card gave (FILE)."""
import json
import subprocess
import sys


def main(warpgauge, gpu, program, path):
    expected = json.load(open(path))
    command = [warpgauge, "run", "--gpu", gpu, "--functional", "--", program]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sums = dict(line.split() for line in out.splitlines() if len(line.split()) == 2)
    wrong = [name for name, value in expected["same"].items() if sums.get(name) != value]
    for name in wrong:
        print("%s: %s, on the card %s" % (name, sums.get(name), expected["same"][name]))
    print("%d of %d sets as on the card" % (len(expected["same"]) - len(wrong), len(sums)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
