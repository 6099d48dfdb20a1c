#!/bin/sh
# Builds the documentation site with Doxygen: ./packaging/docs/site.sh FOLDER
# The first page is FOLDER/html/index.html. Any warning is an error, and so is a link that leads
# nowhere.
# SPDX-License-Identifier: MIT
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^#define GP_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/gpcl/gpcl.h | paste -sd .)
rm -rf "$out/html"
{
    cat packaging/docs/Doxyfile
    printf 'PROJECT_NUMBER = %s\nOUTPUT_DIRECTORY = "%s"\n' "$version" "$out"
} | doxygen -

cd "$out/html"
bad=0
for target in $(grep -hoE '(src|href)="[^"#:]+["#]' ./*.html | sed 's/^[^"]*"//; s/.$//' | sort -u); do
    [ -e "$target" ] || { echo "error: $target is named by a page of the site, and is not there" >&2 && bad=1; }
done
exit $bad
