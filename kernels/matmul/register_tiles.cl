// C = alpha * A * B + beta * C in a semiring, for GPUs: a work-group computes a tile of C from tiles of A and B in local
// memory, each work-item 8 x 8 of its elements in registers, while it loads what comes next.
//
// Macros: those of semiring.cl, with WIDTH 4; GROUP, work-items of a work-group; TILE, rows and columns of a tile of C; DEPTH,
//         how much of k a local tile holds: 8, 16 or 32
// Launch: one dimension, a work-group for each tile of C and slice of k: batch * rows of tiles * columns of
//         tiles * slices; with several slices, their sums go to `partial`
// Source: Volkov and Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", 2008
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"

#if !defined(GROUP) || !defined(TILE) || !defined(DEPTH) || WIDTH != 4
#error "GROUP, TILE and DEPTH must be defined, and WIDTH be 4"
#endif

#include "matmul/split_k.cl"

#define LINE (TILE / 4 + 1) // vectors of a line of a tile in local memory, one of them against bank conflicts
#define LOADS (TILE * DEPTH / GROUP)

// A work-item's share of loading tiles of one matrix: neighbours take neighbouring elements, whichever way they lie.
// `outer` counts along the tile's side of TILE elements, `inner` along that of DEPTH.
typedef struct {
    uint outer, inner;           // the first element
    uint outer_step, inner_step; // to the next
} Share;

Share share_of(bool outer_is_contiguous) {
    const uint lane = (uint)get_local_id(0);
    Share share;
    share.outer = outer_is_contiguous ? lane : lane / DEPTH;
    share.inner = outer_is_contiguous ? 0 : lane % DEPTH;
    share.outer_step = outer_is_contiguous ? 0 : GROUP / DEPTH;
    share.inner_step = outer_is_contiguous ? 1 : 0;
    return share;
}

// Reads a share of the tile that starts at `from`; what lies outside the matrix becomes 0.
void load_share(VALUE *to, global const STORED *from, Share share, ulong outer_stride, ulong inner_stride,
                uint outer_count, ulong inner_count) {
#pragma unroll
    for (uint e = 0; e < LOADS; ++e) {
        const uint outer = share.outer + e * share.outer_step;
        const uint inner = share.inner + e * share.inner_step;
        const bool inside = outer < outer_count && inner < inner_count;
        to[e] = inside ? load(from, outer * outer_stride + inner * inner_stride) : (VALUE)0;
    }
}

void store_share(local V *tile, const VALUE *from, Share share) {
    local VALUE *to = (local VALUE *)tile;
#pragma unroll
    for (uint e = 0; e < LOADS; ++e)
        to[(share.inner + e * share.inner_step) * (LINE * 4) + share.outer + e * share.outer_step] = from[e];
}

#define ROW(r, x)                                                                                                      \
    sum[r][0] = accumulate(sum[r][0], (V)(x), b0);                                                                     \
    sum[r][1] = accumulate(sum[r][1], (V)(x), b1)

__attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void
matmul_register_tiles(global const STORED *a, ulong a_offset, ulong a_row_stride, ulong a_column_stride,
                      ulong a_batch_stride, global const STORED *b, ulong b_offset, ulong b_row_stride,
                      ulong b_column_stride, ulong b_batch_stride, global STORED *c, ulong c_offset, ulong c_row_stride,
                      ulong c_batch_stride, ulong m, ulong n, ulong k, ulong slices, global VALUE *partial,
                      ulong partial_offset, VALUE alpha, VALUE beta, uint reads_c) {
    local V a_tile[DEPTH * LINE];
    local V b_tile[DEPTH * LINE];

    const ulong tile_columns = (n + TILE - 1) / TILE;
    const ulong tile_rows = (m + TILE - 1) / TILE;
    // No remainder beside a quotient: compilers "freeze" its operands, which Oclgrind does not know.
    const ulong tile = get_group_id(0) / slices;
    const ulong slice = get_group_id(0) - tile * slices;
    const ulong tile_row = tile / tile_columns;
    const ulong g = tile_row / tile_rows;
    const ulong i0 = (tile_row - g * tile_rows) * TILE;
    const ulong j0 = (tile - tile_row * tile_columns) * TILE;
    const ulong begin = slice_begin(slice, slices, k, DEPTH);
    const ulong deep = slice_begin(slice + 1, slices, k, DEPTH) - begin;
    const uint rows = (uint)min((ulong)TILE, m - i0);
    const uint columns = (uint)min((ulong)TILE, n - j0);
    a += a_offset + g * a_batch_stride + i0 * a_row_stride + begin * a_column_stride;
    b += b_offset + g * b_batch_stride + j0 * b_column_stride + begin * b_row_stride;
    c += c_offset + g * c_batch_stride + i0 * c_row_stride + j0;

    const Share a_share = share_of(a_row_stride == 1);
    const Share b_share = share_of(b_column_stride == 1);
    const uint x = (uint)get_local_id(0) % 8; // the work-item's place: columns 4 x and 32 + 4 x, 4 of each,
    const uint y = (uint)get_local_id(0) / 8; // and rows likewise

    V sum[8][2];
#pragma unroll
    for (uint r = 0; r < 8; ++r) sum[r][0] = sum[r][1] = ZERO;
    VALUE next_a[LOADS], next_b[LOADS];
    load_share(next_a, a, a_share, a_row_stride, a_column_stride, rows, deep);
    load_share(next_b, b, b_share, b_column_stride, b_row_stride, columns, deep);
    for (ulong p0 = 0; p0 < deep; p0 += DEPTH) {
        store_share(a_tile, next_a, a_share);
        store_share(b_tile, next_b, b_share);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint depth = (uint)min((ulong)DEPTH, deep - p0);
        if (deep - p0 > DEPTH) {
            a += DEPTH * a_column_stride;
            b += DEPTH * b_row_stride;
            load_share(next_a, a, a_share, a_row_stride, a_column_stride, rows, deep - p0 - DEPTH);
            load_share(next_b, b, b_share, b_column_stride, b_row_stride, columns, deep - p0 - DEPTH);
        }
        for (uint p = 0; p < depth; ++p) {
            const V a0 = a_tile[p * LINE + y], a1 = a_tile[p * LINE + 8 + y];
            const V b0 = b_tile[p * LINE + x], b1 = b_tile[p * LINE + 8 + x];
            ROW(0, a0.s0);
            ROW(1, a0.s1);
            ROW(2, a0.s2);
            ROW(3, a0.s3);
            ROW(4, a1.s0);
            ROW(5, a1.s1);
            ROW(6, a1.s2);
            ROW(7, a1.s3);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const V va = FACTOR(V, (V)(alpha));
    const V vb = FACTOR(V, (V)(beta));
    VALUE mine[64]; // the sums, as memory: one copy of the code that finishes an element
#pragma unroll
    for (uint r = 0; r < 8; ++r) {
        WRITE(sum[r][0], 2 * r, mine);
        WRITE(sum[r][1], 2 * r + 1, mine);
    }
    for (uint e = 0; e < 16; ++e) {
        const uint i = e / 8 * 32 + y * 4 + e / 2 % 4;
        const uint j = e % 2 * 32 + x * 4;
        if (i >= rows || j >= columns) continue;
        if (slices == 1) {
            finish(c, i * c_row_stride + j, columns - j, READ(e, mine), va, vb, reads_c);
        } else {
            global VALUE *to =
                partial + partial_offset + ((g * slices + slice) * m + i0 + i) * ((n + 3) / 4 * 4) + j0 + j;
            for (uint q = 0; q < min(columns - j, 4u); ++q) to[q] = mine[4 * e + q];
        }
    }
}
