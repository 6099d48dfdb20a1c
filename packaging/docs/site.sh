#!/bin/sh
# Builds the documentation site with Doxygen: ./packaging/docs/site.sh FOLDER     (FOLDER/html/index.html)
# Any warning is an error.
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
