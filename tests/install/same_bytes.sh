#!/bin/sh
# same_bytes.sh SCRIPT FOLDER: builds again with SCRIPT (packaging/deb.sh or rpm.sh), in another folder and another time zone
# and under another umask, and compares with what the first build left in FOLDER.
# SPDX-License-Identifier: MIT
set -eu
first=$(cd "$2" && pwd)
second=$(mktemp -d)
trap 'rm -rf "$second"' EXIT
(umask 077 && TZ=Asia/Kathmandu "$1" "$second") >"$second.log" 2>&1 || { cat "$second.log" && exit 1; }
rm "$second.log"
bad=0
for file in "$second"/*; do
    name=$(basename "$file")
    case $name in *.buildinfo | *.changes) continue ;; esac # they tell about the build itself
    if cmp "$file" "$first/$name"; then echo "same bytes: $name"; else bad=1; fi
done
exit $bad
