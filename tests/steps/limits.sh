#!/bin/sh
# limits.sh BUILD: the operations' tests on small arrays of two types, on PoCL under every combination of GPCL_LIMITS. Those that
# an operation asks for at a few places alone are together. Prints what fails.
# SPDX-License-Identifier: MIT
set -u
build=$1
here=$(cd "$(dirname "$0")/.." && pwd)
export GPCL_TEST_PROBE="$build/tests/gpcl-test-probe" GPCL_TUNING=off GPCL_TEST_MAX_N=300
"$GPCL_TEST_PROBE" "Portable Computing Language" || { echo "SKIPPED: no PoCL here"; exit 77; }
filter='*/int32.*:*/float32.*:*Errors*:*Safety*:Gather.*:Select.*:SortBy.*:SortRows.*:SortSegments.*:Transform.*:Transpose.*'
failed=0
for group in 1 8 64 256 4096; do
    for local in 16384 65536; do
        for buffer in 134217728 1000000000000; do
            for queue in "" ,out-of-order; do
                for more in "" ,no-float64,no-images,no-int64-atomics,no-forward-progress,sub-group=16; do
                    limits=work-group=$group,local=$local,buffer=$buffer$queue$more
                    name=pocl-small # what it may refuse
                    if [ $group = 1 ]; then name=pocl-group1; fi
                    for program in "$build"/tests/gpcl-ops-*-test; do
                        case $program in *parameters* | *forms* | *stream*) continue ;; esac
                        GPCL_TEST_LIMITS=$limits "$here/support/on.sh" $name "$program" \
                            --gtest_brief=1 "--gtest_filter=$filter" >"$build/limits.log" 2>&1 && continue
                        failed=$((failed + 1))
                        echo "FAILED: GPCL_LIMITS=$limits $(basename "$program")"
                        cat "$build/limits.log"
                    done
                done
            done
        done
    done
done
[ $failed = 0 ]
