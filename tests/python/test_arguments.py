"""What is taken and what is refused: kinds of arrays, out, errors."""
# SPDX-License-Identifier: MIT
import array
import pickle

import numpy as np
import pytest

import gpcl
from gpcl import Status


class Interface:
    """Only __array_interface__."""

    def __init__(self, a):
        self.__array_interface__ = a.__array_interface__
        self._a = a


class Exchange:
    """Only __dlpack__."""

    def __init__(self, a, device=(1, 0)):
        self._a, self._device = a, device

    def __dlpack__(self, **options):
        return self._a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._device


@pytest.mark.parametrize("kind", [list, tuple, np.asarray, memoryview, Interface, Exchange, lambda a: array.array("d", a),
                                  lambda a: (memoryview(a.tobytes()).cast("d"))])
def test_anything_like_an_array(kind):
    a = np.array([3.0, 1.0, 2.0])
    assert gpcl.sort(kind(a)).tolist() == [1, 2, 3]
    assert gpcl.scan(kind(a)).tolist() == [3, 4, 6]
    assert gpcl.matmul(kind(a), kind(a)) == 14


def test_memory_elsewhere_is_refused():
    with pytest.raises(TypeError, match="not in host memory"):
        gpcl.sort(Exchange(np.zeros(3), (2, 0)))


@pytest.mark.parametrize("what", ["text", object(), [object()], np.zeros(3, "c16"), np.zeros(3, "M8[s]"), None])
def test_no_numbers(what):
    with pytest.raises(TypeError):
        gpcl.sort(what)


def test_out_is_written():
    a = np.array([3, 1, 2], np.int32)
    out = np.zeros((3, 4), np.int32)
    column = out[:, 1]
    assert gpcl.sort(a, out=column) is column
    assert gpcl.argsort(a, dtype=np.int32, out=out[:, 2]).tolist() == [1, 2, 0]
    assert out.tolist() == [[0, 1, 1, 0], [0, 2, 2, 0], [0, 3, 0, 0]]
    assert gpcl.scan(a, out=a) is a and a.tolist() == [3, 4, 6]
    keys, values = np.array([2, 1]), np.array([0.2, 0.1])
    k, v = gpcl.sort_pairs(keys, values, out=(keys, values))
    assert k is keys and v is values and values.tolist() == [0.1, 0.2]


@pytest.mark.parametrize("out, error", [(np.zeros(4), ValueError), (np.zeros(3, np.float32), TypeError), ([0, 0, 0], TypeError),
                                        (np.broadcast_to(0.0, 3), ValueError)])
@pytest.mark.parametrize("call", [gpcl.sort, gpcl.scan, gpcl.cumsum, lambda a, out: gpcl.matmul(np.eye(3), a, out),
                                  lambda a, out: gpcl.sort_pairs(a, a, out=(out, a))])
def test_out_that_does_not_fit(call, out, error):
    if error is TypeError and isinstance(out, np.ndarray) and call in (gpcl.scan, gpcl.cumsum):
        pytest.skip("there, out decides on the type")
    with pytest.raises(error):
        call(np.array([3.0, 1, 2]), out=out)


def test_overlap():
    a = np.arange(10.0)
    with pytest.raises(ValueError) as caught:
        gpcl.scan(a[:-1], out=a[1:])
    assert caught.value.status == Status.ERROR_OVERLAP
    with pytest.raises(ValueError):
        m = np.eye(3)
        gpcl.matmul(m, m, m)


@pytest.mark.parametrize("call, error, status", [
    (lambda: gpcl.scan([1], "summ"), ValueError, Status.ERROR_OPERATOR),
    (lambda: gpcl.scan([1], "a + b"), ValueError, Status.ERROR_OPERATOR),
    (lambda: gpcl.sort([1], algorithm="slow"), ValueError, Status.ERROR_ALGORITHM),
    (lambda: gpcl.sort([[1]], axis=2), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.sort(5), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul([[1.0]], [[1.0], [2.0]]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul(np.zeros((2, 2, 2)), np.zeros((3, 2, 2))), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul(2.0, [[1.0]]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul([[1.0]], [[1.0]], semiring="plus"), ValueError, Status.ERROR_SEMIRING),
    (lambda: gpcl.matmul([[1.0]], [[1.0]], precision="some"), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul([[1.0]], [[1.0]], beta=1), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.sort_pairs([1, 2], [1]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.sort_pairs([1, 2], np.zeros(2, "V65")), ValueError, Status.ERROR_VALUE_SIZE),
    (lambda: gpcl.argsort([1], dtype=np.int16), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram([1.5]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram(np.zeros(3, np.uint8), 0), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram([1.0], [0.0, 2.0, 1.0]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram([1.0, np.nan], 3), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram([1], 3, (2, 1)), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence([1.0], []), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence([1.0], [0.0] * 9), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence(None, [0.5]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence([1.0], [0.5], initial=[1, 2]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.lfilter([1], [0, 1], [1.0]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.algorithms("fly"), ValueError, Status.ERROR_OPERATION),
    (lambda: gpcl.open("no such device"), gpcl.GpError, Status.ERROR_NO_DEVICE)])
def test_errors(call, error, status):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, gpcl.GpError)
    assert caught.value.status == status and caught.value.build_log == "" and str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and again.status == status and str(again) == str(caught.value)


def test_too_much_memory(opencl):
    with pytest.raises(MemoryError) as caught:
        opencl.empty(2**50, np.float64)
    assert isinstance(caught.value, gpcl.GpError)


def test_operators_as_text(opencl):
    a = np.array([3, 1, 7, 2], np.int32)
    assert gpcl.scan(a, "max(a, b)", identity="INT_MIN").tolist() == [3, 3, 7, 7]
    assert gpcl.reduce(a, "pick(a, b)", identity=0, helpers="T pick(T a, T b) { return a ^ b; }") == 3 ^ 1 ^ 7 ^ 2
    with pytest.raises(gpcl.GpError) as caught:
        gpcl.scan(a, "nonsense(a)", identity=0)
    assert caught.value.status == Status.ERROR_BUILD
    assert "nonsense" in caught.value.build_log and caught.value.build_log in str(caught.value)


def test_operators_as_text_need_opencl():
    with gpcl.open("host") as host, pytest.raises(gpcl.GpError) as caught:
        host.scan([1], "a + b", identity=0)
    assert caught.value.status == Status.ERROR_UNSUPPORTED_DEVICE


@pytest.mark.parametrize("operation", ["matmul", "scan", "sort", "reduce", "histogram", "recurrence"])
def test_listings(ctx, operation):
    names = [each.name for each in gpcl.algorithms(operation)]
    assert names and len(set(names)) == len(names)
    ctx.warmup(operation, {"histogram": np.uint8, "recurrence": np.float64}.get(operation, np.int32))


def test_what_is_there(ctx):
    found = gpcl.devices()
    assert found[-1].kind == "host" and ctx.device.selector in [each.selector for each in found]
    assert gpcl.__version__.count(".") == 2 and isinstance(gpcl.cache_folder(), str)
    assert ctx.device.name in repr(ctx)
