"""Counts how many attentions compilers recognise, by family of models, and writes docs/raise-rate.md.

    scripts/test-importers.sh                       # once: installs everything into .venv-importers
    PYTHONPATH=build/python .venv-importers/bin/python benchmarks/raise_rate.py [--only TEXT] [--write]

The models are in attention_models.py. Each of the three gets the same module and the same
example input, in float32 on the CPU, and its own way in. What counts is said in the page,
beside the table; --write puts both tables there, between the markers.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import importlib.metadata
import logging
import os
import pathlib
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/raise-rate.md"
sys.path.insert(0, str(ROOT / "benchmarks"))

# --------------------------------------------------------------------------------------
# The three
# --------------------------------------------------------------------------------------


def count_xsa(model, inputs, wanted: int) -> int:
    """Operations `xsa.attention` after raising what torch-mlir wrote."""
    from xsa import importers

    module = importers.from_torch(model, *inputs).raise_attention()
    return str(module).count(" xsa.attention ")


def count_inductor(model, inputs, wanted: int) -> int:
    """Fused attention operations that reach code generation."""
    import torch
    from torch._inductor import compile_fx

    torch._dynamo.reset()
    count = 0

    def instead_of_code(graph, *args, **kwargs):
        nonlocal count
        count += sum("scaled_dot_product" in str(n.target) for n in graph.graph.nodes)
        return graph.forward

    def backend(graph, example_inputs):
        return compile_fx.compile_fx(graph, example_inputs, inner_compile=instead_of_code)

    with torch.no_grad():
        torch.compile(model, backend=backend, fullgraph=True)(*inputs)
    return count


FUSED = {"Attention", "MultiHeadAttention", "GroupQueryAttention", "PackedAttention"}
FUSED |= {"PackedMultiHeadAttention", "DecoderMaskedMultiHeadAttention", "LongformerAttention"}
MODEL_TYPES = ("bert", "gpt2", "bart", "t5", "clip", "vit", "phi")


def count_fused(model_proto) -> int:
    graphs = [model_proto.graph]
    return sum(node.op_type in FUSED for graph in graphs for node in graph.node)


def export_onnx(model, inputs, path: pathlib.Path, dynamo: bool) -> None:
    import torch

    more = dict(dynamo=True, external_data=False) if dynamo else dict(dynamo=False)
    torch.onnx.export(model, inputs, str(path), opset_version=18 if dynamo else 17, **more)


def onnx_runtime_attempts(path: pathlib.Path):
    """Each way of ONNX Runtime to fuse attention, as a function that returns a count."""
    import attention_models as models
    import onnx
    import onnxruntime

    def session():
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.optimized_model_filepath = str(path.with_suffix(".session.onnx"))
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return count_fused(onnx.load(options.optimized_model_filepath))

    def transformers(kind: str):
        from onnxruntime.transformers import optimizer

        optimized = optimizer.optimize_model(
            str(path), model_type=kind, num_heads=models.HEADS, hidden_size=models.CHANNELS
        )
        return count_fused(optimized.model)

    def onnxscript():
        import onnx_ir
        from onnxscript.rewriter.ort_fusions import optimize_for_ort

        optimized, _ = optimize_for_ort(onnx_ir.load(str(path)))
        return count_fused(onnx_ir.to_proto(optimized))

    return [session, *(lambda kind=kind: transformers(kind) for kind in MODEL_TYPES), onnxscript]


def count_onnx_runtime(model, inputs, wanted: int) -> int:
    """The most that any of its ways fuses, of either exporter's file; enough is enough."""
    best, problem = None, None
    for dynamo in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.onnx")
            try:
                export_onnx(model, inputs, path, dynamo)
            except Exception as error:
                problem = error
                continue
            for attempt in onnx_runtime_attempts(path):
                try:
                    best = max(best or 0, attempt())
                except Exception as error:
                    problem = error
                if best and best >= wanted:
                    return best
    if best is None:
        raise problem
    return best


CONTESTANTS = {"XSA": count_xsa, "Inductor": count_inductor, "ONNX Runtime": count_onnx_runtime}

# --------------------------------------------------------------------------------------
# Running
# --------------------------------------------------------------------------------------


def measure(index: int, contestant: str) -> int | str:
    """A count, or what went wrong. Runs in a process of its own."""
    import attention_models as models
    import torch

    logging.disable(logging.CRITICAL)
    torch.manual_seed(0)
    try:
        spelling = models.SPELLINGS[index]
        model, inputs = spelling.make()
        with torch.no_grad():
            return CONTESTANTS[contestant](model, inputs, spelling.attentions)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def prepare_process() -> None:
    """For the process of a contestant. Exporters print whole graphs, some past Python."""
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


def measure_one(contestant: str, indices: list[int], spellings) -> dict:
    results = {}
    pool = concurrent.futures.ProcessPoolExecutor(1, initializer=prepare_process)
    for index in indices:
        try:
            result = pool.submit(measure, index, contestant).result(300)
        except Exception as error:  # the process died, or takes too long
            result = f"{type(error).__name__}: no result"
            pool.shutdown(wait=False, cancel_futures=True)
            pool = concurrent.futures.ProcessPoolExecutor(1, initializer=prepare_process)
        results[index, contestant] = result
        spelling = spellings[index]
        print(f"{contestant} | {spelling.family}: {spelling.name} | {result}", flush=True)
    pool.shutdown()
    return results


def measure_all(indices: list[int], contestants: list[str], spellings) -> dict:
    """Results by index and contestant; the contestants work side by side."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor() as threads:
        for part in threads.map(lambda c: measure_one(c, indices, spellings), contestants):
            results |= part
    return results


# --------------------------------------------------------------------------------------
# Tables
# --------------------------------------------------------------------------------------


LOOK_ALIKE = "look-alike"


def is_right(spelling, result: int | str) -> bool:
    """All its attentions are recognised, or of a look-alike nothing is."""
    if spelling.attentions == 0:
        return result == 0
    return isinstance(result, int) and result >= spelling.attentions


def family_table(spellings, results) -> list[str]:
    """How many models of each family are right."""
    contestants = list(CONTESTANTS)
    lines = ["| family | models | " + " | ".join(contestants) + " |", "|---|---|" + "---|" * 3]
    families: dict[str, list[int]] = {}
    for index, spelling in enumerate(spellings):
        families.setdefault(spelling.family, []).append(index)
    totals = [0] * (len(contestants) + 1)
    for family, indices in families.items():
        counts = [sum(is_right(spellings[i], results[i, c]) for i in indices) for c in contestants]
        note = " (nothing may be found)" if family == LOOK_ALIKE else ""
        cells = map(str, [len(indices), *counts])
        lines.append(f"| {family}{note} | " + " | ".join(cells) + " |")
        totals = [a + b for a, b in zip(totals, [len(indices), *counts])]
    lines.append("| **all** | " + " | ".join(f"**{n}**" for n in totals) + " |")
    return lines


def describe(spelling, result: int | str) -> str:
    if isinstance(result, str):
        return "failed"
    if is_right(spelling, result):
        return "yes" if spelling.attentions else "nothing found"
    if spelling.attentions == 0:
        return f"**{result} found**"
    return f"{result} of {spelling.attentions}" if result else "no"


def model_table(spellings, results) -> list[str]:
    contestants = list(CONTESTANTS)
    lines = ["| family | model | " + " | ".join(contestants) + " |", "|---|---|" + "---|" * 3]
    for index, spelling in enumerate(spellings):
        cells = [describe(spelling, results[index, c]) for c in contestants]
        lines.append(f"| {spelling.family} | {spelling.name} | " + " | ".join(cells) + " |")
    return lines


def write_page(spellings, results) -> None:
    versions = ", ".join(
        f"{package} {importlib.metadata.version(package)}"
        for package in ("torch", "torch-mlir", "onnxruntime", "onnxscript", "onnx", "transformers")
    )
    text = PAGE.read_text()
    parts = {
        "families": [
            f"{datetime.date.today()}: {versions}.",
            "",
            *family_table(spellings, results),
        ],
        "models": model_table(spellings, results),
    }
    for name, lines in parts.items():
        begin, end = f"<!-- generated: {name} -->\n", f"<!-- end: {name} -->"
        head, _, rest = text.partition(begin)
        _, _, tail = rest.partition(end)
        text = head + begin + "\n".join(lines) + "\n" + end + tail
    PAGE.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="families and models whose names contain this")
    parser.add_argument("--contestant", choices=CONTESTANTS, help="only this one")
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    args = parser.parse_args()
    if args.write and (args.only or args.contestant):
        parser.error("--write needs all models and contestants")

    import attention_models as models

    indices = [
        i for i, s in enumerate(models.SPELLINGS) if args.only in f"{s.family}: {s.name}"
    ]  # fmt: skip
    contestants = [args.contestant] if args.contestant else list(CONTESTANTS)
    results = measure_all(indices, contestants, models.SPELLINGS)
    if args.write:
        write_page(models.SPELLINGS, results)
    elif not args.contestant:
        chosen = [models.SPELLINGS[i] for i in indices]
        renumbered = {(indices.index(i), c): r for (i, c), r in results.items()}
        print("\n".join(family_table(chosen, renumbered)))


if __name__ == "__main__":
    main()
