// C = alpha * A * B + beta * C in a semiring, by bulk copies: a work-group computes a tile of 128 x
// (64 GP_COLUMNS) words of C, each work-item 8 x (4 GP_COLUMNS) of them.
//
// A and B are packed into blocks. Bulk copies bring blocks to local memory several stages ahead.
// While one step of k is multiplied, the operands of the next are on their way to registers. The
// blocks of k of the last tiles are dealt out to all compute units (Stream-K); afterwards their
// sums are added in the order of k.
//
// Macros: those of bulk_words.cl; GP_TILE_M, 128, rows of a tile of C; GP_COLUMNS, 2 or 4, and 2
//         with GP_LEAST_OF_THREE; GP_STAGES, blocks of k in local memory
// Launch: work-groups of 256. bulk_tiles_pack: see bulk_pack.cl. matmul_bulk_tiles: one dimension,
//         `whole` work-groups and as many as share the other tiles. bulk_tiles_join, where
//         work-groups share tiles: one for each 256 vectors of these tiles
// Source: Lai and Seznec, "Performance Upper Bound Analysis and Optimization of SGEMM on Fermi and
//         Kepler GPUs", 2013; Osama, Merrill, Cecka, Garland and Owens, "Stream-K: Work-centric
//         Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU", 2023
// SPDX-License-Identifier: MIT
#define GP_VECTOR_STORES
#include "common/semiring.cl"
#include "device/bulk_copy.cl"
#include "matmul/bands.cl"
#include "matmul/bulk_pack.cl"
#if !defined(GP_TILE_M) || !defined(GP_COLUMNS) || !defined(GP_STAGES) ||                                              \
    (defined(GP_LEAST_OF_THREE) && GP_COLUMNS != 2)
#error "GP_TILE_M, GP_COLUMNS, 2 where there is GP_LEAST_OF_THREE, and GP_STAGES must be defined"
#endif

#define GP_TILE_N (64 * GP_COLUMNS * GP_IN_WORD)
#define GP_TILE (GP_TILE_M * GP_TILE_N / 4)    // vectors of results
#define GP_BLOCKS (1 + GP_TILE_N / GP_B_LINES) // of a stage: one of A, then those of B
#define GP_BLOCK (GP_LINES * GP_DEPTH / 4)     // vectors
// Other semirings than plus-times unroll fewer steps of k: longer code does not reach the units in
// time, or takes more registers than there are. There, warps whose elements all lie beyond C do not
// work. On an H200 both make min-plus of float32, n = 6300, 5 % faster, and plus-times, n = 4096, 6
// % slower.
#if GP_SEMIRING != GP_PLUS_TIMES && (GP_DTYPE != GP_DTYPE_INT16 || GP_SEMIRING >= GP_MAX_MIN)
#define GP_UNROLL 16
#else
#define GP_UNROLL GP_DEPTH
#endif
#if GP_IS_FLOAT && GP_SEMIRING != GP_PLUS_TIMES
#define GP_WORKS(has_elements) (has_elements)
#else
#define GP_WORKS(has_elements) true
#endif

// What a work-item multiplies in one step of k: 8 rows, 4 GP_COLUMNS columns of words.
typedef struct {
    W a[2], b[GP_COLUMNS];
} Step;

void read_step(Step *step, local const W *a, local const W *b, uint p) {
    step->a[0] = a[p * (GP_LINES / 4)];
    step->a[1] = a[p * (GP_LINES / 4) + 4];
#pragma unroll
    for (uint q = 0; q < GP_COLUMNS; ++q) step->b[q] = b[p * (GP_LINES / 4) + 8 * q];
}

void multiply_step(W (*sum)[GP_COLUMNS], const Step *step) {
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
#pragma unroll
        for (uint q = 0; q < GP_COLUMNS; ++q) {
            sum[4 * i][q] = add_term(sum[4 * i][q], step->a[i].s0, step->b[q]);
            sum[4 * i + 1][q] = add_term(sum[4 * i + 1][q], step->a[i].s1, step->b[q]);
            sum[4 * i + 2][q] = add_term(sum[4 * i + 2][q], step->a[i].s2, step->b[q]);
            sum[4 * i + 3][q] = add_term(sum[4 * i + 3][q], step->a[i].s3, step->b[q]);
        }
    }
}

#ifdef GP_LEAST_OF_THREE
#include "matmul/least_of_three.cl"

__attribute__((always_inline)) void multiply_two(V (*sum)[GP_COLUMNS], const Step *s, const Step *t, Order order) {
#define GP_ADD(r, i, e) sum[r][q] = add_two_terms(sum[r][q], (V)(s->a[i].e) + s->b[q], (V)(t->a[i].e) + t->b[q], order)
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
#pragma unroll
        for (uint q = 0; q < GP_COLUMNS; ++q) {
            GP_ADD(4 * i, i, s0);
            GP_ADD(4 * i + 1, i, s1);
            GP_ADD(4 * i + 2, i, s2);
            GP_ADD(4 * i + 3, i, s3);
        }
    }
}

// A block of k. Other warps work while this one waits for its numbers.
__attribute__((always_inline)) void multiply_block(V (*sum)[GP_COLUMNS], local const W *a, local const W *b,
                                                   Order order) {
#pragma unroll 1
    for (uint p0 = 0; p0 < GP_DEPTH; p0 += GP_UNROLL) {
#pragma unroll
        for (uint p = 0; p < GP_UNROLL; p += 2) {
            Step s, t;
            read_step(&s, a, b, p);
            read_step(&t, a, b, p + 1);
            multiply_two(sum, &s, &t, order);
        }
        a += GP_UNROLL * (GP_LINES / 4);
        b += GP_UNROLL * (GP_LINES / 4);
    }
}
#endif

// Blocks of k of all tiles follow one another. Each of the first `whole` work-groups takes those of
// one tile; each of the others `span`, fewer than a tile has, which may be of two tiles. Sums of
// part of a tile's blocks go to `partial`.
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
matmul_bulk_tiles(global const W *a, ulong a_offset, global const W *b, ulong b_offset, global const uint *negative,
                  ulong negative_offset, global Result *c, ulong c_offset, ulong c_row_stride, ulong c_batch_stride,
                  ulong m, ulong n, ulong k, ulong products, ulong whole, ulong span, global V *partial,
                  ulong partial_offset, Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local W stages[GP_STAGES][GP_BLOCKS][GP_BLOCK];
    local ulong full[GP_STAGES];
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    // Tiles are counted in 32 bits, which divide faster.
    const uint tile_rows = (uint)((m + GP_TILE_M - 1) / GP_TILE_M),
               tile_columns = (uint)((n + GP_TILE_N - 1) / GP_TILE_N);
    const uint in_product = tile_rows * tile_columns, all_depths = (uint)((k + GP_DEPTH - 1) / GP_DEPTH);
    if (id == 0)
        for (uint s = 0; s < GP_STAGES; ++s) gp_bulk_begin(&full[s]);
    // The work-item's place: rows y and y + 16, words x, x + 32 ..., four of each.
    const uint warp_y = warp / 2 * 32, warp_x = warp % 2 * (32 * GP_COLUMNS);
    const uint y = warp_y + lane / 8 * 4, x = warp_x + lane % 8 * 4;
    const uint a_at = y / 4, b_block = 1 + x / GP_LINES, b_at = x % GP_LINES / 4;
    uint stage = 0, phase = 0;

    const ulong number = get_group_id(0);
    const ulong first = number < whole ? number * all_depths : whole * all_depths + (number - whole) * span;
    const ulong all_blocks = products * in_product * all_depths;
    uint tile_number = (uint)(first / all_depths), from = (uint)(first - (ulong)tile_number * all_depths);
    uint left = (uint)(number < whole ? all_depths : min(span, all_blocks - first));
    for (; left > 0; ++tile_number, from = 0) {
        const uint depths = min(all_depths - from, left);
        const uint deep = (uint)min((ulong)depths * GP_DEPTH, k - (ulong)from * GP_DEPTH);
        left -= depths;
        const uint product = tile_number / in_product;
        const ulong2 tile = tile_in_bands(tile_number - product * in_product, tile_rows, tile_columns);
        const uint a_line = product * tile_rows + (uint)tile.x, b_line = product * tile_columns + (uint)tile.y;
        global const W *a_from = a + a_offset + ((ulong)a_line * all_depths + from) * GP_BLOCK;
        global const W *b_from = b + b_offset + ((ulong)b_line * (GP_BLOCKS - 1) * all_depths + from) * GP_BLOCK;
        const ulong i0 = tile.x * GP_TILE_M, j0 = tile.y * GP_TILE_N;
        const uint rows = (uint)min((ulong)GP_TILE_M, m - i0), columns = (uint)min((ulong)GP_TILE_N, n - j0);
        const bool works = GP_WORKS(warp_y < rows && warp_x * GP_IN_WORD < columns);
#define GP_FETCH(depth, stage)                                                                                         \
    gp_bulk_expect(&full[stage], GP_BLOCKS *GP_BLOCK * 16);                                                            \
    gp_bulk_copy(stages[stage][0], a_from + (ulong)(depth)*GP_BLOCK, GP_BLOCK * 16, &full[stage]);                     \
    for (uint j = 0; j + 1 < GP_BLOCKS; ++j)                                                                           \
    gp_bulk_copy(stages[stage][1 + j], b_from + ((ulong)j * all_depths + (depth)) * GP_BLOCK, GP_BLOCK * 16,           \
                 &full[stage])
#define GP_NEXT_STAGE                                                                                                  \
    if (++stage == GP_STAGES) {                                                                                        \
        stage = 0;                                                                                                     \
        phase ^= 1;                                                                                                    \
    }
#define GP_NEXT_BLOCK                                                                                                  \
    gp_bulk_release();                                                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE); /* all have read this stage */                                                       \
    if (id == 0 && depth + GP_STAGES < depths) {                                                                       \
        GP_FETCH(depth + GP_STAGES, stage);                                                                            \
    }                                                                                                                  \
    GP_NEXT_STAGE                                                                                                      \
    a_now = stages[stage][0] + a_at;                                                                                   \
    b_now = stages[stage][b_block] + b_at;                                                                             \
    if (depth + 1 < depths) gp_bulk_wait(&full[stage], phase)

        gp_bulk_release();
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the last tile's stages
        if (id == 0) {
            for (uint s = 0; s < GP_STAGES && s < depths; ++s) {
                const uint to = stage + s < GP_STAGES ? stage + s : stage + s - GP_STAGES;
                GP_FETCH(s, to);
            }
        }
        W sum[8][GP_COLUMNS];
#pragma unroll
        for (uint r = 0; r < 8; ++r)
#pragma unroll
            for (uint q = 0; q < GP_COLUMNS; ++q) sum[r][q] = GP_NO_TERMS;
        Step steps[2];
#ifdef GP_LEAST_OF_THREE
        global const uint *in_a = negative + negative_offset + a_line * all_depths + from;
        global const uint *in_b =
            negative + negative_offset + ((uint)products * tile_rows + b_line) * all_depths + from;
        uint below = 0;
        for (uint d = lane; d < depths; d += 32) below |= in_a[d] | in_b[d];
        Order order = gp_all_of_warp(below == 0, 0) ? NONE_BELOW : MIXED;
#endif
        gp_bulk_wait(&full[stage], phase);
        local const W *a_now = stages[stage][0] + a_at, *b_now = stages[stage][b_block] + b_at;
#ifdef GP_LEAST_OF_THREE
#pragma unroll 1
        for (uint depth = 0; depth < deep / GP_DEPTH; ++depth) {
            if (works) {
                if (order == NONE_BELOW) {
                    multiply_block(sum, a_now, b_now, NONE_BELOW);
                } else if (order == ALL_BELOW) {
                    multiply_block(sum, a_now, b_now, ALL_BELOW);
                } else {
                    multiply_block(sum, a_now, b_now, MIXED);
                    if (all_below_zero(sum)) order = ALL_BELOW;
                }
            }
            GP_NEXT_BLOCK;
        }
#else
        read_step(&steps[0], a_now, b_now, 0);
        for (uint depth = 0; depth < deep / GP_DEPTH; ++depth) {
#pragma unroll 1
            for (uint p0 = 0; p0 < GP_DEPTH; p0 += GP_UNROLL) {
                if (works) {
#pragma unroll
                    for (uint p = 0; p + 1 < GP_UNROLL; ++p) {
                        read_step(&steps[(p + 1) % 2], a_now, b_now, p + 1);
                        multiply_step(sum, &steps[p % 2]);
                    }
                }
                a_now += GP_UNROLL * (GP_LINES / 4);
                b_now += GP_UNROLL * (GP_LINES / 4);
                if (p0 + GP_UNROLL == GP_DEPTH) {
                    GP_NEXT_BLOCK;
                }
                if (works) {
                    // What it reads behind the last block is not used.
                    read_step(&steps[0], a_now, b_now, 0);
                    multiply_step(sum, &steps[1]);
                }
            }
        }
#endif
        // Not beyond the end of k: not every semiring has a number whose products change no sum.
        for (uint p = 0; p < deep % GP_DEPTH; ++p) {
            read_step(&steps[0], a_now, b_now, p);
            multiply_step(sum, &steps[0]);
        }
        if (deep % GP_DEPTH > 0) {
            GP_NEXT_STAGE
        }

        // Sums pass through local memory, so that neighbours are written beside neighbours, and by
        // short code.
        local W *room = stages[0][0];
        gp_bulk_release();
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint r = 0; r < 8; ++r)
#pragma unroll
            for (uint q = 0; q < GP_COLUMNS; ++q)
                room[(y + r / 4 * 16 + r % 4) * (16 * GP_COLUMNS) + x / 4 + 8 * q] = sum[r][q];
        barrier(CLK_LOCAL_MEM_FENCE);
        global Result *c_from = c + c_offset + product * c_batch_stride + i0 * c_row_stride + j0;
        const V va = GP_FACTOR(V, (V)(alpha)), vb = GP_FACTOR(V, (V)(beta));
        for (uint v = id; v < GP_TILE; v += 256) {
            const uint i = v / (GP_TILE_N / 4), j = v % (GP_TILE_N / 4) * 4;
            if (i >= rows || j >= columns) continue;
            const V result = GP_RESULT(((local const V *)room)[v]);
            if (depths == all_depths)
                finish(c_from + i * c_row_stride, j, columns - j, result, va, vb,
                       reads_c GP_FINISH_AT(product, i0 + i, j0 + j));
            else
                partial[partial_offset + (2 * (number - whole) + (from == 0)) * GP_TILE + v] = result;
        }
    }
}

// Adds up the sums of tiles that several work-groups computed, in the order of k. A work-group
// takes 256 vectors.
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
bulk_tiles_join(global const V *partial, ulong partial_offset, global Result *c, ulong c_offset, ulong c_row_stride,
                ulong c_batch_stride, ulong m, ulong n, ulong k, ulong whole, ulong span, Value alpha, Value beta,
                uint reads_c GP_FINISH_PARAMETERS) {
    const ulong all_depths = (k + GP_DEPTH - 1) / GP_DEPTH, in_region = get_group_id(0) / (GP_TILE / 256);
    const uint tile_rows = (uint)((m + GP_TILE_M - 1) / GP_TILE_M),
               tile_columns = (uint)((n + GP_TILE_N - 1) / GP_TILE_N);
    const uint tile_number = (uint)(whole + in_region);
    const ulong begin = in_region * all_depths, first = begin / span, last = (begin + all_depths - 1) / span;
    if (first == last) return;
    const uint v = (uint)(get_group_id(0) - in_region * (GP_TILE / 256)) * 256 + (uint)get_local_id(0);
    const uint i = v / (GP_TILE_N / 4), j = v % (GP_TILE_N / 4) * 4;
    const uint product = tile_number / (tile_rows * tile_columns);
    const ulong2 tile = tile_in_bands(tile_number - product * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * GP_TILE_M, j0 = tile.y * GP_TILE_N;
    if (i0 + i >= m || j0 + j >= n) return;
    partial += partial_offset + v;
    V sum = partial[(2 * first + 1) * GP_TILE];
    for (ulong g = first + 1; g <= last; ++g) sum = plus(sum, partial[2 * g * GP_TILE]);
    finish(c + c_offset + product * c_batch_stride + (i0 + i) * c_row_stride + j0, j, (uint)min((ulong)4, n - j0 - j),
           sum, GP_FACTOR(V, (V)(alpha)), GP_FACTOR(V, (V)(beta)), reads_c GP_FINISH_AT(product, i0 + i, j0 + j));
}
