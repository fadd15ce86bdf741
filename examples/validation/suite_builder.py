"""What suite.json is made of: launch arguments, fills, the split. Used by make_suite."""

FILL_BOUNDS = {
    "zero": (), "constant_u32": ("min",), "constant_f32": ("min",), "iota_u32": ("min", "step"),
    "random_u32": ("min", "max"), "random_f32": ("min", "max"), "random_f64": ("min", "max"),
    "random_f16": ("min", "max"), "random_bf16": ("min", "max"), "permutation_u32": (), "cycle_u32": (),
    "csr_row_u32": ("min", "max"), "csr_row_skewed_u32": ("min", "max"),
}
WORD = (1 << 64) - 1


def draw(seed, index):
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & WORD
    return value


def half(kernel):
    """The split is by kernel, so that no size of a held-out kernel is ever looked at.

    Bit 32 of FNV-1a decides: its lowest bit is only the parity of the characters.
    """
    return "open" if (fnv1a(kernel) >> 32) % 2 == 0 else "held_out"


def csr_entries(rows, seed, low, high, skewed=False):
    """How many entries a matrix with the fill csr_row_u32 (or its skewed form) has."""
    total = 0
    for row in range(rows):
        u = draw(seed, row) >> 32
        if skewed:
            u = (((u * u) >> 32) * u) >> 32
        total += low + ((u * (high - low + 1)) >> 32)
    return total


def buffer(count, element, fill, seed=0, **bounds):
    wanted = FILL_BOUNDS[fill]
    if set(bounds) != set(wanted):
        raise ValueError(f"fill {fill} takes {wanted}, not {sorted(bounds)}")
    entry = {"bytes": count * element, "fill": fill}
    if fill not in ("zero", "constant_u32", "constant_f32", "iota_u32"):
        entry["seed"] = seed
    entry.update(bounds)
    return {"buffer": entry}


def zero(count, element=4):
    return buffer(count, element, "zero")


def words(count, seed, low=0, high=0xFFFFFFFF):
    return buffer(count, 4, "random_u32", seed, min=low, max=high)


def floats(count, seed, low=-1.0, high=1.0):
    return buffer(count, 4, "random_f32", seed, min=low, max=high)


def doubles(count, seed, low=-1.0, high=1.0):
    return buffer(count, 8, "random_f64", seed, min=low, max=high)


def halves(count, seed, low=-1.0, high=1.0):
    return buffer(count, 2, "random_f16", seed, min=low, max=high)


def bfloats(count, seed, low=-1.0, high=1.0):
    return buffer(count, 2, "random_bf16", seed, min=low, max=high)


def iota(count, first=0, step=1):
    return buffer(count, 4, "iota_u32", min=first, step=step)


def i32(value):
    return {"i32": value}


def u32(value):
    return {"u32": value}


def i64(value):
    return {"i64": value}


def f32(value):
    return {"f32": value}


def f64(value):
    return {"f64": value}


class Suite:
    def __init__(self):
        self.cases = []

    def add(self, family, kernel, size, grid, block, arguments, shared=0, minimum=70, result="exact",
            reset=False):
        """`result`: exact, float_atomics (sums in any order) or order (who comes first decides)."""
        three = lambda v: list(v) + [1] * (3 - len(v)) if isinstance(v, (tuple, list)) else [v, 1, 1]
        name = f"{kernel}/{size}"
        if any(case["name"] == name for case in self.cases):
            raise ValueError(f"two cases are called {name}")
        self.cases.append({
            "name": name, "kernel": kernel, "size": size, "family": family, "half": half(kernel),
            "cubin": f"{family}.sm_{{architecture}}.cubin", "minimum_architecture": minimum,
            "result": result, "reset": reset,
            "launch": {
                "schema": "warpgauge-launch/1", "kernel": kernel, "grid": three(grid), "block": three(block),
                "dynamic_shared_bytes": shared, "arguments": arguments,
            },
        })
