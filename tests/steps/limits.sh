#!/bin/sh
# limits.sh BUILD [ROW]: the operations' tests on small arrays of two types, on PoCL under GPCL_LIMITS. In a covering array of
# limits every two values of every two of them stand together in some row. With ROW that one alone. Prints what fails.
# SPDX-License-Identifier: MIT
set -u
build=$1
only=${2:-}
here=$(cd "$(dirname "$0")/.." && pwd)
export GPCL_TEST_PROBE="$build/tests/gpcl-test-probe" GPCL_TUNING=off GPCL_TEST_MAX_N=300
"$GPCL_TEST_PROBE" "Portable Computing Language" || { echo "SKIPPED: no PoCL here"; exit 77; }
filter='*/int32.*:*/float32.*:*Errors*:*Safety*:Gather.*:Select.*:SortBy.*:SortRows.*:SortSegments.*:Transform.*:Transpose.*'
rows=$build/limits.rows
"$build/tests/gpcl-test-pairwise-rows" 5 2 2 3 2 2 2 2 2 >"$rows" || exit 1
pick() { shift "$(($1 + 1))" && echo "$1"; } # pick INDEX WORD...
failed=0
row=0
while read -r group local buffer sub_group queue float64 images atomics progress; do
    row=$((row + 1))
    [ -z "$only" ] || [ "$row" = "$only" ] || continue
    limits=work-group=$(pick "$group" 1 8 64 256 4096),local=$(pick "$local" 16384 65536)
    limits=$limits$(pick "$buffer" ,buffer=134217728 "")$(pick "$sub_group" "" ,sub-group=16 ,sub-group=64)
    limits=$limits$(pick "$queue" "" ,out-of-order)$(pick "$float64" "" ,no-float64)$(pick "$images" "" ,no-images)
    limits=$limits$(pick "$atomics" "" ,no-int64-atomics)$(pick "$progress" "" ,no-forward-progress)
    echo "row $row: $limits"
    for program in "$build"/tests/gpcl-ops-*-test; do
        case $program in *parameters* | *forms* | *stream* | *larger*) continue ;; esac
        GPCL_TEST_LIMITS=$limits "$here/support/on.sh" pocl-limits "$program" \
            --gtest_brief=1 "--gtest_filter=$filter" >"$build/limits.log" 2>&1 </dev/null && continue
        failed=$((failed + 1))
        echo "FAILED: GPCL_LIMITS=$limits $(basename "$program")"
        cat "$build/limits.log"
    done
done <"$rows"
[ $failed = 0 ]
