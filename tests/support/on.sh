#!/bin/sh
# on.sh IMPLEMENTATION COMMAND...: runs a test on one of the cases below; 77 (skipped) when that is not
# installed. GPCL_TEST_PROBE is the program built from probe.c.
# SPDX-License-Identifier: MIT
set -u
implementation=$1
shift
here=$(cd "$(dirname "$0")" && pwd)

# Sanitizers: our own code has no suppressions.
# LLVM, in a driver's thread, brings its own stack for signals. GPCL_TEST_LEAKS=0: without the search for leaks.
export ASAN_OPTIONS="use_sigaltstack=0:detect_leaks=${GPCL_TEST_LEAKS:-1}"
export LSAN_OPTIONS="suppressions=$here/lsan.supp:print_suppressions=0"
export TSAN_OPTIONS="suppressions=$here/tsan.supp:ignore_noninstrumented_modules=1:halt_on_error=0"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
if [ -n "${GPCL_CACHE_DIR:-}" ]; then mkdir -p -m 700 "$GPCL_CACHE_DIR"; fi
rm -f "${GTEST_OUTPUT:+${GTEST_OUTPUT#json:}}" # a program that crashes must not be counted by its last run

need() { # need TEXT: a platform or device whose name has TEXT in it
    if ! "$GPCL_TEST_PROBE" "$1"; then
        echo "skipped: no $implementation here (OpenCL lists no \"$1\")"
        exit 77
    fi
}

# PoCL builds every kernel a second time for whoever asks for a program's binary, and has a cache of its own: ours is on only
# where it is what is tested.
pocl_cache=${GPCL_TEST_CACHE:-off}

# Most of PoCL's time goes into optimising kernels that then run for milliseconds. GPCL_TEST_OPTIMISER=off spares half of it;
# tests/CMakeLists.txt says which entries have that. run.sh --long optimises all.
# PoCL 3.1 then loses work-items in a kernel that has returned early for some work-groups, where && stands behind its last
# barrier; onesweep.cl avoids that.
optimiser=${GPCL_TEST_OPTIMISER:-on}
if [ "${GPCL_TEST_LONG:-0}" = 1 ]; then optimiser=on; fi
# On the CPU the host does calls on host pointers, and no kernel runs. All entries but pocl-host leave them to the device.
always=no-host
if [ $optimiser = off ]; then always=$always,no-optimiser; fi
export GPCL_LIMITS=$always

# Under which name tests/ops/manifest lists it; what an NVIDIA GPU is called there, its device tells.
if [ "$implementation" != nvidia ]; then export GPCL_TEST_IMPLEMENTATION="$implementation"; fi

# What runs kernels slowly sweeps all types in run.sh --long alone.
case $implementation in
rusticl | oclgrind*) if [ "${GPCL_TEST_LONG:-0}" != 1 ]; then unset GPCL_TEST_TYPES; fi ;;
esac

case $implementation in
host)
    export GPCL_DEVICE=host
    ;;
host-portable) # as on a CPU without vectors beyond what everything is compiled for
    export GPCL_DEVICE=host GPCL_FEATURES=portable GPCL_TEST_IMPLEMENTATION=host
    ;;
pocl)
    need "Portable Computing Language"
    export GPCL_DEVICE="Portable Computing Language" GPCL_CACHE="$pocl_cache"
    ;;
pocl-host) # as users have it
    need "Portable Computing Language"
    export GPCL_DEVICE="Portable Computing Language" GPCL_CACHE="$pocl_cache"
    unset GPCL_LIMITS
    ;;
pocl-gpu) # as if the device were a GPU: what is chosen there by default
    need "Portable Computing Language"
    export GPCL_DEVICE="Portable Computing Language" GPCL_LIMITS="gpu,$always" GPCL_CACHE="$pocl_cache"
    export GPCL_TEST_IMPLEMENTATION=pocl
    ;;
pocl-group1) # as if the device allowed work-groups of one work-item only
    need "Portable Computing Language"
    export GPCL_DEVICE="Portable Computing Language" GPCL_CACHE="$pocl_cache"
    export GPCL_LIMITS="work-group=1,$always"
    export GPCL_TEST_MAX_N="${GPCL_TEST_MAX_N:-5000}"
    ;;
pocl-several2 | pocl-several3) # a context of two or three devices, to which every call of two elements is dealt out
    need "Portable Computing Language"
    case $implementation in
    pocl-several2) export POCL_DEVICES="pthread pthread" ;;
    pocl-several3) export POCL_DEVICES="pthread pthread pthread" ;;
    esac
    export GPCL_DEVICE="Portable Computing Language*" GPCL_DEAL="${GPCL_DEAL:-1}" GPCL_CACHE="$pocl_cache"
    export GPCL_TEST_IMPLEMENTATION=pocl GPCL_TEST_MAX_N="${GPCL_TEST_MAX_N:-5000}"
    ;;
pocl-small | pocl-plain | pocl-limits) # as if the device had less than it has; the first two have each limit once between them
    need "Portable Computing Language"
    export GPCL_DEVICE="Portable Computing Language" GPCL_CACHE="$pocl_cache" GPCL_TEST_MAX_N="${GPCL_TEST_MAX_N:-3000}"
    case $implementation in
    pocl-small) limits=work-group=64,local=16384,buffer=134217728,no-float64,no-images ;;
    pocl-plain) limits=work-group=256,sub-group=8,no-int64-atomics,no-forward-progress,out-of-order ;;
    pocl-limits) limits=$GPCL_TEST_LIMITS ;; # of steps/limits.sh; the manifest lets algorithms refuse there
    esac
    export GPCL_LIMITS="$limits,$always"
    ;;
intel | intel-portable | intel-sub-groups | intel-portable-small | intel-gpu) # Intel's OpenCL runtime for CPUs, in a folder that README.md describes
    folder=${GPCL_INTEL_OPENCL:-}
    if [ ! -f "$folder/libintelocl.so" ]; then
        echo "skipped: no Intel runtime here (GPCL_INTEL_OPENCL names no folder with libintelocl.so)"
        exit 77
    fi
    export OCL_ICD_VENDORS="$folder/libintelocl.so" LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    need "Intel(R) OpenCL"
    export GPCL_DEVICE="Intel(R) OpenCL"
    case $implementation in
    intel-portable-small) export GPCL_FEATURES=portable GPCL_LIMITS="work-group=64,$always" ;; # the shapes of small devices
    intel-gpu) # what is chosen on a GPU by default
        export GPCL_FEATURES=portable GPCL_LIMITS="gpu,$always" GPCL_TEST_IMPLEMENTATION=intel-portable
        ;;
    intel-*) export GPCL_FEATURES="${implementation#intel-}" ;;
    esac
    ;;
rusticl)
    export RUSTICL_ENABLE=llvmpipe
    need llvmpipe
    export GPCL_DEVICE=llvmpipe
    export GPCL_TEST_MAX_N="${GPCL_TEST_MAX_N:-5000}"
    ;;
nvidia)
    need "NVIDIA CUDA"
    export GPCL_DEVICE="NVIDIA CUDA"
    ;;
oclgrind | oclgrind-portable) # a simulator that sees data races, uninitialised reads and accesses out of bounds
    for driver in /usr/lib/oclgrind /usr/lib/*/oclgrind /usr/local/lib/oclgrind; do
        if [ -f "$driver/liboclgrind-rt-icd.so" ]; then export OCL_ICD_VENDORS="$driver/liboclgrind-rt-icd.so"; fi
    done
    need Oclgrind
    if [ "$implementation" = oclgrind-portable ]; then export GPCL_FEATURES=portable; fi
    report=$(mktemp)
    trap 'rm -f "$report"' EXIT
    export GPCL_DEVICE=Oclgrind GPCL_TEST_MAX_N="${GPCL_TEST_MAX_N:-100}"
    export OCLGRIND_DATA_RACES=1 OCLGRIND_MAX_ERRORS=20 OCLGRIND_LOG="$report"
    # Oclgrind 21.10 crashes in this check on some kernels (in Uninitialized::instructionExecuted).
    if [ "${GPCL_TEST_UNINITIALIZED:-0}" = 1 ]; then export OCLGRIND_UNINITIALIZED=1; fi
    "$@"
    status=$?
    if [ -s "$report" ]; then
        echo "Oclgrind reports:"
        cat "$report"
        exit 1
    fi
    exit $status
    ;;
*)
    echo "on.sh: unknown implementation '$implementation'" >&2
    exit 2
    ;;
esac
# A folder with a sanitized library, which takes the place of the one that the program was built with.
if [ -n "${GPCL_TEST_LIBRARY:-}" ]; then
    set -- env LD_LIBRARY_PATH="$GPCL_TEST_LIBRARY${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
        LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" "$@"
fi
case $implementation in
pocl-several*) ;;
*) [ "${GPCL_TEST_SANITIZED:-0}" = 1 ] || exec "$@" ;;
esac

# GCC 12's LeakSanitizer crashes now and then at the end of a program that has PoCL's threads, when its tests are over ("Tracer
# caught signal 11"). Where it did, the program runs again without the search for leaks. PoCL 3.1 was seen to abort where
# several of its devices run kernels at once, since it had lost count of who uses one; then the program runs again, once.
folder=$(mktemp -d)
mkfifo "$folder/pipe"
tee "$folder/errors" <"$folder/pipe" >&2 &
"$@" 2>"$folder/pipe"
status=$?
wait $!
grep -q "LeakSanitizer has encountered a fatal error" "$folder/errors" && crashed=1 || crashed=0
grep -q "pocl_release_dlhandle_cache: Assertion" "$folder/errors" && aborted=1 || aborted=0
rm -r "$folder"
if [ $status -ne 0 ] && [ $aborted = 1 ]; then
    echo "once more, since PoCL aborted"
    exec "$@"
fi
if [ $status -ne 0 ] && [ $crashed = 1 ]; then
    echo "once more, without the search for leaks"
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
    exec "$@"
fi
exit $status
