#!/bin/sh
# Writes the source archive of the committed tree, from which both kinds of package are built:
#   ./packaging/source.sh FOLDER     makes FOLDER/gpcl-VERSION.tar.gz and prints VERSION and the time of the commit
# The same commit gives the same bytes.
# SPDX-License-Identifier: MIT
set -eu
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
git() { command git -c safe.directory="$PWD" "$@"; } # as root in a user's clone
version=$(git show HEAD:include/gpcl/gpcl.h |
    sed -n 's/^#define GP_VERSION_[A-Z]* \([0-9]*\)$/\1/p' | paste -sd .)
git -c tar.umask=0022 archive --format=tar --prefix="gpcl-$version/" HEAD | gzip -9n >"$folder/gpcl-$version.tar.gz"
echo "$version $(git log -1 --format=%ct)"
