"""Compiles operations as importers write them and compares with numpy in float64.

    numerics.py XSA_RUN GROUP [--seed N]

Each case of a group adds arguments and results to one function, so that a group
is compiled once. A case gives its reference and the largest error allowed,
relative to the largest value of the reference or in units in the last place.
"""

import argparse
import math
import sys

import numpy as np
from run_model import run_model

NP = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.float32,
    "i64": np.int64,
    "i32": np.int32,
    "i8": np.int8,
    "i1": np.bool_,
}
EPS = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}


def round_bf16(x):
    u = np.float32(x).view(np.uint32)
    return ((u + 0x7FFF + ((u >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32)


def tensor(shape, dtype, dynamic=False):
    return f"tensor<{''.join(('?' if dynamic else str(n)) + 'x' for n in shape)}{dtype}>"


class Model:
    """One function, built case by case."""

    def __init__(self, rng):
        self.rng, self.args, self.types, self.body = rng, [], [], []
        self.results, self.checks, self.count = [], [], 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text):
        result = self.name()
        self.body.append(f"{result} = {text}")
        return result

    def argument(self, array, dtype, dynamic=False):
        array = np.asarray(array, NP[dtype])
        if dtype == "bf16":
            array = round_bf16(array)
        self.args.append(array)
        self.types.append(tensor(array.shape, dtype, dynamic))
        return (
            f"%arg{len(self.args) - 1}",
            self.types[-1],
            np.float64(array) if dtype[0] in "fb" else np.int64(array),
        )

    def random(self, shape, dtype, dynamic=False):
        if dtype[0] == "i":
            values = self.rng.integers(0 if dtype == "i1" else -9, 2 if dtype == "i1" else 9, shape)
        else:
            values = self.rng.standard_normal(shape)
        return self.argument(values, dtype, dynamic)

    def result(self, value, type_, reference, label, relative=None, ulp=None):
        self.results.append((value, type_))
        self.checks.append((label, reference, relative, ulp))

    def empty(self, shape, dtype, dynamic=False):
        sizes = ""
        if dynamic:
            sizes = ", ".join(self.emit(f"arith.constant {n} : index") for n in shape)
        type_ = tensor(shape, dtype, dynamic)
        return self.emit(f"tensor.empty({sizes}) : {type_}"), type_

    def filled(self, shape, dtype, value, dynamic=False):
        empty, type_ = self.empty(shape, dtype, dynamic)
        c = self.emit(f"arith.constant {value} : {dtype}")
        return self.emit(
            f"linalg.fill ins({c} : {dtype}) outs({empty} : {type_}) -> {type_}"
        ), type_

    def generic(self, maps, kinds, ins, outs, body):
        dims = ", ".join(f"d{i}" for i in range(len(kinds)))
        maps = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in maps)
        kinds = ", ".join(f'"{ {"p": "parallel", "r": "reduction"}[k] }"' for k in kinds)
        ins_text = ""
        if ins:
            ins_text = f"ins({', '.join(v for v, _ in ins)} : {', '.join(t for _, t in ins)}) "
        outs_text = f"outs({', '.join(v for v, _ in outs)} : {', '.join(t for _, t in outs)})"
        result = self.name()
        number = f":{len(outs)}" if len(outs) > 1 else ""
        types = ", ".join(t for _, t in outs)
        self.body.append(
            f"{result}{number} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"{ins_text}{outs_text} {{\n{body}\n  }} -> {'(' + types + ')' if number else types}"
        )
        return result

    def text(self):
        args = ", ".join(f"%arg{i}: {t}" for i, t in enumerate(self.types))
        types = ", ".join(t for _, t in self.results)
        body = "\n  ".join(self.body)
        return (
            f"func.func @main({args}) -> ({types}) {{\n  {body}\n"
            f"  return {', '.join(v for v, _ in self.results)} : {types}\n}}\n"
        )

    def run(self, xsa_run, flags=()):
        """The number of checks that fail."""
        try:
            outputs = run_model(xsa_run, self.text(), self.args, *flags)
        except RuntimeError as error:
            print(self.text())
            sys.exit(str(error))
        bad = 0
        for got, (_, type_), check in zip(outputs, self.results, self.checks, strict=True):
            label, want, relative, ulp = check
            dtype = type_.rstrip(">").split("x")[-1].split("<")[-1]
            bad += not self.agrees(label, got, np.asarray(want), relative, ulp, dtype)
        print(f"{len(self.checks) - bad} of {len(self.checks)} agree")
        return bad

    @staticmethod
    def agrees(label, got, want, relative, ulp, dtype):
        if got.shape != want.shape:
            print(f"{label}: shape {got.shape}, expected {want.shape}")
            return False
        if relative is None and ulp is None:
            if np.array_equal(got, want):
                return True
            print(f"{label}: {got} expected {want}")
            return False
        got, want = np.float64(got), np.float64(want)
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.where(same, 0, np.abs(got - want))
            if ulp is not None:
                finite = np.where(np.isfinite(want) & (want != 0), np.abs(want), 1)
                smallest = {
                    "f32": 2.0**-149,
                    "f64": 2.0**-1074,
                    "f16": 2.0**-24,
                    "bf16": 2.0**-133,
                }[dtype]
                unit = np.maximum(2.0 ** np.floor(np.log2(finite)) * EPS[dtype], smallest)
                error, allowed = error / unit, ulp
            else:
                allowed = relative * max(1.0, float(np.max(np.abs(want), initial=0)))
        worst = float(np.max(error, initial=0))
        if worst <= allowed:
            return True
        print(f"{label}: error {worst:.3g}, allowed {allowed:.3g}")
        return False


def contractions(model, rng):
    """Every layout of both operands, sizes around the tile, all element types."""
    sizes = [1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 70]
    layouts = [("m, k", "k, n"), ("m, k", "n, k"), ("k, m", "k, n"), ("k, m", "n, k")]
    for case in range(40):
        a_dims, b_dims = layouts[case % 4]
        dtype, acc = [
            ("f32", "f32"),
            ("f64", "f64"),
            ("f16", "f32"),
            ("bf16", "f32"),
            ("f16", "f16"),
            ("bf16", "bf16"),
            ("i64", "i64"),
            ("i32", "i32"),
            ("i8", "i32"),
        ][case % 9]
        dynamic = rng.random() < 0.3
        size = {d: int(rng.choice(sizes)) for d in "mnk"}
        batch = int(rng.integers(1, 4))
        shared = rng.random() < 0.3  # the right operand has no batch
        order = "b, m, n" if rng.random() < 0.7 else "b, n, m"
        a_order = ["b", *a_dims.split(", ")]
        b_order = [] if shared else ["b"]
        b_order += b_dims.split(", ")
        size["b"] = batch
        where = {"b": "d0", "m": "d1", "n": "d2", "k": "d3"}
        a, a_type, a_ref = model.random([size[d] for d in a_order], dtype, dynamic)
        b, b_type, b_ref = model.random([size[d] for d in b_order], dtype, dynamic)
        out_dims = order.split(", ")
        zero = "0" if acc[0] == "i" else "0.0"
        init = model.filled([size[d] for d in out_dims], acc, zero, dynamic)
        kind = "i" if acc[0] == "i" else "f"
        cast = {
            ("f16", "f32"): "arith.extf",
            ("bf16", "f32"): "arith.extf",
            ("i8", "i32"): "arith.extsi",
        }.get((dtype, acc))
        lines = [f"  ^bb0(%x: {dtype}, %y: {dtype}, %s: {acc}):"]
        x, y = "%x", "%y"
        if cast:
            lines += [
                f"    %xc = {cast} %x : {dtype} to {acc}",
                f"    %yc = {cast} %y : {dtype} to {acc}",
            ]
            x, y = "%xc", "%yc"
        lines += [
            f"    %p = arith.mul{kind} {x}, {y} : {acc}",
            f"    %t = arith.add{kind} %s, %p : {acc}",
            f"    linalg.yield %t : {acc}",
        ]
        maps = [", ".join(where[d] for d in dims) for dims in (a_order, b_order, out_dims)]
        value = model.generic(maps, "pppr", [(a, a_type), (b, b_type)], [init], "\n".join(lines))
        subs = ",".join("".join(d) for d in (a_order, b_order)) + "->" + "".join(out_dims)
        reference = np.einsum(subs, a_ref, b_ref)
        # Products of halves are summed in f32 and rounded once.
        tolerance = (
            None
            if kind == "i"
            else size["k"] * EPS["f64" if acc == "f64" else "f32"] * 4
            + (EPS[acc] if acc in ("f16", "bf16") else 0)
        )
        if acc in ("f16", "bf16") and np.prod([size[d] for d in out_dims]) > 0:
            # Where no vector fits, the sum is in the type itself, as written.
            tolerance += size["k"] * EPS[acc]
        model.result(
            value,
            init[1],
            reference if kind == "f" else reference.astype(NP[acc]),
            f"contraction {subs} {size} {dtype} {acc} {dynamic}",
            tolerance,
        )


def split_pairs(model, value, shape, dynamic, at):
    """The dimension `at` of a bf16 tensor as pairs."""
    pairs = [*shape[:at], shape[at] // 2, 2, *shape[at + 1 :]]
    source = tensor(shape, "bf16", dynamic)
    target = "x".join(
        "2" if d == at + 1 or not dynamic and n == 2 else "?" if dynamic else str(n)
        for d, n in enumerate(pairs)
    )
    target = f"tensor<{target}xbf16>"
    groups = (
        [[d] for d in range(at)] + [[at, at + 1]] + [[d + 1] for d in range(at + 1, len(shape))]
    )
    sizes = [
        model.emit(f"arith.constant {n} : index") if dynamic and d != at + 1 else str(n)
        for d, n in enumerate(pairs)
    ]
    return model.emit(
        f"tensor.expand_shape {value} {groups} output_shape [{', '.join(sizes)}] : {source} into {target}"
    ), target


def pairs(model, rng):
    """Sums of products of bf16 in pairs, for which processors have instructions: sizes around their tiles."""
    maps = {
        "a": "d0, d1, d3, d4",
        "b": "d0, d3, d2, d4",
        "shared": "d3, d2, d4",
        "out": "d0, d1, d2",
    }
    body = """  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32"""
    # Every part of each dimension alone, then any.
    sizes = [(1, 64, 32, 64), (2, 32, 32, 32), (1, 16, 16, 16), (1, 128, 32, 40), (3, 5, 7, 3)]
    rows, columns, counts = (
        [1, 7, 8, 15, 16, 17, 40, 53, 64],
        [1, 5, 16, 19, 32, 33, 48, 61],
        [1, 2, 7, 8, 15, 16, 17, 33, 48],
    )
    while len(sizes) < 24:
        sizes.append(
            (int(rng.integers(1, 3)), *(int(rng.choice(s)) for s in (rows, columns, counts)))
        )
    for case, (batch, i, j, k) in enumerate(sizes):
        dynamic = case >= 12 and rng.random() < 0.5
        # Rows of the left operand that lie further apart than they are long.
        wide = 2 * (k + int(rng.integers(0, 3)))
        a, a_type, a_ref = model.random((batch, i, wide), "bf16", dynamic)
        if wide != 2 * k:
            cut = tensor((batch, i, 2 * k), "bf16", dynamic)
            start = wide - 2 * k
            span = [batch, i, 2 * k]
            if dynamic:
                span = [model.emit(f"arith.constant {n} : index") for n in span]
            a = model.emit(
                f"tensor.extract_slice {a}[0, 0, {start}] [{', '.join(map(str, span))}] [1, 1, 1] : {a_type} to {cut}"
            )
            a_ref = a_ref[:, :, start:]
        a, a_type = split_pairs(model, a, (batch, i, 2 * k), dynamic, 2)
        shared = rng.random() < 0.5
        b_shape = (k, 2 * j) if shared else (batch, k, 2 * j)
        b, _, b_ref = model.random(b_shape, "bf16", dynamic)
        b, b_type = split_pairs(model, b, b_shape, dynamic, len(b_shape) - 1)
        reference = np.einsum(
            "bikr,kjr->bij" if shared else "bikr,bkjr->bij",
            a_ref.reshape(batch, i, k, 2),
            b_ref.reshape(*b_shape[:-1], j, 2),
        )
        if rng.random() < 0.6:
            init = model.filled((batch, i, j), "f32", "0.0", dynamic)
        else:
            *init, init_ref = model.random((batch, i, j), "f32", dynamic)
            reference = reference + init_ref
        value = model.generic(
            [maps["a"], maps["shared" if shared else "b"], maps["out"]],
            "ppprr",
            [(a, a_type), (b, b_type)],
            [tuple(init)],
            body,
        )
        model.result(
            value,
            init[1],
            reference,
            f"pairs {batch}x{i}x{j}x{k} {dynamic} {shared}",
            2 * k * EPS["f32"] * 4,
        )


def named(model, rng):
    """Named operations, convolutions, slices of operands, broadcast unit dims."""
    a, at, ar = model.random((3, 7, 33), "f32")
    b, bt, br = model.random((3, 33, 20), "f32")
    init = model.filled((3, 7, 20), "f32", "0.0")
    value = model.emit(
        f"linalg.batch_matmul ins({a}, {b} : {at}, {bt}) outs({init[0]} : {init[1]}) -> {init[1]}"
    )
    model.result(value, init[1], ar @ br, "batch_matmul", 1e-5)

    h = model.emit(
        f"tensor.extract_slice {a}[0, 1, 3] [3, 5, 16] [1, 1, 1] : {at} to tensor<3x5x16xf32>"
    )
    w = model.emit(
        f"tensor.extract_slice {b}[0, 2, 1] [3, 16, 18] [1, 2, 1] : {bt} to tensor<3x16x18xf32>"
    )
    init = model.filled((3, 5, 18), "f32", "0.0")
    value = model.emit(
        f"linalg.batch_matmul ins({h}, {w} : tensor<3x5x16xf32>, tensor<3x16x18xf32>) outs({init[0]} : {init[1]}) -> {init[1]}"
    )
    model.result(value, init[1], ar[:, 1:6, 3:19] @ br[:, 2:34:2, 1:19], "slices", 1e-5)

    x, xt, xr = model.random((2, 3, 9, 8), "f32")
    k, kt, kr = model.random((5, 3, 3, 2), "f32")
    init = model.filled((2, 5, 4, 4), "f32", "0.0")
    value = model.emit(
        f"linalg.conv_2d_nchw_fchw {{dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}} "
        f"ins({x}, {k} : {xt}, {kt}) outs({init[0]} : {init[1]}) -> {init[1]}"
    )
    reference = sum(
        np.einsum(
            "bcij,fc->bfij", xr[:, :, i : i + 8 : 2, j : j + 8 : 2][:, :, :4, :4], kr[:, :, i, j]
        )
        for i in range(3)
        for j in range(2)
    )
    model.result(value, init[1], reference, "convolution", 1e-5)

    u, ut, ur = model.random((1, 6, 1), "f32")
    v, vt, vr = model.random((4, 1, 9), "f32")
    empty = model.empty((4, 6, 9), "f32")
    value = model.generic(
        ["0, d1, 0", "d0, 0, d2", "d0, d1, d2"],
        "ppp",
        [(u, ut), (v, vt)],
        [empty],
        "  ^bb0(%x: f32, %y: f32, %o: f32):\n    %t = arith.mulf %x, %y : f32\n    linalg.yield %t : f32",
    )
    model.result(value, empty[1], ur * vr, "broadcast", 1e-6)

    value = model.emit(
        f"linalg.transpose ins({x} : {xt}) outs({model.empty((8, 2, 9, 3), 'f32')[0]} : tensor<8x2x9x3xf32>) permutation = [3, 0, 2, 1]"
    )
    model.result(value, "tensor<8x2x9x3xf32>", xr.transpose(3, 0, 2, 1), "transpose", 0)
    value = model.emit(f"tensor.concat dim(1) {x}, {x} : ({xt}, {xt}) -> tensor<2x6x9x8xf32>")
    model.result(value, "tensor<2x6x9x8xf32>", np.concatenate([xr, xr], 1), "concat", 0)
    c = model.emit("arith.constant 1.5 : f32")
    value = model.emit(
        f"tensor.pad {x} low[0, 1, 0, 2] high[0, 0, 3, 1] {{\n  ^bb0(%i: index, %j: index, %l: index, %m: index):\n    tensor.yield {c} : f32\n  }} : {xt} to tensor<2x4x12x11xf32>"
    )
    model.result(
        value,
        "tensor<2x4x12x11xf32>",
        np.pad(xr, [(0, 0), (1, 0), (0, 3), (2, 1)], constant_values=1.5),
        "pad",
        0,
    )
    empty = model.empty((3, 7, 33), "f32")
    value = model.emit(
        f"linalg.softmax dimension(2) ins({a} : {at}) outs({empty[0]} : {empty[1]}) -> {empty[1]}"
    )
    e = np.exp(ar - ar.max(-1, keepdims=True))
    model.result(value, empty[1], e / e.sum(-1, keepdims=True), "softmax", 1e-6)
    shape = model.emit("arith.constant dense<[21, 33]> : tensor<2xi64>")
    value = model.emit(f"tensor.reshape {a}({shape}) : ({at}, tensor<2xi64>) -> tensor<21x33xf32>")
    model.result(value, "tensor<21x33xf32>", ar.reshape(21, 33), "reshape", 0)


def reductions(model, rng):
    """Sums and extrema over every choice of dimensions, short and long."""
    for case in range(24):
        shape = [int(rng.choice([1, 2, 7, 16, 33])) for _ in range(3)]
        if case % 6 == 5:
            shape[2] = 20000
        kept = [d for d in range(3) if rng.random() < 0.5]
        dtype = ["f32", "f64", "f16", "i64"][case % 4]
        dynamic = rng.random() < 0.3
        x, xt, xr = model.random(shape, dtype, dynamic)
        maximum = case % 3 == 2
        integer = dtype[0] == "i"
        if maximum:
            op = f"arith.maxsi %x, %s : {dtype}" if integer else f"arith.maximumf %x, %s : {dtype}"
            start = (
                "-9223372036854775808"
                if integer
                else {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "f16": "0xFC00"}[dtype]
            )
        else:
            op, start = (
                f"arith.add{'i' if integer else 'f'} %x, %s : {dtype}",
                "0" if integer else "0.0",
            )
        init = model.filled([shape[d] for d in kept], dtype, start, dynamic)
        kinds = "".join("p" if d in kept else "r" for d in range(3))
        maps = ["d0, d1, d2", ", ".join(f"d{d}" for d in kept)]
        body = f"  ^bb0(%x: {dtype}, %s: {dtype}):\n    %t = {op}\n    linalg.yield %t : {dtype}"
        value = model.generic(maps, kinds, [(x, xt)], [init], body)
        axes = tuple(d for d in range(3) if d not in kept)
        reference = (xr.max(axes) if maximum else xr.sum(axes)) if axes else xr
        if not axes and maximum:
            reference = xr
        n = math.prod(shape[d] for d in axes)
        scale = float(np.abs(xr).sum(axes).max()) if not integer and axes else 1
        tolerance = (
            None
            if integer
            else 0
            if maximum
            else n**0.5 * EPS[dtype] * max(scale, 1)
            + (n * EPS[dtype] * max(1, scale**0.5) if dtype == "f16" else 0)
        )
        model.result(
            value, init[1], reference, f"reduction {shape} {kept} {dtype} {maximum}", tolerance
        )
    x, xt, xr = model.random((5, 200), "f32")
    outs = [model.filled((5,), "f32", "0xFF800000"), model.filled((5,), "i64", "0")]
    value = model.generic(
        ["d0, d1", "d0", "d0"],
        "pr",
        [(x, xt)],
        outs,
        "  ^bb0(%x: f32, %m: f32, %w: i64):\n    %i = linalg.index 1 : index\n    %k = arith.index_cast %i : index to i64\n"
        "    %max = arith.maximumf %x, %m : f32\n    %more = arith.cmpf ogt, %x, %m : f32\n"
        "    %at = arith.select %more, %k, %w : i64\n    linalg.yield %max, %at : f32, i64",
    )
    model.result(value + "#0", outs[0][1], xr.max(1), "max", 0)
    model.result(value + "#1", outs[1][1], xr.argmax(1), "argmax")

    skipping(model, rng)


def skipping(model, rng):
    """Extrema that pass over NaN, of every short length: a vectorizer takes another way in each."""
    for length in range(1, 18):
        for op, start, reference in [
            ("maxnumf", "0xFF800000", np.fmax.reduce),
            ("minnumf", "0x7F800000", np.fmin.reduce),
        ]:
            array = rng.standard_normal((13, length))
            array[2 * length % 13, length // 2] = np.nan
            x, xt, xr = model.argument(array, "f32")
            init = model.filled((13,), "f32", start)
            value = model.generic(
                ["d0, d1", "d0"],
                "pr",
                [(x, xt)],
                [init],
                f"  ^bb0(%x: f32, %m: f32):\n    %r = arith.{op} %x, %m : f32\n    linalg.yield %r : f32",
            )
            # A row of nothing but NaN keeps what it starts from.
            initial = -np.inf if op == "maxnumf" else np.inf
            model.result(value, init[1], reference(xr, 1, initial=initial), f"{op} {length}", ulp=0)


def functions(model, rng):
    """Functions of the math dialect, to within a few units in the last place."""
    erf = np.vectorize(math.erf)
    every = np.concatenate(
        [rng.standard_normal(200) * 3, [0.0, -0.0, 1e-30, -1e-30, 80, -80, 1.0, -1.0, 0.5]]
    )
    above = np.abs(every) + 1e-30
    unit = np.clip(every / 100, -1, 1)
    cases = {
        "exp": (every, np.exp, 1),
        "exp2": (every, np.exp2, 1),
        "expm1": (every, np.expm1, 2),
        "log": (above, np.log, 1),
        "log2": (above, np.log2, 2),
        "log10": (above, np.log10, 2),
        "log1p": (above, np.log1p, 2),
        "sqrt": (above, np.sqrt, 0.5),
        "rsqrt": (above, lambda x: 1 / np.sqrt(x), 2),
        "cbrt": (every, np.cbrt, 2),
        "sin": (every, np.sin, 1),
        "cos": (every, np.cos, 1),
        "tan": (every, np.tan, 2),
        "tanh": (every, np.tanh, 3),
        "sinh": (every, np.sinh, 3),
        "cosh": (every, np.cosh, 3),
        "asin": (unit, np.arcsin, 3),
        "acos": (unit, np.arccos, 3),
        "atan": (every, np.arctan, 2),
        "asinh": (every, np.arcsinh, 4),
        "erf": (every, erf, 2),
        "erfc": (every, np.vectorize(math.erfc), 6),
        "absf": (every, np.abs, 0),
        "ceil": (every, np.ceil, 0),
        "floor": (every, np.floor, 0),
        "trunc": (every, np.trunc, 0),
        "roundeven": (every, np.round, 0),
    }
    for dtype in ("f32", "f64", "f16", "bf16"):
        for name, (values, function, ulp) in cases.items():
            x, xt, xr = model.argument(values, dtype)
            empty = model.empty(xr.shape, dtype)
            value = model.generic(
                ["d0", "d0"],
                "p",
                [(x, xt)],
                [empty],
                f"  ^bb0(%x: {dtype}, %o: {dtype}):\n    %t = math.{name} %x : {dtype}\n    linalg.yield %t : {dtype}",
            )
            with np.errstate(all="ignore"):
                want = function(xr)
                if dtype == "f16":
                    want = np.where(np.abs(want) > 65519, np.sign(want) * np.inf, want)
                if dtype == "f32":
                    want = np.where(np.abs(want) > 3.4028235e38, np.sign(want) * np.inf, want)
            # Of f16 and bf16 only the last rounding is seen; numpy's own error is added for f64.
            allowed = {
                "f32": ulp + 0.01,
                "f64": ulp + 2,
                "f16": 0.51 if ulp else 0,
                "bf16": 0.51 if ulp else 0,
            }[dtype]
            model.result(value, empty[1], want, f"{name} {dtype}", ulp=allowed)
        x, xt, xr = model.argument(np.abs(every), dtype)
        y, yt, yr = model.argument(np.clip(every, -2, 2), dtype)
        for name, function in (("powf", np.power), ("atan2", np.arctan2)):
            empty = model.empty(xr.shape, dtype)
            value = model.generic(
                ["d0", "d0", "d0"],
                "p",
                [(x, xt), (y, yt)],
                [empty],
                f"  ^bb0(%x: {dtype}, %y: {dtype}, %o: {dtype}):\n    %t = math.{name} %x, %y : {dtype}\n    linalg.yield %t : {dtype}",
            )
            with np.errstate(all="ignore"):
                want = function(xr, yr)
                limit = {"f16": 65519, "f32": 3.4028235e38, "bf16": 3.3961776e38, "f64": np.inf}[
                    dtype
                ]
                want = np.where(np.abs(want) > limit, np.sign(want) * np.inf, want)
            model.result(
                value,
                empty[1],
                want,
                f"{name} {dtype}",
                ulp=2.01 if dtype[0] == "f" and dtype != "f16" else 0.51,
            )
        for power in (-3, -1, 0, 1, 2, 3, 7):
            x, xt, xr = model.argument(rng.uniform(0.5, 2, 50), dtype)
            empty = model.empty(xr.shape, dtype)
            c = model.emit(f"arith.constant {power} : i64")
            value = model.generic(
                ["d0", "d0"],
                "p",
                [(x, xt)],
                [empty],
                f"  ^bb0(%x: {dtype}, %o: {dtype}):\n    %t = math.fpowi %x, {c} : {dtype}, i64\n    linalg.yield %t : {dtype}",
            )
            model.result(value, empty[1], xr**power, f"fpowi {power} {dtype}", ulp=6)


GROUPS = {
    "contractions": contractions,
    "pairs": pairs,
    "named": named,
    "reductions": reductions,
    "functions": functions,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xsa_run")
    parser.add_argument("group", choices=GROUPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--flag", action="append", default=[], help="passed on to xsa-run")
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    model = Model(rng)
    GROUPS[args.group](model, rng)
    sys.exit(model.run(args.xsa_run, args.flag) > 0)


if __name__ == "__main__":
    main()
