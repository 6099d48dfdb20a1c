#!/usr/bin/env python3
"""Fails where a line of a comment or of a document is longer than 100 columns.

usage: columns.py, at the top of the tree

Tables, headings, links, code in documents and comments behind code may be longer, to 500 columns:
Debian's lintian refuses sources with lines of more than 512. So may type stubs.
"""
# SPDX-License-Identifier: MIT
import pathlib
import re
import sys

WIDTH = 100
MOST = 500
FOLDERS = ("include", "lib", "bindings", "kernels", "tests", "packaging")
OTHERS_TEXT = pathlib.Path("tests/abi/previous")  # a header as it was once
SOURCES = {".h", ".c", ".cpp", ".cl", ".cu", ".cuh"}
COMMENT = re.compile(r" *(//|/\*|\* )")
NO_PROSE = re.compile(r" *\||    |#|!\[|[^ ]*$")


def long_lines(path):
    """(number, width allowed) of the lines that are too long."""
    in_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if path.suffix == ".md":
            in_code ^= line.lstrip().startswith(("```", "~~~"))
            counts = not in_code and not NO_PROSE.match(line)
        else:
            counts = COMMENT.match(line) and not line.endswith("\\")
        width = WIDTH if counts else MOST
        if len(line) > width:
            yield number, width


def main():
    files = [path for folder in FOLDERS for path in pathlib.Path(folder).rglob("*") if path.suffix in SOURCES | {".md", ".pyi"}]
    files += [pathlib.Path("README.md"), pathlib.Path("CHANGELOG.md")]
    found = [f"{path}:{number}: more than {width} columns" for path in sorted(files) if OTHERS_TEXT not in path.parents
             for number, width in long_lines(path)]
    for each in found:
        print(each)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
