"""Random attention models: raising keeps their outputs, converting makes exactly the proven
self attentions exclusive.

    run.py [--seeds FIRST:LAST] [--jobs N] [--keep FOLDER] xsa-run

For each seed: what has to be raised is, the outputs stay what numpy computes in float64,
and after a conversion they are those with every self attention exclusive.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from spellings import Model, make_model


def run(tool: str, folder: pathlib.Path, flags: list[str]):
    """The outputs, and the numbers of the report's last line."""
    out = folder / "out.npz"
    out.unlink(missing_ok=True)
    command = [
        tool,
        folder / "model.mlir",
        "--inputs",
        folder / "in.npz",
        "--outputs",
        out,
        "--report",
        *flags,
    ]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        first = next(
            (line for line in done.stderr.splitlines() if "error" in line), done.stderr[-300:]
        )
        return None, {}, first or f"exit status {done.returncode}"
    with np.load(out) as file:
        outputs = [file[f"out{i}"] for i in range(len(file.files))]
    total = re.findall(r"(\d+) ([a-z ]+)", done.stderr.rpartition("total: ")[2])
    reasons = re.findall(r"(?:left alone|not exclusive): .*", done.stderr)
    return (
        outputs,
        {name.strip(): int(number) for number, name in total},
        "; ".join(dict.fromkeys(reasons)),
    )


def compare(outputs, want, tolerance: float) -> str:
    for i, (got, expected) in enumerate(zip(outputs, want)):
        error = np.max(np.abs(np.float64(got) - expected), initial=0)
        if not error <= tolerance * max(1.0, np.max(np.abs(expected), initial=0)):
            return f"output {i} is wrong by {error:.2e}"
    return ""


def check(tool: str, model: Model) -> str:
    """What is wrong; empty if nothing is."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.mlir").write_text(model.text)
        np.savez(folder / "in.npz", **{f"arg{i}": a for i, a in enumerate(model.arrays)})
        outputs, counts, why = run(tool, folder, [])
        if outputs is None:
            return f"raise fails: {why}"
        if wrong := compare(outputs, model.own, model.tolerance):
            return f"raised, {wrong}"
        if counts.get("raised", 0) < model.must_raise:
            return f"raises {counts.get('raised', 0)} of {model.must_raise}: {why}"
        outputs, counts, why = run(tool, folder, ["--convert-attention-to-xsa"])
        if outputs is None:
            return f"convert fails: {why}"
        if counts.get("made exclusive", 0) != model.exclusive:
            return f"makes {counts.get('made exclusive', 0)} exclusive instead of {model.exclusive}: {why}"
        if counts.get("exclusive in the model", 0) != model.already:
            return f"finds {counts.get('exclusive in the model', 0)} exclusive, not {model.already}: {why}"
        if wrong := compare(outputs, model.xsa, model.tolerance):
            return f"converted, {wrong}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--seeds", default="0:20")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="folder to write failing models to")
    args = parser.parse_args()
    first, last = map(int, args.seeds.split(":"))
    models = {seed: make_model(seed) for seed in range(first, last)}
    failures = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for (seed, model), wrong in zip(
            models.items(), pool.map(lambda m: check(args.tool, m), models.values())
        ):
            if not wrong:
                continue
            failures[wrong.partition(":")[0]] += 1
            print(f"seed {seed}: {wrong}\n    {', '.join(model.label)}", flush=True)
            if args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / f"{seed}.mlir").write_text(model.text)
                np.savez(
                    args.keep / f"{seed}.npz", **{f"arg{i}": a for i, a in enumerate(model.arrays)}
                )
    print(f"{len(models) - failures.total()} of {len(models)} models are right")
    return int(failures.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
