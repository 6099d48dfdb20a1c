"""The short ways of plain calls beside the way of all others, and beside NumPy."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import gpcl

ON_HOST = gpcl.default_context().is_host
TYPES = ["?", "i1", "u1", "i2", "i4", "u8", "f2", "f4", "f8", ">i4"] if ON_HOST else ["i4", "f4"]
SHAPES = [(), (0,), (1,), (2,), (33,), (101,), (257,), (1009,), (0, 3), (3, 0), (1, 1), (1, 7), (7, 1), (9, 11), (33, 31),
          (40, 41), (3, 700), (700, 3), (2, 3, 5), (4, 0, 2), (5, 1, 40)]
SHAPES = SHAPES if ON_HOST else SHAPES[1::3]  # devices take their time


class Own(np.ndarray):
    """NumPy's arrays, by another name."""


@pytest.fixture(scope="module")
def ways(ctx):
    """Contexts of one device: the short way as it is, the short way of a context that leaves nothing to NumPy, and the way of
    all others, which calls take while they are recorded."""
    with gpcl.open(ctx.device.selector) as short, gpcl.open(ctx.device.selector) as none, gpcl.open(ctx.device.selector) as other:
        none._leaves_few = False
        with other.record() as events:
            yield short, none, other
            events.clear()


def numbers(dtype, shape):
    random = np.random.default_rng(5)
    a = np.asarray(random.random(shape) * 100 - 30 * (np.dtype(dtype).kind in "if")).astype(dtype)
    flat = a.reshape(-1)
    flat[1::3] = 0
    if a.dtype.kind == "f":
        flat[2::7] = -0.0
    return a


def kinds_of(a):
    """The same elements as they may be given."""
    yield a
    yield np.asfortranarray(a)
    yield np.repeat(a[..., None], 2, -1)[..., 0]
    yield np.ascontiguousarray(a[::-1])[::-1] if a.ndim else a
    unaligned = np.empty(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    unaligned[...] = a
    yield unaligned
    read_only = a.copy()
    read_only.flags.writeable = False
    yield read_only
    yield a.view(Own)
    yield a.tolist()


def outcome(call, *arguments):
    """What a call gives, or its error."""
    try:
        return call(*arguments)
    except (TypeError, ValueError, IndexError, MemoryError) as error:
        return type(error), str(error)


def check_same(result, expected, close=False):
    assert type(result) is type(expected)
    if isinstance(expected, tuple):
        assert len(result) == len(expected)
        for each, its in zip(result, expected):
            check_same(each, its, close)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert result.dtype == expected.dtype and result.shape == expected.shape
        if close and expected.dtype.kind == "f":
            np.testing.assert_allclose(result, expected, rtol=2e-2 if expected.dtype == np.float16 else 1e-5, atol=1e-2)
        else:
            np.testing.assert_array_equal(result, expected)
            if expected.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))
    else:
        assert result == expected


def check_ways(ways, call, *arguments, close=False, **options):
    """That the short ways give what the way of all others gives, or its error."""
    *short_ways, other = ways
    expected = outcome(lambda: call(other, *arguments, **options))
    for context in short_ways:
        check_same(outcome(lambda: call(context, *arguments, **options)), expected, close)


ALONG = {
    "sort": lambda c, a, **along: c.sort(a, **along),
    "sort down": lambda c, a, **along: c.sort(a, descending=True, **along),
    "argsort": lambda c, a, **along: c.argsort(a, **along),
    "argsort down": lambda c, a, **along: c.argsort(a, descending=True, **along),
    "cumsum": lambda c, a, **along: c.cumsum(a, **along),
    "scan": lambda c, a, **along: c.scan(a, "minimum", **along),
    "scan back": lambda c, a, **along: c.scan(a, "maximum", reverse=True, **along),
    "sum": lambda c, a, **along: c.reduce(a, **along),
    "least": lambda c, a, **along: c.reduce(a, "minimum", **along),
    "greatest": lambda c, a, **along: c.reduce(a, op="maximum", **along),
    "argmin": lambda c, a, **along: c.argmin(a, **along),
    "argmax": lambda c, a, **along: c.argmax(a, **along),
    "diff": lambda c, a, **along: c.diff(a, **along),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ALONG)
def test_along_an_axis(ways, name, dtype):
    call = ALONG[name]
    for shape in SHAPES:
        a = numbers(dtype, shape)
        for along in ({}, {"axis": None}, {"axis": 0}, {"axis": 1}, {"axis": -1}, {"axis": -2}):
            check_ways(ways, call, a, **along, close=name in ("cumsum", "sum"))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", ["i4", "f4"])
def test_along_an_axis_as_numpy(ways, dtype, axis):
    for shape in ((1, 1), (9, 11), (33, 31), (40, 300)):
        a = numbers(dtype, shape)
        for context in ways[:2]:
            np.testing.assert_array_equal(context.sort(a, axis=axis), np.sort(a, axis))
            np.testing.assert_array_equal(context.argsort(a, axis=axis), np.argsort(a, axis, kind="stable"))
            np.testing.assert_allclose(context.cumsum(a, axis=axis), np.cumsum(a, axis), rtol=1e-4, atol=1e-2)
            np.testing.assert_allclose(context.reduce(a, axis=axis), np.sum(a, axis), rtol=1e-4, atol=1e-2)
            np.testing.assert_array_equal(context.reduce(a, "maximum", axis=axis), np.max(a, axis))
            np.testing.assert_array_equal(context.argmin(a, axis=axis), np.argmin(a, axis))
            if axis is not None:
                np.testing.assert_array_equal(context.scan(a, "minimum", axis=axis), np.minimum.accumulate(a, axis))
                np.testing.assert_array_equal(context.diff(a, axis=axis), np.diff(a, axis=axis))


@pytest.mark.parametrize("name", ALONG)
def test_what_is_given_otherwise(ways, name):
    """Other strides, alignments, classes and sequences; and NaN."""
    short, _, other = ways
    call = ALONG[name]
    for shape in ((33,), (9, 11), (40, 33), (3, 4, 5)):
        a = numbers("f4", shape)
        of_nan = a.copy()
        of_nan.reshape(-1)[::5] = np.nan
        for given in (*kinds_of(a), *(() if name in ("cumsum", "sum") else (of_nan,))):
            for along in ({}, {"axis": 0}, {"axis": 1}, {"axis": np.int64(0)}, {"axis": 0.0}, {"axis": True}, {"axis": [0]}):
                check_ways(ways, call, given, **along, close=name in ("cumsum", "sum"))
    for given in (None, "text", np.zeros(3, complex), np.zeros(3, object), np.array(["a"]), np.ma.array([1, 2])):
        check_same(outcome(lambda: call(short, given)), outcome(lambda: call(other, given)))


def test_sorted_in_place(ways):
    short, _, other = ways
    for context in ways[:2]:
        for descending in (False, True):
            for n in (0, 1, 99, 1009):
                a = numbers("i4", n)
                expected = other.sort(a, descending=descending)
                order = np.empty(n, np.intp)
                assert context.argsort(a, descending=descending, out=order) is order
                check_same(a[order], expected)
                assert context.sort(a, descending=descending, out=a) is a
                check_same(a, expected)
        sums = np.empty(99, np.int64)
        assert context.scan(numbers("i4", 99), exclusive=True, out=sums) is sums
        check_same(sums, other.scan(numbers("i4", 99), exclusive=True))


INTO = {
    "sort": (lambda c, a, b, o: c.sort(a, out=o), lambda a, b: np.sort(a)),
    "sort of columns": (lambda c, a, b, o: c.sort(a, axis=0, descending=True, out=o), lambda a, b: np.sort(a, 0)[::-1]),
    "sort of all": (lambda c, a, b, o: c.sort(a, axis=None, out=o), lambda a, b: np.sort(a, None)),
    "argsort": (lambda c, a, b, o: c.argsort(a, out=o), lambda a, b: np.argsort(a, kind="stable")),
    "argsort of columns": (lambda c, a, b, o: c.argsort(a, axis=0, out=o), lambda a, b: np.argsort(a, 0, kind="stable")),
    "scan": (lambda c, a, b, o: c.scan(a, "minimum", out=o), lambda a, b: np.minimum.accumulate(a, -1)),
    "scan along columns": (lambda c, a, b, o: c.scan(a, "maximum", axis=0, out=o), lambda a, b: np.maximum.accumulate(a, 0)),
    "cumsum": (lambda c, a, b, o: c.cumsum(a, out=o), lambda a, b: np.cumsum(a, dtype=a.dtype)),
    "cumsum along rows": (lambda c, a, b, o: c.cumsum(a, axis=-1, out=o), lambda a, b: np.cumsum(a, -1, dtype=a.dtype)),
    "least": (lambda c, a, b, o: c.reduce(a, "minimum", out=o), lambda a, b: np.asarray(np.min(a))),
    "greatest of columns": (lambda c, a, b, o: c.reduce(a, "maximum", axis=0, out=o), lambda a, b: np.asarray(np.max(a, 0))),
    "least of kept rows": (lambda c, a, b, o: c.reduce(a, "minimum", axis=-1, keepdims=True, out=o),
                           lambda a, b: np.min(a, -1, keepdims=True)),
    "argmin": (lambda c, a, b, o: c.argmin(a, out=o), lambda a, b: np.asarray(np.argmin(a))),
    "argmax of kept columns": (lambda c, a, b, o: c.argmax(a, axis=0, keepdims=True, out=o),
                               lambda a, b: np.expand_dims(np.argmax(a, 0), 0)),
    "take": (lambda c, a, b, o: c.take(a, b, out=o), lambda a, b: np.take(a, b)),
    "take rows": (lambda c, a, b, o: c.take(a, b, axis=0, out=o), lambda a, b: np.take(a, b, 0)),
    "transpose": (lambda c, a, b, o: c.matrix_transpose(a, out=o), lambda a, b: np.swapaxes(a, -1, -2)),
    "product of vectors": (lambda c, a, b, o: c.matmul(a.reshape(-1), (np.arange(a.size) % 5 + 1).astype(a.dtype), o),
                           lambda a, b: np.asarray(np.dot(a.reshape(-1), (np.arange(a.size) % 5 + 1).astype(a.dtype)))),
    "matmul": (lambda c, a, b, o: c.matmul(a, a.swapaxes(-1, -2).copy(), o), lambda a, b: np.matmul(a, a.swapaxes(-1, -2))),
}


def outs_like(expected, a):
    """Arrays that a result may be asked to be in, not all of which can receive it; some share memory with the input."""
    like = np.full(expected.shape, 77, expected.dtype)
    yield from kinds_of(like)
    yield np.zeros((*expected.shape, 1), expected.dtype)
    yield np.zeros(expected.shape, "f8" if expected.dtype != "f8" else "f4")
    yield a
    yield a.reshape(-1)[:expected.size].view(expected.dtype if a.itemsize == expected.itemsize else a.dtype)
    yield a[::-1] if a.ndim else a


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"] if ON_HOST else ["i4", "f4"])
@pytest.mark.parametrize("name", INTO)
def test_results_in_an_array_that_is_given(ways, name, dtype):
    call, numpys = INTO[name]
    for shape in ((1,), (33,), (101,), (1, 7), (9, 11), (90, 100), (3, 4, 5)):
        if len(shape) < 2 and name in ("transpose", "matmul"):
            continue
        given = numbers(dtype, shape) // 10  # whole, so that every order of sums gives the same
        b = np.arange(len(given) // 2 + 1, dtype="i4")
        expected = np.asarray(numpys(given, b))
        for which in range(sum(1 for _ in outs_like(expected, given))):
            seen = []
            for context in ways:
                a = given.copy()
                out = list(outs_like(expected, a))[which]
                result = outcome(call, context, a, b, out)
                seen.append((result if type(result) is tuple else result is out, a.tolist(), np.asarray(out).tolist()))
            if type(seen[-1][0]) is tuple:  # an error
                assert [each[0] for each in seen] == [seen[-1][0]] * 3
            else:
                assert seen[0] == seen[1] == seen[2] and seen[0][0] is True
                assert seen[0][2] == expected.tolist()


def test_keepdims(ways):
    for shape in SHAPES:
        a = numbers("i4", shape)
        for axis in (None, 0, -1, 1):
            for kept in (False, True):
                check_ways(ways, lambda c, a, **options: c.reduce(a, "maximum", **options), a, axis=axis, keepdims=kept)
                check_ways(ways, lambda c, a, **options: c.argmin(a, **options), a, axis=axis, keepdims=kept)


MOVED = {
    "select": lambda c, a, i, f: c.select(a, f),
    "partition": lambda c, a, i, f: c.partition(a, f),
    "nonzero": lambda c, a, i, f: c.nonzero(a),
    "take": lambda c, a, i, f: c.take(a, i),
    "take rows": lambda c, a, i, f: c.take(a, i, axis=0),
    "take columns": lambda c, a, i, f: c.take(a, i, axis=-1),
    "put": lambda c, a, i, f: c.put(np.zeros_like(a), i[np.unique(i, True)[1]] if isinstance(i, np.ndarray) and i.ndim else i, 5),
    "put several": lambda c, a, i, f: c.put(a.copy(), np.arange(a.size)[::-1].astype(getattr(i, "dtype", np.intp)), a[::-1]),
    "repeat": lambda c, a, i, f: c.repeat(a, i),
    "repeat three": lambda c, a, i, f: c.repeat(a, 3),
    "transpose": lambda c, a, i, f: c.matrix_transpose(a),
}


@pytest.mark.parametrize("dtype", TYPES + ["S3", "V5", "c8"] * ON_HOST)
@pytest.mark.parametrize("name", MOVED)
def test_movement(ways, name, dtype):
    call, random = MOVED[name], np.random.default_rng(3)
    for shape in SHAPES:
        a = numbers("i4" if dtype in ("S3", "V5", "c8") else dtype, shape)
        a = a.astype(dtype) if dtype in ("S3", "c8") else np.zeros(shape, dtype) if dtype == "V5" else a
        m = a.shape[0] if shape and "rows" in name else a.shape[-1] if shape and "columns" in name else a.size
        for index in ("i8", "u4", "u8", "i2"):
            places = random.integers(0, max(m, 1), m if name == "repeat" else max(m, 1)).astype(index)
            if name == "repeat":
                places %= 4
            flags = random.integers(0, 2, m).astype("?" if index in ("i8", "u8") else "u1")
            check_ways(ways, call, a, places, flags)


@pytest.mark.parametrize("name", MOVED)
def test_movement_of_what_is_given_otherwise(ways, name):
    call = MOVED[name]
    for shape in ((33,), (600,), (9, 11), (70, 64), (3, 4, 5)):
        a = numbers("f4", shape)
        flags = a.reshape(-1) > 10
        places = np.arange(a.size) % 3
        given = [(each, places, flags) for each in kinds_of(a)]
        given += [(a, each, flags) for each in (
            places - 2, places + a.size, places - 2 * a.size, places.astype(">i8"), places[::-1], places.astype(float), places > 1,
            places.reshape(1, -1), places[0], places[0:1], places[:0], places.tolist(), 2, -1, np.uint64(3), True, None, 2**70,
            np.full(a.size, 2**64 - 1, np.uint64), places.view(Own))]
        given += [(a, places, each) for each in (
            flags[::-1], flags.astype("i1"), flags.astype("i4"), flags[:-1], flags.reshape(1, -1), flags[0], flags.tolist(), None,
            flags.astype("u1") * 200, flags.view(Own))]
        for arguments in given:
            if not isinstance(arguments[0], list):
                check_ways(ways, call, *arguments)


SEVERAL = {
    "sort_pairs": lambda c, a, b: c.sort_pairs(a, b),
    "merge": lambda c, a, b: c.merge(np.sort(a), np.sort(b)),
    "lexsort": lambda c, a, b: c.lexsort((a, b)),
    "lexsort of a list": lambda c, a, b: c.lexsort([a, b, a]),
    "run_lengths": lambda c, a, b: c.run_lengths(a),
    "reduce_by_key": lambda c, a, b: c.reduce_by_key(a, b),
    "reduce_by_key, least": lambda c, a, b: c.reduce_by_key(a, b, "minimum"),
    "reduce_by_key, a type": lambda c, a, b: c.reduce_by_key(a, b, dtype=np.int64),
    "top_k": lambda c, a, b: c.top_k(a, 3),
    "top_k, least": lambda c, a, b: c.top_k(a, 2, largest=False, axis=-1),
    "top_k along the first axis": lambda c, a, b: c.top_k(a, 2, axis=0),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", SEVERAL)
def test_operations_on_two_arrays(ways, name, dtype):
    call = SEVERAL[name]
    for shape in SHAPES:
        if not shape and name == "merge":
            continue  # which NumPy does not sort
        a = numbers(dtype, shape) // (20 if dtype != "?" else True)
        a = a.astype(dtype)
        for b in (numbers(dtype, shape), numbers("f8", shape), numbers("i2", shape), numbers("i4", shape[1:])):
            check_ways(ways, call, a, b, close=name.startswith("reduce"))


@pytest.mark.parametrize("name", SEVERAL)
def test_two_arrays_given_otherwise(ways, name):
    call = SEVERAL[name]
    for shape in ((33,), (1009,), (9, 11)):
        a, b = numbers("f4", shape), numbers("i4", shape)
        of_nan = a.copy()
        of_nan.reshape(-1)[::5] = np.nan
        for given in (*kinds_of(a), of_nan):
            for values in (b, given, b[..., ::-1], b.tolist()):
                check_ways(ways, call, given, values, close=name.startswith("reduce"))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "f4", "f8"] if ON_HOST else ["i4", "f4"])
def test_histogram_with_edges_in_a_list(ways, dtype):
    for n in (0, 1, 100, 5000):
        a = numbers(dtype, n)
        for bins in ([0, 1, 5, 20, 50, 100], [0, 0, 5, 5], [-5, 0, 3], [0, 256 + 3, 5], [0, 300], [5, 3, 1], [1], [],
                     [0, 2**53, 2**53 + 1], [0, 2**63 - 1], [0, 2**63], [-2**70, 0], [0, True, 5], [0, 1.5, 7], (0, 5, 9), [0, "5"],
                     [[0, 1], [2, 3]]):
            expected = outcome(lambda: np.histogram(a, bins))
            found = [outcome(lambda: context.histogram(a, bins)) for context in ways]
            check_same(found[0], found[2])
            check_same(found[1], found[2])
            if isinstance(expected[0], np.ndarray) and isinstance(found[0][0], np.ndarray):
                np.testing.assert_array_equal(found[0][0], expected[0])
                np.testing.assert_array_equal(found[0][1], expected[1])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "f2", "f4", "f8"] if ON_HOST else ["i4", "f4"])
def test_edges_of_histogram2d_are_numpys(ways, dtype):
    for n in (1, 2, 10, 1000):
        x, y = numbers(dtype, n), numbers(dtype, n)[::-1] // 2
        for options in ({}, {"bins": 7}, {"bins": (3, 5)}, {"bins": [4, 1]}, {"bins": (3, [0, 5, 9])}, {"bins": 0}, {"bins": True},
                        {"range": ((0, 10), (-1.5, 20))}, {"range": (None, (0, 20))}, {"bins": 3, "range": ((0, 0), (1, 5))},
                        {"range": ((5, 1), (0, 1))}, {"range": ((0, float("inf")), (0, 1))}):
            expected = outcome(lambda: np.histogram2d(x, y, **options))
            result = outcome(lambda: ways[0].histogram2d(x, y, **options))
            if isinstance(expected[0], type):
                assert isinstance(result[0], type)  # an error, too
                continue
            for each, its in zip(result[1:], expected[1:]):
                assert each.dtype == its.dtype
                np.testing.assert_array_equal(each, its)
            if dtype != "f2":
                np.testing.assert_array_equal(result[0], expected[0])


def test_put_where_arrays_overlap(ways):
    for context in ways:
        a = np.arange(40)
        with pytest.raises(ValueError, match="overlaps"):
            context.put(a, a, np.zeros(40, int))
        with pytest.raises(ValueError, match="overlaps"):
            context.put(a, a[:3], np.zeros(3, int))
        assert context.put(a, np.arange(40), a[::-1]) is a
        np.testing.assert_array_equal(a, np.arange(40)[::-1])
        a.flags.writeable = False
        with pytest.raises(TypeError, match="writable"):
            context.put(a, np.arange(3), np.zeros(3, int))
        whole = np.arange(5)
        with pytest.raises(ValueError, match=r"positions\[1\] is 9"):
            context.put(whole, np.array([0, 9]), np.array([7, 7]))
        np.testing.assert_array_equal(whole, np.arange(5))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "f4", "f8", "u4", "f2"] if ON_HOST else ["i4", "f4"])
def test_products(ways, dtype):
    random = np.random.default_rng(4)

    def matrix(*shape):
        return random.integers(-3, 4, shape).astype(dtype)

    pairs = [(matrix(*a), matrix(*b)) for a, b in (
        ((3,), (3,)), ((0,), (0,)), ((3,), (4,)), ((5, 3), (3,)), ((5, 3), (5,)), ((3,), (3, 5)), ((300, 400), (400,)),
        ((400,), (400, 300)), ((0, 3), (3,)), ((3, 0), (0,)), ((1, 1), (1,)), ((2, 3, 4), (2, 4, 5)), ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (4,)), ((2, 3, 4), (1, 4, 5)), ((3, 2, 3, 4), (3, 2, 4, 5)), ((0, 3, 4), (0, 4, 5)), ((2, 3, 0), (2, 0, 5)),
        ((2, 3, 4), (2, 5, 4)), ((2, 3, 4), (3, 4, 5)), ((90, 20, 20), (90, 20, 20)), ((3000, 3, 3), (3000, 3, 3)), ((), (3,)))]
    pairs += [(matrix(6, 5).T, matrix(6)), (matrix(4, 6)[:, ::2], matrix(3)), (matrix(2, 3, 4).swapaxes(1, 2), matrix(2, 3, 4)),
              (matrix(3, 4), matrix(4).astype("i8" if dtype != "i2" else "f4")), (matrix(3, 4).view(Own), matrix(4))]
    for a, b in pairs:
        check_ways(ways, gpcl.Context.matmul, a, b)


@pytest.mark.parametrize("dtype", ["f4", "f8"] if ON_HOST else ["f4"])
def test_a_single_factor_of_zero(ways, dtype):
    """Is no reason to leave out what is infinite or no number."""
    for a, b in (([[0]], [[np.inf, 1]]), ([0], [[np.inf, 1]]), ([[np.inf], [1]], [[0]]), ([[np.inf], [1]], [0]),
                 ([[0]], [[np.nan] * 3]), ([0], [np.inf]), ([2], [-0.0]), ([[0, 0]], [[np.inf], [1]])):
        a, b = np.asarray(a, dtype), np.asarray(b, dtype)
        with np.errstate(invalid="ignore"):
            expected = np.matmul(a, b)
        for context in ways:
            np.testing.assert_array_equal(context.matmul(a, b), expected)
            out = np.full(expected.shape, 5, dtype)
            assert context.matmul(a, b, out) is out
            np.testing.assert_array_equal(out, expected)


@pytest.mark.filterwarnings("error")
def test_no_warnings(ways):
    """Of infinite numbers and NaN."""
    a = np.full((4, 3), np.inf, np.float32)
    a[1], a[2, 1] = -np.inf, np.nan
    batch = np.stack((a[:3], a[1:]))
    for context in ways:
        assert np.isnan(context.diff(a, axis=0)).any()
        assert np.isnan(context.matmul(batch, batch)).all()
        assert np.isnan(context.matmul(a, a[0])).any()
        assert np.isinf(context.reduce(a[:2], "minimum", axis=0)).all()


def test_contexts_that_are_closed():
    closed = gpcl.open("host")
    closed.close()
    a, m, places = np.arange(5), np.ones((2, 2)), np.arange(2)
    for call in (lambda: closed.select(a, a > 1), lambda: closed.partition(a, a > 1), lambda: closed.nonzero(a),
                 lambda: closed.take(a, places), lambda: closed.put(a, places, places), lambda: closed.repeat(a, 2),
                 lambda: closed.matrix_transpose(m), lambda: closed.matmul(m, places * 1.0), lambda: closed.sort(m, axis=0),
                 lambda: closed.argsort(m, axis=0), lambda: closed.cumsum(m, axis=0), lambda: closed.diff(m, axis=0),
                 lambda: closed.argmax(m, axis=0), lambda: closed.scan(a, "minimum")):
        with pytest.raises(ValueError, match="this Context is closed"):
            call()


def test_options_that_no_way_knows(ctx):
    a = np.arange(5)
    for call in (ctx.sort, ctx.reduce, ctx.nonzero, ctx.argmax):
        with pytest.raises(TypeError, match="did you mean|there are"):
            call(a, axis_=0)
    with pytest.raises(TypeError, match="multiple values"):
        ctx.scan(a, "add", op="add")
    with pytest.raises(TypeError, match="context"):
        ctx.sort(a, context=3)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4"] if ON_HOST else ["i4"])
@pytest.mark.parametrize("op", ["minimum", "maximum"])
def test_no_element_is_the_identity_of_the_type(ways, dtype, op):
    least, greatest = (False, True) if dtype == "?" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    identity = greatest if op == "minimum" else least
    a = np.array([1, 1, 0], dtype) if dtype == "?" else np.array([least + 3, least + 2, greatest - 1], dtype)
    of_two = getattr(np, op)(a[0], a[1])
    for context in ways:
        assert context.reduce(a[:0], op) == identity
        into = np.empty((), dtype)
        context.reduce(a[:0], op, out=into)
        assert into == identity
        np.testing.assert_array_equal(context.scan(a, op, exclusive=True), np.array([identity, a[0], of_two], dtype))
        np.testing.assert_array_equal(context.scan(a, op, exclusive=True, heads=[1, 1, 0]),
                                      np.array([identity, identity, a[1]], dtype))
        np.testing.assert_array_equal(context.scan_by_key([1, 2, 2], a, op, exclusive=True),
                                      np.array([identity, identity, a[1]], dtype))
        carry = np.empty((), dtype)
        context.scan(a[:0], op, final=carry)
        assert carry == identity
        np.testing.assert_array_equal(context.scan(a[:2], op, initial=carry), np.array([a[0], of_two], dtype))


@pytest.mark.parametrize("dtype", ["f4", "f8"] if ON_HOST else ["f4"])
@pytest.mark.filterwarnings("error")
def test_floats_that_become_infinite_are_no_warning(ways, dtype):
    a = np.full(50, np.finfo(dtype).max, dtype)
    square = a[:9].reshape(3, 3)
    with np.errstate(all="raise"):
        for context in ways:
            for result in (context.matmul(a, a), context.matmul(square, square), context.matmul(square, a[:3]),
                           context.cumsum(a)[-1], context.scan(a)[-1]):
                assert np.all(np.isinf(result))


def test_repeats_that_no_array_holds(ways):
    a = np.arange(3, dtype=np.int32)
    for context in ways:
        for repeats in (np.array([2**63, 2**63, 3], np.uint64), 2**62, np.array([2**62, 0, 0])):
            with pytest.raises(gpcl.GpError, match="no array holds"):
                context.repeat(a, repeats)


@pytest.mark.parametrize("kind", ["f8", "g", "c16", "S3", "?", "i2"])
def test_no_repeats_of_any_type(ways, kind):
    for context in ways:
        result = context.repeat(np.zeros(0, np.int32), np.zeros(0, kind))
        assert result.dtype == np.int32 and result.shape == (0,)


def test_what_is_no_option_stays_none(ways):
    """Also after a call with an equal one that is."""
    total = np.zeros((), np.int64)
    for context in ways:
        context.reduce(np.arange(4), out=total, accumulate=True)
        with pytest.raises(TypeError):
            context.reduce(np.arange(4), out=total, accumulate=1.0)
    check_ways(ways, lambda c: c.diff(np.arange(3), 1.0))
    check_ways(ways, lambda c: c.searchsorted(np.arange(10.0), np.array([3.0]), sorter=np.arange(10, dtype=np.uint64)))
