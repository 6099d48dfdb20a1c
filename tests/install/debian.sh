#!/bin/sh
# debian.sh FOLDER: installs the packages in FOLDER, made by packaging/deb.sh, into a minimal Debian and uses them there:
# without a compiler, on the host path and on PoCL; then with one. Upgrade and removal leave nothing behind.
# Needs root, mmdebstrap and the archive that apt is configured for; exits with 77 where they are missing.
# GPCL_DEBIAN_TREE names a tree that `mmdebstrap --variant=minbase` made before, which saves its time.
# SPDX-License-Identifier: MIT
set -eu
folder=$(cd "$1" && pwd)
tests=$(cd "$(dirname "$0")/../../packaging/debian/tests" && pwd)
began=$(date +%s)
say() { echo "== $* ($(($(date +%s) - began)) s)"; }
skip() { echo "SKIPPED: $*" && exit 77; }
fail() { echo "FAILED: $*" && exit 1; }

[ "$(id -u)" -eq 0 ] || skip "needs root"
command -v mmdebstrap >/dev/null || skip "needs mmdebstrap"
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' 2>/dev/null) || true
[ -n "$sources" ] || skip "apt has no lists of Debian"

work=$(mktemp -d)
tree=$work/tree
leave() {
    for mounted in sys proc; do umount "$tree/$mounted" 2>/dev/null || true; done
    rm -rf --one-file-system "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM

say "a minimal $release"
if [ -n "${GPCL_DEBIAN_TREE:-}" ]; then
    cp -a "$GPCL_DEBIAN_TREE" "$tree"
else
    echo "$sources" | mmdebstrap --quiet --mode=root --variant=minbase --dpkgopt=force-unsafe-io "$release" "$tree" - ||
        skip "the archive can't be reached"
fi
mkdir -p "$tree/debs/old" "$tree/tests"
mount -t proc proc "$tree/proc"
mount --bind -o ro /sys "$tree/sys" # PoCL asks it about the processors
cp "$folder"/*.deb "$tree/debs"
cp "$tests"/* "$tree/tests"
inside() { chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"; }
install() { inside apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$work/log" 2>&1 ||
    { cat "$work/log" && fail "apt-get install $*"; }; }
inside apt-get update -qq

say "an older version, then its upgrade"
for name in libgpcl0 gpcl-tools python3-gpcl; do
    deb=$(ls "$tree/debs/$name"_*.deb)
    rm -rf "$work/old"
    dpkg-deb -R "$deb" "$work/old"
    sed -i 's/^Version: .*/Version: 0.0.1-1/; s/libgpcl0 ([^)]*)/libgpcl0/' "$work/old/DEBIAN/control"
    mkdir -p "$work/old/usr/share/gpcl"
    echo old >"$work/old/usr/share/gpcl/old-$(basename "$deb")"
    dpkg-deb -b "$work/old" "$tree/debs/old" >/dev/null
done
install $(cd "$tree" && ls -d ./debs/old/*.deb)
[ -n "$(find "$tree/usr/share/gpcl" -name 'old-*')" ] || fail "the older version did not install"
install $(cd "$tree" && ls -d ./debs/libgpcl0_*.deb ./debs/gpcl-tools_*.deb ./debs/python3-gpcl_*.deb)
[ -z "$(find "$tree/usr/share/gpcl" -name 'old-*')" ] || fail "the upgrade left old files behind"
inside dpkg -V libgpcl0 gpcl-tools python3-gpcl

say "the host path: no compiler, no OpenCL"
for tool in cc c++ gcc clang ld; do
    if inside sh -c "command -v $tool" >/dev/null; then fail "$tool is there"; fi
done
if inside sh -c 'ls /usr/lib/*/libOpenCL*' 2>/dev/null; then fail "an OpenCL loader is there"; fi
inside /tests/selftest-host
inside /tests/python

say "PoCL"
install ocl-icd-libopencl1 pocl-opencl-icd
inside /tests/selftest-opencl
inside gpcl demo --keys 100000 >"$work/log" || { cat "$work/log" && fail "gpcl demo"; }

say "a compiler"
install $(cd "$tree" && ls -d ./debs/libgpcl-dev_*.deb) cmake g++ libhwy-dev make pkg-config
inside /tests/link >"$work/log" 2>&1 || { cat "$work/log" && fail "link"; }
grep ': ok$' "$work/log"
for function in $("$tests/../../docs/reference.py" functions); do
    [ -e "$tree/usr/share/man/man3/$function.3.gz" ] || fail "$function has no manual page"
done

# Multi-Arch: same promises that what is not in the architecture's own folder is the same on all.
triplet=$(inside cc -print-multiarch)
for file in $(inside dpkg -L libgpcl0 libgpcl-dev | grep -v "/$triplet" | sort -u); do
    if [ -f "$tree$file" ] && zgrep -q "$triplet" "$tree$file"; then fail "$file names $triplet"; fi
done

say "removal"
inside apt-get purge -y -qq libgpcl0 libgpcl-dev gpcl-tools python3-gpcl >/dev/null 2>&1
left=$(cd "$tree" && find . -xdev \( -path ./debs -o -path ./root -o -path ./tmp \) -prune -o -iname '*gpcl*' -print)
[ -z "$left" ] || fail "removal left behind:" "$left"
say "all is well"
