"""Writes the type stubs of what is made when the package is imported: what comes from the header, the operations, with an
overload for each kind of array (see gpcl/_types.py), and the module's functions, which are the
operations.

    stubs.py INCLUDE FOLDER (with the built package on PYTHONPATH; the package's stubs are in gpcl/)
"""
# SPDX-License-Identifier: MIT
import ast
import copy
import inspect
import os
import re
import sys
import textwrap

import declarations  # lies beside this file

sys.path.append(sys.path.pop(0))  # so that the built package comes before the source that lies here too

import gpcl  # noqa: E402
from gpcl import _device_operations, _enums, _operations, _records  # noqa: E402

# What the words of gpcl/_types.py stand for in an overload.
HOST = {"Input": "HostArray", "Output": "NDArray[Any]", "Number": "Any"}
DEVICE = {"Output": "DeviceArray", "Number": "DeviceArray"}

# Where a result's type depends on more than the kind of the arrays: the cases, each with other
# annotations.
NAMED = {"op": "Operator", "identity": "None"}
TEXT = {"op": "str", "identity": "str | float"}
CASES = {
    "scan": [NAMED, TEXT],
    "reduce": [NAMED, TEXT],
    "histogram": [{"counts_only": "Literal[False]", "return": "tuple[Output, NDArray[Any]]"},
                  {"counts_only": "Literal[True]", "return": "Output"},
                  {"counts_only": "bool", "return": "tuple[Output, NDArray[Any]] | Output"}],
    "lfilter": [{"zi": "None", "return": "NDArray[Any]"},
                {"zi": "HostArray", "return": "tuple[NDArray[Any], NDArray[Any]]"}],
}
DEFAULTS = ("Operator", "None", "Literal[False]")  # the annotations there that the parameter's default fits


class _Words(ast.NodeTransformer):
    """Puts other annotations in the place of names."""

    def __init__(self, meanings: dict):
        self.meanings = meanings

    def visit_Name(self, node):
        return _annotation(self.meanings.get(node.id, node.id))


def _annotation(text: str):
    return ast.parse(text, mode="eval").body


def _without_default(arguments: ast.arguments, name: str) -> None:
    if name in [each.arg for each in arguments.kwonlyargs]:
        arguments.kw_defaults[[each.arg for each in arguments.kwonlyargs].index(name)] = None
    elif arguments.args[-1].arg == name:
        arguments.defaults = arguments.defaults[:-1]


def overloads(method: ast.FunctionDef, of_device_array: bool = False) -> list[str]:
    """The signatures of a method, one for each case and each array that may be the first one of the device; or those as
    methods of that array."""
    parameters = method.args.args + method.args.kwonlyargs
    inputs = {each.arg: ast.unparse(each.annotation) for each in parameters
              if each.annotation and ast.unparse(each.annotation) in ("Input", "Input | None")}
    deciding = [*inputs, *(["out"] if "Input | None" in inputs.values() else []), None]
    deciding = deciding[:1] if of_device_array else deciding
    result = []
    for case in CASES.get(method.name, [{}]):
        for decides in deciding:
            one, is_before = copy.deepcopy(method), True
            one.returns = _annotation(case.get("return", ast.unparse(one.returns)))
            for each in one.args.args + one.args.kwonlyargs:
                if each.arg in case:
                    each.annotation = _annotation(case[each.arg])
                if each.arg == decides or each.arg in case and case[each.arg] not in DEFAULTS:
                    _without_default(one.args, each.arg)
                if each.arg == decides:
                    each.annotation, is_before = _annotation("DeviceArray"), False
                elif each.annotation:
                    others = {"Input": "HostArray" if is_before else "Input"}
                    each.annotation = _Words({**(HOST if decides is None else DEVICE), **others}).visit(each.annotation)
            one.returns = _Words(HOST if decides is None else DEVICE).visit(one.returns)
            if of_device_array:
                del one.args.args[1]
            result.append(f"def {one.name}({ast.unparse(one.args)}) -> {ast.unparse(one.returns)}:")
    return result


def operations() -> str:
    """gpcl/_operations.pyi."""
    return _class("Operations", _methods())


def device_operations() -> str:
    """gpcl/_device_operations.pyi."""
    names = vars(_device_operations.DeviceOperations)
    return _class("DeviceOperations", [each for each in _methods() if each.name in names], of_device_array=True)


def _methods() -> list[ast.FunctionDef]:
    with open(_operations.__file__, encoding="utf-8") as file:
        classes = {node.name: node for node in ast.parse(file.read()).body if isinstance(node, ast.ClassDef)}
    return [node for node in classes["Operations"].body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]


def _class(name: str, methods: list[ast.FunctionDef], of_device_array: bool = False) -> str:
    lines = ["from typing import Literal, overload", "", "from ._device_array import DeviceArray",
             "from ._enums import Activation, Operator, Precision, Semiring, Side",
             "from ._types import Any, DTypeLike, HostArray, Input, NDArray, Segments, Values", "", f"class {name}:"]
    for method in methods:
        doc = f"As gpcl.{method.name}." if of_device_array else inspect.cleandoc(ast.get_docstring(method)) + "\n"
        doc = doc.replace("\n", "\n        ").replace("\n        \n", "\n\n")
        *others, last = overloads(method, of_device_array)
        for each in others:
            lines += ["    @overload", f"    {each} ..."]
        lines += ["    @overload"] if others else []
        lines += [f'    {last}\n        """{doc}"""\n']
    return "\n".join(lines)


def functions() -> str:
    """gpcl/__init__.pyi: __init__.py's imports, and its functions."""
    with open(gpcl.__file__, encoding="utf-8") as file:
        imports = [node for node in ast.parse(file.read()).body if isinstance(node, ast.ImportFrom) and node.level]
    lines = []
    for node in imports:
        public = [f"{each.name} as {each.name}" for each in node.names if not each.asname]
        lines += [f"from .{node.module or ''} import ({', '.join(public)})"] if public else []
    lines += ["", "__version__: str", "OPERATIONS: tuple[str, ...]", "", "_default: Context"]
    return "\n".join([*lines, *(f"{name} = _default.{name}" for name in gpcl.OPERATIONS), ""])


def records() -> str:
    """gpcl/_records.pyi."""
    lines = ["from dataclasses import dataclass", "from typing import Any", ""]
    for record in (_records.Device, _records.Algorithm, _records.Parameter, _records.Timing, _records.Command):
        lines += ["@dataclass(frozen=True)", f"class {record.__name__}:", f'    """{record.__doc__}"""']
        lines += [f"    {name}: {'tuple[int, ...]' if kind is tuple else kind.__name__}" for name, kind in record._fields]
        lines.append("")
    return "\n".join([*lines, "def fill(record: Any, function: Any, *arguments: Any) -> Any: ...",
                      "def listing(record: Any, count_function: Any, describe_function: Any, *arguments: Any) -> list[Any]: ...",
                      ""])


def enums() -> str:
    """gpcl/_enums.pyi."""
    names = [f"{name}: dict[str, int]" for name in ("OPERATORS", "SEMIRINGS", "PRECISIONS", "ACTIVATIONS", "OPERATIONS")]
    choices = [f"{name} = Literal[{', '.join(map(repr, getattr(_enums, name).__args__))}]"
               for name in ("Operator", "Semiring", "Precision", "Activation", "Operation", "Side")]
    return "\n".join(["from enum import IntEnum", "from typing import Literal", "",
                      "def enumerators(name: str, prefix: str = ...) -> dict[str, int]: ...", "", *names, *choices,
                      "", "class Status(IntEnum):", *(f"    {each.name} = {each.value}" for each in gpcl.Status), ""])


def _folded(text: str) -> str:
    """The text with signatures and lists of names on as many lines as they take. Lines break behind commas alone."""
    lines = []
    for line in text.split("\n"):
        start = re.match(r" *(?=def |from |\w+ = )", line)
        if start:
            together = start[0] + re.sub("(?<!,) ", "\0", line[start.end():])
            line = textwrap.fill(together, 100, subsequent_indent=start[0] + 8 * " ", break_long_words=False,
                                 break_on_hyphens=False).replace("\0", " ")
        lines.append(line)
    folded = "\n".join(lines)
    assert ast.dump(ast.parse(folded)) == ast.dump(ast.parse(text))
    return folded


def main(include: str, folder: str) -> None:
    for name, text in (("__init__", functions()), ("_operations", operations()), ("_device_operations", device_operations()),
                       ("_records", records()), ("_enums", enums()), ("_native", declarations.stub(include))):
        with open(os.path.join(folder, name + ".pyi"), "w", encoding="utf-8") as file:
            file.write("# Generated by stubs.py; not to be edited.\n" + _folded(text))


if __name__ == "__main__":
    main(*sys.argv[1:])
