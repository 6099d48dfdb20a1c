#!/bin/sh
# From a fresh Debian 12 or 13 to a result: installs what is needed (PoCL serves as the OpenCL device), builds gpcl, and runs its
# demo on real data.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."
./packaging/install-packages.sh build run
cmake --preset release >/dev/null
cmake --build --preset release --parallel "$(nproc)"
build/release/bindings/cli/gpcl demo
