"""Times attention on the CPU, plain and exclusive, with xsa-run.

    .venv/bin/python benchmarks/attention.py [--bin build/bin] [--threads N] [--repeat N] [--json out.json]

Each row is one xsa.attention of f32, batch 1. `--repeat` calls are timed inside
xsa-run, inputs resident, without compilation; the row gives their minimum and
median. Operations are counted as 4 H T T D, half of it when causal, for both
forms. Needs numpy.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent

# (heads, tokens, depth)
SHAPES = [(8, 512, 64), (8, 1024, 64), (8, 2048, 64), (4, 2048, 128)]

MODULE = """
#q = affine_map<(h, m, k1, k2, n) -> (h, m, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (h, k2, n)>
#o = affine_map<(h, m, k1, k2, n) -> (h, m, n)>
func.func @main(%q: {t}, %k: {t}, %v: {t}) -> {t} {{
  %init = tensor.empty() : {t}
  %z = xsa.attention {{{causal}{exclusion}indexing_maps = [#q, #k, #v, {self_map}#o], scale = {scale} : f64}}
      ins(%q, %k, %v : {t}, {t}, {t}) {self_value} outs(%init : {t}) -> {t}
  return %z : {t}
}}
"""


def module(heads: int, tokens: int, depth: int, causal: bool, exclusive: bool) -> str:
    t = f"tensor<{heads}x{tokens}x{depth}xf32>"
    return MODULE.format(
        t=t,
        causal="causal, " if causal else "",
        exclusion="exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, " if exclusive else "",
        self_map="#o, " if exclusive else "",
        self_value=f"self_value(%v : {t})" if exclusive else "",
        scale=depth**-0.5,
    )


def times(args, folder: pathlib.Path, text: str) -> list[float]:
    (folder / "model.mlir").write_text(text)
    command = [args.bin / "xsa-run", folder / "model.mlir", "--entry", "main", "--target", "cpu"]
    command += ["--inputs", folder / "in.npz", "--outputs", folder / "out.npz"]
    command += ["--repeat", args.repeat, "--stats", folder / "stats.json"]
    if args.threads:
        command += ["--threads", args.threads]
    subprocess.run([str(c) for c in command], check=True)
    return json.loads((folder / "stats.json").read_text())["times_s"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()

    rows = []
    print(f"{'shape':16} {'mask':7} {'form':10} {'min ms':>9} {'median ms':>10} {'GF/s':>7}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for heads, tokens, depth in SHAPES:
            rng = np.random.default_rng(0)
            operands = rng.standard_normal((3, heads, tokens, depth), dtype=np.float32)
            np.savez(folder / "in.npz", **{f"arg{i}": x for i, x in enumerate(operands)})
            for causal in (False, True):
                for exclusive in (False, True):
                    taken = times(args, folder, module(heads, tokens, depth, causal, exclusive))
                    flops = 4 * heads * tokens * tokens * depth * (0.5 if causal else 1.0)
                    row = {
                        "shape": f"H{heads} T{tokens} D{depth}",
                        "mask": "causal" if causal else "none",
                        "form": "exclusive" if exclusive else "plain",
                        "min_ms": min(taken) * 1e3,
                        "median_ms": statistics.median(taken) * 1e3,
                        "gflops": flops / min(taken) * 1e-9,
                    }
                    rows.append(row)
                    print(
                        f"{row['shape']:16} {row['mask']:7} {row['form']:10}"
                        f" {row['min_ms']:9.3f} {row['median_ms']:10.3f} {row['gflops']:7.1f}",
                        flush=True,
                    )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
