"""Events."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from ._errors import check
from ._handles import Handle, address, made
from ._native import ffi, lib
from ._records import Command, Timing, fill


class Event(Handle):
    """The progress and the times of one call; see Context.record."""

    __slots__ = ()
    _free = lib.gp_event_free

    def wait(self) -> None:
        """Waits until the work is complete; raises GpError when it failed on the device."""
        check(lib.gp_event_wait(self.pointer))

    @property
    def done(self) -> bool:
        """Whether the work is complete. Does not wait."""
        answer = ffi.new("int32_t *")
        check(lib.gp_event_done(self.pointer, answer))
        return bool(answer[0])

    def timing(self) -> Timing:
        """Waits, then sums up the times. Needs Context.profile(True) before the call."""
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

    def __init__(self, pointer, memory):
        super().__init__(pointer)
        self._memory = memory

    def close(self) -> None:
        try:
            if self._pointer is not None and self.is_ours:
                lib.gp_event_wait(self._pointer)
        finally:
            super().close()
