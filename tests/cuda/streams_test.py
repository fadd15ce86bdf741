#!/usr/bin/env python3
"""streams_test.py WARPGAUGE PROGRAM FILE [SCENE...]: scenes of kernels in streams, as an H200 ran them (FILE, "streams"), against
`warpgauge run --concurrent`. When all is done may differ by 10 %."""
import json
import subprocess
import sys

GATE = "3000"
TOLERANCE = 0.10


def simulate(warpgauge, program, scene):
    launches = [",".join(str(field) for field in launch[:8] + launch[8]) for launch in scene["launches"]]
    command = [warpgauge, "run", "--gpu", "h200", "--concurrent", "--quiet", "--threads", "2", "--", program, GATE,
               "graph" if scene["graph"] else "stream"] + launches
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [[int(word) for word in line.split()] for line in out.splitlines()]


def main(warpgauge, program, path, *wanted):
    streams = json.load(open(path))["streams"]
    faults = 0
    for name, repetitions, measured in streams["rows"]:
        in_order = all(a[0] <= b[0] for a, b in zip(measured, measured[1:]))
        if not in_order or (wanted and name not in wanted):
            continue  # launches of streams that nothing orders came in another order than they were asked for
        scene = streams["scenes"][name]
        if any("carve-out" in launch[0] for launch in scene["launches"]):
            continue  # `warpgauge run` takes no wishes for a carve-out
        predicted = simulate(warpgauge, program, scene)
        total = max(end for _, _, end in predicted)
        expected = max(end for _, _, end in measured)
        error = total / expected - 1
        far = abs(error) > TOLERANCE
        faults += far
        print("%-24s %7d %7d %+6.1f %%%s  %s | %s" % (name, total, expected, 100 * error, "  FAR" if far else "",
                                                     predicted, measured))
        sys.stdout.flush()
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
