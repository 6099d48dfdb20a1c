#!/bin/sh
# moved.sh BASELINE LIBRARY ABIDIFF: abidiff must report a member of gp_sort_options that has moved.
# SPDX-License-Identifier: MIT
set -eu
moved=$(mktemp)
trap 'rm -f "$moved" "$moved.out"' EXIT
sed "/name='gp_sort_options' size/,/<\\/class-decl>/{
    s/layout-offset-in-bits='128'/layout-offset-in-bits='there'/
    s/layout-offset-in-bits='192'/layout-offset-in-bits='128'/
    s/layout-offset-in-bits='there'/layout-offset-in-bits='192'/
}" "$1" >"$moved"
if cmp -s "$1" "$moved"; then echo "nothing was moved: look at the line above" && exit 1; fi
if "$3" --no-added-syms "$moved" "$2" >"$moved.out"; then
    echo "not seen" && exit 1
fi
grep 'offset changed' "$moved.out"
