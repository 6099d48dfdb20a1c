#!/bin/sh
# Runs the ladders of algorithms with `gpcl bench` and draws the thesis' figures: figures.sh [--thesis] [--device SEL]
# [--from FILE.jsonl] [FOLDER]; figures.py has the details. $GPCL names the command, else the release build's.
# SPDX-License-Identifier: MIT
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
/usr/bin/python3 -c 'import matplotlib' 2>/dev/null || "$top/packaging/install-packages.sh" bench
GPCL=${GPCL:-$top/build/release/bindings/cli/gpcl}
export GPCL
exec /usr/bin/python3 "$top/tests/bench/figures.py" --default-folder "$top/build/figures" "$@"
