#!/bin/sh
# clang.sh FOLDER [COMPILER]: builds the products of "host" with clang++, into FOLDER, and runs them.
# Exits with 77 where there is none.
# SPDX-License-Identifier: MIT
set -eu
compiler=${2:-clang++}
command -v "$compiler" >/dev/null || { echo "skipped: no $compiler here" && exit 77; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
"$compiler" --version | head -n 1
"$compiler" -std=c++20 -O1 -pthread -Wall -Wextra -Wconversion -Werror -Ilib -Iinclude -DGPCL_BUILD \
    -DGPCL_VERSION=\"0\" -o "$out/host_matmul" tests/clang/host_matmul.cpp lib/host/gemm.cpp lib/host/matmul.cpp \
    lib/host/matmul_lanes.cpp lib/host/matmul_vector.cpp \
    lib/core/dtype.cpp lib/core/error.cpp lib/core/files.cpp lib/core/pool.cpp lib/core/scratch.cpp lib/core/system_posix.cpp lib/core/threads.cpp
"$out/host_matmul"
