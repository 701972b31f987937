"""Numbers of `xsa.attention`, feature by feature, against a float64 reference.

    attention.py XSA_RUN [XSA_OPT] [--reference | --target T] [--seed N] [--only REGEX] [--part I/N] [--flag=F]

Each case of attention_cases.py is run as it is, which tiles it for the target, or with --reference after XSA_OPT
decomposed it into whole-tensor linalg. Cases whose numbers differ are printed, and the exit code is 1 if there are any.
"""

import argparse
import re
import sys
import tempfile
import zlib

import attention_cases
import numpy as np
from run_model import run_model, run_tool


def run(args, text, arrays):
    """The outputs of a case."""
    # Raising would turn the reference back into what it is compared with.
    flags = [
        f"--raise={not args.reference}".lower(),
        "--threads",
        "2",
        "--target",
        args.target,
        *args.flag,
    ]
    if args.reference:
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            text = run_tool(args.xsa_opt, file.name, "--convert-xsa-to-linalg")
    return run_model(args.xsa_run, text, arrays, *flags)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xsa_run")
    parser.add_argument("xsa_opt", nargs="?", default="xsa-opt")
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--target", default="cpu", choices=["cpu", "emulator", "cuda"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--flag", action="append", default=[], help="an option for xsa-run")
    args = parser.parse_args()
    part, parts = (int(n) for n in args.part.split("/"))
    names = [n for n in attention_cases.CASES if re.search(args.only, n)][part::parts]
    failures = 0
    for name in names:
        rng = np.random.default_rng([args.seed, zlib.crc32(name.encode())])
        text, arrays, exact, allowed = attention_cases.build(attention_cases.CASES[name], rng)
        try:
            problem = attention_cases.check(run(args, text, arrays), exact, allowed)
        except RuntimeError as error:
            problem = str(error)
        if problem:
            failures += 1
            print(f"{name}: {problem.strip()[:400]}")
    print(f"{len(names)} cases, {failures} failures")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
