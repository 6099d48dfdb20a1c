"""NumPy arrays as the C library takes them."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import operator

import numpy as np

from ._enums import enumerators
from ._errors import outside, text, wrong
from ._native import ffi, lib

try:
    import ml_dtypes
    BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:  # NumPy alone has none: the bits
    BFLOAT16 = np.dtype([("bfloat16", np.uint16)])

_NAMED = {"bfloat16": BFLOAT16}
CODES = {_NAMED.get(name) or np.dtype(name): code
         for name, code in ((text(lib.gp_dtype_name(code)), code) for code in enumerators("gp_dtype_code").values())}
_HOST_MEMORY, _OPENCL_MEMORY = (1, 3), 4  # DLPack's kDLCPU and kDLCUDAHost, kDLOpenCL


def code_of(dtype: np.dtype) -> int:
    """The gp_dtype of a NumPy dtype."""
    try:
        return CODES[dtype]
    except KeyError:
        raise wrong(f"elements of type {dtype} are not supported; there are {', '.join(map(str, CODES))}",
                    lib.GP_ERROR_DTYPE) from None


def dtype_of(asked) -> np.dtype:
    """NumPy's dtype of what a caller names as one; "bfloat16" is one with and without ml_dtypes."""
    if isinstance(asked, str) and asked in _NAMED:
        return _NAMED[asked]
    try:
        return np.dtype(asked)
    except TypeError as error:
        raise wrong(str(error), lib.GP_ERROR_DTYPE) from None


def device_code_of(dtype: np.dtype) -> int:
    """The gp_dtype of a device array's elements, which may be bool: bytes that are 0 or 1."""
    return lib.GP_UINT8 if dtype == np.bool_ else code_of(dtype)


def to_numpy(x, kinds: str = "biuf") -> np.ndarray:
    """A NumPy array of x: without a copy where x is one, or has the buffer protocol, __array_interface__ or __dlpack__.
    `kinds` are NumPy's letters for the types that are taken."""
    if type(x) is np.ndarray:
        array = x
    elif isinstance(x, bytes):  # text, to NumPy
        array = np.frombuffer(x, np.uint8)
    elif isinstance(x, np.ma.MaskedArray):
        raise wrong("masked arrays can't be taken: their masks would be lost", lib.GP_ERROR_DTYPE)
    elif hasattr(x, "__dlpack__") and not hasattr(x, "__array_interface__"):
        if hasattr(x, "numpy") and x.__dlpack_device__()[0] == _OPENCL_MEMORY:  # a device array
            return to_numpy(x.numpy(), kinds)
        if x.__dlpack_device__()[0] not in _HOST_MEMORY:
            raise wrong(f"{type(x).__name__} is not in host memory; copy it there first", lib.GP_ERROR_DTYPE)
        array = np.from_dlpack(x)
    elif hasattr(x, "int_ptr") or hasattr(x, "base_data"):
        raise wrong(f"{type(x).__name__} is memory of OpenCL; Context.wrap makes a device array of a buffer",
                    lib.GP_ERROR_DTYPE)
    else:
        array = np.asarray(x)
    if array.dtype.kind not in kinds and array.dtype != BFLOAT16 or array.dtype.hasobject:
        raise wrong(f"{type(x).__name__} with elements of type {array.dtype} can't be taken", lib.GP_ERROR_DTYPE)
    return array


def native(dtype: np.dtype) -> np.dtype:
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def contiguous(array: np.ndarray, dtype: np.dtype | None = None) -> np.ndarray:
    """C-contiguous, aligned, of native byte order; a copy only where `array` is not."""
    if (dtype is None or array.dtype == dtype) and is_direct(array):
        return array
    return np.require(array, native(dtype or array.dtype), ("C", "A"))


def is_direct(array: np.ndarray) -> bool:
    """Whether the library can write into this array as it is."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned and array.dtype.isnative


def pointer(array: np.ndarray):
    """The address of an array's first element; the caller keeps the array alive."""
    if array.flags.c_contiguous:
        return ffi.from_buffer(array)
    return ffi.cast("char *", array.__array_interface__["data"][0])


def type_of_out(out) -> np.dtype:
    """The type that an `out` argument asks for."""
    try:
        return out.dtype
    except AttributeError:
        raise wrong(f"out is {type(out).__name__}, expected an array", lib.GP_ERROR_DTYPE) from None


# Types that the library does not compute sums in, and the ones that stand in for them.
SUMMED_AS = {np.dtype(np.float16): np.dtype(np.float32),
              **{np.dtype(each): np.dtype(np.int32) for each in (np.bool_, np.int8, np.int16)},
              **{np.dtype(each): np.dtype(np.uint32) for each in (np.uint8, np.uint16)}}
_WIDE = {"b": np.dtype(np.int_), "i": np.dtype(np.int_), "u": np.dtype(np.uint)}


def accumulator(dtype: np.dtype, op: str, asked, out) -> np.dtype:
    """The type that NumPy's ufunc.accumulate and ufunc.reduce would give."""
    if asked is not None:
        return dtype_of(asked)
    if out is not None:
        return type_of_out(out)
    wide = _WIDE.get(dtype.kind)
    if wide is not None and op in ("add", "multiply") and dtype.itemsize < wide.itemsize:
        return wide
    return native(dtype)


def narrowed(values: np.ndarray, dtype: np.dtype, op: str, has_identity: bool = True) -> np.ndarray:
    """Results that may have been computed in a wider type. Where that type's identity of minimum or maximum lies beyond `dtype`, it
    becomes the least or the greatest of `dtype`. has_identity: whether one of the results may be the identity."""
    if values.dtype == dtype:
        return values
    if has_identity and op in ("minimum", "maximum") and dtype.kind in "biu":
        values = np.clip(values, *((0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)))
    return values.astype(dtype)


def scalar(value, dtype: np.dtype, what: str) -> np.ndarray:
    """A number as an array of one element; integers are not rounded and do not wrap."""
    array = to_numpy(value)
    if array.size != 1:
        raise wrong(f"{what} has the shape {array.shape}, expected a number")
    with np.errstate(invalid="ignore"):  # NaN as an integer, which is refused here
        element = array.reshape(1).astype(dtype)
    if dtype.kind in "iu" and element != array:
        raise wrong(f"{what} is {array.item()}, which is not of type {dtype}")
    return element


def _share(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        return np.shares_memory(a, b, max_work=100000)
    except RuntimeError:  # numpy's TooHardError: strides that only a long search tells apart
        return True


def _is(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether both are the same elements in the same order."""
    return (a.dtype == b.dtype and a.shape == b.shape and a.strides == b.strides and
            a.__array_interface__["data"] == b.__array_interface__["data"])


def check_apart(out: np.ndarray, *inputs, same: np.ndarray | None = None) -> None:
    """Refuses an `out` that shares memory with an input; `same` may be the very same elements."""
    overlap = same is not None and same is not out and _share(out, same) and not _is(out, same)
    for x in inputs:
        overlap = overlap or _share(out, x)
    if overlap:
        raise wrong("out overlaps an input", lib.GP_ERROR_OVERLAP)


def check_out(out, shape: tuple, dtype: np.dtype) -> np.ndarray:
    """An `out` argument: a writable array of just this shape and dtype."""
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise wrong(f"out is {type(out).__name__}, expected a NumPy array", lib.GP_ERROR_DTYPE)
    if out.dtype != dtype:
        raise wrong(f"out has elements of type {out.dtype}, expected {dtype}", lib.GP_ERROR_DTYPE)
    if out.shape != shape:
        raise wrong(f"out has the shape {out.shape}, expected {shape}")
    if not out.flags.writeable:
        raise wrong("out is read-only")
    return out


def integer(n, what: str) -> int:
    """A whole number, which floats are not, as for NumPy."""
    try:
        return operator.index(n)
    except TypeError:
        raise wrong(f"{what} is {n!r}, expected an integer", lib.GP_ERROR_DTYPE) from None


def size_of(n, what: str) -> int:
    """A number of elements or bytes for the library, whose sizes have no sign."""
    size = integer(n, what)
    if size < 0:
        raise wrong(f"{what} is {size}, expected 0 or more")
    return size


def axis_of(axis: int, dimensions: int) -> int:
    """An axis counted from the front."""
    axis = integer(axis, "axis")
    if not -dimensions <= axis < dimensions:
        raise outside(f"axis {axis} is outside of the array's {dimensions} dimensions")
    return axis % dimensions


def axes_of(axis: int | tuple[int, ...], dimensions: int) -> list[int]:
    """One axis or several, counted from the front and in that order."""
    axes = sorted(axis_of(each, dimensions) for each in (axis if isinstance(axis, tuple) else (axis,)))
    if len(set(axes)) < len(axes):
        raise wrong(f"axis is {axis}, which names an axis twice")
    return axes


def kept(shape: tuple, axes: list[int]) -> tuple:
    """The shape with a size of 1 along these axes."""
    return tuple(1 if each in axes else n for each, n in enumerate(shape))


def last(array: np.ndarray, axis: int) -> np.ndarray:
    """The array with that axis last."""
    return array if axis == array.ndim - 1 else np.moveaxis(array, axis, -1)


def rows(array):
    """The rows of a C-contiguous array, of the host or of a device: its parts along the last axis."""
    if array.ndim == 1:
        return (array,)
    count = 1
    for n in array.shape[:-1]:
        count *= n
    return array.reshape(count, array.shape[-1])


class Result:
    """Where an operation along an axis writes: `array` is C-contiguous with that axis last, and finish() turns it into
    what the caller gets. It is `out` itself where that can be written directly."""

    def __init__(self, shape: tuple, dtype: np.dtype, axis: int, out: np.ndarray | None = None):
        self._axis = axis
        self._out = out
        if out is not None and axis == len(shape) - 1 and out.dtype == dtype and is_direct(out):
            self.array = out
        else:
            self.array = np.empty(shape[:axis] + shape[axis + 1:] + shape[axis:axis + 1], dtype)

    def finish(self, dtype: np.dtype, op: str = "") -> np.ndarray:
        """`op`: as in narrowed."""
        if self.array is self._out:
            return self.array
        array = narrowed(self.array, dtype, op) if op else self.array
        if self._axis != array.ndim - 1:
            array = np.moveaxis(array, -1, self._axis)
        if self._out is None:
            return contiguous(array, dtype)
        np.copyto(self._out, array, casting="unsafe")
        return self._out
