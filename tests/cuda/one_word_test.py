#!/usr/bin/env python3
"""one_word_test.py WARPGAUGE PROGRAM FILE: loads of a word by all warps of all SMs, and of words at random of two lines, take as long as
the card's (words_that_all_ask_for of FILE)."""
import json
import sys

from figures import figures_of

ONE_WORD = 0.05
TWO_LINES = 0.25  # where others kept all of them apart up to 1.5


def main(warpgauge, program, path):
    card = {}
    for load, pattern, words, warps, _, _, median, _ in json.load(open(path))["words_that_all_ask_for"]["rows"]:
        if pattern == "all one word":
            card["%s_1_%d" % (load, warps)] = (median, ONE_WORD)
        elif pattern == "each lane a word at random":
            card["%s_%d_%d" % (load, words, warps)] = (median, TWO_LINES)
    found = {name: figure for name, (figure,) in figures_of(warpgauge, program).items()}
    failed = len(found) != 10
    for name, cycles in found.items():
        taken, share = card[name]
        print("%s: %.0f cycles, on the card %d" % (name, cycles, taken))
        failed = failed or abs(cycles / taken - 1) > share
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
