"""Arrays that stay on the device."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _numpy_functions
from ._arrays import SUMMED_AS, accumulator, check_out, contiguous, device_code_of, dtype_of, is_direct, pointer, scalar, to_numpy
from ._device_operations import DeviceOperations
from ._elementwise import Elementwise, converted
from ._enums import enumerators
from ._errors import GpError, check, wrong
from ._events import Event, Transfer
from ._handles import Handle, address, made
from ._indexing import assign, permuted, selected
from ._native import ffi, lib
from ._types import DTypeLike, HostArray, Index, NDArray, Values

if TYPE_CHECKING:
    from ._context import Context

# What other packages' arrays call it.
_HERE = {"get": "numpy()", "cpu": "numpy()", "flatten": "reshape(-1)", "dot": "@", "swapaxes": "gpcl.array_api.permute_dims",
         "round": "gpcl.array_api.round", "cumprod": 'scan("multiply")', "view": "reshape", "data": "map()",
         "strides": "no need of them: device arrays are C-contiguous"}
_MOST_SHOWN = 1000  # elements in repr, as NumPy
_MEANS = {"b": np.dtype(np.uint64), "i": np.dtype(np.int64), "u": np.dtype(np.uint64)}  # where sums of integers are computed for a mean
_ACCESS = {"r": "READ", "w": "WRITE", "rw": "READ_WRITE"}


class Buffer(Handle):
    """Device memory; several device arrays may lie in one."""

    __slots__ = ("mappings",)
    _free = lib.gp_buffer_free

    def __init__(self, pointer):
        super().__init__(pointer)
        self.mappings: list[int] = []  # addresses

    def close(self) -> None:
        if self.mappings and self.is_ours:
            raise wrong("this Buffer is mapped")  # its memory is in a NumPy array's hands
        super().close()

    @property
    def bytes(self) -> int:
        size = ffi.new("size_t *")
        check(lib.gp_buffer_bytes(self.pointer, size))
        return size[0]


class DeviceArray(DeviceOperations, Elementwise):
    """An array in device memory, C-contiguous; Context.array and Context.empty make them.

    Operations on it give device arrays again, run in the order in which they are called, and do not
    wait; numpy() does. Operations don't convert types on the device: what one can't take, it
    refuses; sums may be of a wider dtype. Arithmetic and comparisons have NumPy's types. Rows, one
    or some that follow each other, are views on the same memory.

    >>> d = gpcl.default_context().array(np.array([5, 3, 8, 1], np.int32))
    >>> d.sort().scan().numpy()
    array([ 1,  4,  9, 17], dtype=int32)
    >>> d[1:3].numpy()
    array([3, 8], dtype=int32)
    """

    __slots__ = ("context", "buffer", "shape", "dtype", "offset")

    def __init__(self, context: Context, buffer: Buffer, shape: tuple[int, ...], dtype: np.dtype, offset: int = 0):
        self.context = context
        self.buffer = buffer
        self.shape = shape
        self.dtype = dtype
        self.offset = offset  # in elements

    if not TYPE_CHECKING:  # which would then know of no attribute that it is wrong
        def __getattr__(self, name: str) -> Any:
            here = _HERE.get(name) or (f"numpy.{name}(d)" if name in _numpy_functions.NAMES else "numpy() for a copy on the host")
            raise AttributeError(f"device arrays have no {name!r}" + ("" if name.startswith("_") else f"; there is {here}"))

    # ---- what it is

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def code(self) -> int:
        """The gp_dtype of the elements; bool is uint8, 0 or 1, to the library."""
        return device_code_of(self.dtype)

    @property
    def opencl(self) -> int:
        """The address of the cl_mem, as pyopencl's int_ptr; the library keeps it. The array begins `offset` elements in."""
        return address(made(lib.gp_opencl_mem, self.buffer.pointer))

    def overlaps(self, other: DeviceArray) -> bool:
        """Whether both have memory in common."""
        return (self.buffer is other.buffer and self._begin < other._begin + other.nbytes and
                other._begin < self._begin + self.nbytes)

    def __bool__(self) -> bool:
        if self.size != 1:
            raise wrong(f"a device array of {self.size} elements is neither true nor false; reduce() makes one of them")
        return bool(self.item())

    def __len__(self) -> int:
        if not self.shape:
            raise wrong("a device array without dimensions has no length", lib.GP_ERROR_DTYPE)
        return self.shape[0]

    def __repr__(self) -> str:
        """Shape, type and device; the values too, for which it waits, where there are few."""
        about = f"shape={self.shape}, dtype={self.dtype}, device={self.context.device.name!r}"
        if self.size > _MOST_SHOWN:
            return f"<gpcl.DeviceArray {about}>"
        try:
            values = np.array2string(self.numpy(), separator=", ", prefix=" " * len("DeviceArray("))
        except GpError:  # a closed context
            return f"<gpcl.DeviceArray {about}>"
        return f"DeviceArray({values}, {about})"

    # ---- between host and device

    def numpy(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Waits, and copies the array to the host. Ctrl-C ends the wait, not the work."""
        result = np.empty(self.shape, self.dtype) if out is None else check_out(out, self.shape, self.dtype)
        target = result if is_direct(result) else np.empty(self.shape, self.dtype)
        self._read(target)
        if target is not result:
            result[...] = target
        return result

    def _read(self, target: np.ndarray) -> None:
        begin, count, memory = self._begin, self.nbytes, pointer(target)
        with self.context._listening() as listens:
            if listens:  # the first bytes come when the work before is complete; the others take the time of their copy
                first = min(count, 4096)
                Transfer(made(lib.gp_enqueue_read, self.buffer.pointer, begin, first, memory, 0, ffi.NULL), self.context,
                         memory).wait()
                begin, count, memory = begin + first, count - first, memory + first
            if count:
                check(lib.gp_buffer_read(self.buffer.pointer, begin, count, memory))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise wrong("an array of the host is always a copy of a device array")
        result = self.numpy()
        return result if dtype is None else result.astype(dtype, copy=False)

    def __array_function__(self, function: Any, types: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """numpy.sort(d) is d.sort(); likewise what else _numpy_functions.py has. NumPy's other functions refuse device
        arrays."""
        return _numpy_functions.call(function, DeviceArray, arguments, options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The host's memory (kDLCPU) on the device "host", else memory of OpenCL (kDLOpenCL)."""
        return (1 if self.context.is_host else 4), 0

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: tuple[int, int] | None = None,
                   copy: bool | None = None) -> Any:
        """A copy in the host's memory for other packages, which has to be asked for by dl_device=(1, 0) unless the array
        lies there.

        >>> with gpcl.open("host") as ctx:
        ...     np.from_dlpack(ctx.array([3, 1, 2]))
        array([3, 1, 2])
        """
        if copy is False:
            raise BufferError("what DLPack gets of a device array is always a copy")
        if tuple(dl_device or self.__dlpack_device__()) != (1, 0):
            raise BufferError("DLPack hands over no OpenCL memory here; numpy() gives a copy on the host, which can be handed "
                              "over, as does dl_device=(1, 0)")
        return self.numpy().__dlpack__()

    def item(self) -> Any:
        """The one element, as a Python number."""
        return self.numpy().item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; of an array without dimensions, the number."""
        return self.numpy().tolist()

    def astype(self, dtype: DTypeLike) -> DeviceArray:
        """A copy with elements of another type. As in C, and so in NumPy, floats that an integer type lacks may become
        any integer."""
        dtype = dtype_of(dtype)
        device_code_of(dtype)
        return self.copy() if dtype == self.dtype else converted(self, dtype)

    @property
    def T(self) -> DeviceArray:
        """A copy with the axes in reverse order; with fewer than two, the array itself."""
        return permuted(self, tuple(reversed(range(self.ndim)))) if self.ndim > 1 else self

    @property
    def mT(self) -> DeviceArray:
        """A copy with the last two axes exchanged."""
        if self.ndim < 2:
            raise wrong(f"a device array of shape {self.shape} holds no matrices")
        return permuted(self, (*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    # ---- for programs that take the arrays of any package

    @property
    def device(self) -> Context:
        """The context: what the Python array API standard calls the device that an array lies on."""
        return self.context

    def to_device(self, device: Context, /, *, stream: Any = None) -> DeviceArray:
        """The array, or a copy by way of the host where it is another context's."""
        if stream is not None:
            raise wrong("a context has one queue, and takes no stream")
        return self if device is self.context else device.array(self.numpy())

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """The module gpcl.array_api: functions of the Python array API standard on device arrays."""
        from . import array_api
        if api_version is not None and api_version not in array_api.VERSIONS:
            raise wrong(f"no version {api_version!r} of the standard; there are {', '.join(array_api.VERSIONS)}")
        return array_api

    def _number(self, kind: type, types: str) -> Any:
        if self.ndim or self.dtype.kind not in types:
            raise wrong(f"a device array of shape {self.shape} and type {self.dtype} is no {kind.__name__}", lib.GP_ERROR_DTYPE)
        return kind(self.item())

    def __int__(self) -> int:
        return self._number(int, "biuf")  # type: ignore[no-any-return]

    def __index__(self) -> int:
        return self._number(int, "iu")  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._number(float, "biuf")  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        return self._number(complex, "biuf")  # type: ignore[no-any-return]

    def __format__(self, spec: str) -> str:
        """An array without dimensions as a number; of others there is only str()."""
        return format(self.item(), spec) if spec and not self.ndim else super().__format__(spec)

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> DeviceArray:
        return self.copy()

    def __reduce__(self):
        """Pickled are the elements; what is loaded lies on the default device."""
        return _on_default_device, (self.numpy(),)

    def __setitem__(self, index: Index, value: Values) -> None:
        """Sets what an index names: to a number, or to an array of the host or the device, which is broadcast and converted.

        >>> d = gpcl.default_context().zeros(4)
        >>> d[1:3] = 5
        >>> d[::-3] = [7, 8]
        >>> d.numpy()
        array([8., 5., 5., 7.], dtype=float32)
        """
        assign(self, index, value)

    def write(self, a: HostArray) -> None:
        """Copies an array of the same shape to the device, converted to this one's type."""
        a = contiguous(to_numpy(a), self.dtype)
        if a.shape != self.shape:
            raise wrong(f"an array of shape {a.shape} can't be written to a device array of shape {self.shape}")
        check(lib.gp_buffer_write(self.buffer.pointer, self._begin, self.nbytes, pointer(a)))

    def enqueue_read(self, out: NDArray[Any]) -> Event:
        """Begins to copy the array to a C-contiguous one of the host, which is complete when the event is."""
        if not is_direct(check_out(out, self.shape, self.dtype)):
            raise wrong("out must be C-contiguous and aligned")
        return self._transfer(lib.gp_enqueue_read, out)

    def enqueue_write(self, a: NDArray[Any]) -> Event:
        """Begins to copy a C-contiguous array of this shape and type to the device; it must not change until the event is
        complete.

        >>> d = gpcl.default_context().empty(3)
        >>> d.enqueue_write(np.float32([3, 1, 2])).wait()
        >>> d.numpy()
        array([3., 1., 2.], dtype=float32)
        """
        if not isinstance(a, np.ndarray) or a.dtype != self.dtype or a.shape != self.shape or not is_direct(a):
            raise wrong(f"expected a C-contiguous NumPy array of shape {self.shape} with elements of type {self.dtype}")
        return self._transfer(lib.gp_enqueue_write, a)

    def _transfer(self, function, array: np.ndarray) -> Event:
        memory = pointer(array)
        self.context._is_busy = True
        return Transfer(made(function, self.buffer.pointer, self._begin, self.nbytes, memory, 0, ffi.NULL), self.context,
                        memory)

    @contextlib.contextmanager
    def map(self, access: Literal["r", "w", "rw"] = "rw") -> Iterator[NDArray[Any]]:
        """The memory as a NumPy array while the block runs: to read ("r"), write ("w", the old content is lost) or both
        ("rw"). Without a copy where the device shares the host's memory. Nothing else may use the
        memory meanwhile, nor the NumPy array afterwards.

        >>> d = gpcl.default_context().zeros(3)
        >>> with d.map() as a:
        ...     a[1] = 5
        >>> d.numpy()
        array([0., 5., 0.], dtype=float32)
        """
        if access not in _ACCESS:
            raise wrong(f"access is {access!r}, expected one of {', '.join(_ACCESS)}")
        slot = ffi.new("void **")
        check(lib.gp_buffer_map(self.buffer.pointer, enumerators("gp_access_code")[_ACCESS[access]], self._begin,
                                self.nbytes, slot))
        self.buffer.mappings.append(address(slot[0]))
        try:
            view = (np.frombuffer(ffi.buffer(slot[0], self.nbytes), self.dtype) if self.size else
                    np.empty(0, self.dtype)).reshape(self.shape)
            view.flags.writeable = access != "r"
            yield view
        finally:
            self.buffer.mappings.remove(address(slot[0]))
            check(lib.gp_buffer_unmap(self.buffer.pointer, slot[0]))

    # ---- on the device

    def fill(self, value: HostArray) -> None:
        """Sets every element."""
        memory = scalar(value, self.dtype, "the value")
        self._enqueue(lib.gp_enqueue_fill, self.buffer.pointer, self._begin, self.nbytes, pointer(memory), memory.nbytes)

    def copy(self, out: DeviceArray | None = None) -> DeviceArray:
        """The same elements in memory of their own, or in `out`."""
        result = self.context.empty(self.shape, self.dtype) if out is None else check_device_out(out, self.shape, self.dtype)
        if result.buffer is not self.buffer or result.offset != self.offset:
            self._enqueue(lib.gp_enqueue_copy, self.buffer.pointer, self._begin, result.buffer.pointer, result._begin,
                          self.nbytes)
        return result

    def reshape(self, *shape: int | Sequence[int]) -> DeviceArray:
        """A view with another shape; one size may be -1."""
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
        try:
            sizes = np.broadcast_to(np.int8(0), self.shape).reshape(sizes).shape
        except ValueError as error:
            raise wrong(str(error)) from None
        return DeviceArray(self.context, self.buffer, sizes, self.dtype, self.offset)

    def __getitem__(self, index: Index) -> DeviceArray:
        """What integers, slices, None and ... name, as NumPy's: a view on the same memory where the elements lie one after
        the other, so in whole rows; else a copy, which is made on the device.

        >>> d = gpcl.default_context().array([[1, 2, 3], [4, 5, 6]])
        >>> d[1].tolist(), d[:, 1].tolist(), d[::-1, ::2].tolist()
        ([4, 5, 6], [2, 5], [[4, 6], [1, 3]])
        """
        return selected(self, index)

    @property
    def _begin(self) -> int:
        return self.offset * self.dtype.itemsize

    def _enqueue(self, function, *arguments) -> None:
        slot = self.context._event_slot()
        check(function(*arguments, 0, ffi.NULL, slot))
        self.context._event_made(slot)

    # ---- reductions by their names, and products

    def sum(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> DeviceArray:
        """As gpcl.reduce with "add", with NumPy's types: of integers, sums have 64 bits."""
        return self._reduced("add", axis, options)

    def prod(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> DeviceArray:
        """As gpcl.reduce with "multiply", with NumPy's types."""
        return self._reduced("multiply", axis, options)

    def min(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> DeviceArray:
        """As gpcl.reduce with "minimum"; of an array without elements, the type's largest value."""
        return self._reduced("minimum", axis, options)

    def max(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> DeviceArray:
        """As gpcl.reduce with "maximum"; of an array without elements, the type's smallest value."""
        return self._reduced("maximum", axis, options)

    def _reduced(self, op: str, axis: int | tuple[int, ...] | None, options: dict[str, Any]) -> DeviceArray:
        """A reduction with NumPy's types, where it is asked for no other."""
        if options.get("dtype") is not None or options.get("out") is not None:
            return self.context.reduce(self, op, axis=axis, **options)
        dtype = accumulator(self.dtype, op, None, None)
        computed = SUMMED_AS.get(dtype, dtype)
        result = self.context.reduce(self, op, axis=axis, **{**options, "dtype": computed})
        if dtype == computed:
            return result
        if not self.size and dtype.kind != "f":  # the identity is another one in a wider type
            least, greatest = (False, True) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            result.fill(least if op == "maximum" else greatest)
        return converted(result, dtype)

    def mean(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> DeviceArray:
        """The sum, in 64 bits for integers, divided by the number of elements; types are NumPy's."""
        total = self.sum(axis, dtype=_MEANS.get(self.dtype.kind, self.dtype) if self.dtype != np.float16 else np.float32,
                         keepdims=keepdims)
        mean = total / (self.size // max(total.size, 1))
        return mean.astype(self.dtype) if self.dtype.kind == "f" else mean

    def any(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> DeviceArray:
        """Whether an element is not 0, as bool."""
        return (self != 0).max(axis, dtype=np.uint32, keepdims=keepdims) != 0

    def all(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> DeviceArray:
        """Whether no element is 0, as bool."""
        return (self != 0).min(axis, dtype=np.uint32, keepdims=keepdims) != 0

    def __matmul__(self, b: Values) -> DeviceArray:
        return self.context.matmul(self, b)

    def __rmatmul__(self, a: HostArray) -> DeviceArray:
        return self.context.matmul(a, self)


def _on_default_device(a: np.ndarray) -> DeviceArray:
    """What a pickled device array becomes."""
    from ._context import default_context
    return default_context().array(a)


def check_device_out(out, shape: tuple, dtype: np.dtype, name: str = "out") -> DeviceArray:
    """An `out` argument of an operation on device arrays, or another with shape and type of its own."""
    if not isinstance(out, DeviceArray):
        raise wrong(f"{name} is {type(out).__name__}, expected a device array", lib.GP_ERROR_DTYPE)
    if out.dtype != dtype:
        raise wrong(f"{name} has elements of type {out.dtype}, expected {dtype}", lib.GP_ERROR_DTYPE)
    if out.shape != shape:
        raise wrong(f"{name} has the shape {out.shape}, expected {shape}")
    return out
