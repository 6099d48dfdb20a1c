"""The whole header can be reached from Python, the stubs are those that the header gives, and every example runs."""
# SPDX-License-Identifier: MIT
import doctest
import importlib
import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import gpcl
from gpcl import _device_operations, _native

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINDING = ROOT / "bindings" / "python"
PACKAGE = BINDING / "gpcl"
MODULES = sorted("gpcl" if each.stem == "__init__" else f"gpcl.{each.stem}" for each in PACKAGE.glob("*.py"))


# What Python has under another name.
OTHERWISE = {"gp_dtype_size": "numpy.dtype.itemsize", "gp_buffer_copy": "DeviceArray.copy, which enqueues",
             "gp_buffer_fill": "DeviceArray.fill, which enqueues",
             "gp_arg_reduce": "argmin and argmax", "gp_enqueue_arg_reduce": "argmin and argmax of device arrays",
             "gp_paths": "shortest_paths", "gp_enqueue_paths": "shortest_paths of device arrays",
             "gp_gather": "take", "gp_enqueue_gather": "take of device arrays",
             "gp_scatter": "put", "gp_enqueue_scatter": "put of device arrays",
             "gp_transpose_matrix": "matrix_transpose", "gp_enqueue_transpose_matrix": "matrix_transpose of device arrays",
             "gp_search": "searchsorted", "gp_enqueue_search": "searchsorted of device arrays",
             "gp_histogram_weighted": "histogram and bincount", "gp_enqueue_histogram_weighted": "the same of device arrays",
             "gp_difference": "diff", "gp_enqueue_difference": "diff of device arrays",
             "gp_histogram_2d": "histogram2d", "gp_enqueue_histogram_2d": "histogram2d of device arrays"}


def header_functions():
    """Found without the tools that made the binding: every gp_ name that a declaration of the headers calls."""
    text = "".join((ROOT / "include" / "gpcl" / name).read_text() for name in ("gpcl.h", "opencl.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return sorted(set(re.findall(r"GP_API[^;(]*?\b(gp_\w+)\(", text)))


@pytest.mark.parametrize("name", header_functions())
def test_every_function_is_there_and_used(name):
    assert callable(getattr(_native.lib, name))
    if name in OTHERWISE:
        return
    source = "".join(each.read_text() for each in PACKAGE.glob("*.py"))
    operation = name.removeprefix("gp_").removeprefix("enqueue_")
    assert f"lib.{name}" in source or operation in gpcl.OPERATIONS, f"nothing in the package calls {name}"


def test_every_status_of_the_header_has_its_name():
    text = (ROOT / "include" / "gpcl" / "gpcl.h").read_text()
    statuses = {name: int(code) for name, code in re.findall(r"^ +(GP_(?:SUCCESS|ERROR_\w+)) = (\d+)", text, flags=re.M)}
    assert len(statuses) > 30 and statuses["GP_ERROR_INTERNAL"] == 500
    assert {name: _native.ffi.string(_native.lib.gp_status_name(code)).decode() for name, code in statuses.items()} == \
        {name: name for name in statuses}


# Members of options that Python finds out by itself: from strides, from contiguous rows, by
# converting arrays, or from counts, which it reads.
BY_ITSELF = {"capacity", "n_buffer", "n_offset", "layout", "stride_in", "stride_out", "stride_coefficients", "step_in", "step_out", "accumulator"}


def options():
    """(structure, member) of every options structure."""
    structures = [name for name in _native.ffi.list_types()[0] if name.endswith("_options")]
    return [(name, member) for name in structures for member, _ in _native.ffi.typeof(name).fields
            if member not in ("struct_size", "event") and not member.startswith("reserved")]


@pytest.mark.parametrize("structure, member", options())
def test_every_option_is_used(structure, member):
    source = (PACKAGE / "_operations.py").read_text() + (PACKAGE / "_context.py").read_text()
    assert member in BY_ITSELF or f'"{member}"' in source or f" {member}=" in source, f"nothing sets {structure}.{member}"


def test_there_are_options():
    assert len(options()) > 20 and ("gp_matmul_options", "beta") in options()


def test_there_are_functions():
    assert len(header_functions()) > 50 and "gp_error_build_log" in header_functions()


def test_stubs_are_up_to_date(tmp_path):
    subprocess.run([sys.executable, str(BINDING / "stubs.py"), str(ROOT / "include"), str(tmp_path)], check=True)
    for stub in sorted(tmp_path.iterdir()):
        assert stub.read_text() == (PACKAGE / stub.name).read_text(), \
            f"{stub.name} is out of date; with the built package on PYTHONPATH, bindings/python/stubs.py include " \
            "bindings/python/gpcl writes it"
    assert {each.name for each in tmp_path.iterdir()} == {each.name for each in PACKAGE.glob("*.pyi")}


def test_methods_of_device_arrays_take_what_the_operations_take():
    methods = {name: each for name, each in vars(_device_operations.DeviceOperations).items() if name[0] != "_"}
    assert set(gpcl.OPERATIONS) - set(methods) == {"sort_work_bytes", "merge_runs_work_bytes", "lfilter", "transform"}
    for name, method in methods.items():
        positional = [each.name for each in inspect.signature(getattr(gpcl, name)).parameters.values()
                      if each.kind == each.POSITIONAL_OR_KEYWORD]
        own = list(inspect.signature(method).parameters)
        assert own == ["self", *positional[1:], "options"]


def test_everything_is_documented():
    for name in gpcl.__all__:
        thing = getattr(gpcl, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name
    for name in gpcl.OPERATIONS:
        function = getattr(gpcl, name)
        assert ">>>" in function.__doc__ and "self" not in inspect.signature(function).parameters


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    if module == "gpcl.dask":
        pytest.importorskip("dask.array", reason="no dask")
    found = doctest.testmod(importlib.import_module(module), extraglobs={"gpcl": gpcl, "np": np})
    assert found.failed == 0


@pytest.mark.parametrize("readme", [ROOT / "README.md", BINDING / "README.md"], ids=str)
def test_readme(readme):
    found = doctest.testfile(str(readme), module_relative=False)  # with nothing imported but what it imports itself
    assert found.attempted and not found.failed
