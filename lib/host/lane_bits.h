// A vector's lanes as bits.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/cpu.h"

#if defined(GPCL_HAVE_X86)
#include <cstddef>
#include <cstdint>
#include <immintrin.h>

namespace gpcl::host {

// A bit for each lane of Size bytes, all of whose bits are alike.
template <size_t Size> [[gnu::target("avx2")]] inline uint32_t lane_bits(__m256i x) {
    if constexpr (Size == 1) return static_cast<uint32_t>(_mm256_movemask_epi8(x));
    if constexpr (Size == 2) {
        const __m256i pairs = _mm256_permute4x64_epi64(_mm256_packs_epi16(x, _mm256_setzero_si256()), 0xd8);
        return static_cast<uint32_t>(_mm256_movemask_epi8(pairs));
    }
    if constexpr (Size == 4) return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
    return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(x)));
}

} // namespace gpcl::host
#endif
