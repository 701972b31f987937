"""A few rows of several heads that share keys: numbers against float64, and how often keys and values are read.

grouped_rows.py <xsa-run> [--table]

With --table, what a tile of rows of one head moves and multiplies beside what a tile of rows of all heads does.
"""

import argparse
import dataclasses
import itertools
import json
import os
import tempfile

import numpy as np
from run_model import run_model

D = 64


@dataclasses.dataclass
class Case:
    batch: int
    heads: int
    group: int
    rows: int
    keys: int
    causal: bool = True
    window: int | None = None
    lengths: bool = False
    offset: bool = False
    region: bool = False
    bias: bool = False
    dynamic: bool = False
    # Rows before the heads of a group, which cannot be one dimension of a tensor.
    rows_first: bool = False
    # Whether the rows of the heads are in a tile.
    packed: bool = True

    def module(self):
        def tensor(*sizes, dtype="f16"):
            text = ("?" if self.dynamic and s in dynamic else str(s) for s in sizes)
            return f"tensor<{'x'.join([*text, dtype])}>"

        # Sizes are told apart by their values.
        dynamic = (self.batch, self.keys) if self.dynamic else ()
        order = "m, g" if self.rows_first else "g, m"
        inner = [self.rows, self.group] if self.rows_first else [self.group, self.rows]
        q = tensor(self.batch, self.heads, *inner, D)
        kv = tensor(self.batch, self.heads, self.keys, D)
        own = tensor(self.batch, self.heads, self.rows, D)
        row = tensor(self.batch, self.heads, *inner, dtype="f32")
        positions = tensor(self.batch, dtype="i32")
        maps = {
            "q": f"(b, h, {order}, k1)",
            "k": "(b, h, k2, k1)",
            "v": "(b, h, k2, n)",
            "own": "(b, h, m, n)",
            "bias": f"(b, h, {order}, k2)",
            "position": "(b)",
            "o": f"(b, h, {order}, n)",
            "row": f"(b, h, {order})",
        }
        used = ["q", "k", "v", "own"]
        operands, arguments = "", f"%q: {q}, %k: {kv}, %v: {kv}, %own: {own}"
        if self.bias:
            bias = tensor(self.batch, self.heads, *inner, self.keys)
            operands += f"bias(%bias : {bias}) "
            arguments += f", %bias: {bias}"
            used.append("bias")
        for keyword, given in (("key_lengths", self.lengths), ("query_offset", self.offset)):
            if given:
                operands += f"{keyword}(%{keyword} : {positions}) "
                arguments += f", %{keyword}: {positions}"
                used.append("position")
        attributes = ["scale = 0.125 : f64", "alignment = #xsa.alignment<bottom_right>"]
        attributes += ["causal"] if self.causal else []
        attributes += [f"window_left = {self.window} : i64"] if self.window else []
        region = (
            """ score {
  ^bb0(%s: f32, %i: index, %j: index):
    %d = arith.subi %j, %i : index
    %t = arith.index_cast %d : index to i32
    %f = arith.sitofp %t : i32 to f32
    %slope = arith.constant 0.01 : f32
    %a = arith.mulf %f, %slope : f32
    %z = arith.addf %s, %a : f32
    xsa.yield %z : f32
  }"""
            if self.region
            else ""
        )
        text = "".join(
            f"#{name} = affine_map<(b, h, g, m, k1, k2, n) -> {to}>\n" for name, to in maps.items()
        )
        names = ", ".join(f"#{name}" for name in [*used, "o", "row"])
        sizes, dims = [], ""
        for position, size in enumerate((self.batch, self.heads, *inner)):
            if size in dynamic:
                dims += f"  %c{position} = arith.constant {position} : index\n"
                dims += f"  %d{position} = tensor.dim %q, %c{position} : {q}\n"
                sizes.append(f"%d{position}")
        return f"""{text}
func.func @main({arguments}) -> ({q}, {row}) {{
{dims}  %empty = tensor.empty({", ".join(sizes)}) : {q}
  %none = tensor.empty({", ".join(sizes)}) : {row}
  %r:2 = xsa.attention {{{", ".join(attributes)}, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [{names}]}}
      ins(%q, %k, %v : {q}, {kv}, {kv}) self_value(%own : {own}) {operands}
      outs(%empty : {q}) lse(%none : {row}){region} -> {q}, {row}
  return %r#0, %r#1 : {q}, {row}
}}
"""

    def inputs(self, rng):
        def normal(*shape):
            return rng.standard_normal(shape).astype(np.float16)

        kv = (self.batch, self.heads, self.keys, D)
        inner = (self.rows, self.group) if self.rows_first else (self.group, self.rows)
        arrays = [
            normal(self.batch, self.heads, *inner, D),
            normal(*kv),
            normal(*kv),
            normal(self.batch, self.heads, self.rows, D),
        ]
        if self.bias:
            arrays.append(normal(self.batch, self.heads, *inner, self.keys))
        for given in (self.lengths, self.offset):
            if given:
                arrays.append(rng.integers(self.rows, self.keys + 1, self.batch).astype(np.int32))
        return arrays

    def reference(self, q, k, v, own, *rest):
        q, k, v, own = (np.float64(x) for x in (q, k, v, own))
        rest = list(rest)
        swap = (lambda x: x.swapaxes(2, 3)) if self.rows_first else (lambda x: x)
        scores = np.einsum("bhgmd,bhkd->bhgmk", swap(q), k) * 0.125
        if self.bias:
            scores += swap(np.float64(rest.pop(0)))
        lengths = rest.pop(0) if self.lengths else np.full(self.batch, self.keys)
        first = rest.pop(0) if self.offset else lengths - self.rows
        i = (first[:, None] + np.arange(self.rows))[:, None, None, :, None]
        j = np.arange(self.keys)
        if self.region:
            scores += 0.01 * (j - i)
        seen = j < lengths[:, None, None, None, None]
        if self.causal:
            seen = seen & (j <= i)
        if self.window:
            seen = seen & (j >= i - self.window)
        scores = np.where(seen, scores, -np.inf)
        most = scores.max(-1, keepdims=True)
        weights = np.exp(scores - most)
        total = weights.sum(-1, keepdims=True)
        y = np.einsum("bhgmk,bhke->bhgme", weights / total, v)
        own = own[:, :, None]
        z = y - (y * own).sum(-1, keepdims=True) / (own * own).sum(-1, keepdims=True) * own
        return swap(z), swap((most + np.log(total))[..., 0])

    def run(self, xsa_run, rng):
        """Checks the numbers; returns what the kernels did."""
        arrays = self.inputs(rng)
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            flags = ["--target", "emulator", "--stats", stats]
            got = run_model(xsa_run, self.module(), arrays, *flags)
            with open(stats) as file:
                kernels = json.load(file)["kernels"]
        for what, x, exact, limit in zip(("z", "lse"), got, self.reference(*arrays), (4e-3, 1e-3)):
            assert np.isfinite(x).all(), f"{self}: {what} is not finite"
            error = np.abs(np.float64(x) - exact).max()
            assert error <= limit, f"{self}: error of {what} {error:.3g}"
        return kernels


CASES = (
    Case(1, 2, 8, 4, 1000),
    Case(1, 1, 4, 3, 717, window=100),
    Case(2, 1, 3, 5, 600, lengths=True),
    Case(2, 1, 8, 2, 601, offset=True),
    Case(1, 1, 4, 4, 600, causal=False, bias=True),
    Case(1, 2, 8, 2, 640, region=True),
    Case(3, 2, 8, 4, 700, dynamic=True),
    Case(1, 2, 8, 16, 700),
    Case(1, 2, 8, 4, 600, rows_first=True, packed=False),
)


def total(kernels, key):
    return sum(kernel[key] for kernel in kernels)


def print_table(xsa_run):
    print("| rows, heads | keys | tiles of | bytes loaded | `mma` | blocks |")
    print("|---|---|---|---|---|---|")
    for rows, group, keys in itertools.product((2, 4, 8, 16), (4, 8), (2048,)):
        for rows_first in (True, False):
            case = Case(1, 1, group, rows, keys, rows_first=rows_first)
            kernels = case.run(xsa_run, np.random.default_rng(0))
            print(
                f"| {rows}, {group} | {keys} | {'one head' if rows_first else 'all heads'} | "
                f"{total(kernels, 'global_load_bytes')} | {total(kernels, 'mma')} | {kernels[0]['grid'][0]} |"
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xsa_run")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if args.table:
        print_table(args.xsa_run)
        return
    rng = np.random.default_rng(0)
    for case in CASES:
        kernels = case.run(args.xsa_run, rng)
        assert len(kernels) == 2, f"{case}: {len(kernels)} kernels"
        # Keys and values once for all heads of a group, or once for each; and the rows of each block.
        once = 4 * case.batch * case.heads * case.keys * D
        rows = case.rows * (case.group if case.packed else 1)
        loaded = kernels[0]["global_load_bytes"] - kernels[0]["grid"][0] * 2 * rows * D
        assert case.window or (loaded < 1.5 * once) == case.packed, (
            f"{case}: {loaded} bytes loaded, keys and values have {once}"
        )


if __name__ == "__main__":
    main()
