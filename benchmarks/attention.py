"""Times attention on the CPU side by side with other implementations, in one run.

    .venv/bin/python benchmarks/attention.py [--bin build/bin] [--threads N] [--rounds N]
                                             [--only TEXT] [--json F] [--table F] [--plot F]

All implementations of a case take turns, so that what else the machine does hits them alike; the
figure is the minimum over all calls. xsa-run measures inside, with inputs resident and without
compilation, and so do the peers. Operations are counted as 4 B H Tq Tk D, half of it under a causal
mask. Rates are compared with the peak of multiply-adds, or of reading memory, measured in the same
run. Peers that do not import are left out. Needs numpy.
"""

import argparse
import json
import math
import pathlib
import sys
import tempfile
from dataclasses import asdict, dataclass

import numpy as np
import peers
import roofline
from options import add_bin
from report import markdown, svg


@dataclass(frozen=True)
class Case:
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

    @property
    def name(self) -> str:
        heads = f"H{self.heads}" + (f"/{self.kv_heads}" if self.kv_heads != self.heads else "")
        size = f"T{self.keys}" if self.queries == self.keys else f"Tq{self.queries} Tk{self.keys}"
        mask = " causal" if self.causal else ""
        form = "" if self.exclusive else " plain"
        return f"{self.dtype} {heads} {size} D{self.depth}{mask}{form}"

    @property
    def flops(self) -> float:
        full = 4 * self.batch * self.heads * self.queries * self.keys * self.depth
        return full * (0.5 if self.causal else 1.0)

    @property
    def bytes_read(self) -> int:
        size = 2 if self.dtype in ("f16", "bf16") else 4
        return 2 * self.batch * self.kv_heads * self.keys * self.depth * size

    @property
    def is_decode(self) -> bool:
        return self.queries == 1


def cases() -> list[Case]:
    listed = []
    for dtype in ("f32", "bf16", "f16"):
        for heads, tokens, depth in ((8, 1024, 64), (8, 2048, 64), (4, 2048, 128)):
            for causal in (False, True):
                listed.append(Case(dtype, 1, heads, heads, tokens, tokens, depth, causal))
        listed.append(Case(dtype, 2, 8, 2, 1000, 1000, 80))
        listed.append(Case(dtype, 1, 32, 8, 1, 8192, 128, exclusive=False))
    listed.append(Case("f32", 1, 8, 8, 2048, 2048, 64, exclusive=False))
    return listed


MODULE = """
#q = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m, k1)>
#k = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, k2, k1)>
#v = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, k2, n)>
#s = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, m, n)>
#o = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m, n)>
func.func @main(%q: {q}, %k: {kv}, %v: {kv}) -> {q} {{
  %init = tensor.empty() : {q}
  %z = xsa.attention {{{attributes}scale = {scale:e} : f64}}
      ins(%q, %k, %v : {q}, {kv}, {kv}) {self_value} outs(%init : {q}) -> {q}
  return %z : {q}
}}
"""


def module(case: Case) -> str:
    group = case.heads // case.kv_heads
    q = f"tensor<{case.batch}x{case.kv_heads}x{group}x{case.queries}x{case.depth}x{case.dtype}>"
    kv = f"tensor<{case.batch}x{case.kv_heads}x{case.keys}x{case.depth}x{case.dtype}>"
    attributes = "causal, " if case.causal else ""
    if case.exclusive:
        attributes += "exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, "
    maps = "#q, #k, #v, #s, #o" if case.exclusive else "#q, #k, #v, #o"
    attributes += f"indexing_maps = [{maps}], "
    self_value = f"self_value(%v : {kv})" if case.exclusive else ""
    return MODULE.format(
        q=q, kv=kv, attributes=attributes, scale=case.depth**-0.5, self_value=self_value
    )


class Compiled:
    """xsa-run on the case. A turn is one process with several calls."""

    name = "xsa"

    def __init__(self, case: Case, arrays: list[np.ndarray], args, folder: pathlib.Path):
        self.folder, self.args = folder, args
        group = case.heads // case.kv_heads
        shape = (case.batch, case.kv_heads, group, case.queries, case.depth)
        store = np.float16 if case.dtype == "f16" else np.float32
        inputs = [arrays[0].reshape(shape), *arrays[1:]]
        np.savez(folder / "in.npz", **{f"arg{i}": x.astype(store) for i, x in enumerate(inputs)})
        (folder / "model.mlir").write_text(module(case))

    def turn(self, calls: int) -> list[float]:
        return roofline.run_model(self.args, self.folder, calls)["times_s"]


def measure(case: Case, args) -> dict:
    rng = np.random.default_rng(0)
    shapes = [(case.batch, case.heads, case.queries, case.depth)]
    shapes += [(case.batch, case.kv_heads, case.keys, case.depth)] * 2
    arrays = [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]
    calls = max(2, min(30, math.ceil(0.3 / (case.flops / 50e9))))
    with tempfile.TemporaryDirectory() as name:
        runners = [Compiled(case, arrays, args, pathlib.Path(name))]
        runners += peers.available(case, arrays, args.threads)
        times: dict[str, list[float]] = {runner.name: [] for runner in runners}
        for _ in range(args.rounds):
            for runner in runners:
                times[runner.name] += runner.turn(calls)
    return {"case": case.name, **asdict(case), "seconds": {k: min(v) for k, v in times.items()}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin(parser)
    parser.add_argument(
        "--threads", type=int, default=1, help="threads of each implementation (default: 1)"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="turns of which the fastest counts (default: 3)"
    )
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures as JSON")
    parser.add_argument("--table", type=pathlib.Path, help="write the table as Markdown")
    parser.add_argument("--plot", type=pathlib.Path, help="write the plot as SVG")
    args = parser.parse_args()

    limits = roofline.measure(args)
    print(f"peak {limits['gflops']:.1f} GF/s, reading {limits['gbytes']:.1f} GB/s", flush=True)
    rows = []
    for case in cases():
        if args.only not in case.name:
            continue
        row = measure(case, args)
        row["flops"], row["bytes_read"], row["is_decode"] = (
            case.flops,
            case.bytes_read,
            case.is_decode,
        )
        rows.append(row)
        seconds = row["seconds"]
        print(
            case.name.ljust(36),
            "  ".join(
                f"{name} {value * 1e3:.2f} ms ({value / seconds['xsa']:.2f}x)"
                for name, value in seconds.items()
            ),
            flush=True,
        )
    # Once more: the clock of the machine may have changed meanwhile.
    again = roofline.measure(args)
    limits = {key: max(limits[key], again[key]) for key in limits}
    if args.json:
        args.json.write_text(json.dumps({"limits": limits, "rows": rows}, indent=1))
    if args.table:
        args.table.write_text(markdown(rows, limits, args.threads))
    if args.plot:
        args.plot.write_text(svg(rows, limits))
    return 0


if __name__ == "__main__":
    sys.exit(main())
