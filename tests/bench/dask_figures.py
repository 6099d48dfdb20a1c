"""gpcl.dask beside Dask's own functions on a LocalCluster of two processes, and what its graphs cost.

    dask_figures.py [sort] [cumsum] [graph] [pictures FOLDER] [--log2 N] [--chunks P] [--workers W]
                    [--repeats R] [--most P] (with the package gpcl on PYTHONPATH)

sort: gpcl.dask.sort of 2^N uint32 keys that tasks make, beside NumPy's sort of the array as one
chunk and dask.dataframe's sort_values where pandas is there and N is 26 at most. The peak is what
the process of a worker grew by, over what it holds of the result. cumsum: float64 in memory,
medians of turns. graph: tasks by number of chunks, and how long they take with chunks of 16
elements, which is the scheduler's and the workers' time for a task; up to --most chunks. pictures:
the graph of a sort of four chunks and the task stream of one of many, as files in FOLDER (needs
graphviz and matplotlib). Every result is compared with NumPy's of the whole in the same run.
"""
# SPDX-License-Identifier: MIT
import argparse
import contextlib
import os
import statistics
import time
import warnings

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import gpcl.dask as gd

ROW = "{:34}{:>12}{:>12}{:>12}{:>14}"


@contextlib.contextmanager
def cluster(workers):
    """A fresh one, whose workers' memory has grown by nothing yet but what they import."""
    with dask.config.set({"distributed.worker.memory.target": False, "distributed.worker.memory.spill": False,
                          "distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False}), \
            LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=None) as local, \
            Client(local) as client:
        gd.sort(da.arange(100 * workers, chunks=10)).compute()
        yield client


def made(block_info=None):
    (start, stop), = block_info[None]["array-location"]
    return np.random.default_rng(start).integers(0, 2**32, stop - start, np.uint32)


def keys(n, chunks):
    return da.map_blocks(made, chunks=(da.core.normalize_chunks(-(-n // chunks), (n,))[0],), dtype=np.uint32,
                         meta=np.empty(0, np.uint32))


def peaks(client, begin=False):
    """The most memory that each worker's process has had since this began, in bytes."""
    def read():
        if begin:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
    return client.run(read)


def timed(client, array):
    """(seconds, the array in the workers' memory)."""
    start = time.perf_counter()
    array = client.persist(array)
    wait(array)
    return time.perf_counter() - start, array


def is_right(client, array, expected):
    at = 0
    for block in array.to_delayed().reshape(-1):
        values = client.compute(block).result()
        if not np.array_equal(values, expected[at:at + values.size]):
            return False
        at += values.size
    return at == expected.size


def sort(arguments):
    n = 1 << arguments.log2
    expected = np.sort(keys(n, arguments.chunks).compute(scheduler="synchronous"))
    print(f"sort of 2^{arguments.log2} uint32 in {arguments.chunks} chunks, {arguments.workers} workers of one thread")
    print(ROW.format("", "seconds", "Mkey/s", "tasks", "peak / held"))

    def sorted_frame(x):
        import dask.dataframe as dd
        return dd.from_dask_array(x, columns="key").to_frame().sort_values("key")["key"].to_dask_array()

    calls = {"gpcl.dask.sort": gd.sort,
             "one chunk, numpy.sort": lambda x: x.rechunk(-1).map_blocks(np.sort, dtype=x.dtype, meta=x._meta)}
    if arguments.log2 <= 26:
        calls["dask.dataframe sort_values"] = sorted_frame
    for name, call in calls.items():
        times = []
        for _ in range(arguments.repeats):
            with cluster(arguments.workers) as client:
                before = peaks(client, begin=True)
                graph = call(keys(n, arguments.chunks))
                taken, result = timed(client, graph)
                times.append(taken)
                after = peaks(client)
                tasks = len(dict(dask.optimize(graph)[0].__dask_graph__()))
                right = is_right(client, result, expected)
        peak = max(after[each] - before[each] for each in before) / (4 * n / arguments.workers)
        seconds = statistics.median(times)
        print(ROW.format(name, f"{seconds:.2f}", f"{n / seconds / 1e6:.1f}", tasks, f"{peak:.2f}"),
              "" if right else "WRONG", flush=True)


def cumsum(arguments):
    n = 1 << arguments.log2
    print(f"cumsum of 2^{arguments.log2} float64 in {arguments.chunks} chunks in memory")
    print(ROW.format("", "seconds", "GB/s", "tasks", ""))
    with cluster(arguments.workers) as client:
        x = client.persist((keys(n, arguments.chunks) % 1000).astype(np.float64))  # whose sums are exact in any order
        wait(x)
        calls = {"gpcl.dask.cumsum": gd.cumsum, "dask.array.cumsum": lambda x: da.cumsum(x, axis=0),
                 "dask.array.cumsum, blelloch": lambda x: da.cumsum(x, axis=0, method="blelloch")}
        expected = np.cumsum(x.compute())
        times = {name: [] for name in calls}
        right, tasks = {}, {}
        for _ in range(max(3, arguments.repeats)):
            for name, call in calls.items():
                graph = call(x)
                tasks[name] = len(dict(dask.optimize(graph)[0].__dask_graph__()).keys() - dict(x.__dask_graph__()).keys())
                taken, result = timed(client, graph)
                times[name].append(taken)
                right[name] = is_right(client, result, expected) if name not in right else right[name]
                del result
        for name, each in times.items():
            seconds = statistics.median(each)
            print(ROW.format(name, f"{seconds:.2f}", f"{16 * n / seconds / 1e9:.2f}", tasks[name], ""),
                  "" if right[name] else "WRONG", flush=True)


def graph(arguments):
    print("graph of a sort of 16 elements a chunk, by number of chunks")
    print(ROW.format("chunks", "tasks", "a chunk", "built in s", "us a task"))
    p = 16
    while p <= 4096:
        x = da.from_array(np.random.default_rng(1).integers(0, 999, 16 * p), chunks=16)
        start = time.perf_counter()
        result = gd.sort(x)
        tasks = len(dict(result.__dask_graph__())) - p
        built = time.perf_counter() - start
        each = ""
        if p <= arguments.most:
            with cluster(arguments.workers) as client:
                taken, there = timed(client, result)
                each = f"{taken / tasks * 1e6:.0f}" + ("" if is_right(client, there, np.sort(x.compute())) else " WRONG")
        print(ROW.format(p, tasks, f"{tasks / p:.1f}", f"{built:.2f}", each), flush=True)
        p *= 4


# The steps of a sort, as they follow each other, and their colours.
STEPS = {"made": "#bbbbbb", "run": "#4477aa", "sample": "#66ccee", "splitters": "#222222", "near": "#66ccee",
         "partition": "#222222", "piece": "#ccbb44", "together": "#eeddaa",
         "sort": "#aa3377"}


def step_of(key):
    return next((each for each in STEPS if f"gpcl-{each}-" in key), "made")


def pictures(arguments):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    os.makedirs(arguments.pictures, exist_ok=True)

    import graphviz
    drawn = graphviz.Digraph(node_attr={"style": "filled", "fontname": "sans-serif", "fontsize": "11", "shape": "box",
                                        "height": "0.3"}, graph_attr={"ranksep": "0.35", "nodesep": "0.12"})
    result = gd.sort(da.from_array(np.arange(9), chunks=3))
    tasks = dict(result.__dask_graph__())
    numbers = {key: str(number) for number, key in enumerate(tasks)}
    for key in tasks:
        step = step_of(str(key))
        dark = step in ("run", "splitters", "partition", "sort")
        drawn.node(numbers[key], "chunk" if step == "made" else step, fillcolor=STEPS[step], fontcolor="white" if dark else "black")
    dependencies, _ = dask.core.get_deps(tasks)
    for key, needed in dependencies.items():
        for each in needed:
            drawn.edge(numbers[each], numbers[key])
    drawn.render(outfile=os.path.join(arguments.pictures, "dask_graph.svg"), cleanup=True)

    n = 1 << arguments.log2
    with cluster(arguments.workers) as client:
        with client.get_task_stream() as stream:
            timed(client, gd.sort(keys(n, arguments.chunks)))
        workers = sorted({each["worker"] for each in stream.data})
        first = min(each["start"] for task in stream.data for each in task["startstops"])
        figure, axes = plt.subplots(figsize=(9, 2.2))
        for task in stream.data:
            for each in task["startstops"]:
                colour = "#dd2222" if each["action"] == "transfer" else STEPS[step_of(str(task["key"]))]
                below = 0.35 if each["action"] == "transfer" else 0
                axes.barh(workers.index(task["worker"]) + below, each["stop"] - each["start"], left=each["start"] - first,
                          height=0.3 if below else 0.4, color=colour, linewidth=0)
        axes.set_yticks(range(len(workers)), [f"worker {i}" for i in range(len(workers))])
        axes.set_xlabel("seconds")
        shown = {"made": "keys", "run": "run", "piece": "cut", "together": "pieces together", "sort": "merge"}
        handles = [plt.Rectangle((0, 0), 1, 1, color=STEPS[each]) for each in shown]
        handles.append(plt.Rectangle((0, 0), 1, 1, color="#dd2222"))
        axes.legend(handles, [*shown.values(), "transfer"], ncols=6, loc="upper center", bbox_to_anchor=(0.5, 1.25),
                    frameon=False, fontsize=8)
        figure.savefig(os.path.join(arguments.pictures, "dask_stream.png"), dpi=110, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["sort", "cumsum", "graph"], choices=["sort", "cumsum", "graph"])
    parser.add_argument("--pictures", metavar="FOLDER")
    parser.add_argument("--log2", type=int, default=26)
    parser.add_argument("--chunks", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--most", type=int, default=256)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for each in arguments.what if not arguments.pictures else ["pictures"]:
        {"sort": sort, "cumsum": cumsum, "graph": graph, "pictures": pictures}[each](arguments)


if __name__ == "__main__":
    main()
