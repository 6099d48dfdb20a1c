#!/bin/sh
# Builds the RPM packages, binary and source, of the committed tree: ./packaging/rpm.sh FOLDER
# The same commit gives the same bytes. What is built on Debian needs Debian's libraries; the spec is for both worlds.
# RPM_OPT_FLAGS, if it is set, stands in the place of the compiler's usual options. DEBFULLNAME, DEBEMAIL and GPCL_HOMEPAGE are
# as in deb.sh.
# SPDX-License-Identifier: MIT
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
if [ -e /etc/debian_version ]; then
    "$here/install-packages.sh" build package
    set -- --nodeps --load "$here/rpm-on-debian.macros" # what the spec requires is there, but under Debian's names
else
    set --
fi
if [ -n "${RPM_OPT_FLAGS:-}" ]; then set -- "$@" --define "optflags $RPM_OPT_FLAGS"; fi
umask 022

# rpmbuild writes the build folder's path into the packages, so that folder is the same each time; one build at a time.
place=/var/tmp/gpcl-rpm
mkdir -p "$place"
[ -O "$place" ] || { echo "rpm.sh: $place belongs to somebody else" >&2 && exit 1; }
exec 9<"$place"
flock 9
work=$place/build
rm -rf "$work"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/SOURCES"
facts=$("$here/source.sh" "$work/SOURCES")
version=${facts% *}
export SOURCE_DATE_EPOCH="${facts#* }"
# The version lives in the header; the spec of the source package has it too.
date=$(LC_ALL=C date -ud "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y')
{
    echo "%global gpcl_version $version"
    if [ -n "${GPCL_HOMEPAGE:-}" ]; then echo "%global gpcl_url $GPCL_HOMEPAGE"; fi
    tar -xzOf "$work/SOURCES/gpcl-$version.tar.gz" "gpcl-$version/packaging/gpcl.spec"
    printf '\n%%changelog\n'
    echo "* $date ${DEBFULLNAME:-The gpcl authors}${DEBEMAIL:+ <$DEBEMAIL>} - $version-1"
    echo "- CHANGELOG.md says what is new"
} >"$work/gpcl.spec"
set -- "$@" --define "_topdir $work" --define "_buildhost localhost" \
    --define "gpcl_cmake_options ${GPCL_CMAKE_OPTIONS:-%{nil}}" \
    --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1"
rpmbuild "$@" -bs "$work/gpcl.spec"
cp "$work"/SRPMS/*.rpm "$out"
rpmbuild "$@" --rebuild "$work"/SRPMS/*.rpm # as its users do
mv "$work"/RPMS/*/*.rpm "$out"
