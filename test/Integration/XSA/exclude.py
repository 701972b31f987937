"""Numbers of `xsa.exclude`, feature by feature, against a float64 reference.

    exclude.py XSA_RUN [--target T] [--only REGEX] [--chip C]

On a GPU each case must be one kernel, or none where `kernels` says so. The error of each case may be twice that of the formula computed plainly in float32 and rounded to the output's type.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib

import numpy as np
from attention_cases import EPS, round_to
from run_model import run_model

DEFAULTS = dict(
    sizes=dict(b=2, h=3, g=1, t=37, n=64),
    input="bhgtn",  # order of the dimensions in memory; dimensions that are left out do not exist
    value="bhtn",
    output=None,  # as the input
    types=("f32", "f32", "f32"),  # of input, value and output
    kind="l2_clamp",
    eps=1e-12,
    factor=1.0,  # strength of the attribute
    strength=None,  # dimensions of the operand
    coefficient=None,  # dimensions of the result
    tiny=False,  # some own values are zero or far below eps
    dynamic="",  # dimensions of dynamic extent
    kernels=1,
)

CASES = {
    "bhtd": {},
    "bthd": dict(input="bthgn", value="bthn"),
    "thd": dict(input="thn", value="thn"),
    "tokens": dict(input="tn", value="tn"),
    "transposed": dict(input="bhgnt", value="bhnt"),
    "transposed_value": dict(value="bhnt"),
    "transposed_output_f16": dict(output="bhgnt", types=("f16",) * 3),
    "grouped": dict(sizes=dict(b=1, h=2, g=4, t=50, n=64), types=("bf16",) * 3),
    "grouped_outer": dict(sizes=dict(b=1, h=2, g=3, t=50, n=32), input="bghtn"),
    "grouped_bthd": dict(sizes=dict(b=2, h=2, g=4, t=9, n=128), input="bthgn", value="bthn"),
    "multi_query": dict(sizes=dict(b=2, g=5, t=33, n=64), input="bgtn", value="btn"),
    "two_groups": dict(sizes=dict(b=1, h=2, g=2, k=3, t=20, n=16), input="bhgktn"),
    "one_value_for_all": dict(sizes=dict(h=3, t=20, n=24), input="htn", value="n"),
    "value_per_head": dict(sizes=dict(h=5, t=20, n=24), input="htn", value="hn"),
    "one_token": dict(sizes=dict(b=2, h=4, g=2, t=1, n=64)),
    "one_row": dict(sizes=dict(t=1, n=64), input="tn", value="tn"),
    "f16": dict(types=("f16",) * 3),
    "bf16": dict(types=("bf16",) * 3),
    "bf16_to_f32": dict(types=("bf16", "bf16", "f32")),
    "f32_to_f16": dict(types=("f32", "f16", "f16")),
    "f32_value": dict(types=("bf16", "f32", "bf16")),
    "sq_clamp": dict(kind="sq_clamp", eps=1e-8, tiny=True, coefficient="bhgt"),
    "sq_add": dict(kind="sq_add", eps=1e-6, tiny=True, coefficient="bhgt"),
    "l2_clamp": dict(kind="l2_clamp", eps=1e-4, tiny=True, coefficient="bhgt"),
    "raw": dict(kind="raw", tiny=True, coefficient="thgb"),
    "factor": dict(factor=-0.5, types=("f16",) * 3),
    "strength_scalar": dict(strength="", factor=0.5),
    "strength_head": dict(sizes=dict(b=2, h=2, g=2, t=37, n=64), strength="hg"),
    "strength_token": dict(
        sizes=dict(b=2, h=2, g=2, t=37, n=64), strength="bt", types=("bf16",) * 3
    ),
    "strength_all": dict(
        sizes=dict(b=2, h=2, g=2, t=37, n=64), strength="tbhg", coefficient="bhgt"
    ),
    "coefficient_token": dict(sizes=dict(t=1, n=1), input="tn", value="tn", coefficient="t"),
    "depth_1": dict(sizes=dict(b=1, h=2, g=2, t=40, n=1)),
    "depth_8": dict(sizes=dict(b=1, h=2, g=2, t=100, n=8), types=("f16",) * 3),
    "depth_24": dict(sizes=dict(b=1, h=2, g=2, t=40, n=24), types=("bf16",) * 3),
    "depth_65": dict(sizes=dict(b=1, h=2, g=2, t=40, n=65), types=("bf16",) * 3),
    "depth_100": dict(sizes=dict(b=1, h=2, g=2, t=40, n=100), types=("f16",) * 3),
    "depth_127": dict(sizes=dict(b=1, h=2, g=2, t=40, n=127)),
    "depth_256": dict(sizes=dict(b=1, h=2, g=2, t=40, n=256), types=("bf16",) * 3),
    "depth_256_f32": dict(sizes=dict(b=1, h=1, g=2, t=40, n=256)),
    "depth_512": dict(sizes=dict(b=1, h=1, g=2, t=40, n=512), types=("f16",) * 3),
    "many_tokens": dict(sizes=dict(b=1, h=16, g=2, t=600, n=64), types=("bf16",) * 3),
    "dynamic_tokens": dict(dynamic="t", types=("bf16",) * 3),
    "dynamic": dict(
        sizes=dict(b=2, h=2, g=3, t=50, n=64), dynamic="bhgt", strength="hg", coefficient="bhgt"
    ),
    "dynamic_bthd": dict(
        sizes=dict(b=2, h=2, g=3, t=50, n=80),
        input="bthgn",
        value="bthn",
        dynamic="bhgt",
        types=("f16",) * 3,
    ),
    "no_tokens": dict(sizes=dict(b=2, h=2, g=2, t=0, n=16), kernels=0),
    "dynamic_no_tokens": dict(
        sizes=dict(b=2, h=2, g=2, t=0, n=16), dynamic="bt", coefficient="bhgt", kernels=None
    ),
    # Left to the host.
    "dynamic_depth": dict(dynamic="tn", kernels=0),
    "f64": dict(types=("f64",) * 3, kernels=0),
}


def module(c, order):
    """The text of a case; `order` gives the dimensions of each operand in memory."""
    domain = [d for d in c["input"] if d != "n"] + ["n"]

    def map_of(dims):
        return f"affine_map<({', '.join(domain)}) -> ({', '.join(dims)})>"

    def tensor(dims, element):
        extents = ["?" if d in c["dynamic"] else str(c["sizes"][d]) for d in dims]
        return f"tensor<{'x'.join([*extents, element])}>"

    y_type, v_type, z_type = c["types"]
    types = dict(y=tensor(order["y"], y_type), v=tensor(order["v"], v_type))
    if "a" in order:
        types["a"] = tensor(order["a"], "f32")
    outs = dict(z=tensor(order["z"], z_type))
    if "c" in order:
        outs["c"] = tensor(order["c"], "f64" if y_type == "f64" else "f32")
    lines = []
    for name, type_ in outs.items():
        sizes = []
        for d in order[name]:
            if d in c["dynamic"]:
                place = f"%{name}_{d}"
                lines += [f"{place}_at = arith.constant {order['y'].index(d)} : index"]
                lines += [f"{place} = tensor.dim %y, {place}_at : {types['y']}"]
                sizes.append(place)
        lines.append(f"%{name} = tensor.empty({', '.join(sizes)}) : {type_}")
    eps = "" if c["kind"] == "raw" else f", eps = {c['eps']:e}"
    exclusion = f"#xsa.exclusion<{c['kind']}{eps}, strength = {c['factor']:e}>"
    maps = [map_of(order[name]) for name in [*types, *outs]]
    strength = f"strength(%a : {types['a']})" if "a" in types else ""
    coefficient = f"coefficient(%c : {outs['c']})" if "c" in outs else ""
    results = ", ".join(outs.values())
    body = "\n  ".join(lines)
    return f"""
func.func @main({", ".join(f"%{n}: {t}" for n, t in types.items())}) -> ({results}) {{
  {body}
  %r:{len(outs)} = xsa.exclude {{exclusion = {exclusion}, indexing_maps = [{", ".join(maps)}]}}
      ins(%y, %v : {types["y"]}, {types["v"]}) {strength}
      outs(%z : {outs["z"]}) {coefficient} -> {results}
  return {", ".join(f"%r#{i}" for i in range(len(outs)))} : {results}
}}
"""


def spread(x, dims, domain):
    """`x` over the domain, of extent 1 along what it does not have."""
    x = np.transpose(x, [dims.index(d) for d in domain if d in dims])
    return x[tuple(slice(None) if d in dims else None for d in domain)]


def formula(c, order, arrays, dtype):
    """z and c over the domain, every operation in `dtype`."""
    domain = [d for d in c["input"] if d != "n"] + ["n"]
    y = spread(arrays["y"].astype(dtype), order["y"], domain)
    v = spread(arrays["v"].astype(dtype), order["v"], domain)
    square = (v * v).sum(-1, keepdims=True)
    eps = dtype(c["eps"])
    n = {
        "l2_clamp": np.maximum(square, eps * eps),
        "sq_clamp": np.maximum(square, eps),
        "sq_add": square + eps,
        "raw": square,
    }[c["kind"]]
    dot = (y * v).sum(-1, keepdims=True)
    with np.errstate(all="ignore"):
        coefficient = np.where(n == 0, dtype(0), dot / n)
    a = dtype(c["factor"])
    if "a" in arrays:
        a = a * spread(arrays["a"].astype(dtype), order["a"], domain)
    return y - a * coefficient * v, np.broadcast_to(coefficient, (*y.shape[:-1], 1))


def in_memory(x, dims, domain):
    """A result over the domain, as its tensor has it."""
    if "n" not in dims:
        x, domain = x[..., 0], [d for d in domain if d != "n"]
    return np.transpose(x, [domain.index(d) for d in dims])


def run_case(args, name):
    c = {**DEFAULTS, **CASES[name]}
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    order = dict(y=c["input"], v=c["value"], z=c["output"] or c["input"])
    if c["input"] == DEFAULTS["input"]:
        order = {k: "".join(d for d in dims if d in c["sizes"]) for k, dims in order.items()}
        c["input"] = order["y"]
    if c["strength"] is not None:
        order["a"] = c["strength"]
    if c["coefficient"]:
        order["c"] = c["coefficient"]

    def random(dims, dtype):
        return round_to(rng.standard_normal([c["sizes"][d] for d in dims]), dtype)

    arrays = dict(y=random(order["y"], c["types"][0]), v=random(order["v"], c["types"][1]))
    if "a" in order:
        arrays["a"] = random(order["a"], "f32")
    if c["tiny"]:
        rows = np.moveaxis(arrays["v"], order["v"].index("n"), -1)
        rows[..., ::3, :] *= 1e-5
        rows[..., 1::4, :] = 0
        arrays["v"] = round_to(arrays["v"], c["types"][1])
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        flags = ["--target", args.target, "--stats", stats]
        flags += ["--chip", args.chip] if args.chip else []
        got = run_model(args.xsa_run, module(c, order), list(arrays.values()), *flags)
        with open(stats) as file:
            kernels = json.load(file).get("kernels", [])
    if args.target != "cpu" and c["kernels"] is not None and len(kernels) != c["kernels"]:
        return f"{len(kernels)} kernels, expected {c['kernels']}"
    domain = [d for d in c["input"] if d != "n"] + ["n"]
    exact = formula(c, order, arrays, np.float64)
    plain = formula(c, order, arrays, np.float64 if c["types"][0] == "f64" else np.float32)
    for number, (place, dtype) in enumerate(zip("zc", (c["types"][2], "f32"))):
        if place not in order:
            continue
        want = in_memory(exact[number], order[place], domain)
        rounded = round_to(in_memory(plain[number], order[place], domain), dtype)
        x = np.float64(got[number])
        if x.shape != want.shape:
            return f"output {number}: shape {x.shape}, expected {want.shape}"
        if not np.isfinite(x).all():
            return f"output {number}: values that are not finite"
        scale = np.abs(want).max(initial=1.0)
        allowed = 2 * np.abs(np.float64(rounded) - want).max(initial=0) + 4 * EPS["f32"] * scale
        error = np.abs(x - want).max(initial=0)
        if error > allowed:
            return f"output {number}: error {error:.3g}, allowed {allowed:.3g}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xsa_run")
    parser.add_argument("--target", default="cpu", choices=["cpu", "emulator", "cuda"])
    parser.add_argument("--chip")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    names = [name for name in CASES if re.search(args.only, name)]
    failures = 0
    for name in names:
        try:
            problem = run_case(args, name)
        except (RuntimeError, subprocess.SubprocessError) as error:
            problem = str(error)
        if problem:
            failures += 1
            print(f"{name}: {problem.strip()[:400]}", flush=True)
    print(f"{len(names)} cases, {failures} failures")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
