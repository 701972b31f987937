"""What a GPU bundle checks and times: models, inputs, and expected outputs in float64.

The reference is numpy only. Inputs are numbered: an element depends on the input's seed and its index alone, so that a
reference for some rows of a large case reads no more than these rows need, and inputs need not be stored.
"""

import math
from dataclasses import dataclass

import numpy as np

ELEMENT_BYTES = 2
# A case with more rows than this is compared on some of them.
MAX_ROWS = 512


def round_to(x, dtype):
    """Rounds to a type, and gives float64."""
    x = np.asarray(x)
    if dtype == "bf16":
        bits = np.float32(x).view(np.uint32)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
        return bits.view(np.float32).astype(np.float64)
    return x.astype(np.float16).astype(np.float64)


def generate(dtype, seed, first, count):
    """Elements first to first + count of an input: tools/xsa-replay/Numbers.cpp has the same in C++."""
    with np.errstate(over="ignore"):
        z = np.arange(first + 1, first + count + 1, dtype=np.uint64)
        z = z * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed << 40)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    parts = sum(((z >> np.uint64(s)) & np.uint64(0xFFFF)).astype(np.int64) for s in (0, 16, 32, 48))
    return round_to(np.float32((parts - 2 * 0xFFFF) * 7) / np.float32(1 << 18), dtype)


def rounding(dtype):
    return (lambda x: round_to(x, dtype)) if dtype else (lambda x: x)


def exclude(y, v, dtype=None):
    """Takes the own value out of y, row by row; with a type, each step rounded to it."""
    keep = rounding(dtype)
    norm = np.maximum(keep(np.sqrt((v * v).sum(-1, keepdims=True))), 1e-12)
    unit = keep(v / norm)
    along = keep(keep(y * unit).sum(-1, keepdims=True))
    return keep(y - keep(along * unit))


@dataclass(frozen=True)
class Attention:
    """One attention; the own value is removed from its output unless it is plain."""

    dtype: str
    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    depth: int
    causal: bool = False
    exclusive: bool = True
    window: int | None = None
    timed: bool = False

    @property
    def name(self):
        heads = f"H{self.heads}" + (f"/{self.kv_heads}" if self.kv_heads != self.heads else "")
        size = f"T{self.keys}" if self.queries == self.keys else f"Tq{self.queries} Tk{self.keys}"
        mask = (" causal" if self.causal else " full") + (
            f" window{self.window}" if self.window else ""
        )
        form = "exclusive" if self.exclusive else "plain"
        return f"attention {self.dtype} B{self.batch} {heads} {size} D{self.depth}{mask} {form}"

    @property
    def group(self):
        return self.heads // self.kv_heads

    @property
    def flops(self):
        """As is usual: half under a causal mask."""
        full = 4 * self.batch * self.heads * self.queries * self.keys * self.depth
        return full / 2 if self.causal and self.queries == self.keys else full

    @property
    def bytes(self):
        """Each operand once."""
        rows = 2 * self.heads * self.queries + 2 * self.kv_heads * self.keys
        return self.batch * rows * self.depth * ELEMENT_BYTES

    @property
    def input_shapes(self):
        kv = (self.batch, self.kv_heads, self.keys, self.depth)
        return [(self.batch, self.kv_heads, self.group, self.queries, self.depth), kv, kv]

    @property
    def num_rows(self):
        return self.batch * self.heads * self.queries

    @property
    def rows_per_head(self):
        return self.queries

    def module(self):
        q, k, _ = ("x".join(map(str, shape)) for shape in self.input_shapes)
        q, kv = f"tensor<{q}x{self.dtype}>", f"tensor<{k}x{self.dtype}>"
        own, slice_ = "%v", ""
        own_type = kv
        if self.exclusive and self.queries != self.keys:
            sizes = f"{self.batch}, {self.kv_heads}, {self.queries}, {self.depth}"
            own, own_type = "%own", f"tensor<{sizes.replace(', ', 'x')}x{self.dtype}>"
            slice_ = (
                f"  %own = tensor.extract_slice %v[0, 0, {self.keys - self.queries}, 0] [{sizes}] "
                f"[1, 1, 1, 1] : {kv} to {own_type}\n"
            )
        maps = "#q, #k, #v, #s, #o" if self.exclusive else "#q, #k, #v, #o"
        attributes = ["causal"] if self.causal else []
        if self.exclusive:
            attributes.append("exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>")
        attributes += [f"indexing_maps = [{maps}]", f"scale = {self.depth**-0.5:.17e} : f64"]
        if self.window:
            attributes.append(f"window_left = {self.window} : i64")
        return f"""
#q = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m, k1)>
#k = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, k2, k1)>
#v = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, k2, n)>
#s = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, m, n)>
#o = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m, n)>
func.func @main(%q: {q}, %k: {kv}, %v: {kv}) -> {q} {{
  %init = tensor.empty() : {q}
{slice_}  %z = xsa.attention {{{", ".join(attributes)}}}
      ins(%q, %k, %v : {q}, {kv}, {kv}) {f"self_value({own} : {own_type})" if self.exclusive else ""}
      outs(%init : {q}) -> {q}
  return %z : {q}
}}
"""

    def reference(self, rows, seeds):
        """The expected rows, and what the same maths gives where each step is rounded to the type."""
        exact, plain = np.empty((2, len(rows), self.depth))
        heads = rows // self.queries
        tokens = self.keys * self.depth
        for head in np.unique(heads):
            which = np.flatnonzero(heads == head)
            kv = head // self.heads * self.kv_heads + head % self.heads // self.group
            k, v = (
                generate(self.dtype, seed, kv * tokens, tokens).reshape(self.keys, self.depth)
                for seed in seeds[1:]
            )
            q = np.stack(
                [generate(self.dtype, seeds[0], r * self.depth, self.depth) for r in rows[which]]
            )
            position = rows[which] % self.queries + self.keys - self.queries
            exact[which] = self.attend(q, k, v, position)
            plain[which] = self.attend(q, k, v, position, self.dtype)
        return exact, plain

    def attend(self, q, k, v, position, dtype=None):
        keep = rounding(dtype)
        scores = keep(keep(q @ k.T) * self.depth**-0.5)
        j = np.arange(self.keys)[None]
        if self.causal:
            scores = np.where(j <= position[:, None], scores, -np.inf)
        if self.window:
            scores = np.where(j >= position[:, None] - self.window, scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        y = keep(keep(weights / weights.sum(-1, keepdims=True)) @ v)
        return exclude(y, v[position], dtype) if self.exclusive else y


@dataclass(frozen=True)
class Exclusion:
    """The exclusion by itself, after somebody else's attention, in that one's order of dimensions: tokens, then heads."""

    dtype: str
    batch: int
    heads: int
    kv_heads: int
    tokens: int
    depth: int
    timed: bool = False

    @property
    def name(self):
        heads = f"H{self.heads}" + (f"/{self.kv_heads}" if self.kv_heads != self.heads else "")
        return f"exclude {self.dtype} B{self.batch} {heads} T{self.tokens} D{self.depth}"

    @property
    def flops(self):
        """Two sums of products and a product with difference."""
        return 6 * self.num_rows * self.depth

    @property
    def bytes(self):
        """Each operand once."""
        return (
            self.batch * self.tokens * (2 * self.heads + self.kv_heads) * self.depth * ELEMENT_BYTES
        )

    @property
    def input_shapes(self):
        own = (self.batch, self.tokens, self.kv_heads, self.depth)
        return [(*own[:3], self.heads // self.kv_heads, self.depth), own]

    @property
    def num_rows(self):
        return self.batch * self.tokens * self.heads

    @property
    def rows_per_head(self):
        return self.num_rows

    def module(self):
        y, v = (f"tensor<{'x'.join(map(str, shape))}x{self.dtype}>" for shape in self.input_shapes)
        return f"""
#y = affine_map<(b, t, h, g, n) -> (b, t, h, g, n)>
#v = affine_map<(b, t, h, g, n) -> (b, t, h, n)>
func.func @main(%y: {y}, %v: {v}) -> {y} {{
  %init = tensor.empty() : {y}
  %z = xsa.exclude {{exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#y, #v, #y]}}
      ins(%y, %v : {y}, {v}) outs(%init : {y}) -> {y}
  return %z : {y}
}}
"""

    def reference(self, rows, seeds):
        """The expected rows, and what the same maths gives where each step is rounded to the type."""
        group = self.heads // self.kv_heads
        y, v = (
            np.stack([generate(self.dtype, seed, r * self.depth, self.depth) for r in which])
            for seed, which in zip(seeds, (rows, rows // group))
        )
        return exclude(y, v), exclude(y, v, self.dtype)


def choose_rows(case):
    """All rows of the output, or in some heads the first, the last and some between."""
    if case.num_rows <= MAX_ROWS:
        return np.arange(case.num_rows)
    length = case.rows_per_head
    heads = case.num_rows // length
    rng = np.random.default_rng(case.num_rows)
    rows = set()
    for head in {0, heads // 3, heads - 1}:
        some = [0, 1, length - 1, *rng.integers(0, length, 48).tolist()]
        rows |= {head * length + row for row in some if row < length}
    return np.array(sorted(rows))


def checks():
    """Cases for their numbers: tails of tiles, grouped heads, a window, more keys than queries."""
    for dtype in ("bf16", "f16"):
        for depth in (64, 128):
            for causal in (False, True):
                yield Attention(dtype, 1, 2, 2, 250, 250, depth, causal)
    yield Attention("bf16", 1, 4, 1, 256, 256, 64, True)
    yield Attention("f16", 1, 4, 2, 193, 193, 96, False)
    yield Attention("bf16", 1, 2, 2, 300, 300, 64, True, window=100)
    yield Attention("bf16", 1, 2, 2, 50, 300, 128, True)
    yield Attention("f16", 1, 2, 2, 250, 250, 64, True, exclusive=False)
    yield Attention("bf16", 2, 8, 2, 1, 1000, 128)
    yield Exclusion("bf16", 1, 8, 2, 61, 128)
    yield Exclusion("f16", 2, 3, 3, 50, 64)


def benchmarks():
    """Forward attention on 16384 tokens of width 2048, as is usual; decoding; the exclusion alone."""
    for depth in (64, 128):
        heads = 2048 // depth

        def attention(dtype, tokens, causal, group=1, exclusive=True):
            batch, kv_heads = 16384 // tokens, heads // group
            return Attention(
                dtype, batch, heads, kv_heads, tokens, tokens, depth, causal, exclusive, timed=True
            )

        for causal in (False, True):
            for tokens in (2048, 8192, 16384):
                yield attention("bf16", tokens, causal)
                yield attention("bf16", tokens, causal, exclusive=False)
            yield attention("f16", 8192, causal)
            yield attention("bf16", 8192, causal, group=4)
    for batch, keys in ((1, 8192), (1, 65536), (16, 8192)):
        for exclusive in (True, False):
            yield Attention("bf16", batch, 32, 8, 1, keys, 128, exclusive=exclusive, timed=True)
    for depth in (64, 128):
        heads = 2048 // depth
        yield Exclusion("bf16", 2, heads, heads, 8192, depth, timed=True)
        yield Exclusion("bf16", 2, heads, heads // 4, 8192, depth, timed=True)


def cases():
    return [*checks(), *benchmarks()]


def plain_error(exact, plain):
    error = float(np.abs(exact - plain).max())
    assert math.isfinite(error)
    return error
