"""Attention written as `xsa.attention` for every feature of the operation, with a float64 reference.

A case is a dict of features (see DEFAULTS). `build(case, rng)` gives the module's text, its inputs, the
expected outputs in float64 and the largest error allowed for each output. The reference is numpy only and
follows the text of the operation's documentation, not the compiler's code.
"""

import numpy as np

DEFAULTS = dict(
    b=2,
    hkv=2,
    g=1,
    tq=37,
    tk=37,
    d=16,
    e=24,
    dtype="f32",
    group_outer=False,  # query heads ordered (group, kv head) instead of (kv head, group)
    layout="bhtd",  # bhtd, bthd, bhdt: order of the dimensions of query, key, value and output
    dynamic=False,  # every extent dynamic in the types
    dynamic_depth=False,  # with dynamic: depths too
    memrefs=False,  # operands and destinations are memrefs
    in_place=False,  # with memrefs: the result overwrites the query
    scale=True,  # True (by the depth), False, or a number
    softcap=None,
    causal=False,
    top_left=False,
    window=(None, None),
    mask=None,  # None, "bmk" (batch, query, key), "mk", "k" (batch, key)
    empty_rows=False,  # masks hide every key of some rows
    bias=None,  # None, "hmk", "mk"
    bias_floor=False,  # a mask as the lowest finite number, over all keys of a row; "all": of every row
    tied=False,  # all keys of a head are the same, so a row has one score; "late": but for the first, which score less;
    # "one": but for one, which scores more
    alibi=False,  # a score region with a slope per head
    sinks=None,  # None, "random", or a number as text
    lengths=False,
    garbage=False,  # with lengths: keys and values are NaN beyond
    query_offset=False,
    packed=False,
    intervals=False,
    begin_only=False,  # with intervals: no key_end
    kind=None,
    eps=1e-12,
    strength=1.0,
    strength_map=None,  # exclusion; None, "scalar", "head", "token"
    zero_v=False,
    tiny_v=False,
    lse=False,
    parts=False,  # the log-sum-exp in two parts too, which the module adds up
    coefficient=False,
    int_type="i32",
    query_start=None,
    key_start=None,
    v_scale=1.0,
)

NP = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
EPS = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
INT = {"i32": np.int32, "i64": np.int64, "index": np.int64}


def round_bf16(x):
    u = np.float32(x).view(np.uint32)
    u = (u + 0x7FFF + ((u >> 16) & 1)) & np.uint32(0xFFFF0000)
    return u.view(np.float32)


def round_to(x, dtype):
    return round_bf16(x) if dtype == "bf16" else np.asarray(x, NP[dtype])


class Module:
    """Collects operands: each has an MLIR name, a map over the domain and a numpy array. `add` returns its number."""

    def __init__(self, case):
        self.c = case
        self.args, self.types, self.arrays, self.maps = [], [], [], []

    def domain(self):
        lead = "b, g, h" if self.c["group_outer"] else "b, h, g"
        return f"({lead}, m, k1, k2, n)"

    def tensor(self, shape, elem, static=False):
        dyn = self.c["dynamic"] and not static
        keep = set() if self.c["dynamic_depth"] else {self.c["d"], self.c["e"]}
        dims = [str(s) if not dyn or (s in keep) else "?" for s in shape]
        return f"tensor<{'x'.join(dims + [elem])}>"

    def add(self, name, dims, array, elem):
        self.args.append(name)
        self.types.append(self.tensor(array.shape, elem))
        self.arrays.append(array)
        self.maps.append(f"affine_map<{self.domain()} -> ({', '.join(dims)})>")
        return len(self.args) - 1


def order(dims, layout):
    """Permutes (..., token, depth) of a head-major operand into `layout`."""
    names = list(dims)
    if layout == "bthd":
        return [names[0], names[-2], *names[1:-2], names[-1]]
    if layout == "bhdt":
        return [*names[:-2], names[-1], names[-2]]
    return names


def far(position):
    """Positions beyond 2^60 count as 2^60."""
    return max(-(2**60), min(position or 0, 2**60))


def positions(c, lengths, offset):
    """Position of query row 0 per batch."""
    if offset is not None:
        base = offset.astype(np.int64)
    elif c["top_left"]:
        base = np.zeros(c["b"], np.int64)
    elif lengths is not None:
        base = lengths.astype(np.int64) - c["tq"]
    else:
        base = np.full(c["b"], c["tk"] - c["tq"], np.int64)
    return base + far(c["query_start"])


def scale_of(c):
    return max(c["d"], 1) ** -0.5 if c["scale"] is True else c["scale"]


def reference(c, t, f=np.float64, weights=None):
    """Outputs in precision f. t: the arrays by name, heads as (b, hkv, g); weights: the type to which the weights are
    rounded before they are multiplied with the values."""
    q, k, v = (np.asarray(t[n], f) for n in ("q", "k", "v"))  # b h g m d; b h k d; b h k e
    s = np.einsum("bhgmd,bhkd->bhgmk", q, k)
    if c["scale"]:
        s = s * f(scale_of(c))
    if c["softcap"]:
        s = f(c["softcap"]) * np.tanh(s / f(c["softcap"]))
    if "bias" in t:
        s = s + np.asarray(t["bias"], f)
    base = positions(c, t.get("lengths"), t.get("offset"))
    p = base[:, None] + np.arange(c["tq"])[None]  # b m
    j = np.arange(c["tk"]) + far(c["key_start"])
    p4, j4 = p[:, None, None, :, None], j[None, None, None, None, :]
    if c["alibi"]:
        s = s + np.asarray(t["slopes"], f)[None, :, :, None, None] * np.asarray(j4 - p4, f)
    keep = np.ones(s.shape, bool)
    if c["causal"]:
        keep &= j4 <= p4
    left, right = c["window"]
    if left is not None:
        keep &= j4 >= p4 - left
    if right is not None:
        keep &= j4 <= p4 + right
    if "mask" in t:
        keep &= t["mask"]
    if "lengths" in t:
        keep &= j4 < t["lengths"][:, None, None, None, None]
    if "begin" in t:
        keep &= j4 >= t["begin"][:, None, None, :, None]
        keep &= j4 < t["end"][:, None, None, :, None]
    s = np.where(keep, s, f(-np.inf))
    top = s.max(-1, keepdims=True, initial=-np.inf)
    if "sinks" in t:
        sink = np.broadcast_to(np.asarray(t["sinks"], f)[None, :, :, None, None], top.shape)
        top = np.maximum(top, sink)
    top = np.where(np.isneginf(top), f(0), top)
    w = np.exp(s - top)
    total = w.sum(-1, keepdims=True)
    if "sinks" in t:
        total = total + np.exp(sink - top)
    y = np.einsum("bhgmk,bhke->bhgme", round_to(w, weights) if weights else w, v)
    y = np.divide(y, total, out=np.zeros_like(y), where=total > 0)
    with np.errstate(divide="ignore"):
        lse = (top + np.log(total))[..., 0]
    coefficient = None
    if c["kind"]:
        vs = np.asarray(t["vs"], f)[:, :, None]
        n2 = (vs * vs).sum(-1, keepdims=True)
        eps = f(c["eps"])
        n = {
            "l2_clamp": np.maximum(np.sqrt(n2), eps) ** 2,
            "sq_clamp": np.maximum(n2, eps),
            "sq_add": n2 + eps,
            "raw": n2,
        }[c["kind"]]
        dot = (y * vs).sum(-1, keepdims=True)
        coefficient = np.divide(dot, n, out=np.zeros_like(dot), where=n > 0)
        a = f(c["strength"])
        if "strength" in t:
            a = a * np.asarray(t["strength"], f)
        y = y - a * coefficient * vs
        coefficient = coefficient[..., 0]
    return y, lse, coefficient


def heads_in(x, c):
    """(b, h, g, ...) to the order of the group."""
    return np.swapaxes(x, 1, 2) if c["group_outer"] else x


def operation(m, names, types, clauses, attrs, outs, region):
    """The text of `xsa.attention`, up to its result types."""
    lines = [
        f"xsa.attention {{{', '.join(attrs)}}}",
        f"ins({', '.join(names[:3])} : {', '.join(types[:3])})",
        *(f"{keyword}({names[i]} : {types[i]})" for keyword, i in clauses if i is not None),
        *(keyword for keyword, i in clauses if i is None),
        f"outs({names[outs[0]]} : {types[outs[0]]})",
    ]
    keywords = {"lse": "lse", "max": "max", "sum": "sum", "coef": "coefficient"}
    lines += [f"{keywords[m.args[i]]}({names[i]} : {types[i]})" for i in outs[1:]]
    return "\n      ".join(lines) + ("\n" + region.rstrip("\n") if region else "")


def signature(m, outs):
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in zip(m.args, m.types))
    types = ", ".join(m.types[i] for i in outs if m.args[i] != "sum")
    return f"func.func @main({arguments}) -> ({types})"


def return_text(m, outs, results):
    """Returns the results; maximum and sum as their log-sum-exp, since a maximum is no one number."""
    names, text = dict(zip((m.args[i] for i in outs), results)), ""
    types = {m.args[i]: m.types[i] for i in outs}
    if "sum" in names:
        text += f"  %logarithm = math.log {names.pop('sum')} : {types['sum']}\n"
        text += f"  %both = arith.addf {names['max']}, %logarithm : {types['max']}\n"
        names["max"] = "%both"
    types = ", ".join(types[name] for name in names)
    return f"{text}  return {', '.join(names.values())} : {types}\n}}\n"


def tensor_text(m, clauses, attrs, outs, header, region, in_place):
    names = [f"%{name}" for name in m.args]
    op = operation(m, names, m.types, clauses, attrs, outs, region)
    results = [f"%r#{i}" for i in range(len(outs))]
    types = ", ".join(m.types[i] for i in outs)
    text = f"{signature(m, outs)} {{\n{header}  %r:{len(outs)} = {op} -> {types}\n"
    return text + return_text(m, outs, results)


def memref_text(m, clauses, attrs, outs, header, region, in_place):
    """The operation on buffers of its own for each argument."""
    types = [type_.replace("tensor", "memref") for type_ in m.types]
    names = [f"%{name}_buffer" for name in m.args]
    for i, (name, type_) in enumerate(zip(m.args, m.types)):
        header += f"  {names[i]} = bufferization.to_buffer %{name} : {type_} to {types[i]}\n"
    if in_place:
        names[outs[0]] = names[0]
    text = f"{signature(m, outs)} {{\n{header}"
    text += f"  {operation(m, names, types, clauses, attrs, outs, region)}\n"
    for i in outs:
        text += f"  %{m.args[i]}_result = bufferization.to_tensor {names[i]} restrict : {types[i]} to {m.types[i]}\n"
    return text + return_text(m, outs, [f"%{m.args[i]}_result" for i in outs])


def build(case, rng):
    c = {**DEFAULTS, **case}
    b, h, g, tq, tk, d, e = (c[n] for n in ("b", "hkv", "g", "tq", "tk", "d", "e"))
    dt, acc = c["dtype"], "f64" if c["dtype"] == "f64" else "f32"
    m, t = Module(c), {}
    t["q"] = round_to(rng.standard_normal((b, h, g, tq, d)), dt)
    t["k"] = round_to(rng.standard_normal((b, h, tk, d)), dt)
    t["v"] = round_to(rng.standard_normal((b, h, tk, e)) * c["v_scale"], dt)
    if c["tied"]:
        t["k"][:] = t["k"][:, :, :1]
        if c["tied"] is not True:
            t["q"], t["k"] = np.abs(t["q"]), np.abs(t["k"])
            fewer = slice(tk // 3) if c["tied"] == "late" else np.arange(tk) != tk // 2
            t["k"][:, :, fewer] = round_to(t["k"][:, :, fewer] * 0.75, dt)
    if c["zero_v"]:
        t["v"][:, :, ::3] = 0
    if c["tiny_v"]:
        t["v"][:, :, ::3] *= np.asarray(1e-5, t["v"].dtype)
        t["v"] = round_to(t["v"], dt)
    hg = ["g", "h"] if c["group_outer"] else ["h", "g"]
    lay = c["layout"]

    def operand(name, dims, array, elem, reorder=True):
        new = order(dims, lay) if reorder else list(dims)
        return m.add(
            name, new, np.ascontiguousarray(array.transpose([dims.index(x) for x in new])), elem
        )

    operand("q", ["b", *hg, "m", "k1"], heads_in(t["q"], c), dt)
    operand("k", ["b", "h", "k2", "k1"], t["k"], dt)
    operand("v", ["b", "h", "k2", "n"], t["v"], dt)
    clauses = []

    def clause(keyword, name, dims, array, elem):
        clauses.append((keyword, m.add(name, dims, array, elem)))

    if c["kind"]:
        if tk == 0:
            t["vs"] = round_to(rng.standard_normal((b, h, tq, e)), dt)
        else:
            t["vs"] = t["v"][:, :, rng.integers(0, tk, tq)] if tq > tk else t["v"][:, :, tk - tq :]
        clauses.append(("self_value", operand("vs", ["b", "h", "m", "n"], t["vs"], dt)))
    if c["mask"]:
        shape, dims = {
            "bmk": ((b, tq, tk), ["b", "m", "k2"]),
            "mk": ((tq, tk), ["m", "k2"]),
            "k": ((b, tk), ["b", "k2"]),
        }[c["mask"]]
        mask = rng.random(shape) > 0.4
        if c["empty_rows"] and "m" in dims:
            mask[..., ::5, :] = False
        clause("mask", "mask", dims, mask, "i1")
        full = {
            "bmk": mask[:, None, None] if mask.ndim == 3 else None,
            "mk": mask if mask.ndim == 2 else None,
            "k": mask[:, None, None, None] if mask.ndim == 2 else None,
        }[c["mask"]]
        t["mask"] = full
    if c["bias"]:
        shape = (h, g, tq, tk) if c["bias"] == "hmk" else (tq, tk)
        bias = round_to(rng.standard_normal(shape), acc)
        if c["bias_floor"]:
            rows = slice(None) if c["bias_floor"] == "all" else 0
            bias[..., rows, :] = np.finfo(bias.dtype).min
        if c["bias"] == "hmk":
            clause(
                "bias",
                "bias",
                [*hg, "m", "k2"],
                np.ascontiguousarray(np.swapaxes(bias, 0, 1) if c["group_outer"] else bias),
                acc,
            )
        else:
            clause("bias", "bias", ["m", "k2"], bias, acc)
        t["bias"] = bias

    def per_head(x):
        return np.ascontiguousarray(x.T if c["group_outer"] else x)

    if c["sinks"]:
        sinks = (
            rng.standard_normal((h, g)) * 2
            if c["sinks"] == "random"
            else np.full((h, g), float(c["sinks"]))
        )
        t["sinks"] = round_to(sinks, acc)
        clause("sinks", "sinks", hg, per_head(t["sinks"]), acc)
    if c["strength_map"]:
        if c["strength_map"] == "scalar":
            st = round_to(rng.random(()), acc)
            clause("strength", "strength", [], np.array(st), acc)
            t["strength"] = st
        elif c["strength_map"] == "head":
            st = round_to(rng.random((h, g)), acc)
            clause("strength", "strength", hg, per_head(st), acc)
            t["strength"] = st[None, :, :, None, None]
        else:
            st = round_to(rng.random((b, tq, h, g)), acc)
            clause(
                "strength",
                "strength",
                ["b", "m", *hg],
                np.ascontiguousarray(np.swapaxes(st, 2, 3) if c["group_outer"] else st),
                acc,
            )
            t["strength"] = st.transpose(0, 2, 3, 1)[..., None]
    it = c["int_type"]
    if c["lengths"]:
        low = 0 if c["empty_rows"] else 1
        t["lengths"] = rng.integers(min(low, tk), tk + 1, b).astype(INT[it])
        if c["empty_rows"]:
            t["lengths"][0] = 0
        clause("key_lengths", "lengths", ["b"], t["lengths"], it)
    if c["packed"] or c["intervals"]:
        if c["packed"]:
            cuts = np.sort(
                rng.choice(np.arange(1, max(tk, 2)), min(3, max(tk - 1, 1)), replace=False)
            )
            starts = np.concatenate([[0], cuts])
            ends = np.concatenate([cuts, [tk]])
            row = np.minimum(np.arange(tq), tk - 1)
            which = np.searchsorted(cuts, row, side="right")
            begin, end = (np.broadcast_to(x[which], (b, tq)) for x in (starts, ends))
        else:
            begin = rng.integers(0, tk + 1, (b, tq))
            end = np.minimum(tk, begin + rng.integers(0 if c["empty_rows"] else 1, tk + 1, (b, tq)))
        if c["begin_only"]:
            end = np.full((b, tq), tk + far(c["key_start"]))
        t["begin"], t["end"] = begin.astype(INT[it]), end.astype(INT[it])
        clause("key_begin", "begin", ["b", "m"], t["begin"].copy(), it)
        if not c["begin_only"]:
            clause("key_end", "end", ["b", "m"], t["end"].copy(), it)
    if c["query_offset"]:
        t["offset"] = rng.integers(-2 if c["empty_rows"] else 0, max(tk - tq, 0) + 2, b).astype(
            INT[it]
        )
        clause("query_offset", "offset", ["b"], t["offset"], it)
    region = ""
    if c["alibi"]:
        t["slopes"] = round_to(-(2.0 ** -(1 + np.arange(h * g).reshape(h, g))), acc)
        clause("score_inputs", "slopes", hg, per_head(t["slopes"]), acc)
        region = f"""      score {{
      ^bb0(%s: {acc}, %slope: {acc}, %p: index, %j: index):
        %dist = arith.subi %j, %p : index
        %di = arith.index_cast %dist : index to i64
        %df = arith.sitofp %di : i64 to {acc}
        %sb = arith.mulf %slope, %df : {acc}
        %biased = arith.addf %s, %sb : {acc}
        xsa.yield %biased : {acc}
      }}
"""
    header = ""
    for name in ("query_start", "key_start"):
        if c[name] is not None:
            header += f"  %{name} = arith.constant {c[name]} : index\n"
            clauses.append((f"{name}(%{name})", None))

    out_dims = order(["b", *hg, "m", "n"], lay)
    extent = {"b": b, "h": h, "g": g, "m": tq, "n": e}
    outs = [("o", out_dims, dt)]
    if c["lse"]:
        outs.append(("lse", ["b", *hg, "m"], acc))
    if c["parts"]:
        outs += [(name, ["b", *hg, "m"], acc) for name in ("max", "sum")]
    if c["coefficient"]:
        outs.append(("coef", ["b", *hg, "m"], acc))
    for name, dims, elem in outs:
        store = np.float32 if elem == "bf16" else NP[elem]
        m.add(name, dims, np.full([extent[x] for x in dims], np.nan, store), elem)

    if c["garbage"]:
        for batch, length in enumerate(t["lengths"]):
            for operand in (1, 2):
                m.arrays[operand] = m.arrays[operand].copy()
                tokens = order(["b", "h", "t", "d"], lay).index("t")
                np.moveaxis(m.arrays[operand], tokens, 1)[batch, length:] = np.nan

    attrs = []
    if c["top_left"]:
        attrs.append("alignment = #xsa.alignment<top_left>")
    if c["causal"]:
        attrs.append("causal")
    if c["kind"]:
        eps = "" if c["kind"] == "raw" else f", eps = {c['eps']:e}"
        st = "" if c["strength"] == 1.0 else f", strength = {c['strength']:e}"
        attrs.append(f"exclusion = #xsa.exclusion<{c['kind']}{eps}{st}>")
    attrs.append(f"indexing_maps = [{', '.join(m.maps)}]")
    if c["scale"]:
        attrs.append(f"scale = {scale_of(c):.17e} : f64")
    if c["softcap"]:
        attrs.append(f"softcap = {c['softcap']:.17e} : f64")
    for side, w in zip(("left", "right"), c["window"]):
        if w is not None:
            attrs.append(f"window_{side} = {w} : i64")
    outs = [m.args.index(o[0]) for o in outs]
    text = memref_text if c["memrefs"] else tensor_text
    text = text(m, clauses, attrs, outs, header, region, c["in_place"])

    def shaped(y, lse, coef):
        full = heads_in(y, c)
        dims = ["b", *hg, "m", "n"]
        r = [full.transpose([dims.index(x) for x in out_dims])]
        r += [heads_in(lse, c)] * (c["lse"] + c["parts"])
        if c["coefficient"]:
            r.append(heads_in(coef, c))
        return r

    exact = shaped(*reference(c, t))
    narrow = dt if dt in ("f16", "bf16") else None
    plain = shaped(*reference(c, t, np.float64 if dt == "f64" else np.float32, narrow))
    allowed = []
    for i, (x, y) in enumerate(zip(exact, plain)):
        finite = np.isfinite(x)
        size = float(np.max(np.abs(x[finite]), initial=0))
        elem = dt if i == 0 else acc
        rounding = EPS[elem] * max(size, 2.0**-6)
        base = float(np.max(np.abs(x[finite] - y[finite]), initial=0))
        allowed.append(
            1e-12 * max(size, 1)
            if dt == "f64"
            else 3 * base + rounding + 1e-6 * max(1, size if i else 1)
        )
    return text, m.arrays, exact, allowed


def check(got, exact, allowed):
    """None if every output is within its error, else what is wrong."""
    for i, (x, want, limit) in enumerate(zip(got, exact, allowed)):
        x = np.float64(x)
        if x.shape != want.shape:
            return f"output {i}: shape {x.shape}, expected {want.shape}"
        finite = np.isfinite(want)
        if not (x[~finite] == want[~finite]).all():
            return f"output {i}: an infinity is missing"
        if not np.isfinite(x[finite]).all():
            return f"output {i}: {np.sum(~np.isfinite(x[finite]))} values are not finite"
        error = float(np.max(np.abs(x[finite] - want[finite]), initial=0))
        if error > limit:
            return f"output {i}: error {error:.3g}, allowed {limit:.3g}"
    return None


CASES = {
    "plain": {},
    "unscaled": dict(scale=False),
    "causal": dict(causal=True, kind="l2_clamp"),
    "causal_top_left_cross": dict(causal=True, top_left=True, tq=19, tk=45),
    "causal_bottom_right_cache": dict(causal=True, tq=19, tk=45, kind="l2_clamp"),
    "more_queries_than_keys_bottom_right": dict(causal=True, tq=50, tk=21, lse=True),
    "more_queries_than_keys_top_left": dict(causal=True, top_left=True, tq=50, tk=21),
    "window_both": dict(window=(5, 3), tq=70, tk=70, kind="sq_add", eps=1e-6),
    "window_causal": dict(window=(9, None), causal=True, tq=150, tk=150, kind="l2_clamp"),
    "window_zero": dict(window=(0, 0), tq=40, tk=40, kind="l2_clamp", lse=True),
    "window_left_only": dict(window=(7, None), tq=17, tk=40, dtype="bf16"),
    "window_left_only_dynamic": dict(window=(7, None), tq=17, tk=140, dtype="f16", dynamic=True),
    "window_right_only": dict(window=(None, 4), tq=90, tk=90),
    "window_narrow_cross": dict(window=(3, 2), tq=20, tk=130),
    "window_past_31_bits": dict(window=(5, 2**31 - 1), tq=70, tk=70),
    "window_past_32_bits": dict(window=(2**40, None), causal=True, tq=70, tk=70, dtype="f16"),
    "window_largest": dict(window=(2**62, 2**62), tq=70, tk=70, kind="l2_clamp"),
    "scale_vanishing": dict(scale=1e-300, causal=True),
    "long_causal": dict(
        causal=True, tq=300, tk=300, b=1, d=32, e=32, kind="l2_clamp", lse=True, coefficient=True
    ),
    "long_plain": dict(tq=130, tk=257, b=1, d=64, e=64),
    "softcap": dict(softcap=3.0, causal=True),
    "softcap_of_small_scores": dict(softcap=60.0, causal=True),
    "softcap_large": dict(softcap=1e6),
    "softcap_large_f16": dict(softcap=1e6, causal=True, dtype="f16"),
    "softcap_f64": dict(softcap=3.0, dtype="f64"),
    "bias_per_head": dict(bias="hmk", g=2),
    "bias_shared": dict(bias="mk", causal=True, kind="raw"),
    "bias_floor": dict(bias="mk", bias_floor=True, kind="l2_clamp", lse=True),
    "bias_floor_few_rows": dict(bias="hmk", bias_floor=True, tq=3, tk=70),
    "mask_batch": dict(mask="bmk", kind="l2_clamp"),
    "mask_empty_rows": dict(
        mask="bmk", empty_rows=True, kind="l2_clamp", lse=True, coefficient=True
    ),
    "mask_keys": dict(mask="k"),
    "mask_shared": dict(mask="mk", empty_rows=True, dtype="f16"),
    "alibi": dict(alibi=True, causal=True, g=2, kind="l2_clamp"),
    "alibi_offset": dict(alibi=True, query_offset=True, tq=11, tk=60, int_type="index"),
    "alibi_softcap_bias_mask": dict(
        alibi=True, softcap=5.0, bias="hmk", mask="bmk", causal=True, g=2, kind="sq_clamp", eps=1e-8
    ),
    "sinks": dict(sinks="random", causal=True, g=2, lse=True),
    "sinks_empty_rows": dict(sinks="random", mask="bmk", empty_rows=True, lse=True),
    "sinks_minus_infinity": dict(sinks="-inf", mask="bmk", empty_rows=True, lse=True),
    # Sinks that are not finite when divided by the scale, or times log2(e); rows without keys show them.
    "sinks_lowest": dict(sinks="-3.4028234663852886e38", mask="bmk", empty_rows=True, lse=True),
    "sinks_lowest_f16": dict(
        sinks="-3.4028234663852886e38",
        mask="bmk",
        empty_rows=True,
        dtype="f16",
        kind="l2_clamp",
        lse=True,
    ),
    "sinks_lowest_unscaled_f16": dict(
        sinks="-3.4028234663852886e38",
        scale=False,
        lengths=True,
        empty_rows=True,
        dtype="f16",
        parts=True,
    ),
    "sinks_lowest_softcap_bf16": dict(
        sinks="-3.4028234663852886e38",
        softcap=5.0,
        lengths=True,
        empty_rows=True,
        dtype="bf16",
        lse=True,
    ),
    "sinks_lowest_pairs": dict(
        sinks="-3.4028234663852886e38",
        mask="bmk",
        empty_rows=True,
        dtype="bf16",
        tq=64,
        tk=130,
        parts=True,
    ),
    "sinks_largest": dict(sinks="3e38", causal=True, lse=True),
    "sinks_largest_f16": dict(sinks="3e38", scale=7.0, causal=True, dtype="f16", parts=True),
    "sinks_largest_bf16": dict(sinks="3e38", dtype="bf16", tq=64, tk=130, lse=True),
    "sinks_scale_vanishing": dict(sinks="-1e30", scale=1e-30, dtype="f16", lse=True),
    "key_lengths": dict(lengths=True, lse=True),
    "key_lengths_causal": dict(
        lengths=True, causal=True, tq=7, tk=90, kind="l2_clamp", int_type="i64"
    ),
    "key_lengths_empty": dict(
        lengths=True, empty_rows=True, kind="l2_clamp", lse=True, coefficient=True
    ),
    "key_lengths_garbage": dict(lengths=True, garbage=True, tq=5, tk=200),
    "key_lengths_garbage_decode": dict(lengths=True, garbage=True, tq=1, tk=150, g=4),
    "key_lengths_garbage_f16": dict(
        lengths=True, garbage=True, causal=True, tq=40, tk=90, dtype="f16", dynamic=True
    ),
    "key_lengths_garbage_window": dict(
        lengths=True, garbage=True, causal=True, window=(9, None), mask="bmk", tk=130
    ),
    "key_lengths_garbage_whole_tiles": dict(
        lengths=True, garbage=True, tq=64, tk=128, dtype="bf16", kind="l2_clamp", causal=True
    ),
    "key_lengths_garbage_columns": dict(
        lengths=True, garbage=True, tq=40, tk=128, dtype="f16", layout="bhdt", d=64, e=64
    ),
    "key_lengths_garbage_start": dict(
        lengths=True, garbage=True, tq=3, tk=256, dtype="f16", g=2, alibi=True, key_start=30
    ),
    "key_lengths_top_left": dict(lengths=True, causal=True, top_left=True),
    "key_lengths_query_offset": dict(lengths=True, query_offset=True, causal=True, tq=5, tk=80),
    "query_offset_causal": dict(query_offset=True, causal=True, tq=5, tk=64, kind="l2_clamp"),
    "query_offset_before_keys": dict(
        query_offset=True, empty_rows=True, causal=True, tq=20, tk=64, lse=True
    ),
    "packed": dict(packed=True, tq=100, tk=100, kind="l2_clamp"),
    "packed_causal": dict(
        packed=True, causal=True, tq=140, tk=140, kind="l2_clamp", int_type="i64", lse=True
    ),
    "intervals": dict(intervals=True, tq=33, tk=120, int_type="index"),
    "intervals_empty": dict(intervals=True, empty_rows=True, tq=33, tk=120, lse=True),
    "begin_only": dict(intervals=True, begin_only=True, tq=17, tk=40, dtype="bf16", dynamic=True),
    "begin_only_decode": dict(intervals=True, begin_only=True, tq=1, tk=140, g=2, lse=True),
    "starts_far_after": dict(query_start=2**63 - 1, window=(2**62, None), packed=True),
    "starts_far_before": dict(query_start=-(2**63), window=(None, 2**62), packed=True),
    "starts_far_hidden": dict(query_start=-(2**63), causal=True, lse=True),
    "starts_far_both": dict(query_start=2**59, key_start=2**59, causal=True, window=(9, None)),
    "starts": dict(query_start=7, key_start=4, causal=True, window=(11, None), lse=True),
    "grouped": dict(g=3, causal=True, kind="l2_clamp"),
    "grouped_outer": dict(
        g=3, group_outer=True, causal=True, kind="l2_clamp", strength_map="head", sinks="random"
    ),
    "multi_query": dict(hkv=1, g=4, kind="l2_clamp"),
    "strength_attribute": dict(kind="l2_clamp", strength=0.5),
    "strength_negative": dict(kind="raw", strength=-1.0),
    "strength_scalar": dict(kind="l2_clamp", strength_map="scalar"),
    "strength_head": dict(kind="l2_clamp", strength_map="head", g=2, strength=0.5),
    "strength_token": dict(kind="sq_add", eps=1e-6, strength_map="token", g=2, causal=True),
    "kind_l2_clamp": dict(kind="l2_clamp", eps=1e-4, tiny_v=True, coefficient=True, causal=True),
    "kind_sq_clamp": dict(kind="sq_clamp", eps=1e-8, tiny_v=True, coefficient=True, causal=True),
    "kind_sq_add": dict(kind="sq_add", eps=1e-6, tiny_v=True, coefficient=True, causal=True),
    "kind_raw": dict(kind="raw", zero_v=True, coefficient=True, causal=True),
    "zero_values_l2_clamp": dict(kind="l2_clamp", zero_v=True, coefficient=True, causal=True),
    "zero_values_sq_add": dict(kind="sq_add", eps=1e-6, zero_v=True, coefficient=True),
    "layout_bthd": dict(layout="bthd", causal=True, kind="l2_clamp", g=2),
    "layout_bhdt": dict(layout="bhdt", causal=True, kind="l2_clamp"),
    "layout_bhdt_f16": dict(layout="bhdt", causal=True, kind="l2_clamp", dtype="f16", mask="bmk"),
    "f64": dict(dtype="f64", causal=True, kind="l2_clamp", lse=True, coefficient=True),
    "f64_everything": dict(
        dtype="f64",
        g=2,
        mask="bmk",
        bias="hmk",
        sinks="random",
        alibi=True,
        kind="l2_clamp",
        strength_map="token",
        empty_rows=True,
    ),
    "f16": dict(dtype="f16", causal=True, kind="l2_clamp", lse=True),
    "bf16": dict(dtype="bf16", causal=True, kind="l2_clamp", lse=True),
    "bf16_grouped": dict(dtype="bf16", g=2, bias="mk", kind="sq_add", eps=1e-6),
    # Terms of bf16 in pairs, where the processor multiplies those.
    "pairs": dict(dtype="bf16", tq=200, tk=300, kind="l2_clamp", lse=True, coefficient=True),
    "pairs_causal": dict(dtype="bf16", tq=289, tk=289, d=80, e=40, causal=True, kind="raw", g=3),
    "pairs_window": dict(dtype="bf16", tq=260, tk=260, window=(37, 5), d=48, e=16, lse=True),
    "pairs_dynamic": dict(
        dtype="bf16", tq=150, tk=333, causal=True, dynamic=True, layout="bthd", kind="sq_add"
    ),
    "pairs_keys_last": dict(dtype="bf16", tq=96, tk=131, layout="bhdt", d=24, e=56),
    "pairs_rows_last": dict(dtype="bf16", tq=17, tk=70, layout="bhdt", kind="raw"),
    "pairs_lengths": dict(
        dtype="bf16", tq=64, tk=200, lengths=True, garbage=True, kind="l2_clamp", mask="bmk"
    ),
    "pairs_intervals": dict(dtype="bf16", tq=130, tk=130, packed=True, bias="hmk", sinks="random"),
    "pairs_odd": dict(
        dtype="bf16", tq=40, tk=7, d=6, e=7, softcap=20.0, empty_rows=True, mask="mk"
    ),
    "pairs_scale_vanishing": dict(dtype="bf16", tq=64, tk=130, scale=1e-39, kind="l2_clamp"),
    # Rounding a product of this size is more than an exponent can be off by.
    "pairs_scale_huge": dict(dtype="bf16", tq=64, tk=130, scale=1e10, kind="l2_clamp"),
    "pairs_sinks_low": dict(
        dtype="bf16", tq=64, tk=130, sinks="-1e30", mask="bmk", empty_rows=True, lse=True
    ),
    "pairs_no_terms": dict(dtype="bf16", tq=33, tk=45, d=9, e=5, alibi=True, kind="sq_clamp"),
    "one_token": dict(tq=1, tk=1, causal=True, kind="l2_clamp"),
    "decode": dict(tq=1, tk=200, causal=True, kind="l2_clamp", g=4),
    # Long enough for a GPU to split the keys.
    "decode_long": dict(
        tq=1, tk=1500, d=64, e=64, kind="l2_clamp", g=4, lse=True, coefficient=True
    ),
    "decode_long_f16": dict(tq=1, tk=1536, d=64, e=64, causal=True, g=8, dtype="f16", lse=True),
    "decode_long_bf16": dict(
        b=1, tq=1, tk=1000, d=128, e=128, causal=True, g=4, kind="sq_clamp", eps=1e-6, dtype="bf16"
    ),
    "decode_long_ungrouped": dict(tq=1, tk=1024, d=40, e=72, kind="l2_clamp", dtype="f16"),
    "decode_long_bthd": dict(tq=1, tk=1100, layout="bthd", g=4, kind="raw", dtype="f16"),
    "decode_long_lengths": dict(
        b=3, tq=1, tk=1100, lengths=True, causal=True, g=4, kind="l2_clamp", dtype="f16", lse=True
    ),
    "decode_long_empty": dict(
        tq=1,
        tk=1100,
        lengths=True,
        empty_rows=True,
        g=2,
        kind="l2_clamp",
        lse=True,
        coefficient=True,
    ),
    "decode_long_mask": dict(tq=1, tk=1100, mask="bmk", g=2, kind="l2_clamp", dtype="f16"),
    "decode_long_mask_empty": dict(tq=3, tk=1100, mask="bmk", empty_rows=True, g=2, lse=True),
    "decode_long_mask_keys": dict(tq=1, tk=1024, mask="k", g=4, dtype="f16"),
    "decode_long_bias_sinks": dict(
        tq=1, tk=1030, bias="hmk", sinks="random", g=2, kind="l2_clamp", dtype="f16", lse=True
    ),
    "decode_long_alibi": dict(
        tq=2, tk=1030, alibi=True, causal=True, softcap=5.0, g=2, lse=True, dtype="f16"
    ),
    "decode_long_window": dict(tq=4, tk=1400, window=(300, None), causal=True, kind="l2_clamp"),
    "decode_long_offset": dict(
        tq=5, tk=1200, query_offset=True, causal=True, g=2, kind="l2_clamp", dtype="bf16"
    ),
    "decode_long_intervals": dict(tq=5, tk=1200, intervals=True, int_type="i64", lse=True),
    "decode_long_rows": dict(
        tq=17, tk=1200, causal=True, g=2, kind="sq_add", eps=1e-6, strength_map="token", dtype="f16"
    ),
    "decode_long_outer": dict(
        tq=1, tk=1200, g=3, group_outer=True, kind="l2_clamp", strength_map="head", sinks="-inf"
    ),
    "decode_long_dynamic": dict(
        dynamic=True, tq=1, tk=1100, causal=True, g=4, kind="l2_clamp", lse=True, coefficient=True
    ),
    "parts": dict(
        tq=70, tk=300, g=2, sinks="random", kind="l2_clamp", parts=True, coefficient=True
    ),
    "parts_f16": dict(tq=140, tk=140, causal=True, dtype="f16", lse=True, parts=True),
    "parts_bf16": dict(tq=64, tk=200, dtype="bf16", mask="bmk", empty_rows=True, parts=True),
    "parts_f64": dict(tq=3, tk=70, dtype="f64", lengths=True, empty_rows=True, parts=True),
    "parts_no_keys": dict(tk=0, dynamic=True, parts=True),
    "parts_memrefs": dict(memrefs=True, kind="sq_add", lse=True, parts=True, coefficient=True),
    "parts_decode": dict(tq=2, tk=1030, alibi=True, causal=True, g=2, dtype="f16", parts=True),
    # Where scores are so large that a log-sum-exp is the score, ranges count by their keys all the same.
    "decode_long_floor": dict(tq=3, tk=700, bias="mk", bias_floor="all", lse=True),
    "decode_long_floor_f16": dict(
        tq=1, tk=1100, g=4, bias="hmk", bias_floor="all", lengths=True, dtype="f16", kind="l2_clamp"
    ),
    "decode_long_floor_bf16": dict(
        tq=4, tk=900, g=2, bias="mk", bias_floor=True, causal=True, dtype="bf16", lse=True
    ),
    "decode_long_floor_intervals": dict(
        tq=5, tk=1200, bias="mk", bias_floor="all", intervals=True, coefficient=True, kind="raw"
    ),
    "decode_long_tied": dict(
        tq=4, tk=700, tied=True, scale=1e7, causal=True, g=2, kind="sq_add", lse=True
    ),
    "decode_long_tied_f16": dict(
        tq=3, tk=1100, d=64, e=64, tied=True, scale=1e7, lengths=True, dtype="f16", g=2
    ),
    "decode_long_tied_bf16": dict(
        tq=1, tk=1000, g=8, tied=True, scale=-1e8, mask="k", dtype="bf16", kind="l2_clamp"
    ),
    "decode_long_tied_window": dict(
        tq=6, tk=1400, tied=True, scale=3e8, window=(500, 7), dtype="f16", sinks="random"
    ),
    "decode_long_floor_sinks": dict(
        tq=2, tk=900, bias="mk", bias_floor="all", sinks="-3.4028234663852886e38", lse=True
    ),
    "decode_long_tied_dynamic": dict(
        dynamic=True, tq=2, tk=777, tied=True, scale=1e7, causal=True, dtype="f16", lse=True
    ),
    # The largest weights are rounded with the others before they meet the values, and not where they are shown.
    "tied_f16": dict(
        tq=64,
        tk=256,
        tied=True,
        scale=7654.3,
        dtype="f16",
        kind="l2_clamp",
        lse=True,
        coefficient=True,
    ),
    "tied_bf16": dict(
        tq=64, tk=256, tied=True, scale=-1e5, dtype="bf16", kind="raw", parts=True, coefficient=True
    ),
    "tied_sinks_f16": dict(
        tq=40, tk=200, tied=True, scale=1e3, sinks="random", causal=True, dtype="f16", lse=True
    ),
    "tied_late_f16": dict(
        tq=70, tk=300, tied="late", dtype="f16", kind="l2_clamp", lse=True, coefficient=True
    ),
    "tied_late_bf16": dict(
        tq=70, tk=300, tied="late", dtype="bf16", kind="raw", lse=True, parts=True, coefficient=True
    ),
    "tied_late_hidden_sum_bf16": dict(
        tq=70, tk=300, tied="late", dtype="bf16", kind="sq_add", eps=1e-6, coefficient=True
    ),
    "one_score_f16": dict(
        tq=64,
        tk=190,
        tied="one",
        scale=2e3,
        dtype="f16",
        kind="l2_clamp",
        lse=True,
        coefficient=True,
    ),
    "one_score_bf16": dict(
        tq=64,
        tk=190,
        tied="one",
        scale=3e4,
        dtype="bf16",
        kind="l2_clamp",
        lse=True,
        coefficient=True,
    ),
    # No result shows the sum, so that it is of weights before they are rounded.
    "one_score_alone_bf16": dict(
        tq=64, tk=192, tied="one", scale=12345.6, dtype="bf16", kind="l2_clamp"
    ),
    "tied_alone_bf16": dict(tq=64, tk=192, tied=True, scale=-1e4, causal=True, dtype="bf16"),
    "tied_floor_bf16": dict(
        tq=64, tk=192, tied=True, scale=1e4, bias="hmk", bias_floor="all", dtype="bf16"
    ),
    "decode_long_tied_rows_bf16": dict(
        tq=2,
        tk=1030,
        tied=True,
        scale=3e7,
        dtype="bf16",
        kind="l2_clamp",
        lse=True,
        coefficient=True,
    ),
    "decode_long_one_score_f16": dict(
        tq=3, tk=900, tied="one", scale=4e3, dtype="f16", kind="raw", parts=True, coefficient=True
    ),
    "decode_alone": dict(tq=1, tk=77, causal=True, kind="l2_clamp", lse=True),
    "decode_three_heads_bf16": dict(
        tq=1, tk=300, g=3, d=64, e=64, causal=True, kind="l2_clamp", dtype="bf16", lse=True
    ),
    "few_rows": dict(tq=3, tk=300, causal=True, kind="l2_clamp", lse=True, coefficient=True),
    "few_rows_odd_depths": dict(tq=5, tk=75, d=21, e=35, causal=True, kind="sq_add", eps=1e-6),
    "few_rows_window": dict(tq=6, tk=290, window=(9, 2), kind="l2_clamp"),
    "few_rows_intervals_bf16": dict(tq=2, tk=333, intervals=True, dtype="bf16", lse=True),
    "few_rows_f64": dict(tq=3, tk=70, dtype="f64", lengths=True, kind="l2_clamp", empty_rows=True),
    "few_rows_bhdt_f16": dict(tq=4, tk=90, layout="bhdt", dtype="f16", mask="bmk", kind="raw"),
    "few_rows_bthd_bf16": dict(tq=4, tk=90, layout="bthd", dtype="bf16", g=2, sinks="random"),
    "few_rows_everything": dict(
        tq=7,
        tk=270,
        g=2,
        mask="bmk",
        bias="hmk",
        sinks="random",
        alibi=True,
        kind="l2_clamp",
        strength_map="token",
        empty_rows=True,
        softcap=5.0,
        lse=True,
        coefficient=True,
    ),
    "few_rows_dynamic_keys": dict(
        tq=3, tk=131, dynamic=True, mask="k", causal=True, kind="l2_clamp"
    ),
    "one_key": dict(tq=33, tk=1),
    "depth_one": dict(d=1, e=1),
    "odd_depths": dict(d=5, e=7, causal=True, kind="l2_clamp"),
    "no_keys": dict(
        tk=0, kind="l2_clamp", lse=True, coefficient=True, mask="bmk", bias="hmk", lengths=True
    ),
    "no_keys_causal": dict(tk=0, causal=True, window=(2, None), kind="raw", lse=True),
    "no_keys_sinks": dict(tk=0, sinks="random", alibi=True, g=2, lse=True),
    "no_rows": dict(tq=0, causal=True, kind="l2_clamp", strength_map="token", g=2, lse=True),
    "no_batch": dict(b=0, causal=True, kind="l2_clamp", lengths=True, lse=True),
    "no_heads": dict(hkv=0, g=2, kind="l2_clamp", strength_map="head"),
    "no_key_depth": dict(d=0, causal=True, kind="l2_clamp", lse=True),
    "no_value_depth": dict(e=0, causal=True, kind="l2_clamp", lse=True, coefficient=True),
    "dynamic_no_keys": dict(
        tk=0, dynamic=True, kind="l2_clamp", lse=True, coefficient=True, mask="bmk", lengths=True
    ),
    "dynamic_no_rows": dict(tq=0, dynamic=True, causal=True, kind="l2_clamp", lse=True),
    "dynamic_no_batch": dict(b=0, dynamic=True, causal=True, kind="l2_clamp", lse=True),
    "dynamic_no_key_depth": dict(d=0, dynamic=True, dynamic_depth=True, kind="raw", lse=True),
    "dynamic_no_value_depth": dict(e=0, dynamic=True, dynamic_depth=True, kind="raw", lse=True),
    "memrefs": dict(
        memrefs=True, causal=True, g=2, kind="l2_clamp", mask="bmk", lse=True, coefficient=True
    ),
    "memrefs_alibi": dict(memrefs=True, causal=True, alibi=True, dtype="bf16", layout="bthd"),
    "memrefs_in_place": dict(memrefs=True, in_place=True, e=16, causal=True, kind="l2_clamp"),
    "memrefs_in_place_dynamic": dict(
        memrefs=True, in_place=True, e=16, tq=70, tk=70, dynamic=True, kind="raw", lse=True
    ),
    "deep": dict(d=256, e=256, b=1, hkv=1, tq=65, tk=65, causal=True, kind="l2_clamp"),
    # Scores of many terms, of which rounding in the last place shows.
    "deep_sharp": dict(d=256, e=64, b=1, hkv=1, tq=32, tk=32, scale=1.0, causal=True),
    "wide_value": dict(d=8, e=160, b=1, causal=True, kind="l2_clamp", dtype="bf16"),
    "dynamic": dict(dynamic=True, causal=True, kind="l2_clamp", lse=True),
    "dynamic_cache": dict(dynamic=True, causal=True, tq=19, tk=45, kind="l2_clamp"),
    "dynamic_window": dict(dynamic=True, window=(5, 3), tq=70, tk=70, dtype="bf16"),
    "dynamic_mask_bias": dict(dynamic=True, mask="bmk", bias="hmk", empty_rows=True, g=2),
    "dynamic_depth": dict(dynamic=True, dynamic_depth=True, causal=True, kind="l2_clamp"),
    "dynamic_everything": dict(
        dynamic=True,
        g=2,
        mask="bmk",
        bias="hmk",
        sinks="random",
        alibi=True,
        kind="l2_clamp",
        strength_map="token",
        lengths=True,
        query_offset=True,
        softcap=10.0,
        window=(20, None),
        lse=True,
        coefficient=True,
    ),
}
