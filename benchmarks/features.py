"""Times what masks, biases, windows, exclusion and dynamic sizes add to attention on the CPU, in one run.

    .venv/bin/python benchmarks/features.py [--bin build/bin] [--threads N] [--rounds N] [--tokens T]
                                            [--only TEXT] [--json F] [--table F]

Forms of one attention take turns, and the figure of each is the minimum over all calls. Operations
are counted as 4 H T D for each query and key that the positions leave, so that a rate beside the
plain one says what a form costs beyond its share of the work. Needs numpy.
"""

import argparse
import json
import math
import pathlib
import sys
import tempfile
from dataclasses import dataclass

import numpy as np
import roofline
from options import add_bin

HEADS, DEPTH = 8, 64
WINDOWS = (64, 256, 1024)


@dataclass(frozen=True)
class Form:
    """A form of attention; `reads` are operands beside query, key and value."""

    name: str
    attributes: str = ""
    reads: tuple[tuple[str, str, str], ...] = ()
    """Clause, map and type of each, with T for the number of tokens."""
    region: str = ""
    exclusive: bool = False
    dynamic: bool = False
    window: int | None = None
    causal: bool = False

    def scores(self, tokens: int) -> float:
        """How many scores a head has."""
        if not self.causal:
            return tokens * tokens
        window = self.window or tokens
        return sum(min(row + 1, window) for row in range(tokens))


ALIBI = """ score {
    ^bb0(%s: f32, %slope: f32, %i: index, %j: index):
      %d = arith.subi %j, %i : index
      %w = arith.index_cast %d : index to i64
      %f = arith.sitofp %w : i64 to f32
      %b = arith.mulf %slope, %f : f32
      %r = arith.addf %s, %b : f32
      xsa.yield %r : f32
  }"""


def forms() -> list[Form]:
    listed = [
        Form("plain"),
        Form("exclusive", exclusive=True),
        Form("dynamic sizes", dynamic=True),
        Form("soft cap", "softcap = 30.0 : f64, "),
        Form("mask, shared by heads", reads=(("mask", "(m, k2)", "TxTxi1"),)),
        Form("mask of keys", reads=(("mask", "(k2)", "Txi1"),)),
        Form("bias f32 of each head", reads=(("bias", "(h, m, k2)", "8xTxTxf32"),)),
        Form("bias f32, shared by heads", reads=(("bias", "(m, k2)", "TxTxf32"),)),
        Form("ALiBi", reads=(("score_inputs", "(h)", "8xf32"),), region=ALIBI),
        Form("causal", "causal, ", causal=True),
        Form("causal, exclusive", "causal, ", causal=True, exclusive=True),
    ]
    for size in WINDOWS:
        attributes = f"causal, window_left = {size - 1} : i64, "
        listed.append(Form(f"causal, window {size}", attributes, causal=True, window=size))
    return listed


def module(form: Form, dtype: str, tokens: int) -> str:
    size = "?" if form.dynamic else str(tokens)
    rows = f"tensor<{HEADS}x{size}x{DEPTH}x{dtype}>"
    domain = "(h, m, k1, k2, n)"
    maps = ["(h, m, k1)", "(h, k2, k1)", "(h, k2, n)"]
    arguments = [f"%{name}: {rows}" for name in "qkv"]
    clauses = ""
    attributes = form.attributes
    if form.exclusive:
        attributes += "exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, "
        maps.append("(h, m, n)")
        clauses += f"self_value(%v : {rows})\n      "
    for i, (clause, operand_map, shape) in enumerate(form.reads):
        kind = "tensor<" + shape.replace("T", str(tokens)) + ">"
        arguments.append(f"%x{i}: {kind}")
        maps.append(operand_map)
        clauses += f"{clause}(%x{i} : {kind})\n      "
    maps.append("(h, m, n)")
    listed = ", ".join(f"affine_map<{domain} -> {operand_map}>" for operand_map in maps)
    # Dimension 1 of the query.
    empty = f"tensor.empty(%tokens) : {rows}" if form.dynamic else f"tensor.empty() : {rows}"
    return f"""
func.func @main({", ".join(arguments)}) -> {rows} {{
  %one = arith.constant 1 : index
  %tokens = tensor.dim %q, %one : {rows}
  %init = {empty}
  %z = xsa.attention {{{attributes}indexing_maps = [{listed}], scale = {DEPTH**-0.5:e} : f64}}
      ins(%q, %k, %v : {rows}, {rows}, {rows})
      {clauses}outs(%init : {rows}){form.region} -> {rows}
  return %z : {rows}
}}
"""


def make_inputs(form: Form, dtype: str, tokens: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    store = np.float16 if dtype == "f16" else np.float32
    arrays = [rng.standard_normal((HEADS, tokens, DEPTH)).astype(store) for _ in range(3)]
    for _, _, shape in form.reads:
        *sizes, element = shape.replace("T", str(tokens)).split("x")
        values = rng.standard_normal([int(size) for size in sizes], dtype=np.float32)
        # A tenth of a mask is hidden.
        arrays.append(values > -1.28 if element == "i1" else values)
    return {f"arg{i}": array for i, array in enumerate(arrays)}


def measure(dtype: str, args) -> list[dict]:
    tokens = args.tokens
    chosen = [form for form in forms() if args.only in f"{dtype} {form.name}"]
    calls = max(2, math.ceil(0.3 / (4 * HEADS * DEPTH * tokens**2 / 100e9)))
    with tempfile.TemporaryDirectory() as name:
        folders = []
        for i, form in enumerate(chosen):
            folder = pathlib.Path(name) / str(i)
            folder.mkdir()
            (folder / "model.mlir").write_text(module(form, dtype, tokens))
            np.savez(folder / "in.npz", **make_inputs(form, dtype, tokens))
            folders.append(folder)
        times: list[list[float]] = [[] for _ in chosen]
        for _ in range(args.rounds):
            for folder, seconds in zip(folders, times):
                seconds += roofline.run_model(args, folder, calls)["times_s"]
    return [
        {
            "dtype": dtype,
            "form": form.name,
            "seconds": min(seconds),
            "gflops": 4 * HEADS * DEPTH * form.scores(tokens) / min(seconds) / 1e9,
        }
        for form, seconds in zip(chosen, times)
    ]


def markdown(rows: list[dict]) -> str:
    """A line for each form: its rate, and that as a share of the plain rate, for each type."""
    dtypes = list(dict.fromkeys(row["dtype"] for row in rows))
    found = {(row["dtype"], row["form"]): row["gflops"] for row in rows}
    lines = ["| | " + " | ".join(f"{dtype} GF/s | of plain" for dtype in dtypes) + " |"]
    lines.append("|---|" + "---|---|" * len(dtypes))
    for form in dict.fromkeys(row["form"] for row in rows):
        cells = []
        for dtype in dtypes:
            rate, plain = found.get((dtype, form)), found.get((dtype, "plain"))
            cells.append(f"{rate:.0f}" if rate else "")
            cells.append(f"{rate / plain:.2f}" if rate and plain else "")
        lines.append(f"| {form} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin(parser)
    parser.add_argument("--threads", type=int, default=1, help="threads (default: 1)")
    parser.add_argument("--tokens", type=int, default=2048, help="queries and keys (default: 2048)")
    parser.add_argument(
        "--rounds", type=int, default=5, help="turns of which the fastest counts (default: 5)"
    )
    parser.add_argument("--only", default="", help="types and forms that contain this text")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures as JSON")
    parser.add_argument("--table", type=pathlib.Path, help="write the table as Markdown")
    args = parser.parse_args()

    rows = [row for dtype in ("f32", "bf16") for row in measure(dtype, args)]
    print(markdown(rows), end="")
    if args.json:
        args.json.write_text(json.dumps({"tokens": args.tokens, "rows": rows}, indent=1))
    if args.table:
        args.table.write_text(markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
