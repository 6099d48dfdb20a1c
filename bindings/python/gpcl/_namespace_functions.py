"""The array API standard's functions that compute."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from ._arrays import axes_of, axis_of, integer, kept
from ._device_array import DeviceArray
from ._elementwise import apply, where as where_
from ._enums import Side
from ._errors import wrong
from ._expressions import OPERATIONS
from ._namespace_shapes import Axes, axes_last, broadcast_arrays, broadcast_to, concat, moveaxis
from ._namespace_types import result_type, sum_type
from ._native import lib
from ._types import DTypeLike

_ROUNDING = ("ceil", "floor", "round", "trunc")


def _one_array(name: str) -> Callable[[DeviceArray], DeviceArray]:
    def call(x: DeviceArray, /) -> DeviceArray:
        if name in _ROUNDING and x.dtype.kind in "iu":
            return x.copy()
        return apply(name, x)

    return call


def _two_arrays(name: str) -> Callable[[Any, Any], DeviceArray]:

    def call(x1: DeviceArray | bool | int | float, x2: DeviceArray | bool | int | float,
             /) -> DeviceArray:
        return apply(name, x1, x2)

    return call


def _elementwise(name: str) -> Callable[..., DeviceArray]:
    """The function of one of the operations of one array or two; `where` is below."""
    function = OPERATIONS[name].function
    call = (_one_array if function.nin == 1 else _two_arrays)(name)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"As numpy.{function.__name__}, element by element, on device arrays."
    return call


ELEMENTWISE = {name: _elementwise(name) for name in sorted(OPERATIONS) if name != "where"}


def conj(x: DeviceArray, /) -> DeviceArray:
    """The array itself: none is complex."""
    return x


def real(x: DeviceArray, /) -> DeviceArray:
    """The array itself: none is complex."""
    return x


def where(condition: DeviceArray, x1: DeviceArray | int | float, x2: DeviceArray | int | float,
          /) -> DeviceArray:
    """The elements of x1 where the condition's are not 0, else those of x2.

    >>> from gpcl import array_api as xp
    >>> x = xp.asarray([3, -1, 2])
    >>> xp.where(x > 0, x, 0).tolist()
    [3, 0, 2]
    """
    return where_(condition, x1, x2)


def clip(x: DeviceArray, /, min: Any = None, max: Any = None) -> DeviceArray:
    """The array with what is less than `min` or more than `max` set to that."""
    result = x if min is None else apply("maximum", x, min)
    result = result if max is None else apply("minimum", result, max)
    return x.copy() if result is x else result.astype(
        x.dtype) if result.dtype != x.dtype else result


# ---- along axes

def _reduced(x: DeviceArray, axis: Axes | None, keepdims: bool,
             call: Callable[[DeviceArray], DeviceArray]) -> DeviceArray:
    """A reduction along any axes, from what one along the last axis does."""
    axes = list(range(x.ndim)) if axis is None else axes_of(axis, x.ndim)
    others = tuple(n for k, n in enumerate(x.shape) if k not in axes)
    shape = kept(x.shape, axes) if keepdims else others
    return call(axes_last(x, axes)).reshape(shape)


def sum(x: DeviceArray, /, *, axis: Axes | None = None, dtype: DTypeLike | None = None,
        keepdims: bool = False) -> DeviceArray:
    """The sum along these axes, or of all; of integers in 64 bits, unless a type is asked for.

    >>> from gpcl import array_api as xp
    >>> xp.sum(xp.ones((2, 3, 4)), axis=1).tolist()[0]
    [3.0, 3.0, 3.0, 3.0]
    """
    return _total(x, "sum", axis, dtype, keepdims)


def prod(x: DeviceArray, /, *, axis: Axes | None = None, dtype: DTypeLike | None = None,
         keepdims: bool = False) -> DeviceArray:
    """The elements along these axes, or all, multiplied; types are as in sum."""
    return _total(x, "prod", axis, dtype, keepdims)


def _total(x: DeviceArray, name: str, axis: Axes | None, dtype: DTypeLike | None,
           keepdims: bool) -> DeviceArray:
    wanted = sum_type(x, dtype)
    given = x if dtype is None else x.astype(wanted)
    result = _reduced(given, axis, keepdims, lambda rows: getattr(rows, name)(-1))
    return result if result.dtype == wanted else result.astype(wanted)


def min(x: DeviceArray, /, *, axis: Axes | None = None, keepdims: bool = False) -> DeviceArray:
    """The least elements along these axes, or of all."""
    return _reduced(x, axis, keepdims, lambda rows: rows.min(-1))


def max(x: DeviceArray, /, *, axis: Axes | None = None, keepdims: bool = False) -> DeviceArray:
    """The greatest elements along these axes, or of all."""
    return _reduced(x, axis, keepdims, lambda rows: rows.max(-1))


def mean(x: DeviceArray, /, *, axis: Axes | None = None, keepdims: bool = False) -> DeviceArray:
    """The mean along these axes, or of all elements."""
    return _reduced(x, axis, keepdims, lambda rows: rows.mean(-1))


def var(x: DeviceArray, /, *, axis: Axes | None = None, correction: int | float = 0.0,
        keepdims: bool = False) -> DeviceArray:
    """The variance along these axes, or of all elements: squares of distances from the mean,
    divided by their number less the correction."""
    def of_rows(rows: DeviceArray) -> DeviceArray:
        apart = rows - rows.mean(-1, keepdims=True)
        return (apart * apart).sum(-1) / (rows.shape[-1] - correction or math.nan)

    return _reduced(x, axis, keepdims, of_rows)


def std(x: DeviceArray, /, *, axis: Axes | None = None, correction: int | float = 0.0,
        keepdims: bool = False) -> DeviceArray:
    """The standard deviation: the root of var."""
    return apply("sqrt", var(x, axis=axis, correction=correction, keepdims=keepdims))


def any(x: DeviceArray, /, *, axis: Axes | None = None, keepdims: bool = False) -> DeviceArray:
    """Whether an element along these axes, or of all, is not 0."""
    return _reduced(x, axis, keepdims, lambda rows: rows.any(-1))


def all(x: DeviceArray, /, *, axis: Axes | None = None, keepdims: bool = False) -> DeviceArray:
    """Whether no element along these axes, or of all, is 0."""
    return _reduced(x, axis, keepdims, lambda rows: rows.all(-1))


def count_nonzero(x: DeviceArray, /, *, axis: Axes | None = None,
                  keepdims: bool = False) -> DeviceArray:
    """How many elements along these axes, or of all, are not 0."""
    return sum(x if x.dtype == np.bool_ else x != 0, axis=axis, keepdims=keepdims)


def argmin(x: DeviceArray, /, *, axis: int | None = None, keepdims: bool = False) -> DeviceArray:
    """Where along an axis, or in all, the least element is."""
    return _reduced(x, axis, keepdims, lambda rows: rows.argmin(axis=-1))


def argmax(x: DeviceArray, /, *, axis: int | None = None, keepdims: bool = False) -> DeviceArray:
    """Where along an axis, or in all, the greatest element is."""
    return _reduced(x, axis, keepdims, lambda rows: rows.argmax(axis=-1))


def _along(x: DeviceArray, axis: int, call: Callable[[DeviceArray], DeviceArray]) -> DeviceArray:
    """What an operation along the last axis does, along another."""
    axis = axis_of(axis, x.ndim)
    return call(x) if axis == x.ndim - 1 else moveaxis(call(moveaxis(x, axis, -1)), -1, axis)


def _running(x: DeviceArray, op: str, axis: int | None, dtype: DTypeLike | None, start: int,
             include_initial: bool) -> DeviceArray:
    if axis is None and x.ndim != 1:
        raise wrong(f"an array of {x.ndim} dimensions needs an axis")
    wanted = sum_type(x, dtype)
    narrow = wanted.itemsize < 4
    computed = np.dtype(f"{wanted.kind}4") if narrow else wanted
    x = x if dtype is None else x.astype(wanted)
    along = 0 if axis is None else axis_of(axis, x.ndim)
    result = _along(x, along, lambda rows: rows.scan(op, dtype=computed))
    result = result.astype(wanted) if narrow else result
    if not include_initial:
        return result
    first = x.context.empty(tuple(1 if k == along else n for k, n in enumerate(x.shape)), wanted)
    first.fill(start)
    return concat([first, result], axis=along)


def cumulative_sum(x: DeviceArray, /, *, axis: int | None = None, dtype: DTypeLike | None = None,
                   include_initial: bool = False) -> DeviceArray:
    """Running sums along an axis, with a 0 before them if that is asked for; types are as in sum.

    >>> from gpcl import array_api as xp
    >>> xp.cumulative_sum(xp.asarray([1, 2, 3]), include_initial=True).tolist()
    [0, 1, 3, 6]
    """
    return _running(x, "add", axis, dtype, 0, include_initial)


def cumulative_prod(x: DeviceArray, /, *, axis: int | None = None, dtype: DTypeLike | None = None,
                    include_initial: bool = False) -> DeviceArray:
    """Running products along an axis, with a 1 before them if asked for; types are as in sum."""
    return _running(x, "multiply", axis, dtype, 1, include_initial)


def diff(x: DeviceArray, /, *, axis: int = -1, n: int = 1, prepend: DeviceArray | None = None,
         append: DeviceArray | None = None) -> DeviceArray:
    """What each element along an axis is more than the one before it, n times over."""
    axis = axis_of(axis, x.ndim)
    x = concat([each for each in (prepend, x, append) if each is not None], axis=axis)
    before = (slice(None),) * axis
    for _ in range(integer(n, "n")):
        x = apply("not_equal" if x.dtype == np.bool_ else "subtract", x[(*before, slice(1, None))],
                  x[(*before, slice(None, -1))])
    return x


def sort(x: DeviceArray, /, *, axis: int = -1, descending: bool = False,
         stable: bool = True) -> DeviceArray:
    """A sorted copy, each row along the axis by itself; always stable."""
    return x.sort(axis=axis, descending=descending)


def argsort(x: DeviceArray, /, *, axis: int = -1, descending: bool = False,
            stable: bool = True) -> DeviceArray:
    """The order in which each row along the axis would be sorted; always stable."""
    return x.argsort(axis=axis, descending=descending, dtype=np.int64)


def searchsorted(x1: DeviceArray, x2: DeviceArray, /, *, side: Side = "left",
                 sorter: DeviceArray | None = None) -> DeviceArray:
    """Where the elements of x2 belong in x1, which is sorted, or which `sorter` sorts."""
    dtype = result_type(x1, x2)
    x1, x2 = (each if each.dtype == dtype else each.astype(dtype) for each in (x1, x2))
    positions = x1.searchsorted(x2, side, sorter)
    return positions if positions.dtype == np.int64 else positions.astype(np.int64)


# ---- products

# Types that matmul lacks on devices, and the ones in which products wrap to the same bits.
_MULTIPLIED_AS = {"int8": np.int16, "uint8": np.int16, "uint16": np.int32, "uint32": np.int32}


def matmul(x1: DeviceArray, x2: DeviceArray, /) -> DeviceArray:
    """The matrix product, of vectors and batches too; there is none of 64-bit integers."""
    dtype = result_type(x1, x2)
    if dtype.kind in "iu" and dtype.itemsize == 8 or dtype == np.bool_:
        raise wrong(
            f"there is no matrix product of {dtype}; astype makes the matrices float64 or int32",
            lib.GP_ERROR_DTYPE)
    computed = np.dtype(_MULTIPLIED_AS.get(dtype.name, dtype))
    x1, x2 = (each if each.dtype == computed else each.astype(computed) for each in (x1, x2))
    if x1.ndim > 2 or x2.ndim > 2:
        try:
            batch = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        except ValueError as error:
            raise wrong(str(error)) from None
        x1, x2 = (each if each.ndim < 3 else broadcast_to(each, (*batch, *each.shape[-2:]))
                  for each in (x1, x2))
    result = x1 @ x2
    return result if result.dtype == dtype else result.astype(dtype)


def tensordot(x1: DeviceArray, x2: DeviceArray, /, *, axes: Any = 2) -> DeviceArray:
    """Products summed over axes of both: so many last and first ones, or those given for each."""
    if isinstance(axes, int):
        axes = (range(x1.ndim - axes, x1.ndim), range(axes))
    of1, of2 = ([axis_of(k, x.ndim) for k in each] for x, each in zip((x1, x2), axes))
    rest1, rest2 = ([k for k in range(x.ndim) if k not in of] for x, of in ((x1, of1), (x2, of2)))
    if [x1.shape[k] for k in of1] != [x2.shape[k] for k in of2]:
        raise wrong(f"the axes {axes} of {x1.shape} and {x2.shape} differ in their sizes")
    shape = (*(x1.shape[k] for k in rest1), *(x2.shape[k] for k in rest2))
    n = math.prod(x1.shape[k] for k in of1)
    a = axes_last(x1, of1).reshape((math.prod(x1.shape[k] for k in rest1), n))
    b = axes_last(x2, of2).reshape((math.prod(x2.shape[k] for k in rest2), n))
    return matmul(a, moveaxis(b, 0, 1)).reshape(shape)


def vecdot(x1: DeviceArray, x2: DeviceArray, /, *, axis: int = -1) -> DeviceArray:
    """The products of the vectors that lie along an axis."""
    axis = integer(axis, "axis")
    if axis >= 0:
        raise wrong(f"axis is {axis}, expected one that counts from the end, such as -1")
    if -axis > x1.ndim or -axis > x2.ndim or x1.shape[axis] != x2.shape[axis]:
        raise wrong(f"the axes {axis} of {x1.shape} and {x2.shape} differ in their sizes")
    x1, x2 = broadcast_arrays(x1, x2)
    products = apply("multiply", x1, x2)
    return sum(products, axis=axis, dtype=products.dtype)
