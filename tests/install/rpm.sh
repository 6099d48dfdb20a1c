#!/bin/sh
# rpm.sh FOLDER: installs the packages in FOLDER, made by packaging/rpm.sh, into a tree of their own, verifies them, runs the
# command, compiles and runs a program against them, runs Python's quick start, and removes them without a trace.
# Exits with 77 where rpm is missing.
# SPDX-License-Identifier: MIT
set -eu
folder=$(cd "$1" && pwd)
tests=$(cd "$(dirname "$0")/../../packaging/debian/tests" && pwd)
fail() { echo "FAILED: $*" && exit 1; }
command -v rpm >/dev/null || { echo "SKIPPED: needs rpm" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
binaries=$(ls "$folder"/*.rpm | grep -v '\.src\.rpm$')
# --nodeps: a tree without a base system. --noscripts: ldconfig is not in it.
in_tree() { rpm --root "$tree" --nodeps --noscripts "$@"; }

mkdir "$tree"
rpm --root "$tree" --initdb
# shellcheck disable=SC2086
in_tree -i $binaries
for function in $("$tests/../../docs/reference.py" functions); do
    [ -e "$tree/usr/share/man/man3/$function.3.gz" ] || fail "$function has no manual page"
done
names=$(rpm --root "$tree" -qa | sort)
echo "$names"
# shellcheck disable=SC2086
in_tree -V $names
libraries=$(dirname "$(find "$tree" -name libgpcl.so)")
export LD_LIBRARY_PATH="$libraries" GPCL_DEVICE=host
"$tree/usr/bin/gpcl" selftest
"$tree/usr/bin/gpcl" demo --keys 100000 >/dev/null

example=$(find "$tree" -path '*examples/sort.c')
export PKG_CONFIG_PATH="$libraries/pkgconfig"
# shellcheck disable=SC2046
{
    cc -std=c99 "$example" $(pkg-config --cflags --libs gpcl) -o "$work/shared"
    cc -std=c99 "$example" $(pkg-config --static --cflags --libs gpcl | sed 's/-lgpcl/-l:libgpcl.a/') -o "$work/static"
}
ldd "$work/shared" | grep -q "$libraries" || fail "the program runs with another libgpcl"
"$work/shared"
env -u LD_LIBRARY_PATH "$work/static"

package=$(dirname "$(find "$tree" -name '_native*.so')")
if objdump -p "$package"/_native*.so | grep -E 'RPATH|RUNPATH'; then fail "the Python module names a folder of its build"; fi
PATH=/usr/bin:$PATH PYTHONPATH=$(dirname "$package") PYTHONDONTWRITEBYTECODE=1 \
    "$tests/python" "$(find "$tree" -path '*doc/python3-gpcl*/README.md')" >"$work/log" || { cat "$work/log" && fail "Python"; }
cat "$work/log"
grep -q "$tree" "$work/log" || fail "Python took another gpcl"

# shellcheck disable=SC2086
in_tree -e $names
left=$(find "$tree" -iname '*gpcl*')
[ -z "$left" ] || fail "removal left behind:" "$left"
echo "installed, verified, used and removed"
