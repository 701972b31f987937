"""Attention with score regions of many operations on the emulator, against float64.

score_regions.py <xsa-run>
"""

import json
import os
import sys
import tempfile

import numpy as np
from run_model import run_model

TOKENS, DEPTH = 37, 16

# What the region makes of the score %s in row %i at key %j, and the same in numpy.
REGIONS = {
    "absf": ("%r = math.absf %s : f32", lambda s, i, j: np.abs(s)),
    "sqrt": (
        "%x = math.absf %s : f32 \n %r = math.sqrt %x : f32",
        lambda s, i, j: np.sqrt(np.abs(s)),
    ),
    "rsqrt": (
        """%one = arith.constant 1.0 : f32
           %x = math.fma %s, %s, %one : f32
           %r = math.rsqrt %x : f32""",
        lambda s, i, j: 1 / np.sqrt(s * s + 1),
    ),
    "log": (
        """%one = arith.constant 1.0 : f32
           %x = math.fma %s, %s, %one : f32
           %r = math.log %x : f32""",
        lambda s, i, j: np.log(s * s + 1),
    ),
    "exp": ("%r = math.exp %s : f32", lambda s, i, j: np.exp(s)),
    "exp2": ("%r = math.exp2 %s : f32", lambda s, i, j: np.exp2(s)),
    "tanh": ("%r = math.tanh %s : f32", lambda s, i, j: np.tanh(s)),
    "maxnumf": (
        "%c = arith.constant 0.1 : f32 \n %r = arith.maxnumf %s, %c : f32",
        lambda s, i, j: np.maximum(s, 0.1),
    ),
    "remf": (
        "%c = arith.constant 0.75 : f32 \n %r = arith.remf %s, %c : f32",
        lambda s, i, j: np.fmod(s, 0.75),
    ),
    # Whether 64 bits of an index are needed or not.
    "distance": (
        """%d = arith.subi %i, %j : index
           %x = arith.index_cast %d : index to i32
           %f = arith.sitofp %x : i32 to f32
           %r = arith.subf %s, %f : f32""",
        lambda s, i, j: s - (i - j),
    ),
    "product": (
        """%c = arith.constant 10000000 : index
           %seven = arith.constant 7 : index
           %x = arith.muli %i, %c : index
           %y = arith.muli %x, %j : index
           %z = arith.remsi %y, %seven : index
           %w = arith.index_cast %z : index to i32
           %f = arith.sitofp %w : i32 to f32
           %r = arith.addf %s, %f : f32""",
        lambda s, i, j: s + (i * 10**7 * j) % 7,
    ),
    "large constant": (
        """%c = arith.constant 5000000001 : index
           %seven = arith.constant 7 : index
           %x = arith.addi %j, %c : index
           %z = arith.remsi %x, %seven : index
           %w = arith.index_cast %z : index to i32
           %f = arith.sitofp %w : i32 to f32
           %r = arith.addf %s, %f : f32""",
        lambda s, i, j: s + (j + 5000000001) % 7,
    ),
    "large integer": (
        """%c = arith.constant 1000000000007 : i64
           %seven = arith.constant 7 : index
           %i64 = arith.index_cast %i : index to i64
           %x = arith.muli %i64, %c : i64
           %y = arith.index_cast %x : i64 to index
           %z = arith.remui %y, %seven : index
           %w = arith.index_cast %z : index to i32
           %f = arith.sitofp %w : i32 to f32
           %h = arith.mulf %f, %s : f32
           %r = arith.addf %s, %h : f32""",
        lambda s, i, j: s + s * ((i * 1000000000007) % 7),
    ),
    # Modulo 7, 2^32 and 2^64 differ.
    "unsigned remainder": (
        """%seven = arith.constant 7 : index
           %d = arith.subi %i, %j : index
           %z = arith.remui %d, %seven : index
           %w = arith.index_cast %z : index to i32
           %f = arith.sitofp %w : i32 to f32
           %r = arith.addf %s, %f : f32""",
        lambda s, i, j: s + np.float64((i - j).astype(np.uint64) % np.uint64(7)),
    ),
    "long shift": (
        """%c = arith.constant 40 : index
           %d = arith.subi %i, %j : index
           %z = arith.shrsi %d, %c : index
           %w = arith.index_cast %z : index to i32
           %f = arith.sitofp %w : i32 to f32
           %r = arith.addf %s, %f : f32""",
        lambda s, i, j: s + ((i - j) >> 40),
    ),
    "unsigned cast": (
        """%c = arith.constant 120 : i8
           %x = arith.index_cast %j : index to i8
           %y = arith.addi %x, %c : i8
           %z = arith.index_castui %y : i8 to index
           %w = arith.index_cast %z : index to i32
           %f = arith.sitofp %w : i32 to f32
           %h = arith.constant 0.125 : f32
           %r = math.fma %f, %h, %s : f32""",
        lambda s, i, j: s + 0.125 * (j + 120),
    ),
    "unsigned cast of a large sum": (
        """%c = arith.constant 4294967290 : index
           %x = arith.addi %j, %c : index
           %y = arith.index_castui %x : index to i32
           %f = arith.uitofp %y : i32 to f32
           %h = arith.constant 2.3283064365386963e-10 : f32
           %r = math.fma %f, %h, %s : f32""",
        lambda s, i, j: s + 2.0**-32 * ((j + 4294967290) % 2**32),
    ),
}


def module(region, dtype):
    maps = "(m, k1)", "(k2, k1)", "(k2, n)", "(m, n)"
    maps = ", ".join(f"affine_map<(m, k1, k2, n) -> {m}>" for m in maps)
    t = f"tensor<{TOKENS}x{DEPTH}x{dtype}>"
    return f"""
func.func @main(%q: {t}, %k: {t}, %v: {t}) -> {t} {{
  %empty = tensor.empty() : {t}
  %o = xsa.attention {{scale = 0.25 : f64, indexing_maps = [{maps}]}}
      ins(%q, %k, %v : {t}, {t}, {t}) outs(%empty : {t})
  score {{
  ^bb0(%s: f32, %i: index, %j: index):
    {region}
    xsa.yield %r : f32
  }} -> {t}
  return %o : {t}
}}
"""


def main():
    (xsa_run,) = sys.argv[1:]
    rng = np.random.default_rng(0)
    i, j = np.indices((TOKENS, TOKENS))
    for number, (name, (region, function)) in enumerate(REGIONS.items()):
        dtype, stored = (("f16", np.float16), ("f32", np.float32))[number % 2]
        q, k, v = (rng.standard_normal((TOKENS, DEPTH)).astype(stored) for _ in range(3))
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            flags = "--target", "emulator", "--stats", stats
            (got,) = run_model(xsa_run, module(region, dtype), [q, k, v], *flags)
            with open(stats) as file:
                assert len(json.load(file)["kernels"]) == 1, f"{name}: not one kernel"
        q, k, v = np.float64(q), np.float64(k), np.float64(v)
        scores = function(0.25 * (q @ k.T), i, j)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        exact = weights @ v / weights.sum(axis=1, keepdims=True)
        error = np.max(np.abs(got - exact))
        limit = {"f16": 2.0**-10, "f32": 2.0**-19}[dtype] * np.max(np.abs(v))
        assert error <= limit, f"{name}: error {error:.3g}, expected at most {limit:.3g}"


if __name__ == "__main__":
    main()
