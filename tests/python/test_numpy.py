"""Values, types and shapes against NumPy, for arrays of every kind that NumPy makes."""
# SPDX-License-Identifier: MIT
import inspect
import math
import unittest.mock
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gpcl
from gpcl import _operations

KEYS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
SUMMED = KEYS
EXACT = [t for t in SUMMED if t[0] != "f"]


@st.composite
def arrays(draw, types, min_dims=1, max_dims=3, max_side=40):
    """Arrays of all strides, byte orders and alignments, some of them read-only."""
    dtype = np.dtype(draw(st.sampled_from(types)))
    shape = draw(hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=0, max_side=max_side))
    a = draw(hnp.arrays(dtype, shape))
    kind = draw(st.sampled_from(["plain", "strided", "reversed", "fortran", "swapped", "read-only", "unaligned"]))
    if kind == "strided":
        a = np.repeat(a, 2, axis=-1)[..., ::2]
    elif kind == "reversed":
        a = a[::-1]
    elif kind == "fortran":
        a = np.asfortranarray(a)
    elif kind == "swapped":
        a = a.astype(dtype.newbyteorder())
    elif kind == "unaligned":
        bytes_ = np.zeros(a.nbytes + 1, np.uint8)
        b = bytes_[1:].view(dtype).reshape(a.shape)
        b[...] = a
        a = b
    elif kind == "read-only":
        a.flags.writeable = False
    return a


def same(result, expected):
    expected = np.asarray(expected)
    assert result.dtype == expected.dtype.newbyteorder("=")
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


def near(result, expected, total):
    """Equal up to rounding: `total` is the sum of the absolute values that went in."""
    expected = np.asarray(expected)
    assert result.dtype == expected.dtype.newbyteorder("=") and result.shape == expected.shape
    eps = np.finfo(expected.dtype).eps
    with np.errstate(all="ignore"):
        bad = np.abs(result.astype("f8") - expected.astype("f8")) > 200 * eps * (np.abs(total) + eps)
    assert not np.any(bad & np.isfinite(total)), (result, expected)


def axes(a):
    return [None, *range(-a.ndim, a.ndim)]


@given(arrays(KEYS), st.data())
def test_sort(a, data):
    axis = data.draw(st.sampled_from(axes(a)))
    same(gpcl.sort(a, axis=axis), np.sort(a, axis=axis, kind="stable"))


@given(arrays(KEYS), st.data())
def test_argsort(a, data):
    axis = data.draw(st.sampled_from(axes(a)))
    same(gpcl.argsort(a, axis=axis), np.argsort(a, axis=axis, kind="stable"))


@given(arrays(KEYS, min_dims=2), st.booleans(), st.data())
def test_rows_are_sorted_as_arrays_are(a, descending, data):
    """To the bit, in every memory order."""
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    options = {"axis": axis, "descending": descending}
    out = np.zeros(a.shape, a.dtype.newbyteorder("=")).T.copy().T
    for call in (gpcl.sort, gpcl.argsort):
        got = call(a, **options)
        expected = np.empty(got.shape, got.dtype)
        for place in np.ndindex(*np.delete(a.shape, axis)):
            row = list(place)
            row.insert(axis % a.ndim, slice(None))
            expected[tuple(row)] = call(np.array(a[tuple(row)]), descending=descending)
        assert got.flags.c_contiguous and got.tobytes() == expected.tobytes()
    assert gpcl.sort(a, out=out, **options) is out and out.tobytes() == gpcl.sort(a, **options).tobytes()


def test_rows_take_one_call(ctx):
    a = np.random.default_rng(6).integers(0, 9, (300, 16))
    for call in (ctx.sort, ctx.argsort):
        for axis in (0, 1):
            with ctx.record() as events:
                result = call(a, axis=axis)
            assert len(events) == 1
            by_name = call(a, axis=1, algorithm="host" if ctx.device.kind == "host" else "row-items")
            np.testing.assert_array_equal(call(a, axis=1), by_name)
            np.testing.assert_array_equal(result, (np.sort if call == ctx.sort else np.argsort)(a, axis, kind="stable"))


@given(arrays(KEYS, max_dims=1))
def test_descending_keeps_the_order_of_equals(a):
    order = gpcl.argsort(a, descending=True)
    keys = a[order]
    same(gpcl.sort(a, descending=True), keys)
    numbers = keys[~np.isnan(keys)] if a.dtype.kind == "f" else keys
    assert np.all(numbers[:-1] >= numbers[1:])
    assert np.all(order[:-1][keys[:-1] == keys[1:]] < order[1:][keys[:-1] == keys[1:]])


@given(arrays(KEYS, max_dims=1), st.integers(0, 100), st.booleans())
def test_merge(keys, part, descending):
    n = keys.size * part // 100
    a, b = (gpcl.sort(each, descending=descending) for each in (keys[:n], keys[n:]))
    both = np.concatenate([a, b])
    same(gpcl.merge(a, b, descending=descending), gpcl.sort(both, descending=descending))
    order = gpcl.argsort(both, descending=descending)
    values = np.arange(3 * keys.size, dtype="i2").reshape(-1, 3)
    out = np.empty_like(both), np.empty_like(values)
    k, v = gpcl.merge_pairs(a, b, values[:n], values[n:], descending=descending, out=out)
    assert k is out[0] and v is out[1]
    same(k, both[order])
    same(v, values[order])


@given(arrays(KEYS, max_dims=1), st.lists(st.integers(0, 100), max_size=6), st.booleans())
def test_merge_runs(keys, parts, descending):
    offsets = np.array([0, *sorted(keys.size * part // 100 for part in parts), keys.size], "i4")
    keys = keys.astype(keys.dtype.newbyteorder("="))
    for begin, end in zip(offsets[:-1], offsets[1:]):
        keys[begin:end] = gpcl.sort(keys[begin:end], descending=descending)
    same(gpcl.merge_runs(keys, offsets, descending=descending), gpcl.sort(keys, descending=descending))
    order = gpcl.argsort(keys, descending=descending)
    values = np.arange(3 * keys.size, dtype="i2").reshape(-1, 3)
    out = np.empty_like(keys), np.empty_like(values)
    k, v = gpcl.merge_runs_pairs(keys, values, offsets, descending=descending, out=out)
    assert k is out[0] and v is out[1]
    same(k, keys[order])
    same(v, values[order])


@given(arrays(KEYS, max_dims=1), st.integers(0, 3))
def test_select_and_partition(a, kind):
    flags = np.random.default_rng(a.size).random(a.shape[0]) < [0, 0.1, 0.5, 1][kind]
    same(gpcl.select(a, flags), a[flags].astype(a.dtype.newbyteorder("=")))
    parts, count = gpcl.partition(a, flags.view(np.uint8) * 7)
    same(parts, np.concatenate([a[flags], a[~flags]]).astype(a.dtype.newbyteorder("=")))
    assert count == flags.sum()
    values = np.arange(3 * a.shape[0], dtype="i2").reshape(-1, 3)
    same(gpcl.select_pairs(a, values, flags)[1], values[flags])
    parts, moved, count = gpcl.partition_pairs(a, values, flags)
    same(moved, np.concatenate([values[flags], values[~flags]]))
    assert count == flags.sum()


@given(arrays(KEYS))
def test_nonzero(a):
    same(gpcl.nonzero(a), np.flatnonzero(a))
    a = np.where(np.arange(a.size).reshape(a.shape) % 3, a, np.zeros_like(a))
    same(gpcl.nonzero(a), np.flatnonzero(a))


def test_select_takes_structures_and_refuses_what_is_none():
    a = np.array([(1, 2.0), (3, 4.0)], [("x", "i4"), ("y", "f8")])
    np.testing.assert_array_equal(gpcl.select(a, [False, True]), a[1:])
    rows = np.arange(12, dtype="i2").reshape(4, 3)
    same(gpcl.select(rows, np.array([1, 0, 0, 9], "i1")), rows[[0, 3]])
    same(gpcl.select(rows, [True] * 4, capacity=2), rows[:2])
    same(gpcl.nonzero(rows, capacity=5), np.arange(1, 6))
    same(gpcl.nonzero([False, True, True]), np.array([1, 2]))
    for wrong in (lambda: gpcl.select([1, 2], [True]), lambda: gpcl.select([1, 2]), lambda: gpcl.select(1, [True]),
                  lambda: gpcl.select([1, 2], [1.0, 0.0]), lambda: gpcl.select([1, 2], [True, False], predicate="x > 0"),
                  lambda: gpcl.select([1, 2], [True, False], type="int"), lambda: gpcl.select_pairs([1, 2], [1], [True, True]),
                  lambda: gpcl.nonzero([1, 2], helpers="int one;"), lambda: gpcl.select([1, 2], predicate=" ")):
        with pytest.raises(gpcl.GpError):
            wrong()


def test_merge_runs_of_any_strides_and_offsets():
    a = np.array([1, 9, 3, 9, 2, 9, 0, 9, 5, 9], ">i2")[::2]
    out = np.zeros(10, "i2")
    for offsets in ([0, 2, 3, 5], np.array([0, 2, 3, 5], "u1"), np.array([0, 2, 3, 3, 3, 5], ">u8"), (0, 2, 3, 5)):
        assert gpcl.merge_runs(a, offsets, out=out[::2]).base is out
        np.testing.assert_array_equal(out[::2], [0, 1, 2, 3, 5])
    assert not out[1::2].any()
    same(gpcl.merge_runs([False, True, False], [0, 2, 3]), np.array([False, False, True]))
    same(gpcl.merge_runs(np.array([1, 2, -0.0, 3], "f2"), [0, 2, 4]), np.array([-0.0, 1, 2, 3], "f2"))
    for wrong in (lambda: gpcl.merge_runs([[1]], [0, 1]), lambda: gpcl.merge_runs(a, [0, 3]),
                  lambda: gpcl.merge_runs(a, [0, 4, 3, 5]), lambda: gpcl.merge_runs(a, []),
                  lambda: gpcl.merge_runs(a, [0.0, 5.0]), lambda: gpcl.merge_runs(a, [0, 5], out=a),
                  lambda: gpcl.merge_runs_pairs(a, [1], [0, 5]), lambda: gpcl.merge_runs(a, [0, 5], work=3)):
        with pytest.raises((ValueError, TypeError)):
            wrong()


def test_merge_takes_the_common_type_and_any_strides():
    a, b = np.arange(0, 20, 2, dtype="i2"), np.arange(1, 6, dtype=">f4")
    same(gpcl.merge(a[::2], b), np.sort(np.concatenate([a[::2], b]).astype("f4")))
    out = np.zeros(14, "i2")
    assert gpcl.merge(a[:4], a[7:], out=out[::2]).base is out
    np.testing.assert_array_equal(out[::2], [0, 2, 4, 6, 14, 16, 18])
    assert not out[1::2].any()
    same(gpcl.merge([True], [False, True]), np.array([False, True, True]))
    for wrong in (lambda: gpcl.merge([[1]], [2]), lambda: gpcl.merge(a, a, out=a),
                  lambda: gpcl.merge_pairs([1], [2], [1], [1, 2]), lambda: gpcl.merge(a, a, out=np.empty(20, "i4")),
                  lambda: gpcl.merge_pairs([1], [2], [1], [1.5]),
                  lambda: gpcl.merge_pairs([1], [2], None, [1])):
        with pytest.raises((ValueError, TypeError)):
            wrong()


@given(arrays(KEYS, max_dims=1),
       st.sampled_from(["u1", "i4", "f8", "c16", "S7", "M8[s]", [("x", "i2"), ("y", "f4")], "(3,)f4", "V64"]))
def test_sort_pairs(keys, kind):
    n = keys.size
    values = np.zeros(n, kind)
    values[...] = np.arange(values.size).reshape(values.shape).astype("u1").astype(values.dtype) \
        if values.dtype.names is None and values.dtype.kind not in "VS" else values
    before = keys.copy(), values.copy()
    k, v = gpcl.sort_pairs(keys, values)
    order = np.argsort(keys, kind="stable")
    same(k, keys[order])
    assert v.dtype == values.dtype and v.tobytes() == values[order].tobytes()
    assert keys.tobytes() == before[0].tobytes()
    assert values.tobytes() == before[1].tobytes()


@given(arrays(EXACT), st.sampled_from(["add", "multiply", "minimum", "maximum"]), st.data())
def test_scan_and_reduce_of_integers(a, op, data):
    axis = data.draw(st.sampled_from(axes(a)))
    flat = a.reshape(-1) if axis is None else a
    along = 0 if axis is None else axis
    ufunc = getattr(np, op)
    scanned = gpcl.scan(a, op, axis=axis)
    same(scanned, ufunc.accumulate(flat, axis=along))
    backwards = np.flip(ufunc.accumulate(np.flip(flat, along), axis=along), along)
    same(gpcl.scan(a, op, axis=axis, reverse=True), backwards)
    reduced = gpcl.reduce(a, op, axis=axis)
    if flat.shape[along]:
        expected = ufunc.reduce(flat, axis=along)
        same(reduced, expected)
        assert type(reduced) is type(expected)
    else:
        assert np.all(reduced == gpcl.reduce(np.zeros(0, a.dtype), op))


@given(arrays(EXACT), st.sampled_from(["add", "maximum"]), st.data())
def test_reduce_over_several_axes(a, op, data):
    axis = tuple(data.draw(st.lists(st.integers(0, a.ndim - 1), unique=True)))
    axis = tuple(each - a.ndim * data.draw(st.booleans()) for each in axis)
    if op == "add" or a.size:
        expected = getattr(np, op).reduce(a, axis=axis)
        same(gpcl.reduce(a, op, axis=axis), expected)
        assert type(gpcl.reduce(a, op, axis=axis)) is type(expected)


@given(arrays(["f2", "f4", "f8"], max_dims=2))
def test_scan_and_reduce_of_floats(a):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        same(gpcl.scan(a, "maximum"), np.maximum.accumulate(a, axis=-1))
        same(gpcl.scan(a, "minimum"), np.minimum.accumulate(a, axis=-1))
        a = np.clip(np.nan_to_num(a), -1000, 1000)
        total = np.add.accumulate(np.abs(a).astype("f8"), axis=-1)
        near(gpcl.scan(a), np.add.accumulate(a, axis=-1) if a.dtype.itemsize > 2 else
             np.add.accumulate(a.astype("f8"), axis=-1).astype("f2"), total)
        near(gpcl.reduce(a, axis=-1), np.add.reduce(a.astype("f8"), axis=-1).astype(a.dtype),
             np.abs(a.astype("f8")).sum(-1))


@given(arrays(["i4", "i8", "f4"], max_dims=2))
def test_cumsum(a):
    a = np.clip(np.nan_to_num(a), -100, 100)
    for axis in (None, -1):
        expected = np.cumsum(a, axis=axis)
        if a.dtype.kind == "f":
            near(gpcl.cumsum(a, axis=axis), expected, np.cumsum(np.abs(a), axis=axis, dtype="f8"))
        else:
            same(gpcl.cumsum(a, axis=axis), expected)


@given(arrays(["i4", "f8"], max_dims=1))
def test_exclusive_scan(a):
    a = np.nan_to_num(a) if a.dtype.kind == "f" else a
    result = gpcl.scan(a, exclusive=True, dtype=a.dtype.newbyteorder("="))
    inclusive = gpcl.scan(a, dtype=a.dtype.newbyteorder("="))
    assert np.all(result[:1] == 0)
    if a.dtype.kind == "i":
        same(result[1:], inclusive[:-1])


def test_types_may_be_chosen():
    a = np.array([2**30, 2**30, 5], np.int32)
    assert gpcl.scan(a).dtype == np.int64
    same(gpcl.scan(a, dtype=np.int32), np.cumsum(a, dtype=np.int32))
    out = np.empty(3, np.int32)
    assert gpcl.scan(a, out=out) is out
    same(out, np.cumsum(a, dtype=np.int32))
    same(gpcl.argsort(a, dtype=np.uint32), np.argsort(a, kind="stable").astype(np.uint32))


# ---- matrix product

@st.composite
def matrices(draw, dtype, rows, columns):
    """Blocks, transposed and strided matrices."""
    wide = draw(st.integers(0, 3))
    a = draw(hnp.arrays(dtype, (rows + wide, columns + wide), elements=st.integers(-9, 9)))
    kind = draw(st.sampled_from(["block", "transposed", "strided", "reversed"]))
    if kind == "block":
        return a[wide:, wide:]
    if kind == "transposed":
        return np.ascontiguousarray(a[wide:, wide:].T).T
    if kind == "strided":
        return np.repeat(a, 2, axis=1)[wide:, ::2][:, wide:]
    return a[::-1, ::-1][:rows, :columns]


@given(st.data())
def test_matmul(data):
    dtype = np.dtype(data.draw(st.sampled_from(["i4", "f2", "f4", "f8"])))
    m, n, k = (data.draw(st.integers(0, 20)) for _ in range(3))
    a, b = data.draw(matrices(dtype, m, k)), data.draw(matrices(dtype, k, n))
    expected = np.matmul(a.astype("f8"), b.astype("f8")).astype(dtype)  # small integers: exact in every type
    same(gpcl.matmul(a, b), expected)
    same(gpcl.matmul(a.T, b.T, transpose_a=True, transpose_b=True), expected)
    out = np.full((m + 2, n + 3), 7, dtype)
    block = out[1:m + 1, 2:n + 2]
    assert gpcl.matmul(a, b, block) is block
    same(block, expected)
    assert (out == 7).sum() >= out.size - m * n
    out = np.full((n, m), 2, dtype).T  # transposed
    gpcl.matmul(a, b, out, alpha=2, beta=-1)
    same(out, 2 * expected - dtype.type(2))


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
                                    ((5, 2, 3), (5, 3, 4)), ((2, 1, 2, 3), (5, 3, 4)), ((5, 2, 3), (3,)), ((0, 2, 3), (3, 4)),
                                    ((1, 2, 3), (4, 3, 2)), ((2, 2, 2, 3), (2, 2, 3, 2)), ((3,), (5, 3, 4))])
def test_matmul_has_numpys_shapes(shapes):
    a, b = (np.arange(np.prod(s), dtype=np.float32).reshape(s) for s in shapes)
    same(gpcl.matmul(a, b), np.matmul(a, b))
    batch = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
    same(gpcl.matmul(batch[::2], batch.swapaxes(1, 2)[::2]), np.matmul(batch[::2], batch.swapaxes(1, 2)[::2]))
    same(gpcl.matmul(batch[::-1], batch[0].T), np.matmul(batch[::-1], batch[0].T))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f2", "f4", "f8"])
def test_results_without_dimensions_are_scalars(dtype):
    """As NumPy's, with whatever way a call goes; with out, out."""
    a = np.ones(5, dtype)
    assert type(gpcl.matmul(a, a)) is type(np.matmul(a, a)) and gpcl.matmul(a, a) == np.matmul(a, a)
    for ours, numpys in ((gpcl.reduce, np.sum), (lambda x: gpcl.reduce(x, "maximum"), np.max), (gpcl.argmin, np.argmin),
                         (gpcl.argmax, np.argmax)):
        for x in (a, a[::2], a.reshape(1, 5), np.ones((2, 5), dtype)):
            assert type(ours(x)) is type(numpys(x)) and ours(x) == numpys(x)
    out = np.zeros((), dtype)
    assert gpcl.matmul(a, a, out) is out and out == np.matmul(a, a)


def test_matmul_types_meet():
    a = np.ones((2, 2), np.float32)
    assert gpcl.matmul(a, a.astype(np.float64)).dtype == np.float64
    assert gpcl.matmul(a.astype(np.float16), a).dtype == np.float32
    with pytest.raises(TypeError):
        gpcl.matmul(a.astype(np.int64), a.astype(np.int64))


@given(hnp.arrays("i1", (5, 6)), hnp.arrays("i1", (6, 3)), st.sampled_from(["?", "i1", "u1", "u2", "u4"]), st.integers(0, 255))
def test_matmul_of_small_and_unsigned_integers(a, b, dtype, factor):
    """Products wrap, and of bool are true where a pair is, as NumPy's."""
    a, b = (x.astype(dtype) * np.array(factor).astype(dtype) for x in (a, b))
    same(gpcl.matmul(a, b), np.matmul(a, b))
    if dtype != "?":
        out = np.ones((5, 3), dtype)
        assert gpcl.matmul(a, b, out, alpha=3, beta=7) is out
        same(out, (np.matmul(a, b) * 3 + 7).astype(dtype))
        same(gpcl.matmul(a, b, semiring="or-and"), np.matmul(a != 0, b != 0).astype(dtype))


@given(hnp.arrays(np.float32, (7, 7), elements=st.integers(-50, 50)), hnp.arrays(bool, (7, 7)))
def test_semirings(a, reachable):
    terms = a[:, :, None] + a[None, :, :]
    same(gpcl.matmul(a, a, semiring="min-plus"), terms.min(1))
    same(gpcl.matmul(a, a, semiring="max-plus"), terms.max(1))
    same(gpcl.matmul(a, a, semiring="max-min"), np.minimum(a[:, :, None], a[None, :, :]).max(1))
    same(gpcl.matmul(reachable, reachable, semiring="or-and"), reachable @ reachable)


# ---- histogram and recurrence

def same_histogram(a, *bins):
    """NumPy's counts and edges."""
    expected = np.histogram(a, *bins)
    counts, edges = gpcl.histogram(a, *bins)
    same(counts, expected[0])
    assert edges.dtype == expected[1].dtype and np.array_equal(edges, expected[1])
    same(gpcl.histogram(a, *bins, counts_only=True), expected[0])


@given(arrays(["u1", "i1"]))
def test_histogram(a):
    least = np.iinfo(a.dtype).min
    counts, edges = gpcl.histogram(a, None)
    same(counts, np.bincount(a.reshape(-1).astype(int) - least, minlength=256))
    same(edges, np.arange(least, least + 257))
    same_histogram(a)


@given(arrays(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]), st.integers(1, 300),
       st.tuples(st.integers(-200, 200), st.integers(1, 300)))
def test_histogram_with_even_edges(a, bins, span):
    span = span[0] / 4, span[0] / 4 + span[1] / 4
    a = a[a == a]
    same_histogram(a, bins, span)
    edges = np.unique(np.concatenate([np.linspace(*span, 5), np.asarray(a.reshape(-1)[:5], "f8")]))
    edges = edges[np.isfinite(edges)]
    same_histogram(a, edges)


def test_histogram_on_the_edges():
    random = np.random.default_rng(5)
    for dtype in ["f4", "f8", "i8", "u1", "f2"]:
        for bins, span in [(10, (0, 1)), (77, (-0.1, 0.7)), (1000, (0.3, 30.3))]:
            if dtype == "f2" and bins > 10:
                continue  # where NumPy's own guess, in float16, is off by more than it corrects
            edges = np.histogram_bin_edges(np.empty(0, dtype), bins, span)
            x = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf),
                                random.uniform(*span, 1000)]).astype(dtype)
            same_histogram(x, bins, span)
            same_histogram(x, "sqrt")
    big = np.array([2**63 - 1, 2**63, 2**63 + 1, 2**63 + 2], "u8")
    same_histogram(big, big[1:])


def test_histogram_with_edges_that_float64_lacks():
    tiny = np.longdouble(2) ** -60
    x = np.array([0.5, np.nextafter(0.5, 0), np.nextafter(0.5, 1), 1, np.nextafter(1, 0), np.nextafter(1, 2), 2])
    for edges in ([0, 0.5 + tiny, 1], [0, 0.5 - tiny, 1], [0.5 - tiny, 1 - tiny], [0.5 + tiny, 1 + tiny, 2]):
        same_histogram(x, np.array(edges, np.longdouble))
        same_histogram(x.astype("f4"), np.array(edges, np.longdouble))
    for low, high in ((tiny, 1 - tiny), (0.5 + tiny, 1 + tiny), (-tiny, 2)):
        same_histogram(x, 1, (np.longdouble(low), np.longdouble(high)))
    same_histogram(np.array([2.0 ** 63, 2.0 ** 53]), np.array([2 ** 53 + 1, 2 ** 63 - 1, 2 ** 63], np.uint64))


def test_recurrence_as_scipy():
    signal = pytest.importorskip("scipy.signal")
    random = np.random.default_rng(4)
    for order in range(1, 9):
        poles = random.uniform(-0.95, 0.95, order)
        a = np.poly(poles)
        x = random.uniform(-1, 1, (3, 20000))
        past = random.uniform(-1, 1, (3, order))
        zi = np.stack([signal.lfiltic([1.0], a, each) for each in past])
        expected, _ = signal.lfilter([1.0], a, x, zi=zi)
        final = np.zeros((3, order))
        y = gpcl.recurrence(x, -a[1:], initial=past, final=final)
        np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-7)
        np.testing.assert_allclose(final, expected[:, :-order - 1:-1], rtol=1e-9, atol=1e-7)


def test_recurrence_in_pieces_and_from_the_end():
    x = np.random.default_rng(3).uniform(-1, 1, (2, 3, 200))
    c = [1.1, -0.4, 0.05]
    whole = gpcl.recurrence(x, c)
    final = np.zeros((2, 3, 3))
    first = gpcl.recurrence(x[..., :77], c, final=final)
    second = gpcl.recurrence(x[..., 77:], c, initial=final, final=final)
    np.testing.assert_allclose(np.concatenate([first, second], axis=-1), whole, atol=1e-12)
    np.testing.assert_array_equal(final, second[..., :-4:-1])
    np.testing.assert_allclose(gpcl.recurrence(x[..., ::-1], c, reverse=True), whole[..., ::-1], atol=1e-12)


@given(st.integers(1, 8), st.integers(0, 50), st.integers(0, 4), st.sampled_from(["f4", "f8"]), st.integers(0, 2**32 - 1))
def test_recurrence(order, n, batch, dtype, seed):
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (batch, n)).astype(dtype)
    c = random.uniform(-1, 1, order) / order
    initial = random.uniform(-1, 1, (batch, order)).astype(dtype)
    y = np.concatenate([initial[:, ::-1].astype("f8"), np.zeros((batch, n))], axis=1)
    for t in range(n):
        y[:, order + t] = x[:, t] + (y[:, t:order + t][:, ::-1] * c.astype(dtype)).sum(1)
    result = gpcl.recurrence(x, c, initial=initial)
    assert result.dtype == dtype and result.shape == x.shape
    np.testing.assert_allclose(result, y[:, order:], rtol=0, atol=2000 * np.finfo(dtype).eps)
    rest = gpcl.recurrence(x, c)
    same(gpcl.recurrence(np.asfortranarray(x)[:, ::-1][:, ::-1], c), rest)
    a = np.concatenate([[2.0], -2 * c])
    np.testing.assert_allclose(gpcl.lfilter([2.0], a, x), rest, rtol=0, atol=100 * np.finfo(dtype).eps)
    np.testing.assert_allclose(gpcl.lfilter([2.0], a, x.T, axis=0), rest.T, rtol=0, atol=100 * np.finfo(dtype).eps)


@given(st.integers(0, 50), st.integers(0, 4), st.booleans(), st.sampled_from(["f4", "f8"]), st.integers(0, 2**32 - 1))
def test_recurrence_varying(n, batch, shared, dtype, seed):
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (batch, n)).astype(dtype)
    a = random.uniform(-1, 1, n if shared else (batch, n)).astype(dtype)
    last = initial = random.uniform(-1, 1, (batch, 1)).astype(dtype)
    expected = np.zeros((batch, n))
    for t in range(n):
        last = expected[:, t:t + 1] = x[:, t:t + 1] + np.float64(a[..., t:t + 1]) * last
    final = np.zeros_like(initial)
    result = gpcl.recurrence_varying(x, a, initial=initial, final=final)
    assert result.dtype == dtype and result.shape == x.shape
    np.testing.assert_allclose(result, expected, rtol=0, atol=500 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(final, result[:, -1:] if n else initial)
    back = gpcl.recurrence_varying(np.asfortranarray(x)[:, ::-1], a[..., ::-1], initial=initial, reverse=True)
    same(back, result[:, ::-1])


def test_products():
    a = np.arange(1.0, 11)
    same(gpcl.recurrence_varying(None, a, initial=1), np.cumprod(a))
    same(gpcl.recurrence_varying(None, a, initial=[[1], [2]]), np.stack([np.cumprod(a), 2 * np.cumprod(a)]))
    out = np.ones(10)
    assert gpcl.recurrence_varying(out, a, out=out) is out and out[:3].tolist() == [1, 3, 10]
    assert gpcl.recurrence_varying([1, 1], [3, 3]).tolist() == [1, 4]


def test_fibonacci():
    same(gpcl.recurrence(None, [1, 1], n=8, initial=[1, 0]), np.array([1, 2, 3, 5, 8, 13, 21, 34.0]))


def test_filter_without_feedback():
    x = np.arange(10.0)
    np.testing.assert_allclose(gpcl.lfilter([1, 2, 3], [1], x), np.convolve(x, [1, 2, 3])[:10])
    assert gpcl.lfilter([1, 2, 3], [1, 0.5], np.zeros((2, 0))).shape == (2, 0)


def plain_filter(b, a, x, zi):
    """scipy.signal.lfilter as its manual has it, along the last axis: (y, zf) in float64."""
    delays = max(len(a), len(b)) - 1
    b, a = (np.concatenate([np.asarray(c, "f8") / a[0], np.zeros(delays + 1 - len(c))]) for c in (b, a))
    z = np.concatenate([np.broadcast_to(zi, (*x.shape[:-1], delays)), np.zeros((*x.shape[:-1], 1))], axis=-1)
    y = np.zeros(x.shape)
    for t in range(x.shape[-1]):
        y[..., t] = b[0] * x[..., t] + z[..., 0]
        z[..., :-1] = z[..., 1:] + b[1:] * x[..., t, None] - a[1:] * y[..., t, None]
    return y, z[..., :-1]


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 12), st.sampled_from([(), (3,), (2, 2), (0,)]),
       st.sampled_from(["f4", "f8"]), st.integers(0, 2**32 - 1))
def test_filter_with_states(b_size, a_size, n, batch, dtype, seed):
    random = np.random.default_rng(seed)
    delays = max(a_size, b_size) - 1
    b, a = random.uniform(-1, 1, b_size), np.concatenate([[2.0], random.uniform(-1, 1, a_size - 1) / a_size])
    x, zi = (random.uniform(-1, 1, (*batch, size)).astype(dtype) for size in (n, delays))
    expected = plain_filter(b, a, x, zi)
    near = {"rtol": 0, "atol": 200 * np.finfo(dtype).eps}
    for got, wanted in zip(gpcl.lfilter(b, a, x, zi=zi), expected):
        assert got.dtype == dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, **near)
    for got, wanted in zip(gpcl.lfilter(b, a, np.moveaxis(x, -1, 0), axis=0, zi=np.moveaxis(zi, -1, 0)), expected):
        np.testing.assert_allclose(np.moveaxis(got, 0, -1), wanted, **near)
    first, state = gpcl.lfilter(b, a, x[..., :n // 2], zi=zi)  # in two parts
    second, state = gpcl.lfilter(b, a, x[..., n // 2:], zi=state)
    np.testing.assert_allclose(np.concatenate([first, second], axis=-1), expected[0], **near)
    np.testing.assert_allclose(state, expected[1], **near)


def test_filter_as_scipy_does():
    signal = pytest.importorskip("scipy.signal")
    random = np.random.default_rng(5)
    for order in (1, 2, 4):
        b, a = signal.butter(order, 0.3)
        x = random.standard_normal((3, 1000))
        np.testing.assert_allclose(gpcl.lfilter(b, a, x), signal.lfilter(b, a, x), rtol=0, atol=1e-12)
        zi = signal.lfilter_zi(b, a) * x[:, :1]
        for got, wanted in zip(gpcl.lfilter(b, a, x, zi=zi), signal.lfilter(b, a, x, zi=zi)):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)
        for got, wanted in zip(gpcl.lfilter(b, a, x.T, axis=0, zi=zi.T), signal.lfilter(b, a, x.T, axis=0, zi=zi.T)):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def test_filter_state_that_does_not_fit():
    for zi in ([0.0], np.zeros((3, 2)), np.zeros((2, 3))):
        with pytest.raises(ValueError, match="2 delays"):
            gpcl.lfilter([1], [1, 0.5, 0.25], np.zeros((2, 9)), zi=zi)
    one_for_all, _ = gpcl.lfilter([1], [1, 0.5], np.zeros((2, 4)), zi=[1.0])
    np.testing.assert_array_equal(one_for_all, [[1, -0.5, 0.25, -0.125]] * 2)


@given(st.sampled_from(["add", "minimum", "maximum"]), st.booleans(), st.booleans(), st.integers(0, 60),
       st.integers(0, 60), st.sampled_from([np.int16, np.int64, np.uint32, np.float32, np.float64]))
def test_scan_in_pieces(op, exclusive, reverse, n, cut, dtype):
    a = np.random.default_rng(n).integers(0, 100, (3, n)).astype(dtype)
    cut = min(cut, n)
    first, second = (a[:, cut:], a[:, :cut]) if reverse else (a[:, :cut], a[:, cut:])
    options = {"op": op, "exclusive": exclusive, "reverse": reverse}
    carry = np.zeros(3, gpcl.scan(a, op).dtype)
    whole = gpcl.scan(a, initial=50, final=carry, **options)
    behind = np.zeros_like(carry)
    pieces = [gpcl.scan(first, initial=50, final=behind, **options),
              gpcl.scan(second, initial=behind, final=behind, **options)]
    same(np.concatenate(pieces[::-1] if reverse else pieces, axis=1), whole)
    same(behind, carry)
    ufunc = getattr(np, op)
    same(carry, ufunc(carry.dtype.type(50), ufunc.reduce(a, axis=1, dtype=carry.dtype)) if n else np.full(3, 50, carry.dtype))
    if n:
        turned = a[:, ::-1] if reverse else a
        expected = ufunc.accumulate(np.hstack([np.full((3, 1), 50, dtype), turned]), axis=1, dtype=carry.dtype)
        expected = expected[:, :-1] if exclusive else expected[:, 1:]
        same(whole, expected[:, ::-1] if reverse else expected)


def test_carries_of_scan_are_checked():
    a = np.arange(6).reshape(2, 3)
    for wrong in (np.zeros(3), "x", [1.5, 2], np.array([np.nan, 1])):
        with pytest.raises((ValueError, TypeError), match="initial|str"):
            gpcl.scan(a, initial=wrong)
    with pytest.raises(ValueError, match="shape"):
        gpcl.scan(a, final=np.zeros(3, np.int64))
    with pytest.raises(TypeError, match="int64"):
        gpcl.scan(a, final=np.zeros(2))
    carry = np.zeros((), np.int32)
    assert gpcl.scan(np.int8([100, 100]), dtype=np.int32, initial=1000, final=carry).tolist() == [1100, 1200]
    assert carry == 1200
    heads = np.array([[0, 0, 1], [1, 0, 0]], bool)
    assert gpcl.scan(a, initial=[10, 20], heads=heads).tolist() == [[10, 11, 2], [3, 7, 12]]


def test_reduce_and_histogram_in_pieces():
    a = np.random.default_rng(5).integers(0, 100, (4, 50)).astype(np.int32)
    total = np.zeros(4, np.int64)
    for piece in np.split(a, [7, 7, 30], axis=1):
        assert gpcl.reduce(piece, axis=1, out=total, accumulate=True) is total
    same(total, a.sum(axis=1))
    same(gpcl.reduce(a, axis=1, initial=5), a.sum(axis=1, initial=5))
    same(gpcl.reduce(a, "maximum", initial=[3] * 50, axis=0), a.max(axis=0, initial=3))
    same(gpcl.reduce(np.float32([1, 2]), out=(out := np.zeros((), np.float32))), out)
    strided = np.zeros((4, 2), np.int64)[:, 0]
    gpcl.reduce(a, axis=1, out=strided, accumulate=True)
    same(strided, a.sum(axis=1))
    for wrong in ({"accumulate": True}, {"accumulate": True, "out": total, "initial": 1}):
        with pytest.raises(ValueError, match="accumulate"):
            gpcl.reduce(a, axis=1, **wrong)
    edges = np.linspace(0, 100, 8)
    for counts in (np.zeros(7, np.int64), np.zeros(14, np.int64)[::2]):
        for piece in np.split(a, [7, 7, 30], axis=1):
            gpcl.histogram(piece, edges, out=counts, accumulate=True)
        same(counts, np.histogram(a, edges)[0])
    with pytest.raises(ValueError, match="accumulate"):
        gpcl.histogram(a, edges, accumulate=True)


@pytest.mark.parametrize("dtype", [t for t in SUMMED if t != "f2"])
@pytest.mark.parametrize("axis", [0, 1, (0, 1), (1, 2), None])
def test_rows_along_any_axes(dtype, axis):
    a = (np.random.default_rng(5).random((7, 5, 33)) * 100).astype(dtype)

    def agree(result, expected):
        same(result, expected) if np.asarray(expected).dtype.kind in "iu" else near(result, expected, 1e5)

    for each in (a, np.asfortranarray(a), a[:, ::2], a[::-1]):
        for keepdims in (False, True):
            agree(gpcl.reduce(each, axis=axis, keepdims=keepdims), each.sum(axis=axis, keepdims=keepdims))
            same(gpcl.reduce(each, "maximum", axis=axis, keepdims=keepdims, dtype=each.dtype),
                 each.max(axis=axis, keepdims=keepdims))
        if not isinstance(axis, tuple):
            agree(gpcl.scan(each, axis=axis), each.cumsum(axis=axis))
            initial = np.ones(each.sum(axis=axis).shape, gpcl.scan(each, axis=axis).dtype)
            agree(gpcl.scan(each, axis=axis, initial=initial)[..., -1:], each.cumsum(axis=axis)[..., -1:] + 1)
    out = np.empty(a.sum(axis=axis, keepdims=True).shape, a.sum().dtype)
    assert gpcl.reduce(a, axis=axis, keepdims=True, out=out) is out
    agree(out, a.sum(axis=axis, keepdims=True))


def test_segments_and_carries_along_the_first_axis():
    random = np.random.default_rng(6)
    a = random.integers(-9, 9, (50, 7)).astype(np.int32)
    heads = random.random(a.shape) < 0.1
    for reverse in (False, True):
        same(gpcl.scan(a, axis=0, heads=heads, reverse=reverse),
             np.stack([gpcl.scan(a[:, j].copy(), heads=heads[:, j].copy(), reverse=reverse) for j in range(7)], axis=1))
    carry = np.zeros(7, np.int64)
    pieces = [gpcl.scan(piece, axis=0, initial=carry, final=carry) for piece in (a[:20], a[20:21], a[21:])]
    same(np.concatenate(pieces), a.cumsum(axis=0))
    same(carry, a.sum(axis=0))


def test_no_copy_where_the_library_takes_the_array_as_it_is(ctx, monkeypatch):
    """Sums of another type, and those along the first axis, are computed from the array itself."""
    seen = []
    run = type(ctx)._run

    def watched(self, name, *arguments, **options):
        seen.append([int(_operations.ffi.cast("uintptr_t", each)) for each in arguments
                     if isinstance(each, _operations.ffi.CData)])
        return run(self, name, *arguments, **options)

    monkeypatch.setattr(type(ctx), "_run", watched)
    for dtype in ("?", "i1", "u2", "i4", "f2", "f4"):
        a = np.ones((6, 5), dtype)
        for axis in (None, 0, 1):
            seen.clear()
            gpcl.reduce(a, axis=axis, initial=0)  # with default options it is called at once
            gpcl.scan(a, axis=axis, initial=0)
            assert [a.ctypes.data in addresses for addresses in seen] == [True] * 2


@given(arrays(KEYS), st.sampled_from(["argmin", "argmax"]), st.booleans(), st.data())
def test_argmin_and_argmax(a, name, keepdims, data):
    axis = data.draw(st.sampled_from(axes(a)))
    if not (a.size if axis is None else a.shape[axis]):
        for package in (gpcl, np):
            with pytest.raises(ValueError):
                getattr(package, name)(a, axis=axis)
        return
    expected = getattr(np, name)(a, axis=axis, keepdims=keepdims)
    same(getattr(gpcl, name)(a, axis=axis, keepdims=keepdims), expected)
    out = np.zeros((2, *expected.shape), np.intp)[1, ...]
    assert getattr(gpcl, name)(a, axis=axis, keepdims=keepdims, out=out) is out
    np.testing.assert_array_equal(out, expected)


@given(arrays(KEYS), st.booleans(), st.data())
def test_top_k(a, largest, data):
    axis = data.draw(st.sampled_from([each for each in axes(a) if each is None or isinstance(each, int)]))
    n = a.size if axis is None else a.shape[axis]
    k = data.draw(st.integers(0, n))
    order = gpcl.argsort(a, axis=axis, descending=largest)
    flat = a.reshape(-1) if axis is None else a
    places = np.take(order, range(k), axis=0 if axis is None else axis)
    values, positions = gpcl.top_k(a, k, largest=largest, axis=axis)
    same(positions, places)
    same(values, np.take_along_axis(flat, places, 0 if axis is None else axis))
    _, some = gpcl.top_k(a, k, largest=largest, axis=axis, sorted=False)
    along = 0 if axis is None else axis
    np.testing.assert_array_equal(np.sort(some, axis=along), np.sort(places, axis=along))
    with pytest.raises(ValueError, match="at most n"):
        gpcl.top_k(np.arange(4), 5)


def test_top_k_of_one():
    """The first of equal elements, and NaN only where there is nothing else."""
    nan = np.nan
    for elements, greatest, least in (([1, nan, 3], 2, 0), ([nan, nan], 0, 0), ([-0.0, 0.0], 0, 0), ([3, 7, 7, 3], 1, 0)):
        for dtype in (np.float32, np.float64, np.int8, np.uint64):
            if np.dtype(dtype).kind != "f" and any(each != each for each in elements):
                continue
            a = np.array(elements, dtype)
            for largest, place in ((True, greatest), (False, least)):
                values, positions = gpcl.top_k(a, 1, largest=largest)
                same(positions, np.array([place]))
                same(values, a[place:place + 1])


@given(arrays(KEYS, max_dims=1), arrays(KEYS), st.sampled_from(["left", "right"]), st.booleans(), st.data())
def test_searchsorted(a, values, side, large, data):
    with np.errstate(all="ignore"):
        wanted = np.promote_types(a.dtype, values.dtype)
        if wanted not in _operations.CODES and wanted != np.bool_:
            return
    limits = {"_FEW_VALUES": 0, "_SHORT": -1, "_LONG": -1} if large else {"_LONG": data.draw(st.sampled_from([0, 100]))}
    with unittest.mock.patch.multiple(_operations, **limits):
        order = np.argsort(a, kind="stable")
        same(gpcl.searchsorted(a, values, side, order), np.searchsorted(a, values, side, order))
        ascending = a[order]
        same(gpcl.searchsorted(ascending, values, side), np.searchsorted(ascending, values, side))
        if values.size:
            one = values.flat[0]
            assert gpcl.searchsorted(ascending, one, side) == np.searchsorted(ascending, one, side)


NEAR = [0.1, -0.1, 1e-60, -1e-60, 1e300, -1e300, 65519.0, 65521.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 2**24 + 1]


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_values_between_two_elements_of_a_type(ctx, dtype):
    """Those that the array's type lacks find the places that NumPy's common type gives."""
    with np.errstate(over="ignore"):
        a = np.array(NEAR + [0.0999755859375, 0.1001, 65504, -65504, 1e-45, -1e-45, 2**24, 2**24 + 2, np.nan], dtype)
        a = np.concatenate([a, np.nextafter(a, np.array(np.inf, dtype)), np.nextafter(a, np.array(-np.inf, dtype))])
    for descending in (False, True):
        ordered = gpcl.sort(a, descending=descending)
        wide = ordered.astype("f8")
        for side in ("left", "right"):
            expected = gpcl.searchsorted(wide, NEAR, side, descending=descending)
            if not descending:
                same(expected, np.searchsorted(ordered, NEAR, side))
            np.testing.assert_array_equal(ctx.array(ordered).searchsorted(NEAR, side, descending=descending).numpy(), expected)
            for limits in ({"_LONG": 0}, {"_LONG": -1, "_FEW_VALUES": 0, "_SHORT": -1}):
                with unittest.mock.patch.multiple(_operations, **limits):
                    same(gpcl.searchsorted(np.tile(ordered, 1), NEAR, side, descending=descending), expected)
    assert ctx.array(np.float32([0.05, 0.1, 0.2])).searchsorted(0.1).item() == np.searchsorted(np.float32([0.05, 0.1, 0.2]), 0.1)


def test_searches_by_a_sorter():
    """Of few values and many, in arrays of all sizes."""
    random = np.random.default_rng(9)
    for n in (0, 1, 33, 9000):
        a = random.integers(-50, 50, n).astype("i4")
        for index in ("i8", "u4", "i2"):
            sorter = np.argsort(a).astype(index)
            for m in (1, 300, 3000):
                for dtype in ("i4", "f8"):
                    v = random.integers(-60, 60, m).astype(dtype)
                    same(gpcl.searchsorted(a, v, "right", sorter), np.searchsorted(a, v, "right", sorter))
    a = random.permutation(2 * _operations._LONG).astype("f4")
    sorter, v = np.argsort(a), random.random(3000) * a.size
    same(gpcl.searchsorted(a, v, "left", sorter), np.searchsorted(a, v, "left", sorter))
    sorter[a.size // 2] = a.size  # the first that every search looks at
    for few in (v[:1], v):
        with pytest.raises(ValueError, match="index|range"):
            gpcl.searchsorted(a, few, "left", sorter)


@pytest.mark.parametrize("dtype", KEYS)
def test_plain_arrays_take_the_short_way_to_the_same_results(dtype):
    """Those with the default options, beside the same with an algorithm, a stride or an axis."""
    random = np.random.default_rng(10)
    for n in (0, 1, 2, 33, 1000):
        a = random.integers(0, 40, n).astype(dtype)
        if a.dtype.kind == "f":
            a[::7] = np.nan
        for each in (a, np.sort(a), np.zeros_like(a)):
            wide = np.repeat(each, 2)[::2]
            assert gpcl.is_sorted(each) == gpcl.is_sorted(wide) and type(gpcl.is_sorted(each)) is np.bool_
            same(gpcl.is_sorted(each, positions=True), gpcl.is_sorted(wide, positions=True))
            for largest in (True, False):
                for k in {0, n // 3, n}:
                    for short, long in zip(gpcl.top_k(each, k, largest=largest), gpcl.top_k(wide, k, largest=largest)):
                        same(short, long)
            if n:
                same(gpcl.argmin(each), np.argmin(wide))
                same(gpcl.argmax(each), np.argmax(wide))
        ordered = np.sort(a)
        same(gpcl.merge(ordered, ordered[:n // 2]), np.sort(np.concatenate([a, ordered[:n // 2]])))
    with pytest.raises(ValueError, match="at most n"):
        gpcl.top_k(a, 1001)


def test_merged_values_of_two_byte_orders():
    a, b = np.array([1, 3]), np.array([2, 4])
    values = np.array([10, 30], ">i4"), np.array([20, 40], "<i4")
    same(gpcl.merge_pairs(a, b, *values)[1], np.array([10, 20, 30, 40], "i4"))
    swapped = gpcl.merge_pairs(a, b, values[0], values[0])[1]
    assert swapped.dtype == ">i4" and swapped.tolist() == [10, 10, 30, 30]  # of one, they are moved as they are
    pairs = [each.astype([("x", "f8")]) for each in values]
    assert gpcl.merge_pairs(a, b, pairs[0].astype([("x", ">f8")]), pairs[1])[1]["x"].tolist() == [10, 20, 30, 40]


def test_searchsorted_refuses():
    a = np.arange(5)
    for arguments, error in ((([a, a], 3), ValueError), ((a, 3, "middle"), ValueError), ((a, 3, "left", [0, 1]), ValueError),
                             ((a, 3, "left", [0, 1, 2, 3, 5]), ValueError), ((a, 3, "left", [0.5] * 5), TypeError),
                             ((a, "text"), TypeError)):
        with pytest.raises(error):
            gpcl.searchsorted(*arguments)


@given(arrays(KEYS), st.booleans(), st.booleans(), st.data())
def test_is_sorted(a, descending, strict, data):
    axis = data.draw(st.sampled_from(axes(a)))
    rows = a.reshape(1, -1) if axis is None else np.moveaxis(a, axis, -1)
    if a.dtype == np.bool_:
        rows = rows.astype(np.uint8)

    def before(x, y):
        nan = (x != x, y != y)
        return ~nan[0] & (nan[1] | ((x > y) if descending else (x < y)))

    left, right = rows[..., :-1], rows[..., 1:]
    breaks = ~before(left, right) if strict else before(right, left)
    found = np.where(breaks.any(axis=-1), breaks.argmax(axis=-1) + 1, rows.shape[-1]) if breaks.shape[-1] else \
        np.full(rows.shape[:-1], rows.shape[-1])
    found = found[0] if axis is None else found
    options = {"axis": axis, "descending": descending, "strict": strict}
    np.testing.assert_array_equal(gpcl.is_sorted(a, positions=True, **options), found)
    np.testing.assert_array_equal(gpcl.is_sorted(a, **options), found == rows.shape[-1])


@given(st.data(), st.integers(0, 50), st.lists(st.sampled_from(KEYS), min_size=1, max_size=4))
def test_lexsort(data, n, types):
    random = np.random.default_rng(data.draw(st.integers(0, 1000)))
    keys = [random.integers(0, 3, n).astype(dtype) for dtype in types]
    with unittest.mock.patch.object(_operations, "_FEW_KEYS", data.draw(st.sampled_from([{}, _operations._FEW_KEYS]))):
        same(gpcl.lexsort(keys), np.lexsort(keys))


def test_edges_belong_to_the_caller():
    """Changing them changes no later call."""
    for bins, range_ in ((4, (0, 8)), (np.array([0.0, 2, 4]), None), (4, None)):
        a = np.arange(9.0)
        expected = np.histogram(a, bins, range_)
        for _ in range(2):
            counts, edges = gpcl.histogram(a, bins, range_)
            same(counts, expected[0])
            np.testing.assert_array_equal(edges, expected[1])
            if edges is not bins:
                edges[:] = 7


def test_plain_calls_with_out():
    """They take the short way to the library where out lies apart, else that of all others."""
    a = np.array([3, 1, 2, 5], np.int64)
    memory = np.zeros(6, np.int64)
    for out in (np.zeros(4, np.int64), memory[1:5], memory[::2][:3]):
        given = a[:out.size]
        same(gpcl.sort(given, out=out), np.sort(given))
        same(gpcl.scan(given, "maximum", out=out, reverse=True), np.maximum.accumulate(given[::-1])[::-1])
        assert gpcl.argsort(given, out=out) is out
        same(out, np.argsort(given))
    both = np.array([4, 3, 2, 1, 0])
    for call in (gpcl.sort, gpcl.scan, gpcl.argsort):
        with pytest.raises(ValueError):
            call(both[:4], out=both[1:])
        assert both.tolist() == [4, 3, 2, 1, 0]
    locked = np.zeros(4, np.int64)
    locked.flags.writeable = False
    for call in (gpcl.sort, gpcl.scan, gpcl.argsort):
        with pytest.raises(ValueError, match="read-only"):
            call(a, out=locked)


def test_even_bins_are_not_searched(monkeypatch):
    taken = []  # options
    bins_of, plain_bins_of = _operations._bins, _operations._plain_bins

    def watched(*arguments):
        result = bins_of(*arguments)
        taken.append(result[1].copy())
        return result

    def watched_plain(*arguments):
        result = plain_bins_of(*arguments)
        if result[1]:
            taken.append({"edges": result[1].edges} if result[1].edges else {"lower": result[1].lower, "upper": result[1].upper})
        return result

    monkeypatch.setattr(_operations, "_bins", watched)
    monkeypatch.setattr(_operations, "_plain_bins", watched_plain)
    random = np.random.default_rng(7)
    for dtype in ("i1", "u2", "i4", "u8", "f2", "f4", "f8"):
        a = (random.random(1000) * 100).astype(dtype)
        for bins, span in ((10, (0, 100)), (7, (-3.5, 77.25)), (100, None), (1, (3, 4))):
            counts, edges = gpcl.histogram(a, bins, span)
            expected, expected_edges = np.histogram(a, bins, span)
            same(counts, expected)
            np.testing.assert_array_equal(edges, expected_edges)
    assert len(taken) == 28 and sum("lower" in each for each in taken) > 20
    taken.clear()
    gpcl.histogram(np.arange(5), [0, 2, 4])
    gpcl.histogram(np.arange(5.0), "auto")
    assert all("edges" in each or each["lower"] < each["upper"] for each in taken)


@example(np.array([2**52 + 2]), 1)
@given(arrays(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]), st.integers(1, 300))
def test_edges_are_numpys(a, bins):
    """To the bit, of the elements' own range, or NumPy's error."""
    a = a[a == a]
    try:
        # histogram() ends with IndexError where all edges are rounded to one number.
        expected = np.histogram_bin_edges(a, bins)
    except ValueError:
        with pytest.raises(ValueError):
            gpcl.histogram(a, bins)
        return
    counts, edges = gpcl.histogram(a, bins)
    assert edges.dtype == expected.dtype and np.array_equal(edges, expected)
    same(counts, np.histogram(a, edges)[0])


SIZES = [0, 1, 2, 33, 39, 40, 41, 97, 1009, 2047, 2048, 2049]


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "f2", "?", ">i4"])
def test_plain_calls_and_all_others_agree(dtype):
    """Arrays of one dimension with default options have a way of their own through the package; a second dimension, `out` and
    named defaults take the other."""
    random = np.random.default_rng(11)
    for n in SIZES[:-3] if dtype == "f2" else SIZES:  # float16's sums would pass its largest number
        a = (random.random(n) * 200 - 50 * (np.dtype(dtype).kind in "if")).astype(dtype)
        if a.dtype.kind == "f" and n:
            a[random.integers(0, n, n // 5)] = np.nan
            a[random.integers(0, n, n // 5)] = -0.0
        a.flags.writeable = False
        other = np.stack((a, a))
        for descending in (False, True):
            same(gpcl.sort(a, descending=descending), gpcl.sort(other, descending=descending)[0])
            same(gpcl.argsort(a, descending=descending), gpcl.argsort(other, descending=descending)[0])
            strided = np.repeat(a, 2)[::2]
            same(gpcl.sort(strided, descending=descending), gpcl.sort(a, descending=descending))
            same(gpcl.argsort(strided, descending=descending), gpcl.argsort(a, descending=descending))
            mine = a.astype(a.dtype.newbyteorder("="))  # out is native
            assert gpcl.sort(mine, out=mine, descending=descending) is mine
            same(mine, gpcl.sort(a, descending=descending))
        whole = a[~np.isnan(a)] if a.dtype.kind == "f" else a
        for op in ("add", "minimum"):
            for options in ({}, {"exclusive": True}, {"reverse": True}):
                result = gpcl.scan(whole, op, **options)
                expected = gpcl.scan(whole, op, out=np.empty_like(result), **options)
                assert result.dtype == expected.dtype and np.allclose(result, expected)
            result = gpcl.reduce(whole, op)
            expected = gpcl.reduce(whole[None], op, axis=1)[0]
            assert result.dtype == expected.dtype and np.allclose(result, expected) and np.ndim(result) == 0


def test_plain_calls_that_are_refused(ctx):
    a = np.arange(5)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        gpcl.sort(a, out=a)
    for call in (gpcl.sort, gpcl.argsort, gpcl.scan, gpcl.reduce):
        with pytest.raises(ValueError, match="axis 1 is outside"):
            call(np.arange(5), axis=1)
        with pytest.raises(TypeError, match="axis is 0.0, expected an integer"):
            call(np.arange(5), axis=0.0)
        with pytest.raises(TypeError):
            call(np.array([1j, 2j]))
    with pytest.raises(ValueError, match="no operator"):
        gpcl.scan(np.arange(5), "nonesuch")
    with pytest.raises(ValueError, match="a has rows of 3, b has columns of 2"):
        gpcl.matmul(np.ones((2, 3)), np.ones((2, 3)))
    closed = gpcl.open("host")
    closed.close()
    for call in (closed.sort, closed.argsort, closed.scan, closed.reduce):
        with pytest.raises(ValueError, match="this Context is closed"):
            call(np.arange(5))
    m, five = np.ones((2, 2)), np.arange(5)
    for few in (lambda: closed.top_k(five, 2), lambda: closed.matmul(m, m), lambda: closed.argmin(five), lambda: closed.sort(m),
                lambda: closed.cumsum(five), lambda: closed.diff(five), lambda: closed.unique(five),
                lambda: closed.bincount(five, np.ones(5))):
        with pytest.raises(ValueError, match="this Context is closed"):
            few()


def test_short_ways_take_what_their_methods_take_by_position():
    """And tell nothing of themselves."""
    for name, plain in _operations.PLAIN.items():
        method = inspect.signature(getattr(_operations.Operations, name))
        of_method, of_plain = ([(each.name, each.default) for each in list(signature.parameters.values())[1:]
                                if each.kind == each.POSITIONAL_OR_KEYWORD] for signature in (method, inspect.signature(plain)))
        assert of_plain == of_method, name
        with pytest.raises(TypeError, match=rf"{name}\(\) takes"):
            getattr(gpcl, name)(*[np.arange(3)] * (len(of_plain) + 1))
        with pytest.raises(TypeError, match=rf"{name}\(\) missing"):
            getattr(gpcl.default_context(), name)()


@pytest.mark.parametrize("n", [3, 1000])
def test_bits_of_bfloat16_are_not_ordered(n):
    """Neither few nor many: as numbers of 16 bits, -1 would come last."""
    if gpcl.bfloat16.names is None:
        pytest.skip("with ml_dtypes they are numbers")
    a = np.resize(np.array([0x3f80, 0xbf80, 0x4000], np.uint16), n).view(gpcl.bfloat16)  # 1, -1, 2
    for call in (gpcl.sort, gpcl.argsort, gpcl.argmin, gpcl.unique, gpcl.cumsum, lambda x: gpcl.top_k(x, 2),
                 lambda x: gpcl.searchsorted(x, x)):
        with pytest.raises(gpcl.GpTypeError, match="bfloat16"):
            call(a)


def test_few_elements_are_combined_as_many():
    """On both sides of the numbers up to which NumPy's functions do it, here and beside contexts that leave them none."""
    random = np.random.default_rng(12)
    with gpcl.open("host") as ctx, gpcl.open("host") as other, other.record():
        for n in (1, 16, 17, 32, 33, 99, 101, 256, 257, 32768, 32769):
            for dtype in ("i1", "u2", "i4", "u8", "f4", "f8"):
                a = (random.random(n) * 60 - 30 * (np.dtype(dtype).kind != "u")).astype(dtype)
                a[n // 3] = a[n // 2]
                if n > 16 and a.dtype.kind == "f":
                    a[::5], a[1::5], a[n // 4] = 0.0, -0.0, np.nan
                for call in ("sort", "argsort", "argmin", "argmax"):
                    result, expected = getattr(ctx, call)(a), getattr(other, call)(a)
                    assert result.dtype == expected.dtype and result.tobytes() == expected.tobytes(), (call, dtype, n)
                for result, expected in zip(ctx.top_k(a, n // 2), other.top_k(a, n // 2)):
                    assert result.dtype == expected.dtype and result.tobytes() == expected.tobytes(), (dtype, n)
                sums, expected = ctx.cumsum(a), other.cumsum(a)
                assert sums.dtype == expected.dtype
                np.testing.assert_allclose(sums, expected, rtol=1e-3 if dtype == "f4" else 1e-9, atol=1e-2 if dtype == "f4" else 1e-9)
        for shape in ((10, 10), (32, 32), (33, 32), (5, 100), (0, 3), (3, 0)):
            for dtype in ("i2", "u1", "f4"):
                a = (random.random(shape) * 60).astype(dtype)
                same(ctx.sort(a), other.sort(a))
        for m, k, n in ((1, 1, 1), (10, 10, 10), (3, 400, 2), (11, 10, 10), (64, 64, 64), (64, 65, 64), (0, 3, 2), (2, 0, 3)):
            for dtype in ("i1", "i4", "f4", "f8"):
                a, b = (random.integers(-3, 4, shape).astype(dtype) for shape in ((m, k), (k, n)))
                same(ctx.matmul(a, b), other.matmul(a, b))


def test_plain_calls_are_recorded(ctx):
    m = np.ones((2, 2), np.float32)
    ctx.profile()
    try:
        with ctx.record() as events:
            for call in (ctx.sort, ctx.argsort, ctx.scan, ctx.reduce):
                call(np.arange(5))
            ctx.matmul(m, m)
            ctx.histogram(np.arange(5), 3)
        assert len(events) == 6
    finally:
        ctx.profile(False)


def test_histogram_with_density_and_weights():
    random = np.random.default_rng(8)
    a, weights = random.normal(size=1000), random.random(1000)
    for bins in (10, [-1.0, 0.0, 0.5, 3.0]):
        for options in ({"density": True}, {"weights": weights}, {"weights": weights, "density": True}):
            counts, edges = gpcl.histogram(a, bins, **options)
            expected, expected_edges = np.histogram(a, bins, **options)
            np.testing.assert_allclose(counts, expected, rtol=1e-12)
            np.testing.assert_array_equal(edges, expected_edges)
    for options in ({"out": np.zeros(10, np.int64)}, {"algorithm": "host"}):
        with pytest.raises(gpcl.GpError, match="density is for"):
            gpcl.histogram(a, density=True, **options)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "c16", ">f8"])
def test_histogram_with_weights_of_every_type(dtype):
    random = np.random.default_rng(9)
    a, weights = random.normal(size=(40, 30)), (random.random((40, 30)) * 100).astype(dtype)
    for bins, span in ((10, None), (7, (-1, 1.5)), ([-1.0, 0.0, 0.5, 3.0], None)):
        sums, edges = gpcl.histogram(a, bins, span, weights=weights)
        expected, expected_edges = np.histogram(a, bins, span, weights=weights)
        assert sums.dtype == expected.dtype.newbyteorder("=")
        np.testing.assert_allclose(sums, expected, rtol=1e-5 if dtype == "f4" else 1e-12)
        same(edges, expected_edges)


def test_sums_of_weights_are_exact():
    a = np.zeros(5)
    weights = np.array([1e100, 1.0, -1e100, 2.0 ** -60, 2.0])
    same(gpcl.histogram(a, 1, (0, 1), weights=weights, counts_only=True), np.array([3.0]))
    same(gpcl.bincount(np.zeros(5, np.int8), weights), np.array([3.0]))
    same(gpcl.histogram2d(a, a, 1, ((0, 1), (0, 1)), weights=weights)[0], np.array([[3.0]]))
    infinite = np.array([1.0, np.inf, 2.0])
    same(gpcl.histogram([0.5, 1.5, 2.5], 3, (0, 3), weights=infinite, counts_only=True), infinite)
    out = np.empty(1)
    assert gpcl.histogram(a, 1, (0, 1), weights=weights, counts_only=True, out=out) is out and out[0] == 3


def test_what_weights_must_be():
    with pytest.raises(gpcl.GpError, match="same shape"):
        gpcl.histogram([1.0, 2.0], 2, weights=[1.0])
    with pytest.raises(gpcl.GpTypeError, match="Automated estimation"):
        gpcl.histogram([1.0, 2.0], "auto", weights=[1.0, 2.0])
    with pytest.raises(gpcl.GpError, match="accumulate"):
        gpcl.histogram([1.0], 2, weights=[1.0], out=np.zeros(2), accumulate=True)
    with pytest.raises(gpcl.GpTypeError, match="int64"):
        gpcl.histogram([1.0], 2, weights=[1], out=np.zeros(2))
    with pytest.raises(gpcl.GpError, match="same length"):
        gpcl.histogram2d([1.0], [1.0, 2.0])
    with pytest.raises(gpcl.GpError, match="same length"):
        gpcl.histogram2d([1.0], [1.0], weights=[1.0, 2.0])
    with pytest.raises(gpcl.GpError, match="elements of 0 or more"):
        gpcl.bincount([1, -1], [1.0, 2.0])
    with pytest.raises(gpcl.GpError, match="negative"):
        gpcl.bincount([1, -1])
    with pytest.raises(gpcl.GpTypeError, match="integers"):
        gpcl.bincount([1.5])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1"])
def test_histogram2d(dtype):
    random = np.random.default_rng(10)
    x, y = (random.random((2, 3000)) * 60).astype(dtype)
    for bins, span in ((10, None), ((5, 7), ((2, 9), (-8, 55))), ([-5.0, 0, 3, 9], None), (([0, 1, 5], 6), None),
                       (([0, 1, 4], [0.0, 2, 2.5, 8]), None)):
        for weights in (None, random.random(3000), random.random(3000).astype("f4"), random.integers(0, 9, 3000)):
            for density in (False, True):
                got = gpcl.histogram2d(x, y, bins, span, weights=weights, density=density)
                expected = np.histogram2d(x, y, bins, span, weights=weights, density=density)
                assert got[0].dtype == expected[0].dtype
                if weights is None and not density:
                    same(got[0], expected[0])
                np.testing.assert_allclose(got[0], expected[0], rtol=1e-12, atol=1e-300)
                same(got[1], expected[1])
                same(got[2], expected[2])


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8"])
def test_bincount(dtype):
    random = np.random.default_rng(11)
    x = random.integers(0, 50, 2000).astype(dtype)
    for least in (0, 80):
        same(gpcl.bincount(x, minlength=least), np.bincount(x, minlength=least))
        for weights in (random.random(2000), random.integers(0, 9, 2000), random.random(2000).astype("f4")):
            np.testing.assert_allclose(gpcl.bincount(x, weights, least), np.bincount(x, weights, least), rtol=1e-12)
            same(gpcl.bincount(x, weights, least), gpcl.bincount(np.repeat(x, 2)[::2], weights, least))
    same(gpcl.bincount(x[:0].astype(np.int64)), np.bincount(x[:0].astype(np.int64)))
    for bad in ([-1, 2], [2**24, 1]):
        with pytest.raises(ValueError):
            gpcl.bincount(np.array(bad), np.ones(2))
    same(gpcl.bincount([]), np.bincount([]))
    same(gpcl.bincount(np.uint64([3, 0])), np.array([1, 0, 0, 1]))  # which NumPy refuses


@pytest.mark.parametrize("dtype", KEYS)
def test_least_and_greatest_of_every_length(dtype):
    """On "host" they go by vectors, the last of which overlaps the one before; one NaN anywhere is the result."""
    random = np.random.default_rng(1)
    many = [*range(1, 70), 127, 128, 129, 255, 257, 1023, 1025, 20001] if gpcl.default_context().is_host else [1, 33, 1025]
    for n in many:
        a = (random.standard_normal(n) * 100).astype(dtype)
        for special in (False, True) if a.dtype.kind == "f" else (False,):
            if special:
                a[random.integers(n)] = np.nan
            for op, expected in (("minimum", np.min(a)), ("maximum", np.max(a))):
                result = gpcl.reduce(a, op)
                assert type(result) is type(expected) and np.array_equal(result, expected, equal_nan=special)
            assert gpcl.argmin(a) == np.argmin(a) and gpcl.argmax(a) == np.argmax(a)
        if a.dtype.kind in "iu":
            assert gpcl.reduce(a) == np.sum(a)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u2", "i4", "u8"])
@pytest.mark.parametrize("length", [2, 10, 31, 32])
def test_short_rows(dtype, length):
    random = np.random.default_rng(2)
    for rows in (3, 4, 15, 16, 17, 50):
        a = (random.standard_normal((rows, length)) * 100).astype(dtype)
        for special in (None, np.nan, -0.0, np.inf):
            if special is not None and a.dtype.kind == "f":
                a[random.integers(rows), random.integers(length)] = special
            bits = f"u{a.dtype.itemsize}"
            np.testing.assert_array_equal(gpcl.sort(a).view(bits), np.sort(a, kind="stable").view(bits))


def test_weights_of_few_elements_are_added_up_exactly():
    random = np.random.default_rng(3)
    for n in (3, 10, 100, 255, 256, 257):
        x, scale = random.integers(0, 20, n), 10.0 ** random.integers(-30, 30, n)
        for weights in (random.standard_normal(n), random.standard_normal(n) * scale, np.full(n, 5e-324),
                        np.where(np.arange(n) % 2, 1e306, -1e306), np.float32(random.standard_normal(n))):
            expected = [math.fsum(float(each) for each in weights[x == bin_]) for bin_ in range(x.max() + 1)]
            np.testing.assert_array_equal(gpcl.bincount(x, weights), expected)
        for special in (np.inf, -np.inf, np.nan):
            weights = np.ones(n)
            weights[0] = special
            assert np.array_equal(gpcl.bincount(x, weights)[x[0]], special, equal_nan=True)


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 40])
def test_bincount_rounds_each_sum_once(n):
    """However few weights there are: sums of three are rounded twice by NumPy."""
    random = np.random.default_rng(n)
    for dtype in ("i1", "u2", "i4", "i8", "u8"):
        for most in (1, 2, n, 100):
            x, weights = random.integers(0, most, n).astype(dtype), random.choice([1e16, 1.0, -1e16, 0.1, 3.0], n)
            expected = [math.fsum(weights[x == each]) for each in range(int(x.max()) + 1)]
            assert gpcl.bincount(x, weights).tolist() == expected
    assert gpcl.bincount(np.zeros(3, int), np.array([1e16, 1.0, -1e16])).tolist() == [1.0]
    for x in (np.arange(-1, n), np.full(n, 2**24)):
        with pytest.raises(ValueError, match="expected elements of 0 or more|too|bins|16777216"):
            gpcl.bincount(x, np.ones(x.size))


def test_bincount_of_nothing_on_the_device(ctx):
    for minlength in (0, 3):
        counts = ctx.array(np.zeros(0, np.float32)).bincount(minlength=minlength)
        assert isinstance(counts, gpcl.DeviceArray)
        same(counts.numpy(), np.bincount([], minlength=minlength))


def test_scan_of_segments():
    a = np.arange(24, dtype=np.int32).reshape(4, 6)
    heads = np.zeros((4, 6), bool)
    heads[:, 2] = heads[1, 5] = True
    expected = np.hstack([np.cumsum(a[:, :2], 1), np.cumsum(a[:, 2:], 1)])
    expected[1, 5] = a[1, 5]
    same(gpcl.scan(a, heads=heads), expected.astype(np.int64))
    same(gpcl.scan(a.T, axis=0, heads=heads.T), expected.T.astype(np.int64))
    backwards = gpcl.scan(a, heads=heads, reverse=True)
    assert backwards[0].tolist() == [1, 1, 14, 12, 9, 5] and backwards[1].tolist() == [13, 7, 27, 19, 10, 11]
    with pytest.raises(ValueError, match="heads"):
        gpcl.scan(a, heads=heads[0])


def shortest(edges):
    """Lengths of paths by three loops, of which NumPy does two."""
    lengths = edges.astype("f8")
    if edges.dtype.kind == "i":
        lengths[edges == np.iinfo(edges.dtype).max] = np.inf
    lengths[np.isnan(lengths)] = np.inf
    lengths[np.diag_indices(len(lengths))] = np.minimum(lengths.diagonal(), 0)
    for k in range(len(lengths)):
        lengths = np.minimum(lengths, lengths[:, k:k + 1] + lengths[k])
    return lengths


@given(st.integers(0, 40), st.sampled_from(["i2", "i4", "f4", "f8", "f2", "i8"]), st.integers(1, 8), st.booleans(),
       st.integers(0, 1000))
def test_shortest_paths(n, dtype, one_in, negative, seed):
    random = np.random.default_rng(seed)
    heights = random.integers(0, 50, n) if negative else np.zeros(n, int)
    computed = {"f2": "f4", "i8": "f8"}.get(dtype, dtype)
    none = np.inf if computed[0] == "f" else np.iinfo(computed).max
    edges = random.integers(0, 20, (n, n)) + heights[:, None] - heights
    a = np.where(random.integers(0, one_in, (n, n)) == 0, edges, none if dtype != "i8" else 10**6).astype(dtype)
    expected = shortest(a)
    expected = np.where(expected == np.inf, none, expected).astype(computed)
    same(gpcl.shortest_paths(a), expected)
    lengths, before = gpcl.shortest_paths(np.asfortranarray(a), predecessors=True)
    same(lengths, expected)
    assert before.dtype == np.int32 and before.shape == (n, n)
    for i in range(n):
        for j in range(n):
            p = before[i, j]
            assert (p == -9999) == (i == j or expected[i, j] == none)
            if p != -9999:
                assert expected[i, p] + a[p, j].astype(computed) == expected[i, j]
    if computed == dtype:
        assert gpcl.shortest_paths(a, out=a) is a
        same(a, expected)


def test_shortest_paths_as_scipy():
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    random = np.random.default_rng(5)
    a = np.where(random.random((60, 60)) < 0.1, random.integers(1, 9, (60, 60)), np.inf)
    lengths, before = gpcl.shortest_paths(a, predecessors=True)
    graph = csgraph.csgraph_from_dense(a, null_value=np.inf)
    expected, nodes = csgraph.floyd_warshall(graph, return_predecessors=True)
    np.testing.assert_array_equal(lengths, expected)
    assert ((before == -9999) == (nodes == -9999)).all() and before.dtype == nodes.dtype


def test_shortest_paths_refuse():
    with pytest.raises(ValueError, match="cycle of negative length"):
        gpcl.shortest_paths([[0, 1.0], [-2, 0]])
    with pytest.raises(ValueError, match="square"):
        gpcl.shortest_paths(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="overlaps"):
        a = np.zeros((4, 4), np.float32)
        gpcl.shortest_paths(a[:3, :3], out=a[1:, 1:])
    with pytest.raises(ValueError, match="device arrays"):
        gpcl.shortest_paths(np.zeros((2, 2)), negative_cycle=1)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.int32, np.float64, np.complex128, "U5", "M8[s]"])
def test_take_and_put(dtype):
    rng = np.random.default_rng(3)
    for n in (1, 7, 5000):
        a = rng.integers(0, 100, n).astype(dtype if dtype != "M8[s]" else np.int64).astype(dtype)
        for kind in (np.int64, np.int32, np.uint8, np.int16):
            indices = rng.integers(0, min(n, 100), 60).astype(kind)
            if np.dtype(kind).kind == "i":
                indices[::2] -= min(n, 100)
            assert np.array_equal(gpcl.take(a, indices), np.take(a, indices))
        order = rng.permutation(n)
        expected, got = a.copy(), a.copy()
        np.put(expected, order[: n // 2], a[: n // 2])
        assert gpcl.put(got, order[: n // 2], a[: n // 2]) is got and np.array_equal(got, expected)


def test_take_along_axes():
    a = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    indices = np.array([[2, 0], [-1, 1]])
    for axis in (None, 0, 1, 2, 3, -2):
        at = indices if axis not in (0,) else indices % 2
        expected = np.take(a, at, axis=axis)
        assert np.array_equal(gpcl.take(a, at, axis=axis), expected)
        out = np.empty(expected.shape[::-1], a.dtype).T  # any strides
        assert gpcl.take(a, at, axis=axis, out=out) is out and np.array_equal(out, expected)
    assert np.array_equal(gpcl.take(a[:, ::2], [1], axis=0), a[1:, ::2])
    assert gpcl.take(a, []).shape == (0,) and gpcl.take(np.empty((3, 0)), [1, 2], axis=0).shape == (2, 0)
    b = np.zeros((4, 3))
    gpcl.put(b, [0, -1], 7, axis=0)
    assert np.array_equal(b, [[7] * 3, [0] * 3, [0] * 3, [7] * 3])


def test_wrong_positions_are_named():
    for call in (lambda: gpcl.take([1, 2, 3], [0, 3, 9]), lambda: gpcl.put(np.zeros(3), [0, 3, 9], 1)):
        with pytest.raises(gpcl.GpError, match=r"positions\[1\] is 3; expected -3 to 2"):
            call()
    with pytest.raises(gpcl.GpError, match="float64"):
        gpcl.take([1, 2], [0.5])
    with pytest.raises(gpcl.GpError, match="writable"):
        gpcl.put([1, 2], [0], [1])
    with pytest.raises(gpcl.GpError, match="first_wrong"):
        gpcl.take([1, 2], [0], first_wrong=np.zeros(1, np.uint64))


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.int32, np.float64, np.complex128, "U3"])
def test_matrix_transpose(dtype):
    for shape in ((1, 1), (3, 5), (65, 130), (4, 33, 20), (2, 0, 3), (2, 3, 4, 5)):
        a = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
        expected = np.swapaxes(a, -1, -2)
        got = gpcl.matrix_transpose(a)
        assert np.array_equal(got, expected) and got.flags.c_contiguous
        out = np.empty(expected.shape, dtype)
        assert gpcl.matrix_transpose(a, out=out) is out and np.array_equal(out, expected)
    block = np.arange(1000).reshape(20, 50)[3:17, 4:21]
    assert np.array_equal(gpcl.matrix_transpose(block), block.T)
    assert np.array_equal(gpcl.matrix_transpose(block.T), block)
    with pytest.raises(gpcl.GpError, match="two dimensions"):
        gpcl.matrix_transpose([1, 2])


def runs_of(a):
    """Where runs begin, and how long they are."""
    differ = (a[1:] != a[:-1]) & ~((a[1:] != a[1:]) & (a[:-1] != a[:-1]))
    firsts = np.flatnonzero(np.concatenate((np.ones(min(a.size, 1), bool), differ)))
    return firsts, np.diff(np.append(firsts, a.size))


@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i4", "u8", "f2", "f4", "f8", ">i4"])
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 100_000])
def test_runs(dtype, n):
    random = np.random.default_rng(n)
    a = np.repeat(random.integers(0, 2 if dtype == "bool" else 9, n), random.integers(1, 4, n))[:n].astype(dtype)
    if a.dtype.kind == "f":
        a[a == 3] = np.nan
        a[a == 0] *= random.choice([-1, 1], np.count_nonzero(a == 0)).astype(dtype)
    firsts, lengths = runs_of(a)
    values, found, places = gpcl.run_lengths(a, return_index=True)
    np.testing.assert_array_equal(values, a[firsts])
    np.testing.assert_array_equal(found, lengths)
    np.testing.assert_array_equal(places, firsts)
    assert values.dtype == a.dtype.newbyteorder("=") and found.dtype == np.intp and len(gpcl.run_lengths(a)) == 2
    np.testing.assert_array_equal(np.repeat(values, found), a)
    x = random.integers(0, 100, n).astype(np.uint8)
    keys, sums = gpcl.reduce_by_key(a, x)
    np.testing.assert_array_equal(keys, a[firsts])
    np.testing.assert_array_equal(sums, np.add.reduceat(x.astype("u8"), firsts) if n else np.zeros(0))
    assert sums.dtype == np.sum(x).dtype
    keys, most = gpcl.reduce_by_key(a, x.astype("f4"), "maximum", any_order=True)
    kinds = np.unique(a)
    np.testing.assert_array_equal(keys, kinds)
    same = [(a == each) | ((a != a) & (each != each)) for each in kinds]
    np.testing.assert_array_equal(most, np.float32([x[each].max() for each in same]))


@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", ">i4"])
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 100_000])
@pytest.mark.parametrize("most", [9, 10**9])
def test_unique(dtype, n, most):
    random = np.random.default_rng(n)
    a = random.integers(0, 60_000 if dtype == "f2" and most > 9 else most, (2, n)).astype(dtype)
    if a.dtype.kind == "f":
        a[a == 3] = np.nan
        a[a == 0] *= random.choice([-1, 1], np.count_nonzero(a == 0)).astype(dtype)
    for wanted in [(), (True,), (False, True), (False, False, True), (True, True, True)]:
        found, expected = gpcl.unique(a, *wanted), np.unique(a, *wanted)
        if not wanted:
            found, expected = (found,), (expected,)
        assert len(found) == len(expected)
        for each, other in zip(found, expected):
            np.testing.assert_array_equal(each, other)
            assert each.dtype == other.dtype.newbyteorder("=") and each.shape == other.shape
    np.testing.assert_array_equal(gpcl.unique(np.sort(a, axis=None), sorted=True), np.unique(a))
    values, inverse = gpcl.unique(a[:, ::-1], return_inverse=True)
    np.testing.assert_array_equal(values[inverse.reshape(a.shape)], a[:, ::-1])


@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i4", "u8", "f2", "f4", "f8", ">i4"])
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 100_000])
def test_scan_by_key(dtype, n):
    random = np.random.default_rng(n)
    keys = random.integers(0, 2, n).astype(dtype)
    x = random.integers(-100, 100, n)
    heads = np.append(True, keys[1:] != keys[:-1])[:n]
    np.testing.assert_array_equal(gpcl.scan_by_key(keys, x), gpcl.scan(x, heads=heads))
    sums = gpcl.scan_by_key(keys, x.astype("i2"), exclusive=True)
    np.testing.assert_array_equal(sums, gpcl.scan(x.astype("i2"), heads=heads, exclusive=True))
    assert sums.dtype == np.int64
    most = gpcl.scan_by_key(keys, x.astype("f4"), "maximum", initial=50)
    np.testing.assert_array_equal(most, np.maximum(gpcl.scan(x.astype("f4"), "maximum", heads=heads), np.float32(50)))
    y = x.copy()
    assert gpcl.scan_by_key(keys, y, out=y) is y
    np.testing.assert_array_equal(y, gpcl.scan(x, heads=heads))


@pytest.mark.parametrize("dtype", ["bool", "i1", "i4", "f8", "c16", "U3", "S100", "M8[s]"])
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 30_000])
def test_repeat(dtype, n):
    random = np.random.default_rng(n)
    a = random.integers(0, 99, n).astype("i8").astype(dtype)
    for index in ["u1", "i2", "u4", "i8", "u8"]:
        repeats = random.integers(0, 4, n).astype(index)
        found = gpcl.repeat(a, repeats)
        np.testing.assert_array_equal(found, np.repeat(a, repeats.astype("i8")))
        assert found.dtype == a.dtype
    np.testing.assert_array_equal(gpcl.repeat(a, 3), np.repeat(a, 3))
    np.testing.assert_array_equal(gpcl.repeat(a[::2], [2], total=2 * len(a[::2])), np.repeat(a[::2], 2))


@pytest.mark.parametrize("n", [0, 1, 2, 1000, 70_000])
def test_partition_in_three_parts(n):
    random = np.random.default_rng(n)
    a, flags = random.integers(0, 1000, n), random.integers(0, 4, n).astype("u1")
    expected = np.concatenate([a[flags == 1], a[flags == 2], a[flags % 3 == 0]])
    ends = np.count_nonzero(flags == 1), np.count_nonzero(flags % 3 != 0)
    found, where = gpcl.partition(a, flags, parts=3)
    np.testing.assert_array_equal(found, expected)
    assert where == ends
    found, values, where = gpcl.partition_pairs(a, a.astype("f4"), flags, parts=3)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(values, expected.astype("f4"))
    assert where == ends
    with pytest.raises(ValueError):
        gpcl.partition(a, flags, parts=4)


def test_repeat_and_scan_by_key_refuse():
    with pytest.raises(ValueError):
        gpcl.repeat([1, 2], [1, 2, 3])
    with pytest.raises(ValueError):
        gpcl.repeat([1, 2], [1, -1])
    with pytest.raises(TypeError):
        gpcl.repeat([1, 2], [1.0, 2.0])
    with pytest.raises(ValueError):
        gpcl.repeat([1, 2], [1, 2], total=4)
    with pytest.raises(ValueError):
        gpcl.scan_by_key([1, 2], [1, 2, 3])
    with pytest.raises(ValueError):
        gpcl.scan_by_key([1, 2], [1, 2], "nothing")


def test_runs_refuse():
    with pytest.raises(ValueError):
        gpcl.reduce_by_key([1, 2], [1, 2, 3])
    with pytest.raises(ValueError):
        gpcl.reduce_by_key([1, 2], [1, 2], "nothing")
