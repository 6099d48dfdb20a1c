#!/bin/sh
# Builds the Debian packages, binary and source, of the committed tree: ./packaging/deb.sh FOLDER
# The same commit gives the same bytes.
# SPDX-License-Identifier: MIT
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
"$here/install-packages.sh" build package
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

facts=$("$here/source.sh" "$work")
version=${facts% *}
export SOURCE_DATE_EPOCH="${facts#* }"
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-parallel=$(nproc)}"
tar -xzf "$work/gpcl-$version.tar.gz" -C "$work"
mv "$work/gpcl-$version.tar.gz" "$work/gpcl_$version.orig.tar.gz"
cd "$work/gpcl-$version"
cp -R packaging/debian debian
# The version lives in the header, so the changelog is written here.
cat >debian/changelog <<END
gpcl ($version-1) unstable; urgency=medium

  * Version $version: CHANGELOG.md says what is new.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -uRd "@$SOURCE_DATE_EPOCH")
END
dpkg-buildpackage -us -uc
rm -rf "$work/gpcl-$version"
mv "$work"/* "$out"
