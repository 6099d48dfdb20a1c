#!/bin/sh
# Makes a release of the committed tree: ./packaging/release.sh FOLDER [PART...]
# The parts are, in this order: tests (tests/run.sh --long), source (the archive), sbom (SPDX), deb, rpm, python (a wheel and
# the source distribution), sums (SHA256SUMS). Without any it makes all of them. What comes out lies in FOLDER/gpcl-VERSION.
# GPCL_SIGN_KEY names a key of gpg's, which then signs SHA256SUMS. deb.sh tells how the packages learn who makes them.
# SPDX-License-Identifier: MIT
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
fail() { echo "release.sh: $*" >&2 && exit 1; }
[ -z "$(git status --porcelain)" ] || fail "the tree has changes that are not committed"
[ $# -gt 0 ] || set -- tests source sbom deb rpm python sums
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
facts=$(packaging/source.sh "$made")
version=${facts% *}
export SOURCE_DATE_EPOCH="${facts#* }"
out=$out/gpcl-$version
mkdir -p "$out"
git describe --exact-match --match "v$version" HEAD >/dev/null 2>&1 || echo "This commit has no tag v$version."

for part in "$@"; do
    echo "== $part"
    case $part in
    tests) tests/run.sh --long ;;
    source) cp "$made/gpcl-$version.tar.gz" "$out" ;;
    sbom)
        cmake --preset release >/dev/null
        cp build/release/gpcl.spdx.json "$out/gpcl-$version.spdx.json"
        ;;
    deb | rpm) "packaging/$part.sh" "$out/$part" ;;
    python)
        cmake --preset release >/dev/null
        cmake --build --preset release --parallel "$(nproc)"
        cmake --install build/release --prefix "$made/prefix" >/dev/null
        packaging/wheel.sh "$made/prefix" "$out/python"
        (cd bindings/python && /usr/bin/python3 setup.py -q egg_info --egg-base "$made" sdist --dist-dir "$out/python")
        ;;
    sums)
        (cd "$out" && find . -type f ! -name 'SHA256SUMS*' | sort | xargs sha256sum >SHA256SUMS)
        if [ -n "${GPCL_SIGN_KEY:-}" ]; then
            gpg --batch --yes --local-user "$GPCL_SIGN_KEY" --armor --detach-sign "$out/SHA256SUMS"
        else
            echo "Not signed: GPCL_SIGN_KEY names no key."
        fi
        ;;
    *) fail "no part '$part'" ;;
    esac
done
echo "In $out:"
(cd "$out" && find . -type f | sort)
