// Products of which B stays in the caches and has contiguous rows: A and B are read where they lie,
// as packing them would take about as long as the product. Tiles of C are in registers. The last
// vector of a row ends where the row does, so it may hold columns that the one before holds too.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scratch.h"
#include "core/size.h"
#include "host/gemm.h"
#include "host/parallel.h"
#include "host/semiring.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace gpcl::host {

// C = alpha * A * B + beta * C. Element (i, p) of A is a[i * a_stride + p * a_depth_stride], (p, j)
// of B is b[p * b_stride + j], (i, j) of C is c[i * c_stride + j].
template <class T> struct DirectProduct {
    size_t rows, columns, depth;
    const T *a;
    size_t a_stride, a_depth_stride;
    const T *b;
    size_t b_stride;
    T *c;
    size_t c_stride;
    T alpha, beta;
    bool reads_c; // else beta is left out
};

// A tile of C, of `vectors` vectors a row. The last of them begins at column `last`; where C is
// read, its first `held` columns are those of another tile, and are not written.
template <class Tile, size_t rows, size_t vectors, class T = typename Tile::Value> [[gnu::always_inline]] inline void
multiply_direct_tile_inline(const DirectProduct<T> &x, const T *b, T *c, size_t last, size_t held) {
    using Vector = typename Tile::Vector;
    constexpr size_t kLanes = Tile::kLanes, kAhead = 8; // rows of B that are fetched ahead
    Vector sum[rows][vectors];                          // in registers, thanks to the unrolled loops
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; ++v) sum[i][v] = Vector{};
    // A pointer for each three rows, whose addresses one instruction makes of it and the stride.
    constexpr size_t kPointers = (rows + 2) / 3;
    const size_t stride = x.a_stride;
    const T *a[kPointers];
#pragma GCC unroll 5
    for (size_t g = 0; g < kPointers; ++g) a[g] = x.a + 3 * g * stride;
    for (size_t p = 0; p < x.depth; ++p, b += x.b_stride) {
        Vector line[vectors];
        load_vector(b, line[0]);
        load_vector(b + last, line[vectors - 1]);
        __builtin_prefetch(b + kAhead * x.b_stride);
        __builtin_prefetch(b + kAhead * x.b_stride + last);
#pragma GCC unroll 14
        for (size_t i = 0; i < rows; ++i) {
            const Vector factor = a[i / 3][i % 3 * stride] - Vector{}; // in all lanes
#pragma GCC unroll 2
            for (size_t v = 0; v < vectors; ++v) sum[i][v] += factor * line[v];
        }
#pragma GCC unroll 5
        for (size_t g = 0; g < kPointers; ++g) a[g] += x.a_depth_stride;
    }
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; ++i, c += x.c_stride) {
        Vector old[vectors];
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; ++v) {
            sum[i][v] *= x.alpha;
            if (x.reads_c) {
                load_vector(c + (v + 1 < vectors ? 0 : last), old[v]);
                sum[i][v] += old[v] * x.beta;
            }
        }
        if (x.reads_c && held > 0) {
            alignas(64) T lanes[kLanes];
            store_vector(sum[i][vectors - 1], lanes);
            std::copy_n(lanes + held, kLanes - held, c + last + held);
            continue;
        }
        if (vectors > 1) store_vector(sum[i][0], c);
        store_vector(sum[i][vectors - 1], c + last);
    }
}

// Rows of C, no more than a tile has; a vector's columns or more.
template <class Tile, class T = typename Tile::Value> void multiply_direct_rows(const DirectProduct<T> &x) {
    constexpr size_t kLanes = Tile::kLanes;
    with_rows<Tile::kRows>(x.rows, [&](auto constant) {
        constexpr size_t kRows = constant();
        size_t j = 0;
        for (; j + kLanes < x.columns; j += 2 * kLanes)
            Tile::template multiply_direct_tile<kRows, 2>(x, x.b + j, x.c + j, std::min(kLanes, x.columns - kLanes - j),
                                                          0);
        const size_t last = x.columns - kLanes;
        if (j < x.columns) Tile::template multiply_direct_tile<kRows, 1>(x, x.b + last, x.c + last, 0, j - last);
    });
}

// Whether multiply_direct() takes less time than packing and tiles.
template <class T> bool is_direct(const DirectProduct<T> &x) {
    constexpr size_t kNear = size_t{1} << 18;             // bytes of B that are as near as packed ones
    constexpr size_t kFar = size_t{1} << 20, kRows = 400; // or are not read often enough to be packed
    constexpr size_t kLeastRows = 6, kFew = 4096;         // fewer rows use each vector of B too few times
    constexpr size_t kMostLines = 64;                     // of B that may lie in few sets of a cache
    constexpr size_t kNarrow = 4, kDeep = 32;             // a few long columns are dot products: thin.h
    const size_t bytes = x.columns * x.depth * sizeof(T);
    return (bytes <= kNear || (bytes <= kFar && x.rows <= kRows)) &&
           (x.b_stride <= 2 * x.columns || x.depth <= kMostLines) &&
           (x.columns > kNarrow || x.depth <= kDeep * x.columns) &&
           (x.rows >= kLeastRows || x.rows * x.columns * x.depth <= kFew);
}

// Copies `count` elements, fewer than 16, by two parts that may overlap.
template <class T> [[gnu::always_inline]] inline void copy_few(const T *from, size_t count, T *to) {
    const auto by_two = [&](auto part) __attribute__((always_inline)) {
        constexpr size_t kPart = part();
        std::memcpy(to, from, kPart * sizeof(T));
        std::memcpy(to + count - kPart, from + count - kPart, kPart * sizeof(T));
    };
    if (count >= 8) return by_two(std::integral_constant<size_t, 8>{});
    if (count >= 4) return by_two(std::integral_constant<size_t, 4>{});
    if (count >= 2) return by_two(std::integral_constant<size_t, 2>{});
    if (count == 1) *to = *from;
}

// The same for fewer columns: C in copies of a vector's columns, B in one that was made before.
template <class Tile, class T = typename Tile::Value> void multiply_narrow_rows(const DirectProduct<T> &x, const T *b) {
    constexpr size_t kLanes = Tile::kLanes;
    alignas(64) T copy[Tile::kRows * kLanes];
    DirectProduct<T> whole = x;
    whole.columns = whole.b_stride = whole.c_stride = kLanes;
    whole.b = b;
    whole.c = copy;
    for (size_t i = 0; x.reads_c && i < x.rows; ++i) {
        std::memset(copy + i * kLanes, 0, kLanes * sizeof(T));
        copy_few(x.c + i * x.c_stride, x.columns, copy + i * kLanes);
    }
    multiply_direct_rows<Tile>(whole);
    for (size_t i = 0; i < x.rows; ++i) copy_few(copy + i * kLanes, x.columns, x.c + i * x.c_stride);
}

// On one thread if it has to be `alone`.
template <class Tile, class T = typename Tile::Value> void multiply_direct(const DirectProduct<T> &x, bool alone) {
    constexpr size_t kLanes = Tile::kLanes, kRows = Tile::kRows;
    const bool narrow = x.columns < kLanes;
    Scratch memory(narrow ? x.depth * kLanes * sizeof(T) : 0);
    T *const b = memory.as<T>();
    for (size_t p = 0; narrow && p < x.depth; ++p) {
        std::memset(b + p * kLanes, 0, kLanes * sizeof(T));
        copy_few(x.b + p * x.b_stride, x.columns, b + p * kLanes);
    }
    if (x.rows <= kRows) return narrow ? multiply_narrow_rows<Tile>(x, b) : multiply_direct_rows<Tile>(x);
    // Neighbouring tiles go to one thread, which then reads memory in order.
    constexpr size_t kPieces = 16, kMostTiles = 64;
    const size_t tiles = ceil_div(x.rows, kRows), together = std::clamp<size_t>(tiles / kPieces, 1, kMostTiles);
    const size_t one = product_cost(together * kRows, x.columns, x.depth, 192 / sizeof(T));
    parallel_for(ceil_div(tiles, together), alone ? 0 : one, [&](size_t index) {
        for (size_t tile = index * together; tile < std::min(tiles, (index + 1) * together); ++tile) {
            const Part part = part_of(x.rows, tiles, tile);
            DirectProduct<T> rows = x;
            rows.rows = part.end - part.begin;
            rows.a += part.begin * x.a_stride;
            rows.c += part.begin * x.c_stride;
            if (narrow)
                multiply_narrow_rows<Tile>(rows, b);
            else
                multiply_direct_rows<Tile>(rows);
        }
    });
}

} // namespace gpcl::host
