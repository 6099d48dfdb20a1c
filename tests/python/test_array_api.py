"""The Python array API standard's functions on device arrays, against NumPy's."""
# SPDX-License-Identifier: MIT
import inspect

import numpy as np
import pytest

import gpcl
from gpcl import array_api as xp
from gpcl._expressions import OPERATIONS

random = np.random.default_rng(20)


def same(result, expected, tolerance=0.0):
    assert isinstance(result, gpcl.DeviceArray)
    expected = np.asarray(expected)
    assert result.dtype == expected.dtype and result.shape == expected.shape, (result, expected)
    np.testing.assert_allclose(result.numpy(), expected, rtol=tolerance, atol=0)


NAMES = [name for name in xp.ELEMENTWISE if not name.startswith("bitwise")]


# Of float64 a few, since a kernel is built for each.
@pytest.mark.parametrize("name, dtype", [*((name, "f4") for name in NAMES),
                                         *((name, "i4") for name in NAMES),
                                         ("exp", "f8"), ("isnan", "f8"), ("maximum", "f8")])
def test_elementwise_functions(ctx, name, dtype):
    if dtype == "f8" and not ctx.device.has_float64:
        pytest.skip("no float64")
    function = OPERATIONS[name].function
    a, b = (random.uniform(-3, 3, 300).astype(dtype) for _ in range(2))
    if dtype[0] == "f":
        a[:6], b[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1], [0.0, np.inf, -1, 0.5, 2, np.nan]
    elif not OPERATIONS[name].integers and name not in ("ceil", "floor", "round", "trunc"):
        return  # for floats, to the standard
    given = [a] if function.nin == 1 else [a, b]
    if name == "pow":
        given = [np.abs(a), b] if dtype[0] == "f" else [a, np.abs(b).astype("u4")]
    with np.errstate(all="ignore"):
        expected = function(*given)
    if dtype == "i4" and name in ("ceil", "floor", "round", "trunc"):
        expected = a
    tolerance = {"f4": 5e-5, "f8": 1e-10, "i4": 0}[dtype]
    same(getattr(xp, name)(*map(ctx.array, given)), expected, tolerance)


def test_elementwise_functions_of_bits(ctx):
    a, b = (random.integers(0, 8, 300).astype("i4") for _ in range(2))
    d, e = ctx.array(a), ctx.array(b)
    for name, expected in (("and", a & b), ("or", a | b), ("xor", a ^ b), ("left_shift", a << b),
                           ("right_shift", a >> b)):
        same(getattr(xp, f"bitwise_{name}")(d, e), expected)
    same(xp.bitwise_invert(d), ~a)
    same(xp.bitwise_invert(d > e), ~(a > b))
    same(xp.clip(d, 2, 5), np.clip(a, 2, 5))
    same(xp.clip(d, e, None), np.maximum(a, b))
    same(xp.where(d > e, d, 0), np.where(a > b, a, 0).astype("i4"))
    same(xp.where(d, d > e, e > d), np.where(a, a > b, b > a))
    assert xp.conj(d) is d and xp.real(d) is d
    for call in (lambda: xp.sqrt(a), lambda: xp.add(1, 2)):
        with pytest.raises(TypeError, match="device arrays"):
            call()


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (1,), ()], ids=str)
@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f4"])
def test_reductions(ctx, dtype, axis):
    a = random.integers(0, 3, (3, 4, 5)).astype(dtype)
    d = ctx.array(a)
    for keepdims in (False, True):
        for name in ("sum", "prod", "min", "max", "any", "all"):
            numpys = {"axis": axis, "keepdims": keepdims}
            same(getattr(xp, name)(d, axis=axis, keepdims=keepdims), getattr(np, name)(a, **numpys))
        same(xp.count_nonzero(d, axis=axis, keepdims=keepdims),
             np.sum(a != 0, axis=axis, keepdims=keepdims))
        if dtype == "f4":
            same(xp.mean(d, axis=axis, keepdims=keepdims), np.mean(a, axis=axis, keepdims=keepdims),
                 1e-6)
        if dtype == "f4" and axis != ():
            same(xp.var(d, axis=axis, correction=1, keepdims=keepdims),
                 np.var(a, axis=axis, ddof=1, keepdims=keepdims), 1e-5)
            same(xp.std(d, axis=axis, keepdims=keepdims), np.std(a, axis=axis, keepdims=keepdims),
                 1e-5)
        if axis is None or isinstance(axis, int):
            same(xp.argmin(d, axis=axis, keepdims=keepdims),
                 np.argmin(a, axis=axis, keepdims=keepdims))
            same(xp.argmax(d, axis=axis, keepdims=keepdims),
                 np.argmax(a, axis=axis, keepdims=keepdims))
    if dtype != "?":
        same(xp.sum(d, axis=axis, dtype="i1"), np.sum(a, axis=axis, dtype="i1"))
        same(xp.prod(d, axis=axis, dtype="f4"), np.prod(a, axis=axis, dtype="f4"))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_along_an_axis(ctx, axis):
    a = random.integers(-9, 9, (3, 4, 5)).astype("i2")
    d = ctx.array(a)
    same(xp.sort(d, axis=axis), np.sort(a, axis))
    same(xp.argsort(d, axis=axis), np.argsort(a, axis, kind="stable"))
    same(xp.sort(d, axis=axis, descending=True), np.flip(np.sort(a, axis), axis))
    same(xp.cumulative_sum(d, axis=axis), np.cumsum(a, axis))
    same(xp.cumulative_sum(d, axis=axis, dtype="i1"), np.cumsum(a, axis, dtype="i1"))
    same(xp.cumulative_prod(d, axis=axis, dtype="f4"), np.cumprod(a, axis, dtype="f4"))
    before = np.zeros_like(np.take(a, [0], axis), np.int64)
    same(xp.cumulative_sum(d, axis=axis, include_initial=True),
         np.concatenate([before, np.cumsum(a, axis)], axis))
    same(xp.diff(d, axis=axis, n=2), np.diff(a, 2, axis))
    same(xp.diff(d, axis=axis, prepend=d, append=d), np.diff(a, axis=axis, prepend=a, append=a))
    same(xp.flip(d, axis=axis), np.flip(a, axis))
    same(xp.roll(d, 2, axis=axis), np.roll(a, 2, axis))
    same(xp.concat([d, d[:, :, ::-1]], axis=axis), np.concatenate([a, a[:, :, ::-1]], axis))
    same(xp.stack([d, d], axis=axis), np.stack([a, a], axis))
    same(xp.repeat(d, 3, axis=axis), np.repeat(a, 3, axis))
    same(xp.expand_dims(d, axis=axis), np.expand_dims(a, axis))
    same(xp.moveaxis(d, axis, 0), np.moveaxis(a, axis, 0))
    same(xp.unstack(d, axis=axis)[1], np.take(a, 1, axis))


def test_shapes(ctx):
    a = random.integers(-9, 9, (3, 1, 5)).astype("f4")
    d = ctx.array(a)
    same(xp.permute_dims(d, (2, 0, 1)), a.transpose(2, 0, 1))
    same(xp.matrix_transpose(d), a.swapaxes(1, 2))
    same(d.mT, a.swapaxes(1, 2))
    same(xp.broadcast_to(d, (2, 3, 4, 5)), np.broadcast_to(a, (2, 3, 4, 5)))
    same(xp.broadcast_arrays(d, ctx.zeros((4, 1)))[0], np.broadcast_to(a, (3, 4, 5)))
    same(xp.reshape(d, (5, 3)), a.reshape(5, 3))
    same(xp.squeeze(d, 1), a.squeeze(1))
    same(xp.flip(d), np.flip(a))
    same(xp.roll(d, 4), np.roll(a, 4))
    same(xp.roll(d, (1, 2), axis=(0, 2)), np.roll(a, (1, 2), (0, 2)))
    same(xp.concat([d, d], axis=None), np.concatenate([a, a], None))
    same(xp.concat([d, ctx.array(a.astype("f2"))]), np.concatenate([a, a]))
    same(xp.repeat(d, 2), np.repeat(a, 2))
    for counts in ((2,), (2, 1, 3), (2, 1, 1, 2), (0,), ()):
        same(xp.tile(d, counts), np.tile(a, counts))
    x, y = np.arange(3, dtype="f4"), np.arange(4, dtype="f4")
    for indexing in ("xy", "ij"):
        for ours, numpys in zip(xp.meshgrid(ctx.array(x), ctx.array(y), indexing=indexing),
                                np.meshgrid(x, y, indexing=indexing)):
            same(ours, numpys)
    for k in (-1, 0, 2):
        same(xp.tril(ctx.array(np.ones((2, 4, 3), "f4")), k=k),
             np.tril(np.ones((2, 4, 3), "f4"), k))
        same(xp.triu(ctx.array(np.ones((2, 4, 3), "f4")), k=k),
             np.triu(np.ones((2, 4, 3), "f4"), k))
    for call in (lambda: xp.broadcast_to(d, (3, 2, 4)), lambda: xp.permute_dims(d, (0, 0, 1)),
                 lambda: xp.squeeze(d, 0), lambda: xp.concat([d, d[:, :, 1:]]),
                 lambda: xp.concat([]), lambda: xp.stack([d, d[0]]), lambda: xp.tril(d[0, 0]),
                 lambda: xp.moveaxis(d, (0, 1), (1, 1)), lambda: xp.cumulative_sum(d),
                 lambda: ctx.zeros(3).mT):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u4", "i4", "f4"])
def test_products(ctx, dtype):
    a, b = (random.integers(0, 9, shape).astype(dtype) for shape in ((2, 1, 3, 4), (5, 4, 2)))
    d, e = ctx.array(a), ctx.array(b)
    same(xp.matmul(d, e), np.matmul(a, b))
    same(xp.matmul(d[0, 0, 0], e), np.matmul(a[0, 0, 0], b))
    same(xp.matmul(d[0, 0, 0], d[0, 0, 1]), np.matmul(a[0, 0, 0], a[0, 0, 1]))
    same(xp.tensordot(d, e, axes=((3,), (1,))), np.tensordot(a, b, ((3,), (1,))))
    same(xp.tensordot(d[0, 0], e[0], axes=1), np.tensordot(a[0, 0], b[0], 1))
    same(xp.vecdot(d, d), (a * a).sum(-1, dtype=dtype))
    same(xp.vecdot(d, d, axis=-2), (a * a).sum(-2, dtype=dtype))
    if dtype[0] != "f":
        with pytest.raises(TypeError, match="int64"):
            xp.matmul(d, e.astype("i8"))
    for call in (lambda: xp.tensordot(d, e, axes=2), lambda: xp.vecdot(d, d[..., :1]),
                 lambda: xp.vecdot(d, d, axis=0), lambda: xp.vecdot(d, d[0, 0, 0], axis=-2)):
        with pytest.raises(ValueError):
            call()


def test_creation(ctx):
    real = np.dtype(np.float64 if ctx.device.has_float64 else np.float32)
    for result, expected in (
            (xp.zeros((2, 3)), np.zeros((2, 3), real)),
            (xp.ones(3, dtype="i1"), np.ones(3, "i1")),
            (xp.full((), 7), np.array(7)),
            (xp.full(2, 1.5), np.full(2, 1.5, real)),
            (xp.full(2, True), np.full(2, True)),
            (xp.arange(3), np.arange(3)),
            (xp.arange(1, 2, 0.25), np.arange(1, 2, 0.25).astype(real)),
            (xp.linspace(0, 1, 4, endpoint=False), np.linspace(0, 0.75, 4).astype(real)),
            (xp.eye(3, 4, k=1), np.eye(3, 4, 1).astype(real)),
            (xp.asarray([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
            (xp.asarray(1.5), np.array(1.5).astype(real)),
            (xp.asarray(np.float32([1])), np.float32([1])),
            (xp.from_dlpack(np.float32([1, 2])), np.float32([1, 2]))):
        same(result, expected)
    x = ctx.array(np.int16([1, 2]))
    assert xp.empty_like(x).dtype == x.dtype and xp.empty((2, 0)).shape == (2, 0)
    same(xp.zeros_like(x), np.int16([0, 0]))
    same(xp.ones_like(x, dtype="f4"), np.float32([1, 1]))
    same(xp.full_like(x, 9), np.int16([9, 9]))
    assert xp.asarray(x) is x and xp.asarray(x, copy=True).buffer is not x.buffer
    assert xp.astype(x, "i2", copy=False) is x and xp.astype(x, "i2").buffer is not x.buffer
    with gpcl.open("host") as other:
        y = xp.asarray(x, device=other)
        assert y.device is other and y.tolist() == [1, 2] and xp.zeros(3,
                                                                       device=other).device is other
        assert y.to_device(x.device).context is x.context
    for call in (lambda: xp.asarray([1], copy=False), lambda: xp.zeros(3, device="cpu"),
                 lambda: x.to_device(ctx, stream=1), lambda: xp.asarray(x, dtype="f4", copy=False)):
        with pytest.raises(ValueError):
            call()


def test_types(ctx):
    assert xp.finfo(xp.float32).bits == 32 and xp.finfo(xp.float32).eps == np.finfo("f4").eps
    assert type(xp.finfo(ctx.zeros(1)).max) is float and xp.iinfo(xp.int8)[:3] == (8, 127, -128)
    assert xp.isdtype(xp.int8, "signed integer") and not xp.isdtype(xp.bool, "numeric")
    assert xp.isdtype(xp.float32, (xp.float32, "bool")) and not xp.isdtype(xp.float32, xp.float64)
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(ctx.zeros(1), xp.int8)
    assert xp.result_type(ctx.zeros(1), xp.float32, 1.5) == np.float32 and xp.result_type(
        xp.int8, xp.uint8) == np.int16
    info = xp.__array_namespace_info__()
    assert info.default_device() in info.devices() and not info.capabilities()["boolean indexing"]
    assert info.default_dtypes()["integral"] == np.int64
    assert set(info.dtypes(kind="integral")) == {
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"
    }
    assert ("float64" in info.dtypes()) == ctx.device.has_float64
    with pytest.raises(ValueError, match="no kind"):
        xp.isdtype(xp.int8, "whole")


def test_the_namespace(ctx):
    x = ctx.array([1.5])
    assert x.__array_namespace__() is xp is gpcl.array_api and x.__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ValueError, match="1999.12"):
        x.__array_namespace__(api_version="1999.12")
    for name in xp.__all__:
        thing = getattr(xp, name)
        assert not inspect.isfunction(thing) or inspect.getdoc(thing), name
    for name, reason in (("take", "as indices"), ("unique_values", "depends on values"),
                         ("complex64", "complex"), ("isin", "searchsorted")):
        with pytest.raises(AttributeError, match=reason):
            getattr(xp, name)
    with pytest.raises(AttributeError, match="no attribute"):
        xp.nonesuch


def test_searchsorted(ctx):
    a, values = np.array([1, 2, 2, 5], np.int32), np.array([[2, 0], [9, 5]], np.int16)
    for side in ("left", "right"):
        d = xp.searchsorted(ctx.array(a), ctx.array(values), side=side)
        assert d.dtype == np.int64
        np.testing.assert_array_equal(d.numpy(), np.searchsorted(a, values, side))
    shuffled = ctx.array(a[[3, 0, 2, 1]])
    d = xp.searchsorted(shuffled, ctx.array(values), sorter=xp.argsort(shuffled))
    np.testing.assert_array_equal(d.numpy(), np.searchsorted(a, values))


def test_numbers_of_arrays(ctx):
    whole, real = ctx.array(np.int32(3)), ctx.array(np.float32(2.5))
    assert (int(whole), float(whole), complex(real),
            [10, 20, 30, 40][whole]) == (3, 3.0, 2.5, 40) and int(real) == 2
    for call in (lambda: int(ctx.zeros(3)), lambda: [1, 2][real], lambda: float(ctx.zeros((1, 1)))):
        with pytest.raises(TypeError, match="is no"):
            call()
