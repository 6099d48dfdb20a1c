// The product of a matrix of few rows and a large one, which is read where it lies: packing it
// would take longer than the product. Where the rows of the large matrix are contiguous, they are
// added to rows of sums; where its columns are, dot products of them are taken. One row is left to
// multiply_vector().
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scratch.h"
#include "core/size.h"
#include "host/gemm.h"
#include "host/parallel.h"
#include "host/semiring.h"

#include <array>
#include <cstring>

namespace gpcl::host {

// C = alpha * A * B + beta * C, where A has `few` rows and B `many` columns. Element (i, p) of A is
// a[i * a_stride + p * a_depth_stride], (p, j) of B is b[j * b_stride + p * b_depth_stride], (i, j)
// of C is c[i * c_stride + j * c_step]. b_stride or b_depth_stride is 1.
template <class T> struct ThinProduct {
    size_t few, many, depth;
    const T *a;
    size_t a_stride, a_depth_stride;
    const T *b;
    size_t b_stride, b_depth_stride;
    T *c;
    size_t c_stride, c_step;
    T alpha, beta;
    bool reads_c; // else beta is left out

    // Whether rows of B are added, or dot products of its columns taken.
    bool by_rows() const { return b_stride == 1 && (b_depth_stride != 1 || many >= depth); }
};

// The most rows that A may have.
constexpr size_t kMostFew = 16;
// Rows of A that are computed at a time: three vectors of sums for each are in registers.
template <class Tile> constexpr size_t kThinRows = std::min<size_t>(8, 2 * Tile::kRows / 3);
// Rows of B that are added at a time. Rows that lie a power of two apart share lines of the cache,
// of which there are as many.
constexpr size_t kThinDepth = 8;

// Some sums, of rows of A and a range of the columns of B, from a range of the depth. Sum (i, j) is
// sums[i * sum_stride + j].
template <class T> struct ThinPart {
    size_t rows, columns, depth;
    const T *a;
    size_t a_stride, a_depth_stride;
    const T *b;
    size_t b_stride, b_depth_stride;
    T *sums;
    size_t sum_stride;
};

// sums += factors * b for some vectors of columns; the factors of a depth lie side by side.
template <class Tile, size_t rows, size_t vectors, class T = typename Tile::Value> [[gnu::always_inline]] inline void
add_rows(size_t depth, const T *factors, const T *b, size_t stride, T *sums, size_t sum_stride) {
    using Vector = typename Tile::Vector;
    constexpr size_t kLanes = Tile::kLanes;
    Vector sum[rows][vectors]; // in registers, thanks to the unrolled loops
#pragma GCC unroll 8
    for (size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; ++v) load_vector(sums + i * sum_stride + v * kLanes, sum[i][v]);
    for (size_t p = 0; p < depth; ++p, b += stride, factors += rows) {
        Vector line[vectors];
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; ++v) load_vector(b + v * kLanes, line[v]);
#pragma GCC unroll 8
        for (size_t i = 0; i < rows; ++i) {
            const Vector factor = factors[i] - Vector{}; // in all lanes
#pragma GCC unroll 4
            for (size_t v = 0; v < vectors; ++v) sum[i][v] += factor * line[v];
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; ++v) store_vector(sum[i][v], sums + i * sum_stride + v * kLanes);
}

// Where b_stride is 1. The sums of each row end with a whole vector.
template <class Tile, class T = typename Tile::Value>
[[gnu::always_inline]] inline void add_rows_of_b_inline(const ThinPart<T> &x) {
    constexpr size_t kLanes = Tile::kLanes, kMost = kThinRows<Tile>;
    constexpr size_t kNear = 1024 / sizeof(T) / kLanes * kLanes; // columns that stay in the first-level cache
    alignas(64) T factors[kThinDepth * kMostFew], tail[kThinDepth * kLanes] = {};
    const size_t whole = x.columns / kLanes * kLanes, stride = x.b_depth_stride;
    for (size_t p = 0; p < x.depth; p += kThinDepth) {
        const size_t depth = std::min(kThinDepth, x.depth - p);
        const T *const b = x.b + p * stride;
        for (size_t i0 = 0; i0 < x.rows; i0 += kMost) {
            const T *const a = x.a + i0 * x.a_stride + p * x.a_depth_stride;
            const size_t rows = std::min(kMost, x.rows - i0);
            for (size_t q = 0; q < depth; ++q)
                for (size_t i = 0; i < rows; ++i)
                    factors[i0 * kThinDepth + q * rows + i] = a[i * x.a_stride + q * x.a_depth_stride];
        }
        for (size_t q = 0; whole < x.columns && q < depth; ++q)
            std::copy_n(b + q * stride + whole, x.columns - whole, tail + q * kLanes);
        for (size_t j0 = 0; j0 < x.columns; j0 += kNear)
            for (size_t i0 = 0; i0 < x.rows; i0 += kMost)
                with_rows<kMost>(
                    std::min(kMost, x.rows - i0), [&](auto constant) __attribute__((always_inline)) {
                        constexpr size_t kRows = constant();
                        // Whole lines of the cache.
                        constexpr size_t kVectors = 4 * kRows <= 2 * Tile::kRows ? 4 : 2;
                        const T *const first = factors + i0 * kThinDepth;
                        T *const sums = x.sums + i0 * x.sum_stride;
                        const size_t end = std::min(j0 + kNear, whole);
                        size_t j = j0;
                        for (; j + kVectors * kLanes <= end; j += kVectors * kLanes)
                            add_rows<Tile, kRows, kVectors>(depth, first, b + j, stride, sums + j, x.sum_stride);
                        for (; j < end; j += kLanes)
                            add_rows<Tile, kRows, 1>(depth, first, b + j, stride, sums + j, x.sum_stride);
                        if (end == whole && j0 + kNear >= x.columns && whole < x.columns)
                            add_rows<Tile, kRows, 1>(depth, first, tail, kLanes, sums + whole, x.sum_stride);
                    });
    }
}

// sums += a * b for some columns of B. Vectors of the rows of A lie side by side.
template <class Tile, size_t rows, size_t columns, class T = typename Tile::Value> [[gnu::always_inline]] inline void
add_dots(size_t depth, const T *a, const T *b, size_t b_stride, T *sums, size_t sum_stride) {
    using Vector = typename Tile::Vector;
    constexpr size_t kLanes = Tile::kLanes;
    Vector sum[rows][columns]; // in registers, thanks to the unrolled loops
#pragma GCC unroll 8
    for (size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (size_t j = 0; j < columns; ++j) sum[i][j] = Vector{};
    const auto add = [&](const auto &load) __attribute__((always_inline)) {
        Vector line[columns];
#pragma GCC unroll 4
        for (size_t j = 0; j < columns; ++j) load(b + j * b_stride, line[j]);
#pragma GCC unroll 8
        for (size_t i = 0; i < rows; ++i) {
            Vector factor;
            load(a + i * kLanes, factor);
#pragma GCC unroll 4
            for (size_t j = 0; j < columns; ++j) sum[i][j] += factor * line[j];
        }
    };
    for (; depth >= kLanes; depth -= kLanes, a += rows * kLanes, b += kLanes)
        add([](const T *from, Vector &to) __attribute__((always_inline)) { load_vector(from, to); });
    if (depth > 0)
        add([&](const T *from, Vector &to) __attribute__((always_inline)) {
            alignas(64) T lanes[kLanes] = {};
            std::copy_n(from, depth, lanes);
            load_vector(lanes, to);
        });
#pragma GCC unroll 8
    for (size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (size_t j = 0; j < columns; ++j) {
            alignas(64) T lanes[kLanes];
            store_vector(sum[i][j], lanes);
            for (size_t half = kLanes / 2; half > 0; half /= 2)
                for (size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
            sums[i * sum_stride + j] += lanes[0];
        }
}

// Where b_depth_stride is 1. A is packed as add_dots() reads it, in whole vectors.
template <class Tile, class T = typename Tile::Value>
[[gnu::always_inline]] inline void add_dots_of_columns_inline(const ThinPart<T> &x, T *packed) {
    constexpr size_t kLanes = Tile::kLanes, kMost = kThinRows<Tile>;
    const size_t whole = round_up(x.depth, kLanes);
    for (size_t i0 = 0; i0 < x.rows; i0 += kMost) {
        const size_t rows = std::min(kMost, x.rows - i0);
        for (size_t i = 0; i < rows; ++i) {
            const T *const a = x.a + (i0 + i) * x.a_stride;
            T *const to = packed + i0 * whole + i * kLanes;
            for (size_t p = 0; p < x.depth; p += kLanes)
                for (size_t l = 0; l < std::min(kLanes, x.depth - p); ++l)
                    to[p * rows + l] = a[(p + l) * x.a_depth_stride];
        }
    }
    constexpr size_t kColumns = 2 * Tile::kRows / kMost;
    for (size_t j0 = 0; j0 < x.columns; j0 += kColumns)
        for (size_t i0 = 0; i0 < x.rows; i0 += kMost)
            with_rows<kMost>(
                std::min(kMost, x.rows - i0), [&](auto constant) __attribute__((always_inline)) {
                    constexpr size_t kRows = constant();
                    const T *const a = packed + i0 * whole;
                    T *const sums = x.sums + i0 * x.sum_stride;
                    if (j0 + kColumns <= x.columns)
                        return add_dots<Tile, kRows, kColumns>(x.depth, a, x.b + j0 * x.b_stride, x.b_stride, sums + j0,
                                                               x.sum_stride);
                    for (size_t j = j0; j < x.columns; ++j)
                        add_dots<Tile, kRows, 1>(x.depth, a, x.b + j * x.b_stride, x.b_stride, sums + j, x.sum_stride);
                });
}

// Whether multiply_thin() takes less time than packing and tiles. The estimates are of a vector of
// B, in multiplications of vectors in a tile, of which there is one for each row.
template <class Tile, class T = typename Tile::Value> bool is_thin(const ThinProduct<T> &x) {
    if (x.few > kMostFew) return false;
    constexpr double kPacking = 9.0 * sizeof(typename Tile::Vector) / 16; // writing it and reading it again
    constexpr double kUnpacked = 3;                                       // a multiplication of it where it lies
    constexpr double kDot = 24;                                           // the sum of a vector's elements
    const double vectors = static_cast<double>(x.depth) / static_cast<double>(Tile::kLanes);
    const double row = kUnpacked - 1 + (x.by_rows() ? 0 : kDot / vectors);
    return static_cast<double>(x.few) * row <= kPacking;
}

// On one thread if it has to be `alone`. How the work is cut does not depend on the threads, so
// that the results don't.
template <class Tile, class T = typename Tile::Value> void multiply_thin(const ThinProduct<T> &x, bool alone) {
    const bool by_rows = x.by_rows();
    constexpr size_t kPiece = size_t{1} << 16, kMostPieces = 64; // elements of B
    constexpr size_t kSums = 8192, kNearA = 16384 / sizeof(T), kLeastWidth = 4 * Tile::kLanes;
    const size_t pieces = std::clamp<size_t>(x.many * x.depth / kPiece, 1, kMostPieces);
    const size_t widest = std::max(kSums / x.few, size_t{64});
    // Dot products of whole columns, but rows as long as can be: both are read from memory in
    // order.
    const size_t most_across = by_rows ? ceil_div(x.many, widest) : ceil_div(x.many, std::min(widest, kLeastWidth));
    const size_t slices_wanted = ceil_div(pieces, most_across), least_depth = by_rows ? 128 : 2048;
    const size_t slices = std::clamp<size_t>(x.depth / least_depth, 1, slices_wanted);
    const size_t blocks_wanted = std::max(ceil_div(x.many, widest), ceil_div(pieces, slices));
    const size_t width =
        round_up(ceil_div(x.many, std::min(blocks_wanted, ceil_div(x.many, kLeastWidth))), kLeastWidth);
    const size_t blocks = ceil_div(x.many, width);
    const size_t depth_of_slice = round_up(ceil_div(x.depth, slices), size_t{64});

    const auto finish = [&](size_t j0, size_t columns, const T *sums, size_t count, size_t apart) {
        for (size_t i = 0; i < x.few; ++i)
            for (size_t j = 0; j < columns; ++j) {
                T sum = sums[i * width + j];
                for (size_t s = 1; s < count; ++s) sum += sums[s * apart + i * width + j];
                T &to = x.c[i * x.c_stride + (j0 + j) * x.c_step];
                to = x.reads_c ? x.alpha * sum + x.beta * to : x.alpha * sum;
            }
    };
    // Sums of block `index % blocks` from slice `index / blocks` of the depth.
    const auto add = [&](size_t index, T *sums) {
        const size_t j = index % blocks * width;
        size_t p = index / blocks * depth_of_slice;
        std::fill_n(sums, x.few * width, T{0});
        if (p >= x.depth) return;
        ThinPart<T> part;
        part.rows = x.few;
        part.columns = std::min(width, x.many - j);
        part.a = x.a + p * x.a_depth_stride;
        part.a_stride = x.a_stride;
        part.a_depth_stride = x.a_depth_stride;
        part.b = x.b + j * x.b_stride + p * x.b_depth_stride;
        part.sums = sums;
        part.sum_stride = width;
        part.b_stride = x.b_stride;
        part.b_depth_stride = x.b_depth_stride;
        const size_t end = std::min(x.depth, p + depth_of_slice);
        if (by_rows) {
            part.depth = end - p;
            Tile::add_rows_of_b(part);
            return;
        }
        // Rows of A stay in the first-level cache while columns of B pass by.
        const size_t step = std::max(kNearA / x.few, size_t{256});
        Scratch packed(x.few * round_up(std::min(step, end - p), Tile::kLanes) * sizeof(T));
        for (; p < end; p += step, part.a += step * x.a_depth_stride, part.b += step) {
            part.depth = std::min(step, end - p);
            Tile::add_dots_of_columns(part, packed.as<T>());
        }
    };

    const size_t one = product_cost(x.few + 4, width, depth_of_slice, 192 / sizeof(T));
    const size_t sums_of_slice = blocks * x.few * width;
    if (slices == 1) {
        parallel_for(blocks, alone ? 0 : one, [&](size_t index) {
            Scratch sums(x.few * width * sizeof(T));
            add(index, sums.as<T>());
            finish(index * width, std::min(width, x.many - index * width), sums.as<T>(), 1, 0);
        });
        return;
    }
    Scratch all(slices * sums_of_slice * sizeof(T));
    T *const sums = all.as<T>();
    parallel_for(slices * blocks, alone ? 0 : one, [&](size_t index) { add(index, sums + index * x.few * width); });
    for (size_t block = 0; block < blocks; ++block)
        finish(block * width, std::min(width, x.many - block * width), sums + block * x.few * width, slices,
               sums_of_slice);
}

} // namespace gpcl::host
