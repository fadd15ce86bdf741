"""The JSON schema and the loader accept the same files: every shipped calibration, and none of the spoiled ones.

usage: schema_test.py CALIB_FOLDER LOADER    (LOADER FILE exits 0 when it accepts the file)
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema


def leaf(calibration, path):
    for name in path.split("."):
        calibration = calibration[name]
    return calibration


def without(path, name):
    return lambda c: leaf(c, path).pop(name) if path else c.pop(name)


def with_(path, name, value):
    return lambda c: (leaf(c, path) if path else c).__setitem__(name, value)


SPOILED = {
    "another schema": with_("", "schema", "warpgauge-calibration/2"),
    "no device": without("", "device"),
    "an unknown key": with_("l1", "colour", {"value": 1, "unit": "count", "source": "assumed", "reference": "x"}),
    "an unknown section": with_("", "l9", {}),
    "a missing key": without("l1", "line"),
    "a missing section": without("", "l1"),
    "a missing opcode": without("latency.opcode", "FFMA"),
    "a wrong unit": with_("l1.line", "unit", "cycles"),
    "no unit": without("l1.line", "unit"),
    "no value": without("l1.line", "value"),
    "a fraction": with_("l1.line", "value", 1.5),
    "a negative number": with_("l1.line", "value", -1),
    "a text": with_("l1.line", "value", "128"),
    "a number for a flag": with_("uniform.present", "value", 1),
    "an unknown choice": with_("l1.replacement", "value", "best"),
    "a list of fractions": with_("atomics.contention", "value", [0.5]),
    "a number beyond 32 bits": with_("l1.hit_latency", "value", 2**32),
    "no source": without("l1.line", "source"),
    "an unknown source": with_("l1.line", "source", "hearsay"),
    "no reference": without("l1.line", "reference"),
    "an empty reference": with_("l1.line", "reference", ""),
    "an unknown name in a leaf": with_("l1.line", "author", "x"),
    "a negative spread": with_("l1.line", "spread", -1),
    "a measurement without samples": lambda c: leaf(c, "l1.line").update(source="measured"),
    "an architecture without digits": with_("", "architecture", "hopper"),
}


def main(folder, loader):
    schema = json.loads((folder / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = []

    def loads(calibration):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(calibration, file)
            file.flush()
            return subprocess.run([loader, file.name], capture_output=True).returncode == 0

    good = None
    for file in sorted(folder.glob("devices/*/calibration.json")):
        good = json.loads(file.read_text())
        for error in validator.iter_errors(good):
            failures.append(f"{file}: the schema refuses it: {error.message}")
    for name, change in SPOILED.items():
        spoiled = copy.deepcopy(good)
        change(spoiled)
        if validator.is_valid(spoiled):
            failures.append(f"the schema accepts {name}")
        if loads(spoiled):
            failures.append(f"the loader accepts {name}")
    if not loads(good):
        failures.append("the loader refuses a calibration without fault")
    print("\n".join(failures) or f"{len(SPOILED)} spoiled calibrations refused by both")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
