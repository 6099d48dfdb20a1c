#!/bin/sh
# compile.sh PROGRAMS CAPABILITY FOLDER: compiles, without a GPU, programs that plans build in an NVIDIA form on a GPU of
# a compute capability such as 9.0, by clang to PTX; and that by ptxas, where there is one. 77 (skipped) where no clang
# knows such a GPU. PROGRAMS is the program of programs.cpp, which picks them. GPCL_TEST_CLANG names another clang.
# Unless GPCL_TEST_LONG is 1, one program of each kernel file is compiled so, and clang only reads the others.
# SPDX-License-Identifier: MIT
set -u
programs=$1 capability=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
device=sm_$(echo "$capability" | tr -d .)
arch=$device

# 8.0 and 12.0 take minutes, for little that the least and the fullest of the forms lack.
case $capability in
8.0 | 12.0)
    if [ "${GPCL_TEST_LONG:-0}" != 1 ]; then
        echo "skipped: compiled with GPCL_TEST_LONG=1 only"
        exit 77
    fi
    ;;
esac

knows() { echo 'kernel void one(void) {}' | "$1" -x cl -target nvptx64-nvidia-cuda -march="$arch" -S -o /dev/null - 2>/dev/null; }
clang=
for one in ${GPCL_TEST_CLANG:-clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang}; do
    if command -v "$one" >/dev/null && knows "$one"; then
        clang=$one
        break
    fi
done
# A newer GPU than clang knows takes what the newest that it knows does.
if [ -z "$clang" ] && [ "$arch" = sm_120 ]; then
    arch=sm_90
    for one in ${GPCL_TEST_CLANG:-clang-19 clang}; do
        if command -v "$one" >/dev/null && knows "$one"; then clang=$one; fi
    done
fi
if [ -z "$clang" ]; then
    echo "skipped: no clang here that compiles for $arch"
    exit 77
fi
ptxas=$(command -v ptxas || true)

rm -rf "$folder"
mkdir -p "$folder"
"$programs" "$device" "$folder" --sources || exit 1

if [ "$capability" = 9.0 ]; then # which has all that any algorithm needs
    cat "$folder"/*.cl | sed -n 's/^#line [0-9]* "kernels\/\(.*\)"$/\1/p' | sort -u >"$folder/built"
    missing=$(cd "$here/../../kernels" && find . -name '*.cl' | sed 's/^\.\///' | sort | comm -23 - "$folder/built")
    if [ -n "$missing" ]; then
        echo "no program was built of kernels/:" $missing
        exit 1
    fi
fi

cat >"$folder/one.sh" <<END
options=\$(sed -n '1s/^\/\/ //p' "\$1")
to=-fsyntax-only
if grep -qxF "\$1" "$folder/whole"; then to="-S -o \$1.ptx"; fi
"$clang" -x cl -cl-std=CL1.2 -target nvptx64-nvidia-cuda -march=$arch -O1 -w -Dcl_khr_fp64 \$to \$options "\$1" \\
    >"\$1.log" 2>&1 || { echo "\$1:"; head -20 "\$1.log"; exit 1; }
if [ "\$to" = -fsyntax-only ]; then exit 0; fi
to=$arch
# Instructions that stand behind the mark of lib/cl/program.cpp are checked for the architecture that has them.
if [ "$arch" = sm_90 ] && grep -q '//sm_90a ' "\$1.ptx"; then
    to=sm_90a
    sed -i 's,//sm_90a ,,; s,^\.target sm_90.*,.target sm_90a,; s,^\.version .*,.version 8.3,' "\$1.ptx"
fi
if [ -n "$ptxas" ] && ! "$ptxas" -c -arch=\$to -o /dev/null "\$1.ptx" >"\$1.log" 2>&1; then
    grep -q "is not defined for option 'gpu-name'" "\$1.log" && exit 0
    echo "\$1.ptx:"; head -20 "\$1.log"; exit 1
fi
exit 0
END
# Those in an NVIDIA form: the others are built wherever there is OpenCL.
grep -l '^// .*-DGP_PTX=' "$folder"/*.cl >"$folder/forms"
if [ ! -s "$folder/forms" ]; then
    echo "no program is in an NVIDIA form"
    exit 1
fi
if [ "${GPCL_TEST_LONG:-0}" = 1 ]; then
    cp "$folder/forms" "$folder/whole"
else # the least text of each kernel file, which comes last in its program
    while read -r one; do
        echo "$(wc -c <"$one") $(sed -n 's/^#line [0-9]* "kernels\/\(.*\)"$/\1/p' "$one" | tail -n 1) $one"
    done <"$folder/forms" | sort -n | awk '!seen[$2]++ { print $3 }' >"$folder/whole"
fi
<"$folder/forms" xargs -P "${GPCL_TEST_JOBS:-2}" -n 1 sh "$folder/one.sh" || exit 1
echo "$(find "$folder" -name '*.ptx' | wc -l) of $(wc -l <"$folder/forms") programs compiled for $arch by $clang," \
    "${ptxas:-no ptxas}; the others read"
