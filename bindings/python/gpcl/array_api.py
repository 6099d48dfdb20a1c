"""The Python array API standard, on device arrays: what d.__array_namespace__() gives.

>>> from gpcl import array_api as xp
>>> x = xp.asarray([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
>>> xp.sort(x, axis=-1).tolist()
[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
>>> xp.sum(xp.where(x > 2, x, 0), axis=0).tolist()
[9.0, 5.0, 4.0]

Names, parameters and types are the standard's, version 2024.12. A device is a gpcl.Context. Left
out are complex numbers, results whose shape depends on values (nonzero, unique_values and the
like), indices that are arrays (take, masks), isin, and the extensions linalg and fft.
Matrix products are of float32, float64 and integers of up to 32 bits. Powers of integers need
exponents without a sign. What needs no data, such as arange, is computed on the host and copied.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import math
from typing import Any

from ._namespace_creation import (arange, asarray, empty, empty_like, eye, from_dlpack, full,
                                  full_like, linspace, ones, ones_like, zeros, zeros_like)
from ._namespace_functions import (ELEMENTWISE, all, any, argmax, argmin, argsort, clip, conj,
                                   count_nonzero, cumulative_prod, cumulative_sum, diff, matmul,
                                   max, mean, min, prod, real, searchsorted, sort, std, sum,
                                   tensordot, var, vecdot, where)
from ._namespace_shapes import (astype, broadcast_arrays, broadcast_to, concat, expand_dims, flip,
                                matrix_transpose, meshgrid, moveaxis, permute_dims, repeat, reshape,
                                roll, squeeze, stack, tile, tril, triu, unstack)
from ._namespace_types import DTYPES, Info, can_cast, finfo, iinfo, isdtype, result_type

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")
__array_api_version__ = VERSIONS[-1]

e, inf, nan, pi, newaxis = math.e, math.inf, math.nan, math.pi, None
globals().update(DTYPES)
globals().update(ELEMENTWISE)

_ARRAYS_AS_INDICES = "device arrays take no arrays as indices"
_SHAPE_OF_VALUES = "device arrays have no results whose shape depends on values"
_MISSING = {
    **dict.fromkeys(("take", "take_along_axis"), _ARRAYS_AS_INDICES),
    **dict.fromkeys(("nonzero", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
                    _SHAPE_OF_VALUES),
    **dict.fromkeys(("complex64", "complex128", "imag"), "the library has no complex numbers"),
    **dict.fromkeys(("linalg", "fft"), "the standard's extensions are not here"),
    "isin": "searchsorted finds elements in a sorted array",
    "nextafter": "OpenCL devices may take subnormal numbers for 0",
}


def __array_namespace_info__() -> Info:
    """What the namespace can do, its devices and types."""
    return Info()


def __getattr__(name: str) -> Any:
    if name in _MISSING:
        raise AttributeError(
            f"gpcl.array_api has no {name}: {_MISSING[name]}; NumPy has it, for what numpy() gives")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "VERSIONS", "all", "any", "arange", "argmax", "argmin", "argsort", "asarray", "astype",
    "broadcast_arrays", "broadcast_to", "can_cast", "clip", "concat", "conj", "count_nonzero",
    "cumulative_prod", "cumulative_sum", "diff", "e", "empty", "empty_like", "expand_dims", "eye",
    "finfo", "flip", "from_dlpack", "full", "full_like", "iinfo", "inf", "isdtype", "linspace",
    "matmul", "matrix_transpose", "max", "mean", "meshgrid", "min", "moveaxis", "nan", "newaxis",
    "ones", "ones_like", "permute_dims", "pi", "prod", "real", "repeat", "reshape", "result_type",
    "roll", "searchsorted", "sort", "squeeze", "stack", "std", "sum", "tensordot", "tile", "tril", "triu",
    "unstack", "var", "vecdot", "where", "zeros", "zeros_like", "__array_api_version__",
    "__array_namespace_info__", *DTYPES, *ELEMENTWISE
]
