"""Types of the array API standard's namespace, and what it says about itself."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any, NamedTuple, Union

import numpy as np

from ._arrays import accumulator
from ._context import Context, default_context
from ._device_array import DeviceArray
from ._errors import wrong
from ._types import DTypeLike

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ()
}
_KINDS["integral"] = (*_KINDS["signed integer"], *_KINDS["unsigned integer"])
_KINDS["numeric"] = (*_KINDS["integral"], *_KINDS["real floating"])
DTYPES = {name: np.dtype(name) for name in (*_KINDS["bool"], *_KINDS["numeric"])}

Kind = Union[DTypeLike, str, tuple[Any, ...]]


class FloatInfo(NamedTuple):
    """What finfo tells of a type."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]


class IntegerInfo(NamedTuple):
    """What iinfo tells of a type."""

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def dtype_of(x: Any) -> np.dtype[Any]:
    """The type of an array, or the type that is named."""
    return x.dtype if isinstance(x, DeviceArray) else np.dtype(x)


def default_float(context: Context) -> np.dtype[Any]:
    return np.dtype(np.float64 if context.device.has_float64 else np.float32)


def finfo(type: Any, /) -> FloatInfo:
    """The limits of a floating type, or of an array's."""
    info = np.finfo(dtype_of(type))
    return FloatInfo(int(info.bits), float(info.eps), float(info.max), float(info.min),
                     float(info.smallest_normal), info.dtype)


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of an integer type, or of an array's."""
    info = np.iinfo(dtype_of(type))
    return IntegerInfo(int(info.bits), int(info.max), int(info.min), info.dtype)


def isdtype(dtype: DTypeLike, kind: Kind) -> bool:
    """Whether a type is of a kind such as "integral", is another type, or is one of several.

    >>> from gpcl import array_api as xp
    >>> xp.isdtype(xp.uint8, "integral"), xp.isdtype(xp.uint8, ("bool", xp.float32))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise wrong(f"no kind {kind!r}; there are {', '.join(_KINDS)}")
        return np.dtype(dtype).name in _KINDS[kind]
    return np.dtype(dtype) == np.dtype(kind)


def can_cast(from_: Any, to: DTypeLike, /) -> bool:
    """Whether every value of a type, or of an array's, is one of another type."""
    return np.can_cast(dtype_of(from_), np.dtype(to))


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The type in which arrays, types and Python's numbers meet.

    >>> from gpcl import array_api as xp
    >>> xp.result_type(xp.int16, xp.uint16), xp.result_type(xp.float32, 2.5)
    (dtype('int32'), dtype('float32'))
    """
    return np.result_type(
        *(each if isinstance(each, (bool, int, float)) else np.empty(0, dtype_of(each))
          for each in arrays_and_dtypes))


def sum_type(x: DeviceArray, dtype: DTypeLike | None) -> np.dtype[Any]:
    return accumulator(x.dtype, "add", dtype, None)


class Info:
    """What __array_namespace_info__() gives. A device, to the standard, is a gpcl.Context here."""

    def capabilities(self) -> dict[str, Any]:
        """What the standard leaves open: no masks, no results whose shape depends on values."""
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": None}

    def default_device(self) -> Context:
        """The default context."""
        return default_context()

    def devices(self) -> list[Context]:
        """The default context; gpcl.open makes others, which are taken as devices too."""
        return [default_context()]

    def default_dtypes(self, *, device: Context | None = None) -> dict[str, np.dtype[Any]]:
        """The types of arrays that are made without one."""
        return {
            "real floating": default_float(device or default_context()),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64)
        }

    def dtypes(self, *, device: Context | None = None,
               kind: str | tuple[str, ...] | None = None) -> dict[str, np.dtype[Any]]:
        """The types of a kind that a device has."""
        has_double = (device or default_context()).device.has_float64
        return {name: dtype for name, dtype in DTYPES.items()
                if (has_double or name != "float64") and (kind is None or isdtype(dtype, kind))}
