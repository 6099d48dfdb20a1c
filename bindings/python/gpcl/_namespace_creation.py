"""The array API standard's functions that make device arrays.

What needs no data of the device is computed on the host, and copied.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from ._arrays import to_numpy
from ._context import Context, default_context
from ._device_array import DeviceArray
from ._errors import wrong
from ._namespace_types import default_float
from ._types import DTypeLike

Shape = Union[int, Sequence[int]]


def _context(device: Context | None) -> Context:
    if device is None:
        return default_context()
    if not isinstance(device, Context):
        raise wrong(f"device is {device!r}, expected a gpcl.Context, such as an array's device")
    return device


def _like(x: DeviceArray, dtype: DTypeLike | None, device: Context | None) -> dict[str, Any]:
    return {
        "dtype": x.dtype if dtype is None else dtype,
        "device": x.context if device is None else device
    }


def asarray(obj: Any, /, *, dtype: DTypeLike | None = None, device: Context | None = None,
            copy: bool | None = None) -> DeviceArray:
    """A device array of what may be an array of any kind, a number, or nested sequences of numbers.

    >>> from gpcl import array_api as xp
    >>> xp.asarray([[1, 2], [3, 4]], dtype=xp.float32).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    if isinstance(obj, DeviceArray):
        result = obj if device is None else obj.to_device(device)
        if dtype is not None and dtype != obj.dtype:
            if copy is False:
                raise wrong(
                    f"an array of {obj.dtype} becomes one of {np.dtype(dtype)} only as a copy")
            return result.astype(dtype)
        return result.copy() if copy and result is obj else result
    if copy is False:
        raise wrong("a device array is always a copy of what lies elsewhere")
    a = to_numpy(obj)
    return _context(device).array(a, dtype) if hasattr(obj, "dtype") else _of_host(a, dtype, device)


def from_dlpack(x: Any, /, *, device: Context | None = None,
                copy: bool | None = None) -> DeviceArray:
    """A copy of what another package hands over in the host's memory; a device array itself."""
    return asarray(x, device=device, copy=copy)


def empty(shape: Shape, *, dtype: DTypeLike | None = None,
          device: Context | None = None) -> DeviceArray:
    """A device array with undefined content; of float64 where the device has it, else float32."""
    context = _context(device)
    return context.empty(shape, default_float(context) if dtype is None else dtype)


def empty_like(x: DeviceArray, /, *, dtype: DTypeLike | None = None,
               device: Context | None = None) -> DeviceArray:
    """One of x's shape, type and device."""
    return empty(x.shape, **_like(x, dtype, device))


def full(shape: Shape, fill_value: bool | int | float, *, dtype: DTypeLike | None = None,
         device: Context | None = None) -> DeviceArray:
    """A device array whose elements all have one value."""
    if dtype is None:
        kind = np.asarray(fill_value).dtype
        dtype = default_float(_context(device)) if kind.kind == "f" else kind
    result = empty(shape, dtype=dtype, device=device)
    result.fill(fill_value)
    return result


def full_like(x: DeviceArray, /, fill_value: bool | int | float, *, dtype: DTypeLike | None = None,
              device: Context | None = None) -> DeviceArray:
    """One of x's shape, type and device."""
    return full(x.shape, fill_value, **_like(x, dtype, device))


def zeros(shape: Shape, *, dtype: DTypeLike | None = None,
          device: Context | None = None) -> DeviceArray:
    """A device array of zeros."""
    return full(shape, 0, dtype=default_float(_context(device)) if dtype is None else dtype,
                device=device)


def zeros_like(x: DeviceArray, /, *, dtype: DTypeLike | None = None,
               device: Context | None = None) -> DeviceArray:
    """One of x's shape, type and device."""
    return zeros(x.shape, **_like(x, dtype, device))


def ones(shape: Shape, *, dtype: DTypeLike | None = None,
         device: Context | None = None) -> DeviceArray:
    """A device array of ones."""
    return full(shape, 1, dtype=default_float(_context(device)) if dtype is None else dtype,
                device=device)


def ones_like(x: DeviceArray, /, *, dtype: DTypeLike | None = None,
              device: Context | None = None) -> DeviceArray:
    """One of x's shape, type and device."""
    return ones(x.shape, **_like(x, dtype, device))


def _of_host(a: np.ndarray, dtype: DTypeLike | None, device: Context | None) -> DeviceArray:
    """A copy of what the host computed; floats of the default type, if none is asked for."""
    context = _context(device)
    return context.array(a,
                         default_float(context) if dtype is None and a.dtype.kind == "f" else dtype)


def arange(start: int | float, /, stop: int | float | None = None, step: int | float = 1, *,
           dtype: DTypeLike | None = None, device: Context | None = None) -> DeviceArray:
    """Numbers at equal distances, from `start` to before `stop`; from 0 with one argument."""
    first, last = (0, start) if stop is None else (start, stop)
    return _of_host(np.arange(first, last, step, dtype), dtype, device)


def linspace(start: int | float, stop: int | float, /, num: int, *, dtype: DTypeLike | None = None,
             device: Context | None = None, endpoint: bool = True) -> DeviceArray:
    """`num` numbers at equal distances, from `start` to `stop`."""
    return _of_host(np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype), dtype, device)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DTypeLike | None = None,
        device: Context | None = None) -> DeviceArray:
    """A matrix of zeros, with ones on diagonal k."""
    return _of_host(np.eye(n_rows, n_cols, k), dtype, device)
