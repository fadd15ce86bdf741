#!/usr/bin/env python3
"""Finds the special function unit's tables in what a card computes: use: fit_functions.py FOLDER, imported or loaded

FOLDER holds what `measure` wrote on a card (see README.md): NAME.FIRST.STRIDE.u32, the results for the inputs
FIRST, FIRST + STRIDE, ... as little-endian words. Needs numpy and scipy.

Each function is a quadratic in segments of its argument, as in S. Oberman and M. Siu, "A high-performance
area-efficient multifunction interpolator", ARITH 2005: C0 + C1 x + C2 x^2 with integer coefficients, x the
argument's low bits, and the square's columns below 2^19 (2^17 for 16-bit x) left out. A result is the sum cut off
to 24 bits. For each segment a linear program finds the real coefficients that reproduce every result with the
largest margin; they prove to be integers in the units used here, and the rounded ones are checked against every
result before they are written.
"""
import os
import sys

import numpy as np
from scipy.optimize import linprog

FOLDER = sys.argv[1]
X_BITS = 17


def load(name, first, stride):
    return np.fromfile(os.path.join(FOLDER, f"{name}.{first:08x}.{stride}.u32"), dtype=np.uint32)


def truncated_square(x, bits, cut):
    """x * x without the partial products whose column lies below 2^cut."""
    total = np.zeros(len(x), dtype=np.int64)
    bit = [(x >> i) & 1 for i in range(bits)]
    for i in range(bits):
        if 2 * i >= cut:
            total += bit[i] << (2 * i)
        for j in range(i + 1, bits):
            if i + j + 1 >= cut:
                total += (bit[i] & bit[j]) << (i + j + 1)
    return total


def square(x):
    """In units of 2^-17 of the full square: 17-bit arguments."""
    return truncated_square(x, X_BITS, 19) >> 17


def square16(x):
    """The reciprocal's: 16-bit arguments."""
    return truncated_square(x, 16, 17) >> 15


def best(low, high, x, q):
    """Real (c0, c1, c2) that hold low <= c0 + c1 x + c2 q < high with the largest margin."""
    a = np.stack([np.ones(len(x)), x / 2.0**17, q / 2.0**17], 1)
    middle = (low + high) / 2
    start = np.linalg.lstsq(a, middle - middle[0], rcond=None)[0]
    start[0] += middle[0]
    base = a @ start
    l, h = low - base, high - base
    index = np.unique(np.concatenate([np.linspace(0, len(l) - 1, 100).astype(int), np.argpartition(l, -40)[-40:],
                                      np.argpartition(-h, -40)[-40:]]))
    for _ in range(80):
        b = a[index]
        one = np.ones((len(index), 1))
        c = linprog([0, 0, 0, 1], A_ub=np.vstack([np.hstack([b, -one]), np.hstack([-b, -one])]),
                    b_ub=np.concatenate([h[index], -l[index]]), bounds=[(None, None)] * 3 + [(-4, None)],
                    method="highs").x
        d = a @ c[:3]
        violation = np.maximum(d - h, l - d)
        if violation.max() <= c[3] + 1e-9:
            break
        index = np.unique(np.concatenate([index, np.argpartition(violation, -40)[-40:]]))
    return start + c[:3]


def segment(words, x, q, unit, grid, c2_grid, skip_first=False):
    """Integers (C0, C1, C2), in units of 2^-unit, that reproduce every word. grid: what C1 is a multiple of."""
    f = words.view(np.float32).astype(np.float64)
    ulp = np.ldexp(1.0, np.frexp(f)[1] - 24)
    scale = np.median(ulp)
    first = 1 if skip_first else 0
    c = best((f / scale)[first:], ((f + ulp) / scale)[first:], x[first:], q[first:]) * scale * 2.0**unit
    found = None
    for c2 in sorted(np.round(c[2] / 2**17 / c2_grid) * c2_grid + c2_grid * np.arange(-2, 3), key=lambda v: abs(v - c[2] / 2**17)):
        for c1 in sorted(np.round(c[1] / 2**17 / grid) * grid + grid * np.arange(-2, 3), key=lambda v: abs(v - c[1] / 2**17)):
            rest = int(c1) * x + int(c2) * q
            low = np.ceil(f * 2.0**unit).astype(np.int64) - rest
            high = np.ceil((f + ulp) * 2.0**unit).astype(np.int64) - 1 - rest
            a, b = low[first:].max(), high[first:].min()
            if a <= b:
                found = (int(a), int(b), int(c1), int(c2))
                break
        if found:
            break
    if not found:
        raise SystemExit(f"no integers: {c / 2**17}")
    return found


def rows(words, x, q, unit, segments, skip_first=False):
    length = len(words) // segments
    return [segment(words[s * length:(s + 1) * length].copy(), x, q, unit, 1, 1, skip_first and s == 0)
            for s in range(segments)]


def logarithm():
    """LG2's sums are cut off to multiples of 32 and are exact where the result is near zero."""
    words = load("LG2", 0x3f800000, 1)
    out = []
    for s in range(64):
        w = words[s << 17:(s + 1) << 17].copy()
        if s == 0:  # too few bits are cut off near 1 for the linear program: take the upper part for C1 and C2
            tail = slice(1 << 15, None)
            _, _, c1, c2 = segment(w[tail], ALL[tail], SQUARE[tail], 41, 1, 1)
        else:
            _, _, c1, c2 = segment(w, ALL, SQUARE, 41, 1, 1)
        f = w.view(np.float32).astype(np.float64) * 2.0**41
        step = np.maximum(np.ldexp(1.0, np.frexp(f)[1] - 24), 32)
        rest = c1 * ALL + c2 * SQUARE
        low, high = np.ceil(f - rest), np.ceil(f + step - rest) - 1
        first = 1 if s == 0 else 0
        out.append((int(low[first:].max()), int(high[first:].min()), c1, c2))
    return out


TANH_SEGMENT_BITS = {-7: 0, -6: 0, -5: 1, -4: 1, -3: 2, -2: 2, -1: 2, 0: 3, 1: 4, 2: 3}


def tanh(exponent, stride):
    bits = TANH_SEGMENT_BITS[exponent]
    words = load("TANH", (exponent + 127) << 23, stride)
    mantissa = np.arange(0, 1 << 23, stride, dtype=np.int64)
    shift = 23 - bits - X_BITS
    x, where = (mantissa >> shift) & ((1 << X_BITS) - 1), mantissa >> (shift + X_BITS)
    out = []
    for s in range(1 << bits):
        chosen = where == s
        out.append(segment(words[chosen], x[chosen], square(x[chosen]), 50, 1 << 9, 1 << 9))
    return out


def bias_of(table, step=1 << 15):
    """The remainder modulo 2^15 that all the intervals of C0 share."""
    for candidate in range(step):
        if all((low - candidate + step - 1) // step * step + candidate <= high for low, high, _, _ in table):
            return candidate
    raise SystemExit("the intervals of C0 share no remainder")


def show(name, comment, table, bias):
    print(f"// {comment}\nconst SpecialSegment {name}[{len(table)}] = {{")
    line = "   "
    for low, _, c1, c2 in table:
        c0 = (low - bias + 32767) // 32768
        text = f" {{{c0}, {c1}, {c2}}},"
        if len(line) + len(text) > 110:
            print(line)
            line = "   "
        line += text
    print(line + "\n};\n")

