"""NumPy's functions on device arrays: what numpy.sort(d) and the like do.

Parameters are NumPy's; those that are missing here are refused.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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


def mean(a: DeviceArray, axis=None, *, keepdims=False):
    return a.mean(axis, keepdims=keepdims)


def any(a: DeviceArray, axis=None, *, keepdims=False):
    return a.any(axis, keepdims=keepdims)


def all(a: DeviceArray, axis=None, *, keepdims=False):
    return a.all(axis, keepdims=keepdims)


def histogram(a: DeviceArray, bins=10, range=None, density=None, weights=None):
    return a.histogram(bins, range, density=density, weights=weights)


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


_FUNCTIONS = {getattr(np, each.__name__): each
              for each in (sort, argsort, cumsum, cumprod, sum, prod, min, max, argmin, argmax, mean, any, all, histogram,
                           transpose, copy, reshape, ravel, shape, ndim, size)}
_FUNCTIONS |= {np.amin: min, np.amax: max}  # other functions than np.min and np.max before NumPy 1.25


def call(function: Any, kind: type, arguments: tuple, options: dict) -> Any:
    """Calls one of NumPy's functions on device arrays, which are of this kind."""
    ours = _FUNCTIONS.get(function)
    first = arguments[0] if arguments else options.get("a")
    if ours is None or not isinstance(first, kind):
        raise wrong(f"{function.__module__}.{function.__name__} does not take device arrays this way; call it with what "
                    "numpy() gives, which is a copy on the host", lib.GP_ERROR_DTYPE)
    return ours(*arguments, **options)
