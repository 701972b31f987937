"""Models from PyTorch, JAX and ONNX, through torch-mlir (``pip install torch-mlir``).

    from xsa import importers

    module = importers.from_torch(model, tokens)
    module = importers.from_jax(jax.jit(function).lower(x))
    module = importers.from_onnx("model.onnx")

Each function runs the importers that PyPI has and loads what they write, and knows what
to change on the way; docs/importing.md of the project tells what that is. A framework
is imported when one of them is called: ``import xsa`` needs none.

On the command line, for ``xsa-opt`` and ``xsa-run``::

    python -m xsa.importers model.onnx -o model.mlir
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._module import Module, load

if TYPE_CHECKING:
    import jax
    import onnx
    import torch

__all__ = ["ImporterError", "from_jax", "from_onnx", "from_torch"]

# ONNX operations that torch-mlir does not know but ONNX defines by others.
_EXPANDED_OPERATIONS = {"Attention"}

_ONNX_TO_LINALG = (
    "builtin.module(torch-onnx-to-torch-backend-pipeline{"
    "backend-legal-ops=aten.flatten.using_ints,aten.unflatten.int},"
    "torch-backend-to-linalg-on-tensors-backend-pipeline)"
)


class ImporterError(Error):
    """The importer of another project failed; the message is its own."""


def from_torch(
    model: torch.nn.Module | torch.export.ExportedProgram, *args: Any, **options: Any
) -> Module:
    """The model as ``torch.export`` sees it when called with ``args``.

    Args:
        model: a module in the mode that is meant (``model.eval()``), or what
            ``torch.export.export`` made of one; then there are no ``args``.
        args: example inputs. Their values do not matter, their types and shapes do.
        options: those of ``torch_mlir.fx.export_and_import``, such as
            ``dynamic_shapes`` and ``func_name``.

    Raises:
        ImportError: torch or torch-mlir is not installed.
        ImporterError: torch-mlir cannot import the model.
        CompileError: what it wrote cannot be read.
    """
    _require("torch", "torch_mlir")
    import torch
    from torch_mlir import fx

    try:
        if not isinstance(model, torch.export.ExportedProgram):
            shapes = options.pop("dynamic_shapes", None)
            model = torch.export.export(model, args, dynamic_shapes=shapes)
        module = fx.export_and_import(
            _prepare(model), output_type="linalg-on-tensors", decomposition_table={}, **options
        )
    except Exception as error:
        raise ImporterError(f"torch-mlir could not import the model: {error}") from error
    return load(str(module))


def from_jax(lowered: jax.stages.Lowered | jax.export.Exported | str) -> Module:
    """A function as JAX lowers it.

    Args:
        lowered: ``jax.jit(function).lower(*args)``, or ``jax.export``'s form of it
            (also deserialized), or the StableHLO text of either.

    Raises:
        ImportError: torch-mlir is not installed.
        ImporterError: torch-mlir cannot convert the StableHLO to linalg.
        CompileError: an operation is left that it did not convert.
    """
    if isinstance(lowered, str):
        text = lowered
    elif hasattr(lowered, "mlir_module"):
        text = str(lowered.mlir_module())
    elif hasattr(lowered, "as_text"):
        text = lowered.as_text()
    else:
        raise TypeError(
            "lowered: expected jax.jit(...).lower(...), jax.export's Exported or text, "
            f"got {type(lowered).__name__}"
        )
    # How precisely a dot is to be computed. Its types say as much here, and
    # torch-mlir does not convert dots that have the clause.
    text = re.sub(r", algorithm = <[^<>]*>", "", text)
    return load(_write_loops(_run_torch_mlir_opt(text, "--stablehlo-legalize-to-linalg")))


def from_onnx(model: onnx.ModelProto | str | os.PathLike[str]) -> Module:
    """An ONNX model; the function is called ``main``.

    Args:
        model: a file, its external data beside it, or a loaded model.

    Raises:
        ImportError: onnx or torch-mlir is not installed.
        ImporterError: torch-mlir cannot import the model.
        CompileError: what it wrote cannot be read.
    """
    _require("onnx", "torch_mlir")
    import onnx
    from torch_mlir import ir
    from torch_mlir.dialects import torch as torch_dialect
    from torch_mlir.extras import onnx_importer

    if not isinstance(model, onnx.ModelProto):
        model = onnx.load(os.fspath(model))
    config = onnx_importer.Config()
    config.function_expansion_allowlists_by_domain[""] |= _EXPANDED_OPERATIONS
    try:
        model = onnx.shape_inference.infer_shapes(model)
        model.graph.name = "main"
        context = ir.Context()
        torch_dialect.register_dialect(context)
        info = onnx_importer.ModelInfo(model, config=config)
        module = info.create_module(context=context).operation
        onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
        text = module.get_asm(assume_verified=True)
    except Exception as error:
        raise ImporterError(f"torch-mlir could not import the model: {error}") from error
    return load(_run_torch_mlir_opt(text, f"--pass-pipeline={_ONNX_TO_LINALG}"))


def _prepare(program: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    """What torch-mlir does first, with two things put right that make it fail."""
    import torch
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    # Attention that is decomposed has another memory layout than the kernel that the
    # program was traced with, and what was a view of its result has to be a copy.
    for node in program.graph.nodes:
        if node.target is torch.ops.aten.view.default:
            node.target = torch.ops.aten.reshape.default
    program = program.run_decompositions(get_decomposition_table())
    # Buffers with persistent=False are among the constants; they are looked for in
    # the state.
    for name in program.graph_signature.non_persistent_buffers:
        program.state_dict[name] = program.constants[name]
    return program


@dataclasses.dataclass
class _Loop:
    indent: str
    names: list[str]
    types: str
    in_body: bool = False


_LOOP = re.compile(r"(.* = )?stablehlo\.while\((.*)\) : (.*)")


def _write_loops(text: str) -> str:
    """``stablehlo.while``, which torch-mlir leaves as it is (layers under ``lax.scan`` or
    ``lax.fori_loop``), as ``scf.while``: the same regions, but whether to go on is no tensor."""
    lines: list[str] = []
    loops: list[_Loop] = []  # those that are open
    for number, line in enumerate(text.splitlines()):
        code = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        if match := _LOOP.fullmatch(code):
            results, starts, types = match.groups()
            loops.append(_Loop(indent, re.findall(r"(%[\w$.-]+) = ", starts), types))
            line = f"{indent}{results or ''}scf.while ({starts}) : ({types}) -> ({types}) {{"
        elif loops:
            loop = loops[-1]
            if line == f"{loop.indent}cond {{":
                continue
            if code.startswith("stablehlo.return "):
                value, _, of = code.removeprefix("stablehlo.return ").partition(" : ")
                line = f"{indent}scf.yield {value} : {of}"
                if not loop.in_body:
                    lines.append(f"{indent}%go_on{number} = tensor.extract {value}[] : {of}")
                    names = ", ".join(loop.names)
                    line = f"{indent}scf.condition(%go_on{number}) {names} : {loop.types}"
            elif line == f"{loop.indent}}} do {{":
                loop.in_body = True
                lines.append(line)
                types = re.findall(r"tensor<[^<>]*>", loop.types)
                named = zip(loop.names, types, strict=True)
                line = f"{loop.indent}^bb0({', '.join(f'{n}: {t}' for n, t in named)}):"
            elif line == f"{loop.indent}}}":
                loops.pop()
        lines.append(line)
    return "\n".join(lines) + "\n"


def _require(*packages: str) -> None:
    for package in packages:
        if importlib.util.find_spec(package) is None:
            name = package.replace("_", "-")
            raise ImportError(f"{name} is not installed (pip install {name})", name=package)


def _run_torch_mlir_opt(text: str, *options: str) -> str:
    _require("torch_mlir")
    command = [sys.executable, "-m", "torch_mlir.tools.opt", *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error:" in line] or [done.stderr]
        raise ImporterError("torch-mlir-opt: " + "\n".join(line[:500] for line in errors))
    return done.stdout


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m xsa.importers",
        description="Brings a model to linalg on tensors through torch-mlir.",
    )
    parser.add_argument("model", type=pathlib.Path, help="ONNX, or StableHLO as text")
    parser.add_argument(
        "-o", "--output", type=pathlib.Path, required=True, help="MLIR file to write"
    )
    options = parser.parse_args(arguments)
    try:
        if options.model.suffix == ".onnx":
            module = from_onnx(options.model)
        else:
            module = from_jax(options.model.read_text())
        options.output.write_text(str(module))
    except (Error, ImportError, OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
