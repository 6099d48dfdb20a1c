"""test.py CASES: every case on arrays, then what is Python's own."""
# SPDX-License-Identifier: MIT
import array
import math
import sys
import threading

import gpcl_swig as gpcl

CODES = dict(int8="b", int16="h", int32="i", int64="q", uint8="B", uint16="H", uint32="I", uint64="Q", float32="f", float64="d")
OPTIONS = dict(sort=gpcl.SortOptions, sort_pairs=gpcl.SortOptions, argsort=gpcl.SortOptions, scan=gpcl.ScanOptions,
               reduce=gpcl.ReduceOptions, histogram=gpcl.HistogramOptions, recurrence=gpcl.RecurrenceOptions,
               matmul=gpcl.MatmulOptions, chain=gpcl.SortOptions, kernel=gpcl.SortOptions)
OWN = set("in out values values_out value_type index_type m n k a b bins coefficients initial fails host_fails log source".split())


def dtype(name):
    return getattr(gpcl, name.upper())


def number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def data(name, text):
    return array.array(CODES[name], [number(word) for word in text.split(",") if word])


def same(got, want):
    return len(got) == len(want) and all(g == w or (math.isnan(g) and math.isnan(w)) for g, w in zip(got, want))


def call(context, operation, name, field, out):
    """Carries a case out; returns what came, as arrays."""
    options = OPTIONS[operation]()
    for key, value in field.items():
        if key not in OWN:
            if hasattr(gpcl, value):
                value = getattr(gpcl, value)
            elif value.lstrip("-").isdigit() and "operator" not in key:
                value = int(value)
            setattr(options, key, value)
    if operation == "matmul":
        m, n, k = (int(field[key]) for key in "mnk")
        context.matmul(dtype(name), m, n, k, data(name, field["a"]), data(name, field["b"]), out, options)
        return [out]
    if operation in ("chain", "kernel"):
        return through_buffer(context, operation, name, field, out)
    given = data(name, field["in"])
    if operation == "sort":
        context.sort(dtype(name), given, options)
        return [given]
    if operation == "sort_pairs":
        values = data(field["value_type"], field["values"])
        context.sort_pairs(dtype(name), given, dtype(field["value_type"]), values, options)
        return [given, values]
    if operation == "argsort":
        context.argsort(dtype(name), given, dtype(field["index_type"]), out, options)
        return [out]
    if operation == "histogram":
        context.histogram(dtype(name), given, int(field["bins"]), out, options)
        return [out]
    if operation == "recurrence":
        context.recurrence(dtype(name), given, data(name, field["coefficients"]), data(name, field["initial"]), out, options)
        return [out]
    getattr(context, operation)(dtype(name), given, out, options)
    return [out]


def through_buffer(context, operation, name, field, out):
    """The cases that go through a buffer."""
    given = data(name, field["in"])
    buffer = gpcl.DeviceBuffer(context, given.itemsize * len(given))
    buffer.write(dtype(name), given)
    if operation == "chain":
        context.enqueue_sort(dtype(name), len(given), buffer, 0)
        context.enqueue_scan(dtype(name), len(given), buffer, 0, buffer, 0)
    else:
        kernel = gpcl.Kernel(context, field["source"].replace("~", " "), "f")
        arguments = gpcl.Arguments()
        arguments.add_buffer(buffer)
        arguments.add_real(gpcl.FLOAT32, 2)
        kernel.enqueue(arguments, len(given))
    buffer.read(dtype(name), len(given), out)
    return [out]


def run(context, host, line):
    operation, name, *fields = line.split()
    field = dict(part.split("=", 1) for part in fields)
    fails = host and field.get("host_fails") or field.get("fails")
    wanted = data(field.get("index_type", name), field.get("out", "0"))
    out = array.array(wanted.typecode, bytes(wanted.itemsize * len(wanted)))
    try:
        got = call(context, operation, name, field, out)
    except gpcl.Error as error:
        assert fails and error.status == getattr(gpcl, fails), f"{line}: {error}"
        assert str(error)
        assert host or field.get("log", "") in error.build_log, line
        return
    assert not fails, line
    assert same(got[0], wanted), f"{line}: {got[0]}"
    if "values_out" in field:
        assert same(got[1], data(field["value_type"], field["values_out"])), f"{line}: {got[1]}"


def refused(kind, function, *arguments):
    try:
        function(*arguments)
    except kind:
        return
    raise AssertionError(f"{function} took {arguments}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = [line for line in file if line[0].islower()]
    with gpcl.Context() as context:
        host = context.describe().selector == "host"
        for line in cases:
            run(context, host, line)
        # Several threads share a context.
        threads = [threading.Thread(target=lambda: [run(context, host, line) for line in cases[:20]]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        refused(BufferError, context.sort, gpcl.INT8, b"read-only")
        refused(BufferError, context.sort, gpcl.INT8, memoryview(bytearray(8))[::2])
        refused(TypeError, context.sort, gpcl.INT32, [3, 1, 2])
        refused(gpcl.Error, context.scan, gpcl.INT32, bytes(8), bytearray(4))
        refused(gpcl.Error, context.sort, gpcl.INT32, bytearray(6))
    refused(gpcl.Error, context.sort, gpcl.INT32, bytearray(4))
    refused(gpcl.Error, gpcl.Context, "no such device")
    assert gpcl.devices() >= 1 and gpcl.device(0).name and gpcl.algorithm(gpcl.SCAN, 0).name
    print(len(cases), "cases passed")


main()
