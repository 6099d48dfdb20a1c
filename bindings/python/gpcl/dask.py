"""gpcl's operations on Dask arrays of NumPy chunks: lazy, of any number of chunks, with any of Dask's schedulers.

>>> import dask.array as da
>>> import gpcl.dask
>>> x = da.from_array(np.array([30, 10, 20, 10]), chunks=2)
>>> gpcl.dask.sort(x).compute()
array([10, 10, 20, 30])

The functions are those of gpcl, with its arguments. What they return are Dask arrays, with the
chunks of their input where the shape is the same. Nothing is computed, and no device is opened,
before Dask computes.

split_every is how many pieces one task puts together, 32 unless it is given. No task takes more
than that many chunks, where it combines small results, or as much as one chunk, where it takes
parts of many; beside samples of all chunks. Where an axis of several is computed as a whole, it is
made one chunk before, unless it is longer than Dask's `array.chunk-size`: then its rows are
computed one by one.

Each process opens its device when it first needs it, and its threads share it. It is what
`gpcl.device` in Dask's configuration says: a selector as gpcl.open takes it, or a list of them, of
which each worker takes the one with the last number in its name, as LocalCluster numbers them.
Without it, it is gpcl.default_context(): what the environment variable GPCL_DEVICE says, else the
best there is.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
import math
import operator
import os
import re
import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from dask.utils import parse_bytes
from numpy.typing import DTypeLike, NDArray

from . import pieces
from ._arrays import accumulator, axes_of, axis_of, dtype_of, native, size_of
from ._context import Context, default_context
from ._context import open as _open
from ._errors import wrong
from ._native import lib
from ._operations import _bins

Key = Hashable
Grid = NDArray[Any]  # keys of chunks, in an array as the chunks lie
Pair = tuple[Any, Any]
ArrayOrNumpy = Any  # a Dask array, or what dask.array.asarray makes one of

_SPLIT_EVERY = 32
_COLUMN = 40  # a place in a chunk has so many bits, those before them are the chunk's number


# ---- the device of a process

_contexts: dict[str, Context] = {}
_lock = threading.Lock()


def _forked() -> None:
    global _contexts, _lock
    _contexts, _lock = {}, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def context() -> Context:
    """The context of this process, or of the worker that this thread works for; opened when it is first needed."""
    selector = dask.config.get("gpcl.device", None)
    if isinstance(selector, (list, tuple)):
        selector = selector[_worker_number() % len(selector)]
    if selector is None:
        return default_context()
    with _lock:
        if selector not in _contexts:
            _contexts[selector] = _open(selector)
        return _contexts[selector]


def _worker_number() -> int:
    """The last number in the name of the worker that this thread works for, else 0."""
    if "distributed" not in sys.modules:
        return 0
    from distributed import get_worker
    try:
        numbers = re.findall(r"\d+", str(get_worker().name))
    except ValueError:  # a thread of another scheduler
        return 0
    return int(numbers[-1]) if numbers else 0


# ---- graphs

class _Graph:
    """The tasks of one call. Their keys are named after the step and a token that stands for the call's arguments."""

    def __init__(self, *arguments: Any):
        self.token = tokenize(*arguments)
        self.tasks: dict[Key, Any] = {}
        self._numbers: dict[str, Iterator[int]] = {}

    def add(self, step: str, function: Callable[..., Any], *arguments: Any) -> Key:
        key = (f"gpcl-{step}-{self.token}", next(self._numbers.setdefault(step, itertools.count())))
        self.tasks[key] = (function, *arguments)
        return key

    def each(self, step: str, function: Callable[..., Any], grid: Grid) -> Grid:
        """A task for each key."""
        return _grid(grid.shape, lambda index: self.add(step, function, grid[index]))

    def array(self, step: str, grid: Grid, chunks: Any, dtype: DTypeLike, *inputs: da.Array) -> da.Array:
        """The array whose chunks are the results of these tasks, which no other task takes."""
        name = f"gpcl-{step}-{self.token}"
        layer = {(name, *index): self.tasks.pop(grid[index]) for index in np.ndindex(grid.shape)}
        graph = HighLevelGraph.from_collections(name, {**self.tasks, **layer}, dependencies=inputs)
        return da.Array(graph, name, chunks, dtype=np.dtype(dtype))


def _grid(shape: Sequence[int], key: Callable[[tuple[int, ...]], Key]) -> Grid:
    result = np.empty(shape, object)
    for index in np.ndindex(*shape):
        result[index] = key(index)
    return result


def _keys(a: da.Array) -> Grid:
    return _grid(a.numblocks, lambda index: (a.name, *index))


def _groups(count: int, size: int) -> list[slice]:
    """The numbers below count in slices of one length, `size` at most."""
    groups = -(-count // size)
    return [slice(count * i // groups, count * (i + 1) // groups) for i in range(groups)]


def _tree(graph: _Graph, step: str, grid: Grid, axis: int, combine: Callable[[list[Any]], Any], split_every: int) -> Grid:
    """Combines all along an axis of the grid, in their order; the axis then has a size of 1."""
    grid = np.moveaxis(grid, axis, -1)
    while grid.shape[-1] > 1:
        groups = _groups(grid.shape[-1], split_every)
        grid = _grid((*grid.shape[:-1], len(groups)),
                     lambda index: graph.add(step, combine, list(grid[index[:-1]][groups[index[-1]]])))
    return np.moveaxis(grid, -1, axis)


def _carried(graph: _Graph, grid: Grid, axis: int, reverse: bool, total: Callable[[Any], Any],
             carry: Callable[[list[Any], list[Any]], list[Any]], apply: Callable[[Any, list[Any], int], Any],
             initial: Any, split_every: int) -> Grid:
    """What `apply` makes of each chunk and what comes before it along an axis.

    total(chunk) is what later chunks must know of it; carry(totals, before) what comes before each
    of the next chunks, and behind the last one, where before[-1] came before them; apply takes the
    chunk, such a list and the chunk's place in it. There are 2 + 1 / split_every tasks for each chunk.
    """
    result = np.empty_like(grid)
    for index in np.ndindex(*grid.shape[:axis], *grid.shape[axis + 1:]):
        line = (*index[:axis], slice(None), *index[axis:])
        chunks = list(grid[line])[::-1] if reverse else list(grid[line])
        totals = [graph.add("total", total, each) for each in chunks[:-1]]
        made, before = [], [initial]
        for group in _groups(len(chunks), split_every):
            before = graph.add("carry", carry, totals[group], before)
            made += [graph.add("apply", apply, each, before, i) for i, each in enumerate(chunks[group])]
        for place, key in enumerate(made[::-1] if reverse else made):
            result[(*index[:axis], place, *index[axis:])] = key
    return result


# ---- the exchange: sorted runs are cut, moved and merged

class Runs(NamedTuple):
    """Sorted runs behind each other, of one chunk each."""

    arrays: tuple[NDArray[Any], ...]  # keys, and the values that move with them where there are any
    sizes: NDArray[np.int64]
    chunks: NDArray[np.int64]

    def each(self) -> Iterator[tuple[int, int]]:
        """(the run's chunk, where it begins)."""
        return zip(self.chunks, np.cumsum(self.sizes) - self.sizes)

    def keys(self) -> list[NDArray[Any]]:
        return np.split(self.arrays[0], np.cumsum(self.sizes)[:-1])


def _one_run(chunk: int, *arrays: NDArray[Any]) -> Runs:
    return Runs(arrays, np.array([len(arrays[0])]), np.array([chunk]))


class _ByRank:
    """Cuts runs into parts of known sizes, or of one size: part j gets the elements of ranks[j - 1] to ranks[j], where ranks
    are numbers, or with `of` that many parts of all elements."""

    def __init__(self, ranks: NDArray[Any], of: int | None = None, descending: bool = False):
        self.ranks, self.of, self.descending = ranks, of, descending
        self.parts = len(ranks) + 1

    def within(self, part: slice) -> _ByRank:
        base = self.ranks[part.start - 1] if part.start else 0
        return _ByRank(self.ranks[part.start:part.stop - 1] - base, self.of and part.stop - part.start, self.descending)

    def nearby(self, graph: _Graph, runs: list[Key], ranks: Callable[[int], NDArray[Any]], count: int) -> tuple[list[Key], Key]:
        """The keys near so many ranks, which a function finds from the number of all elements; and the splitters."""
        samples = [graph.add("sample", _samples, each, count + 1) for each in runs]
        borders = graph.add("splitters", partial(_splitters, ranks=ranks, descending=self.descending), samples)
        return [graph.add("near", _near, each, borders) for each in runs], borders

    def cut(self, graph: _Graph, runs: list[Key], at: NDArray[Any]) -> list[Key]:
        nearby, borders = self.nearby(graph, runs, partial(_ranks, self.ranks[at - 1], self.of), len(at))
        return [graph.add("partition", partial(_partition, descending=self.descending), nearby, borders)] * len(runs)


class _ByKey:
    """Cuts ascending runs at the keys borders[j - 1] and borders[j], which a task finds, or an array. Where there are fewer than
    the parts but one, the last parts are empty. side: as in numpy.searchsorted, on which side of
    borders the keys lie that are equal to them."""

    def __init__(self, borders: Any, parts: int, side: str = "left", offset: int = 0):
        self.borders, self.parts, self.side, self.offset = borders, parts, side, offset

    def within(self, part: slice) -> _ByKey:
        return _ByKey(self.borders, part.stop - part.start, self.side, self.offset + part.start)

    def cut(self, graph: _Graph, runs: list[Key], at: NDArray[Any]) -> list[Key]:
        places = partial(_places_of_keys, at=at - 1 + self.offset, side=self.side)
        return [graph.add("search", places, each, self.borders) for each in runs]


def _exchange(graph: _Graph, runs: list[Key], borders: _ByRank | _ByKey, finish: Callable[[list[Runs]], Any],
              split_every: int) -> list[Key]:
    """Moves sorted runs into parts: finish(pieces) makes part j of what lies between borders j - 1 and j.

    More than split_every parts go by way of groups of them: runs are cut into k pieces in each of
    log_k(parts) stages, where k is at most split_every, so there are runs * k * log_k(parts) tasks.
    Between stages, pieces of chunks that are far from each other come together: what lies in few
    neighbours, as the keys of a group do in an array that was nearly sorted, is shared out. They are
    merged only at last, in the order of chunks.
    """
    if borders.parts == 1:
        return [graph.add("merge", finish, runs)]
    stages = math.ceil(math.log(borders.parts) / math.log(split_every) - 1e-9)
    groups = _groups(borders.parts, math.ceil(borders.parts ** (1 - 1 / stages) - 1e-9))
    cuts = borders.cut(graph, runs, np.array([each.start for each in groups[1:]]))
    result = []
    for number, group in enumerate(groups):
        parts = [graph.add("piece", _piece, *each, number) for each in zip(runs, cuts)]
        if group.stop - group.start > 1:
            count = -(-len(parts) // len(groups))
            parts = [graph.add("together", _together, parts[i::count]) for i in range(count)]
        result += _exchange(graph, parts, borders.within(group), finish, split_every)
    return result


def _samples(runs: Runs, parts: int) -> list[tuple[int, pieces.Sample]]:
    return [(chunk, pieces.sample(keys, parts)) for chunk, keys in zip(runs.chunks, runs.keys())]


def _ranks(ranks: NDArray[Any], of: int | None, size: int) -> NDArray[Any]:
    return ranks if of is None else ranks * size // of


def _splitters(samples: list[list[tuple[int, pieces.Sample]]], ranks: Callable[[int], NDArray[Any]],
               descending: bool) -> pieces.Splitters:
    in_order = _in_order(samples)
    size = sum(each.size for each in in_order)
    return pieces.splitters(in_order, ranks(size), descending=descending, context=context())


def _in_order(lists: list[list[tuple[int, Any]]]) -> list[Any]:
    """What belongs to each chunk, in the order of chunks."""
    return [each for _, each in sorted(itertools.chain.from_iterable(lists), key=operator.itemgetter(0))]


def _near(runs: Runs, borders: pieces.Splitters) -> list[tuple[int, NDArray[Any]]]:
    return [(chunk, pieces.near(keys, chunk, borders)) for chunk, keys in zip(runs.chunks, runs.keys())]


def _partition(nearby: list[list[tuple[int, NDArray[Any]]]], borders: pieces.Splitters, descending: bool) -> NDArray[Any]:
    return pieces.partition(_in_order(nearby), borders, descending=descending, context=context())


def _places_of_keys(runs: Runs, borders: NDArray[Any], at: NDArray[Any], side: str) -> dict[int, Any]:
    known = at < len(borders)
    result = {}
    for chunk, keys in zip(runs.chunks, runs.keys()):
        result[chunk] = np.full(len(at), len(keys))
        result[chunk][known] = context().searchsorted(keys, borders[at[known]], side)
    return result


def _piece(runs: Runs, cuts: NDArray[Any] | dict[int, Any], number: int) -> Runs:
    """What lies between two cuts of each run, as a copy, which does not keep the others' memory."""
    places = [(start, [0, *cuts[chunk], size]) for (chunk, start), size in zip(runs.each(), runs.sizes)]
    bounds = [(start + each[number], start + each[number + 1]) for start, each in places]
    arrays = tuple(np.concatenate([array[a:b] for a, b in bounds]) for array in runs.arrays)
    return Runs(arrays, np.array([b - a for a, b in bounds]), runs.chunks)


def _together(runs: list[Runs]) -> Runs:
    return Runs(tuple(map(np.concatenate, zip(*(each.arrays for each in runs)))),
                np.concatenate([each.sizes for each in runs]), np.concatenate([each.chunks for each in runs]))


def _merged(runs: list[Runs], descending: bool = False) -> tuple[NDArray[Any], ...]:
    """The keys of all runs, and the values that moved with them."""
    each = _in_order([[(chunk, [array[start:start + size] for array in one.arrays])
                       for (chunk, start), size in zip(one.each(), one.sizes)] for one in runs])
    keys, *values = (list(arrays) for arrays in zip(*each))
    merged = pieces.merge_runs(keys, *values, descending=descending, context=context())
    return merged if values else (merged,)


def _merged_array(runs: list[Runs], number: int, descending: bool = False) -> NDArray[Any]:
    return _merged(runs, descending)[number]


# ---- what all functions do with their arguments

def _taken(a: ArrayOrNumpy, dimensions: int | None = None) -> da.Array:
    """The argument as a Dask array of numbers."""
    a = da.asarray(a)
    if a.dtype.kind not in "biuf":
        raise wrong(f"a Dask array with elements of type {a.dtype} can't be taken", lib.GP_ERROR_DTYPE)
    if dimensions is not None and a.ndim != dimensions:
        raise wrong(f"the array has {a.ndim} dimensions, expected {dimensions}")
    return a


def _one_axis(a: da.Array, axis: int | None) -> tuple[da.Array, int]:
    """The array, flattened where axis is None, and the axis counted from the front."""
    return (a if a.ndim == 1 else a.reshape(-1), 0) if axis is None else (a, axis_of(axis, a.ndim))


def _split(split_every: int | None) -> int:
    every = _SPLIT_EVERY if split_every is None else size_of(split_every, "split_every")
    if every < 2:
        raise wrong(f"split_every is {every}, expected 2 or more")
    return every


def _is_known(chunks: Sequence[float]) -> bool:
    return not any(map(math.isnan, chunks))


def _along(a: da.Array, axis: int, flat: Callable[[da.Array], da.Array], whole: Callable[[da.Array], da.Array]) -> da.Array:
    """flat(row) for an array of one dimension, else whole(a) where the axis is one chunk, or is made one."""
    if a.ndim == 1:
        return flat(a)
    if a.numblocks[axis] > 1:
        if not a.shape[axis] * a.dtype.itemsize <= parse_bytes(dask.config.get("array.chunk-size")):
            return da.moveaxis(_each_row(flat, da.moveaxis(a, axis, -1)), -1, axis)
        a = a.rechunk({each: -1 if each == axis else "auto" for each in range(a.ndim)})
    return whole(a)


def _each_row(function: Callable[[da.Array], da.Array], a: da.Array) -> da.Array:
    return function(a) if a.ndim == 1 else da.stack([_each_row(function, a[i]) for i in range(a.shape[0])])


def _mapped(function: Callable[..., Any], a: da.Array, dtype: DTypeLike, chunks: Any = None) -> da.Array:
    """function(chunk) of each chunk, which is not called to find out what it gives."""
    dtype = np.dtype(dtype)
    return a.map_blocks(function, dtype=dtype, chunks=chunks, meta=np.empty((0,) * a.ndim, dtype))


def _starts(graph: _Graph, a: da.Array, axis: int = 0) -> list[Any]:
    """Where each chunk begins along an axis: numbers, or tasks that find them out."""
    sizes = a.chunks[axis]
    if _is_known(sizes):
        return [0, *itertools.accumulate(sizes[:-1])]
    first = _keys(a)[tuple(slice(None) if each == axis else 0 for each in range(a.ndim))]
    starts = graph.add("starts", _sums, [graph.add("size", _size, each, axis) for each in first])
    return [graph.add("start", operator.getitem, starts, i) for i in range(len(sizes))]


def _size(chunk: NDArray[Any], axis: int) -> int:
    return int(chunk.shape[axis])


def _sums(sizes: list[int]) -> list[int]:
    return [0, *itertools.accumulate(sizes)]


# ---- sort

def _run(chunk: int, keys: NDArray[Any], descending: bool) -> Runs:
    return _one_run(chunk, context().sort(keys, descending=descending))


def _run_of_pairs(chunk: int, keys: NDArray[Any], values: NDArray[Any], descending: bool) -> Runs:
    return _one_run(chunk, *context().sort_pairs(keys, values, descending=descending))


def _run_of_places(chunk: int, keys: NDArray[Any], start: int, descending: bool) -> Runs:
    return _run_of_pairs(chunk, keys, np.arange(start, start + keys.size, dtype=np.intp), descending)


def _sorted(graph: _Graph, chunks: Sequence[float], run: Callable[..., Runs], inputs: Iterable[tuple[Any, ...]],
            finish: Callable[..., Any], descending: bool, split_every: int) -> Grid:
    """Parts of these sizes, or of equal ones where they are not known, of what run(number, *input) makes of each chunk."""
    runs = [graph.add("run", partial(run, descending=descending), i, *each) for i, each in enumerate(inputs)]
    borders = (_ByRank(np.cumsum(chunks[:-1], dtype=np.int64), None, descending) if _is_known(chunks) else
               _ByRank(np.arange(1, len(chunks)), len(chunks), descending))
    made = _exchange(graph, runs, borders, partial(finish, descending=descending), split_every)
    return _grid((len(made),), lambda index: made[index[0]])


def sort(a: ArrayOrNumpy, *, axis: int | None = -1, descending: bool = False, split_every: int | None = None) -> da.Array:
    """A sorted copy, as gpcl.sort: NaN last.

    An array of one dimension is sorted whole: its chunks become sorted runs, which are cut where the
    chunks of the result begin, moved and merged. These have the sizes of the input's, whatever the
    keys are, or equal ones where the input's are not known. axis None sorts the flattened array.

    Tasks: p * (1 + s * (3 + k)) for s stages, the logarithm of p to the base split_every rounded up, and
    k = p ** (1 / s). Each worker holds what it is given twice for a while.

    >>> import dask.array as da
    >>> gpcl.dask.sort(da.from_array(np.array([3, 1, 2, 0]), chunks=(3, 1)), descending=True).compute()
    array([3, 2, 1, 0])
    """
    a, axis = _one_axis(_taken(a), axis)
    every = _split(split_every)

    def flat(row: da.Array) -> da.Array:
        graph = _Graph("sort", row.name, descending, every)
        made = _sorted(graph, row.chunks[0], _run, zip(_keys(row)), partial(_merged_array, number=0), descending, every)
        return graph.array("sort", made, row.chunks, row.dtype, row)

    return _along(a, axis, flat, lambda x: _mapped(partial(_sort_chunk, axis=axis, descending=descending), x, x.dtype))


def _sort_chunk(chunk: NDArray[Any], axis: int, descending: bool) -> NDArray[Any]:
    return context().sort(chunk, axis=axis, descending=descending)


def argsort(a: ArrayOrNumpy, *, axis: int | None = -1, descending: bool = False, split_every: int | None = None) -> da.Array:
    """The order in which an array would be sorted, as gpcl.argsort: places in the whole array, numpy.intp, stable.

    Tasks and chunks as `sort`.

    >>> import dask.array as da
    >>> gpcl.dask.argsort(da.from_array(np.array([30, 10, 20, 10]), chunks=2)).compute()
    array([1, 3, 2, 0])
    """
    a, axis = _one_axis(_taken(a), axis)
    every = _split(split_every)

    def flat(row: da.Array) -> da.Array:
        graph = _Graph("argsort", row.name, descending, every)
        made = _sorted(graph, row.chunks[0], _run_of_places, zip(_keys(row), _starts(graph, row)),
                       partial(_merged_array, number=1), descending, every)
        return graph.array("argsort", made, row.chunks, np.intp, row)

    return _along(a, axis, flat, lambda x: _mapped(partial(_argsort_chunk, axis=axis, descending=descending), x, np.intp))


def _argsort_chunk(chunk: NDArray[Any], axis: int, descending: bool) -> NDArray[Any]:
    return context().argsort(chunk, axis=axis, descending=descending)


def sort_pairs(keys: ArrayOrNumpy, values: ArrayOrNumpy, *, descending: bool = False,
               split_every: int | None = None) -> tuple[da.Array, da.Array]:
    """(sorted keys, values moved with them), as gpcl.sort_pairs: stable.

    keys: one dimension. values: as many elements, or rows, each of 1 to 64 bytes; in chunks as the keys,
    or they are made so.

    >>> import dask.array as da
    >>> keys, values = da.from_array(np.array([3, 1, 2]), chunks=2), da.from_array(np.array([0.3, 0.1, 0.2]), chunks=2)
    >>> dask.compute(*gpcl.dask.sort_pairs(keys, values))
    (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
    """
    keys, values, every = _taken(keys, 1), da.asarray(values), _split(split_every)
    if not values.ndim or _is_known(keys.chunks[0] + values.chunks[0]) and values.shape[0] != keys.size:
        raise wrong(f"values have the shape {values.shape}, expected as many as the {keys.size} keys along the first axis")
    whole = {each: -1 for each in range(1, values.ndim)}
    values = values.rechunk({0: keys.chunks[0], **whole}) if _is_known(keys.chunks[0]) else values.rechunk(whole)
    if values.numblocks[0] != keys.numblocks[0]:
        raise wrong(f"values have {values.numblocks[0]} chunks of unknown sizes, keys {keys.numblocks[0]}")
    graph = _Graph("pairs", keys.name, values.name, descending, every)
    made = _sorted(graph, keys.chunks[0], _run_of_pairs, zip(_keys(keys), _keys(values).reshape(-1)), _merged, descending, every)
    pairs = graph.array("pairs", made, keys.chunks, keys.dtype, keys, values)
    return _nth(pairs, 0, keys.dtype), _nth(pairs, 1, values.dtype, (keys.chunks[0], *values.chunks[1:]))


def _nth(tuples: da.Array, number: int, dtype: DTypeLike, chunks: Any = None) -> da.Array:
    """The array of one element of each of the tuples that stand for chunks."""
    graph = _Graph("nth", tuples.name, number)
    grid = graph.each("nth", operator.itemgetter(number), _keys(tuples))
    chunks = tuples.chunks if chunks is None else chunks
    return graph.array("nth", grid.reshape(*grid.shape, *[1] * (len(chunks) - grid.ndim)), chunks, dtype, tuples)


# ---- quantiles

_CONTINUOUS = {"linear": (1.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "median_unbiased": (1 / 3, 1 / 3),
               "normal_unbiased": (3 / 8, 3 / 8)}
_BETWEEN = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}


def _places(q: NDArray[Any], method: str, n: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The ranks of the elements below and above the quantiles of n elements, and how far from the lower one each lies."""
    alpha, beta = _CONTINUOUS.get(method, (1.0, 1.0))
    at = (n - 1) * q if alpha == beta == 1 else n * q + (alpha + q * (1 - alpha - beta)) - 1
    at = _BETWEEN[method](at) if method in _BETWEEN else at
    low = np.floor(at)
    ranks = np.stack([low, np.ceil(at) if method in ("median", "midpoint") else low + 1])
    low_rank, high_rank = np.clip(ranks, 0, max(n - 1, 0)).astype(np.int64)
    return low_rank, high_rank, np.where(at < 0, 0, np.where(at >= n - 1, 1, at - low)) if n else q


def _quantiles(low: NDArray[Any], high: NDArray[Any], last: NDArray[Any], far: NDArray[Any], method: str,
               of_one: bool, dtype: Any = None) -> NDArray[Any]:
    """Quantiles from the elements beside them, by NumPy's arithmetic, whose type for one number is another than for several;
    NaN where the last element of all is one."""
    pairs = np.stack([low, high])
    if method == "median":
        result = np.median(pairs, axis=0)
    else:
        by = method if method == "midpoint" or method in _BETWEEN else "linear"
        amounts = [0.0] * len(far) if by in _BETWEEN else [0.5] * len(far) if by == "midpoint" else far.tolist()
        result = np.stack([np.quantile(pairs[:, i], amount, axis=0, method=by) if of_one else
                           np.quantile(pairs[:, i], [amount], axis=0, method=by)[0] for i, amount in enumerate(amounts)])
    result = np.where(np.isnan(last), last, result) if low.dtype.kind == "f" else result
    return result if dtype is None else result.astype(dtype)


def quantile(a: ArrayOrNumpy, q: Any, *, axis: int | None = None, method: str = "linear", keepdims: bool = False,
             split_every: int | None = None) -> da.Array:
    """The q-th quantiles, exact, as numpy.quantile: of all elements, or along an axis; NaN where there are any.

    q: a number, or several, from 0 to 1. method: "linear", "lower", "higher", "nearest", "midpoint", "hazen",
    "weibull", "median_unbiased" or "normal_unbiased". Nothing but samples leaves the chunks: they are
    sorted each by itself, and only what lies near a quantile is compared. Tasks: 3 p + 3.

    >>> import dask.array as da
    >>> gpcl.dask.quantile(da.from_array(np.array([3.0, 1.0, 2.0, 10.0]), chunks=2), [0, 0.5]).compute()
    array([1. , 2.5])
    """
    if method not in ("midpoint", *_CONTINUOUS, *_BETWEEN):
        raise wrong(f"no method {method!r}; there are {', '.join(('midpoint', *_CONTINUOUS, *_BETWEEN))}")
    return _quantile(a, q, axis, method, keepdims, split_every)


def median(a: ArrayOrNumpy, *, axis: int | None = None, keepdims: bool = False, split_every: int | None = None) -> da.Array:
    """The median, exact, as numpy.median: of all elements, or along an axis; NaN where there are any. See `quantile`.

    >>> import dask.array as da
    >>> float(gpcl.dask.median(da.from_array(np.array([3, 1, 2, 10]), chunks=2)).compute())
    2.5
    """
    return _quantile(a, 0.5, axis, "median", keepdims, split_every)


def _quantile(a: ArrayOrNumpy, q: Any, axis: int | None, method: str, keepdims: bool, split_every: int | None) -> da.Array:
    a = _taken(a)
    dimensions = a.ndim
    numbers = np.asarray(q, np.float64)
    if not np.all((0 <= numbers) & (numbers <= 1)):
        raise wrong(f"q is {q}, expected numbers from 0 to 1")
    given, (a, along) = axis, _one_axis(a, axis)
    each, of_one = numbers.reshape(-1), not numbers.ndim
    one = np.ones(1, a.dtype)
    dtype = _quantiles(one, one, one, np.full(1, 0.5), method, of_one).dtype
    how = {"q": each, "method": method, "of_one": of_one, "dtype": dtype}

    def flat(row: da.Array) -> da.Array:
        graph = _Graph("quantile", row.name, each, of_one, method)
        runs = [graph.add("run", partial(_run, descending=False), i, key) for i, key in enumerate(_keys(row))]
        nearby, borders = _ByRank(each).nearby(graph, runs, partial(_quantile_ranks, each, method), 2 * len(each) + 1)
        made = graph.add("quantile", partial(_quantiles_near, **how), nearby, borders)
        return graph.array("quantile", _grid((1,), lambda _: made), ((len(each),),), dtype, row)

    def whole(x: da.Array) -> da.Array:
        return _mapped(partial(_quantiles_along, axis=along, **how), x, dtype,
                       tuple((len(each),) if i == along else sizes for i, sizes in enumerate(x.chunks)))

    result = da.moveaxis(_along(a, along, flat, whole), along, 0)
    result = result[0] if of_one else result.reshape(*numbers.shape, *result.shape[1:])
    if keepdims:
        new = range(numbers.ndim, numbers.ndim + dimensions) if given is None else [numbers.ndim + along]
        result = da.expand_dims(result, tuple(new))
    return result


def _quantile_ranks(q: NDArray[Any], method: str, n: int) -> NDArray[Any]:
    """Ascending ranks of all elements that the quantiles need, the last one among them."""
    low, high, _ = _places(q, method, n)
    return np.unique(np.concatenate([low, high, [n - 1]])) if n else np.zeros(0, np.int64)


def _quantiles_near(nearby: list[list[tuple[int, NDArray[Any]]]], borders: pieces.Splitters, q: NDArray[Any], method: str,
                    of_one: bool, dtype: Any) -> NDArray[Any]:
    keys, ranks = pieces.keys_at(_in_order(nearby), borders, context=context()), borders.ranks
    if not ranks.size:
        return np.full(len(q), np.nan, dtype)
    low, high, far = _places(q, method, int(ranks[-1]) + 1)
    return _quantiles(keys[np.searchsorted(ranks, low)], keys[np.searchsorted(ranks, high)], keys[-1], far, method, of_one, dtype)


def _quantiles_along(chunk: NDArray[Any], q: NDArray[Any], method: str, of_one: bool, dtype: Any,
                      axis: int) -> NDArray[Any]:
    rows = np.moveaxis(context().sort(chunk, axis=axis), axis, 0)
    if not len(rows):
        return np.moveaxis(np.full((len(q), *rows.shape[1:]), np.nan, dtype), 0, axis)
    low, high, far = _places(q, method, len(rows))
    return np.moveaxis(_quantiles(rows[low], rows[high], rows[-1], far, method, of_one, dtype), 0, axis)


# ---- top k

def top_k(a: ArrayOrNumpy, k: int, *, largest: bool = True, axis: int | None = -1,
          split_every: int | None = None) -> tuple[da.Array, da.Array]:
    """(values, positions) of the k largest elements along an axis, largest first, or of the k smallest, as gpcl.top_k.

    Positions are those in the whole array, numpy.intp. Of equal elements those that come first are taken.
    Tasks: p * (1 + 1 / split_every) and two for each chunk of the result.

    >>> import dask.array as da
    >>> dask.compute(*gpcl.dask.top_k(da.from_array(np.array([3, 1, 4, 1, 5]), chunks=2), 2))
    (array([5, 4]), array([4, 2]))
    """
    a, axis = _one_axis(_taken(a), axis)
    k, every = size_of(k, "k"), _split(split_every)
    if a.shape[axis] < k:
        raise wrong(f"k is {k}, the axis has {a.shape[axis]} elements")
    graph = _Graph("top", a.name, k, largest, axis, every)
    starts, keys = _starts(graph, a, axis), _keys(a)
    local = partial(_top_of_chunk, k=k, largest=largest, axis=axis)
    grid = _grid(keys.shape, lambda index: graph.add("top", local, keys[index], starts[index[axis]]))
    combine = partial(_top_of_all, k=k, largest=largest, axis=axis)
    grid = _tree(graph, "combine", grid, axis, combine, every)
    grid = graph.each("best", partial(_enough, k=k, axis=axis), grid)
    chunks = tuple((k,) if each == axis else sizes for each, sizes in enumerate(a.chunks))
    pairs = graph.array("best", grid, chunks, a.dtype, a)
    return _nth(pairs, 0, a.dtype), _nth(pairs, 1, np.intp)


def _top_of_chunk(chunk: NDArray[Any], start: int, k: int, largest: bool, axis: int) -> Pair:
    values, positions = context().top_k(chunk, min(k, chunk.shape[axis]), largest=largest, axis=axis)
    return values, positions + start


def _top_of_all(pairs: list[Pair], k: int, largest: bool, axis: int) -> Pair:
    values, positions = (np.concatenate(each, axis=axis) for each in zip(*pairs))
    best, places = context().top_k(values, min(k, values.shape[axis]), largest=largest, axis=axis)
    return best, np.take_along_axis(positions, places, axis)


def _enough(pair: Pair, k: int, axis: int) -> Pair:
    if pair[0].shape[axis] < k:
        raise wrong(f"k is {k}, the axis has {pair[0].shape[axis]} elements")
    return pair


# ---- search and unique

def searchsorted(a: ArrayOrNumpy, v: ArrayOrNumpy, side: str = "left", *, split_every: int | None = None) -> da.Array:
    """Where the values v belong in a sorted array of one dimension, as numpy.searchsorted; in the shape and chunks of v.

    Where `a` has several chunks, the distinct values of each chunk of v go to the chunks of `a` where
    they belong, and what is found there goes back: no chunk of `a` moves.

    >>> import dask.array as da
    >>> gpcl.dask.searchsorted(da.from_array(np.array([1, 2, 2, 3]), chunks=2), np.array([2, 0, 9])).compute()
    array([1, 0, 4])
    """
    a, v, every = _taken(a, 1), _taken(v), _split(split_every)
    if side not in ("left", "right"):
        raise wrong(f"side is {side!r}, expected 'left' or 'right'")
    if a.numblocks == (1,):
        each = tuple(range(v.ndim))
        return da.blockwise(partial(_found, side=side), each, v, each, a, (v.ndim,), concatenate=True, dtype=np.intp,
                            meta=np.empty((0,) * v.ndim, np.intp))
    graph = _Graph("search", a.name, v.name, side, every)
    firsts = graph.add("borders", _firsts, [graph.add("first", _first, each) for each in _keys(a)])
    starts, chunks = _starts(graph, a), _keys(v)
    distinct = graph.each("distinct", _distinct, chunks)
    runs = [graph.add("run", _tagged, i, each) for i, each in enumerate(distinct.reshape(-1))]
    parts = _exchange(graph, runs, _ByKey(firsts, a.numblocks[0], "right" if side == "left" else "left"), _merged, every)
    found = [graph.add("found", partial(_search, side=side), i, *each) for i, each in enumerate(zip(parts, _keys(a), starts))]
    back = _ByKey(np.arange(1, len(runs)) << _COLUMN, len(runs))
    places = _exchange(graph, found, back, partial(_merged_array, number=1), every)
    grid = _grid(chunks.shape, lambda index: graph.add(
        "searched", _expanded, places[np.ravel_multi_index(index, chunks.shape)] if index else places[0], distinct[index],
        chunks[index]))
    return graph.array("searchsorted", grid, v.chunks, np.intp, a, v)


def _found(v: NDArray[Any], a: NDArray[Any], side: str) -> NDArray[Any]:
    return np.asarray(context().searchsorted(a, v, side), np.intp)


def _first(chunk: NDArray[Any]) -> NDArray[Any]:
    return chunk[:1].copy()


def _firsts(firsts: list[NDArray[Any]]) -> NDArray[Any]:
    """What each chunk but the first one begins with; an empty one as the next that is not, up to the last of these."""
    result: list[NDArray[Any]] = []
    for each in firsts[:0:-1]:
        if each.size or result:
            result.append(each if each.size else result[-1])
    return np.concatenate([firsts[0][:0], *result[::-1]])


def _distinct(chunk: NDArray[Any]) -> Pair:
    values, inverse = context().unique(chunk, return_inverse=True)
    return values, inverse.reshape(-1)


def _tagged(number: int, distinct: Pair) -> Runs:
    """The distinct values of a chunk, with numbers that tell where the answers belong."""
    return _one_run(number, distinct[0], (number << _COLUMN) + np.arange(distinct[0].size))


def _search(number: int, values: Pair, chunk: NDArray[Any], start: int, side: str) -> Runs:
    """The places of values in the order of their tags."""
    return _one_run(number, *context().sort_pairs(values[1], _found(values[0], chunk, side) + start))


def _expanded(places: NDArray[Any], distinct: Pair, chunk: NDArray[Any]) -> NDArray[Any]:
    return places[distinct[1]].reshape(chunk.shape)


def unique(a: ArrayOrNumpy, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, *,
           split_every: int | None = None) -> Any:
    """The distinct elements of an array, ascending, as gpcl.unique, in as many chunks as the array, of unknown sizes; or a tuple
    of these and what else is asked for.

    The distinct elements of each chunk are exchanged, not the chunks. All NaN are equal to each other.
    The inverse is what searchsorted finds of each element.

    >>> import dask.array as da
    >>> dask.compute(*gpcl.dask.unique(da.from_array(np.array([3, 1, 3, 2]), chunks=2), return_counts=True))
    (array([1, 2, 3]), array([1, 1, 2]))
    """
    given = _taken(a)
    (a, _), every = _one_axis(given, None), _split(split_every)
    graph = _Graph("unique", a.name, every)
    runs = [graph.add("run", _counted, i, *each) for i, each in enumerate(zip(_keys(a), _starts(graph, a)))]
    parts = len(runs)
    ranks = np.arange(1, parts)
    keys = graph.add("borders", _keys_at, *_ByRank(ranks).nearby(graph, runs, partial(_ranks, ranks, parts), len(ranks)))
    made = _exchange(graph, runs, _ByKey(keys, parts), _merge_counts, every)
    triples = graph.array("unique", _grid((parts,), lambda index: made[index[0]]), ((math.nan,) * parts,), a.dtype, a)
    values = _nth(triples, 0, a.dtype)
    result = [values]
    if return_index:
        result.append(_mapped(partial(_column, column=1), _nth(triples, 1, np.intp), np.intp))
    if return_inverse:
        inverse = searchsorted(values, a, split_every=split_every)
        has_shape = given.ndim != 1 and np.lib.NumpyVersion(np.__version__) >= "2.0.0"
        result.append(inverse.reshape(given.shape) if has_shape else inverse)
    if return_counts:
        result.append(_mapped(partial(_column, column=0), _nth(triples, 1, np.intp), np.intp))
    return tuple(result) if len(result) > 1 else values


def _counted(number: int, chunk: NDArray[Any], start: int) -> Runs:
    """The distinct elements, and of each how many there are and where the first one is."""
    values, first, counts = context().unique(chunk, return_index=True, return_counts=True)
    return _one_run(number, values, np.stack([counts, first + start], axis=1))


def _keys_at(nearby: list[list[tuple[int, NDArray[Any]]]], borders: pieces.Splitters) -> NDArray[Any]:
    in_order = _in_order(nearby)
    return pieces.keys_at(in_order, borders, context=context()) if sum(map(len, in_order)) else in_order[0]


def _merge_counts(runs: list[Runs]) -> Pair:
    keys, rows = _merged(runs)
    values, first = context().unique(keys, return_index=True, sorted=True)
    if len(first) == len(keys):
        return keys, rows
    return values, np.stack([np.add.reduceat(rows[:, 0], first), np.minimum.reduceat(rows[:, 1], first)], axis=1)


def _column(rows: NDArray[Any], column: int) -> NDArray[Any]:
    return rows[:, column].copy()


# ---- histogram

def histogram(a: ArrayOrNumpy, bins: Any = 10, range: tuple[float, float] | None = None, *, density: bool = False,
              weights: ArrayOrNumpy = None, counts_only: bool = False, split_every: int | None = None) -> Any:
    """(counts, edges) as two Dask arrays of one chunk, as gpcl.histogram; or the counts alone.

    bins: a number, edges, or None for a bin for each value of a type of 8 bits. weights: of a's shape; the exact
    sums of each chunk are added. Tasks: p * (1 + 1 / k), twice as many where bins are a number
    without a range.

    >>> import dask.array as da
    >>> dask.compute(*gpcl.dask.histogram(da.from_array(np.array([1.0, 2.0, 1.5, 4.0]), chunks=2), 3))
    (array([2, 1, 1]), array([1., 2., 3., 4.]))
    """
    a, every = _taken(a), _split(split_every)
    if isinstance(bins, str):
        raise wrong("bins by a rule need the whole array; expected a number, edges or None")
    is_number = bins is not None and np.ndim(bins) == 0
    if is_number and size_of(bins, "bins") < 1:
        raise wrong(f"bins is {bins}, expected 1 or more")
    inputs, rows = [a], [_keys(a).reshape(-1)]
    if weights is not None:
        weights = da.asarray(weights)
        if _is_known(a.shape + weights.shape):
            if weights.shape != a.shape:
                raise wrong(f"weights have the shape {weights.shape}, the array {a.shape}; they must be equal")
            weights = weights.rechunk(a.chunks)
        inputs, rows = [a, weights], [rows[0], _keys(weights).reshape(-1)]
    graph = _Graph("histogram", [each.name for each in inputs], bins, range, density, every)
    extent: Any = range
    if is_number and range is None:
        grid = graph.each("extremes", _extremes, rows[0])
        extent = _tree(graph, "extremes", grid, 0, _extremes_of, every)[0]
    each = partial(_histogram, bins=bins)
    grid = _grid(rows[0].shape, lambda index: graph.add("count", each, extent, *(row[index] for row in rows)))
    grid = _tree(graph, "add", grid, 0, sum, every)
    grid = _grid((1,), lambda index: graph.add("counted", partial(_counts_and_edges, bins=bins, density=density, dtype=a.dtype),
                                               grid[index], extent))
    size = int(bins) if is_number else 256 if bins is None else len(bins) - 1
    dtype = np.dtype(np.float64 if density else np.int64 if weights is None else weights.dtype)
    pairs = graph.array("counted", grid, ((size,),), dtype, *inputs)
    counts = _nth(pairs, 0, dtype)
    return counts if counts_only else (counts, _nth(pairs, 1, _edges(bins, range, a.dtype).dtype, ((size + 1,),)))


def _extremes(chunk: NDArray[Any]) -> NDArray[Any]:
    return np.array([chunk.min(), chunk.max()]) if chunk.size else chunk.reshape(-1)


def _extremes_of(extremes: list[NDArray[Any]]) -> NDArray[Any]:
    return _extremes(np.concatenate(extremes))


def _edges(bins: Any, extent: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The edges of the bins of the whole array, whose least and greatest elements, or range, are known."""
    edges: NDArray[Any] = _bins(extent, bins, None)[0] if isinstance(extent, np.ndarray) else _bins(np.empty(0, dtype), bins, extent)[0]
    return edges


def _histogram(extent: Any, chunk: NDArray[Any], weights: NDArray[Any] | None = None, *, bins: Any) -> NDArray[Any]:
    if isinstance(extent, np.ndarray):
        extent = (extent[0], extent[1]) if extent.size else (0, 1)
    if weights is not None and weights.shape != chunk.shape:
        raise wrong(f"weights have a chunk of the shape {weights.shape}, the array one of {chunk.shape}; they must be equal")
    counts: NDArray[Any] = context().histogram(chunk, bins, extent, weights=weights, counts_only=True)
    return counts


def _counts_and_edges(counts: NDArray[Any], extent: Any, bins: Any, density: bool, dtype: np.dtype[Any]) -> Pair:
    edges = _edges(bins, extent, dtype)
    return counts / np.diff(edges) / counts.sum() if density else counts, edges


# ---- reduce and scan

def _order_of_axes(a: da.Array, axes: list[int]) -> da.Array:
    """The array with these axes flattened behind the others."""
    others = [each for each in range(a.ndim) if each not in axes]
    return a.transpose(*others, *axes).reshape(*(a.shape[each] for each in others), -1)


def reduce(a: ArrayOrNumpy, op: str = "add", *, axis: int | tuple[int, ...] | None = None, dtype: DTypeLike = None,
           keepdims: bool = False, identity: Any = None, helpers: str | None = None,
           split_every: int | None = None) -> da.Array:
    """All elements, or those along axes, combined, as gpcl.reduce; the identity where there are none.

    An operator of the caller's own keeps the order of its operands. Where it combines several axes, they
    are flattened first. Tasks: p * (1 + 1 / k).

    >>> import dask.array as da
    >>> int(gpcl.dask.reduce(da.arange(5, chunks=2)).compute())
    10
    """
    a, every = _taken(a), _split(split_every)
    axes = list(range(a.ndim)) if axis is None else axes_of(axis, a.ndim)
    kept = tuple(1 if each in axes else n for each, n in enumerate(a.shape))
    if identity is not None and len(axes) > 1:
        a, axes = _order_of_axes(a, axes), [a.ndim - len(axes)]
    result = accumulator(a.dtype, op, dtype, None)
    graph = _Graph("reduce", a.name, op, axes, result, identity, helpers, every)
    combine = partial(_reduce, op=op, dtype=result, identity=identity, helpers=helpers)
    grid = graph.each("reduce", partial(combine, axis=tuple(axes)), _keys(a))
    for each in axes:
        grid = _tree(graph, "combine", grid, each, partial(_reduce_all, combine=partial(combine, axis=each)), every)
    chunks = [(1,) if each in axes else sizes for each, sizes in enumerate(a.chunks)]
    if not keepdims:
        grid = graph.each("reduced", partial(np.squeeze, axis=tuple(axes)), grid)
        left = [each for each in range(a.ndim) if each not in axes]
        grid, chunks = grid.reshape([grid.shape[each] for each in left]), [chunks[each] for each in left]
    reduced = graph.array("reduced", grid, tuple(chunks), result, a)
    return reduced.reshape(kept) if keepdims and reduced.ndim != len(kept) else reduced


def _reduce(chunk: NDArray[Any], *, op: str, axis: int | tuple[int, ...], dtype: Any, identity: Any,
            helpers: str | None) -> NDArray[Any]:
    return np.asarray(context().reduce(chunk, op, axis=axis, dtype=dtype, keepdims=True, identity=identity, helpers=helpers))


def _reduce_all(chunks: list[NDArray[Any]], combine: Any) -> Any:
    return combine(np.concatenate(chunks, axis=combine.keywords["axis"]))


def scan(a: ArrayOrNumpy, op: str = "add", *, axis: int | None = -1, exclusive: bool = False, reverse: bool = False,
         dtype: DTypeLike = None, identity: Any = None, helpers: str | None = None, initial: Any = None,
         split_every: int | None = None) -> da.Array:
    """Running combinations along an axis, as gpcl.scan; axis None scans the flattened array.

    Each chunk is read twice, once for its total and once for its scan, which goes on from what comes
    before; no result is written twice. Tasks: p * (2 + 1 / k), where dask.array.cumsum has 3 p.

    >>> import dask.array as da
    >>> gpcl.dask.scan(da.arange(5, chunks=2), exclusive=True).compute()
    array([0, 0, 1, 3, 6])
    """
    a, axis = _one_axis(_taken(a), axis)
    every, result = _split(split_every), accumulator(a.dtype, op, dtype, None)
    graph = _Graph("scan", a.name, op, axis, exclusive, reverse, result, identity, helpers, initial, every)
    how = {"op": op, "axis": axis, "dtype": result, "identity": identity, "helpers": helpers}
    grid = _carried(graph, _keys(a), axis, reverse, partial(_total, reverse=reverse, **how),
                    partial(_carry, op=op, identity=identity, helpers=helpers),
                    partial(_scan, reverse=reverse, exclusive=exclusive, **how), initial, every)
    return graph.array("scan", grid, a.chunks, result, a)


def cumsum(a: ArrayOrNumpy, *, axis: int | None = None, dtype: DTypeLike = None, split_every: int | None = None) -> da.Array:
    """Running sums, as gpcl.cumsum: of the flattened array, unless an axis is given.

    >>> import dask.array as da
    >>> gpcl.dask.cumsum(da.arange(5, chunks=2)).compute()
    array([ 0,  1,  3,  6, 10])
    """
    return scan(a, axis=axis, dtype=dtype, split_every=split_every)


def _total(chunk: NDArray[Any], *, axis: int, reverse: bool, **how: Any) -> NDArray[Any]:
    return np.asarray(context().reduce(np.flip(chunk, axis) if reverse and how["identity"] is not None else chunk,
                                       axis=axis, **how))


def _carry(totals: list[Any], before: list[Any], **how: Any) -> list[Any]:
    return pieces.carries(totals, initial=before[-1], context=context(), **how)


def _scan(chunk: NDArray[Any], before: list[Any], place: int, **how: Any) -> NDArray[Any]:
    result: NDArray[Any] = context().scan(chunk, initial=before[place], **how)
    return result


# ---- recurrences

def recurrence(x: ArrayOrNumpy, coefficients: Any, *, initial: Any = None, reverse: bool = False,
               split_every: int | None = None) -> da.Array:
    """y[t] = x[t] + c[0] y[t-1] + ... + c[order-1] y[t-order] along the last axis, as gpcl.recurrence.

    Each chunk is computed twice: from zeros for its final state, and from the state before it. Tasks:
    p * (2 + 1 / k).

    >>> import dask.array as da
    >>> gpcl.dask.recurrence(da.ones(4, chunks=2), [0.5]).compute()
    array([1.   , 1.5  , 1.75 , 1.875])
    """
    x, c = _taken(x), np.asarray(coefficients, np.float64)
    if not x.ndim or c.ndim != 1:
        raise wrong(f"x has the shape {x.shape}, coefficients {c.shape}; expected (..., n) and (order,)")
    every, dtype = _split(split_every), native(x.dtype) if x.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    graph = _Graph("recurrence", x.name, c, initial, reverse, every)
    how = {"coefficients": c, "reverse": reverse}
    grid = _carried(graph, _keys(x), x.ndim - 1, reverse, partial(_final, dtype=dtype, **how), partial(_states, coefficients=c),
                    partial(_recurrence, **how), initial, every)
    return graph.array("recurrence", grid, x.chunks, dtype, x)


def _final(chunk: NDArray[Any], *, coefficients: NDArray[Any], reverse: bool, dtype: Any) -> Pair:
    """The state behind a chunk from zeros, and its length."""
    final = np.zeros((*chunk.shape[:-1], coefficients.size), dtype)
    context().recurrence(chunk, coefficients, reverse=reverse, final=final)
    return final, chunk.shape[-1]


def _states(finals: list[Pair], before: list[Any], coefficients: NDArray[Any]) -> list[Any]:
    return pieces.states([each[0] for each in finals], [each[1] for each in finals], coefficients, initial=before[-1])


def _recurrence(chunk: NDArray[Any], before: list[Any], place: int, *, coefficients: NDArray[Any], reverse: bool) -> NDArray[Any]:
    result: NDArray[Any] = context().recurrence(chunk, coefficients, reverse=reverse, initial=before[place])
    return result


# ---- products

_PLUS = {"plus-times": "add", "min-plus": "minimum", "max-plus": "maximum", "max-min": "maximum", "or-and": "maximum"}


def matmul(a: ArrayOrNumpy, b: ArrayOrNumpy, *, semiring: Any = "plus-times", precision: str = "full", dtype: DTypeLike = None,
           split_every: int | None = None) -> da.Array:
    """The product of matrices over a semiring, as gpcl.matmul: vectors and batches too, and four texts of the caller's own.

    Each task multiplies split_every pairs of blocks, 4 unless it is given, and adds the products up;
    the sums of these are added in a tree.

    >>> import dask.array as da
    >>> gpcl.dask.matmul(da.eye(2, chunks=1), np.array([[1.0, 2.0], [3.0, 4.0]])).compute()
    array([[1., 2.],
           [3., 4.]])
    """
    a, b, every = _taken(a), _taken(b), 4 if split_every is None else _split(split_every)
    if not a.ndim or not b.ndim:
        raise wrong("matmul takes matrices, vectors, and batches of matrices, not single numbers")
    lost = (-2,) * (a.ndim == 1) + (-1,) * (b.ndim == 1)
    a, b = a[None] if a.ndim == 1 else a, b[:, None] if b.ndim == 1 else b
    if a.shape[-1] != b.shape[-2]:
        raise wrong(f"a has rows of {a.shape[-1]}, b has columns of {b.shape[-2]}; they must be equal")
    batch = max(a.ndim, b.ndim) - 2
    result = np.dtype(np.result_type(a.dtype, b.dtype)) if dtype is None else dtype_of(dtype)
    _, (a, b) = da.core.unify_chunks(a, (*range(batch - a.ndim + 2, batch), "m", "k"), b, (*range(batch - b.ndim + 2, batch), "k", "n"))
    if isinstance(semiring, (tuple, list)):
        plus: dict[str, Any] = {"op": str(semiring[0]), "identity": semiring[2]}
    elif semiring in _PLUS:
        plus = {"op": _PLUS["or-and" if result == np.bool_ else semiring]}
    else:
        raise wrong(f"no semiring {semiring!r}; there are {', '.join(_PLUS)}; and texts, (plus, times, zero, one)")
    graph = _Graph("matmul", a.name, b.name, semiring, precision, result, every)
    shape = np.broadcast_shapes(a.numblocks[:-2], b.numblocks[:-2])
    left = np.broadcast_to(_keys(a), (*shape, *a.numblocks[-2:]))
    right = np.broadcast_to(_keys(b), (*shape, *b.numblocks[-2:]))
    groups = _groups(a.numblocks[-1], every)
    add = partial(_sum, dtype=result, **plus)
    multiply = partial(_product, add=add, semiring=semiring, precision=precision, dtype=dtype)
    grid = _grid((*shape, left.shape[-2], right.shape[-1], len(groups)), lambda index: graph.add(
        "product", multiply, list(left[index[:-2]][groups[index[-1]]]),
        list(right[(*index[:-3], groups[index[-1]], index[-2])])))
    grid = _tree(graph, "add", grid, -1, add, every)[..., 0]
    chunks = (*da.core.broadcast_chunks(a.chunks[:-2], b.chunks[:-2]), a.chunks[-2], b.chunks[-1])
    product = graph.array("matmul", grid, chunks, result, a, b)
    return da.squeeze(product, lost) if lost else product


def _product(a: list[NDArray[Any]], b: list[NDArray[Any]], add: Callable[..., Any], **how: Any) -> NDArray[Any]:
    result: NDArray[Any] | None = None
    for x, y in zip(a, b):
        each = context().matmul(x, y, **how)
        result = each if result is None else add([result, each])
    assert result is not None
    return result


def _sum(products: list[NDArray[Any]], *, op: str, dtype: Any, identity: Any = None) -> NDArray[Any]:
    return np.asarray(context().reduce(np.stack(products), op, axis=0, dtype=dtype, identity=identity))


def shortest_paths(distances: ArrayOrNumpy) -> da.Array:
    """The lengths of the shortest paths between all pairs of nodes, as gpcl.shortest_paths without predecessors.

    The matrix is made of square blocks on its diagonal, b by b of them; there are b ** 3 tasks, of which
    b ** 2 can run at a time. A cycle of negative length is an error when it is computed.

    >>> import dask.array as da
    >>> inf = float("inf")
    >>> gpcl.dask.shortest_paths(da.from_array(np.array([[0, 4, 9], [inf, 0, 1], [inf, inf, 0]]), chunks=2)).compute()
    array([[ 0.,  4.,  5.],
           [inf,  0.,  1.],
           [inf, inf,  0.]])
    """
    a = _taken(distances, 2)
    if a.shape[0] != a.shape[1]:
        raise wrong(f"distances have the shape {a.shape}, expected a square matrix")
    a = a.rechunk({1: a.chunks[0]})
    given = native(a.dtype)
    if given.kind == "i" and given.itemsize in (2, 4):  # exact in a floating type, which knows infinity
        wide = _mapped(partial(_widened, none=np.iinfo(given).max), a, np.float64)
        return _mapped(partial(_narrowed, dtype=given), shortest_paths(wide), given)
    dtype = given if given in (np.float32, np.float64) else np.dtype(np.float32 if given == np.float16 else np.float64)
    a = a.astype(dtype)
    graph, blocks, count = _Graph("paths", a.name), _keys(a), a.numblocks[0]
    for k in range(count):
        others = [i for i in range(count) if i != k]
        blocks[k, k] = graph.add("within", _paths, blocks[k, k])
        for i in others:
            blocks[k, i] = graph.add("row", _shorter, blocks[k, i], blocks[k, k], blocks[k, i])
            blocks[i, k] = graph.add("column", _shorter, blocks[i, k], blocks[i, k], blocks[k, k])
        for i, j in itertools.product(others, others):
            blocks[i, j] = graph.add("across", _shorter, blocks[i, j], blocks[i, k], blocks[k, j])
    return graph.array("paths", graph.each("paths", np.asarray, blocks), a.chunks, dtype, a)


def _paths(block: NDArray[Any]) -> NDArray[Any]:
    result: NDArray[Any] = context().shortest_paths(block)
    return result


def _shorter(block: NDArray[Any], a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The lengths in a block, or those of ways by the nodes between a and b where they are shorter."""
    result = block.copy()
    context().matmul(a, b, out=result, beta=0.0, semiring="min-plus")
    return result


def _widened(lengths: NDArray[Any], none: int) -> NDArray[Any]:
    return np.where(lengths == none, np.inf, lengths)


def _narrowed(lengths: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.where(np.isinf(lengths), np.iinfo(dtype).max, lengths).astype(dtype)


__all__ = ["argsort", "context", "cumsum", "histogram", "matmul", "median", "quantile", "recurrence", "reduce", "scan",
           "searchsorted", "shortest_paths", "sort", "sort_pairs", "top_k", "unique"]
