#!/bin/sh
# "auto" beside the host and the device: auto.sh [--several SELECTOR] [--from POWER] [--to POWER] [OPERATION...]
#
# Prints a line for each operation and n, powers of 4 from 1 to 2^28: microseconds of a call on host memory by each, and
# auto's over the better one's. `gpcl tune all --device auto` beforehand has it measure the whole model; without it calls
# measure what they need. --several: the devices that SELECTOR names as one context beside the first of them, such as
# "gpu*". $GPCL_BUILD is the folder of a build, build/release unless it is set.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${GPCL_BUILD:-$top/build/release}" && pwd)
out=$top/build/peers
mkdir -p "$out"
"${CXX:-c++}" -O2 -std=c++20 -Wall -Wextra -I"$top/include" "$top/tests/bench/auto.cpp" -o "$out/auto" -L"$build" -lgpcl \
    -Wl,-rpath,"$build"
exec "$out/auto" "$@"
