// C = alpha * A * B + beta * C in a semiring, for NVIDIA's Hopper generation (sm_90): a work-group computes a tile of
// 128 x (64 COLUMNS) words of C, each work-item 8 x (4 COLUMNS) of them. A word is an element, or two columns' of int16, which
// one instruction adds or compares.
//
// A and B are packed into blocks of 128 lines of words (rows of A, columns of B) and DEPTH of k, neighbouring lines side by
// side, so that bulk copies bring them to local memory several stages ahead, without the work-items' help. While one step of
// k is multiplied, the next one's numbers are on their way to registers.
//
// Macros: those of semiring.cl, with WIDTH 4 and VALUE of 4 bytes, or of 2 in other semirings than plus-times; COLUMNS, 2 or
//         4; STAGES, blocks of k in local memory; PACK_VECTORS, RING, LEAST3: see below
// Launch: work-groups of 256; bulk_tiles_pack: blocks of k * blocks of lines of A and B x products; matmul_bulk_tiles: one
//         dimension, `whole` and as many as share the other tiles; bulk_tiles_join, where they do: one for each 256 vectors
//         of these tiles
// Source: Lai and Seznec, "Performance Upper Bound Analysis and Optimization of SGEMM on Fermi and Kepler GPUs", 2013
// SPDX-License-Identifier: MIT
#if DTYPE != 9
#define VECTOR_STORES
#endif
#include "common/bulk_copy.cl"
#include "common/semiring.cl"
#include "matmul/bands.cl"
#if WIDTH != 4 || DTYPE == 11 || (DTYPE == 2 && SEMIRING == PLUS_TIMES) || !defined(COLUMNS) || !defined(STAGES)
#error "WIDTH must be 4, and DTYPE not 11, nor 2 with SEMIRING 0; COLUMNS and STAGES must be defined"
#endif

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
#define TILE (TILE_M * TILE_N / 4)    // vectors of results
#define BLOCKS (1 + TILE_N / B_LINES) // of a stage: one of A, then those of B
#define BLOCK (LINES * DEPTH / 4)     // vectors
// In other semirings than plus-times fewer steps of k are written out, for longer code comes too slowly to the units, or takes
// more registers than there are; and warps whose elements are all beyond C do not work: on an H200, min-plus of float32,
// n = 6300, 25.9 Top/s against 24.5 before. In plus-times both cost more than they save: n = 4096, 46.8 against 49.8.
#if SEMIRING != PLUS_TIMES && (DTYPE != 2 || SEMIRING >= MAX_MIN)
#define UNROLL 16
#else
#define UNROLL DEPTH
#endif
#if DTYPE >= 9 && SEMIRING != PLUS_TIMES
#define WORKS(has_elements) (has_elements)
#else
#define WORKS(has_elements) true
#endif

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

// With LEAST3, min-plus of floats takes two terms at a time by the least of three integers, which floats' bits are as long as
// all are positive; where all sums are negative, by the greatest. Packing finds out which blocks hold negative numbers.
#if defined(LEAST3) && (SEMIRING != MIN_PLUS || DTYPE < 9)
#undef LEAST3
#endif

// packed_a and packed_b hold products x blocks of lines x blocks of k; negative, one for each work-group, which of them hold
// numbers below zero.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
bulk_tiles_pack(OPERANDS, ulong k, global WORD *packed_a, ulong packed_a_offset, global WORD *packed_b,
                ulong packed_b_offset, global uint *negative, ulong negative_offset) {
    local WORD tile[DEPTH][LINES + 4] __attribute__((aligned(16)));
    const uint id = (uint)get_local_id(0);
    // There are never so many blocks that 32 bits don't count them, and these divide faster.
    const uint depths = (uint)((k + DEPTH - 1) / DEPTH), number = (uint)get_group_id(0) / depths;
    const uint depth = (uint)get_group_id(0) - number * depths;
    const ulong k0 = (ulong)depth * DEPTH;
    const Block block = block_of(number, get_group_id(1), BOTH);
    const ulong line_stride = block.line_stride * (block.is_b ? IN_WORD : 1);
    global WORD *packed = (block.is_b ? packed_b + packed_b_offset : packed_a + packed_a_offset) +
                          (block.number * depths + depth) * (LINES * DEPTH);
    const uint deep = (uint)min((ulong)DEPTH, k - k0);
    bool below = false; // zero
#ifdef LEAST3
    local uint any;
    if (id == 0) any = 0;
#define NOTE(x) below |= (x) < 0
#else
#define NOTE(x) (void)below
#endif
    const bool along_k = block.k_stride == 1;
    bool vectors = false;
#if defined(PACK_VECTORS) && (DTYPE == 3 || DTYPE == 10)
    const ulong stride = along_k ? block.line_stride : block.k_stride;
    vectors = deep == DEPTH && block.lines == LINES && (along_k || block.line_stride == 1) && stride % 4 == 0 &&
              (size_t)(block.x + k0 * block.k_stride) % 16 == 0;
    if (vectors) {
        global const V *from = (global const V *)(block.x + k0 * block.k_stride);
        V part[4];
#pragma unroll
        for (uint e = 0; e < 4; ++e) {
            const uint i = id + e * 256;
            part[e] = along_k ? from[i / 8 * (stride / 4) + i % 8] : from[i / 32 * (stride / 4) + i % 32];
        }
#pragma unroll
        for (uint e = 0; e < 4; ++e) {
            part[e] = FACTOR(V, part[e]);
            NOTE(fmin(fmin(part[e].s0, part[e].s1), fmin(part[e].s2, part[e].s3)));
        }
        if (along_k) {
            // Step p of line l stands at vector l / 4 XOR p / 4 of row p, so that nobody waits for a bank.
            local VALUE *at = (local VALUE *)tile;
#pragma unroll
            for (uint e = 0; e < 4; ++e) {
                const uint l = (id + e * 256) / 8, q = id % 8;
                local VALUE *to = at + 4 * q * LINES + ((l / 4) ^ q) * 4 + l % 4;
                to[0] = part[e].s0;
                to[LINES] = part[e].s1;
                to[2 * LINES] = part[e].s2;
                to[3 * LINES] = part[e].s3;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint e = 0; e < 4; ++e) {
                const uint p = (id + e * 256) / 32;
                part[e] = ((local const V *)tile)[p * (LINES / 4) + ((id % 32) ^ (p / 4))];
            }
        }
#pragma unroll
        for (uint e = 0; e < 4; ++e) ((global V *)packed)[id + e * 256] = part[e];
    }
#endif
    if (!vectors) {
        // Neighbours in memory go to neighbouring work-items. Nobody needs what stands beyond the edges.
        for (uint i = id; i < LINES * DEPTH; i += 256) {
            const uint line = along_k ? i / DEPTH : i % LINES, p = along_k ? i % DEPTH : i / LINES;
            const WORD x = p < deep ? load_word(&block, line * line_stride + (k0 + p) * block.k_stride, line) : 0;
            NOTE(x);
            ((local WORD *)tile)[p * (LINES + 1) + line] = x;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = id; i < LINES * DEPTH; i += 256)
            packed[i] = ((local const WORD *)tile)[i / LINES * (LINES + 1) + i % LINES];
    }
#ifdef LEAST3
    barrier(CLK_LOCAL_MEM_FENCE);
    if (below) any = 1; // whoever writes, it is the same
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        const uint a_groups = (uint)a_blocks * depths;
        const ulong at = block.is_b ? get_num_groups(1) * a_groups : 0;
        negative[negative_offset + at + block.number * depths + depth] = any;
    }
#endif
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

#ifdef LEAST3
#define BY_SIGN 0 // some sums may be negative, others not
#define POSITIVE 1
#define NEGATIVE 2

// Whether that is so for all work-items of a warp.
bool all_of_warp(bool here) {
    uint all;
    __asm__ volatile("{\n\t.reg .pred here, all;\n\tsetp.ne.u32 here, %1, 0;\n\tvote.sync.all.pred all, here, "
                     "0xffffffff;\n\tselp.u32 %0, 1, 0, all;\n\t}"
                     : "=r"(all)
                     : "r"((uint)here)
                     : "memory");
    return all != 0;
}

bool all_negative(V (*sum)[COLUMNS]) {
    int4 signs = -1;
#pragma unroll
    for (uint r = 0; r < 8; ++r)
#pragma unroll
        for (uint q = 0; q < COLUMNS; ++q) signs &= as_int4(sum[r][q]);
    return all_of_warp((signs.s0 & signs.s1 & signs.s2 & signs.s3) < 0);
}

V two_terms(V sum, V x, V y, uint order) {
    if (order == POSITIVE) return as_float4(min(min(as_int4(x), as_int4(y)), as_int4(sum)));
    if (order == NEGATIVE) return as_float4(max(max(as_uint4(x), as_uint4(y)), as_uint4(sum)));
    return fmin(fmin(sum, x), y);
}

__attribute__((always_inline)) void multiply_two(V (*sum)[COLUMNS], const Step *s, const Step *t, uint order) {
#define TWO(r, i, e) sum[r][q] = two_terms(sum[r][q], (V)(s->a[i].e) + s->b[q], (V)(t->a[i].e) + t->b[q], order)
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
#pragma unroll
        for (uint q = 0; q < COLUMNS; ++q) {
            TWO(4 * i, i, s0);
            TWO(4 * i + 1, i, s1);
            TWO(4 * i + 2, i, s2);
            TWO(4 * i + 3, i, s3);
        }
    }
}

// A block of k; two steps at a time. Other warps work while this one waits for its numbers.
__attribute__((always_inline)) void multiply_block(V (*sum)[COLUMNS], local const W *a, local const W *b, uint order) {
#pragma unroll 1
    for (uint p0 = 0; p0 < DEPTH; p0 += UNROLL) {
#pragma unroll
        for (uint p = 0; p < UNROLL; p += 2) {
            Step s, t;
            read_step(&s, a, b, p);
            read_step(&t, a, b, p + 1);
            multiply_two(sum, &s, &t, order);
        }
        a += UNROLL * (LINES / 4);
        b += UNROLL * (LINES / 4);
    }
}
#endif

// Blocks of k of all tiles follow one another. Each of the first `whole` work-groups takes those of one tile; each of the
// others `span`, fewer than a tile has, which may be of two tiles. Sums of part of a tile's blocks go to `partial`.
#ifdef RING
void begin_counting(local ulong *barrier, uint count) {
    __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(GP_LOCAL_ADDRESS(barrier)), "r"(count) : "memory");
}

// Says that this warp has read a stage, so that it may be filled anew.
void release_stage(local ulong *barrier, uint lane) {
    gp_bulk_release();
    __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    if (lane == 0) __asm__ volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(GP_LOCAL_ADDRESS(barrier)) : "memory");
}

// Fills the stage before this one, which the other warps have left by now or soon will: nobody waits for all.
#define NEXT_STAGE                                                                                                     \
    release_stage(&empty[stage], lane);                                                                                \
    if (id == 0 && depth > 0 && depth - 1 + STAGES < depths) {                                                         \
        const uint last = stage == 0 ? STAGES - 1 : stage - 1;                                                         \
        gp_bulk_wait(&empty[last], stage == 0 ? phase ^ 1 : phase);                                                    \
        FETCH(depth - 1 + STAGES, last);                                                                               \
    }
#else
#define NEXT_STAGE                                                                                                     \
    gp_bulk_release();                                                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE); /* all have read this stage */                                                       \
    if (id == 0 && depth + STAGES < depths) {                                                                          \
        FETCH(depth + STAGES, stage);                                                                                  \
    }
#endif

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
matmul_bulk_tiles(global const W *a, ulong a_offset, global const W *b, ulong b_offset, global STORED *c,
                  ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m, ulong n, ulong k, ulong tiles,
                  ulong whole, ulong span, global V *partial, ulong partial_offset, ulong products,
                  global const uint *negative, ulong negative_offset, VALUE alpha, VALUE beta, uint reads_c) {
    local W stages[STAGES][BLOCKS][BLOCK];
    local ulong full[STAGES];
#ifdef RING
    local ulong empty[STAGES]; // by the warps
#endif
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    // There are never so many tiles that 32 bits don't count them, and these divide faster.
    const uint tile_rows = (uint)((m + TILE_M - 1) / TILE_M), tile_columns = (uint)((n + TILE_N - 1) / TILE_N);
    const uint all_depths = (uint)((k + DEPTH - 1) / DEPTH);
    if (id == 0)
        for (uint s = 0; s < STAGES; ++s) {
            gp_bulk_begin(&full[s]);
#ifdef RING
            begin_counting(&empty[s], 8);
#endif
        }
    // The work-item's place: rows y and y + 16, words x, x + 32 ..., four of each.
    const uint warp_y = warp / 2 * 32, warp_x = warp % 2 * (32 * COLUMNS);
    const uint y = warp_y + lane / 8 * 4, x = warp_x + lane % 8 * 4;
    const uint a_at = y / 4, b_block = 1 + x / LINES, b_at = x % LINES / 4;
    uint stage = 0, phase = 0;

    const ulong number = get_group_id(0);
    const ulong first = number < whole ? number * all_depths : whole * all_depths + (number - whole) * span;
    uint tile_number = (uint)(first / all_depths), from = (uint)(first - (ulong)tile_number * all_depths);
    uint left = (uint)(number < whole ? all_depths : min(span, tiles * all_depths - first));
    for (; left > 0; ++tile_number, from = 0) {
        const uint depths = min(all_depths - from, left);
        const uint deep = (uint)min((ulong)depths * DEPTH, k - (ulong)from * DEPTH);
        left -= depths;
        const uint product = tile_number / (tile_rows * tile_columns);
        const ulong2 tile = tile_in_bands(tile_number - product * (tile_rows * tile_columns), tile_rows, tile_columns);
        global const W *a_from = a + a_offset + (((ulong)product * tile_rows + tile.x) * all_depths + from) * BLOCK;
        global const W *b_from =
            b + b_offset + (((ulong)product * tile_columns + tile.y) * (BLOCKS - 1) * all_depths + from) * BLOCK;
        const ulong i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;
        const uint rows = (uint)min((ulong)TILE_M, m - i0), columns = (uint)min((ulong)TILE_N, n - j0);
        const bool works = WORKS(warp_y < rows && warp_x * IN_WORD < columns);
#define FETCH(depth, stage)                                                                                            \
    gp_bulk_expect(&full[stage], BLOCKS *BLOCK * 16);                                                                  \
    gp_bulk_copy(stages[stage][0], a_from + (ulong)(depth)*BLOCK, BLOCK * 16, &full[stage]);                           \
    for (uint j = 0; j + 1 < BLOCKS; ++j)                                                                              \
    gp_bulk_copy(stages[stage][1 + j], b_from + ((ulong)j * all_depths + (depth)) * BLOCK, BLOCK * 16, &full[stage])

        gp_bulk_release();
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the last tile's stages
        if (id == 0) {
            for (uint s = 0; s < STAGES && s < depths; ++s) {
                const uint to = stage + s < STAGES ? stage + s : stage + s - STAGES;
                FETCH(s, to);
            }
        }
        W sum[8][COLUMNS];
#pragma unroll
        for (uint r = 0; r < 8; ++r)
#pragma unroll
            for (uint q = 0; q < COLUMNS; ++q) sum[r][q] = NO_TERMS;
#ifdef LEAST3
        uint order = POSITIVE;
        {
            const uint tile_pair = product * tile_rows + (uint)tile.x, b_pair = product * tile_columns + (uint)tile.y;
            global const uint *in_a = negative + negative_offset + tile_pair * all_depths + from;
            global const uint *in_b =
                negative + negative_offset + ((uint)products * tile_rows + b_pair) * all_depths + from;
            uint any = 0;
            for (uint d = lane; d < depths; d += 32) any |= in_a[d] | in_b[d];
            if (!all_of_warp(any == 0)) order = BY_SIGN;
        }
        Step steps[2];
        gp_bulk_wait(&full[stage], phase);
        local const W *a_now = stages[stage][0] + a_at, *b_now = stages[stage][b_block] + b_at;
#pragma unroll 1
        for (uint depth = 0; depth < deep / DEPTH; ++depth) {
            if (works) {
                if (order == POSITIVE) {
                    multiply_block(sum, a_now, b_now, POSITIVE);
                } else if (order == NEGATIVE) {
                    multiply_block(sum, a_now, b_now, NEGATIVE);
                } else {
                    multiply_block(sum, a_now, b_now, BY_SIGN);
                    if (all_negative(sum)) order = NEGATIVE;
                }
            }
            NEXT_STAGE
            if (++stage == STAGES) {
                stage = 0;
                phase ^= 1;
            }
            a_now = stages[stage][0] + a_at;
            b_now = stages[stage][b_block] + b_at;
            if (depth + 1 < depths) gp_bulk_wait(&full[stage], phase);
        }
#else
        Step steps[2];
        gp_bulk_wait(&full[stage], phase);
        local const W *a_now = stages[stage][0] + a_at, *b_now = stages[stage][b_block] + b_at;
        read_step(&steps[0], a_now, b_now, 0);
        for (uint depth = 0; depth < deep / DEPTH; ++depth) {
#pragma unroll 1
            for (uint p0 = 0; p0 < DEPTH; p0 += UNROLL) {
                if (works) {
#pragma unroll
                    for (uint p = 0; p + 1 < UNROLL; ++p) {
                        read_step(&steps[(p + 1) % 2], a_now, b_now, p + 1);
                        multiply_step(sum, &steps[p % 2]);
                    }
                }
                a_now += UNROLL * (LINES / 4);
                b_now += UNROLL * (LINES / 4);
                if (p0 + UNROLL == DEPTH) {
                    NEXT_STAGE
                    if (++stage == STAGES) {
                        stage = 0;
                        phase ^= 1;
                    }
                    a_now = stages[stage][0] + a_at;
                    b_now = stages[stage][b_block] + b_at;
                    if (depth + 1 < depths) gp_bulk_wait(&full[stage], phase);
                }
                if (works) {
                    // What it reads behind the last block is not used.
                    read_step(&steps[0], a_now, b_now, 0);
                    multiply_step(sum, &steps[1]);
                }
            }
        }
#endif
        // No more than there is, for a semiring may have no number that changes nothing.
        for (uint p = 0; p < deep % DEPTH; ++p) {
            read_step(&steps[0], a_now, b_now, p);
            multiply_step(sum, &steps[0]);
        }
        if (deep % DEPTH > 0) {
#ifdef RING
            release_stage(&empty[stage], lane);
#endif
            if (++stage == STAGES) {
                stage = 0;
                phase ^= 1;
            }
        }

        // Sums pass through local memory, so that neighbours are written beside neighbours, and by short code.
        local W *room = stages[0][0];
        gp_bulk_release();
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint r = 0; r < 8; ++r)
#pragma unroll
            for (uint q = 0; q < COLUMNS; ++q)
                room[(y + r / 4 * 16 + r % 4) * (16 * COLUMNS) + x / 4 + 8 * q] = sum[r][q];
        barrier(CLK_LOCAL_MEM_FENCE);
        global STORED *c_from = c + c_offset + product * c_batch_stride + i0 * c_row_stride + j0;
        const V va = FACTOR(V, (V)(alpha)), vb = FACTOR(V, (V)(beta));
        for (uint v = id; v < TILE; v += 256) {
            const uint i = v / (TILE_N / 4), j = v % (TILE_N / 4) * 4;
            if (i >= rows || j >= columns) continue;
            const V result = ((local const V *)room)[v];
            if (depths == all_depths)
                finish(c_from + i * c_row_stride, j, columns - j, result, va, vb, reads_c);
            else
                partial[partial_offset + (2 * (number - whole) + (from == 0)) * TILE + v] = result;
        }
    }
}

// Adds up the sums of tiles that several work-groups computed, in the order of k. A work-group takes 256 vectors.
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
bulk_tiles_join(global const V *partial, ulong partial_offset, global STORED *c, ulong c_offset, ulong c_row_stride,
                ulong c_batch_stride, ulong m, ulong n, ulong k, ulong whole, ulong span, VALUE alpha, VALUE beta,
                uint reads_c) {
    const ulong all_depths = (k + DEPTH - 1) / DEPTH, in_region = get_group_id(0) / (TILE / 256);
    const uint tile_rows = (uint)((m + TILE_M - 1) / TILE_M), tile_columns = (uint)((n + TILE_N - 1) / TILE_N);
    const uint tile_number = (uint)(whole + in_region);
    const ulong begin = in_region * all_depths, first = begin / span, last = (begin + all_depths - 1) / span;
    if (first == last) return;
    const uint v = (uint)(get_group_id(0) - in_region * (TILE / 256)) * 256 + (uint)get_local_id(0);
    const uint i = v / (TILE_N / 4), j = v % (TILE_N / 4) * 4;
    const uint product = tile_number / (tile_rows * tile_columns);
    const ulong2 tile = tile_in_bands(tile_number - product * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;
    if (i0 + i >= m || j0 + j >= n) return;
    partial += partial_offset + v;
    V sum = partial[(2 * first + 1) * TILE];
    for (ulong g = first + 1; g <= last; ++g) sum = plus(sum, partial[2 * g * TILE]);
    finish(c + c_offset + product * c_batch_stride + (i0 + i) * c_row_stride + j0, j, (uint)min((ulong)4, n - j0 - j),
           sum, FACTOR(V, (V)(alpha)), FACTOR(V, (V)(beta)), reads_c);
}
