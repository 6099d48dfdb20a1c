"""NumPy's functions on device arrays: what numpy.sort(d) and the like do.

Parameters are NumPy's; those that are missing here are refused.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import axis_of
from ._errors import wrong
from ._native import lib

if TYPE_CHECKING:
    from ._device_array import DeviceArray


def sort(a: DeviceArray, axis=-1, kind=None):
    return a.sort(axis=axis)  # which is stable, and so of every kind


def argsort(a: DeviceArray, axis=-1, kind=None):
    return a.argsort(axis=axis)


def cumsum(a: DeviceArray, axis=None, dtype=None, out=None):
    return a.cumsum(axis=axis, dtype=dtype, out=out)


def cumprod(a: DeviceArray, axis=None, dtype=None, out=None):
    return a.scan("multiply", axis=axis, dtype=dtype, out=out)


def sum(a: DeviceArray, axis=None, dtype=None, out=None, **options):
    return a.sum(axis, dtype=dtype, out=out, **options)


def prod(a: DeviceArray, axis=None, dtype=None, out=None, **options):
    return a.prod(axis, dtype=dtype, out=out, **options)


def min(a: DeviceArray, axis=None, out=None, **options):
    return a.min(axis, out=out, **options)


def max(a: DeviceArray, axis=None, out=None, **options):
    return a.max(axis, out=out, **options)


def argmin(a: DeviceArray, axis=None, out=None, *, keepdims=False):
    return a.argmin(axis=axis, out=out, keepdims=keepdims)


def argmax(a: DeviceArray, axis=None, out=None, *, keepdims=False):
    return a.argmax(axis=axis, out=out, keepdims=keepdims)


def searchsorted(a: DeviceArray, v, side="left", sorter=None):
    return a.searchsorted(v, side, sorter)


def lexsort(keys, axis=-1):
    keys = list(keys)
    axis_of(axis, 1)  # the only one
    return keys[0].context.lexsort(keys)


def mean(a: DeviceArray, axis=None, *, keepdims=False):
    return a.mean(axis, keepdims=keepdims)


def any(a: DeviceArray, axis=None, *, keepdims=False):
    return a.any(axis, keepdims=keepdims)


def all(a: DeviceArray, axis=None, *, keepdims=False):
    return a.all(axis, keepdims=keepdims)


def histogram(a: DeviceArray, bins=10, range=None, density=None, weights=None):
    return a.histogram(bins, range, density=density, weights=weights)


def histogram2d(x: DeviceArray, y, bins=10, range=None, density=None, weights=None):
    return x.histogram2d(y, bins, range, density=density, weights=weights)


def bincount(x: DeviceArray, weights=None, minlength=0):
    return x.bincount(weights, minlength)


def transpose(a: DeviceArray):
    return a.T


def copy(a: DeviceArray):
    return a.copy()


def reshape(a: DeviceArray, newshape):
    return a.reshape(newshape)


def ravel(a: DeviceArray):
    return a.reshape(-1)


def shape(a: DeviceArray):
    return a.shape


def ndim(a: DeviceArray):
    return a.ndim


def size(a: DeviceArray):
    return a.size


# ---- what gpcl.array_api has, which is imported when first needed, since it imports device arrays

def _standard(name: str, *arguments: Any, **options: Any) -> DeviceArray:
    from . import array_api
    return getattr(array_api, name)(*arguments, **options)


def _on_device(arrays: Any) -> list[DeviceArray]:
    """Arrays of which one at least is on a device, with copies of the others there."""
    from ._device_array import DeviceArray
    arrays = list(arrays)
    context = next(each.context for each in arrays if isinstance(each, DeviceArray))
    return [each if isinstance(each, DeviceArray) else context.array(each) for each in arrays]


def concatenate(arrays, axis=0):
    return _standard("concat", _on_device(arrays), axis=axis)


def stack(arrays, axis=0):
    return _standard("stack", _on_device(arrays), axis=axis)


def where(condition, x, y):
    scalars = (bool, int, float, np.generic)
    condition, *arrays = _on_device(each for each in (condition, x, y) if not isinstance(each, scalars))
    x, y = (each if isinstance(each, scalars) else arrays.pop(0) for each in (x, y))
    return _standard("where", condition, x, y)


def flip(m: DeviceArray, axis=None):
    return _standard("flip", m, axis=axis)


def roll(a: DeviceArray, shift, axis=None):
    return _standard("roll", a, shift, axis=axis)


def tile(A: DeviceArray, reps):
    return _standard("tile", A, reps if isinstance(reps, tuple) else (reps,))


def repeat(a: DeviceArray, repeats, axis=None):
    return _standard("repeat", a, repeats, axis=axis)


def expand_dims(a: DeviceArray, axis):
    return _standard("expand_dims", a, axis=axis)


def squeeze(a: DeviceArray, axis=None):
    axes = tuple(k for k, n in enumerate(a.shape) if n == 1) if axis is None else axis
    return _standard("squeeze", a, axes)


def moveaxis(a: DeviceArray, source, destination):
    return _standard("moveaxis", a, source, destination)


def broadcast_to(array: DeviceArray, shape):
    return _standard("broadcast_to", array, shape if isinstance(shape, tuple) else (shape,))


def clip(a: DeviceArray, a_min=None, a_max=None, **options):
    return _standard("clip", a, options.pop("min", a_min), options.pop("max", a_max), **options)


def diff(a: DeviceArray, n=1, axis=-1):
    return _standard("diff", a, n=n, axis=axis)


def std(a: DeviceArray, axis=None, *, ddof=0, keepdims=False):
    return _standard("std", a, axis=axis, correction=ddof, keepdims=keepdims)


def var(a: DeviceArray, axis=None, *, ddof=0, keepdims=False):
    return _standard("var", a, axis=axis, correction=ddof, keepdims=keepdims)


def count_nonzero(a: DeviceArray, axis=None, *, keepdims=False):
    return _standard("count_nonzero", a, axis=axis, keepdims=keepdims)


def zeros_like(a: DeviceArray, dtype=None):
    return _standard("zeros_like", a, dtype=dtype)


def ones_like(a: DeviceArray, dtype=None):
    return _standard("ones_like", a, dtype=dtype)


def empty_like(prototype: DeviceArray, dtype=None):
    return _standard("empty_like", prototype, dtype=dtype)


def full_like(a: DeviceArray, fill_value, dtype=None):
    return _standard("full_like", a, fill_value, dtype=dtype)


def tril(m: DeviceArray, k=0):
    return _standard("tril", m, k=k)


def triu(m: DeviceArray, k=0):
    return _standard("triu", m, k=k)


_OF_SEVERAL = (concatenate, stack, where, lexsort)
_FUNCTIONS = {getattr(np, each.__name__): each
              for each in (sort, argsort, searchsorted, cumsum, cumprod, sum, prod, min, max, argmin, argmax, mean, any, all,
                           histogram, histogram2d, bincount, transpose, copy, reshape, ravel, shape, ndim, size, *_OF_SEVERAL,
                           flip, roll, tile, repeat, expand_dims, squeeze, moveaxis, broadcast_to, clip, diff, std, var,
                           count_nonzero, zeros_like, ones_like, empty_like, full_like, tril, triu)}
_FUNCTIONS |= {np.amin: min, np.amax: max}  # other functions than np.min and np.max before NumPy 1.25

NAMES = frozenset(each.__name__ for each in _FUNCTIONS)


def call(function: Any, kind: type, arguments: tuple, options: dict) -> Any:
    """Calls one of NumPy's functions on device arrays, which are of this kind."""
    ours = _FUNCTIONS.get(function)
    first = arguments[0] if arguments else next(iter(options.values()), None)
    if ours is None or not (isinstance(first, kind) or ours in _OF_SEVERAL):
        raise wrong(f"{function.__module__}.{function.__name__} does not take device arrays this way; call it with what "
                    "numpy() gives, which is a copy on the host", lib.GP_ERROR_DTYPE)
    return ours(*arguments, **options)
