"""Contexts and kernels."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref
from collections.abc import Iterator, Sequence

import numpy as np

from . import _handles
from ._arrays import code_of, contiguous, device_code_of, dtype_of, size_of, to_numpy
from ._device_array import Buffer, DeviceArray
from ._enums import OPERATIONS, Operation
from ._errors import check, choose, encoded, text, wrong
from ._events import Event, in_main_thread, milliseconds
from ._handles import Handle, address, made, need_opencl
from ._native import ffi, lib
from ._operations import Operations
from ._records import Algorithm, Device, Parameter, fill, listing
from ._types import Any, DTypeLike, HostArray, NDArray


class Local:
    """Local memory as an argument of a kernel: gpcl.Local(bytes)."""

    __slots__ = ("bytes",)

    def __init__(self, bytes: int):
        self.bytes = size_of(bytes, "bytes")


class Kernel(Handle):
    """A kernel of your own; see Context.kernel."""

    __slots__ = ("context", "name")
    _free = lib.gp_kernel_free

    def __init__(self, pointer, context: Context, name: str):
        super().__init__(pointer)
        self.context = context
        self.name = name

    def __call__(self, *arguments: DeviceArray | np.generic | NDArray[Any] | Local, global_size: int | Sequence[int],
                 local_size: int | Sequence[int] | None = None, wait: Sequence[Event] = ()) -> None:
        """Launches the kernel over global_size work-items, in work-groups of local_size, after the events in wait.

        Each argument is a device array (a __global pointer), a NumPy scalar (by value, in its own
        type) or Local(bytes). Raises GpError, as ValueError for sizes and arguments that do not fit
        the kernel.
        """
        sizes = _sizes(global_size, "global_size")
        local = ffi.NULL if local_size is None else _sizes(local_size, "local_size")
        if local_size is not None and len(local) != len(sizes):
            raise wrong(f"local_size has {len(local)} dimensions, global_size has {len(sizes)}", lib.GP_ERROR_WORK_SIZE)
        given = ffi.new("gp_argument[]", len(arguments))
        keep = [_argument(slot, value, i) for i, (slot, value) in enumerate(zip(_each(given), arguments))]
        event = self.context._event_slot()
        check(lib.gp_enqueue_kernel(self.pointer, len(sizes), sizes, local, len(given), given, len(wait),
                                    [each.pointer for each in wait], event))
        del keep
        self.context._event_made(event)


def _each(array):
    return (ffi.addressof(array, i) for i in range(len(array)))


def _sizes(sizes: int | Sequence[int], what: str) -> tuple[int, ...]:
    """One size or several as a tuple."""
    return tuple(size_of(each, what) for each in (sizes if np.iterable(sizes) else (sizes,)))


def _argument(slot, value, index: int):
    """Fills in one gp_argument; returns what must live until the launch."""
    if isinstance(value, DeviceArray):
        if value.offset:
            raise wrong(f"argument {index} is a part of a device array; a kernel takes whole ones: pass copy()",
                        lib.GP_ERROR_KERNEL_ARGUMENT)
        slot.buffer = value.buffer.pointer
        return value
    if isinstance(value, Local):
        slot.bytes = value.bytes
        return value
    if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
        memory = ffi.new("char[]", value.tobytes())
        slot.value, slot.bytes = memory, value.nbytes
        return memory
    raise wrong(f"argument {index} is {type(value).__name__}; a kernel takes device arrays, NumPy scalars such as "
                "np.int32(3), and gpcl.Local", lib.GP_ERROR_DTYPE)


class Context(Operations, Handle):
    """A device at work; gpcl.open makes one. It has every operation of the module as a method.

    Closed by `with`, by close(), or when nothing refers to it any more. Threads may share it.

    >>> with gpcl.open("host") as ctx:
    ...     ctx.sort([3, 1, 2])
    array([1, 2, 3])
    """

    _free = lib.gp_close

    def __init__(self, pointer):
        super().__init__(pointer)
        self._recorded: list[Event] | None = None
        self._kernels: dict = {}  # of _elementwise.py, by their text
        self._nothing: Buffer | None = None  # memory for _gate
        self._deadline: float | None = None
        self._is_busy = False  # whether something was enqueued since everything was last waited for
        self._device = fill(Device, lib.gp_describe, pointer)
        self._explains = self._device.selector == "auto"  # so every call goes through the library, which chooses
        self._shorten(pointer)
        _open.add(self)

    def _shorten(self, pointer) -> None:
        """Lets plain calls go the short way, with this pointer. None: once this is closed, in another process, and while calls
        are recorded."""
        self._direct = pointer
        self._leaves_few = pointer is not None and not self._explains  # to NumPy

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._direct, self._leaves_few = None, False
        super().close()

    def __repr__(self) -> str:
        return "<gpcl.Context, closed>" if self._pointer is None else f"<gpcl.Context on {self.device.name!r}>"

    @property
    def device(self) -> Device:
        """What the context runs on."""
        _ = self.pointer  # which a closed context lacks
        return self._device

    @property
    def devices(self) -> list[Device]:
        """The devices that the context was opened on: one, unless open() was asked for several."""
        return [fill(Device, lib.gp_describe, made(lib.gp_context_device, self.pointer, index))
                for index in range(made(lib.gp_context_devices, self.pointer))]

    def on(self, index: int) -> Context:
        """Device number `index` of several as a context of its own, for device arrays and calls there; until this one is
        closed.

        >>> with gpcl.open("host") as ctx:
        ...     ctx.on(0).device.kind
        'host'
        """
        return _OneOf(made(lib.gp_context_device, self.pointer, size_of(index, "index")), self)

    def finish(self) -> None:
        """Waits until everything enqueued so far is complete. Ctrl-C ends the wait, not the work."""
        with self._listening() as listens:
            if listens:
                self._gate((), slot := ffi.new("gp_event **"))
                Event(slot[0], self).wait()
            check(lib.gp_finish(self.pointer))

    @contextlib.contextmanager
    def _listening(self) -> Iterator[bool]:
        """Around a wait for all that is enqueued: whether the block must wait where Python can handle signals before it
        waits in C, which is so where work may be under way."""
        listens, self._is_busy = self._is_busy and in_main_thread() and not self.is_host, False
        try:
            yield listens
        except BaseException:
            self._is_busy = True
            raise

    @property
    def is_host(self) -> bool:
        """Whether the device is "host"."""
        return self._device.kind == "host"

    @property
    def deadline(self) -> float | None:
        """After how many seconds a call that still waits for the device raises GpTimeoutError; None, the default: it waits
        as long as it takes. Where the call was given arrays of the host, the device is lost then:
        every later call of the context raises GpError with Status.ERROR_DEVICE_LOST, and the arrays
        are kept for good, since the device may still use them. After a wait, as in finish() or
        Event.wait(), nothing is lost.

        >>> with gpcl.open() as ctx:
        ...     ctx.deadline = 60
        ...     ctx.sort([3, 1, 2])
        array([1, 2, 3])
        """
        return self._deadline

    @deadline.setter
    def deadline(self, seconds: float | None) -> None:
        if seconds is not None and not seconds > 0:
            raise wrong(f"deadline is {seconds!r}; expected a number of seconds above 0, or None")
        check(lib.gp_deadline(self.pointer, 0 if seconds is None else milliseconds(seconds)))
        self._deadline = seconds

    def flush(self) -> None:
        """Hands everything enqueued so far to the device, without waiting."""
        check(lib.gp_flush(self.pointer))

    def trim(self) -> None:
        """Gives back the work space that operations keep for their next call, and the kernels of device arrays'
        arithmetic."""
        self._kernels.clear()
        check(lib.gp_trim(self.pointer))

    def warmup(self, operation: Operation, dtype: DTypeLike) -> None:
        """Builds what an operation, such as "sort", needs for a type, so that no later call pays for it."""
        check(lib.gp_warmup(self.pointer, operation_code(operation), code_of(dtype_of(dtype))))

    def prove(self, operation: Operation, algorithm: str, dtype: DTypeLike, *, now: bool = True) -> None:
        """Raises GpValueError where an algorithm gives wrong results on this device, and so is never its default.

        `now=False` runs nothing, and takes what is not known for right.
        """
        code = operation_code(operation)
        names = {each.name: index for index, each in enumerate(algorithms(operation))}
        index = choose(names, algorithm, "algorithm", lib.GP_ERROR_ALGORITHM)
        check(lib.gp_prove(self.pointer, code, index, code_of(dtype_of(dtype)), now))

    def parameters(self, operation: Operation, dtype: DTypeLike) -> list[Parameter]:
        """The numbers on which the speed of an operation's algorithms depends, as this context uses them for a type."""
        code = operation_code(operation)
        count = ffi.new("size_t *")
        check(lib.gp_parameters(code, count))
        return [fill(Parameter, lib.gp_parameter_describe, self.pointer, code, code_of(dtype_of(dtype)), index)
                for index in range(count[0])]

    def set_parameter(self, operation: Operation, dtype: DTypeLike, algorithm: str, name: str, value: int) -> None:
        """Sets one of them for later calls; 0 goes back to its preset."""
        check(lib.gp_parameter_set(self.pointer, operation_code(operation), code_of(dtype_of(dtype)),
                                   encoded(algorithm, "algorithm"), encoded(name, "name"), size_of(value, "value")))

    def save_tuning(self, file: str | None = None) -> None:
        """Writes the parameters that were set to a file, by default tuning_file(), which is read when contexts are opened."""
        check(lib.gp_tuning_save(self.pointer, os.fsencode(file) if file is not None else ffi.NULL))

    def explain(self) -> str:
        """Where this thread's last call on NumPy arrays ran, and why; of a context opened by "auto", or of several devices.

        >>> with gpcl.open("auto") as context:
        ...     _ = context.sort(np.array([2, 1], np.int32))
        ...     where = context.explain()
        """
        return text(lib.gp_explain(self.pointer))

    def measure_places(self, operation: Operation, dtype: DTypeLike) -> None:
        """Measures where the operation's calls end first, of all sizes, for contexts opened by "auto"; see places_file()."""
        check(lib.gp_places_measure(self.pointer, operation_code(operation), code_of(dtype_of(dtype))))

    # ---- device arrays

    def array(self, a: HostArray, dtype: DTypeLike | None = None) -> DeviceArray:
        """Copies an array to the device.

        >>> with gpcl.open() as ctx:
        ...     ctx.array([3, 1, 2]).sort().scan().numpy()
        array([1, 3, 6])
        """
        a = to_numpy(a)
        a = contiguous(a, dtype_of(dtype or a.dtype))
        result = self.empty(a.shape, a.dtype)
        result.write(a)
        return result

    def empty(self, shape: int | Sequence[int], dtype: DTypeLike = np.float32) -> DeviceArray:
        """A device array with undefined content."""
        shape = _sizes(shape, "shape")
        dtype = dtype_of(dtype)
        device_code_of(dtype)
        if _product(shape) * dtype.itemsize >= 2**63:
            raise wrong(f"the shape {shape} is more than a device can hold", lib.GP_ERROR_TOO_LARGE)
        return DeviceArray(self, Buffer(made(lib.gp_buffer_create, self.pointer, _product(shape) * dtype.itemsize)),
                           shape, dtype)

    def zeros(self, shape: int | Sequence[int], dtype: DTypeLike = np.float32) -> DeviceArray:
        """A device array of zeros."""
        result = self.empty(shape, dtype)
        result.fill(0)
        return result

    # ---- pinned memory of the host

    def empty_host(self, shape: int | Sequence[int], dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """A NumPy array with undefined content, in pinned memory: the context's calls copy from and to it fastest.

        The memory is given back with the last array that uses it, before or after the context is
        closed.

        >>> with gpcl.open() as ctx:
        ...     a = ctx.empty_host(4, np.int32)
        ...     a[:] = [3, 1, 4, 2]
        ...     ctx.sort(a)
        array([1, 2, 3, 4], dtype=int32)
        """
        shape = _sizes(shape, "shape")
        dtype = dtype_of(dtype)
        if dtype.hasobject:
            raise wrong(f"{dtype} holds Python objects; expected numbers", lib.GP_ERROR_DTYPE)
        size = _product(shape) * dtype.itemsize
        if size >= 2**63:
            raise wrong(f"the shape {shape} is more than any memory holds", lib.GP_ERROR_TOO_LARGE)
        memory = ffi.gc(made(lib.gp_host_alloc, self.pointer, size), lib.gp_host_free, size)
        return np.ndarray(shape, dtype, ffi.buffer(memory, max(size, 1)))

    @contextlib.contextmanager
    def pinned(self, a: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """Pins the memory of an array while the block runs; worth it for arrays that are used several times.

        >>> a = np.arange(5)
        >>> with gpcl.open() as ctx, ctx.pinned(a):
        ...     ctx.scan(a)
        array([ 0,  1,  3,  6, 10])
        """
        if not a.flags.c_contiguous:
            raise wrong("the array has gaps; expected one that is contiguous", lib.GP_ERROR_OPTION)
        memory = ffi.cast("void *", a.ctypes.data)
        if a.nbytes:
            check(lib.gp_host_register(self.pointer, memory, a.nbytes))
        try:
            yield a
        finally:
            if a.nbytes and self._pointer is not None:  # closing the context unpins as well
                check(lib.gp_host_unregister(self.pointer, memory))

    # ---- the caller's own kernels

    def kernel(self, source: str, name: str, options: str | None = None) -> Kernel:
        """Builds OpenCL C, with options as clBuildProgram takes them, and takes the kernel `name` from it.

        Raises GpError: Status.ERROR_BUILD with the log in .build_log, ERROR_KERNEL_NAME,
        ERROR_UNSUPPORTED_DEVICE on "host".

        >>> ctx = gpcl.open()
        >>> if ctx.device.kind != "host":
        ...     d = ctx.array(np.arange(4, dtype=np.float32))
        ...     double = ctx.kernel("kernel void f(global float *x, float c) { x[get_global_id(0)] *= c; }", "f")
        ...     double(d, np.float32(2), global_size=4)
        ...     assert d.numpy().tolist() == [0, 2, 4, 6]
        """
        return Kernel(made(lib.gp_kernel_build, self.pointer, encoded(source, "source"),
                           ffi.NULL if options is None else encoded(options, "options"), encoded(name, "name")), self, name)

    # ---- times

    def profile(self, enabled: bool = True) -> None:
        """Records times for the events of later calls, or stops doing so."""
        check(lib.gp_profile(self.pointer, int(enabled)))

    @contextlib.contextmanager
    def record(self) -> Iterator[list[Event]]:
        """Collects the events of the calls made on this context, from any thread, while the block runs.

        >>> ctx = gpcl.open()
        >>> ctx.profile()
        >>> with ctx.record() as events:
        ...     _ = ctx.sort(np.arange(1000))
        >>> events[0].timing().span_ns > 0
        True
        """
        before, self._recorded = self._recorded, []
        self._shorten(None)
        try:
            yield self._recorded
        finally:
            self._recorded = before
            self._shorten(self._pointer if before is None and self.is_ours else None)

    def _event_slot(self):
        self._is_busy = True
        return ffi.NULL if self._recorded is None else ffi.new("gp_event **")

    def _event_made(self, slot) -> None:
        if slot and slot[0]:
            event = Event(slot[0], self)
            if self._recorded is not None:
                self._recorded.append(event)

    def wait_for(self, *events: Event) -> None:
        """Everything enqueued from now on runs after these events. Does not wait itself."""
        slot = self._event_slot()
        self._gate(events, slot)
        self._event_made(slot)

    def _gate(self, events: Sequence[Event], slot) -> None:
        """Enqueues a command that does nothing, after these events."""
        if self._nothing is None:
            self._nothing = Buffer(made(lib.gp_buffer_create, self.pointer, 1))
        check(lib.gp_enqueue_fill(self._nothing.pointer, 0, 1, b"\0", 1, len(events), [e.pointer for e in events], slot))

    # ---- programs that use OpenCL themselves

    @property
    def opencl(self) -> tuple[int, int, int]:
        """The addresses of the cl_context, cl_device_id and cl_command_queue, as pyopencl's from_int_ptr takes them; the
        library keeps them."""
        return tuple(address(made(function, self.pointer))
                     for function in (lib.gp_opencl_context, lib.gp_opencl_device, lib.gp_opencl_queue))

    def wrap(self, memory: Any, shape: int | Sequence[int], dtype: DTypeLike) -> DeviceArray:
        """A device array in a cl_mem of the same cl_context: a pyopencl buffer, or its int_ptr. Nothing is copied."""
        shape = _sizes(shape, "shape")
        code_of(dtype_of(dtype))
        buffer = Buffer(made(lib.gp_buffer_wrap, self.pointer, _opencl("cl_mem", memory)))
        if buffer.bytes < _product(shape) * dtype_of(dtype).itemsize:
            raise wrong(f"{shape} elements of {dtype_of(dtype)} do not fit in a buffer of {buffer.bytes} bytes",
                        lib.GP_ERROR_OUT_OF_BOUNDS)
        return DeviceArray(self, buffer, shape, dtype_of(dtype))

    def wrap_event(self, event: Any) -> Event:
        """An event of a cl_event of the same cl_context: a pyopencl event, or its int_ptr."""
        return Event(made(lib.gp_event_wrap, self.pointer, _opencl("cl_event", event)), self)


def _product(shape: tuple) -> int:
    result = 1
    for n in shape:
        result *= n
    return result


class _OneOf(Context):
    """One of several devices, which the whole context closes."""

    _free = staticmethod(lambda pointer: lib.GP_SUCCESS)

    def __init__(self, pointer, whole: Context):
        super().__init__(pointer)
        self._whole = whole


def _opencl(kind: str, x):
    """An OpenCL object from its address, or from pyopencl's object."""
    return ffi.cast(kind, getattr(x, "int_ptr", x))


# ---- opening

_open: weakref.WeakSet[Context] = weakref.WeakSet()
_default: Context | None = None
_default_lock = threading.Lock()


@atexit.register
def _close_all() -> None:
    """Waits for what still runs, so that nothing runs on while the process goes."""
    for context in list(_open):
        with contextlib.suppress(Exception):
            context.close()


def _forked() -> None:
    global _default, _default_lock
    _default, _default_lock = None, threading.Lock()
    for context in list(_open):
        context._shorten(None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def open(device: str | None = None, *, memory: int | None = None) -> Context:
    """Opens a device: "gpu", "cpu", "accelerator", "host", "1:0" (platform and device), or a part of a name. None takes what
    the environment variable GPCL_DEVICE says, else the best there is. "0:0,0:1" and "gpu*" open
    several, which share large calls on NumPy arrays.

    `memory` bounds the device memory that the context may take, in bytes. None, or 0: what the environment variable
    GPCL_DEVICE_MEMORY says, else as much as the device has. Calls on NumPy arrays that need more go piece by piece.

    Raises GpError with Status.ERROR_NO_DEVICE when nothing matches.

    >>> with gpcl.open("host") as ctx:
    ...     ctx.device.kind
    'host'
    """
    selector = ffi.NULL if device is None else encoded(device, "device")
    if (device or os.environ.get("GPCL_DEVICE", "")).lower() != "host":
        need_opencl()
    if memory is None:
        return Context(made(lib.gp_open, selector))
    options = ffi.new("gp_open_options *", {"struct_size": ffi.sizeof("gp_open_options"),
                                            "memory_bytes": size_of(memory, "memory")})
    return Context(made(lib.gp_open_with, selector, options))


def open_opencl(context: Any, device: Any, queue: Any) -> Context:
    """Opens a context on OpenCL objects of your own: pyopencl's Context, Device and CommandQueue, or their int_ptr."""
    need_opencl()
    return Context(made(lib.gp_open_opencl, _opencl("cl_context", context), _opencl("cl_device_id", device),
                        _opencl("cl_command_queue", queue)))


def default_context() -> Context:
    """The context of the module's functions: gpcl.open(), opened when it is first needed; see set_default_context."""
    global _default
    context = _default
    if context is None or context._pointer is None:
        with _default_lock:
            if _default is None or _default._pointer is None:
                _default = open()
            context = _default
    return context


def set_default_context(context: Context | None) -> None:
    """Makes another context the default one; None goes back to gpcl.open()."""
    global _default
    if not isinstance(context, (Context, type(None))):
        raise wrong(f"{type(context).__name__} is no gpcl.Context", lib.GP_ERROR_DTYPE)
    _default = context


# ---- listings

def operation_code(operation: Operation) -> int:
    return choose(OPERATIONS, str(operation).lower().replace("_", "-"), "operation", lib.GP_ERROR_OPERATION)


def devices() -> list[Device]:
    """Every OpenCL device, then "host".

    >>> gpcl.devices()[-1].selector
    'host'
    """
    need_opencl()
    return listing(Device, lib.gp_devices, lib.gp_device_describe)


def algorithms(operation: Operation) -> list[Algorithm]:
    """The algorithms of an operation in order of preference; their names are what `algorithm` takes.

    >>> "radix-sort" in [each.name for each in gpcl.algorithms("sort")] or len(gpcl.algorithms("sort")) > 0
    True
    """
    return listing(Algorithm, lib.gp_algorithms, lib.gp_algorithm_describe, operation_code(operation))


def version() -> str:
    """The version of the C library, such as "0.1.0"."""
    return text(lib.gp_version())


def cache_folder() -> str:
    """The folder in which built programs are kept, "" when that is switched off."""
    return text(lib.gp_cache_folder())


def cache_problem() -> str:
    """Why built programs are not kept there, or none can be added; "" where nothing stands in the way."""
    return text(lib.gp_cache_problem())


def tuning_file() -> str:
    """The file from which contexts take their parameters when they are opened, "" when that is switched off."""
    return text(lib.gp_tuning_file())


def places_file() -> str:
    """The file that keeps how long calls take on the host and on the device, for "auto"; "" when that is switched off."""
    return text(lib.gp_places_file())


__all__ = ["Context", "Kernel", "Local", "algorithms", "cache_folder", "cache_problem", "default_context", "devices",
           "open", "open_opencl", "places_file", "set_default_context", "tuning_file", "version"]
