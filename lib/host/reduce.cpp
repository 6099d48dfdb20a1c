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
#include "host/vectors.h"

#include <array>
#include <utility>

namespace gpcl::host {
namespace {

constexpr size_t kChunk = 16384;
constexpr size_t kLeastLanes = 16; // independent sums of a row, in vectors; the operators commute

// The order of the operator: -1 takes the least number, 1 the greatest, 0 another one.
template <class Operator> constexpr int kOrder = 0;
template <class T> constexpr int kOrder<Minimum<T>> = -1;
template <class T> constexpr int kOrder<Maximum<T>> = 1;

// What elements of S are combined in before they become a number of T: the least and greatest in S
// itself, sums of integers of 8 and 16 bits in 32 bits.
template <class T, class S, class Operator> struct Combined {
    static constexpr bool kIsOrder = kOrder<Operator> != 0;
    static constexpr bool kIsShort = !kIsOrder && std::is_integral_v<S> && sizeof(S) <= 2;
    using type = std::conditional_t<kIsOrder, S, std::conditional_t<kIsShort, int32_t, T>>;
};
static_assert(kChunk <= 32768, "no more elements of 16 bits have a sum of 32 bits");

// Sums of such elements are plain loops, of which the compiler makes vectors.
template <class A, class S> constexpr bool kIsWidened = sizeof(S) < sizeof(A) && sizeof(S) <= 2;

// The operator of T on numbers of A.
template <class A, template <class> class Operator, class T> Operator<A> operator_of(Operator<T>) { return {}; }

// A vector of A of elements of S.
template <class A, class S> [[gnu::always_inline]] inline void load_as(const S *from, Vector<A> &to) {
    if constexpr (std::is_same_v<A, S>) {
        load_vector(from, to);
    } else {
        VectorOf<S, kLanesOf<A> * sizeof(S)> narrow;
        load_vector(from, narrow);
        to = __builtin_convertvector(narrow, Vector<A>);
    }
}

// n numbers of S in A. Fewer than the lanes are combined one after the other.
template <class A, class S, class Operator>
[[gnu::always_inline]] inline A fold_inline(const S *in, size_t n, Operator combine) {
    constexpr size_t kVectors = std::max(kLeastLanes / kLanesOf<A>, size_t{1}), kLanes = kVectors * kLanesOf<A>;
    A result = Operator::identity;
    size_t i = 0;
    if constexpr (kIsWidened<A, S>) {
        for (; i < n; ++i) result += in[i];
    } else if (n >= kLanes) {
        Vector<A> sums[kVectors];
#pragma GCC unroll 4
        for (size_t v = 0; v < kVectors; ++v) load_as<A>(in + v * kLanesOf<A>, sums[v]);
        for (i = kLanes; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 4
            for (size_t v = 0; v < kVectors; ++v) {
                Vector<A> x;
                load_as<A>(in + i + v * kLanesOf<A>, x);
                Operator::take(sums[v], x);
            }
        }
#pragma GCC unroll 4
        for (size_t v = 1; v < kVectors; ++v) Operator::take(sums[0], sums[v]);
        result = combine_lanes<A>(
            sums[0], [](auto &to, const auto &from) __attribute__((always_inline)) { Operator::take(to, from); });
    }
    for (; i < n; ++i) result = combine(result, static_cast<A>(in[i]));
    return result;
}

// Where results go: that of row k to out[k * stride], combined with what is there if `accumulate`.
template <class T> struct Results {
    T *out;
    size_t stride;
    bool accumulate;

    template <class Operator> [[gnu::always_inline]] void put(size_t row, T result, Operator combine) const {
        T &to = out[row * stride];
        to = accumulate ? combine(to, result) : result;
    }
    template <class A, class Operator> void put_all(const A *from, size_t rows, Operator combine) const {
        if (stride == 1 && !accumulate) {
            std::copy_n(from, rows, out); // by vectors
        } else {
            for (size_t row = 0; row < rows; ++row) put(row, static_cast<T>(from[row]), combine);
        }
    }
};

// Some rows of n <= kChunk elements that lie side by side; rows are `stride` elements apart.
template <class T, class S, class Operator> [[gnu::always_inline]] inline void
fold_rows_inline(const S *in, size_t n, size_t stride, size_t rows, const Results<T> &results, Operator combine) {
    using A = typename Combined<T, S, Operator>::type;
    const auto combine_a = operator_of<A>(combine);
    for (size_t row = 0; row < rows; ++row)
        results.put(row, static_cast<T>(fold_inline<A>(in + row * stride, n, combine_a)), combine);
}
template <class T, class S, class Operator> void fold_rows_portable(const S *in, size_t n, size_t stride, size_t rows,
                                                                    const Results<T> &results, Operator combine) {
    fold_rows_inline(in, n, stride, rows, results, combine);
}
#if defined(GPCL_HAVE_X86)
template <class T, class S, class Operator> [[gnu::target("avx2")]] void
fold_rows_avx2(const S *in, size_t n, size_t stride, size_t rows, const Results<T> &results, Operator combine) {
    fold_rows_inline(in, n, stride, rows, results, combine);
}
#endif

template <class T, class S, class Operator>
void fold_rows(const S *in, size_t n, size_t stride, size_t rows, const Results<T> &results, Operator combine) {
    if constexpr (kOrder<Operator> != 0) {
        constexpr size_t kShort = 64; // for longer rows wider vectors pay
        if (n > kShort) {
            const auto best = best_number<(kOrder<Operator> > 0), S>();
            for (size_t row = 0; row < rows; ++row)
                results.put(row, static_cast<T>(best(in + row * stride, n)), combine);
            return;
        }
    }
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return fold_rows_avx2(in, n, stride, rows, results, combine);
#endif
    fold_rows_portable(in, n, stride, rows, results, combine);
}

// Elements begin .. begin + count - 1 of a row, count <= kChunk.
template <class T, class Operator>
T fold_part(gp_dtype from, const void *row, size_t step, size_t begin, size_t count, Operator combine) {
    std::array<T, kPiece> piece;
    T result = Operator::identity;
    const Results<T> results{&result, 1, true};
    for (size_t done = 0; done < count; done += kPiece) {
        const size_t some = std::min(kPiece, count - done);
        read(from, row, (begin + done) * step, step, some, piece.data());
        fold_rows(piece.data(), some, some, 1, results, combine);
    }
    return result;
}

// The same of `rows` rows; without a copy where elements lie side by side.
template <class T, class Operator> void fold_chunks(gp_dtype from, const std::byte *in, const Rows &rows, size_t begin,
                                                    size_t count, const Results<T> &results, Operator combine) {
    if (rows.step == 1 && with_elements(from, combine, [&](auto zero) {
            fold_rows(reinterpret_cast<const decltype(zero) *>(in) + begin, count, rows.stride, rows.batch, results,
                      combine);
        }))
        return;
    const size_t size = gpcl::dtype(from).size;
    for (size_t row = 0; row < rows.batch; ++row)
        results.put(row, fold_part<T>(from, in + row * rows.stride * size, rows.step, begin, count, combine), combine);
}

// to[c] = to[c] combined with elements 0 .. count - 1 of column c, of `width` columns that lie side
// by side.
template <class A, class S, class Operator> [[gnu::always_inline]] inline void
fold_columns_inline(const S *in, size_t step, size_t width, size_t count, A *to, Operator combine) {
    size_t i = 0;
    // Some elements of each column between a load and a store of its result.
    const auto take = [&]<size_t... k>(std::index_sequence<k...>) __attribute__((always_inline)) {
        const S *const x = in + i * step;
        size_t c = 0;
        if constexpr (kIsWidened<A, S>)
            for (; c < width; ++c) to[c] += (A{x[k * step + c]} + ...);
        for (; c + kLanesOf<A> <= width; c += kLanesOf<A>) {
            Vector<A> sums, next;
            load_vector(to + c, sums);
            ((load_as<A>(x + k * step + c, next), Operator::take(sums, next)), ...);
            store_vector(sums, to + c);
        }
        for (; c < width; ++c) ((to[c] = combine(to[c], static_cast<A>(x[k * step + c]))), ...);
    };
    for (; i + 4 <= count; i += 4) take(std::make_index_sequence<4>());
    for (; i < count; ++i) take(std::make_index_sequence<1>());
}
template <class A, class S, class Operator>
void fold_columns_portable(const S *in, size_t step, size_t width, size_t count, A *to, Operator combine) {
    fold_columns_inline(in, step, width, count, to, combine);
}
#if defined(GPCL_HAVE_X86)
template <class A, class S, class Operator> [[gnu::target("avx2")]] void
fold_columns_avx2(const S *in, size_t step, size_t width, size_t count, A *to, Operator combine) {
    fold_columns_inline(in, step, width, count, to, combine);
}
#endif
template <class A, class S, class Operator>
void fold_columns(const S *in, size_t step, size_t width, size_t count, A *to, Operator combine) {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return fold_columns_avx2(in, step, width, count, to, combine);
#endif
    fold_columns_portable(in, step, width, count, to, combine);
}

// Elements begin .. begin + count - 1, count <= kChunk, of `width` <= kPiece columns from column
// `first` on.
template <class T, class Operator> void fold_piece(gp_dtype from, const Rows &rows, const void *in, size_t first,
                                                   size_t width, size_t begin, size_t count, const Results<T> &results,
                                                   Operator combine) {
    const size_t at = begin * rows.step + first * rows.stride;
    if (rows.stride == 1 && with_elements(from, combine, [&](auto zero) {
            using S = decltype(zero);
            using A = typename Combined<T, S, Operator>::type;
            const auto combine_a = operator_of<A>(combine);
            std::array<A, kPiece> sums;
            std::fill_n(sums.data(), width, A(combine_a.identity));
            fold_columns(static_cast<const S *>(in) + at, rows.step, width, count, sums.data(), combine_a);
            results.put_all(sums.data(), width, combine);
        }))
        return;
    std::array<T, kPiece> piece, sums;
    std::fill_n(sums.data(), width, T(Operator::identity));
    for (size_t i = 0; i < count; ++i) {
        read(from, in, at + i * rows.step, rows.stride, width, piece.data());
        fold_columns(piece.data(), 0, width, 1, sums.data(), combine);
    }
    results.put_all(sums.data(), width, combine);
}

// Nanoseconds that elements of a type take, in cache: from memory more threads pay soon enough.
size_t cost_of(gp_dtype from, bool side_by_side, size_t elements) {
    constexpr size_t kBytesPerNanosecond = 48;
    return side_by_side && from != GP_FLOAT16 ? elements * gpcl::dtype(from).size / kBytesPerNanosecond : elements / 4;
}

// Rows that lie side by side, as the columns of a matrix, are reduced together, a range of their
// elements at a time.
template <class T, class Operator>
void reduce_columns(gp_dtype from, const Rows &rows, const void *in, const Results<T> &results, Operator combine) {
    constexpr size_t kLeastRange = 64;
    const size_t range = std::max(ceil_div(kChunk, rows.batch), kLeastRange), ranges = ceil_div(rows.n, range);
    const size_t parts = ceil_div(rows.batch, kPiece);
    std::vector<T> partial(ranges > 1 ? rows.batch * ranges : 0);
    parallel_for(
        parts * ranges, cost_of(from, rows.stride == 1, range * std::min(rows.batch, kPiece)), [&](size_t index) {
            const size_t first = index % parts * kPiece, k = index / parts;
            const Results<T> to =
                ranges > 1 ? Results<T>{partial.data() + k * rows.batch + first, 1, false}
                           : Results<T>{results.out + first * results.stride, results.stride, results.accumulate};
            fold_piece(from, rows, in, first, std::min(kPiece, rows.batch - first), k * range,
                       std::min(range, rows.n - k * range), to, combine);
        });
    if (ranges == 1) return;
    for (size_t row = 0; row < rows.batch; ++row) {
        T all = Operator::identity;
        for (size_t k = 0; k < ranges; ++k) all = combine(all, partial[k * rows.batch + row]);
        results.put(row, all, combine);
    }
}

// Several rows at a time, or chunks of a long one.
template <class T, class Operator>
void reduce_rows(gp_dtype from, const Rows &rows, const void *in, const Results<T> &results, Operator combine) {
    constexpr size_t kCostOfARow = 3; // nanoseconds
    const size_t size = gpcl::dtype(from).size, chunks = ceil_div(rows.n, kChunk), part = std::min(rows.n, kChunk);
    const size_t together = std::max(kChunk / std::max(rows.n + 16, size_t{1}), size_t{1});
    std::vector<T> partial(chunks > 1 ? rows.batch * chunks : 0);
    const size_t cost = (kCostOfARow + cost_of(from, rows.step == 1, part)) * std::min(together, rows.batch);
    parallel_for(ceil_div(rows.batch, together) * chunks, cost, [&](size_t index) {
        const size_t row = index / chunks * together, chunk = index % chunks;
        Rows some = rows;
        some.batch = std::min(together, rows.batch - row);
        const Results<T> to = chunks > 1
                                  ? Results<T>{partial.data() + row * chunks + chunk, 1, false}
                                  : Results<T>{results.out + row * results.stride, results.stride, results.accumulate};
        fold_chunks(from, static_cast<const std::byte *>(in) + row * rows.stride * size, some, chunk * kChunk,
                    std::min(kChunk, rows.n - chunk * kChunk), to, combine);
    });
    if (chunks > 1) fold_rows(partial.data(), chunks, chunks, rows.batch, results, combine);
}

} // namespace

void reduce(gp_dtype dtype, gp_operator op, gp_dtype from, const Rows &rows, const void *in, size_t stride_out,
            void *out, bool accumulate) {
    with_operator(dtype, op, [&](auto zero, auto combine) {
        using T = decltype(zero);
        const Results<T> results{static_cast<T *>(out), stride_out, accumulate};
        if (rows.n == 0) {
            for (size_t row = 0; row < rows.batch && !accumulate; ++row) results.put(row, combine.identity, combine);
        } else if (rows.are_columns()) {
            reduce_columns(from, rows, in, results, combine);
        } else {
            reduce_rows(from, rows, in, results, combine);
        }
    });
}

} // namespace gpcl::host
