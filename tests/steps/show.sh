#!/bin/sh
# show.sh LOG: why a step failed: the lines that name errors first, then the end of the log. What says nothing, such as
# clang-tidy's counts of warnings that it does not show, is left out.
# SPDX-License-Identifier: MIT
set -u
plain=$(mktemp)
trap 'rm -f "$plain"' EXIT
grep -avE '^[0-9]+ warnings?( and [0-9]+ errors?)? (generated|treated as errors?)\.?$' "$1" >"$plain"
named=$(grep -anE '(^|[^a-z])(fatal error|error|warning): |^E: |FAILED|\*\*\*Failed|: Failure$|Segmentation fault' "$plain" |
    grep -avE 'warning: .*\[-Wno-|(^|[^0-9])0 (tests )?FAILED' | head -n 40)
if [ -n "$named" ]; then
    echo "what failed (line: text):"
    printf '%s\n' "$named"
fi
echo "the end of $1:"
tail -n 60 "$plain"
