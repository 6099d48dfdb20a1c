"""The array API standard's functions that move elements: by views where these do."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Union

import numpy as np

from ._arrays import axes_of, axis_of, integer
from ._context import Context
from ._device_array import DeviceArray
from ._elementwise import broadcast, contiguous_strides, fits, where as where_
from ._errors import wrong
from ._indexing import gathered, permuted
from ._namespace_types import result_type
from ._types import DTypeLike

Axes = Union[int, tuple[int, ...]]


def astype(x: DeviceArray, dtype: DTypeLike, /, *, copy: bool = True,
           device: Context | None = None) -> DeviceArray:
    """The array with elements of another type; without copy, itself where it has that type."""
    result = x if not copy and x.dtype == dtype else x.astype(dtype)
    return result if device is None else result.to_device(device)


def broadcast_to(x: DeviceArray, /, shape: tuple[int, ...]) -> DeviceArray:
    """The array as one of a shape that it fits into, where its elements are repeated."""
    shape = tuple(shape)
    if not fits(x.shape, shape):
        raise wrong(f"an array of shape {x.shape} can't be broadcast to {shape}")
    return gathered(x, shape, broadcast(x, shape).strides)


def broadcast_arrays(*arrays: DeviceArray) -> list[DeviceArray]:
    """The arrays as ones of a common shape."""
    try:
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
    except ValueError as error:
        raise wrong(str(error)) from None
    return [broadcast_to(each, shape) for each in arrays]


def reshape(x: DeviceArray, /, shape: tuple[int, ...], *, copy: bool | None = None) -> DeviceArray:
    """A view with another shape; one size may be -1."""
    return (x.copy() if copy else x).reshape(tuple(shape))


def permute_dims(x: DeviceArray, /, axes: tuple[int, ...]) -> DeviceArray:
    """The array with its axes in another order.

    >>> from gpcl import array_api as xp
    >>> xp.permute_dims(xp.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    order = tuple(axis_of(axis, x.ndim) for axis in axes)
    if sorted(order) != list(range(x.ndim)):
        raise wrong(f"axes are {axes}, expected each of {x.ndim} once")
    return permuted(x, order)


def matrix_transpose(x: DeviceArray, /) -> DeviceArray:
    """The array with its last two axes exchanged."""
    return x.mT


def moveaxis(x: DeviceArray, source: Axes, destination: Axes, /) -> DeviceArray:
    """The array with some axes in other places, and the others in their order."""
    from_, to = ([axis_of(axis, x.ndim) for axis in (each if isinstance(each, tuple) else (each,))]
                 for each in (source, destination))
    if len(from_) != len(to) or len(set(from_)) < len(from_) or len(set(to)) < len(to):
        raise wrong(f"axes {source} can't move to {destination}")
    order = [axis for axis in range(x.ndim) if axis not in from_]
    for place, axis in sorted(zip(to, from_)):
        order.insert(place, axis)
    return permuted(x, tuple(order))


def expand_dims(x: DeviceArray, /, axis: Axes = 0) -> DeviceArray:
    """A view with further axes, of size 1, in these places."""
    count = len(axis) if isinstance(axis, tuple) else 1
    sizes, new = iter(x.shape), axes_of(axis, x.ndim + count)
    return x.reshape(tuple(1 if k in new else next(sizes) for k in range(x.ndim + count)))


def squeeze(x: DeviceArray, /, axis: Axes) -> DeviceArray:
    """A view without these axes, which have a size of 1."""
    lost = axes_of(axis, x.ndim)
    if any(x.shape[k] != 1 for k in lost):
        raise wrong(f"not all of the axes {axis} of {x.shape} have a size of 1")
    return x.reshape(tuple(n for k, n in enumerate(x.shape) if k not in lost))


def flip(x: DeviceArray, /, *, axis: Axes | None = None) -> DeviceArray:
    """The array with its elements in reverse order along these axes, or all."""
    axes = range(x.ndim) if axis is None else axes_of(axis, x.ndim)
    return x[tuple(slice(None, None, -1 if k in axes else 1) for k in range(x.ndim))]


def roll(x: DeviceArray, /, shift: Axes, *, axis: Axes | None = None) -> DeviceArray:
    """The array with its elements moved along an axis, from its end to its beginning."""
    if axis is None:
        return roll(x.reshape(-1), shift, axis=0).reshape(x.shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    for by, along in zip(shift if isinstance(shift, tuple) else (shift,) * len(axes), axes):
        along = axis_of(along, x.ndim)
        before = (slice(None),) * along
        cut = -by % max(x.shape[along], 1)
        x = concat([x[(*before, slice(cut, None))], x[(*before, slice(None, cut))]], axis=along)
    return x


def concat(arrays: Sequence[DeviceArray], /, *, axis: int | None = 0) -> DeviceArray:
    """Arrays one after the other along an axis; flattened, when that is None."""
    if not arrays:
        raise wrong("there are no arrays")
    parts = [each.reshape(-1) for each in arrays] if axis is None else list(arrays)
    along = 0 if axis is None else axis_of(axis, parts[0].ndim)
    shapes = {(*each.shape[:along], *each.shape[along + 1:]) for each in parts}
    if len(shapes) > 1 or any(each.ndim != parts[0].ndim for each in parts):
        shapes_ = ", ".join(str(each.shape) for each in parts)
        raise wrong(f"arrays of the shapes {shapes_} do not fit together along axis {along}")
    shape = list(parts[0].shape)
    shape[along] = sum(each.shape[along] for each in parts)
    result = parts[0].context.empty(shape, result_type(*parts))
    begin, before = 0, (slice(None),) * along
    for each in parts:
        result[(*before, slice(begin, begin + each.shape[along]))] = each
        begin += each.shape[along]
    return result


def stack(arrays: Sequence[DeviceArray], /, *, axis: int = 0) -> DeviceArray:
    """Arrays of one shape along a further axis."""
    return concat([expand_dims(each, axis=axis) for each in arrays], axis=axis)


def unstack(x: DeviceArray, /, *, axis: int = 0) -> tuple[DeviceArray, ...]:
    """The arrays of which an array consists along an axis."""
    moved = moveaxis(x, axis, 0)
    return tuple(moved[k] for k in range(len(moved)))


def tile(x: DeviceArray, repetitions: tuple[int, ...], /) -> DeviceArray:
    """The array side by side with itself, so many times along each axis."""
    counts = (1,) * (x.ndim - len(repetitions)) + tuple(repetitions)
    own = (1,) * (len(counts) - x.ndim) + x.shape
    shape = tuple(n for pair in zip(counts, own) for n in pair)
    strides = tuple(n for stride in contiguous_strides(own) for n in (0, stride))
    return gathered(x, shape, strides).reshape(tuple(m * n for m, n in zip(counts, own)))


def repeat(x: DeviceArray, repeats: int, /, *, axis: int | None = None) -> DeviceArray:
    """The array with each element so many times."""
    if isinstance(repeats, DeviceArray):
        raise wrong("repeats is a device array, expected one number for all elements")
    if axis is None:
        return repeat(x.reshape(-1), repeats, axis=0)
    along, count = axis_of(axis, x.ndim), integer(repeats, "repeats")
    strides = contiguous_strides(x.shape)
    wide = gathered(x, (*x.shape[:along + 1], count, *x.shape[along + 1:]),
                    (*strides[:along + 1], 0, *strides[along + 1:]))
    return wide.reshape((*x.shape[:along], x.shape[along] * count, *x.shape[along + 1:]))


def meshgrid(*arrays: DeviceArray, indexing: str = "xy") -> list[DeviceArray]:
    """Coordinates of a grid: each array repeated along all axes but its own."""
    if indexing not in ("xy", "ij"):
        raise wrong(f"indexing is {indexing!r}, expected 'xy' or 'ij'")
    places = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        places[:2] = 1, 0
    return broadcast_arrays(
        *(each.reshape(tuple(-1 if k == place else 1 for k in range(len(arrays))))
          for each, place in zip(arrays, places)))


def _triangle(x: DeviceArray, k: int, lower: bool) -> DeviceArray:
    if x.ndim < 2:
        raise wrong(f"an array of shape {x.shape} holds no matrices")
    rows, columns = (x.context.array(np.arange(n)) for n in x.shape[-2:])
    inside = columns <= rows.reshape(-1, 1) + k if lower else columns >= rows.reshape(-1, 1) + k
    return where_(inside, x, x.dtype.type(0))


def tril(x: DeviceArray, /, *, k: int = 0) -> DeviceArray:
    """Matrices with zeros above diagonal k."""
    return _triangle(x, k, True)


def triu(x: DeviceArray, /, *, k: int = 0) -> DeviceArray:
    """Matrices with zeros below diagonal k."""
    return _triangle(x, k, False)


def axes_last(x: DeviceArray, axes: list[int]) -> DeviceArray:
    """The array with these axes behind the others, and made one."""
    others = [k for k in range(x.ndim) if k not in axes]
    return permuted(x, (*others, *axes)).reshape(
        (*(x.shape[k] for k in others), math.prod(x.shape[k] for k in axes)))
