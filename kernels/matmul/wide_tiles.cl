// C = alpha * A * B + beta * C in a semiring: a work-group computes a tile of 128 x 128 elements of C, each work-item 8 x 8
// of them, from tiles of A and B in local memory; for GPUs.
//
// Two local tiles take turns: while one is multiplied, the next is on its way from global memory to registers.
//
// Macros: those of semiring.cl, with WIDTH 4; GROUP, 256, work-items of a work-group; TILE, 128, rows and columns of a tile of C;
//         DEPTH, how much of k a local tile holds, 8 or 16; A_ALONG_K, B_ALONG_K, where neighbours along k are neighbours in
//         memory (row-major A, column-major B); ALIGNED, where vectors of A and B begin at multiples of their size;
//         IF_REPORTED, to do nothing unless *report is set
// Launch: one dimension, work-groups of 256; one for each tile of C and product
// Source: Volkov and Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", 2008; Lai and Seznec, "Performance Upper Bound
//         Analysis and Optimization of SGEMM on Fermi and Kepler GPUs", 2013
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"
#include "matmul/bands.cl"
#if !defined(GROUP) || !defined(TILE) || !defined(DEPTH) || WIDTH != 4
#error "GROUP, TILE and DEPTH must be defined, and WIDTH be 4"
#endif

#define LINE (TILE / 4 + 1) // vectors of a line of a local tile; the last one keeps lines off the same banks
#define LOADS (TILE * DEPTH / 4 / GROUP) // vectors that a work-item brings of each tile

// Vector l of this work-item's share of a tile that lies along k: where on the edge, where in the depth.
#define ALONG_K_EDGE(l) ((id + (l)*GROUP) / (DEPTH / 4))
#define ALONG_K_DEPTH(l) ((id + (l)*GROUP) % (DEPTH / 4) * 4)
// The same of a tile that lies along its edge.
#define ALONG_EDGE_EDGE(l) ((id + (l)*GROUP) % (TILE / 4) * 4)
#define ALONG_EDGE_DEPTH(l) ((id + (l)*GROUP) / (TILE / 4))

#if defined(ALIGNED) && DTYPE != 9
V load_whole(global const STORED *from, ulong i) {
    const V x = *(global const V *)(from + i);
    return FACTOR(V, x);
}
#else
#define load_whole load_vector
#endif

// Reads a work-item's share of the next tile. `edge` lines and `depth` of k are there; nobody needs the zeros that stand for
// the rest.
void read_along_k(V *share, global const STORED *from, ulong edge_stride, uint edge, ulong depth) {
    const uint id = (uint)get_local_id(0);
#pragma unroll
    for (uint l = 0; l < LOADS; ++l) {
        const uint e = ALONG_K_EDGE(l), d = ALONG_K_DEPTH(l);
        if (e < edge && d + 4 <= depth) {
            share[l] = load_whole(from, e * edge_stride + d);
        } else {
            VALUE x[4];
            for (uint i = 0; i < 4; ++i) x[i] = e < edge && d + i < depth ? load(from, e * edge_stride + d + i) : 0;
            share[l] = READ(0, x);
        }
    }
}

void read_along_edge(V *share, global const STORED *from, ulong depth_stride, uint edge, ulong depth) {
    const uint id = (uint)get_local_id(0);
#pragma unroll
    for (uint l = 0; l < LOADS; ++l) {
        const uint e = ALONG_EDGE_EDGE(l), d = ALONG_EDGE_DEPTH(l);
        if (d < depth && e + 4 <= edge) {
            share[l] = load_whole(from, d * depth_stride + e);
        } else {
            VALUE x[4];
            for (uint i = 0; i < 4; ++i) x[i] = d < depth && e + i < edge ? load(from, d * depth_stride + e + i) : 0;
            share[l] = READ(0, x);
        }
    }
}

void write_along_k(local V *tile, const V *share) {
    const uint id = (uint)get_local_id(0);
    local VALUE *elements = (local VALUE *)tile;
#pragma unroll
    for (uint l = 0; l < LOADS; ++l) {
        local VALUE *to = elements + ALONG_K_DEPTH(l) * (4 * LINE) + ALONG_K_EDGE(l);
        to[0] = share[l].s0;
        to[4 * LINE] = share[l].s1;
        to[8 * LINE] = share[l].s2;
        to[12 * LINE] = share[l].s3;
    }
}

void write_along_edge(local V *tile, const V *share) {
    const uint id = (uint)get_local_id(0);
#pragma unroll
    for (uint l = 0; l < LOADS; ++l) tile[ALONG_EDGE_DEPTH(l) * LINE + ALONG_EDGE_EDGE(l) / 4] = share[l];
}

#ifdef A_ALONG_K
#define READ_A(share, depth) read_along_k(share, a, a_row_stride, rows, depth)
#define WRITE_A write_along_k
#else
#define READ_A(share, depth) read_along_edge(share, a, a_column_stride, rows, depth)
#define WRITE_A write_along_edge
#endif
#ifdef B_ALONG_K
#define READ_B(share, depth) read_along_k(share, b, b_column_stride, columns, depth)
#define WRITE_B write_along_k
#else
#define READ_B(share, depth) read_along_edge(share, b, b_row_stride, columns, depth)
#define WRITE_B write_along_edge
#endif

#define ROW(r, x)                                                                                                      \
    sum[r][0] = accumulate(sum[r][0], (V)(x), b0);                                                                     \
    sum[r][1] = accumulate(sum[r][1], (V)(x), b1)

// One step of k.
#define STEP(p)                                                                                                        \
    {                                                                                                                  \
        const V a0 = a_now[(p)*LINE + y], a1 = a_now[(p)*LINE + 16 + y];                                               \
        const V b0 = b_now[(p)*LINE + x], b1 = b_now[(p)*LINE + 16 + x];                                               \
        ROW(0, a0.s0);                                                                                                 \
        ROW(1, a0.s1);                                                                                                 \
        ROW(2, a0.s2);                                                                                                 \
        ROW(3, a0.s3);                                                                                                 \
        ROW(4, a1.s0);                                                                                                 \
        ROW(5, a1.s1);                                                                                                 \
        ROW(6, a1.s2);                                                                                                 \
        ROW(7, a1.s3);                                                                                                 \
    }

__attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void
matmul_wide_tiles(global const STORED *a, ulong a_offset, ulong a_row_stride, ulong a_column_stride,
                  ulong a_batch_stride, global const STORED *b, ulong b_offset, ulong b_row_stride,
                  ulong b_column_stride, ulong b_batch_stride, global STORED *c, ulong c_offset, ulong c_row_stride,
                  ulong c_batch_stride, ulong m, ulong n, ulong k,
#ifdef IF_REPORTED
                  global const uint *report, ulong report_offset,
#endif
                  VALUE alpha, VALUE beta, uint reads_c) {
    local V a_tiles[2][DEPTH * LINE];
    local V b_tiles[2][DEPTH * LINE];

#ifdef IF_REPORTED
    if (report[report_offset] == 0) return;
#endif
    const ulong tile_rows = (m + TILE - 1) / TILE, tile_columns = (n + TILE - 1) / TILE;
    const ulong g = get_group_id(0) / (tile_rows * tile_columns);
    const ulong2 tile = tile_in_bands(get_group_id(0) - g * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * TILE, j0 = tile.y * TILE;
    const uint rows = (uint)min((ulong)TILE, m - i0);
    const uint columns = (uint)min((ulong)TILE, n - j0);
    a += a_offset + g * a_batch_stride + i0 * a_row_stride;
    b += b_offset + g * b_batch_stride + j0 * b_column_stride;
    c += c_offset + g * c_batch_stride + i0 * c_row_stride + j0;

    // The work-item's place: rows 4 y and 64 + 4 y, columns 4 x and 64 + 4 x, 4 of each; a warp covers 4 x 8 of them.
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    const uint x = warp % 2 * 8 + lane % 8;
    const uint y = warp / 2 * 4 + lane / 8;

    V sum[8][2];
#pragma unroll
    for (uint r = 0; r < 8; ++r) sum[r][0] = sum[r][1] = ZERO;
    V next_a[LOADS], next_b[LOADS];
    READ_A(next_a, k);
    READ_B(next_b, k);
    uint turn = 0;
    for (ulong p0 = 0; p0 < k; p0 += DEPTH, turn ^= 1) {
        local V *a_now = a_tiles[turn], *b_now = b_tiles[turn];
        WRITE_A(a_now, next_a);
        WRITE_B(b_now, next_b);
        barrier(CLK_LOCAL_MEM_FENCE); // the one before last tile is done with, too
        if (k - p0 > DEPTH) {
            a += DEPTH * a_column_stride;
            b += DEPTH * b_row_stride;
            READ_A(next_a, k - p0 - DEPTH);
            READ_B(next_b, k - p0 - DEPTH);
        }
        if (k - p0 >= DEPTH) {
#pragma unroll
            for (uint p = 0; p < DEPTH; ++p) STEP(p)
        } else {
            for (uint p = 0; p < k - p0; ++p) STEP(p)
        }
    }

    const V va = FACTOR(V, (V)(alpha));
    const V vb = FACTOR(V, (V)(beta));
#pragma unroll
    for (uint r = 0; r < 8; ++r) {
        const uint i = r / 4 * 64 + y * 4 + r % 4;
#pragma unroll
        for (uint s = 0; s < 2; ++s) {
            const uint j = s * 64 + x * 4;
            if (i < rows && j < columns) finish(c, i * c_row_stride + j, columns - j, sum[r][s], va, vb, reads_c);
        }
    }
}
