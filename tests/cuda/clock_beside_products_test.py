#!/usr/bin/env python3
"""clock_beside_products_test.py WARPGAUGE PROGRAM FILE: the SM's clock loses as many cycles beside products as the card's
(clock_beside_products of FILE), by the clock of nanoseconds."""
import json
import sys

from figures import figures_of

SHARE, CYCLES = 0.1, 12


def main(warpgauge, program, path):
    card = {}
    for products, gap, blocks, behind, _, lost in json.load(open(path))["clock_beside_products"]["rows"]:
        if blocks == 1:
            card["%d_%d" % (products, gap)] = lost
    found = {name: figure for name, (figure,) in figures_of(warpgauge, program).items()}
    failed = len(found) != 16
    for name, lost in found.items():
        if abs(lost - card[name]) > CYCLES + SHARE * card[name]:
            print("%s: %.1f cycles lost, on the card %.1f" % (name, lost, card[name]))
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
