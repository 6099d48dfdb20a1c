#!/bin/sh
# prefix.sh BUILD: installs what was built in BUILD into a folder, moves that, and uses it without the tree: the command finds its
# library and the demo's data, a program is compiled and run as README says, and no file names a folder of the build.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" && exit 1; }
unset LD_LIBRARY_PATH GPCL_DATA
export GPCL_DEVICE=host

cmake --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log" && fail "cmake --install"; }
mv "$work/first" "$work/moved"
prefix=$work/moved
if grep -rlF -e "$top" -e "$build" -e "$work/first" "$prefix"; then fail "these files name a folder of the build"; fi

cd "$work"
"$prefix/bin/gpcl" demo --keys 1000 >demo || fail "gpcl demo"
grep -xF "Data from $prefix/share/gpcl/data" demo || { cat demo && fail "gpcl demo took other data"; }
ldd "$prefix/bin/gpcl" | grep -F "$prefix" || fail "the command takes another library"

libraries=$(dirname "$(find "$prefix" -name libgpcl.so)")
export PKG_CONFIG_PATH="$libraries/pkgconfig" LD_LIBRARY_PATH="$libraries"
# shellcheck disable=SC2046
cc -std=c99 "$top/tests/examples/sort.c" $(pkg-config --cflags --libs gpcl) -o sort
ldd sort | grep -F "$prefix" || fail "the program takes another library"
./sort
echo "installed, moved and used"
