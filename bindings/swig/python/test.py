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
               recurrence_varying=gpcl.RecurrenceOptions, matmul=gpcl.MatmulOptions)
BUFFERS_ALONE = ("chain", "kernel", "map", "times")
OWN = set("in out values values_out value_type index_type m n k a b c bins coefficients initial fails host_fails log source "
          "access profile".split())


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


def options_of(operation, field):
    options = OPTIONS.get(operation, gpcl.SortOptions)()
    for key, value in field.items():
        if key not in OWN:
            if hasattr(gpcl, value):
                value = getattr(gpcl, value)
            elif key in ("alpha", "beta"):
                value = float(value)
            elif value.lstrip("-").isdigit() and "operator" not in key:
                value = int(value)
            setattr(options, key, value)
    return options


def call(context, operation, name, field, options, out):
    """Carries a case out; returns what came, as arrays."""
    if operation == "matmul":
        m, n, k = (int(field[key]) for key in "mnk")
        a, b = data(name, field["a"]), data(name, field["b"])
        if "c" not in field:
            context.matmul(dtype(name), m, n, k, a, b, out, options)
            return [out]
        c = data(name, field["c"])
        context.matmul_into(dtype(name), m, n, k, a, b, c, options)
        return [c]
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
    elif operation == "histogram":
        context.histogram(dtype(name), given, int(field["bins"]), out, options)
    elif operation in ("recurrence", "recurrence_varying"):
        getattr(context, operation)(dtype(name), given, data(name, field["coefficients"]), data(name, field["initial"]), out,
                                    options)
    else:
        getattr(context, operation)(dtype(name), given, out, options)
    return [out]


def through_buffers(context, operation, name, field, options, out):
    """The same in the device's memory."""
    def there(field_name, type_name=name):
        elements = data(type_name, field[field_name])
        buffer = gpcl.DeviceBuffer(context, elements.itemsize * len(elements))
        buffer.write(dtype(type_name), elements)
        return buffer

    def read(buffer, type_name, into):
        buffer.read(dtype(type_name), len(into), into)
        return into

    kind, event = dtype(name), gpcl.Event()
    result, results = gpcl.DeviceBuffer(context, out.itemsize * len(out)), []
    if operation == "matmul":
        m, n, k = (int(field[key]) for key in "mnk")

        def leading(rows, columns, transpose):
            return rows if (field.get("layout") == "COLUMN_MAJOR") != (field.get(transpose) == "TRANSPOSE") else columns

        if "c" in field:
            result = there("c")
        context.enqueue_matmul(kind, m, n, k, there("a"), 0, leading(m, k, "transpose_a"), there("b"), 0,
                               leading(k, n, "transpose_b"), result, 0, leading(m, n, ""), options, event)
    elif operation == "map":
        pattern, values = data(name, field["in"]), data(name, field["values"])
        filled = gpcl.DeviceBuffer(context, result.bytes())
        filled.fill(kind, len(out), pattern)
        filled.copy_to(result, result.bytes(), 0, 0, event)
        mapping = gpcl.Mapping(result, int(field["access"]) if field["access"].isdigit() else getattr(gpcl, field["access"]))
        if values:
            mapping.write(kind, values, 1)
        results.append(read(mapping, name, out[:]))
        mapping.release()
    else:
        given, n = there("in"), len(data(name, field["in"]))
        if operation == "sort":
            context.enqueue_sort(kind, n, given, 0, options, event)
            result = given
        elif operation == "sort_pairs":
            values = there("values", field["value_type"])
            context.enqueue_sort_pairs(kind, n, given, 0, gpcl.dtype_size(dtype(field["value_type"])), values, 0, options, event)
            results.append(read(values, field["value_type"], data(field["value_type"], field["values"])))
            result = given
        elif operation == "argsort":
            context.enqueue_argsort(kind, n, given, 0, dtype(field["index_type"]), result, 0, options, event)
        elif operation == "histogram":
            context.enqueue_histogram(kind, n, given, 0, int(field["bins"]), result, 0, options, event)
        elif operation == "recurrence":
            context.enqueue_recurrence(kind, n // int(field.get("batch", 1)), given, 0, result, 0, data(name, field["coefficients"]),
                                       data(name, field["initial"]), options, event)
        elif operation == "recurrence_varying":
            context.enqueue_recurrence_varying(kind, n // int(field.get("batch", 1)), there("coefficients"), 0, given, 0, result, 0,
                                               data(name, field["initial"]), options, event)
        elif operation == "chain":
            context.enqueue_sort(kind, n, given, 0)
            context.enqueue_scan(kind, n, given, 0, result, 0, None, event)
        elif operation == "kernel":
            kernel, arguments = gpcl.Kernel(context, field["source"].replace("~", " "), "f"), gpcl.Arguments()
            arguments.add_buffer(given)
            arguments.add_real(gpcl.FLOAT32, 2)
            kernel.enqueue(arguments, n, 1, 1, 0, 1, 1, event)
            result = given
        elif operation == "times":
            context.profile(field["profile"] == "1")
            keys, on_host = data(name, field["in"]), gpcl.Event()
            context.sort(kind, keys, None, on_host)
            context.enqueue_sort(kind, n, given, 0, None, event)
            context.profile(False)
            for each in (on_host, event):
                commands = each.timing().commands
                assert commands > 0 and all(each.command(i).name for i in range(commands))
            results.append(keys)
            result = given
        else:
            getattr(context, "enqueue_" + operation)(kind, n, given, 0, result, 0, options, event)
    event.finish()
    assert event.done()
    return [read(result, field.get("index_type", name), out), *results]


def run(context, host, line):
    operation, name, *fields = line.split()
    field = dict(part.split("=", 1) for part in fields)
    fails = host and field.get("host_fails") or field.get("fails")
    wanted = data(field.get("index_type", name), field["out"])
    for way in (through_buffers,) if operation in BUFFERS_ALONE else (call, through_buffers):
        out = array.array(wanted.typecode, bytes(wanted.itemsize * len(wanted)))
        try:
            got = way(context, operation, name, field, options_of(operation, field), out)
        except gpcl.Error as error:
            assert fails and error.status == getattr(gpcl, fails), f"{line}: {error}"
            assert str(error)
            assert host or field.get("log", "") in error.build_log, line
            continue
        assert not fails, line
        assert same(got[0], wanted), f"{line}: {got[0]}"
        if len(got) > 1:
            second = data(field["value_type"], field["values_out"]) if "values_out" in field else wanted
            assert same(got[1], second), f"{line}: {got[1]}"


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
        # A mapping is a memoryview in a `with`, gone after it.
        buffer = gpcl.DeviceBuffer(context, 3)
        with gpcl.Mapping(buffer, gpcl.WRITE) as view:
            view[:] = b"xyz"
        refused(ValueError, view.__getitem__, 0)
        with gpcl.Mapping(buffer, gpcl.READ) as view:
            assert view == b"xyz"
            refused(TypeError, view.__setitem__, 0, 0)
        mapping = gpcl.Mapping(buffer, gpcl.READ_WRITE)
        del buffer  # the mapping keeps it
        assert mapping.view()[2] == ord("z") and math.isnan(gpcl.MatmulOptions().alpha)
        mapping.release()
        mapping.release()
        refused(gpcl.Error, mapping.view)
        refused(gpcl.Error, gpcl.Event().finish)  # no call had it
        buffer = gpcl.DeviceBuffer(context, 8)
        buffer.release()
        refused(gpcl.Error, buffer.bytes)
        refused(gpcl.Error, context.enqueue_sort, gpcl.INT32, 2, buffer, 0)
        refused(gpcl.Error, gpcl.Mapping, buffer, gpcl.READ)
        for sizes in ((2**31, 2**31, 0), (2**33, 1, 2**31), (2**63, 2, 2**63)):  # their product wraps
            refused(gpcl.Error, context.matmul, gpcl.FLOAT32, *sizes, b"", b"", bytearray())
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
