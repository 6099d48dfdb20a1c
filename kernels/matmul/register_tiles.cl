// C = alpha * A * B + beta * C in a semiring, for GPUs: a work-group computes a tile of C from
// tiles of A and B in local memory, each work-item 8 x 8 of its elements in registers, while it
// loads what comes next.
//
// Macros: those of semiring.cl, with GP_WIDTH 4; GP_GROUP, work-items of a work-group; GP_TILE,
//         rows and columns of a tile of C; GP_DEPTH, how much of k a local tile holds: 8, 16 or 32
// Launch: one dimension, a work-group for each tile of C and slice of k: batch * rows of tiles *
//         columns of tiles * slices; with several slices, their sums go to `partial`
// Source: Volkov and Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", 2008
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"

#if !defined(GP_GROUP) || !defined(GP_TILE) || !defined(GP_DEPTH) || GP_WIDTH != 4
#error "GP_GROUP, GP_TILE and GP_DEPTH must be defined, and GP_WIDTH be 4"
#endif

#include "matmul/split_k.cl"

#define GP_LINE (GP_TILE / 4 + 1) // vectors of a line of a tile in local memory, one of them against bank conflicts
#define GP_LOADS (GP_TILE * GP_DEPTH / GP_GROUP)

// A work-item's share of loading tiles of one matrix: neighbours take neighbouring elements,
// whichever way they lie. `outer` counts along the tile's side of GP_TILE elements, `inner` along
// that of GP_DEPTH.
typedef struct {
    uint outer, inner;           // the first element
    uint outer_step, inner_step; // to the next
} Share;

Share share_of(bool outer_is_contiguous) {
    const uint lane = (uint)get_local_id(0);
    Share share;
    share.outer = outer_is_contiguous ? lane : lane / GP_DEPTH;
    share.inner = outer_is_contiguous ? 0 : lane % GP_DEPTH;
    share.outer_step = outer_is_contiguous ? 0 : GP_GROUP / GP_DEPTH;
    share.inner_step = outer_is_contiguous ? 1 : 0;
    return share;
}

// Reads a share of the tile that starts at `from`; what lies outside the matrix becomes 0.
void load_share(Value *to, global const Stored *from, Share share, ulong outer_stride, ulong inner_stride,
                uint outer_count, ulong inner_count) {
#pragma unroll
    for (uint e = 0; e < GP_LOADS; ++e) {
        const uint outer = share.outer + e * share.outer_step;
        const uint inner = share.inner + e * share.inner_step;
        const bool inside = outer < outer_count && inner < inner_count;
        to[e] = inside ? load(from, outer * outer_stride + inner * inner_stride) : (Value)0;
    }
}

void store_share(local V *tile, const Value *from, Share share) {
    local Value *to = (local Value *)tile;
#pragma unroll
    for (uint e = 0; e < GP_LOADS; ++e)
        to[(share.inner + e * share.inner_step) * (GP_LINE * 4) + share.outer + e * share.outer_step] = from[e];
}

#define GP_ROW(r, x)                                                                                                   \
    sum[r][0] = accumulate(sum[r][0], (V)(x), b0);                                                                     \
    sum[r][1] = accumulate(sum[r][1], (V)(x), b1)

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
matmul_register_tiles(global const Stored *a, ulong a_offset, ulong a_row_stride, ulong a_column_stride,
                      ulong a_batch_stride, global const Stored *b, ulong b_offset, ulong b_row_stride,
                      ulong b_column_stride, ulong b_batch_stride, global Result *c, ulong c_offset, ulong c_row_stride,
                      ulong c_batch_stride, ulong m, ulong n, ulong k, ulong slices, global Value *partial,
                      ulong partial_offset, Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local V a_tile[GP_DEPTH * GP_LINE];
    local V b_tile[GP_DEPTH * GP_LINE];

    const ulong tile_columns = (n + GP_TILE - 1) / GP_TILE;
    const ulong tile_rows = (m + GP_TILE - 1) / GP_TILE;
    // A remainder beside a quotient makes compilers "freeze" operands, which Oclgrind does not
    // know.
    const ulong tile = get_group_id(0) / slices;
    const ulong slice = get_group_id(0) - tile * slices;
    const ulong tile_row = tile / tile_columns;
    const ulong g = tile_row / tile_rows;
    const ulong i0 = (tile_row - g * tile_rows) * GP_TILE;
    const ulong j0 = (tile - tile_row * tile_columns) * GP_TILE;
    const ulong begin = slice_begin(slice, slices, k, GP_DEPTH);
    const ulong deep = slice_begin(slice + 1, slices, k, GP_DEPTH) - begin;
    const uint rows = (uint)min((ulong)GP_TILE, m - i0);
    const uint columns = (uint)min((ulong)GP_TILE, n - j0);
    a += a_offset + g * a_batch_stride + i0 * a_row_stride + begin * a_column_stride;
    b += b_offset + g * b_batch_stride + j0 * b_column_stride + begin * b_row_stride;
    c += c_offset + g * c_batch_stride + i0 * c_row_stride + j0;

    const Share a_share = share_of(a_row_stride == 1);
    const Share b_share = share_of(b_column_stride == 1);
    const uint x = (uint)get_local_id(0) % 8; // the work-item's place: columns 4 x and 32 + 4 x, 4 of each,
    const uint y = (uint)get_local_id(0) / 8; // and rows likewise

    V sum[8][2];
#pragma unroll
    for (uint r = 0; r < 8; ++r) sum[r][0] = sum[r][1] = GP_ZERO;
    Value next_a[GP_LOADS], next_b[GP_LOADS];
    load_share(next_a, a, a_share, a_row_stride, a_column_stride, rows, deep);
    load_share(next_b, b, b_share, b_column_stride, b_row_stride, columns, deep);
    for (ulong p0 = 0; p0 < deep; p0 += GP_DEPTH) {
        store_share(a_tile, next_a, a_share);
        store_share(b_tile, next_b, b_share);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint depth = (uint)min((ulong)GP_DEPTH, deep - p0);
        if (deep - p0 > GP_DEPTH) {
            a += GP_DEPTH * a_column_stride;
            b += GP_DEPTH * b_row_stride;
            load_share(next_a, a, a_share, a_row_stride, a_column_stride, rows, deep - p0 - GP_DEPTH);
            load_share(next_b, b, b_share, b_column_stride, b_row_stride, columns, deep - p0 - GP_DEPTH);
        }
        for (uint p = 0; p < depth; ++p) {
            const V a0 = a_tile[p * GP_LINE + y], a1 = a_tile[p * GP_LINE + 8 + y];
            const V b0 = b_tile[p * GP_LINE + x], b1 = b_tile[p * GP_LINE + 8 + x];
            GP_ROW(0, a0.s0);
            GP_ROW(1, a0.s1);
            GP_ROW(2, a0.s2);
            GP_ROW(3, a0.s3);
            GP_ROW(4, a1.s0);
            GP_ROW(5, a1.s1);
            GP_ROW(6, a1.s2);
            GP_ROW(7, a1.s3);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const V va = GP_FACTOR(V, (V)(alpha));
    const V vb = GP_FACTOR(V, (V)(beta));
    Value mine[64]; // the sums, as memory: one copy of the code that finishes an element
#pragma unroll
    for (uint r = 0; r < 8; ++r) {
        GP_WRITE(sum[r][0], 2 * r, mine);
        GP_WRITE(sum[r][1], 2 * r + 1, mine);
    }
    for (uint e = 0; e < 16; ++e) {
        const uint i = e / 8 * 32 + y * 4 + e / 2 % 4;
        const uint j = e % 2 * 32 + x * 4;
        if (i >= rows || j >= columns) continue;
        if (slices == 1) {
            finish(c, i * c_row_stride + j, columns - j, GP_READ(e, mine), va, vb,
                   reads_c GP_FINISH_AT(g, i0 + i, j0 + j));
        } else {
            global Value *to =
                partial + partial_offset + ((g * slices + slice) * m + i0 + i) * ((n + 3) / 4 * 4) + j0 + j;
            for (uint q = 0; q < min(columns - j, 4u); ++q) to[q] = mine[4 * e + q];
        }
    }
}
