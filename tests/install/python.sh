#!/bin/sh
# python.sh: the Python package in a fresh virtual environment, installed by the command of its README; there everything runs
# that the READMEs and the docstrings show, just as it is typed, and the tests, with today's NumPy and SciPy. Then the source
# distribution is made, and installed into another one.
# Needs PyPI. $PYTHON is the interpreter, $GPCL_DEVICE the device.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-/usr/bin/python3}" -m venv "$work/env"
export PIP_DISABLE_PIP_VERSION_CHECK=1
(cd "$top" && "$work/env/bin/pip" install --quiet ./bindings/python)
cd "$work" # so that nothing of the source tree is found by chance
env/bin/python - "$top" <<'END'
import doctest
import pathlib
import sys

top = pathlib.Path(sys.argv[1])
for readme in (top / "README.md", top / "bindings" / "python" / "README.md"):
    found = doctest.testfile(str(readme), module_relative=False)
    assert found.attempted and not found.failed, readme
    print(f"{readme.relative_to(top)}: {found.attempted} examples")
END
env/bin/pip install --quiet cffi pytest hypothesis scipy setuptools
PYTHONDONTWRITEBYTECODE=1 env/bin/python -m pytest -q -p no:cacheprovider "$top/tests/python"

(cd "$top/bindings/python" && "$work/env/bin/python" setup.py -q egg_info --egg-base "$work" sdist --dist-dir "$work")
"${PYTHON:-/usr/bin/python3}" -m venv elsewhere
elsewhere/bin/pip install --quiet gpcl-*.tar.gz
elsewhere/bin/python -c 'import gpcl; print("from", gpcl.__file__, gpcl.sort([3, 1, 2]))' | grep "$work/elsewhere.*1 2 3"
find elsewhere -path '*gpcl-*.dist-info/*' -name LICENSE | grep .
