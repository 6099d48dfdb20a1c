// C = alpha * A * B + beta * C in a semiring, for NVIDIA's Hopper generation (sm_90): a work-group computes a tile of
// 128 x (64 COLUMNS) words of C, each work-item 8 x (4 COLUMNS) of them. A word is an element, or two columns' of int16, which
// one instruction adds or compares.
//
// A and B are packed into blocks of 128 lines of words (rows of A, columns of B) and DEPTH of k, neighbouring lines side by
// side, so that bulk copies bring them to local memory several stages ahead, without the work-items' help. While one step of
// k is multiplied, the next one's numbers are on their way to registers.
//
// Macros: those of semiring.cl, with WIDTH 4 and VALUE of 4 bytes, or of 2 in other semirings than plus-times; COLUMNS, 2 or
//         4; STAGES, blocks of k in local memory
// Launch: bulk_tiles_pack: blocks of k * blocks of lines of A and B x products, work-groups of 256; matmul_bulk_tiles: one
//         dimension, work-groups of 256; one for each tile of C, slice of k and product; with several slices, their sums go
//         to `partial`
// Source: Lai and Seznec, "Performance Upper Bound Analysis and Optimization of SGEMM on Fermi and Kepler GPUs", 2013
// SPDX-License-Identifier: MIT
#include "common/bulk_copy.cl"
#include "common/semiring.cl"
#include "matmul/bands.cl"
#if WIDTH != 4 || DTYPE == 11 || (DTYPE == 2 && SEMIRING == PLUS_TIMES) || !defined(COLUMNS) || !defined(STAGES)
#error "WIDTH must be 4, and DTYPE not 11, nor 2 with SEMIRING 0; COLUMNS and STAGES must be defined"
#endif
#include "matmul/slices.cl"

#if DTYPE == 2
#define IN_WORD 2 // elements
#define WORD uint
#define W uint4
#else
#define IN_WORD 1
#define WORD VALUE
#define W V
#endif
#define LINES 128 // of words, in a block
#define DEPTH 32  // of k, in a block; as in bulk_tiles.cpp
#define A_LINES LINES
#define B_LINES (LINES * IN_WORD)
#include "matmul/operands.cl"
#define TILE_M 128
#define TILE_N (64 * COLUMNS * IN_WORD)
#define BLOCKS (1 + TILE_N / B_LINES) // of a stage: one of A, then those of B
#define BLOCK (LINES * DEPTH / 4)     // vectors

#if DTYPE == 2
// An element of A in both halves; two columns of B.
uint load_word(const Block *block, ulong at, uint line) {
    if (!block->is_b) return line < block->lines ? (ushort)load(block->x, at) * 0x10001u : 0;
    const uint low = 2 * line < block->lines ? (ushort)load(block->x, at) : 0;
    const uint high = 2 * line + 1 < block->lines ? (ushort)load(block->x, at + block->line_stride) : 0;
    return low | high << 16;
}

#if SEMIRING == OR_AND // of 0 and 1
W add_term(W sum, uint a, W b) { return sum | ((W)(a)&b); }
#else
#if SEMIRING == MAX_MIN
#define TIMES "min.s16x2"
#else
#define TIMES "add.s16x2"
#endif
#if SEMIRING == MIN_PLUS
#define PLUS "min.s16x2"
#else
#define PLUS "max.s16x2"
#endif
uint add_term_to_word(uint sum, uint a, uint b) {
    uint result;
    __asm__("{\n\t.reg .b32 term;\n\t" TIMES " term, %2, %3;\n\t" PLUS " %0, %1, term;\n\t}"
            : "=r"(result)
            : "r"(sum), "r"(a), "r"(b));
    return result;
}

W add_term(W sum, uint a, W b) {
    return (W)(add_term_to_word(sum.s0, a, b.s0), add_term_to_word(sum.s1, a, b.s1), add_term_to_word(sum.s2, a, b.s2),
               add_term_to_word(sum.s3, a, b.s3));
}
#endif
#define NO_TERMS as_uint4((short8)(ZERO, ZERO))
#define ELEMENTS(words, part) ((part) == 0 ? as_short8(words).lo : as_short8(words).hi)
#else
VALUE load_word(const Block *block, ulong at, uint line) { return line < block->lines ? load(block->x, at) : 0; }

V add_term(V sum, VALUE a, V b) { return accumulate(sum, (V)(a), b); }
#define NO_TERMS ZERO
#define ELEMENTS(words, part) (words)
#endif

// packed_a and packed_b hold products x blocks of lines x blocks of k.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
bulk_tiles_pack(OPERANDS, ulong k, global WORD *packed_a, ulong packed_a_offset, global WORD *packed_b,
                ulong packed_b_offset) {
    local WORD tile[DEPTH][LINES + 1];
    const uint id = (uint)get_local_id(0);
    const ulong depths = (k + DEPTH - 1) / DEPTH, number = get_group_id(0) / depths;
    const ulong depth = get_group_id(0) - number * depths, k0 = depth * DEPTH;
    const Block block = block_of(number, get_group_id(1), BOTH);
    const ulong line_stride = block.line_stride * (block.is_b ? IN_WORD : 1);
    global WORD *packed = (block.is_b ? packed_b + packed_b_offset : packed_a + packed_a_offset) +
                          (block.number * depths + depth) * (LINES * DEPTH);
    const uint deep = (uint)min((ulong)DEPTH, k - k0);
    // Neighbours in memory go to neighbouring work-items. Nobody needs what stands beyond the edges.
    const bool along_k = block.k_stride == 1;
    for (uint i = id; i < LINES * DEPTH; i += 256) {
        const uint line = along_k ? i / DEPTH : i % LINES, p = along_k ? i % DEPTH : i / LINES;
        tile[p][line] = p < deep ? load_word(&block, line * line_stride + (k0 + p) * block.k_stride, line) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < LINES * DEPTH; i += 256) packed[i] = tile[i / LINES][i % LINES];
}

// What a work-item multiplies in one step of k: 8 rows, 4 COLUMNS columns of words.
typedef struct {
    W a[2], b[COLUMNS];
} Step;

void read_step(Step *step, local const W *a, local const W *b, uint p) {
    step->a[0] = a[p * (LINES / 4)];
    step->a[1] = a[p * (LINES / 4) + 4];
#pragma unroll
    for (uint q = 0; q < COLUMNS; ++q) step->b[q] = b[p * (LINES / 4) + 8 * q];
}

void multiply_step(W (*sum)[COLUMNS], const Step *step) {
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
#pragma unroll
        for (uint q = 0; q < COLUMNS; ++q) {
            sum[4 * i][q] = add_term(sum[4 * i][q], step->a[i].s0, step->b[q]);
            sum[4 * i + 1][q] = add_term(sum[4 * i + 1][q], step->a[i].s1, step->b[q]);
            sum[4 * i + 2][q] = add_term(sum[4 * i + 2][q], step->a[i].s2, step->b[q]);
            sum[4 * i + 3][q] = add_term(sum[4 * i + 3][q], step->a[i].s3, step->b[q]);
        }
    }
}

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
matmul_bulk_tiles(global const W *a, ulong a_offset, global const W *b, ulong b_offset, global STORED *c,
                  ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m, ulong n, ulong k, ulong slices,
                  global V *partial, ulong partial_offset, VALUE alpha, VALUE beta, uint reads_c) {
    local W stages[STAGES][BLOCKS][BLOCK];
    local ulong full[STAGES];
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    const ulong tile_rows = (m + TILE_M - 1) / TILE_M, tile_columns = (n + TILE_N - 1) / TILE_N;
    const ulong part = get_group_id(0) / (tile_rows * tile_columns), product = part / slices;
    const ulong2 tile = tile_in_bands(get_group_id(0) - part * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;
    const ulong begin = slice_begin(part - product * slices, slices, k, DEPTH);
    const ulong deep = slice_begin(part - product * slices + 1, slices, k, DEPTH) - begin;
    const ulong all_depths = (k + DEPTH - 1) / DEPTH, depths = (deep + DEPTH - 1) / DEPTH;
    a += a_offset + ((product * tile_rows + tile.x) * all_depths + begin / DEPTH) * BLOCK;
    b += b_offset + ((product * tile_columns + tile.y) * (BLOCKS - 1) * all_depths + begin / DEPTH) * BLOCK;
    c += c_offset + product * c_batch_stride + i0 * c_row_stride + j0;
    const uint rows = (uint)min((ulong)TILE_M, m - i0), columns = (uint)min((ulong)TILE_N, n - j0);
    if (id == 0)
        for (uint s = 0; s < STAGES; ++s) gp_bulk_begin(&full[s]);
    barrier(CLK_LOCAL_MEM_FENCE);

#define FETCH(depth, stage)                                                                                            \
    gp_bulk_expect(&full[stage], BLOCKS *BLOCK * 16);                                                                  \
    gp_bulk_copy(stages[stage][0], a + (depth)*BLOCK, BLOCK * 16, &full[stage]);                                       \
    for (uint j = 0; j + 1 < BLOCKS; ++j)                                                                              \
    gp_bulk_copy(stages[stage][1 + j], b + (j * all_depths + (depth)) * BLOCK, BLOCK * 16, &full[stage])

    if (id == 0) {
        for (uint s = 0; s < STAGES && s < depths; ++s) {
            FETCH(s, s);
        }
    }
    // The work-item's place: rows y and y + 16, words x, x + 32 ..., four of each.
    const uint y = warp / 2 * 32 + lane / 8 * 4, x = warp % 2 * (32 * COLUMNS) + lane % 8 * 4;
    const uint a_at = y / 4, b_block = 1 + x / LINES, b_at = x % LINES / 4;
    W sum[8][COLUMNS];
#pragma unroll
    for (uint r = 0; r < 8; ++r)
#pragma unroll
        for (uint q = 0; q < COLUMNS; ++q) sum[r][q] = NO_TERMS;
    uint stage = 0, phase = 0;
    Step steps[2];
    gp_bulk_wait(&full[0], 0);
    read_step(&steps[0], stages[0][0] + a_at, stages[0][b_block] + b_at, 0);
    for (ulong depth = 0; depth < deep / DEPTH; ++depth) {
        local const W *a_now = stages[stage][0] + a_at, *b_now = stages[stage][b_block] + b_at;
#pragma unroll
        for (uint p = 0; p + 1 < DEPTH; ++p) {
            read_step(&steps[(p + 1) % 2], a_now, b_now, p + 1);
            multiply_step(sum, &steps[p % 2]);
        }
        gp_bulk_release();
        barrier(CLK_LOCAL_MEM_FENCE); // all have read this stage
        if (id == 0 && depth + STAGES < depths) {
            FETCH(depth + STAGES, stage);
        }
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
        if (depth + 1 < depths) {
            gp_bulk_wait(&full[stage], phase);
            read_step(&steps[0], stages[stage][0] + a_at, stages[stage][b_block] + b_at, 0);
        }
        multiply_step(sum, &steps[1]);
    }
    // No more than there is, for a semiring may have no number that changes nothing.
    for (uint p = 0; p < deep % DEPTH; ++p) {
        read_step(&steps[0], stages[stage][0] + a_at, stages[stage][b_block] + b_at, p);
        multiply_step(sum, &steps[0]);
    }

    const ulong pitch = (n + 3) / 4; // of a row of sums, in vectors
    partial += partial_offset + (part * m + i0) * pitch + j0 / 4;
    const V va = FACTOR(V, (V)(alpha)), vb = FACTOR(V, (V)(beta));
#pragma unroll
    for (uint r = 0; r < 8; ++r) {
        const uint i = y + r / 4 * 16 + r % 4;
#pragma unroll
        for (uint q = 0; q < COLUMNS * IN_WORD; ++q) {
            const uint j = (x + q / IN_WORD * 32) * IN_WORD + q % IN_WORD * 4;
            if (i >= rows || j >= columns) continue;
            const V result = ELEMENTS(sum[r][q / IN_WORD], q % IN_WORD);
            if (slices > 1)
                partial[i * pitch + j / 4] = result;
            else
                finish(c + i * c_row_stride, j, columns - j, result, va, vb, reads_c);
        }
    }
}
