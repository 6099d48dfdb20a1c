#!/usr/bin/env python3
"""Makes what is compiled for this machine's glibc run with an older one.

usage: older-glibc.py VERSION FILE...

Each symbol that the objects and archives FILE take from the C library, and that glibc has in several
versions, is bound to the newest one up to VERSION. Without this the linker takes this machine's.
older-glibc.c has what glibc lacked. The files are changed in place.
"""
# SPDX-License-Identifier: MIT
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def number(version):
    return tuple(map(int, version.split(".")))


def versions():
    """{symbol: {version: whether it is the one that the linker takes}}, of glibc's libraries."""
    found = {}
    for library in ("libc.so.6", "libm.so.6"):
        path = output("cc", f"-print-file-name={library}").strip()
        for name, default, version in re.findall(r" (\w+)@(@?)GLIBC_([\d.]+)$", output("nm", "-D", path), re.M):
            found.setdefault(name, {})[version] = bool(default)
    return found


def main(newest, *files):
    bound = []
    for name, have in versions().items():
        taken = [version for version, is_default in have.items() if is_default and number(version) > number(newest)]
        older = [version for version in have if number(version) <= number(newest)]
        if taken and older:
            bound.append(f"--redefine-sym={name}={name}@GLIBC_{max(older, key=number)}")
    for file in files:
        output("objcopy", *bound, file)


main(*sys.argv[1:])
