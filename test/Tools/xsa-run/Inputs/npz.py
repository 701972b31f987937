"""Writes .npz archives for xsa-run and checks those it writes.

    npz.py write FILE NAME=EXPRESSION... [--compressed] [--zip64]
    npz.py check FILE NAME=EXPRESSION... [--tolerance T]

Expressions are Python with numpy as `np`; in `check` they may use the arrays of
the archive given with `--inputs`. `check` compares names, element types, shapes
and values.
"""

import argparse
import sys
import zipfile

import numpy as np


def write(args):
    if args.zip64:
        # Makes numpy's archive use the zip64 records at any size.
        zipfile.ZIP64_LIMIT = 0
        zipfile.ZIP_FILECOUNT_LIMIT = 0
    arrays = {name: eval(text, {"np": np}) for name, text in args.arrays}
    (np.savez_compressed if args.compressed else np.savez)(args.file, **arrays)


def check(args):
    got = dict(np.load(args.file))
    scope = {"np": np, **(dict(np.load(args.inputs)) if args.inputs else {})}
    want = {name: np.asarray(eval(text, scope)) for name, text in args.arrays}
    if set(got) != set(want):
        sys.exit(f"arrays {sorted(got)}, expected {sorted(want)}")
    for name, w in want.items():
        g = got[name]
        if g.dtype != w.dtype or g.shape != w.shape:
            sys.exit(f"{name}: {g.dtype}{g.shape}, expected {w.dtype}{w.shape}")
        equal = (
            np.array_equal(g, w)
            if args.tolerance == 0
            else np.allclose(
                np.float64(g),
                np.float64(w),
                rtol=args.tolerance,
                atol=args.tolerance,
                equal_nan=True,
            )
        )
        if not equal:
            sys.exit(f"{name}:\n{g}\nexpected\n{w}")
    print("arrays agree")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["write", "check"])
    parser.add_argument("file")
    parser.add_argument("arrays", nargs="*", type=lambda text: text.split("=", 1))
    parser.add_argument("--compressed", action="store_true")
    parser.add_argument("--zip64", action="store_true")
    parser.add_argument("--inputs")
    parser.add_argument("--tolerance", type=float, default=0)
    args = parser.parse_intermixed_args()
    {"write": write, "check": check}[args.action](args)


if __name__ == "__main__":
    main()
