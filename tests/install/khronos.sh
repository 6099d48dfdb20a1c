#!/bin/sh
# khronos.sh [FOLDER]: Khronos' own headers and loader serve as well as Debian's. FOLDER (or GPCL_KHRONOS) holds their source
# trees, OpenCL-Headers and OpenCL-ICD-Loader, as on Khronos' site; exits with 77 without one.
# SPDX-License-Identifier: MIT
set -eu
sources=${1:-${GPCL_KHRONOS:-}}
[ -n "$sources" ] || { echo "SKIPPED: GPCL_KHRONOS names no folder with Khronos' sources" && exit 77; }
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
build() { # build SOURCE NAME CMAKE-ARGUMENTS...: without optimisation, which is not what is tested
    source=$1 name=$2
    shift 2
    cmake -S "$source" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@"
    cmake --build "$work/$name" --parallel "$(nproc)"
}
build "$sources/OpenCL-Headers" headers -DBUILD_TESTING=OFF
cmake --install "$work/headers"
build "$sources/OpenCL-ICD-Loader" loader -DBUILD_TESTING=OFF
cmake --install "$work/loader"
build "$top" gpcl -DGPCL_TESTS=OFF

grep '^OpenCL_' "$work/gpcl/CMakeCache.txt"
for found in INCLUDE_DIR LIBRARY; do
    grep -q "^OpenCL_$found:[A-Z]*=$prefix/" "$work/gpcl/CMakeCache.txt" || { echo "FAILED: not Khronos' $found" && exit 1; }
done
export LD_LIBRARY_PATH="$prefix/lib"
gpcl=$work/gpcl/bindings/cli/gpcl
"$gpcl" info
"$gpcl" selftest --device host --max-n 1000
if ! LD_DEBUG=files "$gpcl" info 2>&1 | grep -q "calling init: $prefix/lib/libOpenCL"; then
    echo "FAILED: another loader served" && exit 1
fi
if [ -e /etc/OpenCL/vendors/pocl.icd ]; then
    "$gpcl" selftest --device cpu --max-n 100 --only int32
else
    echo "without a device: PoCL is not installed"
fi
