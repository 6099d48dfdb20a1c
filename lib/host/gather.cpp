// Gather and scatter on the host, by blocks: a block's positions become row numbers in a cache,
// then its rows move.
// SPDX-License-Identifier: MIT
#include "host/gather.h"

#include "core/size.h"
#include "host/parallel.h"

#include <array>
#include <cstring>

namespace gpcl::host {
namespace {

constexpr size_t kBlock = 1024;       // positions
constexpr size_t kPart = 16 * kBlock; // of a thread at a time
constexpr size_t kCached = 1 << 20;   // bytes of an array whose rows come from a cache
constexpr size_t kNear = 1, kFar = 6; // half nanoseconds of a row there, and elsewhere
constexpr size_t kBytesOfAStep = 16;  // bytes of a row that take as long again
constexpr size_t kMostWords = 3;      // of a row, up to which they are moved one by one

// The compiler's second level leaves such loops without vectors.
#if defined(__GNUC__) && !defined(__clang__)
#define GPCL_VECTORS [[gnu::optimize("O3")]]
#else
#define GPCL_VECTORS
#endif

// Are all positions the numbers of rows, 0 to n - 1? As signed numbers of 64 bits such have no
// highest bit, nor has what is left of n - 1, which is less than 2^63, behind them.
template <class Index> GPCL_VECTORS bool are_rows(const Index *positions, size_t count, size_t n) {
    if constexpr (sizeof(Index) == sizeof(uint32_t)) {
        if (n > 0 && n <= uint64_t{INT32_MAX} + 1) { // likewise in 32 bits
            const auto last = static_cast<uint32_t>(n - 1);
            uint32_t bits = 0;
            for (size_t i = 0; i < count; ++i)
                bits |= static_cast<uint32_t>(positions[i]) | (last - static_cast<uint32_t>(positions[i]));
            return bits >> 31 == 0;
        }
    }
    uint64_t bits = n == 0 ? ~uint64_t{0} : 0;
    for (size_t i = 0; i < count; ++i) {
        const auto at = static_cast<uint64_t>(static_cast<int64_t>(positions[i]));
        bits |= at | (n - 1 - at);
    }
    return bits >> 63 == 0;
}

// Are none below 0?
template <class Index> GPCL_VECTORS bool have_no_sign(const Index *positions, size_t count) {
    if constexpr (std::is_signed_v<Index>) {
        Index bits = 0;
        for (size_t i = 0; i < count; ++i) bits |= positions[i];
        return bits >= 0;
    }
    return true;
}

// at[i] = the row that position i names, as an unsigned number; returns whether all are below n.
template <class Index>
GPCL_VECTORS bool read(const Index *positions, size_t count, bool from_end, size_t n, uint64_t *at) {
    if (from_end && std::is_signed_v<Index>) {
        for (size_t i = 0; i < count; ++i) {
            const auto position = static_cast<int64_t>(positions[i]);
            at[i] = static_cast<uint64_t>(position) + (static_cast<uint64_t>(position >> 63) & n);
        }
    } else {
        for (size_t i = 0; i < count; ++i) at[i] = static_cast<uint64_t>(static_cast<int64_t>(positions[i]));
    }
    return are_rows(at, count, n);
}

// f(positions) of the type that they have.
template <class F> decltype(auto) with_positions(const Moves &moves, const F &f) {
    switch (moves.index) {
    case GP_INT32: return f(static_cast<const int32_t *>(moves.positions));
    case GP_UINT32: return f(static_cast<const uint32_t *>(moves.positions));
    case GP_INT64: return f(static_cast<const int64_t *>(moves.positions));
    default: return f(static_cast<const uint64_t *>(moves.positions));
    }
}

bool read(const Moves &moves, size_t first, size_t count, uint64_t *at) {
    return with_positions(
        moves, [&](const auto *positions) { return read(positions + first, count, moves.from_end, moves.n, at); });
}

// Are the positions of a block the numbers of rows as they are?
bool are_rows(const Moves &moves, size_t first, size_t count) {
    if (moves.is_right)
        return !moves.from_end ||
               with_positions(moves, [&](const auto *positions) { return have_no_sign(positions + first, count); });
    return with_positions(moves, [&](const auto *positions) { return are_rows(positions + first, count, moves.n); });
}

// Rows that several threads may write at once, where a scatter's positions are equal.
template <class Word> void store(Word *to, Word value) { __atomic_store_n(to, value, __ATOMIC_RELAXED); }

// The rows of a block; at[i] is the number of a row. Count: words of a row, 0 for any number.
template <class Word, size_t Count, class Index>
void move_block(const Moves &moves, size_t first, size_t size, const Index *at) {
    const size_t words = Count != 0 ? Count : moves.row_bytes / sizeof(Word);
    const auto *const in = static_cast<const Word *>(moves.in);
    auto *const out = static_cast<Word *>(moves.out);
    if (moves.scatters) {
        for (size_t i = 0; i < size; ++i) {
            const Word *const from = in + (first + i) * words;
            Word *const to = out + static_cast<size_t>(at[i]) * words;
            for (size_t word = 0; word < words; ++word) store(to + word, from[word]);
        }
    } else {
        for (size_t i = 0; i < size; ++i) {
            const Word *const from = in + static_cast<size_t>(at[i]) * words;
            Word *const to = out + (first + i) * words;
            if constexpr (Count != 0)
                for (size_t word = 0; word < words; ++word) to[word] = from[word];
            else
                std::memcpy(to, from, words * sizeof(Word));
        }
    }
}

template <class Word, class Index> void move_words(const Moves &moves, size_t first, size_t size, const Index *at) {
    switch (moves.row_bytes / sizeof(Word)) {
    case 1: return move_block<Word, 1>(moves, first, size, at);
    case 2: return move_block<Word, 2>(moves, first, size, at);
    case 3: return move_block<Word, 3>(moves, first, size, at);
    default: return move_block<Word, 0>(moves, first, size, at);
    }
}

// A gather's rows of Half to 2 * Half bytes: their first and their last ones, which may overlap.
template <size_t Half, class Index> void gather_halves(const Moves &moves, size_t first, size_t size, const Index *at) {
    const auto *const in = static_cast<const std::byte *>(moves.in);
    const size_t bytes = moves.row_bytes, last = bytes - Half;
    auto *to = static_cast<std::byte *>(moves.out) + first * bytes;
    for (size_t i = 0; i < size; ++i, to += bytes) {
        const std::byte *const from = in + static_cast<size_t>(at[i]) * bytes;
        std::memcpy(to, from, Half);
        std::memcpy(to + last, from + last, Half);
    }
}

template <class Index> void move_block(const Moves &moves, size_t first, size_t size, const Index *at) {
    if (!moves.scatters && moves.row_bytes > kMostWords * moves.word) {
        if (moves.row_bytes <= 8) return gather_halves<4>(moves, first, size, at);
        if (moves.row_bytes <= 16) return gather_halves<8>(moves, first, size, at);
        if (moves.row_bytes <= 32) return gather_halves<16>(moves, first, size, at);
        if (moves.row_bytes <= 64) return gather_halves<32>(moves, first, size, at);
    }
    switch (moves.word) {
    case 1: return move_words<uint8_t>(moves, first, size, at);
    case 2: return move_words<uint16_t>(moves, first, size, at);
    case 4: return move_words<uint32_t>(moves, first, size, at);
    default: return move_words<uint64_t>(moves, first, size, at);
    }
}

// The rows of a block of which some position is wrong.
void move_one_by_one(const Moves &moves, size_t first, size_t size, const uint64_t *at) {
    for (size_t i = 0; i < size; ++i) {
        if (at[i] < moves.n)
            move_block(moves, first + i, 1, at + i);
        else if (!moves.scatters)
            std::memset(static_cast<std::byte *>(moves.out) + (first + i) * moves.row_bytes, 0, moves.row_bytes);
    }
}

// Calls f(first, size) for blocks of positions.
template <class F> void for_each_block(size_t begin, size_t end, const F &f) {
    for (size_t first = begin; first < end; first += kBlock) f(first, std::min(kBlock, end - first));
}

} // namespace

uint64_t first_wrong(const Moves &moves) {
    std::atomic<uint64_t> found = UINT64_MAX;
    const size_t parts = ceil_div(moves.m, kPart);
    parallel_for(parts, std::min(moves.m, kPart) / 4, [&](size_t part) {
        for_each_block(part * kPart, std::min(moves.m, (part + 1) * kPart), [&](size_t first, size_t size) {
            std::array<uint64_t, kBlock> at; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
            if (are_rows(moves, first, size) || read(moves, first, size, at.data())) return;
            const auto wrong = std::find_if(at.begin(), at.begin() + size, [&](uint64_t x) { return x >= moves.n; });
            const uint64_t place = first + static_cast<size_t>(wrong - at.begin());
            uint64_t before = found;
            while (place < before && !found.compare_exchange_weak(before, place)) {
            }
        });
    });
    return found;
}

void move(const Moves &moves) {
    const bool is_near = moves.n * moves.row_bytes <= kCached;
    // Threads that scatter into a cache would take its lines from each other.
    const size_t most = is_near && moves.scatters ? std::max<size_t>(moves.m, 1) : kPart;
    const size_t row = (is_near ? kNear : kFar) + moves.row_bytes / kBytesOfAStep;
    parallel_for(ceil_div(moves.m, most), std::min(moves.m, most) * row / 2, [&](size_t part) {
        for_each_block(part * most, std::min(moves.m, (part + 1) * most), [&](size_t first, size_t size) {
            std::array<uint64_t, kBlock> at; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
            if (are_rows(moves, first, size))
                with_positions(moves,
                               [&](const auto *positions) { move_block(moves, first, size, positions + first); });
            else if (read(moves, first, size, at.data()))
                move_block(moves, first, size, at.data());
            else
                move_one_by_one(moves, first, size, at.data());
        });
    });
}

} // namespace gpcl::host
