// SPDX-License-Identifier: MIT
#include "core/copy.h"

#include "core/cpu.h"

#include <cstdint>
#include <cstring>

#ifdef GPCL_HAVE_X86
#include <immintrin.h>
#endif

namespace gpcl {
#ifdef GPCL_HAVE_X86
namespace {

constexpr size_t kLine = 64, kAhead = 1024; // bytes; the second: how far ahead lines are asked for

// Whole lines; `to` is where one begins.
__attribute__((target("avx2"))) void stream(std::byte *to, const std::byte *from, size_t lines) {
    for (size_t i = 0; i < lines; ++i, to += kLine, from += kLine) {
        _mm_prefetch(reinterpret_cast<const char *>(from + kAhead), _MM_HINT_NTA);
        const auto *source = reinterpret_cast<const __m256i *>(from);
        auto *target = reinterpret_cast<__m256i *>(to);
        const __m256i low = _mm256_loadu_si256(source), high = _mm256_loadu_si256(source + 1);
        _mm256_stream_si256(target, low);
        _mm256_stream_si256(target + 1, high);
    }
    _mm_sfence();
}

} // namespace
#endif

void copy_past_caches(std::byte *to, const std::byte *from, size_t bytes) {
    size_t at = 0;
#ifdef GPCL_HAVE_X86
    const size_t head = (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine;
    if (has_avx2() && bytes >= head + kLine) {
        const size_t lines = (bytes - head) / kLine;
        std::memcpy(to, from, head);
        stream(to + head, from + head, lines);
        at = head + lines * kLine;
    }
#endif
    std::memcpy(to + at, from + at, bytes - at);
}

} // namespace gpcl
