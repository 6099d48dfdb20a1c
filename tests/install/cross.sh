#!/bin/sh
# cross.sh SYSTEM...: builds the library and the command for another system, and runs them on "host": selftest, the examples, and
# a .npy file, which has the same bytes everywhere. Systems are Linux on s390x, arm64, i386 and riscv64, under qemu-user where
# this processor can't run them; musl, by zig (PyPI's ziglang), with musl's loader; and windows, by MinGW under Wine. Without
# Highway, whose library only this machine's own system has here.
# Exits with 77 where a compiler or what runs programs is missing. Each build stays in build/cross/SYSTEM for the next time.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
export GPCL_DEVICE=host GPCL_TUNING=off GPCL_PLACES=off
fail() { echo "FAILED: $*" && exit 1; }
skipped=
# shellcheck disable=SC2086
run() { $runs "$@"; }

for system in "$@"; do
    name=Linux program=
    case $system in
    s390x | riscv64) triplet=$system-linux-gnu machine=$system ;;
    arm64) triplet=aarch64-linux-gnu machine=aarch64 ;;
    i386) triplet=i686-linux-gnu machine=i386 ;;
    musl) triplet=x86_64-linux-musl machine=x86_64 ;;
    windows) triplet=x86_64-w64-mingw32 machine=x86_64 name=Windows program=.exe ;;
    *) fail "no system '$system' in cross.sh" ;;
    esac
    cc=$triplet-gcc cxx=$triplet-g++
    loader=/usr/$triplet/lib/ld-linux.so.2 # of i386
    if [ $name = Windows ]; then
        cc=$cc-posix cxx=$cxx-posix runs=wine
    elif [ "$system" = musl ]; then
        cc="zig cc -target $triplet" cxx="zig c++ -target $triplet" runs=/lib/ld-musl-x86_64.so.1
    elif "$loader" --version >/dev/null 2>&1; then
        runs="$loader --library-path /usr/$triplet/lib"
    else
        runs="qemu-$machine -L /usr/$triplet"
    fi
    missing=
    for tool in "${cxx%% *}" "${runs%% *}"; do command -v "$tool" >/dev/null || missing="$missing $tool"; done
    if [ -n "$missing" ]; then
        echo "SKIPPED: $system: no$missing"
        skipped=yes
        continue
    fi
    build=$top/build/cross/$system
    mkdir -p "$build"
    set_of_system=
    case $system in
    musl | windows)
        # Debian's cross compilers look into /usr/include by themselves. These must not, for the C library's headers there.
        found=$build/headers
        mkdir -p "$found/include" "$found/share"
        cp -Rp /usr/include/CL /usr/include/CLI /usr/include/nlohmann /usr/include/xxh*.h "$found/include"
        cp -Rp /usr/share/cmake "$found/share"
        set_of_system="-DCMAKE_FIND_ROOT_PATH=$found -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
            -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY"
        ;;
    esac
    # zig's stand-in for libc.so has all variables at one address. A program without -fPIE would copy them there: stderr is
    # stdin, and environ is overwritten.
    [ "$system" != musl ] || set_of_system="$set_of_system -DCMAKE_POSITION_INDEPENDENT_CODE=ON"
    if [ $name = Windows ]; then
        export WINEPATH="$build" WINEDEBUG=-all WINEPREFIX="$build/wine"
        set_of_system="$set_of_system -DCMAKE_EXE_LINKER_FLAGS=-static -DCMAKE_SHARED_LINKER_FLAGS=-static"
    fi
    # shellcheck disable=SC2086
    cmake -S "$top" -B "$build" -G Ninja -DCMAKE_SYSTEM_NAME=$name -DCMAKE_SYSTEM_PROCESSOR="$machine" $set_of_system \
        -DCMAKE_C_COMPILER="$(echo "$cc" | tr ' ' ';')" -DCMAKE_CXX_COMPILER="$(echo "$cxx" | tr ' ' ';')" \
        -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS=-O1 -DCMAKE_CXX_FLAGS=-O1 -DGPCL_UNITY=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
        -DGPCL_WERROR=ON -DGPCL_TESTS=OFF -DGPCL_HIGHWAY=OFF
    cmake --build "$build" --parallel "$(nproc)"
    command=$build/bindings/cli/gpcl$program
    run "$command" selftest

    # On i386 also as other machines of 32 bits align numbers of 64.
    for alignment in -O0 $([ "$system" != i386 ] || echo -malign-double); do
        $cc -std=c11 "$alignment" -c -I"$top/include" "$top/tests/abi/layout.c" -o "$build/layout.o" # zig lacks -fsyntax-only
    done
    # With -O1: else zig adds checks that call what this musl lacks.
    for example in sort scan chain matmul paths errors; do
        $cc -std=c99 -O1 -I"$top/include" "$top/tests/examples/$example.c" -L"$build" -lgpcl -lm \
            -Wl,-rpath,"$build" -o "$build/$example$program"
        run "$build/$example$program" >/dev/null || fail "$system: example $example"
    done
    cp "$top/tests/data/flight_delays_i32.npy" "$build"
    (cd "$build" && run "$command" sort flight_delays_i32.npy sorted.npy)
    /usr/bin/python3 - "$build" <<END || fail "$system: the sorted file"
import numpy, sys
given, got = (numpy.load(f"{sys.argv[1]}/{name}.npy") for name in ("flight_delays_i32", "sorted"))
numpy.testing.assert_array_equal(got, numpy.sort(given))
END
    echo "$system: ok"
done
[ -z "$skipped" ] || exit 77
