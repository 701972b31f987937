"""What became of each attention of a module, to read or to compute with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._errors import Diagnostic, make_diagnostics

if TYPE_CHECKING:
    from ._core import AttentionRecord, TransformReport


@dataclass(frozen=True)
class Attention:
    """One attention that was found."""

    operation: str
    """What it is now: ``"xsa.attention"``; or ``"xsa.exclude"`` where a model excludes
    by itself and its attention was not recognised."""
    function: str
    """The function it stands in."""
    location: str
    """``"file:line:column"`` in the source, or ``""``."""
    query: str
    """Types of query, key and value, as MLIR writes them (``""`` if there is none)."""
    key: str
    value: str
    causal: bool
    exclusive: bool
    """Whether it is in the exclusive form."""
    was_exclusive: bool
    """Whether the model itself had written it so."""
    denominator: str
    """``"l2_clamp"``, ``"sq_clamp"``, ``"sq_add"`` or ``"raw"``; ``""`` if not exclusive."""
    eps: float
    strength: float
    reason: str
    """Why it was not made exclusive; ``""`` if it was, or if nobody asked."""

    @property
    def converted(self) -> bool:
        """Whether the conversion made it exclusive."""
        return self.exclusive and not self.was_exclusive

    def __str__(self) -> str:
        text = self.location or f"in {self.function}"
        if not self.exclusive:
            return f"{text}  not exclusive" + (f": {self.reason}" if self.reason else "")
        exclusion = self.denominator
        if self.denominator != "raw":
            exclusion += f", eps {self.eps:g}"
        if self.strength != 1.0:
            exclusion += f", strength {self.strength:g}"
        form = "exclusive in the model" if self.was_exclusive else "made exclusive"
        return f"{text}  {form} ({exclusion})"


@dataclass(frozen=True)
class Explanation:
    """What was found in a module, what was converted and what was refused.

    ``str()`` of it is made for reading.
    """

    kind: str
    """What is told: ``"preview"`` (what ``convert_attention()`` would do),
    ``"conversion"`` or ``"raising"`` (what was done)."""
    attentions: tuple[Attention, ...]
    """All attentions that were recognised, in program order."""
    diagnostics: tuple[Diagnostic, ...]
    """Remarks about what was not recognised, and warnings."""

    @property
    def converted(self) -> tuple[Attention, ...]:
        """Those that the conversion made exclusive."""
        return tuple(a for a in self.attentions if a.converted)

    @property
    def already_exclusive(self) -> tuple[Attention, ...]:
        """Those that the model itself had written in the exclusive form."""
        return tuple(a for a in self.attentions if a.was_exclusive)

    @property
    def left_alone(self) -> tuple[Attention, ...]:
        """Those that are not exclusive; their ``reason`` says why."""
        return tuple(a for a in self.attentions if not a.exclusive)

    @property
    def refused(self) -> tuple[Diagnostic, ...]:
        """Places that looked like attention and were not recognised as one."""
        return tuple(d for d in self.diagnostics if d.severity == "remark")

    def __str__(self) -> str:
        counts = [f"{_count(len(self.attentions), 'attention')} found"]
        if self.kind != "raising":
            would_be = "would be " if self.kind == "preview" else ""
            counts.append(f"{len(self.converted)} {would_be}made exclusive")
        if self.already_exclusive:
            counts.append(f"{len(self.already_exclusive)} exclusive in the model")
        if self.left_alone and self.kind != "raising":
            counts.append(f"{len(self.left_alone)} left alone")
        lines = [", ".join(counts)]
        lines += [f"  {number}. {a}" for number, a in enumerate(self.attentions)]
        if self.refused:
            lines.append(f"{_count(len(self.refused), 'place')} not recognised as attention")
            lines += _indent(self.refused)
        lines += _indent(d for d in self.diagnostics if d.severity != "remark")
        return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _indent(diagnostics: Iterable[Diagnostic]) -> list[str]:
    return ["  " + line for d in diagnostics for line in str(d).splitlines()]


def _make_attention(record: AttentionRecord, kind: str) -> Attention:
    reason = record.remark.removeprefix("attention not made exclusive: ")
    if not (reason or record.exclusive or kind == "raising"):
        reason = "it is not among the layers that were chosen"
    return Attention(
        operation=record.operation,
        function=record.function,
        location=f"{record.file}:{record.line}:{record.column}" if record.file else "",
        query=record.query,
        key=record.key,
        value=record.value,
        causal=record.causal,
        exclusive=record.exclusive,
        was_exclusive=record.was_exclusive or (record.exclusive and kind == "raising"),
        denominator=record.denominator,
        eps=record.eps,
        strength=record.strength,
        reason=reason,
    )


def make_explanation(report: TransformReport, kind: str) -> Explanation:
    """The public form of a report of the extension."""
    return Explanation(
        kind=kind,
        attentions=tuple(_make_attention(record, kind) for record in report.attentions),
        diagnostics=make_diagnostics(report.diagnostics),
    )
