#!/bin/sh
# packaging/install-packages.sh: which commands it gives on Debian and on Fedora, what it leaves out and what it says where it
# can't install.
# SPDX-License-Identifier: MIT
set -eu
script=$(cd "$(dirname "$0")/../../packaging" && pwd)/install-packages.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" && cat "$work/said" && exit 1; }
for tool in sh awk cat grep dirname printf env rm; do ln -s "$(command -v $tool)" "$work/$tool"; done
fake() { printf '#!/bin/sh\n%s\n' "$2" >"$work/$1" && chmod +x "$work/$1"; } # fake PROGRAM LINE
run() { env -i PATH="$work" sh "$script" "$@" >"$work/said" 2>&1; }
says() { grep -qE -- "$1" "$work/said" || fail "it does not say '$1'"; }

fake id 'echo 1000'
fake dpkg-query 'exit 1'
run run && fail "success on an unknown system"
says '^    pocl-opencl-icd$'
fake apt-get 'echo apt-get "$@"'
fake apt-cache 'test "$2" != oclgrind'
run test && fail "success without root and without sudo"
says 'As root: apt-get install binutils ccache clang-19 '
fake sudo 'exec "$@"'
run test || fail "an error on Debian"
says 'no oclgrind: it is left out'
says '^apt-get install .*mesa-opencl-icd pocl-opencl-icd'
fake dpkg-query 'echo installed'
run test || fail "an error where all is there"
[ ! -s "$work/said" ] || fail "it does something where all is there"
rm "$work/apt-get"
fake dnf 'echo dnf "$@"'
fake rpm 'test "$3" = cmake'
run build package || fail "an error on Fedora"
says '^dnf install .*gcc-c\+\+ cli11-devel highway-devel .*rpm-build'
if grep -qE ' (- |cmake|debhelper)' "$work/said"; then fail "what Fedora has not, or what is there"; fi
echo "packages are named and installed"
