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
    """One attention that was found: an ``xsa.attention`` or ``xsa.exclude``."""

    operation: str
    """Name of the operation it is now."""
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
    remark: str
    """Why it was left as it was, or what else was said about it."""

    @property
    def converted(self) -> bool:
        """Whether the conversion made it exclusive."""
        return self.exclusive and not self.was_exclusive

    @property
    def status(self) -> str:
        """``"converted"``, ``"already exclusive"`` or ``"left as it was"``."""
        if self.converted:
            return "converted"
        return "already exclusive" if self.exclusive else "left as it was"

    def __str__(self) -> str:
        parts = [self.location or self.function, self.status]
        if self.exclusive:
            exclusion = self.denominator
            if self.denominator != "raw":
                exclusion += f", eps {self.eps:g}"
            if self.strength != 1.0:
                exclusion += f", strength {self.strength:g}"
            parts.append(f"({exclusion})")
        text = "  ".join(parts)
        return f"{text}: {self.remark}" if self.remark else text


@dataclass(frozen=True)
class Explanation:
    """What was found in a module, what was converted and what was refused.

    ``str()`` of it is made for reading.
    """

    attentions: tuple[Attention, ...]
    """All attentions that were recognised, in program order."""
    diagnostics: tuple[Diagnostic, ...]
    """Remarks about what was not recognised, and warnings."""
    performed: bool
    """Whether this was done to the module, or only would be."""

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
        """Those that are not exclusive; their ``remark`` says why."""
        return tuple(a for a in self.attentions if not a.exclusive)

    @property
    def refused(self) -> tuple[Diagnostic, ...]:
        """Places that looked like attention and were not recognised as one."""
        return tuple(d for d in self.diagnostics if d.severity == "remark")

    def __str__(self) -> str:
        made = "converted" if self.performed else "would be converted"
        already = len(self.already_exclusive)
        counts = [f"{_count(len(self.attentions), 'attention')} found"]
        counts.append(f"{len(self.converted)} {made} to exclusive self attention")
        if already:
            counts.append(f"{already} already exclusive")
        counts.append(f"{len(self.left_alone)} left as it was")
        lines = [", ".join(counts)]
        lines += [f"  {number}. {a}" for number, a in enumerate(self.attentions)]
        if self.refused:
            lines.append(f"{_count(len(self.refused), 'place')} not recognised as attention")
            lines += _indent(self.refused)
        others = [d for d in self.diagnostics if d.severity != "remark"]
        return "\n".join(lines + _indent(others))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _indent(diagnostics: Iterable[Diagnostic]) -> list[str]:
    return ["  " + line for d in diagnostics for line in str(d).splitlines()]


def _make_attention(record: AttentionRecord) -> Attention:
    return Attention(
        operation=record.operation,
        function=record.function,
        location=f"{record.file}:{record.line}:{record.column}" if record.file else "",
        query=record.query,
        key=record.key,
        value=record.value,
        causal=record.causal,
        exclusive=record.exclusive,
        was_exclusive=record.was_exclusive,
        denominator=record.denominator,
        eps=record.eps,
        strength=record.strength,
        remark=record.remark,
    )


def make_explanation(report: TransformReport, performed: bool) -> Explanation:
    """The public form of a report of the extension."""
    return Explanation(
        attentions=tuple(_make_attention(record) for record in report.attentions),
        diagnostics=make_diagnostics(report.diagnostics),
        performed=performed,
    )
