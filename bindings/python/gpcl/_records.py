"""The structures that the library fills in, as frozen dataclasses with the header's members."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import dataclasses

from ._enums import enumerators
from ._errors import check, text
from ._native import ffi, lib


def _python_type(name: str, kind) -> type:
    if name == "kind" or kind.kind in ("array", "pointer") and kind.item.cname == "char":
        return str
    if name.startswith(("has_", "on_", "by_", "needs_")):
        return bool
    return tuple if kind.kind == "array" else int


def _record(name: str, structure: str, doc: str, kinds: dict[str, int] | None = None) -> type:
    fields = [(field, _python_type(field, details.type)) for field, details in ffi.typeof(structure).fields
              if field not in ("struct_size", "reserved")]
    record = dataclasses.make_dataclass(name, fields, frozen=True)
    record.__doc__, record.__module__ = doc, __name__
    record._structure, record._fields = structure, fields
    record._kinds = {code: kind.lower() for kind, code in (kinds or {}).items()}
    return record


Device = _record("Device", "gp_device_info", "A device, or `host`: the members of gp_device_info; kind is its name.",
                 enumerators("gp_device_kind_code", "GP_DEVICE_"))
Algorithm = _record("Algorithm", "gp_algorithm_info", "One way to carry out an operation: the members of gp_algorithm_info.")
Parameter = _record("Parameter", "gp_parameter_info",
                    "A number on which an algorithm's speed depends: the members of gp_parameter_info.")
Timing = _record("Timing", "gp_timing", "Times of one call in nanoseconds: the members of gp_timing.")
Command = _record("Command", "gp_command", "One command of a call: the members of gp_command; kind is its name.",
                  enumerators("gp_command_kind_code"))


def fill(record: type, function, *arguments):
    """Calls a function of the library that fills in the record's structure."""
    filled = ffi.new(record._structure + " *", {"struct_size": ffi.sizeof(record._structure)})
    check(function(*arguments, filled))
    values = []
    for name, kind in record._fields:
        value = getattr(filled, name)
        if name == "kind":
            value = record._kinds.get(value, str(value))
        elif kind is str:
            value = text(value)
        elif name == "values":
            value = list(value)[:filled.value_count]
        values.append(kind(value))
    return record(*values)


def listing(record: type, count_function, describe_function, *arguments) -> list:
    """Every entry of one of the library's lists."""
    count = ffi.new("size_t *")
    check(count_function(*arguments, count))
    return [fill(record, describe_function, *arguments, index) for index in range(count[0])]
