"""gpcl.sort on NumPy keys beside numpy.sort: medians of runs that take turns, every result compared with NumPy's.

    python_sort.py [--n N] [--repeats R] [--device SEL] [TYPE...] (with the package gpcl on
    PYTHONPATH)

On a machine without cffi, take it along: `pip install --target FOLDER --only-binary :all:
[--python-version 3.12] cffi` makes a folder for PYTHONPATH; the built package goes with any Python
from 3.9, beside libgpcl.so on LD_LIBRARY_PATH.
"""
# SPDX-License-Identifier: MIT
import argparse
import statistics
import time

import numpy as np

import gpcl


def keys_of(dtype, n):
    random = np.random.default_rng(1)
    if dtype.kind == "f":
        return random.standard_normal(n, dtype)
    return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True)


def measure(ctx, dtype, n, repeats):
    keys = keys_of(dtype, n)
    expected = np.sort(keys)
    on_device, out, sorted_there = ctx.array(keys), np.empty_like(keys), ctx.empty(n, dtype)

    def there():
        ctx.sort(on_device, out=sorted_there)  # like the others it copies first, and leaves its input as it is
        ctx.finish()
        return sorted_there.numpy

    calls = {"numpy.sort": lambda: np.sort(keys),
             "numpy.sort, stable": lambda: np.sort(keys, kind="stable"),
             "gpcl.sort, host array": lambda: ctx.sort(keys),
             "gpcl.sort, host array, in place": lambda: ctx.sort(out, out=out),
             "gpcl.sort, device array": there}
    times = {name: [] for name in calls}
    for run in range(repeats + 1):
        for name, call in calls.items():
            out[...] = keys
            ctx.finish()
            start = time.perf_counter()
            result = call()
            taken = time.perf_counter() - start
            if run:  # the first one builds kernels and touches memory
                times[name].append(taken)
            if not np.array_equal(result() if callable(result) else result, expected):
                raise SystemExit(f"{name}: not sorted as NumPy does")
    numpys = statistics.median(times["numpy.sort"])
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"{dtype.name:9}{name:33}{median * 1e3:10.2f} ms{n / median / 1e6:10.1f} Mkey/s{numpys / median:8.2f} x")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--n", type=int, default=2**24)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--device", help="as gpcl.open takes it")
    parser.add_argument("types", nargs="*", default=["uint32", "float32", "int64"])
    arguments = parser.parse_args()
    with gpcl.open(arguments.device) as ctx:
        print(f"{arguments.n} keys on {ctx.device.name}; NumPy {np.__version__}; medians of {arguments.repeats}, all verified")
        for name in arguments.types:
            measure(ctx, np.dtype(name), arguments.n, arguments.repeats)


if __name__ == "__main__":
    main()
