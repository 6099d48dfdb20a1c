#!/bin/sh
# embed.sh [BUILD]: gpcl inside another CMake project, by add_subdirectory and by FetchContent: no
# tests and no command there, and a program that uses the shared and one that uses the static
# library; optimised where that project says nothing of it. With BUILD, a build of gpcl with
# GPCL_UNITY, most objects come from there (built.sh), and FetchContent, which brings the committed
# tree, is only configured: it would compile the same files again.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GPCL_DEVICE=host

cp -L "$top"/packaging/recipes/cmake/* "$work" # the example, and what it must not bring along
cat >>"$work/CMakeLists.txt" <<END
foreach(unwanted gpcl-command gpcl-test-support)
  if(TARGET \${unwanted})
    message(FATAL_ERROR "\${unwanted} is part of a project that only embeds gpcl")
  endif()
endforeach()
END

build=${1:-}
if [ -n "$build" ]; then
    build=$(cd "$build" && pwd)
    export CMAKE_CXX_COMPILER_LAUNCHER="$top/tests/install/built.sh;$build"
fi

try() { # try NAME CMAKE-ARGUMENTS...: neither optimised nor file by file, which is not what is tested
    name=$1
    shift
    cmake -S "$work" -B "$work/$name" -G Ninja -DGPCL="$top" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
        -DGPCL_UNITY=ON "$@"
    if [ "$name" = fetch_content ] && [ -n "$build" ]; then echo "$name: configured" && return; fi
    cmake --build "$work/$name" --parallel "$(nproc)"
    "$work/$name/uses_gpcl"
    "$work/$name/uses_gpcl_static"
    echo "$name: ok"
}
try add_subdirectory

# optimised NAME FLAG CMAKE-ARGUMENTS...: gpcl's files are compiled with FLAG as the last of its kind
optimised() {
    name=$1 flag=$2
    shift 2
    cmake -S "$work" -B "$work/$name" -G Ninja -DGPCL="$top" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" \
        >/dev/null
    grep '"command":.*/lib/host/matmul\.cpp' "$work/$name/compile_commands.json" >"$work/$name/command"
    last=$(grep -oE ' -O[^ ]*' "$work/$name/command" | tail -n 1)
    [ "$last" = " $flag" ] || { echo "FAILED: $name: compiled with '$last'; expected $flag" && exit 1; }
    echo "$name: ok"
}
optimised no_build_type -O2
optimised no_build_type_but_flags -O1 -DCMAKE_CXX_FLAGS=-O1
optimised build_type_of_user -O0 -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0
if git -c safe.directory='*' -C "$top" rev-parse HEAD >/dev/null 2>&1; then
    try fetch_content "-DGPCL_REPOSITORY=$top"
else
    echo "fetch_content: skipped, this is no clone"
fi
