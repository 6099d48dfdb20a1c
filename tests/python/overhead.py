"""What a call from Python costs beyond the C call, on 1000 elements: the median of many calls of each kind, in microseconds.

    GPCL_DEVICE=host overhead.py (with the package on PYTHONPATH; no test, since times are never
    asserted)
"""
# SPDX-License-Identifier: MIT
import time

import numpy as np

import gpcl
from gpcl._native import ffi, lib


def medians(*calls, repeats=3000):
    """The calls take turns, so that what else the machine does falls on all of them."""
    times = [[] for _ in calls]
    for _ in range(repeats):
        for call, into in zip(calls, times):
            start = time.perf_counter_ns()
            call()
            into.append(time.perf_counter_ns() - start)
    return [sorted(each)[repeats // 2] / 1000 for each in times]


def main():
    ctx = gpcl.default_context()
    context = ctx.pointer
    a = np.random.default_rng(0).integers(0, 1000, 1000).astype(np.int64)
    m = np.random.default_rng(0).random((32, 32), np.float32)
    out, square, scalar = np.empty_like(a), np.empty_like(m), np.empty(1, np.int64)
    from_, to, one = ffi.from_buffer(a), ffi.from_buffer(out), ffi.from_buffer(scalar)
    left, product = ffi.from_buffer(m), ffi.from_buffer(square)
    null = ffi.NULL

    edges, counts = np.linspace(0, 1000, 101) ** 1.01, ffi.new("uint64_t[]", 100)
    size = ffi.sizeof("gp_histogram_options")
    even = ffi.new("gp_histogram_options *", {"struct_size": size, "lower": 0, "upper": 1000})
    by_edges = ffi.new("gp_histogram_options *", {"struct_size": size, "edges": ffi.from_buffer(edges)})

    def count(options):
        lib.gp_histogram(context, lib.GP_INT64, 1000, from_, 100, counts, options)

    def sort_alone():
        out[:] = a  # what both have to do
        lib.gp_sort(context, lib.GP_INT64, 1000, to, null)

    calls = {
        "sort": (lambda: gpcl.sort(a), sort_alone),
        "sort, in place": (lambda: gpcl.sort(out, out=out), lambda: lib.gp_sort(context, lib.GP_INT64, 1000, to, null)),
        "argsort": (lambda: gpcl.argsort(a),
                    lambda: lib.gp_argsort(context, lib.GP_INT64, 1000, from_, lib.GP_UINT64, to, null)),
        "scan": (lambda: gpcl.scan(a), lambda: lib.gp_scan(context, lib.GP_INT64, 1000, from_, to, null)),
        "scan, with options": (lambda: gpcl.scan(a, "maximum", reverse=True, out=out), lambda: lib.gp_scan(
            context, lib.GP_INT64, 1000, from_, to, ffi.new("gp_scan_options *", {
                "struct_size": ffi.sizeof("gp_scan_options"), "op": lib.GP_MAXIMUM, "direction": lib.GP_REVERSE}))),
        "reduce": (lambda: gpcl.reduce(a), lambda: lib.gp_reduce(context, lib.GP_INT64, 1000, from_, one, null)),
        "argmin": (lambda: gpcl.argmin(a), lambda: lib.gp_arg_reduce(context, lib.GP_MINIMUM, lib.GP_INT64, 1000, from_,
                                                                     lib.GP_UINT64, one, null, null)),
        "histogram": (lambda: gpcl.histogram(a, 100, (0, 1000)), lambda: count(even)),
        "histogram, no range": (lambda: gpcl.histogram(a, 100), lambda: (a.min(), a.max(), count(even))),
        "histogram, edges": (lambda: gpcl.histogram(a, edges), lambda: count(by_edges)),
        "matmul": (lambda: gpcl.matmul(m, m), lambda: lib.gp_matmul(
            context, lib.GP_FLOAT32, 32, 32, 32, left, 32, left, 32, product, 32, null)),
    }
    print(f"{ctx.device.name}\n{'':20}{'Python':>10}{'C call':>10}{'beyond':>10}")
    for name, (python, alone) in calls.items():
        whole, inner = medians(python, alone)
        print(f"{name:20}{whole:10.1f}{inner:10.1f}{whole - inner:10.1f}")


if __name__ == "__main__":
    main()
