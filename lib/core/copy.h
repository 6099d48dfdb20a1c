// Copies of memory that another device reads next.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gpcl {

// Copies `bytes` bytes with stores that go past the caches, where the CPU has them. Such a store reads
// no line of what it overwrites, and the device finds what it reads in memory. All is written when
// the call returns.
inline void copy_past_caches(std::byte *to, const std::byte *from, size_t bytes) {
#if defined(__SSE2__)
    constexpr size_t kLine = 64, kAhead = 1024;
    const size_t head = (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine;
    if (bytes >= head + kLine) {
        std::memcpy(to, from, head);
        size_t at = head;
        for (; at + kLine <= bytes; at += kLine) {
            const auto *source = reinterpret_cast<const __m128i *>(from + at);
            auto *target = reinterpret_cast<__m128i *>(to + at);
            _mm_prefetch(reinterpret_cast<const char *>(from + at + kAhead), _MM_HINT_NTA);
            const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1), c = _mm_loadu_si128(source + 2),
                          d = _mm_loadu_si128(source + 3);
            _mm_stream_si128(target, a);
            _mm_stream_si128(target + 1, b);
            _mm_stream_si128(target + 2, c);
            _mm_stream_si128(target + 3, d);
        }
        std::memcpy(to + at, from + at, bytes - at);
        _mm_sfence();
        return;
    }
#endif
    std::memcpy(to, from, bytes);
}

} // namespace gpcl
