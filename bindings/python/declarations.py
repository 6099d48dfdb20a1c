"""The C header as the Python side needs it: declarations for cffi, and the stub of the extension module (see stubs.py).

Both come from include/gpcl/ through the C preprocessor, so nothing of the header is written a
second time.

    declarations.py INCLUDE FILE    writes the C source of the extension module gpcl._native
"""
# SPDX-License-Identifier: MIT
import os
import re
import shlex
import subprocess
import sys

from cffi import FFI
from pycparser import c_ast, c_generator, c_parser

# What the preprocessed header takes from <CL/cl.h>, all of it pointers to the unknown.
OPENCL = "".join(f"typedef struct _{name} *{name};\n"
                 for name in ("cl_context", "cl_device_id", "cl_command_queue", "cl_mem", "cl_event"))
STANDARD = "".join(f"typedef int {name};\n" for name in
                   ("size_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"))


def preprocess(include, *options):
    compiler = shlex.split(os.environ.get("CC", "cc"))
    header = os.path.join(include, "gpcl", "opencl.h")  # includes gpcl.h
    return subprocess.run([*compiler, "-E", "-P", "-undef", "-nostdinc", *options, "-I", include, "-x", "c", header],
                          check=True, capture_output=True, text=True).stdout


def declarations(include):
    """C declarations without a preprocessor's leftovers."""
    return OPENCL + preprocess(include, "-DGP_PARSE")


def constants(include):
    """The header's integer macros."""
    found = re.findall(r"^#define (GP_\w+) (\d+)$", preprocess(include, "-DGP_PARSE", "-dM"), re.M)
    return dict(sorted(pair for pair in found if pair[0] != "GP_PARSE"))


def builder(include, **build):
    """The cffi builder of gpcl._native; `build` is what a setuptools Extension takes."""
    ffi = FFI()
    ffi.cdef(declarations(include) + "".join(f"#define {name} {value}\n" for name, value in constants(include).items()))
    ffi.set_source("gpcl._native", "#define CL_TARGET_OPENCL_VERSION 120\n#include <gpcl/opencl.h>\n",
                   include_dirs=[include, *build.pop("include_dirs", [])], **build)
    return ffi


def functions(include):
    """The header's functions: name -> pycparser's declaration."""
    tree = c_parser.CParser().parse(STANDARD + declarations(include))
    return {node.name: node.type for node in tree.ext
            if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl)}


def stub(include):
    """The text of gpcl/_native.pyi."""
    text = c_generator.CGenerator()

    def kind(node):
        if not isinstance(node, c_ast.TypeDecl):
            return "CData"
        name = text.visit(node.type)
        return "CData" if name in ("gp_context", "gp_buffer") or name.startswith("cl_") else "int"

    lines = ["from typing import Any, Final", "",
             "CData = Any", "", "class _Lib:"]
    enumerators = re.findall(r"^\s*(?:typedef )?enum \w+ \{(.*?)\}", preprocess(include, "-DGP_PARSE"), re.M | re.S)
    for name, value in re.findall(r"(\w+) = (\d+)", " ".join(enumerators)) + list(constants(include).items()):
        lines.append(f"    {name}: Final = {value}")
    for name, function in functions(include).items():
        named = [(p.name + "_" * (p.name in ("in",)), kind(p.type))
                 for p in (function.args.params if function.args else []) if p.name]
        arguments = "".join(f", {n}: {t}" for n, t in named)
        lines.append(f"    def {name}(self{arguments}, /) -> {kind(function.type)}: ..." if named else
                     f"    def {name}(self) -> {kind(function.type)}: ...")
    return "\n".join(lines + ["", "lib: _Lib", "ffi: Any", ""])


if __name__ == "__main__":
    folder, target = sys.argv[1:]
    builder(folder).emit_c_code(target)
