// What the CPU has beyond what everything is compiled for. With GPCL_FEATURES=portable it has
// nothing, so that tests run what other CPUs do.
// SPDX-License-Identifier: MIT
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define GPCL_HAVE_X86

#include "core/files.h"

#include <string_view>

namespace gpcl {

inline bool is_portable() {
    static const bool forced = [] {
        const char *const form = variable("GPCL_FEATURES");
        return form != nullptr && std::string_view(form) == "portable";
    }();
    return forced;
}

inline bool has_avx2() { return __builtin_cpu_supports("avx2") && !is_portable(); }
inline bool has_avx2_fma() { return has_avx2() && __builtin_cpu_supports("fma"); }
inline bool has_avx512() { return __builtin_cpu_supports("avx512f") && !is_portable(); }
// With vectors of bytes, of 16, 32 and 64 bits.
inline bool has_avx512_of_all_sizes() {
    return has_avx512() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

} // namespace gpcl
#endif
