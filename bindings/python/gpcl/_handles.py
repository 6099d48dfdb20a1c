"""Handles of the C library: freed once, in any order, and never by a process that did not make them."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import os

from ._errors import check, wrong
from ._native import ffi, lib

# OpenCL does not live through fork(): its threads stay behind. So a child counts as another
# process, in which the parent's handles are dead, and where OpenCL was in use, nothing but "host"
# opens.
_process = 0
_opencl_used = False
_opencl_lost = False


def _forked() -> None:
    global _process, _opencl_lost
    _process += 1
    _opencl_lost = _opencl_lost or _opencl_used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def need_opencl() -> None:
    """Called before anything that may start OpenCL."""
    global _opencl_used
    if _opencl_lost:
        raise wrong("OpenCL was in use before this process was forked and does not survive that; "
                    'start processes with "spawn", or open "host"', lib.GP_ERROR_UNSUPPORTED_DEVICE)
    _opencl_used = True


class Handle:
    """Owns one pointer of the C library."""

    __slots__ = ("_pointer", "_made_in", "__weakref__")
    _free = None  # the C function that takes the pointer back

    def __init__(self, pointer):
        self._pointer = pointer
        self._made_in = _process

    @property
    def pointer(self):
        """The C pointer, for calls of the library."""
        if self._made_in == _process and self._pointer is not None:
            return self._pointer
        if self._pointer is None:
            raise wrong(f"this {type(self).__name__} is closed", lib.GP_ERROR_HANDLE)
        raise wrong(f"this {type(self).__name__} belongs to the process that this one was forked from; open another "
                    "context here", lib.GP_ERROR_HANDLE)

    @property
    def is_ours(self) -> bool:
        """Whether this process made it, and not one that this one was forked from."""
        return self._made_in == _process

    def close(self) -> None:
        """Gives the object back at once, rather than when it is collected. More than once is allowed, and on a device that
        is lost too."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None and self.is_ours:
            status = type(self)._free(pointer)
            if status != lib.GP_ERROR_DEVICE_LOST:
                check(status)

    def __del__(self):
        try:
            self.close()
        except Exception:  # nobody is there to catch it; at the interpreter's exit, modules may be gone
            pass


def made(function, *arguments):
    """Calls a function of the library that hands out a new pointer through its last argument."""
    slot = ffi.new(ffi.typeof(function).args[-1])
    check(function(*arguments, slot))
    return slot[0]


def address(pointer) -> int:
    return int(ffi.cast("uintptr_t", pointer))
