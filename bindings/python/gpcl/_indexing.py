"""Indices of device arrays: integers, slices of any step, None and the ellipsis, as NumPy's.

What an index names is a view where the elements lie one after the other, else a copy, which a
kernel makes on the device.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import scalar, to_numpy
from ._elementwise import Elementwise, Operand, broadcast, contiguous_strides, fits, run
from ._errors import outside, wrong
from ._native import lib
from ._types import Values

if TYPE_CHECKING:
    from ._device_array import DeviceArray


def _integer(index: Any) -> int:
    try:
        if isinstance(index, (bool, Elementwise)):
            raise TypeError
        return operator.index(index)
    except TypeError:
        raise wrong(f"{type(index).__name__} is no index of device arrays, which take integers, "
                    "slices, None and ...; take() takes arrays of integers, select() masks",
                    lib.GP_ERROR_DTYPE) from None


def _placed(shape: tuple[int, ...], index: Any) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """(shape, strides, offset) in elements of what an index names in a C-contiguous array."""
    index = index if isinstance(index, tuple) else (index,)
    count = sum(each is not None and each is not Ellipsis for each in index)
    ellipses = sum(each is Ellipsis for each in index)
    if count > len(shape) or ellipses > 1:
        raise outside(
            f"{count} indices and {ellipses} times ... for an array of {len(shape)} dimensions")
    own, axis, offset = contiguous_strides(shape), 0, 0
    sizes: list[int] = []
    strides: list[int] = []
    for each in index if ellipses else (*index, Ellipsis):
        if each is None:
            sizes.append(1)
            strides.append(0)
        elif each is Ellipsis:
            behind = axis + len(shape) - count
            sizes += shape[axis:behind]
            strides += own[axis:behind]
            axis = behind
        elif isinstance(each, slice):
            start, stop, step = each.indices(shape[axis])
            sizes.append(len(range(start, stop, step)))
            strides.append(step * own[axis])
            offset += start * own[axis]
            axis += 1
        else:
            at = _integer(each)
            if not -shape[axis] <= at < shape[axis]:
                raise outside(f"index {at} is outside of {shape[axis]} elements")
            offset += at % shape[axis] * own[axis]
            axis += 1
    return tuple(sizes), tuple(strides), 0 if 0 in sizes else offset


def _is_whole(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether these elements lie one after the other."""
    return 0 in shape or all(n == 1 or stride == step
                             for n, stride, step in zip(shape, strides, contiguous_strides(shape)))


def _part(a: DeviceArray, shape: tuple[int, ...], offset: int) -> DeviceArray:
    return type(a)(a.context, a.buffer, shape, a.dtype, a.offset + offset)


def bits_of(a: DeviceArray) -> DeviceArray:
    """The memory of an array as integers: elements of 8 bytes that only move need no float64."""
    return type(a)(a.context, a.buffer, a.shape, np.dtype(f"u{a.dtype.itemsize}"), a.offset)


def gathered(a: DeviceArray, shape: tuple[int, ...], strides: tuple[int, ...],
             offset: int = 0) -> DeviceArray:
    """The elements that lie at these strides, from the one at `offset` on: a view, or a copy."""
    if _is_whole(shape, strides):
        return _part(a, shape, offset)
    result = a.context.empty(shape, a.dtype)
    source, target = bits_of(a), bits_of(result)
    run(a.context, "positive", source.dtype, [Operand(source, strides, offset)], shape,
        broadcast(target, shape))
    return result


def selected(a: DeviceArray, index: Any) -> DeviceArray:
    """a[index]."""
    return gathered(a, *_placed(a.shape, index))


def permuted(a: DeviceArray, axes: tuple[int, ...]) -> DeviceArray:
    """A copy with the axes in another order; a view where that leaves the elements in theirs."""
    strides = contiguous_strides(a.shape)
    return gathered(a, tuple(a.shape[k] for k in axes), tuple(strides[k] for k in axes))


def assign(a: DeviceArray, index: Any, value: Values) -> None:
    """a[index] = value, which is broadcast, and converted to a's type."""
    shape, strides, offset = _placed(a.shape, index)
    whole = _part(a, shape, offset) if _is_whole(shape, strides) else None
    on_device = isinstance(value, Elementwise)
    if not on_device and np.ndim(value) == 0:
        if whole is not None:
            whole.fill(value)
            return
        target = bits_of(a)
        run(a.context, "positive", target.dtype,
            [scalar(value, a.dtype, "the value").view(target.dtype)[0]], shape,
            Operand(target, strides, offset))
        return
    given = value if on_device else to_numpy(value)
    if not fits(given.shape, shape):
        raise wrong(f"values of shape {given.shape} do not fit into {shape} elements")
    if not on_device and whole is not None:
        whole.write(np.broadcast_to(given, shape))
        return
    source = given.astype(a.dtype) if on_device and given.dtype != a.dtype else given
    if not on_device:
        source = a.context.array(given, a.dtype)
    elif source.context is not a.context:
        raise wrong("the device arrays belong to different contexts", lib.GP_ERROR_WRONG_CONTEXT)
    elif source.overlaps(a):
        source = source.copy()
    if whole is not None and source.shape == shape:
        source.copy(whole)
        return
    target = bits_of(a)
    run(a.context, "positive", target.dtype, [broadcast(bits_of(source), shape)], shape,
        Operand(target, strides, offset))
