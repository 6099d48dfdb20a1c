"""Device arrays, kernels, events, and programs that use OpenCL themselves."""
# SPDX-License-Identifier: MIT
import copy
import pickle

import numpy as np
import pytest

import gpcl
from gpcl import Status

random = np.random.default_rng(3)


def test_there_and_back(ctx):
    for dtype in ("i1", "u2", "i4", "f2", "f4", "i8"):
        for shape in ((), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4)):
            a = random.integers(0, 100, shape).astype(dtype)
            d = ctx.array(a)
            assert (d.shape, d.dtype, d.size, d.ndim, d.nbytes) == (a.shape, a.dtype, a.size, a.ndim, a.nbytes)
            np.testing.assert_array_equal(d.numpy(), a)
            np.testing.assert_array_equal(np.asarray(d), a)
    strided = np.arange(20, dtype=">i4").reshape(4, 5)[::2, ::-1]
    np.testing.assert_array_equal(ctx.array(strided).numpy(), strided)
    out = np.zeros((5, 2), np.int32).T
    assert ctx.array(strided).numpy(out) is out
    np.testing.assert_array_equal(out, strided)


def test_views(ctx):
    a = np.arange(24, dtype=np.int32).reshape(4, 6)
    d = ctx.array(a)
    for index in (0, -1, slice(1, 3), slice(None), slice(3, 1), slice(-2, None)):
        np.testing.assert_array_equal(d[index].numpy(), a[index])
    np.testing.assert_array_equal(d.reshape(-1, 3)[2:5].numpy(), a.reshape(-1, 3)[2:5])
    np.testing.assert_array_equal(d.reshape(24)[5:].scan().numpy(), np.cumsum(a.reshape(24)[5:], dtype=np.int32))
    d[1].fill(-1)
    d[2].write(np.zeros(6))
    assert d.numpy()[1].tolist() == [-1] * 6 and d.numpy()[2].tolist() == [0] * 6
    assert len(d) == 4 and "(4, 6)" in repr(d)
    for bad in (lambda: d[4], lambda: d[-5]):
        with pytest.raises(IndexError):
            bad()
    for bad in (lambda: d.reshape(5, 5), lambda: d.write(np.zeros(3))):
        with pytest.raises(ValueError):
            bad()
    with pytest.raises(TypeError):
        d["x"]


def test_habits_of_numpys_arrays(ctx):
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    d = ctx.array(a)
    assert repr(ctx.array(np.int32([1, -2]))).startswith("DeviceArray([ 1, -2], shape=(2,), dtype=int32, device=")
    assert repr(ctx.empty(5000)).startswith("<gpcl.DeviceArray shape=(5000,), dtype=float32, device=")
    assert d.tolist() == a.tolist() and ctx.array(np.float32(2)).tolist() == 2.0
    other = d.astype(np.float64)
    assert other.dtype == np.float64 and other.tolist() == a.tolist()
    for copied in (d.astype(a.dtype), copy.deepcopy(d), copy.copy(d), pickle.loads(pickle.dumps(d))):
        assert copied.buffer is not d.buffer and copied.dtype == d.dtype and copied.tolist() == a.tolist()
    d[1] = -1
    d[0:2][1] = [5, 6, 7, 8]
    d[2:] = ctx.array(np.zeros((1, 4), np.int32))
    d[0] = 9
    a[1], a[2], a[0] = [5, 6, 7, 8], 0, 9
    assert d.tolist() == a.tolist()
    for bad in (lambda: d.__setitem__(0, [1, 2]), lambda: d.__setitem__(0, 1.5), lambda: d.__setitem__(slice(0, 3, 2), [1, 2, 3])):
        with pytest.raises(ValueError):
            bad()


def test_sums_along_axes(ctx):
    a = np.random.default_rng(3).integers(-9, 9, (6, 5, 4)).astype(np.int32)
    d = ctx.array(a)
    for axis in (None, 0, (0, 1), 2, (1, 2), (0, 1, 2)):
        for keepdims in (False, True):
            np.testing.assert_array_equal(d.sum(axis, keepdims=keepdims).numpy(), a.sum(axis, keepdims=keepdims))
            np.testing.assert_array_equal(d.min(axis, keepdims=keepdims).numpy(), a.min(axis, keepdims=keepdims))
            np.testing.assert_array_equal(d.max(axis, keepdims=keepdims).numpy(), a.max(axis, keepdims=keepdims))
    np.testing.assert_array_equal(d[:2].prod(0).numpy(), a[:2].prod(0))
    for axis in (0, 2):
        np.testing.assert_array_equal(d.scan(axis=axis).numpy(), a.cumsum(axis))
        np.testing.assert_array_equal(d.scan(axis=axis, reverse=True).numpy(), np.flip(np.flip(a, axis).cumsum(axis), axis))
    carry = ctx.array(np.zeros((5, 4), np.int32))
    pieces = [d[i:i + 2].scan(axis=0, initial=carry, final=carry).numpy() for i in (0, 2, 4)]
    np.testing.assert_array_equal(np.concatenate(pieces), a.cumsum(0))
    for bad in (1, (0, 2)):
        with pytest.raises(ValueError, match="first or the last"):
            d.sum(bad)


def test_places_of_the_least_and_the_greatest(ctx):
    a = random.integers(-9, 9, (4, 5, 6)).astype(np.int8)
    d = ctx.array(a)
    for axis in (None, 0, 2):
        for keepdims in (False, True):
            for result, expected in ((d.argmin(axis=axis, keepdims=keepdims), np.argmin(a, axis=axis, keepdims=keepdims)),
                                     (np.argmax(d, axis, keepdims=keepdims), np.argmax(a, axis, keepdims=keepdims))):
                assert result.dtype == np.intp
                np.testing.assert_array_equal(result.numpy(), expected)
    out = ctx.empty((5, 6), np.intp)
    assert d[1:3].argmax(axis=0, out=out) is out
    np.testing.assert_array_equal(out.numpy(), a[1:3].argmax(0))
    with pytest.raises(ValueError, match="first or the last"):
        d.argmin(axis=1)
    with pytest.raises(ValueError):
        ctx.zeros(0).argmin()


def test_the_first_k(ctx):
    a = random.integers(-9, 9, (4, 5, 60)).astype(np.int8)
    d = ctx.array(a)
    for axis in (None, -1):
        for largest in (False, True):
            values, positions = d.top_k(7, largest=largest, axis=axis)
            expected = gpcl.top_k(a, 7, largest=largest, axis=axis)
            assert values.dtype == a.dtype and positions.dtype == np.intp
            np.testing.assert_array_equal(values.numpy(), expected[0])
            np.testing.assert_array_equal(positions.numpy(), expected[1])
    with pytest.raises(ValueError, match="last axis"):
        d.top_k(2, axis=0)
    with pytest.raises(ValueError, match="at most n"):
        d.top_k(61)


def test_bits_and_work_space(ctx):
    a = random.integers(0, 1 << 16, 5000).astype(np.uint16)
    order = np.argsort(a >> 4 & 0xff, kind="stable")
    np.testing.assert_array_equal(ctx.sort(a, bits=(4, 12)), a[order])
    np.testing.assert_array_equal(ctx.argsort(a, bits=(4, 12)), order)
    keys, values = ctx.sort_pairs(a, np.arange(a.size), bits=(4, 12))
    np.testing.assert_array_equal(keys, a[order])
    np.testing.assert_array_equal(values, order)
    for dtype, value_size, index in ((a.dtype, 0, None), ("u2", 4, None), (np.uint16, 0, np.uint32)):
        work = ctx.empty(ctx.sort_work_bytes(a.size, dtype, value_size=value_size, index=index) + 3, np.uint8)[3:]
        d = ctx.array(a)
        if value_size:
            _, result = d.sort_pairs(ctx.array(np.arange(a.size, dtype=np.uint32)), work=work)
            np.testing.assert_array_equal(result.numpy(), np.argsort(a, kind="stable"))
        elif index:
            np.testing.assert_array_equal(d.argsort(work=work).numpy(), np.argsort(a, kind="stable"))
        else:
            np.testing.assert_array_equal(d.sort(work=work).numpy(), np.sort(a))
            if work.size > 1:
                with pytest.raises(gpcl.GpError):
                    d.sort(work=work[:1])
    with pytest.raises(ValueError):
        ctx.sort(a, bits=(4, 17))
    with pytest.raises(ValueError):
        ctx.sort(a, work=a)


@pytest.mark.parametrize("on_device", [False, True])
def test_transform(ctx, on_device):
    a = np.arange(3000, dtype=np.int32).reshape(30, 100) - 700
    b = (a % 7).astype(np.float32)

    def of(text, *arrays, **options):
        given = [ctx.array(each) if on_device and isinstance(each, np.ndarray) else each for each in arrays]
        result = ctx.transform(text, *given, **options)
        return result.numpy() if on_device else result

    if ctx.device.kind == "host":
        with pytest.raises(gpcl.GpError) as caught:
            of("x0", a)
        assert caught.value.status == Status.ERROR_UNSUPPORTED_DEVICE
        return
    if ctx.device.has_float64:
        same = of("x0 * 2 + x1", a, b)
        assert same.dtype == np.float64
        np.testing.assert_array_equal(same, a * 2 + b.astype(np.float64))
    got = of("x0 * 2 + x1", a, b, dtype=np.float32)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, (a * 2 + b).astype(np.float32))
    np.testing.assert_array_equal(of("x0 * x1", a, 3), a * 3)
    np.testing.assert_array_equal(of("x0 & 6", a, dtype=bool), (a & 6) != 0)
    np.testing.assert_array_equal(of("x0 ? x1 : (int)i", a > 0, a, dtype=np.int32),
                                  np.where(a > 0, a, np.arange(a.size).reshape(a.shape)))
    np.testing.assert_array_equal(of("x0 / 2", b.astype(np.float16)), b.astype(np.float16) / 2)
    np.testing.assert_array_equal(of("twice(x0)", a, helpers="T twice(T x) { return 2 * x; }"), 2 * a)
    np.testing.assert_array_equal(of("x0 + x1", a, np.array([[5]], np.int32)), a + 5)
    with pytest.raises(gpcl.GpError) as caught:
        of("x0 + nothing", a)
    assert caught.value.status == Status.ERROR_BUILD and "nothing" in caught.value.build_log
    with pytest.raises(ValueError):
        of("x0 + x1", a, a[:7])
    with pytest.raises(ValueError):
        of("x0", *9 * [a])
    if on_device:
        d = ctx.array(a)
        assert ctx.transform("-x0", d, out=d) is d
        np.testing.assert_array_equal(d.numpy(), -a)
        ctx.transform("7", out=d, n=ctx.array(np.array([1234], np.uint64)))
        np.testing.assert_array_equal(d.numpy().reshape(-1), np.where(np.arange(a.size) < 1234, 7, -a.reshape(-1)))
        with pytest.raises(ValueError):
            ctx.transform("x0 + x1", d, d[:1])
        return
    np.testing.assert_array_equal(of("x0 - x1", a, a[0]), a - a[0])
    out = np.zeros((100, 30), np.int32).T
    assert of("x0 + 1", a, out=out) is out
    np.testing.assert_array_equal(out, a + 1)
    x = a.copy()
    assert of("x0 + 1", x, out=x) is x
    np.testing.assert_array_equal(x, a + 1)
    with pytest.raises(ValueError):
        of("x0", x[1:], out=x[:-1])


@pytest.mark.parametrize("on_device", [False, True])
def test_diff(ctx, on_device):
    rng = np.random.default_rng(8)

    def of(a, *arguments, **options):
        result = ctx.diff(ctx.array(a) if on_device else a, *arguments, **options)
        return result.numpy() if on_device else result

    for dtype in ("i4", "f2", "?", *(("i1", "u2", "u8", "f4", "f8") if ctx.device.kind == "host" else ())):  # programs take a while
        a = rng.integers(0, 100, 600).astype(dtype)
        cube = a.reshape(10, 12, 5)
        for given, axis in ((a, -1), (a, 0), (a[:1], 0), (cube, 0), (cube, -1), *(() if on_device else ((cube, 1),))):
            got, expected = of(given, axis=axis), np.diff(given, axis=axis)
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(of(a, 3), np.diff(a, 3))
        np.testing.assert_array_equal(of(a, 0), a)
        np.testing.assert_array_equal(of(a, keep_first=True), np.concatenate([a[:1], np.diff(a)]))
    a = rng.integers(0, 3, 600).astype(np.int32)
    if ctx.device.kind == "host":
        with pytest.raises(gpcl.GpError) as caught:
            of(a, operator="a == b")
        assert caught.value.status == Status.ERROR_UNSUPPORTED_DEVICE
    else:
        np.testing.assert_array_equal(of(a, operator="same(a, b)", helpers="T same(T a, T b) { return a == b; }"),
                                      (a[1:] == a[:-1]).astype(np.int32))
    with pytest.raises(ValueError):
        of(a, -1)
    with pytest.raises(ValueError):
        of(np.array(3))


@pytest.mark.parametrize("on_device", [False, True])
def test_sort_by(ctx, on_device):
    rng = np.random.default_rng(7)
    keys = rng.integers(0, 50, 5000).astype(np.int32)

    def by(a, *texts, **options):
        result = ctx.sort_by(ctx.array(a) if on_device else a, *texts, **options)
        return result.numpy() if on_device else result

    if ctx.device.kind == "host":
        with pytest.raises(gpcl.GpError) as caught:
            by(keys, "a < b")
        assert caught.value.status == Status.ERROR_UNSUPPORTED_DEVICE
        return
    np.testing.assert_array_equal(by(keys, "a > b"), -np.sort(-keys))
    np.testing.assert_array_equal(by(keys, "gp_last(a) < gp_last(b)", helpers="int gp_last(int x) { return x % 10; }"),
                                  keys[np.argsort(keys % 10, kind="stable")])
    rows = np.stack([keys, np.arange(keys.size, dtype=np.int32)], 1)
    np.testing.assert_array_equal(by(rows, "a.at[0] < b.at[0]"), rows[np.argsort(keys, kind="stable")])
    np.testing.assert_array_equal(by(rows, "a.x < b.x", type="int2"), rows[np.argsort(keys, kind="stable")])
    with pytest.raises(gpcl.GpError) as caught:
        by(keys, "a < nothing")
    assert caught.value.status == Status.ERROR_BUILD and "nothing" in caught.value.build_log
    if on_device:
        d = ctx.array(keys)
        assert d.sort_by("a < b", out=d) is d
        np.testing.assert_array_equal(d.numpy(), np.sort(keys))
        return
    for aligned in (False, True):
        records = np.zeros(keys.size, np.dtype([("tag", "u1"), ("key", "i4"), ("at", "f4", (3,)), ("wide", "i8")], align=aligned))
        records["key"], records["wide"] = keys, np.arange(keys.size)
        expected = records[np.argsort(keys, kind="stable")]
        np.testing.assert_array_equal(by(records, "a.key < b.key"), expected)
        out = np.zeros((keys.size, 2), records.dtype)[:, 0]
        assert by(records, "a.key < b.key", out=out) is out
        np.testing.assert_array_equal(out, expected)
    with pytest.raises(TypeError):
        by(np.zeros(3, "c8"), "a < b")


def test_merge(ctx):
    rng = np.random.default_rng(4)
    a, b = (np.sort(rng.integers(0, 1000, n, dtype=np.int32)) for n in (3001, 500))
    order = np.argsort(np.concatenate([a, b]), kind="stable")
    d, e = ctx.array(a), ctx.array(b)
    np.testing.assert_array_equal(d.merge(e).numpy(), np.concatenate([a, b])[order])
    np.testing.assert_array_equal(d[1:].merge(b[:7]).numpy(), np.sort(np.concatenate([a[1:], b[:7]])))
    values = np.arange(order.size, dtype=np.uint64)
    out = ctx.empty(order.shape, np.int32), None
    k, v = d.merge_pairs(e, ctx.array(values[:a.size]), ctx.array(values[a.size:]), out=out)
    assert k is out[0]
    np.testing.assert_array_equal(v.numpy(), order)
    half = np.array([-0.0, 1, np.nan], np.float16)
    np.testing.assert_array_equal(ctx.array(half).merge(half).numpy(), np.sort(np.concatenate([half, half])))
    with pytest.raises(TypeError):
        d.merge(ctx.array(b.astype(np.int64)))
    with pytest.raises(ValueError):
        d.merge(e, out=d)


def test_select(ctx):
    rng = np.random.default_rng(5)
    a, flags = rng.integers(0, 4, 3001, dtype=np.int32), rng.random(3001) < 0.5
    d, on_device = ctx.array(a), ctx.array(flags)
    np.testing.assert_array_equal(d.select(on_device).numpy(), a[flags])
    np.testing.assert_array_equal(d[1:].select(flags[1:]).numpy(), a[1:][flags[1:]])
    np.testing.assert_array_equal(d.nonzero().numpy(), np.flatnonzero(a))
    np.testing.assert_array_equal(on_device.nonzero().numpy(), np.flatnonzero(flags))
    parts, count = d.partition(on_device)
    np.testing.assert_array_equal(parts.numpy(), np.concatenate([a[flags], a[~flags]]))
    assert count == flags.sum()
    values = rng.random((3001, 3)).astype("f4")
    np.testing.assert_array_equal(d.select_pairs(values, on_device)[1].numpy(), values[flags])
    parts, moved, count = d.partition_pairs(ctx.array(values), on_device)
    np.testing.assert_array_equal(moved.numpy(), np.concatenate([values[flags], values[~flags]]))
    with pytest.raises(ValueError):
        d.select(on_device[1:])
    # A chain that does not wait for its counts.
    first, second = ctx.empty(1, np.uint64), ctx.empty(1, np.uint64)
    chosen = d.select(on_device, count=first)
    places = chosen.nonzero(n=first, count=second)
    assert chosen.shape == a.shape and first.numpy()[0] == flags.sum()
    expected = np.flatnonzero(a[flags])
    assert second.numpy()[0] == expected.size
    np.testing.assert_array_equal(places.numpy()[:expected.size], expected)
    np.testing.assert_array_equal(d.select(on_device, capacity=7).numpy(), a[flags][:7])
    if ctx.is_host:
        with pytest.raises(gpcl.GpError):
            d.select(predicate="x > 1")
        return
    np.testing.assert_array_equal(d.select(predicate="x > 1").numpy(), a[a > 1])
    np.testing.assert_array_equal(d.nonzero(predicate="gp_far(x)", helpers="bool gp_far(int x) { return x == 3; }").numpy(),
                                  np.flatnonzero(a == 3))
    np.testing.assert_array_equal(gpcl.select(ctx.array(values), predicate="x.at[1] > 0.5f").numpy(),
                                  values[values[:, 1] > 0.5])


def test_sizes_from_the_device(ctx):
    rng = np.random.default_rng(8)
    a = rng.integers(0, 500, 3001, dtype=np.int32)
    flags = rng.random(a.size) < 0.4
    d, n = ctx.array(a), ctx.empty(1, np.uint64)
    chosen, some = d.select(ctx.array(flags), count=n), a[flags]
    ordered = ctx.sort(chosen, n=n)
    k = some.size
    np.testing.assert_array_equal(ordered.numpy()[:k], np.sort(some))
    np.testing.assert_array_equal(ordered.numpy()[k:], chosen.numpy()[k:])
    np.testing.assert_array_equal(ctx.argsort(chosen, n=n).numpy()[:k], np.argsort(some, kind="stable"))
    keys, values = ctx.sort_pairs(chosen, ctx.array(np.arange(a.size)), n=n)
    np.testing.assert_array_equal(values.numpy()[:k], np.argsort(some, kind="stable"))
    np.testing.assert_array_equal(values.numpy()[k:], np.arange(k, a.size))
    np.testing.assert_array_equal(ctx.scan(ordered, n=n).numpy()[:k], np.cumsum(np.sort(some)))
    values, positions = ctx.top_k(chosen, 4, n=n)
    np.testing.assert_array_equal(values.numpy(), np.sort(some)[::-1][:4])
    np.testing.assert_array_equal(some[positions.numpy()], values.numpy())
    if not ctx.is_host:
        np.testing.assert_array_equal(ctx.sort_by(chosen, "a < b", n=n).numpy()[:k], np.sort(some))
    assert ctx.reduce(chosen, n=n).item() == some.sum()
    assert ctx.reduce(chosen, n=n, initial=7).item() == some.sum() + 7
    wanted = np.arange(0, 500, 7, dtype=np.int32)
    np.testing.assert_array_equal(ctx.searchsorted(ordered, wanted, n=n).numpy(), np.searchsorted(np.sort(some), wanted))
    few = ctx.array(np.array([5], np.uint64))
    np.testing.assert_array_equal(ctx.searchsorted(ordered, wanted, n=n, m=few).numpy()[:5],
                                  np.searchsorted(np.sort(some), wanted)[:5])
    np.testing.assert_array_equal(ctx.merge(ordered, ordered, n=(n, few)).numpy()[:k + 5],
                                  np.sort(np.concatenate([np.sort(some), np.sort(some)[:5]])))
    with pytest.raises(gpcl.GpError, match=r"n\[1\] is for device arrays"):
        ctx.merge(np.zeros(3), np.zeros(3), n=(None, few))
    counts = ctx.histogram(chosen, 20, (0, 500), counts_only=True, n=n)
    np.testing.assert_array_equal(counts.numpy(), np.histogram(some, 20, (0, 500))[0])
    weights = rng.random(a.size)
    sums = ctx.histogram(chosen, 20, (0, 500), weights=ctx.array(weights[:a.size]), counts_only=True, n=n) if (
        ctx.is_host or ctx.device.has_float64) else None
    if sums is not None:
        np.testing.assert_allclose(sums.numpy(), np.histogram(some, 20, (0, 500), weights=weights[:k])[0])
    for call in (ctx.sort, ctx.argsort, ctx.scan, ctx.reduce, ctx.histogram):
        with pytest.raises((TypeError, ValueError)):
            call(a, n=n)  # which is on the host
        with pytest.raises((TypeError, ValueError)):
            call(d, n=ctx.array(np.zeros(1, np.int64)))
    with pytest.raises(ValueError):
        ctx.sort(ctx.array(a[:3000].reshape(30, 100)), n=n)


def test_merge_runs(ctx):
    rng = np.random.default_rng(4)
    a = rng.integers(0, 1000, 3001, dtype=np.int32)
    offsets = np.array([0, 5, 5, 1000, 2999, 3001], np.uint32)
    for begin, end in zip(offsets[:-1], offsets[1:]):
        a[begin:end].sort()
    d, order = ctx.array(a), np.argsort(a, kind="stable")
    np.testing.assert_array_equal(d.merge_runs(offsets).numpy(), a[order])
    np.testing.assert_array_equal(d[:1000].merge_runs(ctx.array(offsets)[:4]).numpy(), np.sort(a[:1000]))
    values = np.arange(2 * a.size, dtype=np.uint16).reshape(-1, 2)
    out = None, ctx.empty(values.shape, np.uint16)
    k, v = d.merge_runs_pairs(values, offsets.tolist(), out=out)
    assert v is out[1]
    np.testing.assert_array_equal(k.numpy(), a[order])
    np.testing.assert_array_equal(v.numpy(), values[order])
    needed = ctx.merge_runs_work_bytes(a.size, a.dtype, 5)
    work = ctx.empty(needed, np.uint8)
    np.testing.assert_array_equal(d.merge_runs(offsets, work=work).numpy(), a[order])
    if needed:
        with pytest.raises(ValueError):
            d.merge_runs(offsets, work=work[1:])
    with pytest.raises(ValueError):
        d.merge_runs(offsets, out=d)



def test_chains(ctx):
    a = random.integers(-1000, 1000, 5000).astype(np.int32)
    d = ctx.array(a)
    np.testing.assert_array_equal(d.sort().scan().numpy(), np.cumsum(np.sort(a), dtype=np.int32))
    np.testing.assert_array_equal(d.argsort().numpy(), np.argsort(a, kind="stable"))
    np.testing.assert_array_equal(gpcl.scan(d, "maximum", reverse=True).numpy(), np.maximum.accumulate(a[::-1])[::-1])
    np.testing.assert_array_equal(d.numpy(), a)
    assert d.reduce().item() == a.sum() and d.reduce("minimum").item() == a.min()
    keys, values = d.sort_pairs(ctx.array(np.arange(a.size, dtype=np.uint32)))
    np.testing.assert_array_equal(values.numpy(), np.argsort(a, kind="stable"))
    assert d.sort(out=d) is d
    np.testing.assert_array_equal(d.numpy(), np.sort(a))


def test_rows(ctx):
    a = random.integers(-1000, 1000, (7, 50)).astype(np.int32)
    d = ctx.array(a)
    np.testing.assert_array_equal(d.sort().numpy(), np.sort(a))
    np.testing.assert_array_equal(d.sort(axis=None).numpy(), np.sort(a, axis=None))
    np.testing.assert_array_equal(d.reduce(axis=1).numpy(), a.sum(1))
    for axis in ((1, 2), (-1, 1), (0, 1, 2), 2, (), 0, (0, 1)):
        np.testing.assert_array_equal(d.reshape(7, 5, 10).reduce(axis=axis).numpy(), a.reshape(7, 5, 10).sum(axis))
    with pytest.raises(ValueError, match="first or the last axes"):
        d.reshape(7, 5, 10).reduce(axis=(0, 2))
    np.testing.assert_array_equal(d.cumsum().numpy(), np.cumsum(a, dtype=np.int32))
    for shape in ((7, 50), (7, 5, 10), (350, 1), (1, 350)):
        for axis in range(-len(shape), len(shape)):
            given = a.reshape(shape)
            np.testing.assert_array_equal(ctx.array(given).sort(axis=axis).numpy(), np.sort(given, axis))
            order = ctx.array(given).argsort(axis=axis, dtype=np.int64).numpy()
            np.testing.assert_array_equal(order, np.argsort(given, axis, kind="stable"))
    work = ctx.empty(ctx.sort_work_bytes(7, np.int32, batch=50, stride=1, step=50), np.uint8)
    np.testing.assert_array_equal(d.sort(axis=0, work=work).numpy(), np.sort(a, 0))


def test_matmul(ctx):
    a, b = random.integers(-9, 9, (5, 6, 7)).astype("f4"), random.integers(-9, 9, (7, 4)).astype("f4")
    d, e = ctx.array(a), ctx.array(b)
    np.testing.assert_array_equal((d @ e).numpy(), a @ b)
    np.testing.assert_array_equal((d @ b).numpy(), a @ b)
    np.testing.assert_array_equal((a[0] @ e).numpy(), a[0] @ b)
    np.testing.assert_array_equal((d[1] @ e).numpy(), a[1] @ b)
    np.testing.assert_array_equal(e.matmul(d, transpose_a=True, transpose_b=True).numpy(), b.T @ a.swapaxes(1, 2))
    c = ctx.array(np.ones((5, 6, 4), "f4"))
    assert d.matmul(e, out=c, alpha=2, beta=3) is c
    np.testing.assert_array_equal(c.numpy(), 2 * (a @ b) + 3)
    assert (e.reshape(28) @ e.reshape(28)).item() == (b * b).sum()
    with pytest.raises(TypeError):
        d @ ctx.array(b.astype(np.int32))


def test_histograms_of_weights_and_pairs(ctx):
    random = np.random.default_rng(5)
    x, y, weights = random.random((3, 2000)).astype("f4")
    dx, dy, dw = ctx.array(x), ctx.array(y), ctx.array(weights)
    sums, edges = np.histogram(dx, 8, (0.1, 0.9), weights=dw)
    np.testing.assert_allclose(sums.numpy(), np.histogram(x, 8, (0.1, 0.9), weights=weights)[0], rtol=1e-5)
    np.testing.assert_array_equal(sums.numpy(), gpcl.histogram(x, 8, (0.1, 0.9), weights=weights)[0])
    counts, edges_x, edges_y = np.histogram2d(dx, dy, (4, 6), ((0, 1), (0.1, 1.1)))
    np.testing.assert_array_equal(counts.numpy(), np.histogram2d(x, y, (4, 6), ((0, 1), (0.1, 1.1)))[0])
    edges = [0.0, 0.25, 1.0]
    sums, _, _ = dx.histogram2d(dy, edges, weights=dw)
    np.testing.assert_allclose(sums.numpy(), np.histogram2d(x, y, edges, weights=weights)[0], rtol=1e-12)
    whole = ctx.array(np.arange(50, dtype=np.int16) % 7)
    np.testing.assert_array_equal(np.bincount(whole).numpy(), np.bincount(whole.numpy()))
    np.testing.assert_array_equal(whole.bincount(ctx.array(np.full(50, 0.5)), 9).numpy(),
                                  np.bincount(whole.numpy(), np.full(50, 0.5), 9))
    for wrong in (lambda: dx.histogram2d(dy, 10), lambda: dx.histogram2d(y, 10, ((0, 1), (0, 1))),
                  lambda: dx.histogram(8, (0, 1), weights=weights), lambda: dx.histogram(8, (0, 1), density=True)):
        with pytest.raises(gpcl.GpError):
            wrong()


def test_histogram_and_recurrence(ctx):
    a = random.integers(0, 256, 5000).astype(np.uint8)
    counts, edges = ctx.array(a).histogram(None)
    np.testing.assert_array_equal(counts.numpy(), np.bincount(a, minlength=256))
    np.testing.assert_array_equal(edges, np.arange(257))
    x = random.uniform(-1, 1, (3, 100)).astype(np.float32)
    for bins in ((7, (-0.5, 0.9)), ([-0.5, 0, 1],)):
        counts, edges = ctx.array(x).histogram(*bins)
        np.testing.assert_array_equal(counts.numpy(), np.histogram(x, *bins)[0])
        np.testing.assert_array_equal(edges, np.histogram(x, *bins)[1])
        alone = ctx.array(x).histogram(*bins, counts_only=True)
        assert alone.dtype == counts.dtype and alone.numpy().tolist() == counts.numpy().tolist()
    np.testing.assert_allclose(ctx.array(x).recurrence([0.5, 0.25]).numpy(), ctx.recurrence(x, [0.5, 0.25]), atol=1e-6)
    a = random.uniform(-1, 1, (3, 100)).astype(np.float32)
    for each in (a, ctx.array(a), a[1], ctx.array(a[1])):
        coefficients = each if isinstance(each, np.ndarray) else each.numpy()
        np.testing.assert_allclose(ctx.array(x).recurrence_varying(each).numpy(), ctx.recurrence_varying(x, coefficients),
                                   atol=1e-6)
    np.testing.assert_allclose(ctx.recurrence_varying(None, ctx.array(a), initial=1).numpy(), np.cumprod(a, 1), rtol=1e-4)
    with pytest.raises(TypeError):
        ctx.array(x).recurrence_varying(ctx.array(a.astype(np.int32)))


def test_types_are_not_converted(ctx):
    d = ctx.array(np.arange(3, dtype=np.int8))
    for call in (d.scan, d.reduce, lambda: d.sort(out=np.zeros(3, np.int8)), lambda: gpcl.lfilter([1], [1], d),
                 lambda: ctx.array(np.arange(3)).scan(dtype=np.float32), lambda: ctx.array([1j])):
        with pytest.raises(TypeError):
            call()


def test_sums_of_a_wider_type(ctx):
    a = random.integers(0, 256, (3, 100)).astype(np.uint8)
    for dtype in (np.uint32, np.int64, np.float32):
        np.testing.assert_array_equal(ctx.array(a).scan(dtype=dtype).numpy(), np.cumsum(a, 1, dtype))
        np.testing.assert_array_equal(ctx.array(a).reduce(axis=1, dtype=dtype).numpy(), a.sum(1, dtype))


def test_pieces_on_the_device(ctx):
    """Carries, counts and states that stay there, without waiting in between."""
    a = random.integers(0, 100, (3, 500)).astype(np.int32)
    cuts = [0, 1, 34, 34, 257, 500]
    carry, total = ctx.array(np.int32([5, 6, 7])), ctx.array(np.zeros(3, np.int32))
    counts, results = ctx.array(np.zeros(4, np.int64)), []
    edges = [0, 10, 20, 50, 100]
    for begin, end in zip(cuts, cuts[1:]):
        piece = ctx.array(np.ascontiguousarray(a[:, begin:end]))
        results.append(piece.scan(initial=carry, final=carry))
        piece.reduce(axis=1, out=total, accumulate=True)
        piece.histogram(edges, out=counts, accumulate=True)
    whole = np.cumsum(a, 1, np.int32) + np.int32([[5], [6], [7]])
    np.testing.assert_array_equal(np.hstack([each.numpy() for each in results]), whole)
    np.testing.assert_array_equal(carry.numpy(), whole[:, -1])
    np.testing.assert_array_equal(total.numpy(), a.sum(1))
    np.testing.assert_array_equal(counts.numpy(), np.histogram(a, edges)[0])
    d = ctx.array(a)
    np.testing.assert_array_equal(d.scan(initial=[5, 6, 7]).numpy(), whole)
    np.testing.assert_array_equal(d.reduce(axis=1, initial=9).numpy(), a.sum(1) + 9)
    np.testing.assert_array_equal(d.reduce(axis=1, initial=carry).numpy(), a.sum(1) + whole[:, -1])

    x = random.integers(-9, 9, (3, 200)).astype(np.float32)
    state, results = ctx.array(np.float32([[2, 1]] * 3)), []
    for begin, end in zip([0, 1, 77], [1, 77, 200]):
        piece = ctx.array(np.ascontiguousarray(x[:, begin:end]))
        results.append(piece.recurrence([1, -1], initial=state, final=state))
    expected = ctx.recurrence(x, [1, -1], initial=[2, 1])
    np.testing.assert_array_equal(np.hstack([each.numpy() for each in results]), expected)
    np.testing.assert_array_equal(state.numpy(), expected[:, :-3:-1])
    for call in (lambda: d.scan(initial=total.reshape(1, 3)), lambda: d.scan(final=state), lambda: d.scan(final=np.zeros(3)),
                 lambda: d.reduce(axis=1, accumulate=True), lambda: ctx.recurrence(x, [1, -1], initial=state),
                 lambda: ctx.array(x).recurrence([1.0], final=state)):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_truth_and_equality(ctx):
    """As NumPy's: never Python's own answer for objects."""
    for value in (0, 1, 0.0, -0.5):
        assert bool(ctx.array([value])) == bool(np.array([value])) == bool(ctx.array(value))
    d = ctx.array([1, 2, 3])
    for some in (d, d[:0]):
        with pytest.raises(ValueError, match="neither true nor false"):
            bool(some)
    for compare in (lambda: d == [1, 0, 3], lambda: [1, 0, 3] == d, lambda: d != [0, 2, 0], lambda: d == np.array([1, 0, 3]),
                    lambda: np.array([1, 0, 3]) == d):
        assert compare().tolist() == [1, 0, 1]
    with pytest.raises(TypeError):
        hash(d)


def test_numpys_functions(ctx):
    """They give device arrays, or refuse; never a copy on the host that nobody asked for."""
    a = np.arange(12, dtype=np.int32).reshape(3, 4)[::-1].copy()
    d = ctx.array(a)
    for call in (np.sort, np.argsort, lambda x: np.sort(x, axis=None, kind="stable"), lambda x: np.cumsum(x, dtype=np.int32),
                 lambda x: np.cumprod(x % 3 + 1, axis=0, dtype=np.int32), np.transpose, np.ravel, np.copy, np.mean, np.any,
                 lambda x: np.all(x, axis=1, keepdims=True), lambda x: np.sum(x, 0, np.int64), lambda x: np.min(x, axis=1),
                 lambda x: np.amax(x, axis=0), lambda x: np.max(a=x), lambda x: np.prod(x, 1, keepdims=True, dtype=np.int64),
                 lambda x: np.reshape(x, (2, 6)), lambda x: np.histogram(x, 4, (0, 8))[0],
                 lambda x: np.concatenate([x, a]), lambda x: np.concatenate((a, x), axis=1), lambda x: np.stack([x, x], axis=-1),
                 lambda x: np.where(x > 3, x, 0), lambda x: np.where(a > 3, 1, x), np.flip, lambda x: np.flip(x, 1),
                 lambda x: np.roll(x, 2), lambda x: np.tile(x, 2), lambda x: np.repeat(x, 2, axis=0),
                 lambda x: np.squeeze(np.expand_dims(x, 1)), lambda x: np.moveaxis(x, 0, 1), lambda x: np.clip(x, 2, 5),
                 lambda x: np.broadcast_to(x[0], (5, 4)), lambda x: np.diff(x, axis=0), lambda x: np.count_nonzero(x, axis=1),
                 np.zeros_like, lambda x: np.ones_like(x, dtype="f4"), lambda x: np.full_like(x, 3), np.tril, np.triu,
                 lambda x: np.std(x.astype("f4")[:1, :1]), lambda x: np.var(x.astype("f4")[:, :1], axis=1),
                 lambda x: np.empty_like(x)[:0]):
        result = call(d)
        assert isinstance(result, gpcl.DeviceArray)
        np.testing.assert_array_equal(result.numpy(), call(a))
    out = ctx.empty(4, np.int32)
    assert np.max(d, 0, out=out) is out and out.tolist() == a.max(0).tolist()
    assert (np.shape(d), np.ndim(d), np.size(d)) == ((3, 4), 2, 12)
    for call in (lambda: np.median(d), lambda: np.linalg.norm(d), lambda: np.sum(a, out=d), lambda: np.full_like(a, d)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match=r"numpy.median .*numpy\(\)"):
        np.median(d)
    for call in (lambda: np.sort(d, order="x"), lambda: np.sum(d, where=a > 3)):
        with pytest.raises(TypeError):
            call()


def test_numpys_elementwise_functions(ctx):
    """ufuncs, and what operators of NumPy's arrays call."""
    a, b = random.uniform(0, 9, (2, 3, 4)).astype("f4")
    d = ctx.array(a)
    for call in (np.sqrt, np.negative, lambda x: np.maximum(x, 3), lambda x: np.add(b, x), lambda x: np.power(x, 2),
                 lambda x: np.rint(x), lambda x: np.isnan(x), lambda x: b / x, lambda x: b < x, lambda x: np.float32(2) * x,
                 lambda x: b @ x.T, lambda x: np.matmul(x.T, b)):
        result = call(d)
        assert isinstance(result, gpcl.DeviceArray) and result.dtype == call(a).dtype
        np.testing.assert_allclose(result.numpy(), call(a), rtol=1e-5)
    out = ctx.empty((3, 4))
    assert np.add(d, d, out=out) is out and out.tolist() == (a + a).tolist()
    for call in (lambda: np.add.reduce(d), lambda: np.add(d, d, out=a), lambda: np.add(d, d, dtype="f8"), lambda: np.cbrt(d),
                 lambda: np.add.outer(d, d), lambda: np.divmod(d, 2), lambda: a.__iadd__(d)):
        with pytest.raises(TypeError, match=r"numpy\(\)"):
            call()
    assert d.tolist() == a.tolist()


def test_attributes_that_are_not_there(ctx):
    """They say what is."""
    d = ctx.zeros(3)
    for name, instead in (("get", r"numpy\(\)"), ("flatten", "reshape"), ("std", r"numpy.std\(d\)"), ("argpartition", r"numpy\(\)")):
        with pytest.raises(AttributeError, match=f"{name}.*{instead}"):
            getattr(d, name)
    assert not hasattr(d, "__array_interface__") and [row.item() for row in d] == [0, 0, 0]


def test_dlpack(ctx):
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    d = ctx.array(a)

    class Asked:
        """What asks for a copy on the host."""

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **_):
            return d.__dlpack__(dl_device=(1, 0), copy=True)

    copied = np.from_dlpack(Asked())
    np.testing.assert_array_equal(copied, a)
    d.fill(7)
    np.testing.assert_array_equal(copied, a)
    with pytest.raises(BufferError, match="copy"):
        d.__dlpack__(copy=False, dl_device=(1, 0))
    if ctx.is_host:
        assert d.__dlpack_device__() == (1, 0) and np.from_dlpack(d).tolist() == d.tolist()
    else:
        assert d.__dlpack_device__()[0] == 4
        with pytest.raises(BufferError, match=r"numpy\(\)"):
            d.__dlpack__()
    with gpcl.open("host") as other:  # a context copies the other's arrays
        assert other.array(d).tolist() == d.tolist()


def test_pairs_in_place(ctx):
    k, v = ctx.array(np.int32([3, 1, 2])), ctx.array(np.int32([30, 10, 20]))
    for out in ((v, k), (None, k), (v, None)):
        with pytest.raises(ValueError) as caught:
            gpcl.sort_pairs(k, v, out=out)
        assert caught.value.status == Status.ERROR_OVERLAP
    gpcl.sort_pairs(k, v, out=(k, v))
    assert k.numpy().tolist() == [1, 2, 3] and v.numpy().tolist() == [10, 20, 30]


def test_conversions_are_copies(ctx):
    d = ctx.array([1, 2])
    assert np.array(d, dtype=np.float32).tolist() == [1, 2]
    with pytest.raises(ValueError):
        d.__array__(copy=False)
    with pytest.raises(ValueError):
        d.fill(0.5)  # which an integer can't hold


def test_contexts_do_not_mix(ctx):
    with gpcl.open("host") as other:
        d, e = ctx.array(np.eye(2)), other.array(np.eye(2))
        with pytest.raises(ValueError) as caught:
            gpcl.matmul(d, e)
        assert caught.value.status == Status.ERROR_WRONG_CONTEXT


def test_copies_that_go_on(ctx):
    a = random.integers(0, 100, 100000).astype(np.int32)
    out = np.empty_like(a)
    d = ctx.empty(a.shape, a.dtype)
    d.enqueue_write(a)  # whose event waits where it is dropped
    event = d.sort().enqueue_read(out)
    event.wait()
    np.testing.assert_array_equal(out, np.sort(a))
    del event
    for bad in (lambda: d.enqueue_read(np.empty((100000, 2), np.int32)[:, 0]), lambda: d.enqueue_write(a[::2])):
        with pytest.raises(ValueError):
            bad()


def test_maps(ctx):
    d = ctx.array(np.arange(10, dtype=np.int32))
    with d[2:5].map() as a:
        a *= 10
    with d.map("r") as a:
        assert a.tolist() == [0, 1, 20, 30, 40, 5, 6, 7, 8, 9]
        with pytest.raises(ValueError):
            a[0] = 1
    with d.map("w") as a:
        a[...] = 7
    assert d.numpy().tolist() == [7] * 10
    with ctx.empty(0).map() as a:
        assert a.size == 0
    with pytest.raises(ValueError), d.map("x"):
        pass
    with d.map() as a:
        with pytest.raises(ValueError, match="mapped"):
            d.buffer.close()
        a[0] = 1
    assert d[0].item() == 1
    d.buffer.close()


def test_a_mapping_outlives_its_context():
    ctx = gpcl.open()
    d = ctx.array([1, 2])
    with d.map() as a:
        ctx.close()
        a[0] = 9
    assert d.numpy().tolist() == [9, 2]


KERNEL = """kernel void add(global const float *x, global float *y, int n, float c, local float *room) {
    size_t i = get_global_id(0);
    room[get_local_id(0)] = x[i];
    if (i < n) y[i] = room[get_local_id(0)] + c;
}"""


def test_kernels(opencl):
    x, y = opencl.array(np.arange(64, dtype=np.float32)), opencl.zeros(64)
    add = opencl.kernel(KERNEL, "add")
    add(x, y, np.int32(10), np.float32(0.5), gpcl.Local(16), global_size=64, local_size=4)
    assert y.numpy()[:12].tolist() == [i + 0.5 for i in range(10)] + [0, 0]
    with pytest.raises(TypeError, match="argument 2"):
        add(x, y, 10, np.float32(0.5), gpcl.Local(16), global_size=64)
    for arguments, sizes in (((x, y), {"global_size": 64}), ((x[1:], y), {"global_size": 64}),
                             ((x, y, np.int32(1), np.float32(1), gpcl.Local(16)), {"global_size": (1,) * 4}),
                             ((x, y, np.int32(1), np.float32(1), gpcl.Local(16)), {"global_size": 64, "local_size": (4, 4)})):
        with pytest.raises(ValueError):
            add(*arguments, **sizes)
    with pytest.raises(gpcl.GpError) as caught:
        opencl.kernel("kernel void f(global int *x) { nonsense }", "f")
    assert caught.value.status == Status.ERROR_BUILD and "nonsense" in caught.value.build_log
    with pytest.raises(gpcl.GpError) as caught:
        opencl.kernel(KERNEL, "subtract")
    assert caught.value.status == Status.ERROR_KERNEL_NAME


def test_events_and_times():
    with gpcl.open() as ctx:
        ctx.profile()
        d = ctx.array(np.arange(5000, dtype=np.float32))
        with ctx.record() as events:
            d.sort().scan()
            ctx.sort(np.arange(5000))
            if ctx.device.kind != "host":
                ctx.kernel("kernel void f() {}", "f")(global_size=1, wait=events[:1])
        d.sort()
        ctx.wait_for(*events)
        ctx.flush()
        ctx.finish()
        ctx.trim()
        assert len(events) >= 4  # the copy that is sorted counts too
        for event in events:
            event.wait()
            assert event.done
            assert len(event.commands()) == event.timing().commands
        ctx.profile(False)
        with ctx.record() as events:
            d.sort()
        with pytest.raises(gpcl.GpError) as caught:
            events[0].timing()
        assert caught.value.status == Status.ERROR_NO_PROFILING


def test_pyopencl(opencl, pyopencl):
    """Memory, queues and events pass both ways by their integer pointers."""
    cl, device = pyopencl
    theirs = cl.Context([device])
    queue = cl.CommandQueue(theirs, properties=cl.command_queue_properties.PROFILING_ENABLE)
    a = random.uniform(-1, 1, 1000).astype(np.float32)
    memory = cl.Buffer(theirs, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
    with gpcl.open_opencl(theirs, device, queue) as ctx:
        assert ctx.opencl == (theirs.int_ptr, device.int_ptr, queue.int_ptr)
        for handle in (memory, memory.int_ptr):
            d = ctx.wrap(handle, a.shape, a.dtype)
            assert d.opencl == memory.int_ptr
        event = ctx.wrap_event(cl.enqueue_marker(queue))
        ctx.wait_for(event)
        with ctx.record() as events:
            d.sort(out=d)
        cl.wait_for_events([cl.Event.from_int_ptr(events[0].opencl, retain=True)])
        with pytest.raises(ValueError) as caught:
            ctx.wrap(memory, 1001, np.float32)
        assert caught.value.status == Status.ERROR_OUT_OF_BOUNDS
    result = np.empty_like(a)
    cl.enqueue_copy(queue, result, memory)
    np.testing.assert_array_equal(result, np.sort(a))

    # The other way: our context, queue and memory in pyopencl's hands.
    d = opencl.array(a)
    context, _, queue = opencl.opencl
    queue = cl.CommandQueue.from_int_ptr(queue, retain=True)
    memory = cl.Buffer.from_int_ptr(d.opencl, retain=True)
    assert cl.Context.from_int_ptr(context, retain=True).devices[0].name == device.name
    cl.enqueue_copy(queue, result, memory)
    np.testing.assert_array_equal(result, a)


def test_search(ctx):
    random = np.random.default_rng(5)
    a, values = np.sort(random.integers(0, 90, 700)).astype(np.int32), random.integers(-1, 92, (30, 9)).astype(np.int32)
    d = ctx.array(a)
    for side in ("left", "right"):
        expected = np.searchsorted(a, values, side)
        np.testing.assert_array_equal(d.searchsorted(ctx.array(values), side).numpy(), expected)
        np.testing.assert_array_equal(np.searchsorted(d, ctx.array(values), side).numpy(), expected)
        np.testing.assert_array_equal(d.searchsorted(values, side).numpy(), expected)
        mixed = random.permutation(a)
        m = ctx.array(mixed)
        for sorter in (m.argsort(), ctx.array(np.argsort(mixed)), np.argsort(mixed)):
            np.testing.assert_array_equal(m.searchsorted(values, side, sorter).numpy(), expected)
    with pytest.raises(TypeError):
        d.searchsorted(ctx.array(values.astype(np.float32)))
    with pytest.raises(TypeError):
        d.searchsorted(0.5)
    assert bool(d.is_sorted()) and not bool(d.is_sorted(strict=True))
    x = ctx.array([[1, 2, 3], [3, 2, 4]])
    assert x.is_sorted(axis=1).tolist() == [True, False] and x.is_sorted(axis=0).tolist() == [True, True, True]
    assert x.is_sorted(axis=1, positions=True).tolist() == [3, 1]


def test_lexsort(ctx):
    random = np.random.default_rng(6)
    keys = [random.integers(0, 4, 500).astype(dtype) for dtype in ("i4", "f4", "u1")]
    d = [ctx.array(each) for each in keys]
    order = gpcl.lexsort(d)
    assert isinstance(order, gpcl.DeviceArray)
    np.testing.assert_array_equal(order.numpy(), np.lexsort(keys))
    np.testing.assert_array_equal(np.lexsort(tuple(d)).numpy(), np.lexsort(keys))
    assert isinstance(np.lexsort(tuple(d)), gpcl.DeviceArray)
    matrix = random.integers(0, 3, (3, 100))
    np.testing.assert_array_equal(ctx.array(matrix).lexsort().numpy(), np.lexsort(matrix))
    with pytest.raises(TypeError):
        gpcl.lexsort([keys[0], d[1]])
    with pytest.raises(ValueError):
        gpcl.lexsort([d[0], d[1][:3]])


def test_movement(ctx):
    a = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
    d = ctx.array(a)
    assert d.take(ctx.array(np.int64([3, -1, 59]))).tolist() == [3, 59, 59]
    assert np.array_equal(d.take(np.array([4, 0, 0]), axis=0).numpy(), a[[4, 0, 0]])
    assert np.array_equal(d.matrix_transpose().numpy(), np.swapaxes(a, 1, 2))
    out = ctx.empty((5, 3, 4), np.float32)
    assert d.matrix_transpose(out=out) is out
    first, count = ctx.array(np.array([7], np.uint64)), ctx.array(np.array([3], np.uint64))
    wrong = ctx.array(np.uint32([1, 2, 60, 3, 99]))
    assert d.take(wrong, first_wrong=first).tolist() == [1, 2, 0, 3, 0] and first.tolist() == [2]
    out = ctx.array(np.float32([9] * 5))
    assert d.take(wrong, out=out, first_wrong=first, count=count).tolist() == [1, 2, 0, 9, 9] and first.tolist() == [2]
    assert d.put(ctx.array(np.int32([0, 4, 77])), np.float32([5, 6, 7]), first_wrong=first) is d and first.tolist() == [2]
    assert d.take([0, 4]).tolist() == [5, 6] and d.put([1], 0, axis=0)[1].numpy().sum() == 0
    for call in (lambda: d.take([1], axis=1), lambda: d.take([0.5]), lambda: d.take([0], count=np.zeros(1)),
                 lambda: d.take([0], count=ctx.empty(2, np.uint64)), lambda: d.put([0], ctx.array(np.int32([1]))),
                 lambda: ctx.empty(3, np.float32).matrix_transpose()):
        with pytest.raises((ValueError, TypeError)):
            call()


def test_shortest_paths(ctx):
    inf = np.inf
    edges = np.float32([[0, 4, 9], [inf, 0, 1], [inf, inf, 0]])
    d = ctx.array(edges)
    lengths, before = d.shortest_paths(predecessors=True)
    assert lengths.tolist() == [[0, 4, 5], [inf, 0, 1], [inf, inf, 0]] and before.dtype == np.int32
    assert before.tolist() == [[-9999, 0, 1], [-9999, -9999, 1], [-9999] * 3]
    negative = ctx.array(np.array([7], np.uint64))
    assert d.shortest_paths(out=d, negative_cycle=negative) is d and negative.tolist() == [0]
    assert d.tolist() == lengths.tolist()
    edges[2, 0] = -6
    assert ctx.array(edges).shortest_paths(negative_cycle=negative)[0, 0] < 0 and negative.tolist() == [1]
    with pytest.raises(ValueError):
        ctx.array(np.zeros((2, 3), np.float32)).shortest_paths()
    with pytest.raises(TypeError):
        ctx.array(np.zeros((2, 2), np.int64)).shortest_paths()


def test_runs(ctx):
    random = np.random.default_rng(1)
    a = np.repeat(random.integers(0, 9, 3000), random.integers(1, 4, 3000)).astype(np.int32)
    x = random.integers(0, 100, a.size).astype(np.int32)
    d = ctx.array(a)
    for host, device in ((gpcl.run_lengths(a, return_index=True), d.run_lengths(return_index=True)),
                         (gpcl.run_lengths(a), d.run_lengths()),
                         (gpcl.reduce_by_key(a, x), d.reduce_by_key(ctx.array(x))),
                         (gpcl.reduce_by_key(a, x, "minimum", any_order=True),
                          d.reduce_by_key(ctx.array(x), "minimum", any_order=True))):
        assert len(host) == len(device)
        for each, other in zip(host, device):
            np.testing.assert_array_equal(each, other.numpy())
    with pytest.raises(ValueError):
        d.reduce_by_key(x)


@pytest.mark.parametrize("dtype", ["bool", "i4", "f2", "f4"])
def test_unique(ctx, dtype):
    a = np.random.default_rng(1).integers(0, 50, (30, 100)).astype(dtype)
    d = ctx.array(a)
    for wanted in [(), (True,), (False, True), (False, False, True), (True, True, True)]:
        found, expected = d.unique(*wanted), np.unique(a, *wanted)
        assert isinstance(found, tuple) == isinstance(expected, tuple)
        for each, other in zip(found if wanted else [found], expected if wanted else [expected]):
            assert each.dtype == other.dtype and each.shape == other.shape
            np.testing.assert_array_equal(each.numpy(), other)
    np.testing.assert_array_equal(ctx.array(np.sort(a, axis=None)).unique(sorted=True).numpy(), np.unique(a))
    assert ctx.zeros(0, dtype).unique().shape == (0,)


@pytest.mark.parametrize("dtype", ["bool", "i4", "f2", "f4"])
def test_scan_by_key_and_repeat(ctx, dtype):
    random = np.random.default_rng(2)
    keys, x = random.integers(0, 3, 3000).astype(dtype), random.integers(0, 100, 3000).astype("i4")
    d, dx = ctx.array(keys), ctx.array(x)
    np.testing.assert_array_equal(d.scan_by_key(dx).numpy(), gpcl.scan_by_key(keys, x, dtype="i4"))
    found = d.scan_by_key(dx, "maximum", exclusive=True, initial=7, out=dx)
    assert found is dx
    np.testing.assert_array_equal(found.numpy(), gpcl.scan_by_key(keys, x, "maximum", exclusive=True, initial=7))
    values, lengths = d.run_lengths()
    np.testing.assert_array_equal(values.repeat(lengths).numpy(), keys)
    np.testing.assert_array_equal(values.repeat(lengths, total=3000).numpy(), keys)
    np.testing.assert_array_equal(values.repeat(lengths.numpy()).numpy(), keys)
    np.testing.assert_array_equal(values.repeat(2).numpy(), np.repeat(values.numpy(), 2))
    with pytest.raises(ValueError):
        d.scan_by_key(x)
    with pytest.raises(ValueError):
        values.repeat(dx)


def test_partition_in_three_parts(ctx):
    random = np.random.default_rng(3)
    a, flags = random.integers(0, 1000, 3000).astype("i4"), random.integers(0, 4, 3000).astype("u1")
    expected = np.concatenate([a[flags == 1], a[flags == 2], a[flags % 3 == 0]])
    ends = np.count_nonzero(flags == 1), np.count_nonzero(flags % 3 != 0)
    found, where = ctx.partition(ctx.array(a), ctx.array(flags), parts=3)
    np.testing.assert_array_equal(found.numpy(), expected)
    assert where == ends
    count = ctx.empty(2, np.uint64)
    found, where = ctx.partition(ctx.array(a), ctx.array(flags), parts=3, count=count)
    assert where is count
    np.testing.assert_array_equal(count.numpy(), ends)
    with pytest.raises(ValueError):
        ctx.partition(ctx.array(a), ctx.array(flags), parts=3, count=ctx.empty(1, np.uint64))


def test_arrays_larger_than_a_bound_on_memory(opencl):
    bound = 1 << 20
    with gpcl.open(opencl.device.selector, memory=bound) as bounded:
        assert bounded.device.global_bytes == bound
        keys = np.random.default_rng(1).integers(-1000, 1000, bound, np.int32)
        assert np.array_equal(bounded.sort(keys), np.sort(keys))
        assert np.array_equal(bounded.scan(keys), np.cumsum(keys, dtype=np.int32))
        with pytest.raises(MemoryError, match="GPCL_DEVICE_MEMORY"):
            bounded.empty(bound + 1, np.uint8)
    with pytest.raises(ValueError, match="memory is -1"):
        gpcl.open("host", memory=-1)
    with gpcl.open("host", memory=bound) as host:
        assert np.array_equal(host.sort(keys), np.sort(keys))
