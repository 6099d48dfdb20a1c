// Transposes of matrices on the host: by blocks of as many rows and columns as a line of the cache
// has elements, and of these blocks squares as wide as a vector of 16 bytes, which are turned round
// in registers. With AVX2 these are two squares at a time, one below the other: each vector has a
// row of both. Several small matrices are one shuffle of a vector.
//
// Source: Lam, Rothberg and Wolf, "The Cache Performance and Optimizations of Blocked Algorithms",
//         1991
// SPDX-License-Identifier: MIT
#include "host/transpose.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/parallel.h"
#include "host/vectors.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(GPCL_HAVE_X86)
#include <immintrin.h>
#endif

namespace gpcl::host {
namespace {

constexpr size_t kLine = 64, kVector = 16; // bytes

// Part of a matrix; strides in bytes. The input may be read up to in_end; up to out_end the output
// may be written where later rows are.
struct Part {
    const std::byte *in;
    size_t ld_in;
    std::byte *out;
    size_t ld_out;
    size_t rows, columns;
    const std::byte *in_end;
    std::byte *out_end;
    bool by_pairs; // with vectors for rows of two squares

    Part block(size_t i, size_t j, size_t high, size_t wide, size_t size) const {
        Part part = *this;
        part.in += i * ld_in + j * size;
        part.out += j * ld_out + i * size;
        part.rows = high;
        part.columns = wide;
        return part;
    }
};

// Elements one by one. Size 0: of any size.
template <size_t Size> void turn_elements(const Part &part, size_t any_size) {
    const size_t size = Size != 0 ? Size : any_size;
    for (size_t j = 0; j < part.columns; ++j)
        for (size_t i = 0; i < part.rows; ++i)
            std::memcpy(part.out + j * part.ld_out + i * size, part.in + i * part.ld_in + j * size, size);
}

#if defined(__GNUC__)
template <class T> using Short = VectorOf<T, kVector>;
template <class T> using Pair = VectorOf<T, 2 * kVector>; // of rows of two squares

// The first, or last, halves of two rows, one element from each in turn; in each square that the
// vectors have rows of.
template <bool last, class T, class Vector, size_t... I>
[[gnu::always_inline]] inline void interleave(const Vector &a, const Vector &b, Vector &to, std::index_sequence<I...>) {
    constexpr size_t kCount = kVector / sizeof(T), kAll = sizeof(Vector) / sizeof(T);
    to = __builtin_shufflevector(
        a, b, (I / kCount * kCount + I % kCount / 2 + (last ? kCount / 2 : 0) + (I % 2 != 0 ? kAll : 0))...);
}

// Turns round the square, or both, whose rows these are: each round interleaves the rows of the
// first half with those of the second.
template <class T, class Vector> [[gnu::always_inline]] inline void turn_rows(Vector *rows) {
    constexpr size_t kCount = kVector / sizeof(T);
    constexpr auto kPlaces = std::make_index_sequence<sizeof(Vector) / sizeof(T)>();
    Vector next[kCount]; // NOLINT(modernize-avoid-c-arrays): of vectors
#pragma GCC unroll 16
    for (size_t round = 1; round < kCount; round *= 2) {
#pragma GCC unroll 16
        for (size_t i = 0; i < kCount / 2; ++i) {
            interleave<false, T>(rows[i], rows[i + kCount / 2], next[2 * i], kPlaces);
            interleave<true, T>(rows[i], rows[i + kCount / 2], next[2 * i + 1], kPlaces);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < kCount; ++i) rows[i] = next[i];
    }
}

// A square of as many rows as a vector has elements, or if not Whole the part of it that there is.
template <class T, bool Whole> [[gnu::always_inline]] inline void turn_square(const Part &part) {
    constexpr size_t kCount = kVector / sizeof(T);
    Short<T> rows[kCount]; // NOLINT(modernize-avoid-c-arrays): of vectors
#pragma GCC unroll 16
    for (size_t i = 0; i < kCount; ++i) {
        const std::byte *const from = part.in + i * part.ld_in;
        if (!Whole && i >= part.rows)
            rows[i] = Short<T>{};
        else if (Whole || static_cast<size_t>(part.in_end - from) >= kVector)
            std::memcpy(&rows[i], from, kVector);
        else
            std::memcpy(&rows[i], from, part.columns * sizeof(T));
    }
    turn_rows<T>(rows);
#pragma GCC unroll 16
    for (size_t i = 0; i < kCount; ++i) {
        if (!Whole && i == part.columns) return;
        std::byte *const to = part.out + i * part.ld_out;
        if (Whole || part.rows == kCount || static_cast<size_t>(part.out_end - to) >= kVector)
            std::memcpy(to, &rows[i], kVector);
        else
            std::memcpy(to, &rows[i], part.rows * sizeof(T));
    }
}

#if defined(GPCL_HAVE_X86)
// Whole squares, two at a time; gives how many rows those have. The part is a copy: were it a
// reference, each vector that is stored might be some of it.
template <class T> [[gnu::target("avx2")]] size_t turn_pairs(const Part part, size_t columns) {
    constexpr size_t kCount = kVector / sizeof(T);
    const size_t rows = part.rows / (2 * kCount) * (2 * kCount), to_lower = kCount * part.ld_in;
    for (size_t i = 0; i < rows; i += 2 * kCount) {
        const std::byte *line = part.in + i * part.ld_in;
        std::byte *to = part.out + i * sizeof(T);
        for (size_t j = 0; j < columns; j += kCount, line += kVector) {
            const std::byte *from = line;
            Pair<T> both[kCount]; // NOLINT(modernize-avoid-c-arrays): of vectors
#pragma GCC unroll 16
            for (size_t k = 0; k < kCount; ++k, from += part.ld_in) {
                const __m128i upper = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
                const __m128i lower = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + to_lower));
                const __m256i row = _mm256_inserti128_si256(_mm256_castsi128_si256(upper), lower, 1);
                std::memcpy(&both[k], &row, sizeof row);
            }
            turn_rows<T>(both);
#pragma GCC unroll 16
            for (size_t k = 0; k < kCount; ++k, to += part.ld_out) std::memcpy(to, &both[k], sizeof both[k]);
        }
    }
    return rows;
}
#endif

constexpr size_t kLeastBytes = 64; // which are turned sooner as part of a square than one by one

// What is beside whole squares, as squares too where that is faster than element by element. Short
// rows of the output are written as vectors that reach into the next ones, where these follow.
void turn_bytes(const Part &part) {
    for (size_t i = 0; i < part.rows; i += kVector) {
        for (size_t j = 0; j < part.columns; j += kVector) {
            const size_t high = std::min(kVector, part.rows - i), wide = std::min(kVector, part.columns - j);
            const Part square = part.block(i, j, high, wide, 1);
            if (high * wide >= kLeastBytes && (high == kVector || high == part.ld_out))
                turn_square<uint8_t, false>(square);
            else
                turn_elements<1>(square, 0);
        }
    }
}
#endif

// Up to kLine bytes of each row.
template <class T> void turn_block(const Part &part) {
    size_t rows = 0, columns = 0; // of whole squares
#if defined(__GNUC__)
    constexpr size_t kCount = kVector / sizeof(T);
    rows = part.rows / kCount * kCount;
    columns = part.columns / kCount * kCount;
    size_t turned = 0; // rows
#if defined(GPCL_HAVE_X86)
    if (part.by_pairs) turned = turn_pairs<T>(part, columns);
#endif
    for (size_t i = turned; i < rows; i += kCount)
        for (size_t j = 0; j < columns; j += kCount) turn_square<T, true>(part.block(i, j, kCount, kCount, sizeof(T)));
#endif
    const auto rest = [&](size_t i, size_t j, size_t high, size_t wide) {
        const Part strip = part.block(i, j, high, wide, sizeof(T));
#if defined(__GNUC__)
        if constexpr (sizeof(T) == 1)
            if (std::min(high, kVector) * std::min(wide, kVector) >= kLeastBytes) return turn_bytes(strip);
#endif
        turn_elements<sizeof(T)>(strip, 0);
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

// By blocks as wide as a line of the cache. Those of small elements are high, and one below the
// other comes first: rows of the output are written to their end, while a processor reads several
// lines of the input ahead. Those of large elements are as high as wide, beside each other first.
void turn(const Part &part, size_t size) {
    const size_t wide = std::max(kLine / size, size_t{4});
    if (size >= kLarge) {
        for (size_t i = 0; i < part.rows; i += wide)
            for (size_t j = 0; j < part.columns; j += wide)
                turn_block(part.block(i, j, std::min(wide, part.rows - i), std::min(wide, part.columns - j), size),
                           size);
        return;
    }
    constexpr size_t kHigh = 512; // rows, of which the first-level cache has a line each
    for (size_t j = 0; j < part.columns; j += wide)
        for (size_t i = 0; i < part.rows; i += kHigh)
            turn_block(part.block(i, j, std::min(kHigh, part.rows - i), std::min(wide, part.columns - j), size), size);
}

// Matrices one behind another, of which a vector holds one or several: how many of so many are
// turned. The rest would be read or written beyond the last one. Bytes are moved within 16, words
// of 4 bytes within 32.
#if defined(GPCL_HAVE_X86)
constexpr size_t kWord = 4, kWideVector = 32;

[[gnu::target("avx2")]] size_t turn_small(const Transpose &work, const std::byte *in, std::byte *out, size_t matrices) {
    const size_t bytes = work.rows * work.columns * work.size;
    const bool is_wide = bytes > kVector;
    const size_t vector = is_wide ? kWideVector : kVector, unit = is_wide ? kWord : 1, together = vector / bytes;
    alignas(kWideVector) std::array<uint32_t, kWideVector / kWord> words{};
    std::array<uint8_t, kVector> places{};
    for (size_t k = 0; k < together * bytes / unit; ++k) {
        const size_t at = k * unit, element = at % bytes / work.size, i = element % work.rows, j = element / work.rows;
        const size_t from = (at / bytes * bytes + (i * work.columns + j) * work.size + at % work.size) / unit;
        if (is_wide)
            words[k] = static_cast<uint32_t>(from);
        else
            places[k] = static_cast<uint8_t>(from);
    }
    size_t turned = 0;
    if (is_wide) {
        const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i *>(words.data()));
        for (; (matrices - turned) * bytes >= vector; turned += together) {
            const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(in + turned * bytes));
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(out + turned * bytes),
                                _mm256_permutevar8x32_epi32(x, order));
        }
        return turned;
    }
    const __m128i order = _mm_loadu_si128(reinterpret_cast<const __m128i *>(places.data()));
    for (; (matrices - turned) * bytes >= vector; turned += together) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(in + turned * bytes));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(out + turned * bytes), _mm_shuffle_epi8(x, order));
    }
    return turned;
}

bool is_small(const Transpose &work) {
    const size_t elements = work.rows * work.columns;
    return elements * work.size <= (work.size % kWord == 0 ? kWideVector : kVector) && work.ld_in == work.columns &&
           work.ld_out == work.rows && work.stride_in == elements && work.stride_out == elements && has_avx2();
}
#endif

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
#if defined(GPCL_HAVE_X86)
    const bool by_pairs = has_avx2();
#else
    const bool by_pairs = false;
#endif
    const size_t cost = std::max(together * wide * high * work.size / kBytesOfANanosecond, size_t{1});
    parallel_for(ceil_div(parts, together), cost, [&](size_t turns) {
        size_t part = turns * together;
        const size_t end = std::min(parts, part + together);
#if defined(GPCL_HAVE_X86)
        if (is_small(work))
            part += turn_small(work, static_cast<const std::byte *>(work.in) + part * work.stride_in * work.size,
                               static_cast<std::byte *>(work.out) + part * work.stride_out * work.size, end - part);
#endif
        for (; part < end; ++part) {
            // Divisions take as long as a small matrix.
            const bool is_whole = across * down == 1;
            const size_t matrix = is_whole ? part : part / (across * down);
            const size_t place = is_whole ? 0 : part % (across * down);
            const size_t i = place / across * high, j = place % across * wide;
            const size_t rows = std::min(high, work.rows - i), columns = std::min(wide, work.columns - j);
            const std::byte *const in =
                static_cast<const std::byte *>(work.in) + (matrix * work.stride_in + i * work.ld_in + j) * work.size;
            std::byte *const out =
                static_cast<std::byte *>(work.out) + (matrix * work.stride_out + j * work.ld_out + i) * work.size;
            turn({in, work.ld_in * work.size, out, work.ld_out * work.size, rows, columns,
                  in + ((rows - 1) * work.ld_in + columns) * work.size,
                  out + ((columns - 1) * work.ld_out + rows) * work.size, by_pairs},
                 work.size);
        }
    });
}

} // namespace gpcl::host
