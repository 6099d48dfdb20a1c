"""What the tests of the Python package share. The device is what GPCL_DEVICE says."""
# SPDX-License-Identifier: MIT
import gc
import os

import hypothesis
import pytest

import gpcl

# PoCL builds kernels for most calls of another type; the results of every type are the tests' in
# C++. What fails one day should fail the next day too.
_SPARES_PROGRAMS = (os.environ.get("GPCL_TEST_IMPLEMENTATION", "host") != "host" and
                    os.environ.get("GPCL_TEST_LONG") != "1")
_EXAMPLES = 10 if _SPARES_PROGRAMS or os.environ.get("GPCL_TEST_SHORT") == "1" else 60
hypothesis.settings.register_profile("gpcl", deadline=None, derandomize=True, database=None, max_examples=_EXAMPLES)
hypothesis.settings.load_profile("gpcl")


def pytest_collection_modifyitems(config, items):
    """Of cases of other types than int32 and float32, leaves out two in three where programs are to be spared."""
    kept, left, turn = [], [], 0
    for item in items:
        dtype = item.callspec.params.get("dtype", "i4") if hasattr(item, "callspec") else "i4"
        if _SPARES_PROGRAMS and getattr(dtype, "__name__", str(dtype)) not in ("i4", "int32", "f4", "float32"):
            turn += 1
            (left if turn % 3 else kept).append(item)
        else:
            kept.append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept


@pytest.fixture(scope="session")
def ctx():
    return gpcl.default_context()


@pytest.fixture
def opencl(ctx):
    """The context, where it is one of OpenCL."""
    if ctx.device.kind == "host":
        pytest.skip("the device is host")
    return ctx


@pytest.fixture(autouse=True)
def collected():
    """What a test leaves is given back before the next; what stays is not looked through again."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture
def pyopencl(opencl):
    """The module, and its device that the tests run on."""
    cl = pytest.importorskip("pyopencl")
    name = opencl.device.name
    device = next((d for p in cl.get_platforms() for d in p.get_devices() if d.name[:255] == name), None)
    if device is None:
        pytest.skip("pyopencl does not see this device")
    return cl, device
