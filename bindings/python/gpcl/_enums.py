"""The header's enumerations."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import enum
from typing import Literal

from ._native import ffi, lib


def enumerators(name: str, prefix: str = "GP_") -> dict[str, int]:
    """An enumeration of the header: {"ERROR_OVERLAP": 210, ...}."""
    return {key[len(prefix):]: value for key, value in ffi.typeof(f"enum {name}").relements.items()}


def _names(enumeration: str) -> dict[str, int]:
    return {name.lower().replace("_", "-"): code
            for name, code in sorted(enumerators(enumeration).items(), key=lambda each: each[1])}


Status = enum.IntEnum("Status", enumerators("gp_status_code"), module=__name__)
Status.__doc__ = "The statuses of the C library, such as Status.ERROR_OVERLAP."

# What options take, by the names that they have here.
OPERATORS = _names("gp_operator_code")
SEMIRINGS = _names("gp_semiring_code")
PRECISIONS = _names("gp_precision_code")
ACTIVATIONS = {name: code for name, code in _names("gp_activation_code").items() if name in ("relu", "gelu", "gelu-tanh")}
OPERATIONS = {ffi.string(lib.gp_operation_name(code)).decode(): code
              for code in sorted(enumerators("gp_operation_code").values())}
Operator, Semiring, Precision, Activation = (Literal[tuple(names)]
                                             for names in (OPERATORS, SEMIRINGS, PRECISIONS, ACTIVATIONS))
Operation = Literal[tuple({**OPERATIONS, **{name.replace("-", "_"): 0 for name in OPERATIONS}})]
Side = Literal["left", "right"]
