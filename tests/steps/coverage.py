#!/usr/bin/env python3
"""Prints what of lib/ the tests reach; fails where they trip fewer checks of arguments than they did.

usage: coverage.py GCOVR.json THROWS, at the top of the tree

GCOVR.json is gcovr's report of a build without optimisation; THROWS is what throws.cpp wrote while
its tests ran. For each folder it prints how many lines were reached, how many branches were taken
of those that not exceptions alone take, and how many checks were tripped. A check is a call of
require*() or fail*(); it is tripped where an exception passes it on its way to the caller. Those of
GP_ERROR_INTERNAL, which tell of mistakes of the library's own, are no checks. Then come the checks
that were not tripped, as FILE:LINE; one that "untripped" beside this file does not explain fails.
Last come the lines with a refusal of an algorithm's, `return "why"`, of which some branch was not
taken: many need devices that are not here.
"""
# SPDX-License-Identifier: MIT
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

KINDS = ("lines", "branches", "checks")
CALL = re.compile(r"(?<![\w.])(require|fail)(_\w+)? ?\(")
DECLARED = re.compile(r"((?<!\breturn)(?<!\belse)[\w>*&\]]|::)\s*$")  # what stands before a declaration
REFUSAL = re.compile(r'return \{?"[^"]+ |[?:] \{?"[a-z][^"]+ [^"]+".*;')
NO_CODE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')


def checks(path):
    """(first line, last line) of each check of a file."""
    code = NO_CODE.sub(lambda match: " " * len(match.group()), path.read_text(encoding="utf-8"))
    for match in CALL.finditer(code):
        if DECLARED.search(code[max(0, match.start() - 100):match.start()]):
            continue
        depth, end = 1, match.end()
        while depth > 0:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        if "GP_ERROR_INTERNAL" not in code[match.start():end]:
            yield code.count("\n", 0, match.start()) + 1, code.count("\n", 0, end) + 1


def thrown(throws):
    """The lines of each file that an exception passed."""
    offsets = collections.defaultdict(set)
    for line in pathlib.Path(throws).read_text(encoding="utf-8").splitlines():
        module, _, offset = line.rpartition(" ")
        offsets[module].add(f"{int(offset, 16) - 1:#x}")
    lines = collections.defaultdict(set)
    for module, places in offsets.items():
        told = subprocess.run(["addr2line", "-e", module], input="\n".join(places), capture_output=True, text=True, check=True)
        for name, number in re.findall(r"^(.*/lib/.*):(\d+)", told.stdout, re.M):
            lines[os.path.relpath(os.path.realpath(name))].add(int(number))
    return lines


def explained():
    """(file, beginning of a check) of those that no test trips, of which the reason stands above them."""
    lines = (pathlib.Path(__file__).parent / "untripped").read_text(encoding="utf-8").splitlines()
    return {tuple(line.split(": ", 1)) for line in lines if line and not line.startswith("#")}


def main(report, throws):
    counts = collections.defaultdict(collections.Counter)
    sources = {path: path.read_text(encoding="utf-8").split("\n") for path in sorted(pathlib.Path("lib").rglob("*.[ch]*"))}
    refusals = []
    for file in json.loads(pathlib.Path(report).read_text(encoding="utf-8"))["files"]:
        path = pathlib.Path(file["file"])
        count = counts[str(path.parent)]
        for line in (line for line in file["lines"] if not line["gcovr/noncode"]):
            ways = [branch["count"] > 0 for branch in line["branches"]]
            count.update({"lines": line["count"] > 0, "all lines": 1, "branches": sum(ways), "all branches": len(ways)})
            text = sources[path][line["line_number"] - 1].strip()
            if path.parts[1] == "ops" and REFUSAL.search(text) and not (line["count"] > 0 and all(ways)):
                refusals.append(f"{path}:{line['line_number']}: {text}")
    passed = thrown(throws)
    left, known = [], explained()
    for path, texts in sources.items():
        for first, last in checks(path):
            tripped = not passed[str(path)].isdisjoint(range(first, last + 1))
            counts[str(path.parent)].update({"checks": tripped, "all checks": 1})
            if not tripped:
                left.append((str(path), first, texts[first - 1].strip()))
    total = sum(counts.values(), collections.Counter())
    for folder, count in [*sorted(counts.items()), ("all", total)]:
        columns = [f"{count[kind]:6} of {count['all ' + kind]:6} {kind} ({100 * count[kind] / (count['all ' + kind] or 1):5.1f} %)"
                   for kind in KINDS]
        print(f"{folder:24}", *columns)
    failed = 0
    print(f"checks that are not tripped: {len(left)}")
    for path, number, text in left:
        new = not any(path == file and text.startswith(beginning) for file, beginning in known)
        failed += new
        print(f"{'FAILED: ' if new else ''}{path}:{number}: {text}")
    print(f"refusals that are not made, or always: {len(refusals)}", *refusals, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
