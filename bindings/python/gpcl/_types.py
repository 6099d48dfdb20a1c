"""The types that the operations' signatures name. stubs.py writes an overload for each kind of array that is given.

Input   what decides: an array of the host, or of the device
Values  an array of either kind
Segments  offsets of segments, or where they begin and where they end
Output  an array of the kind that was given
Index   what device arrays take in brackets
Number  of an array of the host a NumPy scalar or an array, as NumPy's reductions give
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Union

from numpy.typing import ArrayLike, DTypeLike, NDArray

if TYPE_CHECKING:
    from ._device_array import DeviceArray


class SupportsInterface(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...


class SupportsDLPack(Protocol):
    def __dlpack__(self) -> Any: ...


HostArray = Union[ArrayLike, SupportsInterface, SupportsDLPack]
Input = Union[HostArray, "DeviceArray"]
Values = Union[HostArray, "DeviceArray"]
Segments = Union[HostArray, "DeviceArray", "tuple[Values, Values]"]
Output = Union[NDArray[Any], "DeviceArray"]
Index = Any  # int | slice | None | EllipsisType | tuple of them
Number = Any

__all__ = ["Any", "DTypeLike", "HostArray", "Index", "Input", "NDArray", "Number", "Output", "Segments", "Values"]
