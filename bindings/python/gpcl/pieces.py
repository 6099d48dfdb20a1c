"""What programs are put together from that hold an array in pieces, on several devices or machines.

gpcl.dask is made of these functions, and they serve any engine that moves arrays: MPI, Ray, a pool
of processes. They know nothing of it. What must be moved are arrays and tuples of arrays.

A sort is nine lines with mpi4py, of which three exchange something. The pieces lie in the order of
the ranks, and so do the sorted ones. They have equal sizes whatever the keys are, since equal keys
are told apart by where they lie.

    run = gpcl.sort(mine)
    samples = comm.allgather(pieces.sample(run, comm.size))
    borders = pieces.splitters(samples, comm.size)
    nearby = comm.allgather(pieces.near(run, comm.rank, borders))
    offsets = pieces.partition(nearby, borders)
    parts = comm.alltoall(pieces.cut(run, offsets[comm.rank]))
    mine = pieces.merge_runs(parts)

A scan is three:

    total = gpcl.reduce(mine)
    before = pieces.carries(comm.allgather(total))[comm.rank]
    mine = gpcl.scan(mine, initial=before)

`context` is where the work is done, None stands for gpcl.default_context().
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._context import Context, default_context
from ._errors import wrong


class Sample(NamedTuple):
    """Every step-th key of a sorted run, from its first one on, and how many keys the run has."""

    keys: NDArray[Any]
    step: int
    size: int


class Splitters(NamedTuple):
    """Where sorted runs are cut, to within a few keys.

    Of the first ranks[t] elements of all runs together, between first[t, i] and last[t, i] lie in
    run i, and the element behind them is among those that lie between.
    """

    ranks: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def even(size: int, parts: int) -> NDArray[np.int64]:
    """The ranks at which `size` elements are cut into parts of one size, or of two that differ by one.

    >>> gpcl.pieces.even(10, 3).tolist()
    [3, 6]
    """
    return np.arange(1, parts, dtype=np.int64) * size // parts


def sample(run: NDArray[Any], parts: int) -> Sample:
    """What the others must know of a sorted run to cut all runs into so many parts.

    That is sqrt(2 n parts) of its n keys, as many as then lie near the cuts. A program gathers the
    samples of all runs, in their order, where `splitters` is called: on every rank, or on one.

    >>> gpcl.pieces.sample(np.arange(40), 2)
    Sample(keys=array([ 0,  3,  6,  9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39]), step=3, size=40)
    """
    step = max(1, math.isqrt(run.size // (2 * max(1, parts))))
    return Sample(run[::step].copy(), step, run.size)


def splitters(samples: Sequence[Sample], parts: int | Sequence[int] | NDArray[np.int64], *, descending: bool = False,
              context: Context | None = None) -> Splitters:
    """Where runs must be cut so that the parts hold the elements of given ranks.

    parts: a number of parts of equal size, or the ranks at which they begin but the first, ascending.
    Rank r is the place r in the stable sort of all runs behind each other. Every rank of an MPI
    program finds the same from the same samples.

    Between first and last lie, of all runs of n keys in all, some 2 * runs * step keys for each rank.

    >>> runs = np.array([1, 3, 5, 7]), np.array([3, 3, 3, 3])
    >>> gpcl.pieces.splitters([gpcl.pieces.sample(run, 2) for run in runs], 2).ranks
    array([4])
    """
    sizes = np.array([each.size for each in samples], np.int64)
    steps = np.array([each.step for each in samples], np.int64)
    counts = np.array([each.keys.size for each in samples], np.int64)
    ranks = even(int(sizes.sum()), parts) if isinstance(parts, int) else np.asarray(parts, np.int64)
    if ranks.ndim != 1 or np.any(np.diff(ranks) < 0) or ranks.size and not 0 <= ranks[0] <= ranks[-1] <= sizes.sum():
        raise wrong(f"ranks must ascend from 0 to {sizes.sum()} at most, the size of all runs")

    # The samples in their order; equal ones lie in that of the runs. Before sample q of a run lie
    # q * step of its elements. Where the samples before a place include q of a run, at least
    # (q - 1) * step + 1 of its elements come before it, none where q is 0, and at most q * step.
    order = (context or default_context()).argsort(_joined([each.keys for each in samples]), descending=descending)
    run = np.repeat(np.arange(len(samples)), counts)[order]
    place = (np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts))[order]
    least = np.cumsum(np.where(place == 0, 1, steps[run]))
    most = np.cumsum(np.minimum((place + 1) * steps[run], sizes[run]) - place * steps[run])

    # Of each rank, the last sample that surely lies at it or before, and the first that surely
    # lies behind it.
    before = _taken(run, np.searchsorted(most, ranks, "right"), len(samples))
    behind = _taken(run, np.searchsorted(np.concatenate(([0], least[:-1])), ranks, "right"), len(samples))
    first = np.where(before == 0, 0, (before - 1) * steps + 1)
    return Splitters(ranks, first, np.minimum(behind * steps, sizes))


def _taken(run: NDArray[Any], places: NDArray[Any], runs: int) -> NDArray[np.int64]:
    """How many of run[:place] are each of so many runs, for places that ascend."""
    edges = np.concatenate(([0], places))
    rows = [np.bincount(run[a:b], minlength=runs) for a, b in zip(edges[:-1], edges[1:])]
    return np.cumsum(np.array(rows, np.int64).reshape(len(places), runs), axis=0)


def near(run: NDArray[Any], index: int, borders: Splitters) -> NDArray[Any]:
    """The keys of run number `index` between first and last of each rank, one behind the other: they decide where it is cut.

    A program gathers them of all runs, in their order, where `partition` is called.
    """
    return _joined([run[a:b] for a, b in zip(borders.first[:, index], borders.last[:, index])] or [run[:0]])


def partition(nearby: Sequence[NDArray[Any]], borders: Splitters, *, descending: bool = False,
              context: Context | None = None) -> NDArray[np.int64]:
    """Where each run is cut: row i are the offsets in run i at which the parts begin but the first.

    The parts have the sizes that the ranks ask for, to the element. Of equal keys, those of earlier
    runs lie in earlier parts, and those of one run keep their order.
    """
    result = borders.first.T.copy()
    for t, (taken, run, _, order) in enumerate(_near_ranks(nearby, borders, descending, context)):
        result[:, t] += np.bincount(run[order[:taken]], minlength=len(nearby))
    return result


def keys_at(nearby: Sequence[NDArray[Any]], borders: Splitters, *, descending: bool = False,
            context: Context | None = None) -> NDArray[Any]:
    """The keys of the given ranks, counted from 0 in the sorted order of all runs: quantiles without a sort of the whole.

    Each rank must be less than the size of all runs.
    """
    return np.array([keys[order[taken]] for taken, _, keys, order in _near_ranks(nearby, borders, descending, context)])


def _near_ranks(nearby: Sequence[NDArray[Any]], borders: Splitters, descending: bool,
                context: Context | None) -> Iterator[tuple[int, NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Of each rank: how many of the keys near it come before it, which run each of these keys is of, the keys, their order."""
    counts = borders.last - borders.first
    ends = np.cumsum(counts, axis=0)
    for t, rank in enumerate(borders.ranks):
        keys = _joined([each[end - count:end] for each, end, count in zip(nearby, ends[t], counts[t])])
        order = (context or default_context()).argsort(keys, descending=descending)
        yield int(rank - borders.first[t].sum()), np.repeat(np.arange(len(nearby)), counts[t]), keys, order


def cut(run: NDArray[Any], offsets: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The parts of a run that begin at 0 and at the offsets, as copies: none keeps the others' memory."""
    return [each.copy() for each in np.split(run, offsets)]


def merge_runs(runs: Sequence[NDArray[Any]], values: Sequence[NDArray[Any]] | None = None, *, descending: bool = False,
               context: Context | None = None) -> Any:
    """The sorted array of the elements of sorted runs; with values, a pair of that and the values moved with their keys.

    What a rank received of all others, in their order, becomes its part of the sorted array. Of equal
    keys those of earlier runs come first. Empty runs are left out, and a single one is returned as
    it is.

    >>> gpcl.pieces.merge_runs([np.array([1, 4]), np.array([2, 4, 9])])
    array([1, 2, 4, 4, 9])
    >>> gpcl.pieces.merge_runs([np.array([1, 4]), np.array([2])], [np.array([10, 40]), np.array([20])])
    (array([1, 2, 4]), array([10, 20, 40]))
    """
    filled = [i for i, each in enumerate(runs) if each.size] or [0]
    runs, values = [runs[i] for i in filled], None if values is None else [values[i] for i in filled]
    if len(runs) == 1:
        return runs[0] if values is None else (runs[0], values[0])
    at = np.cumsum([0, *(each.size for each in runs)])
    context = context or default_context()
    if values is None:
        return context.merge_runs(_joined(runs), at, descending=descending)
    return context.merge_runs_pairs(_joined(runs), _joined(values), at, descending=descending)


def carries(totals: Sequence[Any], op: str = "add", *, initial: Any = None, identity: Any = None, helpers: str | None = None,
            context: Context | None = None) -> list[Any]:
    """What comes before each piece of a scan, and after the last one, from what gpcl.reduce gives of each.

    It is the `initial` of gpcl.scan of that piece. Of the first piece it is the `initial` given
    here, None where nothing comes before all. Totals are numbers, or arrays of one shape where rows
    are scanned; their type is the scan's. op, identity and helpers as in gpcl.scan.

    >>> [None if each is None else int(each) for each in gpcl.pieces.carries([1, 2, 3])]
    [None, 1, 3, 6]
    """
    if not len(totals):
        return [initial]
    each = np.stack([np.asarray(total) for total in totals])
    context = context or default_context()
    return [initial, *context.scan(each, op, axis=0, dtype=each.dtype, initial=initial, identity=identity, helpers=helpers)]


def states(finals: Sequence[NDArray[Any]], sizes: Sequence[int], coefficients: Any, *, initial: Any = None) -> list[Any]:
    """The state of a linear recurrence before each piece, and after the last one.

    finals: what gpcl.recurrence of each piece, from a state of zeros, leaves in `final`, of shape
    (..., order); sizes: their elements. The state is the `initial` of gpcl.recurrence of that piece.

    A recurrence is linear: the state behind n elements is its final one from zeros, and the n-th
    power of the companion matrix times the state before. It is computed in float64.

    >>> [each.tolist() for each in gpcl.pieces.states([np.array([3.0]), np.array([1.0])], [2, 1], [0.5], initial=[4.0])]
    [[4.0], [4.0], [3.0]]
    """
    c = np.asarray(coefficients, np.float64)
    companion = np.eye(c.size, k=-1)
    companion[0] = c
    state = np.asarray(0.0 if initial is None else initial, np.float64)
    result = [np.broadcast_to(state, np.shape(finals[0]) if len(finals) else state.shape)]
    for final, size in zip(finals, sizes):
        result.append(final + result[-1] @ np.linalg.matrix_power(companion, int(size)).T)
    return result


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


__all__ = ["Sample", "Splitters", "carries", "cut", "even", "keys_at", "merge_runs", "near", "partition", "sample",
           "splitters", "states"]
