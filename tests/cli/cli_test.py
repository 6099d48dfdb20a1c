#!/usr/bin/python3
"""Runs the command gpcl over good and bad input and compares with NumPy.

usage: cli_test.py [GPCL]    (or GPCL_COMMAND=GPCL); the device is what GPCL_DEVICE says

SPDX-License-Identifier: MIT
"""
import fcntl
import io
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback
from pathlib import Path

import numpy as np

COMMAND = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ["GPCL_COMMAND"])
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
PREFIX_TYPES = ["i4", "u4", "i8", "u8", "f4", "f8"]
random = np.random.default_rng(7)

PATIENCE = int(os.environ.get("GPCL_TEST_PATIENCE", "1"))  # limits of time grow with the machine's load

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Skip(Exception):
    pass


def gpcl(*arguments, **environment):
    """Runs the command; returns status, standard output, standard error."""
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=280 * PATIENCE,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def good(*arguments, **environment):
    status, out, err = gpcl(*arguments, **environment)
    assert status == 0, f"gpcl {arguments}: status {status}, {err}{out}"
    return out


def bad(*arguments, says, status=1, lines=1, **environment):
    """The command fails with one clear line, and the folder holds what it held before."""
    before = contents()
    got, out, err = gpcl(*arguments, **environment)
    assert got == status, f"gpcl {arguments}: status {got} instead of {status}, {err}"
    assert out == "", f"gpcl {arguments}: printed {out!r}"
    for text in [says] if isinstance(says, str) else says:
        assert text in err, f"gpcl {arguments}: {text!r} is not in {err!r}"
    assert lines is None or len(err.splitlines()) == lines, f"gpcl {arguments}: {err!r} has not {lines} lines"
    assert contents() == before, f"gpcl {arguments}: changed files"


def contents():
    return {p.name: p.read_bytes() for p in Path(".").iterdir() if p.is_file()}


def equal(name, expected):
    got = np.load(name)
    assert got.dtype == expected.dtype and got.shape == expected.shape, (got.dtype, got.shape, expected.dtype,
                                                                         expected.shape)
    np.testing.assert_array_equal(got, expected)


def save(name, array):
    np.save(name, array)
    return array


def header(text, version=1, data=b""):
    raw = text.encode() + b"\n"
    size = len(raw).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + raw + data


DEVICE = json.loads(good("info", "--json"))


def device():
    return next(d for d in DEVICE["devices"] if d["selector"] == DEVICE["default"])


def thorough():
    return device()["kind"] == "host" or os.environ.get("GPCL_TEST_THOROUGH", "0") not in ("", "0")


def some(cases):
    """Two of the cases on OpenCL, where each is another program to build, and all of which the library's own tests try. Not
    the last, which needs float64 in most lists."""
    return cases if thorough() else [cases[0], cases[-2]]


def first(number, cases):
    """So many of the cases on OpenCL where GPCL_TEST_LONG is not 1: a measurement there begins with a second for the
    device's peak, and each process builds its programs."""
    return cases if thorough() or os.environ.get("GPCL_TEST_LONG") == "1" else cases[:number]


def keys(dtype, n):
    if dtype.startswith("f"):
        few = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5], dtype)
        return np.where(random.random(n) < 0.3, random.choice(few, n), random.standard_normal(n)).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, n, dtype=dtype, endpoint=True) // int(random.choice([1, 50]))


def order(array, descending):
    if not descending:
        return np.argsort(array, kind="stable")
    # Stable and descending, NaN last: the ranks of the distinct values, turned round.
    _, ranks = np.unique(array, return_inverse=True)
    ranks = -ranks.astype(np.int64)
    return np.argsort(np.where(np.isnan(array), 1, ranks), kind="stable")


def needs_float64(dtype):
    return dtype == "f8" and not device()["float64"]


# ---- info, help, usage ---------------------------------------------------------------------------


@test
def info_json_lists_host_and_algorithms():
    assert DEVICE["devices"][-1]["selector"] == "host"
    assert set(DEVICE["algorithms"]) == {"matmul", "scan", "sort", "reduce", "histogram", "recurrence",
                                         "recurrence-varying", "arg-reduce", "top-k", "search", "is-sorted", "merge",
                                         "merge-runs", "histogram-weighted", "paths", "transform", "difference",
                                         "select", "gather", "transpose", "run-lengths",
                                         "reduce-by-key", "unique", "scan-by-key", "repeat"}
    assert all(DEVICE["algorithms"].values())


@test
def info_text_names_the_version_and_every_device():
    out = good("info")
    assert DEVICE["version"] in out
    for each in DEVICE["devices"]:
        assert each["name"] in out
    assert "look-back" not in out and "--algorithms" in out.splitlines()[-1]


@test
def info_lists_algorithms_when_asked():
    out = good("info", "--algorithms").splitlines()
    for operation, algorithms in DEVICE["algorithms"].items():
        for algorithm in algorithms:
            assert any(line.split()[:2] == [operation, algorithm["name"]] for line in out), (operation, algorithm)


@test
def info_of_one_device():
    assert [d["selector"] for d in json.loads(good("info", "--json", "--device", "host"))["devices"]] == ["host"]


@test
def cache_can_be_off():
    assert json.loads(good("info", "--json", GPCL_CACHE="off"))["cache"] is None


@test
def info_says_why_there_is_no_cache():
    with tempfile.TemporaryDirectory() as folder:
        assert json.loads(good("info", "--json", GPCL_CACHE="", GPCL_CACHE_DIR=folder))["cache_problem"] is None
        os.chmod(folder, 0o770)
        told = json.loads(good("info", "--json", GPCL_CACHE="", GPCL_CACHE_DIR=folder))["cache_problem"]
        assert folder in told and "other users" in told, told
        assert "other users" in " ".join(good("info", GPCL_CACHE="", GPCL_CACHE_DIR=folder).split())


@test
def info_says_why_there_is_no_loader():
    for library, says in [("/nonexistent.so", "No such file"), ("libm.so.6", "no OpenCL functions")]:
        environment = {"GPCL_OPENCL_LIBRARY": library, "GPCL_DEVICE": "host"}
        told = json.loads(good("info", "--json", **environment))
        assert told["loader"] is None and library in told["loader_problem"] and says in told["loader_problem"], told
        line, = [line for line in good("info", **environment).splitlines() if "OpenCL loader" in line]
        assert "none: GPCL_OPENCL_LIBRARY: " + library in line and says in line, line
    assert DEVICE["loader"] is None or os.path.isabs(DEVICE["loader"]) and "loader_problem" not in DEVICE


@test
def version_and_help():
    assert good("--version").strip() == "gpcl " + DEVICE["version"]
    for name in ["info", "selftest", "demo", "bench", "sort", "argsort", "scan", "reduce", "matmul", "histogram",
                 "histogram-2d", "recurrence", "paths", "gather", "transpose"]:
        assert name in good("--help")
        assert "--device" in good(name, "--help")
    for name in ["sort", "merge", "arg-reduce", "top-k", "search", "is-sorted", "run-lengths", "reduce-by-key",
                 "unique", "scan-by-key", "repeat"]:
        assert "-: standard input" in good(name, "--help") and "TEXT REQUIRED" not in good(name, "--help"), name


@test
def usage_errors_have_status_2():
    np.save("in.npy", np.arange(3))
    for arguments in [[], ["nonsense"], ["sort"], ["sort", "in.npy"], ["sort", "in.npy", "o.npy", "--op", "add"],
                      ["scan", "in.npy", "o.npy", "--op", "subtract"], ["sort", "in.npy", "o.npy", "--values", "in.npy"],
                      ["scan", "in.npy", "o.npy", "--operator", "a + b"], ["matmul", "in.npy", "in.npy"],
                      ["matmul", "in.npy", "in.npy", "o.npy", "--semiring", "plus"]]:
        bad(*arguments, says="", status=2, lines=None)


@test
def usage_errors_are_in_plain_words():
    for arguments, says in [
            (["srot", "in.npy"], ["gpcl: there is no command srot; did you mean sort?"]),
            (["hist"], ["did you mean histogram?"]),
            (["benhc", "sort"], ["gpcl: there is no command benhc; did you mean bench?"]),
            (["cumsum", "a"], ["did you mean scan?"]),
            (["help"], ["did you mean --help?"]),
            (["reduce", "a", "--op", "sum"], ["did you mean add?"]),
            (["bench", "sort", "--dtype", "float"], ["did you mean float32?"]),
            (["bench", "sort", "--dtype", "u8"], ["did you mean uint64?"]),
            (["bench", "sort", "--dtype", "Int16"], ["did you mean int16?"]),
            (["matmul", "a", "b", "c", "--semiring", "tropical"], ["did you mean min-plus?"]),
            (["--descending"], ["there is no option --descending"]),
            ([], ["a command is missing: info, selftest, demo"]),
            (["sort", "--descendign", "a", "b"], ["gpcl sort: there is no option --descendign; did you mean --descending?"]),
            (["sort", "a", "b", "c.npy"], ["gpcl sort: c.npy is one argument too many"]),
            (["sort", "a", "b", "--values"], ["gpcl sort: --values has no value"]),
            (["scan", "a", "b", "--op", "mul"], ["--op: 'mul' is not add, multiply, minimum or maximum; did you mean multiply?"]),
            (["reduce", "a", "--op", "0"], ["--op: '0' is not add, multiply"]),
            (["matmul", "a", "b", "c", "--semiring", "minplus"], ["did you mean min-plus?"]),
            (["argsort", "a", "b", "--index", "int64"], ["'int64' is not uint32 or uint64; did you mean uint64?"]),
            (["bench", "srt"], ["OP: 'srt' is not matmul, min-plus", "did you mean sort?"]),
            (["bench", "sort", "--distribution", "zip"], ["did you mean zipf?"]),
            (["bench", "scan", "--dtype", "zzz"], ["'zzz' is not int8, int16", "float64"]),
            (["bench", "scan", "--repeat", "-1"], ["--repeat: '-1' is not a size"]),
            (["bench", "scan", "--n", "many"], ["--n: 'many' is not a size"]),
            (["selftest", "--max-n", "-1"], ["--max-n: '-1' is not a size"]),
            (["demo", "--keys", "1.5"], ["--keys: '1.5' is not a size"]),
            (["histogram", "a", "--bins", "-1"], ["--bins: '-1' is not a size"]),
            (["tune", "matmul", "--seconds", "0"], ["--seconds: '0' is not a number above 0"])]:
        status, out, err = gpcl(*arguments)
        assert status == 2 and out == "" and len(err.splitlines()) == 2 and "Run with --help" in err, (arguments, err)
        assert all(text in err for text in says), (arguments, err)
        assert says[-1].endswith("?") or "did you mean" not in err, (arguments, err)
        assert not any(internal in err for internal in ["FAILED", "->", "INT", "not in range"]), (arguments, err)
    assert gpcl("zzz")[2].splitlines()[0] == "gpcl: there is no command zzz"


@test
def unknown_algorithms_and_devices_have_near_ones():
    np.save("in.npy", np.arange(3))
    np.save("f.npy", np.ones(3, "f4"))
    for arguments, says in [
            (["sort", "in.npy", "o.npy", "--algorithm", "radix-tile"], "did you mean radix-tiles?"),
            (["argsort", "in.npy", "o.npy", "--algorithm", "onsweep"], "did you mean onesweep?"),
            (["bench", "scan", "--algorithm", "default,lok-back", "--n", 10], "did you mean look-back?"),
            (["recurrence", "f.npy", "o.npy", "--varying", "f.npy", "--algorithm", "hots"], "did you mean host?"),
            (["tune", "matmul", "--algorithm", "naiv", "--n", 10], "no algorithm with parameters"),
            (["sort", "in.npy", "o.npy", "--device", "GPUU"], "did you mean gpu?"),
            (["info", "--device", "hots"], "did you mean host?"),
            (["selftest", "--only", "srot"], "did you mean sort?")]:
        status, _, err = gpcl(*arguments)
        assert status == 1 and says in err and len(err.splitlines()) == 1, (arguments, err)
    bad("sort", "in.npy", "o.npy", "--algorithm", "nothing-like-that", says="is unknown; there are: ")
    assert "did you mean" not in gpcl("sort", "in.npy", "o.npy", "--algorithm", "nothing-like-that")[2]
    assert "did you mean cpu?" in gpcl("reduce", "in.npy", GPCL_DEVICE="cppu")[2]


@test
def completion_knows_commands_options_and_their_names():
    if not shutil.which("bash"):
        raise Skip("no bash")
    for words, expected in [(["so"], ["sort", "sort-by"]), (["sort", "--desc"], ["--descending"]), (["scan", "--op", "m"], ["multiply",
                            "minimum", "maximum"]), (["sort", "--algorithm", "onesw"], ["onesweep"]), (["info", "--device",
                            "ho"], ["host"]), (["bench", "scan", "--dtype", "int"], ["int8", "int16", "int32", "int64"])]:
        script = (f'source {ROOT}/bindings/cli/gpcl.bash; COMP_WORDS=(gpcl {" ".join(words)}); COMP_CWORD={len(words)};'
                  f'_gpcl {COMMAND} {words[-1]} {words[-2] if len(words) > 1 else "gpcl"}; echo "${{COMPREPLY[@]}}"')
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
        assert done.stdout.split() == expected, (words, done)


def piped(*arguments, data=b"", **options):
    """Runs the command with these bytes on standard input; returns status, standard output, standard error."""
    done = subprocess.run([COMMAND, *arguments], input=data, stderr=subprocess.PIPE, timeout=280 * PATIENCE,
                          **{"stdout": subprocess.PIPE, **options})
    return done.returncode, done.stdout, done.stderr.decode()


@test
def standard_input_and_output():
    keys = save("in.npy", random.integers(-100, 100, 1001).astype("i4"))
    there = Path("in.npy").read_bytes()
    status, out, err = piped("sort", "-", "-", data=there)
    assert status == 0 and err == "", err
    assert np.load(io.BytesIO(out)).tolist() == np.sort(keys).tolist()
    status, out, err = piped("scan", "-", "sums.npy", data=out)
    assert status == 0 and out == b"", err
    equal("sums.npy", np.cumsum(np.sort(keys), dtype="i4"))
    assert piped("reduce", "-", data=there)[1].strip() == str(keys.sum()).encode()
    status, out, err = piped("argsort", "in.npy", "-")
    assert status == 0 and np.array_equal(np.load(io.BytesIO(out)), np.argsort(keys, kind="stable")), err


@test
def standard_streams_that_do_not_serve():
    whole = save("in.npy", np.arange(100, dtype="f4"))
    there = Path("in.npy").read_bytes()
    save("square.npy", np.ones((3, 3), "f4"))
    square = Path("square.npy").read_bytes()
    for arguments, data, says in [
            (["sort", "-", "-"], b"", "standard input: is not a .npy file"),
            (["sort", "-", "-"], there[:-1], "is truncated: shape (100,) of float32 takes 400 bytes, after the header come 399"),
            (["sort", "-", "-"], there + b"x", "is too long: shape (100,) of float32 takes 400 bytes, after the header come more"),
            (["sort", "-", "-"], there[:40], "is truncated: it ends within its header"),
            (["matmul", "-", "-", "out.npy"], square, "standard input holds one"),
            (["sort", "in.npy", "-", "--values", "in.npy", "--values-out", "-"], b"", "standard output takes one")]:
        before = contents()
        status, out, err = piped(*arguments, data=data)
        assert status == 1 and out == b"" and says in err and len(err.splitlines()) == 1, (arguments, status, out, err)
        assert contents() == before
    huge = header("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }", data=b"1234")
    assert "is truncated" in piped("sort", "-", "-", data=huge)[2]  # and took no such memory
    terminal, end = os.openpty()
    status, _, err = piped("sort", "in.npy", "-", stdout=end)
    assert status == 1 and "is a terminal" in err, err
    os.close(terminal), os.close(end)
    with open("/dev/full", "w") as full:
        status, _, err = piped("sort", "in.npy", "-", stdout=full)
    assert status == 1 and "can't be written" in err and np.array_equal(np.load("in.npy"), whole), err


class Terminal:
    """The command with standard error on a terminal of these columns."""

    def __init__(self, *arguments, columns=80, **options):
        self.end, own = os.openpty()
        fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm", **options.pop("environment", {})}
        self.process = subprocess.Popen([COMMAND, *map(str, arguments)], stderr=own, env=environment, **options)
        os.close(own)
        self.shown = b""

    def wait_for(self, text):
        while text not in self.shown:
            self.shown += os.read(self.end, 1000)  # an error where the command has ended

    def finish(self):
        """The exit status; the rest of what was shown is in `shown`."""
        while True:
            try:
                piece = os.read(self.end, 1000)
            except OSError:  # the command has ended
                break
            if not piece:
                break
            self.shown += piece
        os.close(self.end)
        return self.process.wait(timeout=280 * PATIENCE)


@test
def progress_of_long_commands_on_a_terminal():
    """Here of a command whose input comes late: only once its line has been seen."""
    save("in.npy", np.arange(1000, dtype="i4"))
    there = Path("in.npy").read_bytes()
    for columns in [80, 30]:
        run = Terminal("reduce", "-", columns=columns, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        run.process.stdin.write(there[:500])
        run.process.stdin.flush()
        run.wait_for(b"reading standard input, 0 % ... " if columns == 80 else b"reading standard inpu ... ")
        run.process.stdin.write(there[500:])
        run.process.stdin.close()
        assert run.finish() == 0 and run.process.stdout.read() == b"499500\n", run.shown
        lines = run.shown.split(b"\r\x1b[K")
        assert lines[0] == lines[-1] == b"", run.shown  # nothing before the first, nothing left after the last
        assert all(len(line) < columns and b"\n" not in line for line in lines), run.shown


@test
def progress_of_measurements_on_a_terminal():
    run = Terminal("bench", "scan", "--n", "2^16", "--repeat", 10**7, "--json", stdout=subprocess.DEVNULL)
    run.wait_for(b"scan default, n = 65536 ... ")
    run.process.send_signal(signal.SIGINT)
    assert run.finish() == 130 and run.shown.endswith(b"\r\x1b[K"), run.shown


@test
def no_progress_where_there_is_no_terminal():
    save("in.npy", np.arange(1000, dtype="i4"))
    there = Path("in.npy").read_bytes()
    patience = 2.5  # seconds in which a line would have come
    process = subprocess.Popen([COMMAND, "reduce", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    dumb = Terminal("reduce", "-", environment={"TERM": "dumb"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    time.sleep(patience)
    assert process.communicate(there) == (b"499500\n", b"")
    assert dumb.process.communicate(there)[0] == b"499500\n" and dumb.finish() == 0 and dumb.shown == b"", dumb.shown


@test
def full_standard_output_is_a_failure():
    with open("/dev/full", "w") as full:
        assert subprocess.run([COMMAND, "info"], stdout=full, stderr=subprocess.DEVNULL).returncode == 1


@test
def unknown_device_lists_those_there_are():
    np.save("in.npy", np.arange(3))
    bad("sort", "in.npy", "out.npy", "--device", "no such device", says=["no such device", "host"], lines=None)


# ---- operations on good input --------------------------------------------------------------------


@test
def sort_all_types():
    for dtype in some(INTEGERS + ["f4", "f8"]):
        for n in [0, 1, 33, 5000]:
            for flags in [[], ["--descending"]]:
                array = save("in.npy", keys(dtype, n))
                good("sort", "in.npy", "out.npy", *flags)
                equal("out.npy", array[order(array, bool(flags))])


@test
def sort_with_values():
    array = save("in.npy", keys("i2", 4000))
    for values in [np.arange(4000, dtype="f2"), random.random((4000, 3)), random.integers(0, 9, (4000, 2, 3), dtype="u1")]:
        save("values.npy", values)
        good("sort", "in.npy", "out.npy", "--values", "values.npy", "--values-out", "moved.npy")
        equal("out.npy", np.sort(array))
        equal("moved.npy", values[order(array, False)])


@test
def sort_along_an_axis():
    for shape in [(40, 7), (1, 5), (5, 1), (3, 4, 6), (0, 3), (3, 0), (50,)]:
        array = save("in.npy", random.integers(-9, 9, shape, dtype="i4"))
        for axis in (0, -1, len(shape) - 1):
            good("sort", "in.npy", "out.npy", f"--axis={axis}")
            equal("out.npy", np.sort(array, axis))
            good("argsort", "in.npy", "out.npy", f"--axis={axis}")
            equal("out.npy", np.argsort(array, axis, kind="stable").astype("u4"))
    save("in.npy", np.zeros((3, 4, 5), "i4"))
    for axis in ("1", "3", "-4"):
        bad("sort", "in.npy", "out.npy", f"--axis={axis}", says=["in.npy", "axis"])
    save("values.npy", np.zeros(3, "i4"))
    bad("sort", "in.npy", "out.npy", "--axis=0", "--values", "values.npy", "--values-out", "moved.npy", says=["one dimension"])


@test
def sort_onto_the_same_name():
    array = save("same.npy", keys("u4", 1000))
    good("sort", "same.npy", "same.npy")
    equal("same.npy", np.sort(array))


@test
def sort_through_a_link_keeps_the_link():
    array = save("in.npy", keys("u4", 100))
    save("target.npy", array)
    os.symlink("target.npy", "link.npy")
    good("sort", "in.npy", "link.npy")
    assert os.path.islink("link.npy")
    equal("target.npy", np.sort(array))
    os.symlink("later.npy", "first.npy")
    os.symlink(Path("first.npy").absolute(), "second.npy")
    good("sort", "in.npy", "second.npy")
    assert os.path.islink("second.npy") and os.path.islink("first.npy")
    equal("later.npy", np.sort(array))


@test
def sort_of_segments():
    array = keys("i4", 1000)
    save("in.npy", array)
    offsets = [10, 10, 300, 777, 990]
    for dtype in ["i8", "u4", "u2"]:
        save("offsets.npy", np.array(offsets, dtype))
        expected, places = array.copy(), np.zeros(array.size, "u4")
        for begin, end in zip(offsets[:-1], offsets[1:]):
            expected[begin:end] = np.sort(array[begin:end])
            places[begin:end] = np.argsort(array[begin:end], kind="stable")
        good("sort", "in.npy", "out.npy", "--segments", "offsets.npy")
        equal("out.npy", expected)
        good("argsort", "in.npy", "out.npy", "--segments", "offsets.npy")
        equal("out.npy", places)
    values = save("values.npy", np.arange(1000))
    good("sort", "in.npy", "out.npy", "--segments", "offsets.npy", "--values", "values.npy", "--values-out", "moved.npy")
    equal("moved.npy", np.concatenate([values[:10]] + [begin + np.argsort(array[begin:end], kind="stable") for begin, end in
                                                       zip(offsets[:-1], offsets[1:])] + [values[990:]]))
    for wrong, says in [([0, 5, 3], ["offsets[2] is 3"]), ([0, 2000], ["2000"]), ([-1, 5], ["-1"]),
                        ([0.0, 5.0], ["offsets.npy", "integers"]), ([[0, 5]], ["offsets.npy", "one dimension"]),
                        (np.zeros(0, "i4"), ["offsets.npy", "empty"])]:
        save("offsets.npy", np.array(wrong))
        bad("sort", "in.npy", "out.npy", "--segments", "offsets.npy", says=says)
    bad("sort", "in.npy", "out.npy", "--segments", "offsets.npy", "--axis=0", says="", status=2, lines=None)


@test
def merge_many_arrays():
    for dtype in ["i4", "f2", "f8"]:
        for flags in [[], ["--descending"]]:
            parts = [keys(dtype, n) for n in (300, 0, 1001, 7, 20)]
            parts = [part[order(part, bool(flags))] for part in parts]
            names = [f"part{i}.npy" for i in range(len(parts))]
            for name, part in zip(names, parts):
                save(name, part)
            good("merge", *names, "out.npy", *flags)
            whole = np.concatenate(parts)
            equal("out.npy", whole[order(whole, bool(flags))])
    save("part3.npy", np.arange(3)[::-1])
    bad("merge", *names, "out.npy", says="part3.npy: holds int64; expected float64, as in part0.npy")
    save("part3.npy", np.arange(3.0))
    bad("merge", *names, "out.npy", "--descending", says=["part3.npy", "is not sorted", "element 1"])
    for files in [["part0.npy"], ["part0.npy", "out.npy"]]:
        bad("merge", *files, says=[f"FILES: got {len(files)}, expected 3 or more", "A B ... OUT"], status=2, lines=None)


@test
def merge_two_arrays():
    for dtype in ["i4", "f2", "f8"]:
        for flags in [[], ["--descending"]]:
            a, b = keys(dtype, 3000), keys(dtype, 1001)
            a, b = a[order(a, bool(flags))], b[order(b, bool(flags))]
            save("a.npy", a)
            save("b.npy", b)
            good("merge", "a.npy", "b.npy", "out.npy", *flags)
            both = np.concatenate([a, b])
            equal("out.npy", both[order(both, bool(flags))])
    save("b.npy", np.arange(3, dtype="i2"))
    bad("merge", "a.npy", "b.npy", "out.npy", says="expected float64")
    for a, b, wrong, flags in [([1, 3, 2], [1, 2], ["a.npy", "element 2"], []), ([1, 2], [2, 1], ["b.npy", "element 1"], []),
                               ([2, 1], [1, 2], ["b.npy", "from large to small", "element 1"], ["--descending"])]:
        save("a.npy", np.array(a, "i4"))
        save("b.npy", np.array(b, "i4"))
        bad("merge", "a.npy", "b.npy", "out.npy", *flags, says=["is not sorted", *wrong])


@test
def sort_by_a_comparison():
    array = keys("i4", 3000)
    save("in.npy", array)
    if device()["kind"] == "host":
        bad("sort-by", "in.npy", "out.npy", "--comes-before", "a > b", says="OpenCL")
        return
    good("sort-by", "in.npy", "out.npy", "--comes-before", "a > b")
    equal("out.npy", np.sort(array)[::-1])
    rows = np.stack([keys("i4", 500) % 9, np.arange(500, dtype="i4")], axis=1)
    save("in.npy", rows)
    good("sort-by", "in.npy", "out.npy", "--comes-before", "first(a) < first(b)", "--helpers",
         "int first(gp_element row) { return row.at[0]; }")
    equal("out.npy", rows[np.argsort(rows[:, 0], kind="stable")])
    bad("sort-by", "in.npy", "out.npy", "--comes-before", "a < ", says="error", lines=None)
    halves = save("in.npy", keys("f2", 30))
    if device()["float16"]:
        good("sort-by", "in.npy", "out.npy", "--comes-before", "0")
        equal("out.npy", halves)
    else:
        bad("sort-by", "in.npy", "out.npy", "--comes-before", "a < b", says=["in.npy", "float16", "float32"])
    save("in.npy", np.zeros((3, 40), "i4"))
    bad("sort-by", "in.npy", "out.npy", "--comes-before", "0", says="element_size is 160; expected 1 to 64")


@test
def own_expression():
    a, b = save("a.npy", keys("i4", 3000).reshape(30, 100)), save("b.npy", keys("f4", 3000).reshape(30, 100))
    if device()["kind"] == "host":
        bad("transform", "x0", "a.npy", "out.npy", says="OpenCL")
        return
    good("transform", "x0 > 7 ? x0 : (int)i", "a.npy", "out.npy")
    equal("out.npy", np.where(a > 7, a, np.arange(3000, dtype="i4").reshape(30, 100)))
    save("one.npy", np.array(3, "i2"))
    good("transform", "twice(x0 / 1024) + x1 * x2", "one.npy", "b.npy", "one.npy", "out.npy", "--dtype", "float32", "--helpers",
         "int twice(int x) { return 2 * x; }")
    equal("out.npy", b * np.float32(3))
    bad("transform", "x0 +", "a.npy", "out.npy", says="error", lines=None)
    save("b.npy", b[1:])
    bad("transform", "x0 + x1", "a.npy", "b.npy", "out.npy", says=["b.npy", "shape"])
    bad("transform", "x0", *9 * ["a.npy"], "out.npy", says="at most 8")


@test
def differences_of_neighbours():
    array = save("in.npy", keys("i4", 3000) % 1000)
    good("difference", "in.npy", "out.npy")
    equal("out.npy", np.diff(array))
    good("difference", "in.npy", "out.npy", "--keep-first")
    equal("out.npy", np.diff(array, prepend=np.int32(0)))
    rows = save("in.npy", array.reshape(30, 100))
    for axis in ["0", "1"]:
        good("difference", "in.npy", "out.npy", "--axis", axis)
        equal("out.npy", np.diff(rows, axis=int(axis)))
    bad("difference", "in.npy", "out.npy", says="without --axis")
    operator = ["difference", "in.npy", "out.npy", "--axis", "1", "--operator", "a == b"]
    if device()["kind"] == "host":
        bad(*operator, says="OpenCL")
    else:
        good(*operator)
        equal("out.npy", (rows[:, 1:] == rows[:, :-1]).astype("i4"))


@test
def argsort_both_index_types():
    for dtype in ["i4", "u1", "f8"]:
        array = save("in.npy", keys(dtype, 3000))
        for index in ["uint32", "uint64"]:
            for flags in [[], ["--descending"]]:
                good("argsort", "in.npy", "out.npy", "--index", index, *flags)
                equal("out.npy", order(array, bool(flags)).astype(index))


@test
def scan_operators_and_directions():
    functions = {"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum}
    for dtype in some(PREFIX_TYPES):
        if needs_float64(dtype):
            continue
        array = save("in.npy", random.integers(1, 9, 3000).astype(dtype))
        for name, function in functions.items():
            if name == "multiply" and dtype.startswith("f"):
                array = save("in.npy", np.where(np.arange(3000) % 2, 0.5, 2).astype(dtype))
            good("scan", "in.npy", "out.npy", "--op", name)
            equal("out.npy", function.accumulate(array, dtype=dtype))
            good("scan", "in.npy", "out.npy", "--op", name, "--reverse", "--exclusive")
            turned = function.accumulate(array[::-1], dtype=dtype)[::-1]
            equal_but_last = np.load("out.npy")
            np.testing.assert_array_equal(equal_but_last[:-1], turned[1:])
            if name == "add":
                assert equal_but_last[-1] == 0


@test
def scan_of_nothing():
    save("in.npy", np.zeros(0, "f4"))
    good("scan", "in.npy", "out.npy")
    equal("out.npy", np.zeros(0, "f4"))


@test
def place_of_an_element():
    array = save("in.npy", keys("i4", 3000))
    assert good("arg-reduce", "in.npy").split() == [str(array.argmin()), str(array.min())]
    good("arg-reduce", "in.npy", "out.npy", "--op", "maximum")
    assert np.load("out.npy") == array.argmax()
    save("empty.npy", array[:0])
    bad("arg-reduce", "empty.npy", says="at least one element")
    bad("arg-reduce", "in.npy", "--op", "add", status=2, lines=None, says="minimum")


@test
def first_elements():
    array = save("in.npy", keys("i4", 3000))
    order = np.argsort(-array.astype("i8"), kind="stable")
    assert good("top-k", "in.npy", "--k", "3").split() == [str(x) for i in order[:3] for x in (i, array[i])]
    good("top-k", "in.npy", "out.npy", "--k", "100", "--smallest", "--values", "values.npy")
    places = np.argsort(array, kind="stable")[:100]
    assert (np.load("out.npy") == places).all()
    assert (np.load("values.npy") == array[places]).all()
    bad("top-k", "in.npy", "--k", "3001", says="at most n, which is 3000")
    for n in (0, 1, 9, 10, 11):
        array = save("in.npy", np.arange(n, dtype="i4"))
        assert good("top-k", "in.npy").split() == [str(x) for i in range(n)[::-1][:10] for x in (i, array[i])]
    bad("top-k", "in.npy", "--k", "12", says="at most n, which is 11")


@test
def elements_of_float16_are_printed():
    array = save("in.npy", np.array([1.5, -0.0, 65504, 0.1, 5.9604645e-08, 6.097555e-05, -2, np.inf, np.nan], "f2"))
    for flags in ([], ["--smallest"]):
        words = good("top-k", "in.npy", "--k", "9", *flags).split()
        np.testing.assert_array_equal(np.array(words[1::2], "f4"), array[np.array(words[::2], "i4")].astype("f4"))
    array = save("in.npy", array[:7])
    assert good("arg-reduce", "in.npy") == "6 -2\n" and good("arg-reduce", "in.npy", "--op", "maximum") == "2 65504\n"
    save("in.npy", array[3:6])
    position, element = good("arg-reduce", "in.npy").split()
    assert position == "1" and np.float32(element) == np.float32(5.9604645e-08)


def unsorted(*arguments):
    """What is-sorted says of an array that is not sorted, in its order, with the exit status 1."""
    status, out, err = gpcl("is-sorted", *arguments)
    assert status == 1 and err == "" and out.startswith("not sorted: element "), (status, out, err)
    return int(out.split()[3])


@test
def movement():
    array = save("in.npy", keys("f4", 600).reshape(20, 6, 5))
    positions = save("positions.npy", np.array([[3, 0], [19, 3]], "i4"))
    good("gather", "in.npy", "positions.npy", "out.npy")
    equal("out.npy", array[positions])
    good("transpose", "in.npy", "out.npy")
    equal("out.npy", np.ascontiguousarray(np.swapaxes(array, 1, 2)))
    save("positions.npy", np.array([1, -2], "i8"))
    bad("gather", "in.npy", "positions.npy", "out.npy", says="positions[1] is -2; expected 0 to 19")
    good("gather", "in.npy", "positions.npy", "out.npy", "--from-end")
    equal("out.npy", array[[1, -2]])
    bad("gather", "in.npy", "in.npy", "out.npy", says="float32")
    save("vector.npy", np.arange(3))
    bad("transpose", "vector.npy", "out.npy", says="two dimensions")


@test
def places_in_a_sorted_array():
    array = np.sort(save("in.npy", keys("i4", 3000)))
    values = save("values.npy", keys("i4", 500).reshape(50, 10))
    assert unsorted("in.npy") == 1 + np.flatnonzero(np.diff(np.load("in.npy").astype("i8")) < 0)[0]
    save("in.npy", array)
    assert good("is-sorted", "in.npy") == "sorted\n"
    for side in ("left", "right"):
        good("search", "in.npy", "values.npy", "out.npy", "--side", side)
        equal("out.npy", np.searchsorted(array, values, side).astype("u8"))
    save("equal.npy", np.array([3, 3], "i4"))
    assert unsorted("equal.npy", "--strict") == 1
    assert gpcl("is-sorted", "missing.npy")[:2] == (1, "")
    save("reals.npy", values.astype("f4"))
    bad("search", "in.npy", "reals.npy", "out.npy", says="float32")


@test
def runs():
    array = save("in.npy", np.repeat(keys("i4", 1000) % 5, 3))
    x = save("x.npy", keys("i4", 3000) % 100)
    firsts = np.flatnonzero(np.concatenate(([True], array[1:] != array[:-1])))
    good("run-lengths", "in.npy", "values.npy", "lengths.npy", "--firsts", "firsts.npy")
    equal("values.npy", array[firsts])
    equal("lengths.npy", np.diff(np.append(firsts, 3000)).astype("u8"))
    equal("firsts.npy", firsts.astype("u8"))
    bad("run-lengths", "in.npy", "out.npy", "out.npy", says="both values and lengths")
    found = ["values.npy", "--index", "index.npy", "--inverse", "inverse.npy", "--counts", "counts.npy"]
    for name, *flags in [("in.npy",), ("ordered.npy", "--sorted")]:
        save("ordered.npy", np.sort(array))
        values, *others = np.unique(np.load(name), True, True, True)
        good("unique", name, *found, *flags)
        equal("values.npy", values)
        for other, file in zip(others, found[2::2]):
            equal(file, other.reshape(-1).astype("u8"))
    good("unique", "in.npy", "values.npy")
    bad("unique", "in.npy", "out.npy", "--counts", "out.npy", says="out.npy")
    good("reduce-by-key", "in.npy", "x.npy", "keys.npy", "out.npy")
    equal("keys.npy", array[firsts])
    equal("out.npy", np.add.reduceat(x, firsts).astype("i4"))
    good("reduce-by-key", "in.npy", "x.npy", "keys.npy", "out.npy", "--op", "maximum", "--any-order")
    equal("keys.npy", np.unique(array))
    equal("out.npy", np.array([x[array == each].max() for each in np.unique(array)]))
    save("few.npy", x[:5])
    bad("reduce-by-key", "in.npy", "few.npy", "keys.npy", "out.npy", says="few.npy")
    sums = np.concatenate([np.cumsum(each) for each in np.split(x, firsts[1:])])
    good("scan-by-key", "in.npy", "x.npy", "out.npy")
    equal("out.npy", sums.astype("i4"))
    good("scan-by-key", "in.npy", "x.npy", "out.npy", "--exclusive", "--initial", "5")
    equal("out.npy", (sums - x + 5).astype("i4"))
    bad("scan-by-key", "in.npy", "few.npy", "out.npy", says="few.npy")
    good("run-lengths", "in.npy", "values.npy", "lengths.npy")
    good("repeat", "values.npy", "lengths.npy", "out.npy")
    equal("out.npy", array)
    flags = (array % 4).astype("u1")
    save("flags.npy", flags)
    good("select", "in.npy", "out.npy", "--flags", "flags.npy")
    equal("out.npy", array[flags != 0])
    good("partition", "in.npy", "out.npy", "--flags", "flags.npy", "--counts", "counts.npy")
    equal("out.npy", np.append(array[flags != 0], array[flags == 0]))
    equal("counts.npy", np.uint64([np.count_nonzero(flags)]))
    good("partition", "in.npy", "out.npy", "--flags", "flags.npy", "--parts", "3", "--counts", "counts.npy")
    equal("out.npy", np.concatenate([array[flags == 1], array[flags == 2], array[flags % 3 == 0]]))
    equal("counts.npy", np.uint64([np.count_nonzero(flags == 1), np.count_nonzero(flags % 3)]))
    if device()["kind"] != "host":
        good("select", "in.npy", "out.npy", "--predicate", "x > 1")
        equal("out.npy", array[array > 1])
    good("nonzero", "flags.npy", "out.npy")
    equal("out.npy", np.flatnonzero(flags).astype("u8"))
    save("zeros.npy", np.float32([0, -0.0, np.nan, 1, 0]))
    good("nonzero", "zeros.npy", "out.npy")
    equal("out.npy", np.uint64([2, 3]))
    save("square.npy", np.eye(3, dtype="f4"))
    bad("nonzero", "square.npy", "out.npy", says="nonzero takes arrays of one dimension")
    if device()["kind"] != "host":
        good("nonzero", "in.npy", "out.npy", "--predicate", "x > 1")
        equal("out.npy", np.flatnonzero(array > 1).astype("u8"))
    bad("select", "in.npy", "out.npy", says="--flags or --predicate")
    bad("select", "in.npy", "out.npy", "--flags", "in.npy", says="flags are int8 or uint8")
    save("below.npy", np.int16([1, -2]))
    bad("repeat", "below.npy", "below.npy", "out.npy", says="element 1 is -2")
    bad("repeat", "in.npy", "few.npy", "out.npy", says="few.npy")


@test
def own_operator():
    array = save("in.npy", keys("i4", 3000))
    arguments = ["--operator", "max(a, b)", "--identity", "INT_MIN"]
    if device()["kind"] == "host":
        bad("scan", "in.npy", "out.npy", *arguments, says="host")
        return
    good("scan", "in.npy", "out.npy", *arguments)
    equal("out.npy", np.maximum.accumulate(array))
    assert int(good("reduce", "in.npy", *arguments)) == array.max()
    good("scan", "in.npy", "out.npy", "--operator", "larger(a, b)", "--identity", "INT_MIN", "--helpers",
         "T larger(T a, T b) { return a > b ? a : b; }")
    equal("out.npy", np.maximum.accumulate(array))


@test
def own_operator_that_does_not_build_shows_the_build_log():
    if device()["kind"] == "host":
        raise Skip("host has no OpenCL C")
    save("in.npy", keys("i4", 30))
    bad("scan", "in.npy", "out.npy", "--operator", "no_such_function(a, b)", "--identity", "0",
        says="no_such_function", lines=None)


@test
def scans_and_reductions_in_pieces():
    for dtype in first(1, some(PREFIX_TYPES)):
        if needs_float64(dtype):
            continue
        array = random.integers(0, 100, 5000).astype(dtype)
        pieces = np.split(array, [1, 1234, 1235, 4000, 4000])
        for reverse in [False, True]:
            arguments, results = ["--initial", "7"], []
            for piece in pieces[::-1] if reverse else pieces:
                save("in.npy", piece)
                good("scan", "in.npy", "out.npy", *arguments, "--final", "carry.npy", *["--reverse"] * reverse)
                results.append(np.load("out.npy"))
                arguments = ["--initial", "carry.npy"]
            whole = array[::-1].cumsum()[::-1] if reverse else array.cumsum()
            save("out.npy", np.concatenate(results[::-1] if reverse else results))
            equal("out.npy", (whole + 7).astype(dtype))
            equal("carry.npy", np.array(array.sum() + 7, dtype))
        save("total.npy", np.array(7, dtype))
        save("counts.npy", np.zeros(100, "u8"))
        for piece in pieces:
            save("in.npy", piece)
            good("reduce", "in.npy", "total.npy", "--accumulate")
            if np.dtype(dtype).kind != "f":
                good("histogram", "in.npy", "counts.npy", "--bins", "100", "--accumulate")
        equal("total.npy", np.array(array.sum() + 7, dtype))
        if np.dtype(dtype).kind != "f":
            equal("counts.npy", np.bincount(array.astype("i8"), minlength=100).astype("u8"))
    save("in.npy", np.arange(3, dtype="i4"))
    save("two.npy", np.arange(2, dtype="i4"))
    save("floats.npy", np.zeros(1, "f4"))
    bad("scan", "in.npy", "out.npy", "--initial", "two.npy", says=["two.npy", "(2,)", "1 of int32"])
    bad("scan", "in.npy", "out.npy", "--initial", "floats.npy", says=["floats.npy", "float32", "int32"])
    bad("scan", "in.npy", "out.npy", "--initial", "1,2", says="--initial")
    bad("scan", "in.npy", "out.npy", "--initial", "0.5", says="--initial")
    bad("scan", "in.npy", "out.npy", "--final", "out.npy", says="out.npy")
    bad("reduce", "in.npy", "nowhere.npy", "--accumulate", says="nowhere.npy")
    bad("reduce", "in.npy", "--accumulate", says="OUT", status=2, lines=None)
    bad("reduce", "in.npy", "two.npy", "--accumulate", says=["two.npy", "(2,)"])
    bad("histogram", "in.npy", "two.npy", "--bins", "2", "--accumulate", says=["two.npy", "int32", "uint64"])


@test
def reduce_prints_or_writes():
    for dtype in some(PREFIX_TYPES):
        if needs_float64(dtype):
            continue
        array = save("in.npy", random.integers(0, 100, 5000).astype(dtype))
        for name in ["sum", "min", "max"]:
            operator = {"sum": "add", "min": "minimum", "max": "maximum"}[name]
            expected = getattr(array, name)()
            assert float(good("reduce", "in.npy", "--op", operator)) == expected
            good("reduce", "in.npy", "out.npy", "--op", operator)
            equal("out.npy", np.array(expected, dtype))


@test
def reduce_prints_floats_that_read_back():
    array = save("in.npy", np.array([0.1], "f4"))
    assert np.float32(good("reduce", "in.npy")) == array[0]
    save("in.npy", np.zeros(0, "f4"))
    assert float(good("reduce", "in.npy", "--op", "minimum")) == np.inf


def product(a, b, semiring):
    a, b = a[..., :, :, None], b[..., None, :, :]
    if semiring == "plus-times":
        return (a * b).sum(-2, dtype=a.dtype)
    if semiring == "min-plus":
        return (a + b).min(-2)
    if semiring == "max-plus":
        return (a + b).max(-2)
    if semiring == "max-min":
        return np.minimum(a, b).max(-2)
    return ((a != 0) & (b != 0)).any(-2).astype(a.dtype)


@test
def paths_with_predecessors():
    for dtype in some(["f4", "f8", "i4", "i2"]):
        if needs_float64(dtype):
            continue
        none = np.inf if dtype[0] == "f" else np.iinfo(dtype).max
        save("in.npy", np.array([[0, 4, 9], [none, 0, 1], [none, none, 0]], dtype))
        good("paths", "in.npy", "out.npy", "--predecessors", "nodes.npy")
        equal("out.npy", np.array([[0, 4, 5], [none, 0, 1], [none, none, 0]], dtype))
        equal("nodes.npy", np.array([[-9999, 0, 1], [-9999, -9999, 1], [-9999] * 3], "i4"))
    save("in.npy", np.array([[0, 1], [-2, 0]], "f4"))
    bad("paths", "in.npy", "out.npy", says=["in.npy", "cycle of negative length"])
    save("in.npy", np.zeros((2, 3), "f4"))
    bad("paths", "in.npy", "out.npy", says=["in.npy", "square"])
    save("in.npy", np.zeros((2, 2), "f4"))
    bad("paths", "in.npy", "out.npy", "--predecessors", "out.npy", says="both lengths and predecessors")


@test
def matmul_types_semirings_transposes():
    for dtype in some(["f4", "f8", "f2", "i4"]):
        if needs_float64(dtype):
            continue
        a = random.integers(-2, 3, (17, 40)).astype(dtype)
        b = random.integers(-2, 3, (40, 9)).astype(dtype)
        save("a.npy", a)
        save("at.npy", a.T.copy())
        save("b.npy", b)
        save("bf.npy", np.asfortranarray(b))
        for semiring in ["plus-times", "min-plus", "max-plus", "max-min", "or-and"]:
            expected = product(a, b, semiring)
            good("matmul", "a.npy", "b.npy", "c.npy", "--semiring", semiring)
            equal("c.npy", expected)
            good("matmul", "at.npy", "bf.npy", "c.npy", "--semiring", semiring, "--transpose-a")
            equal("c.npy", expected)
        save("bt.npy", np.asfortranarray(b.T))
        good("matmul", "a.npy", "bt.npy", "c.npy", "--transpose-b", "--precision", "fast")
        equal("c.npy", product(a, b, "plus-times"))


@test
def matmul_batches():
    a = save("a.npy", random.integers(-9, 9, (4, 5, 6)).astype("i4"))
    b = save("b.npy", random.integers(-9, 9, (6, 7)).astype("i4"))
    good("matmul", "a.npy", "b.npy", "c.npy")
    equal("c.npy", a @ b)
    good("matmul", "a.npy", "a.npy", "c.npy", "--transpose-b")
    equal("c.npy", a @ a.transpose(0, 2, 1))


@test
def matmul_alpha_beta():
    a = save("a.npy", random.integers(-9, 9, (5, 6)).astype("f4"))
    b = save("b.npy", random.integers(-9, 9, (6, 7)).astype("f4"))
    c = save("old.npy", random.integers(-9, 9, (5, 7)).astype("f4"))
    good("matmul", "a.npy", "b.npy", "c.npy", "--alpha", "-2", "--beta", "0.5", "--c", "old.npy")
    equal("c.npy", -2 * (a @ b) + np.float32(0.5) * c)


@test
def matmul_bias_activation():
    a = save("a.npy", random.integers(-3, 4, (5, 6)).astype("f4"))
    b = save("b.npy", random.integers(-3, 4, (6, 7)).astype("f4"))
    columns = save("columns.npy", random.integers(-9, 9, 7).astype("f4"))
    rows = save("rows.npy", random.integers(-9, 9, 5).astype("f4"))
    good("matmul", "a.npy", "b.npy", "c.npy", "--bias", "columns.npy", "--activation", "relu")
    equal("c.npy", np.maximum(a @ b + columns, 0))
    good("matmul", "a.npy", "b.npy", "c.npy", "--bias", "rows.npy", "--bias-by", "row", "--low", "-3", "--high", "4.5")
    equal("c.npy", np.clip(a @ b + rows[:, None], -3, np.float32(4.5)))
    bad("matmul", "a.npy", "b.npy", "c.npy", "--bias", "rows.npy", says=["rows.npy", "7 numbers", "each column"])
    texts = ["--plus", "a + b", "--times", "difference(a, b)", "--zero", "0", "--one", "0", "--finish", "x + b", "--helpers",
             "T difference(T a, T b) { return fabs(a - b); }"]
    if device()["kind"] == "host":
        bad("matmul", "a.npy", "b.npy", "c.npy", *texts, says=["OpenCL C"])
        return
    good("matmul", "a.npy", "b.npy", "c.npy", *texts, "--bias", "columns.npy")
    equal("c.npy", np.abs(a[:, :, None] - b).sum(axis=1) + columns)


@test
def matmul_with_empty_sides():
    for m, k, n in [(0, 3, 2), (3, 0, 2), (3, 2, 0)]:
        save("a.npy", np.ones((m, k), "f4"))
        save("b.npy", np.ones((k, n), "f4"))
        good("matmul", "a.npy", "b.npy", "c.npy")
        equal("c.npy", np.full((m, n), k, "f4"))


@test
def histogram_prints_or_writes():
    for array in [random.integers(0, 256, 5000, dtype="u1"), np.full((20, 30), 255, "u1"), np.zeros(0, "u1")]:
        save("in.npy", array)
        counts = np.bincount(array.ravel(), minlength=256).astype("u8")
        good("histogram", "in.npy", "out.npy")
        equal("out.npy", counts)
        printed = [[int(word) for word in line.split()] for line in good("histogram", "in.npy").splitlines()]
        assert printed == [[value, count] for value, count in enumerate(counts) if count], printed


@test
def histograms_with_bins():
    for dtype in ["i2", "f4", "f8"]:
        x = save("in.npy", random.uniform(-2, 12, 5000).astype(dtype))
        good("histogram", "in.npy", "out.npy", "--bins", "7", "--range", "-1,9.5")
        equal("out.npy", np.histogram(x, 7, (-1, 9.5))[0].astype("u8"))
        good("histogram", "in.npy", "out.npy", "--edges", "0,1,1,5.5,8")
        equal("out.npy", np.histogram(x, [0, 1, 1, 5.5, 8])[0].astype("u8"))
    save("in.npy", np.array([3, -1, 2, 2, 9], "i8"))
    good("histogram", "in.npy", "out.npy", "--bins", "4")
    equal("out.npy", np.array([0, 0, 2, 1], "u8"))
    bad("histogram", "in.npy", "--bins", "4", "--range", "1", says="range")
    bad("histogram", "in.npy", says=["int64", "--bins"])
    for dtype in ["f2", "f4", "f8"]:
        save("floats.npy", np.zeros(3, dtype))
        for arguments in [[], ["--bins", "4"]]:
            bad("histogram", "floats.npy", *arguments, says=["floats.npy", np.dtype(dtype).name, "--range", "--edges"])
    bad("histogram", "in.npy", "--edges", "1", says="edges")


@test
def histograms_of_weights():
    x = save("in.npy", random.uniform(-2, 12, 5000).astype("f4"))
    for dtype in ["f4", "f8"]:
        weights = save("weights.npy", random.integers(-50, 50, 5000).astype(dtype) / 4)  # sums are exact
        good("histogram", "in.npy", "out.npy", "--bins", "7", "--range", "-1,9.5", "--weights", "weights.npy")
        expected = np.histogram(x, 7, (-1, 9.5), weights=weights)[0].astype(dtype)
        equal("out.npy", expected)
        printed = good("histogram", "in.npy", "--bins", "7", "--range", "-1,9.5", "--weights", "weights.npy").split()
        assert [float(word) for word in printed[1::2]] == [s for s in expected.tolist() if s], printed
    bad("histogram", "in.npy", "out.npy", "--edges", "0,1", "--weights", "in.npy", "--accumulate", says=["--accumulate"],
        status=2, lines=2)
    save("short.npy", np.zeros(3, "f4"))
    bad("histogram", "in.npy", "--edges", "0,1", "--weights", "short.npy", says=["short.npy", "(3,)"])
    save("whole.npy", np.zeros(5000, "i4"))
    bad("histogram", "in.npy", "--edges", "0,1", "--weights", "whole.npy", says=["whole.npy", "float32 or float64"])


@test
def histograms_of_pairs():
    x = save("x.npy", random.uniform(-2, 12, 3000).astype("f8"))
    y = save("y.npy", random.uniform(-2, 12, 3000).astype("f8"))
    weights = save("weights.npy", random.integers(-50, 50, 3000).astype("f4") / 4)
    good("histogram-2d", "x.npy", "y.npy", "out.npy", "--bins", "4,6", "--range-x", "0,10", "--range-y", "-1,11")
    expected = np.histogram2d(x, y, (4, 6), ((0, 10), (-1, 11)))[0]
    equal("out.npy", expected.astype("u8"))
    edges = ["--edges-x", "0,1,8", "--edges-y", "-1,3,3.5,20"]
    good("histogram-2d", "x.npy", "y.npy", "out.npy", *edges, "--weights", "weights.npy")
    equal("out.npy", np.histogram2d(x, y, ([0, 1, 8], [-1, 3, 3.5, 20]), weights=weights)[0].astype("f4"))
    printed = [[int(word) for word in line.split()] for line in good("histogram-2d", "x.npy", "y.npy", *edges).splitlines()]
    counts = np.histogram2d(x, y, ([0, 1, 8], [-1, 3, 3.5, 20]))[0].astype(int)
    assert printed == [[a, b, counts[a, b]] for a in range(2) for b in range(3) if counts[a, b]], printed
    for some_ in ([], ["--range-x", "0,1"], ["--edges-x", "0,1"]):
        bad("histogram-2d", "x.npy", "y.npy", *some_, status=2, lines=None, says=["--bins", "--edges-x"])
    bad("histogram-2d", "x.npy", "y.npy", "--bins", "3", says="10,20")
    bad("histogram-2d", "x.npy", "weights.npy", "--bins", "3,3", says=["weights.npy", "float32", "float64"])


@test
def recurrences():
    for dtype in ["f4", "f8"]:
        if needs_float64(dtype):
            continue
        for shape in [(3000,), (5, 400), (0,), (0, 4), (3, 0)]:
            x = save("in.npy", random.integers(-9, 9, shape).astype(dtype))
            expected, past = x.copy(), np.array([[2], [1]] if len(shape) == 2 else [2, 1], dtype)
            before, last = past[1], past[0]
            for t in range(shape[-1]): # the answer to a 1 repeats after 6 elements
                expected[..., t] = x[..., t] + last - before
                before, last = last, expected[..., t].copy()
            good("recurrence", "in.npy", "out.npy", "--coefficients", "1,-1", "--initial", "2,1")
            equal("out.npy", expected)
        x = random.integers(-9, 9, (3, 500)).astype(dtype)
        save("in.npy", x)
        good("recurrence", "in.npy", "whole.npy", "--coefficients", "1,-1", "--initial", "2,1", "--final", "end.npy")
        results, arguments = [], ["--initial", "2,1"]
        for piece in np.split(x, [1, 200], axis=1):
            save("in.npy", np.ascontiguousarray(piece))
            good("recurrence", "in.npy", "out.npy", "--coefficients", "1,-1", *arguments, "--final", "state.npy")
            results.append(np.load("out.npy"))
            arguments = ["--initial", "state.npy"]
        equal("whole.npy", np.hstack(results))
        equal("end.npy", np.load("state.npy"))
        equal("end.npy", np.load("whole.npy")[:, :-3:-1])
        save("in.npy", np.zeros(10, dtype))
        good("recurrence", "in.npy", "out.npy", "--coefficients", "-0.5", "--initial", "1")
        equal("out.npy", ((-0.5) ** np.arange(1, 11)).astype(dtype))
        good("recurrence", "in.npy", "out.npy", "--coefficients", "-0.5", "--initial", "1", "--reverse")
        equal("out.npy", ((-0.5) ** np.arange(10, 0, -1)).astype(dtype))


@test
def recurrences_that_vary():
    for dtype in ["f4", "f8"]:
        if needs_float64(dtype):
            continue
        for shape in [(3000,), (5, 400), (0,), (0, 4), (3, 0)]:
            x = save("in.npy", random.integers(-9, 9, shape).astype(dtype))
            for of_row in [False, True]:
                a = save("a.npy", random.integers(-1, 2, shape[-1:] if of_row else shape).astype(dtype))
                expected, last = x.copy(), 3
                for t in range(shape[-1]):
                    expected[..., t] = last = x[..., t] + a[..., t] * last
                good("recurrence", "in.npy", "out.npy", "--varying", "a.npy", "--initial", "3")
                equal("out.npy", expected)
    save("in.npy", np.zeros(4, "f4"))
    save("a.npy", np.full(4, 2, "f4"))
    good("recurrence", "in.npy", "out.npy", "--varying", "a.npy", "--initial", "1", "--reverse")
    equal("out.npy", np.array([16, 8, 4, 2], "f4"))


@test
def recurrences_that_do_not_fit():
    save("in.npy", np.zeros(10, "f4"))
    for coefficients in ["1,,2", "x", "1,", ""]:
        bad("recurrence", "in.npy", "out.npy", "--coefficients=" + coefficients, says="coefficients", lines=None,
            status=2 if coefficients == "" else 1)
    bad("recurrence", "in.npy", "out.npy", "--coefficients", ",".join(9 * "1"), says="order")
    bad("recurrence", "in.npy", "out.npy", "--coefficients", "1,1", "--initial", "1", says=["initial", "1 numbers"])
    bad("recurrence", "in.npy", "out.npy", says="coefficients", status=2, lines=None)
    save("a.npy", np.zeros(10, "f4"))
    bad("recurrence", "in.npy", "out.npy", "--coefficients", "1", "--varying", "a.npy", says="varying", status=2, lines=None)
    bad("recurrence", "in.npy", "out.npy", "--varying", "a.npy", "--initial", "1,2", says=["initial", "2 numbers"])
    bad("recurrence", "in.npy", "a.npy", "--varying", "nowhere.npy", says="nowhere.npy")
    for other in [np.zeros(9, "f4"), np.zeros(10, "f8"), np.zeros((2, 10), "f4")]:
        save("a.npy", other)
        bad("recurrence", "in.npy", "out.npy", "--varying", "a.npy", says=["a.npy", other.dtype.name, str(other.shape)])
    save("in.npy", np.zeros(10, "i4"))
    bad("recurrence", "in.npy", "out.npy", "--coefficients", "1", says="int32")
    bad("histogram", "in.npy", "out.npy", says=["int32", "--bins"])
    save("in.npy", np.zeros((2, 2, 2), "f4"))
    bad("recurrence", "in.npy", "out.npy", "--coefficients", "1", says="(2, 2, 2)")


@test
def every_algorithm_by_name():
    array = save("in.npy", keys("u4", 2000))
    kind = "host" if device()["kind"] == "host" else "opencl"
    used = 0
    for algorithm in DEVICE["algorithms"]["sort"]:
        if algorithm["on"] != kind:
            continue
        status, _, err = gpcl("sort", "in.npy", "out.npy", "--algorithm", algorithm["name"])
        if status:
            assert algorithm["name"] in err, err
            continue
        equal("out.npy", np.sort(array))
        used += 1
    assert used > 0
    bad("sort", "in.npy", "new.npy", "--algorithm", "bogo", says="bogo")


@test
def times_on_demand():
    save("in.npy", keys("u4", 2000))
    status, out, err = gpcl("sort", "in.npy", "out.npy", "--time")
    assert status == 0 and out == "" and "upload" in err and "run" in err and "download" in err, err


@test
def header_versions():
    array = keys("i4", 50)
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open("in.npy", "wb") as file:
            np.lib.format.write_array(file, array, version=version)
        good("sort", "in.npy", "out.npy")
        equal("out.npy", np.sort(array))


@test
def headers_of_other_writers():
    data = np.array([3, 1, 2], "<i4").tobytes()
    for text in ['{"shape":(3,),"fortran_order":False,"descr":"<i4"}', "{'shape': (3),'descr': '<i4', 'fortran_order': False, }  ",
                 "{'fortran_order': True, 'descr': '<i4', 'shape': (3,)}"]:
        Path("in.npy").write_bytes(header(text, data=data))
        good("sort", "in.npy", "out.npy")
        equal("out.npy", np.array([1, 2, 3], "i4"))


# ---- bad input -----------------------------------------------------------------------------------


@test
def files_that_are_not_npy():
    Path("text.npy").write_text("hello, this is text\n")
    bad("sort", "text.npy", "out.npy", says=["text.npy", "not a .npy file"])
    Path("empty.npy").write_bytes(b"")
    bad("sort", "empty.npy", "out.npy", says="not a .npy file")
    bad("sort", "missing.npy", "out.npy", says=["missing.npy", "no such file"])
    os.mkdir("folder.npy")
    bad("sort", "folder.npy", "out.npy", says="not a regular file")


@test
def truncated_at_every_byte():
    np.save("whole.npy", np.arange(3, dtype="i4"))
    whole = Path("whole.npy").read_bytes()
    for length in [*range(0, 14), 64, 127, 128, len(whole) - 1]:
        Path("in.npy").write_bytes(whole[:length])
        bad("sort", "in.npy", "out.npy", says="in.npy")
    Path("in.npy").write_bytes(whole + b"\0")
    bad("sort", "in.npy", "out.npy", says="too long")


@test
def bad_headers():
    data = bytes(12)
    base = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"
    for text, says in [(base.replace("(3,)", "(3.5,)"), "header"), (base.replace("(3,)", "(-3,)"), "header"),
                       (base.replace("'shape'", "'form'"), "form"), (base.replace("False", "Maybe"), "True or False"),
                       ("{'descr': '<i4', 'shape': (3,)}", "lacks"), (base[:-3], "header"), ("", "header"),
                       (base + "x", "header"), (base.replace("<i4", "<i3"), "<i3"), (base.replace("<i4", ""), "''"),
                       (base.replace("(3,)", "(99999999999999999999999,)"), "header"),
                       (base.replace("(3,)", "(4294967296, 4294967296, 4294967296)"), "no memory"),
                       (base.replace("(3,)", "(1000000000000,)"), "truncated")]:
        Path("in.npy").write_bytes(header(text, data=data))
        bad("sort", "in.npy", "out.npy", says=["in.npy", says])
    Path("in.npy").write_bytes(header(base, version=9, data=data))
    bad("sort", "in.npy", "out.npy", says="version 9")


@test
def either_byte_order():
    values = random.integers(-2**15, 2**15, 70)
    for kind in ["i1", "i2", "i4", "u8", "f4"]:
        for order in "<>":
            save("in.npy", values.astype(order + kind))
            good("sort", "in.npy", "out.npy")
            equal("out.npy", np.sort(values.astype(kind)))
            assert np.dtype("<" + kind).str.encode() in Path("out.npy").read_bytes()[:40], "output is little-endian"
    save("in.npy", values.astype(">i4"))
    status, out, err = piped("sort", "-", "-", data=Path("in.npy").read_bytes())
    assert status == 0 and np.load(io.BytesIO(out)).tolist() == np.sort(values).tolist(), err


@test
def element_types_that_do_not_fit():
    for array, says in [(np.array([1, "a"], object), "objects"),
                        (np.zeros(3, [("x", "i4"), ("y", "f4")]), "structured"), (np.zeros(3, "c8"), "<c8"),
                        (np.zeros(3, bool), "|b1"), (np.zeros(3, "U4"), "<U4"), (np.zeros(3, "M8[s]"), "M8")]:
        np.save("in.npy", array, allow_pickle=True)
        for operation in ["sort", "argsort", "scan", "reduce"]:
            bad(operation, "in.npy", "out.npy", says=["in.npy", says])
    save("in.npy", np.zeros(3, "f2"))
    bad("sort", "in.npy", "out.npy", says="float16")
    save("in.npy", np.zeros(3, "u1"))
    bad("scan", "in.npy", "out.npy", says="uint8")
    save("in.npy", np.zeros((3, 3), "u2"))
    bad("matmul", "in.npy", "in.npy", "out.npy", says="uint16")


@test
def shapes_that_do_not_fit():
    for shape in [(), (3, 4), (2, 3, 4)]:
        save("in.npy", np.zeros(shape, "i4"))
        for operation in ["sort", "argsort", "scan", "reduce"]:
            bad(operation, "in.npy", "out.npy",
                says=["in.npy", "one dimension", *(["--axis"] if "sort" in operation else [])])
    save("in.npy", np.zeros(3, "i4"))
    save("a.npy", np.zeros((3, 4), "i4"))
    save("b.npy", np.zeros((3, 4), "f4"))
    save("batch.npy", np.zeros((2, 3, 4), "i4"))
    save("batch3.npy", np.zeros((3, 4, 3), "i4"))
    save("batchf.npy", np.asfortranarray(np.zeros((2, 3, 4), "i4")))
    bad("matmul", "in.npy", "a.npy", "out.npy", says="two dimensions")
    bad("matmul", "a.npy", "a.npy", "out.npy", says=["3 x 4", "columns", "rows"])
    bad("matmul", "a.npy", "b.npy", "out.npy", "--transpose-b", says=["int32", "float32"])
    bad("matmul", "batch.npy", "batch3.npy", "out.npy", says=["2 matrices", "3"])
    bad("matmul", "batchf.npy", "a.npy", "out.npy", "--transpose-b", says="Fortran")
    bad("matmul", "a.npy", "a.npy", "out.npy", "--transpose-b", "--beta", "1", "--c", "a.npy", says=["a.npy", "(3, 3)"])
    bad("matmul", "a.npy", "a.npy", "out.npy", "--transpose-b", "--alpha", "0.5", says=["alpha", "int32"])


@test
def values_that_do_not_fit():
    save("in.npy", np.arange(3, dtype="i4"))
    for values, says in [(np.zeros(4), "(4,)"), (np.zeros((3, 9)), "64"), (np.zeros(()), "()"),
                         (np.asfortranarray(np.zeros((3, 2))), "Fortran")]:
        save("v.npy", values)
        bad("sort", "in.npy", "out.npy", "--values", "v.npy", "--values-out", "w.npy", says=says)


@test
def outputs_that_would_replace_something_else():
    save("in.npy", np.arange(3, dtype="i4"))
    save("v.npy", np.arange(3, dtype="i4"))
    os.symlink("in.npy", "alias.npy")
    bad("sort", "in.npy", "alias.npy", says=["alias.npy", "same file"])
    bad("sort", "in.npy", "v.npy", "--values", "v.npy", "--values-out", "./v.npy", says="v.npy")
    bad("sort", "in.npy", "out.npy", "--values", "v.npy", "--values-out", "out.npy", says="both keys and values")
    bad("sort", "in.npy", "/dev/null", says="not a regular file")
    bad("sort", "in.npy", "no/such/folder/out.npy", says="no/such/folder/out.npy")
    assert not Path("/dev/null").is_file()
    os.mkfifo("pipe.npy")
    os.symlink("pipe.npy", "link.npy")
    bad("sort", "in.npy", "link.npy", says="link.npy: is not a regular file")
    os.symlink("no/such/out.npy", "lost.npy")
    bad("sort", "in.npy", "lost.npy", says="lost.npy: can't be written: No such file")
    assert os.path.islink("lost.npy")
    os.symlink("loop.npy", "loop.npy")
    bad("sort", "in.npy", "loop.npy", says="loop.npy: can't be written: ")


# ---- selftest and demo ---------------------------------------------------------------------------


@test
def selftest_passes():
    # An OpenCL CPU device builds kernels for minutes; all of them are tried where the packages are
    # installed.
    out = good("selftest", "--max-n", 257, *([] if thorough() else ["--only", "float32"]))
    assert "0 FAILED" in out, out
    groups = ["scan float32", "reduce float32", "sort float32", "matmul float32", "recurrence float32"]
    if thorough():
        groups += ["sort float64", "sort int8", "buffers", "scan int64", "reduce uint32", "matmul float16", "histogram uint8",
                   "recurrence-varying float32"]
    for group in groups:
        assert any(line.startswith(group) and " ok " in line for line in out.splitlines()), out


@test
def selftest_of_every_algorithm():
    kind = "host" if device()["kind"] == "host" else "opencl"
    groups = {"scan": "scan int32", "histogram": "histogram"}
    if thorough():
        groups |= {"reduce": "reduce int32", "sort": "sort int16", "recurrence-varying": "recurrence-varying float32"}
    if kind == "host":  # building these kernels takes an OpenCL CPU device minutes
        groups |= {"matmul": "matmul int32", "recurrence": "recurrence float32"}
    out = "".join(good("selftest", "--max-n", 300, "--every-algorithm", "--only", group) for group in groups.values())
    for operation in groups:
        for algorithm in DEVICE["algorithms"][operation]:
            if algorithm["on"] == kind:
                assert f"({algorithm['name']})" in out, (algorithm["name"], out)


@test
def selftest_proves_algorithms():
    out = good("selftest", "--prove")
    assert "0 FAILED" in out, out
    for operation, algorithms in DEVICE["algorithms"].items():
        for algorithm in algorithms:
            said = [line for line in out.splitlines() if line.startswith(f"{operation} {algorithm['name']} ")]
            assert len(said) == algorithm["needs_proof"], (operation, algorithm, out)
    assert "scan look-back " in out and "matmul matrix-units " in out, out
    assert json.loads(good("info", "--json"))["wrong_algorithms"] == []


@test
def selftest_of_nothing_is_a_failure():
    status, _, err = gpcl("selftest", "--only", "nonsense")
    assert status == 1 and "nonsense" in err, err


@test
def demo_is_right():
    out = good("demo", "--keys", 100000, "--data", DATA)
    assert "All results verified" in out and "WRONG" not in out, out
    assert max(map(len, out.splitlines())) <= 100 or len(str(DATA)) > 80, out
    delays = np.load(DATA / "flight_delays_i32.npy")
    assert f"{delays.sum():,}" in out, out
    for delay in np.sort(delays)[-10:]:
        assert any(line.split()[:1] == [str(delay)] for line in out.splitlines()), (delay, out)
    assert "Bangor to Honolulu" in out and "305" in out, out


@test
def demo_data_can_be_named():
    bad("demo", "--data", "nowhere", says="nowhere", lines=1)
    bad("demo", says="nowhere", lines=1, GPCL_DATA="nowhere")


# ---- bench ---------------------------------------------------------------------------------------

BENCH = {"matmul": "matmul", "min-plus": "matmul", "paths": "paths", "scan": "scan", "sort": "sort", "reduce": "reduce",
         "gather": "gather", "scatter": "gather", "transpose": "transpose",
         "histogram": "histogram", "histogram-weighted": "histogram-weighted",
         "recurrence": "recurrence", "fibonacci": "recurrence",
         "recurrence-varying": "recurrence-varying"}


def bench(*arguments):
    return [json.loads(line) for line in good("bench", *arguments, "--json").splitlines()]


@test
def bench_json_of_every_operation():
    for op, operation in first(3, list(BENCH.items())):
        if op == "fibonacci" and needs_float64("f8"):
            continue
        # Building every kernel takes an OpenCL CPU device minutes; two ladders stand for all.
        every = device()["kind"] == "host" or operation in ["scan", "histogram"]
        lines = bench(op, *(["--algorithm", "all"] if every else []), "--n", "3,2^6,1e2", "--repeat", 2)
        kind = "host" if device()["kind"] == "host" else "opencl"
        names = [a["name"] for a in DEVICE["algorithms"][operation] if a["on"] == kind] if every else ["default"]
        assert [(line["n"], line["algorithm"]) for line in lines] == [(n, name) for n in [3, 64, 100] for name in names]
        done = [line for line in lines if "refused" not in line]
        assert done, lines
        for line in done:
            assert line["op"] == op and line["device"] == device()["name"] and line["verified"] is True, line
            assert line["verification"] and line["date"] and line["seed"] and line["repeat"] == 2, line
            assert line["limit"] == ("fma" if operation in ("matmul", "paths") else "copy"), line
            for member in ["run_ms", "total_ms", "run_device_ms", "gbps", "gops", "peak", "fraction_of_peak"]:
                assert line[member] > 0, (member, line)
            for member in ["upload_ms", "download_ms", "error"]:
                assert line[member] >= 0, (member, line)
            assert kind == "host" or line["kernels"], line
            assert (line["mbps_written"] > 0) if operation == "recurrence" else "mbps_written" not in line, line
            for kernel in line["kernels"]:
                assert kernel["name"] and kernel["launches"] > 0 and kernel["ms"] > 0, line
                assert kind == "host" or kernel["global_size"], line
                assert set(kernel) >= {"work_group", "local_bytes", "private_bytes"}, line


@test
def bench_of_other_types():
    for op, dtype in some([("scan", "f4"), ("reduce", "f8"), ("sort", "f8"), ("sort", "i1"), ("matmul", "f2"),
                           ("matmul", "i4"), ("matmul", "i2"), ("min-plus", "i2"), ("min-plus", "f2"), ("matmul", "f8")]):
        name = np.dtype(dtype).name
        if not needs_float64(dtype):
            line, = bench(op, "--dtype", name, "--n", 400, "--repeat", 1)
            assert line["verified"] and line["dtype"] == name and line["algorithm"] == "default", line
    bad("bench", "scan", "--dtype", "uint8", "--n", 100, says=["uint8", "int32"])


@test
def bench_of_distributions():
    lines = bench("sort", "--distribution", "all", "--n", 5000, "--repeat", 1)
    types = first(1, ["int8", "float32"])
    assert [line["data"] for line in lines] == ["random", "sorted", "reversed", "equal", "few", "one-bit", "zipf",
                                                "outlier", "clustered"], lines
    for dtype in types:
        lines += bench("sort", "--distribution", "zipf,clustered", "--dtype", dtype, "--n", 300, "--repeat", 1)
    assert len(lines) == 9 + 2 * len(types) and all(line["verified"] for line in lines), lines
    bad("bench", "sort", "--distribution", "nonesuch", "--n", 100, says="nonesuch", status=2, lines=None)


@test
def bench_of_recurrences_and_skewed_histograms():
    line, = bench("histogram", "--skewed", "--n", 5000)
    assert line["data"] == "skewed" and line["verified"], line
    line, = bench("recurrence", "--rows", 7, "--n", 500)
    assert line["rows"] == 7 and line["verified"], line
    line, = bench("fibonacci", "--dtype", "float32", "--n", 100, "--rows", 3)
    assert line["rows"] == 3 and line["verified"] and line["error"] < 1e-4, line
    bad("bench", "fibonacci", "--dtype", "float32", "--n", 1000, says=["1000", "float32"])
    line, = bench("histogram", "--dtype", "int32", "--n", 1000)
    assert line["verified"], line


@test
def bench_of_shapes():
    lines = bench("matmul", "--shape", "40x30x50,1x1e2x2^6,3x5x4x20", "--repeat", 1)
    assert [(line["m"], line["n"], line["k"], line["batch"]) for line in lines] == [(40, 30, 50, 1), (1, 100, 64, 1),
                                                                                   (3, 5, 4, 20)], lines
    assert all(line["verified"] for line in lines), lines
    assert "3x5x4x20" in good("bench", "matmul", "--shape", "3x5x4x20", "--repeat", 1)
    for shape in ["40", "40x30", "1x2x3x4x5", "axbxc", "2x3x"]:
        bad("bench", "matmul", "--shape", shape, status=2, says="is not a", lines=None)


@test
def auto():
    places = str(Path("places").resolve())
    if device()["kind"] == "host":
        bad("tune", "matmul", "--n", 64, "--device", "auto", says="no algorithm with parameters")
        return
    shown = json.loads(good("info", "--json", "--device", "auto", GPCL_PLACES=places))
    assert shown["default"] == "auto" and shown["places"] == places, shown
    assert places in good("info", GPCL_PLACES=places)
    keys = np.array([3, 1, 2], np.int32)
    np.save("keys.npy", keys)
    good("sort", "keys.npy", "sorted.npy", "--device", "auto", GPCL_PLACES=places)
    assert np.load("sorted.npy").tolist() == [1, 2, 3]
    assert "sort int32 3 64 " in Path(places).read_text()
    bad("tune", "all", says="--device auto")
    bad("tune", "sort", "--device", "auto", GPCL_PLACES="off", says="GPCL_PLACES is off")


@test
def tune():
    file = "tuning"
    if device()["kind"] == "host":
        bad("tune", "matmul", "--n", 64, says="no algorithm with parameters")
        return
    out = good("tune", "matmul", "--n", 200, "--seconds", 1, "--file", file)
    assert "Gop/s with" in out and f"written to {file}" in out, out
    assert Path(file).read_text().startswith("gpcl tuning 1\n")
    Path(file).unlink()
    assert "written" not in good("tune", "matmul", "--n", 64, "--seconds", 0.1, "--dry-run", GPCL_TUNING=file)
    assert not Path(file).exists()
    bad("tune", "matmul", "--algorithm", "naive", "--n", 64, says="no algorithm with parameters")
    bad("tune", "fibonacci", says="fibonacci", status=2, lines=None)
    for op, n in first(2, [("scan", 5000), ("histogram", 50000), ("reduce", 5000), ("sort", 5000), ("recurrence", 5000),
                           ("recurrence-varying", 5000)]):
        out = good("tune", op, "--n", n, "--seconds", 0.3, "--file", file)
        assert f", {op} " in out and "GB/s with" in out, out
    bad("tune", "histogram", "--dtype", "int32", "--n", 100, says="uint8 only")


@test
def bench_table():
    out = good("bench", "scan", "--n", "1000,2000")
    rows = [line.split() for line in out.splitlines() if line.startswith("scan ")]
    assert [row[3] for row in rows] == ["1000", "2000"] and all(row[-1] == "yes" for row in rows), out
    assert "a plain loop" in out and device()["name"] in out, out


def tools(*names):
    """A folder for PATH with these programs alone, and with what PoCL links its kernels by."""
    folder = Path(tempfile.mkdtemp(dir="."))
    for name in ["ld", *names]:
        file = sys.executable if name == "python3" else shutil.which(name)
        if file:
            os.symlink(file, folder / name)
    return str(folder.resolve())


def draws(tool, folder):
    """Whether what the folder has of it works."""
    arguments = ["--version"] if tool == "gnuplot" else ["-c", "import matplotlib"]
    program = Path(folder, tool)
    return program.exists() and subprocess.run([program, *arguments], capture_output=True).returncode == 0


@test
def bench_plots():
    drawn = 0
    for tool, path in [("gnuplot", tools("gnuplot")), ("python3", tools("python3"))]:
        if not draws(tool, path):
            continue
        begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
        for suffix, first_bytes in begins.items() if thorough() else [("svg", b"<?xml")]:
            name = f"it's $ {tool}.{suffix}"
            Path(name).write_text("older")
            out = good("bench", "scan", "--n", "3000,1000", "--repeat", 1, "--plot", name, PATH=path)
            assert "#" not in out and Path(name).read_bytes().startswith(first_bytes), (tool, suffix)
            if suffix == "svg" and tool == "gnuplot":
                assert all(text in Path(name).read_text() for text in ["scan default int32", "GB/s", "elements"])
        os.symlink(f"shapes by {tool}", "shapes.png")
        good("bench", "matmul", "--shape", "8x8x8,4x5x6x7", "--repeat", 1, "--plot", "shapes.png", "--json", PATH=path)
        assert Path(f"shapes by {tool}").read_bytes().startswith(b"\x89PNG")
        os.remove("shapes.png")
        if thorough():
            good("bench", "all", "--n", 100, "--repeat", 1, "--plot", "all.png", PATH=path)  # bars in two panels
            assert Path("all.png").read_bytes().startswith(b"\x89PNG")
        drawn += 1
    assert not [name for name in os.listdir() if name.startswith(".part")], os.listdir()
    if not drawn:
        raise Skip("neither gnuplot nor matplotlib is there")


@test
def bench_plots_that_can_not_be():
    for name in ["x.bmp", "x", "-"]:
        bad("bench", "scan", "--n", 10, "--plot", name, status=2, lines=None, says="does not end with .png, .svg or .pdf")
    bad("bench", "scan", "--n", 10, "--plot", "no/such/folder/x.png", says="x.png: can't be written: No such file")
    Path("folder.png").mkdir()
    bad("bench", "scan", "--n", 10, "--plot", "folder.png", says="folder.png: is not a regular file")
    nothing = tools()
    bad("bench", "scan", "--n", 10, "--plot", "x.png", "--json", PATH=nothing,
        says=["x.png: --plot needs gnuplot", "gnuplot-nox or python3-matplotlib"])
    status, out, err = gpcl("bench", "scan", "--n", 1000, "--plot", "x.png", PATH=nothing)
    assert status == 1 and "####" in out and "bars of text take its place" in err and not Path("x.png").exists(), (out, err)
    broken = tools()
    Path(broken, "gnuplot").write_text("#!/bin/sh\n[ $# = 1 ] && exit 0\necho no pixels >&2\nexit 1\n")
    Path(broken, "gnuplot").chmod(0o755)
    status, out, err = gpcl("bench", "scan", "--n", 1000, "--plot", "x.png", PATH=broken)
    assert status == 1 and "x.png: gnuplot did not draw it: no pixels" in err and not Path("x.png").exists(), (out, err)


@test
def bench_bars():
    out = good("bench", "scan", "--n", "1000,2^16", "--repeat", 1, "--bars").splitlines()
    at = next(i for i, line in enumerate(out) if line.split() == ["scan", "n", "GB/s"])
    rows = [line.split() for line in out[at + 1:at + 3]]
    assert [row[:2] for row in rows] == [["default", "1000"], ["default", "65536"]], out
    bars = {float(row[2]): len(row[3]) for row in rows}
    assert all(set(row[3]) == {"#"} for row in rows) and max(bars.values()) == bars[max(bars)] >= 10, out
    assert max(len(line) for line in out[at:]) <= 80, out
    bad("bench", "scan", "--n", 10, "--bars", "--json", status=2, says="--bars", lines=None)


def on_terminal(columns, *arguments):
    """What the command prints on standard output that is a terminal of these columns, by lines."""
    end, own = os.openpty()
    fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([COMMAND, *map(str, arguments)], stdout=own, stderr=subprocess.PIPE)
    os.close(own)
    shown = b""
    try:
        while piece := os.read(end, 1000):
            shown += piece
    except OSError:  # the command has ended
        pass
    os.close(end)
    assert process.wait(timeout=280 * PATIENCE) == 0, process.stderr.read()
    process.stderr.close()
    return shown.decode().replace("\r", "").splitlines()


@test
def output_fits_the_terminal():
    for columns in [80, 120, 200] if thorough() else [80, 200]:
        lines = on_terminal(columns, "bench", "fibonacci" if device()["float64"] else "scan", "--n", 900, "--repeat", 1)
        assert max(map(len, lines)) <= columns, lines
        heads = next(line.split() for line in lines if line.startswith("op "))
        assert {"algorithm", "n", "device", "GB/s"} <= set(heads) and ("upload" in heads) == (columns == 200), heads
        for arguments in [["--help"], ["bench", "--help"], ["info", "--algorithms"], ["selftest", "--help"]]:
            lines = on_terminal(columns, *arguments)
            assert max(map(len, lines)) <= columns, lines
    # Words are the same, wrapped or not.
    assert " ".join(on_terminal(80, "--help")).split() == good("--help").split()


@test
def bench_refusals():
    # No device computes this much: refused where many are asked for, a failure of one.
    status, out, err = gpcl("bench", "matmul", "--n", 2**21, "--json", "--algorithm", "all")
    assert status == 0 and all(json.loads(line)["refused"] for line in out.splitlines()) and out, (out, err)
    assert "refused: " in good("bench", "matmul", "--n", 2**21, "--algorithm", "all")
    bad("bench", "matmul", "--n", 2**21, says="memory")
    names = ["default", "default"]
    assert [line["algorithm"] for line in bench("scan", "--algorithm", ",".join(names), "--n", 50)] == names
    bad("bench", "scan", "--algorithm", "bogo", "--n", 10, says=["bogo", DEVICE["algorithms"]["scan"][0]["name"]])
    elsewhere = next(a["name"] for a in DEVICE["algorithms"]["scan"]
                     if (a["on"] == "host") != (device()["kind"] == "host"))
    bad("bench", "scan", "--algorithm", elsewhere, "--n", 10, says=elsewhere)


@test
def bench_usage():
    for arguments in [[], ["nonsense"], ["scan", "--n", "many"], ["scan", "--n", "0"], ["scan", "--n", "1.5"],
                      ["scan", "--n", "2^"], ["scan", "--dtype", "int33"], ["scan", "--repeat", "0"],
                      ["all", "--algorithm", "host"]]:
        bad("bench", *arguments, says="", status=2, lines=None)


@test
def bench_interrupted_leaves_whole_lines():
    process = subprocess.Popen([COMMAND, "bench", "scan", "--json", "--n", "1000,2^21", "--repeat", "5000"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, err = process.communicate(timeout=60 * PATIENCE)
    assert process.returncode == 130 and err == "", (process.returncode, err)
    assert json.loads(first)["n"] == 1000 and rest == "", (first, rest)


@test
def bench_is_interrupted_whatever_it_does():
    """Here while it waits for an OpenCL loader that never answers."""
    if not shutil.which("cc"):
        raise Skip("no C compiler")
    Path("hang.c").write_text("""#include <fcntl.h>
        #include <unistd.h>
        __attribute__((constructor)) static void hang(void) { for (creat("hangs", 0600);;) pause(); }""")
    subprocess.run(["cc", "-shared", "-fPIC", "hang.c", "-o", "hang.so"], check=True)
    process = subprocess.Popen([COMMAND, "bench", "scan", "--n", "10"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "GPCL_OPENCL_LIBRARY": os.path.abspath("hang.so"), "GPCL_DEVICE": "cpu"})
    try:
        while not Path("hangs").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60 * PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", ""), (process.returncode, out, err)


@test
def bench_to_a_full_disk_is_a_failure():
    with open("/dev/full", "w") as full:
        done = subprocess.run([COMMAND, "bench", "scan", "--n", "10"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "standard output can't be written" in done.stderr, done


@test
def several_devices():
    if device()["platform"] != "Portable Computing Language":
        raise Skip("PoCL alone has as many devices as it is asked for")
    platform = DEVICE["default"].split(":")[0]
    several = f"{platform}:0,{platform}:1"
    two = {"POCL_DEVICES": "pthread pthread", "GPCL_DEAL": "1"}
    opened = json.loads(good("info", "--json", "--device", several, **two))
    assert opened["default"] == several, opened["default"]
    assert [each["selector"] for each in opened["devices"]] == several.split(","), opened["devices"]
    keys = save("keys.npy", random.integers(-1000, 1000, 5000).astype("i4"))
    good("sort", "keys.npy", "sorted.npy", "--device", several, **two)
    equal("sorted.npy", np.sort(keys))
    good("scan", "keys.npy", "scanned.npy", "--device", "Portable Computing Language*", **two)
    equal("scanned.npy", np.cumsum(keys, dtype="i4"))
    bad("sort", "keys.npy", "none.npy", "--device", f"{platform}:0,{platform}:0", says="comes twice", **two)


def main():
    passed, failed, skipped = 0, 0, 0
    home = os.getcwd()
    for function in TESTS:
        with tempfile.TemporaryDirectory(prefix="gpcl-cli-") as folder:
            os.chdir(folder)
            try:
                began = time.monotonic()
                function()
                passed += 1
                print(f"ok      {function.__name__} ({time.monotonic() - began:.1f} s)")
            except Skip as skip:
                skipped += 1
                print(f"skipped {function.__name__}: {skip}")
            except Exception:
                failed += 1
                print(f"FAILED  {function.__name__}")
                traceback.print_exc(file=sys.stdout)
            finally:
                os.chdir(home)
        sys.stdout.flush()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
