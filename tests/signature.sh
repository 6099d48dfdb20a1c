#!/bin/sh
# Calls on buffers are repeated by their signature (lib/cl/signature.h). A member of an options structure that points to
# something counts by what it points to, so each one is named there.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."
pointers=$(awk '/^typedef struct gp_[a-z0-9_]*_options \{/ {inside = 1; next}
    /^\} gp_/ {inside = 0}
    inside && match($0, /^ +[a-z][a-z0-9_ ]*\*+[a-z0-9_]+;/) {
        member = substr($0, RSTART, RLENGTH); sub(/;$/, "", member); sub(/.*[* ]/, "", member); print member
    }' include/gpcl/gpcl.h | sort -u)
count=$(echo "$pointers" | wc -l)
if [ "$count" -lt 20 ]; then
    echo "$count pointers found in the options of gpcl.h: this check has lost its object"
    exit 1
fi
bad=0
for member in $pointers; do
    if ! grep -q "requires { options\.$member; }" lib/cl/signature.h; then
        echo "lib/cl/signature.h does not name the pointer $member of an options structure"
        bad=1
    fi
done
[ "$bad" = 0 ] && echo "the signature of calls names all $count pointers in options"
exit "$bad"
