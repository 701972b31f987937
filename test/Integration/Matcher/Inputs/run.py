"""Random attention models: raising keeps their outputs, converting makes exactly the proven
self attentions exclusive.

    run.py [--first SEED] [--count N] [--jobs N] [--keep FOLDER] xsa-opt
    run.py --execute ... xsa-run

For each seed: what has to be raised is, the outputs stay what numpy computes in float64,
and after a conversion they are those with every self attention exclusive. xsa-opt reads a
batch of models at once, and an interpreter computes what it writes, about 15 models a
second and core. With --execute models are compiled and run instead, one by one.
"""

import argparse
import collections
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from interpreter import Interpreter
from spellings import Model, make_model

PIPELINES = {"raise": "raise-attention-to-xsa", "convert": "convert-attention-to-xsa"}


class Result:
    """What became of one model under one pipeline."""

    def __init__(self, outputs=None, report: str = "", error: str = ""):
        self.outputs, self.error = outputs, error
        rows = [re.split("  +", line.strip()) for line in report.splitlines() if line[:2] == "  "]
        self.decisions = [row[-1] for row in rows[1:]]
        self.why = "; ".join(dict.fromkeys(d for d in self.decisions if ": " in d))

    def count(self, decision: str) -> int:
        return sum(d.startswith(decision) for d in self.decisions)

    def count_raised(self) -> int:
        return len(self.decisions) - self.count("left alone")


def first_error(done) -> str:
    lines = [line for line in done.stderr.splitlines() if "error" in line]
    return lines[0] if lines else f"exit status {done.returncode}"


def interpret(tool: str, pipeline: str, models: dict[int, Model]) -> dict[int, Result]:
    """All models in one module; by themselves if that fails, to know which one it was."""
    texts = [model.text.replace("@main", f"@m{seed}", 1) for seed, model in models.items()]
    command = [
        tool, f"--{PIPELINES[pipeline]}=report=true", "--convert-xsa-to-linalg", "--linalg-generalize-named-ops",
        "--mlir-print-op-generic",
    ]  # fmt: skip
    done = subprocess.run(command, input="\n".join(texts), capture_output=True, text=True)
    if done.returncode:
        if len(models) == 1:
            return {seed: Result(error=first_error(done)) for seed in models}
        return {seed: interpret(tool, pipeline, {seed: m})[seed] for seed, m in models.items()}
    reports = re.split(r"^attention in @(\w+)\n", done.stderr, flags=re.MULTILINE)[1:]
    reports = dict(zip(reports[::2], reports[1::2]))
    interpreter = Interpreter(done.stdout)
    results = {}
    for seed, model in models.items():
        outputs = interpreter.call(f"m{seed}", model.arrays)
        results[seed] = Result(outputs, reports.get(f"m{seed}", ""))
    return results


def execute(tool: str, pipeline: str, models: dict[int, Model]) -> dict[int, Result]:
    results = {}
    for seed, model in models.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "model.mlir").write_text(model.text)
            np.savez(folder / "in.npz", **{f"arg{i}": a for i, a in enumerate(model.arrays)})
            command = [
                tool, folder / "model.mlir", "--inputs", folder / "in.npz", "--outputs", folder / "out.npz", "--report",
            ]  # fmt: skip
            if pipeline == "convert":
                command.append("--convert-attention-to-xsa")
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
            if done.returncode:
                results[seed] = Result(error=first_error(done))
                continue
            with np.load(folder / "out.npz") as file:
                outputs = [file[f"out{i}"] for i in range(len(file.files))]
            results[seed] = Result(outputs, done.stderr.partition("attention in ")[2])
    return results


def compare(outputs, want, tolerance: float) -> str:
    for i, (got, expected) in enumerate(zip(outputs, want, strict=True)):
        error = np.max(np.abs(np.float64(got) - expected), initial=0)
        if not error <= tolerance * max(1.0, np.max(np.abs(expected), initial=0)):
            return f"output {i} is wrong by {error:.2e}"
    return ""


def judge(model: Model, raised: Result, converted: Result) -> str:
    """What is wrong; empty if nothing is."""
    if raised.error:
        return f"raise fails: {raised.error}"
    if wrong := compare(raised.outputs, model.own, model.tolerance):
        return f"raised, {wrong}"
    if raised.count_raised() < model.must_raise and not model.dynamic:
        return f"raises {raised.count_raised()} of {model.must_raise}: {raised.why}"
    if converted.error:
        return f"convert fails: {converted.error}"
    made, found = converted.count("made exclusive"), converted.count("exclusive in the model")
    if model.dynamic and made < model.exclusive:
        return ""
    if made != model.exclusive:
        return f"makes {made} exclusive instead of {model.exclusive}: {converted.why}"
    if found != model.already and not (model.dynamic and found < model.already):
        return f"finds {found} exclusive, not {model.already}: {converted.why}"
    if wrong := compare(converted.outputs, model.xsa, model.tolerance):
        return f"converted, {wrong}"
    return ""


def check(task) -> list[tuple[int, Model, str]]:
    run, tool, seeds = task
    models = {seed: make_model(seed) for seed in seeds}
    raised, converted = (run(tool, pipeline, models) for pipeline in PIPELINES)
    wrong = {seed: judge(m, raised[seed], converted[seed]) for seed, m in models.items()}
    return [(seed, models[seed], why) for seed, why in wrong.items() if why]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", help="xsa-opt, or xsa-run with --execute")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=100, help="number of seeds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--execute", action="store_true", help="compile and run")
    parser.add_argument("--keep", type=pathlib.Path, help="folder to write failing models to")
    args = parser.parse_args()
    first, last = args.first, args.first + args.count
    size = 1 if args.execute else 25
    batches = [range(i, min(i + size, last)) for i in range(first, last, size)]
    run = execute if args.execute else interpret
    failures = collections.Counter()
    with multiprocessing.Pool(args.jobs) as pool:
        for wrong in pool.imap(check, [(run, args.tool, batch) for batch in batches]):
            for seed, model, why in wrong:
                failures[why.partition(":")[0]] += 1
                print(f"seed {seed}: {why}\n    {', '.join(model.label)}", flush=True)
                if args.keep:
                    args.keep.mkdir(parents=True, exist_ok=True)
                    (args.keep / f"{seed}.mlir").write_text(model.text)
                    arrays = {f"arg{i}": a for i, a in enumerate(model.arrays)}
                    np.savez(args.keep / f"{seed}.npz", **arrays)
    print(f"{args.count - failures.total()} of {args.count} models are right")
    return int(failures.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
