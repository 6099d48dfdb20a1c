#!/bin/sh
# khronos.sh [PREFIX]: Khronos' own headers and loader serve as well as Debian's. PREFIX (or GPCL_KHRONOS) is where
# OpenCL-Headers and OpenCL-ICD-Loader are installed; exits with 77 without one.
# SPDX-License-Identifier: MIT
set -eu
prefix=${1:-${GPCL_KHRONOS:-}}
[ -n "$prefix" ] || { echo "SKIPPED: GPCL_KHRONOS names no installation of Khronos' headers and loader" && exit 77; }
prefix=$(cd "$prefix" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without optimisation, which is not what is tested.
cmake -S "$top" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_PREFIX_PATH="$prefix"
grep '^OpenCL_' "$work/CMakeCache.txt"
for found in INCLUDE_DIR LIBRARY; do
    grep -q "^OpenCL_$found:[A-Z]*=$prefix/" "$work/CMakeCache.txt" || { echo "FAILED: not Khronos' $found" && exit 1; }
done
cmake --build "$work" --parallel "$(nproc)" --target gpcl-test-probe gpcl-api-device-test gpcl-api-interop-test

loader=$(sed -n 's/^OpenCL_LIBRARY:[A-Z]*=//p' "$work/CMakeCache.txt")
LD_LIBRARY_PATH=$(dirname "$loader")
export LD_LIBRARY_PATH
if ! LD_DEBUG=files "$work/tests/gpcl-api-device-test" 2>&1 | grep "calling init: $LD_LIBRARY_PATH/libOpenCL"; then
    echo "FAILED: another loader served" && exit 1
fi
# The devices of every platform, and gpcl beside a program that uses the loader itself.
ctest --test-dir "$work" --output-on-failure --no-tests=error -L '^(host|pocl)$' -R 'api/(device|interop)$'
