#!/bin/sh
# Installs what the tests need, builds, and runs the tests on every OpenCL implementation that is here.
#
#   ./tests/run.sh          what a change may break: one build and its tests on every implementation, of which the api tests
#                           of "host" and PoCL run with the address and undefined-behaviour sanitizers
#   ./tests/run.sh --quick  the same with one build, without the sanitizers
#   ./tests/run.sh --all    what CI runs: optimised as packages are, sweeps of all types, SWIG, both sanitizers, style, packages
#   ./tests/run.sh --long   all, clang-tidy on every file, the long search for hangs, the wheel and pip's installation in
#                           fresh virtual environments, optimised packages, and whether packages that are built again are the
#                           same
#
# The last line is "N passed, N failed, N skipped"; the exit status is 0 when nothing failed. ccache is used where it is
# installed. GPCL_TEST_PATIENCE=N makes the limits of time N times as long; without it the machine's load tells.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1

mode=${1:-default}
case $#$mode in
0default | 1--quick | 1--all | 1--long) ;;
*)
    echo "usage: $0 [--quick | --all | --long]" >&2
    exit 2
    ;;
esac
is() { case " $* " in *" $mode "*) return 0 ;; *) return 1 ;; esac; } # is MODE...
jobs=$(nproc)
logs=build/logs
mkdir -p "$logs"
rm -f "$logs"/*.xml
packages="" # the process that builds and tries them
counted="" # the junit file and the results folder of each run of ctest
steps=$logs/steps # --passed, --failed or --skipped STEP for each step beside ctest's tests that counts
: >"$steps"

# A limit ends what hangs, so it is longer where other work shares the cores.
GPCL_TEST_PATIENCE=${GPCL_TEST_PATIENCE:-$(./tests/support/patience.sh)}
export GPCL_TEST_PATIENCE

say() { printf '\n== %s (%s s)\n' "$*" "$(($(date +%s) - began))"; }
began=$(date +%s)

# step NAME COMMAND...: runs quietly. A failure shows why and counts; a step that can't run here says so and ends with 77.
step() {
    name=$1
    shift
    say "$name"
    log=$logs/$(echo "$name" | tr ' /' '--').log
    "$@" >"$log" 2>&1
    case $? in
    0) return 0 ;;
    77)
        grep SKIPPED "$log"
        count --skipped "$name"
        ;;
    *)
        echo "FAILED: $name"
        tests/steps/show.sh "$log"
        count --failed "$name"
        ;;
    esac
    return 1
}

# test_step NAME COMMAND...: a step that counts as a test of its own.
test_step() { step "$@" && count --passed "$1"; }

count() { echo "$1 $(echo "$2" | tr ' ' '-')" >>"$steps"; }

give_up() {
    echo
    echo "$1"
    finish
}

# Counts what ran, and leaves.
finish() {
    if [ -n "$packages" ]; then
        say "waiting for the packages"
        wait "$packages" || count --failed packages
    fi
    say "summary"
    # shellcheck disable=SC2046,SC2086
    python3 tests/summary.py $(cat "$steps") $counted
    exit $?
}

build() { # build PRESET [TARGET...]
    preset=$1
    shift
    step "configure $preset" cmake --preset "$preset" || give_up "The $preset build can't be configured."
    step "build $preset" cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"} ||
        give_up "The $preset build failed."
}

run_tests() { # run_tests REPORT PRESET CTEST-ARGUMENTS...: REPORT is another for each run
    report=$1
    preset=$2
    shift 2
    say "tests of $report"
    # --quiet would hide failures; one line a test is readable.
    ctest --test-dir "build/$preset" --output-on-failure --parallel "$jobs" --timeout $((1800 * GPCL_TEST_PATIENCE)) \
        --output-junit "$PWD/$logs/$report.xml" --no-tests=error "$@" | grep --line-buffered -vE '^ *Start +[0-9]+:'
    rm -rf "$logs/$report"
    # Another run may have the same tests.
    if [ -d "build/$preset/tests/results" ]; then mv "build/$preset/tests/results" "$logs/$report"; fi
    counted="$counted $logs/$report.xml $logs/$report"
}

# In --long file by file without precompiled headers, so every file has to include what it uses, and the tests as well.
check_tidy() {
    if is --long; then set -- --all build/tidy lib bindings/cli tests; else set -- build/tidy lib bindings/cli; fi
    cmake -S . -B build/tidy -G Ninja -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DGPCL_UNITY="$(is --long && echo OFF || echo ON)" &&
        tests/steps/tidy.py "$@"
}

# The packages: built, and used where nothing else is.
check_packages() {
    rm -rf build/deb build/rpm
    # pip's test takes the library that the wheel carries, so that it is not compiled once more.
    is --long && test_step "wheel" check_wheel &&
        test_step "pip install" env GPCL_DEVICE=host GPCL_PREFIX="$PWD/build/wheel/prefix" GPCL_STATIC=1 \
            tests/install/python.sh
    test_step "listed packages" tests/install/listed.sh
    test_step "install into a folder" tests/install/prefix.sh "build/$main"
    # shellcheck disable=SC2046
    test_step "embedding" tests/install/embed.sh $(is --long || echo "build/$main")
    # What is tested is how it is packed: with the options of preset all, so that ccache has the objects.
    if ! is --long; then
        flags=$(sed -n 's/^CMAKE_CXX_FLAGS:[A-Z]*=//p' "build/$main/CMakeCache.txt")
        export DEB_CFLAGS_SET="$flags" DEB_CXXFLAGS_SET="$flags" DEB_CPPFLAGS_SET=
        export DEB_BUILD_OPTIONS="parallel=$jobs noautodbgsym"
        export RPM_OPT_FLAGS="${flags% -ffile-prefix-map=*}" # which rpm-on-debian.macros adds
        export GPCL_CMAKE_OPTIONS="-DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 -DCMAKE_CXX_FLAGS_RELEASE=-O2 \
            -DGPCL_UNITY=ON -DGPCL_WERROR=ON"
    fi
    test_step "build .deb" ./packaging/deb.sh build/deb && test_step "lintian" check_lintian &&
        test_step "install .deb" tests/install/debian.sh build/deb
    test_step "build .rpm" ./packaging/rpm.sh build/rpm && test_step "rpmlint" check_rpmlint &&
        test_step "install .rpm" tests/install/rpm.sh build/rpm
    if is --long; then
        test_step "same .deb again" tests/install/same_bytes.sh ./packaging/deb.sh build/deb
        test_step "same .rpm again" tests/install/same_bytes.sh ./packaging/rpm.sh build/rpm
    fi
    test_step "Khronos" tests/install/khronos.sh
    if is --long; then
        for system in arm64 i386 musl riscv64 s390x windows; do
            test_step "system $system" tests/install/cross.sh "$system"
        done
        for release in bookworm trixie; do
            test_step "quickstart on $release" tests/install/quickstart.sh "$release"
        done
    fi
    true # what failed is counted
}

# The wheel carries the library of the build that is tested.
check_wheel() {
    cmake --install "build/$main" --prefix build/wheel/prefix && tests/install/wheel.sh build/wheel/prefix build/wheel
}

check_lintian() { lintian -i -E --pedantic --fail-on error,warning,info,pedantic,experimental build/deb/*.changes; }
check_rpmlint() { rpmlint -c packaging/rpmlint.toml build/rpm/*.rpm; }

# GCC's precompiled headers want the sloppiness; CMakeLists.txt adds the option that they want.
use_ccache() {
    command -v ccache >/dev/null || return 0
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
    CCACHE_DIR=$(ccache --get-config cache_dir) # debhelper gives its builds another home
    export CCACHE_DIR
    export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale
}

install_packages() {
    if is --all --long; then set -- package python swig style docs; else set --; fi
    if is --long; then set -- "$@" cross coverage; fi
    ./packaging/install-packages.sh build test python-test "$@"
}

# On PoCL the sanitizer watches the host side alone, which the api tests exercise. The loader closes drivers that have no
# platform here, and what they leave behind no suppression can name.
run_sanitized() { # run_sanitized REPORT PRESET CTEST-ARGUMENTS...
    GPCL_TEST_SANITIZED=1 OCL_ICD_VENDORS=pocl.icd GPCL_TEST_MAX_N=5000 run_tests "$@"
}

# run_with_brief PRESET CTEST-ARGUMENTS...: PRESET's tests on "host" and PoCL with the library of preset brief.
run_with_brief() {
    GPCL_TEST_LIBRARY="$PWD/build/brief" run_sanitized brief "$@" -L '^(host|pocl)$'
}

# What Oclgrind takes minutes for, of the forms that any device runs: forms has their kernels in fewer sizes.
simulated='oclgrind-portable/(api/algorithms|ops/(matmul|scan_by_key))'
# What rusticl takes more than half a minute for, of the library's host side.
slow='rusticl/api/(cache|transfer)'
# Arrays in pieces by the driver's own copies, but for scans and the pieces themselves; those by threads' stay.
copied='pocl/ops/(scan_rows|scan_carry|reduce|reduce_rows|histogram|recurrence|recurrence_varying|matmul)_streamed'

step "install packages" install_packages || give_up "The packages can't be installed."
use_ccache
if is default --quick; then
    build plain
    # On OpenCL CPUs int32 and float32, and of the named algorithms one in a test case, another in the next.
    export GPCL_TEST_SHORT=1
    # Left to --all: "host" of clang and of other CPUs; NVIDIA's forms; PoCL as another device, under a locale, in pieces,
    # under a bound on memory, by every value of a parameter, for products of mixed types, for sorts of other types and by
    # optimised kernels, and through the command and Python; failing calls and requests; the api on rusticl, and what takes
    # rusticl and Oclgrind longest. CMake's expressions have nine groups at most, else they match nothing.
    left="tree/clang|tree/programs|kernels/.*|host-portable/.*|pocl-[^/]*/.*|pocl/(locale|cli|python|faults|denied|soak)/.*"
    left="$left|[^/]*/ops/.*parameters|pocl/ops/(.*_streamed|.*_staged|sort_(pieces|types/.|optimised)|larger|matmul_types)|$simulated"
    left="$left|rusticl/api/.*|rusticl/ops/(matmul.*|paths|n_buffer|top_k)|oclgrind/api/algorithms|oclgrind/ops/paths"
    if is default; then left="$left|(host|pocl)/api/.*"; fi # which the sanitized build runs
    run_tests plain plain -E "^($left)\$"
    if is default; then
        build brief gpcl
        run_with_brief plain -R '^(host|pocl)/api/'
    fi
    finish
fi

if is --long; then main=dev; else main=all; fi # file by file, or several together
build $main
check_packages & # most of it is one process at a time, so it runs beside what follows
packages=$!
trap 'kill "$packages"; exit 130' INT TERM
GPCL_TEST_TYPES=all
export GPCL_TEST_TYPES
if is --long; then export GPCL_TEST_LONG=1; fi
left='pocl/faults/.*' # which the sanitized build runs
if is --all; then
    left="$left|$copied|$simulated|$slow|pocl/ops/sort" # sort_optimised has the same cases
else
    left="$left|pocl/ops/sort_optimised" # as all are there
fi
run_tests $main $main -E "^($left)\$"
if is --all; then
    unset GPCL_TEST_TYPES
    export GPCL_TEST_SHORT=1 # of the sanitized builds
fi
is --long && test_step "all limits of devices" tests/steps/limits.sh "$PWD/build/$main"
is --long && test_step "coverage" tests/steps/coverage.sh && cat "$logs/coverage.log"
is --long && test_step "soak" env OPENCL_LAYERS="$PWD/build/$main/tests/faults/libgpcl-test-faults.so" GPCL_TUNING=off \
    "build/$main/tests/soak/gpcl-soak" 3600
test_step "documentation site" ./packaging/docs/site.sh build/site
step "clang-tidy" check_tidy
# Interpreters end where a sanitizer is preloaded; "denied" has a malloc of its own. PoCL takes minutes for the operations.
unsanitized='/(examples|cli|locale|python|swig|denied)/|pocl/ops/(matmul|scan|sort|histogram|recurrence|reduce_rows)'
if is --long; then
    build asan
    run_sanitized asan asan -L '^(host|pocl)$' -E "$unsanitized"
    build fuzz gpcl-fuzz
    test_step "fuzz" tests/fuzz/run.sh build/fuzz 60
else
    build brief gpcl gpcl-test-probe gpcl-fuzz
    run_sanitized fuzz brief -L '^fuzz$'
    run_with_brief $main -E "$unsanitized|pocl/(ops/.*|api/cache)" # whose programs PoCL builds for minutes
fi
of_threads="threads lifetime transfer"
if is --long; then of_threads="$of_threads kernel pinned repeat"; fi
# shellcheck disable=SC2046
build tsan gpcl-test-probe $(printf 'gpcl-api-%s-test ' $of_threads)
run_sanitized tsan tsan -L '^(host|pocl)$' -R "/api/($(echo "$of_threads" | tr ' ' '|'))\$"
finish
