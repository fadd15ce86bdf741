#!/usr/bin/env python3
"""other_blocks_test.py WARPGAUGE PROGRAM FILE: accesses of other blocks' shared memory take as long as on the card (other_blocks_memory of
FILE), be it one block that asks another, several that ask one or each the next."""
import json
import sys

from figures import figures_of

TOLERANCE = 0.09


def main(warpgauge, program, path):
    rows = json.load(open(path))["other_blocks_memory"]["rows"]
    card = {}
    for what, blocks, clusters, warps, to, lanes_to, asking, own, cycles, longest, _ in rows:
        if (blocks, clusters, warps, own) == (8, 1, 4, 0) and to == ("the next" if asking == blocks else "the first"):
            card["%s_%d" % (what, asking)] = (cycles, longest)
    found = figures_of(warpgauge, program)
    failed = len(found) != 20
    for name, figures in found.items():
        for which, seen, cycles in zip(("mean", "longest"), figures, card[name]):
            if abs(seen / cycles - 1) > TOLERANCE:
                print("%s: %s %.2f cycles an access, on the card %.2f" % (name, which, seen, cycles))
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
