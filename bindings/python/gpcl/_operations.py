"""The operations, on arrays of the host and of the device.

Every method becomes a function of the module as well. Common to all of them:

Arrays are NumPy arrays, or anything with the buffer protocol, __array_interface__ or __dlpack__ in
host memory, or sequences of numbers. Inputs of any strides, alignment and byte order are taken, and
may be read-only; what is not C-contiguous, aligned and native is copied first (matmul takes
transposed matrices and blocks of larger ones as they are). `out` is a writable array of the
result's own shape and type; strides are free, but a contiguous one saves a copy. It may be the
input itself; any other overlap is refused.

Device arrays give device arrays, without waiting and without conversions: there `out` is a device
array.

`algorithm` is a name from gpcl.algorithms(operation); None chooses.

Errors: GpError, which is a ValueError for values and shapes and a TypeError for types that can't be
taken, and a MemoryError where memory is short.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import collections.abc
import difflib
import functools
import inspect
import math
import operator

import numpy as np

from ._arrays import (BFLOAT16, CODES, SUMMED_AS, Result, accumulator, axes_of, axis_of, check_apart, check_out, code_of, contiguous, dtype_of,
                      is_direct, kept, last, narrowed, native, pointer, scalar, size_of, to_numpy, type_of_out)
from ._device_array import DeviceArray, check_device_out
from ._elementwise import apply
from ._elementwise import take as _taken_by
from ._enums import (ACTIVATIONS, OPERATORS, PRECISIONS, SEMIRINGS, Activation, Operator, Precision, Semiring,
                     Side)
from ._errors import GpError, GpTypeError, check, choose, encoded, wrong
from ._indexing import bits_of
from ._native import ffi, lib
from ._types import Any, DTypeLike, HostArray, Input, NDArray, Number, Output, Segments, Values


class _Entry:
    """An operation of the library: its two functions and its options."""

    def __init__(self, name: str, options: str | None = None):
        structure = f"gp_{options or name}_options"
        self.run = getattr(lib, f"gp_{name}")
        self.enqueue = getattr(lib, f"gp_enqueue_{name}")
        self.structure = ffi.typeof(structure + " *")
        self.size = ffi.sizeof(structure)


_ENTRIES = {name: _Entry(name) for name in ("matmul", "scan", "reduce", "arg_reduce", "sort", "sort_by", "top_k", "search",
                                            "is_sorted", "merge", "paths", "histogram", "histogram_weighted", "histogram_2d",
                                            "recurrence", "transform", "difference", "run_lengths", "reduce_by_key", "scan_by_key",
                                            "unique", "repeat")}
_ENTRIES |= {name: _Entry(name, "sort") for name in ("sort_pairs", "argsort")}
_ENTRIES["merge_pairs"] = _Entry("merge_pairs", "merge")
_ENTRIES |= {name: _Entry(name, "merge_runs") for name in ("merge_runs", "merge_runs_pairs")}
_ENTRIES |= {name: _Entry(name, "select") for name in ("select", "select_pairs", "partition", "partition_pairs", "nonzero")}
_ENTRIES["recurrence_varying"] = _Entry("recurrence_varying", "recurrence")
_ENTRIES |= {name: _Entry(name, "gather") for name in ("gather", "scatter")}
_ENTRIES["transpose_matrix"] = _Entry("transpose_matrix")


# Members of options that are texts.
_TEXTS = {"algorithm", "helpers", "operator_source", "operator_identity", "operator_helpers", "finish_source", "plus_source",
          "times_source", "zero_source", "one_source", "predicate", "type"}


def _options(entry: _Entry, values: dict, event):
    """The options structure, NULL where all are defaults, and what must live as long as it."""
    members = {name: ffi.new("char[]", encoded(value, name)) if isinstance(value, str) or name in _TEXTS else value
               for name, value in values.items() if value or name in _TEXTS and value not in (None, "")}
    if event:
        members["event"] = event
    if not members:
        return ffi.NULL, None
    types = tuple(map(type, members.values()))
    if _KEPT.issuperset(types):
        return _kept_options(entry, tuple(members.items()), types), None
    members["struct_size"] = entry.size
    return ffi.new(entry.structure, members), members


_KEPT = {bool, int, float}


@functools.lru_cache(maxsize=256)
def _kept_options(entry: _Entry, members: tuple, _types: tuple):
    """The options structure of numbers alone, which serves again for numbers of the same types."""
    return ffi.new(entry.structure, {**dict(members), "struct_size": entry.size})


# Types that the library does not compute in, and the ones that stand in for them.
_SORTED_AS = {np.dtype(np.bool_): np.dtype(np.uint8), np.dtype(np.float16): np.dtype(np.float32)}
_MULTIPLIED_AS = {np.dtype(each): np.dtype(np.int32) for each in (np.bool_, np.uint16, np.uint32)}
_ANY_TRUE_AS = _MULTIPLIED_AS | {np.dtype(each): np.dtype(np.int16) for each in (np.int8, np.uint8)}
# Factors, and what their products are computed in and may be of.
_WIDENED = {**{np.dtype(each): np.dtype(np.int32) for each in (np.int8, np.uint8, np.int16)},
            **{each: np.dtype(np.float32) for each in (np.dtype(np.float16), BFLOAT16)}}

# Types of lengths of paths.
_LENGTHS = {np.dtype(each) for each in (np.int16, np.int32, np.float32, np.float64)}


def _real(a) -> np.dtype:
    """The type in which a recurrence on this array is computed."""
    return native(a.dtype) if isinstance(a, DeviceArray) or a.dtype in (np.float32, np.float64) else np.dtype(np.float64)


# NumPy's types as OpenCL C's.
_OPENCL = {np.dtype(each): name for each, name in
           ((np.bool_, "uchar"), (np.int8, "char"), (np.int16, "short"), (np.int32, "int"), (np.int64, "long"),
            (np.uint8, "uchar"), (np.uint16, "ushort"), (np.uint32, "uint"), (np.uint64, "ulong"), (np.float16, "half"),
            (np.float32, "float"), (np.float64, "double"))}


def _declared(dtype: np.dtype, name: str) -> str:
    """A member of an OpenCL C structure."""
    plain, shape = dtype.subdtype or (dtype, ())
    if plain not in _OPENCL:
        raise wrong(f"elements of type {plain} have no OpenCL C type of their own: pass type and helpers", lib.GP_ERROR_DTYPE)
    return f"{_OPENCL[plain]} {name}{''.join(f'[{n}]' for n in shape)};"


def _element_type(dtype: np.dtype) -> tuple[str, str]:
    """The OpenCL C type of elements, and its declaration. A structure has the fields' names; an element of several numbers
    is one with the member `at`."""
    if dtype in _OPENCL:
        return _OPENCL[dtype], ""
    if dtype.fields is None:
        members, aligned = [_declared(dtype, "at")], True
    else:
        members, end, aligned = [], 0, True
        for name, (type_, offset, *_) in sorted(dtype.fields.items(), key=lambda field: field[1][1]):
            if offset < end:
                raise wrong("the fields overlap: pass type and helpers", lib.GP_ERROR_DTYPE)
            if offset > end:
                members.append(f"uchar gp_gap_{end}[{offset - end}];")
            members.append(_declared(type_, name))
            size = type_.base.itemsize
            aligned = aligned and offset % size == 0 and dtype.itemsize % size == 0
            end = offset + type_.itemsize
        if end < dtype.itemsize:
            members.append(f"uchar gp_gap_{end}[{dtype.itemsize - end}];")
    packed = "" if aligned else "__attribute__((packed)) "
    return "gp_element", f"typedef struct {packed}{{ {' '.join(members)} }} gp_element;\n"


def _has_half(dtype: np.dtype) -> bool:
    """Whether elements of this type are float16, or have some in them."""
    if dtype.fields is not None:
        return any(_has_half(type_) for type_, *_ in dtype.fields.values())
    return dtype.base == np.float16


def _merge_arguments(n_a: int, n_b: int, places: list[tuple], value_size: int) -> list:
    """The arguments of a merge between the type and the options: where each array is, in the order of the library's."""
    a, b, out, *values = places
    arguments = [n_a, *a, n_b, *b, *out]
    return arguments + [value_size, *(part for place in values for part in place)] if values else arguments


def _refused(error: Exception) -> GpError:
    """What NumPy refuses, as an error of the package."""
    if isinstance(error, GpError):
        return error
    status = (lib.GP_ERROR_HOST_MEMORY if isinstance(error, MemoryError) else
              lib.GP_ERROR_DTYPE if isinstance(error, TypeError) else lib.GP_ERROR_OPTION)
    return wrong(str(error), status)


def _pair(out, name: str = "out") -> tuple:
    """The `out` of an operation with two results, or another pair."""
    if out is None:
        return None, None
    if not isinstance(out, (tuple, list)) and not (isinstance(out, np.ndarray) and out.ndim > 1) or len(out) != 2:
        raise wrong(f"{name} is {type(out).__name__}, expected a pair of arrays", lib.GP_ERROR_DTYPE)
    return tuple(out)


def _operator(op: str, identity, helpers: str | None) -> dict:
    if identity is None and helpers is None:
        return {"op": choose(OPERATORS, op, "operator", lib.GP_ERROR_OPERATOR, ", and OpenCL C text with its identity")}
    return {"operator_source": op, "operator_identity": None if identity is None else str(identity),
            "operator_helpers": helpers}


def _one_axis(a, axis: int | None):
    """The array, flattened when axis is None, and the axis counted from the front."""
    if axis is None:
        return a.reshape(-1), 0
    return a, axis_of(axis, a.ndim)


def _axes(axis: int | tuple[int, ...] | None, dimensions: int) -> list[int]:
    """The axes that `axis` names, counted from the front; None names all."""
    return list(range(dimensions)) if axis is None else axes_of(axis, dimensions)


class _Rows:
    """The rows of an array along some of its axes, in order.

    `array` is what the library takes; `n` the elements of a row; `batch` the shape of the other
    axes, and of the results of a reduction; `layout` the options that say how the rows lie. Rows
    along the first axes of a C-contiguous array lie as
    the columns of a matrix do; those along other axes are moved behind the others, which device arrays can't do."""

    def __init__(self, a, axes: list[int], by_steps: bool):
        others = [each for each in range(a.ndim) if each not in axes]
        self.n = math.prod(a.shape[each] for each in axes)
        self.batch = tuple(a.shape[each] for each in others)
        self.count = math.prod(self.batch)
        self.layout = {"batch": self.count}
        is_device = isinstance(a, DeviceArray)
        is_last = axes == list(range(len(others), a.ndim))
        self.is_moved = not is_last
        if not is_last and by_steps and axes == list(range(len(axes))) and (is_device or a.flags.c_contiguous):
            self.layout |= {"stride_in": 1, "step_in": self.count}
            self.is_moved = False
        elif not is_last and is_device:
            raise wrong(f"device arrays take the first or the last axes, or None; got {axes} of {a.ndim} dimensions")
        elif not is_last:
            a = a.transpose(*others, *axes)
        self.array = a


def _same_rows(layout: dict) -> dict:
    """The options by which the rows of the result lie as those of the input."""
    return {name.replace("_in", "_out"): value for name, value in layout.items() if name.endswith("_in")}


def _summed(a: np.ndarray, computed: np.dtype) -> tuple[np.ndarray, int, dict]:
    """The array and the code of its type for sums in another one, and the option that asks for that. The library reads
    elements of a type whose values the other one holds; others are converted first."""
    if a.dtype == np.bool_ and a.flags.c_contiguous:
        a = a.view(np.uint8)
    given = native(a.dtype)
    if (given == computed or given not in CODES or (given.kind == "f") != (computed.kind == "f") or
            not np.can_cast(given, computed)):
        return contiguous(a, computed), code_of(computed), {}
    return contiguous(a, given), code_of(given), {"accumulator": code_of(computed)}


def _device_sums(a: DeviceArray, dtype) -> tuple[np.dtype, dict]:
    """The type of sums on the device, and the option that asks for another one than the elements'."""
    dtype = a.dtype if dtype is None else dtype_of(dtype)
    return dtype, {} if dtype == a.dtype else {"accumulator": code_of(dtype)}


def _carry(initial, shape: tuple, dtype: np.dtype) -> np.ndarray:
    """What comes before each row, one number for all or an array of this shape, as contiguous elements of the type."""
    given = to_numpy(initial)
    try:
        rows_ = np.broadcast_to(given, shape)
    except ValueError:
        raise wrong(f"initial has the shape {given.shape}, expected {shape}") from None
    if given.dtype == dtype:
        return contiguous(rows_)
    with np.errstate(invalid="ignore"):  # NaN as an integer, which is refused here
        result = np.array(rows_, dtype, order="C")
    if dtype.kind in "iu" and not np.array_equal(result, rows_):
        raise wrong(f"initial has values that are not of type {dtype}")
    return result


def _device_carries(options: dict, initial, final, shape: tuple, dtype: np.dtype):
    """Adds the carries of device arrays to the options; returns what must live until the call returns."""
    keep = None
    if isinstance(initial, DeviceArray):
        check_device_out(initial, shape, dtype, "initial")
        options |= {"initial_buffer": initial.buffer.pointer, "initial_offset": initial.offset}
    elif initial is not None:
        keep = _carry(initial, shape, dtype)
        options["initial"] = pointer(keep)
    if final is not None:
        check_device_out(final, shape, dtype, "final")
        options |= {"final_buffer": final.buffer.pointer, "final_offset": final.offset}
    return keep


class _SortedRows:
    """The rows of an array along an axis, as the sorts take them: `slabs` parts of the array, one behind the other, each with
    rows of `n` elements that lie as `layout` says. Along the last axis, or where nothing lies before the axis, it is one."""

    def __init__(self, shape: tuple, axis: int):
        before, self.n, after = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:])
        self.slabs, self.layout = (1, {"batch": before}) if after == 1 else (before, {"batch": after, "stride": 1, "step": after})
        self.slab = self.n * after
        if not math.prod(shape):
            self.slabs = 0


def _sort_options(descending: bool, bits, work, algorithm) -> dict:
    try:
        begin, end = (0, 0) if bits is None else bits
    except (TypeError, ValueError):
        raise wrong(f"bits is {bits!r}, expected (first, one behind the last)", lib.GP_ERROR_DTYPE) from None
    begin, end = size_of(begin, "bits"), size_of(end, "bits")
    return {"order": bool(descending), "begin_bit": begin, "end_bit": end, "algorithm": algorithm} | _work_options(work)


def _element_of(size: int) -> tuple[int, int]:
    """A size that elements of the library may have, and how many of them are so many bytes."""
    if size <= 64:
        return size, 1
    element = next(each for each in range(64, 0, -1) if size % each == 0)
    return element, size // element


def _work_options(work) -> dict:
    if work is None:
        return {}
    if not isinstance(work, DeviceArray):
        raise wrong("work is a device array, for device arrays")
    return {"work": work.buffer.pointer, "work_offset": work.offset * work.dtype.itemsize, "work_bytes": work.nbytes}


def _check_number(given, name: str, on_device: bool, numbers: int = 1) -> None:
    """A number on the device, such as a count, or several."""
    if not on_device or not isinstance(given, DeviceArray):
        raise wrong(f"{name} is for device arrays, and a device array", lib.GP_ERROR_DTYPE)
    if given.dtype != np.uint64 or given.size != numbers:
        raise wrong(f"{name} has {given.size} elements of type {given.dtype}, expected {numbers} of type uint64")


def _size_options(n, a) -> dict:
    """The options of a call on a device array that takes no more of its elements than a number on the device says."""
    if n is None:
        return {}
    _check_number(n, "n", isinstance(a, DeviceArray))
    return {"n_buffer": n.buffer.pointer, "n_offset": n.offset}


_OFFSETS = {np.dtype(each) for each in (np.int32, np.uint32, np.int64, np.uint64)}


def _offsets(given, of, which: str):
    """Offsets for an array, host or device: of integers of 4 or 8 bytes."""
    if isinstance(given, DeviceArray):
        if not isinstance(of, DeviceArray):
            given = to_numpy(given)
        elif given.dtype not in _OFFSETS or given.ndim != 1:
            raise wrong(f"{which}: expected one dimension of integers of 4 or 8 bytes, got {given.dtype}", lib.GP_ERROR_DTYPE)
        else:
            return given
    given = np.asarray(given)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
        raise wrong(f"{which}: expected one dimension of integers, got {given.dtype} of shape {given.shape}", lib.GP_ERROR_DTYPE)
    type_ = native(given.dtype)
    return contiguous(given, type_ if type_ in _OFFSETS else np.dtype(np.int64))


def _positions(indices, n: int, on_device: bool):
    """The positions of a gather or scatter, as the library takes them."""
    if on_device and isinstance(indices, DeviceArray):
        if indices.dtype not in _OFFSETS:
            raise wrong(f"indices are of type {indices.dtype}, expected int32, uint32, int64 or uint64", lib.GP_ERROR_DTYPE)
        return indices
    indices = to_numpy(indices)
    if not indices.size and indices.dtype == np.float64:
        indices = indices.astype(_INDEX)  # an empty list
    if indices.dtype.kind not in "iu":
        raise wrong(f"indices are of type {indices.dtype}, expected integers", lib.GP_ERROR_DTYPE)
    return contiguous(indices, native(indices.dtype) if native(indices.dtype) in _OFFSETS else _INDEX)


def _counters(first_wrong, count, on_device: bool) -> dict:
    """The options of a gather or scatter that are numbers on the device."""
    options = {}
    for given, name, buffer, offset in ((first_wrong, "first_wrong", "first_wrong_buffer", "first_wrong_offset"),
                                        (count, "count", "n_buffer", "n_offset")):
        if given is None:
            continue
        if not on_device:
            raise wrong(f"{name} is for device arrays")
        check_device_out(given, (1,), np.dtype(np.uint64), name)
        options |= {buffer: given.buffer.pointer, offset: given.offset}
    return options


def _segment_options(context, options: dict, segments, a, axis) -> list:
    """Adds segments of a to the options of a sort; returns what must live until the call returns."""
    if a.ndim != 1 or axis not in (-1, 0, None):
        raise wrong(f"segments are of arrays of one dimension; the shape is {a.shape}")
    begins, ends = segments if isinstance(segments, tuple) else (segments, None)
    begins = _offsets(begins, a, "segments")
    ends = None if ends is None else _offsets(ends, a, "ends of segments")
    if ends is None and not begins.size:
        raise wrong("segments is empty; expected one offset more than there are segments")
    if ends is not None and ends.size != begins.size:
        raise wrong(f"segments begin at {begins.size} offsets and end at {ends.size}; expected as many")
    if ends is not None and not begins.size:
        begins, ends = np.zeros(1, np.int64), None
    if ends is not None and begins.dtype != ends.dtype:
        begins, ends = begins.astype(np.int64), ends.astype(np.int64)
    options |= {"segments": begins.size - (ends is None), "offset_type": CODES[np.dtype(begins.dtype)]}
    keep = []
    for name, buffer, offset, each in (("offsets", "offsets_buffer", "offsets_offset", begins),
                                       ("ends", "ends_buffer", "ends_offset", ends)):
        if each is None:
            continue
        if isinstance(a, DeviceArray):
            each = each if isinstance(each, DeviceArray) else context.array(each)
            options |= {buffer: each.buffer.pointer, offset: each.offset}
        else:
            options[name] = pointer(each)
        keep.append(each)
    return keep


def _shape_of(a) -> tuple[int, ...]:
    return a.shape if isinstance(a, DeviceArray) else np.shape(a)


def _maybe_pointer(a):
    return ffi.NULL if a is None else pointer(a)


def _maybe_buffer(a) -> tuple:
    return (ffi.NULL, 0) if a is None else (a.buffer.pointer, a.offset)


_INVERSE_HAS_SHAPE = int(np.__version__.split(".")[0]) >= 2  # numpy.unique's


# What the functions of the short way (below the class) know beforehand.
_COMPARED = {dtype: code for dtype, code in CODES.items() if dtype != BFLOAT16}  # whose bits are ordered otherwise
_SORTED = {dtype: code for dtype, code in _COMPARED.items() if dtype not in _SORTED_AS}
_INDEX = np.dtype(np.intp)

_INDEX_CODE = lib.GP_UINT32 if _INDEX.itemsize == 4 else lib.GP_UINT64
_FLAGS = {np.dtype(each) for each in (np.bool_, np.int8, np.uint8)}
_MOVED = {np.dtype(np.bool_), *_COMPARED}
_NONZERO = {np.dtype(np.bool_): lib.GP_UINT8, **_COMPARED}
_MOST = np.iinfo(np.intp).max
_TAKEN = {np.dtype(each) for each in (np.int32, np.uint32, np.int64)}  # as indices, by NumPy
_NUMBER = ffi.typeof("uint64_t *")
_LEAST_OR_GREATEST = {"minimum": np.minimum.accumulate, "maximum": np.maximum.accumulate}
_LEAST_OR_GREATEST_OF_ALL = {"minimum": np.minimum.reduce, "maximum": np.maximum.reduce}
_ndarray = np.ndarray
_empty = np.empty
_from_buffer = ffi.from_buffer
_new = ffi.new
_gp_sort, _gp_argsort, _gp_scan, _gp_reduce = lib.gp_sort, lib.gp_argsort, lib.gp_scan, lib.gp_reduce
_gp_histogram_weighted = lib.gp_histogram_weighted
_NULL = ffi.NULL


_LAST = -1  # the default axis


def _has_quick_blas() -> bool:
    """Whether NumPy says that its products of floats are those of a library made for speed. Debian's says "blas", which may be
    any."""
    built = getattr(np.__config__, "CONFIG", {}).get("Build Dependencies", {})
    return any(each in built.get("blas", {}).get("name", "") for each in ("accelerate", "blis", "mkl", "openblas"))


# Of so few elements NumPy's own functions are there sooner than a call into the library is made.
# Sorts of them are stable, too: integers that are equal are alike, whatever their order, and floats
# take NumPy's stable sort, which is quick where rows are short. A context that "auto" opened leaves
# none to NumPy, since it tells where each call ran.
_FEW_SORTED = {dtype: (100, "stable") if dtype.kind == "f" else (256, "quicksort") for dtype in _SORTED}
_NONE = -1, None
_FEW_IN_ROWS, _SHORT_ROW = 1024, 32
_FEW_ORDERED = 100
# In one row; integers of one or two bytes NumPy orders by their digits.
_FEW_IN_A_ROW = {dtype: {1: 1 << 13, 2: 1 << 10}.get(dtype.itemsize, _FEW_ORDERED) if dtype.kind in "iu" else _FEW_ORDERED
                 for dtype in _SORTED}
_FEW_CHOSEN = 32  # from, by top_k
_FEW_SUMMED = 100  # to running sums
_FEW_COMPARED = 1 << 10  # to running least or greatest integers
_FEW_SCANNED = 1 << 15  # for the least or greatest
_FEW_BYTES_REDUCED = 1 << 18  # to the least or greatest: threads don't pay yet
_FEW_WEIGHTED = 16
_FEW_IN_COLUMNS = 1 << 10  # for the least or greatest of each
_FEW_SELECTED = 1024  # from
_FEW_TAKEN = 1 << 16
_FEW_PUT = 1 << 11
_FEW_TURNED = 1 << 12
_FEW_REPEATED, _FEW_REPEATED_ALIKE = 1 << 13, 1 << 17
_FEW_OF_VECTOR = 1 << 12, 1 << 16  # products, of integers and of floats
_FEW_OF_BATCH = 1 << 12
_FEW_PAIRS = 10000  # of elements, one of each matrix: two of 10 rows and columns have so many
_FEW_PRODUCTS = 1 << 18 if _has_quick_blas() else 0  # of floats, for which BLAS takes one thread
_MULTIPLIED = {np.dtype(each): max(_FEW_PAIRS, _FEW_PRODUCTS if np.dtype(each).kind == "f" else 0)  # few pairs: no more products
               for each in (np.float32, np.float64, np.int32, np.int16, np.int8, np.uint8)}


def _first(array: np.ndarray, count: int) -> np.ndarray:
    """The first elements, without the memory of many more."""
    return array[:count] if 2 * count >= array.shape[0] else array[:count].copy()


def _lie(rows: int, as_columns: bool, *of: str) -> dict:
    """The options by which rows lie one behind the other, or as the columns of a matrix, in the input and in the result: of
    are the ends of the options' names."""
    if rows == 1:
        return {}
    return {"batch": rows} | ({f"{name}{each}": value for each in of for name, value in (("stride", 1), ("step", rows))}
                              if as_columns else {})


@functools.lru_cache(maxsize=256)
def _sorted_rows(rows: int, as_columns: bool, descending: bool):
    """The options of a sort of such rows."""
    return _options(_ENTRIES["sort"], {"order": bool(descending)} | _lie(rows, as_columns, ""), _NULL)[0]


def _rows_of(a: np.ndarray, axis) -> tuple:
    """As _rows_along(), of the flattened array, too; then the axis is None."""
    return (a.size, 1, False, ()) if axis is None or axis is _LAST and a.ndim == 1 else _rows_along(a.shape, axis)


@functools.lru_cache(maxsize=512, typed=True)
def _rows_along(shape: tuple, axis) -> tuple:
    """(elements of a row, rows, whether they lie as the columns of a matrix, the shape without the axis) along the first or the
    last axis; four times None for other axes, and for no elements in several dimensions."""
    dimensions = len(shape)
    if _is_axis(axis, dimensions) and (dimensions == 1 or math.prod(shape)):
        axis %= dimensions
        n, rest = shape[axis], shape[:axis] + shape[axis + 1:]
        rows = math.prod(rest)
        if axis in (0, dimensions - 1):
            return n, rows, axis < dimensions - 1 and rows > 1, rest
    return None, None, None, None


def _is_axis(axis, dimensions: int) -> bool:
    """Whether this names an axis of an array of so many dimensions."""
    return type(axis) is int and -dimensions <= axis < dimensions


def _is_plain(a) -> bool:
    """Whether this is an array of one dimension that the library reads as it lies."""
    if type(a) is not _ndarray or a.ndim != 1:
        return False
    flags = a.flags
    return flags.c_contiguous and flags.aligned


def _is_read_as_it_lies(a) -> bool:
    """Whether this is an array that the library reads as it lies."""
    if type(a) is not _ndarray:
        return False
    flags = a.flags
    return flags.c_contiguous and flags.aligned


def _is_plain_along(a, axis) -> bool:
    """Whether this is an array that the library reads as it lies, and all of it is along the axis."""
    return _is_read_as_it_lies(a) and (axis is None or a.ndim == 1 and _is_axis(axis, 1))


def _can_receive(out, shape: tuple, dtype: np.dtype, *inputs: np.ndarray, same: np.ndarray | None = None) -> bool:
    """Whether the library can write a result of this shape and type into `out`, which lies apart from the inputs; `same` is an
    input that it may be itself."""
    return (_is_read_as_it_lies(out) and out.dtype == dtype and out.shape == shape and out.flags.writeable and
            all(_are_apart(out, each) for each in inputs) and (same is None or out is same or _are_apart(out, same)))


def _receiver(out, shape: tuple, dtype: np.dtype, *inputs: np.ndarray, same: np.ndarray | None = None) -> np.ndarray | None:
    """A new array, or `out` where it can receive the result; else None."""
    if out is None:
        return _empty(shape, dtype)
    return out if _can_receive(out, shape, dtype, *inputs, same=same) else None


def _are_apart(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether it is soon told that these share no memory."""
    return a is not b and (a.flags.owndata and b.flags.owndata or not np.may_share_memory(a, b))


_BOOL, _UINT8 = np.dtype(np.bool_), np.dtype(np.uint8)
_LIES_OF = {"scan": ("_in", "_out"), "reduce": ("_in",), "reduce_by_key": ()}


@functools.lru_cache(maxsize=256)
def _sums(name: str, dtype: np.dtype, op: str, rows: int, as_columns: bool, kind: bool = False, direction: bool = False):
    """(code of the elements, type that is computed in, options, type of the result if that is another one) of a plain scan or
    reduction, whose elements the library reads; else None."""
    given = accumulator(dtype, op, None, None)
    computed = SUMMED_AS.get(given, given)
    dtype = _UINT8 if dtype == _BOOL else dtype
    if op not in OPERATORS or dtype not in CODES or computed not in CODES:
        return None
    options = {"op": OPERATORS[op], "kind": bool(kind), "direction": bool(direction)} | _lie(rows, as_columns, *_LIES_OF[name])
    if dtype != computed:
        if (dtype.kind == "f") != (computed.kind == "f") or not np.can_cast(dtype, computed):
            return None
        options["accumulator"] = code_of(computed)
    return CODES[dtype], computed, _options(_ENTRIES[name], options, _NULL)[0], None if given == computed else given


_FEW_WHOLE = {dtype: _FEW_COMPARED if dtype not in SUMMED_AS else _FEW_SCANNED for dtype in _COMPARED if dtype.kind in "iu"}
_SUMMED = {dtype for dtype in _COMPARED if dtype.kind in "iu"}  # NumPy warns where sums of floats become infinite


# So many values are searched for by NumPy: a call of the library takes longer than that.
_FEW_VALUES = 256
# Likewise sorted by several keys; integers of one or two bytes NumPy sorts by their digits.
_FEW_KEYS = {dtype: 1 << 16 if dtype.kind in "iu" and dtype.itemsize <= 2 else 256 for dtype in _COMPARED}
_SHORT = 32  # among so few elements of one type a search has as few steps
_LONG = 1 << 17  # so many elements take longer to convert to another type than some values
_PLAIN = (float, int, list)
_SEVERAL = (tuple, list)
_SIDES = {"left": lib.GP_LEFT, "right": lib.GP_RIGHT}


def _as_elements(v: np.ndarray, dtype: np.dtype, up: bool) -> np.ndarray | None:
    """Values as elements of this type that belong to the same places of a sorted array of it as NumPy finds in the common
    type; None where there are none. Between two elements, it is the next one upwards or downwards that has the same place."""
    given = native(v.dtype)
    if given == dtype:
        return contiguous(v)
    if dtype.kind == "f" and given.kind in "biuf":
        with np.errstate(all="ignore"):
            wide = v.astype(np.promote_types(given, dtype))  # as NumPy rounds integers
            result = wide.astype(dtype)
            if up:
                return np.where(result < wide, np.nextafter(result, dtype.type(np.inf)), result).astype(dtype)
            return np.where(result > wide, np.nextafter(result, dtype.type(-np.inf)), result).astype(dtype)
    with np.errstate(all="ignore"):
        result = v.astype(dtype)
    return result if np.array_equal(result, v) else None


def _values_of(v, dtype: np.dtype, up: bool) -> np.ndarray:
    """Values for a device array of this type, which must have elements that belong to the same places."""
    result = _as_elements(to_numpy(v), dtype, up)
    if result is None:
        raise wrong(f"v has values that are not of type {dtype}", lib.GP_ERROR_DTYPE)
    return result


def _check_sorter(sorter, size: int) -> None:
    if sorter.dtype.kind not in "iu":
        raise wrong("sorter must only contain integers", lib.GP_ERROR_DTYPE)
    if sorter.ndim != 1:
        raise wrong("sorter must be an array of one dimension", lib.GP_ERROR_DTYPE)
    if sorter.size != size:
        raise wrong(f"sorter has {sorter.size} elements, expected {size}")


def _meets_in(a: np.dtype, v: np.dtype) -> bool:
    """Whether values of type v find the places that NumPy's common type gives among elements of type a, which can then stay
    as they are."""
    return a.kind == "f" or a.kind in "iu" and v.kind in "iu" and np.promote_types(a, v).kind in "iu"


def _by_numpy(a: np.ndarray, v: np.ndarray, side: str, sorter) -> np.ndarray:
    """The places of few values, by NumPy, which would convert all of a large array to the common type."""
    if a.size > _LONG and a.dtype != v.dtype and _meets_in(a.dtype, v.dtype):
        near = _as_elements(v, a.dtype, side == "left")
        v = v if near is None else near
    try:
        return a.searchsorted(v, side, sorter)
    except (TypeError, ValueError) as error:
        if sorter is not None:
            _check_sorter(to_numpy(sorter), a.size)
        raise _refused(error) from None  # an index that the array lacks


def _is_few(m: int, n: int, sorter, is_one_type: bool) -> bool:
    """Whether NumPy finds the places of m values among n elements sooner than the library, which gathers the elements that a
    sorter names, and which first has to be called. In arrays beyond the caches, each step of a
    search is a wait for memory,
    which a gather does not wait for."""
    plain = is_one_type and sorter is None
    if m <= 1024 and n <= (_SHORT if plain else 8192):
        return True
    return sorter is not None and m * (64 if n <= _LONG else 128) <= n


def _sorted_by(sorter: np.ndarray, a: np.ndarray) -> np.ndarray:
    if sorter.size and not (sorter.min() >= 0 and sorter.max() < a.size):
        raise wrong("sorter has an index that the array lacks")
    return a[sorter]


def _device_sorter(sorter, a: DeviceArray) -> DeviceArray:
    sorter = sorter if isinstance(sorter, DeviceArray) else a.context.array(to_numpy(sorter))
    _check_sorter(sorter, a.size)
    return sorter


def _broadcast(values: list, size: int) -> int:
    """Which arrays of a transform are one element for several."""
    return sum(1 << k for k, each in enumerate(values) if each.size == 1 < size)


@functools.lru_cache(maxsize=256)
def _differences(rows: int, as_columns: bool):
    """The options of differences along such rows."""
    return _options(_ENTRIES["difference"], {"first": lib.GP_FIRST_LEFT_OUT} | _lie(rows, as_columns, "_in", "_out"), _NULL)[0]


@functools.lru_cache(maxsize=256)
def _of_rows(name: str, rows: int, as_columns: bool):
    """The options of an operation of whose options only these are needed."""
    return _options(_ENTRIES[name], _lie(rows, as_columns, "_in"), _NULL)[0]


@functools.lru_cache(maxsize=64)
def _moved_rows(row: int):
    """The options of a gather or a scatter of rows."""
    return _options(_ENTRIES["gather"], {"row": row, "from_end": 1}, _NULL)[0]


@functools.lru_cache(maxsize=64)
def _products_of(batch: int, stride_a: int, stride_b: int, stride_c: int):
    """The options of a batch of products of matrices that lie one behind the other."""
    return _options(_ENTRIES["matmul"], {"batch": batch, "stride_a": stride_a, "stride_b": stride_b, "stride_c": stride_c},
                    _NULL)[0]


class Operations:
    """The operations of a context."""

    def _run(self, name: str, *arguments, **options) -> None:
        """The form of an operation that takes host pointers."""
        entry = _ENTRIES[name]
        event = self._event_slot()
        structure, keep = _options(entry, options, event)
        check(entry.run(self.pointer, *arguments, structure))
        if event:
            self._event_made(event)
        del keep

    def _enqueue(self, name: str, *arguments, **options) -> None:
        """The form that takes buffers."""
        entry = _ENTRIES[name]
        event = self._event_slot()
        structure, keep = _options(entry, options, ffi.NULL)
        check(entry.enqueue(self.pointer, *arguments, structure, 0, ffi.NULL, event))
        if event:
            self._event_made(event)
        del keep

    # ---- sort

    def sort(self, a: Input, *, axis: int | None = -1, descending: bool = False, out: Output | None = None,
             bits: tuple[int, int] | None = None, work: DeviceArray | None = None,
             segments: Segments | None = None, n: DeviceArray | None = None, algorithm: str | None = None) -> Output:
        """A sorted copy of an array, or `out` (which may be `a`, to sort in place).

        Stable. Any integer or floating type, or bool; order as numpy.sort: NaN last, in descending
        order too. axis None sorts the flattened array. Shape and type are the input's. All rows
        along the axis take one call of the library; of device arrays whose axis is neither the
        first nor the last, one for each place along the axes before it. bits, (first, one behind
        the last), makes only these count: of unsigned integers their own, of other types see
        gp_sort in gpcl.h (float16 is sorted as float32). work is a device array that serves as work
        space, of sort_work_bytes bytes, for device arrays.

        segments sorts parts of an array of one dimension, each by itself: part s is
        a[segments[s]:segments[s + 1]], so there is one offset more than parts; or segments is a
        pair of arrays, where parts begin and where they end, in the order in which they lie. What
        is outside all parts stays as it is. For a device array, offsets on the device are not
        checked: gp_sort in gpcl.h says what becomes of wrong ones.

        n, for a device array of one dimension: a device array of one uint64, as select leaves its
        count. So many elements are sorted; those behind them stay as they are.

        >>> gpcl.sort([3.5, -1.0, float("nan"), 2.25])
        array([-1.  ,  2.25,  3.5 ,   nan])
        >>> a = np.array([3, 1, 2], np.int8)
        >>> gpcl.sort(a, descending=True, out=a) is a
        True
        >>> a
        array([3, 2, 1], dtype=int8)
        >>> gpcl.sort(np.array([0x21, 0x12, 0x11], np.uint8), bits=(0, 4)).tolist() == [0x21, 0x11, 0x12]
        True
        >>> gpcl.sort([3, 1, 2, 9, 7, 8], segments=[0, 3, 6])
        array([1, 2, 3, 7, 8, 9])
        """
        options = _sort_options(descending, bits, work, algorithm) | _size_options(n, a)
        if isinstance(a, DeviceArray):
            a, axis = _one_axis(a, axis)
            if segments is not None:
                keep, result = _segment_options(self, options, segments, a, axis), a.copy(out)
                self._enqueue("sort", result.code, a.size, result.buffer.pointer, result.offset, **options)
                del keep
                return result
            result, of = a.copy(out), _SortedRows(a.shape, axis)
            for slab in range(of.slabs):
                self._enqueue("sort", result.code, of.n, result.buffer.pointer, result.offset + slab * of.slab, **options,
                              **of.layout)
            return result
        a, axis = _one_axis(to_numpy(a), axis)
        keep = [] if segments is None else _segment_options(self, options, segments, a, axis)
        dtype = native(a.dtype)
        computed = _SORTED_AS.get(dtype, dtype)
        code = code_of(computed)
        if out is not None:
            check_apart(check_out(out, a.shape, dtype), same=a)
        of = _SortedRows(a.shape, axis)
        along = axis if of.slabs > 1 else a.ndim - 1
        result = Result(a.shape, computed, along, out)
        if result.array is not a:
            np.copyto(result.array, last(a, along))
        of = _SortedRows(result.array.shape, a.ndim - 1 if of.slabs > 1 else axis)
        if of.slabs:
            self._run("sort", code, of.n, pointer(result.array), **of.layout | options)
        del keep
        return result.finish(dtype)

    def argsort(self, a: Input, *, axis: int | None = -1, descending: bool = False, dtype: DTypeLike | None = None,
                out: Output | None = None, bits: tuple[int, int] | None = None, work: DeviceArray | None = None,
                segments: Segments | None = None, n: DeviceArray | None = None, algorithm: str | None = None) -> Output:
        """The order in which an array would be sorted: a[argsort(a)] is sort(a).

        Stable. Types, bits, work and segments as sort; in each segment indices count from 0, and
        outside all segments they are 0, or as they were in `out`; n, too, is as in sort: the
        indices behind so many are undefined, or as they were in `out`. Indices are numpy.intp (for
        device arrays uint32), or `dtype`: an integer type of 4 or 8 bytes.

        >>> gpcl.argsort([30, 10, 20])
        array([1, 2, 0])
        """
        options = _sort_options(descending, bits, work, algorithm) | _size_options(n, a)
        on_device = isinstance(a, DeviceArray)
        index = dtype_of(dtype if dtype is not None else type_of_out(out) if out is not None else
                         np.uint32 if on_device else np.intp)
        if index.kind not in "iu" or index.itemsize not in (4, 8):
            raise wrong(f"indices can't be {index}; expected an integer type of 4 or 8 bytes", lib.GP_ERROR_DTYPE)
        index_code = lib.GP_UINT32 if index.itemsize == 4 else lib.GP_UINT64
        if on_device:
            a, axis = _one_axis(a, axis)
            if segments is not None:
                keep = _segment_options(self, options, segments, a, axis)
                result = self.zeros(a.shape, index) if out is None else check_device_out(out, a.shape, index)
                self._enqueue("argsort", a.code, a.size, a.buffer.pointer, a.offset, index_code, result.buffer.pointer,
                              result.offset, **options)
                del keep
                return result
            result, of = self.empty(a.shape, index) if out is None else check_device_out(out, a.shape, index), _SortedRows(a.shape, axis)
            for slab in range(of.slabs):
                self._enqueue("argsort", a.code, of.n, a.buffer.pointer, a.offset + slab * of.slab, index_code,
                              result.buffer.pointer, result.offset + slab * of.slab, **options, **of.layout)
            return result
        a, axis = _one_axis(to_numpy(a), axis)
        keep = [] if segments is None else _segment_options(self, options, segments, a, axis)
        computed = _SORTED_AS.get(native(a.dtype), native(a.dtype))
        code = code_of(computed)
        if out is not None:
            check_apart(check_out(out, a.shape, index), a)
        of = _SortedRows(a.shape, axis)
        along = axis if of.slabs > 1 else a.ndim - 1
        result = Result(a.shape, native(index), along, out)
        if segments is not None:
            result.array[...] = 0 if out is None else out
        a = contiguous(last(a, along), computed)
        of = _SortedRows(a.shape, a.ndim - 1 if of.slabs > 1 else axis)
        if of.slabs:
            self._run("argsort", code, of.n, pointer(a), index_code, pointer(result.array), **of.layout | options)
        del keep
        return result.finish(index)

    def sort_pairs(self, keys: Input, values: Values, *, descending: bool = False,
                   out: tuple[Output | None, Output | None] | None = None, bits: tuple[int, int] | None = None,
                   work: DeviceArray | None = None, segments: Segments | None = None,
                   n: DeviceArray | None = None, algorithm: str | None = None) -> tuple[Output, Output]:
        """(sorted keys, values moved with them), new or in `out`, a pair of arrays (which may be the inputs).

        Stable. keys: one dimension, types, bits, work, segments and n as
        sort. values: as many elements, or rows, of any type, each of 1 to 64 bytes.

        >>> gpcl.sort_pairs([3, 1, 2], [0.3, 0.1, 0.2])
        (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
        """
        options = _sort_options(descending, bits, work, algorithm) | _size_options(n, keys)
        on_device = isinstance(keys, DeviceArray)
        if not on_device:
            keys, values = to_numpy(keys), to_numpy(values, "biufcmMSUV")
        elif not isinstance(values, DeviceArray):
            values = self.array(values)
        if keys.ndim != 1 or not values.ndim or values.shape[0] != keys.shape[0]:
            raise wrong(f"expected n keys and n values; got the shapes {keys.shape} and {values.shape}")
        out_keys, out_values = _pair(out)
        value_size = values.dtype.itemsize
        for length in values.shape[1:]:
            value_size *= length
        if on_device:
            for target, source, other in ((out_keys, keys, values), (out_values, values, keys)):
                if target is not None and check_device_out(target, source.shape, source.dtype).overlaps(other):
                    raise wrong("out overlaps an input", lib.GP_ERROR_OVERLAP)
            keys, values = keys.copy(out_keys), values.copy(out_values)
            per_value = value_size // values.dtype.itemsize or 1
            if values.offset % per_value:  # the library counts offsets in values
                raise wrong("the values must begin at a multiple of their own size in device memory: pass copy()")
            keep = [] if segments is None else _segment_options(self, options, segments, keys, 0)
            self._enqueue("sort_pairs", keys.code, keys.size, keys.buffer.pointer, keys.offset, value_size,
                          values.buffer.pointer, values.offset // per_value, **options)
            del keep
            return keys, values
        dtype = native(keys.dtype)
        computed = _SORTED_AS.get(dtype, dtype)
        code = code_of(computed)
        if out_keys is not None:
            check_apart(check_out(out_keys, keys.shape, dtype), values, same=keys)
        if out_values is not None:
            check_apart(check_out(out_values, values.shape, values.dtype), keys, *(() if out_keys is None else (out_keys,)),
                        same=values)
        sorted_keys = Result(keys.shape, computed, 0, out_keys)
        np.copyto(sorted_keys.array, keys)
        direct = out_values is not None and out_values.flags.c_contiguous
        moved = out_values if direct else np.empty(values.shape, values.dtype)
        np.copyto(moved, values)
        keep = [] if segments is None else _segment_options(self, options, segments, keys, 0)
        self._run("sort_pairs", code, keys.size, pointer(sorted_keys.array), value_size,
                  pointer(moved.reshape(-1).view(np.uint8)), **options)
        del keep
        if out_values is not None and not direct:
            out_values[...] = moved
            moved = out_values
        return sorted_keys.finish(dtype), moved

    # ---- merge

    def merge(self, a: Input, b: Values, *, descending: bool = False, out: Output | None = None,
              n: tuple[DeviceArray | None, DeviceArray | None] | None = None,
              algorithm: str | None = None) -> Output:
        """The sorted array of the elements of two sorted ones, new or in `out`.

        Stable: of equal elements those of `a` come first. a and b: one dimension, sorted as sort
        does it, in descending order where that is asked for; which is not checked. Types as sort,
        and of device arrays float16. Host arrays of two types become NumPy's common one; device
        arrays are of one type. n, of device arrays, says how many elements of a and of b there are:
        each is a number on the device as in sort, or None. What the result holds behind as many
        elements is not defined.

        >>> gpcl.merge([1, 4, 6], [2, 4])
        array([1, 2, 4, 4, 6])
        """
        merged, _ = self._merge([a, b], descending, (out, None), n, algorithm)
        return merged

    def merge_pairs(self, a: Input, b: Values, a_values: Values, b_values: Values, *, descending: bool = False,
                    out: tuple[Output | None, Output | None] | None = None,
                    n: tuple[DeviceArray | None, DeviceArray | None] | None = None,
                    algorithm: str | None = None) -> tuple[Output, Output]:
        """(merged keys, values moved with them), new or in `out`, a pair of arrays.

        a, b and n as merge. The values: as many elements, or rows, as their keys, of one type, each of
        1 to 64 bytes.

        >>> gpcl.merge_pairs([1, 3], [2], [0.1, 0.3], [0.2])
        (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
        """
        return self._merge([a, b, a_values, b_values], descending, _pair(out), n, algorithm)

    def _merge(self, arrays: list, descending: bool, out: tuple, numbers, algorithm: str | None):
        """Of the keys, and of the values where there are four arrays."""
        options = {"order": int(bool(descending)), "algorithm": algorithm}
        with_values = len(arrays) == 4
        on_device = isinstance(arrays[0], DeviceArray)
        n_a, n_b = _pair(numbers, "n")
        if n_a is not None:
            _check_number(n_a, "n[0]", on_device)
            options |= {"n_a_buffer": n_a.buffer.pointer, "n_a_offset": n_a.offset}
        if n_b is not None:
            _check_number(n_b, "n[1]", on_device)
            options |= {"n_b_buffer": n_b.buffer.pointer, "n_b_offset": n_b.offset}
        if on_device:
            arrays = [each if isinstance(each, DeviceArray) else self.array(each) for each in arrays]
        else:
            arrays = [to_numpy(each, kinds) for each, kinds in zip(arrays, ("biuf", "biuf", "biufcmMSUV", "biufcmMSUV"))]
        a, b = arrays[:2]
        for keys in (a, b):
            if keys.ndim != 1:
                raise wrong(f"expected keys of one dimension; got the shape {keys.shape}")
        for keys, values in zip((a, b), arrays[2:]):
            if not values.ndim or values.shape[0] != keys.shape[0] or values.shape[1:] != arrays[2].shape[1:]:
                raise wrong(f"expected values for {keys.shape[0]} keys; got the shape {values.shape}")
        if with_values and arrays[2].dtype != arrays[3].dtype:
            type_ = native(arrays[2].dtype)
            if type_ != native(arrays[3].dtype):
                raise wrong(f"the values are of two types, {arrays[2].dtype} and {arrays[3].dtype}", lib.GP_ERROR_DTYPE)
            arrays[2:] = (values.astype(type_) for values in arrays[2:])  # of two byte orders
        n = (a.shape[0] + b.shape[0],)
        shapes = [n, n + arrays[2].shape[1:]] if with_values else [n]
        value_size = arrays[2].dtype.itemsize * math.prod(shapes[1][1:]) if with_values else 0
        name = "merge_pairs" if with_values else "merge"
        if on_device:
            if a.dtype != b.dtype:
                raise wrong(f"the keys are of two types, {a.dtype} and {b.dtype}", lib.GP_ERROR_DTYPE)
            types = [a.dtype] + [values.dtype for values in arrays[2:3]]
            results = [self.empty(shape, dtype) if each is None else check_device_out(each, shape, dtype)
                       for each, shape, dtype in zip(out, shapes, types)]
            places = [(each.buffer.pointer, each.offset) for each in (a, b, results[0])]
            if with_values:
                per_value = value_size // arrays[2].dtype.itemsize or 1
                for values in (*arrays[2:], results[1]):
                    if values.offset % per_value:  # the library counts offsets in values
                        raise wrong("the values must begin at a multiple of their own size in device memory: pass copy()")
                    places.append((values.buffer.pointer, values.offset // per_value))
            self._enqueue(name, a.code, *_merge_arguments(a.size, b.size, places, value_size), **options)
            return results[0], results[1] if with_values else None
        dtype = native(np.result_type(a, b) if a.dtype != b.dtype else a.dtype)
        computed = np.dtype(np.uint8) if dtype == np.bool_ else dtype
        code = code_of(computed)
        types = [dtype] + [values.dtype for values in arrays[2:3]]
        for each, shape, type_ in zip(out, shapes, types):
            if each is not None:
                check_apart(check_out(each, shape, type_), *arrays, *(other for other in out if other is not each and other is not None))
        inputs = [contiguous(keys, dtype).view(computed) for keys in (a, b)]
        results = [each if each is not None and is_direct(each) else np.empty(shape, type_)
                   for each, shape, type_ in zip(out, shapes, types)]
        places = [(pointer(each),) for each in (*inputs, results[0])]
        if with_values:
            bytes_of = [np.ascontiguousarray(values) for values in arrays[2:]]
            places += [(pointer(each.reshape(-1).view(np.uint8)),) for each in (*bytes_of, results[1])]
        self._run(name, code, *_merge_arguments(a.size, b.size, places, value_size), **options)
        for i, each in enumerate(out[:len(results)]):
            if each is not None and each is not results[i]:
                each[...] = results[i]
                results[i] = each
        return results[0], results[1] if with_values else None

    def merge_runs(self, a: Input, offsets: Values, *, descending: bool = False, out: Output | None = None,
                   work: DeviceArray | None = None, algorithm: str | None = None) -> Output:
        """The sorted array of the elements of an array of sorted runs, new or in `out`.

        Run r is a[offsets[r]:offsets[r + 1]]: there is one offset more than runs, the first is 0
        and the last a.size. Runs may be empty. Stable: of equal elements those of earlier runs come
        first. a: one dimension, types as merge; each run is sorted as sort does it, in descending
        order where that is asked for, which is not checked. For a device array, offsets on the
        device are not checked: gp_merge_runs in gpcl.h says what becomes of wrong ones. work is a
        device array that serves as work space, of merge_runs_work_bytes bytes, for device arrays.

        >>> gpcl.merge_runs([1, 4, 6, 2, 4, 0, 9], [0, 3, 5, 7])
        array([0, 1, 2, 4, 4, 6, 9])
        """
        return self._merge_runs([a], offsets, descending, (out, None), work, algorithm)[0]

    def merge_runs_pairs(self, keys: Input, values: Values, offsets: Values, *, descending: bool = False,
                         out: tuple[Output | None, Output | None] | None = None, work: DeviceArray | None = None,
                         algorithm: str | None = None) -> tuple[Output, Output]:
        """(merged keys, values moved with them), new or in `out`, a pair of arrays.

        keys, offsets and work as merge_runs. values: as many elements, or rows, as there are keys,
        each of 1 to 64 bytes.

        >>> gpcl.merge_runs_pairs([1, 3, 2], [0.1, 0.3, 0.2], [0, 2, 3])
        (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
        """
        return self._merge_runs([keys, values], offsets, descending, _pair(out), work, algorithm)[:2]

    def _merge_runs(self, arrays: list, offsets, descending: bool, out: tuple, work, algorithm: str | None):
        """Of the keys, and of the values where there are two arrays."""
        on_device = isinstance(arrays[0], DeviceArray)
        if on_device:
            arrays = [each if isinstance(each, DeviceArray) else self.array(each) for each in arrays]
        else:
            arrays = [to_numpy(each, kinds) for each, kinds in zip(arrays, ("biuf", "biufcmMSUV"))]
        keys = arrays[0]
        n = keys.shape[0] if keys.ndim == 1 else None
        if n is None or any(not values.ndim or values.shape[0] != n for values in arrays[1:]):
            shapes = " and ".join(str(each.shape) for each in arrays)
            raise wrong(f"expected keys of one dimension{', and as many values' if arrays[1:] else ''}; got the shape {shapes}")
        offsets = _offsets(offsets, keys, "offsets")
        if not offsets.size:
            raise wrong("offsets is empty; expected one offset more than there are runs")
        options = {"order": bool(descending), "offset_type": CODES[np.dtype(offsets.dtype)], "algorithm": algorithm}
        options |= _work_options(work)
        name = "merge_runs_pairs" if arrays[1:] else "merge_runs"
        value_size = arrays[1].dtype.itemsize * math.prod(arrays[1].shape[1:]) if arrays[1:] else 0
        runs = offsets.size - 1
        if on_device:
            offsets = offsets if isinstance(offsets, DeviceArray) else self.array(offsets)
            results = [self.empty(each.shape, each.dtype) if target is None else
                       check_device_out(target, each.shape, each.dtype) for each, target in zip(arrays, out)]
            arguments = [n, keys.buffer.pointer, keys.offset, runs, offsets.buffer.pointer, offsets.offset,
                         results[0].buffer.pointer, results[0].offset]
            if arrays[1:]:
                per_value = value_size // arrays[1].dtype.itemsize or 1
                arguments.append(value_size)
                for values in (arrays[1], results[1]):
                    if values.offset % per_value:  # the library counts offsets in values
                        raise wrong("the values must begin at a multiple of their own size in device memory: pass copy()")
                    arguments += [values.buffer.pointer, values.offset // per_value]
            self._enqueue(name, keys.code, *arguments, **options)
            return *results, None
        dtype = native(keys.dtype)
        computed = np.dtype(np.uint8) if dtype == np.bool_ else dtype
        types = [dtype] + [values.dtype for values in arrays[1:]]
        for target, each, type_ in zip(out, arrays, types):
            if target is not None:
                check_apart(check_out(target, each.shape, type_), *arrays, offsets,
                            *(other for other in out if other is not target and other is not None))
        results = [target if target is not None and is_direct(target) else np.empty(each.shape, type_)
                   for target, each, type_ in zip(out, arrays, types)]
        inputs = [contiguous(keys, dtype).view(computed), *(np.ascontiguousarray(values) for values in arrays[1:])]
        arguments = [n, pointer(inputs[0]), runs, pointer(offsets), pointer(results[0])]
        if arrays[1:]:
            arguments += [value_size, *(pointer(each.reshape(-1).view(np.uint8)) for each in (inputs[1], results[1]))]
        self._run(name, code_of(computed), *arguments, **options)
        for i, target in enumerate(out[:len(results)]):
            if target is not None and target is not results[i]:
                target[...] = results[i]
                results[i] = target
        return *results, None

    def merge_runs_work_bytes(self, n: int, dtype: DTypeLike, runs: int, *, value_size: int = 0,
                              algorithm: str | None = None) -> int:
        """The device memory that a merge of so many runs of n keys on the device takes beside its arrays, in bytes.

        value_size: bytes of a value of merge_runs_pairs.

        >>> gpcl.merge_runs_work_bytes(0, np.float32, 2)
        0
        """
        structure, keep = _options(_ENTRIES["merge_runs"], {"algorithm": algorithm}, ffi.NULL)
        bytes_ = ffi.new("size_t *")
        check(lib.gp_merge_runs_work_bytes(self.pointer, code_of(dtype_of(dtype)), size_of(n, "n"), size_of(runs, "runs"),
                                           size_of(value_size, "value_size"), structure, bytes_))
        del keep
        return bytes_[0]

    def sort_by(self, a: Input, comes_before: str, *, type: str | None = None, helpers: str | None = None,
                out: Output | None = None, n: DeviceArray | None = None) -> Output:
        """A copy of an array sorted by an order of your own, or `out` (which may be `a`, to sort in place).

        comes_before is an OpenCL C expression of two elements, a and b: must a come before b?
        Stable. Elements are those of an array of one dimension, or what the first index selects, of
        1 to 64 bytes. type is their OpenCL C type. None makes it of NumPy's: of a structured one, a
        structure with its fields' names; of rows, one with the member `at`. helpers is OpenCL C
        before it, such as functions or the type. n: as in sort, how many elements of the device
        array are sorted. Not on "host".

        >>> edges = np.array([(3, 0.5), (1, 0.25)], [("to", "i4"), ("weight", "f4")])  # doctest: +SKIP
        >>> gpcl.sort_by(edges, "a.weight < b.weight")  # doctest: +SKIP
        array([(1, 0.25), (3, 0.5 )], dtype=[('to', '<i4'), ('weight', '<f4')])
        """
        sizes = _size_options(n, a)
        on_device = isinstance(a, DeviceArray)
        if not on_device:
            a = to_numpy(a, "biufcmMSUV")
        if not a.ndim:
            raise wrong("expected an array of one dimension or more")
        element = np.dtype((a.dtype, a.shape[1:])) if a.ndim > 1 else a.dtype
        if type is None:
            if _has_half(a.dtype) and not self.is_host and not self.device.has_float16:
                raise wrong(f"{self.device.name} has no arithmetic of float16, which elements of type {a.dtype} need: sort them "
                            "as float32", lib.GP_ERROR_UNSUPPORTED_TYPE)
            type, declaration = _element_type(element if on_device or a.dtype.isnative else element.newbyteorder("="))
            helpers = declaration + (helpers or "")
        texts = [ffi.new("char[]", encoded(each, name)) for each, name in ((type, "type"), (comes_before, "comes_before"))]
        if on_device:
            a = a.copy(out)
            per_element = math.prod(a.shape[1:]) or 1
            if a.offset % per_element:  # the library counts offsets in elements
                raise wrong("the elements must begin at a multiple of their own size in device memory: pass copy()")
            self._enqueue("sort_by", element.itemsize, a.shape[0], a.buffer.pointer, a.offset // per_element, *texts,
                          helpers=helpers, **sizes)
            return a
        if out is not None:
            check_apart(check_out(out, a.shape, a.dtype), same=a)
        direct = out is not None and is_direct(out)
        result = out if direct else np.empty(a.shape, native(a.dtype))
        if result is not a:
            result[...] = a
        self._run("sort_by", element.itemsize, a.shape[0], pointer(result.reshape(-1).view(np.uint8)), *texts, helpers=helpers)
        if out is not None and not direct:
            out[...] = result
            return out
        return result

    # ---- select

    def select(self, a: Input, flags: Values | None = None, *, predicate: str | None = None, type: str | None = None,
               helpers: str | None = None, capacity: int | None = None, n: DeviceArray | None = None,
               count: DeviceArray | None = None, algorithm: str | None = None) -> Output:
        """The elements whose flag is not 0, in their order, as a[flags]; or those for which `predicate` holds.

        Elements are those of an array of one dimension, or what the first index selects, of 1 to 64
        bytes. flags: as many bool, int8 or uint8. predicate is an OpenCL C expression of an element
        x instead, such as "x > 0"; type and helpers are as in sort_by. Not on "host". capacity: no
        more than so many of them.
        Of device arrays the call waits for the count, since that is the result's size. Not so where
        `count` is given, a device array of one uint64 that receives it; then the result has room
        for all, and what is behind the count is undefined. n, such an array, says how many of a's
        elements there are.

        >>> gpcl.select([3, 1, 2], [True, False, True])
        array([3, 2])
        """
        return self._select("select", [a], flags, (predicate, type, helpers), (capacity, n, count), algorithm)[0]

    def select_pairs(self, a: Input, values: Values, flags: Values | None = None, *, predicate: str | None = None,
                     type: str | None = None, helpers: str | None = None, capacity: int | None = None,
                     n: DeviceArray | None = None, count: DeviceArray | None = None,
                     algorithm: str | None = None) -> tuple[Output, Output]:
        """(selected elements, the values that belong to them); as select. values: as many elements, or rows, as `a` has,
        each of 1 to 64 bytes.

        >>> gpcl.select_pairs([3, 1, 2], [0.3, 0.1, 0.2], [True, False, True])
        (array([3, 2]), array([0.3, 0.2]))
        """
        return tuple(self._select("select_pairs", [a, values], flags, (predicate, type, helpers), (capacity, n, count),
                                  algorithm)[:2])

    def partition(self, a: Input, flags: Values | None = None, *, predicate: str | None = None, type: str | None = None,
                  helpers: str | None = None, parts: int = 2, n: DeviceArray | None = None,
                  count: DeviceArray | None = None, algorithm: str | None = None) -> tuple[Output, Number]:
        """(the elements that select takes, then the others, both in their order; how many it takes, or `count`).

        parts 3: first the elements whose flag, or the value of the predicate, is 1, then those with
        2, then all others. Instead of the number it returns two, where the second part begins and
        where the third does; count has two elements.

        >>> gpcl.partition([3, 1, 2], [True, False, True])
        (array([3, 2, 1]), 2)
        >>> gpcl.partition([3, 1, 2, 5], np.uint8([2, 0, 1, 2]), parts=3)
        (array([2, 3, 5, 1]), (1, 3))
        """
        return tuple(self._select("partition", [a], flags, (predicate, type, helpers), (None, n, count), algorithm, parts))

    def partition_pairs(self, a: Input, values: Values, flags: Values | None = None, *, predicate: str | None = None,
                        type: str | None = None, helpers: str | None = None, parts: int = 2, n: DeviceArray | None = None,
                        count: DeviceArray | None = None, algorithm: str | None = None) -> tuple[Output, Output, Number]:
        """As partition, with the values that belong to the elements, as select_pairs.

        >>> gpcl.partition_pairs([3, 1, 2], [0.3, 0.1, 0.2], [True, False, True])
        (array([3, 2, 1]), array([0.3, 0.2, 0.1]), 2)
        """
        return tuple(self._select("partition_pairs", [a, values], flags, (predicate, type, helpers), (None, n, count),
                                  algorithm, parts))

    def nonzero(self, a: Input, *, predicate: str | None = None, type: str | None = None, helpers: str | None = None,
                capacity: int | None = None, n: DeviceArray | None = None, count: DeviceArray | None = None,
                algorithm: str | None = None) -> Output:
        """Where the elements of the flattened array are that are not zero, as numpy.flatnonzero; or for which `predicate`
        holds, as in select, and with its options. Positions are numpy.intp. Any integer or floating
        type, or bool.

        >>> gpcl.nonzero([0.0, 2.5, 0.0, -1.0])
        array([1, 3])
        """
        on_device = isinstance(a, DeviceArray)
        a = a.reshape(-1) if on_device else contiguous(to_numpy(a).reshape(-1))
        code = a.code if on_device else lib.GP_UINT8 if a.dtype == np.bool_ else code_of(a.dtype)
        options = self._predicate(predicate, type, helpers, a.dtype, False) | {"algorithm": algorithm}
        room, counted = self._counts(a.size, capacity, n, count, on_device, options)
        if on_device:
            positions = self.empty(room, _INDEX)
            self._enqueue("nonzero", code, a.size, a.buffer.pointer, a.offset, _INDEX_CODE, positions.buffer.pointer,
                          positions.offset, counted.buffer.pointer, counted.offset, **options)
            return positions if count is not None else positions[:int(counted.numpy()[0])]
        positions = np.empty(room, _INDEX)
        self._run("nonzero", code, a.size, pointer(a), _INDEX_CODE, pointer(positions), counted, **options)
        return _first(positions, counted[0])

    def _counts(self, size: int, capacity, n, count, on_device: bool, options: dict, numbers: int = 1) -> tuple:
        """(how many elements outputs have room for, where the count goes); adds what the options say of both."""
        room = size if capacity is None else min(size_of(capacity, "capacity"), size)
        if room < size:
            if not room:
                raise wrong("capacity is 0, expected 1 or more")
            options["capacity"] = room
        for name, each in (("n", n), ("count", count)):
            if each is not None:
                _check_number(each, name, on_device, numbers if name == "count" else 1)
        if n is not None:
            options |= {"n_buffer": n.buffer.pointer, "n_offset": n.offset}
        if not on_device:
            return room, ffi.new("uint64_t[]", numbers)
        return room, self.empty(numbers, np.uint64) if count is None else count

    def _predicate(self, predicate, type, helpers, element: np.dtype, has_flags: bool) -> dict:
        """The options of select that say which elements are kept."""
        if predicate is None:
            if type is not None or helpers is not None:
                raise wrong("type and helpers are for predicate, which is None")
            return {}
        if has_flags:
            raise wrong("flags and predicate are both given; expected one of them")
        if type is None:
            if _has_half(element) and not self.is_host and not self.device.has_float16:
                raise wrong(f"{self.device.name} has no arithmetic of float16, which elements of type {element} need",
                            lib.GP_ERROR_UNSUPPORTED_TYPE)
            type, declaration = _element_type(element)
            helpers = declaration + (helpers or "")
        return {"predicate": predicate, "type": type, "helpers": helpers}

    def _select(self, name: str, arrays: list, flags, text: tuple, counts: tuple, algorithm: str | None,
                parts: int = 2) -> list:
        """The outputs, and the count, or of three parts the counts."""
        if parts not in (2, 3):
            raise wrong(f"parts is {parts}, expected 2 or 3")
        thirds = parts == 3
        on_device = isinstance(arrays[0], DeviceArray)
        if on_device:
            arrays = [each if isinstance(each, DeviceArray) else self.array(each) for each in arrays]
            if flags is not None and not isinstance(flags, DeviceArray):
                flags = self.array(flags)
        else:
            arrays = [contiguous(to_numpy(each, "biufcmMSUV")) for each in arrays]
            flags = None if flags is None else contiguous(to_numpy(flags))
        n = arrays[0].shape[0] if arrays[0].ndim else None
        if n is None or any(not each.ndim or each.shape[0] != n for each in arrays[1:]):
            shapes = " and ".join(str(each.shape) for each in arrays)
            raise wrong(f"expected an array of one dimension or more{', and as many values' if arrays[1:] else ''}; got the "
                        f"shape {shapes}")
        if flags is None and text[0] is None:
            raise wrong("expected flags or a predicate")
        if flags is not None and flags.shape != (n,):
            raise wrong(f"flags has the shape {flags.shape}, expected {(n,)}")
        if flags is not None and flags.dtype not in (np.bool_, np.int8, np.uint8):
            raise wrong(f"flags has elements of type {flags.dtype}, expected bool, int8 or uint8", lib.GP_ERROR_DTYPE)
        a = arrays[0]
        element = np.dtype((a.dtype, a.shape[1:])) if a.ndim > 1 else a.dtype
        options = self._predicate(*text, element, flags is not None) | {"algorithm": algorithm, "parts": 3 if thirds else 0}
        room, counted = self._counts(n, *counts, on_device, options, 2 if thirds else 1)
        sizes = [each.dtype.itemsize * math.prod(each.shape[1:]) for each in arrays]
        if not n:
            sizes = [1] * len(sizes)
        whole = name.startswith("partition") or counts[2] is not None
        outs = [(self.empty if on_device else np.empty)((room, *each.shape[1:]), each.dtype) for each in arrays]
        if on_device:
            places = []
            for each, out, size in zip(arrays, outs, sizes):
                per_element = size // each.dtype.itemsize or 1
                if each.offset % per_element:  # the library counts offsets in elements
                    raise wrong("the elements must begin at a multiple of their own size in device memory: pass copy()")
                places.append([each.buffer.pointer, each.offset // per_element, out.buffer.pointer,
                               out.offset // per_element])
            which = [ffi.NULL, 0] if flags is None else [flags.buffer.pointer, flags.offset]
            arguments = [sizes[0], n, *places[0][:2], *which, *places[0][2:]]
            if arrays[1:]:
                arguments += [sizes[1], *places[1]]
            self._enqueue(name, *arguments, counted.buffer.pointer, counted.offset, **options)
            if counts[2] is not None:
                kept = counted
            else:
                kept = tuple(map(int, counted.numpy())) if thirds else int(counted.numpy()[0])
            return [*(out if whole else out[:kept] for out in outs), kept]
        as_bytes = [[pointer(each.reshape(-1).view(np.uint8)) for each in pair] for pair in zip(arrays, outs)]
        arguments = [sizes[0], n, as_bytes[0][0], ffi.NULL if flags is None else pointer(flags.view(np.uint8)),
                     as_bytes[0][1]]
        if arrays[1:]:
            arguments += [sizes[1], *as_bytes[1]]
        self._run(name, *arguments, counted, **options)
        kept = (counted[0], counted[1]) if thirds else counted[0]
        return [*(out if whole else _first(out, kept) for out in outs), kept]

    def sort_work_bytes(self, n: int, dtype: DTypeLike, *, value_size: int = 0, index: DTypeLike | None = None,
                        batch: int = 1, stride: int = 0, step: int = 0, segments: int = 0,
                        algorithm: str | None = None) -> int:
        """The device memory that a sort of n keys on the device, of n in each row of a batch, or of n in so many segments,
        takes beside its arrays, in bytes.

        value_size: bytes of a value of sort_pairs. index: the type of argsort's indices. stride,
        step: elements from one row to the next, and from one to the next within a row; 0 means n *
        step and 1.

        >>> gpcl.sort_work_bytes(0, np.float32)
        0
        """
        structure, keep = _options(_ENTRIES["sort"], {"algorithm": algorithm, "batch": size_of(batch, "batch"),
                                                     "stride": size_of(stride, "stride"), "step": size_of(step, "step"),
                                                     "segments": size_of(segments, "segments")}, ffi.NULL)
        code = lib.GP_UINT32 if index is not None and np.dtype(index).itemsize == 4 else lib.GP_UINT64
        bytes_ = ffi.new("size_t *")
        check(lib.gp_sort_work_bytes(self.pointer, code_of(dtype_of(dtype)), size_of(n, "n"),
                                     size_of(value_size, "value_size"), 0 if index is None else code, structure, bytes_))
        del keep
        return bytes_[0]

    # ---- scan and reduce

    def scan(self, a: Input, op: Operator | str = "add", *, axis: int | None = -1, exclusive: bool = False,
             reverse: bool = False, dtype: DTypeLike | None = None, out: Output | None = None,
             identity: str | float | None = None, helpers: str | None = None, heads: Values | None = None,
             initial: Values | None = None, final: Output | None = None, n: DeviceArray | None = None,
             algorithm: str | None = None) -> Output:
        """Running combinations: result[i] = a[0] op ... op a[i] (exclusive: before a[i]; reverse: from the end).

        op: "add", "multiply", "minimum", "maximum"; or an associative OpenCL C expression of a and
        b with its `identity` (and OpenCL C `helpers` put before it), whose element type is called
        T. Such text needs an OpenCL device. The type is what numpy's ufunc.accumulate gives, so
        sums of integers have 64 bits, or `dtype`; integers wrap. axis None scans the flattened
        array. For device arrays the type is the input's, of 32 or 64 bits, or a wider `dtype`.
        heads: an array of flags with the input's shape (on the device bool or uint8); each that is
        not 0 begins a segment, which reaches to the next one, or to the end of the axis, and is
        scanned by itself; in reverse from its last element. initial: what comes before each row, a
        number or an array of the result's shape without the axis; the first segment goes on with
        it. final: a writable array of that shape and the result's type, which receives what
        `initial` must be for the rows to go on, so that an array can be scanned in pieces; it may
        be `initial`. With device arrays, final is one, and initial may be one. n: as in sort; so
        many elements are scanned, and what the result holds behind them is undefined, or as it was
        in `out`.

        >>> gpcl.scan([1, 2, 3])
        array([1, 3, 6])
        >>> gpcl.scan(np.float32([1, 5, 2]), "maximum", reverse=True)
        array([5., 5., 2.], dtype=float32)
        >>> gpcl.scan([1, 2, 3], exclusive=True)
        array([0, 1, 3])
        >>> gpcl.scan([1, 2, 3, 4], heads=[1, 0, 1, 0])
        array([1, 3, 3, 7])
        >>> carry = np.zeros((), np.int64)
        >>> [gpcl.scan(piece, initial=carry, final=carry).tolist() for piece in ([1, 2], [3], [4, 5])]
        [[1, 3], [6], [10, 15]]
        """
        options = {**_operator(op, identity, helpers), "kind": bool(exclusive), "direction": bool(reverse),
                   "algorithm": algorithm, **_size_options(n, a)}
        if isinstance(a, DeviceArray):
            dtype, wider = _device_sums(a, dtype)
            a, axis = _one_axis(a, axis)
            of = _Rows(a, [axis], by_steps=True)
            result = self.empty(a.shape, dtype) if out is None else check_device_out(out, a.shape, dtype)
            options |= wider | of.layout | _same_rows(of.layout)
            if heads is not None:
                heads = bits_of(heads) if isinstance(heads, DeviceArray) and heads.dtype == np.bool_ else heads
                check_device_out(heads, a.shape, np.dtype(np.uint8), "heads")
                options |= {"heads_buffer": heads.buffer.pointer, "heads_offset": heads.offset}
            keep = _device_carries(options, initial, final, of.batch, dtype)
            if a.size or (of.count and final is not None):
                self._enqueue("scan", a.code, of.n, a.buffer.pointer, a.offset, result.buffer.pointer, result.offset,
                              **options)
            del keep
            return result
        a, along = to_numpy(a), axis is not None
        shape = a.shape
        a, axis = _one_axis(a, axis)
        dtype = accumulator(a.dtype, op, dtype, out)
        computed = SUMMED_AS.get(dtype, dtype)
        if out is not None:
            check_apart(check_out(out, a.shape, dtype), same=a)
        of = _Rows(a, [axis], by_steps=algorithm is None)
        result = Result(a.shape, computed, axis if of.is_moved else a.ndim - 1, out)
        a, code, wider = _summed(of.array, computed)
        options |= wider | of.layout | _same_rows(of.layout)
        if heads is not None:
            heads = np.asarray(heads) != 0
            if heads.shape != shape:
                raise wrong(f"heads has the shape {heads.shape}, the input {shape}; they must be equal")
            heads = heads if along else heads.reshape(-1)
            heads = contiguous(last(heads, axis) if of.is_moved else heads, np.dtype(np.bool_))
            options["heads"] = ffi.cast("uint8_t *", pointer(heads))
        if initial is not None:
            before = _carry(initial, of.batch, computed)
            options["initial"] = pointer(before)
        if final is not None:
            behind = np.empty(check_out(final, of.batch, dtype).shape, computed)
            options["final_value"] = pointer(behind)
        if a.size or (of.count and final is not None):
            self._run("scan", code, of.n, pointer(a), pointer(result.array), **options)
        if final is not None:
            np.copyto(final, narrowed(behind, dtype, op), casting="unsafe")
        return result.finish(dtype, op)

    def cumsum(self, a: Input, *, axis: int | None = None, dtype: DTypeLike | None = None,
               out: Output | None = None) -> Output:
        """Running sums, as numpy.cumsum: of the flattened array, unless an axis is given.

        >>> gpcl.cumsum([[1, 2], [3, 4]])
        array([ 1,  3,  6, 10])
        """
        return self.scan(a, "add", axis=axis, dtype=dtype, out=out)

    def reduce(self, a: Input, op: Operator | str = "add", *, axis: int | tuple[int, ...] | None = None,
               dtype: DTypeLike | None = None, out: Output | None = None, keepdims: bool = False,
               identity: str | float | None = None, helpers: str | None = None, initial: Values | None = None,
               accumulate: bool = False, n: DeviceArray | None = None, algorithm: str | None = None) -> Number:
        """All elements, or those along an axis, combined: a[0] op a[1] op ...; the identity where there are none.

        op, identity, helpers and types as scan; the order of operands is kept. axis: one, or
        several in a tuple; None stands for all. The result is an array without them, a NumPy scalar
        where no other axis is left, and a device array (see item()) for a device array. keepdims:
        these axes stay, with a size of 1. out: a writable array of the result's shape and type (of
        no dimensions for a single number). Device arrays take their first or their last axes.
        initial: what comes before the elements, a number or an array of the result's shape.
        accumulate: what is in `out` already comes before them, so that an array can be reduced in
        pieces. n: as in sort.

        >>> int(gpcl.reduce([1, 2, 3]))
        6
        >>> gpcl.reduce([[1, 5], [2, 3]], "maximum", axis=1)
        array([5, 3])
        >>> gpcl.reduce(np.ones((2, 3, 4)), axis=(0, 2))
        array([8., 8., 8.])
        >>> gpcl.reduce([[1, 5], [2, 3]], axis=0, keepdims=True)
        array([[3, 8]])
        >>> int(gpcl.reduce([1, 2, 3], initial=10))
        16
        >>> total = np.zeros((), np.int64)
        >>> [int(gpcl.reduce(piece, out=total, accumulate=True)) for piece in ([1, 2], [3])]
        [3, 6]
        """
        options = {**_operator(op, identity, helpers), "algorithm": algorithm, "accumulate": accumulate or initial is not None,
                   **_size_options(n, a)}
        if accumulate and (out is None or initial is not None):
            raise wrong("accumulate needs out, whose content comes first, and takes no initial")
        if isinstance(a, DeviceArray):
            dtype, wider = _device_sums(a, dtype)
            axes = _axes(axis, a.ndim)
            of = _Rows(a, axes, by_steps=True)
            shape = kept(a.shape, axes) if keepdims else of.batch
            result = self.empty(shape, dtype) if out is None else check_device_out(out, shape, dtype)
            if initial is not None:
                (initial if isinstance(initial, DeviceArray) else
                 self.array(_carry(initial, result.shape, dtype))).copy(result)
            if result.size:
                self._enqueue("reduce", a.code, of.n, a.buffer.pointer, a.offset, result.buffer.pointer, result.offset,
                              **options, **wider, **of.layout)
            return result
        a = to_numpy(a)
        dtype = accumulator(a.dtype, op, dtype, out)
        computed = SUMMED_AS.get(dtype, dtype)
        axes = _axes(axis, a.ndim)
        shape = kept(a.shape, axes) if keepdims else tuple(n for each, n in enumerate(a.shape) if each not in axes)
        if out is not None:
            check_apart(check_out(out, shape, dtype), a)
        of = _Rows(a, axes, by_steps=algorithm is None)
        a, code, wider = _summed(of.array, computed)
        result = np.empty(shape, computed)
        if accumulate or initial is not None:
            np.copyto(result, out if accumulate else _carry(initial, result.shape, computed), casting="unsafe")
        if result.size:
            self._run("reduce", code, of.n, pointer(a), pointer(result), **options, **wider, **of.layout)
        result = narrowed(result, dtype, op)
        if out is not None:
            np.copyto(out, result, casting="unsafe")
            return out
        return result[()]

    def argmin(self, a: Input, *, axis: int | None = None, out: Output | None = None, keepdims: bool = False,
               algorithm: str | None = None) -> Number:
        """Where the smallest element is, the first of equal ones, as numpy.argmin: of the flattened array, unless an axis is
        given; the first NaN where there is one.

        Any integer or floating type, or bool. The result is numpy.intp, of device arrays a device
        array; these take their first or their last axis, or None. out and keepdims are as in
        reduce.

        >>> int(gpcl.argmin([3, 1, 2, 1]))
        1
        >>> gpcl.argmin([[3, 1], [2, 5]], axis=0)
        array([1, 0])
        """
        return self._arg_reduce("minimum", a, axis, out, keepdims, algorithm)

    def argmax(self, a: Input, *, axis: int | None = None, out: Output | None = None, keepdims: bool = False,
               algorithm: str | None = None) -> Number:
        """Where the largest element is; else as argmin.

        >>> int(gpcl.argmax([3, 1, 2, 3]))
        0
        """
        return self._arg_reduce("maximum", a, axis, out, keepdims, algorithm)

    def _arg_reduce(self, op: str, a, axis: int | None, out, keepdims: bool, algorithm: str | None):
        on_device = isinstance(a, DeviceArray)
        a = a if on_device else to_numpy(a)
        if not on_device and a.dtype == np.bool_:
            a = a.view(np.uint8)
        axes = _axes(None if axis is None else axis_of(axis, a.ndim), a.ndim)
        of = _Rows(a, axes, by_steps=on_device or algorithm is None)
        if not of.n:
            raise wrong("there is no smallest or largest of no elements", lib.GP_ERROR_EMPTY)
        shape = kept(a.shape, axes) if keepdims else of.batch
        if on_device:
            result = self.empty(shape, _INDEX) if out is None else check_device_out(out, shape, _INDEX)
            if result.size:
                self._enqueue("arg_reduce", OPERATORS[op], a.code, of.n, a.buffer.pointer, a.offset, _INDEX_CODE,
                              result.buffer.pointer, result.offset, ffi.NULL, 0, algorithm=algorithm, **of.layout)
            return result
        if out is not None:
            check_apart(check_out(out, shape, _INDEX), a)
        a = contiguous(of.array)
        result = np.empty(shape, _INDEX)
        if result.size:
            self._run("arg_reduce", OPERATORS[op], code_of(a.dtype), of.n, pointer(a), _INDEX_CODE, pointer(result), ffi.NULL,
                      algorithm=algorithm, **of.layout)
        if out is not None:
            np.copyto(out, result)
            return out
        return result[()]

    def top_k(self, a: Input, k: int, *, largest: bool = True, axis: int | None = -1, sorted: bool = True,
              n: DeviceArray | None = None, algorithm: str | None = None) -> tuple[Output, Output]:
        """(values, positions) of the k largest elements along an axis, largest first, or of the k smallest.

        Of equal elements those that come first are taken, in their order; NaN only where there are
        too few numbers. Without sorted they are in any order. axis None takes the flattened array.
        Any integer or floating type, or bool; positions are numpy.intp. The results have k elements
        along the axis. Device arrays take their last axis, or None. n: as in sort, how many elements
        the device array has; results behind the last of these are not defined.

        >>> gpcl.top_k([3, 1, 4, 1, 5], 2)
        (array([5, 4]), array([4, 2]))
        >>> gpcl.top_k([3, 1, 4, 1, 5], 2, largest=False)[1]
        array([1, 3])
        """
        k = size_of(k, "k")
        order = lib.GP_DESCENDING if largest else lib.GP_ASCENDING
        options = {"unsorted": 0 if sorted else 1, "algorithm": algorithm, **_size_options(n, a)}
        if isinstance(a, DeviceArray):
            a, axis = _one_axis(a, axis)
            if axis != a.ndim - 1:
                raise wrong(f"device arrays take the last axis, or None; got {axis} of {a.ndim} dimensions")
            shape = (*a.shape[:-1], k)
            values, positions = self.empty(shape, a.dtype), self.empty(shape, _INDEX)
            batch = math.prod(a.shape[:-1])
            if batch:
                self._enqueue("top_k", order, a.code, a.shape[-1], a.buffer.pointer, a.offset, k, _INDEX_CODE,
                              positions.buffer.pointer, positions.offset, values.buffer.pointer, values.offset, batch=batch,
                              **options)
            return values, positions
        a, axis = _one_axis(to_numpy(a), axis)
        dtype = native(a.dtype)
        of = _Rows(a.view(np.uint8) if a.dtype == np.bool_ else a, [axis], by_steps=True)
        rows_ = contiguous(of.array)
        shape = (*of.batch, k)
        values, positions = np.empty(shape, native(rows_.dtype)), np.empty(shape, _INDEX)
        if of.count:
            self._run("top_k", order, code_of(rows_.dtype), of.n, pointer(rows_), k, _INDEX_CODE, pointer(positions),
                      pointer(values), **options, **of.layout)
        return np.moveaxis(values.view(dtype), -1, axis), np.moveaxis(positions, -1, axis)

    # ---- search

    def searchsorted(self, a: Input, v: Values, side: Side = "left", sorter: Values | None = None, *,
                     descending: bool = False, n: DeviceArray | None = None, m: DeviceArray | None = None,
                     algorithm: str | None = None) -> Number:
        """Where the values v belong in a sorted array of one dimension, as numpy.searchsorted: how many elements come before
        each (side "left"), or before it and equal to it ("right"). The result is numpy.intp of the
        shape of v, of device arrays a device array.

        Any integer or floating type, or bool; different types of the two meet as in NumPy, device
        arrays have one. NaN come last. sorter: what argsort gives of an array that is not sorted
        itself. descending: the array is sorted so. In an array that is not sorted, the positions
        are some numbers. Up to 256 values are searched for by NumPy, unless an algorithm is given,
        and with a sorter some more, which then are not worth a sorted copy. Values of a device
        array that lie on the host are copied to it; between two floats of its type they find the
        place that is theirs. n: as in sort, how many elements the sorted device array has; m, of
        device arrays, how many values there are, behind which positions are not defined.

        >>> gpcl.searchsorted([1, 2, 2, 3], [2, 0, 9])
        array([1, 0, 4])
        >>> int(gpcl.searchsorted([1, 2, 2, 3], 2, "right"))
        3
        """
        if not descending and n is None and m is None and algorithm is None:
            result = _plain_search(self, a, v, side, sorter)
            if result is not None:
                return result
        options = {"side": choose(_SIDES, side, "side"), "order": bool(descending), "algorithm": algorithm, **_size_options(n, a)}
        on_device = isinstance(a, DeviceArray)
        if m is not None:
            _check_number(m, "m", on_device)
            options |= {"m_buffer": m.buffer.pointer, "m_offset": m.offset}
        a = a if on_device else to_numpy(a)
        if a.ndim != 1:
            raise wrong(f"a has the shape {a.shape}, expected one dimension")
        if on_device:
            v = v if isinstance(v, DeviceArray) else a.context.array(_values_of(v, a.dtype, (side == "left") != bool(descending)))
            if v.dtype != a.dtype:
                raise wrong(f"v has elements of type {v.dtype}, a of {a.dtype}; astype makes them one", lib.GP_ERROR_DTYPE)
            a = a if sorter is None else _taken_by(a, _device_sorter(sorter, a))
            result = self.empty(v.shape, _INDEX)
            if v.size:
                self._enqueue("search", a.code, a.size, a.buffer.pointer, a.offset, v.size, v.buffer.pointer, v.offset,
                              _INDEX_CODE, result.buffer.pointer, result.offset, **options)
            return result
        v = to_numpy(v)
        if sorter is not None:
            sorter = to_numpy(sorter)
            _check_sorter(sorter, a.size)
            a = _sorted_by(sorter, a)
        dtype = native(np.promote_types(a.dtype, v.dtype))
        near = _as_elements(v, a.dtype, (side == "left") != bool(descending)) if (
            a.dtype != dtype and a.size > max(_LONG, 4 * v.size) and a.dtype.isnative and _meets_in(a.dtype, v.dtype)) else None
        if near is not None:
            dtype, v = a.dtype, near
        a, v = contiguous(a, dtype), contiguous(v, dtype)
        if dtype == np.bool_:
            a, v = a.view(np.uint8), v.view(np.uint8)
        result = np.empty(v.shape, _INDEX)
        self._run("search", code_of(a.dtype), a.size, pointer(a), v.size, pointer(v), _INDEX_CODE, pointer(result), **options)
        return result[()]

    def is_sorted(self, a: Input, *, axis: int | None = None, descending: bool = False, strict: bool = False,
                  positions: bool = False, algorithm: str | None = None) -> Number:
        """Whether an array is sorted, in the order of sort: the flattened one, unless an axis is given; then one answer a row.
        strict: equal elements are out of order, too.

        positions: instead of whether, where the first element is that is out of order, the length
        where there is none.

        Any integer or floating type, or bool. The result is bool, or numpy.intp; of device arrays a
        device array; these take their first or their last axis, or None.

        >>> bool(gpcl.is_sorted([1, 2, 2, 3])), bool(gpcl.is_sorted([1, 2, 2, 3], strict=True))
        (True, False)
        >>> gpcl.is_sorted([[1, 2, 3], [5, 4, 6]], axis=1, positions=True)
        array([3, 1])
        """
        if (_is_plain_along(a, axis) and not descending and not strict and algorithm is None and self._recorded is None):
            code = CODES.get(a.dtype)
            if code is not None:
                first = ffi.new("uint64_t *")
                status = lib.gp_is_sorted(self.pointer, code, a.size, _from_buffer(a), first, _NULL)
                if status:
                    check(status)
                return _INDEX.type(first[0]) if positions else np.bool_(first[0] == a.size)
        on_device = isinstance(a, DeviceArray)
        a = a if on_device else to_numpy(a)
        if not on_device and a.dtype == np.bool_:
            a = a.view(np.uint8)
        of = _Rows(a, _axes(None if axis is None else axis_of(axis, a.ndim), a.ndim), by_steps=on_device or algorithm is None)
        options = dict(of.layout, order=bool(descending), strict=bool(strict), algorithm=algorithm)
        if on_device:
            result = self.empty(of.batch, _INDEX)
            if result.size:
                self._enqueue("is_sorted", a.code, of.n, a.buffer.pointer, a.offset, result.buffer.pointer, result.offset,
                              **options)
            return result if positions else apply("equal", result, of.n)
        a = contiguous(of.array)
        result = np.empty(of.batch, np.uint64)
        if result.size:
            self._run("is_sorted", code_of(a.dtype), of.n, pointer(a), ffi.cast("uint64_t *", pointer(result)), **options)
        return result.astype(_INDEX)[()] if positions else (result == of.n)[()]

    def transform(self, source: str, *arrays: Any, dtype: DTypeLike | None = None, out: Any = None,
                  helpers: str | None = None, n: DeviceArray | None = None, algorithm: str | None = None) -> Any:
        """An expression of your own, element by element, of up to 8 arrays in one pass.

        source is an OpenCL C expression of x0, x1 and so on, the elements of the arrays at a
        position, and of i, the position in C order; helpers is OpenCL C before it, such as
        functions. Arrays have one shape, or one element; those of the host are broadcast. Numbers
        are of NumPy's common type. The value becomes dtype as C converts; None is the type of
        `out`, else NumPy's common type of the arrays. T is its name in the texts; float16 is
        computed in float.

        `out` may be one of the arrays, if it has elements of the same size. n: a device array of
        one uint64; so many elements are computed alone. Not on "host".

        >>> a, b = np.array([1, 2, 3], np.float32), np.array([10, 20, 30], np.float32)  # doctest: +SKIP
        >>> gpcl.transform("x0 * 2 + x1", a, b)  # doctest: +SKIP
        array([12., 24., 36.], dtype=float32)
        """
        on_device = any(isinstance(each, DeviceArray) for each in (*arrays, out))
        values = [each if isinstance(each, (DeviceArray, bool, int, float)) else to_numpy(each) for each in arrays]
        try:
            common = np.result_type(*(getattr(each, "dtype", each) for each in values)) if values else None
            values = [each if hasattr(each, "dtype") else np.array(each, common) for each in values]
            shape = np.broadcast_shapes(*(each.shape for each in values))
        except (OverflowError, TypeError, ValueError) as error:
            raise _refused(error) from None
        type_ = dtype_of(dtype) if dtype is not None else type_of_out(out) if out is not None else common
        if type_ is None:
            raise wrong("expected an array, or dtype and out")
        shape = out.shape if out is not None and not values else shape
        type_ = native(type_)
        if type_ == np.bool_:
            source = f"(({source}\n) != 0)"
        options = {"helpers": helpers, "algorithm": algorithm}
        if n is not None:
            check_device_out(n, n.shape if getattr(n, "size", 0) == 1 else (), np.dtype(np.uint64), "n")
            options |= {"n_buffer": n.buffer.pointer, "n_offset": n.offset}
        text = ffi.new("char[]", encoded(source, "source"))
        if on_device or n is not None:
            values = [each if isinstance(each, DeviceArray) else self.array(each) for each in values]
            for k, each in enumerate(values):
                if each.shape != shape and each.size != 1:
                    raise wrong(f"the shapes {each.shape} and {shape} do not fit together: arrays on the device are not repeated")
            result = self.empty(shape, type_) if out is None else check_device_out(out, shape, type_)
            if result.size:
                self._enqueue("transform", result.size, len(values), [each.code for each in values],
                              [each.buffer.pointer for each in values], [each.offset for each in values], result.code,
                              result.buffer.pointer, result.offset, text, broadcast=_broadcast(values, result.size), **options)
            return result
        target = None if out is None else check_out(out, shape, type_)
        direct = target is not None and is_direct(target)
        for each in values if target is not None else ():
            check_apart(target, same=each)
        result = target if direct else np.empty(shape, type_)
        values = [contiguous(each if each.size == 1 else np.broadcast_to(each, shape)) for each in values]
        bytes_ = np.dtype(np.uint8)
        values = [each.view(bytes_) if each.dtype == np.bool_ else each for each in values]
        if result.size:
            self._run("transform", result.size, len(values), [code_of(each.dtype) for each in values],
                      [ffi.cast("void *", pointer(each)) for each in values], code_of(bytes_ if type_ == np.bool_ else type_),
                      pointer(result.view(bytes_) if type_ == np.bool_ else result), text,
                      broadcast=_broadcast(values, result.size), **options)
        if target is None or direct:
            return result if shape else result[()]
        target[...] = result
        return target

    def diff(self, a: Input, n: int = 1, *, axis: int = -1, keep_first: bool = False, operator: str | None = None,
             helpers: str | None = None, algorithm: str | None = None) -> Output:
        """The differences of neighbouring elements along an axis, as numpy.diff; n times over.

        keep_first: the first element comes first, as it is, so that cumsum gives the array again.
        operator: an OpenCL C expression of a and b, an element and the one behind it, instead of "b
        - a", such as "b / a"; helpers is OpenCL C before it. They are not for "host". Device arrays
        take their first or their last axis.

        >>> gpcl.diff([1, 4, 9, 16])
        array([3, 5, 7])
        >>> gpcl.diff([1, 4, 9, 16], keep_first=True)
        array([1, 3, 5, 7])
        """
        times = size_of(n, "n")
        on_device = isinstance(a, DeviceArray)
        a = a if on_device else to_numpy(a)
        if a.ndim == 0:
            raise wrong("expected an array of one dimension or more")
        axis = axis_of(axis, a.ndim)
        options = {"first": 0 if keep_first else lib.GP_FIRST_LEFT_OUT, "operator_source": operator,
                   "operator_helpers": helpers, "algorithm": algorithm}
        for _ in range(times):
            a = (self._device_difference if on_device else self._difference)(a, axis, keep_first, options)
        return a.copy() if times == 0 else a

    def _difference(self, a: np.ndarray, axis: int, kept: bool, options: dict) -> np.ndarray:
        """The differences along an axis, once."""
        dtype = native(a.dtype)
        computed = np.dtype(np.uint8) if dtype == np.bool_ else dtype
        of = _Rows(a, [axis], by_steps=True)
        length = of.n if kept else max(of.n, 1) - 1
        result = Result(a.shape[:axis] + (length,) + a.shape[axis + 1:], computed, axis if of.is_moved else a.ndim - 1)
        if result.array.size:
            given = contiguous(of.array, dtype)
            self._run("difference", code_of(computed), of.n, pointer(given), pointer(result.array), **options, **of.layout,
                      **_same_rows(of.layout))
        done = result.finish(computed)
        return done != 0 if dtype == np.bool_ else done

    def _device_difference(self, a: DeviceArray, axis: int, kept: bool, options: dict) -> DeviceArray:
        """The same on the device."""
        of = _Rows(a, [axis], by_steps=True)
        length = of.n if kept else max(of.n, 1) - 1
        is_bool = a.dtype == np.bool_
        result = self.empty(a.shape[:axis] + (length,) + a.shape[axis + 1:], np.uint8 if is_bool else a.dtype)
        if result.size:
            self._enqueue("difference", a.code, of.n, a.buffer.pointer, a.offset, result.buffer.pointer, result.offset,
                          **options, **of.layout, **_same_rows(of.layout))
        return apply("not_equal", result, 0) if is_bool else result

    # ---- runs

    def run_lengths(self, a: Input, *, return_index: bool = False, algorithm: str | None = None) -> tuple[Output, ...]:
        """(values, lengths) of the runs of an array, the flattened one: neighbours that equal each other. -0 equals 0, all NaN
        are equal to each other. return_index: (values, lengths, first positions).

        Any integer or floating type, or bool; lengths and positions are numpy.intp. Of a device
        array they are device arrays, and the call waits until it is known how many there are.
        numpy.repeat(values, lengths) is the array again.

        >>> gpcl.run_lengths([7, 7, 5, 7, 7, 7])
        (array([7, 5, 7]), array([2, 1, 3]))
        """
        if isinstance(a, DeviceArray):
            values, lengths = self.empty(a.size, a.dtype), self.empty(a.size, _INDEX)
            firsts = self.empty(a.size, _INDEX) if return_index else None
            count = self.empty(1, np.uint64)
            options = {} if firsts is None else {"firsts_buffer": firsts.buffer.pointer, "firsts_offset": firsts.offset}
            self._enqueue("run_lengths", a.code, a.size, a.buffer.pointer, a.offset, values.buffer.pointer, values.offset,
                          _INDEX_CODE, lengths.buffer.pointer, lengths.offset, count.buffer.pointer, count.offset,
                          algorithm=algorithm, **options)
            runs = int(count.item())
            return tuple(each[:runs] for each in (values, lengths, firsts) if each is not None)
        a = to_numpy(a).reshape(-1)
        dtype = native(a.dtype)
        a = contiguous(a.view(np.uint8) if dtype == np.bool_ else a)
        values, lengths = np.empty(a.size, native(a.dtype)), np.empty(a.size, _INDEX)
        firsts = np.empty(a.size, _INDEX) if return_index else None
        count = ffi.new("uint64_t *")
        options = {} if firsts is None else {"firsts": pointer(firsts)}
        self._run("run_lengths", code_of(a.dtype), a.size, pointer(a), pointer(values), _INDEX_CODE, pointer(lengths), count,
                  algorithm=algorithm, **options)
        return tuple(_first(each, count[0]) for each in (values.view(dtype), lengths, firsts) if each is not None)

    def unique(self, a: Input, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, *,
               sorted: bool = False, algorithm: str | None = None) -> Any:
        """The distinct elements of an array, ascending, as numpy.unique of the flattened array; with return_index,
        return_inverse or return_counts, which may be positional, a tuple of these and, in this
        order: where each comes first, which of them each element is, and how many elements are
        equal to it. -0 equals 0, all NaN are equal to each other. sorted: the array is sorted,
        which is not checked.

        Any integer or floating type, or bool; the others are numpy.intp. The inverse has the
        array's shape where NumPy is 2 or newer, else one dimension, as numpy.unique's. Of a device
        array they are device arrays, and the call waits until it is known how many elements there
        are.

        >>> gpcl.unique([3, 1, 3, 2])
        array([1, 2, 3])
        >>> gpcl.unique([3, 1, 3, 2], return_inverse=True, return_counts=True)
        (array([1, 2, 3]), array([2, 0, 2, 1]), array([1, 1, 2]))
        """
        if not sorted and algorithm is None:
            result = _plain_unique(self, a, return_index, return_inverse, return_counts)
            if result is not None:
                return result
        wanted = return_index, return_inverse, return_counts
        options = {"sorted": bool(sorted), "algorithm": algorithm}
        if isinstance(a, DeviceArray):
            shape, dtype = a.shape, a.dtype
            values, count = self.empty(a.size, dtype), self.empty(1, np.uint64)
            firsts, inverse, counts = (self.empty(a.size, _INDEX) if each else None for each in wanted)
            self._enqueue("unique", a.code, a.size, a.buffer.pointer, a.offset, values.buffer.pointer, values.offset, _INDEX_CODE,
                          *_maybe_buffer(firsts), *_maybe_buffer(inverse), *_maybe_buffer(counts), count.buffer.pointer,
                          count.offset, **options)
            distinct = int(count.item())
            firsts, counts = (each if each is None else each[:distinct] for each in (firsts, counts))
            values = values[:distinct]
        else:
            a = to_numpy(a)
            shape, dtype = a.shape, native(a.dtype)
            computed = np.dtype(np.uint8) if dtype == np.bool_ else dtype
            a = contiguous(a.reshape(-1), computed)
            values, count = np.empty(a.size, computed), ffi.new("uint64_t *")
            firsts, inverse, counts = (np.empty(a.size, _INDEX) if each else None for each in wanted)
            self._run("unique", code_of(computed), a.size, pointer(a), pointer(values), _INDEX_CODE, _maybe_pointer(firsts),
                      _maybe_pointer(inverse), _maybe_pointer(counts), count, **options)
            values, firsts, counts = (each if each is None else _first(each, count[0])
                                      for each in (values.astype(dtype, copy=False), firsts, counts))
        if inverse is not None and _INVERSE_HAS_SHAPE:
            inverse = inverse.reshape(shape)
        return (values, *(each for each in (firsts, inverse, counts) if each is not None)) if any(wanted) else values

    def reduce_by_key(self, keys: Input, values: Input, op: Operator | str = "add", *, any_order: bool = False,
                      dtype: DTypeLike | None = None, identity: str | float | None = None, helpers: str | None = None,
                      algorithm: str | None = None) -> tuple[Output, Output]:
        """(keys, results): the values whose keys equal each other and follow each other, combined; keys as run_lengths has them.
        any_order: keys that equal each other need not follow each other (group by); results come in
        the order of their keys.

        op, identity, helpers and types of values as reduce; keys are of any integer or floating
        type, or bool. Of device arrays the results are device arrays, and the call waits until it
        is known how many there are.

        >>> gpcl.reduce_by_key([1, 1, 4, 1], [10, 20, 30, 40])
        (array([1, 4, 1]), array([30, 30, 40]))
        >>> gpcl.reduce_by_key([1, 1, 4, 1], [10, 20, 30, 40], "maximum", any_order=True)
        (array([1, 4]), array([40, 30]))
        """
        options = {**_operator(op, identity, helpers), "algorithm": algorithm, "any_order": bool(any_order)}
        if isinstance(keys, DeviceArray) != isinstance(values, DeviceArray):
            raise wrong("one of keys and values is a device array; expected both, or neither")
        if _shape_of(keys) != _shape_of(values):
            raise wrong(f"keys have the shape {_shape_of(keys)}, values {_shape_of(values)}; expected one shape")
        if isinstance(keys, DeviceArray):
            dtype, wider = _device_sums(values, dtype)
            out, results, count = self.empty(keys.size, keys.dtype), self.empty(keys.size, dtype), self.empty(1, np.uint64)
            self._enqueue("reduce_by_key", keys.code, keys.size, keys.buffer.pointer, keys.offset, values.code,
                          values.buffer.pointer, values.offset, out.buffer.pointer, out.offset, results.buffer.pointer,
                          results.offset, count.buffer.pointer, count.offset, **options, **wider)
            runs = int(count.item())
            return out[:runs], results[:runs]
        keys, values = to_numpy(keys).reshape(-1), to_numpy(values).reshape(-1)
        key_type = native(keys.dtype)
        stand_in = _SORTED_AS.get(key_type, key_type) if any_order else np.dtype(np.uint8) if key_type == np.bool_ else key_type
        keys = contiguous(keys, stand_in)
        dtype = accumulator(values.dtype, op, dtype, None)
        computed = SUMMED_AS.get(dtype, dtype)
        values, code, wider = _summed(values, computed)
        out, results, count = np.empty(keys.size, stand_in), np.empty(keys.size, computed), ffi.new("uint64_t *")
        self._run("reduce_by_key", code_of(stand_in), keys.size, pointer(keys), code, pointer(values), pointer(out),
                  pointer(results), count, **options, **wider)
        return _first(out, count[0]).astype(key_type, copy=False), _first(results, count[0]).astype(dtype, copy=False)

    def scan_by_key(self, keys: Input, values: Input, op: Operator | str = "add", *, exclusive: bool = False,
                    dtype: DTypeLike | None = None, out: Output | None = None, identity: str | float | None = None,
                    helpers: str | None = None, initial: Number | None = None, algorithm: str | None = None) -> Output:
        """Running combinations of values, which start anew where a key differs from the one before it: result[i] = values[j] op
        ... op values[i] (exclusive: before values[i]), j being the first element of the run that has element i. Keys equal each
        other as run_lengths has it.

        op, identity, helpers and types of values as scan; keys are of any integer or floating type,
        or bool. Both arrays are flattened, and the result has one dimension; out may be values.
        initial: a number that comes before each run.

        >>> gpcl.scan_by_key([1, 1, 4, 1], [10, 20, 30, 40])
        array([10, 30, 30, 40])
        >>> gpcl.scan_by_key([1, 1, 4, 1], [10, 20, 30, 40], exclusive=True, initial=1)
        array([ 1, 11,  1,  1])
        """
        options = {**_operator(op, identity, helpers), "kind": bool(exclusive), "algorithm": algorithm}
        if isinstance(keys, DeviceArray) != isinstance(values, DeviceArray):
            raise wrong("one of keys and values is a device array; expected both, or neither")
        if _shape_of(keys) != _shape_of(values):
            raise wrong(f"keys have the shape {_shape_of(keys)}, values {_shape_of(values)}; expected one shape")
        on_device = isinstance(keys, DeviceArray)
        if on_device:
            dtype, wider = _device_sums(values, dtype)
            computed = dtype
        else:
            keys, values = to_numpy(keys).reshape(-1), to_numpy(values).reshape(-1)
            dtype = accumulator(values.dtype, op, dtype, out)
            computed = SUMMED_AS.get(dtype, dtype)
        if initial is not None:
            before = _carry(initial, (), computed)
            options["initial"] = pointer(before)
        if on_device:
            result = self.empty(keys.size, dtype) if out is None else check_device_out(out, (keys.size,), dtype)
            self._enqueue("scan_by_key", keys.code, keys.size, keys.buffer.pointer, keys.offset, values.code,
                          values.buffer.pointer, values.offset, result.buffer.pointer, result.offset, **options, **wider)
            return result
        if out is not None:
            check_apart(check_out(out, (keys.size,), dtype), keys, same=values)
        result = Result((keys.size,), computed, 0, out)
        key_type = native(keys.dtype)
        keys = contiguous(keys, np.dtype(np.uint8) if key_type == np.bool_ else key_type)
        values, code, wider = _summed(values, computed)
        if keys.size:
            self._run("scan_by_key", code_of(keys.dtype), keys.size, pointer(keys), code, pointer(values),
                      pointer(result.array), **options, **wider)
        return result.finish(dtype, op)

    def repeat(self, a: Input, repeats: Values, *, total: int | None = None, algorithm: str | None = None) -> Output:
        """Each element of an array, the flattened one, as often as its repeats say, as numpy.repeat: what values and lengths of
        run_lengths were made of.

        Any type. repeats: integers, none below zero, one for each element or one for all of them.
        total: how many elements there are, if the caller knows; then nothing waits for the sum of
        repeats on the device. Of a device array the result is a device array, and so may repeats
        be, of an unsigned type, or of a signed one where none is below zero.

        >>> gpcl.repeat([7, 5, 7], [2, 1, 3])
        array([7, 7, 5, 7, 7, 7])
        """
        on_device = isinstance(a, DeviceArray)
        a = a if on_device else to_numpy(a, "biufcmMSUV").reshape(-1)
        if not isinstance(repeats, DeviceArray):
            repeats = np.asarray(repeats)
            if repeats.dtype.kind not in "biu":
                if repeats.size:
                    raise wrong(f"repeats are of type {repeats.dtype}; expected integers", lib.GP_ERROR_DTYPE)
                repeats = np.zeros(repeats.shape, np.uint64)
            if repeats.size and repeats.dtype.kind == "i" and repeats.min() < 0:
                raise wrong(f"one of repeats is {repeats.min()}; expected 0 or more")
            one = int(repeats.reshape(-1)[0]) if repeats.size == 1 else None
            repeats = repeats.reshape(-1) if one is None else np.full(a.size, one, np.min_scalar_type(one))
        if repeats.size != a.size:
            raise wrong(f"there are {repeats.size} repeats; expected one, or {a.size}, as many as elements")
        if isinstance(repeats, DeviceArray):
            index = repeats.dtype
            if not on_device or index.kind not in "iu":
                raise wrong("repeats are a device array; expected integers, beside a device array")
        else:
            index = np.dtype(f"u{repeats.dtype.itemsize}")
            if one is not None:
                known = one * a.size
            elif index.itemsize == 8 and repeats.size and int(repeats.max()) > _MOST // repeats.size:
                known = sum(repeats.tolist())  # which a uint64 may not hold
            else:
                known = int(repeats.sum(dtype=np.uint64))
            if known > _MOST // max(a.dtype.itemsize, 1):
                raise wrong(f"the repeats are {known} together; no array holds so many elements", lib.GP_ERROR_SIZE_OVERFLOW)
            if total is not None and total != known:
                raise wrong(f"total is {total}; the repeats are {known} together")
            total, repeats = known, contiguous(repeats, index)
        code = CODES[np.dtype(f"u{index.itemsize}")]
        if on_device:
            repeats = repeats if isinstance(repeats, DeviceArray) else self.array(repeats)
            count = self.empty(1, np.uint64)
            of = (a.dtype.itemsize, a.size, a.buffer.pointer, a.offset, code, repeats.buffer.pointer, repeats.offset)
            if total is None:
                self._enqueue("repeat", *of, 0, ffi.NULL, 0, count.buffer.pointer, count.offset, algorithm=algorithm)
                total = int(count.item())
            result = self.empty(total, a.dtype)
            self._enqueue("repeat", *of, total, result.buffer.pointer, result.offset, count.buffer.pointer, count.offset,
                          algorithm=algorithm)
            return result
        result, count = np.empty(total, a.dtype), ffi.new("uint64_t *")
        size = a.dtype.itemsize
        if size > 64 or not size:
            return self.take(a, self.repeat(np.arange(a.size), repeats, algorithm=algorithm))
        a = np.ascontiguousarray(a)
        self._run("repeat", size, a.size, pointer(a.view(np.uint8)), code, pointer(repeats), total,
                  pointer(result.view(np.uint8)), count, algorithm=algorithm)
        return result

    def lexsort(self, keys: Any, *, dtype: DTypeLike | None = None, algorithm: str | None = None) -> Any:
        """The order in which rows are sorted by several keys, as numpy.lexsort: by the last key first, equal ones by the one
        before it, and so on. keys: arrays of one dimension and length, or one of two dimensions,
        whose rows they are.

        One stable argsort a key, whose types and indices are as there. Device arrays stay on the
        device.

        >>> gpcl.lexsort([[1, 0, 1, 0], [2, 1, 1, 1]])
        array([1, 3, 2, 0])
        """
        if not isinstance(keys, (collections.abc.Sequence, DeviceArray)):
            keys = to_numpy(keys)
        if not isinstance(keys, (list, tuple)):
            if isinstance(keys, (np.ndarray, DeviceArray)) and not keys.ndim:
                raise wrong("keys is one number, expected arrays", lib.GP_ERROR_DTYPE)
            keys = [keys[k] for k in range(len(keys))]
        keys = list(keys)
        if not keys:
            raise GpTypeError(lib.GP_ERROR_OPTION, "lexsort needs one key or more")
        on_device = [isinstance(each, DeviceArray) for each in keys]
        if any(on_device) and not all(on_device):
            raise wrong("keys are device arrays, or none of them is", lib.GP_ERROR_DTYPE)
        keys = keys if on_device[0] else [to_numpy(each) for each in keys]
        shapes = {each.shape for each in keys}
        if len(shapes) > 1 or keys[0].ndim != 1:
            raise wrong(f"keys have the shapes {', '.join(map(str, sorted(shapes)))}, expected one dimension of one length")
        context = keys[0].context if on_device[0] else self
        taken = _taken_by if on_device[0] else np.take
        order, options = None, {}
        if dtype is not None or algorithm is not None:
            options = {"dtype": dtype, "algorithm": algorithm}
        for key in keys:
            here = context.argsort(key if order is None else taken(key, order), **options)
            order = here if order is None else taken(order, here)
        return order

    # ---- matrix product

    def matmul(self, a: Input, b: Input, out: Output | None = None, *, transpose_a: bool = False,
               transpose_b: bool = False, alpha: float | None = None, beta: float | None = None,
               semiring: Semiring | tuple[str, str, str | float, str | float] = "plus-times",
               precision: Precision = "full", bias: Values | None = None, activation: Activation | None = None,
               clamp: tuple[float | None, float | None] | None = None, finish: str | None = None,
               helpers: str | None = None, dtype: DTypeLike | None = None, algorithm: str | None = None) -> Number:
        """alpha * a @ b + beta * out, with the shapes of numpy.matmul: (..., m, k) and (..., k, n), where leading axes are
        a batch, and one dimension is a vector. The product of two vectors is a NumPy scalar, of
        device arrays a device array without dimensions.

        Types: float16 and bfloat16 (computed in float32), float32, float64, int16 and int32 (wrap),
        for "plus-times" int8 and uint8 (computed in int32, and cut); for "plus-times" and "or-and"
        also uint16, uint32 (wrap) and bool, whose product is "or-and", as NumPy's; on device arrays
        none that only these two take. Different types of the inputs meet as in NumPy. dtype: the
        type of the result; int32 of int8, uint8 and int16, float32 of float16 and bfloat16, are
        products without copies of the inputs; others convert the inputs first, as NumPy does, not
        those of the device. gpcl.bfloat16 is that of ml_dtypes, or stands for its bits where that
        is not installed; device arrays name it "bfloat16". alpha and beta default to the semiring's
        one and zero; beta needs out. semiring: "plus-times", "min-plus" (shortest paths),
        "max-plus", "max-min", "or-and"; or the caller's own, four OpenCL C expressions: plus and
        times of a and b, whose type is called T, and their identities, zero and one. precision:
        "full", or "fast", which may use matrix units of reduced precision.
        bias is added to the result before it is rounded: a number for each column, of shape (n,),
        or for each row, of shape (m, 1), with leading axes of a batch or without, as NumPy adds it
        to the result. activation follows it: "relu", "gelu", "gelu-tanh"; or clamp=(low, high),
        either of which may be None. finish is an OpenCL C expression that takes their place: x is
        the element, b its bias (or 0), i and j are row and column. helpers are OpenCL C
        declarations that come before these texts. Texts need an OpenCL device.

        >>> gpcl.matmul(np.eye(2), [[1.0, 2], [3, 4]])
        array([[1., 2.],
               [3., 4.]])
        >>> trips = np.float32([[0, 7, 1], [7, 0, 2], [1, 2, 0]])
        >>> float(gpcl.matmul(trips, trips, semiring="min-plus")[0, 1])
        3.0
        >>> gpcl.matmul(np.eye(2), [[1.0, 2], [3, 4]], bias=[-2, -3], activation="relu")
        array([[0., 0.],
               [1., 1.]])
        """
        if (alpha is None and beta is None and algorithm is None and not transpose_a and not transpose_b and
                semiring == "plus-times" and precision == "full" and bias is None and activation is None and clamp is None and
                finish is None and helpers is None and dtype is None):
            result = _plain_matmul(self, a, b, out)
            if result is not None:
                return result
        options = {"precision": choose(PRECISIONS, precision, "precision"), "algorithm": algorithm,
                   "finish_source": finish, "helpers": helpers}
        if activation is not None:
            options["activation"] = choose(ACTIVATIONS, activation, "activation", others="; and clamp=(low, high)")
        if clamp is not None:
            if activation is not None:
                raise wrong("activation and clamp are both given; expected one of them")
            options["activation"] = lib.GP_CLAMP
        if beta is not None and out is None:
            raise wrong("beta needs out, whose old content it multiplies")
        on_device = isinstance(a, DeviceArray) or isinstance(b, DeviceArray)
        if on_device:
            a, b = (x if isinstance(x, DeviceArray) else self.array(x, other.dtype) for x, other in ((a, b), (b, a)))
            if a.dtype != b.dtype:
                raise wrong(f"device arrays are not converted: a is {a.dtype}, b is {b.dtype}", lib.GP_ERROR_DTYPE)
            of_inputs = a.dtype
        else:
            a, b = to_numpy(a), to_numpy(b)
            of_inputs = a.dtype if a.dtype == b.dtype and a.dtype.isnative else np.result_type(a, b)
        asked, dtype = None if dtype is None else dtype_of(dtype), of_inputs
        wide = asked if asked is not None and asked != dtype and asked == _WIDENED.get(dtype) else None
        if wide is None and asked is not None and asked != dtype:
            if on_device:
                raise wrong(f"device arrays are not converted: the product of {dtype} is of that type" +
                            (f", or {_WIDENED[dtype]}" if dtype in _WIDENED else ""), lib.GP_ERROR_DTYPE)
            if not np.can_cast(dtype, asked, "same_kind"):
                raise wrong(f"dtype is {asked}, to which NumPy does not convert {dtype}", lib.GP_ERROR_DTYPE)
            dtype = asked
        if not a.ndim or not b.ndim:
            raise wrong("matmul takes matrices, vectors, and batches of matrices, not single numbers")
        if dtype == np.bool_ and semiring == "plus-times":
            semiring = "or-and"
        if isinstance(semiring, (tuple, list)):
            if len(semiring) != 4:
                raise wrong(f"semiring has {len(semiring)} texts; expected plus, times, zero and one", lib.GP_ERROR_SEMIRING)
            names = ("plus_source", "times_source", "zero_source", "one_source")
            options |= {name: str(each) for name, each in zip(names, semiring)}
        else:
            options["semiring"] = choose(SEMIRINGS, semiring, "semiring", lib.GP_ERROR_SEMIRING,
                                         "; or texts, (plus, times, zero, one)")
        stands_in = {"plus-times": _MULTIPLIED_AS, "or-and": _ANY_TRUE_AS} if wide is None and not on_device else {}
        computed = stands_in.get(semiring if isinstance(semiring, str) else "", {}).get(dtype, dtype)
        code = code_of(computed)
        factors = wide or (computed if computed == np.int16 else _WIDENED.get(computed, computed))
        if computed != dtype and (bias is not None or options.get("activation") or finish is not None):
            raise wrong(f"products of {dtype} are computed in {computed}: bias, activation, clamp and finish take the types of "
                        "which products are", lib.GP_ERROR_DTYPE)
        low, high = clamp if clamp is not None else (None, None)
        for name, factor in (("alpha", alpha), ("beta", beta), ("clamp_low", low), ("clamp_high", high)):
            if factor is not None:
                options[name] = pointer(scalar(factor, factors, name))

        # Vectors become matrices, whose extra axis the result loses again.
        lost = (-2,) * (a.ndim == 1) + (-1,) * (b.ndim == 1)
        transpose_a, transpose_b = transpose_a and a.ndim > 1, transpose_b and b.ndim > 1
        a = a.reshape(1, -1) if a.ndim == 1 else a
        b = b.reshape(-1, 1) if b.ndim == 1 else b
        m, k = a.shape[:-3:-1] if transpose_a else a.shape[-2:]
        k_b, n = b.shape[:-3:-1] if transpose_b else b.shape[-2:]
        if k != k_b:
            raise wrong(f"a has rows of {k}, b has columns of {k_b}; they must be equal")
        try:
            batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) if a.ndim + b.ndim > 4 else ()
        except ValueError:
            raise wrong(f"the batches {a.shape[:-2]} and {b.shape[:-2]} do not fit together") from None
        full = (*batch, m, n)
        shape = tuple(size for i, size in enumerate(full, -len(full)) if i not in lost) if lost else full
        count = 1
        for size in batch:
            count *= size

        if bias is not None:
            bias, of_bias = _bias(self, bias, on_device, wide or dtype, full, lost, count)
            options |= of_bias
        operand, place, call = ((_device_matrix, _device_place, self._enqueue) if on_device else
                                (_matrix, _place, self._run))
        keep_a, at_a, transpose_a, ld_a, stride_a = operand(a, computed, transpose_a, batch, count)
        keep_b, at_b, transpose_b, ld_b, stride_b = operand(b, computed, transpose_b, batch, count)
        if not on_device and out is not None:
            check_apart(check_out(out, shape, wide or dtype), a, b)
        result, finished, at_c, turned, ld_c, stride_c = place(self, out, shape, full, wide or dtype, wide or computed,
                                                               beta is not None)
        if wide is not None:
            options["c_dtype"] = code_of(wide)
        if batch:
            options |= {"batch": count, "stride_a": stride_a, "stride_b": stride_b, "stride_c": stride_c}
        if count:
            call("matmul", code, m, n, k, *at_a, ld_a, *at_b, ld_b, *at_c, ld_c, transpose_a=transpose_a,
                 transpose_b=transpose_b, transpose_c=turned, **options)
        del keep_a, keep_b, bias
        return finished(result)

    # ---- movement

    def take(self, a: Input, indices: Values, *, axis: int | None = None, out: Output | None = None,
             first_wrong: DeviceArray | None = None, count: DeviceArray | None = None,
             algorithm: str | None = None) -> Output:
        """The elements of an array at these indices, or with an axis its parts along that, as numpy.take; new or in `out`.

        Any type. indices: integers; negative ones count from the end. An index that is out of
        bounds is a GpError that names the first. Of a device array: axis is None or the first one.
        Nothing waits, so no index is an error: elements of wrong indices are zeros, and
        first_wrong, a device array of one uint64, receives the place of the first wrong one, 2**64
        - 1 where there is none. count, a device array of one uint64: how many of the indices count;
        the elements behind stay as they are in `out`.

        >>> gpcl.take([10, 20, 30], [2, 0, -1])
        array([30, 10, 30])
        >>> gpcl.take([[1, 2], [3, 4], [5, 6]], [2, 0], axis=0)
        array([[5, 6],
               [1, 2]])
        """
        on_device = isinstance(a, DeviceArray)
        a = a if on_device else to_numpy(a, "biufcmMSUV")
        if axis is not None:
            axis = axis_of(axis, a.ndim)
            if on_device and axis != 0:
                raise wrong(f"device arrays take along the first axis, or None; got {axis}")
            a = a if axis == 0 else np.moveaxis(a, axis, 0)
        rest = () if axis is None else a.shape[1:]
        n, row = a.size if axis is None else a.shape[0], math.prod(rest)
        indices = _positions(indices, n, on_device)
        shape = indices.shape + rest
        options = {"row": row, "from_end": 1, "algorithm": algorithm} | _counters(first_wrong, count, on_device)
        if on_device:
            indices = indices if isinstance(indices, DeviceArray) else self.array(indices)
            result = self.empty(shape, a.dtype) if out is None else check_device_out(out, shape, a.dtype)
            if row:
                self._enqueue("gather", a.dtype.itemsize, n, a.buffer.pointer, a.offset, indices.code, indices.size,
                              indices.buffer.pointer, indices.offset, result.buffer.pointer, result.offset, **options)
            return result
        moved = shape if not axis else a.shape[1:axis + 1] + indices.shape + a.shape[axis + 1:]
        if out is not None:
            check_apart(check_out(out, moved, a.dtype), a, indices)
        result = out if out is not None and not axis and out.flags.c_contiguous else np.empty(shape, a.dtype)
        a = np.ascontiguousarray(a)
        if row and a.dtype.itemsize:
            size, times = _element_of(a.dtype.itemsize)
            options["row"] = row * times
            self._run("gather", size, n, pointer(a.reshape(-1).view(np.uint8)), CODES[indices.dtype], indices.size,
                      pointer(indices), pointer(result.reshape(-1).view(np.uint8)), **options)
        if axis:  # the indices' axes stand where the axis was
            result = np.moveaxis(result, range(indices.ndim), range(axis, axis + indices.ndim))
        if out is None:
            return result
        if result is not out:
            out[...] = result
        return out

    def put(self, a: Output, indices: Values, values: Values, *, axis: int | None = None,
            first_wrong: DeviceArray | None = None, count: DeviceArray | None = None, algorithm: str | None = None) -> Output:
        """Replaces the elements of an array at these indices, or with axis 0 its parts along the first axis; returns it.

        values: as many as there are indices, of the same type; numbers and lists are converted, one
        value serves for all. Where an index comes several times, one of its values is there in the
        end. What indices, first_wrong and count may be, take says; for wrong indices of device
        arrays nothing is written. a: writable, C-contiguous.

        >>> a = np.array([1, 2, 3, 4])
        >>> gpcl.put(a, [0, -1], [9, 8])
        array([9, 2, 3, 8])
        """
        on_device = isinstance(a, DeviceArray)
        if not on_device and (type(a) is not np.ndarray or not a.flags.c_contiguous or not a.flags.writeable or a.dtype.hasobject):
            raise wrong("a must be a NumPy array that is writable and C-contiguous", lib.GP_ERROR_DTYPE)
        if axis is not None and axis_of(axis, a.ndim) != 0:
            raise wrong(f"axis is {axis}, expected the first one, or None")
        rest = () if axis is None else a.shape[1:]
        n, row = a.size if axis is None else a.shape[0], math.prod(rest)
        indices = _positions(indices, n, on_device)
        shape = indices.shape + rest
        options = {"row": row, "from_end": 1, "algorithm": algorithm} | _counters(first_wrong, count, on_device)
        if on_device and isinstance(values, DeviceArray):
            check_device_out(values, shape, a.dtype, "values")
        else:
            try:
                values = np.ascontiguousarray(np.broadcast_to(np.asarray(values, a.dtype), shape))
            except (ValueError, TypeError) as error:
                raise _refused(error) from None
        if on_device:
            indices, values = (each if isinstance(each, DeviceArray) else self.array(each) for each in (indices, values))
            if row:
                self._enqueue("scatter", a.dtype.itemsize, indices.size, values.buffer.pointer, values.offset, indices.code,
                              indices.buffer.pointer, indices.offset, n, a.buffer.pointer, a.offset, **options)
            return a
        check_apart(a, indices)
        if np.may_share_memory(a, values):
            values = values.copy()
        if row and a.dtype.itemsize:
            size, times = _element_of(a.dtype.itemsize)
            options["row"] = row * times
            self._run("scatter", size, indices.size, pointer(values.reshape(-1).view(np.uint8)), CODES[indices.dtype],
                      pointer(indices), n, pointer(a.reshape(-1).view(np.uint8)), **options)
        return a

    def matrix_transpose(self, a: Input, *, out: Output | None = None, algorithm: str | None = None) -> Output:
        """The array with its last two axes exchanged, in an order of its own in memory; new or in `out`, C-contiguous.

        As numpy.ascontiguousarray of a.T, or of NumPy 2's matrix_transpose: of two dimensions a
        transpose, of more one of each matrix. Any type, whose elements have up to 64 bytes; two
        dimensions at least.

        >>> gpcl.matrix_transpose([[1, 2, 3], [4, 5, 6]])
        array([[1, 4],
               [2, 5],
               [3, 6]])
        """
        on_device = isinstance(a, DeviceArray)
        a = a if on_device else to_numpy(a, "biufcmMSUV")
        if a.ndim < 2:
            raise wrong(f"a has the shape {a.shape}, expected two dimensions at least")
        *batch, rows, columns = a.shape
        shape, count = (*batch, columns, rows), math.prod(batch)
        options = {"batch": count, "algorithm": algorithm}
        if on_device:
            result = self.empty(shape, a.dtype) if out is None else check_device_out(out, shape, a.dtype)
            if result.size:
                self._enqueue("transpose_matrix", a.dtype.itemsize, rows, columns, a.buffer.pointer, a.offset, columns,
                              result.buffer.pointer, result.offset, rows, **options)
            return result
        if out is not None:
            check_apart(check_out(out, shape, a.dtype), a)
        result = out if out is not None and out.flags.c_contiguous else np.empty(shape, a.dtype)
        ld, size = columns, a.dtype.itemsize
        if a.ndim == 2 and rows > 1 and a.strides[1] == size and a.strides[0] % max(size, 1) == 0 and a.strides[0] >= columns * size:
            ld = a.strides[0] // size  # a block of a larger matrix, as it lies
        else:
            a = np.ascontiguousarray(a)
        if result.size and size:
            self._run("transpose_matrix", size, rows, columns, ffi.cast("char *", a.__array_interface__["data"][0]), ld,
                      pointer(result.reshape(-1).view(np.uint8)), rows, **options)
        if out is None:
            return result
        if result is not out:
            out[...] = result
        return out

    # ---- shortest paths

    def shortest_paths(self, distances: Input, *, predecessors: bool = False, out: Output | None = None,
                       negative_cycle: DeviceArray | None = None, algorithm: str | None = None) -> Any:
        """The lengths of the shortest paths between all pairs of nodes, as a matrix; with predecessors a pair of that and
        the matrix of the nodes before the end of each path, as scipy.sparse.csgraph.floyd_warshall
        has them.

        distances: distances[i, j] is the length of the edge from node i to node j, infinity, or an
        integer's largest value, where there is none (0 is an edge of length 0, other than in
        SciPy). Lengths may be negative. Types: float32, float64, int16 and int32, whose lengths and
        paths lie within a sixth of the largest value; others become float64, float16 becomes
        float32. The result has the same type; predecessors are int32, -9999 where there is none. A
        cycle of negative length is a GpError. Of device arrays it is none: negative_cycle, a device
        array of one uint64, receives 1 where there is such a cycle, else 0, and out[i, i] < 0 tells
        of one, too.

        >>> inf = float("inf")
        >>> gpcl.shortest_paths([[0, 4, 9], [inf, 0, 1], [inf, inf, 0]])
        array([[ 0.,  4.,  5.],
               [inf,  0.,  1.],
               [inf, inf,  0.]])
        >>> lengths, before = gpcl.shortest_paths([[0, 4, 9], [inf, 0, 1], [inf, inf, 0]], predecessors=True)
        >>> int(before[0, 2]), int(before[0, 1]), int(before[0, 0])
        (1, 0, -9999)
        """
        on_device = isinstance(distances, DeviceArray)
        a = distances if on_device else to_numpy(distances)
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise wrong(f"distances have the shape {a.shape}, expected a square matrix")
        n = a.shape[0]
        if on_device:
            result = self.empty(a.shape, a.dtype) if out is None else check_device_out(out, a.shape, a.dtype)
            nodes = self.empty(a.shape, np.int32) if predecessors else None
            options = {"algorithm": algorithm}
            if negative_cycle is not None:
                check_device_out(negative_cycle, (1,), np.dtype(np.uint64), "negative_cycle")
                options |= {"negative_cycle_buffer": negative_cycle.buffer.pointer,
                            "negative_cycle_offset": negative_cycle.offset}
            self._enqueue("paths", a.code, n, a.buffer.pointer, a.offset, n, result.buffer.pointer, result.offset, n,
                          *((nodes.buffer.pointer, nodes.offset) if predecessors else (ffi.NULL, 0)), n, **options)
            return (result, nodes) if predecessors else result
        if negative_cycle is not None:
            raise wrong("negative_cycle is for device arrays; of others a negative cycle is an error")
        dtype = native(a.dtype)
        if dtype not in _LENGTHS:
            dtype = np.dtype(np.float32 if dtype == np.float16 else np.float64)
        if out is not None:
            check_apart(check_out(out, a.shape, dtype), same=a)
        a = contiguous(a, dtype)
        result = Result(a.shape, dtype, 1, out)
        nodes = np.empty(a.shape, np.int32) if predecessors else None
        negative = ffi.new("uint64_t *")
        self._run("paths", code_of(dtype), n, pointer(a), n, pointer(result.array), n,
                  ffi.cast("int32_t *", pointer(nodes)) if predecessors else ffi.NULL, n, negative_cycle=negative,
                  algorithm=algorithm)
        if negative[0]:
            raise wrong("distances have a cycle of negative length, so there are no shortest paths")
        lengths = result.finish(dtype)
        return (lengths, nodes) if predecessors else lengths

    # ---- histogram

    def histogram(self, a: Input, bins: HostArray | None = 10, range: tuple[float, float] | None = None, *,
                  density: bool = False, weights: Input | None = None, counts_only: bool = False,
                  out: Output | None = None, accumulate: bool = False,
                  n: DeviceArray | None = None, algorithm: str | None = None) -> tuple[Output, NDArray[Any]] | Output:
        """(counts, edges), as numpy.histogram: how many elements lie in each bin, and where the bins begin and end.

        a: any integer or floating type, of any shape. bins: a number of bins of equal width from
        range[0] to range[1] (the least and the greatest element, unless given; on device arrays,
        give it); or ascending edges, one more than bins; or a rule of numpy.histogram_bin_edges,
        such as "auto". None: a bin for each value of a type of 8 bits, from its least one on. The
        counts are int64, in `out` where that is given; counts_only leaves the edges out. Of a
        device array the counts are one too, the edges a NumPy array. accumulate: the counts are
        added to those in `out`, so that an array can be counted in pieces; all with the same edges.
        density: instead of the counts, what integrates to 1 over the bins; for arrays of the host.
        weights: an array of a's shape, on the same device, whose elements are added up in the place
        of ones. Each sum of float32 or float64 is the exact one, rounded once, and has the weights'
        type; weights of other types are NumPy's to add, on the host. n: as in sort; so many
        elements are counted.

        >>> gpcl.histogram([1.0, 2.0, 1.5, 4.0], 3)
        (array([2, 1, 1]), array([1., 2., 3., 4.]))
        >>> gpcl.histogram(np.uint8([3, 1, 3]), None, counts_only=True)[:5]
        array([0, 1, 0, 2, 0])
        >>> counts = np.zeros(2, np.int64)
        >>> for piece in ([1.0, 2.0], [3.0]):
        ...     _ = gpcl.histogram(piece, [0.0, 2.0, 4.0], out=counts, accumulate=True)
        >>> counts
        array([1, 2])
        """
        if (weights is None and out is None and n is None and algorithm is None and not density and not accumulate and
                self._recorded is None and type(a) is _ndarray and a.flags.c_contiguous and a.flags.aligned):
            code = CODES.get(a.dtype)
            edges, structure, keep = _plain_bins(a, bins, range) if code is not None else (None, None, None)
            if edges is not None:
                size = edges.size - 1
                result = _empty(size, _COUNT)
                status = lib.gp_histogram(self.pointer, code, a.size, _from_buffer(a), size, _from_buffer(_COUNTS, result),
                                          structure)
                del keep
                if status == 0:
                    return result if counts_only else (result, edges)
        if accumulate and out is None:
            raise wrong("accumulate needs out, whose counts it adds to")
        counts = _COUNT
        on_device = isinstance(a, DeviceArray)
        if density and (on_device or out is not None or algorithm is not None):
            raise wrong("density is for arrays of the host, and takes neither out nor an algorithm")
        if weights is not None:
            if accumulate:
                raise wrong("accumulate is for counts, not for weights")
            sums, edges = self._weighted(a, bins, range, weights, density, out, n, algorithm)
            return sums if counts_only else (sums, edges)
        a = a if on_device else contiguous(to_numpy(a))
        edges, options, keep = _bins(a, bins, range)
        size = edges.size - 1
        options |= {"algorithm": algorithm, "accumulate": bool(accumulate)} | _size_options(n, a)
        if on_device:
            result = self.empty(size, counts) if out is None else check_device_out(out, (size,), counts)
            self._enqueue("histogram", a.code, a.size, a.buffer.pointer, a.offset, size, result.buffer.pointer,
                          result.offset, **options)
        else:
            if out is not None:
                check_apart(check_out(out, (size,), counts), a)
            place = Result((size,), counts, 0, out)
            if accumulate and place.array is not out:
                np.copyto(place.array, out)
            self._run("histogram", code_of(a.dtype), a.size, pointer(a), size,
                      ffi.cast("uint64_t *", pointer(place.array)), **options)
            result = place.finish(counts)
            if density:
                result = result / np.diff(edges) / result.sum()
        del keep
        return result if counts_only else (result, edges)

    def _weighted(self, a, bins, range, weights, density: bool, out, n, algorithm: str | None) -> tuple:
        """The sums of a histogram with weights, and the edges."""
        on_device = isinstance(a, DeviceArray)
        sizes = _size_options(n, a)
        if not on_device:
            a, weights = to_numpy(a), np.asarray(weights)
            if native(weights.dtype) not in _WEIGHTS:
                if out is not None or algorithm is not None:
                    raise wrong(f"weights are {weights.dtype}; with out or an algorithm, expected float32 or float64",
                                lib.GP_ERROR_DTYPE)
                try:
                    return np.histogram(a, bins, range, density=density, weights=weights)
                except (TypeError, ValueError) as error:
                    raise _refused(error) from None
            a, weights = contiguous(a), contiguous(weights)
        elif not isinstance(weights, DeviceArray) or weights.dtype not in _WEIGHTS:
            raise wrong("expected weights of float32 or float64 in a device array", lib.GP_ERROR_DTYPE)
        if weights.shape != a.shape:
            raise wrong("weights should have the same shape as a.")
        if isinstance(bins, str):
            raise wrong("Automated estimation of the number of bins is not supported for weighted data", lib.GP_ERROR_DTYPE)
        edges, options, keep = _bins(a, bins, range) if on_device else _bins_of_host(a, bins, range)
        size, dtype = edges.size - 1, native(weights.dtype)
        if on_device:
            sums = self.empty(size, dtype) if out is None else check_device_out(out, (size,), dtype)
            self._enqueue("histogram_weighted", a.code, a.size, a.buffer.pointer, a.offset, weights.code,
                          weights.buffer.pointer, weights.offset, size, sums.buffer.pointer, sums.offset, algorithm=algorithm,
                          **options, **sizes)
        else:
            if out is not None:
                check_apart(check_out(out, (size,), dtype), a, weights)
            place = Result((size,), dtype, 0, out)
            self._run("histogram_weighted", code_of(a.dtype), a.size, pointer(a), code_of(dtype), pointer(weights), size,
                      pointer(place.array), algorithm=algorithm, **options)
            sums = place.finish(dtype)
            if density:
                sums = sums / np.diff(edges) / sums.sum()
        del keep
        return sums, edges

    def histogram2d(self, x: Input, y: Input, bins: Any = 10, range: Any = None, *, density: bool = False,
                    weights: Input | None = None, algorithm: str | None = None) -> tuple[Output, NDArray[Any], NDArray[Any]]:
        """(counts, edges of x, edges of y), as numpy.histogram2d: counts[i, j] tells how many pairs of elements lie in bin i
        of x and bin j of y.

        x, y: of any integer or floating type, one dimension and one length. bins: a number of bins,
        or edges, for both; or a pair of those. range: ((least x, greatest x), (least y, greatest
        y)), else of the elements; on device arrays, give it, or edges. weights: as many numbers,
        which are added up in the place of ones; each sum is the exact one, rounded once. The result
        is float64, of device arrays without weights int64, and the edges are NumPy arrays. density:
        instead of the counts, what integrates to 1 over the bins; for arrays of the host.

        >>> counts, x, y = gpcl.histogram2d([0.5, 1.5, 1.5], [5.0, 7.0, 7.5], bins=(2, 3), range=((0, 2), (5, 8)))
        >>> counts
        array([[1., 0., 0.],
               [0., 0., 2.]])
        """
        on_device = isinstance(x, DeviceArray)
        if on_device != isinstance(y, DeviceArray) or (weights is not None and on_device != isinstance(weights, DeviceArray)):
            raise wrong("expected x, y and weights all on the device or all on the host")
        if on_device:
            if density:
                raise wrong("density is for arrays of the host")
            if x.dtype != y.dtype:
                raise wrong(f"x is {x.dtype}, y {y.dtype}; expected one type", lib.GP_ERROR_DTYPE)
            if weights is not None and weights.dtype not in _WEIGHTS:
                raise wrong(f"weights are {weights.dtype}; expected float32 or float64", lib.GP_ERROR_DTYPE)
        else:
            x, y = to_numpy(x), to_numpy(y)
            common = np.result_type(x, y)
            x, y = (contiguous(np.asarray(each, common)) for each in (x, y))
            if weights is not None:
                weights = to_numpy(weights)
                if weights.dtype not in _WEIGHTS:
                    weights = _as_float64(weights)
                weights = contiguous(weights)
        if x.ndim != 1 or x.shape != y.shape:
            raise wrong("x and y must have the same length.")
        if weights is not None and weights.shape != x.shape:
            raise wrong("The weights and list don't have the same length.")
        edges_x, edges_y = _edges_of_pairs(x, y, bins, range)
        options, keep = {"algorithm": algorithm}, []
        for k, edges in enumerate((edges_x, edges_y)):
            even = _even(edges, x.dtype)
            given, kept_alive = (even, None) if even is not None else _taken(edges, x.dtype)
            options |= {_OF_PAIRS[name][k]: value for name, value in given.items()}
            keep.append(kept_alive)
        shape = edges_x.size - 1, edges_y.size - 1
        result = _COUNT
        if weights is not None:
            result = _FLOAT64
            options["sums_dtype"] = code_of(_FLOAT64)
        if on_device:
            sums = self.empty(shape, result)
            weighing = (0, ffi.NULL, 0) if weights is None else (weights.code, weights.buffer.pointer, weights.offset)
            self._enqueue("histogram_2d", x.code, x.size, x.buffer.pointer, x.offset, y.buffer.pointer, y.offset, *weighing,
                          *shape, sums.buffer.pointer, sums.offset, **options)
        else:
            sums = np.empty(shape, result)
            weighing = (0, ffi.NULL) if weights is None else (code_of(weights.dtype), pointer(weights))
            self._run("histogram_2d", code_of(x.dtype), x.size, pointer(x), pointer(y), *weighing, *shape, pointer(sums),
                      **options)
            sums = sums.astype(np.float64, copy=False)
            if density:
                total = sums.sum()
                sums = sums / np.diff(edges_x)[:, None] / np.diff(edges_y)
                sums /= total
        del keep
        return sums, edges_x, edges_y

    def bincount(self, x: Input, weights: Input | None = None, minlength: int = 0, *,
                 algorithm: str | None = None) -> Output:
        """How many elements are 0, 1, 2 and so on, as numpy.bincount; or the sums of their weights, in float64, each exact
        and rounded once.

        x: integers, none below 0, of one dimension. minlength: the least size of the result, which
        else is as long as the greatest element needs, up to 2^24. weights: as many numbers; of a
        device array float32 or float64 ones, there too.

        >>> gpcl.bincount([3, 1, 3])
        array([0, 1, 0, 2])
        >>> gpcl.bincount([0, 1, 1], weights=[0.5, 1.0, 2.0])
        array([0.5, 3. ])
        """
        if algorithm is None:
            result = _plain_bincount(self, x, weights, minlength)
            if result is not None:
                return result
        on_device = isinstance(x, DeviceArray)
        if not on_device:
            x = to_numpy(x)
            x = x.astype(np.int64) if x.size == 0 and x.dtype == _FLOAT64 else x.view(np.uint8) if x.dtype == np.bool_ else x
            x = contiguous(x)
        elif x.size == 0 and x.dtype.kind == "f":
            x = self.empty(x.shape, np.int64)
        if x.ndim != 1 or x.dtype.kind not in "iu":
            raise wrong(f"x is {x.dtype} with {x.ndim} dimensions; expected integers in one", lib.GP_ERROR_DTYPE)
        minlength = size_of(minlength, "minlength")
        if not on_device and weights is None and algorithm is None:  # which NumPy counts faster than it finds the greatest
            try:
                return np.bincount(x if x.dtype != np.uint64 else _as_int64(x), minlength=minlength)
            except (TypeError, ValueError, MemoryError) as error:
                raise _refused(error) from None
        if on_device and weights is not None and (not isinstance(weights, DeviceArray) or weights.dtype not in _WEIGHTS):
            raise wrong("expected weights of float32 or float64 in a device array", lib.GP_ERROR_DTYPE)
        most = -1
        if x.size:
            least, most = int(x.min()), int(x.max())
            if least < 0:
                raise wrong(f"x has {least}; expected elements of 0 or more")
        size = max(most + 1, minlength)
        if weights is not None and not on_device:
            weights = to_numpy(weights)
        if weights is not None and weights.shape != x.shape:
            raise wrong("The weights and list don't have the same length.")
        if size == 0:
            result = np.zeros(0, _COUNT if weights is None else _FLOAT64)
            return self.array(result) if on_device else result
        whole = {"algorithm": algorithm}
        if weights is None:
            if on_device:
                counts = self.empty(size, _COUNT)
                self._enqueue("histogram", x.code, x.size, x.buffer.pointer, x.offset, size, counts.buffer.pointer,
                              counts.offset, **whole)
                return counts
            counts = np.empty(size, _COUNT)
            self._run("histogram", code_of(x.dtype), x.size, pointer(x), size, ffi.cast("uint64_t *", pointer(counts)), **whole)
            return counts
        whole["sums_dtype"] = code_of(_FLOAT64)
        if on_device:
            sums = self.empty(size, _FLOAT64)
            self._enqueue("histogram_weighted", x.code, x.size, x.buffer.pointer, x.offset, weights.code,
                          weights.buffer.pointer, weights.offset, size, sums.buffer.pointer, sums.offset, **whole)
            return sums
        weights = contiguous(weights if weights.dtype in _WEIGHTS else _as_float64(weights))
        sums = np.empty(size, _FLOAT64)
        self._run("histogram_weighted", code_of(x.dtype), x.size, pointer(x), code_of(weights.dtype), pointer(weights), size,
                  pointer(sums), **whole)
        return sums

    # ---- linear recurrence

    def recurrence(self, x: Input | None, coefficients: HostArray, *, n: int | None = None,
                   initial: Values | None = None, reverse: bool = False, final: Output | None = None,
                   out: Output | None = None, algorithm: str | None = None) -> Output:
        """y[t] = x[t] + c[0] y[t-1] + ... + c[order-1] y[t-order], along the last axis; from its end on with reverse.

        x: float32 or float64 (others become float64), shape (..., n); or None with n, which stands
        for zeros. coefficients: 1 to 8 numbers. initial: y[-1], y[-2] ... , of shape (order,) or
        (..., order); None means zeros. final: a writable array of x's type and the shape (...,
        order), which receives what `initial` must be for x to go on. With device arrays, final is
        one, and initial may be one; they may be the same.

        >>> gpcl.recurrence(None, [1, 1], n=6, initial=[1, 0])
        array([ 1.,  2.,  3.,  5.,  8., 13.])
        """
        if x is None:
            if n is None:
                raise wrong("x is None, which needs n")
            shape = (*np.shape(initial)[:-1], size_of(n, "n"))
            dtype = np.dtype(np.float64) if out is None else type_of_out(out)
        else:
            x = x if isinstance(x, DeviceArray) else to_numpy(x)
            if not x.ndim or n is not None and n != x.shape[-1]:
                raise wrong(f"x has the shape {x.shape}, n is {n}")
            shape, dtype = x.shape, _real(x)
        c = contiguous(to_numpy(coefficients).astype(dtype, copy=False))
        if c.ndim != 1:
            raise wrong(f"coefficients have the shape {c.shape}, expected (order,)")
        return self._recur("recurrence", x, shape, dtype, c.size, initial, final, out, behind=(c.size, pointer(c)),
                           direction=reverse, algorithm=algorithm)

    def recurrence_varying(self, x: Input | None, coefficients: Input, *, initial: Values | None = None,
                           reverse: bool = False, final: Output | None = None, out: Output | None = None,
                           algorithm: str | None = None) -> Output:
        """y[t] = x[t] + a[t] y[t-1], along the last axis; from its end on with reverse.

        x: as in recurrence; None stands for zeros, so that y is the running product of the
        coefficients times `initial`. coefficients: a, of x's shape, or of one row for all;
        converted to x's type. initial, final: as in recurrence with one coefficient, so y[-1] has
        the shape (1,) or (..., 1).

        >>> gpcl.recurrence_varying([1.0, 1.0, 1.0, 1.0], [0.0, 0.5, 0.0, 2.0])
        array([1. , 1.5, 1. , 3. ])
        >>> gpcl.recurrence_varying(None, [2.0, 3.0, 4.0], initial=1)
        array([ 2.,  6., 24.])
        """
        x = x if x is None or isinstance(x, DeviceArray) else to_numpy(x)
        a = coefficients if isinstance(coefficients, DeviceArray) else to_numpy(coefficients)
        if not a.ndim or x is not None and (not x.ndim or a.shape not in (x.shape, x.shape[-1:])):
            raise wrong(f"coefficients have the shape {a.shape}, x has {None if x is None else x.shape}")
        on_device = [each for each in (x, a) if isinstance(each, DeviceArray)]
        dtype = _real(on_device[0] if on_device else a if x is None else x)
        shape = x.shape if x is not None else a.shape if a.ndim > 1 else (*np.shape(initial)[:-1], *a.shape)
        if on_device or isinstance(out, DeviceArray):
            x, a = (self.array(each.astype(dtype)) if isinstance(each, np.ndarray) else each for each in (x, a))
            for each in (x, a):
                if each is not None:
                    check_device_out(each, each.shape, dtype, "an input")
            before = (a.buffer.pointer, a.offset)
        else:
            if out is not None:
                check_apart(check_out(out, shape, dtype), a)
            a = contiguous(a, dtype)
            before = (pointer(a),)
        return self._recur("recurrence_varying", x, shape, dtype, 1, initial, final, out, before=before,
                           on_device=isinstance(a, DeviceArray), share_coefficients=a.shape != shape, direction=reverse,
                           algorithm=algorithm)

    def _recur(self, name: str, x, shape: tuple, dtype: np.dtype, order: int, initial, final, out, before: tuple = (),
               behind: tuple = (), on_device: bool = False, **options):
        """Both recurrences, with the arguments that stand before and behind the arrays."""
        code, batch = code_of(dtype), math.prod(shape[:-1])
        options["batch"] = batch
        if isinstance(initial, DeviceArray):
            check_device_out(initial, (*shape[:-1], order), dtype, "initial")
            options |= {"initial_buffer": initial.buffer.pointer, "initial_offset": initial.offset}
        elif initial is not None:
            try:
                state = np.broadcast_to(to_numpy(initial), (*shape[:-1], order))
            except ValueError:
                raise wrong(f"initial has the shape {np.shape(initial)}, expected {(*shape[:-1], order)}") from None
            options["initial"] = pointer(contiguous(state, dtype))
        if on_device or isinstance(x, DeviceArray) or isinstance(out, DeviceArray):
            if final is not None:
                check_device_out(final, (*shape[:-1], order), dtype, "final")
                options |= {"final_buffer": final.buffer.pointer, "final_offset": final.offset}
            result = self.empty(shape, dtype) if out is None else check_device_out(out, shape, dtype)
            source = (ffi.NULL, 0) if x is None else (x.buffer.pointer, x.offset)
            if batch:
                self._enqueue(name, code, shape[-1], *before, *source, result.buffer.pointer, result.offset, *behind, **options)
            return result
        if isinstance(initial, DeviceArray):
            raise wrong("initial is a device array, which x, the coefficients or out must then be as well", lib.GP_ERROR_DTYPE)
        if out is not None:
            check_apart(check_out(out, shape, dtype), *(() if initial is None else (state,)), same=x)
        result = Result(shape, dtype, len(shape) - 1, out)
        x = x if x is None else contiguous(x, dtype)
        if final is not None:
            states = np.zeros(check_out(final, (*shape[:-1], order), dtype).shape, dtype)
            options["final_state"] = pointer(states)
        if batch:
            self._run(name, code, shape[-1], *before, ffi.NULL if x is None else pointer(x), pointer(result.array), *behind,
                      **options)
        if final is not None:
            np.copyto(final, states)
        return result.finish(dtype)

    def lfilter(self, b: HostArray, a: HostArray, x: HostArray, *, axis: int = -1, zi: HostArray | None = None,
                algorithm: str | None = None) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
        """A digital filter along an axis, as scipy.signal.lfilter:
        a[0] y[t] = b[0] x[t] + ... + b[-1] x[t-len(b)+1] - a[1] y[t-1] - ... - a[-1] y[t-len(a)+1].

        a: up to 9 numbers, a[0] not 0. x: an array of the host, types as recurrence. The terms of b
        are NumPy's work, those of a recurrence's. zi: the state of the delays before x, of x's
        shape but max(len(a), len(b)) - 1 along the axis, or one for all rows; then the result is
        (y, zf) with the state after x, for the next part of a signal. None: from rest.

        >>> gpcl.lfilter([0.5], [1, -0.5], [1.0, 1.0, 1.0])
        array([0.5  , 0.75 , 0.875])
        >>> y, zf = gpcl.lfilter([0.5], [1, -0.5], [1.0], zi=[0.0])
        >>> gpcl.lfilter([0.5], [1, -0.5], [1.0, 1.0], zi=zf)[0]
        array([0.75 , 0.875])
        """
        if isinstance(x, DeviceArray):
            raise wrong("lfilter takes arrays of the host; on the device there is recurrence", lib.GP_ERROR_DTYPE)
        x = to_numpy(x)
        axis = axis_of(axis, x.ndim)
        dtype = native(x.dtype) if x.dtype in (np.float32, np.float64) else np.dtype(np.float64)
        a, b = (np.atleast_1d(to_numpy(each)).astype(np.float64) for each in (a, b))
        if a.ndim != 1 or b.ndim != 1 or not a.size or not b.size or a[0] == 0:
            raise wrong("a and b are one-dimensional, not empty, and a[0] is not 0")
        a, b = (a / a[0]).astype(dtype), (b / a[0]).astype(dtype)
        x = last(x, axis).astype(dtype, copy=False)
        n, delays = x.shape[-1], max(a.size, b.size) - 1
        fed = x * b[0]
        for lag, factor in enumerate(b[1:n], 1):
            fed[..., lag:] += factor * x[..., :-lag]
        if zi is not None:
            state = to_numpy(zi)
            state = last(state, axis) if state.ndim == x.ndim else state
            if state.shape[-1:] != (delays,) or state.shape[:-1] not in ((), x.shape[:-1]):
                raise wrong(f"zi has the shape {np.shape(zi)}; there are {delays} delays along axis {axis} of {x.ndim}")
            state = np.broadcast_to(state, (*x.shape[:-1], delays))
            fed[..., :delays] += state[..., :n]
        y = self.recurrence(fed, -a[1:], algorithm=algorithm) if a.size > 1 else fed
        result = contiguous(np.moveaxis(y, -1, axis))
        if zi is None:
            return result
        zf = np.zeros(state.shape, dtype)
        zf[..., :max(delays - n, 0)] = state[..., n:]
        for factors, signal in ((b, x), (-a, y)):
            for lag, factor in enumerate(factors[1:], 1):
                zf[..., max(lag - n, 0):lag] += factor * signal[..., max(n - lag, 0):]
        return result, contiguous(np.moveaxis(zf, -1, axis))


# What other libraries call it.
_ALIASES = {"reverse": "descending", "ascending": "descending", "decreasing": "descending", "inclusive": "exclusive",
            "func": "op", "ufunc": "op", "operation": "op", "keep_dims": "keepdims", "dim": "axis", "axes": "axis",
            "transA": "transpose_a", "transB": "transpose_b", "trans_a": "transpose_a", "trans_b": "transpose_b",
            "normed": "density", "normalize": "density", "nbins": "bins", "ndtype": "dtype", "type": "dtype", "method": "algorithm"}
_NEEDLESS = {"kind": "every sort is stable", "stable": "every sort is stable", "device": "the context decides on the device"}


def explained(error: TypeError, method, options: dict) -> TypeError:
    """The error of a call of a method, or one that says which option the method lacks and which there are."""
    names = [name for name in inspect.signature(method).parameters if name != "self"]
    unknown = next((name for name in options if name not in names), None)
    if unknown is None or isinstance(error, GpError):
        return error
    alias = _ALIASES.get(unknown)
    near = alias if alias in names else next(iter(difflib.get_close_matches(unknown, names, 1)), None)
    hint = f": {_NEEDLESS[unknown]};" if unknown in _NEEDLESS else f", did you mean {near!r}?" if near else ";"
    result = wrong(f"{method.__name__} has no option {unknown!r}{hint} there are {', '.join(names)}", lib.GP_ERROR_DTYPE)
    result.__suppress_context__ = True
    return result


# ---- the short way

# What most calls are costs less here: arrays of NumPy's own class and of one dimension (of products,
# two), of a type that the library computes in, with default options. Each function takes what its
# method takes by position. It gives the result, or None: then the call goes the way of all others,
# which finds the errors. Context._shorten tells which contexts have this way.

def _plain_sort(context, a, *, axis=_LAST, descending=False, out=None):
    if type(a) is not _ndarray:
        return None
    few, kind = _FEW_SORTED.get(a.dtype, _NONE)
    if (a.size <= few and out is None and not descending and context._leaves_few and
            (axis is _LAST and a.ndim or _is_axis(axis, a.ndim))):
        out = a.copy()
        out.sort(axis, kind)
        return out
    code, direct = _SORTED.get(a.dtype), context._direct
    if code is None or direct is None:
        return None
    n, rows, as_columns, _ = _rows_of(a, axis)
    if n is None:
        return None
    if out is not None:
        if not _can_receive(out, (n,) if axis is None else a.shape, a.dtype, same=a):
            return None
        if out is not a:
            out[...] = a.reshape(out.shape)
    else:
        out = a.copy() if axis is not None else a.flatten()
        if (rows > 1 and kind == "quicksort" and n <= _SHORT_ROW and a.size <= _FEW_IN_ROWS and not descending and
                context._leaves_few):
            out.sort(axis, kind)
            return out
    status = _gp_sort(direct, code, n, _from_buffer(out), _sorted_rows(rows, as_columns, descending))
    if status:
        check(status)
    return out


def _plain_argsort(context, a, *, axis=_LAST, descending=False, out=None):
    if type(a) is not _ndarray:
        return None
    code, direct = _SORTED.get(a.dtype), context._direct
    if code is None or direct is None:
        return None
    leaves_few = context._leaves_few and not descending and out is None
    few = _FEW_IN_A_ROW[a.dtype] if a.ndim == 1 else _FEW_ORDERED
    if leaves_few and a.size <= few and (axis is _LAST and a.ndim or _is_axis(axis, a.ndim)):
        return a.argsort(axis, "stable")
    n, rows, as_columns, _ = _rows_of(a, axis)
    if n is None or not _is_read_as_it_lies(a):
        return None
    if leaves_few and rows > 1 and n <= _SHORT_ROW and a.size <= _FEW_IN_ROWS:
        return a.argsort(axis, "stable")
    result = _receiver(out, (n,) if axis is None else a.shape, _INDEX, a)
    if result is None:
        return None
    status = _gp_argsort(direct, code, n, _from_buffer(a), _INDEX_CODE, _from_buffer(result),
                         _sorted_rows(rows, as_columns, descending))
    if status:
        check(status)
    return result


def _plain_cumsum(context, a, *, axis=None, out=None):
    if (out is None and type(a) is _ndarray and a.size <= _FEW_SUMMED and context._leaves_few and a.dtype in _SUMMED and
            (axis is None or _is_axis(axis, a.ndim))):
        return a.cumsum(axis)
    return _scanned(context, a, "add", axis, False, False, out)


def _plain_scan(context, a, op="add", *, axis=_LAST, exclusive=False, reverse=False, out=None):
    if type(op) is str and out is None and not exclusive and not reverse:
        if op == "add":
            return _plain_cumsum(context, a, axis=axis)
        if (op in _LEAST_OR_GREATEST and type(a) is _ndarray and a.size <= _FEW_WHOLE.get(a.dtype, -1) and context._leaves_few and
                (axis is _LAST and a.ndim or _is_axis(axis, a.ndim))):
            return _LEAST_OR_GREATEST[op](a, axis)
    return _scanned(context, a, op, axis, exclusive, reverse, out)


def _scanned(context, a, op, axis, exclusive, reverse, out):
    """The same, for all lengths and scans."""
    direct = context._direct
    if direct is None or type(a) is not _ndarray or type(op) is not str:
        return None
    flags, n, rows, as_columns = a.flags, a.size, 1, False
    if axis is not None and (axis is not _LAST or a.ndim != 1):
        n, rows, as_columns, _ = _rows_along(a.shape, axis)
    if n is None or not flags.c_contiguous or not flags.aligned:
        return None
    plan = _sums("scan", a.dtype, op, rows, as_columns, exclusive, reverse)
    if plan is None:
        return None
    code, computed, options, given = plan
    if out is not None and given is not None:
        return None
    result = _receiver(out, (n,) if axis is None else a.shape, computed, same=a)
    if result is None:
        return None
    status = n and _gp_scan(direct, code, n, _from_buffer(a), _from_buffer(result), options)
    if status:
        check(status)
    return result if given is None else narrowed(result, given, op, has_identity=exclusive)


def _plain_reduce(context, a, op="add", *, axis=None, out=None, keepdims=False):
    direct = context._direct
    if direct is None or type(a) is not _ndarray or type(op) is not str:
        return None
    flags, n, rows, as_columns, rest = a.flags, a.size, 1, False, ()
    if (op in _LEAST_OR_GREATEST_OF_ALL and out is None and not keepdims and n and a.ndim and a.dtype in _SORTED and
            context._leaves_few and (axis is None or _is_axis(axis, a.ndim)) and
            (a.nbytes <= _FEW_BYTES_REDUCED if axis is None or a.ndim == 1 else n <= _FEW_IN_COLUMNS)):
        return _LEAST_OR_GREATEST_OF_ALL[op](a, axis)
    if axis is not None:
        n, rows, as_columns, rest = _rows_along(a.shape, axis)
    if n is None or not flags.c_contiguous or not flags.aligned:
        return None
    plan = _sums("reduce", a.dtype, op, rows, as_columns)
    if plan is None:
        return None
    code, computed, options, given = plan
    if out is not None and given is not None:
        return None
    result = _receiver(out, _kept_along(a, axis) if keepdims else rest, computed, a)
    if result is None:
        return None
    status = _gp_reduce(direct, code, n, _from_buffer(a), _from_buffer(result), options)
    if status:
        check(status)
    if given is not None:
        result = narrowed(result, given, op, has_identity=not n)
    return result if result.ndim or out is not None else result[()]


def _kept_along(a: np.ndarray, axis) -> tuple:
    """The shape with a size of 1 along the axis, or along all."""
    return kept(a.shape, range(a.ndim) if axis is None else (axis % a.ndim,))


def _plain_arg_reduce(context, op, a, axis, out, keepdims):
    if type(a) is not _ndarray:
        return None
    code, direct, n = _COMPARED.get(a.dtype), context._direct, a.size
    if direct is None or not n:
        return None
    rows, as_columns, rest = 1, False, ()
    if axis is not None:
        n, rows, as_columns, rest = _rows_along(a.shape, axis)
        if n is None:
            return None
    # In arrays of bool NumPy ends where it has found one, and needs no call.
    if out is None and not keepdims and (
            code is not None and a.size <= (_FEW_IN_COLUMNS if as_columns else _FEW_SCANNED) and context._leaves_few or
            a.dtype == _BOOL):
        return a.argmin(axis) if op == "minimum" else a.argmax(axis)
    if code is None or not _is_read_as_it_lies(a):
        return None
    result = _receiver(out, _kept_along(a, axis) if keepdims else rest, _INDEX, a)
    if result is None:
        return None
    status = lib.gp_arg_reduce(direct, OPERATORS[op], code, n, _from_buffer(a), _INDEX_CODE, _from_buffer(result), _NULL,
                               _of_rows("arg_reduce", rows, as_columns))
    if status:
        check(status)
    return result if result.ndim or out is not None else result[()]


def _plain_argmin(context, a, *, axis=None, out=None, keepdims=False):
    return _plain_arg_reduce(context, "minimum", a, axis, out, keepdims)


def _plain_argmax(context, a, *, axis=None, out=None, keepdims=False):
    return _plain_arg_reduce(context, "maximum", a, axis, out, keepdims)


def _plain_top_k(context, a, k, *, largest=True, axis=_LAST):
    if type(a) is not _ndarray or type(k) is not int:
        return None
    code, direct = _COMPARED.get(a.dtype), context._direct
    if code is None or direct is None:
        return None
    n, rows, as_columns, rest = _rows_of(a, axis)
    if n is None or as_columns or not 0 <= k <= n:
        return None
    if n <= _FEW_CHOSEN and rows == a.ndim == 1 and context._leaves_few:
        if k == 1:
            positions = (a.argmax if largest else a.argmin)(keepdims=True)
            values = a[positions]
            if values == values:  # not NaN, which NumPy takes for the greatest and for the least
                return values, positions
        ordered = a if not largest else -a if a.dtype.kind == "f" else ~a
        positions = ordered.argsort(-1, "stable")[:k]
        return a[positions], positions
    if not _is_read_as_it_lies(a) or a.ndim > 1 and axis is not None and axis != -1 and axis != a.ndim - 1:
        return None
    shape = (*rest, k)
    values, positions = _empty(shape, a.dtype), _empty(shape, _INDEX)
    status = lib.gp_top_k(direct, lib.GP_DESCENDING if largest else lib.GP_ASCENDING, code, n, _from_buffer(a), k, _INDEX_CODE,
                          _from_buffer(positions), _from_buffer(values), _of_rows("top_k", rows, False))
    if status:
        check(status)
    return values, positions


def _plain_search(context, a, v, side="left", sorter=None):
    direct = context._direct
    if type(a) is not _ndarray or a.ndim != 1 or direct is None or type(side) is not str or side not in _SIDES:
        return None
    code = _COMPARED.get(a.dtype)
    if code is None:
        return None
    if type(v) is not _ndarray:
        if type(v) not in _PLAIN and not isinstance(v, np.generic):
            return None
        v = np.asarray(v)
    alike = v.dtype == a.dtype
    if (alike or v.dtype in _COMPARED) and (v.size <= _FEW_VALUES or _is_few(v.size, a.size, sorter, alike)):
        if sorter is None and alike:
            return a.searchsorted(v, side)
        if sorter is None or type(sorter) is _ndarray and sorter.dtype in _TAKEN:
            return _by_numpy(a, v, side, sorter)
    if not alike or side != "left" or sorter is not None or not _is_plain(a) or not is_direct(v):
        return None
    result = _empty(v.shape, _INDEX)
    status = lib.gp_search(direct, code, a.size, _from_buffer(a), v.size, _from_buffer(v), _INDEX_CODE, _from_buffer(result), _NULL)
    if status:
        check(status)
    return result[()]


def _plain_diff(context, a, n=1, *, axis=_LAST):
    direct = context._direct
    if direct is None or type(n) is not int or n != 1 or not _is_read_as_it_lies(a) or axis is None:
        return None
    code = CODES.get(a.dtype)
    size, rows, as_columns, _ = _rows_of(a, axis)
    if code is None or not size:
        return None
    if as_columns and a.size <= _FEW_SCANNED and context._leaves_few and a.dtype in _FEW_WHOLE:
        return a[1:] - a[:-1]
    if rows == 1 and a.ndim == 1:
        result = _empty(size - 1, a.dtype)
    else:
        shape = list(a.shape)
        shape[axis] -= 1
        result = _empty(shape, a.dtype)
    status = lib.gp_difference(direct, code, size, _from_buffer(a), _from_buffer(result), _differences(rows, as_columns))
    if status:
        check(status)
    return result


def _plain_unique(context, a, return_index=False, return_inverse=False, return_counts=False):
    direct = context._direct
    if direct is None or return_index or return_inverse or return_counts or not _is_plain(a):
        return None
    code, size = _SORTED.get(a.dtype), a.size
    if code is None:
        return None
    values, count = _empty(size, a.dtype), _new("uint64_t *")
    status = lib.gp_unique(direct, code, size, _from_buffer(a), _from_buffer(values), _INDEX_CODE, _NULL, _NULL, _NULL, count, _NULL)
    if status:
        check(status)
    return _first(values, count[0])


# Where floats become infinite, NumPy warns, or raises what the caller has asked it to; the library does neither, nor does vdot.
@np.errstate(all="ignore")
def _dot_of_floats(a, b):
    return a.dot(b)


@np.errstate(all="ignore")
def _dot_into(a, b, out):
    if out.ndim:
        a.dot(b, out)
    else:
        out[()] = np.vdot(a, b)
    return out


def _plain_matmul(context, a, b, out=None):
    if type(a) is not _ndarray or type(b) is not _ndarray:
        return None
    few, direct = _MULTIPLIED.get(a.dtype), context._direct
    if few is None or direct is None or b.dtype != a.dtype:
        return None
    shape, shape_b = a.shape, b.shape
    if not 0 < len(shape) <= 2 or not 0 < len(shape_b) <= 2:
        return _plain_products(context, a, b, out)
    shape_c, is_real = shape[:-1] + shape_b[1:], a.dtype.kind == "f"
    if out is not None and not _can_receive(out, shape_c, a.dtype, a, b):
        return None
    products = a.size * shape_b[-1] if len(shape_b) == 2 else a.size
    # NumPy's dot with an array of a single 0 is 0, even where the other one is infinite.
    if context._leaves_few and not (is_real and 1 in (a.size, b.size)) and (
            a.size * b.size <= few or products <= _FEW_PRODUCTS and is_real or
            products <= _FEW_OF_VECTOR[is_real] and len(shape) + len(shape_b) < 4):
        try:
            if out is not None:
                return _dot_into(a, b, out)
            if not is_real:
                return a.dot(b)
            return np.vdot(a, b) if len(shape) == len(shape_b) == 1 else _dot_of_floats(a, b)
        except ValueError:  # their shapes do not fit together
            return None
    k, n = shape[-1], shape_b[1] if len(shape_b) == 2 else 1
    if k != shape_b[0] or not products or not is_direct(a) or not is_direct(b):
        return None
    result = _empty(shape_c, a.dtype) if out is None else out
    status = lib.gp_matmul(direct, CODES[a.dtype], a.size // k, n, k, _from_buffer(a), k, _from_buffer(b), n,
                           _from_buffer(result), n, _NULL)
    if status:
        check(status)
    return result if result.ndim or out is not None else result[()]


def _plain_products(context, a, b, out):
    """Of two batches of as many matrices."""
    *batch, m, k = a.shape if a.ndim > 2 else (0, 0)
    *batch_b, k_b, n = b.shape if b.ndim > 2 else (0, 0)
    if not batch or batch != batch_b or k != k_b or not a.size or not b.size or not is_direct(a) or not is_direct(b):
        return None
    result = _receiver(out, (*batch, m, n), a.dtype, a, b)
    if result is None:
        return None
    # NumPy's of floats would warn where the library does not; without its warnings it takes longer than the library.
    if a.size * n <= _FEW_OF_BATCH and a.dtype.kind != "f" and context._leaves_few:
        return np.matmul(a, b, result)
    status = lib.gp_matmul(context._direct, CODES[a.dtype], m, n, k, _from_buffer(a), k, _from_buffer(b), n,
                           _from_buffer(result), n, _products_of(a.size // (m * k), m * k, k * n, m * n))
    if status:
        check(status)
    return result


def _plain_sort_pairs(context, keys, values):
    direct = context._direct
    if direct is None or not _is_plain(keys) or not _is_plain(values) or values.size != keys.size or values.dtype not in _MOVED:
        return None
    code = _SORTED.get(keys.dtype)
    if code is None:
        return None
    keys, values = keys.copy(), values.copy()
    status = lib.gp_sort_pairs(direct, code, keys.size, _from_buffer(keys), values.itemsize, _from_buffer(values), _NULL)
    if status:
        check(status)
    return keys, values


def _plain_merge(context, a, b):
    direct = context._direct
    if direct is None or not _is_plain(a) or not _is_plain(b) or a.dtype != b.dtype:
        return None
    code = CODES.get(a.dtype)
    if code is None:
        return None
    result = _empty(a.size + b.size, a.dtype)
    status = lib.gp_merge(direct, code, a.size, _from_buffer(a), b.size, _from_buffer(b), _from_buffer(result), _NULL)
    if status:
        check(status)
    return result


def _plain_lexsort(context, keys):
    if type(keys) not in _SEVERAL or not keys or not context._leaves_few:
        return None
    for each in keys:
        if type(each) is not _ndarray or each.ndim != 1 or each.size > _FEW_KEYS.get(each.dtype, -1) or each.size != keys[0].size:
            return None
    return np.lexsort(keys)


def _plain_run_lengths(context, a):
    direct = context._direct
    if direct is None or not _is_read_as_it_lies(a):
        return None
    code, n = _COMPARED.get(a.dtype), a.size
    if code is None:
        return None
    values, lengths, count = _empty(n, a.dtype), _empty(n, _INDEX), _new(_NUMBER)
    status = lib.gp_run_lengths(direct, code, n, _from_buffer(a), _from_buffer(values), _INDEX_CODE, _from_buffer(lengths), count,
                                _NULL)
    if status:
        check(status)
    return _first(values, count[0]), _first(lengths, count[0])


def _plain_reduce_by_key(context, keys, values, op="add", *, dtype=None):
    direct = context._direct
    if direct is None or not _is_plain(keys) or not _is_plain(values) or type(op) is not str or values.size != keys.size:
        return None
    code, plan, n = _COMPARED.get(keys.dtype), _sums("reduce_by_key", values.dtype, op, 1, False), keys.size
    if code is None or plan is None:
        return None
    read_as, computed, options, given = plan
    if dtype is not None and (given is not None or dtype != computed):
        return None
    out, results, count = _empty(n, keys.dtype), _empty(n, computed), _new(_NUMBER)
    status = lib.gp_reduce_by_key(direct, code, n, _from_buffer(keys), read_as, _from_buffer(values), _from_buffer(out),
                                  _from_buffer(results), count, options)
    if status:
        check(status)
    results = _first(results, count[0])
    return _first(out, count[0]), results if given is None else results.astype(given)


def _is_flagged(a, flags) -> bool:
    """Whether these are elements that the library moves as they lie, and as many flags."""
    return (_is_plain(a) and a.dtype in _MOVED and type(flags) is _ndarray and flags.shape == a.shape and
            flags.dtype in _FLAGS and flags.flags.c_contiguous)


def _plain_select(context, a, flags=None):
    if type(a) is not _ndarray or type(flags) is not _ndarray or a.ndim != 1 or flags.shape != a.shape or a.dtype not in _MOVED:
        return None
    n, direct = a.size, context._direct
    if n <= _FEW_SELECTED and context._leaves_few and flags.dtype == _BOOL:
        return a[flags]
    if direct is None or not _is_flagged(a, flags):
        return None
    result, count = _empty(n, a.dtype), _new(_NUMBER)
    status = lib.gp_select(direct, a.itemsize, n, _from_buffer(a), _from_buffer(flags), _from_buffer(result), count, _NULL)
    if status:
        check(status)
    return _first(result, count[0])


def _plain_partition(context, a, flags=None):
    direct = context._direct
    if direct is None or not _is_flagged(a, flags):
        return None
    result, count = _empty(a.size, a.dtype), _new(_NUMBER)
    status = lib.gp_partition(direct, a.itemsize, a.size, _from_buffer(a), _from_buffer(flags), _from_buffer(result), count,
                              _NULL)
    if status:
        check(status)
    return result, count[0]


def _plain_nonzero(context, a):
    if type(a) is not _ndarray:
        return None
    code, n, direct = _NONZERO.get(a.dtype), a.size, context._direct
    if code is None or direct is None:
        return None
    if n <= _FEW_SELECTED and a.ndim == 1 and context._leaves_few:
        return a.nonzero()[0]
    if not _is_read_as_it_lies(a):
        return None
    result, count = _empty(n, _INDEX), _new(_NUMBER)
    status = lib.gp_nonzero(direct, code, n, _from_buffer(a), _INDEX_CODE, _from_buffer(result), count, _NULL)
    if status:
        check(status)
    return _first(result, count[0])


def _plain_take(context, a, indices, *, axis=None, out=None):
    if type(a) is not _ndarray or type(indices) is not _ndarray or a.dtype not in _MOVED:
        return None
    index, row, size, direct = indices.dtype, 1, indices.size, context._direct
    if axis is not None:
        if type(axis) is not int or axis or not a.ndim or not a.size:
            return None
        row = a.size // a.shape[0]
        size *= row
    shape = indices.shape if axis is None else indices.shape + a.shape[1:]
    if out is not None and not _can_receive(out, shape, a.dtype, a, indices):
        return None
    if size <= _FEW_TAKEN and context._leaves_few and index in _TAKEN and indices.ndim:
        try:
            return a.take(indices, axis, out)
        except IndexError:  # which the method tells of
            return None
    if (direct is None or index not in _OFFSETS or not size or not indices.ndim or not _is_read_as_it_lies(a) or
            not is_direct(indices)):
        return None
    result = _empty(shape, a.dtype) if out is None else out
    status = lib.gp_gather(direct, a.itemsize, a.size // row, _from_buffer(a), CODES[index], indices.size,
                           _from_buffer(indices), _from_buffer(result), _moved_rows(row))
    if status:
        check(status)
    return result


def _plain_put(context, a, indices, values):
    if (type(a) is not _ndarray or type(indices) is not _ndarray or type(values) is not _ndarray or a.dtype not in _MOVED or
            indices.dtype not in _OFFSETS or values.dtype != a.dtype or indices.ndim != 1 or values.shape != indices.shape):
        return None
    flags, direct = a.flags, context._direct
    if (direct is None or a.ndim != 1 or not flags.c_contiguous or not flags.writeable or not flags.aligned or
            not _are_apart(a, indices) or not _are_apart(a, values)):
        return None
    if indices.size <= _FEW_PUT and context._leaves_few and indices.dtype in _TAKEN:
        try:
            a[indices] = values
        except IndexError:  # which the method tells of
            return None
        return a
    if not is_direct(indices) or not is_direct(values):
        return None
    status = lib.gp_scatter(direct, a.itemsize, indices.size, _from_buffer(values), CODES[indices.dtype], _from_buffer(indices),
                            a.size, _from_buffer(a), _moved_rows(1))
    if status:
        check(status)
    return a


def _plain_repeat(context, a, repeats):
    few = _FEW_REPEATED_ALIKE if type(repeats) is int else _FEW_REPEATED
    if (type(a) is not _ndarray or a.size > few or a.dtype not in _MOVED or not context._leaves_few or
            type(repeats) is not int and (type(repeats) is not _ndarray or repeats.dtype not in _TAKEN)):
        return None
    try:
        return a.repeat(repeats)
    except (MemoryError, OverflowError, ValueError):  # which the method tells of
        return None


def _plain_matrix_transpose(context, a, *, out=None):
    if type(a) is not _ndarray or a.ndim < 2 or a.dtype not in _MOVED:
        return None
    direct, size = context._direct, a.size
    few = size <= _FEW_TURNED and context._leaves_few
    if few and out is None:
        return (a.T if a.ndim == 2 else a.swapaxes(-1, -2)).copy()
    if not few and (direct is None or not size or not _is_read_as_it_lies(a)):
        return None
    *batch, rows, columns = a.shape
    result = _receiver(out, (*batch, columns, rows), a.dtype, a)
    if result is None:
        return None
    if few:
        result[...] = a.T if a.ndim == 2 else a.swapaxes(-1, -2)
        return result
    status = lib.gp_transpose_matrix(direct, a.itemsize, rows, columns, _from_buffer(a), columns, _from_buffer(result), rows,
                                     _of_rows("transpose_matrix", size // (rows * columns), False))
    if status:
        check(status)
    return result


def _plain_bincount(context, x, weights=None, minlength=0):
    if type(x) is not _ndarray:
        return None
    if weights is None:
        if x.dtype in _COUNTED:
            try:
                return _bincount(x, None, minlength)
            except (TypeError, ValueError, MemoryError):
                pass  # the errors are told by the method
        return None
    known, direct, n = _WHOLE.get(x.dtype), context._direct, x.size
    if (known is None or direct is None or type(weights) is not _ndarray or not x.ndim == weights.ndim == 1 or
            n != weights.size or not n or type(minlength) is not int or not 0 <= minlength <= _MOST_BINS):
        return None
    code, (own, unsigned, number, to_greatest) = _PLAIN_WEIGHTS.get(weights.dtype), known
    if code is None:
        return None
    if n <= _FEW_WEIGHTED and own != _UINT64:
        ascending = sorted(x.tolist())
        if ascending[0] < 0 or ascending[-1] >= _MOST_BINS:
            return None
        if not any(map(operator.eq, ascending, ascending[2:])):  # no sum has three weights, so NumPy rounds each once, too
            return _bincount(x, weights, minlength)
    try:
        elements, numbers = _from_buffer(x), _from_buffer(weights)
    except ValueError:  # they do not lie one after the other; the library refuses what is not aligned
        return None
    found = _new(number)
    if _gp_reduce(direct, unsigned, n, elements, found, to_greatest):
        return None
    size = max(found[0] + 1, minlength)
    if size > _MOST_BINS:  # or one is below 0
        return None
    sums = _empty(size, _FLOAT64)
    status = _gp_histogram_weighted(direct, own, n, elements, code, numbers, size, _from_buffer(sums), _SUMS_OF_WHOLE)
    return sums if status == 0 else None


PLAIN = {"sort": _plain_sort, "argsort": _plain_argsort, "scan": _plain_scan, "cumsum": _plain_cumsum, "reduce": _plain_reduce,
         "argmin": _plain_argmin, "argmax": _plain_argmax, "top_k": _plain_top_k, "searchsorted": _plain_search,
         "diff": _plain_diff, "unique": _plain_unique, "matmul": _plain_matmul, "bincount": _plain_bincount,
         "sort_pairs": _plain_sort_pairs, "merge": _plain_merge, "lexsort": _plain_lexsort, "run_lengths": _plain_run_lengths,
         "reduce_by_key": _plain_reduce_by_key, "select": _plain_select, "partition": _plain_partition, "nonzero": _plain_nonzero,
         "take": _plain_take, "put": _plain_put, "repeat": _plain_repeat, "matrix_transpose": _plain_matrix_transpose}


def _helpful(method):
    """The method with errors as explained() has them."""
    @functools.wraps(method)
    def call(*arguments, **options):
        try:
            return method(*arguments, **options)
        except TypeError as error:
            raise explained(error, method, options)

    return call


def _shortened(method, plain):
    """The same, with a short way for calls whose options that way knows."""
    known = set(inspect.signature(plain).parameters) - {"context"}

    @functools.wraps(method)
    def call(*arguments, **options):
        if not options or options.keys() <= known:
            try:
                result = plain(*arguments, **options)
            except TypeError:  # too many arguments, for one; the method tells
                result = None
            if result is not None:
                return result
        try:
            return method(*arguments, **options)
        except TypeError as error:
            raise explained(error, method, options)

    return call


for _name, _method in list(vars(Operations).items()):
    if not _name.startswith("_"):
        setattr(Operations, _name, _shortened(_method, PLAIN[_name]) if _name in PLAIN else _helpful(_method))


def _as_float64(weights: np.ndarray) -> np.ndarray:
    """Weights of another type as NumPy takes them."""
    try:
        return weights.astype(np.float64, casting="safe")
    except TypeError as error:
        raise _refused(error) from None


def _as_int64(x: np.ndarray) -> np.ndarray:
    if x.size and int(x.max()) > np.iinfo(np.int64).max:
        raise wrong(f"x has {x.max()}; so many counts are more than any memory holds", lib.GP_ERROR_TOO_LARGE)
    return x.view(np.int64)


def _check_range(range) -> None:
    """That this names two ends, as the range of one array does."""
    try:
        _, _ = range
    except (TypeError, ValueError):
        raise wrong(f"range is {range!r}, expected (lower, upper)", lib.GP_ERROR_DTYPE) from None


def _bins(a, bins, range) -> tuple:
    """The edges as NumPy has them, the library's options, and what must live as long as those."""
    if bins is None:
        if a.dtype.kind not in "iu" or a.dtype.itemsize > 1 or range is not None:
            raise wrong("bins is None, which is for integers of 8 bits, without a range; give a number of bins or edges")
        least = np.iinfo(a.dtype).min
        return np.arange(least, least + 257), {"lower": float(least), "upper": float(least)}, None
    if range is not None:
        _check_range(range)
    try:
        if isinstance(a, DeviceArray):
            if range is None and np.ndim(bins) == 0:
                raise wrong("device arrays need a range, or edges")
            edges = np.histogram_bin_edges(np.empty(0, a.dtype), bins, range)
        else:
            edges = np.histogram_bin_edges(a, bins, range)
    except (TypeError, ValueError) as error:
        raise _refused(error) from None
    if edges.size < 2:
        raise wrong(f"bins has {edges.size} edges, expected 2 or more")
    even = _even(edges, a.dtype) if np.ndim(bins) == 0 else None
    if even is not None:
        return edges, even, None
    return edges, *_taken(edges, a.dtype)


def _taken(edges: np.ndarray, dtype: np.dtype) -> tuple:
    """The library's options for edges of elements of this type, and what must live as long as those."""
    own = dtype.kind in "iu" and edges.dtype.kind in "iu" and bool(
        (edges >= np.iinfo(dtype).min).all() and (edges <= np.iinfo(dtype).max).all())
    taken = np.ascontiguousarray(edges, dtype) if own else _in_float64(edges)
    return {"edges": pointer(taken), "edges_dtype": code_of(taken.dtype)}, taken


# The library's options for edges of x and of y.
_OF_PAIRS = {"lower": ("lower_x", "lower_y"), "upper": ("upper_x", "upper_y"), "edges": ("edges_x", "edges_y"),
             "edges_dtype": ("edges_dtype_x", "edges_dtype_y")}


def _spaced(a: np.ndarray, bins, range) -> np.ndarray | None:
    """The edges that numpy.histogram2d has for a number of bins; None where it is not easily told."""
    if type(bins) is not int or bins < 1 or not a.size:
        return None
    least, greatest = (_least(a, None), _greatest(a, None)) if range is None else range
    if range is not None and not (type(least) in _NUMBERS and type(greatest) in _NUMBERS):
        return None
    if not (math.isfinite(least) and math.isfinite(greatest) and least < greatest):
        return None
    return np.linspace(least, greatest, bins + 1)


def _edges_of_pairs(x, y, bins, range) -> tuple:
    """The edges of x and of y as numpy.histogram2d has them, which asks for no more than the least and greatest elements."""
    def ends(a):
        if isinstance(a, DeviceArray) or not a.size:
            return np.zeros(0, a.dtype)
        return np.array([a.min(), a.max()], a.dtype)
    of_each = bins if isinstance(bins, (tuple, list)) and len(bins) == 2 else (bins, bins)
    if any(isinstance(each, str) for each in of_each):
        raise wrong(f"bins is {bins!r}; histogram2d takes numbers of bins and edges", lib.GP_ERROR_DTYPE)
    ranges = (None, None) if range is None else range
    try:
        _, _ = ranges
    except (TypeError, ValueError):
        raise wrong(f"range is {range!r}, expected ((lower, upper), (lower, upper))", lib.GP_ERROR_DTYPE) from None
    for each in ranges:
        if each is not None:
            _check_range(each)
    try:
        if isinstance(x, DeviceArray):
            of_each = bins if np.ndim(bins) != 0 and len(bins) == 2 else (bins, bins)
            if any(np.ndim(each) == 0 and its_range is None for each, its_range in zip(of_each, ranges)):
                raise wrong("device arrays need a range, or edges")
        else:
            edges = [_spaced(*each) for each in zip((x, y), of_each, ranges)]
            if all(each is not None for each in edges):
                return tuple(edges)
        return np.histogram2d(ends(x), ends(y), bins, range)[1:]
    except (TypeError, ValueError) as error:
        raise _refused(error) from None


# What most calls are takes a shorter way here, too: a number of bins of float32, float64 or
# integers, or edges of float64.
_COUNT = np.dtype(np.int64)
_COUNTS = ffi.typeof("uint64_t[]")
_HISTOGRAM = _ENTRIES["histogram"]
_FLOAT64, _FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)
_WEIGHTS = (_FLOAT64, _FLOAT32)
_PLAIN_WEIGHTS = {each: CODES[each] for each in _WEIGHTS}
_MOST_BINS = 1 << 24
_FEW_BINS = 1 << 14  # whose numbers are kept
_UINT64 = CODES[np.dtype(np.uint64)]


def _to_greatest(size: int) -> tuple:
    """Of whole numbers of so many bytes: (code of the unsigned type, type of the greatest one, options that find that)."""
    found = np.dtype(f"u{max(size, 4)}")
    given = {} if size >= 4 else {"accumulator": CODES[found]}
    return (CODES[np.dtype(f"u{size}")], ffi.typeof(f"uint{8 * found.itemsize}_t *"),
            _options(_ENTRIES["reduce"], {"op": lib.GP_MAXIMUM, **given}, _NULL)[0])


# (code, those of its unsigned type), which puts numbers below 0 above all others.
_WHOLE = {np.dtype(f"{kind}{size}"): (CODES[np.dtype(f"{kind}{size}")], *_to_greatest(size))
          for kind in "iu" for size in (1, 2, 4, 8)}
_SUMS_OF_WHOLE = ffi.new("gp_histogram_weighted_options *",
                         {"struct_size": ffi.sizeof("gp_histogram_weighted_options"), "sums_dtype": CODES[_FLOAT64]})
_NUMBERS = (int, float)
_COUNTED = {dtype for dtype in CODES if dtype.kind in "iu" and dtype != np.uint64}
_bincount = getattr(np.bincount, "__wrapped__", np.bincount)  # without NumPy's look for other classes of arrays
_least, _greatest = np.minimum.reduce, np.maximum.reduce
_EVEN = {dtype for dtype in CODES if dtype != np.float16}
_SPACED_IN_FLOAT64 = (np.array(1, np.float32) * 1.0).dtype == _FLOAT64  # how numpy.linspace computes: before NumPy 2


# The whole numbers that elements of a type hold without a gap, of those that NumPy's arrays of int64 hold.
_HELD = {dtype: (max(np.iinfo(dtype).min, -2**63), min(np.iinfo(dtype).max, 2**63 - 1)) for dtype in CODES if dtype.kind in "iu"}
_HELD[_FLOAT64] = -2**53, 2**53


@functools.lru_cache(maxsize=16)
def _from_zero(n: int, dtype: type = np.float64) -> np.ndarray:
    return np.arange(n, dtype=dtype)


def _plain_bins(a: np.ndarray, bins, range) -> tuple:
    """The edges and the options of such a call, which the library may yet refuse, and what must live as long; else three
    times None."""
    if type(bins) is int:
        if not 0 < bins <= _FEW_BINS or not a.size or a.dtype not in _EVEN:
            return None, None, None
        if range is None:
            edges, structure = _even_bins(bins, _least(a, None), _greatest(a, None), a.dtype == _FLOAT32)
            return edges, structure, edges
        if type(range) is tuple and len(range) == 2 and type(range[0]) in _NUMBERS and type(range[1]) in _NUMBERS:
            edges, structure = _even_bins_again(bins, *range, a.dtype == _FLOAT32)
            return edges if edges is None else edges.copy(), structure, edges  # the caller may change them
    elif type(bins) is _ndarray and bins.dtype == _FLOAT64 and bins.ndim == 1 and bins.size > 1 and bins.flags.c_contiguous:
        return bins, _by_edges(bins), bins
    elif type(bins) is list and len(bins) > 1 and all(type(each) is int for each in bins) and bins == sorted(bins):
        own = a.dtype if a.dtype.kind in "iu" else _FLOAT64
        least, greatest = _HELD[own]
        if least <= bins[0] and bins[-1] <= greatest:
            taken = np.array(bins, own)
            return np.array(bins), _by_edges(taken), taken
    return None, None, None


def _bins_of_host(a: np.ndarray, bins, range) -> tuple:
    """As _bins(), sooner for a number of bins."""
    edges, structure, keep = _plain_bins(a, bins, range) if type(bins) is int else (None, None, None)
    if edges is None:
        return _bins(a, bins, range)
    if structure.edges:
        return edges, {"edges": structure.edges, "edges_dtype": structure.edges_dtype}, (structure, keep)
    return edges, {"lower": structure.lower, "upper": structure.upper}, None


def _by_edges(edges: np.ndarray):
    """The options for edges, which must live as long."""
    structure = ffi.new(_HISTOGRAM.structure)
    structure.struct_size = _HISTOGRAM.size
    structure.edges, structure.edges_dtype = _from_buffer(edges), CODES[edges.dtype]
    return structure


def _even_bins(bins: int, least, greatest, is_single: bool) -> tuple:
    """The edges that NumPy computes for bins of equal width, of float32 or float64, and the options for them; two times None
    where they are not easily told."""
    lower, upper = float(least), float(greatest)
    if lower == upper:
        least, greatest, lower, upper = least - 0.5, greatest + 0.5, lower - 0.5, upper + 0.5
    step = (upper - lower) / bins
    # Neither NaN nor infinite, and no two edges so near that rounding makes them one.
    most = step * (1e5 if is_single else 1e13)
    if not (-most < lower <= upper < most and step < (1e30 if is_single else 1e300)):
        return None, None
    if is_single and type(least) is np.float32 and not _SPACED_IN_FLOAT64:
        edges = _from_zero(bins + 1, np.float32) * ((greatest - least) / bins)  # all in float32
        edges += least
        edges[bins] = greatest
        return edges, _by_edges(edges)
    if bins <= 16:  # few numbers are sooner computed by Python
        edges = np.array([k * step + lower for k in range(bins + 1)])
    else:
        edges = _from_zero(bins + 1) * step
        edges += lower
    edges[bins] = upper
    if is_single:
        edges = edges.astype(np.float32)
        if edges.item(0) != lower or edges.item(bins) != upper:
            return edges, _by_edges(edges)
    structure = ffi.new(_HISTOGRAM.structure)
    structure.struct_size, structure.lower, structure.upper = _HISTOGRAM.size, lower, upper
    return edges, structure


_even_bins_again = functools.lru_cache(maxsize=64)(_even_bins)  # for a range that is given again and again


def _even(edges: np.ndarray, dtype: np.dtype) -> dict | None:
    """The options for these edges as even bins, which are counted without a search; None where the library's would differ
    in a bit from NumPy's."""
    lower, upper, bins = float(edges[0]), float(edges[-1]), edges.size - 1
    if not (math.isfinite(lower) and math.isfinite(upper) and lower < upper):
        return None
    own = (_from_zero(bins + 1) if bins <= _FEW_BINS else np.arange(bins + 1)) * ((upper - lower) / bins) + lower
    own[-1] = upper
    if dtype in (np.float16, np.float32):
        own = own.astype(dtype)
    return {"lower": lower, "upper": upper} if np.array_equal(own, edges) else None


def _in_float64(edges: np.ndarray) -> np.ndarray:
    """Edges between which the same float64 numbers lie: a longdouble that float64 lacks moves up to the next number it has,
    the last one, which belongs to its bin, down."""
    with np.errstate(over="ignore"):
        near = edges.astype(np.float64)
    moved = np.where(near < edges, np.nextafter(near, np.inf), near)
    moved[-1] = np.nextafter(near[-1], -np.inf) if near[-1] > edges[-1] else near[-1]
    return moved


# ---- operands of matmul: (what to keep alive, pointer arguments, transposed, leading dimension,
# stride of the batch)

def _matrix(x: np.ndarray, dtype: np.dtype, transposed: bool, batch: tuple, count: int):
    x = x if x.dtype == dtype else x.astype(dtype)
    if x.ndim == 2 and is_direct(x):  # the common case, soon done
        return x, (pointer(x),), transposed, max(x.shape[-1], 1), 0
    if x.shape[:-2] != batch:
        if x.size == x.shape[-2] * x.shape[-1]:
            x = x.reshape(x.shape[-2:])  # one matrix for the whole batch
        else:
            x = np.broadcast_to(x, (*batch, *x.shape[-2:]))
    if x.ndim > 3:
        x = x.reshape(count, *x.shape[-2:])
    layout = _leading(x)
    if layout is None:
        x = contiguous(np.ascontiguousarray(x))
        layout = _leading(x)
    turned, ld, stride = layout
    return x, (pointer(x),), transposed != turned, ld, stride


def _leading(x: np.ndarray):
    """(transposed, leading dimension, stride of the batch) of a host array of 2 or 3 dimensions, or None where it has to be
    copied."""
    if x.size == 0:
        return False, max(x.shape[-1], 1), 0  # the strides of empty arrays mean nothing
    size = x.itemsize
    if not x.flags.aligned or any(s % size for s in x.strides):
        return None
    rows_, columns = x.shape[-2:]
    down, right = (s // size for s in x.strides[-2:])
    stride = x.strides[0] // size if x.ndim == 3 and x.shape[0] > 1 else 0
    if stride < 0:
        return None
    if columns == 1 or right == 1:
        if rows_ == 1:
            return False, columns, stride
        if down >= columns:
            return False, down, stride
    if (rows_ == 1 or down == 1) and right >= rows_:
        return True, right, stride
    return None


def _place(context, out, shape: tuple, full: tuple, dtype: np.dtype, computed: np.dtype, reads: bool):
    """Where the product goes: (result, what turns it into the caller's, pointer, transposed, leading dimension, stride)."""
    if out is not None:
        if dtype == computed and out.size and len(full) == len(shape) <= 3:
            layout = _leading(out)
            if layout is not None:
                return out, lambda result: result, (pointer(out),), *layout
    result = np.empty(shape, computed)
    if reads:
        np.copyto(result, out)

    def finish(result):
        if out is None:
            result = result.astype(dtype, copy=False)
            return result if shape else result[()]
        np.copyto(out, result, casting="unsafe")
        return out

    return result, finish, (pointer(result),), False, max(full[-1], 1), full[-2] * full[-1]


def _device_matrix(x: DeviceArray, dtype: np.dtype, transposed: bool, batch: tuple, count: int):
    one = x.shape[-2] * x.shape[-1]
    if x.shape[:-2] != batch and x.size != one:
        raise wrong(f"the batch {x.shape[:-2]} of a device array must be {batch}, or a single matrix")
    stride = one if x.shape[:-2] == batch else 0
    return x, (x.buffer.pointer, x.offset), transposed, max(x.shape[-1], 1), stride


def _device_place(context, out, shape: tuple, full: tuple, dtype: np.dtype, computed: np.dtype, reads: bool):
    result = context.empty(shape, dtype) if out is None else check_device_out(out, shape, dtype)
    return (result, lambda same: same, (result.buffer.pointer, result.offset), False, max(full[-1], 1),
            full[-2] * full[-1])


def _bias(context, bias, on_device: bool, dtype: np.dtype, full: tuple, lost: tuple, count: int) -> tuple[Any, dict]:
    """The bias as the library takes it, and the options that say so. lost: the axes of `full` that the result does not have."""
    if not isinstance(bias, DeviceArray):
        bias = to_numpy(bias)
        if not np.can_cast(bias.dtype, dtype, "same_kind"):
            raise wrong(f"bias is {bias.dtype}, expected {dtype}", lib.GP_ERROR_DTYPE)
        bias = np.ascontiguousarray(bias, dtype).reshape(bias.shape)
    elif not on_device:
        raise wrong("bias is a device array, and the matrices are not", lib.GP_ERROR_DTYPE)
    elif bias.dtype != dtype:
        raise wrong(f"device arrays are not converted: bias is {bias.dtype}, expected {dtype}", lib.GP_ERROR_DTYPE)
    given, shape = bias.shape, list(bias.shape)
    for axis in sorted(lost):
        if len(shape) >= -axis - 1 and shape:
            shape.insert(len(shape) + 1 + axis, 1)
    shape = [1] * (len(full) - len(shape)) + shape
    *batch, rows_, columns = shape
    fits = len(shape) == len(full) and all(size in (1, whole) for size, whole in zip(shape, full))
    if not fits or rows_ != 1 and columns != 1:
        raise wrong(f"bias has shape {given}; expected a number for each column, {full[-1:]}, or for each row, "
                    f"{(full[-2], 1)}, of all {full}")
    by_row = rows_ != 1
    length = full[-2] if by_row else full[-1]
    shared = all(size == 1 for size in batch)
    if isinstance(bias, DeviceArray) and (rows_ * columns != length or not shared and tuple(batch) != full[:-2]):
        raise wrong(f"bias has shape {given}: one on the device is not repeated, for {full}")
    if not isinstance(bias, DeviceArray):
        whole = (length,) if shared else (*full[:-2], length)
        each = bias.reshape(rows_ * columns) if shared else bias.reshape(*batch, rows_ * columns)
        bias = np.ascontiguousarray(np.broadcast_to(each, whole))
        if on_device:
            bias = context.array(bias)
    options = {"bias_by": by_row, "stride_bias": 0 if shared or count == 1 else length}
    if on_device:
        return bias, {**options, "bias_buffer": bias.buffer.pointer, "bias_offset": bias.offset}
    return bias, {**options, "bias": pointer(bias)}
