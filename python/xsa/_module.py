"""Modules: loaded, converted, explained, compiled."""

from __future__ import annotations

import os

from . import _core
from ._compiled import CompiledModel
from ._errors import CompileError, make_diagnostics, warn_about
from ._explanation import Explanation, make_explanation
from ._options import Layers, format_options

_BYTECODE_MAGIC = b"ML\xefR"


class Module:
    """An MLIR module, made by :func:`load`.

    Methods may be called from several threads; those of one module, its clones
    included, then run one after another. The interpreter's lock is not held
    meanwhile.
    """

    def __init__(self, handle: _core.Module, name: str):
        self._handle = handle
        self._name = name
        self._explanation: Explanation | None = None

    @property
    def name(self) -> str:
        """The file the module was read from, or ``"<text>"``."""
        return self._name

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that have a body: what ``entry`` can be."""
        return tuple(self._handle.function_names())

    def clone(self) -> Module:
        """An independent copy. Large constants are shared."""
        copy = Module(self._handle.clone(), self._name)
        copy._explanation = self._explanation
        return copy

    __copy__ = clone

    def raise_attention(self, *, assume_self: bool = False, strict: bool = False) -> Module:
        """Turns every attention it recognises into ``xsa.attention``; results stay.

        What an importer wrote (TOSA, ``tm_tensor``, private functions, globals)
        is brought to linalg on tensors on the way.

        Args:
            assume_self: taken so that both conversions can be called alike;
                raising itself assumes nothing.
            strict: leave attention alone where raising it may change its results
                beyond rounding.

        Returns:
            The module itself, changed.

        Raises:
            CompileError: the module holds something that cannot be read; it is
                then as it was before.
        """
        options = format_options(None, None, None, None, assume_self, strict)
        return self._transform("raising", options)

    def convert_attention(
        self,
        layers: Layers | None = None,
        *,
        denominator: str | None = None,
        eps: float | None = None,
        strength: float | None = None,
        assume_self: bool = False,
        strict: bool = False,
    ) -> Module:
        """Makes self attentions exclusive: ``z = y - strength (y.v) / n(v) v``.

        This changes what the model computes, as asked for; a pretrained model
        needs fine-tuning afterwards. Only attention that is proven to be self
        attention is converted; :meth:`explain` tells what was left and why.

        Args:
            layers: which self attentions, in program order: ``"all"`` (the
                default), ``"last:4"``, ``"0,3,7"``, a number or numbers.
            denominator: ``n(v)``, one of ``"l2_clamp"`` (``max(|v|, eps)^2``, the
                default), ``"sq_clamp"`` (``max(|v|^2, eps)``), ``"sq_add"``
                (``|v|^2 + eps``), ``"raw"`` (``|v|^2``).
            eps: the number in the denominator; by default 1e-12 for ``"l2_clamp"``, 1e-6
                for ``"sq_clamp"`` and ``"sq_add"``.
            strength: how much of the component is removed, 1 by default.
            assume_self: take query, key and value that are arguments of the
                function for those of one sequence.
            strict: leave attention alone where raising it may change its results
                beyond rounding.

        Returns:
            The module itself, changed.

        Raises:
            TypeError, ValueError: an option is not as described.
            CompileError: the conversion failed; the module is as it was before.
        """
        options = format_options(layers, denominator, eps, strength, assume_self, strict)
        return self._transform("conversion", options)

    def explain(self) -> Explanation:
        """Tells what was found and what became of it. The module is not changed.

        After :meth:`convert_attention` or :meth:`raise_attention` this is what the
        last of them did, otherwise what ``convert_attention()`` would do. For what
        other options would do: ``module.clone().convert_attention(...).explain()``.
        """
        if self._explanation is not None:
            return self._explanation
        report, problems = self._handle.try_transform(True, "")
        if report is None:
            raise CompileError(make_diagnostics(problems))
        return make_explanation(report, "preview")

    def compile(
        self,
        entry: str = "main",
        *,
        threads: int | None = None,
        opt_level: int = 3,
    ) -> CompiledModel:
        """Compiles a function for this machine's processor.

        The module is not changed. Attention that is not raised yet is raised in a
        copy first, so a model can be compiled as an importer wrote it.

        Args:
            entry: name of the function.
            threads: threads that a call uses, the caller's included, up to 1024; by
                default one per available core.
            opt_level: LLVM's optimization level, 0 to 3.

        Raises:
            TypeError, ValueError: an argument is not as described; a missing
                ``entry`` is a ValueError.
            CompileError: the module could not be compiled.
        """
        functions = self.functions
        if not isinstance(entry, str):
            raise TypeError(f"entry: expected a str, got {type(entry).__name__}")
        if entry not in functions:
            names = ", ".join(map(repr, functions)) or "none"
            raise ValueError(f"entry: expected a function of the module ({names}), got {entry!r}")
        count = 0 if threads is None else _check_integer("threads", threads, 1, _core.max_threads)
        _check_integer("opt_level", opt_level, 0, 3)
        handle, problems = self._handle.compile(entry, count, opt_level)
        if handle is None:
            raise CompileError(make_diagnostics(problems))
        return CompiledModel(handle, entry)

    def text(self, elide_above: int | None = None) -> str:
        """The module as MLIR text, the same as ``str(module)``.

        Args:
            elide_above: leave out constants with more elements than this. The text
                is then for reading: it cannot be loaded again.
        """
        if elide_above is None:
            return self._handle.text(-1)
        return self._handle.text(_check_integer("elide_above", elide_above, 0, 2**62))

    def bytecode(self) -> bytes:
        """The module as MLIR bytecode, which :func:`load` and MLIR's tools read."""
        return self._handle.bytecode()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<xsa.Module {self._name!r} with functions {', '.join(self.functions) or 'none'}>"

    def _transform(self, kind: str, options: str) -> Module:
        report, problems = self._handle.transform(kind == "conversion", options)
        if report is None:
            raise CompileError(make_diagnostics(problems))
        self._explanation = make_explanation(report, kind)
        warn_about(self._explanation.diagnostics, stacklevel=3)
        return self


def _check_integer(name: str, value: int, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: expected an int, got {type(value).__name__}")
    if not least <= value <= most:
        raise ValueError(f"{name}: expected {least} to {most}, got {value}")
    return value


def _is_path(source: str) -> bool:
    """Whether a string that may be MLIR text or a path is meant as a path."""
    if "\n" in source or "{" in source or "\0" in source:
        try:
            return os.path.isfile(source)
        except ValueError:
            return False
    return True


def load(source: str | os.PathLike[str] | bytes) -> Module:
    """Reads a module: a file, MLIR text, or MLIR bytecode.

    Args:
        source: a path (text or bytecode in the file); MLIR text, which is a str
            with a newline or a brace in it that names no file; or the bytes of
            either form.

    Raises:
        OSError: the file cannot be opened (FileNotFoundError and the like).
        TypeError, ValueError: the source is none of these, or text with surrogates.
        CompileError: it is not a valid module. ``diagnostics`` says where and why:
            an operation that nobody knows is named with its dialect.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        name = "<bytecode>" if bytes(source[:4]) == _BYTECODE_MAGIC else "<text>"
        handle, problems = _core.Module.parse_bytes(bytes(source), name)
    elif isinstance(source, os.PathLike) or (isinstance(source, str) and _is_path(source)):
        name = os.fsdecode(os.fspath(source))
        # Python's own exceptions for what is wrong with a path.
        with open(name, "rb"):
            pass
        handle, problems = _core.Module.parse_file(name)
    elif isinstance(source, str):
        name = "<text>"
        try:
            source.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"source: expected text that UTF-8 can hold: {error}") from None
        handle, problems = _core.Module.parse_text(source, name)
    else:
        raise TypeError(f"source: expected a path, MLIR text or bytes, got {type(source).__name__}")
    if handle is None:
        raise CompileError(make_diagnostics(problems))
    return Module(handle, name)
