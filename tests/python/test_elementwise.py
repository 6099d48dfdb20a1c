"""Arithmetic and comparisons of device arrays, against NumPy."""
# SPDX-License-Identifier: MIT
import operator

import numpy as np
import pytest

import gpcl
from gpcl import Status

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
BITS = [operator.and_, operator.or_, operator.xor]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
UNARY = [operator.neg, operator.pos, operator.abs]
# Building a kernel for each takes some time.
INTEGERS, FLOATS = [("i4", "i4"), ("i1", "i1"), ("u8", "u2")], [("f4", "f4"), ("f8", "f2")]
CASES = [(call, pair) for call in ARITHMETIC for pair in INTEGERS + FLOATS]
CASES += [(call, pair) for call in BITS for pair in (INTEGERS[0], FLOATS[0])]
CASES += [(call, pair) for call in COMPARISONS for pair in (("i8", "u1"), ("f4", "f2"))]


@pytest.fixture
def float64(ctx):
    if not ctx.device.has_float64:
        pytest.skip("the device has no float64")
    return ctx


def numbers(dtype, seed):
    """Numbers of all sizes, with the type's limits, zeros and both signs among them."""
    random, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "f":
        a = random.normal(0, 10, 300).astype(dtype)
        special = [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, np.finfo(dtype).max, -np.finfo(dtype).max]
    else:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        a = random.integers(least, most, 300, dtype, endpoint=True)
        a[150:] = random.integers(max(least, -5), 6, 150)
        special = [0, 1, least, most, most // 2]
    a[random.integers(0, 300, len(special))] = special
    if dtype.kind == "i":
        a[random.integers(0, 300, 20)] = -1
    return a


def same(result, expected, close=False):
    """Equal to the bit, but for signs of NaN."""
    assert isinstance(result, gpcl.DeviceArray)
    expected = np.asarray(expected)
    assert result.dtype == expected.dtype
    if close:
        np.testing.assert_allclose(result.numpy(), expected, rtol=20 * np.finfo(expected.dtype).eps)
        return
    np.testing.assert_array_equal(result.numpy(), expected)
    if expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(result.numpy())[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("call, pair", CASES, ids=lambda each: "-".join(each) if isinstance(each, tuple) else each.__name__)
def test_arrays(float64, call, pair):
    a, b = (numbers(dtype, seed) for seed, dtype in enumerate(pair))
    d, e = float64.array(a), float64.array(b)
    integers = a.dtype.kind != "f" and b.dtype.kind != "f"
    if call in BITS and not integers:
        with pytest.raises(TypeError):
            call(d, e)
        return
    if call is operator.pow:
        if integers and np.result_type(a, b).kind == "i":
            with pytest.raises(TypeError, match="astype"):
                call(d, e)
            return
        if not integers:
            a, b = np.abs(a), np.clip(b, -3, 3)
            d, e = float64.array(a), float64.array(b)
    with np.errstate(all="ignore"):
        same(call(d, e), call(a, b), close=call is operator.pow and not integers)


@pytest.mark.parametrize("call", [*ARITHMETIC, operator.lt], ids=lambda each: each.__name__)
def test_numbers(float64, call):
    """Either operand may be a number of Python's or NumPy's; the result has NumPy's type."""
    for a, number in ((numbers("i4", 1), 3), (numbers("f4", 2), 2.5)):
        d = float64.array(a)
        with np.errstate(all="ignore"):
            same(call(d, number), call(a, number), close=call is operator.pow and a.dtype.kind == "f")
            if call not in (operator.add, operator.mul, operator.pow):
                same(call(number, d), call(number, a))


@pytest.mark.parametrize("dtype", ["i1", "u1", "f2"])
def test_types_of_numbers(float64, dtype):
    a = np.arange(3).astype(dtype)
    for number in (3, 2.5, True, np.int32(7), np.float32(7), np.float64(7), np.bool_(True)):
        same(float64.array(a) + number, a + number)


@pytest.mark.parametrize("call", UNARY, ids=lambda each: each.__name__)
@pytest.mark.parametrize("dtype", ["i1", "i8", "u4", "f2"])
def test_of_one_array(float64, call, dtype):
    a = numbers(dtype, 5)
    same(call(float64.array(a)), call(a))


def test_squares(float64):
    for dtype in ("f4", "f2", "f8", "i4"):
        a = numbers(dtype, 6)
        with np.errstate(all="ignore"):
            same(float64.array(a) ** 2, a ** 2)


@pytest.mark.parametrize("shapes", [
    ((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 4), (3, 1)), ((3, 1), (1, 4)), ((3, 1, 5), (2, 5)), ((2, 3, 4, 5), (3, 1, 5)),
    ((2, 3, 4, 5), (2, 1, 4, 1)), ((5,), ()), ((), ()), ((0, 4), (4,)), ((1, 1), (1,))], ids=str)
def test_shapes(ctx, shapes):
    random = np.random.default_rng(7)
    a, b = (random.integers(-9, 9, shape).astype(np.int32) for shape in shapes)
    same(ctx.array(a) - ctx.array(b), a - b)
    same(ctx.array(b) - ctx.array(a), b - a)
    if a.ndim:  # an array of the host is copied; of none of NumPy's own types either
        same(ctx.array(b) - a, b - a)
        same(a - ctx.array(b), a - b)
        if b.size:
            same(ctx.array(a) * b.tolist(), a * b.tolist())


def test_parts(ctx):
    a = np.arange(24, dtype=np.int32).reshape(4, 6)
    d = ctx.array(a)
    same(d[1:3] + d[2], a[1:3] + a[2])
    d[1:3] *= d[0]
    a[1:3] *= a[0]
    np.testing.assert_array_equal(d.numpy(), a)


def test_in_place(ctx):
    a = np.arange(6, dtype=np.int32)
    d = ctx.array(a)
    kept = d
    d += 1
    d -= d[:6]
    d += a
    d *= 3
    d //= 2
    d %= 5
    d **= 3
    d &= 7
    d |= 8
    d ^= 1
    assert d is kept
    np.testing.assert_array_equal(d.numpy(), ((((a * 3 // 2) % 5) ** 3 & 7) | 8) ^ 1)
    f = ctx.array(np.float32([1, 2, 4]))
    f /= 2
    f += ctx.array(np.int8([1, 1, 1]))
    assert f.dtype == np.float32 and f.tolist() == [1.5, 2, 3]
    part = ctx.array(a)
    part[1:] += part[:-1]  # overlap: as if the right side were read first
    assert part.tolist() == [0, 1, 3, 5, 7, 9]
    with pytest.raises(TypeError, match="in place"):
        d += 0.5
    with pytest.raises(ValueError, match="does not fit"):
        d += np.zeros((2, 6), np.int32)


def test_what_is_refused(ctx):
    d = ctx.array(np.arange(3, dtype=np.int32))
    for call in (lambda: d + "x", lambda: d + None, lambda: d == None, lambda: d + 1j, lambda: d & 1.5,  # noqa: E711
                 lambda: d.astype(np.int64) < ctx.array(np.arange(3, dtype=np.uint64)), lambda: 2 ** d, lambda: d ** d,
                 lambda: d + np.array([1j, 0, 1]), lambda: d.astype("c16"), lambda: hash(d)):
        with pytest.raises(TypeError):
            call()
    for call in (lambda: d + ctx.array(np.zeros(4, np.int32)), lambda: d ** -1):
        with pytest.raises(ValueError):
            call()
    with gpcl.open("host") as other, pytest.raises(ValueError) as caught:
        d + other.array(np.arange(3, dtype=np.int32))
    assert caught.value.status == Status.ERROR_WRONG_CONTEXT


@pytest.mark.parametrize("source, dtype", [("i8", "i1"), ("i1", "u8"), ("u4", "f4"), ("i8", "f8"), ("i2", "f2"), ("f2", "f4"),
                                           ("f4", "f2"), ("f8", "f2"), ("f8", "f4"), ("f8", "i1"), ("f2", "u4"), ("f4", "i8")])
def test_conversions(float64, source, dtype):
    a = numbers(source, 8)
    if a.dtype.kind == "f" and np.dtype(dtype).kind != "f":
        a = np.clip(np.nan_to_num(a), 0, 100)  # what the type lacks may become anything
    with np.errstate(all="ignore"):
        same(float64.array(a).astype(dtype), a.astype(dtype))


def test_transposed(ctx):
    for shape, dtype in (((3, 5), "u1"), ((3, 5), "f4"), ((1, 4), "f4"), ((2, 3, 4), "f8"), ((0, 3), "i2")):
        a = np.random.default_rng(9).integers(0, 100, shape).astype(dtype)
        same(ctx.array(a).T, a.T)
    d = ctx.array([1, 2])
    assert d.T is d
    m = ctx.array(np.float32([[1, 2, 3], [4, 5, 6]]))
    same(m[1:].T @ m[:1], np.float32([[4, 8, 12], [5, 10, 15], [6, 12, 18]]))


def test_reductions(float64):
    a = np.random.default_rng(10).integers(-3, 4, (4, 5, 6))
    for dtype in ("i1", "i8", "f2", "f4"):
        b = a.astype(dtype)
        d = float64.array(b)
        for axis in (None, 0, 2, (0, 1), (1, 2)):
            for keepdims in (False, True):
                same(d.any(axis, keepdims=keepdims), b.any(axis, keepdims=keepdims))
                same(d.all(axis, keepdims=keepdims), b.all(axis, keepdims=keepdims))
                mean, expected = d.mean(axis, keepdims=keepdims), b.mean(axis, keepdims=keepdims)
                assert mean.dtype == expected.dtype and mean.shape == expected.shape
                near = 1e-3 if dtype == "f2" else 1e-6
                np.testing.assert_allclose(mean.numpy(), expected, rtol=near, atol=near)
    empty = float64.array(np.zeros((0, 3), np.float32))
    assert not empty.any() and empty.all() and np.isnan(empty.mean().item()) and empty.mean(1).shape == (0,)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u4", "i8", "f2", "f4"])
def test_reductions_have_numpys_types(float64, dtype):
    """The library itself sums no type of less than 32 bits."""
    a = np.random.default_rng(11).integers(0, 2, (4, 30)).astype(dtype)
    d = float64.array(a)
    for axis in (None, 0, 1):
        for name in ("sum", "prod", "min", "max"):
            same(getattr(d, name)(axis), getattr(a, name)(axis))
            same(getattr(np, name)(d, axis=axis), getattr(a, name)(axis))
    least, greatest = (False, True) if dtype == "?" else (-np.inf, np.inf) if dtype[0] == "f" else (
        np.iinfo(dtype).min, np.iinfo(dtype).max)
    same(d[:0].max(0), np.full(30, least, dtype))
    same(d[:0].min(0), np.full(30, greatest, dtype))


def test_what_comparisons_give(ctx):
    """bool, as NumPy's, which the operations take as 0 and 1."""
    a = np.int32([3, 1, 4, 1, 5, 9, 2, 6])
    d = ctx.array(a)
    same(d.scan(heads=d == 1), np.int32([3, 1, 5, 1, 6, 15, 17, 23]))
    same((d > 2).sort(), np.sort(a > 2))
    same((d > 2).argsort(dtype=np.intp), np.argsort(a > 2, kind="stable"))
    same(d.sort_pairs(d > 2)[1], (a > 2)[np.argsort(a, kind="stable")])
    same((d > 2).argmax(), np.argmax(a > 2))
    same((d > 2) * d, (a > 2) * a)
    same(~(d > 2) | (d == 9), ~(a > 2) | (a == 9))
    same((d > 2) + (d > 4), (a > 2) + (a > 4))
    same((d - 3).astype(bool), (a - 3).astype(bool))
    same((d > 2).astype(np.float32), (a > 2).astype(np.float32))
    flags = ctx.array([True, False])
    flags[1:] = 7
    assert flags.tolist() == [True, True] and flags.dtype == np.bool_
    for call in (lambda: flags - flags, lambda: -flags, lambda: +flags, lambda: flags.scan(), lambda: flags @ flags):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8"])
def test_shifts(ctx, dtype):
    a = numbers(dtype, 12)
    bits = np.arange(a.size).astype(dtype) % np.dtype(dtype).type(8 * a.itemsize + 3)  # more than the type has, too
    d, e = ctx.array(a), ctx.array(bits)
    same(d << e, a << bits)
    same(d >> e, a >> bits)
    same(d >> 2, a >> 2)
    same(~d, ~a)
    d <<= 1
    same(d, a << 1)


def test_a_kernel_is_built_once(opencl):
    with gpcl.open(opencl.device.selector) as ctx:
        d, e = ctx.array(np.float32([1, 2, 3])), ctx.array(np.float32([[1], [2]]))
        _ = d + d, d + 1.5, d + e
        built = len(ctx._kernels)
        for n in range(5):
            _ = d[n % 2:] + d[n % 2:], d + n, d + ctx.zeros((n + 2, 1))
        assert len(ctx._kernels) == built == 3


def test_devices_without_float64_say_so():
    with gpcl.open("host") as ctx:
        ctx._device = gpcl.Device(**{**vars(ctx._device), "has_float64": False})
        d = ctx.array(np.int32([1, 2]))
        for call in (lambda: d / 2, lambda: d.astype(np.float64), lambda: d.mean()):
            with pytest.raises(gpcl.GpError, match="float64") as caught:
                call()
            assert caught.value.status == Status.ERROR_UNSUPPORTED_TYPE
        assert (d.astype(np.float32) / 2).tolist() == [0.5, 1]
