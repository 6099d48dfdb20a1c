// Repeated elements on the host: sums of the repeats, by chunks; then each part of the output finds
// by search where it begins among them.
// SPDX-License-Identifier: MIT
#include "host/repeat.h"

#include "core/size.h"
#include "host/parallel.h"
#include "host/read.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace gpcl::host {
namespace {

constexpr size_t kChunk = 8192;

// Up to each of n numbers, in two passes over chunks.
std::vector<uint64_t> sums_of(gp_dtype index, const void *numbers, size_t n) {
    std::vector<uint64_t> sums(n);
    const size_t chunks = ceil_div(n, kChunk);
    const auto part = [&](size_t chunk) { return std::min(kChunk, n - chunk * kChunk); };
    parallel_for(chunks, std::min(n, kChunk) / 2, [&](size_t chunk) {
        uint64_t *const to = sums.data() + chunk * kChunk;
        for (size_t at = 0; at < part(chunk); at += kPiece)
            read(index, numbers, chunk * kChunk + at, 1, std::min(kPiece, part(chunk) - at), to + at);
        std::partial_sum(to, to + part(chunk), to);
    });
    std::vector<uint64_t> before(chunks);
    for (size_t chunk = 1; chunk < chunks; ++chunk) before[chunk] = before[chunk - 1] + sums[chunk * kChunk - 1];
    parallel_for(chunks, std::min(n, kChunk) / 4, [&](size_t chunk) {
        uint64_t *const to = sums.data() + chunk * kChunk;
        for (size_t i = 0; i < part(chunk) && before[chunk] != 0; ++i) to[i] += before[chunk];
    });
    return sums;
}

// Fills `count` elements of kSize bytes, which is known here, or of `size` bytes.
template <size_t kSize> void fill(std::byte *to, const std::byte *element, size_t size, size_t count) {
    if constexpr (kSize == 0) {
        for (size_t i = 0; i < count; ++i) std::memcpy(to + i * size, element, size);
    } else {
        for (size_t i = 0; i < count; ++i) std::memcpy(to + i * kSize, element, kSize);
    }
}

} // namespace

uint64_t repeat(size_t size, size_t n, const void *in, gp_dtype index, const void *repeats, size_t capacity,
                void *out) {
    if (n == 0) return 0;
    const std::vector<uint64_t> ends = sums_of(index, repeats, n);
    const size_t all = std::min<uint64_t>(ends.back(), capacity);
    const auto *const from = static_cast<const std::byte *>(in);
    auto *const to = static_cast<std::byte *>(out);
    const auto write = [&]<size_t kSize>(std::integral_constant<size_t, kSize>) {
        parallel_for(ceil_div(all, kChunk), std::min(all, kChunk) / 2, [&](size_t chunk) {
            const size_t end = std::min((chunk + 1) * kChunk, all);
            size_t at = chunk * kChunk;
            size_t run = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end() - 1, at) - ends.begin());
            for (; at < end; ++run) { // sums may have wrapped: no element behind the last one is read
                const size_t stop = run + 1 >= n ? end : static_cast<size_t>(std::min<uint64_t>(ends[run], end));
                if (stop <= at) continue;
                fill<kSize>(to + at * size, from + run * size, size, stop - at);
                at = stop;
            }
        });
    };
    switch (size) {
    case 1: write(std::integral_constant<size_t, 1>()); break;
    case 2: write(std::integral_constant<size_t, 2>()); break;
    case 4: write(std::integral_constant<size_t, 4>()); break;
    case 8: write(std::integral_constant<size_t, 8>()); break;
    case 16: write(std::integral_constant<size_t, 16>()); break;
    default: write(std::integral_constant<size_t, 0>()); break;
    }
    return ends.back();
}

} // namespace gpcl::host
