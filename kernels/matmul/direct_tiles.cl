// C = alpha * A * B + beta * C in a semiring, in one launch, from the matrices as they lie: for
// products that are too small to be packed first; for GPUs.
//
// A warp computes 32 x 64 elements of C, each work-item 8 x 8 of them, or 32 x 32 and 8 x 4.
// GP_WARPS_M x GP_WARPS_N warps of a work-group stand side by side. GP_WARPS_K warps share the
// steps of k (split-K within the work-group); their sums are added at the end, always in the same
// order. So small tiles keep a compute unit as busy as large ones. Tiles of A and B come to local
// memory several stages ahead. While one step of k is multiplied, the operands of the next are on
// their way to registers.
//
// Macros: those of semiring.cl, with GP_WIDTH 4 and Value of 4 bytes; those of async_copy.cl;
//         GP_QUADS, vectors of columns of a work-item: 1 or 2; GP_WARPS_M, GP_WARPS_N, GP_WARPS_K,
//         powers of two; GP_DEPTH, how much of k a local tile
//         holds: 16 or 32; GP_STAGES, tiles in local memory; GP_A_ALONG_K, GP_B_ALONG_K, where
//         neighbours along k are neighbours in memory (row-major A, column-major B); GP_A_ALIGNED,
//         GP_B_ALIGNED, where they are not, and vectors begin at multiples of their size
// Launch: tiles of C of all products x slices of k, work-groups of as many warps; with several
//         slices (split-K), their sums go to `partial`; with GP_JOINS of split_k.cl, the last
//         work-group of a tile adds them up
// Source: Lai and Seznec, "Performance Upper Bound Analysis and Optimization of SGEMM on Fermi and
//         Kepler GPUs", 2013
// SPDX-License-Identifier: MIT
#define GP_VECTOR_STORES
#include "common/last_group.cl"
#include "common/semiring.cl"
#include "device/async_copy.cl"
#include "matmul/bands.cl"
#if GP_WIDTH != 4 || (GP_DTYPE != GP_DTYPE_INT32 && GP_DTYPE != GP_DTYPE_FLOAT32) || !defined(GP_WARPS_K) ||           \
    !defined(GP_DEPTH) || !defined(GP_STAGES) || !defined(GP_QUADS)
#error                                                                                                                 \
    "GP_WIDTH must be 4, and GP_DTYPE 3 or 10; GP_WARPS_M, GP_WARPS_N, GP_WARPS_K, GP_DEPTH, GP_STAGES and GP_QUADS must be defined"
#endif
#include "matmul/split_k.cl"

#define GP_GROUP (32 * GP_WARPS_M * GP_WARPS_N * GP_WARPS_K)
#define GP_TILE_M (32 * GP_WARPS_M)
#define GP_WARP_N (32 * GP_QUADS)
#define GP_TILE_N (GP_WARP_N * GP_WARPS_N)
#define GP_TILE (GP_TILE_M * GP_TILE_N / 4) // vectors
#if GP_WARPS_K > 1
#define GP_WRITERS (GP_GROUP / 2) // that keep sums in the end
#else
#define GP_WRITERS GP_GROUP
#endif
#define GP_A_LINE (GP_TILE_M / 4 + 1) // vectors for a step of k; the last one keeps steps off the same banks
#define GP_B_LINE (GP_TILE_N / 4 + 1)
#define GP_STEPS (GP_DEPTH / GP_WARPS_K) // of k that a warp takes from a local tile
#define GP_STAGE (GP_DEPTH * (GP_A_LINE + GP_B_LINE))
#define GP_RESULTS (8 * GP_QUADS) // vectors of a work-item's sums
#if GP_STAGES * GP_STAGE < GP_WRITERS * GP_RESULTS
#error "the sums must find room where the stages were"
#endif

// A work-item's share of a tile that lies along k, in which a warp reads 8 neighbours of 4 lines.
#define GP_ALONG_K_LINE (id / 8)
#define GP_ALONG_K_STEP (id % 8)

void fetch_along_k(local V *tile, uint pitch, uint edge, global const Stored *from, ulong stride, uint lines,
                   uint deep) {
    const uint id = (uint)get_local_id(0), line = GP_ALONG_K_LINE, step = GP_ALONG_K_STEP;
    local uint *to = (local uint *)tile + step * (4 * pitch) + line;
#pragma unroll
    for (uint l = 0; l < edge; l += GP_GROUP / 8) {
#pragma unroll
        for (uint p = 0; p < GP_DEPTH; p += 8)
            gp_async_word(to + p * (4 * pitch) + l, (global const uint *)from + p, line + l < lines && step + p < deep);
        from += GP_GROUP / 8 * stride;
    }
}

// The same where it lies along the edge, with a vector or an element at a time.
#define GP_ALONG_EDGE_LINE(edge, width) (id % ((edge) / (width)) * (width))
#define GP_ALONG_EDGE_STEP(edge, width) (id / ((edge) / (width)))

void fetch_along_edge(local V *tile, uint pitch, uint edge, global const Stored *from, ulong stride, uint lines,
                      uint deep, uint width) {
    const uint id = (uint)get_local_id(0), line = GP_ALONG_EDGE_LINE(edge, width),
               step = GP_ALONG_EDGE_STEP(edge, width);
    const uint steps = GP_GROUP * width / edge;
    const int left = (int)lines - (int)line; // signed: Oclgrind does not know llvm.usub.sat
    const uint here = left > 0 ? (uint)left : 0;
    local uint *to = (local uint *)tile + step * (4 * pitch) + line;
#pragma unroll
    for (uint p = 0; p < GP_DEPTH; p += steps) {
        if (width == 4)
            gp_async_words((local uint4 *)(to + p * (4 * pitch)), (global const uint *)from,
                           step + p < deep ? here : 0);
        else
            gp_async_word(to + p * (4 * pitch), (global const uint *)from, step + p < deep && here > 0);
        from += steps * stride;
    }
}

#ifdef GP_A_ALIGNED
#define GP_A_WIDTH 4
#else
#define GP_A_WIDTH 1
#endif
#ifdef GP_B_ALIGNED
#define GP_B_WIDTH 4
#else
#define GP_B_WIDTH 1
#endif
#ifdef GP_A_ALONG_K
#define GP_FETCH_A(stage, deep) fetch_along_k(stages[stage], GP_A_LINE, GP_TILE_M, a, a_row_stride, rows, deep)
#define GP_SHARE_OF_A (GP_ALONG_K_LINE * a_row_stride + GP_ALONG_K_STEP)
#else
#define GP_FETCH_A(stage, deep)                                                                                        \
    fetch_along_edge(stages[stage], GP_A_LINE, GP_TILE_M, a, a_column_stride, rows, deep, GP_A_WIDTH)
#define GP_SHARE_OF_A                                                                                                  \
    (GP_ALONG_EDGE_STEP(GP_TILE_M, GP_A_WIDTH) * a_column_stride + GP_ALONG_EDGE_LINE(GP_TILE_M, GP_A_WIDTH))
#endif
#ifdef GP_B_ALONG_K
#define GP_FETCH_B(stage, deep)                                                                                        \
    fetch_along_k(stages[stage] + GP_DEPTH * GP_A_LINE, GP_B_LINE, GP_TILE_N, b, b_column_stride, columns, deep)
#define GP_SHARE_OF_B (GP_ALONG_K_LINE * b_column_stride + GP_ALONG_K_STEP)
#else
#define GP_FETCH_B(stage, deep)                                                                                        \
    fetch_along_edge(stages[stage] + GP_DEPTH * GP_A_LINE, GP_B_LINE, GP_TILE_N, b, b_row_stride, columns, deep,       \
                     GP_B_WIDTH)
#define GP_SHARE_OF_B                                                                                                  \
    (GP_ALONG_EDGE_STEP(GP_TILE_N, GP_B_WIDTH) * b_row_stride + GP_ALONG_EDGE_LINE(GP_TILE_N, GP_B_WIDTH))
#endif

// What a work-item multiplies in one step of k: 8 rows, 4 or 8 columns.
typedef struct {
    V a[2], b[GP_QUADS];
} Step;

void read_step(Step *step, local const V *a, local const V *b, uint p) {
    const V a0 = a[p * GP_A_LINE], a1 = a[p * GP_A_LINE + 4], b0 = b[p * GP_B_LINE];
    step->a[0] = GP_FACTOR(V, a0);
    step->a[1] = GP_FACTOR(V, a1);
    step->b[0] = GP_FACTOR(V, b0);
#if GP_QUADS > 1
    const V b1 = b[p * GP_B_LINE + 8];
    step->b[1] = GP_FACTOR(V, b1);
#endif
}

void multiply_step(V (*sum)[GP_QUADS], const Step *step) {
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
#pragma unroll
        for (uint q = 0; q < GP_QUADS; ++q) {
            sum[4 * i][q] = accumulate(sum[4 * i][q], (V)(step->a[i].s0), step->b[q]);
            sum[4 * i + 1][q] = accumulate(sum[4 * i + 1][q], (V)(step->a[i].s1), step->b[q]);
            sum[4 * i + 2][q] = accumulate(sum[4 * i + 2][q], (V)(step->a[i].s2), step->b[q]);
            sum[4 * i + 3][q] = accumulate(sum[4 * i + 3][q], (V)(step->a[i].s3), step->b[q]);
        }
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
matmul_direct_tiles(global const Stored *a, ulong a_offset, ulong a_row_stride, ulong a_column_stride,
                    ulong a_batch_stride, global const Stored *b, ulong b_offset, ulong b_row_stride,
                    ulong b_column_stride, ulong b_batch_stride, global Result *c, ulong c_offset, ulong c_row_stride,
                    ulong c_batch_stride, ulong m, ulong n, ulong k, ulong slices, global V *partial,
                    ulong partial_offset GP_ENDED, Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local V stages[GP_STAGES][GP_STAGE];
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    // Tiles are counted in 32 bits, which divide faster.
    const uint tile_rows = (uint)((m + GP_TILE_M - 1) / GP_TILE_M),
               tile_columns = (uint)((n + GP_TILE_N - 1) / GP_TILE_N);
    const uint number = (uint)get_group_id(0), product = number / (tile_rows * tile_columns);
    const ulong2 tile = tile_in_bands(number - product * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * GP_TILE_M, j0 = tile.y * GP_TILE_N;
    const ulong slice = get_group_id(1);
    ulong begin = 0, deep = k;
    if (slices > 1) {
        begin = slice_begin(slice, slices, k, GP_DEPTH);
        deep = slice_begin(slice + 1, slices, k, GP_DEPTH) - begin;
    }
    const ulong depths = (deep + GP_DEPTH - 1) / GP_DEPTH;
    const uint rows = (uint)min((ulong)GP_TILE_M, m - i0), columns = (uint)min((ulong)GP_TILE_N, n - j0);
    a += a_offset + product * a_batch_stride + i0 * a_row_stride + begin * a_column_stride + GP_SHARE_OF_A;
    b += b_offset + product * b_batch_stride + j0 * b_column_stride + begin * b_row_stride + GP_SHARE_OF_B;
    c += c_offset + product * c_batch_stride + i0 * c_row_stride + j0;

    ulong left = deep; // of k, to be fetched
#define GP_FETCH(stage)                                                                                                \
    if (left > 0) {                                                                                                    \
        const uint here = (uint)min(left, (ulong)GP_DEPTH);                                                            \
        GP_FETCH_A(stage, here);                                                                                       \
        GP_FETCH_B(stage, here);                                                                                       \
        a += GP_DEPTH * a_column_stride;                                                                               \
        b += GP_DEPTH * b_row_stride;                                                                                  \
        left -= here;                                                                                                  \
    }                                                                                                                  \
    gp_async_commit()

    for (uint s = 0; s < GP_STAGES; ++s) {
        GP_FETCH(s);
    }
    // The work-item's place: rows y and y + 16, columns x and x + 32, four of each.
    const uint warp_k = warp / (GP_WARPS_M * GP_WARPS_N);
    const uint y = warp / GP_WARPS_N % GP_WARPS_M * 32 + lane / 8 * 4, x = warp % GP_WARPS_N * GP_WARP_N + lane % 8 * 4;
    const uint a_at = warp_k * GP_STEPS * GP_A_LINE + y / 4,
               b_at = GP_DEPTH * GP_A_LINE + warp_k * GP_STEPS * GP_B_LINE + x / 4;
    V sum[8][GP_QUADS];
#pragma unroll
    for (uint r = 0; r < GP_RESULTS; ++r) sum[r / GP_QUADS][r % GP_QUADS] = GP_ZERO;
    Step steps[2];
    uint stage = 0;
    GP_ASYNC_WAIT(GP_STAGES - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    read_step(&steps[0], stages[0] + a_at, stages[0] + b_at, 0);
    for (ulong depth = 0; depth < deep / GP_DEPTH; ++depth) {
        local const V *a_now = stages[stage] + a_at, *b_now = stages[stage] + b_at;
#pragma unroll
        for (uint p = 0; p + 1 < GP_STEPS; ++p) {
            read_step(&steps[(p + 1) % 2], a_now, b_now, p + 1);
            multiply_step(sum, &steps[p % 2]);
        }
        GP_ASYNC_WAIT(GP_STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE); // all have read this stage, and the next one is there
        GP_FETCH(stage);
        if (++stage == GP_STAGES) stage = 0;
        if (depth + 1 < depths) read_step(&steps[0], stages[stage] + a_at, stages[stage] + b_at, 0);
        multiply_step(sum, &steps[1]);
    }
    // Not beyond the end of k: not every semiring has a number whose products change no sum.
    const uint rest = (uint)(deep % GP_DEPTH), before = warp_k * GP_STEPS;
    for (uint p = 0; p < GP_STEPS && before + p < rest; ++p) {
        read_step(&steps[0], stages[stage] + a_at, stages[stage] + b_at, p);
        multiply_step(sum, &steps[0]);
    }

    // Sums pass through local memory, from where all work-items write C, neighbours beside
    // neighbours.
    local V *room = stages[0];
#if GP_WARPS_K > 1
    // The upper half of the warps that share k hands its sums to the lower one.
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id >= GP_WRITERS) {
#pragma unroll
        for (uint e = 0; e < GP_RESULTS; ++e) room[e * GP_WRITERS + id - GP_WRITERS] = sum[e / GP_QUADS][e % GP_QUADS];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_WRITERS) {
#pragma unroll
        for (uint e = 0; e < GP_RESULTS; ++e)
            sum[e / GP_QUADS][e % GP_QUADS] = plus(sum[e / GP_QUADS][e % GP_QUADS], room[e * GP_WRITERS + id]);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_WRITERS) {
        local V *to = room + warp_k * GP_TILE + y * (GP_TILE_N / 4) + x / 4;
#pragma unroll
        for (uint e = 0; e < GP_RESULTS; ++e)
            to[(e / (4 * GP_QUADS) * 16 + e / GP_QUADS % 4) * (GP_TILE_N / 4) + e % GP_QUADS * 8] =
                sum[e / GP_QUADS][e % GP_QUADS];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong pitch = (n + 3) / 4;                                          // of a row of sums, in vectors
    partial += partial_offset + (product * slices * m + i0) * pitch + j0 / 4; // of the first slice
    const V va = GP_FACTOR(V, (V)(alpha)), vb = GP_FACTOR(V, (V)(beta));
    for (uint v = id; v < GP_TILE; v += GP_GROUP) {
        const uint i = v / (GP_TILE_N / 4), j = v % (GP_TILE_N / 4) * 4;
        if (i >= rows || j >= columns) continue;
        V result = room[v];
#pragma unroll
        for (uint w = 1; w < GP_WARPS_K / 2; ++w) result = plus(result, room[w * GP_TILE + v]);
        if (slices > 1)
            write_sums(partial + (slice * m + i) * pitch + j / 4, result);
        else
            finish(c + i * c_row_stride, j, columns - j, result, va, vb, reads_c GP_FINISH_AT(product, i0 + i, j0 + j));
    }
#ifdef GP_JOINS
    if (!gp_is_last(ended + ended_offset + number, (uint)slices, (local uint *)room)) return;
    for (uint first = id; first < GP_TILE; first += GP_JOINED * GP_GROUP) {
        global const V *places[GP_JOINED];
        V sums[GP_JOINED];
#pragma unroll
        for (uint q = 0; q < GP_JOINED; ++q) {
            const uint v = first + q * GP_GROUP, i = v / (GP_TILE_N / 4), j = v % (GP_TILE_N / 4) * 4;
            places[q] = i < rows && j < columns ? partial + i * pitch + j / 4 : partial;
        }
        sums_of_slices(sums, places, slices, m * pitch);
#pragma unroll
        for (uint q = 0; q < GP_JOINED; ++q) {
            const uint v = first + q * GP_GROUP, i = v / (GP_TILE_N / 4), j = v % (GP_TILE_N / 4) * 4;
            if (i < rows && j < columns)
                finish(c + i * c_row_stride, j, columns - j, sums[q], va, vb,
                       reads_c GP_FINISH_AT(product, i0 + i, j0 + j));
        }
    }
#endif
}
