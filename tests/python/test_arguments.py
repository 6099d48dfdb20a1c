"""What is taken and what is refused: kinds of arrays, out, errors."""
# SPDX-License-Identifier: MIT
import array
import pickle
import re

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


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda b: array.array("B", b), lambda b: np.frombuffer(b, "u1")])
def test_bytes(kind):
    assert gpcl.sort(kind(b"cab")).tolist() == [97, 98, 99]
    assert gpcl.histogram(kind(b"cab"), None)[0][97:100].tolist() == [1, 1, 1] and gpcl.sort(kind(b"")).tolist() == []


def test_what_refuses_to_be_read():
    class Broken(Exchange):
        def __dlpack__(self, **options):
            raise BufferError("broken")

    with pytest.raises(BufferError):
        gpcl.sort(Broken(np.zeros(3)))


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


def test_big_endian():
    a = np.array([3, 1, 2], ">i4")
    for result in (gpcl.sort(a), gpcl.scan(a), gpcl.matmul(a, a.reshape(3, 1)), gpcl.recurrence(a, [1])):
        assert result.dtype.isnative
    assert gpcl.scan(a).tolist() == [3, 4, 6] and gpcl.histogram(np.array([7], ">u1"), None)[0][7] == 1
    keys, values = gpcl.sort_pairs(a, np.array([30, 10, 20], ">i2"))
    assert keys.tolist() == [1, 2, 3] and values.tolist() == [10, 20, 30]
    for call in (lambda: gpcl.sort(a, out=a), lambda: gpcl.scan(a, out=a), lambda: gpcl.scan(a, dtype=">i4")):
        with pytest.raises(TypeError, match=">i4"):
            call()


def test_subclasses():
    class Subclass(np.ndarray):
        pass

    assert type(gpcl.sort(np.array([3, 1, 2]).view(Subclass))) is np.ndarray
    masked = np.ma.array([3, 1, 2], mask=[0, 1, 0])
    for call in (lambda: gpcl.sort(masked), lambda: gpcl.sort([3, 1, 2], out=masked)):
        with pytest.raises(TypeError):
            call()


def test_scalars_are_not_cut():
    a = np.eye(2, dtype=np.int32)
    assert gpcl.matmul(a, a, alpha=np.float64(3)).tolist() == [[3, 0], [0, 3]]
    for bad in (0.5, 2**31, float("nan"), [1, 2]):
        with pytest.raises(ValueError):
            gpcl.matmul(a, a, alpha=bad)
    for bad in ("2", 1j):
        with pytest.raises(TypeError):
            gpcl.matmul(a, a, alpha=bad)


@pytest.mark.parametrize("call", [lambda x: gpcl.open(x), lambda x: gpcl.default_context().kernel(x, "f"),
                                  lambda x: gpcl.default_context().kernel("kernel void f() {}", x), gpcl.algorithms,
                                  lambda x: gpcl.sort([1], algorithm=x), gpcl.set_default_context])
def test_texts(call):
    with pytest.raises((TypeError, ValueError)):
        call(7)
    with pytest.raises((TypeError, ValueError)):
        call("a\0b")  # which C would cut


def test_overlap():
    a = np.arange(10.0)
    with pytest.raises(ValueError) as caught:
        gpcl.scan(a[:-1], out=a[1:])
    assert caught.value.status == Status.ERROR_OVERLAP
    with pytest.raises(ValueError):
        m = np.eye(3)
        gpcl.matmul(m, m, m)


@pytest.mark.parametrize("call", [
    lambda k, v: gpcl.sort_pairs(k, v, out=(v, k)), lambda k, v: gpcl.sort_pairs(k, v, out=(k, k)),
    lambda k, v: gpcl.sort_pairs(k, v, out=(None, k)), lambda k, v: gpcl.sort(k[1:], out=k[:-1]),
    lambda k, v: gpcl.sort(k, out=k[::-1]), lambda k, v: gpcl.scan(k, out=k[::-1]), lambda k, v: gpcl.argsort(k, out=k[::-1]),
    lambda k, v: gpcl.matmul(v.reshape(2, 2), v.reshape(2, 2), v.reshape(2, 2).T),
    lambda k, v: gpcl.recurrence(v.astype(float)[::-1], [1.0], initial=(f := np.zeros(4))[:1], out=f),
    lambda k, v: gpcl.recurrence(f := np.zeros(4), [1.0], out=f[::-1]),
    lambda k, v: gpcl.recurrence_varying(np.zeros(4), f := np.zeros(4), out=f)])
def test_overlaps_that_a_copy_would_hide(call):
    """They are refused before anything is written."""
    k, v = np.array([3, 1, 2, 0]), np.array([30, 10, 20, 0])
    with pytest.raises(ValueError) as caught:
        call(k, v)
    assert caught.value.status == Status.ERROR_OVERLAP
    assert k.tolist() == [3, 1, 2, 0] and v.tolist() == [30, 10, 20, 0]


def test_neighbours_do_not_overlap():
    m = np.array([[3, 0], [1, 0], [2, 0]])
    assert gpcl.sort(m[:, 0], out=m[:, 1]).tolist() == [1, 2, 3] and m[:, 0].tolist() == [3, 1, 2]


@pytest.mark.parametrize("call, error, status", [
    (lambda: gpcl.scan([1], "summ"), ValueError, Status.ERROR_OPERATOR),
    (lambda: gpcl.scan([1], "a + b"), ValueError, Status.ERROR_OPERATOR),
    (lambda: gpcl.sort([1], algorithm="slow"), ValueError, Status.ERROR_ALGORITHM),
    (lambda: gpcl.sort([[1]], axis=2), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.sort(5), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.sort([[1]], axis=(0, 1)), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.sort([1], axis=0.5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.sort([1], bits=(-1, 3)), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.sort([1], bits=(3, 99)), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.reduce([[1]], axis=(0, -2)), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.reduce([[1]], axis=(0, 2)), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul(np.ones((2, 2), np.int64), [[1], [1]]), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.matmul(np.int8([[1]]), np.int8([[1]]), semiring="min-plus"), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.matmul([[True]], [[True]], semiring="max-min"), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.matmul([[1.0]], [[1.0], [2.0]]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul(np.zeros((2, 2, 2)), np.zeros((3, 2, 2))), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul(2.0, [[1.0]]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul([[1.0]], [[1.0]], semiring="plus"), ValueError, Status.ERROR_SEMIRING),
    (lambda: gpcl.matmul([[1.0]], [[1.0]], precision="some"), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.matmul([[1.0]], [[1.0]], beta=1), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.sort_pairs([1, 2], [1]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.sort_pairs([1, 2], np.zeros(2, "V65")), ValueError, Status.ERROR_VALUE_SIZE),
    (lambda: gpcl.argsort([1], dtype=np.int16), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram([1.5], None), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram(np.zeros(3, np.uint8), 0), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram([1.0], 2.4), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram([1.0], []), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram(np.zeros(3, np.longdouble)), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram([1.0], 3, out=np.zeros(3, np.int32)), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram([1.0], [0.0, 2.0, 1.0]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram([1.0, np.nan], 3), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram([1], 3, (2, 1)), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence([1.0], []), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence([1.0], [0.0] * 9), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence(None, [0.5]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence(None, [0.5], n=-1), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence([1.0], [0.5], initial=[1, 2]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence_varying([1.0, 2.0], [1.0]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence_varying([1.0], [1.0], initial=[1, 2]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.recurrence_varying([1.0], None), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.lfilter([1], [0, 1], [1.0]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.algorithms("fly"), ValueError, Status.ERROR_OPERATION),
    (lambda: gpcl.default_context().array([1.0, 2.0]).histogram(), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.default_context().array(np.uint8([1])).scan(), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.default_context().array([1]).reduce(dtype=np.float32), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.default_context().sort_work_bytes(-1, np.int32), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.default_context().empty(-1), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.default_context().empty(2.5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.default_context().set_parameter("matmul", "f4", "panels", "depth", -1), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.default_context().set_parameter("matmul", "f4", "panels", "x", 1), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.Local(-1), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.default_context().array([1, 2]).bincount([1, 2]), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.searchsorted([1, 2], [1.0], side=["left"]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.searchsorted(np.arange(3), [1], sorter=[0, 5, 1]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.searchsorted(np.arange(3), np.array([1]), sorter=np.array([0, 5, 1])), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.searchsorted(np.arange(3), np.array([1]), sorter=np.array([0.0, 1, 2])), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.searchsorted(np.arange(3), np.array([1]), sorter=np.array([0, 1])), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.lexsort(5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.lexsort({1: [1, 2]}), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.lexsort("ab"), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.merge_pairs([1], [2], [1], [2], out=5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.merge_pairs([1], [2], [1], [2], out=np.zeros(2, int)), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.merge_pairs([1], [2], None, [2]), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.merge_pairs([1], [2], None, None), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.sort_pairs([1], [2], out=([1],)), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.top_k([1, 2], 1, algorithm=5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.sort([1], algorithm=0), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.scan([1], "a + b", identity=0, helpers=5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.sort([1], bits=5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.reduce([1], dtype="zz"), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.argsort([1], dtype="zz"), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.default_context().empty(3, "zz"), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.bincount([1], [1.0], minlength="a"), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.bincount([1], minlength=-1), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.bincount([2**50]), MemoryError, Status.ERROR_HOST_MEMORY),
    (lambda: gpcl.bincount(np.uint64([2**63])), MemoryError, Status.ERROR_TOO_LARGE),
    (lambda: gpcl.bincount([1], np.zeros(1, np.longdouble)), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram([1, 2], 3, weights=[1]), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.histogram([1], 3, range=5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram2d([1], [2], bins="auto"), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram2d([1], [2], range=5), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram2d([1], [2], range=(1, 2)), TypeError, Status.ERROR_DTYPE),
    (lambda: gpcl.histogram2d(*[gpcl.default_context().array([1])] * 2, 3, (None, (0, 1))), ValueError, Status.ERROR_OPTION),
    (lambda: gpcl.argmin(np.zeros((0, 0)), axis=0), ValueError, Status.ERROR_EMPTY),
    (lambda: gpcl.open("no such device"), gpcl.GpError, Status.ERROR_NO_DEVICE)])
def test_errors(call, error, status):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, gpcl.GpError)
    assert caught.value.status == status and caught.value.build_log == "" and str(caught.value)
    assert not re.search(r"\bgp_|\bGP_|->|\bNULL\b|begin_bit|accumulator", str(caught.value))  # C's words
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and again.status == status and str(again) == str(caught.value)


@pytest.mark.parametrize("call, said", [
    (lambda x: gpcl.sort(x, reverse=True), "sort has no option 'reverse', did you mean 'descending'? there are a, axis, desc"),
    (lambda x: gpcl.default_context().sort(x, descend=True), "no option 'descend', did you mean 'descending'?"),
    (lambda x: gpcl.default_context().array(x).sort(reverse=True), "sort has no option 'reverse', did you mean 'descending'?"),
    (lambda x: gpcl.sort(x, kind="stable"), "sort has no option 'kind': every sort is stable; there are"),
    (lambda x: gpcl.scan(x, quux=1), "scan has no option 'quux'; there are a, op, axis,"),
    (lambda x: gpcl.reduce(x, keep_dims=True), "did you mean 'keepdims'?"),
    (lambda x: gpcl.scan(x, "max"), "no operator 'max', did you mean 'maximum'? there are add, multiply, minimum, maximum, and"),
    (lambda x: gpcl.scan(x, "Add"), "did you mean 'add'?"),
    (lambda x: gpcl.matmul(x, x, semiring="min_plus"), "no semiring 'min_plus', did you mean 'min-plus'? there are plus-times,"),
    (lambda x: gpcl.matmul(x, x, semiring="tropical"), "no semiring 'tropical'; there are plus-times, min-plus,"),
    (lambda x: gpcl.algorithms("sorts"), "no operation 'sorts', did you mean 'sort'? there are matmul, scan,"),
    (lambda x: gpcl.sort(x, algorithm="hots"), "algorithm 'hots' is unknown"),
    (lambda x: gpcl.default_context().sort(x, algorithm=gpcl.algorithms("sort")[0].name + "x"),
     f"did you mean '{gpcl.algorithms('sort')[0].name}'? there are: "),
    (lambda x: gpcl.histogram2d(x, x, bins="auto"), "bins is 'auto'; histogram2d takes numbers of bins and edges"),
    (lambda x: gpcl.histogram2d(x, x, range=5), "range is 5, expected ((lower, upper), (lower, upper))"),
    (lambda x: gpcl.histogram(x, range=5), "range is 5, expected (lower, upper)"),
    (lambda x: gpcl.merge_pairs(x, x, x, x, out=x[:2]), "out is ndarray, expected a pair of arrays"),
    (lambda x: gpcl.merge(x, x, algorithm=5), "algorithm is int, expected a str")])
def test_hints(call, said):
    with pytest.raises((TypeError, ValueError)) as caught:
        call(np.array([3, 1, 2]))
    assert said in str(caught.value)
    assert isinstance(caught.value, gpcl.GpError)


def test_a_type_error_of_another_cause_stays():
    """Of what is called inside, too."""
    class Broken:
        def __array__(self, *_, **__):
            raise TypeError("broken inside")

    with pytest.raises(TypeError, match="^broken inside$"):
        gpcl.sort(Broken(), descending=True)
    with pytest.raises(TypeError, match="positional argument"):
        gpcl.sort()


def test_memory_of_opencl_is_wrapped():
    class Memory:
        int_ptr = 1

    with pytest.raises(TypeError, match="Context.wrap"):
        gpcl.default_context().array(Memory())


@pytest.mark.parametrize("shape", [2**50, 2**62, 2**70, (2**40, 2**40)])
def test_too_much_memory(ctx, shape):
    with pytest.raises(MemoryError) as caught:
        ctx.empty(shape, np.float64)
    assert isinstance(caught.value, gpcl.GpError)


def test_operators_as_text(opencl):
    a = np.array([3, 1, 7, 2], np.int32)
    assert gpcl.scan(a, "max(a, b)", identity="INT_MIN").tolist() == [3, 3, 7, 7]
    assert gpcl.reduce(a, "pick(a, b)", identity=0, helpers="T pick(T a, T b) { return a ^ b; }") == 3 ^ 1 ^ 7 ^ 2
    with pytest.raises(gpcl.GpError) as caught:
        gpcl.scan(a, "nonsense(a)", identity=0)
    assert caught.value.status == Status.ERROR_BUILD
    assert "nonsense" in caught.value.build_log and caught.value.build_log in str(caught.value)
    assert "; build_log has the whole log" in caught.value.message and "gp_" not in caught.value.message


def test_elements_of_float16_need_its_arithmetic(opencl):
    for elements in (np.float16([2, 1]), np.zeros(2, [("at", "i4"), ("weight", "f2", 2)])):
        if opencl.device.has_float16:
            gpcl.sort_by(elements, "0")
            continue
        for each in (elements, opencl.array(elements)) if elements.dtype.fields is None else (elements,):
            with pytest.raises(gpcl.GpError, match="no arithmetic of float16") as caught:
                gpcl.sort_by(each, "0")
            assert caught.value.status == Status.ERROR_UNSUPPORTED_TYPE and caught.value.build_log == ""


def test_operators_as_text_need_opencl():
    with gpcl.open("host") as host, pytest.raises(gpcl.GpError) as caught:
        host.scan([1], "a + b", identity=0)
    assert caught.value.status == Status.ERROR_UNSUPPORTED_DEVICE


@pytest.mark.parametrize("operation", ["matmul", "scan", "sort", "reduce", "histogram", "recurrence", "recurrence-varying"])
def test_listings(ctx, operation):
    names = [each.name for each in gpcl.algorithms(operation)]
    assert names and len(set(names)) == len(names)
    ctx.warmup(operation, {"histogram": np.uint8, "recurrence": np.float64, "recurrence-varying": np.float32}.get(operation, np.int32))


def test_proofs(ctx):
    assert any(each.needs_proof for each in gpcl.algorithms("scan"))
    for now in (True, False):
        ctx.prove("scan", "chunks", np.int32, now=now)  # has nothing to prove
        ctx.prove("scan", "look-back", np.float32, now=now)
    with pytest.raises(ValueError, match="look-back"):
        ctx.prove("scan", "look-bark", np.int32)
    with pytest.raises(TypeError):
        ctx.prove("scan", "look-back", np.int8)


def test_what_is_there(ctx):
    found = gpcl.devices()
    assert found[-1].kind == "host" and ctx.device.selector in [each.selector for each in found]
    assert gpcl.__version__.count(".") == 2 and isinstance(gpcl.cache_folder(), str)
    assert isinstance(gpcl.cache_problem(), str)
    assert isinstance(gpcl.tuning_file(), str)
    assert ctx.device.name in repr(ctx)


def test_parameters(tmp_path):
    context = gpcl.default_context()
    found = [each for each in context.parameters("matmul", np.float32) if each.algorithm == "panels"]
    assert found and all(each.value == each.preset and each.value in each.values for each in found)
    one = found[0]
    other = next(value for value in one.values if value != one.preset)
    context.set_parameter("matmul", np.float32, one.algorithm, one.name, other)
    assert other in [each.value for each in context.parameters("matmul", np.float32) if each.name == one.name]
    context.save_tuning(str(tmp_path / "tuning"))
    assert f"matmul float32 {one.algorithm} {one.name} {other}\n" in (tmp_path / "tuning").read_text()
    context.set_parameter("matmul", np.float32, one.algorithm, one.name, 0)
    with pytest.raises(ValueError):
        context.set_parameter("matmul", np.float32, one.algorithm, one.name, 10**6)
    with pytest.raises(gpcl.GpError):
        context.save_tuning(str(tmp_path))
    for operation in ("scan", "reduce", "sort", "histogram", "recurrence"):
        assert context.parameters(operation, np.float32)
