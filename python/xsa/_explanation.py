"""What became of each attention of a module, to read or to compute with."""

from __future__ import annotations

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
    features: tuple[str, ...]
    """Masks, biases, groups of heads and so on, in words: ``"causal"``, ``"mask"``, ..."""
    layer: int | None
    """The number that ``convert_attention(layers=...)`` counts it by; only self attentions
    have one, and only after a conversion or in a preview."""
    exclusive: bool
    """Whether it is in the exclusive form."""
    was_exclusive: bool
    """Whether the model itself had written it so."""
    denominator: str
    """``"l2_clamp"``, ``"sq_clamp"``, ``"sq_add"`` or ``"raw"``; ``""`` if not exclusive."""
    eps: float
    strength: float
    reason: str
    """Why it was not made exclusive, or not raised; ``""`` if it was, or if nobody asked."""

    @property
    def causal(self) -> bool:
        """Whether each row sees only the keys up to its own position."""
        return "causal" in self.features

    @property
    def converted(self) -> bool:
        """Whether the conversion made it exclusive."""
        return self.exclusive and not self.was_exclusive

    def __str__(self) -> str:
        text = self.location or f"in {self.function}"
        if not self.operation.startswith("xsa."):
            return f"{text}  left alone: {self.reason}"
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
    refused: tuple[Attention, ...]
    """Places that looked like attention and were not recognised as one; their ``reason``
    names the first condition that failed."""
    diagnostics: tuple[Diagnostic, ...]
    """Warnings."""

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

    def __str__(self) -> str:
        counts = [f"{_count(len(self.attentions), 'attention')} found"]
        if self.kind != "raising":
            would_be = "would be " if self.kind == "preview" else ""
            counts.append(f"{len(self.converted)} {would_be}made exclusive")
        if self.already_exclusive:
            counts.append(f"{len(self.already_exclusive)} exclusive in the model")
        if self.left_alone and self.kind != "raising":
            counts.append(f"{len(self.left_alone)} not exclusive")
        lines = [", ".join(counts)]
        lines += [f"  {number}. {a}" for number, a in enumerate(self.attentions)]
        if self.refused:
            lines.append(f"{_count(len(self.refused), 'place')} not recognised as attention")
            lines += [f"  {a}" for a in self.refused]
        lines += ["  " + line for d in self.diagnostics for line in str(d).splitlines()]
        return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _make_attention(record: AttentionRecord) -> Attention:
    return Attention(
        operation=record.operation,
        function=record.function,
        location=f"{record.file}:{record.line}:{record.column}" if record.file else "",
        query=record.query,
        key=record.key,
        value=record.value,
        features=tuple(record.features),
        layer=record.layer,
        exclusive=record.exclusive,
        was_exclusive=record.was_exclusive,
        denominator=record.denominator,
        eps=record.eps,
        strength=record.strength,
        reason=record.reason,
    )


def make_explanation(report: TransformReport, kind: str) -> Explanation:
    """The public form of a report of the extension."""
    return Explanation(
        kind=kind,
        attentions=tuple(map(_make_attention, report.attentions)),
        refused=tuple(map(_make_attention, report.refused)),
        diagnostics=make_diagnostics(report.diagnostics),
    )
