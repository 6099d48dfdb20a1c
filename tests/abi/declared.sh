#!/bin/sh
# declared.sh CC INCLUDE FILE: FILE becomes C++ that defines every function that the headers declare, for the sake of its types.
# SPDX-License-Identifier: MIT
set -eu
{
    printf '#include <gpcl/opencl.h>\nextern "C" {\n'
    printf '#include <gpcl/opencl.h>\n' | "$1" -E -P -DGP_PARSE -I"$2" -x c - | tr -s '\n ' ' ' | sed 's/[;{}]/&\n/g' |
        sed -nE '/^ *typedef/d; s/^ *([a-z][^(]*[ *]gp_[a-z0-9_]+\(.*\));$/\1 { __builtin_trap(); }/p'
    printf '}\n'
} >"$3"
