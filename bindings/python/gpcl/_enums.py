"""The header's enumerations."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import enum

from ._native import ffi


def enumerators(name: str, prefix: str = "GP_") -> dict[str, int]:
    """An enumeration of the header: {"ERROR_OVERLAP": 210, ...}."""
    return {key[len(prefix):]: value for key, value in ffi.typeof(f"enum {name}").relements.items()}


Status = enum.IntEnum("Status", enumerators("gp_status_code"), module=__name__)
Status.__doc__ = "The statuses of the C library, such as Status.ERROR_OVERLAP."
