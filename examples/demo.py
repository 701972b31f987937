"""Turns real models into exclusive self attention, runs them, and tells the story.

    .venv/bin/python examples/demo.py [--bin build/bin]

scripts/demo.sh builds what this needs and then runs it. For each model of
examples/models it shows the attentions that were found and what became of
them, one attention before and after, and how far the outputs are from the ones
that PyTorch gave. Exits with 1 if an output is wrong. Needs numpy.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent

MODELS = [
    ("gpt2", "GPT-2, two layers (Hugging Face transformers, eager attention)"),
    ("llama", "Llama, two layers, grouped heads, rotary embedding (Hugging Face transformers)"),
    (
        "decoder_layer",
        "torch.nn.TransformerDecoderLayer: a self and a cross attention of one length",
    ),
]

# Both outputs are f32 sums in some order or other; a wrong conversion is off by
# the size of the outputs, not by the last bits.
TOLERANCE = 5e-5


class Style:
    """ANSI colours, if somebody is looking."""

    def __init__(self, on: bool):
        self.on = on

    def _wrap(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.on else text

    def title(self, text: str) -> str:
        return self._wrap("1;36", text)

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        return self._wrap("2", text)

    def good(self, text: str) -> str:
        return self._wrap("32", text)

    def bad(self, text: str) -> str:
        return self._wrap("1;31", text)


STYLE = Style(sys.stdout.isatty() and "NO_COLOR" not in os.environ)


def run(command: list) -> subprocess.CompletedProcess:
    """Runs a tool; what it says on failure is the demo's last word."""
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{result.stderr.strip()}")
    return result


# --- Reading what the tools write ----------------------------------------------


def report(text: str) -> list[str]:
    """The lines of the table that the option `report` prints, without its heading."""
    lines = text[text.index("attention in @") :].splitlines()
    return lines[1:]


def attentions(ir: str) -> list[str]:
    """The xsa.attention operations in `ir`, one line each."""
    return [line.strip() for line in ir.splitlines() if re.search(r"= xsa\.attention\b", line)]


def abridge_source(lines: list[str]) -> list[str]:
    """Operations at function level, one line each: name, operation, what the body does, type."""
    short, body, head = [], [], None
    for line in lines:
        text = line.strip()
        if head is not None:
            if text.startswith("}"):
                result = text.partition("->")[2].strip()
                short.append(row(*head, ", ".join(body), result))
                head, body = None, []
            elif match := re.match(r"%\S+ = (?:arith|math|linalg)\.(\S+)", text):
                body.append(match[1])
            continue
        match = re.match(r"(%[\w:]+) = ([\w.]+)", text)
        if not match:
            continue
        if re.search(r"\{$", text):
            head = match.groups()
            continue
        result = re.split(r" -> | into | : ", text)[-1]
        short.append(row(*match.groups(), "", result))
    return short


def row(name: str, operation: str, body: str, result: str) -> str:
    does = f"{operation} {{{body}}}" if body else operation
    return f"{name:14} = {does:62} {result}"


def first_attention_source(source: str) -> tuple[int, int, list[str]]:
    """Lines from the first scores to the weighted values, as the importer wrote them."""
    lines = source.splitlines()
    first, second = [n for n, text in enumerate(lines) if "linalg.batch_matmul" in text][:2]
    return first + 1, second + 1, abridge_source(lines[first : second + 1])


def break_attention(operation: str) -> list[str]:
    """One xsa.attention over several lines, at its keywords, its numbers short."""
    operation = re.sub(r"indexing_maps = \[[^\]]*\]", "indexing_maps = [...]", operation)
    operation = re.sub(
        r"= (\d[\d.]*(?:E[-+]?\d+)?)(?=[,>} ])",
        lambda m: f"= {float(m[1]):g}",
        operation,
        flags=re.I,
    )
    keywords = (
        "ins|self_value|mask|bias|sinks|strength|key_lengths|key_begin|key_end|query_offset|outs"
    )
    parts = re.split(rf" (?=(?:{keywords})\()", operation)
    return [parts[0]] + ["    " + part for part in parts[1:]]


# --- The steps -------------------------------------------------------------------


def convert(opt: pathlib.Path, model: pathlib.Path) -> tuple[str, list[str]]:
    """The model converted, and the report of the conversion."""
    converted = run([opt, model, "--convert-attention-to-xsa=report=true"])
    return converted.stdout, report(converted.stderr)


def execute(tool: pathlib.Path, model: pathlib.Path, recorded, prefix: str, flags: list[str]):
    """Runs the model; returns its error against the recording, its output and the statistics."""
    with tempfile.TemporaryDirectory() as folder:
        inputs, outputs, stats = (
            f"{folder}/{name}" for name in ("in.npz", "out.npz", "stats.json")
        )
        np.savez(inputs, **{k: recorded[k] for k in recorded.files if k.startswith("arg")})
        run(
            [tool, model, "--entry", "main", "--inputs", inputs, "--outputs", outputs]
            + ["--target", "cpu", "--repeat", "20", "--stats", stats, *flags]
        )
        with np.load(outputs) as result:
            output = result["out0"]
        want = recorded[f"{prefix}0"]
        error = float(np.max(np.abs(output.astype(np.float64) - want)))
        return error, output, json.loads(pathlib.Path(stats).read_text())


def show_one_attention(model: pathlib.Path, converted: str) -> None:
    first, last, source = first_attention_source(model.read_text())
    print(f"\n  One attention before: {model.name}, lines {first} to {last}, a line per operation")
    print(STYLE.dim(textwrap.indent("\n".join(source), "    ")))
    print("\n  The same attention after, now exclusive")
    exclusive = next(a for a in attentions(converted) if "exclusion = " in a)
    print(STYLE.bold(textwrap.indent("\n".join(break_attention(exclusive)), "    ")))


def start_runs(pool: concurrent.futures.Executor, args, name: str) -> dict:
    """The model as it was and made exclusive, each with the recording it is compared with."""
    model, recorded = args.models / f"{name}.mlir", np.load(args.models / f"{name}.npz")
    tool = args.bin / "xsa-run"
    return {
        "as it was": (
            pool.submit(execute, tool, model, recorded, "out", []),
            recorded["out0"],
        ),
        "exclusive": (
            pool.submit(execute, tool, model, recorded, "xsa", ["--convert-attention-to-xsa"]),
            recorded["xsa0"],
        ),
    }


def show_runs(runs: dict) -> bool:
    """Prints how the runs went; whether all outputs were right."""
    good, outputs = True, []
    for what, (running, want) in runs.items():
        error, output, stats = running.result()
        outputs.append(output.astype(np.float64))
        right = error <= TOLERANCE * max(1.0, float(np.max(np.abs(want))))
        good &= right
        print(
            f"  {what:10} {STYLE.good('ok   ') if right else STYLE.bad('WRONG')}"
            f" largest error {error:.1e} against PyTorch,"
            f" {min(stats['times_s']) * 1e3:.3f} ms a call, compiled in {stats['compile_s']:.1f} s"
        )
    moved = float(np.max(np.abs(outputs[0] - outputs[1])))
    print(STYLE.dim(f"  (exclusion moved the model's outputs by up to {moved:.2f})"))
    return good


def show_model(args, name: str, title: str, runs: dict, in_full: bool) -> bool:
    model = args.models / f"{name}.mlir"
    print("\n" + STYLE.title(title))
    converted, table = convert(args.bin / "xsa-opt", model)
    print("\n".join(table[:-1] + [STYLE.dim(f"  {table[-1]}")]))
    if in_full:
        show_one_attention(model, converted)
    print(flush=True)
    return show_runs(runs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent / "build/bin")
    parser.add_argument("--models", type=pathlib.Path, default=HERE / "models")
    args = parser.parse_args()

    print(
        STYLE.bold("Exclusive self attention (XSA)")
        + " takes out of each token's attention output the part that"
    )
    print(
        "points along the token's own value:  z = y - (y.v)/(v.v) v.   Here that is done to models"
    )
    print("as an importer (torch-mlir) wrote them, without touching their source.")

    good = True
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {name: start_runs(pool, args, name) for name, _ in MODELS}
        for number, (name, title) in enumerate(MODELS):
            good &= show_model(args, name, title, runs[name], in_full=number == 0)

    print(
        "\n"
        + STYLE.bold("Note: ")
        + "the conversion changes what a model computes, as asked for. A pretrained model"
    )
    print("needs fine-tuning after it. These models have random weights; PyTorch's outputs beside")
    print("them were recorded with the same exclusion written in PyTorch.")
    print("\nNext: the README's first example of your own, or  build/bin/xsa-opt --help")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
