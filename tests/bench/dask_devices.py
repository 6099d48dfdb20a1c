"""gpcl.dask by the number of workers, each with a device of its own, on one machine.

    dask_devices.py [--devices TEXT] [--workers 1,2,4] [--log2 N] [--chunks P] [--product N] [--blocks B]
                    [--turns T] (with the package gpcl on PYTHONPATH)

The devices are those with TEXT in their selector, kind, name or platform, "gpu" unless it is given.
A LocalCluster of one worker for each, of one thread, sorts 2^N uint32 keys in P chunks and
multiplies float32 matrices of N x N in B x B blocks. A cluster of one worker does the same, or those
of --workers. By default each of the most workers has two chunks and two blocks, or a few more.
An N of 0 leaves one out.

A time counts from the call until the last chunk of the result is there. Inputs are made in the
workers' memory before, anew for each turn; results stay in it. Medians of T turns after a first one,
whose last result is checked where it lies. A sort is right if keys do not descend in the chunks and
from chunk to chunk, and a sum of hashed keys is that of the input. A product C = A B of small whole
numbers is right if C v = A (B v) exactly, for a random v.
"""
# SPDX-License-Identifier: MIT
import argparse
import logging
import math
import os
import statistics
import sys
import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import gpcl
import gpcl.dask as gd

ROW = "{:10}{:>8}{:>12}{:>10}  {}"


def chosen(text):
    return [each for each in gpcl.devices() if each.kind != "host"
            and text.lower() in " ".join((each.selector, each.kind, each.name, each.platform)).lower()]


def opened(_):
    return gd.context().device.selector


def block(low, high, drawn, dtype, seed, block_info=None):
    place = block_info[None]
    random = np.random.default_rng([seed, *place["chunk-location"]])
    return random.integers(low, high, place["chunk-shape"], drawn).astype(dtype)


def whole(low, high, drawn, dtype, seed, shape, parts):
    """An array of random whole numbers, cut into so many parts along each axis."""
    chunks = tuple(tuple(n * (i + 1) // parts - n * i // parts for i in range(parts)) for n in shape)
    return da.map_blocks(block, low, high, drawn, dtype, seed, chunks=chunks, dtype=dtype)


def timed(client, turns, make, call):
    """(the median of the seconds, the last inputs, the last result)"""
    times, inputs, result = [], None, None
    for turn in range(turns + 1):
        del inputs, result
        inputs = client.persist(make(turn))
        wait(inputs)
        start = time.perf_counter()
        result = client.persist(call(*inputs))
        wait(result)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:]), inputs, result


def seen(keys):
    """The first and the last key, whether none of them descends, and the sum of the hashed keys."""
    hashed = keys * np.uint64(0x9E3779B97F4A7C15)
    hashed ^= hashed >> np.uint64(29)
    return int(keys[0]), int(keys[-1]), bool((keys[1:] >= keys[:-1]).all()), int((hashed * hashed).sum(dtype=np.uint64))


def sort(client, arguments):
    n = 1 << arguments.log2
    seconds, (x,), result = timed(
        client, arguments.turns, lambda turn: [whole(0, 2**32, np.uint32, np.uint32, turn, (n,), arguments.chunks)], gd.sort)
    given, got = dask.compute(*([dask.delayed(seen)(each) for each in array.to_delayed()] for array in (x, result)))
    right = (all(ordered for _, _, ordered, _ in got) and all(a[1] <= b[0] for a, b in zip(got, got[1:]))
             and (sum(each[3] for each in given) - sum(each[3] for each in got)) % 2**64 == 0 and result.size == n)
    return seconds, f"{n / seconds / 1e6:.1f} Mkey/s", right


def product(client, arguments):
    n = arguments.product
    small = [(-4, 5, np.int8, np.float32)] * 2  # float32 holds sums of up to 2^20 products exactly
    seconds, (a, b), c = timed(client, arguments.turns, lambda turn: [
        whole(*each, 2 * turn + i, (n, n), arguments.blocks) for i, each in enumerate(small)], gd.matmul)
    v = np.random.default_rng(3).integers(0, 100, n).astype(np.float64)
    left, right = dask.compute(da.matmul(c, v), da.matmul(a, da.matmul(b, v)))
    return seconds, f"{2 * n**3 / seconds / 1e12:.3f} Tflop/s", bool((left == right).all())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", default="gpu", metavar="TEXT")
    parser.add_argument("--workers", type=lambda text: [int(each) for each in text.split(",")])
    parser.add_argument("--log2", type=int, default=28)
    parser.add_argument("--chunks", type=int)
    parser.add_argument("--product", type=int, default=16384)
    parser.add_argument("--blocks", type=int)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    devices = chosen(arguments.devices)
    counts = arguments.workers or sorted({1, len(devices)})
    if len(devices) < max(counts):
        parser.error(f"{len(devices)} devices have {arguments.devices!r} in their names; there are "
                     + ", ".join(f"{each.selector} ({each.name})" for each in gpcl.devices()))
    arguments.chunks = arguments.chunks or 2 * max(counts)
    arguments.blocks = arguments.blocks or math.ceil(math.sqrt(2 * max(counts)))
    print(f"{len(devices)} devices: {', '.join(sorted({each.name for each in devices}))}; dask {dask.__version__}, "
          f"NumPy {np.__version__}")
    print(f"sort of 2^{arguments.log2} uint32 in {arguments.chunks} chunks; product of {arguments.product} x "
          f"{arguments.product} float32 in {arguments.blocks} x {arguments.blocks} blocks; medians of {arguments.turns}")
    print(ROW.format("", "workers", "seconds", "times", "rate"))
    calls = [("sort", sort)] * bool(arguments.log2) + [("product", product)] * bool(arguments.product)
    first, failed = {}, False
    # Khronos' OpenCL loader cuts OCL_ICD_FILENAMES at its first colon, in the environment itself, from which workers begin.
    for name, value in os.environ.items():
        os.putenv(name, value)
    for count in counts:
        selectors = [each.selector for each in devices[:count]]
        with dask.config.set({"gpcl.device": selectors}), \
                LocalCluster(n_workers=count, threads_per_worker=1, memory_limit=0, dashboard_address=None,
                             silence_logs=logging.CRITICAL) as local, Client(local) as client:
            there = client.gather([client.submit(opened, i, workers=[each]) for i, each in enumerate(client.ncores())])
            if sorted(there) != sorted(selectors):
                sys.exit(f"the workers opened {there}, not {selectors}")
            for name, call in calls:
                seconds, rate, right = call(client, arguments)
                times = first.setdefault(name, seconds) / seconds
                print(ROW.format(name, count, f"{seconds:.3f}", f"{times:.2f}", rate), "" if right else "WRONG", flush=True)
                failed = failed or not right
    sys.exit(failed)


if __name__ == "__main__":
    main()
