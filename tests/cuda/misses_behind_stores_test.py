#!/usr/bin/env python3
"""misses_behind_stores_test.py WARPGAUGE PROGRAM FILE: loads past the L1 right behind stores of many lines take as long as the card's
(misses_behind_stores of FILE)."""
import json
import sys

from figures import figures_of

SHARE = 0.19  # without what stores put off up to 0.33


def main(warpgauge, program, path):
    card = {"%d_%d_%d" % tuple(row[:3]): row[3] for row in json.load(open(path))["misses_behind_stores"]["rows"]}
    found = {name: figure for name, (figure,) in figures_of(warpgauge, program).items()}
    failed = sorted(found) != sorted(card)
    for name, cycles in found.items():
        if abs(cycles / card[name] - 1) > SHARE:
            print("%s: %.0f cycles, on the card %d" % (name, cycles, card[name]))
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
