#!/bin/sh
# Rates by the number of devices: several.sh [--product N] [--sort N] [--turns T] [--pinned] [SELECTOR]
#
# SELECTOR, "gpu*" unless it is given, names the devices. A float32 product of N x N matrices and a sort of N uint32 keys, both
# from host memory, run on the first device, on the first two, four and so on, and on all. A line each: the median of T turns
# (3), the rate, and how many times that of one device it is. Every result is checked. N of 0 leaves one out; sizes may be
# written as 2^32. --pinned: the arrays are of gp_host_alloc. $GPCL_BUILD is the folder of a build, build/release unless it
# is set.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${GPCL_BUILD:-$top/build/release}" && pwd)
out=$top/build/peers
mkdir -p "$out"
"${CXX:-c++}" -O2 -std=c++20 -Wall -Wextra -I"$top/include" "$top/tests/bench/several.cpp" -o "$out/several" -L"$build" \
    -lgpcl -Wl,-rpath,"$build" -pthread
exec "$out/several" "$@"
