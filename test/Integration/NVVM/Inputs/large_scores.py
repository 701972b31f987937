"""Weights where scores are so large that rounding their product with the scale changes exponents, against float64.

large_scores.py <xsa-run>
"""

import math
import sys

import numpy as np
from run_model import run_model

# So many rows that keys are not split into ranges, and tiles follow on each other; so few that they are.
ROWS, FEW, KEYS, DEPTH = 64, 4, 1024, 16


def module(rows, scale, dtype, lse, sink):
    maps = "(m, k1)", "(k2, k1)", "(k2, n)", *["()"] * sink, "(m, n)", *["(m)"] * lse
    maps = ", ".join(f"affine_map<(m, k1, k2, n) -> {m}>" for m in maps)
    o, k = (f"tensor<{count}x{DEPTH}x{dtype}>" for count in (rows, KEYS))
    row = f"tensor<{rows}xf32>"
    results = f"{o}, {row}" if lse else o
    return f"""
func.func @main(%q: {o}, %k: {k}, %v: {k}{", %sink: tensor<f32>" * sink}) -> {o} {{
  %empty = tensor.empty() : {o}
  %row = tensor.empty() : {row}
  %r{":2" * lse} = xsa.attention {{scale = {scale:.17e} : f64, indexing_maps = [{maps}]}}
      ins(%q, %k, %v : {o}, {k}, {k}) {"sinks(%sink : tensor<f32>)" * sink} outs(%empty : {o})
      {f"lse(%row : {row})" if lse else ""} -> {results}
  return %r{"#0" * lse} : {o}
}}
"""


def softmax(scores, sink=None):
    if sink is not None:
        return softmax(np.hstack([scores, np.full_like(scores[:, :1], sink)]))[:, :-1]
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def check(xsa_run, scale, dtype, lse, q, k, v, sink=None):
    """`q` and `k` have products that an f32 holds, so that only what follows is inexact."""
    text = module(len(q), scale, dtype, lse, sink is not None)
    sinks = [] if sink is None else [np.float32(sink)]
    (got,) = run_model(xsa_run, text, [q, k, v, *sinks], "--target", "emulator")
    q, k, v = np.float64(q), np.float64(k), np.float64(v)
    products = q @ k.T
    exact = softmax(scale * products, sink) @ v
    plain = softmax(np.float32(scale) * np.float32(products), sink) @ v
    error = np.max(np.abs(got - exact))
    # Weights are rounded, and so is the result. (NaN compares as false.)
    rounding = {"f16": 2.0**-11, "bf16": 2.0**-8}[dtype] * np.max(np.abs(v))
    limit = 2 * (np.max(np.abs(plain - exact)) + rounding)
    what = f"{dtype}, {len(q)} rows, scale {scale:g}{', with log-sum-exp' * lse}, sink {sink}"
    assert error <= limit, f"{what}: error {error:.3g}, expected at most {limit:.3g}"


def main():
    (xsa_run,) = sys.argv[1:]
    rng = np.random.default_rng(0)
    most = (333.3, 7654.3, 123456.7, 9.87e6, 6.54e7, 1.23e9, 1e20), (0.1, 1.0, 15.9, 16.1, 1e6)
    for dtype, (scales, steps) in (("f16", most), ("bf16", ((123456.7, 6.54e7), (1.0, 16.1)))):
        stored = np.float16 if dtype == "f16" else np.float32
        v = rng.integers(-8, 8, (KEYS, DEPTH)).astype(stored) + 4
        # All keys are the same: rescaling by anything but 1 between tiles, however close, adds up.
        q, k = np.zeros((ROWS, DEPTH), stored), np.zeros((KEYS, DEPTH), stored)
        q[:, 0] = np.arange(1, ROWS + 1)
        k[:, 0] = 1
        for scale in scales:
            for sign in (1, -1):
                check(xsa_run, sign * scale, dtype, sign < 0, q, k, v)
        # Scores near 2^24 that differ by 1 to 128: 2^(1 to 128 steps) in weights.
        q[:, 0] = 4096
        k[:, 0] = 4064
        q[:, 1] = 1
        k[:, 1] = rng.permutation(KEYS) % 128
        for step in steps:
            check(xsa_run, step * math.log(2), dtype, False, q, k, v)
        # A sink near such scores, about as much as all of them.
        for above in 2.25, 4, 5.5:
            for rows in ROWS, FEW:
                sink = 0.125 * (4096 * 4064 + 127) + above
                check(xsa_run, 0.125, dtype, False, q[:rows], k, v, sink)
        # Scores that an f32 holds, and that grow by 1 from tile to tile; their products with log2(e) are rounded
        # for each maximum anew.
        rise = np.arange(KEYS) // 64 % 4
        k[:, 1] = 8 * rise
        v[:] = rise[:, None]
        for first in 2048, 8192, 16384:
            k[:, 0] = first
            for rows in ROWS, FEW:
                check(xsa_run, 0.125, dtype, False, q[:rows], k, v)


if __name__ == "__main__":
    main()
