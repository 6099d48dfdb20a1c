#!/usr/bin/env python3
"""Counts the test cases of a ctest run for each implementation.

usage: summary.py [--passed STEP | --failed STEP | --skipped STEP] ... JUNIT RESULTS [JUNIT RESULTS
...]

JUNIT is what `ctest --output-junit` wrote, RESULTS the folder of the GoogleTest results of the same
build. A ctest entry without GoogleTest results counts as one case, and so does a program that ended
before it could write them. STEP is one beside the tests, such as the check of the format. The last
line is "N passed, N failed, N skipped"; the exit status tells whether nothing failed and something
passed.
"""
# SPDX-License-Identifier: MIT

import json
import pathlib
import sys
import xml.etree.ElementTree as xml

STEPS = ["--passed", "--failed", "--skipped"]


def cases(entry, results):
    """(passed, failed, skipped, names of what failed) of one ctest entry."""
    name = entry.get("name")
    failed = entry.get("status") == "fail"
    if entry.get("status") in ("notrun", "disabled") or entry.find("skipped") is not None:
        return 0, 0, 1, []
    report = results / (name.replace("/", ".") + ".json")
    if not report.exists():
        return (0, 1, 0, [name]) if failed else (1, 0, 0, [])
    passed, skipped, names = 0, 0, []
    for suite in json.loads(report.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("failures"):
                names.append(f"{name}: {suite['name']}.{case['name']}")
            elif case["result"] == "SKIPPED":
                skipped += 1
            elif case["result"] == "COMPLETED":
                passed += 1
    if failed and not names:  # the program failed outside of its cases: at its end, or in Oclgrind's eyes
        names.append(name)
    return passed, len(names), skipped, names


def main(arguments):
    rows = {}
    failures = []
    while arguments and arguments[0] in STEPS:
        rows.setdefault("steps", [0, 0, 0])[STEPS.index(arguments[0])] += 1
        if arguments[0] == "--failed":
            failures.append(arguments[1])
        arguments = arguments[2:]
    for junit, results in zip(arguments[::2], arguments[1::2]):
        if not pathlib.Path(junit).exists():
            rows.setdefault("steps", [0, 0, 0])[1] += 1
            failures.append(f"no test ran: {junit} is missing")
            continue
        for entry in xml.parse(junit).getroot().iter("testcase"):
            row = rows.setdefault(entry.get("name").split("/")[0], [0, 0, 0])
            passed, failed, skipped, names = cases(entry, pathlib.Path(results))
            row[0] += passed
            row[1] += failed
            row[2] += skipped
            failures += names
    print(f"{'':16}{'passed':>8}{'failed':>8}{'skipped':>8}")
    for implementation, row in sorted(rows.items()):
        print(f"{implementation:16}{row[0]:8}{row[1]:8}{row[2]:8}")
    for name in failures:
        print(f"FAILED {name}")
    total = [sum(row[i] for row in rows.values()) for i in range(3)]
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 0 if total[1] == 0 and total[0] > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
