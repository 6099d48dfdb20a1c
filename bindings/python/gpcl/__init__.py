"""gpcl: sort, scan, reduce, matrix products, histograms and recurrences on NumPy arrays, on a GPU where there is one.

>>> gpcl.sort([3, 1, 2])
array([1, 2, 3])
>>> with gpcl.open("host") as ctx:      # a device of your choice; its methods are the functions of this module
...     d = ctx.array([3.0, 1.0, 2.0])  # data that stays there
...     d.sort().scan().numpy()
array([1., 3., 6.])

The functions work on the device of their first device array, else on default_context().
"""
# SPDX-License-Identifier: MIT
import functools as _functools
import inspect as _inspect

from numpy import ndarray as _ndarray

from . import array_api
from ._arrays import BFLOAT16 as bfloat16
from ._context import (Context, Kernel, Local, algorithms, cache_folder, cache_problem, default_context, devices, open,
                       open_opencl, places_file, set_default_context, tuning_file, version)
from ._device_array import Buffer, DeviceArray
from ._enums import Status
from ._errors import GpError, GpIndexError, GpMemoryError, GpTimeoutError, GpTypeError, GpValueError
from ._events import Event
from ._operations import Operations as _Operations
from ._records import Algorithm, Command, Device, Parameter, Timing

__version__ = version()


def _function(method):
    @_functools.wraps(method)
    def call(*arguments, **options):
        if not options and len(arguments) == 1 and type(arguments[0]) is _ndarray:  # most calls, a little sooner
            return method(default_context(), arguments[0])
        for each in arguments:
            if isinstance(each, DeviceArray):
                return method(each.context, *arguments, **options)
        return method(default_context(), *arguments, **options)

    signature = _inspect.signature(method)
    call.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # without self
    call.__module__, call.__qualname__ = __name__, method.__name__
    return call


OPERATIONS = tuple(name for name in vars(_Operations) if not name.startswith("_"))
globals().update({name: _function(getattr(_Operations, name)) for name in OPERATIONS})

__all__ = ["Algorithm", "Buffer", "Command", "Context", "Device", "DeviceArray", "Event", "GpError",
           "GpIndexError", "GpMemoryError", "GpTimeoutError", "GpTypeError", "GpValueError", "Kernel", "Local",
           "OPERATIONS", "Parameter", "Status", "Timing", "algorithms", "array_api", "bfloat16", "cache_folder",
           "cache_problem", "default_context", "devices", "open", "open_opencl", "places_file", "set_default_context",
           "tuning_file", "version", *OPERATIONS]
