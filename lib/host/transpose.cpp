// Transposes of matrices on the host: by blocks of as many rows and columns as a line of the cache
// has elements, and of these blocks squares as wide as a vector, which are turned round in
// registers.
//
// Source: Lam, Rothberg and Wolf, "The Cache Performance and Optimizations of Blocked Algorithms",
//         1991
// SPDX-License-Identifier: MIT
#include "host/transpose.h"

#include "core/size.h"
#include "host/parallel.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace gpcl::host {
namespace {

constexpr size_t kLine = 64, kVector = 16; // bytes

// Part of a matrix; strides in bytes.
struct Part {
    const std::byte *in;
    size_t ld_in;
    std::byte *out;
    size_t ld_out;
    size_t rows, columns;
};

// Elements one by one. Size 0: of any size.
template <size_t Size> void turn_elements(const Part &part, size_t any_size) {
    const size_t size = Size != 0 ? Size : any_size;
    for (size_t j = 0; j < part.columns; ++j)
        for (size_t i = 0; i < part.rows; ++i)
            std::memcpy(part.out + j * part.ld_out + i * size, part.in + i * part.ld_in + j * size, size);
}

#if defined(__GNUC__)
template <class T> struct VectorOf {
    typedef T type __attribute__((vector_size(kVector))); // NOLINT(modernize-use-using): GCC drops it from `using`
};
template <class T> using Vector = typename VectorOf<T>::type;

// The first, or last, halves of two vectors, one element from each in turn.
template <bool last, class T, size_t... I>
[[gnu::always_inline]] inline Vector<T> interleave(Vector<T> a, Vector<T> b, std::index_sequence<I...>) {
    constexpr size_t kCount = kVector / sizeof(T);
    return __builtin_shufflevector(a, b, (I / 2 + (last ? kCount / 2 : 0) + (I % 2 != 0 ? kCount : 0))...);
}

// A square of as many rows as a vector has elements. Each round interleaves the rows of its first
// half with those of its second.
template <class T>
[[gnu::always_inline]] inline void turn_square(const std::byte *in, size_t ld_in, std::byte *out, size_t ld_out) {
    constexpr size_t kCount = kVector / sizeof(T);
    constexpr auto kPlaces = std::make_index_sequence<kCount>();
    Vector<T> rows[kCount], next[kCount]; // NOLINT(modernize-avoid-c-arrays): of vectors
#pragma GCC unroll 16
    for (size_t i = 0; i < kCount; ++i) std::memcpy(&rows[i], in + i * ld_in, kVector);
#pragma GCC unroll 16
    for (size_t round = 1; round < kCount; round *= 2) {
#pragma GCC unroll 16
        for (size_t i = 0; i < kCount / 2; ++i) {
            next[2 * i] = interleave<false, T>(rows[i], rows[i + kCount / 2], kPlaces);
            next[2 * i + 1] = interleave<true, T>(rows[i], rows[i + kCount / 2], kPlaces);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < kCount; ++i) rows[i] = next[i];
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < kCount; ++i) std::memcpy(out + i * ld_out, &rows[i], kVector);
}
#endif

// Up to kLine bytes of each row.
template <class T> void turn_block(const Part &part) {
    size_t rows = 0, columns = 0; // of whole squares
#if defined(__GNUC__)
    constexpr size_t kCount = kVector / sizeof(T);
    rows = part.rows / kCount * kCount;
    columns = part.columns / kCount * kCount;
    for (size_t i = 0; i < rows; i += kCount)
        for (size_t j = 0; j < columns; j += kCount)
            turn_square<T>(part.in + i * part.ld_in + j * sizeof(T), part.ld_in,
                           part.out + j * part.ld_out + i * sizeof(T), part.ld_out);
#endif
    const auto rest = [&](size_t i, size_t j, size_t high, size_t wide) {
        turn_elements<sizeof(T)>({part.in + i * part.ld_in + j * sizeof(T), part.ld_in,
                                  part.out + j * part.ld_out + i * sizeof(T), part.ld_out, high, wide},
                                 0);
    };
    if (columns < part.columns) rest(0, columns, rows, part.columns - columns);
    if (rows < part.rows) rest(rows, 0, part.rows - rows, part.columns);
}

void turn_block(const Part &part, size_t size) {
    switch (size) {
    case 1: return turn_block<uint8_t>(part);
    case 2: return turn_block<uint16_t>(part);
    case 4: return turn_block<uint32_t>(part);
    case 8: return turn_block<uint64_t>(part);
    case 3: return turn_elements<3>(part, size);
    case 12: return turn_elements<12>(part, size);
    case 16: return turn_elements<16>(part, size);
    case 32: return turn_elements<32>(part, size);
    default: return turn_elements<0>(part, size);
    }
}

// Elements from this size on are moved by themselves, not as squares.
constexpr size_t kLarge = 16;

// By blocks. Those of small elements below each other first: rows of the output are written to
// their end, while a processor reads several lines of the input ahead. Those of large elements
// beside each other first.
void turn(const Part &part, size_t size) {
    const size_t side = std::max(kLine / size, size_t{4});
    const bool is_large = size >= kLarge;
    const size_t outer_end = is_large ? part.rows : part.columns, inner_end = is_large ? part.columns : part.rows;
    for (size_t outer = 0; outer < outer_end; outer += side) {
        for (size_t inner = 0; inner < inner_end; inner += side) {
            const size_t i = is_large ? outer : inner, j = is_large ? inner : outer;
            turn_block({part.in + i * part.ld_in + j * size, part.ld_in, part.out + j * part.ld_out + i * size,
                        part.ld_out, std::min(side, part.rows - i), std::min(side, part.columns - j)},
                       size);
        }
    }
}

} // namespace

void transpose(const Transpose &work) {
    constexpr size_t kElements = size_t{1} << 16; // of a thread at a time
    constexpr size_t kLeast = 64;                 // elements, so that a line is hardly ever of two threads
    constexpr size_t kBytesOfANanosecond = 32;
    const bool is_large = work.size >= kLarge;
    const size_t inner_end = is_large ? work.columns : work.rows, outer_end = is_large ? work.rows : work.columns;
    const size_t inner = std::min(inner_end, kElements / kLeast);
    const size_t outer = std::min(outer_end, round_up(ceil_div(kElements, inner), kLeast));
    const size_t wide = is_large ? inner : outer, high = is_large ? outer : inner;
    const size_t across = ceil_div(work.columns, wide), down = ceil_div(work.rows, high);
    const size_t together =
        std::max(kElements / (wide * high), size_t{1}); // small matrices that a thread takes at a time
    const size_t parts = across * down * work.batch;
    const size_t cost = std::max(together * wide * high * work.size / kBytesOfANanosecond, size_t{1});
    parallel_for(ceil_div(parts, together), cost, [&](size_t turns) {
        for (size_t part = turns * together; part < std::min(parts, (turns + 1) * together); ++part) {
            const size_t matrix = part / (across * down), place = part % (across * down);
            const size_t i = place / across * high, j = place % across * wide;
            const auto *const in = static_cast<const std::byte *>(work.in);
            auto *const out = static_cast<std::byte *>(work.out);
            turn({in + (matrix * work.stride_in + i * work.ld_in + j) * work.size, work.ld_in * work.size,
                  out + (matrix * work.stride_out + j * work.ld_out + i) * work.size, work.ld_out * work.size,
                  std::min(high, work.rows - i), std::min(wide, work.columns - j)},
                 work.size);
        }
    });
}

} // namespace gpcl::host
