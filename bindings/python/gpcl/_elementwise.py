"""Arithmetic and comparisons of device arrays, element by element.

On OpenCL devices a kernel does the work, which is built once for each operation and types; on the
device "host" NumPy does, on the memory as it lies.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import contextlib
import functools
import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._enums import Status
from ._errors import GpError, check, wrong
from ._expressions import FLOAT_HELPERS, HELPED, INTEGER_HELPERS, OPERATIONS
from ._handles import Handle, made
from ._native import ffi, lib
from ._types import NDArray, Values

if TYPE_CHECKING:
    from ._context import Context
    from ._device_array import DeviceArray


_Binary = Callable[[Any, Values], "DeviceArray"]


class _Kernel(Handle):
    """A kernel that its context keeps."""

    __slots__ = ()
    _free = lib.gp_kernel_free


_NAMES = {
    np.dtype(name): c
    for name, c in (("i1", "char"), ("i2", "short"), ("i4", "int"), ("i8", "long"), ("u1", "uchar"),
                    ("u2", "ushort"), ("u4", "uint"), ("u8", "ulong"), ("f2", "half"),
                    ("f4", "float"), ("f8", "double"), ("?", "uchar"))
}
_BOOL = np.dtype(np.bool_)
_HALF, _SINGLE, _DOUBLE = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)


class Operand(NamedTuple):
    """A device array as it is read, or written: the elements from one to the next, along each axis
    of the result, from the one at `offset` of the array on."""

    array: DeviceArray
    strides: tuple[int, ...]
    offset: int = 0


def _blocks(shape: tuple, strides: tuple) -> list[tuple[int, int, int]]:
    """The sum of i // inner % count * stride over these (inner, count, stride) is where element i
    of a result of this shape is read."""
    blocks: list[tuple[int, int, int]] = []
    inner = 1
    for n, stride in zip(reversed(shape), reversed(strides)):
        if stride and n > 1:
            last = blocks[-1] if blocks else (0, 0, 0)
            if last[0] * last[1] == inner and last[1] * last[2] == stride:
                blocks[-1] = (last[0], last[1] * n, last[2])
            else:
                blocks.append((inner, n, stride))
        inner *= n
    return blocks


def contiguous_strides(shape: tuple) -> tuple[int, ...]:
    """The strides of a C-contiguous array."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def fits(shape: tuple, into: tuple) -> bool:
    """Can an array of one shape be broadcast to the other?"""
    try:
        return np.broadcast_shapes(shape, into) == into
    except ValueError:
        return False


def broadcast(a: DeviceArray, shape: tuple) -> Operand:
    """The array as one of a shape that it can be broadcast to."""
    strides = tuple(0 if n == 1 else stride
                    for n, stride in zip(a.shape, contiguous_strides(a.shape)))
    return Operand(a, (0,) * (len(shape) - len(strides)) + strides)


def _place(name: str, dtype: np.dtype, blocks: int, parameters: list[str]) -> str:
    """Where element i of an array lies; adds what that needs to the kernel's parameters."""
    const = "" if name == "r" else "const "
    parameters.append(f"global {const}{_NAMES[dtype]} *{name}s, ulong {name}0")
    at = f"{name}0 + i" if blocks < 0 else f"{name}0"
    for k in range(max(blocks, 0)):
        parameters.append(f"ulong {name}i{k}, ulong {name}n{k}, ulong {name}t{k}")
        at += f" + i / {name}i{k} % {name}n{k} * {name}t{k}"
    return at


@functools.lru_cache(maxsize=1024)
def _source(name: str, computed: np.dtype, result: tuple, operands: tuple) -> str:
    """The kernel's text. Of the result and each operand: the type of an array and how many blocks
    it is read in, -1 where in its own order; None for a number."""
    operation = OPERATIONS[name]
    is_float = computed.kind == "f"
    lines = []
    if _DOUBLE in (computed, result[0], *(each[0] for each in operands if each)):
        lines.append("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
    lines.append(f"typedef {'float' if computed == _HALF else _NAMES[computed]} T;")
    if not is_float:
        lines.append(f"typedef {'ulong' if computed.itemsize == 8 else 'uint'} U;")
    expression = operation.floats if is_float else operation.integers
    if expression.startswith(HELPED):
        lines.append(FLOAT_HELPERS if is_float else INTEGER_HELPERS)
    parameters, values = [], []
    for operand, each in zip("xyz", operands):
        if each is None:
            parameters.append(f"T {operand}")
            continue
        at = _place(operand, *each, parameters)
        read = f"vload_half({at}, {operand}s)" if each[0] == _HALF else f"{operand}s[{at}]"
        values.append(f"    T {operand} = (T){read};")
    at = _place("r", *result, parameters)
    parameters.append("ulong n")
    # Integers wrap in U, and become T before they become the result's type.
    value = f"({expression})" if is_float else f"(T)({expression})"
    if result[0] == _HALF:
        store = f"vstore_half({value if is_float else '(float)' + value}, {at}, rs)"
    elif result[0] == _BOOL:
        store = f"rs[{at}] = {value} != 0"
    else:
        store = f"rs[{at}] = ({_NAMES[result[0]]}){value}"
    return "\n".join([*lines, f"kernel void each({', '.join(parameters)}) {{",
                      "    ulong i = get_global_id(0);", "    if (i >= n) return;", *values,
                      f"    {store};", "}"])


def _built(context: Context, source: str) -> _Kernel:
    """The kernel of this text, built when it is first needed."""
    kernel = context._kernels.get(source)
    if kernel is None:
        for option in (b"-cl-fp32-correctly-rounded-divide-sqrt", ffi.NULL):
            try:
                kernel = _Kernel(made(lib.gp_kernel_build, context.pointer, source.encode(), option,
                                      b"each"))
                break
            except GpError as error:
                if error.status != Status.ERROR_BUILD or option == ffi.NULL:
                    raise  # not every device takes the option
        context._kernels[source] = kernel
    return kernel


_GROUP = 256  # sizes of launches are multiples, since OpenCL may cut others into groups of one


def _ulong(n: int) -> bytes:
    return (n % 2**64).to_bytes(8, sys.byteorder)  # strides below 0 wrap, as sums with them do


def _launch(context: Context, name: str, computed: np.dtype, operands: list, shape: tuple,
            out: Operand) -> None:
    """Runs an operation on arrays and numbers."""
    kinds: list[tuple[np.dtype, int] | None] = []
    arguments: list[Any] = []  # device buffers, and bytes of values
    size = math.prod(shape)
    for each in (*operands, out):
        if not isinstance(each, Operand):
            kinds.append(None)
            read = _SINGLE if computed == _HALF else computed
            arguments.append(np.asarray(each, read).tobytes())
            continue
        blocks = _blocks(shape, each.strides)
        direct = blocks == [(1, size, 1)]
        kinds.append((each.array.dtype, -1 if direct else len(blocks)))
        arguments.append(each.array.buffer.pointer)
        arguments.append(_ulong(each.array.offset + each.offset))
        arguments += [] if direct else [_ulong(n) for block in blocks for n in block]
    arguments.append(_ulong(size))
    _start(context, _source(name, computed, kinds[-1], tuple(kinds[:-1])), arguments, size)


def _start(context: Context, source: str, arguments: list[Any], size: int) -> None:
    """Launches the kernel of a text for so many elements, with device buffers and bytes of values."""
    kernel = _built(context, source)
    given, keep = ffi.new("gp_argument[]", len(arguments)), []
    for slot, value in zip((given[k] for k in range(len(arguments))), arguments):
        if isinstance(value, bytes):
            keep.append(ffi.new("char[]", value))
            slot.value, slot.bytes = keep[-1], len(value)
        else:
            slot.buffer = value
    event = context._event_slot()
    check(lib.gp_enqueue_kernel(kernel.pointer, 1, [-(-size // _GROUP) * _GROUP], ffi.NULL,
                                len(arguments), given, 0, ffi.NULL, event))
    del keep
    context._event_made(event)


def _by_numpy(_: Context, name: str, computed: np.dtype, operands: list, shape: tuple,
              out: Operand) -> None:
    """The same on the memory of "host"."""
    with contextlib.ExitStack() as stack, np.errstate(all="ignore"):
        def view(of: Operand, access: Any) -> NDArray[Any]:
            a = stack.enter_context(of.array.map(access)).reshape(-1)[of.offset:]
            return np.lib.stride_tricks.as_strided(a, shape, [n * a.itemsize for n in of.strides])

        values = [np.asarray(view(each, "r") if isinstance(each, Operand) else each, computed)
                  for each in operands]
        result = values[0] if name == "positive" else OPERATIONS[name].function(*values)
        np.copyto(view(out, "rw"), result, casting="unsafe")


_WORDS = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}


def take(a: DeviceArray, indices: DeviceArray) -> DeviceArray:
    """The elements of an array of one dimension at these indices; 0 for those that it lacks."""
    context = a.context
    if indices.context is not context:
        raise wrong("the device arrays belong to different contexts", lib.GP_ERROR_WRONG_CONTEXT)
    result = context.empty(indices.shape, a.dtype)
    if not result.size:
        return result
    if context.is_host:
        with a.map("r") as source, indices.map("r") as at, result.map("rw") as to:
            is_there = (at >= 0) & (at < a.size)
            np.copyto(to, np.where(is_there, np.take(source, np.where(is_there, at, 0)), 0) if a.size else 0, casting="unsafe")
        return result
    element = _WORDS[a.dtype.itemsize]
    source = (f"kernel void each(global const {element} *xs, ulong x0, global const {_NAMES[indices.dtype]} *ks, ulong k0, "
              f"global {element} *rs, ulong r0, ulong n, ulong most) {{\n    ulong i = get_global_id(0);\n"
              "    if (i >= n) return;\n    ulong at = (ulong)ks[k0 + i];\n    rs[r0 + i] = at < most ? xs[x0 + at] : 0;\n}")
    operands = (each for array in (a, indices, result) for each in (array.buffer.pointer, _ulong(array.offset)))
    _start(context, source, [*operands, _ulong(indices.size), _ulong(a.size)], indices.size)
    return result


def _types(name: str, dtypes: list) -> tuple[np.dtype, np.dtype]:
    """The types in which an operation on these types, and Python's or NumPy's numbers, is computed,
    and of its result: NumPy's."""
    ufunc = OPERATIONS[name].function
    samples = [np.empty(0, each) if isinstance(each, np.dtype) else each for each in dtypes]
    try:
        result = computed = ufunc(*samples).dtype
        if result == _BOOL:
            computed = _compared(samples)
    except OverflowError as error:  # from NumPy 2 on: a number that the array's type lacks
        raise wrong(str(error)) from None
    except TypeError:
        result = computed = np.dtype(object)
    operation = OPERATIONS[name]
    if computed not in _NAMES or not (operation.floats
                                      if computed.kind == "f" else operation.integers):
        kinds = " and ".join(str(getattr(each, "dtype", type(each).__name__)) for each in samples)
        raise wrong(f"device arrays have no {ufunc.__name__} of {kinds}; NumPy may, on what "
                    "numpy() gives", lib.GP_ERROR_DTYPE)
    return computed, result


def _compared(samples: list) -> np.dtype:
    """The type in which elements, or numbers, are compared."""
    try:
        computed = np.result_type(*samples)
    except OverflowError:
        computed = np.result_type(*map(np.asarray, samples))
    if computed.kind == "f" and all(np.asarray(each).dtype.kind in "biu" for each in samples):
        raise wrong("int64 and uint64 have no type in common to be compared in; astype makes one "
                    "of the other", lib.GP_ERROR_DTYPE)
    return computed


def run(context: Context, name: str, computed: np.dtype, operands: list, shape: tuple,
        out: Operand) -> None:
    """Computes a result of this shape from arrays and numbers; which types, the caller decides."""
    arrays = [each.array for each in (*operands, out) if isinstance(each, Operand)]
    if _DOUBLE in (computed, *(each.dtype for each in arrays)):
        if not context._device.has_float64:
            raise wrong(f"{context._device.name} can't compute float64; astype(np.float32) makes "
                        "arrays that it can", lib.GP_ERROR_UNSUPPORTED_TYPE)
    if math.prod(shape):
        (_by_numpy if context.is_host else _launch)(context, name, computed, operands, shape, out)


def apply(name: str, *values: Any, out: DeviceArray | None = None) -> DeviceArray:
    """An operation on device arrays, arrays of the host, which are copied to the device, and
    numbers; one at least is a device array. With `out`, into that."""
    context = next((each.context for each in values if isinstance(each, Elementwise)), None)
    if context is None:
        given = ", ".join(type(each).__name__ for each in values)
        raise wrong(f"{name} takes device arrays, one at least; got {given}", lib.GP_ERROR_DTYPE)
    operands: list[Any] = []
    for each in values:
        if isinstance(each, (bool, int, float, np.generic)):
            operands.append(each)
        else:
            operands.append(each if isinstance(each, Elementwise) else context.array(each))
            if operands[-1].context is not context:
                raise wrong("the device arrays belong to different contexts",
                            lib.GP_ERROR_WRONG_CONTEXT)
    if name == "bitwise_invert" and operands[0].dtype == _BOOL:
        name = "logical_not"
    if name == "pow" and type(operands[1]) in (int, float) and operands[1] == 2:
        x, y = operands
        if isinstance(y, int) or x.dtype.kind == "f":  # as NumPy, which squares
            name, operands = "multiply", [x, x]
    computed, dtype = _types(name, [each.dtype if isinstance(each, Elementwise) else each
                                    for each in operands])
    if name == "pow" and computed.kind == "i":
        _check_exponent(operands[1])
    arrays = [each for each in operands if isinstance(each, Elementwise)]
    try:
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
    except ValueError:
        shapes = " and ".join(str(each.shape) for each in arrays)
        raise wrong(f"the shapes {shapes} do not fit together") from None
    if out is None:
        out = context.empty(shape, dtype)
    else:
        if shape != out.shape:
            raise wrong(f"the result has the shape {shape}, which does not fit into {out.shape}")
        if not np.can_cast(dtype, out.dtype, "same_kind"):
            raise wrong(f"the result is {dtype}, which does not become {out.dtype} in place",
                        lib.GP_ERROR_DTYPE)
        for k, each in enumerate(operands):
            if isinstance(each, Elementwise) and each is not out and each.overlaps(out):
                operands[k] = each.copy()
    operands = [broadcast(each, shape) if isinstance(each, Elementwise) else each
                for each in operands]
    run(context, name, computed, operands, shape, broadcast(out, shape))
    return out


def _check_exponent(exponent: Any) -> None:
    if isinstance(exponent, Elementwise):
        if exponent.dtype.kind != "i":
            return
        raise wrong("integers to the power of a device array that may hold negative integers have "
                    "no integer type; astype makes the exponents unsigned, or either one float",
                    lib.GP_ERROR_DTYPE)
    if exponent < 0:
        raise wrong("integers to negative integer powers are no integers; astype makes them float")


def where(condition: DeviceArray, x: Values, y: Values) -> DeviceArray:
    """The elements of x where the condition's are not 0, else those of y."""
    is_truth = condition.dtype == _BOOL
    return apply("where", condition if is_truth else apply("not_equal", condition, 0), x, y)


def converted(a: DeviceArray, dtype: np.dtype) -> DeviceArray:
    """A copy with elements of another type."""
    result = a.context.empty(a.shape, dtype)
    run(a.context, "positive", a.dtype, [broadcast(a, a.shape)], a.shape,
        broadcast(result, a.shape))
    return result


def _binary(name: str, symbol: str) -> tuple[_Binary, _Binary, _Binary]:
    """The operator with the array on the left, on the right, and in place."""
    def forward(self, other: Values) -> DeviceArray:
        return apply(name, self, other)

    def reflected(self, other: Values) -> DeviceArray:
        return apply(name, other, self)

    def in_place(self, other: Values) -> DeviceArray:
        return apply(name, self, other, out=self)

    for each in (forward, reflected, in_place):
        each.__doc__ = f"As NumPy's {symbol}, element by element."
    return forward, reflected, in_place


def _unary(name: str) -> Callable[[Any], DeviceArray]:
    def call(self) -> DeviceArray:
        return apply(name, self)

    return call


_UFUNCS = {each.function: name for name, each in OPERATIONS.items()
           if isinstance(each.function, np.ufunc)}


class Elementwise:
    """The operators of device arrays, as NumPy's: types, wrapping, broadcasting.

    The other operand is a number, a device array, or an array of the host, which is copied.
    Refused are comparisons of int64 with uint64, and integers to the power of arrays of signed
    ones. `+=` and the like change the array itself.
    Floats are divided and rounded as IEEE 754 says where the device can; powers of float32 and
    float64 may differ from NumPy's in the last bits, and subnormal numbers may count as 0. On the
    device "host" NumPy does the work at once, and Context.record has no event of it.

    >>> d = gpcl.default_context().array(np.array([3, -1, 2], np.int32))
    >>> (2 * d + 1).tolist()
    [7, -1, 5]
    >>> (d < [1, 2, 3]).tolist()
    [False, True, True]
    >>> d //= 2
    >>> d.tolist()
    [1, -1, 1]
    """

    __slots__ = ()

    def __array_ufunc__(self, function: Any, method: str, *arrays: Any,
                        out: tuple[Any, ...] = (None,), **options: Any) -> DeviceArray:
        """numpy.sqrt(d), numpy.maximum(d, 0) and the like, and operators behind a host array."""
        target = out[0]
        if method == "__call__" and not options and len(out) == 1 and isinstance(
                target, (Elementwise, type(None))):
            if function is np.matmul:
                context = next(each for each in arrays if isinstance(each, Elementwise)).context
                return context.matmul(*arrays, target)
            if function in _UFUNCS:
                return apply(_UFUNCS[function], *arrays, out=target)
        raise wrong(f"numpy.{function.__name__} does not take device arrays this way; call it with "
                    "what numpy() gives, which is a copy on the host", lib.GP_ERROR_DTYPE)

    __hash__ = None  # type: ignore[assignment]  # as NumPy's

    __add__, __radd__, __iadd__ = _binary("add", "+")
    __sub__, __rsub__, __isub__ = _binary("subtract", "-")
    __mul__, __rmul__, __imul__ = _binary("multiply", "*")
    __truediv__, __rtruediv__, __itruediv__ = _binary("divide", "/")
    __floordiv__, __rfloordiv__, __ifloordiv__ = _binary("floor_divide", "//")
    __mod__, __rmod__, __imod__ = _binary("remainder", "%")
    __pow__, __rpow__, __ipow__ = _binary("pow", "**")
    __and__, __rand__, __iand__ = _binary("bitwise_and", "&")
    __or__, __ror__, __ior__ = _binary("bitwise_or", "|")
    __xor__, __rxor__, __ixor__ = _binary("bitwise_xor", "^")
    __lshift__, __rlshift__, __ilshift__ = _binary("bitwise_left_shift", "<<")
    __rshift__, __rrshift__, __irshift__ = _binary("bitwise_right_shift", ">>")
    __lt__, *_ = _binary("less", "<")
    __le__, *_ = _binary("less_equal", "<=")
    __gt__, *_ = _binary("greater", ">")
    __ge__, *_ = _binary("greater_equal", ">=")
    __eq__, *_ = _binary("equal", "==")
    __ne__, *_ = _binary("not_equal", "!=")
    __pos__ = _unary("positive")
    __neg__ = _unary("negative")
    __abs__ = _unary("abs")
    __invert__ = _unary("bitwise_invert")
