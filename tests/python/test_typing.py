"""What a type checker finds in programs that use the package."""
# SPDX-License-Identifier: MIT
import pathlib
import re
import site
import subprocess
import sys
import typing

import pytest

import gpcl
from gpcl import _enums, _operations

PACKAGES = pathlib.Path(gpcl.__file__).parents[1]

PROGRAM = """
import asyncio
from typing import Any
import gpcl
import numpy as np
from numpy.typing import NDArray
a: NDArray[np.float32] = np.array([3, 1, 2], np.float32)
d = gpcl.default_context().array(a)
ctx = gpcl.open("host")
host: NDArray[Any] = gpcl.sort(a)
gpcl.sort(a).sum()
gpcl.sort([3, 1, 2], descending=True).tolist()
gpcl.sort(bytearray(b"abc"), out=a)
device: gpcl.DeviceArray = gpcl.sort(d).scan("maximum").sort(descending=True)
host = gpcl.sort(d, out=d).numpy()
host, host = gpcl.sort_pairs(a, [1, 2, 3])
device, device = gpcl.sort_pairs(d, d)
host = gpcl.scan(a, "add") + ctx.scan(a, "a * b", identity=1)
device = gpcl.scan(d, "multiply", axis=0)
device = gpcl.matmul(a, d)
device = d @ a
device = gpcl.reduce(d, "minimum", keepdims=True)
total: float = gpcl.reduce(a)
host, host = gpcl.histogram(a, [1.0, 2.0], density=True)
device, host = gpcl.histogram(d, 10, (0, 1))
host = ctx.histogram(a, counts_only=True)
host = gpcl.lfilter([0.5], [1, -0.5], a)
host, host = gpcl.lfilter([0.5], [1, -0.5], a, zi=[0.0])
host = gpcl.recurrence(None, [1, 1], n=6, initial=[1, 0])
device = gpcl.recurrence(None, [1, 1], n=6, out=d)
device = gpcl.recurrence_varying(None, d)
bytes_: int = gpcl.sort_work_bytes(10, "f4")
names: list[str] = [each.name for each in gpcl.algorithms("sort")]
with ctx.record() as events, d.map("r") as view:
    events[0].wait()
    host = view
number: Any = d[1:3].item()
device = (2 - d) / a + d ** 2
device = -abs(d) <= d.T
device += 1
device = d.matmul(a, semiring="min-plus").scan("maximum", exclusive=True).sort(axis=None, descending=True)
device, host = d.histogram([1.0, 2.0])
device = d.histogram(10, (0, 1), counts_only=True)
device = d.reduce("a * b", identity=1).recurrence([0.5], final=d)
device, device = d.sort_pairs(d)
device = d.mean(0).astype("f4")
device = d[::2, None, ..., 0]
d[:, 1] = [1, 2]
d[0] = d > 1
device = ~(d << 1)
index: int = [1, 2][d[0]]
from gpcl import array_api as xp
device = xp.sum(xp.where(d > 0, xp.sqrt(d), 0), axis=1)
device = xp.astype(d, xp.float32).to_device(ctx)
limit: float = xp.finfo(xp.float32).max
async def later(event: gpcl.Event) -> None:
    await event
from gpcl import pieces
borders = pieces.splitters([pieces.sample(host, 2)], 2)
parts: list[NDArray[Any]] = pieces.cut(host, pieces.partition([pieces.near(host, 0, borders)], borders)[0])
host = pieces.merge_runs(parts, descending=True)
before: Any = pieces.carries([1, 2], "maximum")[1]
""".lstrip()

WRONG = [
    ("gpcl.matmul(a, a, semiring='tropical')", "call-overload"),
    ("ctx.matmul(d, d, precision='some')", "call-overload"),
    ("gpcl.sort(a, reverse=True)", "call-overload"),
    ("gpcl.scan(a, 'plus')", "call-overload"),
    ("gpcl.sort(d).tobytes()", "attr-defined"),
    ("gpcl.sort(a).numpy()", "attr-defined"),
    ("gpcl.sort_work_bytes('x', 'f4')", "arg-type"),
    ("gpcl.algorithms('fly')", "arg-type"),
    ("d.map('x')", "arg-type"),
    ("d.scan('plus')", "call-overload"),
    ("d.sort(reverse=True)", "call-arg"),
    ("d.matmul(d, semiring='tropical')", "arg-type"),
    ("(d + 1).tobytes()", "attr-defined"),
    ("d @ object()", "operator"),
    ("xp.sum(d, axes=1)", "call-arg"),
    ("xp.sort(a)", "arg-type"),
    ("pieces.sample(a)", "call-arg"),
    ("pieces.cut(parts, borders)", "arg-type"),
]


def mypy(program, folder):
    """The lines of a program in which mypy finds an error, with the error's name, and what it says."""
    (folder / "program.py").write_text(program)
    found_by_itself = str(PACKAGES) in [*site.getsitepackages(), site.getusersitepackages()]
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--show-error-codes",
                           "--cache-dir", folder / "cache", "program.py"], cwd=folder, capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", **({} if found_by_itself else {"MYPYPATH": str(PACKAGES)})})
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"^program.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.M)
    return {(int(line), name) for line, name in found}, done.stdout


def test_a_program_without_and_with_errors(tmp_path):
    pytest.importorskip("mypy", reason="no mypy")
    lines = PROGRAM.count("\n")
    found, said = mypy(PROGRAM + "".join(f"{line}\n" for line, _ in WRONG), tmp_path)
    assert found == {(lines + k, name) for k, (_, name) in enumerate(WRONG, 1)}, said


def test_names_are_those_of_the_header():
    assert typing.get_args(_enums.Semiring) == tuple(_enums.SEMIRINGS) and "min-plus" in _enums.SEMIRINGS
    assert typing.get_args(_enums.Operator) == ("add", "multiply", "minimum", "maximum")
    assert {"sort", "recurrence-varying", "recurrence_varying"} <= set(typing.get_args(_enums.Operation))


def test_annotations_have_a_meaning():
    for name in gpcl.OPERATIONS:
        assert "return" in typing.get_type_hints(getattr(_operations.Operations, name)), name
