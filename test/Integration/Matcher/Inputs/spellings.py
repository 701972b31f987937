"""Random attention: spellings of each part, put together at random.

Everything is chosen by a random.Random, so a seed names a model. `label` collects what
was chosen, to read in reports.
"""

import random
import re
from dataclasses import dataclass, field

import numpy as np
from tracer import Tensor, Tracer

FINFO_MIN = float(np.finfo(np.float32).min)


@dataclass
class Model:
    text: str = ""
    arrays: list = field(default_factory=list)
    own: list = field(default_factory=list)
    xsa: list = field(default_factory=list)
    label: list = field(default_factory=list)
    must_raise: int = 0
    """Attentions that have to become operations of the dialect."""
    exclusive: int = 0
    """Those of them that a conversion has to make exclusive."""
    already: int = 0
    """Those that the model itself writes in the exclusive form."""
    tolerance: float = 5e-4
    overflows: bool = False
    """Exponentials of scores as they are may be infinite."""
    dynamic: bool = False
    """Lengths are unknown: what cannot be proven then may be left alone."""


def exclude(y: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Rows are the last dimension."""
    norm = np.maximum(np.sqrt((v * v).sum(-1, keepdims=True)), 1e-12)
    return y - (y * v).sum(-1, keepdims=True) / norm**2 * v


class Attention:
    """One attention block on tokens [B, T, C]."""

    SOFTMAX = (
        "named named max max max nomax base2 log lse reciprocal late late_reciprocal safe nan_to_num"
        " off_by_one sink_concat sink_add plus_eps max_eps guarded_sum wide twice ones zeroed row_zeroed"
        " lse_abs exp_lse lse_where log_where norm1 lse_base2"
    ).split()
    SCALE = "none q k both score score_div tensor head key pair".split()
    LAYOUT = "bhid bihd batched grouped transposed looped".split()
    MASK = (
        "none none causal causal causal_const window prefix dilated padding_arg length triangle_and_padding"
        " block strided gpt1 left_padding empty_rows"
        " packed packed_causal"
    ).split()
    BIAS = "none none none relative alibi constant row learned".split()
    DECOY = (
        "cross flipped shifted query_softmax other_sum probabilities_used factor_after two_products pooled"
        " latents mixed_rows cache_behind"
    ).split()
    READ_DECOY = "gathered_values gathered_keys_and_values probabilities_read".split()
    """Decoys that read at positions which the model is given."""
    READING = "none weights weights table tokens".split()
    """What else is read at positions, and changes nothing."""
    CACHED_MASK = (
        "none none causal causal causal_const window dilated padding_arg length empty_rows".split()
    )
    EXCLUSION = (
        "normalize norms squares sq_clamp sq_add raw strength rsqrt mean lerp guarded plus per_token outer gated"
        " matrix cosine biased plus_value guarded_eps mixed mixed"
    ).split()
    UNIT = "clamped sq_clamped sq_added plain plus_eps".split()
    NARROW = "normalize norms squares sq_clamp sq_add raw rsqrt mean plus".split()
    AFTER = "none none none tensor bias value tanh scaled".split()
    LOOK_ALIKE = "on_key on_other_token on_other_head".split()

    def __init__(
        self, m: Tracer, model: Model, decoy: str | None, exclusion: str | None, last: bool = False
    ):
        self.m, self.rng, self.model, self.decoy, self.exclusion = m, m.rng, model, decoy, exclusion
        self.last = last
        """Whether there is one query row, of the last token."""
        self.cache = 0
        """How many keys and values of earlier tokens there are before, or behind, the own."""
        pick = self.rng.choice
        self.layout = pick(self.LAYOUT)
        self.kv_heads = pick([1, 2, 2, 3])
        self.groups = pick([1, 1, 2, 3]) if self.layout != "looped" else 1
        self.heads = self.kv_heads * self.groups
        self.group_order = pick(["inner", "inner", "outer"])
        self.depth, self.width = pick([4, 8]), pick([4, 8, 6])
        hides_heads = self.kv_heads == 1 or self.layout in ("looped", "batched")
        if exclusion == "on_other_head" and hides_heads:
            exclusion = self.exclusion = "on_other_token"
        if exclusion == "on_key":
            self.width = self.depth
        self.softmax_style = pick(self.SOFTMAX)
        self.scale_style = pick(self.SCALE)
        self.mask_style = pick(self.MASK)
        self.bias_style = pick(self.BIAS)
        self.cap_style = pick(["none", "none", "none", "before", "after"])
        if last:
            self.mask_style = pick(["none", "none", "padding_arg", "length"])
            self.bias_style = pick(["none", "none", "learned", "constant"])
        if decoy == "cache_behind" or (not last and decoy is None and self.rng.random() < 0.2):
            self.cache = pick([2, 3, 4])
            self.mask_style = pick(self.CACHED_MASK)
        self.after = pick(self.AFTER) if exclusion and exclusion not in self.LOOK_ALIKE else "none"
        if self.softmax_style == "exp_lse" and self.mask_style == "empty_rows":
            self.softmax_style = "lse_abs"  # a finite score would give 0 / 0 in such rows
        if self.softmax_style in ("zeroed", "row_zeroed") and self.cap_style == "after":
            self.cap_style = "before"  # what is hidden would take part in the sum
        self.reading = m.bodies.choice(self.READING) if m.read_within and not decoy else "none"
        self.low = pick([None] * 5 + ["f16", "bf16"])
        if decoy in (
            "query_softmax",
            "other_sum",
            "two_products",
        ) and self.softmax_style.startswith("late"):
            self.softmax_style = "max"
        if decoy in ("query_softmax", "other_sum", "factor_after"):
            # Not raised, so what is divided by 0 stays NaN: rows without keys, and
            # keys without rows.
            hides_rows = self.mask_style == "empty_rows"
            hides_keys = "padding" in self.mask_style or self.mask_style == "length"
            if hides_rows or (hides_keys and decoy == "query_softmax"):
                self.mask_style = "causal"
        if self.layout == "looped":
            self.bias_style = pick(["none", "constant"])
            self.scale_style = pick(["none", "q", "score"])
        self.note(
            self.layout, f"{self.heads}/{self.kv_heads} {self.group_order}", self.softmax_style
        )
        self.note(f"scale={self.scale_style}", f"mask={self.mask_style}", f"bias={self.bias_style}")
        self.note(f"cap={self.cap_style}", *([f"decoy={decoy}"] if decoy else []))
        self.note(
            *([f"exclusion={exclusion}"] if exclusion else []),
            *(["last row"] if last else []),
            *([f"cache={self.cache}"] if self.cache else []),
            *([f"after={self.after}"] if self.after != "none" else []),
            *([self.low] if self.low else []),
            *([f"reading={self.reading}"] if self.reading != "none" else []),
        )
        if self.low and self.softmax_style == "nomax":
            self.softmax_style = "max"  # exponentials may be too large for f16
        if self.low:
            model.tolerance = max(model.tolerance, {"f16": 1e-2, "bf16": 8e-2}[self.low])

    def note(self, *words):
        self.model.label += words

    # --- Projections ------------------------------------------------------------------

    def project(self, x: Tensor, weight: Tensor) -> Tensor:
        m, (batch, length, _) = self.m, x.shape
        if self.rng.random() < 0.5:
            return m.einsum("btc,cn->btn", x, weight)
        flat = m.reshape(x, (batch * length, x.shape[2]))
        return m.reshape(m.einsum("tc,cn->tn", flat, weight), (batch, length, weight.shape[1]))

    def weight(self, rows: int, columns: int) -> Tensor:
        return self.m.argument(
            (rows, columns), value=self.m.values.standard_normal((rows, columns)) / np.sqrt(rows)
        )

    def project_heads(self, x: Tensor, source: Tensor):
        """q [B,T,H,D], k [B,T,Hkv,D], v [B,T,Hkv,E]."""
        m, (batch, _, channels) = self.m, x.shape
        sizes = [self.heads * self.depth, self.kv_heads * self.depth, self.kv_heads * self.width]
        if source is x and self.rng.random() < 0.5:
            fused, start, parts = self.project(x, self.weight(channels, sum(sizes))), 0, []
            for size in sizes:
                parts.append(m.slice(fused, 2, start, size))
                start += size
        else:
            inputs = [x, source, source]
            parts = [self.project(i, self.weight(channels, size)) for i, size in zip(inputs, sizes)]
        shapes = [
            (self.heads, self.depth),
            (self.kv_heads, self.depth),
            (self.kv_heads, self.width),
        ]
        q, k, v = (m.reshape(p, (batch, p.shape[1], *s)) for p, s in zip(parts, shapes))
        choice = self.rng.choice(["none", "none", "norm", "rotary"])
        self.note(f"qk={choice}")
        if choice == "norm":
            q, k = self.normalize(q), self.normalize(k)
        elif choice == "rotary":
            q, k = self.rotate(q), self.rotate(k)
        return q, k, v

    def normalize(self, x: Tensor) -> Tensor:
        m = self.m
        square = m.reduce("add", m.mul(x, x), -1, True)
        return m.mul(x, m.unary("rsqrt", m.add(m.div(square, float(x.shape[-1])), 1e-5)))

    def rotate(self, x: Tensor) -> Tensor:
        m, (_, length, _, depth) = self.m, x.shape
        angle = np.outer(np.arange(length), 0.7 ** np.arange(depth // 2))
        cos = m.constant(np.concatenate([np.cos(angle)] * 2, -1)[None, :, None, :])
        sin = m.constant(np.concatenate([np.sin(angle)] * 2, -1)[None, :, None, :])
        half = depth // 2
        turned = m.concat([m.unary("neg", m.slice(x, 3, half, half)), m.slice(x, 3, 0, half)], 3)
        return m.add(m.mul(x, cos), m.mul(turned, sin))

    # --- Masks ------------------------------------------------------------------------

    def positions(self, rule, lines) -> Tensor:
        """i1 [T, T] from positions, as a generic or a constant; transposed if scores are.

        The last row and the last key are at one position."""
        m, rows, keys = self.m, self.rows, self.keys
        swap, start = self.layout == "transposed", keys - rows
        shape = (keys, rows) if swap else (rows, keys)
        compute = lambda a, b: rule(b + start, a) if swap else rule(a + start, b)  # noqa: E731
        if self.rng.random() < 0.3:
            return m.constant(compute(*np.indices(shape)), "i1")
        width = self.rng.choice(["index", "i64", "i32"])
        i, j = ("%i1", "%i0") if swap else ("%i0", "%i1")
        body = []
        if width != "index":
            body = [
                f"%ci = arith.index_cast {i} : index to {width}",
                f"%cj = arith.index_cast {j} : index to {width}",
            ]
            i, j = "%ci", "%cj"
        if start:
            body += [f"%start = arith.constant {start} : {width}"]
            body += [f"%row = arith.addi {i}, %start : {width}"]
            i = "%row"
        body += lines(i, j, width)
        return m.positions(shape, "i1", body, compute)

    def quotient(self, name: str, x: str, size: int, width: str) -> list[str]:
        """Lines that compute %name = x / size, for x that is not negative."""
        spelling = self.rng.choice(["divsi", "floordivsi", "floor"])
        if size & (size - 1) == 0 and self.rng.random() < 0.3:
            by = size.bit_length() - 1
            return [
                f"%{name}b = arith.constant {by} : {width}",
                f"%{name} = arith.shrsi {x}, %{name}b : {width}",
            ]
        if spelling != "floor" or width == "index":
            op = "divsi" if spelling == "floor" else spelling
            return [
                f"%{name}b = arith.constant {size} : {width}",
                f"%{name} = arith.{op} {x}, %{name}b : {width}",
            ]
        return [
            f"%{name}f = arith.sitofp {x} : {width} to f64",
            f"%{name}b = arith.constant {size}.0 : f64",
            f"%{name}q = arith.divf %{name}f, %{name}b : f64",
            f"%{name}r = math.floor %{name}q : f64",
            f"%{name} = arith.fptosi %{name}r : f64 to {width}",
        ]

    def keep_tensor(self) -> Tensor | None:
        """i1, which broadcasts to [B, H, T, T] after `fit`."""
        m, rows, keys, rng = self.m, self.rows, self.keys, self.rng
        style = self.mask_style
        constant = lambda n, v, w: f"%{n} = arith.constant {v} : {w}"  # noqa: E731
        if style in ("causal", "gpt1"):
            return self.positions(
                lambda i, j: j <= i,
                lambda i, j, w: (
                    [f"%r = arith.cmpi sle, {j}, {i} : {w}"]
                    if rng.random() < 0.5
                    else [
                        f"%d = arith.subi {i}, {j} : {w}",
                        constant("z", 0, w),
                        f"%r = arith.cmpi sge, %d, %z : {w}",
                    ]
                ),
            )
        if style == "causal_const":
            triangle = np.tril(np.ones((rows, keys), bool), keys - rows)
            return m.constant(triangle.T if self.layout == "transposed" else triangle, "i1")
        if style == "window":
            back = rng.randrange(1, 4)
            return self.positions(
                lambda i, j: (j <= i) & (j > i - back),
                lambda i, j, w: [
                    f"%a = arith.cmpi sle, {j}, {i} : {w}", constant("b", back, w), f"%l = arith.subi {i}, %b : {w}",
                    f"%c = arith.cmpi sgt, {j}, %l : {w}", "%r = arith.andi %a, %c : i1",
                ],
            )  # fmt: skip
        if style == "prefix":
            size = rng.randrange(1, rows)
            return self.positions(
                lambda i, j: (j <= i) | (j < size),
                lambda i, j, w: [
                    f"%a = arith.cmpi sle, {j}, {i} : {w}", constant("b", size, w),
                    f"%c = arith.cmpi slt, {j}, %b : {w}", "%r = arith.ori %a, %c : i1",
                ],
            )  # fmt: skip
        if style == "dilated":
            return self.positions(
                lambda i, j: (j <= i) & ((i - j) % 2 == 0),
                lambda i, j, w: [
                    f"%a = arith.cmpi sle, {j}, {i} : {w}", f"%d = arith.addi {i}, {j} : {w}", constant("b", 2, w),
                    constant("z", 0, w), f"%e = arith.remsi %d, %b : {w}", f"%c = arith.cmpi eq, %e, %z : {w}",
                    "%r = arith.andi %a, %c : i1",
                ],
            )  # fmt: skip
        if style == "block":
            size, test = rng.choice([2, 3, 4]), rng.choice(["eq", "sge"])
            return self.positions(
                lambda i, j: i // size == j // size if test == "eq" else i // size >= j // size,
                lambda i, j, w: [
                    *self.quotient("bi", i, size, w), *self.quotient("bj", j, size, w),
                    f"%r = arith.cmpi {test}, %bi, %bj : {w}",
                ],
            )  # fmt: skip
        if style == "strided":
            size = rng.choice([2, 3])
            # Remainders have the sign of what is divided, until that is corrected.
            return self.positions(
                lambda i, j: (j - i) % size == 0,
                lambda i, j, w: [
                    f"%d = arith.subi {j}, {i} : {w}", constant("b", size, w), constant("z", 0, w),
                    f"%e = arith.remsi %d, %b : {w}", f"%n = arith.cmpi slt, %e, %z : {w}",
                    f"%p = arith.addi %e, %b : {w}", f"%s = arith.select %n, %p, %e : {w}",
                    f"%r = arith.cmpi eq, %s, %z : {w}",
                ],
            )  # fmt: skip
        if style.startswith("packed"):
            return self.packed(style)
        if style in ("length", "left_padding", "padding_arg", "triangle_and_padding", "empty_rows"):
            return self.padding(style)
        return None

    def packed(self, style: str) -> Tensor:
        """Documents behind one another in a sequence: rows see keys of their own document."""
        m, rows = self.m, self.rows
        document = np.sort(m.values.integers(0, 3, (self.batch, rows)), -1)
        numbers = m.argument((self.batch, rows), "i64", document)
        shape = (self.batch, rows, rows)
        init, kind = m.init(shape, "i1")
        i, j = ("d2", "d1") if self.layout == "transposed" else ("d1", "d2")
        maps = [f"affine_map<(d0, d1, d2) -> (d0, {x})>" for x in (i, j)] + [
            "affine_map<(d0, d1, d2) -> (d0, d1, d2)>"
        ]
        body = ["%same = arith.cmpi eq, %a0, %a1 : i64"]
        keep = document[:, :, None] == document[:, None, :]
        if style == "packed_causal":
            body += [f"%row = linalg.index {i[1]} : index", f"%key = linalg.index {j[1]} : index"]
            body += [
                "%past = arith.cmpi sle, %key, %row : index",
                "%r = arith.andi %same, %past : i1",
            ]
            keep = keep & np.tril(np.ones((rows, rows), bool))
        else:
            body += ["%r = arith.andi %same, %same : i1"]
        name = m.generic(
            [numbers, numbers],
            maps,
            ["parallel"] * 3,
            init,
            kind,
            body + ["linalg.yield %r : i1"],
            "i1",
        )
        value = keep.swapaxes(1, 2) if self.layout == "transposed" else keep
        return Tensor(name, "i1", value, value)

    def padding(self, style: str) -> Tensor:
        m, rows, keys = self.m, self.rows, self.keys
        count = m.values.integers(0 if style == "empty_rows" else 1, keys + 1, self.batch)
        if style == "empty_rows":
            count[0] = 0
        if style == "padding_arg":
            keep = m.values.random((self.batch, keys)) < 0.7
            keep[:, 0] = True
            return m.argument((self.batch, keys), "i1", keep)
        # Lengths: the first keys, or the last ones, of each sequence.
        left = style == "left_padding" and self.decoy is None
        length = m.argument((self.batch,), "i64", count)
        init, kind = m.init((self.batch, keys), "i1")
        body = ["%i1 = linalg.index 1 : index", "%j = arith.index_cast %i1 : index to i64"]
        if left:
            body += [f"%t = arith.constant {keys} : i64", "%first = arith.subi %t, %a0 : i64"]
            body += ["%r = arith.cmpi sge, %j, %first : i64"]
        else:
            body += ["%r = arith.cmpi slt, %j, %a0 : i64"]
        maps = ["affine_map<(d0, d1) -> (d0)>", "affine_map<(d0, d1) -> (d0, d1)>"]
        name = m.generic(
            [length], maps, ["parallel"] * 2, init, kind, body + ["linalg.yield %r : i1"], "i1"
        )
        j = np.arange(keys)[None]
        value = j >= keys - count[:, None] if left else j < count[:, None]
        keep = Tensor(name, "i1", value, value)
        if style != "triangle_and_padding":
            return keep
        triangle = np.tril(np.ones((1, rows, keys), bool))
        if self.layout == "transposed":
            return m.binary(
                "and",
                m.reshape(keep, (self.batch, keys, 1)),
                m.constant(triangle.transpose(0, 2, 1), "i1"),
            )
        return m.binary("and", m.reshape(keep, (self.batch, 1, keys)), m.constant(triangle, "i1"))

    def fit(self, x: Tensor, dims: str) -> Tensor:
        """A tensor over some of b, h, i, j (in this order) to broadcast with the scores."""
        m, letters = self.m, self.letters
        if "n" in letters:  # heads and batch in one dimension
            shape = [s for s in x.shape]
            for position, letter in enumerate("bh"):
                if letter not in dims:
                    shape.insert(position, 1)
            if "b" not in dims and "h" not in dims:
                return m.reshape(x, (1, *x.shape))
            x = m.reshape(x, shape)
            x = (
                m.broadcast(x, (self.batch, self.heads, *shape[2:]))
                if shape[:2] != [self.batch, self.heads]
                else x
            )
            x = m.reshape(x, (self.batch * self.heads, *shape[2:]))
            dims = "n" + dims.replace("b", "").replace("h", "")
        if "g" in letters and "h" in dims:
            position = dims.index("h")
            shape = list(x.shape)
            inner = self.group_order == "inner"
            shape[position : position + 1] = (
                [self.kv_heads, self.groups] if inner else [self.groups, self.kv_heads]
            )
            x = m.reshape(x, shape)
            dims = dims.replace("h", "kg" if inner else "gk")
            if not inner:
                order = list(range(len(dims)))
                order[position], order[position + 1] = order[position + 1], order[position]
                x = m.transpose(x, order)
                dims = dims.replace("gk", "kg")
        if self.layout == "transposed" and dims.endswith("ij"):
            dims = dims[:-2] + "ji"  # already written so
        shape = [x.shape[dims.index(c)] if c in dims else 1 for c in letters]
        while (
            shape
            and shape[0] == 1
            and letters[len(letters) - len(shape)] not in dims
            and self.rng.random() < 0.5
        ):
            shape = shape[1:]
        return m.reshape(x, shape) if tuple(shape) != x.shape else x

    def apply_mask(self, s: Tensor) -> Tensor:
        m, rng = self.m, self.rng
        self.keep = None
        keep = self.keep_tensor()
        if keep is None:
            return s
        dims = {1: "j", 2: "ij", 3: "bij"}[len(keep.shape)]
        if len(keep.shape) == 2 and self.mask_style in (
            "padding_arg",
            "length",
            "left_padding",
            "empty_rows",
        ):
            dims = "bj"
        keep = self.keep = self.fit(keep, dims)
        fill = rng.choice([-np.inf, -np.inf, -np.inf, -1e9, FINFO_MIN, -1e4, 0.0])
        style = rng.choice(["select", "not", "add"])
        if self.mask_style == "empty_rows":
            # Rounding decides what a finite value means there, unless it comes last.
            last = self.bias_style == "none" and self.cap_style == "none"
            fill = rng.choice([-np.inf, -1e9]) if last and style != "add" else -np.inf
        elif fill == 0.0 and style == "add":
            fill = -3.0
        elif np.isfinite(fill) and rng.random() < 0.3:
            style = "scaled"
        if self.softmax_style in ("zeroed", "row_zeroed") and self.mask_style != "gpt1":
            fill = rng.choice([-np.inf, -np.inf, -1e9])
            fill, style = (
                (-np.inf if self.cap_style == "after" else fill),
                rng.choice(["select", "not"]),
            )
        if self.mask_style == "gpt1":
            style, fill = "gpt1", rng.choice([-1e4, -1e9])
        self.note(f"fill={fill:g}/{style}")
        if style == "select":
            return m.select(keep, s, fill)
        if style == "not":
            return m.select(m.logical_not(keep), fill, s)
        if style == "add":
            zero = m.constant(np.zeros((1,) * len(keep.shape)), s.dtype)
            return m.add(s, m.select(keep, zero, fill))
        kept = m.cast(keep, s.dtype)
        hidden = m.mul(m.sub(1.0, kept), fill)
        return m.add(s, hidden) if style == "scaled" else m.add(m.mul(s, kept), hidden)

    def apply_bias(self, s: Tensor) -> Tensor:
        m, style = self.m, self.bias_style
        rows, keys = self.rows, self.keys
        swap = (lambda a: a.swapaxes(-1, -2)) if self.layout == "transposed" else (lambda a: a)
        if self.reading == "table" and style in ("none", "constant"):  # a number for each pair
            numbers = swap(m.values.integers(0, 5, (rows, keys)))
            table = m.argument((5,))
            return m.add(s, self.fit(m.gather(table, 0, numbers, m.bodies.random() < 0.5), "ij"))
        if style == "none":
            return s
        if style == "row":  # the same for all keys: cancels
            bias = m.argument((rows, 1))
            shape = [1] * len(self.letters)
            shape[self.letters.index("i")] = rows
            return m.add(s, m.reshape(bias, shape))
        if style == "constant":
            return m.add(
                s, self.fit(m.constant(swap(m.values.standard_normal((rows, keys)))), "ij")
            )
        if style in ("relative", "learned"):
            shape = (self.heads, rows, keys)
            bias = m.argument(swap(np.zeros(shape)).shape)
            if style == "learned":
                bias = m.unary("tanh", bias)
            return m.add(s, self.fit(bias, "hij"))
        slopes = m.constant((0.5 ** np.arange(1, self.heads + 1)).reshape(-1, 1, 1))
        shape = swap(np.zeros((rows, keys))).shape
        i, j = ("%i1", "%i0") if self.layout == "transposed" else ("%i0", "%i1")
        distance = m.positions(
            shape, "f32",
            [f"%d = arith.subi {j}, {i} : index", "%c = arith.index_cast %d : index to i64", "%r = arith.sitofp %c : i64 to f32"],
            (lambda a, b: np.float64(a - b)) if self.layout == "transposed" else (lambda a, b: np.float64(b - a)),
        )  # fmt: skip
        return m.add(s, self.fit(m.mul(slopes, m.reshape(distance, (1, *shape))), "hij"))

    def apply_cap(self, s: Tensor) -> Tensor:
        m, cap = self.m, self.rng.choice([5.0, 20.0])
        return m.mul(m.unary("tanh", m.div(s, cap)), cap)

    # --- Softmax ----------------------------------------------------------------------

    def choose_parts(self, size: int) -> tuple[str, int]:
        """How a row is reduced: a spelling, and the number of parts, 1 for the row as a whole."""
        numbers = [n for n in range(2, size) if size % n == 0]
        # A mask may count keys by twos where parts have five: then neither is a digit.
        if self.mask_style in ("dilated", "strided", "block") and size != 8:
            numbers = []
        if not numbers or self.rng.random() < 0.75:
            return "split", 1
        parts = (
            self.rng.choice(["split", "split", "interleaved", "sliced"]),
            self.rng.choice(numbers),
        )
        self.note(f"{parts[0]} into {parts[1]}")
        return parts

    def reduce_parts(self, op: str, x: Tensor, axis: int, keep: bool, parts) -> Tensor:
        m, (style, number) = self.m, parts
        axis %= len(x.shape)
        size, rest = divmod(x.shape[axis], number)
        if number == 1 or rest:  # also a row with a further key
            return m.reduce(op, x, axis, keep)
        if style == "sliced":
            slices = [m.slice(x, axis, i * size, size) for i in range(number)]
            result, *others = (m.reduce(op, part, axis, keep) for part in slices)
            for other in others:
                result = m.add(result, other)
            return result
        x = m.reshape(x, (*x.shape[:axis], number, size, *x.shape[axis + 1 :]))
        partial = m.reduce(op, x, axis + 1 if style == "split" else axis, False)
        return m.reduce(op, partial, axis, keep)

    def softmax(self, s: Tensor, axis: int):
        """Probabilities, or (exponentials, sum) where the division comes later."""
        m, style, keep = self.m, self.softmax_style, self.rng.random() < 0.6
        if s.dtype not in ("f32", "f64"):
            s = m.cast(s, "f32")
        if style == "wide" and s.dtype == "f32":
            s = m.cast(s, "f64")
        if style == "named":
            return m.softmax(s, axis)

        def column(x):  # a reduced tensor, to broadcast
            if len(x.shape) == len(s.shape):
                return x
            return m.reshape(
                x, [1 if i == axis % len(s.shape) else n for i, n in enumerate(s.shape)]
            )

        parts = self.choose_parts(s.shape[axis])
        total = lambda e: column(self.reduce_parts("add", e, axis, keep, parts))  # noqa: E731
        top = None
        if style != "nomax":
            whole = ("split", 1) if parts[0] == "sliced" else parts
            top = column(self.reduce_parts("max", s, axis, keep, whole))
        shifted = s if top is None else m.sub(s, top)
        if style == "base2":
            shifted = m.mul(shifted, float(np.log2(np.e)))
            e = m.unary("exp2", shifted)
            return m.div(e, total(e))
        if style == "log":
            return m.unary("exp", m.sub(shifted, m.unary("log", total(m.unary("exp", shifted)))))
        if style == "lse":
            lse = m.add(m.unary("log", total(m.unary("exp", shifted))), top)
            return m.unary("exp", m.sub(s, lse))
        if style == "lse_base2":
            lse = m.add(m.unary("log", total(m.unary("exp", shifted))), top)
            return m.unary("exp2", m.mul(m.sub(s, lse), float(np.log2(np.e))))
        if style in ("lse_where", "log_where") and self.keep is not None:
            # Hidden from the sum, and from the probabilities.
            shifted = m.sub(m.select(self.keep, s, 0.0 if style == "lse_where" else -np.inf), top)
            log = m.unary("log", total(m.select(self.keep, m.unary("exp", shifted), 0.0)))
            if style == "log_where":
                return m.unary("exp", m.select(self.keep, m.sub(shifted, log), -np.inf))
            return m.select(self.keep, m.unary("exp", m.sub(s, m.add(log, top))), 0.0)
        if style in ("lse_abs", "exp_lse"):  # as JAX writes it
            finite = m.compare("lt", m.unary("abs", top), np.inf)
            top = m.select(finite, top, 0.0)
            l = m.unary("abs", total(m.unary("exp", m.sub(s, top))))  # noqa: E741
            lse = m.add(m.unary("log", l), top)
            if style == "lse_abs":
                return m.unary("exp", m.sub(s, lse))
            return m.div(m.unary("exp", s), m.unary("exp", lse))
        if style == "sink_concat":
            shape = [n if c in "nhkg" else 1 for c, n in zip(self.letters, s.shape)]
            full = [1 if i == axis % len(s.shape) else n for i, n in enumerate(s.shape)]
            sink = self.sink(shape)
            joined = m.concat([s, m.broadcast(sink, full)], axis % len(s.shape))
            e = m.unary("exp", m.sub(joined, column(m.reduce("max", joined, axis, keep))))
            p = m.div(e, total(e))
            return m.slice(p, axis % len(s.shape), 0, s.shape[axis])
        e = m.unary("exp", shifted)
        l = total(e)  # noqa: E741
        if style == "sink_add":
            shape = [n if c in "nhkg" else 1 for c, n in zip(self.letters, s.shape)]
            return m.div(e, m.add(l, m.unary("exp", m.sub(self.sink(shape), top))))
        if style == "off_by_one":
            return m.div(e, m.add(l, m.unary("exp", m.unary("neg", top))))
        if style == "plus_eps":
            return m.div(e, m.add(l, 1e-8))
        if style == "norm1":
            return m.div(e, m.binary("max", total(m.unary("abs", e)), 1e-12))
        if style == "max_eps":
            return m.div(e, m.binary("max", l, 1e-6))
        if style == "guarded_sum":
            empty = m.compare("eq", l, 0.0)
            return m.div(e, m.select(empty, 1.0, l))
        if style == "ones":  # the sum as a product
            j = self.letters[axis % len(s.shape)]
            one = m.constant(np.ones((s.shape[axis], 1)), e.dtype)
            rest = self.letters.replace(j, "")
            l = m.einsum(f"{self.letters},{j}z->{rest}z", e, one, e.dtype)  # noqa: E741
            order = list(range(len(rest)))
            order.insert(axis % len(s.shape), len(rest))
            return m.div(e, m.transpose(l, order))
        if style == "reciprocal":
            return m.mul(e, m.div(1.0, l))
        if style in ("late", "late_reciprocal"):
            return e, l
        p = m.div(e, l)
        if style == "twice":
            p = m.div(p, total(p))
        if style == "zeroed" and self.keep is not None:
            p = m.select(self.keep, p, 0.0)
        if style == "row_zeroed" and self.keep is not None:
            at = axis % len(s.shape) - len(s.shape) + len(self.keep.shape)
            if at >= 0 and self.keep.shape[at] > 1:
                hidden = m.logical_not(self.keep)
                p = m.select(m.reduce("and", hidden, at, True), 0.0, p)
        if style == "safe":
            hidden = m.compare("eq", s, -np.inf)
            none = column(self.reduce_parts("and", hidden, axis, keep, whole))
            return m.select(none, 0.0, p)
        if style == "nan_to_num":
            return m.select(m.is_nan(p), 0.0, p)
        return p

    def sink(self, shape) -> Tensor:
        """A learned logit per head. Batches in a head's dimension repeat it."""
        m = self.m
        if "n" not in self.letters:
            return m.argument(shape)
        per_head = m.argument((1, self.heads, *shape[1:]))
        both = m.broadcast(per_head, (self.batch, self.heads, *shape[1:]))
        return m.reshape(both, shape)

    # --- The whole --------------------------------------------------------------------

    def with_cache(self, x: Tensor) -> Tensor:
        """Keys or values [B, T, H, D] joined with those of earlier tokens."""
        cache = self.m.argument((x.shape[0], self.cache, *x.shape[2:]))
        parts = [x, cache] if self.decoy == "cache_behind" else [cache, x]
        return self.m.concat(parts, 1)

    def scale(self, q: Tensor, k: Tensor):
        m, style, factor = self.m, self.scale_style, self.depth**-0.5
        if style == "q":
            q = m.mul(q, factor)
        elif style == "k":
            k = m.mul(k, factor)
        elif style == "both":
            q, k = m.mul(q, factor**0.5), m.mul(k, factor**0.5)
        return q, k

    def scale_scores(self, s: Tensor) -> Tensor:
        m, style, factor = self.m, self.scale_style, self.depth**-0.5
        if style == "score":
            return m.mul(s, factor)
        if style == "score_div":
            return m.div(s, 1 / factor)
        if style == "tensor":
            return m.mul(s, m.constant(np.full((1,) * len(s.shape), factor)))
        if style == "head":
            return m.mul(s, self.fit(m.argument((self.heads, 1, 1)), "hij"))
        if style in ("key", "pair"):
            shape = (1 if style == "key" else self.rows, self.keys)
            shape = shape[::-1] if self.layout == "transposed" else shape
            return m.mul(s, self.fit(m.argument(shape), "ij"))
        return s

    def repeat_heads(self, x: Tensor) -> Tensor:
        """[B, T, Hkv, D] to [B, T, H, D]."""
        m, (batch, length, heads, depth) = self.m, x.shape
        if self.groups == 1:
            return x
        inner = self.group_order == "inner"
        if self.rng.random() < 0.3:
            numbers = np.arange(self.heads)
            numbers = numbers // self.groups if inner else numbers % heads
            return m.gather(x, 2, numbers)
        wide = m.reshape(
            x, (batch, length, heads, 1, depth) if inner else (batch, length, 1, heads, depth)
        )
        shape = (
            (batch, length, heads, self.groups, depth)
            if inner
            else (batch, length, self.groups, heads, depth)
        )
        return m.reshape(m.broadcast(wide, shape), (batch, length, self.heads, depth))

    def arrange(self, q: Tensor, k: Tensor, v: Tensor):
        """Operands and the letters of scores and output for the chosen layout."""
        m, layout = self.m, self.layout
        if layout == "grouped":
            inner = self.group_order == "inner"
            split = (self.kv_heads, self.groups) if inner else (self.groups, self.kv_heads)
            q = m.reshape(q, (*q.shape[:2], *split, self.depth))
            q = m.transpose(q, (0, 2, 3, 1, 4) if inner else (0, 3, 2, 1, 4))
            k, v = m.transpose(k, (0, 2, 1, 3)), m.transpose(v, (0, 2, 1, 3))
            return q, k, v, ("bkgid", "bkjd", "bkje", "bkgij", "bkgie")
        k, v = self.repeat_heads(k), self.repeat_heads(v)
        if layout == "bihd":
            return q, k, v, ("bihd", "bjhd", "bjhe", "bhij", "bihe")
        q, k, v = (m.transpose(x, (0, 2, 1, 3)) for x in (q, k, v))
        if layout == "batched":
            q, k, v = (m.reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:])) for x in (q, k, v))
            return q, k, v, ("nid", "njd", "nje", "nij", "nie")
        scores = "bhji" if layout == "transposed" else "bhij"
        return q, k, v, ("bhid", "bhjd", "bhje", scores, "bhie")

    def to_tokens(self, y: Tensor, letters: str) -> Tensor:
        """[B, T, H * E]."""
        m = self.m
        if letters == "nie":
            y, letters = m.reshape(y, (self.batch, self.heads, *y.shape[1:])), "bhie"
        wanted = "bihe"
        if letters == "bkgie":
            wanted = "bikge" if self.group_order == "inner" else "bigke"
        y = m.transpose(y, [letters.index(c) for c in wanted])
        return m.reshape(y, (self.batch, self.rows, self.heads * self.width))

    def exclude(self, y: Tensor, letters: str, v: Tensor) -> Tensor:
        """The reference's part: y with `xsa` made exclusive, v being [B, T, Hkv, E]."""
        own = v.xsa[:, -self.rows :]
        value = (
            np.repeat(own, self.groups, 2)
            if self.group_order == "inner"
            else np.tile(own, (1, 1, self.groups, 1))
        )
        value = value.transpose(0, 2, 1, 3)  # bhie
        if letters == "nie":
            value = value.reshape(-1, *value.shape[2:])
        elif letters == "bihe":
            value = value.transpose(0, 2, 1, 3)
        elif letters == "bkgie":
            inner = self.group_order == "inner"
            split = (self.kv_heads, self.groups) if inner else (self.groups, self.kv_heads)
            value = value.reshape(self.batch, *split, *value.shape[2:])
            value = value if inner else value.swapaxes(1, 2)
        return Tensor(y.name, y.dtype, y.own, exclude(y.xsa, value))

    def attend(self, q: Tensor, k: Tensor, v: Tensor, letters) -> Tensor:
        """The attention itself; v enters as arranged."""
        m, (ql, kl, vl, self.letters, yl) = self.m, letters
        q, k = self.scale(q, k)
        if self.letters == "nij" and not self.low and self.rng.random() < 0.6:
            s = m.batch_matmul(q, m.transpose(k, (0, 2, 1)))
        else:
            s = self.multiply_queries(q, k, ql, kl)
        if self.low:
            # Rounded, scaled, and widened for the softmax.
            s = m.cast(m.cast(s, self.low), "f32") if self.rng.random() < 0.5 else s
        s = self.scale_scores(s)
        if self.cap_style == "before":
            s = self.apply_cap(s)
        if self.rng.random() < 0.5:
            s = self.apply_mask(self.apply_bias(s))
        else:
            s = self.apply_bias(self.apply_mask(s))
        if self.cap_style == "after":
            s = self.apply_cap(s)
        axis = self.letters.index("j") - len(self.letters)
        if self.decoy == "query_softmax":
            axis = self.letters.index("i") - len(self.letters)
        shifted = self.softmax_style != "nomax" and self.decoy != "other_sum"
        if not shifted and max(s.own.max(), s.xsa.max()) > 80:
            self.model.overflows = True
        p = self.softmax(s, axis)
        late = None
        if isinstance(p, tuple):
            p, late = p
        if self.decoy == "other_sum":
            p = m.div(
                m.unary("exp", s),
                m.flip(m.reduce("add", m.unary("exp", s), axis, True), self.letters.index("i")),
            )
            late = None
        if self.decoy == "factor_after":
            p = m.mul(p, m.cast(m.argument((p.shape[-1],)), p.dtype))
        if p.dtype != v.dtype:
            p = m.cast(p, v.dtype)
        self.give_probabilities(p)
        if self.letters == "nij" and not self.low and self.rng.random() < 0.6:
            y = m.batch_matmul(p, v)
        elif not self.low and self.rng.random() < 0.15:
            y = self.multiply_and_add_up(p, v, vl, yl)
        else:
            y = m.einsum(f"{self.letters},{vl}->{yl}", p, v, "f32")
        if self.decoy == "two_products":
            y = m.mul(y, m.einsum(f"{self.letters},{vl}->{yl}", p, m.unary("tanh", v), "f32"))
        if late is not None:
            order = [self.letters.index(c) if c in self.letters else None for c in yl]
            shape = [late.shape[i] if i is not None else 1 for i in order]
            kept = [self.letters.index(c) for c in yl if c in self.letters]
            rest = [i for i in range(len(self.letters)) if i not in kept]
            l = m.reshape(m.transpose(late, kept + rest), shape)  # noqa: E741
            if l.dtype != y.dtype:
                l = m.cast(l, y.dtype)  # noqa: E741
            y = m.div(y, l) if self.softmax_style == "late" else m.mul(y, m.div(1.0, l))
        return y

    def give_probabilities(self, p: Tensor) -> None:
        """Probabilities that leave the attention. What becomes of them may be computed behind
        a loop that the attention is in."""
        m, letters = self.m, self.letters
        if self.decoy == "probabilities_used":
            self.extra.append((p, lambda x: m.mul(x, x)))
        elif self.decoy == "probabilities_read":
            axis = letters.index(m.bodies.choice("ij"))
            numbers = m.values.integers(0, p.shape[axis], 4)
            self.extra.append((p, lambda x: m.unary("tanh", m.gather(x, axis, numbers, True))))
        elif self.reading == "weights":
            axis = m.bodies.randrange(len(letters))
            style = m.bodies.choice(["rows", "mean", "turned"])
            order = m.bodies.sample(range(len(letters)), len(letters))
            numbers = m.values.integers(0, p.shape[axis], 3)
            change = {
                "rows": lambda x: m.gather(x, axis, numbers, True),
                "mean": lambda x: m.reduce("add", m.mul(x, 0.5), axis, True),
                "turned": lambda x: m.transpose(x, order),
            }[style]
            self.extra.append((p, change))

    def multiply_queries(self, q: Tensor, k: Tensor, ql: str, kl: str) -> Tensor:
        """The first product, now and then one for each head, or for some rows or keys."""
        m, equation = self.m, f"{ql},{kl}->{self.letters}"
        draw = random.Random(" ".join(map(str, self.model.label)))
        sizes = {**dict(zip(ql, q.shape)), **dict(zip(kl, k.shape))}
        # What may become dynamic is not cut at a number.
        letters = [c for c in self.letters if sizes[c] > 1 and sizes[c] % 7 != 0 and c != "b"]
        if not letters or draw.random() > 0.15:
            return m.einsum(equation, q, k, "f32")
        letter = draw.choice(letters)
        self.note(f"pieces of {letter}")
        cuts = range(1, sizes[letter])
        if draw.random() < 0.4:
            cuts = [draw.choice(cuts)]
        bounds, parts = [0, *cuts, sizes[letter]], []
        for start, end in zip(bounds, bounds[1:]):
            part = lambda x, of, a=start, b=end: (  # noqa: E731
                m.slice(x, of.index(letter), a, b - a) if letter in of else x
            )
            parts.append(m.einsum(equation, part(q, ql), part(k, kl), "f32"))
        return m.concat(parts, self.letters.index(letter))

    def multiply_and_add_up(self, p: Tensor, v: Tensor, vl: str, yl: str) -> Tensor:
        """The second product by two operations: (p[..., None] * v).sum(keys)."""
        m = self.m
        (column,) = set(vl) - set(self.letters)
        self.note("multiplied, added up")
        order = [vl.index(c) for c in self.letters + column if c in vl]
        sizes = dict(zip(vl, v.shape))
        v = m.reshape(m.transpose(v, order), [sizes.get(c, 1) for c in self.letters + column])
        products = m.mul(m.reshape(p, (*p.shape, 1)), v)
        y = m.reduce("add", products, self.letters.index("j"), False)
        rest = self.letters.replace("j", "") + column
        return m.transpose(y, [rest.index(c) for c in yl])

    def run(self, x: Tensor, other: Tensor | None) -> Tensor:
        m = self.m
        self.extra: list = []
        """Tensors, and what is done with them to make a result."""
        self.batch, self.rows, channels = x.shape
        if self.reading == "tokens":
            x = m.gather(x, 1, m.values.permutation(self.rows), True)
        source = other if self.decoy == "cross" else x
        if self.last:
            x, self.rows = m.slice(x, 1, self.rows - 1, 1), 1
        if self.decoy == "latents":
            x = m.broadcast(m.constant(m.values.standard_normal((1, *x.shape[1:]))), x.shape)
        self.keys = source.shape[1]
        q, k, v = self.project_heads(x, source)
        if self.cache:
            k, v = self.with_cache(k), self.with_cache(v)
            self.keys += self.cache
        if self.low:
            q, k, v = (m.cast(t, self.low) for t in (q, k, v))
        if self.decoy == "mixed_rows":
            mixed = m.einsum("it,btc->bic", m.argument((self.rows, self.rows)), x)
            v = m.reshape(
                self.project(mixed, self.weight(channels, self.kv_heads * self.width)), v.shape
            )
            v = m.cast(v, self.low) if self.low else v
        if self.decoy in ("gathered_values", "gathered_keys_and_values"):
            order = m.values.permutation(v.shape[1])
            at = m.argument(order.shape, "i64", order)
            v = m.gather(v, 1, order, at)
            k = m.gather(k, 1, order, at) if self.decoy == "gathered_keys_and_values" else k
        if self.decoy == "flipped":
            k, v = m.flip(k, 1), m.flip(v, 1)
        if self.decoy == "shifted":
            v = m.concat([m.slice(v, 1, 1, self.keys - 1), m.slice(v, 1, 0, 1)], 1)
        if self.decoy == "pooled":
            mean = m.div(m.add(v, m.flip(v, 1)), 2.0)
            v = mean
        if self.layout == "looped":
            parts = []
            self.layout, heads, kv = "bhid", self.heads, self.kv_heads
            self.heads = self.kv_heads = 1
            for head in range(heads):
                one = [m.slice(t, 2, head, 1) for t in (q, k, v)]
                parts.append(self.finish(*one))
            self.layout, self.heads, self.kv_heads = "looped", heads, kv
            y = m.concat(parts, 2)
            count = heads
        else:
            y, count = self.finish(q, k, v), 1
        self.count(count)
        return self.project(y, self.weight(y.shape[2], channels))

    def finish(self, q, k, v) -> Tensor:
        *operands, letters = self.arrange(q, k, v)
        y, m = self.attend(*operands, letters), self.m
        # Rows without keys give 0 where the model divides 0 by 0.
        y = Tensor(y.name, y.dtype, np.nan_to_num(y.own), np.nan_to_num(y.xsa))
        if self.decoy is None and self.exclusion in (None, *self.LOOK_ALIKE):
            y = self.exclude(y, letters[-1], v)
        if self.exclusion:
            self.other = self.like_output(m.cast(operands[1], "f32"), letters)
            y, v = self.round_between(y, operands[2])
            y = self.change_after(self.write_exclusion(y, v, letters), v, letters)
            y = m.cast(y, "f32")
        return self.to_tokens(y, letters[-1])

    def round_between(self, y: Tensor, v: Tensor):
        """The output and the values in the type of the exclusion: where the attention is in a
        narrow type that is either, and the output may have been rounded before."""
        m, rng = self.m, self.rng
        if self.low and rng.random() < 0.5:
            y = m.cast(y, self.low)
            if self.exclusion in self.NARROW and self.after in ("none", "value", "tanh"):
                if rng.random() < 0.5:
                    self.note("narrow exclusion")
                    return y, v
        return m.cast(y, "f32"), m.cast(v, "f32")

    def like_output(self, v: Tensor, letters, before: int = 0) -> Tensor:
        """Values, or keys, of the tokens of the rows, in the layout of the output."""
        m, vl, yl = self.m, letters[2], letters[4]
        if self.rows != self.keys:
            v = m.slice(v, vl.index("j"), self.keys - self.rows - before, self.rows)
        v = m.transpose(v, [vl.index(c.replace("i", "j")) for c in yl if c != "g"])
        return m.reshape(v, (*v.shape[:2], 1, *v.shape[2:])) if "g" in yl else v

    def write_exclusion(self, y: Tensor, v: Tensor, letters) -> Tensor:
        """The model's own exclusive form."""
        m, style, yl = self.m, self.exclusion, letters[4]
        total = lambda x: m.reduce("add", x, -1, True)  # noqa: E731
        if style == "on_other_token" and self.rows != self.keys:
            return self.project_out(y, self.like_output(v, letters, before=1), total)
        v = self.like_output(v, letters)
        if style == "on_key":
            return self.project_out(y, self.other, total)
        if style == "on_other_token":
            axis = yl.index("i")
            size = v.shape[axis]
            v = m.concat([m.slice(v, axis, 1, size - 1), m.slice(v, axis, 0, 1)], axis)
            return self.project_out(y, v, total)
        if style == "on_other_head":
            axis = yl.index("k" if "k" in yl else "h")
            return self.project_out(y, m.flip(v, axis), total)
        square = total(m.mul(v, v))
        if style == "normalize":
            unit = m.div(v, m.binary("max", m.unary("sqrt", square), 1e-12))
            return m.sub(y, m.mul(total(m.mul(y, unit)), unit))
        if style == "norms":
            norm = m.unary("sqrt", square)
            return m.sub(y, m.mul(m.div(m.div(total(m.mul(y, v)), norm), norm), v))
        if style == "rsqrt":
            unit = m.mul(v, m.unary("rsqrt", m.add(square, 1e-6)))
            return m.sub(y, m.mul(unit, total(m.mul(unit, y))))
        if style == "mean":
            count = float(v.shape[-1])
            unit = m.mul(v, m.unary("rsqrt", m.add(m.div(square, count), 1e-6)))
            return m.sub(y, m.mul(unit, m.div(total(m.mul(unit, y)), count)))
        if style in ("outer", "matrix"):  # the projection as a matrix for each token
            letters = yl[:-1]
            row, column = m.reshape(v, (*v.shape, 1)), m.reshape(v, (*v.shape[:-1], 1, v.shape[-1]))
            matrix = m.div(m.mul(row, column), m.reshape(square, (*square.shape, 1)))
            if style == "matrix":
                matrix = m.sub(m.constant(np.eye(v.shape[-1])), matrix)
            if matrix.shape[:-2] != y.shape[:-1]:
                matrix = m.broadcast(matrix, (*y.shape[:-1], *matrix.shape[-2:]))
            product = m.einsum(f"{letters}xy,{letters}y->{letters}x", matrix, y)
            return product if style == "matrix" else m.sub(y, product)
        # y is changed before
        if style == "gated":
            y = m.mul(y, m.unary("tanh", m.argument((y.shape[-1],))))
        elif style == "biased":
            y = m.add(y, m.argument((y.shape[-1],)))
        elif style == "plus_value":
            y = m.add(y, v)
        elif style == "cosine":
            length, norm = m.unary("sqrt", total(m.mul(y, y))), m.unary("sqrt", square)
            cosine = m.div(total(m.mul(y, v)), m.mul(length, norm))
            return m.sub(y, m.mul(m.mul(length, cosine), m.div(v, norm)))
        if style == "mixed":
            first, second = self.unit(v, square), self.unit(v, square)
            return m.sub(y, m.mul(total(m.mul(y, first)), second))
        dot = total(m.mul(y, v))
        if style == "strength":
            strength = m.argument((1,) * len(y.shape))
            return m.sub(y, m.mul(m.mul(m.div(dot, square), v), strength))
        if style == "per_token":
            strength = m.argument((*y.shape[:-1], 1))
            return m.sub(y, m.mul(m.mul(m.div(dot, square), strength), v))
        if style == "lerp":
            z = m.sub(y, m.mul(m.div(dot, square), v))
            return m.add(y, m.mul(m.sub(z, y), 0.75))
        if style == "guarded":
            reciprocal = m.select(m.compare("gt", square, 0.0), m.div(1.0, square), 0.0)
            return m.sub(y, m.mul(m.mul(dot, reciprocal), v))
        if style == "guarded_eps":
            part = m.select(m.compare("gt", square, 1e-9), m.div(dot, square), 0.0)
            return m.sub(y, m.mul(part, v))
        if style == "plus":
            return m.add(y, m.mul(m.div(dot, square), v))
        if style == "sq_clamp":
            square = m.binary("max", square, 1e-6)
        elif style == "sq_add":
            square = m.add(square, 1e-6)
        elif style == "raw":
            return m.sub(y, m.mul(dot, m.div(v, square)))
        return m.sub(y, m.mul(m.div(dot, square), v))

    def unit(self, v: Tensor, square: Tensor) -> Tensor:
        """v with length 1, in one of the ways to stay finite where it is 0."""
        m, style, eps = self.m, self.rng.choice(self.UNIT), self.rng.choice([1e-6, 1e-5, 1e-3])
        self.note(f"{style} {eps:g}")
        norm = m.unary("sqrt", square)
        if self.rng.random() < 0.3:  # guarded besides
            self.note("guarded")
            return m.select(m.compare("gt", norm, eps), m.div(v, norm), 0.0)
        if style == "clamped":
            return m.div(v, m.binary("max", norm, eps))
        if style == "sq_clamped":
            return m.div(v, m.unary("sqrt", m.binary("max", square, eps)))
        if style == "sq_added":
            return m.mul(v, m.unary("rsqrt", m.add(square, eps)))
        return m.div(v, m.add(norm, eps) if style == "plus_eps" else norm)

    def change_after(self, z: Tensor, v: Tensor, letters) -> Tensor:
        """What a model may do with the output once its own value is out of it."""
        m, style = self.m, self.after
        if style == "tensor":
            return m.add(z, m.argument(z.shape))
        if style == "bias":
            return m.add(z, m.argument((z.shape[-1],)))
        if style == "value":
            return m.add(z, self.like_output(v, letters))
        if style == "tanh":
            return m.unary("tanh", z)
        return m.mul(z, 0.5) if style == "scaled" else z

    def project_out(self, y: Tensor, v: Tensor, total) -> Tensor:
        """What is not the own value is taken out."""
        m = self.m
        return m.sub(y, m.mul(m.div(total(m.mul(y, v)), total(m.mul(v, v))), v))

    def count(self, count: int) -> None:
        never = ("query_softmax", "other_sum", "factor_after")
        if self.decoy in never:
            return
        self.model.must_raise += 2 * count if self.decoy == "two_products" else count
        if self.exclusion and self.exclusion not in self.LOOK_ALIKE:
            self.model.already += count
        elif self.decoy is None:
            self.model.exclusive += count


LEAVING = ("probabilities_used", "probabilities_read")


def make_model(seed: int) -> Model:
    """A reference that is not finite says nothing, so such a model is drawn again. So is one of
    numbers as large as what masks subtract, or of which raising computes what it cannot."""
    rng, bodies = random.Random(seed), random.Random(f"bodies {seed}")
    while True:
        model = draw_model(rng, bodies)
        small = all((np.abs(r) < 1e4).all() for r in model.own + model.xsa)
        if small and not model.overflows:
            return model


def draw_model(rng: random.Random, bodies: random.Random) -> Model:
    m, model = Tracer(rng, bodies), Model()
    if m.read_within:
        model.label.append(f"read within bodies {m.read_within:.2f}")
    batch, length, channels = rng.choice([1, 2]), rng.choice([5, 7, 8]), rng.choice([8, 12])
    # Tokens first in the argument, as some models have them.
    if rng.random() < 0.2:
        x = m.transpose(m.argument((length, batch, channels)), (1, 0, 2))
    else:
        x = m.argument((batch, length, channels))
    other = m.argument((batch, length, channels))
    decoy = rng.choice(Attention.DECOY) if rng.random() < 0.25 else None
    if m.read_within and bodies.random() < 0.2:
        decoy = bodies.choice(Attention.READ_DECOY)
    results = []
    count = rng.choice([1, 1, 2])
    for layer in range(count):
        exclusion = None
        if decoy is None and rng.random() < 0.25:
            exclusion = rng.choice(Attention.EXCLUSION + Attention.LOOK_ALIKE)
        last = layer + 1 == count and decoy is None and rng.random() < 0.12
        block = Attention(m, model, decoy if layer == 0 else None, exclusion, last)
        if last:
            x = block.run(x, other)
            results += [change(tensor) for tensor, change in block.extra]
            continue
        inLoop = block.decoy is None and rng.random() < 0.15
        if inLoop or (block.decoy in LEAVING and bodies.random() < 0.3):
            block.note("in a loop")
            y, extra = m.loop(
                x, lambda tokens, block=block: (block.run(tokens, other), block.extra)
            )
        else:
            y, extra = block.run(x, other), block.extra
        results += [change(tensor) for tensor, change in extra]
        # A token that sees only itself has nothing left, and nothing to divide by.
        x = m.add(x, y) if layer + 1 < count or rng.random() < 0.8 else y
    results.append(x)
    model.text = m.module(results)
    model.arrays = m.arrays
    model.own = [r.own for r in results]
    model.xsa = [r.xsa for r in results]
    # Keys behind are told from the past by how many they are. Where a sum is over a constant
    # of known length, attention need not be found, and then empty rows stay NaN.
    stays = decoy == "cache_behind" or {"ones", "mask=empty_rows"} <= set(model.label)
    if length == 7 and not stays and rng.random() < 0.6:
        model.text, model.dynamic = forget_size(model.text, 7), True
        model.label.append("dynamic length")
    return model


def forget_size(text: str, size: int) -> str:
    """Makes dimensions that are multiples of `size` dynamic, which is the first argument's."""
    head, *lines = text.splitlines()
    unknown = lambda s: s.isdigit() and int(s) % size == 0 and int(s) > 0  # noqa: E731

    def forget(match) -> str:
        *sizes, element = match[1].split("x")
        return f"tensor<{''.join(('?' if unknown(s) else s) + 'x' for s in sizes)}{element}>"

    def value(s: str) -> str:
        return f"%size{int(s) // size}"

    kind = re.compile(r"tensor<([\dx]*(?:[bf]+\d+|i\d+|index))>")
    first = next(kind.finditer(head))[1].split("x")
    at = next(i for i, s in enumerate(first) if unknown(s))
    result = [kind.sub(forget, head), f"  %at = arith.constant {at} : index"]
    result.append(f"  %size1 = tensor.dim %arg0, %at : {forget(next(kind.finditer(head)))}")
    factors = {int(s) // size for m in kind.finditer(text) for s in m[1].split("x") if unknown(s)}
    for factor in sorted(factors - {1}):
        result.append(f"  %by{factor} = arith.constant {factor} : index")
        result.append(f"  %size{factor} = arith.muli %size1, %by{factor} : index")
    for line in lines:
        if " = arith.constant dense<" in line:
            name, _, rest = line.strip().partition(" = ")
            known = list(kind.finditer(line))[-1]
            if forget(known) != known[0]:
                result.append(f"  {name}k = {rest}")
                result.append(f"  {name} = tensor.cast {name}k : {known[0]} to {forget(known)}")
            else:
                result.append(line)
            continue
        if "tensor.empty()" in line:
            sizes = next(kind.finditer(line))[1].split("x")[:-1]
            line = line.replace("()", f"({', '.join(value(s) for s in sizes if unknown(s))})", 1)
        elif "output_shape" in line:
            front, back = line.split("output_shape ")
            shape, tail = back.split("]", 1)
            sizes = [value(s) if unknown(s) else s for s in shape[1:].split(", ")]
            line = f"{front}output_shape [{', '.join(sizes)}]{tail}"
        elif "tensor.extract_slice" in line:
            front, sizes, tail = re.match(r"(.*?\[.*?\] )\[(.*?)\](.*)", line).groups()
            sizes = [value(s) if unknown(s) else s for s in sizes.split(", ")]
            line = f"{front}[{', '.join(sizes)}]{tail}"
        result.append(kind.sub(forget, line))
    return "\n".join(result) + "\n"
