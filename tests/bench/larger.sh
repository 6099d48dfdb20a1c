#!/bin/sh
# Calls on more than a bound on device memory: larger.sh [MIB] [--factor F]... [--turns T] [OPERATION...]
#
# Prints the rates of sort, scan and product of host memory by size beside those of a context without a bound. MIB is the
# bound, 64 unless it is given; 8192 is one for a GPU. F: bytes of all arrays in bounds; from a fourth to 16 unless some are
# given. Best of T turns (3). Every result is checked. $GPCL_BUILD is the folder of a build, build/release unless it is set.
# GPCL_DEVICE names the device.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${GPCL_BUILD:-$top/build/release}" && pwd)
out=$top/build/peers
mkdir -p "$out"
"${CXX:-c++}" -O2 -std=c++20 -Wall -Wextra -I"$top/include" "$top/tests/bench/larger.cpp" -o "$out/larger" -L"$build" \
    -lgpcl -Wl,-rpath,"$build" -pthread
exec "$out/larger" "$@"
