"""Numbers of every tm_tensor operation, lowered and run, against references written from the operations' documentation.

    tm_tensor.py XSA_RUN [--seed N] [--only REGEX] [--sample N]

Each case is a module with one operation, its inputs and what numpy computes for it. All cases are run, or N of each
operation; those that differ are printed, and the exit code is 1 if there are any.
"""

import argparse
import itertools
import re
import sys

import numpy as np
from run_model import run_model

NP = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i32": np.int32,
    "i64": np.int64,
    "i1": np.bool_,
    "i8": np.int8,
}


def tensor(shape, elem, dynamic=False):
    return "tensor<" + "".join(("?" if dynamic else str(s)) + "x" for s in shape) + elem + ">"


def module(args, results, body):
    """A module whose @main takes (name, type) pairs."""
    params = ", ".join(f"%{n}: {t}" for n, t in args)
    return f"func.func @main({params}) -> ({', '.join(results)}) {{\n{body}\n}}\n"


# scan ---------------------------------------------------------------------------------------------------------------

# The arguments are the previous output and the next input; the last one tells them apart.
COMBINERS = {
    "add": ("arith.addf %p, %n", "arith.addi %p, %n", lambda p, n: p + n),
    "mul": ("arith.mulf %p, %n", "arith.muli %p, %n", lambda p, n: p * n),
    "max": ("arith.maximumf %p, %n", "arith.maxsi %p, %n", np.maximum),
    "sub": ("arith.subf %p, %n", "arith.subi %p, %n", lambda p, n: p - n),
}


def scan_reference(x, acc, axis, inclusive, f):
    x = np.moveaxis(x, axis, 0)
    out, last = np.empty_like(x), acc.copy()
    for i in range(len(x)):
        if i == 0:
            out[0] = x[0] if inclusive else acc
        else:
            out[i] = last = f(out[i - 1], x[i] if inclusive else x[i - 1])
    return np.moveaxis(out, 0, axis), last


def scan_cases(rng):
    shapes = [
        ((7,), 0),
        ((3, 5), 0),
        ((3, 5), 1),
        ((2, 4, 6), 1),
        ((1, 4), 0),
        ((4, 0), 1),
        ((0, 3), 1),
    ]
    for (shape, axis), inclusive, dynamic in itertools.product(
        shapes, (True, False), (True, False)
    ):
        for op, elem in itertools.product(COMBINERS, ("f32", "i64")):
            fop, iop, f = COMBINERS[op]
            x = (
                rng.normal(size=shape) if elem == "f32" else rng.integers(-3, 4, size=shape)
            ).astype(NP[elem])
            rest = shape[:axis] + shape[axis + 1 :]
            acc = (
                rng.normal(size=rest) if elem == "f32" else rng.integers(-3, 4, size=rest)
            ).astype(NP[elem])
            t, ta = tensor(shape, elem, dynamic), tensor(rest, elem, dynamic)
            text = module(
                [("x", t), ("init", t), ("acc", ta)],
                [t, ta],
                f"""\
  %r:2 = tm_tensor.scan dimension({axis}) inclusive({str(inclusive).lower()}) ins(%x : {t}) outs(%init, %acc : {t}, {ta}) {{
  ^bb0(%p: {elem}, %n: {elem}):
    %s = {fop if elem == "f32" else iop} : {elem}
    tm_tensor.yield %s : {elem}
  }} -> {t}, {ta}
  return %r#0, %r#1 : {t}, {ta}""",
            )
            want = scan_reference(x, acc, axis, inclusive, f)
            yield (
                f"scan {shape} axis={axis} inclusive={inclusive} dynamic={dynamic} {op} {elem}",
                text,
                [x, np.zeros_like(x), acc],
                want,
            )


# scatter ------------------------------------------------------------------------------------------------------------


def scatter_reference(updates, indices, original, dimension_map, f):
    out = original.copy()
    window = updates.shape[1:]
    for n in range(len(updates)):
        for w in np.ndindex(*window):
            at = [0] * (out.ndim - len(window)) + list(w)
            for k, d in enumerate(dimension_map):
                at[d] += int(indices[n, k])
            if all(0 <= a < s for a, s in zip(at, out.shape)):
                out[tuple(at)] = f(updates[(n,) + w], out[tuple(at)])
    return (out,)


def scatter_cases(rng):
    # original, window, dimension map, range of indices (some of them outside)
    layouts = [
        ((8,), (), [0], (-2, 10)),
        ((4, 3), (3,), [0], (-1, 5)),
        ((4, 3), (), [0, 1], (-1, 5)),
        ((4, 5), (), [1, 0], (0, 4)),
        ((2, 9, 4), (3, 4), [0, 1], (-1, 9)),
        ((5, 6), (6,), [0], (0, 5)),
        ((3, 4), (4,), [1], (0, 4)),
        ((0, 3), (3,), [0], (0, 1)),
    ]
    bodies = {
        "set": ("tm_tensor.yield %u : f32", lambda u, c: u),
        "add": (
            "%s = arith.addf %u, %c : f32\n    tm_tensor.yield %s : f32",
            lambda u, c: np.float32(u + c),
        ),
        "sub": (
            "%s = arith.subf %u, %c : f32\n    tm_tensor.yield %s : f32",
            lambda u, c: np.float32(u - c),
        ),
    }
    for (shape, window, dims, (lo, hi)), (name, (body, f)), dynamic, ielem in itertools.product(
        layouts, bodies.items(), (True, False), ("i32", "i64")
    ):
        n = 5
        updates = rng.normal(size=(n,) + window).astype(np.float32)
        indices = rng.integers(lo, hi, size=(n, len(dims))).astype(NP[ielem])
        original = rng.normal(size=shape).astype(np.float32)
        unique = len({tuple(i) for i in indices}) == n and not window
        tu, to = tensor(updates.shape, "f32", dynamic), tensor(shape, "f32", dynamic)
        ti = f"tensor<{'?' if dynamic else n}x{len(dims)}x{ielem}>"
        text = module(
            [("u", tu), ("i", ti), ("o", to)],
            [to],
            f"""\
  %r = tm_tensor.scatter {{dimension_map = array<i64: {", ".join(map(str, dims))}>}} unique_indices({str(unique).lower()}) ins(%u, %i : {tu}, {ti}) outs(%o : {to}) {{
  ^bb0(%u_: f32, %c: f32):
    {body.replace("%u", "%u_")}
  }} -> {to}
  return %r : {to}""",
        )
        yield (
            f"scatter {shape} window={window} map={dims} {name} dynamic={dynamic} {ielem}",
            text,
            [updates, indices, original],
            scatter_reference(updates, indices, original, dims, f),
        )


# sort ---------------------------------------------------------------------------------------------------------------


def sort_cases(rng):
    shapes = [
        ((1,), 0),
        ((2,), 0),
        ((7,), 0),
        ((64,), 0),
        ((3, 33), 1),
        ((33, 3), 0),
        ((2, 5, 4), 1),
        ((0,), 0),
        ((3, 0), 1),
    ]
    orders = {"olt": 1, "ole": 1, "ogt": -1, "oge": -1}  # strict and not: both are stable
    for (shape, axis), (order, sign), dynamic in itertools.product(
        shapes, orders.items(), (True, False)
    ):
        x = rng.integers(0, 6, size=shape).astype(np.float32)  # many ties
        p = np.broadcast_to(
            np.arange(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))]),
            shape,
        ).astype(np.int64)
        tx, tp = tensor(shape, "f32", dynamic), tensor(shape, "i64", dynamic)
        text = module(
            [("x", tx), ("p", tp)],
            [tx, tp],
            f"""\
  %r:2 = tm_tensor.sort dimension({axis}) outs(%x, %p : {tx}, {tp}) {{
  ^bb0(%a: f32, %b: f32, %ia: i64, %ib: i64):
    %c = arith.cmpf {order}, %a, %b : f32
    tm_tensor.yield %c : i1
  }} -> {tx}, {tp}
  return %r#0, %r#1 : {tx}, {tp}""",
        )
        perm = np.argsort(sign * x, axis=axis, kind="stable")
        want = np.take_along_axis(x, perm, axis), np.take_along_axis(p, perm, axis)
        yield f"sort {shape} axis={axis} {order} dynamic={dynamic}", text, [x, p], want
    # The order may depend on a later operand.
    x, k = rng.normal(size=(9,)).astype(np.float32), rng.permutation(9).astype(np.int32)
    text = module(
        [("x", "tensor<9xf32>"), ("k", "tensor<9xi32>")],
        ["tensor<9xf32>", "tensor<9xi32>"],
        """\
  %r:2 = tm_tensor.sort dimension(0) outs(%x, %k : tensor<9xf32>, tensor<9xi32>) {
  ^bb0(%a: f32, %b: f32, %ka: i32, %kb: i32):
    %c = arith.cmpi slt, %ka, %kb : i32
    tm_tensor.yield %c : i1
  } -> tensor<9xf32>, tensor<9xi32>
  return %r#0, %r#1 : tensor<9xf32>, tensor<9xi32>""",
    )
    yield "sort by second operand", text, [x, k], (x[np.argsort(k)], np.sort(k))


# topk ---------------------------------------------------------------------------------------------------------------


def topk_cases(rng):
    shapes = [((8,), 0, 3), ((8,), 0, 8), ((3, 17), 1, 5), ((17, 3), 0, 1), ((2, 6, 4), 1, 2)]
    for (shape, axis, k), largest, dynamic, given, ptype in itertools.product(
        shapes, (True, False), (True, False), (True, False), ("i32", "i64")
    ):
        x = rng.integers(-9, 9, size=shape).astype(
            np.float32
        )  # ties: the smaller position goes first
        base = np.broadcast_to(
            np.arange(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))]),
            shape,
        )
        positions = (100 + base).astype(NP[ptype])
        out = shape[:axis] + (k,) + shape[axis + 1 :]
        worst = np.full(out, -np.inf if largest else np.inf, np.float32)
        tx, tp = tensor(shape, "f32", dynamic), tensor(shape, ptype, dynamic)
        tv, ti = tensor(out, "f32", dynamic), tensor(out, ptype, dynamic)
        ins = f"%x, %p : {tx}, {tp}" if given else f"%x : {tx}"
        args = [("x", tx)] + ([("p", tp)] if given else []) + [("v", tv), ("i", ti)]
        text = module(
            args,
            [tv, ti],
            f"""\
  %r:2 = tm_tensor.topk dimension({axis}) ins({ins}) outs(%v, %i : {tv}, {ti}) {{
  ^bb0(%e: f32, %l: f32):
    %c = arith.cmpf {"ogt" if largest else "olt"}, %e, %l : f32
    tm_tensor.yield %c : i1
  }} -> {tv}, {ti}
  return %r#0, %r#1 : {tv}, {ti}""",
        )
        perm = np.take(
            np.argsort(-x if largest else x, axis=axis, kind="stable"), np.arange(k), axis=axis
        )
        want = (
            np.take_along_axis(x, perm, axis),
            np.take_along_axis(positions if given else base, perm, axis).astype(NP[ptype]),
        )
        arrays = [x] + ([positions] if given else []) + [worst, np.zeros(out, NP[ptype])]
        yield (
            f"topk {shape} axis={axis} k={k} largest={largest} dynamic={dynamic} given={given} {ptype}",
            text,
            arrays,
            want,
        )


# attention ----------------------------------------------------------------------------------------------------------


def attention_reference(q, k, v, mask, scale):
    q, k, v = (np.float64(t) for t in (q, k, v))
    s = (1 / np.sqrt(q.shape[-1]) if scale is None else scale) * (q @ np.swapaxes(k, -1, -2))
    if mask is not None:
        s = np.where(mask, s, -np.inf) if mask.dtype == bool else s + np.float64(mask)
    top = np.max(s, axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    total = e.sum(-1, keepdims=True)
    return (np.where(total > 0, e / np.where(total > 0, total, 1), 0) @ v,)


def attention_cases(rng):
    for batch, elem, mask, scale, dynamic in itertools.product(
        ((), (3,), (2, 2)),
        ("f32", "f16", "f64"),
        (None, "bool", "float"),
        (None, 0.3),
        (True, False),
    ):
        m, keys, depth, n = 7, 9, 8, 5
        q, k, v = (
            rng.normal(size=batch + s).astype(NP[elem])
            for s in ((m, depth), (keys, depth), (keys, n))
        )
        arrays, types = [q, k, v], [elem] * 3
        given = None
        if mask == "bool":
            given = rng.random(batch + (m, keys)) < 0.6
            given[..., 0, :] = False  # a row without keys
            arrays.append(given), types.append("i1")
        elif mask == "float":
            given = rng.normal(size=batch + (m, keys)).astype(NP[elem])
            given[..., 1, :] = -np.inf
            given[..., 2, 3:] = -np.inf
            arrays.append(given), types.append(elem)
        out = np.zeros(batch + (m, n), NP[elem])
        tt = [tensor(a.shape, t, dynamic) for a, t in zip(arrays, types)]
        to = tensor(out.shape, elem, dynamic)
        names = ["q", "k", "v", "mask"][: len(arrays)]
        attrs = "" if scale is None else f"{{scale = {scale} : f64}} "
        text = module(
            list(zip(names, tt)) + [("o", to)],
            [to],
            f"""\
  %r = tm_tensor.attention {attrs}ins({", ".join("%" + x for x in names)} : {", ".join(tt)}) outs(%o : {to}) -> {to}
  return %r : {to}""",
        )
        yield (
            f"attention {batch} {elem} mask={mask} scale={scale} dynamic={dynamic}",
            text,
            arrays + [out],
            attention_reference(q, k, v, given, scale),
        )


# running ------------------------------------------------------------------------------------------------------------

CASES = [scan_cases, scatter_cases, sort_cases, topk_cases, attention_cases]


def batches(cases, size):
    """Compiling costs more than running, so that cases share a module: one function for each."""
    for i in range(0, len(cases), size):
        yield cases[i : i + size]


def join(cases):
    """One @main that calls all cases' functions, with their arguments and results one after the other."""
    text, params, calls, results, types = "", [], [], [], []
    for i, (_, body, arrays, want) in enumerate(cases):
        text += body.replace("func.func @main", f"func.func private @case{i}")
        signature = re.match(r"func.func @main\((.*)\) -> \((.*)\) \{", body)
        args = re.findall(r"%\w+: (tensor<[^>]*>)", signature[1])
        outs = re.findall(r"tensor<[^>]*>", signature[2])
        params += [f"%a{len(params) + j}: {t}" for j, t in enumerate(args)]
        names = [p.split(":")[0] for p in params[-len(args) :]]
        calls.append(
            f"  %r{i}:{len(outs)} = call @case{i}({', '.join(names)}) : ({', '.join(args)}) -> ({', '.join(outs)})"
        )
        results += [f"%r{i}#{j}" for j in range(len(outs))]
        types += outs
    return (
        text
        + f"func.func @main({', '.join(params)}) -> ({', '.join(types)}) {{\n"
        + "\n".join(calls)
        + f"\n  return {', '.join(results)} : {', '.join(types)}\n}}\n"
    )


def compare(got, want):
    if got.shape != want.shape or got.dtype != want.dtype and want.dtype != np.float64:
        return f"{got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
    if want.dtype.kind != "f":
        return "" if np.array_equal(got, want) else f"{got.tolist()}, expected {want.tolist()}"
    tolerance = {np.float16: 4e-3, np.float32: 2e-5, np.float64: 1e-12}[got.dtype.type]
    with np.errstate(invalid="ignore"):
        error = np.max(
            np.where(got == want, 0, np.abs(np.float64(got) - np.float64(want)))
            / np.maximum(1, np.abs(np.float64(want))),
            initial=0,
        )
    return "" if error <= tolerance else f"error {error:.2e}, allowed {tolerance:.0e}"


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("xsa_run")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--only", default="")
    ap.add_argument("--sample", type=int)
    ap.add_argument("--batch", type=int, default=24)
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed)
    total = failed = 0
    for make in CASES:
        cases = [c for c in make(rng) if re.search(a.only, c[0])]
        if a.sample and a.sample < len(cases):
            cases = [cases[i] for i in sorted(rng.choice(len(cases), a.sample, replace=False))]
        for group in batches(cases, a.batch):
            try:
                got = run_model(a.xsa_run, join(group), [x for c in group for x in c[2]])
            except RuntimeError as error:
                print(f"FAILED {group[0][0]} and {len(group) - 1} more: {error}")
                total += len(group)
                failed += len(group)
                continue
            for name, _, _, want in group:
                mine, got = got[: len(want)], got[len(want) :]
                problems = [p for p in map(compare, mine, want) if p]
                total += 1
                failed += bool(problems)
                for p in problems:
                    print(f"FAILED {name}: {p}")
    print(f"{total - failed} of {total} cases agree")
    sys.exit(failed > 0 or total == 0)


if __name__ == "__main__":
    main()
