// Repeated elements on the host: sums of the repeats of each piece of the elements; then each part
// of the output finds by search the piece that it begins in, and goes on from there.
// SPDX-License-Identifier: MIT
#include "host/repeat.h"

#include "core/scratch.h"
#include "core/size.h"
#include "host/parallel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

namespace gpcl::host {
namespace {

constexpr size_t kPiece = 1024;           // repeats that a sum is of
constexpr size_t kPart = 16384;           // elements of the output, for a thread at a time
constexpr size_t kBytesOfANanosecond = 8; // of the output, beside a nanosecond for each element

// Four sums do not wait for each other.
template <class Index> uint64_t sum_of(const Index *numbers, size_t count) {
    std::array<uint64_t, 4> sums{};
    size_t i = 0;
    for (; i + sums.size() <= count; i += sums.size()) {
#pragma GCC unroll 4
        for (size_t k = 0; k < sums.size(); ++k) sums[k] += numbers[i + k];
    }
    for (; i < count; ++i) sums[0] += numbers[i];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

// Elements of T's size. Each is written a block at a time, as words that hold it several times, so
// that no branch depends on a small number of repeats.
template <class T> struct Words {
    static constexpr size_t kWord = sizeof(uint64_t);
    static constexpr size_t kBlock = std::max(2 * kWord / sizeof(T), size_t{4}); // elements
    const std::byte *in;
    std::byte *out;

    Words(const std::byte *from, std::byte *to, size_t) : in(from), out(to) {}
    void copy(size_t i, size_t at) const { std::memcpy(out + at * sizeof(T), in + i * sizeof(T), sizeof(T)); }
    // Element i goes to at .. at + count - 1, and to what is left of a block.
    void copy_blocks(size_t i, size_t at, size_t count) const {
        T element;
        std::memcpy(&element, in + i * sizeof(T), sizeof(T));
        std::array<uint64_t, std::max(sizeof(T) / kWord, size_t{1})> words;
        if constexpr (std::is_integral_v<T>)
            words = {element * (std::numeric_limits<uint64_t>::max() / std::numeric_limits<T>::max())};
        else
            words = element;
        std::byte *to = out + at * sizeof(T);
        const std::byte *const end = to + count * sizeof(T);
        do {
#pragma GCC unroll 8
            for (size_t k = 0; k < kBlock * sizeof(T) / kWord; ++k)
                std::memcpy(to + k * kWord, &words[k % words.size()], kWord);
            to += kBlock * sizeof(T);
        } while (to < end);
    }
};

// Elements of any size.
struct Bytes {
    static constexpr size_t kBlock = 1;
    const std::byte *in;
    std::byte *out;
    size_t size;

    Bytes(const std::byte *from, std::byte *to, size_t each) : in(from), out(to), size(each) {}
    void copy(size_t i, size_t at) const { std::memcpy(out + at * size, in + i * size, size); }
    void copy_blocks(size_t i, size_t at, size_t count) const {
        for (size_t k = 0; k < count; ++k) copy(i, at + k);
    }
};

// Writes elements at .. end - 1 of the output: number i, which comes `before` times before them,
// and those behind it. Sums may have wrapped: no element behind the last one is read.
template <class Index, class Elements>
void write(const Elements &elements, const Index *repeats, size_t n, size_t i, uint64_t before, size_t at, size_t end) {
    constexpr size_t kBlock = Elements::kBlock;
    for (; i + 1 < n && repeats[i] <= before; ++i) before -= repeats[i];
    if (end - at >= kBlock) {
        const size_t limit = end - kBlock; // a block from here on ends with the part
        for (; i + 1 < n; ++i) {
            const uint64_t count = repeats[i] - before;
            if (count > limit - at) break;
            elements.copy_blocks(i, at, count);
            at += count;
            before = 0;
        }
    }
    for (; at < end; ++i) {
        const size_t stop = i + 1 < n ? at + std::min<uint64_t>(repeats[i] - before, end - at) : end;
        const size_t blocks = (stop - at) / kBlock * kBlock;
        if (blocks > 0) elements.copy_blocks(i, at, blocks);
        for (at += blocks; at < stop; ++at) elements.copy(i, at);
        before = 0;
    }
}

// f(elements, repeats), of the classes and types that they have.
template <class F>
void with_arrays(size_t size, const void *in, gp_dtype index, const void *repeats, void *out, const F &f) {
    const auto with_repeats = [&]<class Elements>(std::type_identity<Elements>) {
        const Elements elements(static_cast<const std::byte *>(in), static_cast<std::byte *>(out), size);
        switch (index) {
        case GP_UINT8: return f(elements, static_cast<const uint8_t *>(repeats));
        case GP_UINT16: return f(elements, static_cast<const uint16_t *>(repeats));
        case GP_UINT32: return f(elements, static_cast<const uint32_t *>(repeats));
        default: return f(elements, static_cast<const uint64_t *>(repeats));
        }
    };
    switch (size) {
    case 1: return with_repeats(std::type_identity<Words<uint8_t>>());
    case 2: return with_repeats(std::type_identity<Words<uint16_t>>());
    case 4: return with_repeats(std::type_identity<Words<uint32_t>>());
    case 8: return with_repeats(std::type_identity<Words<uint64_t>>());
    case 16: return with_repeats(std::type_identity<Words<std::array<uint64_t, 2>>>());
    default: return with_repeats(std::type_identity<Bytes>());
    }
}

} // namespace

uint64_t repeat(size_t size, size_t n, const void *in, gp_dtype index, const void *repeats, size_t capacity,
                void *out) {
    if (n == 0) return 0;
    uint64_t total = 0;
    with_arrays(size, in, index, repeats, out, [&](const auto &elements, const auto *times) {
        const size_t pieces = ceil_div(n, kPiece);
        Scratch space(pieces * sizeof(uint64_t));
        auto *const ends = space.as<uint64_t>(); // how many elements of the output come up to a piece's end
        parallel_for(pieces, std::min(n, kPiece) / 2, [&](size_t piece) {
            ends[piece] = sum_of(times + piece * kPiece, std::min(kPiece, n - piece * kPiece));
        });
        std::partial_sum(ends, ends + pieces, ends);
        total = ends[pieces - 1];
        const size_t written = std::min<uint64_t>(total, capacity), parts = ceil_div(written, kPart);
        const size_t cost = n / std::max(parts, size_t{1}) + std::min(written, kPart) * size / kBytesOfANanosecond;
        parallel_for(parts, cost, [&](size_t part) {
            const size_t at = part * kPart;
            const auto piece = static_cast<size_t>(std::upper_bound(ends, ends + pieces - 1, at) - ends);
            write(elements, times, n, piece * kPiece, at - (piece > 0 ? ends[piece - 1] : 0), at,
                  std::min(at + kPart, written));
        });
    });
    return total;
}

} // namespace gpcl::host
