#!/bin/sh
# Holds the arrows between the rooms of lib: ops -> place -> cl -> core, ops -> host -> core. Only lib/cl knows OpenCL; the
# command knows the C header alone. What kernels include is there. The environment is read in one place.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."
bad=0

# forbid WHERE PATTERN WHY: no include of PATTERN in the sources below WHERE
forbid() {
    if [ ! -d "$1" ]; then
        echo "no folder $1: this check has lost its object"
        bad=1
        return
    fi
    found=$(grep -rnE --include='*.h' --include='*.cpp' --include='*.c' "^[[:space:]]*#[[:space:]]*include[[:space:]]*$2" "$1" || true)
    if [ -n "$found" ]; then
        echo "$3:"
        echo "$found" | sed 's/^/    /'
        bad=1
    fi
}

up='"(\.\./)*'
opencl='<(CL|OpenCL)/'
forbid lib/core "$up(cl|host|ops|place)/" "lib/core includes another room"
forbid lib/host "$up(cl|ops|place)/" "lib/host includes lib/cl, lib/place or lib/ops"
forbid lib/cl "$up(host|ops|place)/" "lib/cl includes lib/host, lib/place or lib/ops"
forbid lib/place "$up(host|ops)/" "lib/place includes lib/host or lib/ops"
for room in core host place ops; do
    forbid lib/$room "$opencl" "lib/$room includes OpenCL; only lib/cl may"
    forbid lib/$room '<gpcl/opencl\.h>' "lib/$room includes gpcl/opencl.h; only lib/cl may"
done
forbid bindings/cli '<gpcl/opencl\.h>' "the command includes more than <gpcl/gpcl.h>"
forbid bindings/cli "$opencl" "the command includes OpenCL"
forbid bindings/cli "$up(lib|core|cl|host|place|ops)/" "the command includes the library's inside"

# Programs with rights that their caller lacks must not obey the caller's environment.
found=$(grep -rnwE --include='*.h' --include='*.cpp' 'getenv' lib | grep -v '^lib/core/system_' || true)
if [ -n "$found" ]; then
    echo "lib reads the environment past variable(), lib/core/files.h, which asks core/system.h:"
    echo "$found" | sed 's/^/    /'
    bad=1
fi

# A kernel that only some devices build would miss an included file there and nowhere else.
for file in $(grep -rhoE --include='*.cl' '^#include "[^"]+"' kernels | cut -d'"' -f2 | sort -u); do
    if ! git ls-files --error-unmatch "kernels/$file" >/dev/null 2>&1 && [ -e .git -o ! -e "kernels/$file" ]; then
        echo "kernels/$file is included, but not there or not in git"
        bad=1
    fi
done

# Instructions of one vendor's devices have a room, where each stands beside a form for all others.
found=$(grep -rnE '__asm__|(^|[^[:alnum:]_])asm[[:space:]]*(volatile)?[[:space:]]*\(' kernels | grep -v '^kernels/device/' || true)
if [ -n "$found" ]; then
    echo "assembly outside kernels/device/:"
    echo "$found" | sed 's/^/    /'
    bad=1
fi

# Whatever else stands at the top was not meant to.
for entry in *; do
    case $entry in
    CMakeLists.txt | CMakePresets.json | LICENSE | CHANGELOG.md | README.md | DEVELOPERS.md) ;;
    include | lib | kernels | bindings | tests | packaging | build*) ;;
    *)
        echo "$entry does not belong at the top level"
        bad=1
        ;;
    esac
done
[ $bad -eq 0 ] && echo "the arrows between the rooms hold"
exit $bad
