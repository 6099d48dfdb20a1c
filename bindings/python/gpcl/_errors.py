"""Statuses of the C library as exceptions."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import difflib
import re
import sys
from types import FrameType

import numpy as np

from ._enums import Status
from ._native import ffi, lib


class GpError(Exception):
    """What the library could not do.

    status      a Status, such as Status.ERROR_BUILD
    opencl      the OpenCL error code behind it, such as -5; 0 where OpenCL had no part in it
    build_log   the whole log of OpenCL C that did not build, else ""

    An error in an argument is a ValueError too, one in its type a TypeError too, and want of memory
    a MemoryError too.

    >>> try:
    ...     gpcl.scan([1, 2, 3], "add", algorithm="nonesuch")
    ... except ValueError as error:
    ...     print(error.status.name)
    ERROR_ALGORITHM
    """

    def __init__(self, status: int, message: str, opencl: int = 0, build_log: str = ""):
        super().__init__(status, message, opencl, build_log)
        self.status = Status(status) if status in Status._value2member_map_ else status
        self.message = message
        self.opencl = opencl
        self.build_log = build_log

    def __str__(self) -> str:
        return self.message + ("\n" + self.build_log if self.build_log else "")


class GpValueError(GpError, ValueError):
    """An argument with a value that can't be taken."""


class GpTypeError(GpError, TypeError):
    """An argument with a type that can't be taken."""


class GpIndexError(GpValueError, IndexError):
    """An index or an axis that an array lacks; an axis is one to NumPy, too."""


class GpMemoryError(GpError, MemoryError):
    """More memory than the host or the device has."""


class GpTimeoutError(GpError, TimeoutError):
    """The time of a wait, or of a call, passed before the device was done."""


def _kind(status: int) -> type[GpError]:
    if status == lib.GP_ERROR_DTYPE:
        return GpTypeError
    if status == lib.GP_ERROR_TIMEOUT:
        return GpTimeoutError
    if status == lib.GP_ERROR_TOO_LARGE or status in (lib.GP_ERROR_HOST_MEMORY, lib.GP_ERROR_DEVICE_MEMORY):
        return GpMemoryError
    return GpValueError if 200 <= status < 300 or status == lib.GP_ERROR_KERNEL_ARGUMENT else GpError


def encoded(value, what: str) -> bytes:
    """A str for the library, where NUL ends a text."""
    if not isinstance(value, str):
        raise wrong(f"{what} is {type(value).__name__}, expected a str", lib.GP_ERROR_DTYPE)
    if "\0" in value:
        raise wrong(f"{what} has a NUL in it")
    return value.encode()


def text(pointer) -> str:
    return ffi.string(pointer).decode("utf-8", "replace")


def _suggested(name: str, names) -> str:
    """The name that may be meant, as a question, where there is one near."""
    near = difflib.get_close_matches(name.lower().replace("_", "-"), names, 1)
    return f", did you mean {near[0]!r}?" if near else ";"


# What the library's messages call by a name of C, and its name here.
_NAMES = [(r"^gp_(enqueue_)?", ""),
          (r"\bgp_error_build_log\(\)", "build_log"),
          (r"\boptions->", ""),
          (r"\bgp_profile\(context, 1\)", "Context.profile()"),
          (r"\bgp_parameter_describe\b", "Context.parameters"),
          (r"\bgp_(?=[a-z])", ""),
          (r"\bbegin_bit and end_bit\b", "bits"),
          (r"\boperator_source\b", "op"),
          (r"\boperator_(?=identity\b|helpers\b)", ""),
          (r"\bfinal_(state|value|buffer)\b", "final"), (r"\binitial_buffer\b", "initial"),
          (r"\bheads_buffer\b", "heads"),
          (r"\bbias_buffer\b", "bias"), (r"\bfinish_source\b", "finish"), (r"\bclamp_low or clamp_high\b", "clamp"),
          (r"\b(plus|times|zero|one)_source\b", r"\1"),
          (r"\baccumulator\b", "dtype"),
          (r"\bGP_(\w+)", lambda name: name[1].lower().replace("_", "-")),
          (r"\bNULL\b", "None"),
         (r'"([^"]*)" is unknown; there are: (.+)',
          lambda said: f"{said[1]!r} is unknown{_suggested(said[1], said[2].split(', '))} there are: {said[2]}")]


def _in_python(message: str) -> str:
    for name, here in _NAMES:
        message = re.sub(name, here, message)
    return message


_kept: list = []  # memory of calls that were given up


def _keep_memory(frame: FrameType | None) -> None:
    """Keeps the arrays of the calls of this package that are under way: the device may still use them."""
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        _kept.extend(each for each in frame.f_locals.values() if isinstance(each, (np.ndarray, ffi.CData)))
        frame = frame.f_back


def check(status: int) -> None:
    """Raises what a status of the C library stands for."""
    if status:
        if status in (lib.GP_ERROR_TIMEOUT, lib.GP_ERROR_DEVICE_LOST):
            _keep_memory(sys._getframe(1))
        # Read at once: an object that is collected in between would call the library, and clear the
        # message.
        message = text(lib.gp_error_message()) or text(lib.gp_status_name(status))
        opencl, log = lib.gp_error_opencl(), text(lib.gp_error_build_log())
        raise _kind(status)(status, _in_python(message), opencl, log)


def choose(names: dict[str, int], name: str, what: str, status: int = lib.GP_ERROR_OPTION, others: str = "") -> int:
    """The number that stands for a name; `others` says what else may be given."""
    if isinstance(name, str) and name in names:
        return names[name]
    raise wrong(f"no {what} {name!r}{_suggested(str(name), names)} there are {', '.join(names)}{others}", status)


def wrong(message: str, status: int = lib.GP_ERROR_OPTION) -> GpError:
    """An error that Python finds before the library is called."""
    return _kind(status)(status, message)


def outside(message: str) -> GpIndexError:
    """The error of an index or an axis that an array lacks."""
    return GpIndexError(lib.GP_ERROR_OPTION, message)
