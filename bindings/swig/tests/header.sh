#!/bin/sh
# header.sh HEADER: every function of the header must be called by the classes, named in gpcl.i, or listed in
# not_wrapped.txt; so that a new one is not forgotten. Constants and structures follow by themselves, but for members of
# options that point to memory: these must be known here too, as structure::member.
# SPDX-License-Identifier: MIT
set -u
here=$(cd "$(dirname "$0")" && pwd)
missing=0
for function in $(sed -n 's/^GP_API .*[ *]\(gp_[a-z0-9_]*\)(.*/\1/p' "$1"); do
    if ! grep -qw "$function" "$here/../classes.h" "$here/../data.h" "$here/../gpcl.i" "$here/not_wrapped.txt"; then
        echo "$function is in the header, but neither wrapped nor in not_wrapped.txt"
        missing=1
    fi
done
for member in $(sed -n '/^typedef struct gp_[a-z_]*_options {/,/^}/{
        s/^typedef struct \(gp_[a-z_]*\) {.*/\1/p
        s/^    const char \*.*//
        s/^    \(const \)\{0,1\}[a-z0-9_]* \*\{1,2\}\([a-z_]*\);.*/::\2/p
    }' "$1" | awk '/^gp_/ { structure = $0 } /^::/ { print structure $0 }'); do
    if [ "${member#*::}" != event ] && ! grep -qw "$member" "$here/../gpcl.i" "$here/not_wrapped.txt"; then
        echo "$member is in the header, but neither in gpcl.i nor in not_wrapped.txt"
        missing=1
    fi
done
for function in $(grep -o '^gp_[a-z0-9_]*$' "$here/not_wrapped.txt"); do
    if grep -qw "$function" "$here/../classes.h" || ! grep -qw "$function" "$1"; then
        echo "$function is in not_wrapped.txt for no reason"
        missing=1
    fi
done
exit $missing
