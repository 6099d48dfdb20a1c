#!/bin/sh
# Installs packages of Debian or Fedora: ./packaging/install-packages.sh [--list] SECTION...   (sections of packages.txt)
# Does nothing, and needs no root, when all of them are there. What this release does not have is named and left out. Without
# root and sudo, or on another system, it ends with the list of what to install. With --list it prints all names instead.
# SPDX-License-Identifier: MIT
set -eu
list=$(dirname "$0")/packages.txt
only_list=no
if [ "${1:-}" = --list ]; then
    only_list=yes
    shift
fi
has() { command -v "$1" >/dev/null; }
if ! has apt-get && has dnf; then column=2; else column=1; fi
packages=
for section in "$@"; do
    found=$(awk -v section="[$section]" -v column=$column \
        '/^\[/ { inside = $0 == section; next } inside && NF == 2 && $column != "-" { print $column }' "$list")
    if ! grep -qxF "[$section]" "$list"; then
        echo "install-packages.sh: no section [$section] in $list" >&2
        exit 2
    fi
    packages="$packages $found"
done
if [ $only_list = yes ]; then
    echo "$packages"
    exit 0
fi

is_installed() {
    if [ $column = 2 ]; then rpm -q --whatprovides "$1" >/dev/null 2>&1; else
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
    fi
}
missing=
for package in $packages; do
    is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then as_root=sudo; fi
# shellcheck disable=SC2086
if { ! has apt-get && ! has dnf; } || ! has ${as_root:-sh}; then
    if [ $column = 2 ]; then system=Fedora with="dnf install"; else system=Debian with="apt-get install"; fi
    echo "install-packages.sh: these packages are missing, by their names in $system:"
    printf '    %s\n' $missing
    echo "No root and no sudo here, or no apt-get and no dnf. As root: $with" $missing
    exit 1
fi >&2
echo "Installing:$missing"
# shellcheck disable=SC2086
if [ $column = 2 ]; then exec $as_root dnf install -y --setopt=install_weak_deps=False --setopt=strict=0 $missing; fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
there=
for package in $missing; do
    if apt-cache show "$package" >/dev/null 2>&1; then there="$there $package"; else
        echo "This release has no $package: it is left out"
    fi
done
# shellcheck disable=SC2086
[ -z "$there" ] || $as_root apt-get install -y -qq --no-install-recommends $there
