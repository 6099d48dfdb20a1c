// Sort of numbers by vectors of AVX2, in one thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define GPCL_HAVE_SIMD_SORT

namespace gpcl::host {

// Whether this CPU has what simd_sort() needs.
inline bool has_simd_sort() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

// Sort in ascending order, in place and without allocating.
void simd_sort(int32_t *keys, size_t n);
void simd_sort(int64_t *keys, size_t n);

} // namespace gpcl::host
#endif
