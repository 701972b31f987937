"""Attention of which no size is known but the depth: numbers against float64, and whether keys are split as sizes ask for,
which is as the compiler splits them where it knows the sizes.

dynamic_splits.py <xsa-run> <model>
"""

import json
import os
import re
import sys
import tempfile

import numpy as np
from run_model import run_model

D = 64
# Batch, heads, rows, keys, and how many kernels run: two if the keys are split.
CASES = (
    (1, 2, 1, 1500, 2),
    (1, 2, 1, 40, 1),
    (2, 3, 5, 700, 2),
    (1, 1, 32, 1000, 2),
    (1, 1, 33, 1000, 1),
    (1, 2, 20, 20, 1),
    (3, 70, 1, 130, 1),
    (1, 2, 1, 1, 1),
    (1, 2, 3, 0, 1),
    (0, 2, 1, 1500, 0),
    (1, 2, 0, 1500, 0),
)


# What the host computes must be what the compiler does: few rows, for which the tiles are the same. Number of keys that
# tiles divide or not, more tiles than ranges are made of, more blocks than SMs.
SAME_SPLITS = (
    (1, 2, 1, 1500),
    (2, 3, 5, 700),
    (2, 2, 1, 640),
    (1, 40, 1, 1000),
    (1, 1, 1, 20000),
)


def with_sizes(model, batch, heads, rows, keys):
    """The model with static sizes."""
    maps = re.findall(r"^#.*$", model, re.MULTILINE)
    query, key = (f"tensor<{batch}x{heads}x{length}x{D}xf16>" for length in (rows, keys))
    row = f"tensor<{batch}x{heads}x{rows}xf32>"
    attention = model[model.index("%r:2 =") :]
    attention = re.sub(r"ins\(.*?\)", f"ins(%q, %k, %v : {query}, {key}, {key})", attention)
    attention = attention.replace("tensor<?x?x?xf32>", row).replace("!t", query)
    head = f"""func.func @main(%q: {query}, %k: {key}, %v: {key}, %own: {query}) -> ({query}, {row}) {{
  %empty = tensor.empty() : {query}
  %row = tensor.empty() : {row}
"""
    return "\n".join(maps) + "\n" + head + attention


def run(xsa_run, model, arrays):
    """The results, and name and number of blocks of each kernel."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        got = run_model(xsa_run, model, arrays, "--target", "emulator", "--stats", stats)
        with open(stats) as file:
            kernels = json.load(file)["kernels"]
    return got, [(kernel["name"], kernel["grid"][0]) for kernel in kernels]


def reference(q, k, v, own):
    """Causal, the last row at the last key."""
    q, k, v, own = (np.float64(x) for x in (q, k, v, own))
    rows, keys = q.shape[2], k.shape[2]
    scores = np.einsum("bhmd,bhkd->bhmk", q, k) * 0.125
    seen = np.arange(keys) <= np.arange(rows)[:, None] + keys - rows
    scores = np.where(seen, scores, -np.inf)
    most = scores.max(-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(most), 0, most))
    total = weights.sum(-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        lse = (most + np.log(total))[..., 0]
        y = np.where(total == 0, 0, np.einsum("bhmk,bhke->bhme", weights, v) / total)
    c = (y * own).sum(-1) / np.maximum((own * own).sum(-1), 1e-24)
    return y - c[..., None] * own, lse


def main():
    xsa_run, model = sys.argv[1:]
    rng = np.random.default_rng(0)
    for batch, heads, rows, keys, num_kernels in CASES:
        name = f"B{batch} H{heads} Tq{rows} Tk{keys}"
        q, k, v, own = (
            rng.standard_normal((batch, heads, length, D)).astype(np.float16)
            for length in (rows, keys, keys, rows)
        )
        got, names = run(xsa_run, model, [q, k, v, own])
        assert len(names) == num_kernels, f"{name}: kernels {names}"
        want = reference(q, k, v, own)
        for what, x, exact, limit in zip(("z", "lse"), got, want, (4e-3, 1e-3)):
            assert x.shape == exact.shape, f"{name}: {what} has the shape {x.shape}"
            x = np.float64(x)
            finite = np.isfinite(exact)
            assert (np.isfinite(x) == finite).all(), f"{name}: infinities of {what} differ"
            error = np.abs(x[finite] - exact[finite]).max(initial=0)
            assert error <= limit, f"{name}: error of {what} {error:.3g}"
    with open(model) as file:
        dynamic = file.read()
    for batch, heads, rows, keys in SAME_SPLITS:
        arrays = [
            np.zeros((batch, heads, length, D), np.float16) for length in (rows, keys, keys, rows)
        ]
        static = with_sizes(dynamic, batch, heads, rows, keys)
        blocks = [
            [number for _, number in run(xsa_run, text, arrays)[1]] for text in (dynamic, static)
        ]
        assert blocks[0] == blocks[1], (
            f"B{batch} H{heads} Tq{rows} Tk{keys}: {blocks[0]} blocks, {blocks[1]} with static sizes"
        )


if __name__ == "__main__":
    main()
