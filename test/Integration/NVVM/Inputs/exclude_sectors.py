"""Bytes and sectors that the exclusion by itself moves, beside the least it can, by layout, type and depth.

exclude_sectors.py <xsa-run> [--table]

Fails where bytes, or sectors of what is not known to be split, are more than 1.1 times the ideal. With --table, prints all.
"""

import argparse
import json
import os
import tempfile

import numpy as np
from run_model import run_model

BATCH, HEADS, TOKENS = 1, 4, 192
LAYOUTS = ("bhtd", "bthd", "bhdt")
DEPTHS = (8, 24, 40, 64, 72, 80, 128, 192, 256, 512)
BYTES = {"f16": 2, "bf16": 2, "f32": 4}


def model(layout, dtype, depth, group):
    """Own values on b, h, t, d; the input has a group of heads for each of theirs, right after them."""
    sizes = {"b": BATCH, "h": HEADS, "g": group, "t": TOKENS, "d": depth}
    own = list(layout)
    rows = [dim for name in own for dim in (("h", "g") if name == "h" and group > 1 else (name,))]

    def tensor(dims):
        return f"tensor<{'x'.join(str(sizes[dim]) for dim in dims)}x{dtype}>"

    domain = ", ".join([*"bh", *(["g"] if group > 1 else []), "t", "d"])
    maps = [f"affine_map<({domain}) -> ({', '.join(dims)})>" for dims in (rows, own, rows)]
    y, v = tensor(rows), tensor(own)
    text = f"""func.func @main(%y: {y}, %v: {v}) -> {y} {{
  %init = tensor.empty() : {y}
  %z = xsa.exclude {{exclusion = #xsa.exclusion<raw>, indexing_maps = [{", ".join(maps)}]}}
      ins(%y, %v : {y}, {v}) outs(%init : {y}) -> {y}
  return %z : {y}
}}
"""
    return text, [sizes[dim] for dim in rows], [sizes[dim] for dim in own]


def measure(xsa_run, layout, dtype, depth, group):
    """Bytes and sectors moved, as parts of what is ideal."""
    text, rows, own = model(layout, dtype, depth, group)
    store = np.float16 if dtype == "f16" else np.float32
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype(store) for shape in (rows, own)]
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        run_model(xsa_run, text, arrays, "--target", "emulator", "--stats", stats)
        with open(stats) as file:
            (kernel,) = json.load(file)["kernels"]
    ideal = BYTES[dtype] * (2 * np.prod(rows) + np.prod(own))
    moved = kernel["global_load_bytes"] + kernel["global_store_bytes"]
    sectors = kernel["global_load_sectors"] + kernel["global_store_sectors"]
    return moved / ideal, 32 * sectors / ideal


def is_split(layout, dtype, depth, group):
    """Where instructions share sectors: rows that sectors do not divide, of heads in a group, which
    are in other iterations; rows across memory that the registers of the lanes which fill a sector
    do not hold."""
    if layout == "bhdt":
        return depth * BYTES[dtype] > (3 * 128 if BYTES[dtype] == 2 else 1024)
    return layout == "bthd" and group > 1 and depth * BYTES[dtype] % 32 != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xsa_run")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    cases = [
        (layout, dtype, depth, group)
        for layout in LAYOUTS
        for group in (1, 2)
        for dtype in ("f16", "f32")
        for depth in (DEPTHS if options.table else (8, 40, 64, 192))
    ]
    failures = []
    for case in cases:
        moved, sectors = measure(options.xsa_run, *case)
        if options.table:
            print(*case, f"{moved:.3f} {sectors:.3f}", flush=True)
        if moved > 1.05 or (sectors > 1.1 and not is_split(*case)):
            failures.append(f"{case}: {moved:.3f} times the bytes, {sectors:.3f} times the sectors")
    assert not failures, "\n".join(failures)


if __name__ == "__main__":
    main()
