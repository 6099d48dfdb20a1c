// The ordinary matrix product of float32 and float64 on the host: tiles of C in registers, from
// packed panels of A and B (Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008). B is packed once for all threads, A by each for its block of C. Products
// of few rows or columns are left to thin.h, those of a small B to direct.h.
// SPDX-License-Identifier: MIT
#include "host/gemm.h"

#include "core/cpu.h"
#include "core/scratch.h"
#include "core/size.h"
#include "host/direct.h"
#include "host/parallel.h"
#include "host/semiring.h"
#include "host/thin.h"

#include <cstring>

namespace gpcl::host {
namespace {

// Depth of the panels: strips of A stay in the second-level cache, one of B near the first.
constexpr size_t kDepth = 512;
// Lines of a strip of B that are fetched ahead: strips come from a cache that is farther away.
constexpr size_t kAhead = 24;
// Rows of a block of C: its panel of A stays in the second-level cache.
constexpr size_t kBlockRows = 144;
// Elements of B that are packed at a time, and depth of what is.
constexpr size_t kPacked = size_t{1} << 22, kPackedDepth = 16 * kDepth;

// How the tile in registers looks: `rows` rows of two vectors of `bytes` bytes.
template <class T, size_t bytes, size_t rows> struct Tile {
    using Value = T;
    using Vector [[gnu::vector_size(bytes)]] = T;
    static constexpr size_t kLanes = bytes / sizeof(T), kRows = rows, kColumns = 2 * kLanes;
};

// A block of C, from panels that are packed in strips as high and wide as a tile is.
template <class T> struct Block {
    size_t rows, columns, depth;
    const T *a, *b;
    T *c;
    size_t ldc;
    T alpha, beta;
    bool reads_c; // else beta is left out
};

// c = alpha * a * b + beta * c for one tile.
template <class Tile, class T = typename Tile::Value> [[gnu::always_inline]] inline void
multiply_tile(size_t depth, const T *a, const T *b, T *c, size_t ldc, T alpha, T beta, bool reads_c) {
    using Vector = typename Tile::Vector;
    constexpr size_t kRows = Tile::kRows, kLanes = Tile::kLanes, kLine = 64; // bytes of a cache's
    Vector sum[kRows][2]; // in registers, thanks to the unrolled loops
#pragma GCC unroll 14
    for (size_t i = 0; i < kRows; ++i) {
        sum[i][0] = sum[i][1] = Vector{};
        __builtin_prefetch(c + i * ldc);
    }
    for (size_t p = 0; p < depth; ++p, a += kRows, b += 2 * kLanes) {
        Vector first, second;
        load_vector(b, first);
        load_vector(b + kLanes, second);
        __builtin_prefetch(b + kAhead * 2 * kLanes);
        if (sizeof first == kLine) __builtin_prefetch(b + (kAhead * 2 + 1) * kLanes);
#pragma GCC unroll 14
        for (size_t i = 0; i < kRows; ++i) {
            const Vector factor = a[i] - Vector{}; // in all lanes
            sum[i][0] += factor * first;
            sum[i][1] += factor * second;
        }
    }
#pragma GCC unroll 14
    for (size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
        for (size_t j = 0; j < 2; ++j) {
            T *const to = c + i * ldc + j * kLanes;
            Vector result = sum[i][j] * alpha;
            if (reads_c) {
                Vector old;
                load_vector(to, old);
                result += old * beta;
            }
            store_vector(result, to);
        }
    }
}

template <class Tile, class T = typename Tile::Value>
[[gnu::always_inline]] inline void multiply_block_inline(const Block<T> &x) {
    for (size_t j = 0; j < x.columns; j += Tile::kColumns) {
        const T *const b = x.b + j * x.depth;
        for (size_t i = 0; i < x.rows; i += Tile::kRows) {
            const T *const a = x.a + i * x.depth;
            T *const c = x.c + i * x.ldc + j;
            if (i + Tile::kRows <= x.rows && j + Tile::kColumns <= x.columns) {
                multiply_tile<Tile>(x.depth, a, b, c, x.ldc, x.alpha, x.beta, x.reads_c);
                continue;
            }
            alignas(64) T edge[Tile::kRows * Tile::kColumns];
            const size_t rows = std::min(Tile::kRows, x.rows - i);
            const size_t columns = std::min(Tile::kColumns, x.columns - j);
            if (x.reads_c) {
                std::fill(std::begin(edge), std::end(edge), T{0});
                for (size_t r = 0; r < rows; ++r) std::copy_n(c + r * x.ldc, columns, edge + r * Tile::kColumns);
            }
            multiply_tile<Tile>(x.depth, a, b, edge, Tile::kColumns, x.alpha, x.beta, x.reads_c);
            for (size_t r = 0; r < rows; ++r) std::copy_n(edge + r * Tile::kColumns, columns, c + r * x.ldc);
        }
    }
}

// The tiles of an instruction set, and a block of C by them.
template <class T> struct Portable : Tile<T, 16, 4> {
    static void multiply_block(const Block<T> &x) { multiply_block_inline<Portable>(x); }
    template <size_t rows, size_t vectors>
    static void multiply_direct_tile(const DirectProduct<T> &x, const T *b, T *c, size_t last, size_t held) {
        multiply_direct_tile_inline<Portable, rows, vectors>(x, b, c, last, held);
    }
    static void add_rows_of_b(const ThinPart<T> &x) { add_rows_of_b_inline<Portable>(x); }
    static void add_dots_of_columns(const ThinPart<T> &x, T *packed) {
        add_dots_of_columns_inline<Portable>(x, packed);
    }
};
#if defined(GPCL_HAVE_X86)
template <class T> struct Avx2 : Tile<T, 32, 6> {
    [[gnu::target("avx2,fma")]] static void multiply_block(const Block<T> &x) { multiply_block_inline<Avx2>(x); }
    template <size_t rows, size_t vectors> [[gnu::target("avx2,fma")]] static void
    multiply_direct_tile(const DirectProduct<T> &x, const T *b, T *c, size_t last, size_t held) {
        multiply_direct_tile_inline<Avx2, rows, vectors>(x, b, c, last, held);
    }
    [[gnu::target("avx2,fma")]] static void add_rows_of_b(const ThinPart<T> &x) { add_rows_of_b_inline<Avx2>(x); }
    [[gnu::target("avx2,fma")]] static void add_dots_of_columns(const ThinPart<T> &x, T *packed) {
        add_dots_of_columns_inline<Avx2>(x, packed);
    }
};
template <class T> struct Avx512 : Tile<T, 64, 14> {
    [[gnu::target("avx512f")]] static void multiply_block(const Block<T> &x) { multiply_block_inline<Avx512>(x); }
    template <size_t rows, size_t vectors> [[gnu::target("avx512f")]] static void
    multiply_direct_tile(const DirectProduct<T> &x, const T *b, T *c, size_t last, size_t held) {
        multiply_direct_tile_inline<Avx512, rows, vectors>(x, b, c, last, held);
    }
    [[gnu::target("avx512f")]] static void add_rows_of_b(const ThinPart<T> &x) { add_rows_of_b_inline<Avx512>(x); }
    [[gnu::target("avx512f")]] static void add_dots_of_columns(const ThinPart<T> &x, T *packed) {
        add_dots_of_columns_inline<Avx512>(x, packed);
    }
};
#endif

template <class T> using Pairs [[gnu::vector_size(16)]] = T;

// Writes the pairs of elements that lie side by side in two rows, 16 bytes of each; `step` elements
// lie from pair to pair.
template <class T> void interleave(const T *even, const T *odd, T *to, size_t step) {
    Pairs<T> a, b;
    load_vector(even, a);
    load_vector(odd, b);
    if constexpr (sizeof(T) == 4) {
        const Pairs<T> low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        const Pairs<T> high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        std::memcpy(to, &low, 8);
        std::memcpy(to + step, reinterpret_cast<const char *>(&low) + 8, 8);
        std::memcpy(to + 2 * step, &high, 8);
        std::memcpy(to + 3 * step, reinterpret_cast<const char *>(&high) + 8, 8);
    } else {
        store_vector(__builtin_shufflevector(a, b, 0, 2), to);
        store_vector(__builtin_shufflevector(a, b, 1, 3), to + step);
    }
}

// Packs `count` rows of op(A), or columns of op(B), in strips of `width` that lie side by side at
// each depth. The last is filled with zeros.
template <size_t width, class T>
void pack(const T *from, size_t count, size_t stride, size_t depth, size_t depth_stride, T *to) {
    constexpr size_t kLanes = sizeof(Pairs<T>) / sizeof(T);
    for (; count >= width; count -= width, from += width * stride, to += width * depth) {
        size_t p = 0;
        if (depth_stride == 1 && stride != 1) {
            for (; p + kLanes <= depth; p += kLanes) {
                for (size_t i = 0; i < width; i += 2) {
                    const T *const even = from + i * stride + p;
                    interleave(even, even + stride, to + p * width + i, width);
                }
            }
        }
        for (; p < depth; ++p) {
            const T *const line = from + p * depth_stride;
            if (stride == 1)
                std::memcpy(to + p * width, line, width * sizeof(T));
            else
                for (size_t i = 0; i < width; ++i) to[p * width + i] = line[i * stride];
        }
    }
    for (size_t p = 0; count > 0 && p < depth; ++p, to += width) {
        for (size_t i = 0; i < count; ++i) to[i] = from[p * depth_stride + i * stride];
        std::fill(to + count, to + width, T{0});
    }
}

// Product number `batch` as multiply_thin() takes it: C or, where it has fewer columns than rows,
// its transpose.
template <class T> ThinProduct<T> thin_product(const MatmulProblem &x, size_t batch) {
    const T *const a = static_cast<const T *>(x.a) + batch * x.stride_a;
    const T *const b = static_cast<const T *>(x.b) + batch * x.stride_b;
    T *const c = static_cast<T *>(x.c) + batch * x.stride_c;
    const T alpha = *static_cast<const T *>(x.alpha), beta = *static_cast<const T *>(x.beta);
    if (x.m < x.n || (x.m == x.n && x.a_column_stride != 1))
        return {x.m, x.n,   x.k, a,     x.a_row_stride, x.a_column_stride, b, x.b_column_stride, x.b_row_stride,
                c,   x.ldc, 1,   alpha, beta,           !x.beta_is_zero};
    return {x.n, x.m,   x.k,   b,    x.b_column_stride, x.b_row_stride, a, x.a_row_stride, x.a_column_stride, c,
            1,   x.ldc, alpha, beta, !x.beta_is_zero};
}

// Product number `batch` as multiply_direct() takes it.
template <class T> DirectProduct<T> direct_product(const MatmulProblem &x, size_t batch) {
    return {x.m,
            x.n,
            x.k,
            static_cast<const T *>(x.a) + batch * x.stride_a,
            x.a_row_stride,
            x.a_column_stride,
            static_cast<const T *>(x.b) + batch * x.stride_b,
            x.b_row_stride,
            static_cast<T *>(x.c) + batch * x.stride_c,
            x.ldc,
            *static_cast<const T *>(x.alpha),
            *static_cast<const T *>(x.beta),
            !x.beta_is_zero};
}

// Product number `batch`; on one thread if it has to be `alone`.
template <class Tile, class T = typename Tile::Value> void multiply(const MatmulProblem &x, size_t batch, bool alone) {
    constexpr size_t kRows = Tile::kRows, kColumns = Tile::kColumns;
    const T *const a = static_cast<const T *>(x.a) + batch * x.stride_a;
    const T *const b = static_cast<const T *>(x.b) + batch * x.stride_b;
    T *const c = static_cast<T *>(x.c) + batch * x.stride_c;
    const T alpha = *static_cast<const T *>(x.alpha), beta = *static_cast<const T *>(x.beta);
    const size_t threads = alone ? 1 : workers();
    const auto cost = [&](size_t nanoseconds) { return alone ? 0 : nanoseconds; };

    const size_t depth_of_all = std::min(round_up(x.k, kDepth), kPackedDepth);
    const size_t columns_of_all = std::min(round_up(x.n, kColumns), kPacked / depth_of_all / kColumns * kColumns);
    Scratch scratch_b(std::min(x.k, depth_of_all) * columns_of_all * sizeof(T));
    T *const packed_b = scratch_b.as<T>();
    for (size_t j0 = 0; j0 < x.n; j0 += columns_of_all) {
        const size_t columns = std::min(columns_of_all, x.n - j0), whole = round_up(columns, kColumns);
        for (size_t q0 = 0; q0 < x.k; q0 += depth_of_all) {
            const size_t depth = std::min(depth_of_all, x.k - q0);
            const size_t levels = ceil_div(depth, kDepth);
            const auto level = [&](size_t index) { return part_of(depth, levels, index); };

            constexpr size_t kStrips = 8; // packed by one call
            const size_t groups = ceil_div(columns, kStrips * kColumns);
            parallel_for(levels * groups, cost(kStrips * kColumns * kDepth / 4), [&](size_t index) {
                const auto [begin, end] = level(index / groups);
                const size_t j = index % groups * kStrips * kColumns;
                pack<kColumns>(b + (q0 + begin) * x.b_row_stride + (j0 + j) * x.b_column_stride,
                               std::min(kStrips * kColumns, columns - j), x.b_column_stride, end - begin,
                               x.b_row_stride, packed_b + begin * whole + j * (end - begin));
            });

            // Blocks of C, some for each thread.
            const size_t down = ceil_div(x.m, kRows), across = ceil_div(columns, kColumns);
            const size_t enough = threads > 1 ? 4 * threads : 1;
            const size_t least_down =
                std::max(ceil_div(down * kRows, kBlockRows), std::min(enough, ceil_div(down, size_t{8})));
            const size_t blocks_down = std::min(round_up(least_down, threads), down);
            const size_t blocks_across = std::min(ceil_div(enough, blocks_down), ceil_div(across, size_t{8}));
            const size_t rows_of_block = ceil_div(down, blocks_down) * kRows;
            const size_t one = product_cost(rows_of_block, ceil_div(columns, blocks_across), depth, 192 / sizeof(T));
            parallel_for(blocks_down * blocks_across, cost(one), [&](size_t index) {
                const Part rows = part_of(down, blocks_down, index / blocks_across);
                const Part strips = part_of(across, blocks_across, index % blocks_across);
                Block<T> block;
                block.rows = std::min(rows.end * kRows, x.m) - rows.begin * kRows;
                block.columns = std::min(strips.end * kColumns, columns) - strips.begin * kColumns;
                block.c = c + rows.begin * kRows * x.ldc + j0 + strips.begin * kColumns;
                block.ldc = x.ldc;
                block.alpha = alpha;
                Scratch scratch_a(rows_of_block * std::min(depth, kDepth) * sizeof(T));
                T *const packed_a = scratch_a.as<T>();
                block.a = packed_a;
                for (size_t l = 0; l < levels; ++l) {
                    const auto [begin, end] = level(l);
                    const bool first = q0 + begin == 0;
                    block.depth = end - begin;
                    block.reads_c = !(first && x.beta_is_zero);
                    block.beta = first ? beta : T{1};
                    block.b = packed_b + begin * whole + strips.begin * kColumns * block.depth;
                    pack<kRows>(a + rows.begin * kRows * x.a_row_stride + (q0 + begin) * x.a_column_stride, block.rows,
                                x.a_row_stride, block.depth, x.a_column_stride, packed_a);
                    Tile::multiply_block(block);
                }
            });
        }
    }
}

template <class Tile> void multiply_all(const MatmulProblem &x) {
    using T = typename Tile::Value;
    constexpr size_t kSmall = 100'000; // nanoseconds; larger products are spread over threads themselves
    constexpr size_t kCall = 30;       // nanoseconds of a product of nothing
    const size_t one = product_cost(x.m, x.n, x.k, 192 / sizeof(T)) + kCall;
    const bool alone = x.batch > 1 && (one < kSmall || x.batch >= 4 * workers());
    const bool direct = x.b_column_stride == 1 && is_direct(direct_product<T>(x, 0));
    const bool thin = is_thin<Tile>(thin_product<T>(x, 0));
    parallel_for(x.batch, alone ? one : 0, [&](size_t index) {
        if (direct)
            multiply_direct<Tile>(direct_product<T>(x, index), alone);
        else if (thin)
            multiply_thin<Tile>(thin_product<T>(x, index), alone);
        else
            multiply<Tile>(x, index, alone);
    });
}

} // namespace

size_t product_cost(size_t m, size_t n, size_t k, size_t each) {
    const double estimate =
        static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k + 4) / static_cast<double>(each);
    return static_cast<size_t>(std::min(estimate, 1e15));
}

template <class T> void gemm(const MatmulProblem &problem) {
#if defined(GPCL_HAVE_X86)
    if (has_avx512()) return multiply_all<Avx512<T>>(problem);
    if (has_avx2_fma()) return multiply_all<Avx2<T>>(problem);
#endif
    multiply_all<Portable<T>>(problem);
}

template void gemm<float>(const MatmulProblem &problem);
template void gemm<double>(const MatmulProblem &problem);

} // namespace gpcl::host
