"""gpcl.dask and gpcl.pieces against NumPy on the whole: sizes, skew, NaN, unknown chunks, schedulers, workers that die."""
# SPDX-License-Identifier: MIT
import math
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import gpcl
from gpcl import pieces

da = pytest.importorskip("dask.array", reason="no dask")
import dask  # noqa: E402

import gpcl.dask as gd  # noqa: E402


@pytest.fixture(autouse=True)
def in_one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def keys_of(kind, n, seed=0):
    """Keys of all sorts: wide, few, all equal, one in 90 % of places, with NaN and both zeros."""
    random = np.random.default_rng(seed)
    wide = random.integers(0, 2**32, n, np.uint32)
    if kind == "few":
        return (wide % 3).astype(np.int8)
    if kind == "equal":
        return np.zeros(n, np.int64)
    if kind == "skewed":
        return np.where(random.random(n) < 0.9, 7, wide)
    if kind == "floats":
        floats = random.standard_normal(n, np.float32)
        floats[wide % 5 == 0] = np.nan
        floats[wide % 5 == 1] = 0.0
        floats[wide % 10 == 1] = -0.0
        return floats
    return wide


KINDS = ("wide", "few", "equal", "skewed", "floats")
CHUNKS = ((0,), (1,), (2, 0, 1, 30), (100,) * 9 + (0, 1, 77), (1000,))


def unknown(x):
    """The same array, whose chunks have sizes that Dask does not know."""
    return x[x == x] if x.dtype.kind != "f" else x[da.ones_like(x, dtype=bool)]


def same(result, expected):
    result = result.compute()
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


def chunk_sizes(x):
    return [block.shape[0] for block in dask.compute(*x.to_delayed().reshape(-1))]


# ---- sorts

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunks", CHUNKS, ids=len)
@pytest.mark.parametrize("split_every", [2, 3, None])
def test_sorts(kind, chunks, split_every):
    a = keys_of(kind, sum(chunks))
    x = da.from_array(a, chunks=(chunks,))
    order = np.argsort(a, kind="stable")
    result = gd.sort(x, split_every=split_every)
    assert result.chunks == x.chunks
    assert chunk_sizes(result) == list(chunks)  # whatever the keys are
    same(result, a[order])
    same(gd.argsort(x, split_every=split_every), order)
    values = np.arange(2 * a.size, dtype=np.float32).reshape(-1, 2)
    keys, moved = gd.sort_pairs(x, da.from_array(values, chunks=(7, 1)), split_every=split_every)
    same(keys, a[order])
    same(moved, values[order])


@pytest.mark.parametrize("kind", ["wide", "floats", "skewed"])
def test_descending_order_keeps_equal_keys_in_theirs(kind):
    a = keys_of(kind, 1000)
    x = da.from_array(a, chunks=130)
    same(gd.sort(x, descending=True), gpcl.sort(a, descending=True))
    same(gd.argsort(x, descending=True, split_every=3), gpcl.argsort(a, descending=True))


@pytest.mark.parametrize("kind", KINDS)
def test_chunks_of_unknown_sizes_become_equal_ones(kind):
    a = keys_of(kind, 1001)
    x = unknown(da.from_array(a, chunks=((1, 0, 500, 400, 100),)))
    result = gd.sort(x, split_every=2)
    assert all(map(math.isnan, result.chunks[0]))
    assert max(abs(size - 200) for size in chunk_sizes(result)) <= 1
    order = np.argsort(a, kind="stable")
    same(result, a[order])
    same(gd.argsort(x), order)
    keys, values = gd.sort_pairs(x, x)
    same(values, a[order])


@pytest.mark.parametrize("dtype", "bool int8 uint16 int32 uint64 float16 float64".split())
def test_every_type_is_sorted(dtype):
    a = (keys_of("wide", 500) % 251).astype(dtype)
    same(gd.sort(da.from_array(a, chunks=60)), np.sort(a))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
@pytest.mark.parametrize("chunks", [(2, 3, 4), (5, 6, 7)])
@pytest.mark.parametrize("limit", ["128MiB", "1B"])
def test_sorts_along_axes(axis, chunks, limit):
    a = keys_of("few", 210).reshape(5, 6, 7)
    x = da.from_array(a, chunks=chunks)
    with dask.config.set({"array.chunk-size": limit}) if limit == "1B" and axis is not None else dask.config.set():
        same(gd.sort(x, axis=axis), np.sort(a, axis=axis))
        same(gd.argsort(x, axis=axis), np.argsort(a, axis=axis, kind="stable"))


def test_an_order_is_right_for_what_follows():
    a = keys_of("wide", 1000)
    x = da.from_array(a, chunks=(100, ))
    same(gd.sort(x)[::-7] + 1, np.sort(a)[::-7] + 1)
    same(gd.cumsum(gd.sort(x + 1))[500:], np.cumsum(np.sort(a + 1))[500:])


# ---- what is asked of all

@pytest.mark.parametrize("kind", ["wide", "few", "skewed", "equal"])
@pytest.mark.parametrize("largest", [True, False])
def test_top_k(kind, largest):
    a = keys_of(kind, 1000)
    x = da.from_array(a, chunks=((300, 0, 1, 690, 9),))
    for each in (x, unknown(x)):
        if math.isnan(each.shape[0]):
            continue
        for k in (0, 1, 33, 1000):
            for result, expected in zip(gd.top_k(each, k, largest=largest, split_every=2), gpcl.top_k(a, k, largest=largest)):
                same(result, expected)
    b = a.reshape(20, 50)
    for axis in (0, 1, None):
        for result, expected in zip(gd.top_k(da.from_array(b, chunks=(7, 9)), 5, axis=axis, largest=largest),
                                    gpcl.top_k(b, 5, axis=axis, largest=largest)):
            same(result, expected)


def test_top_k_of_unknown_sizes():
    a = keys_of("wide", 100)
    x = unknown(da.from_array(a, chunks=9))
    for result, expected in zip(gd.top_k(x, 20), gpcl.top_k(a, 20)):
        same(result, expected)
    with pytest.raises(ValueError, match="k is 101, the axis has 100"):
        dask.compute(gd.top_k(x, 101))
    with pytest.raises(ValueError, match="k is 101, the axis has 100"):
        gd.top_k(da.from_array(a, chunks=9), 101)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunks", CHUNKS, ids=len)
def test_unique(kind, chunks):
    a = keys_of(kind, sum(chunks))
    x = da.from_array(a, chunks=(chunks,))
    expected = np.unique(a, True, True, True)
    for each in (x, unknown(x)):
        for result, by_numpy in zip(gd.unique(each, True, True, True, split_every=3), expected):
            same(result, by_numpy)
    same(gd.unique(x), expected[0])


def test_unique_is_balanced():
    """Distinct keys, where one of them has most of the places."""
    a = keys_of("skewed", 20000)
    sizes = chunk_sizes(gd.unique(da.from_array(a, chunks=2000)))
    assert max(sizes) <= 1.1 * np.mean(sizes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("chunks", CHUNKS, ids=len)
def test_searchsorted(kind, side, chunks):
    a, v = np.sort(keys_of(kind, sum(chunks))), keys_of(kind, 300, 1).reshape(20, 15)
    x, w = da.from_array(a, chunks=(chunks,)), da.from_array(v, chunks=(7, 8))
    expected = np.searchsorted(a, v, side)
    same(gd.searchsorted(x, w, side, split_every=3), expected)
    same(gd.searchsorted(unknown(x), w, side), expected)
    same(gd.searchsorted(x, v[0, :1], side), expected[0, :1])


def test_searches_meet_in_numpys_common_type():
    a, v = np.arange(-5, 1000, dtype=np.int16), np.array([-9.5, 0.5, 3, 2000, np.nan])
    same(gd.searchsorted(da.from_array(a, chunks=100), da.from_array(v, chunks=2)), np.searchsorted(a, v))
    assert gd.searchsorted(da.from_array(a, chunks=100), 7).compute() == 12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull",
                                    "median_unbiased", "normal_unbiased"])
def test_quantiles_are_exact(kind, method):
    for chunks in CHUNKS[1:]:
        for dtype in (None, np.float64):
            a = keys_of(kind, sum(chunks))
            a = np.nan_to_num(a) if sum(chunks) == 1000 else a  # where NaN is not the answer
            a = a if dtype is None else a.astype(dtype)
            x = da.from_array(a, chunks=(chunks,))
            for q in (0.5, [0, 0.1, 0.25, 0.999, 1], [[0.3], [0.7]]):
                result, expected = gd.quantile(x, q, method=method), np.asarray(np.quantile(a, q, method=method))
                # Of float32 NumPy 1's type depends on whether there are NaN.
                same(result, expected.astype(result.dtype) if np.isnan(expected).any() else expected)


def test_quantiles_along_axes_and_of_unknown_sizes():
    a = keys_of("wide", 2100).reshape(30, 70).astype(np.float32)
    a[3, 4] = np.nan
    x = da.from_array(a, chunks=(7, 20))
    for limit in ("128MiB", "64B"):
        with dask.config.set({"array.chunk-size": limit}):
            for axis in (0, 1):
                for keepdims in (False, True):
                    same(gd.quantile(x, [0.2, 0.5], axis=axis, keepdims=keepdims),
                         np.quantile(a, [0.2, 0.5], axis=axis, keepdims=keepdims))
                    same(gd.median(x, axis=axis, keepdims=keepdims), np.median(a, axis=axis, keepdims=keepdims))
    same(gd.median(x, keepdims=True), np.median(a, keepdims=True))
    same(gd.median(unknown(da.from_array(a[5], chunks=9))), np.asarray(np.median(a[5])))
    assert math.isnan(gd.median(da.zeros(0)).compute())


@pytest.mark.parametrize("kind", ["wide", "few", "skewed", "floats"])
def test_histogram(kind):
    a = np.nan_to_num(keys_of(kind, 1000))
    x = da.from_array(a, chunks=((300, 0, 1, 690, 9),))
    for bins, limits in ((10, None), (7, (0, 2**32)), ([0, 1, 2, 2.5, 2**31], None), (10, (3, 3))):
        for density in (False, True):
            if density and limits == (3, 3):
                continue
            counts, edges = gd.histogram(x, bins, limits, density=density, split_every=2)
            same(counts, gpcl.histogram(a, bins, limits, density=density)[0])
            same(edges, np.histogram_bin_edges(a, bins, limits))
    weights = np.random.default_rng(2).integers(0, 100, 1000).astype(np.float64)  # whose sums are exact in any order
    same(gd.histogram(x, 10, (0, 9), weights=da.from_array(weights, chunks=70), counts_only=True),
         gpcl.histogram(a, 10, (0, 9), weights=weights, counts_only=True))


def test_histograms_of_bytes_of_nothing_and_of_nan():
    a = keys_of("few", 1000)
    for result, expected in zip(gd.histogram(da.from_array(a, chunks=99), None), gpcl.histogram(a, None)):
        same(result, expected)
    for result, expected in zip(gd.histogram(da.zeros(0), 4), np.histogram(np.zeros(0), 4)):
        same(result, expected)
    with pytest.raises(ValueError):
        gd.histogram(da.from_array(keys_of("floats", 100), chunks=9), 4)[0].compute()


# ---- reductions, scans, recurrences

@pytest.mark.parametrize("op", ["add", "multiply", "minimum", "maximum"])
@pytest.mark.parametrize("axis", [0, 1, 2, (0, 2), None])
def test_reduce(op, axis):
    a = (keys_of("few", 210) + 1).reshape(5, 6, 7)
    x = da.from_array(a, chunks=(2, 6, 3))
    for keepdims in (False, True):
        same(gd.reduce(x, op, axis=axis, keepdims=keepdims, split_every=2),
             np.asarray(gpcl.reduce(a, op, axis=axis, keepdims=keepdims)))


@pytest.mark.parametrize("op", ["add", "multiply", "minimum", "maximum"])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_scan(op, exclusive, reverse):
    a = keys_of("wide", 1000).astype(np.int64)
    for chunks in CHUNKS:
        b = a[:sum(chunks)]
        x = da.from_array(b, chunks=(chunks,))
        for each in (x, unknown(x)):
            for initial in (None, 5):
                same(gd.scan(each, op, exclusive=exclusive, reverse=reverse, initial=initial, split_every=2),
                     gpcl.scan(b, op, exclusive=exclusive, reverse=reverse, initial=initial))
    b = a.reshape(10, 5, 20)
    for axis in (0, 1, 2, None):
        same(gd.scan(da.from_array(b, chunks=(3, 2, 20)), op, axis=axis, exclusive=exclusive, reverse=reverse),
             gpcl.scan(b, op, axis=axis, exclusive=exclusive, reverse=reverse))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "bool"])
def test_sums_have_numpys_types(dtype):
    a = (keys_of("few", 500) + 1).astype(dtype)
    x = da.from_array(a, chunks=60)
    same(gd.cumsum(x), np.cumsum(a))
    same(gd.cumsum(x, dtype=np.float64), np.cumsum(a, dtype=np.float64))
    same(gd.reduce(x), np.asarray(np.sum(a)))


def test_operators_of_the_callers_own(opencl):
    """A product of affine maps, x -> (x & 255) * p + q, packed into one word: it does not commute."""
    op, a = "((a & 255) * (b & 255) & 255) | (((a >> 8) * (b & 255) + (b >> 8)) & 255) << 8", keys_of("wide", 600) & 0xFFFF
    x = da.from_array(a, chunks=70)
    for reverse in (False, True):
        same(gd.scan(x, op, identity=1, reverse=reverse, split_every=2), gpcl.scan(a, op, identity=1, reverse=reverse))
    b = a.reshape(20, 30)
    for axis in (0, 1, None, (1, 0)):
        same(gd.reduce(da.from_array(b, chunks=(7, 8)), op, identity=1, axis=axis, split_every=2),
             np.asarray(gpcl.reduce(b, op, identity=1, axis=axis)))


@pytest.mark.parametrize("coefficients", [[0.5], [1.0], [0.5, -0.25, 0.125]])
@pytest.mark.parametrize("reverse", [False, True])
def test_recurrence(coefficients, reverse):
    random = np.random.default_rng(3)
    for dtype in (np.float64, np.float32, np.int32):
        a = random.integers(-9, 9, (3, 500)).astype(dtype)
        x = da.from_array(a, chunks=((2, 1), (200, 0, 1, 290, 9)))
        for initial in (None, np.arange(len(coefficients))):
            result = gd.recurrence(x, coefficients, reverse=reverse, initial=initial, split_every=2).compute()
            expected = gpcl.recurrence(a, coefficients, reverse=reverse, initial=initial)
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result, expected, rtol=3e-5 if dtype == np.float32 else 1e-12, atol=1e-4 if dtype == np.float32 else 1e-11)
    same(gd.recurrence(unknown(da.ones(9, chunks=2)), [1.0]), np.arange(1.0, 10))


# ---- products

@pytest.mark.parametrize("semiring", ["plus-times", "min-plus", "max-plus", "max-min"])
@pytest.mark.parametrize("shapes", [((20, 30), (30, 10)), ((30,), (30, 10)), ((20, 30), (30,)), ((30,), (30,)),
                                    ((3, 20, 30), (30, 10)), ((4, 1, 20, 30), (3, 30, 10))])
def test_matmul(semiring, shapes):
    random = np.random.default_rng(4)
    a, b = (random.integers(-9, 9, shape).astype(np.int32) for shape in shapes)
    x, y = da.from_array(a, chunks=7), da.from_array(b, chunks=4)
    same(gd.matmul(x, y, semiring=semiring), np.asarray(gpcl.matmul(a, b, semiring=semiring)))


def test_products_of_other_types():
    random = np.random.default_rng(4)
    a, b = random.integers(0, 9, (20, 30)), random.integers(0, 9, (30, 10))
    for left, right, options in ((np.float32, np.float64, {}), (np.bool_, np.bool_, {}), (np.int16, np.float32, {}),
                                 (np.int8, np.int8, {"dtype": np.int32}), (np.bool_, np.bool_, {"semiring": "or-and"})):
        x, y = a.astype(left), b.astype(right)
        same(gd.matmul(da.from_array(x, chunks=7), da.from_array(y, chunks=4), **options), gpcl.matmul(x, y, **options))


def test_semirings_of_the_callers_own(opencl):
    a = np.random.default_rng(4).integers(0, 2**16, (2, 20, 20)).astype(np.int32)
    semiring = ("a ^ b", "a & b", 0, -1)
    x, y = (da.from_array(each, chunks=6) for each in a)
    same(gd.matmul(x, y, semiring=semiring), gpcl.matmul(a[0], a[1], semiring=semiring))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int16", "uint8"])
def test_shortest_paths(dtype):
    random = np.random.default_rng(5)
    a = random.integers(1, 100, (33, 33)).astype(dtype)
    none = np.inf if a.dtype.kind == "f" else np.iinfo(dtype).max
    a[random.random(a.shape) < 0.8] = none
    for chunks in ((33, 33), (10, 7)):
        same(gd.shortest_paths(da.from_array(a, chunks=chunks)), gpcl.shortest_paths(a))


def test_a_cycle_of_negative_length_is_an_error():
    a = np.full((20, 20), np.inf)
    a[[2, 12], [12, 2]] = 1, -2
    with pytest.raises(gpcl.GpError, match="cycle"):
        gd.shortest_paths(da.from_array(a, chunks=5)).compute()


# ---- graphs

def calls(x):
    """Every function, of an array of one dimension."""
    return {"sort": gd.sort(x), "argsort": gd.argsort(x), "sort_pairs": gd.sort_pairs(x, x)[1], "top_k": gd.top_k(x, 3)[0],
            "unique": gd.unique(x, return_inverse=True)[1], "searchsorted": gd.searchsorted(x, x), "quantile": gd.quantile(x, 0.5),
            "median": gd.median(x), "histogram": gd.histogram(x)[0], "scan": gd.scan(x, "maximum"), "cumsum": gd.cumsum(x),
            "reduce": gd.reduce(x), "recurrence": gd.recurrence(x, [0.5]), "matmul": gd.matmul(x, x),
            "shortest_paths": gd.shortest_paths(x[:, None] * 1.0 + x)}


def test_names_are_those_of_the_call_and_nothing_is_computed():
    def fail(block):
        raise AssertionError("computed")

    x = da.ones(20, chunks=4).map_blocks(fail, meta=np.empty(0))
    once, again = calls(x), calls(x)
    assert set(gd.__all__) == {*once, "context"}
    for name, result in once.items():
        assert result.name == again[name].name and dict(result.dask).keys() == dict(again[name].dask).keys()
        assert result.name != calls(x + 1)[name].name
        assert isinstance(result._meta, np.ndarray) and result._meta.dtype == result.dtype and result._meta.ndim == result.ndim
    assert len({result.name for result in once.values()}) == len(once)
    assert gd.sort(x).name != gd.sort(x, descending=True).name
    assert gd.quantile(x, 0.5).name != gd.quantile(x, 0.6).name


def test_graphs_travel_without_contexts():
    x = da.from_array(np.arange(20.0), chunks=4)
    gd.sort(x).compute()
    for name, result in calls(x).items():
        again = pickle.loads(pickle.dumps(result))
        np.testing.assert_array_equal(again.compute(), result.compute(), name)


def test_no_device_is_opened_before_dask_computes():
    program = ("import dask.array as da, gpcl, gpcl.dask as gd, gpcl._context as c; x = da.ones(20, chunks=4); "
               "gd.sort(x), gd.cumsum(x), gd.unique(x), gd.quantile(x, 0.5), gd.histogram(x), gd.matmul(x, x), gd.reduce(x); "
               "assert c._default is None and not gd._contexts")
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("p", [1, 16, 64, 256])
def test_graphs_have_as_many_tasks_as_is_said(p):
    x = da.ones(p, chunks=1)

    def tasks(result):
        return len(dict(result.dask)) - p

    s = math.ceil(math.log(p) / math.log(32)) if p > 1 else 0
    assert tasks(gd.sort(x)) <= p * (1 + s * (3 + math.ceil(p ** (1 / max(s, 1))))) + p
    assert tasks(gd.quantile(x, 0.5)) <= 3 * p + 4
    assert tasks(gd.cumsum(x)) <= p * 2 + p / 32 + 1
    assert tasks(gd.reduce(x)) <= p * (1 + 1 / 16) + 3
    assert tasks(gd.histogram(x, 3, (0, 1))[0]) <= p * (1 + 1 / 16) + 4
    assert p < 16 or tasks(gd.cumsum(x)) < 0.7 * tasks(da.cumsum(x, axis=0))


@pytest.mark.parametrize("kind", ["wide", "skewed", "sorted"])
def test_no_task_takes_all(kind):
    """Not only the parts of the result are of one size, but what tasks make on the way to them, too."""
    a = np.arange(1 << 18) if kind == "sorted" else keys_of(kind, 1 << 18)
    chunk = a.nbytes >> 6
    made = {}
    with dask.callbacks.Callback(posttask=lambda key, result, *_: made.update({key: nbytes(result)})):
        gd.sort(da.from_array(a, chunks=1 << 12)).compute(optimize_graph=False)
    ours = [size for (name, *_), size in made.items() if name.startswith("gpcl-")]
    assert len(ours) > 64 * 5 and max(ours) <= 2 * chunk


def nbytes(result):
    if isinstance(result, dict):
        result = list(result.values())
    return result.nbytes if hasattr(result, "nbytes") else sum(map(nbytes, result)) if isinstance(result, (list, tuple)) else 8


# ---- what is refused

@pytest.mark.parametrize("call, said", [
    (lambda x: gd.sort(x, split_every=1), "split_every is 1"),
    (lambda x: gd.sort(x.astype(complex)), "complex"),
    (lambda x: gd.sort(x, axis=1), "axis 1"),
    (lambda x: gd.sort_pairs(x, x[:-1]), "values have the shape"),
    (lambda x: gd.quantile(x, 1.5), "from 0 to 1"),
    (lambda x: gd.quantile(x, 0.5, method="cubic"), "no method 'cubic'"),
    (lambda x: gd.histogram(x, "auto"), "rule"),
    (lambda x: gd.histogram(x, 0), "bins is 0"),
    (lambda x: gd.histogram(x, 3, weights=x[:-1]), "weights have the shape"),
    (lambda x: gd.searchsorted(x, x, "middle"), "side is 'middle'"),
    (lambda x: gd.searchsorted(x[None], x), "2 dimensions, expected 1"),
    (lambda x: gd.matmul(x, x[:-1]), "they must be equal"),
    (lambda x: gd.matmul(x, x, semiring="tropical"), "no semiring 'tropical'"),
    (lambda x: gd.shortest_paths(x), "1 dimensions, expected 2"),
    (lambda x: gd.shortest_paths(x[:, None]), "square"),
    (lambda x: gd.scan(x, "plus").compute(), "no operator 'plus'"),
])
def test_what_can_not_be_taken_is_said(call, said):
    with pytest.raises(gpcl.GpError, match=said):
        call(da.ones(20, chunks=4))


# ---- schedulers

@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_threads_and_processes(scheduler):
    a = keys_of("wide", 20000)
    x = da.from_array(a, chunks=2500)
    with dask.config.set(scheduler=scheduler, num_workers=4 if scheduler == "threads" else 2):
        same(gd.sort(x), np.sort(a))
        same(gd.cumsum(x), np.cumsum(a))


def test_a_device_for_each_worker(monkeypatch):
    with dask.config.set({"gpcl.device": "host"}):
        assert gd.context().device.kind == "host" and gd.context() is gd.context()
    with dask.config.set({"gpcl.device": ["host", "nonesuch"]}):
        assert gd.context().device.kind == "host"
        monkeypatch.setattr(gd, "_worker_number", lambda: 3)
        with pytest.raises(gpcl.GpError, match="nonesuch"):
            gd.context()
    assert gd.context() is gpcl.default_context()


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="no distributed")
    with dask.config.set({"distributed.worker.daemon": False}), \
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster, \
            distributed.Client(cluster) as client:
        yield client


def test_distributed(cluster):
    a = keys_of("skewed", 100000)
    x = da.from_array(a, chunks=10000)
    with dask.config.set(scheduler=cluster):
        same(gd.sort(x, split_every=4), np.sort(a))
        same(gd.argsort(x), np.argsort(a, kind="stable"))
        for result, expected in zip(gd.unique(x, True, True, True), np.unique(a, True, True, True)):
            same(result, expected)
        same(gd.median(x), np.asarray(np.median(a)))
        same(gd.cumsum(x), np.cumsum(a))
        same(gd.matmul(x[:100], x[:100]), np.asarray(a[:100] @ a[:100]))
    assert all(cluster.run(lambda: gd.context() is gd.context()).values())


def test_a_worker_that_dies_in_mid_sort(cluster):
    """The other workers, and the one that takes its place, compute again what was lost."""
    a = keys_of("wide", 200000)
    state = {"slow": da.from_array(a, chunks=10000).map_blocks(slowly, dtype=a.dtype, meta=a[:0])}
    future = cluster.compute(gd.sort(state["slow"]))
    before = cluster.run(os.getpid)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:  # until both have sorted some chunks
        held = cluster.has_what()
        if len(held) == 2 and all(any("gpcl-run" in str(key) for key in keys) for keys in held.values()):
            break
        time.sleep(0.02)
    assert not future.done()
    victim = sorted(before.values())[0]
    os.kill(victim, 9)
    np.testing.assert_array_equal(future.result(timeout=120), np.sort(a))
    cluster.wait_for_workers(2, timeout=60)
    assert victim not in cluster.run(os.getpid).values()


def slowly(block):
    time.sleep(0.05)
    return block


# ---- any engine

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("descending", [False, True])
def test_pieces_sort_as_one_array(kind, descending):
    random = np.random.default_rng(6)
    for count in (1, 2, 5):
        mine = [keys_of(kind, int(n), i) for i, n in enumerate(random.choice([0, 1, 2, 33, 1000, 2999], count))]
        runs = [gpcl.sort(each, descending=descending) for each in mine]
        whole = np.concatenate(runs)
        order = gpcl.argsort(whole, descending=descending)
        of = np.repeat(np.arange(count), [each.size for each in runs])[order]
        for parts in (1, 2, 7, np.sort(random.integers(0, whole.size + 1, 4))):
            number = parts if isinstance(parts, int) else 5
            samples = [pieces.sample(each, number) for each in runs]
            borders = pieces.splitters(samples, parts, descending=descending)
            nearby = [pieces.near(each, i, borders) for i, each in enumerate(runs)]
            offsets = pieces.partition(nearby, borders, descending=descending)
            assert offsets.tolist() == [[np.count_nonzero(of[:rank] == i) for rank in borders.ranks] for i in range(count)]
            cuts = [pieces.cut(each, offsets[i]) for i, each in enumerate(runs)]
            merged = [pieces.merge_runs([each[j] for each in cuts], descending=descending) for j in range(number)]
            np.testing.assert_array_equal(np.concatenate(merged), whole[order])
            if isinstance(parts, int):
                assert max(map(len, merged)) - min(map(len, merged)) <= 1


def test_only_what_lies_near_the_cuts_is_compared():
    runs = [np.sort(keys_of("wide", 1 << 18, i)) for i in range(4)]
    samples = [pieces.sample(each, 8) for each in runs]
    borders = pieces.splitters(samples, 8)
    total = 4 << 18
    assert sum(each.keys.size for each in samples) < total / 50
    assert sum(pieces.near(each, i, borders).size for i, each in enumerate(runs)) < total / 50


def test_ranks_that_can_not_be():
    samples = [pieces.sample(np.arange(10), 2)]
    for ranks in ([3, 2], [11], [-1]):
        with pytest.raises(ValueError, match="ranks must ascend from 0 to 10"):
            pieces.splitters(samples, ranks)


MPI = pathlib.Path(__file__).resolve().parents[1] / "examples" / "pieces_mpi.py"


@pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun")
def test_the_example_of_mpi():
    pytest.importorskip("mpi4py", reason="no mpi4py")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "PYTHONPATH": str(pathlib.Path(gpcl.__file__).parents[1])}
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", "3", sys.executable, str(MPI), "100003"], env=environment,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "100003 keys on 3 ranks, sorted: parts of 33334 33334 33335" in done.stdout, done.stdout
