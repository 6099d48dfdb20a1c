#!/bin/sh
# wheel.sh PREFIX [FOLDER]: makes a wheel (into FOLDER) by packaging/wheel.sh, with the static libgpcl installed in PREFIX; looks
# for what must and must not be inside, installs it into fresh virtual environments of every Python here and tests it there. As
# root, where Debian's archive can be reached, also in a tree of Debian 11, whose glibc is 2.31 and whose Python 3.9.
# Exits with 77 where the Python package index can't be reached.
# SPDX-License-Identifier: MIT
set -eu
prefix=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
began=$(date +%s)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
say() { echo "== $* ($(($(date +%s) - began)) s)"; }
fail() { echo "FAILED: $*" && exit 1; }

say "the wheel"
"$top/packaging/wheel.sh" "$prefix" "$work/made"
wheel=$(ls "$work"/made/*.whl)
ls -l "$work/made"
case $wheel in *-cp39-abi3-manylinux_2_2[0-8]_*.whl) ;; *) fail "not for Python 3.9 and glibc 2.28 on" ;; esac
[ "$(stat -c %s "$wheel")" -lt 10000000 ] || fail "10 MB or more"
python3 -m zipfile -l "$wheel" >"$work/list"
grep '\.so' "$work/list"
if grep -i opencl "$work/list"; then fail "an OpenCL loader inside"; fi
python3 -m zipfile -e "$wheel" "$work/inside"
if grep -iE 'blas|gfortran' "$work/list"; then fail "libraries inside that gpcl does not need"; fi
for licence in gpcl:LICENSE xxHash:libxxhash-dev Highway:libhwy Highway:Apache-2.0 libstdc++:libstdc++; do
    find "$work/inside" -path "*.dist-info/*${licence#*:}*" -type f -size +0 | grep . ||
        fail "no licence of ${licence%:*} inside"
done

try() { # try PYTHON NAME: with NumPy and cffi alone
    say "the quick start on $("$1" --version)"
    "$1" -m venv "$work/$2" && "$work/$2/bin/python3" -m pip install -q "$wheel"
    (cd "$work" && PATH=$work/$2/bin:$PATH "$top/packaging/debian/tests/python" "$top/bindings/python/README.md")
}
try /usr/bin/python3 fresh
if ldd "$work"/fresh/lib/*/site-packages/gpcl/_native*.so | grep -E 'libgpcl|libOpenCL|blas|hwy|not found' |
    grep -v "=> $work/fresh/"; then
    fail "the module looks elsewhere for its libraries"
fi
for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
        try "$python" "$("$python" --version | tr -d ' ')"
    fi
done

say "a comparison with NumPy"
cd "$work"
python=$work/fresh/bin/python3
"$python" -m pip install -q hypothesis pytest
GPCL_DEVICE=host PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider "$top/tests/python/test_numpy.py"
if [ -e /etc/OpenCL/vendors/pocl.icd ]; then # with the system's own loader
    GPCL_DEVICE=cpu "$python" -c 'import gpcl; print(gpcl.sort([3, 1, 2]), gpcl.default_context().device.platform)'
fi

if [ "$(id -u)" -eq 0 ] && command -v mmdebstrap >/dev/null &&
    mmdebstrap --quiet --mode=root --variant=apt --include=python3-venv bullseye "$work/tree"; then
    say "Debian 11"
    inside=$work/tree/gpcl
    mkdir "$inside"
    "$python" -m pip download -q -d "$inside" --python-version 3.9 --only-binary :all: \
        --platform "manylinux2014_$(uname -m)" numpy cffi hypothesis pytest exceptiongroup tomli typing-extensions
    cp "$wheel" "$top/packaging/debian/tests/python" "$top/bindings/python/README.md" "$inside"
    cp -R "$top/tests/python" "$inside/tests"
    chroot "$work/tree" env -i PATH=/gpcl/fresh/bin:/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 GPCL_DEVICE=host sh -ec '
        cd /gpcl
        python3 -m venv fresh
        pip install -q --no-index --find-links . gpcl hypothesis pytest
        ./python README.md
        python3 -m pytest -q tests/test_numpy.py'
else
    echo "SKIPPED: Debian 11, which needs root, mmdebstrap and the archive"
fi
if [ -n "${2:-}" ]; then mkdir -p "$2" && cp "$wheel" "$2"; fi
say "all is well"
