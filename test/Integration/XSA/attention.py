"""Numbers of `xsa.attention`, feature by feature, against a float64 reference.

    attention.py XSA_RUN [XSA_OPT] [--reference] [--seed N] [--only REGEX] [--part I/N]

Each case of attention_cases.py is run as it is, which tiles it, or with --reference after XSA_OPT decomposed it into
whole-tensor linalg. Cases whose numbers differ are printed, and the exit code is 1 if there are any.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import zlib

import attention_cases
import numpy as np


def run(args, text, arrays, count):
    """The outputs, or a message."""
    with tempfile.TemporaryDirectory() as folder:
        module, inputs, outputs = (os.path.join(folder, n) for n in ("m.mlir", "in.npz", "out.npz"))
        with open(module, "w") as file:
            file.write(text)
        if args.reference:
            done = subprocess.run(
                [args.xsa_opt, module, "--convert-xsa-to-linalg", "-o", module],
                capture_output=True,
                text=True,
            )
            if done.returncode:
                return done.stderr
        np.savez(inputs, **{f"arg{i}": array for i, array in enumerate(arrays)})
        # Raising would turn the reference back into what it is compared with.
        done = subprocess.run(
            [
                args.xsa_run,
                module,
                "--entry",
                "main",
                "--inputs",
                inputs,
                "--outputs",
                outputs,
                "--target",
                "cpu",
                "--threads",
                "2",
                f"--raise={not args.reference}".lower(),
            ],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return done.stderr or f"exit code {done.returncode}"
        results = np.load(outputs)
        return [results[f"out{i}"] for i in range(count)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xsa_run")
    parser.add_argument("xsa_opt", nargs="?", default="xsa-opt")
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="0/1")
    args = parser.parse_args()
    part, parts = (int(n) for n in args.part.split("/"))
    names = [n for n in attention_cases.CASES if re.search(args.only, n)][part::parts]
    failures = 0
    for name in names:
        rng = np.random.default_rng([args.seed, zlib.crc32(name.encode())])
        text, arrays, exact, allowed = attention_cases.build(attention_cases.CASES[name], rng)
        got = run(args, text, arrays, len(exact))
        problem = got if isinstance(got, str) else attention_cases.check(got, exact, allowed)
        if problem:
            failures += 1
            print(f"{name}: {problem.strip()[:400]}")
    print(f"{len(names)} cases, {failures} failures")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
