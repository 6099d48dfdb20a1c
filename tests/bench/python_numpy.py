"""gpcl beside NumPy, through Python and through the C function alone, by size: how many times as fast as NumPy.

    python_numpy.py [--device SEL] [--n N,N...] [--seconds S] [--only WORD,WORD...] [--below R]
    [--small] [--no-c] [--least] (with the package gpcl on PYTHONPATH)

A line is an operation, a type and a size, with NumPy's time, that of the call in Python, that of
the C function where it is measured (called through cffi with arguments made before), and NumPy's
time over each. Each time is the median of many turns, in which the calls follow one another;
results are compared with NumPy's. Below 1.00 x NumPy is faster; --below R prints only the lines
where the call in Python is below R; --least takes the least time of each call in place of the
median, which tells more where other work runs beside it. `--only` takes words of which a line's
beginning must hold one, such as "sort float32" or "matmul". --device is as gpcl.open takes it,
"host" unless given.

The package in the build tree goes with any Python from 3.9 that has cffi and NumPy, so that a
virtual environment serves to compare with NumPy's newest release: its sorts use the CPU's vectors,
which those of old releases don't.
"""
# SPDX-License-Identifier: MIT
import argparse
import time

import numpy as np

import gpcl
from gpcl._arrays import code_of, pointer
from gpcl._native import ffi, lib

SIZES = (1, 10, 100, 1000, 10**4, 10**5, 10**6, 10**7)
SIDES = (1, 4, 10, 32, 100, 128, 512)  # of matrices
TYPES = ("float32", "int32", "float64", "int64", "uint8")


def numbers(dtype, n):
    random = np.random.default_rng(1)
    if dtype.kind == "f":
        return random.standard_normal(n, dtype)
    return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True)


def options(name, **members):
    """An options structure, and what must live as long."""
    return ffi.new(f"gp_{name}_options *", {"struct_size": ffi.sizeof(f"gp_{name}_options"), **members})


# Each makes, of a context, a type and a size: NumPy's call, gpcl's, the C function's, what all
# give, and whether the results are close to that rather than equal. Arguments of the C calls are
# made here. The C function is None where it is not measured.

def sort(ctx, dtype, n):
    a, work = numbers(dtype, n), np.empty(n, dtype)
    code, at, source, size = code_of(dtype), pointer(work), pointer(a), a.nbytes
    context = ctx.pointer

    def c():
        ffi.memmove(at, source, size)  # as the other two, it copies first
        lib.gp_sort(context, code, n, at, ffi.NULL)
        return work

    return lambda: np.sort(a), lambda: ctx.sort(a), c, np.sort(a), False


def argsort(ctx, dtype, n):
    a, work = numbers(dtype, n), np.empty(n, np.intp)
    code, keys, at = code_of(dtype), pointer(a), pointer(work)
    context = ctx.pointer

    def c():
        lib.gp_argsort(context, code, n, keys, lib.GP_UINT64, at, ffi.NULL)
        return work

    return lambda: np.argsort(a), lambda: ctx.argsort(a), c, np.argsort(a, kind="stable"), False  # NumPy's is not stable


def cumsum(ctx, dtype, n):
    a = numbers(dtype, n)
    expected = np.cumsum(a)
    work, given = np.empty_like(expected), options("scan", accumulator=code_of(expected.dtype))
    code, keys, at = code_of(dtype), pointer(a), pointer(work)
    context = ctx.pointer

    def c():
        lib.gp_scan(context, code, n, keys, at, given)
        return work

    return lambda: np.cumsum(a), lambda: ctx.cumsum(a), c, expected, dtype.kind == "f"


def sum_(ctx, dtype, n):
    a = numbers(dtype, n)
    work = np.empty((), np.sum(a).dtype)
    given = options("reduce", accumulator=code_of(work.dtype))
    code, keys, at = code_of(dtype), pointer(a), pointer(work)
    context = ctx.pointer

    def c():
        lib.gp_reduce(context, code, n, keys, at, given)
        return work

    return lambda: np.sum(a), lambda: ctx.reduce(a), c, np.sum(a), dtype.kind == "f"


def diff(ctx, dtype, n):
    a = numbers(dtype, n)
    work, given = np.empty(max(n, 1) - 1, dtype), options("difference", first=lib.GP_FIRST_LEFT_OUT)
    code, keys, at = code_of(dtype), pointer(a), pointer(work)
    context = ctx.pointer

    def c():
        lib.gp_difference(context, code, n, keys, at, given)
        return work

    return lambda: np.diff(a), lambda: ctx.diff(a), c, np.diff(a), False


def binned(dtype, n):
    a = numbers(dtype, n)
    return a >> 32 if dtype == np.int64 else a  # NumPy refuses edges that float64 can't tell apart


def histogram(ctx, dtype, n):
    a = binned(dtype, n)
    work = np.empty(100, np.int64)
    edges = ctx.histogram(a, 100)[1]
    if dtype == np.float32:  # NumPy's are not quite even
        given = options("histogram", edges=pointer(edges), edges_dtype=code_of(edges.dtype))
    else:
        given = options("histogram", lower=edges[0], upper=edges[-1])
    code, keys, at = code_of(dtype), pointer(a), ffi.cast("uint64_t *", pointer(work))
    context = ctx.pointer

    def c():
        lib.gp_histogram(context, code, n, keys, 100, at, given)
        return work

    return lambda: np.histogram(a, 100)[0], lambda: ctx.histogram(a, 100)[0], c, np.histogram(a, 100)[0], True


def histogram_of(bins):
    def make(ctx, dtype, n):
        a = binned(dtype, n)
        return lambda: np.histogram(a, bins)[0], lambda: ctx.histogram(a, bins)[0], None, np.histogram(a, bins)[0], True
    return make


def weighted(ctx, dtype, n):
    a, weights = binned(dtype, n), numbers(np.dtype(np.float64), n)
    return (lambda: np.histogram(a, 100, weights=weights)[0], lambda: ctx.histogram(a, 100, weights=weights)[0], None,
            np.histogram(a, 100, weights=weights)[0], True)


def small_numbers(dtype, n):
    """Of 0 to 99."""
    return np.random.default_rng(2).integers(0, 100, n).astype(dtype)


def bincount(ctx, dtype, n):
    if dtype.kind == "f":
        return None  # which it does not take
    a = small_numbers(dtype, n)
    return lambda: np.bincount(a), lambda: ctx.bincount(a), None, np.bincount(a), False


def weighted_bincount(ctx, dtype, n):
    if dtype.kind == "f":
        return None
    a, weights = small_numbers(dtype, n), numbers(np.dtype(np.float64), n)
    return lambda: np.bincount(a, weights), lambda: ctx.bincount(a, weights), None, np.bincount(a, weights), True


def unique_of(most, *wanted):
    """Of as many values, or of as many as there are elements; uint8 has 256."""
    def make(ctx, dtype, n):
        kinds = min(most or n, 256 if dtype.itemsize == 1 else 2**24)
        a = np.random.default_rng(2).integers(0, kinds, n).astype(dtype)
        last = (lambda result: result[-1]) if wanted else (lambda result: result)
        return (lambda: last(np.unique(a, *wanted)), lambda: last(ctx.unique(a, *wanted)), None, last(np.unique(a, *wanted)), False)
    return make


def plain(of_numpy, of_context):
    """A function of an array alone."""
    def make(ctx, dtype, n):
        a = numbers(dtype, n)
        return lambda: of_numpy(a), lambda: of_context(ctx, a), None, of_numpy(a), False
    return make


def top_k(ctx, dtype, n):
    """The largest 100, or a tenth: NumPy's come in no order and without their places."""
    a, k = numbers(dtype, n), max(1, min(n // 10, 100))
    expected = np.sort(a)[n - k:][::-1]
    return lambda: np.partition(a, n - k)[n - k:], lambda: ctx.top_k(a, k)[0], None, expected, False


def searchsorted(ctx, dtype, n):
    """As many values as elements, to 10^6."""
    a, values = np.sort(numbers(dtype, n)), numbers(dtype, min(n, 10**6))
    return lambda: np.searchsorted(a, values), lambda: ctx.searchsorted(a, values), None, np.searchsorted(a, values), False


def sort_rows(ctx, dtype, n):
    """Rows of ten."""
    a = numbers(dtype, (-(-n // 10), 10))
    return lambda: np.sort(a), lambda: ctx.sort(a), None, np.sort(a), False


def matmul(ctx, dtype, n):
    a, b = numbers(dtype, (n, n)), numbers(dtype, (n, n))
    work, code = np.empty((n, n), dtype), code_of(dtype)
    at_a, at_b, at_c = pointer(a), pointer(b), pointer(work)
    context = ctx.pointer

    def c():
        lib.gp_matmul(context, code, n, n, n, at_a, n, at_b, n, at_c, n, ffi.NULL)
        return work

    return lambda: a @ b, lambda: ctx.matmul(a, b), c, a @ b, dtype.kind == "f"


# The rest are made of arguments, NumPy's call and the context's. close: as above, or None for what is close where types
# are floating ones.

def pair(arguments, of_numpy, of_context, close=False):
    def make(ctx, dtype, n):
        given = arguments(dtype, n)
        expected = of_numpy(*given)
        is_close = dtype.kind == "f" if close is None else close
        return lambda: of_numpy(*given), lambda: of_context(ctx, *given), None, expected, is_close
    return make


def table(rows=None, columns=None):
    """A matrix of about n elements, of as many rows or columns, or square."""
    def make(dtype, n):
        across = columns or (-(-n // rows) if rows else max(1, round(n**0.5)))
        return (numbers(dtype, (rows or -(-n // across), across)),)
    return make


def stack(side):
    """Matrices of so many rows and columns."""
    return lambda dtype, n: (numbers(dtype, (-(-n // side**2), side, side)),)


def with_flags(share):
    """Elements, and flags of which so many are set."""
    return lambda dtype, n: (numbers(dtype, n), np.random.default_rng(2).random(n) < share)


def with_places(dtype, n):
    return numbers(dtype, n), np.random.default_rng(2).integers(0, n, n)


def with_order(dtype, n):
    return numbers(dtype, n), np.random.default_rng(2).permutation(n), numbers(dtype, n)[::-1].copy()


def with_runs(length):
    """Keys in runs of about so many, and values."""
    def make(dtype, n):
        return np.cumsum(np.random.default_rng(2).random(n) < 1 / length, dtype=np.int32), small_numbers(dtype, n)
    return make


def two(dtype, n):
    return numbers(dtype, n), numbers(dtype, n)[::-1].copy()


def two_sorted(dtype, n):
    a = numbers(dtype, n)
    return np.sort(a[:n // 2]), np.sort(a[n // 2:])


def sorted_numbers(dtype, n):
    return (np.sort(numbers(dtype, n)),)


def numpy_runs(a):
    starts = np.flatnonzero(np.concatenate(([True], a[1:] != a[:-1])))
    return a[starts], np.diff(np.append(starts, a.size))


def numpy_sums_by_key(keys, values):
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[starts], np.add.reduceat(values, starts, dtype=np.sum(values[:0]).dtype)


def numpy_sort_pairs(keys, values):
    order = np.argsort(keys, kind="stable")
    return keys[order], values[order]


def put(a, places, values):
    a[places] = values
    return a


SHAPES = {"10-rows": table(rows=10), "of-10": table(columns=10), "of-100": table(columns=100), "square": table()}

OF_SHAPES = {}
for each, arguments in SHAPES.items():
    for axis in (0, 1):
        along = {"axis": axis}
        for name_, call, method, close in (
                ("sort", np.sort, "sort", False), ("cumsum", np.cumsum, "cumsum", None), ("sum", np.sum, "reduce", None),
                ("argmax", np.argmax, "argmax", False), ("diff", np.diff, "diff", False)):
            OF_SHAPES[f"{name_}-{each}-axis-{axis}"] = pair(
                arguments, lambda a, call=call, along=along: call(a, **along),
                lambda ctx, a, method=method, along=along: getattr(ctx, method)(a, **along), close)
        OF_SHAPES[f"argsort-{each}-axis-{axis}"] = pair(
            arguments, lambda a, axis=axis: np.argsort(a, axis, kind="stable"), lambda ctx, a, axis=axis: ctx.argsort(a, axis=axis))
        OF_SHAPES[f"max-{each}-axis-{axis}"] = pair(
            arguments, lambda a, axis=axis: np.max(a, axis), lambda ctx, a, axis=axis: ctx.reduce(a, "maximum", axis=axis))
    OF_SHAPES[f"transpose-{each}"] = pair(arguments, lambda a: np.ascontiguousarray(a.T), lambda ctx, a: ctx.matrix_transpose(a))
    OF_SHAPES[f"top-k-{each}"] = pair(arguments, lambda a: np.sort(np.partition(a, -min(5, a.shape[1]))[:, -5:]),
                                      lambda ctx, a: ctx.top_k(a, min(5, a.shape[1]))[0][:, ::-1])
    OF_SHAPES[f"vector-{each}"] = pair(lambda d, n, f=arguments: (small_numbers(d, f(d, n)[0].size).reshape(f(d, n)[0].shape),),
                                       lambda a: a @ a[0], lambda ctx, a: ctx.matmul(a, a[0]), None)
for side in (2, 4, 10, 32):
    OF_SHAPES[f"batch-{side}"] = pair(lambda d, n, side=side: (small_numbers(d, -(-n // side**2) * side**2).reshape(-1, side, side),),
                                      lambda a: a @ a, lambda ctx, a: ctx.matmul(a, a), None)
    OF_SHAPES[f"transpose-batch-{side}"] = pair(stack(side), lambda a: np.ascontiguousarray(a.swapaxes(1, 2)),
                                                lambda ctx, a: ctx.matrix_transpose(a))

MORE = {
    "minimum-scan": pair(lambda d, n: (numbers(d, n),), np.minimum.accumulate, lambda ctx, a: ctx.scan(a, "minimum")),
    "multiply": pair(lambda d, n: (small_numbers(d, n) / d.type(10**9) + 1 if d.kind == "f" else numbers(d, n),), np.multiply.reduce, lambda ctx, a: ctx.reduce(a, "multiply"), None),
    "nonzero": pair(lambda d, n: (small_numbers(d, n) // 50,), np.flatnonzero, lambda ctx, a: ctx.nonzero(a)),
    "sort-pairs": pair(two, numpy_sort_pairs, lambda ctx, a, b: ctx.sort_pairs(a, b)),
    "merge": pair(two_sorted, lambda a, b: np.sort(np.concatenate((a, b)), kind="stable"), lambda ctx, a, b: ctx.merge(a, b)),
    "lexsort": pair(lambda d, n: (small_numbers(d, n), numbers(d, n)), lambda a, b: np.lexsort((b, a)), lambda ctx, a, b: ctx.lexsort((b, a))),
    "is-sorted": pair(sorted_numbers, lambda a: np.all(a[:-1] <= a[1:]), lambda ctx, a: ctx.is_sorted(a)),
    "searchsorted-100": pair(lambda d, n: (np.sort(numbers(d, 100)), numbers(d, n)), np.searchsorted, lambda ctx, a, v: ctx.searchsorted(a, v)),
    "run-lengths": pair(lambda d, n: (with_runs(10)(d, n)[0].astype(d),), numpy_runs, lambda ctx, a: ctx.run_lengths(a)),
    "sums-by-key-10": pair(with_runs(10), numpy_sums_by_key, lambda ctx, k, v: ctx.reduce_by_key(k, v, dtype=np.sum(v[:0]).dtype), None),
    "repeat-3": pair(lambda d, n: (numbers(d, n),), lambda a: np.repeat(a, 3), lambda ctx, a: ctx.repeat(a, 3)),
    "repeat": pair(lambda d, n: (numbers(d, n), np.random.default_rng(2).integers(0, 4, n)), np.repeat, lambda ctx, a, r: ctx.repeat(a, r)),
    "take": pair(with_places, np.take, lambda ctx, a, i: ctx.take(a, i)),
    "take-rows": pair(lambda d, n: (table(columns=10)(d, n)[0], np.random.default_rng(2).integers(0, -(-n // 10), -(-n // 10))),
                      lambda a, i: np.take(a, i, 0), lambda ctx, a, i: ctx.take(a, i, axis=0)),
    "put": pair(with_order, put, lambda ctx, a, i, v: ctx.put(a, i, v)),
    "histogram-range": pair(lambda d, n: (small_numbers(d, n),), lambda a: np.histogram(a, 100, (0, 100))[0],
                            lambda ctx, a: ctx.histogram(a, 100, (0, 100))[0], True),
    "histogram-edges": pair(lambda d, n: (small_numbers(d, n),), lambda a: np.histogram(a, [0, 1, 5, 20, 50, 100])[0],
                            lambda ctx, a: ctx.histogram(a, [0, 1, 5, 20, 50, 100])[0]),
    "histogram2d": pair(lambda d, n: (small_numbers(d, n), small_numbers(d, n)[::-1].copy()), lambda a, b: np.histogram2d(a, b)[0],
                        lambda ctx, a, b: ctx.histogram2d(a, b)[0], True),
    "bincount-10000": pair(lambda d, n: (np.random.default_rng(2).integers(0, 10000, n).astype(d),), np.bincount, lambda ctx, a: ctx.bincount(a)),
}
for share in (0.01, 0.5, 0.99):
    MORE[f"select-{share}"] = pair(with_flags(share), lambda a, f: a[f], lambda ctx, a, f: ctx.select(a, f))
    MORE[f"partition-{share}"] = pair(with_flags(share), lambda a, f: np.concatenate((a[f], a[~f])), lambda ctx, a, f: ctx.partition(a, f)[0])

OPERATIONS = {
    "sort": sort, "argsort": argsort, "cumsum": cumsum, "sum": sum_, "diff": diff, "min": plain(np.min, lambda ctx, a: ctx.reduce(a, "minimum")),
    "max": plain(np.max, lambda ctx, a: ctx.reduce(a, "maximum")), "argmin": plain(np.argmin, lambda ctx, a: ctx.argmin(a)),
    "histogram": histogram, "histogram-10": histogram_of(10), "histogram-10000": histogram_of(10000),
    "histogram-weights": weighted, "bincount": bincount, "bincount-weights": weighted_bincount, "top-k": top_k,
    "searchsorted": searchsorted, "sort-rows": sort_rows, "unique": unique_of(None), "unique-100": unique_of(100),
    "unique-all": unique_of(None, True, True, True), "unique-all-100": unique_of(100, True, True, True), "matmul": matmul,
    **MORE, **OF_SHAPES,
}


def is_same(result, expected, close):
    if isinstance(expected, tuple):
        return all(map(is_same, result, expected, (close,) * len(expected)))
    if not close:
        return np.array_equal(result, expected)
    result, expected = np.asarray(result), np.asarray(expected)
    if expected.dtype.kind == "i":  # counts: NumPy's guess of a bin rounds
        return np.abs(result - expected).sum() <= 2 + expected.sum() / 10**5
    scale = np.abs(expected).max(initial=1) * np.finfo(expected.dtype).eps
    return np.abs(np.float64(result) - expected).max(initial=0) <= 1e4 * scale


def measure(calls, seconds, least):
    """The median or the least time of each call, in seconds."""
    times, repeat = [[] for _ in calls], []
    for call in calls:
        start = time.perf_counter()
        call()
        once = max(time.perf_counter() - start, 1e-7)
        repeat.append(max(1, min(10000, int(seconds / 20 / once))))  # of a turn, so that the clock has something to read
    end, turns = time.perf_counter() + seconds * len(calls), 0
    while turns < 3 or (time.perf_counter() < end and turns < 50):
        turns += 1
        for k, call in enumerate(calls):
            some = range(repeat[k])
            start = time.perf_counter()
            for _ in some:
                call()
            times[k].append((time.perf_counter() - start) / repeat[k])
    return [sorted(each)[0 if least else turns // 2] for each in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--device", default="host", help="as gpcl.open takes it")
    parser.add_argument("--n", help="sizes with commas between (of matrices: sides)")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each call and size")
    parser.add_argument("--only", help="words with commas between, one of which a line begins with")
    parser.add_argument("--below", type=float, default=float("inf"), help="print only lines below so many times as fast")
    parser.add_argument("--no-c", action="store_true", help="leave out the C functions")
    parser.add_argument("--least", action="store_true", help="the least time of each call, not the median")
    parser.add_argument("--small", action="store_true", help="sizes to 10^4 only, matrices to 32")
    given = parser.parse_args()
    wanted = [word.strip() for word in given.only.split(",")] if given.only else [""]
    with gpcl.open(given.device) as ctx:
        print(f"{ctx.device.name}; NumPy {np.__version__}; gpcl {gpcl.version()}; microseconds, and how many times as fast as NumPy")
        print(f"{'operation':18}{'type':9}{'n':>9}{'NumPy':>12}{'Python':>12}{'C':>12}{'Python':>10}{'C':>9}")
        for name, make in OPERATIONS.items():
            most = (32 if name == "matmul" else 10**4) if given.small else 10**9
            sizes = [int(n) for n in given.n.split(",")] if given.n else [n for n in (SIDES if name == "matmul" else SIZES) if n <= most]
            for type_ in TYPES:
                if name.startswith(("matmul", "vector", "batch")) and type_ in ("int64", "uint8"):
                    continue  # the library has no such product
                if not any(f"{name} {type_}".startswith(word) for word in wanted):
                    continue
                for n in sizes:
                    try:
                        made = make(ctx, np.dtype(type_), n)
                    except (TypeError, ValueError):  # by NumPy
                        made = None
                    if made is None:
                        continue
                    *calls, expected, close = made
                    calls = [call for call in calls[:2 if given.no_c else 3] if call is not None]
                    if not all(is_same(call(), expected, close) for call in calls[1:]):
                        print(f"{name} {type_} of {n}: another result than NumPy's", flush=True)
                        continue
                    numpy, python, *c = measure(calls, given.seconds, given.least)
                    if numpy / python >= given.below:
                        continue
                    of_c = f"{c[0] * 1e6:12.2f}" if c else f"{'':12}"
                    print(f"{name:18}{type_:9}{n:9}{numpy * 1e6:12.2f}{python * 1e6:12.2f}{of_c}{numpy / python:8.2f} x" +
                          (f"{numpy / c[0]:7.2f} x" if c else ""), flush=True)


if __name__ == "__main__":
    main()
