"""Whether any kernel of attention spills registers, over the product of what plans depend on.

    .venv/bin/python benchmarks/spills.py [--bin build/bin] [--chips sm_80,sm_90] [--only TEXT] [--all]

Compiles attention for each chip, with `xsa-opt` and NVIDIA's assembler, and prints what every kernel takes of a thread's
registers; the kernels that spill, or all. Fails where one spills. No GPU is needed.
"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import re
import subprocess
import sys

import sass
from kernels import Case, all_cases
from options import add_bin

CHIPS = ("sm_80", "sm_90", "sm_120")

# Shapes that get plans of different kinds: by whole tiles, by tiles that end within, by ranges of keys with the rows
# of one head, of several, and with heads in place of rows. Two tiles of keys are no loop to the assembler.
SHAPES = {
    "long": dict(tokens=2048),
    "ragged": dict(tokens=1000),
    "two tiles of 128": dict(tokens=250),
    "two tiles of 64": dict(tokens=120),
    "two tiles of 32": dict(tokens=60),
    "few": dict(rows=4, tokens=700),
    "grouped few": dict(rows=4, group=8, tokens=700),
    "grouped": dict(rows=16, group=8, tokens=700),
    "decode": dict(rows=1, group=8, tokens=2048),
}
FEATURES = {
    "full": (),
    "causal": ("causal",),
    "window": ("causal", "window"),
    "lengths": ("causal", "lengths"),
    "mask": ("mask",),
    "saved rows": ("causal", "lse", "coefficient"),
    "all": ("causal", "window", "softcap", "mask", "bias", "sinks", "lengths", "alibi"),
}


def sweep(depths, types):
    for depth, dtype, features, shape in itertools.product(depths, types, FEATURES, SHAPES):
        for dynamic in (False, True):
            if dynamic and (shape == "ragged" or "two tiles" in shape):
                continue
            name = f"d{depth} {dtype} {shape} {features}" + " dynamic" * dynamic
            sizes = {"heads": 16, **SHAPES[shape]}
            yield Case(name, depth, dtype, FEATURES[features], dynamic=dynamic, **sizes)


@dataclasses.dataclass
class Use:
    """What a kernel takes of a thread."""

    case: str
    chip: str
    kernel: str
    registers: int
    spilled: int

    def __str__(self):
        return (
            f"{self.case} {self.chip} {self.kernel}: {self.registers} registers, "
            f"{self.spilled} bytes spilled"
        )


def compile_case(xsa_opt, case, chip):
    """The use of each kernel of a case."""
    options = f"chip={chip} format=isa strict=true"
    module = subprocess.run(
        [xsa_opt, f"--xsa-lower-to-nvvm-pipeline={options}"],
        input=case.mlir(),
        capture_output=True,
        text=True,
    )
    if module.returncode:
        sys.exit(f"{case.name}: {module.stderr.strip()}")
    escaped = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', module.stdout)[1]
    ptx = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), escaped)
    log = subprocess.run(
        [sass.find_tool("ptxas"), "-O3", f"-arch={chip}", "-v", "-", "-o", "/dev/null"],
        input=ptx,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    for part in re.split("Compiling entry function ", log)[1:]:
        registers = int(re.search(r"Used (\d+) registers", part)[1])
        spilled = sum(map(int, re.findall(r"(\d+) bytes spill", part)))
        yield Use(case.name, chip, re.match(r"'(\S+)'", part)[1], registers, spilled)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin(parser)
    parser.add_argument("--chips", default=",".join(CHIPS), help="default: %(default)s")
    parser.add_argument("--depths", default="64,80,128,256", help="default: %(default)s")
    parser.add_argument("--types", default="f16,bf16", help="default: %(default)s")
    parser.add_argument(
        "--only",
        action="append",
        help="cases of exactly this name, of the sweep or of kernels.py; may be repeated",
    )
    parser.add_argument("--all", action="store_true", help="print kernels that do not spill too")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    options = parser.parse_args()
    if not sass.find_tool("ptxas"):
        sys.exit("no ptxas")
    cases = list(sweep(map(int, options.depths.split(",")), options.types.split(",")))
    if options.only:
        known = {case.name: case for case in [*all_cases(), *cases]}
        if unknown := [name for name in options.only if name not in known]:
            sys.exit(f"no case has the name '{unknown[0]}'")
        cases = [known[name] for name in options.only]
    tasks = list(itertools.product(cases, options.chips.split(",")))
    uses = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        xsa_opt = str(options.bin / "xsa-opt")
        for found in pool.map(lambda task: list(compile_case(xsa_opt, *task)), tasks):
            for use in found:
                uses.append(use)
                if use.spilled or options.all:
                    print(use, flush=True)
    spilling = sum(use.spilled > 0 for use in uses)
    print(f"{len(uses)} kernels of {len(tasks)} compilations: {spilling} spill")
    sys.exit(spilling > 0)


if __name__ == "__main__":
    main()
