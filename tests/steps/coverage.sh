#!/bin/sh
# coverage.sh [ENTRIES]: what of lib/ the tests reach, and which checks of arguments none trips (coverage.py). Builds preset
# "coverage" and runs the entries of ctest that a regular expression names, on arrays of at most GPCL_TEST_MAX_N elements, 20000
# unless it is set; by default those of "host" and PoCL, and the few that trip what others can't. Fails where a check is not
# tripped that "untripped" does not explain.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/../.."
build=$PWD/build/coverage
jobs=$(nproc)
command -v gcovr >/dev/null || { echo "SKIPPED: no gcovr here" && exit 77; }
cmake --preset coverage
cmake --build --preset coverage --parallel "$jobs"
c++ -std=c++20 -shared -fPIC -O1 tests/steps/throws.cpp -o "$build/throws.so"
find "$build" -name '*.gcda' -delete
: >"$build/throws"
run() { # run CTEST-ARGUMENTS...: a test that fails counts where it is run for its own sake
    GPCL_TEST_THROWS=$build/throws LD_PRELOAD=$build/throws.so GPCL_TEST_OPTIMISER=off \
        ctest --test-dir "$build" --output-on-failure --parallel "$jobs" "$@" || true
}
bound=${GPCL_TEST_MAX_N:-20000}
if [ $# -gt 0 ]; then
    GPCL_TEST_MAX_N=$bound run -R "$1"
else
    GPCL_TEST_MAX_N=$bound run -E '/ops/larger' \
        -R '^(host|pocl)/(api|ops|faults|denied|lies)/|^pocl-several[23]/api/|^rusticl/api/error$|^kernels/features$'
    GPCL_TEST_MAX_N=1100000 run -R '^pocl/ops/larger$'
fi
# Branches that an exception takes stand behind nearly every call, and are no decision of the source's.
gcovr --root . --object-directory "$build" --filter 'lib/' --exclude-throw-branches --exclude-unreachable-branches \
    --json "$build/coverage.json" "$build/CMakeFiles/gpcl_objects.dir"
tests/steps/coverage.py "$build/coverage.json" "$build/throws"
