"""Events."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import asyncio
import os
import threading
import time
import weakref
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from ._errors import check
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


class Event(Handle):
    """The progress and the times of one call; see Context.record.

    In a coroutine, `await event` waits while the others go on; a coroutine that is cancelled there no longer waits.

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

    def wait(self) -> None:
        """Waits until the work is complete; raises GpError when it failed on the device. Ctrl-C ends the wait, not the
        work."""
        if in_main_thread() and not self.done:  # in C no signal would be handled
            answer, end = ffi.new("int32_t *"), time.perf_counter() + _SOON
            while lib.gp_event_done(self.pointer, answer) == 0 and not answer[0] and time.perf_counter() < end:
                _yield()
            for pause in _pauses():
                if self.done:
                    return
                time.sleep(pause)
        check(lib.gp_event_wait(self.pointer))

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

    def wait(self) -> None:
        try:
            super().wait()
        except BaseException:
            Transfer._left = [each for each in Transfer._left if not each._is_over()] + [self]
            raise

    def _is_over(self) -> bool:
        answer = ffi.new("int32_t *")
        return lib.gp_event_done(self._pointer, answer) != 0 or bool(answer[0])

    def close(self) -> None:
        try:
            if self._pointer is not None and self.is_ours:
                lib.gp_event_wait(self._pointer)
        finally:
            super().close()
