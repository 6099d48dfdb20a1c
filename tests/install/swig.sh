#!/bin/bash
# swig.sh BUILD [LANGUAGE...]: installs what was built in BUILD into a folder, and makes the languages' modules (Python and Lua;
# or those named as headings of README's section, such as "Java") from nothing but the installed files, by the lines of
# bindings/swig/README.md; then runs their examples, which must end with the error that they announce.
# Exits with 77 where SWIG or a language's tools are missing.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- Python Lua
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" && exit 1; }
skip() { echo "SKIPPED: $*" && exit 77; }
for tool in c++ swig pkg-config; do command -v $tool >/dev/null || skip "$tool is missing"; done
export GPCL_DEVICE=host

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log" && fail "cmake --install"; }
if grep -rlF -e "$top" -e "$build" "$work/prefix/share/gpcl/swig"; then fail "these files name a folder of the build"; fi
LD_LIBRARY_PATH=$(dirname "$(find "$work/prefix" -name libgpcl.so)")
PKG_CONFIG_PATH=$LD_LIBRARY_PATH/pkgconfig
export LD_LIBRARY_PATH PKG_CONFIG_PATH

# lines HEADING: the first block of README's section that comes after that line.
lines() {
    awk -v heading="$1" '
        /^## / { inside = $0 == "## From an installed library" }
        inside && index($0, heading) == 1 { found = 1 }
        found && /^    / { print substr($0, 5); printed = 1; next }
        printed { exit }' "$work/prefix/share/gpcl/swig/README.md"
}
for language in "$@"; do
    case $language in
    Python) command -v python3-config >/dev/null || skip "Python's headers are missing" ;;
    Lua) pkg-config --exists lua5.4 && command -v lua5.4 >/dev/null || skip "Lua 5.4 or its headers are missing" ;;
    esac
    mkdir "$work/$language"
    { echo "set -eu" && lines "\`libgpcl-dev\`" && lines "$language"; } >"$work/$language.sh"
    [ "$(wc -l <"$work/$language.sh")" -gt 6 ] || fail "README has no lines for $language"
    (cd "$work/$language" && bash "$work/$language.sh") >"$work/said" 2>&1 || { cat "$work/said" && fail "$language"; }
    for text in "3(\.0)?,? 6(\.0)?,? 10" "expected error: "; do
        grep -qE -e "$text" "$work/said" || { cat "$work/said" && fail "$language: no '$text'"; }
    done
    echo "$language: made from the installed files, and its example runs"
done
