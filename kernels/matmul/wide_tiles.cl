// C = alpha * A * B + beta * C in a semiring: a work-group computes a tile of 128 x 128 elements of
// C, each work-item 8 x 8 of them, from tiles of A and B in local memory; for GPUs.
//
// Two local tiles take turns: while one is multiplied, the next is on its way from global memory to
// registers.
//
// Macros: those of semiring.cl, with GP_WIDTH 4; GP_GROUP, 256, work-items of a work-group;
//         GP_TILE, 128, rows and columns of a tile of C; GP_DEPTH, how much of k a local tile
//         holds, 8 or 16; GP_A_ALONG_K, GP_B_ALONG_K, where neighbours along k are neighbours in
//         memory (row-major A, column-major B); GP_ALIGNED, where vectors of A and B begin at
//         multiples of their size; GP_IF_REPORTED, to do nothing unless *report is set
// Launch: one dimension, work-groups of 256; one for each tile of C and product
// Source: Volkov and Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", 2008; Lai and
//         Seznec, "Performance Upper Bound Analysis and Optimization of SGEMM on Fermi and Kepler
//         GPUs", 2013
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "common/semiring.cl"
#include "matmul/bands.cl"
#if !defined(GP_GROUP) || !defined(GP_TILE) || !defined(GP_DEPTH) || GP_WIDTH != 4
#error "GP_GROUP, GP_TILE and GP_DEPTH must be defined, and GP_WIDTH be 4"
#endif

#define GP_LINE (GP_TILE / 4 + 1) // vectors of a line of a local tile; the last one keeps lines off the same banks
#define GP_LOADS (GP_TILE * GP_DEPTH / 4 / GP_GROUP) // vectors that a work-item brings of each tile

// Vector l of this work-item's share of a tile that lies along k: where on the edge, where in the
// depth.
#define GP_ALONG_K_EDGE(l) ((id + (l)*GP_GROUP) / (GP_DEPTH / 4))
#define GP_ALONG_K_DEPTH(l) ((id + (l)*GP_GROUP) % (GP_DEPTH / 4) * 4)
// The same of a tile that lies along its edge.
#define GP_ALONG_EDGE_EDGE(l) ((id + (l)*GP_GROUP) % (GP_TILE / 4) * 4)
#define GP_ALONG_EDGE_DEPTH(l) ((id + (l)*GP_GROUP) / (GP_TILE / 4))

#if defined(GP_ALIGNED) && GP_DTYPE == GP_COMPUTED
V load_whole(global const Stored *from, ulong i) {
    const V x = *(global const V *)(from + i);
    return GP_FACTOR(V, x);
}
#else
#define load_whole load_vector
#endif

// Reads a work-item's share of the next tile. `edge` lines and `depth` of k are there; nobody needs
// the zeros that stand for the rest. Inline, as PoCL 6 loses what goes to private arrays otherwise.
GP_INLINE void read_along_k(V *share, global const Stored *from, ulong edge_stride, uint edge, ulong depth) {
    const uint id = (uint)get_local_id(0);
#pragma unroll
    for (uint l = 0; l < GP_LOADS; ++l) {
        const uint e = GP_ALONG_K_EDGE(l), d = GP_ALONG_K_DEPTH(l);
        if (e < edge && d + 4 <= depth) {
            share[l] = load_whole(from, e * edge_stride + d);
        } else {
            Value x[4];
            for (uint i = 0; i < 4; ++i) x[i] = e < edge && d + i < depth ? load(from, e * edge_stride + d + i) : 0;
            share[l] = GP_READ(0, x);
        }
    }
}

GP_INLINE void read_along_edge(V *share, global const Stored *from, ulong depth_stride, uint edge, ulong depth) {
    const uint id = (uint)get_local_id(0);
#pragma unroll
    for (uint l = 0; l < GP_LOADS; ++l) {
        const uint e = GP_ALONG_EDGE_EDGE(l), d = GP_ALONG_EDGE_DEPTH(l);
        if (d < depth && e + 4 <= edge) {
            share[l] = load_whole(from, d * depth_stride + e);
        } else {
            Value x[4];
            for (uint i = 0; i < 4; ++i) x[i] = d < depth && e + i < edge ? load(from, d * depth_stride + e + i) : 0;
            share[l] = GP_READ(0, x);
        }
    }
}

GP_INLINE void write_along_k(local V *tile, const V *share) {
    const uint id = (uint)get_local_id(0);
    local Value *elements = (local Value *)tile;
#pragma unroll
    for (uint l = 0; l < GP_LOADS; ++l) {
        local Value *to = elements + GP_ALONG_K_DEPTH(l) * (4 * GP_LINE) + GP_ALONG_K_EDGE(l);
        to[0] = share[l].s0;
        to[4 * GP_LINE] = share[l].s1;
        to[8 * GP_LINE] = share[l].s2;
        to[12 * GP_LINE] = share[l].s3;
    }
}

GP_INLINE void write_along_edge(local V *tile, const V *share) {
    const uint id = (uint)get_local_id(0);
#pragma unroll
    for (uint l = 0; l < GP_LOADS; ++l) tile[GP_ALONG_EDGE_DEPTH(l) * GP_LINE + GP_ALONG_EDGE_EDGE(l) / 4] = share[l];
}

#ifdef GP_A_ALONG_K
#define GP_READ_A(share, depth) read_along_k(share, a, a_row_stride, rows, depth)
#define GP_WRITE_A write_along_k
#else
#define GP_READ_A(share, depth) read_along_edge(share, a, a_column_stride, rows, depth)
#define GP_WRITE_A write_along_edge
#endif
#ifdef GP_B_ALONG_K
#define GP_READ_B(share, depth) read_along_k(share, b, b_column_stride, columns, depth)
#define GP_WRITE_B write_along_k
#else
#define GP_READ_B(share, depth) read_along_edge(share, b, b_row_stride, columns, depth)
#define GP_WRITE_B write_along_edge
#endif

#define GP_ROW(r, x)                                                                                                   \
    sum[r][0] = accumulate(sum[r][0], (V)(x), b0);                                                                     \
    sum[r][1] = accumulate(sum[r][1], (V)(x), b1)

// One step of k.
#define GP_STEP(p)                                                                                                     \
    {                                                                                                                  \
        const V a0 = a_now[(p)*GP_LINE + y], a1 = a_now[(p)*GP_LINE + 16 + y];                                         \
        const V b0 = b_now[(p)*GP_LINE + x], b1 = b_now[(p)*GP_LINE + 16 + x];                                         \
        GP_ROW(0, a0.s0);                                                                                              \
        GP_ROW(1, a0.s1);                                                                                              \
        GP_ROW(2, a0.s2);                                                                                              \
        GP_ROW(3, a0.s3);                                                                                              \
        GP_ROW(4, a1.s0);                                                                                              \
        GP_ROW(5, a1.s1);                                                                                              \
        GP_ROW(6, a1.s2);                                                                                              \
        GP_ROW(7, a1.s3);                                                                                              \
    }

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
matmul_wide_tiles(global const Stored *a, ulong a_offset, ulong a_row_stride, ulong a_column_stride,
                  ulong a_batch_stride, global const Stored *b, ulong b_offset, ulong b_row_stride,
                  ulong b_column_stride, ulong b_batch_stride, global Result *c, ulong c_offset, ulong c_row_stride,
                  ulong c_batch_stride, ulong m, ulong n, ulong k,
#ifdef GP_IF_REPORTED
                  global const uint *report, ulong report_offset,
#endif
                  Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local V a_tiles[2][GP_DEPTH * GP_LINE];
    local V b_tiles[2][GP_DEPTH * GP_LINE];

#ifdef GP_IF_REPORTED
    if (report[report_offset] == 0) return;
#endif
    const ulong tile_rows = (m + GP_TILE - 1) / GP_TILE, tile_columns = (n + GP_TILE - 1) / GP_TILE;
    const ulong g = get_group_id(0) / (tile_rows * tile_columns);
    const ulong2 tile = tile_in_bands(get_group_id(0) - g * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * GP_TILE, j0 = tile.y * GP_TILE;
    const uint rows = (uint)min((ulong)GP_TILE, m - i0);
    const uint columns = (uint)min((ulong)GP_TILE, n - j0);
    a += a_offset + g * a_batch_stride + i0 * a_row_stride;
    b += b_offset + g * b_batch_stride + j0 * b_column_stride;
    c += c_offset + g * c_batch_stride + i0 * c_row_stride + j0;

    // The work-item's place: rows 4 y and 64 + 4 y, columns 4 x and 64 + 4 x, 4 of each; a warp
    // covers 4 x 8 of them.
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    const uint x = warp % 2 * 8 + lane % 8;
    const uint y = warp / 2 * 4 + lane / 8;

    V sum[8][2];
#pragma unroll
    for (uint r = 0; r < 8; ++r) sum[r][0] = sum[r][1] = GP_ZERO;
    V next_a[GP_LOADS], next_b[GP_LOADS];
    GP_READ_A(next_a, k);
    GP_READ_B(next_b, k);
    uint turn = 0;
    for (ulong p0 = 0; p0 < k; p0 += GP_DEPTH, turn ^= 1) {
        local V *a_now = a_tiles[turn], *b_now = b_tiles[turn];
        GP_WRITE_A(a_now, next_a);
        GP_WRITE_B(b_now, next_b);
        barrier(CLK_LOCAL_MEM_FENCE); // the one before last tile is done with, too
        if (k - p0 > GP_DEPTH) {
            a += GP_DEPTH * a_column_stride;
            b += GP_DEPTH * b_row_stride;
            GP_READ_A(next_a, k - p0 - GP_DEPTH);
            GP_READ_B(next_b, k - p0 - GP_DEPTH);
        }
        if (k - p0 >= GP_DEPTH) {
#pragma unroll
            for (uint p = 0; p < GP_DEPTH; ++p) GP_STEP(p)
        } else {
            for (uint p = 0; p < k - p0; ++p) GP_STEP(p)
        }
    }

    const V va = GP_FACTOR(V, (V)(alpha));
    const V vb = GP_FACTOR(V, (V)(beta));
#pragma unroll
    for (uint r = 0; r < 8; ++r) {
        const uint i = r / 4 * 64 + y * 4 + r % 4;
#pragma unroll
        for (uint s = 0; s < 2; ++s) {
            const uint j = s * 64 + x * 4;
            if (i < rows && j < columns)
                finish(c, i * c_row_stride + j, columns - j, sum[r][s], va, vb,
                       reads_c GP_FINISH_AT(g, i0 + i, j0 + j));
        }
    }
}
