#!/usr/bin/env python3
"""tiles_of_products_test.py WARPGAUGE PROGRAM FILE: steps of products whose data come from memory take as long as on the card
(tiles_of_products of FILE), whose SMs' clock is slower beside them while memory's is not."""
import json
import sys

from figures import figures_of

EACH, MEAN = 0.16, 0.04


def main(warpgauge, program, path):
    rows = json.load(open(path))["tiles_of_products"]["rows"]
    card = {"%d_%d" % (side, depth): figures for what, side, depth, *figures in rows if what.startswith("products")}
    found = figures_of(warpgauge, program)
    failed = len(found) != 8
    errors = []
    for name, figures in found.items():
        for which, seen, cycles in zip(("first half", "second half", "step"), figures, card[name]):
            errors.append(seen / cycles - 1)
            if abs(errors[-1]) > EACH:
                print("%s: %s after %.0f cycles, on the card after %.0f" % (name, which, seen, cycles))
                failed = True
    mean = sum(errors) / len(errors)
    if abs(mean) > MEAN:
        print("%.1f %% off in the mean" % (100 * mean))
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
