#!/bin/sh
# exports.sh LIBRARY INCLUDE LIST NM CC MAP: the library exports exactly the functions that its headers declare, MAP names no
# others, and none is among the symbols in LIST.
# SPDX-License-Identifier: MIT
set -eu
library=$1 include=$2 list=$3 nm=$4 cc=$5 map=$6
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "A" is the name of a version node, not a symbol.
"$nm" -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
printf '#include <gpcl/opencl.h>\n' | "$cc" -E -P -DGP_PARSE -I"$include" -x c - |
    grep -oE 'gp_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >"$work/declared"
grep -v '^#' "$list" | sort -u >"$work/taken"
grep -oE '^ *gp_[a-z0-9_]+;' "$map" | tr -d ' ;' | sort >"$work/named"

bad=0
report() { # report FILE TEXT
    if [ -s "$1" ]; then
        echo "$2"
        sed 's/^/    /' "$1"
        bad=1
    fi
}
comm -23 "$work/exported" "$work/declared" >"$work/undeclared"
comm -13 "$work/exported" "$work/declared" >"$work/missing"
comm -23 "$work/named" "$work/declared" >"$work/stale" # a name twice as well
comm -12 "$work/exported" "$work/taken" >"$work/clash"
report "$work/undeclared" "exported but declared in no header:"
report "$work/missing" "declared but not exported, add them to $map:"
report "$work/stale" "in $map more often than declared:"
report "$work/clash" "exported by libgphoto2 too:"
if [ ! -s "$work/declared" ]; then
    echo "no declaration found: the search above is broken"
    bad=1
fi
echo "$(wc -l <"$work/exported") symbols exported, $(wc -l <"$work/declared") declared"
exit $bad
