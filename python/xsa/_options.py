"""Checks the options of the conversion and writes them as MLIR's pipelines take them."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from typing import Any, Union

import numpy as np

Layers = Union[str, int, Iterable[int]]

DENOMINATORS = ("l2_clamp", "sq_clamp", "sq_add", "raw")

# More layers than any model has.
_MOST_LAYERS = 2**31 - 1


def _format_layers(layers: Layers) -> str:
    if isinstance(layers, str):
        text = layers.replace(" ", "")
        if re.fullmatch(r"all|last:[0-9]+|[0-9]+(,[0-9]+)*", text) and all(
            len(number) <= 10 and _is_layer(int(number)) for number in re.findall(r"[0-9]+", text)
        ):
            return text
    else:
        chosen: list[Any] = list(layers) if isinstance(layers, Iterable) else [layers]
        if chosen and all(map(_is_layer, chosen)):
            return ",".join(str(int(number)) for number in chosen)
        layers = chosen
    raise ValueError(
        f"layers: expected 'all', 'last:N', or numbers of self attentions from 0, got {layers!r}"
    )


def _is_layer(number: Any) -> bool:
    is_integer = isinstance(number, numbers.Integral) and not isinstance(number, bool)
    return is_integer and 0 <= int(number) <= _MOST_LAYERS


def _format_number(name: str, value: float) -> str:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name}: expected a finite number, got {number}")
    return repr(number)


def _check_flag(name: str, value: bool) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected a bool, got {type(value).__name__}")
    return bool(value)


def format_options(
    layers: Layers | None,
    denominator: str | None,
    eps: float | None,
    strength: float | None,
    assume_self: bool,
    strict: bool,
) -> str:
    """The options as MLIR's pipelines take them."""
    options = []
    if layers is not None:
        options.append(f"layers={_format_layers(layers)}")
    if denominator is not None:
        if denominator not in DENOMINATORS:
            raise ValueError(
                f"denominator: expected one of {', '.join(DENOMINATORS)}, got {denominator!r}"
            )
        options.append(f"denominator={denominator}")
    if eps is not None:
        text = _format_number("eps", eps)
        if eps < 0:
            raise ValueError(f"eps: expected a number that is not negative, got {eps}")
        options.append(f"eps={text}")
    if strength is not None:
        options.append(f"strength={_format_number('strength', strength)}")
    if _check_flag("assume_self", assume_self):
        options.append("assume-self=true")
    if _check_flag("strict", strict):
        options.append("strict=true")
    return " ".join(options)
