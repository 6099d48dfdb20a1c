#!/bin/sh
# wheel.sh PREFIX [FOLDER]: makes a wheel (into FOLDER) by packaging/wheel.sh, with the static libgpcl installed in PREFIX; looks
# for what must and must not be inside, installs it into a fresh virtual environment and tests it there.
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

say "the wheel"
"$top/packaging/wheel.sh" "$prefix" "$work/made"
wheel=$(ls "$work"/made/*.whl)
ls -l "$work/made"
python3 -m zipfile -l "$wheel" >"$work/list"
grep '\.so' "$work/list"
if grep -i opencl "$work/list"; then fail "an OpenCL loader inside"; fi
python3 -m zipfile -e "$wheel" "$work/inside"
if grep -iE 'blas|gfortran' "$work/list"; then fail "libraries inside that gpcl does not need"; fi
for licence in gpcl:LICENSE xxHash:libxxhash-dev Highway:libhwy Highway:Apache-2.0; do
    find "$work/inside" -path "*.dist-info/*${licence#*:}*" -type f -size +0 | grep . ||
        fail "no licence of ${licence%:*} inside"
done

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
