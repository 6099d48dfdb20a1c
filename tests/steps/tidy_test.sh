#!/bin/sh
# tidy.py checks what changed, a comment included, and again what failed; with --all everything. clang-tidy is a script here.
# SPDX-License-Identifier: MIT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/lib" "$work/build"
cat >"$work/bin/clang-tidy" <<'END'
#!/bin/sh
for last; do :; done
[ "$1" = --version ] && echo "version 1" && exit
if grep -q WRONG "$last"; then echo "$last:1:1: error: wrong" && exit 1; fi
END
chmod +x "$work/bin/clang-tidy"
PATH=$work/bin:$PATH
cd "$work"
echo "Checks: none" >.clang-tidy
echo "int a; // NOLINT" >lib/a.cpp
echo "int b;" >lib/b.cpp
cat >build/compile_commands.json <<END
[{"directory": "$work/build", "command": "ccache c++ -o a.o -c ../lib/a.cpp", "file": "$work/lib/a.cpp"},
 {"directory": "$work/build", "command": "c++ -c ../lib/b.cpp -o b.o", "file": "$work/lib/b.cpp"},
 {"directory": "$work/build", "command": "c++ -c ../other/c.cpp -o c.o", "file": "$work/other/c.cpp"}]
END
expect() { # expect STATUS LAST-LINE [ARGUMENT]
    status=0
    "$here/tidy.py" ${3:+"$3"} build lib >said || status=$?
    [ "$status" = "$1" ] && [ "$(tail -n 1 said)" = "$2" ] || { echo "FAILED: expected $1, $2; got $status" && cat said && exit 1; }
}
expect 0 "2 files, 2 checked, 0 failed"
expect 0 "2 files, 0 checked, 0 failed"
expect 0 "2 files, 2 checked, 0 failed" --all
echo "int a;" >lib/a.cpp
expect 0 "2 files, 1 checked, 0 failed"
echo "int b; // WRONG" >lib/b.cpp
expect 1 "2 files, 1 checked, 1 failed"
expect 1 "2 files, 1 checked, 1 failed"
grep -q "b.cpp:1:1: error: wrong" said || { echo "FAILED: the error is not shown" && exit 1; }
echo "Checks: other" >.clang-tidy
echo "int b;" >lib/b.cpp
expect 0 "2 files, 2 checked, 0 failed"
echo "Checks: of lib" >lib/.clang-tidy
expect 0 "2 files, 2 checked, 0 failed"
if "$here/tidy.py" build none >said 2>&1; then echo "FAILED: no file at all passes" && exit 1; fi
# What CMake makes of several files is checked, wherever it lies.
mkdir build/Unity
echo '#include "../../lib/a.cpp" // WRONG' >build/Unity/unity_0_cxx.cxx
cat >build/compile_commands.json <<END
[{"directory": "$work/build", "command": "c++ -c Unity/unity_0_cxx.cxx -o u.o", "file": "$work/build/Unity/unity_0_cxx.cxx"}]
END
expect 1 "1 files, 1 checked, 1 failed"
