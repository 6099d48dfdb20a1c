#!/bin/sh
# gpcl beside other libraries, in the same process on the same data:
# peers.sh [--quick | --by-n] [--device SEL] [--only OPERATION]
#
# Builds what it finds the libraries for (packaging/install-packages.sh peers fetches Debian's), says what is missing,
# and prints one table: rates of both, medians of runs taken alternately; ratio: how many times as fast gpcl is; limit:
# what the device's measured copy or fma allows; verified: both have the same result. --device: only that one; else the
# OpenCL CPU device and "host" beside the CPU libraries, the GPU beside those for OpenCL and CUDA; --by-n: n from 2^10 to
# 2^30, beside CUDA's. $GPCL_BUILD is the folder of a build, build/release unless it is set; peers_figures.py draws the rows
# that go to the file that $PEERS_TSV names.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/tests/bench
build=${GPCL_BUILD:-$top/build/release}
out=$top/build/peers
quick=
only=
device=
while [ $# -gt 0 ]; do
    case $1 in
    --quick | --by-n) quick=$1 ;;
    --only) only="--only ${2:?--only needs an operation}"; shift ;;
    --device) device=${2:?--device needs a name}; shift ;;
    *) sed -n '2,/^# SPDX/s/^# \{0,1\}//p' "$0" | sed '$d' >&2; exit 2 ;;
    esac
    shift
done
gpcl=$build/bindings/cli/gpcl
if [ ! -x "$gpcl" ] || [ ! -e "$build/libgpcl.so" ]; then
    echo "peers.sh: $build holds no gpcl; build it: cmake --preset release && cmake --build --preset release" >&2
    exit 1
fi
kind_of() { # SELECTOR: host, cpu, gpu, accelerator; empty where there is no such device
    "$gpcl" info --json --device "$1" 2>/dev/null | sed -n 's/^ *"kind": "\(.*\)",/\1/p' | head -1
}
if [ -n "$device" ] && [ -z "$(kind_of "$device")" ]; then
    echo "peers.sh: no device '$device'" >&2
    exit 1
fi
mkdir -p "$out"
rm -f "$out"/peers_*

# ---- What is there ----
cxx=${CXX:-c++}
host=
opencl=
missing=
find_peer() { # NAME MACRO CODE FLAGS...: sets flags, or notes what is missing
    name=$1 macro=$2 code=$3
    shift 3
    flags=
    if printf '%b\nint main() {}\n' "$code" | $cxx -std=c++20 -x c++ - -o "$out/probe" "$@" 2>"$out/probe.log"; then
        flags="-D$macro=1 $*"
    else
        missing="$missing, $name"
    fi
}
# shellcheck disable=SC2046
find_peer OpenBLAS HAVE_CBLAS '#include <cblas.h>' $(pkg-config --cflags --libs openblas 2>/dev/null || echo -lopenblas)
host="$host $flags"
find_peer "Highway vqsort" HAVE_HIGHWAY '#include <hwy/contrib/sort/vqsort.h>' -lhwy_contrib -lhwy
host="$host $flags"
find_peer TBB HAVE_TBB '#include <execution>\n#include <tbb/parallel_sort.h>' -ltbb
host="$host $flags"
find_peer CLBlast HAVE_CLBLAST '#define CL_TARGET_OPENCL_VERSION 120\n#include <clblast_c.h>' -lclblast -lOpenCL
opencl="$opencl $flags"
find_peer Boost.Compute HAVE_BOOST_COMPUTE \
    '#define CL_TARGET_OPENCL_VERSION 120\n#include <boost/compute/command_queue.hpp>' -lOpenCL
opencl="$opencl $flags"
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [ -z "$nvcc" ] || ! nvidia-smi -L >/dev/null 2>&1; then
    nvcc=
    missing="$missing, CUDA (nvcc and a GPU)"
fi
[ -z "$missing" ] || echo "missing: ${missing#, }"

# ---- Build ----
common="-O3 -std=c++20 -Wall -Wextra -I$top/include"
gpcl_link="-L$build -lgpcl -Wl,-rpath,$build"
# shellcheck disable=SC2086
{
    $cxx $common "$here/peers_host.cpp" -o "$out/peers_host" $gpcl_link $host
    if [ -n "${opencl# }" ]; then
        # Boost's own headers warn.
        $cxx $common -Wno-deprecated-declarations "$here/peers_opencl.cpp" -o "$out/peers_opencl" $gpcl_link $opencl
    fi
}
if [ -n "$nvcc" ]; then
    "$nvcc" -O3 -std=c++17 -arch=native -I"$top/include" "$here/peers_cuda.cu" -o "$out/peers_cuda" \
        -L"$build" -lgpcl -lcublas -Xlinker "-rpath=$build"
fi

# ---- Run ----
status=0
peak() { # OP DTYPE: the limit that gpcl bench measures; empty where the device lacks the type
    "$gpcl" bench "$1" --n 64 --dtype "$2" --repeat 1 --json --device "$selector" 2>/dev/null |
        sed -n 's/.*"peak":\([0-9.e+]*\).*/\1/p' | xargs -r printf '%.4g'
}
run() { # PROGRAM: its rows, where it was built
    [ -x "$out/$1" ] || return 0
    # shellcheck disable=SC2086
    "$out/$1" "$selector" $quick $only || status=1
}
for selector in ${device:-cpu host gpu}; do
    kind=$(kind_of "$selector")
    [ -n "$kind" ] || continue
    PEERS_COPY=$(peak scan int32)
    PEERS_FMA32=$(peak matmul float32)
    PEERS_FMA64=$(peak matmul float64)
    export PEERS_COPY PEERS_FMA32 PEERS_FMA64
    name=$("$gpcl" info --json --device "$selector" | sed -n 's/^ *"name": "\(.*\)",/\1/p' | head -1)
    echo
    echo "gpcl on $name [$selector], copy ${PEERS_COPY:-?} GB/s, fma ${PEERS_FMA32:-?} Gop/s, $(date -u +%Y-%m-%d)"
    printf '%-14s %-9s %10s %10s %-6s %-22s %10s %7s %10s  %s\n' operation type n gpcl '' peer peer ratio limit verified
    case $kind in
    host) run peers_host ;;
    cpu) run peers_host; run peers_opencl ;;
    *) run peers_opencl; run peers_cuda ;;
    esac
done
exit $status
