"""Attention of which no size is known but the depth: numbers against float64, and whether keys are split as sizes ask for.

dynamic_splits.py <xsa-run> <model>
"""

import json
import os
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
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            flags = ["--target", "emulator", "--stats", stats]
            got = run_model(xsa_run, model, [q, k, v, own], *flags)
            with open(stats) as file:
                kernels = json.load(file)["kernels"]
        names = [(kernel["name"], kernel["grid"][0]) for kernel in kernels]
        assert len(kernels) == num_kernels, f"{name}: kernels {names}"
        want = reference(q, k, v, own)
        for what, x, exact, limit in zip(("z", "lse"), got, want, (4e-3, 1e-3)):
            assert x.shape == exact.shape, f"{name}: {what} has the shape {x.shape}"
            x = np.float64(x)
            finite = np.isfinite(exact)
            assert (np.isfinite(x) == finite).all(), f"{name}: infinities of {what} differ"
            error = np.abs(x[finite] - exact[finite]).max(initial=0)
            assert error <= limit, f"{name}: error of {what} {error:.3g}"


if __name__ == "__main__":
    main()
