// Matrix by vector, in any semiring. The matrix has lines of elements that lie side by side: its
// rows, of which dot products with the vector are taken, or its columns, which are added to a row
// of sums. Some lines go together, so that what they share is loaded once. Lines whose elements are
// not computed in as they are stored are converted first, a part at a time.
// SPDX-License-Identifier: MIT
#include "host/matmul_vector.h"

#include "core/cpu.h"
#include "core/scratch.h"
#include "core/size.h"
#include "host/gemm.h"
#include "host/matmul_types.h"
#include "host/parallel.h"

namespace gpcl::host {
namespace {

constexpr size_t kTogether = 4;     // lines
constexpr size_t kLeastVectors = 2; // fewer take longer to be summed than their elements
constexpr size_t kNear = 4096;      // elements of the vector, or sums, that stay in the first-level cache
constexpr size_t kConverted = 1024; // elements of a line
constexpr size_t kPiece = 1 << 16;  // elements of the matrix for a thread
constexpr size_t kMostPieces = 64;  // where each has sums of its own

template <class Value> [[gnu::always_inline]] inline void in_all_lanes(Value x, Vector<Value> &to) {
    Value lanes[kLanesOf<Value>];
#pragma GCC unroll 16
    for (Value &lane : lanes) lane = x;
    load_vector(lanes, to);
}

// The sum of `count` lanes, a power of two.
template <class S, size_t count, class Value = typename S::Value>
[[gnu::always_inline]] inline Value sum_of(const Value *lanes) {
    if constexpr (count == 1)
        return *lanes;
    else
        return S::plus(sum_of<S, count / 2>(lanes), sum_of<S, count / 2>(lanes + count / 2));
}

// sums[i] += line number i * factors.
template <class S, size_t lines, class Value = typename S::Value> [[gnu::always_inline]] inline void
add_dots(size_t length, const Value *from, size_t stride, const Value *factors, Value *sums) {
    // As many sums at a time as hide the latency of one.
    constexpr size_t kWidth = kLanesOf<Value>, kChains = kTogether / lines;
    Value sum[lines];
#pragma GCC unroll 4
    for (size_t i = 0; i < lines; ++i) sum[i] = sums[i];
    size_t p = 0;
    if (length >= std::max(kChains, kLeastVectors) * kWidth) {
        Vector<Value> wide[lines][kChains];
#pragma GCC unroll 4
        for (size_t i = 0; i < lines; ++i)
#pragma GCC unroll 4
            for (size_t c = 0; c < kChains; ++c) in_all_lanes<Value>(S::zero, wide[i][c]);
        for (; p + kChains * kWidth <= length; p += kChains * kWidth) {
#pragma GCC unroll 4
            for (size_t c = 0; c < kChains; ++c) {
                Vector<Value> factor;
                load_vector(factors + p + c * kWidth, factor);
#pragma GCC unroll 4
                for (size_t i = 0; i < lines; ++i) {
                    Vector<Value> term;
                    load_vector(from + i * stride + p + c * kWidth, term);
                    S::accumulate(wide[i][c], term, factor);
                }
            }
        }
#pragma GCC unroll 4
        for (size_t i = 0; i < lines; ++i) {
            Value lanes[kChains * kWidth];
#pragma GCC unroll 4
            for (size_t c = 0; c < kChains; ++c) store_vector(wide[i][c], lanes + c * kWidth);
            Value all = S::zero;
#pragma GCC unroll 4
            for (size_t c = 0; c < kChains; ++c) all = S::plus(all, sum_of<S, kWidth>(lanes + c * kWidth));
            sum[i] = S::plus(sum[i], all);
        }
    }
    for (; p < length; ++p)
#pragma GCC unroll 4
        for (size_t i = 0; i < lines; ++i) sum[i] = S::plus(sum[i], S::times(from[i * stride + p], factors[p]));
#pragma GCC unroll 4
    for (size_t i = 0; i < lines; ++i) sums[i] = sum[i];
}

// sums += factors[i] * line number i.
template <class S, size_t lines, class Value = typename S::Value> [[gnu::always_inline]] inline void
add_lines(size_t length, const Value *from, size_t stride, const Value *factors, Value *sums) {
    constexpr size_t kWidth = kLanesOf<Value>;
    Vector<Value> factor[lines];
#pragma GCC unroll 4
    for (size_t i = 0; i < lines; ++i) in_all_lanes<Value>(factors[i], factor[i]);
    size_t j = 0;
    for (; j + kWidth <= length; j += kWidth) {
        Vector<Value> sum;
        load_vector(sums + j, sum);
#pragma GCC unroll 4
        for (size_t i = 0; i < lines; ++i) {
            Vector<Value> term;
            load_vector(from + i * stride + j, term);
            S::accumulate(sum, term, factor[i]);
        }
        store_vector(sum, sums + j);
    }
    for (; j < length; ++j)
#pragma GCC unroll 4
        for (size_t i = 0; i < lines; ++i) sums[j] = S::plus(sums[j], S::times(from[i * stride + j], factors[i]));
}

// `count` lines of Values, `stride` apart, their factors and their sums: of dot products the
// factors are `length` and the sums `count`, else the other way round.
template <class Value> struct Lines {
    bool dots;
    size_t count, length;
    const Value *from;
    size_t stride;
    const Value *factors;
    Value *sums;
};

template <class S, class Value = typename S::Value>
[[gnu::always_inline]] inline void add_inline(const Lines<Value> &x) {
    const auto some = [&](size_t i, auto constant) __attribute__((always_inline)) {
        constexpr size_t kLines = constant();
        if (x.dots)
            add_dots<S, kLines>(x.length, x.from + i * x.stride, x.stride, x.factors, x.sums + i);
        else
            add_lines<S, kLines>(x.length, x.from + i * x.stride, x.stride, x.factors + i, x.sums);
    };
    size_t i = 0;
    for (; i + kTogether <= x.count; i += kTogether) some(i, std::integral_constant<size_t, kTogether>{});
    for (; i < x.count; ++i) some(i, std::integral_constant<size_t, 1>{});
}

// Whether elements are computed in as they are stored.
template <class S, class Stored> constexpr bool as_is{S::as_stored && std::is_same_v<Stored, typename S::Value>};

// to[i] = what S computes in for from[i * step].
template <class S, class Computed, class Stored, class Value = typename S::Value>
[[gnu::always_inline]] inline void convert_inline(const Stored *from, size_t step, size_t count, Value *to) {
    size_t i = 0;
    if constexpr (sizeof(Stored) < 4 && std::is_integral_v<Stored> && std::is_same_v<Value, int32_t> && S::as_stored) {
        // By way of int16, half of whose vector is one of int32, since GCC converts bytes to int32
        // one by one.
        constexpr size_t kWidth = 16;
        using Narrow [[gnu::vector_size(kWidth * sizeof(Stored))]] = Stored;
        using Middle [[gnu::vector_size(kWidth * sizeof(int16_t))]] = int16_t;
        using Half [[gnu::vector_size(kWidth / 2 * sizeof(int16_t))]] = int16_t;
        for (; step == 1 && i + kWidth <= count; i += kWidth) {
            Narrow stored;
            load_vector(from + i, stored);
            const auto middle = __builtin_convertvector(stored, Middle);
            const Half low = __builtin_shufflevector(middle, middle, 0, 1, 2, 3, 4, 5, 6, 7);
            const Half high = __builtin_shufflevector(middle, middle, 8, 9, 10, 11, 12, 13, 14, 15);
            store_vector(__builtin_convertvector(low, Vector<int32_t>), to + i);
            store_vector(__builtin_convertvector(high, Vector<int32_t>), to + i + kWidth / 2);
        }
    }
    for (; i < count; ++i) to[i] = S::from(load<Computed>(from[i * step]));
}

template <class S, class Value = typename S::Value> void add_portable(const Lines<Value> &x) { add_inline<S>(x); }
template <class S, class Computed, class Stored>
void convert_portable(const Stored *from, size_t step, size_t count, typename S::Value *to) {
    convert_inline<S, Computed>(from, step, count, to);
}
#if defined(GPCL_HAVE_X86)
template <class S, class Value = typename S::Value> [[gnu::target("avx2,fma")]] void add_avx2(const Lines<Value> &x) {
    add_inline<S>(x);
}
template <class S, class Computed, class Stored>
[[gnu::target("avx2,fma")]] void convert_avx2(const Stored *from, size_t step, size_t count, typename S::Value *to) {
    convert_inline<S, Computed>(from, step, count, to);
}

template <class S> auto best_add() { return has_avx2_fma() ? add_avx2<S> : add_portable<S>; }
template <class S, class Computed, class Stored> auto best_convert() {
    return has_avx2_fma() ? convert_avx2<S, Computed, Stored> : convert_portable<S, Computed, Stored>;
}
#else
template <class S> auto best_add() { return add_portable<S>; }
template <class S, class Computed, class Stored> auto best_convert() { return convert_portable<S, Computed, Stored>; }
#endif

// C = matrix * vector: `rows` sums, each of `depth` products. Element (i, p) of the matrix is
// matrix[i * row_stride + p * depth_stride].
template <class Stored> struct Multiplied {
    size_t rows, depth;
    const Stored *matrix;
    size_t row_stride, depth_stride;
    const Stored *vector;
    size_t step, matrix_batch, vector_batch; // strides of the vector and of batches

    // Whether lines are rows. Columns shorter than vectors are no lines.
    bool dots() const { return rows < kLanesOf<int32_t> || depth_stride <= row_stride; }
};

template <class Stored> Multiplied<Stored> multiplied(const MatmulProblem &x) {
    const auto *const a = static_cast<const Stored *>(x.a), *const b = static_cast<const Stored *>(x.b);
    if (x.n == 1) return {x.m, x.k, a, x.a_row_stride, x.a_column_stride, b, x.b_row_stride, x.stride_a, x.stride_b};
    return {x.n, x.k, b, x.b_column_stride, x.b_row_stride, a, x.a_column_stride, x.stride_b, x.stride_a};
}

// Adds to the sums of `rows` rows from row i on the products from depth p on.
template <class S, class Computed, class Stored, class Value = typename S::Value>
void add_part(const Multiplied<Stored> &x, size_t g, size_t i, size_t rows, size_t p, size_t depth, Value *sums) {
    const Stored *const matrix = x.matrix + g * x.matrix_batch + i * x.row_stride + p * x.depth_stride;
    const Stored *const vector = x.vector + g * x.vector_batch + p * x.step;
    const auto convert = best_convert<S, Computed, Stored>();
    const auto add = best_add<S>();
    Lines<Value> lines;
    lines.dots = x.dots();
    lines.count = lines.dots ? rows : depth;
    lines.length = lines.dots ? depth : rows;
    lines.stride = lines.dots ? x.row_stride : x.depth_stride;
    lines.sums = sums;
    const size_t step = lines.dots ? x.depth_stride : x.row_stride;
    const bool vector_as_is = as_is<S, Stored> && x.step == 1;
    Scratch factors(vector_as_is ? 0 : depth * sizeof(Value));
    lines.factors = factors.as<Value>();
    if (!vector_as_is) convert(vector, x.step, depth, factors.as<Value>());
    if constexpr (as_is<S, Stored>) {
        if (vector_as_is) lines.factors = vector;
        lines.from = matrix;
        if (step == 1) return add(lines);
    }
    // Short lines that lie one after the other are converted with what is between them.
    const bool in_one =
        step == 1 && lines.stride >= lines.length && lines.stride < 2 * lines.length && lines.stride <= kConverted;
    const size_t together = in_one ? kTogether * kConverted / lines.stride : kTogether;
    alignas(64) Value converted[kTogether * kConverted];
    Lines<Value> now = lines;
    now.from = converted;
    now.stride = in_one ? lines.stride : kConverted;
    for (size_t l = 0; l < lines.count; l += together) {
        now.count = std::min(together, lines.count - l);
        for (size_t q = 0; q < lines.length; q += kConverted) {
            now.length = std::min(kConverted, lines.length - q);
            const Stored *const from = matrix + l * lines.stride + q * step;
            if (in_one) convert(from, 1, (now.count - 1) * lines.stride + lines.length, converted);
            for (size_t j = 0; !in_one && j < now.count; ++j)
                convert(from + j * lines.stride, step, now.length, converted + j * kConverted);
            now.factors = lines.factors + (lines.dots ? q : l);
            now.sums = lines.sums + (lines.dots ? l : q);
            add(now);
        }
    }
}

template <class S, class T> void multiply(const MatmulProblem &problem) {
    using Value = typename S::Value;
    using Computed = typename T::Computed;
    using Stored = typename T::Stored;
    const auto x = multiplied<Stored>(problem);
    // Pieces of some rows and some of the depth. The cut does not depend on the threads, so that
    // the results don't.
    const bool dots = x.dots();
    const double all = static_cast<double>(x.rows) * static_cast<double>(x.depth);
    const size_t piece = std::max(kPiece, static_cast<size_t>(all / kMostPieces));
    const size_t near = std::clamp<size_t>(dots ? x.depth : x.rows, 1, kNear);
    const size_t lines = std::max(piece / near, kTogether);
    const size_t rows_of_piece = std::min(x.rows, dots ? lines : near);
    const size_t depth_of_piece = std::clamp<size_t>(x.depth, 1, dots ? near : lines);
    const size_t blocks = ceil_div(x.rows, rows_of_piece);
    const size_t slices = std::max<size_t>(ceil_div(x.depth, depth_of_piece), 1);

    const Ending<S, T> end(problem);
    // Finishes rows of product g from row i on.
    const auto finish = [&](size_t g, size_t i, size_t rows, const Value *sums) {
        const bool down = problem.n == 1;
        const size_t step = down ? problem.ldc : 1;
        end(sums, rows, static_cast<typename T::Result *>(problem.c) + g * problem.stride_c + i * step, step,
            [&](size_t r, const auto &f) { f(g, down ? i + r : 0, down ? 0 : i + r); });
    };
    // A cache's bytes in a nanosecond, and elements that are converted.
    constexpr size_t kBytes = 16, kElements = as_is<S, Stored> ? 16 : 2;
    constexpr size_t kCall = 20; // nanoseconds of a piece of nothing
    const size_t elements = rows_of_piece * depth_of_piece;
    const size_t one = elements * sizeof(Stored) / kBytes + elements / kElements + kCall;
    if (slices == 1) {
        parallel_for(problem.batch * blocks, one, [&](size_t index) {
            const size_t g = index / blocks, i = index % blocks * rows_of_piece;
            const size_t rows = std::min(rows_of_piece, x.rows - i);
            Scratch sums(rows * sizeof(Value));
            std::fill_n(sums.as<Value>(), rows, S::zero);
            add_part<S, Computed>(x, g, i, rows, 0, x.depth, sums.as<Value>());
            finish(g, i, rows, sums.as<Value>());
        });
        return;
    }
    // Sums of slice s of product g begin at (g * slices + s) * x.rows.
    Scratch memory(problem.batch * slices * x.rows * sizeof(Value));
    Value *const sums = memory.as<Value>();
    parallel_for(problem.batch * slices * blocks, one, [&](size_t index) {
        const size_t slice = index / blocks, i = index % blocks * rows_of_piece, p = slice % slices * depth_of_piece;
        const size_t rows = std::min(rows_of_piece, x.rows - i);
        Value *const to = sums + slice * x.rows + i;
        std::fill_n(to, rows, S::zero);
        add_part<S, Computed>(x, slice / slices, i, rows, p, std::min(depth_of_piece, x.depth - p), to);
    });
    for (size_t g = 0; g < problem.batch; ++g) {
        Value *const sum = sums + g * slices * x.rows;
        for (size_t s = 1; s < slices; ++s)
            for (size_t i = 0; i < x.rows; ++i) sum[i] = S::plus(sum[i], sum[s * x.rows + i]);
        finish(g, 0, x.rows, sum);
    }
}

} // namespace

void multiply_vector(const MatmulProblem &problem) {
    with_types_and_semiring(problem,
                            [&](auto types, auto semiring) { multiply<decltype(semiring), decltype(types)>(problem); });
}

} // namespace gpcl::host
