"""Events."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import asyncio
import math
import os
import threading
import time
import weakref
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from ._errors import check, wrong
from ._handles import Handle, address, made
from ._native import ffi, lib
from ._records import Command, Timing, fill

if TYPE_CHECKING:
    from ._context import Context


def in_main_thread() -> bool:
    """Whether this is the thread in which Python handles signals."""
    return threading.get_ident() == threading.main_thread().ident


def _pauses() -> Iterator[float]:
    """The seconds to sleep each time before one looks again: a part of what the wait has taken."""
    start = time.perf_counter()
    while True:
        yield min((time.perf_counter() - start) / 32, 0.01)


_SOON = 2e-4  # seconds; the shortest sleep takes a good part of that
_yield = getattr(os, "sched_yield", lambda: None)


def milliseconds(seconds: float) -> int:
    """For the library, which takes whole ones: no less, and at least one of more than nothing."""
    if not seconds >= 0:
        raise wrong(f"{seconds!r} seconds; expected a number from 0 on")
    return min(math.ceil(min(seconds, 1e9) * 1e3), 10**12)


class Event(Handle):
    """The progress and the times of one call; see Context.record.

    In a coroutine, `await event` waits while the others go on; a coroutine that is cancelled there
    no longer waits.

    >>> import asyncio
    >>> async def sums(ctx, a):
    ...     with ctx.record() as events:
    ...         result = ctx.array(a).scan()
    ...     await events[-1]
    ...     return result.numpy()
    >>> asyncio.run(sums(gpcl.default_context(), [1, 2, 3]))
    array([1, 3, 6])
    """

    __slots__ = ("_context", "_is_flushed")
    _free = lib.gp_event_free

    def __init__(self, pointer, context: Context):
        super().__init__(pointer)
        self._context = weakref.ref(context)
        self._is_flushed = False

    def wait(self, timeout: float | None = None) -> None:
        """Waits until the work is complete; raises GpError when it failed on the device. Ctrl-C ends the wait, not the
        work; nor does GpTimeoutError, which tells that `timeout` seconds have passed, or Context.deadline."""
        context = self._context()
        if context is not None and context.deadline is not None:
            timeout = context.deadline if timeout is None else min(timeout, context.deadline)
        end = math.inf if timeout is None else time.perf_counter() + milliseconds(timeout) / 1e3
        if in_main_thread() and not self.done:  # in C no signal would be handled
            answer, soon = ffi.new("int32_t *"), min(time.perf_counter() + _SOON, end)
            while lib.gp_event_done(self.pointer, answer) == 0 and not answer[0] and time.perf_counter() < soon:
                _yield()
            for pause in _pauses():
                if self.done:
                    return
                left = end - time.perf_counter()
                if left <= 0:
                    break
                time.sleep(min(pause, left))
        if timeout is None:
            check(lib.gp_event_wait(self.pointer))
        else:
            check(lib.gp_event_wait_for(self.pointer, milliseconds(max(end - time.perf_counter(), 0))))

    async def _wait(self) -> None:
        for pause in _pauses():
            if self.done:
                return
            await asyncio.sleep(pause)

    def __await__(self) -> Generator[Any, None, None]:
        return self._wait().__await__()

    @property
    def done(self) -> bool:
        """Whether the work is complete. Does not wait, but sees to it that the device begins."""
        answer = ffi.new("int32_t *")
        check(lib.gp_event_done(self.pointer, answer))
        if not answer[0] and not self._is_flushed:
            context = self._context()
            if context is not None and context._pointer is not None:  # what is closed has waited
                check(lib.gp_flush(context.pointer))
            self._is_flushed = True
        return bool(answer[0])

    def timing(self) -> Timing:
        """Waits, then sums up the times. Needs Context.profile(True) before the call."""
        self.wait()
        return fill(Timing, lib.gp_event_timing, self.pointer)

    def commands(self) -> list[Command]:
        """Every command of the call, in the order in which they ran. Needs Context.profile(True) before the call."""
        return [fill(Command, lib.gp_event_command, self.pointer, index) for index in range(self.timing().commands)]

    @property
    def opencl(self) -> int:
        """The address of the cl_event, as pyopencl's int_ptr; the library keeps it."""
        return address(made(lib.gp_opencl_event, self.pointer))


class Transfer(Event):
    """The event of a copy that goes on while Python does; keeps the host's memory until the copy is complete."""

    __slots__ = ("_memory",)
    _left: list[Transfer] = []  # those whose wait was ended; they keep their memory

    def __init__(self, pointer, context: Context, memory):
        super().__init__(pointer, context)
        self._memory = memory

    def wait(self, timeout: float | None = None) -> None:
        try:
            super().wait(timeout)
        except BaseException:
            Transfer._left = [each for each in Transfer._left if not each._is_over()] + [self]
            raise

    def _is_over(self) -> bool:
        answer = ffi.new("int32_t *")
        status = lib.gp_event_done(self._pointer, answer)
        return bool(answer[0]) or status not in (0, lib.GP_ERROR_DEVICE_LOST)

    _given_up: list = []  # memory of those that were closed before they were over

    def close(self) -> None:
        try:
            if self._pointer is not None and self.is_ours:
                status = lib.gp_event_wait(self._pointer)
                if status in (lib.GP_ERROR_TIMEOUT, lib.GP_ERROR_DEVICE_LOST):
                    Transfer._given_up.append(self._memory)
        finally:
            super().close()
