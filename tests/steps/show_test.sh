#!/bin/sh
# show.sh shows an error that stands far above the end of the log, first, and not clang-tidy's counts.
# SPDX-License-Identifier: MIT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    echo "lib/core/a.cpp:12:5: error: use nullptr [modernize-use-nullptr,-warnings-as-errors]"
    i=0
    while [ $i -lt 300 ]; do
        echo "$i warnings generated."
        echo "line $i of what worked"
        i=$((i + 1))
    done
    echo "the last line"
} >"$work/log"
"$here/show.sh" "$work/log" >"$work/shown"
fail() { echo "FAILED: $*" && cat "$work/shown" && exit 1; }
sed -n 2p "$work/shown" | grep -q 'a.cpp:12:5: error: use nullptr' || fail "the error is not first"
tail -n 1 "$work/shown" | grep -qx 'the last line' || fail "the end is not last"
if grep -q 'warnings generated' "$work/shown"; then fail "counts of warnings are shown"; fi
printf 'nothing said\n' >"$work/log"
"$here/show.sh" "$work/log" >"$work/shown"
grep -qx 'nothing said' "$work/shown" || fail "a log without errors is not shown"
