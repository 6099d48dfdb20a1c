// Reduction on the host: chunks of fixed size, so that the result does not depend on the number of
// threads.
// SPDX-License-Identifier: MIT
#include "host/reduce.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/best.h"
#include "host/operators.h"
#include "host/parallel.h"
#include "host/read.h"

#include <array>

namespace gpcl::host {
namespace {

constexpr size_t kChunk = 16384;
constexpr size_t kLanes = 16; // independent sums that the compiler keeps in vectors; the operators commute

// Elements of type S as numbers of T.
template <class T, class S, class Operator>
[[gnu::always_inline]] inline T fold_inline(const S *in, size_t n, Operator combine) {
    T lanes[kLanes];
    std::fill(lanes, lanes + kLanes, Operator::identity);
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 16
        for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = combine(lanes[lane], static_cast<T>(in[i + lane]));
    }
    T result = Operator::identity;
    for (const T lane : lanes) result = combine(result, lane);
    for (; i < n; ++i) result = combine(result, static_cast<T>(in[i]));
    return result;
}

template <class T, class S, class Operator> T fold_portable(const S *in, size_t n, Operator combine) {
    return fold_inline<T>(in, n, combine);
}
#if defined(GPCL_HAVE_X86)
template <class T, class S, class Operator>
[[gnu::target("avx2")]] T fold_avx2(const S *in, size_t n, Operator combine) {
    return fold_inline<T>(in, n, combine);
}
#endif

// Sums of integers of 8 and 16 bits: so many that 32 bits hold their sum at a time.
template <class T, class S> [[gnu::always_inline]] inline T sum_short_inline(const S *in, size_t n) {
    constexpr size_t kBlock = 4096;
    T result = 0;
    for (size_t done = 0; done < n; done += kBlock) {
        int32_t sum = 0;
        for (size_t i = done; i < std::min(n, done + kBlock); ++i) sum += in[i];
        result = wrapping_add(result, static_cast<T>(sum));
    }
    return result;
}
template <class T, class S> T sum_short_portable(const S *in, size_t n) { return sum_short_inline<T>(in, n); }
#if defined(GPCL_HAVE_X86)
template <class T, class S> [[gnu::target("avx2")]] T sum_short_avx2(const S *in, size_t n) {
    return sum_short_inline<T>(in, n);
}
#endif

// The order of the operator: -1 takes the least number, 1 the greatest, 0 another one.
template <class Operator> constexpr int kOrder = 0;
template <class T> constexpr int kOrder<Minimum<T>> = -1;
template <class T> constexpr int kOrder<Maximum<T>> = 1;

template <class T, class S, class Operator> T fold(const S *in, size_t n, Operator combine) {
    if constexpr (kOrder<Operator> != 0) {
        if (n == 0) return Operator::identity;
        return static_cast<T>(best_number<(kOrder<Operator> > 0), S>()(in, n));
    } else if constexpr (std::is_integral_v<S> && sizeof(S) <= 2) {
        static_assert(std::is_same_v<Operator, Add<T>>);
#if defined(GPCL_HAVE_X86)
        if (has_avx2()) return sum_short_avx2<T>(in, n);
#endif
        return sum_short_portable<T>(in, n);
    } else {
#if defined(GPCL_HAVE_X86)
        if (has_avx2()) return fold_avx2<T>(in, n, combine);
#endif
        return fold_portable<T>(in, n, combine);
    }
}

// Elements begin .. begin + count - 1 of a row.
template <class T, class Operator>
T fold_part(gp_dtype from, const void *row, size_t step, size_t begin, size_t count, Operator combine) {
    std::array<T, kPiece> piece;
    T result = Operator::identity;
    for (size_t done = 0; done < count; done += kPiece) {
        const size_t some = std::min(kPiece, count - done);
        read(from, row, (begin + done) * step, step, some, piece.data());
        result = combine(result, fold<T>(piece.data(), some, combine));
    }
    return result;
}

// The same; without a copy where elements of T lie side by side, or of most other types.
template <class T, class Operator> T fold_chunk(gp_dtype dtype, gp_dtype from, const std::byte *row, size_t step,
                                                size_t begin, size_t count, Operator combine) {
    if (step == 1 && from == dtype) return fold<T>(reinterpret_cast<const T *>(row) + begin, count, combine);
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        if (step == 1 && from == GP_INT32)
            return fold<T>(reinterpret_cast<const int32_t *>(row) + begin, count, combine);
        if (step == 1 && from == GP_UINT32)
            return fold<T>(reinterpret_cast<const uint32_t *>(row) + begin, count, combine);
    }
    if constexpr (std::is_integral_v<T> && (kOrder<Operator> != 0 || std::is_same_v<Operator, Add<T>>)) {
        const auto at = [&](auto zero) { return reinterpret_cast<const decltype(zero) *>(row) + begin; };
        if (step == 1 && from == GP_INT8) return fold<T>(at(int8_t{}), count, combine);
        if (step == 1 && from == GP_UINT8) return fold<T>(at(uint8_t{}), count, combine);
        if (step == 1 && from == GP_INT16) return fold<T>(at(int16_t{}), count, combine);
        if (step == 1 && from == GP_UINT16) return fold<T>(at(uint16_t{}), count, combine);
    }
    return fold_part<T>(from, row, step, begin, count, combine);
}

// A part of the columns of a matrix: `width` of them from `first` on, as far as stays in the cache.
struct Columns {
    size_t first, width;
};

// to[c] = the combination of elements begin .. begin + count - 1 of column first + c. is_t: the
// elements are of type T.
template <class T, class Operator> void fold_columns(gp_dtype from, bool is_t, const Rows &rows, const void *in,
                                                     Columns part, size_t begin, size_t count, T *to,
                                                     Operator combine) {
    std::array<T, kPiece> piece;
    std::fill(to, to + part.width, Operator::identity);
    for (size_t i = begin; i < begin + count; ++i) {
        const size_t at = i * rows.step + part.first * rows.stride;
        const T *x = static_cast<const T *>(in) + at;
        if (!is_t || rows.stride != 1) {
            read(from, in, at, rows.stride, part.width, piece.data());
            x = piece.data();
        }
        for (size_t c = 0; c < part.width; ++c) to[c] = combine(to[c], x[c]);
    }
}

// Rows that lie side by side, as the columns of a matrix, are reduced together, a range of their
// elements at a time.
template <class T, class Operator> void reduce_columns(gp_dtype from, bool is_t, const Rows &rows, const void *in,
                                                       size_t stride_out, T *out, bool accumulate, Operator combine) {
    constexpr size_t kLeastRange = 64;
    const size_t range = std::max(ceil_div(kChunk, rows.batch), kLeastRange), ranges = ceil_div(rows.n, range);
    const size_t parts = ceil_div(rows.batch, kPiece);
    std::vector<T> partial(rows.batch * ranges);
    parallel_for(parts * ranges, range * std::min(rows.batch, kPiece) / 4, [&](size_t index) {
        const size_t first = index % parts * kPiece, k = index / parts;
        fold_columns(from, is_t, rows, in, {first, std::min(kPiece, rows.batch - first)}, k * range,
                     std::min(range, rows.n - k * range), partial.data() + k * rows.batch + first, combine);
    });
    for (size_t row = 0; row < rows.batch; ++row) {
        T all = accumulate ? out[row * stride_out] : T(Operator::identity);
        for (size_t k = 0; k < ranges; ++k) all = combine(all, partial[k * rows.batch + row]);
        out[row * stride_out] = all;
    }
}

} // namespace

void reduce(gp_dtype dtype, gp_operator op, gp_dtype from, const Rows &rows, const void *in, size_t stride_out,
            void *out, bool accumulate) {
    if (accumulate && rows.n == 0) return;
    with_operator(dtype, op, [&](auto zero, auto combine) {
        using T = decltype(zero);
        if (rows.are_columns())
            return reduce_columns(from, from == dtype, rows, in, stride_out, static_cast<T *>(out), accumulate,
                                  combine);
        const size_t chunks = ceil_div(rows.n, kChunk); // of a row
        std::vector<T> partial(rows.batch * chunks);
        constexpr size_t kBytesPerNanosecond = 48; // of elements that lie side by side
        const size_t part = std::min(rows.n, kChunk), size = gpcl::dtype(from).size;
        parallel_for(partial.size(), rows.step == 1 ? part * size / kBytesPerNanosecond : part / 4, [&](size_t index) {
            const size_t row = index / chunks, begin = index % chunks * kChunk;
            const size_t count = std::min(kChunk, rows.n - begin);
            const auto *first = static_cast<const std::byte *>(in) + row * rows.stride * size;
            partial[index] = fold_chunk<T>(dtype, from, first, rows.step, begin, count, combine);
        });
        for (size_t row = 0; row < rows.batch; ++row) {
            T &result = static_cast<T *>(out)[row * stride_out];
            const T all = fold<T>(partial.data() + row * chunks, chunks, combine);
            result = accumulate ? combine(result, all) : all;
        }
    });
}

} // namespace gpcl::host
