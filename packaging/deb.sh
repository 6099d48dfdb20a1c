#!/bin/sh
# Builds the Debian packages, binary and source, of the committed tree: ./packaging/deb.sh FOLDER
# The same commit gives the same bytes.
# Who uploads them says so: DEBFULLNAME and DEBEMAIL are the maintainer, GPCL_HOMEPAGE is the address of the git repository
# that the project is at home in, GPCL_ITP the number of the bug that asks Debian for the package. Without the last the
# revision is 1~gpcl1, which Debian's own 1 replaces.
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
if [ -n "${DEBEMAIL:-}" ]; then
    sed -i "s/^Maintainer: .*/Maintainer: ${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>/" debian/control
fi
if [ -n "${GPCL_HOMEPAGE:-}" ]; then
    sed -i "s|^Rules-Requires-Root: .*|&\nHomepage: $GPCL_HOMEPAGE\nVcs-Git: $GPCL_HOMEPAGE.git\nVcs-Browser: $GPCL_HOMEPAGE|" \
        debian/control
    printf 'version=4\nopts=mode=git,pgpmode=none %s.git refs/tags/v([\\d.]+)\n' "$GPCL_HOMEPAGE" >debian/watch
    sed -i '/home page/d; /no-homepage-field/d; /upstream-metadata-file/d' debian/source/lintian-overrides
    mkdir -p debian/upstream
    printf 'Repository: %s.git\nRepository-Browse: %s\n' "$GPCL_HOMEPAGE" "$GPCL_HOMEPAGE" >debian/upstream/metadata
fi
# The version lives in the header, so the changelog is written here.
if [ -n "${GPCL_ITP:-}" ]; then revision=1; else revision=1~gpcl1; fi
cat >debian/changelog <<END
gpcl ($version-$revision) unstable; urgency=medium

  * Version $version: CHANGELOG.md says what is new.${GPCL_ITP:+ (Closes: #$GPCL_ITP)}

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -uRd "@$SOURCE_DATE_EPOCH")
END
dpkg-buildpackage -us -uc
rm -rf "$work/gpcl-$version"
mv "$work"/* "$out"
