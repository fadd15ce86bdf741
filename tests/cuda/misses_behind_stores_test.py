#!/usr/bin/env python3
"""misses_behind_stores_test.py WARPGAUGE PROGRAM FILE: loads past the L1 right behind stores of many lines take as long as the card's
(misses_behind_stores of FILE)."""
import json
import subprocess
import sys

SHARE = 0.19  # without what stores put off up to 0.33


def main(warpgauge, program, path):
    card = {"%d_%d_%d" % tuple(row[:3]): row[3] for row in json.load(open(path))["misses_behind_stores"]["rows"]}
    out = subprocess.run([warpgauge, "run", "--gpu", "h200", "--quiet", "--", program], check=True, capture_output=True, text=True).stdout
    found = {name: float(cycles) for name, cycles in (line.split() for line in out.splitlines())}
    failed = sorted(found) != sorted(card)
    for name, cycles in found.items():
        if abs(cycles / card[name] - 1) > SHARE:
            print("%s: %.0f cycles, on the card %d" % (name, cycles, card[name]))
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
