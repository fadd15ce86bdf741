#!/usr/bin/env python3
"""Sets what the papers, or a card, say beside what the probes find on the model, as a Markdown table.

  round_trip.py measure WARPGAUGE FOLDER [DEVICE...]   runs the probes on the model: FOLDER/DEVICE.json
  round_trip.py write CALIB FOLDER DOCUMENT            writes the document
  round_trip.py check CALIB FOLDER DOCUMENT [DEVICE...]  holds the document against what was measured now

CALIB is the folder calib/. Every figure of the papers' columns for the V100 and the T4 has its row, and every figure that a
probe gives of the H200. A row beyond its tolerance must have its reason in reasons.json, which is a list of
[device or "*", beginning of the key, reason]; `check` fails when one has none, and when the document's rows are others than
the measurements give.
"""
import json
import os
import re
import subprocess
import sys

# The probes that are asked of every device.
PROBES = [
    "clocks.matrix", "constant.chase", "constant.divergent", "constant.operands", "constant.sets", "fetch.sharing", "fetch.spread", "fetch.straight",
    "fetch.timeline", "instructions.chains", "instructions.intervals", "instructions.tracked",
    "issue.barrier", "issue.blocks", "issue.codes", "issue.holds", "issue.loops", "issue.nested", "issue.policy", "issue.schedulers", "issue.steps", "l1.carveouts", "l1.patterns", "l1.stored",
    "l1.widths", "l2.atomics", "l2.map", "lsu.access", "lsu.backlog", "lsu.queue", "matrix.distances", "matrix.shapes", "ptx.latency",
    "registers.banks", "shared.patterns", "tlb.pages",
]
# Those whose answer is a curve, asked where a card's curve stands beside it.
CURVES = [
    "atomics.types", "constant.lines", "constant.misses", "constant.ways", "fetch.lines", "launch.warps", "pipes.queues", "constant.replacement", "constant.rows", "instructions.match", "issue.block_queues", "issue.branch_stalls", "issue.branches", "issue.deferred", "issue.fences", "issue.guards",
    "issue.pairs", "issue.paths", "issue.release", "issue.turns", "issue.waits", "l1.in_flight", "l1.replacement", "l1.scattered", "l2.slices", "lsu.streams", "memory.random", "pipes.sharing", "registers.streams",
    "registers.warps",
]
STALE = "the model hands out no old value, so that no distance is too short; `instructions.chains` and `ptx.latency` time the same"
BEYOND = "beyond the SM: docs/validation.md judges the memory system by kernels"
HOST = "of the host, the board or the driver, which the model has not"
# Why a probe is not asked.
NOT_ASKED = {
    "instructions.distances": STALE, "predicates.distances": STALE, "uniform.distances": STALE, "issue.counters": STALE,
    "blocks.random": "a test of its own holds it, block by block: tests/probes/random_blocks_test.cpp",
    "registers.timelines": "a test of its own holds it, clock by clock: tests/model/register_timelines_test.cpp",
    "registers.pipes": "a test of its own holds it, row by row: tests/probes/register_pipes_test.cpp",
    "registers.sequences": "a test of its own holds it, sequence by sequence: tests/model/register_timelines_test.cpp",
    "registers.load_writes": "a test of its own holds its rules: tests/model/write_slots_test.cpp",
    "issue.mixes": "a test of its own holds its rules, body by body: tests/model/dispatch_test.cpp",
    "issue.yields": "no H200 was asked; what an H100 did stands beside the model in docs/h200.md",
    "registers.case_study": "a test of its own holds it: tests/probes/case_study_test.cpp",
    "matrix.layout": "says where elements lie, not when: tests/probes/new_probes_test.cpp",
    "l1.stores": "all SMs store for minutes of the model's time; `shared.patterns` and `lsu.access` ask stores one by one",
    "l1.sets": "the card has no answer: its index mixes the address", "fetch.sets": "the card's curves have no step to compare",
    "atomics.patterns": "`lsu.access` asks those on shared memory; the rest lies " + BEYOND, "dram.bandwidth": BEYOND, "l2.bandwidth": BEYOND, "l2.sets": BEYOND, "memory.async": BEYOND,
    "memory.first_touch": BEYOND, "memory.footprints": BEYOND, "memory.load_curve": BEYOND, "memory.loaded": BEYOND,
    "memory.saxpy": BEYOND, "spin.rate": BEYOND, "spin.seen": BEYOND,
    "gemm.throughput": "whole products on all SMs; docs/validation.md has such kernels",
    "clocks.load": HOST, "launch.clusters": "the model does not run clusters", "launch.empty": HOST, "launch.placement": HOST, "links.host": HOST, "links.peer": HOST,
    "l2.replacement": "a hundred MiB for each point of its curves: tests/probes/l2_probes_test.cpp has machines whose answer is known",
    "texture.latency": "its hits are the card's (88.2 cycles, both); what a lone lane waits for memory lies beyond the SM (776 cycles, the card 703)",
    "memory.refresh": "the model's L2 discards no lines",
    "memory.two_addresses": "the model has memory at one address only",
}
PAPERS = {
    "v100": ["jia2018/v100", "jia2019/v100", "arafa2019/v100", "jia2018/v100_nvlink"],
    "t4": ["jia2019/t4", "arafa2019/titan_rtx"],
}
TITLES = {"v100": "Tesla V100", "t4": "Tesla T4", "h200": "H200"}


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


class Findings:
    """Figures and samples of one file of measurements."""

    def __init__(self, file):
        self.figures, self.series = {}, {}
        with open(file) as stream:
            data = json.load(stream)
        for probe in data["probes"]:
            for figure in probe["figures"]:
                self.figures[figure["key"]] = (figure["value"], probe["name"], figure["unit"])
            for series in probe["samples"]:
                self.series[series["label"]] = (series["x"], series["y"], probe["name"])

    def at(self, label, x=None):
        xs, ys, _ = self.series[label]
        return median([b for a, b in zip(xs, ys) if x is None or a == x])


# What Arafa2019 calls its rows, and the instructions that the probe has of each.
PTX = {
    "int.add_sub_min_max": ["add", "sub", "min", "max"], "int.mul_mad": ["mul", "mad"],
    "int.sdiv_regular": ["{s} div (regular)"], "int.sdiv_irregular": ["{s} div (irregular)"],
    "int.sdiv_average": ["{s} div (regular)", "{s} div (irregular)"], "int.srem": ["{s} rem"], "int.abs": ["abs"],
    "int.udiv_regular": ["{u} div (regular)"], "int.udiv_irregular": ["{u} div (irregular)"],
    "int.udiv_average": ["{u} div (regular)", "{u} div (irregular)"], "int.urem": ["{u} rem"],
    "logic.and_or_not_xor": ["and", "or", "not", "xor"], "logic.cnot": ["cnot"], "logic.shl_shr": ["shl", "shr"],
    "single.add_sub_min_max": ["f32 add", "f32 min"], "single.mul_mad_fma": ["f32 mul", "f32 fma"],
    "single.div_regular": ["f32 div (regular)"], "single.div_irregular": ["f32 div (irregular)"],
    "single.div_average": ["f32 div (regular)", "f32 div (irregular)"],
    "double.add_sub_min_max": ["f64 add"], "double.mul_mad_fma": ["f64 mul", "f64 fma"],
    "double.div_average": ["f64 div"], "half.add_sub": ["f16 add"], "half.mul": ["f16 mul"], "half.fma": ["f16 fma"],
    "multi.add_cc_addc_sub_cc": ["add.cc", "sub.cc"], "multi.subc": ["subc"], "multi.mad_cc_madc": ["mad.cc", "madc"],
    "math.rcp": ["rcp"], "math.sqrt": ["sqrt"], "math.fast_sqrt": ["fast approximate sqrt"],
    "math.fast_rsqrt": ["fast approximate rsqrt"],
    "math.fast_sin_cos": ["fast approximate sin", "fast approximate cos"],
    "math.fast_lg2": ["fast approximate lg2"], "math.fast_ex2": ["fast approximate ex2"], "math.copysign": ["copysign"],
    "intrinsic.mul24_mad24": ["mul24", "mad24"], "intrinsic.mulhi": ["mulhi"], "intrinsic.mul64hi": ["mul64hi"],
    "intrinsic.sad": ["sad"], "intrinsic.popc": ["popc"], "intrinsic.clz": ["clz"], "intrinsic.bfe_bfi": ["bfe", "bfi"],
    "intrinsic.bfind_brev": ["bfind", "brev"],
}
# Opcodes whose latency a chain of compiled code shows.
OPCODES = {
    "IADD3": "add", "SHF": "shr", "LOP3": "and", "IMAD": "mad", "FADD": "f32 add", "FMUL": "f32 mul", "FFMA": "f32 fma",
    "FMNMX": "f32 min",
}
GEMM = {"gemm.half": "f16_f32", "gemm.single": "f32", "gemm.double": "f64", "gemm.int8": "s8_s32"}


def value_of(calibration, key):
    node = calibration
    for part in key.split("."):
        if not isinstance(node, dict) or part not in node:
            return None
        node = node[part]
    return node.get("value") if isinstance(node, dict) else None


def pairs_of_warps(findings):
    """Issue rates of the pairs of table 2.1: warps 0 to 3 with warps 4 to 7, beside the pairs that share no scheduler."""
    rates = []
    for first in range(4):
        xs, ys, _ = findings.series["cycles an FFMA of two warps, one of them warp %d" % first]
        cycles = dict(zip(xs, ys))
        rates.append([1 / cycles[second] for second in range(4, 8)])
    return [rate for row in rates for rate in row]


def from_samples(key, findings, calibration):
    """(value, probe) of a figure that is no key of the calibration, or that a sample says better; None: no such."""
    try:
        found = re.match(r"ptx\.(optimized|unoptimized)\.(.*)", key)
        if found:
            level = "-O3" if found[1] == "optimized" else "-O0"
            if found[2] in PTX:
                values = [findings.at("latency at %s of %s" % (level, name)) for name in PTX[found[2]]]
                return sum(values) / len(values), "ptx.latency"
            if found[2] == "memory.shared" and level == "-O3":
                return findings.figures["shared.latency"][0], "shared.patterns"
        opcode = key.replace("latency.opcode.", "")
        if key.startswith("latency.opcode.") and opcode in OPCODES:
            return findings.at("latency at -O3 of " + OPCODES[opcode]), "ptx.latency"
        if key in GEMM:
            xs, ys, probe = findings.series["throughput of a product, " + GEMM[key]]
            return max(ys) * 1000, probe
        sms, clock = value_of(calibration, "chip.sm_count"), value_of(calibration, "clocks.sm")
        if key in ("shared.measured_bandwidth", "shared.bandwidth_per_sm"):
            each = findings.figures["shared.bytes_per_cycle"][0] * clock / 1000
            return each * (sms if key == "shared.measured_bandwidth" else 1), "shared.patterns"
        if key == "issue.warp_to_scheduler":
            return "warp modulo %d" % findings.figures["chip.schedulers_per_sm"][0], "issue.schedulers"
        if key == "issue.throughput_by_warp_pair":
            return pairs_of_warps(findings), "issue.schedulers"
        if key == "constant.l1_sets":
            ways = findings.figures["constant.l1_ways"][0]
            return findings.figures["constant.l1_bytes"][0] / 64 / ways, "constant.sets"
    except KeyError:
        return None
    return None


def tolerance(unit, key):
    """(absolute, share): 1 cycle within the SM, 2 cycles or 2 % of memory; 2 % for slopes, 5 % for bandwidths; else exact."""
    far = key.startswith(("l2.", "dram.", "tlb.", "constant.l2", "front_end.l2", "link.", "l1.miss", "memory"))
    if unit == "cycles":
        return (2, 0.02) if far else (1, 0.02)
    if unit in ("GB/s", "bytes/cycle", "percent", "Gop/s", "MHz", "operations/cycle", "lines/cycle"):
        return (0, 0.05)
    return (0, 0)


def agrees(paper, model, unit, key):
    if isinstance(paper, list) and isinstance(model, list) and key == "issue.throughput_by_warp_pair":
        # The same pairs are slow.
        slow = [a < 0.8 * max(paper) for a in paper]
        return slow == [b < 0.8 * max(model) for b in model]
    if isinstance(paper, list) or isinstance(model, list):
        if not (isinstance(paper, list) and isinstance(model, list) and len(paper) == len(model)):
            return False
        return all(agrees(a, b, unit, key) for a, b in zip(paper, model))
    if isinstance(paper, bool) or isinstance(paper, str):
        return paper == model
    if not isinstance(model, (int, float)):
        return False
    absolute, share = tolerance(unit, key)
    if key.startswith("l1.detected_size"):
        absolute = 2048  # half a step of the probe's sweep
    return abs(model - paper) <= max(absolute + 1e-9, share * abs(paper) + 1e-9)


def text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(text(each) for each in value)
    if isinstance(value, float):
        return "%.4g" % value if abs(value) < 10000 else "%.0f" % value
    return str(value)


def reason_of(reasons, device, key):
    best = None
    for where, beginning, reason in reasons:
        rank = (where != "*", len(beginning))
        if where in ("*", device) and key.startswith(beginning) and (best is None or rank >= best[0]):
            best = (rank, reason)
    return best[1] if best else None


def answer(key, findings, calibration):
    """(value, where from) that the model gives."""
    sampled = from_samples(key, findings, calibration)
    if sampled:
        return sampled
    if key in findings.figures:
        return findings.figures[key][0], findings.figures[key][1]
    found = re.match(r"l1\.detected_size\.shared_(\d+)_kib", key)
    if found:
        sizes, by = value_of(calibration, "l1.detected_sizes"), "calibration"
        if "l1.detected_sizes" in findings.figures:
            sizes, by = findings.figures["l1.detected_sizes"][:2]
        carveouts = value_of(calibration, "chip.shared_carveouts")
        if int(found[1]) * 1024 in carveouts:
            return sizes[carveouts.index(int(found[1]) * 1024)], by
    given = value_of(calibration, key)
    return (given, "calibration") if given is not None else (None, "")


def paper_rows(device, references, calib, findings, reasons):
    calibration = json.load(open(os.path.join(calib, "devices", device, "calibration.json")))
    rows = []
    for name in references:
        reference = json.load(open(os.path.join(calib, "reference", name + ".json")))
        for key, leaf in reference["figures"].items():
            value, by = answer(key, findings, calibration)
            good = value is not None and agrees(leaf["value"], value, leaf["unit"], key)
            note = "" if good else reason_of(reasons, name, key) or reason_of(reasons, device, key)
            if good and by == "calibration":
                note = ""
            rows.append({"key": key, "unit": leaf["unit"], "paper": text(leaf["value"]), "where": leaf["reference"],
                         "model": text(value), "by": by, "good": good, "note": note, "value": value})
    return rows


def card_rows(device, calib, findings, reasons):
    """What the probes found on the card beside what the same probes find on the model of its calibration."""
    card = Findings(os.path.join(calib, "devices", device, "measurements.json"))
    calibration = json.load(open(os.path.join(calib, "devices", device, "calibration.json")))
    rows = []
    for key, (value, probe, unit) in card.figures.items():
        if key in findings.figures:
            model, by = findings.figures[key][0], findings.figures[key][1]
        else:
            model, by = value_of(calibration, key), "calibration"
        good = model is not None and agrees(value, model, unit, key)
        note = "" if good else reason_of(reasons, device, key)
        rows.append({"key": key, "unit": unit, "paper": text(value), "where": probe, "model": text(model), "by": by,
                     "good": good, "note": note, "value": model})
    return rows


def curve_rows(device, calib, findings):
    """Point by point: for each probe the points of both, how many lie within 10 %, and the worst series."""
    card = Findings(os.path.join(calib, "devices", device, "measurements.json"))
    probes = {}
    for label, (xs, ys, probe) in findings.series.items():
        if label not in card.series:
            continue
        theirs = {}
        for x, y in zip(card.series[label][0], card.series[label][1]):
            theirs.setdefault(x, []).append(y)
        for x, y in zip(xs, ys):
            if x not in theirs or median(theirs[x]) == 0:
                continue
            off = abs(y / median(theirs[x]) - 1)
            row = probes.setdefault(probe, [0, 0, 0, ""])
            row[0] += 1
            row[1] += off <= 0.1
            if off > row[2]:
                row[2], row[3] = off, "%s at %s" % (label, text(x))
    return probes


def tables(calib, folder, devices):
    reasons = json.load(open(os.path.join(os.path.dirname(__file__), "reasons.json")))
    result = {}
    for device in devices:
        findings = Findings(os.path.join(folder, device + ".json"))
        if device in PAPERS:
            result[device] = paper_rows(device, PAPERS[device], calib, findings, reasons)
        else:
            result[device] = card_rows(device, calib, findings, reasons)
    return result


def document(calib, folder):
    devices = list(PAPERS) + ["h200"]
    out = ["# What went in comes back",
           "",
           "Made by `probes/round_trip/round_trip.py`; a test holds it against the model. The probes run on the model of a "
           "shipped calibration, as they do on a card, and what they find stands beside what the papers printed, row for row, "
           "none left out, and beside what the H200 answered. *By* is the probe, or `calibration` where no probe on the model "
           "reads the figure back: then it is the number that the model is given.",
           "",
           "Tolerances: 1 cycle within the SM, 2 cycles or 2 % of memory, 5 % of bandwidths and rates, sizes and "
           "choices exact, the data cache of a carve-out within half a step of its sweep. Rows beyond them, and rows that the model has no number for, say why.",
           ""]
    all_rows = tables(calib, folder, devices)
    out += ["| device | rows | agree | of these read back by a probe | differ or have no number |", "| --- | --- | --- | --- | --- |"]
    for device in devices:
        rows = all_rows[device]
        good = [row for row in rows if row["good"]]
        out.append("| %s | %d | %d | %d | %d |" % (TITLES[device], len(rows), len(good),
                                                   len([row for row in good if row["by"] != "calibration"]), len(rows) - len(good)))
    for device in devices:
        card = device not in PAPERS
        out += ["", "## " + TITLES[device], "",
                "| figure | unit | %s | %s | model | by | why it differs |" % (("card", "probe") if card else ("paper", "printed in")),
                "| --- | --- | --- | --- | --- | --- | --- |"]
        for row in all_rows[device]:
            out.append("| `%s` | %s | %s | %s | %s | %s | %s |" % (row["key"], row["unit"], row["paper"], row["where"], row["model"],
                                                                row["by"], row["note"] or ("" if row["good"] else "no reason is known")))
    out += ["", "## H200, point by point", "",
            "Points of the probes' curves that both the card and the model have; the model is asked fewer.", "",
            "| probe | points | within 10 % | worst | where |", "| --- | --- | --- | --- | --- |"]
    findings = Findings(os.path.join(folder, "h200.json"))
    for probe, (points, near, worst, where) in sorted(curve_rows("h200", calib, findings).items()):
        out.append("| %s | %d | %d %% | %.0f %% | %s |" % (probe, points, round(100 * near / points), 100 * worst, where))
    out += ["", "## Probes that are not asked of the model", "", "| probe | why |", "| --- | --- |"]
    out += ["| %s | %s |" % row for row in sorted(NOT_ASKED.items())]
    return "\n".join(out) + "\n"


def unexplained(calib):
    """Probes of the card's measurements that are neither asked of the model nor in the list of those that are not."""
    with open(os.path.join(calib, "devices", "h200", "measurements.json")) as stream:
        names = [probe["name"] for probe in json.load(stream)["probes"]]
    return [name for name in names if name not in PROBES + CURVES and name not in NOT_ASKED]


def measure(program, folder, devices):
    os.makedirs(folder, exist_ok=True)
    for device in devices or list(PAPERS) + ["h200"]:
        subprocess.run([program, "probe", "--target", "model", "--gpu", device, "--limit", "600", "--output",
                        os.path.join(folder, device + ".json")] + PROBES + ([] if device in PAPERS else CURVES), check=True)


def check(calib, folder, file, devices):
    """Every row again; numbers within 2 % of the document's, for a model may gain precision without its table."""
    stored = {}
    section = None
    for line in open(file):
        if line.startswith("## "):
            section = line[3:].strip()
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| `"):
            stored.setdefault(section, []).append(cells)
    faults = ["probe %s is neither asked nor said not to be" % name for name in unexplained(calib)]
    for device, rows in tables(calib, folder, devices).items():
        kept = stored.get(TITLES[device], [])
        if len(kept) != len(rows):
            faults.append("%s: %d rows, the document has %d" % (device, len(rows), len(kept)))
            continue
        for row, cells in zip(rows, kept):
            key = cells[0].strip("`")
            if key != row["key"] or cells[2] != row["paper"]:
                faults.append("%s: the document has %s where %s stands" % (device, key, row["key"]))
            if not row["good"] and not row["note"]:
                faults.append("%s: %s: %s against the model's %s, and no reason" % (device, row["key"], row["paper"], row["model"]))
            if cells[4] != row["model"]:
                try:
                    now, then = float(row["model"]), float(cells[4])
                    if abs(now - then) <= 0.02 * abs(then) + 0.01:
                        continue
                except ValueError:
                    pass
                faults.append("%s: %s: the document says %s, the model now %s" % (device, row["key"], cells[4], row["model"]))
    print("\n".join(faults) or "the document is what the model says")
    return 1 if faults else 0


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "measure":
        measure(arguments[1], arguments[2], arguments[3:])
        return 0
    if len(arguments) == 4 and arguments[0] == "write":
        with open(arguments[3], "w") as stream:
            stream.write(document(arguments[1], arguments[2]))
        return 0
    if len(arguments) >= 4 and arguments[0] == "check":
        return check(arguments[1], arguments[2], arguments[3], arguments[4:] or list(PAPERS) + ["h200"])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
