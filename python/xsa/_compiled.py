"""Compiled models: functions of numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import ExecutionError

Result = Union[NDArray[Any], tuple[NDArray[Any], ...]]


@dataclass(frozen=True)
class TensorType:
    """Element type and shape of an argument or a result."""

    dtype: str
    """As numpy calls it, or ``"bfloat16"``."""
    shape: tuple[int | None, ...]
    """None where any size is taken."""

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join('?' if s is None else str(s) for s in self.shape)}]"


class CompiledModel:
    """A function of a module, compiled; made by :meth:`Module.compile`.

    Calls may come from several threads at once: they run in parallel, and one of
    them at a time uses the threads of the model. The model keeps alive what it
    needs; results stay valid without it.
    """

    def __init__(self, handle: _core.CompiledEntry, entry: str):
        self._handle = handle
        self._entry = entry
        self._arguments = _make_types(handle.arguments)
        self._results = _make_types(handle.results)

    @property
    def entry(self) -> str:
        """Name of the function."""
        return self._entry

    @property
    def arguments(self) -> tuple[TensorType, ...]:
        """What a call takes."""
        return self._arguments

    @property
    def results(self) -> tuple[TensorType, ...]:
        """What a call gives. bfloat16 results arrive as float32 arrays."""
        return self._results

    def __call__(self, *arrays: Any) -> Result:
        """Calls the function, without the interpreter's lock.

        Args:
            arrays: one array per argument, of its shape and element type (integers
                of either sign): numpy arrays and scalars, or anything in the host's
                memory that speaks DLPack. They are read in place, never written,
                and copied only if they are not contiguous. They have the byte order
                of this machine and no mask. For bfloat16 float32 is
                taken too, and rounded to nearest, ties to even; bfloat16 arrays of
                the package ml_dtypes are read in place.

        Returns:
            The result, or a tuple of them if the function has none or several. Each
            is a numpy array on the memory that the model has written, not a copy.
            bfloat16 results are widened to float32, which is exact.

        Raises:
            TypeError: the number of arguments or an element type is wrong.
            ValueError: a shape is wrong. Both name the argument, what was expected
                and what came.
            ExecutionError: a check inside the model failed (sizes that do not
                agree, an index out of bounds), or memory ran out.
        """
        results = self.run(*arrays)
        return results[0] if len(results) == 1 else results

    def run(self, *arrays: Any) -> tuple[NDArray[Any], ...]:
        """As a call, but the results are always a tuple."""
        prepared = [_prepare(index, array) for index, array in enumerate(arrays)]
        try:
            results = self._handle.call(
                [array for array, _ in prepared], [is_bfloat16 for _, is_bfloat16 in prepared]
            )
        except RuntimeError as error:
            raise ExecutionError(str(error)) from None
        return tuple(results)

    def __repr__(self) -> str:
        arguments = ", ".join(map(str, self._arguments))
        results = ", ".join(map(str, self._results))
        return f"<xsa.CompiledModel {self._entry}({arguments}) -> ({results})>"


def _make_types(pairs: list[tuple[str, list[int | None]]]) -> tuple[TensorType, ...]:
    return tuple(TensorType(dtype, tuple(shape)) for dtype, shape in pairs)


def _prepare(index: int, array: Any) -> tuple[Any, bool]:
    """An array that the extension can read, and whether it holds bits of bfloat16."""
    if not isinstance(array, (np.ndarray, np.generic)):
        if hasattr(array, "__dlpack__"):
            return array, False
        raise TypeError(
            f"argument {index} ('arg{index}'): expected a numpy array "
            f"or one with __dlpack__, got {type(array).__name__}"
        )
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            f"argument {index} ('arg{index}'): expected an array without a mask, "
            "got a masked array (see its method filled)"
        )
    array = np.asarray(array)
    if not _is_supported(array.dtype):
        raise TypeError(
            f"argument {index} ('arg{index}'): expected bools, integers or floats of 16, 32 or 64 "
            f"bits, got dtype {array.dtype.name!r}"
        )
    if not array.dtype.isnative:
        raise TypeError(
            f"argument {index} ('arg{index}'): expected the byte order of this machine, "
            f"got dtype {array.dtype.str!r}"
        )
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.array(array, order="C")
    if _is_bfloat16(array.dtype):
        return array.view(np.uint16), True
    return array, False


def _is_bfloat16(dtype: np.dtype[Any]) -> bool:
    # numpy knows this type only by name, where the package ml_dtypes is loaded.
    return dtype.name == "bfloat16"


def _is_supported(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biu" or dtype.str[1:] in ("f2", "f4", "f8") or _is_bfloat16(dtype)
