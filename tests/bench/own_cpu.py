"""Calls on an OpenCL device that is the CPU: by its kernels, and as users have it, beside "host".

    own_cpu.py [--device SEL] [--n N,N...] (with the package gpcl on PYTHONPATH)

A line is a call and a size, on host memory or on device arrays: the time by kernels
(GPCL_LIMITS=no-host), as by default, and for host memory on "host"; and kernels over default. Each
time is the median of calls that took turns; results of the two are compared.
"""
# SPDX-License-Identifier: MIT
import argparse
import os
import statistics
import time

import numpy as np

import gpcl


def medians(calls, turns):
    for call in calls:
        call()
    times = [[] for _ in calls]
    for _ in range(turns):
        for each, call in zip(times, calls):
            begin = time.perf_counter()
            call()
            each.append(1e6 * (time.perf_counter() - begin))
    return [statistics.median(each) for each in times]


def cases(n):
    """Name, what takes arrays, the arrays."""
    random = np.random.default_rng(1)
    floats = random.standard_normal(n, np.float32)
    integers = random.integers(0, 1000, n, np.int32)
    side = min(1024, int(n**0.5) + 1)
    matrix = random.standard_normal((side, side), np.float32)
    yield "sort", lambda ctx, a: ctx.sort(a), floats
    yield "argsort", lambda ctx, a: ctx.argsort(a), floats
    yield "scan int32", lambda ctx, a: ctx.scan(a), integers
    yield "reduce", lambda ctx, a: ctx.reduce(a), floats
    yield "histogram", lambda ctx, a: ctx.histogram(a, 100, range=(-4, 4))[0], floats
    yield f"matmul {side}", lambda ctx, a: ctx.matmul(a, a), matrix
    yield "top_k", lambda ctx, a: ctx.top_k(a, min(10, n))[0], floats
    yield "unique int32", lambda ctx, a: ctx.unique(a), integers


def on_host(result):
    return result.numpy() if hasattr(result, "numpy") else np.asarray(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--n", default="10,1000,65536,1048576,16777216")
    args = parser.parse_args()
    os.environ["GPCL_LIMITS"] = "no-host"
    kernels = gpcl.open(args.device)
    del os.environ["GPCL_LIMITS"]
    default, host = gpcl.open(args.device), gpcl.open("host")
    for n in map(int, args.n.split(",")):
        turns = 15 if n < 1 << 22 else 5
        for name, call, array in cases(n):
            lies_at = {ctx: ctx.array(array) for ctx in (kernels, default)}

            def finished(ctx):
                result = call(ctx, lies_at[ctx])
                ctx.finish()
                return result

            for first, second in ((call(kernels, array), call(default, array)), (finished(kernels), finished(default))):
                np.testing.assert_allclose(on_host(first), on_host(second), rtol=1e-3, atol=1e-2)
            of = medians([lambda: call(kernels, array), lambda: call(default, array), lambda: call(host, array)], turns)
            on = medians([lambda: finished(kernels), lambda: finished(default)], turns)
            print(f"{name:14} {n:9} host memory: {of[0]:11.1f} {of[1]:11.1f} {of[2]:11.1f} us {of[0] / of[1]:6.2f}   "
                  f"device array: {on[0]:11.1f} {on[1]:11.1f} us {on[0] / on[1]:6.2f}", flush=True)


if __name__ == "__main__":
    main()
