#!/bin/sh
# built.sh BUILD COMPILER ARGUMENTS...: a launcher for CMake (CMAKE_CXX_COMPILER_LAUNCHER). What takes long to compile, the
# operations and the host's algorithms, it copies from BUILD, where CMake built gpcl; all else it has compiled.
# SPDX-License-Identifier: MIT
set -eu
build=$1
shift
last=
for argument; do
    if [ "$last" = -o ]; then
        object=$build/CMakeFiles/${argument#*CMakeFiles/}
        case $argument in */gpcl_objects.dir/lib/host/*.o | */gpcl_objects.dir/Unity/*.o)
            if [ -e "$object" ]; then exec cp "$object" "$argument"; fi
            ;;
        esac
    fi
    last=$argument
done
exec "$@"
