// C = alpha * A * B + beta * C in a semiring, from the matrices as they lie: one launch, for products that are too small to
// be packed first; for GPUs.
//
// A warp computes 32 x 64 elements of C, each work-item 8 x 8 of them. WARPS_M x WARPS_N warps of a work-group stand side by
// side; WARPS_K share the steps of k, and their sums are added up at the end, in an order that is always the same. So small
// tiles keep a compute unit as busy as large ones. Tiles of A and B come to local memory several stages
// ahead, without waiting for them; while one step of k is multiplied, the next one's numbers are on their way to registers.
//
// Macros: those of semiring.cl, with WIDTH 4 and VALUE of 4 bytes; those of async_copy.cl; WARPS_M, WARPS_N, WARPS_K, powers
//         of two; DEPTH, how much of k a local tile holds: 16 or 32; STAGES, tiles in local memory; A_ALONG_K, B_ALONG_K,
//         where neighbours along k are neighbours in memory (row-major A, column-major B); A_ALIGNED, B_ALIGNED, where they
//         are not, and vectors begin at multiples of their size
// Launch: tiles of C of all products x slices of k, work-groups of as many warps; with several slices, their sums go to
//         `partial`
// Source: Lai and Seznec, "Performance Upper Bound Analysis and Optimization of SGEMM on Fermi and Kepler GPUs", 2013
// SPDX-License-Identifier: MIT
#define VECTOR_STORES
#include "common/semiring.cl"
#include "device/async_copy.cl"
#include "matmul/bands.cl"
#if WIDTH != 4 || (DTYPE != 3 && DTYPE != 10) || !defined(WARPS_K) || !defined(DEPTH) || !defined(STAGES)
#error "WIDTH must be 4, and DTYPE 3 or 10; WARPS_M, WARPS_N, WARPS_K, DEPTH and STAGES must be defined"
#endif
#include "matmul/split_k.cl"

#define GROUP (32 * WARPS_M * WARPS_N * WARPS_K)
#define TILE_M (32 * WARPS_M)
#define TILE_N (64 * WARPS_N)
#define TILE (TILE_M * TILE_N / 4) // vectors
#if WARPS_K > 1
#define WRITERS (GROUP / 2) // that keep sums in the end
#else
#define WRITERS GROUP
#endif
#define A_LINE (TILE_M / 4 + 1) // vectors for a step of k; the last one keeps steps off the same banks
#define B_LINE (TILE_N / 4 + 1)
#define STEPS (DEPTH / WARPS_K) // of k that a warp takes from a local tile
#define STAGE (DEPTH * (A_LINE + B_LINE))
#if STAGES * STAGE < WRITERS * 16
#error "the sums must find room where the stages were"
#endif

// A work-item's share of a tile that lies along k, in which a warp reads 8 neighbours of 4 lines.
#define ALONG_K_LINE (id / 8)
#define ALONG_K_STEP (id % 8)

void fetch_along_k(local V *tile, uint pitch, uint edge, global const STORED *from, ulong stride, uint lines,
                   uint deep) {
    const uint id = (uint)get_local_id(0), line = ALONG_K_LINE, step = ALONG_K_STEP;
    local uint *to = (local uint *)tile + step * (4 * pitch) + line;
#pragma unroll
    for (uint l = 0; l < edge; l += GROUP / 8) {
#pragma unroll
        for (uint p = 0; p < DEPTH; p += 8)
            gp_async_word(to + p * (4 * pitch) + l, (global const uint *)from + p, line + l < lines && step + p < deep);
        from += GROUP / 8 * stride;
    }
}

// The same where it lies along the edge, with a vector or an element at a time.
#define ALONG_EDGE_LINE(edge, width) (id % ((edge) / (width)) * (width))
#define ALONG_EDGE_STEP(edge, width) (id / ((edge) / (width)))

void fetch_along_edge(local V *tile, uint pitch, uint edge, global const STORED *from, ulong stride, uint lines,
                      uint deep, uint width) {
    const uint id = (uint)get_local_id(0), line = ALONG_EDGE_LINE(edge, width), step = ALONG_EDGE_STEP(edge, width);
    const uint steps = GROUP * width / edge, here = line < lines ? lines - line : 0;
    local uint *to = (local uint *)tile + step * (4 * pitch) + line;
#pragma unroll
    for (uint p = 0; p < DEPTH; p += steps) {
        if (width == 4)
            gp_async_words((local uint4 *)(to + p * (4 * pitch)), (global const uint *)from,
                           step + p < deep ? here : 0);
        else
            gp_async_word(to + p * (4 * pitch), (global const uint *)from, step + p < deep && here > 0);
        from += steps * stride;
    }
}

#ifdef A_ALIGNED
#define A_WIDTH 4
#else
#define A_WIDTH 1
#endif
#ifdef B_ALIGNED
#define B_WIDTH 4
#else
#define B_WIDTH 1
#endif
#ifdef A_ALONG_K
#define FETCH_A(stage, deep) fetch_along_k(stages[stage], A_LINE, TILE_M, a, a_row_stride, rows, deep)
#define SHARE_OF_A (ALONG_K_LINE * a_row_stride + ALONG_K_STEP)
#else
#define FETCH_A(stage, deep) fetch_along_edge(stages[stage], A_LINE, TILE_M, a, a_column_stride, rows, deep, A_WIDTH)
#define SHARE_OF_A (ALONG_EDGE_STEP(TILE_M, A_WIDTH) * a_column_stride + ALONG_EDGE_LINE(TILE_M, A_WIDTH))
#endif
#ifdef B_ALONG_K
#define FETCH_B(stage, deep)                                                                                           \
    fetch_along_k(stages[stage] + DEPTH * A_LINE, B_LINE, TILE_N, b, b_column_stride, columns, deep)
#define SHARE_OF_B (ALONG_K_LINE * b_column_stride + ALONG_K_STEP)
#else
#define FETCH_B(stage, deep)                                                                                           \
    fetch_along_edge(stages[stage] + DEPTH * A_LINE, B_LINE, TILE_N, b, b_row_stride, columns, deep, B_WIDTH)
#define SHARE_OF_B (ALONG_EDGE_STEP(TILE_N, B_WIDTH) * b_row_stride + ALONG_EDGE_LINE(TILE_N, B_WIDTH))
#endif

// What a work-item multiplies in one step of k: 8 rows, 8 columns.
typedef struct {
    V a[2], b[2];
} Step;

void read_step(Step *step, local const V *a, local const V *b, uint p) {
    const V a0 = a[p * A_LINE], a1 = a[p * A_LINE + 4], b0 = b[p * B_LINE], b1 = b[p * B_LINE + 8];
    step->a[0] = FACTOR(V, a0);
    step->a[1] = FACTOR(V, a1);
    step->b[0] = FACTOR(V, b0);
    step->b[1] = FACTOR(V, b1);
}

void multiply_step(V (*sum)[2], const Step *step) {
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
#pragma unroll
        for (uint q = 0; q < 2; ++q) {
            sum[4 * i][q] = accumulate(sum[4 * i][q], (V)(step->a[i].s0), step->b[q]);
            sum[4 * i + 1][q] = accumulate(sum[4 * i + 1][q], (V)(step->a[i].s1), step->b[q]);
            sum[4 * i + 2][q] = accumulate(sum[4 * i + 2][q], (V)(step->a[i].s2), step->b[q]);
            sum[4 * i + 3][q] = accumulate(sum[4 * i + 3][q], (V)(step->a[i].s3), step->b[q]);
        }
    }
}

__attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void
matmul_direct_tiles(global const STORED *a, ulong a_offset, ulong a_row_stride, ulong a_column_stride,
                    ulong a_batch_stride, global const STORED *b, ulong b_offset, ulong b_row_stride,
                    ulong b_column_stride, ulong b_batch_stride, global STORED *c, ulong c_offset, ulong c_row_stride,
                    ulong c_batch_stride, ulong m, ulong n, ulong k, ulong slices, global V *partial,
                    ulong partial_offset, VALUE alpha, VALUE beta, uint reads_c) {
    local V stages[STAGES][STAGE];
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    // There are never so many tiles that 32 bits don't count them, and these divide faster.
    const uint tile_rows = (uint)((m + TILE_M - 1) / TILE_M), tile_columns = (uint)((n + TILE_N - 1) / TILE_N);
    const uint number = (uint)get_group_id(0), product = number / (tile_rows * tile_columns);
    const ulong2 tile = tile_in_bands(number - product * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;
    const ulong slice = get_group_id(1);
    ulong begin = 0, deep = k;
    if (slices > 1) {
        begin = slice_begin(slice, slices, k, DEPTH);
        deep = slice_begin(slice + 1, slices, k, DEPTH) - begin;
    }
    const ulong depths = (deep + DEPTH - 1) / DEPTH;
    const uint rows = (uint)min((ulong)TILE_M, m - i0), columns = (uint)min((ulong)TILE_N, n - j0);
    a += a_offset + product * a_batch_stride + i0 * a_row_stride + begin * a_column_stride + SHARE_OF_A;
    b += b_offset + product * b_batch_stride + j0 * b_column_stride + begin * b_row_stride + SHARE_OF_B;
    c += c_offset + product * c_batch_stride + i0 * c_row_stride + j0;

    ulong left = deep; // of k, to be fetched
#define FETCH(stage)                                                                                                   \
    if (left > 0) {                                                                                                    \
        const uint here = (uint)min(left, (ulong)DEPTH);                                                               \
        FETCH_A(stage, here);                                                                                          \
        FETCH_B(stage, here);                                                                                          \
        a += DEPTH * a_column_stride;                                                                                  \
        b += DEPTH * b_row_stride;                                                                                     \
        left -= here;                                                                                                  \
    }                                                                                                                  \
    gp_async_commit()

    for (uint s = 0; s < STAGES; ++s) {
        FETCH(s);
    }
    // The work-item's place: rows y and y + 16, columns x and x + 32, four of each.
    const uint warp_k = warp / (WARPS_M * WARPS_N);
    const uint y = warp / WARPS_N % WARPS_M * 32 + lane / 8 * 4, x = warp % WARPS_N * 64 + lane % 8 * 4;
    const uint a_at = warp_k * STEPS * A_LINE + y / 4, b_at = DEPTH * A_LINE + warp_k * STEPS * B_LINE + x / 4;
    V sum[8][2];
#pragma unroll
    for (uint r = 0; r < 8; ++r) sum[r][0] = sum[r][1] = ZERO;
    Step steps[2];
    uint stage = 0;
    GP_ASYNC_WAIT(STAGES - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    read_step(&steps[0], stages[0] + a_at, stages[0] + b_at, 0);
    for (ulong depth = 0; depth < deep / DEPTH; ++depth) {
        local const V *a_now = stages[stage] + a_at, *b_now = stages[stage] + b_at;
#pragma unroll
        for (uint p = 0; p + 1 < STEPS; ++p) {
            read_step(&steps[(p + 1) % 2], a_now, b_now, p + 1);
            multiply_step(sum, &steps[p % 2]);
        }
        GP_ASYNC_WAIT(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE); // all have read this stage, and the next one is there
        FETCH(stage);
        if (++stage == STAGES) stage = 0;
        if (depth + 1 < depths) read_step(&steps[0], stages[stage] + a_at, stages[stage] + b_at, 0);
        multiply_step(sum, &steps[1]);
    }
    // No more than there is, for a semiring may have no number that changes nothing.
    const uint rest = (uint)(deep % DEPTH), before = warp_k * STEPS;
    for (uint p = 0; p < STEPS && before + p < rest; ++p) {
        read_step(&steps[0], stages[stage] + a_at, stages[stage] + b_at, p);
        multiply_step(sum, &steps[0]);
    }

    // Sums pass through local memory, from where all work-items write C, neighbours beside neighbours.
    local V *room = stages[0];
#if WARPS_K > 1
    // The upper half of the warps that share k hands its sums to the lower one.
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id >= WRITERS) {
#pragma unroll
        for (uint e = 0; e < 16; ++e) room[e * WRITERS + id - WRITERS] = sum[e / 2][e % 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < WRITERS) {
#pragma unroll
        for (uint e = 0; e < 16; ++e) sum[e / 2][e % 2] = plus(sum[e / 2][e % 2], room[e * WRITERS + id]);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < WRITERS) {
        local V *to = room + warp_k * TILE + y * (TILE_N / 4) + x / 4;
#pragma unroll
        for (uint e = 0; e < 16; ++e) to[(e / 8 * 16 + e / 2 % 4) * (TILE_N / 4) + e % 2 * 8] = sum[e / 2][e % 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong pitch = (n + 3) / 4; // of a row of sums, in vectors
    partial += partial_offset + ((product * slices + slice) * m + i0) * pitch + j0 / 4;
    const V va = FACTOR(V, (V)(alpha)), vb = FACTOR(V, (V)(beta));
    for (uint v = id; v < TILE; v += GROUP) {
        const uint i = v / (TILE_N / 4), j = v % (TILE_N / 4) * 4;
        if (i >= rows || j >= columns) continue;
        V result = room[v];
#pragma unroll
        for (uint w = 1; w < WARPS_K / 2; ++w) result = plus(result, room[w * TILE + v]);
        if (slices > 1)
            partial[i * pitch + j / 4] = result;
        else
            finish(c + i * c_row_stride, j, columns - j, result, va, vb, reads_c);
    }
}
