#!/bin/sh
# quickstart.sh RELEASE: README's first command on a fresh minimal tree of that release of Debian, and the tests' first build
# and its tests on "host". Needs root, mmdebstrap and the archive; exits with 77 where they are missing.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "SKIPPED: $*" && exit 77; }
[ "$(id -u)" -eq 0 ] || skip "needs root"
command -v mmdebstrap >/dev/null || skip "needs mmdebstrap"
work=$(mktemp -d)
tree=$work/tree
leave() {
    for mounted in sys proc dev/pts dev; do umount "$tree/$mounted" 2>/dev/null || true; done
    rm -rf --one-file-system "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM
mmdebstrap --quiet --mode=root --variant=apt --include=ca-certificates "$1" "$tree" || skip "the archive can't be reached"
mkdir -p "$tree/gpcl"
git -c safe.directory="$top" -C "$top" archive HEAD | tar -x -C "$tree/gpcl"
mount -t proc proc "$tree/proc"
mount --bind -o ro /sys "$tree/sys" # PoCL asks it about the processors
mount --bind /dev "$tree/dev"
mount --bind /dev/pts "$tree/dev/pts" # the command's tests open terminals
inside() { chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 sh -c "cd /gpcl && $*"; }
began=$(date +%s)
inside ./packaging/quickstart.sh
echo "$1: quickstart in $(($(date +%s) - began)) s"
inside "./packaging/install-packages.sh test && cmake --preset plain && cmake --build --preset plain --parallel $(nproc) &&
    ctest --test-dir build/plain -L '^host\$' --output-on-failure --no-tests=error --parallel $(nproc)"
echo "$1: built with warnings as errors and tested on host"
