#!/bin/sh
# run.sh BUILD SECONDS: each fuzz target of a build of preset "fuzz" for so long, from its corpus on. What it finds is in
# BUILD/findings.
# SPDX-License-Identifier: MIT
set -u
build=$1
seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$build/findings"
failed=0
for corpus in "$here"/corpus/*; do
    name=$(basename "$corpus")
    target=$build/tests/fuzz/gpcl-fuzz-$name
    mkdir -p "$build/corpus/$name" # what libFuzzer adds
    # Programs of the caller's texts take PoCL's compiler a while, and LLVM keeps what it has allocated.
    echo "== $name"
    OCL_ICD_VENDORS=pocl.icd ASAN_OPTIONS=use_sigaltstack=0:detect_leaks=0 "$target" -max_total_time="$seconds" -timeout=60 \
        -rss_limit_mb=8192 -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$build/findings/$name-" \
        "$build/corpus/$name" "$corpus" || failed=1
done
exit $failed
