#!/bin/sh
# cross.sh SYSTEM...: builds the library and the command for another architecture (s390x, arm64, i386, riscv64), and runs them
# under qemu-user on "host": selftest, the examples, and a .npy file, which has the same bytes everywhere. Without Highway, whose
# library only this machine's architecture has here.
# Exits with 77 where a compiler or qemu-user is missing. Each build stays in build/cross/SYSTEM for the next time.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
export GPCL_DEVICE=host GPCL_TUNING=off GPCL_PLACES=off
fail() { echo "FAILED: $*" && exit 1; }
skipped=

for system in "$@"; do
    case $system in
    s390x | riscv64) triplet=$system-linux-gnu machine=$system ;;
    arm64) triplet=aarch64-linux-gnu machine=aarch64 ;;
    i386) triplet=i686-linux-gnu machine=i386 ;;
    *) fail "no architecture '$system' in cross.sh" ;;
    esac
    if ! command -v "$triplet-g++" "qemu-$machine" >/dev/null; then
        echo "SKIPPED: $system: no $triplet-g++ or no qemu-$machine"
        skipped=yes
        continue
    fi
    build=$top/build/cross/$system
    cmake -S "$top" -B "$build" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" \
        -DCMAKE_C_COMPILER="$triplet-gcc" -DCMAKE_CXX_COMPILER="$triplet-g++" -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS=-O1 -DCMAKE_CXX_FLAGS=-O1 -DGPCL_UNITY=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
        -DGPCL_WERROR=ON -DGPCL_TESTS=OFF -DGPCL_HIGHWAY=OFF
    cmake --build "$build" --parallel "$(nproc)"
    run() { "qemu-$machine" -L "/usr/$triplet" "$@"; }
    run "$build/bindings/cli/gpcl" selftest

    for alignment in -O0 $([ "$system" != i386 ] || echo -malign-double); do # as other machines of 32 bits have it
        "$triplet-gcc" -std=c11 $alignment -fsyntax-only -I"$top/include" "$top/tests/abi/layout.c"
    done
    for example in sort scan chain matmul paths errors; do
        "$triplet-gcc" -std=c99 -I"$top/include" "$top/tests/examples/$example.c" -L"$build" -lgpcl -Wl,-rpath,"$build" \
            -o "$build/$example"
        run "$build/$example" >/dev/null || fail "$system: example $example"
    done
    delays=$top/tests/data/flight_delays_i32.npy
    run "$build/bindings/cli/gpcl" sort "$delays" "$build/sorted.npy"
    /usr/bin/python3 - "$delays" "$build/sorted.npy" <<END || fail "$system: the sorted file"
import numpy, sys
numpy.testing.assert_array_equal(numpy.load(sys.argv[2]), numpy.sort(numpy.load(sys.argv[1])))
END
    echo "$system: ok"
done
[ -z "$skipped" ] || exit 77
