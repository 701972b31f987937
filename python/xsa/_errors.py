"""Diagnostics of the compiler, and the exceptions that carry them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import DiagnosticRecord


@dataclass(frozen=True)
class Diagnostic:
    """Something the compiler said about a place in a module."""

    severity: str
    """``"error"``, ``"warning"``, ``"remark"`` or ``"note"``."""
    message: str
    file: str | None = None
    """The source file, or None where the place is not known."""
    line: int | None = None
    column: int | None = None
    notes: tuple[Diagnostic, ...] = field(default=())

    @property
    def location(self) -> str:
        """``"file:line:column"``, or ``""`` where the place is not known."""
        return "" if self.file is None else f"{self.file}:{self.line}:{self.column}"

    def __str__(self) -> str:
        place = f"{self.location}: " if self.file is not None else ""
        lines = [f"{place}{self.severity}: {self.message}"]
        lines.extend(str(note) for note in self.notes)
        return "\n".join(lines)


class Error(Exception):
    """What all exceptions of this package are, beside wrong arguments.

    Those are TypeError and ValueError, as everywhere in Python.
    """


class CompileError(Error):
    """A module could not be read, converted or compiled."""

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        super().__init__(diagnostics)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        """What the compiler said, in its order."""

    def __str__(self) -> str:
        return "\n".join(str(diagnostic) for diagnostic in self.diagnostics)


class ExecutionError(Error, RuntimeError):
    """A check inside a compiled model failed, or memory ran out, during a call."""


def make_diagnostics(records: Iterable[DiagnosticRecord]) -> tuple[Diagnostic, ...]:
    """The public form of what the extension recorded."""
    return tuple(
        Diagnostic(
            record.severity,
            record.message,
            record.file or None,
            record.line if record.file else None,
            record.column if record.file else None,
            make_diagnostics(record.notes),
        )
        for record in records
    )


def warn_about(diagnostics: Iterable[Diagnostic], stacklevel: int) -> None:
    """Passes the compiler's warnings on to Python's."""
    for diagnostic in diagnostics:
        if diagnostic.severity == "warning":
            warnings.warn(str(diagnostic), stacklevel=stacklevel + 1)
