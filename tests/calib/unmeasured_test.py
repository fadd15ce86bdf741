#!/usr/bin/env python3
"""unmeasured_test.py CALIB: the tables of CALIB/README.md name every leaf of the H200's calibration that no probe has set, the
assumed ones in tables of their own, and no row of them stands for none."""
import fnmatch
import json
import re
import sys


def leaves(node, path=""):
    if isinstance(node, dict):
        if "value" in node and "source" in node:
            yield path, node["source"]
            return
        for key, value in node.items():
            yield from leaves(value, path + "." + key if path else key)


def main(calib):
    patterns, kind, inside = [], None, False
    for line in open(calib + "/README.md"):
        if line.startswith("## "):
            inside = line.strip() == "## What no probe sets"
        if inside and line.startswith("Assumed"):
            kind = ("assumed",)
        elif inside and line.startswith("Derived or published"):
            kind = ("derived", "published")
        if inside and line.startswith("| `"):
            cell = line.split(" | ")[0]
            patterns += [(pattern, kind) for pattern in re.findall(r"`([^`]+)`", cell)]
    sources = list(leaves(json.load(open(calib + "/devices/h200/calibration.json"))))
    unset = [(key, source) for key, source in sources if source != "measured"]
    faults = ["no row for %s, which is %s" % (key, source) for key, source in unset
              if not any(source in kind and fnmatch.fnmatchcase(key, pattern) for pattern, kind in patterns)]
    faults += ["nothing that is %s is named %s" % (" or ".join(kind), pattern) for pattern, kind in patterns
               if not any(source in kind and fnmatch.fnmatchcase(key, pattern) for key, source in unset)]
    counts = {source: sum(1 for _, each in sources if each == source) for source in ("assumed", "derived", "published")}
    said = "%d of %d, of which %d are assumed, %d derived and %d published" % (
        len(unset), len(sources), counts["assumed"], counts["derived"], counts["published"])
    text = open(calib + "/README.md").read().replace("\n", " ")
    if said not in text:
        faults.append("the README does not say: " + said)
    print("\n".join(faults) or "every leaf has its row")
    return 1 if faults else 0


sys.exit(main(sys.argv[1]))
