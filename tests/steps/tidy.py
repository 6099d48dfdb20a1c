#!/usr/bin/env python3
"""Runs clang-tidy on the files of a compilation database, but on none that passed as it is.

usage: tidy.py [--all] BUILD FOLDER...

BUILD holds compile_commands.json; FOLDERs, below the current one, hold the .cpp files. Where CMake
made files that include several of them (GPCL_UNITY), those are checked. A file that passed leaves a
stamp in BUILD/stamps, named by all that the answer depends on: its preprocessed text with the
comments, the options, every .clang-tidy and clang-tidy itself. --all leaves the stamps unread.
Prints what clang-tidy says of each file that fails; the exit status is 1 when one does.
"""
# SPDX-License-Identifier: MIT

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys


def command_of(entry):
    """The compiler's arguments, without a launcher before them and without the output."""
    words = shlex.split(entry["command"])
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    at = words.index("-o")
    return words[:at] + words[at + 2:]


def stamp_of(entry, common):
    """The name of the stamp; None where the file can't be preprocessed, which clang-tidy then explains."""
    words = command_of(entry)
    done = subprocess.run([*words, "-E", "-CC"], cwd=entry["directory"], capture_output=True, check=False)
    if done.returncode != 0:
        return None
    return hashlib.sha256(common + "\0".join(words).encode() + done.stdout).hexdigest()


def includes_several(entry):
    """Whether CMake made the file, of #include lines for several."""
    return pathlib.PurePath(entry["file"]).match("Unity/unity_*_cxx.cxx")


def check(entry, build, common, read_stamps):
    """(file, whether it passed, was it checked, what was said)"""
    name = os.path.relpath(entry["file"])
    stamp = stamp_of(entry, common)
    path = build / "stamps" / (stamp or "none")
    if read_stamps and stamp and path.exists():
        return name, True, False, ""
    checks = ["--checks=-bugprone-suspicious-include"] if includes_several(entry) else []
    done = subprocess.run(["clang-tidy", "-p", str(build), "--quiet", "--warnings-as-errors=*", *checks, name],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0 and stamp:
        path.touch()
    return name, done.returncode == 0, True, done.stdout + done.stderr


def main(arguments):
    read_stamps = "--all" not in arguments
    build, *folders = [word for word in arguments if word != "--all"]
    build = pathlib.Path(build)
    (build / "stamps").mkdir(exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    common = version + b"".join(path.read_bytes() for folder in [".", *folders]
                                for path in pathlib.Path(folder).glob(".clang-tidy"))
    roots = tuple(os.path.abspath(folder) + os.sep for folder in folders)
    database = json.loads((build / "compile_commands.json").read_text())
    for entry in database:
        entry["file"] = os.path.join(entry["directory"], entry["file"])
    entries = [entry for entry in database
               if (entry["file"].endswith(".cpp") and entry["file"].startswith(roots)) or includes_several(entry)]
    if not entries:
        sys.exit(f"FAILED: {build} compiles no file of {' '.join(folders)}")
    failed = checked = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, passed, was_checked, said in pool.map(lambda e: check(e, build, common, read_stamps), entries):
            checked += was_checked
            failed += not passed
            if not passed:
                print(f"FAILED: {name}\n{said}")
    print(f"{len(entries)} files, {checked} checked, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
