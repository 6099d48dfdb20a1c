// Gather and scatter on the host, by blocks: a block's positions become row numbers in a cache, then
// its rows move.
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
constexpr size_t kCached = 256 << 10; // bytes of an array whose rows come from a cache
constexpr size_t kNear = 1, kFar = 4; // nanoseconds of a row there, and elsewhere
constexpr size_t kBytesOfAStep = 16;  // bytes of a row that take as long again

// at[i] = the row that position i names, as an unsigned number; returns whether all are below n.
template <class Index> bool read(const Index *positions, size_t count, bool from_end, size_t n, uint64_t *at) {
    if (from_end && std::is_signed_v<Index>) {
        for (size_t i = 0; i < count; ++i) {
            const auto position = static_cast<int64_t>(positions[i]);
            at[i] = static_cast<uint64_t>(position) + (static_cast<uint64_t>(position >> 63) & n);
        }
    } else {
        for (size_t i = 0; i < count; ++i) at[i] = static_cast<uint64_t>(static_cast<int64_t>(positions[i]));
    }
    // n is less than 2^63, so a number is below n where neither it nor n - 1 - it has the highest bit.
    uint64_t bits = n == 0 ? ~uint64_t{0} : 0;
    for (size_t i = 0; i < count; ++i) bits |= at[i] | (n - 1 - at[i]);
    return bits >> 63 == 0;
}

bool read(const Moves &moves, size_t first, size_t count, uint64_t *at) {
    const auto typed = [&](auto zero) {
        return read(static_cast<const decltype(zero) *>(moves.positions) + first, count, moves.from_end, moves.n, at);
    };
    switch (moves.index) {
    case GP_INT32: return typed(int32_t{});
    case GP_UINT32: return typed(uint32_t{});
    case GP_INT64: return typed(int64_t{});
    default: return typed(uint64_t{});
    }
}

// Rows that several threads may write at once, where a scatter's positions are equal.
template <class Word> void store(Word *to, Word value) { __atomic_store_n(to, value, __ATOMIC_RELAXED); }

// The rows of a block of positions that are right. Count: words of a row, 0 for any number.
template <class Word, size_t Count> void move_block(const Moves &moves, size_t first, size_t size, const uint64_t *at) {
    const size_t words = Count != 0 ? Count : moves.row_bytes / sizeof(Word);
    const auto *const in = static_cast<const Word *>(moves.in);
    auto *const out = static_cast<Word *>(moves.out);
    if (moves.scatters) {
        for (size_t i = 0; i < size; ++i) {
            const Word *const from = in + (first + i) * words;
            Word *const to = out + at[i] * words;
            for (size_t word = 0; word < words; ++word) store(to + word, from[word]);
        }
    } else {
        for (size_t i = 0; i < size; ++i) {
            const Word *const from = in + at[i] * words;
            Word *const to = out + (first + i) * words;
            if constexpr (Count != 0)
                for (size_t word = 0; word < words; ++word) to[word] = from[word];
            else
                std::memcpy(to, from, words * sizeof(Word));
        }
    }
}

using MoveBlock = void (*)(const Moves &, size_t, size_t, const uint64_t *);

template <class Word> MoveBlock move_block_of(size_t words) {
    constexpr size_t kMost = 4; // what a row of the largest words has otherwise is rarer
    switch (words) {
    case 1: return move_block<Word, 1>;
    case 2: return move_block<Word, 2>;
    case 3: return move_block<Word, 3>;
    case kMost: return move_block<Word, kMost>;
    default: return move_block<Word, 0>;
    }
}

MoveBlock move_block_of(const Moves &moves) {
    switch (moves.word) {
    case 1: return move_block_of<uint8_t>(moves.row_bytes);
    case 2: return move_block_of<uint16_t>(moves.row_bytes / 2);
    case 4: return move_block_of<uint32_t>(moves.row_bytes / 4);
    default: return move_block_of<uint64_t>(moves.row_bytes / 8);
    }
}

// The rows of a block of which some position is wrong.
void move_one_by_one(const Moves &moves, MoveBlock move, size_t first, size_t size, const uint64_t *at) {
    for (size_t i = 0; i < size; ++i) {
        if (at[i] < moves.n)
            move(moves, first + i, 1, at + i);
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
    parallel_for(parts, std::min(moves.m, kPart) / 2, [&](size_t part) {
        for_each_block(part * kPart, std::min(moves.m, (part + 1) * kPart), [&](size_t first, size_t size) {
            std::array<uint64_t, kBlock> at; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
            if (read(moves, first, size, at.data())) return;
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
    const size_t parts = ceil_div(moves.m, kPart);
    const size_t row = (moves.n * moves.row_bytes <= kCached ? kNear : kFar) + moves.row_bytes / kBytesOfAStep;
    const MoveBlock move = move_block_of(moves);
    parallel_for(parts, std::min(moves.m, kPart) * row, [&](size_t part) {
        for_each_block(part * kPart, std::min(moves.m, (part + 1) * kPart), [&](size_t first, size_t size) {
            std::array<uint64_t, kBlock> at; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
            if (read(moves, first, size, at.data()))
                move(moves, first, size, at.data());
            else
                move_one_by_one(moves, move, first, size, at.data());
        });
    });
}

} // namespace gpcl::host
