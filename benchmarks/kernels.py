"""What the kernels of attention look like to a GPU, without a GPU.

    .venv/bin/python benchmarks/kernels.py [--bin build/bin] [--chip sm_80] [--only TEXT] [--json FILE]

Compiles attention in many configurations for a chip and reads the machine code: registers, spills, and
what is issued in the main loop. How to read it: docs/gpu-lowering.md, "The static report". Needs ptxas
(CUDA toolkit) and cuobjdump with nvdisasm (`pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm`);
without them, the columns that PTX can tell. --compare-exclusion compiles each configuration with and
without exclusion, in the same tiles, and fails where the main loops have other instructions.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import sass
from options import add_bin

PROXY = "These figures are a proxy: no GPU has ranked these kernels by time yet."


@dataclasses.dataclass
class Case:
    """An attention on [heads, tokens, depth]; features by name, in the order of the operands."""

    name: str
    depth: int
    dtype: str = "bf16"
    features: tuple = ("causal",)
    heads: int = 32
    group: int = 1
    tokens: int = 2048
    value_depth: int = 0
    # The last tokens alone ask; all by default.
    rows: int = 0
    # Heads and tokens are known when the model runs.
    dynamic: bool = False

    def mlir(self, exclusive: bool = True) -> str:
        kv, columns = self.heads // self.group, self.value_depth or self.depth
        t, m, element = self.tokens, self.rows or self.tokens, self.dtype
        if self.dynamic:
            kv, t, m = "?", "?", self.rows or "?"
        maps = ["h, g, m, k1", "h, k2, k1", "h, k2, n"] + ["h, m, n"] * exclusive
        query = f"tensor<{kv}x{self.group}x{m}x{self.depth}x{element}>"
        key = f"tensor<{kv}x{t}x{self.depth}x{element}>"
        value = f"tensor<{kv}x{t}x{columns}x{element}>"
        output = f"tensor<{kv}x{self.group}x{m}x{columns}x{element}>"
        operands = {"q": query, "k": key, "v": value}
        attributes = [f"scale = {self.depth**-0.5} : f64"]
        clauses = [f"ins(%q, %k, %v : {query}, {key}, {value})"]
        if exclusive:
            attributes.append("exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>")
            own = "own" if self.rows else "v"
            operands[own] = f"tensor<{kv}x{m}x{columns}x{element}>"
            clauses.append(f"self_value(%{own} : {operands[own]})")

        def operand(clause, name, dims, shaped):
            maps.append(dims)
            operands[name] = shaped
            clauses.append(f"{clause}(%{name} : {shaped})")

        # What there is beside the output, a number for each row.
        row, rows = f"tensor<{kv}x{self.group}x{m}xf32>", []
        region = ""
        for feature in self.features:
            if feature == "causal":
                attributes.append("causal")
            elif feature == "window":
                attributes.append("window_left = 512 : i64")
            elif feature == "softcap":
                attributes.append("softcap = 30.0 : f64")
            elif feature == "mask":
                operand("mask", "mask", "m, k2", f"tensor<{m}x{t}xi1>")
            elif feature == "bias":
                operand("bias", "bias", "h, m, k2", f"tensor<{kv}x{m}x{t}x{element}>")
            elif feature == "sinks":
                operand("sinks", "sinks", "h, g", f"tensor<{kv}x{self.group}xf32>")
            elif feature == "lengths":
                operand("key_lengths", "lengths", "h", f"tensor<{kv}xi32>")
            elif feature == "packed":
                operand("key_begin", "begin", "m", f"tensor<{m}xi64>")
            elif feature == "alibi":
                operand("score_inputs", "slopes", "h, g", f"tensor<{kv}x{self.group}xf32>")
                region = """
      score {
      ^bb0(%s: f32, %slope: f32, %p: index, %j: index):
        %d = arith.subi %j, %p : index
        %di = arith.index_cast %d : index to i32
        %df = arith.sitofp %di : i32 to f32
        %b = arith.mulf %slope, %df : f32
        %r = arith.addf %s, %b : f32
        xsa.yield %r : f32
      }"""
            elif feature in ("lse", "coefficient"):
                if feature == "lse" or exclusive:
                    rows.append(feature)
            else:
                raise ValueError(f"unknown feature '{feature}'")
        maps += ["h, g, m, n"] + ["h, g, m"] * len(rows)
        dims = "affine_map<(h, g, m, k1, k2, n) -> "
        attributes.append("indexing_maps = [" + ", ".join(f"{dims}({m})>" for m in maps) + "]")
        sizes, extents = "", []
        if self.dynamic:
            for dim in (0,) if self.rows else (0, 2):
                sizes += f"""  %c{dim} = arith.constant {dim} : index
  %d{dim} = tensor.dim %q, %c{dim} : {query}
"""
                extents.append(f"%d{dim}")
        arguments = ", ".join(f"%{name}: {shaped}" for name, shaped in operands.items())
        results = ", ".join([output] + [row] * len(rows))
        outputs = " ".join([f"outs(%o : {output})"] + [f"{name}(%row : {row})" for name in rows])
        return f"""func.func @main({arguments}) -> ({results}) {{
{sizes}  %o = tensor.empty({", ".join(extents)}) : {output}
  %row = tensor.empty({", ".join(extents)}) : {row}
  %r:{1 + len(rows)} = xsa.attention {{{", ".join(attributes)}}}
      {" ".join(clauses)}
      {outputs}{region} -> {results}
  return {", ".join(f"%r#{i}" for i in range(1 + len(rows)))} : {results}
}}
"""


def all_cases() -> list[Case]:
    cases = [
        Case("d64 causal bf16", 64),
        Case("d64 full f16", 64, "f16", ()),
        Case("d128 causal bf16 groups of 4", 128, group=4),
        Case("d128 full bf16", 128, features=()),
        Case("d256 causal bf16", 256),
        Case("d256 full f16", 256, "f16", ()),
        Case("d96 causal f16, 1000 tokens", 96, "f16", tokens=1000),
        Case("d192 to 128 causal bf16", 192, value_depth=128),
        Case("d256 causal f32", 256, "f32"),
    ]
    for depth in (8, 32, 80, 160, 192):
        cases.append(Case(f"d{depth} causal bf16", depth))
    for depth in (64, 128):
        cases.append(Case(f"d{depth} causal f32", depth, "f32"))
    for depth in (64, 128, 256):
        for feature in ("window", "softcap", "mask", "bias", "alibi", "sinks", "packed"):
            cases.append(
                Case(f"d{depth} causal {feature} bf16", depth, features=("causal", feature))
            )
        # What training keeps of the forward pass.
        saved = ("causal", "lse", "coefficient")
        cases.append(Case(f"d{depth} causal saved rows bf16", depth, features=saved))
    return cases


class Compiler:
    def __init__(self, binaries: pathlib.Path, chip: str, ptx: int):
        self.xsa_opt, self.chip, self.ptx = str(binaries / "xsa-opt"), chip, ptx
        self.ptxas, self.cuobjdump = sass.find_tool("ptxas"), sass.find_tool("cuobjdump")

    def compile(self, case: Case, exclusive: bool = True, tiles: str = "") -> dict:
        """The figures of a case; `tiles` fixes the choice of the cost model."""
        option = f"chip={self.chip} ptx={self.ptx} format=isa print-plan=true strict=true {tiles}"
        done = subprocess.run(
            [self.xsa_opt, f"--xsa-lower-to-nvvm-pipeline={option}"],
            input=case.mlir(exclusive),
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[0])
        plan = re.search(r"tile (\d+) x (\d+), (\d+) warps, (\d+) stages", done.stderr)
        rows, keys, warps, stages = map(int, plan.groups())
        shared = int(re.search(r"(\d+) bytes of shared memory", done.stderr)[1])
        escaped = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', done.stdout)[0]
        ptx = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), escaped)
        figures = dict(case=case.name, rows=rows, keys=keys, warps=warps, stages=stages)
        figures["tiles"] = f"query-tile={rows} key-tile={keys} warps={warps} stages={stages}"
        figures["shared"] = shared
        kernel = sass.from_ptx(ptx)
        figures["ptx_loop"] = dict(sass.count(kernel.main_loop()))
        if self.ptxas and self.cuobjdump:
            kernel = self.assemble(ptx, figures)
        loop = kernel.main_loop()
        mix = sass.count(loop)
        figures["loop"] = dict(mix)
        figures["non_mma_per_mma"] = (len(loop) - mix["mma"]) / mix["mma"] if mix["mma"] else None
        figures["slots"] = 32 * len(loop) * warps / (rows * keys)
        # A warp's ldmatrix brings four matrices of 128 bytes; a copy 16 bytes of each thread.
        figures["shared_bytes"] = (mix["ldmatrix"] + mix["copy"]) * 512 * warps
        return figures

    def assemble(self, ptx: str, figures: dict) -> sass.Kernel:
        with tempfile.TemporaryDirectory() as folder:
            source, cubin = f"{folder}/kernel.ptx", f"{folder}/kernel.cubin"
            pathlib.Path(source).write_text(ptx)
            log = subprocess.run(
                [self.ptxas, "-O3", f"-arch={self.chip}", "-v", source, "-o", cubin],
                capture_output=True,
                text=True,
                check=True,
            ).stderr
            figures["registers"] = int(re.search(r"Used (\d+) registers", log)[1])
            figures["spills"] = sum(map(int, re.findall(r"(\d+) bytes spill", log)))
            per_block = -(-figures["registers"] // 8) * 8 * figures["warps"] * 32
            by_shared = shared_of_chip(self.chip) // (figures["shared"] + 1024)
            figures["blocks"] = min(65536 // per_block, by_shared)
            return next(iter(sass.from_cubin(cubin).values()))


def difference(plain: dict, exclusive: dict) -> str | None:
    """What exclusion changes in the main loop. The assembler may move a register more or less."""
    if plain["ptx_loop"] != exclusive["ptx_loop"]:
        return f"exclusion changes the main loop, {plain['ptx_loop']} to {exclusive['ptx_loop']}"
    before, after = (sum(figures["loop"].values()) for figures in (plain, exclusive))
    if abs(after - before) > 0.02 * before:
        return f"exclusion changes the main loop from {before} to {after} instructions"
    return None


def shared_of_chip(chip: str) -> int:
    """Shared memory of an SM: CUDA programming guide, technical specifications."""
    number = int(re.search(r"\d+", chip)[0])
    if number in (80, 87):
        return 164 * 1024
    return 228 * 1024 if number in (90, 100, 103, 110) else 100 * 1024


def show(figures: dict) -> str:
    def cell(name, form="{}"):
        return form.format(figures[name]) if figures.get(name) is not None else "-"

    tile = f"{figures['rows']}x{figures['keys']}, {figures['warps']} warps"
    return " | ".join(
        [
            figures["case"].ljust(30),
            tile.ljust(17),
            cell("registers").rjust(4),
            cell("spills").rjust(6),
            cell("non_mma_per_mma", "{:.2f}").rjust(5),
            cell("slots", "{:.3f}").rjust(7),
            cell("blocks").rjust(6),
            cell("shared_bytes").rjust(8),
        ]
    )


HEADER = (
    "configuration                  | tile              | regs | spills | ratio | slots/  | blocks"
    " | shared bytes\n"
    "                               |                   |      |        |       | 32      | per SM"
    " | per tile\n"
    "                               |                   |      |        |       | scores  |       "
    " |"
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin(parser)
    parser.add_argument("--chip", default="sm_80", help="GPU to compile for (default: sm_80)")
    parser.add_argument("--ptx", default=80, type=int, help="version of PTX (default: 80)")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures as JSON")
    parser.add_argument(
        "--compare-exclusion",
        action="store_true",
        help="each kernel with and without the exclusion",
    )
    options = parser.parse_args()
    compiler = Compiler(options.bin, options.chip, options.ptx)
    missing = [name for name in ("ptxas", "cuobjdump") if not getattr(compiler, name)]
    if missing:
        print(
            f"no {' and no '.join(missing)}: instructions are those of PTX, before registers are assigned"
        )
    cases = [case for case in all_cases() if options.only in case.name]
    if not cases:
        sys.exit(f"no case has '{options.only}' in its name")
    print(HEADER)
    rows, failures = [], []
    for case in cases:
        try:
            rows.append(compiler.compile(case))
        except RuntimeError as error:
            print(f"{case.name:30} | {error}", flush=True)
            failures.append(f"{case.name} is not fused")
            continue
        print(show(rows[-1]), flush=True)
        if rows[-1].get("spills"):
            failures.append(f"{case.name} spills {rows[-1]['spills']} bytes")
        if options.compare_exclusion:
            plain = compiler.compile(case, exclusive=False, tiles=rows[-1]["tiles"])
            if problem := difference(plain, rows[-1]):
                failures.append(f"{case.name}: {problem}")
    print(PROXY)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    sys.exit("\n".join(failures) or None)


if __name__ == "__main__":
    main()
