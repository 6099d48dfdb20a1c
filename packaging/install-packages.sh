#!/bin/sh
# Installs Debian packages: ./packaging/install-packages.sh [--list] SECTION...   (sections of debian-packages.txt)
# Does nothing, and needs no root, when all of them are there. With --list it prints their names instead.
# SPDX-License-Identifier: MIT
set -eu
list=$(dirname "$0")/debian-packages.txt
only_list=no
if [ "${1:-}" = --list ]; then
    only_list=yes
    shift
fi
packages=
for section in "$@"; do
    found=$(sed -n "/^\[$section\]/,/^\[/{/^[a-z0-9]/p}" "$list")
    if [ -z "$found" ]; then
        echo "install-packages.sh: no section [$section] in $list" >&2
        exit 2
    fi
    packages="$packages $found"
done
if [ $only_list = yes ]; then
    echo "$packages"
    exit 0
fi

missing=
for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then as_root=sudo; fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing
