#!/usr/bin/env python3
"""stores_by_bank_test.py WARPGAUGE PROGRAM FILE: of stores to lines at several distances as many leave the SM by themselves as on
the card (stores_by_bank of FILE): sectors that the L2 gets for each that is stored."""
import json
import os
import subprocess
import sys
import tempfile

SECTORS = "lts__t_sectors_srcunit_tex.sum"
STORED = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
MEAN = 0.08  # without banks' rooms 0.12


def main(warpgauge, program, path):
    card = {"%s_%d" % (name, pitch): share for name, pitch, share, _ in json.load(open(path))["stores_by_bank"]["rows"]}
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        out = subprocess.run([warpgauge, "run", "--gpu", "h200", "--quiet", "--json", report, "--", program], check=True,
                             capture_output=True, text=True).stdout
        kernels = [kernel["metrics"] for kernel in json.load(open(report))["kernels"]]
    names = out.split()
    found = {}
    for i in range(0, len(names), 2):
        once, thrice = kernels[i], kernels[i + 1]
        found[names[i].rsplit("_", 1)[0]] = (thrice[SECTORS] - once[SECTORS]) / (thrice[STORED] - once[STORED])
    if sorted(found) != sorted(card):
        print("other stores than the card's")
        return 1
    mean = sum(abs(found[name] - card[name]) for name in card) / len(card)
    if mean > MEAN:
        for name in card:
            print("%s: %.3f, on the card %.3f" % (name, found[name], card[name]))
        print("mean difference %.3f" % mean)
    return 1 if mean > MEAN else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
