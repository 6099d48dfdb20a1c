#!/bin/sh
# listed.sh: what the scripts of packaging/ and setup.py call is in the packages that they install (the sections of
# packaging/packages.txt), in what these depend on, or in Debian's base.
# Exits with 77 where apt has no lists, or where a program is missing whose package is asked for.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/../.."
skip() { echo "SKIPPED: $*" && exit 77; }
apt-cache show dpkg-dev >/dev/null 2>&1 || skip "apt has no lists of Debian"
base=$(dpkg-query -W -f '${Priority} ${Package}\n' | sed -n 's/^required //p')
bad=0

# check SECTIONS PROGRAM...
check() {
    sections=$1
    shift
    # shellcheck disable=SC2046,SC2086
    installed=$(apt-get -s -o Dir::State::status=/dev/null --no-install-recommends install \
        $(./packaging/install-packages.sh --list $sections) | sed -n 's/^Inst \([^ ]*\).*/\1/p')
    for program in "$@"; do
        file=$(PATH=/usr/bin:/bin command -v "$program") || skip "$program is not installed here"
        owner=$(dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "$(readlink -f "$file")") # or an alternative's
        if printf '%s\n' "$base" "$installed" | grep -qxF "${owner%%:*}"; then continue; fi
        echo "FAILED: $program is in Debian's ${owner%%:*}, which \"install-packages.sh $sections\" does not install"
        bad=1
    done
    echo "[$sections]: looked for $*"
}

check "build package" cmake c++ ninja git pkg-config dpkg-buildpackage dh fakeroot lintian mmdebstrap rpm rpmbuild \
    rpmlint python3
check "build python" cc c++ cmake ninja pkg-config python3 pip3
check "build docs" doxygen python3
exit $bad
