// Sort of numbers by vectors of AVX2, in one thread.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/cpu.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(GPCL_HAVE_X86)
#define GPCL_HAVE_SIMD_SORT

namespace gpcl::host {

// Whether this CPU has what simd_sort() needs.
inline bool has_simd_sort() { return has_avx2() && __builtin_cpu_supports("popcnt"); }

// No key is greater. Floats are sorted without NaN.
template <class Key> constexpr Key kGreatestKey = std::numeric_limits<Key>::has_infinity
                                                      ? std::numeric_limits<Key>::infinity()
                                                      : std::numeric_limits<Key>::max();

// Keys to be sorted, none of which is greater than `most`. After so many levels of splits they are
// sorted otherwise, so that no order of keys takes long.
template <class Key> struct SimdRange {
    SimdRange() = default;
    SimdRange(Key *keys, size_t n)
        : keys(keys), n(n), most(kGreatestKey<Key>), levels(2 * static_cast<unsigned>(std::bit_width(n))) {}
    Key *keys = nullptr;
    size_t n = 0;
    Key most = 0;
    unsigned levels = 0;
};

// Does this thread compute with subnormal numbers, rather than take them for 0 or trap?
inline bool takes_subnormal() {
    constexpr unsigned kDenormalsAreZeros = 0x40, kNoTrap = 0x100;
    return (__builtin_ia32_stmxcsr() & (kDenormalsAreZeros | kNoTrap)) == kNoTrap;
}

// Sorts int32_t, int64_t, float or double in ascending order, in place and without allocating.
// Among floats are no NaN and no zeros of both signs, and the thread takes_subnormal().
template <class Key> void simd_sort(const SimdRange<Key> &range);
template <class Key> void simd_sort(Key *keys, size_t n) { simd_sort(SimdRange<Key>(keys, n)); }

// The first `wanted` keys become what they are in ascending order. The others are undefined
// afterwards.
template <class Key> void simd_sort_first(Key *keys, size_t n, size_t wanted);

// Sorts each of `count` rows of n keys, which begin `stride` keys apart.
template <class Key> void simd_sort_rows(Key *keys, size_t n, size_t count, size_t stride);

// Merges two arrays, whose keys are in ascending order once the bits of `flip` are inverted. Floats
// are as in simd_sort().
template <class Key> void simd_merge(const Key *a, size_t n_a, const Key *b, size_t n_b, Key flip, Key *out);

// One step of simd_sort(): the ranges that are then to be sorted, which may be empty. Of
// kLeastSimdSplit keys at least, with levels left.
constexpr size_t kLeastSimdSplit = 8192;
template <class Key> std::array<SimdRange<Key>, 2> simd_split(const SimdRange<Key> &range);

} // namespace gpcl::host
#endif
