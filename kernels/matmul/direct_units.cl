// C = alpha * A * B + beta * C of doubles, or of float16 or bfloat16 with sums in float32, through
// matrix units, in one launch, from the matrices as they lie: for products that are too small to be
// packed first; for GPUs.
//
// A warp computes GP_WARP_M x 32 elements of C. GP_WARPS_M x GP_WARPS_N warps of a work-group stand
// side by side; GP_WARPS_K warps share the steps of k, and their sums are added at the end, always
// in the same order. Tiles of A and B come to local memory several stages ahead. A tile whose
// neighbours in memory are neighbours along k has lines of GP_DEPTH there, else GP_DEPTH lines of
// the edge. Lines begin such that a warp's reads meet no bank twice.
//
// Macros: those of semiring.cl, with GP_SEMIRING GP_PLUS_TIMES, GP_WIDTH 2 and float64, float16 or
//         bfloat16; GP_WARP_M, 32 or 64; GP_WARPS_M, GP_WARPS_N, GP_WARPS_K, powers of two;
//         GP_DEPTH, how much of k a local tile holds, a multiple of 16 * GP_WARPS_K; GP_STAGES,
//         tiles in local memory; GP_A_ALONG_K, GP_B_ALONG_K, where neighbours along k are
//         neighbours in memory (row-major A, column-major B); GP_A_WIDTH, GP_B_WIDTH, how many
//         elements begin at multiples of their size: up to 16 bytes
// Launch: tiles of C of all products x slices of k, work-groups of as many warps; with several
//         slices (split-K), their sums go to `partial`; with GP_JOINS of split_k.cl, the last
//         work-group of a tile adds them up
// Source: NVIDIA, "Parallel Thread Execution ISA", mma.sync; Lai and Seznec, "Performance Upper
//         Bound Analysis and Optimization of SGEMM on Fermi and Kepler GPUs", 2013
// SPDX-License-Identifier: MIT
#define GP_VECTOR_STORES
#include "common/semiring.cl"
#include "matmul/matrices.cl"
#if GP_WIDTH != 2 || !GP_IS_FLOAT || GP_DTYPE == GP_DTYPE_FLOAT32 || GP_SEMIRING != GP_PLUS_TIMES
#error "GP_WIDTH must be 2, GP_DTYPE 9, 11 or 12 and GP_SEMIRING 0"
#endif
#if !defined(GP_WARP_M) || !defined(GP_WARPS_M) || !defined(GP_WARPS_N) || !defined(GP_WARPS_K) ||                     \
    !defined(GP_DEPTH) || !defined(GP_STAGES) || !defined(GP_A_WIDTH) || !defined(GP_B_WIDTH)
#error "GP_WARPS_M, GP_WARPS_N, GP_WARPS_K, GP_DEPTH, GP_STAGES, GP_A_WIDTH and GP_B_WIDTH must be defined"
#endif
#define GP_GROUP (32 * GP_WARPS_M * GP_WARPS_N * GP_WARPS_K)
#include "device/async_copy.cl"
#if GP_DTYPE == GP_DTYPE_FLOAT64
#define GP_FLOAT64_UNITS
#elif GP_DTYPE == GP_DTYPE_BFLOAT16
#define GP_BFLOAT_UNITS
#endif
#include "common/last_group.cl"
#include "device/unit_blocks.cl"
#include "matmul/bands.cl"
#include "matmul/split_k.cl"

#if GP_DTYPE == GP_DTYPE_FLOAT64
typedef double Element;
typedef double4 OfA, Sum;
typedef double2 OfB;
#define GP_STEP 8 // of k, in one instruction
#define GP_ALONG_K_PITCH (GP_DEPTH + 4)
#define GP_EDGE_PITCH(edge) ((edge) + 4)
#else
typedef ushort Element;
typedef uint4 OfA;
typedef uint2 OfB;
typedef float4 Sum;
#define GP_STEP 16
#define GP_ALONG_K_PITCH (GP_DEPTH + 8)
#define GP_EDGE_PITCH(edge) ((edge) + 8)
#endif

#define GP_TILE_M (GP_WARP_M * GP_WARPS_M)
#define GP_TILE_N (32 * GP_WARPS_N)
#if GP_BLOCK_ROOM > 0
#define GP_UNROLLED 1 // compilers for CPUs take long for what barriers divide
#else
#define GP_UNROLLED 32 // all of a loop
#endif
#define GP_ROWS (GP_WARP_M / 16)                       // rows of blocks of a warp
#define GP_STEPS (GP_DEPTH / GP_STEP / GP_WARPS_K)     // that a warp takes of a local tile
#if GP_STEPS > 1 && (GP_WARP_M == 32 || GP_STEP == 16) // there are registers for two
#define GP_SETS 2
#else
#define GP_SETS 1
#endif
#if GP_STEPS < 1 || (GP_STEPS > 1 && GP_STEPS % 2 != 0)
#error "a warp takes one step of a tile, or an even number of them"
#endif
#ifdef GP_A_ALONG_K
#define GP_A_TILE (GP_TILE_M * GP_ALONG_K_PITCH)
#else
#define GP_A_TILE (GP_EDGE_PITCH(GP_TILE_M) * GP_DEPTH)
#endif
#ifdef GP_B_ALONG_K
#define GP_B_TILE (GP_TILE_N * GP_ALONG_K_PITCH)
#else
#define GP_B_TILE (GP_EDGE_PITCH(GP_TILE_N) * GP_DEPTH)
#endif
#define GP_STAGE ((GP_A_TILE + GP_B_TILE) * (GP_STEP == 8 ? 8 : 2) / 16) // vectors of 16 bytes
#if GP_STAGES * GP_STAGE < GP_GROUP / 2 * (GP_STEP == 8 ? 16 : 8) * (GP_WARP_M / 32) && GP_WARPS_K > 1
#error "the sums must find room where the stages were"
#endif

// Copies `width` neighbours, of which `there` are there; the others become 0.
void fetch_some(local Element *to, global const Element *from, uint there, uint width) {
    const uint bytes = width * (uint)sizeof(Element);
    if (bytes == 16)
        gp_async_vector_part((local uint4 *)to, (global const ushort *)from, there * (uint)sizeof(Element));
    else if (bytes == 8)
        gp_async_pair_part((local uint2 *)to, (global const ushort *)from, there * (uint)sizeof(Element));
    else if (bytes == 4)
        gp_async_word_part((local uint *)to, (global const ushort *)from, there * (uint)sizeof(Element));
    else
        *to = there > 0 ? *from : 0;
}

// A work-item's first place in a tile of lines along k, `width` neighbours at a time; further ones
// lie as many lines on as the work-group takes at once.
#define GP_ALONG_K_LINE(width) (id / (GP_DEPTH / (width)))
#define GP_ALONG_K_STEP(width) (id % (GP_DEPTH / (width)) * (width))

// Brings a tile's lines, of which `lines` are there, and `deep` elements of each. `from` is the
// work-item's first place.
void fetch_along_k(local Element *tile, uint edge, global const Element *from, ulong stride, uint lines, uint deep,
                   uint width) {
    const uint id = (uint)get_local_id(0), line = GP_ALONG_K_LINE(width), p = GP_ALONG_K_STEP(width);
    const int left = (int)deep - (int)p; // signed: Oclgrind does not know llvm.usub.sat
    const uint next = GP_GROUP * width / GP_DEPTH, here = left > 0 ? (uint)left : 0;
    local Element *to = tile + line * GP_ALONG_K_PITCH + p;
#pragma unroll
    for (uint l = 0; l < edge; l += next) {
        fetch_some(to + l * GP_ALONG_K_PITCH, from, line + l < lines ? here : 0, width);
        from += next * stride;
    }
}

// The same where it lies along the edge.
#define GP_ALONG_EDGE_LINE(edge, width) (id % ((edge) / (width)) * (width))
#define GP_ALONG_EDGE_STEP(edge, width) (id / ((edge) / (width)))

void fetch_along_edge(local Element *tile, uint edge, global const Element *from, ulong stride, uint lines, uint deep,
                      uint width) {
    const uint id = (uint)get_local_id(0), line = GP_ALONG_EDGE_LINE(edge, width),
               step = GP_ALONG_EDGE_STEP(edge, width);
    const int left = (int)lines - (int)line;
    const uint next = GP_GROUP * width / edge, here = left > 0 ? (uint)left : 0;
    local Element *to = tile + step * GP_EDGE_PITCH(edge) + line;
#pragma unroll
    for (uint p = 0; p < GP_DEPTH; p += next) {
        fetch_some(to + p * GP_EDGE_PITCH(edge), from, step + p < deep ? here : 0, width);
        from += next * stride;
    }
}

#ifdef GP_A_ALONG_K
#define GP_FETCH_A(to, deep) fetch_along_k(to, GP_TILE_M, of_a, a_row_stride, rows, deep, GP_A_WIDTH)
#define GP_SHARE_OF_A (GP_ALONG_K_LINE(GP_A_WIDTH) * a_row_stride + GP_ALONG_K_STEP(GP_A_WIDTH))
#else
#define GP_FETCH_A(to, deep) fetch_along_edge(to, GP_TILE_M, of_a, a_column_stride, rows, deep, GP_A_WIDTH)
#define GP_SHARE_OF_A                                                                                                  \
    (GP_ALONG_EDGE_STEP(GP_TILE_M, GP_A_WIDTH) * a_column_stride + GP_ALONG_EDGE_LINE(GP_TILE_M, GP_A_WIDTH))
#endif
#ifdef GP_B_ALONG_K
#define GP_FETCH_B(to, deep) fetch_along_k(to, GP_TILE_N, of_b, b_column_stride, columns, deep, GP_B_WIDTH)
#define GP_SHARE_OF_B (GP_ALONG_K_LINE(GP_B_WIDTH) * b_column_stride + GP_ALONG_K_STEP(GP_B_WIDTH))
#else
#define GP_FETCH_B(to, deep) fetch_along_edge(to, GP_TILE_N, of_b, b_row_stride, columns, deep, GP_B_WIDTH)
#define GP_SHARE_OF_B                                                                                                  \
    (GP_ALONG_EDGE_STEP(GP_TILE_N, GP_B_WIDTH) * b_row_stride + GP_ALONG_EDGE_LINE(GP_TILE_N, GP_B_WIDTH))
#endif

#if GP_DTYPE == GP_DTYPE_FLOAT64
// Elements t and t + 4 of a step of k, of a line.
double2 two_of(local const double *tile, uint pitch, uint line, uint step, bool along_k) {
    const uint p = step * 8 + get_local_id(0) % 4;
    local const double *const at = tile + (along_k ? line * pitch + p : p * pitch + line);
    return (double2)(at[0], at[along_k ? 4 : 4 * pitch]);
}

// 16 lines of A from `line` on.
OfA read_a(local const double *tile, uint pitch, uint line, uint step, bool along_k, local uint *room) {
    const uint g = get_local_id(0) % 32 / 4;
    const double2 upper = two_of(tile, pitch, line + g, step, along_k);
    const double2 lower = two_of(tile, pitch, line + g + 8, step, along_k);
    return (double4)(upper.x, lower.x, upper.y, lower.y);
}

// 16 lines of B from `line` on, as two blocks.
void read_b(OfB *both, local const double *tile, uint pitch, uint line, uint step, bool along_k, local uint *room) {
    const uint g = get_local_id(0) % 32 / 4;
    both[0] = two_of(tile, pitch, line + g, step, along_k);
    both[1] = two_of(tile, pitch, line + g + 8, step, along_k);
}
#define GP_MULTIPLY gp_multiply_double_blocks
#else
// Four blocks of 8 x 8: `second_k` and `second_line` say which of them, a bit each of their number,
// lie 8 further along k and along lines.
uint4 read_blocks(local const ushort *tile, uint pitch, uint line, uint step, bool along_k, uint second_k,
                  uint second_line, local uint *room) {
    const uint lane = (uint)get_local_id(0) % 32, block = lane / 8;
    const uint p = step * 16 + (block / second_k % 2) * 8, l = line + (block / second_line % 2) * 8;
    if (along_k) return gp_read_blocks(tile, (l + lane % 8) * pitch + p, room);
    return gp_read_blocks_across(tile, (p + lane % 8) * pitch + l, room);
}

OfA read_a(local const ushort *tile, uint pitch, uint line, uint step, bool along_k, local uint *room) {
    return read_blocks(tile, pitch, line, step, along_k, 2, 1, room);
}

void read_b(OfB *both, local const ushort *tile, uint pitch, uint line, uint step, bool along_k, local uint *room) {
    const uint4 blocks = read_blocks(tile, pitch, line, step, along_k, 1, 2, room);
    both[0] = blocks.xy;
    both[1] = blocks.zw;
}
#define GP_MULTIPLY gp_multiply_half_blocks
#endif

#ifdef GP_A_ALONG_K
#define GP_READ_A(tile, line, step) read_a(tile, GP_ALONG_K_PITCH, line, step, true, GP_BLOCKS_OF(room))
#else
#define GP_READ_A(tile, line, step) read_a(tile, GP_EDGE_PITCH(GP_TILE_M), line, step, false, GP_BLOCKS_OF(room))
#endif
#ifdef GP_B_ALONG_K
#define GP_READ_B(both, tile, line, step) read_b(both, tile, GP_ALONG_K_PITCH, line, step, true, GP_BLOCKS_OF(room))
#else
#define GP_READ_B(both, tile, line, step)                                                                              \
    read_b(both, tile, GP_EDGE_PITCH(GP_TILE_N), line, step, false, GP_BLOCKS_OF(room))
#endif

#define GP_GIVEN(X) GP_OF_MATRICES(X) X(ulong, slices) X(ulong, partial_offset) GP_OF_ENDED(X) GP_OF_FINISH(X)
GP_STRUCT(Given, GP_GIVEN);

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
matmul_direct_units(GP_MATRICES, global V *partial GP_ENDED_MEMORY GP_BIAS_MEMORY, Given given) {
    GP_TAKE(GP_GIVEN)
    local uint4 stages[GP_STAGES][GP_STAGE];
#if GP_BLOCK_ROOM > 0
    local uint room[GP_BLOCK_ROOM];
#endif
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32, g = lane / 4, t = lane % 4;
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
    const uint rows = (uint)min((ulong)GP_TILE_M, m - i0), columns = (uint)min((ulong)GP_TILE_N, n - j0);
    global const Element *of_a = (global const Element *)a + a_offset + product * a_batch_stride + i0 * a_row_stride +
                                 begin * a_column_stride + GP_SHARE_OF_A;
    global const Element *of_b = (global const Element *)b + b_offset + product * b_batch_stride +
                                 j0 * b_column_stride + begin * b_row_stride + GP_SHARE_OF_B;
    c += c_offset + product * c_batch_stride + i0 * c_row_stride + j0;

    ulong left = deep; // of k, to be fetched
#define GP_FETCH(stage)                                                                                                \
    if (left > 0) {                                                                                                    \
        const uint here = (uint)min(left, (ulong)GP_DEPTH);                                                            \
        GP_FETCH_A((local Element *)stages[stage], here);                                                              \
        GP_FETCH_B((local Element *)stages[stage] + GP_A_TILE, here);                                                  \
        of_a += GP_DEPTH * a_column_stride;                                                                            \
        of_b += GP_DEPTH * b_row_stride;                                                                               \
        left -= here;                                                                                                  \
    }                                                                                                                  \
    gp_async_commit()

    for (uint s = 0; s + 1 < GP_STAGES; ++s) {
        GP_FETCH(s);
    }
    const uint warp_k = warp / (GP_WARPS_M * GP_WARPS_N);
    const uint y = warp / GP_WARPS_N % GP_WARPS_M * GP_WARP_M, x = warp % GP_WARPS_N * 32; // the warp's place
    Sum sum[GP_ROWS][4];
#pragma unroll
    for (uint i = 0; i < GP_ROWS; ++i)
#pragma unroll
        for (uint j = 0; j < 4; ++j) sum[i][j] = 0;
    // With two sets, the numbers of the next step are on their way to registers while one is
    // multiplied.
    OfA now_a[GP_SETS][GP_ROWS];
    OfB now_b[GP_SETS][4];
    uint stage = 0, free = GP_STAGES - 1;
    const ulong depths = (deep + GP_DEPTH - 1) / GP_DEPTH;
    const uint first = warp_k * GP_STEPS;
#define GP_READ_STEP(set, step)                                                                                        \
    {                                                                                                                  \
        local const Element *tile_a = (local const Element *)stages[stage], *tile_b = tile_a + GP_A_TILE;              \
        for (uint r = 0; r < GP_ROWS; ++r) now_a[set][r] = GP_READ_A(tile_a, y + 16 * r, step);                        \
        GP_READ_B(now_b[set], tile_b, x, step);                                                                        \
        GP_READ_B(now_b[set] + 2, tile_b, x + 16, step);                                                               \
    }
#define GP_READ_STAGE(set)                                                                                             \
    GP_ASYNC_WAIT(GP_STAGES - 2);                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE); /* this stage is there, and all have read the one before */                          \
    GP_READ_STEP(set, first)

    GP_READ_STAGE(0)
    for (ulong depth = 0; depth < depths; ++depth) {
#pragma unroll GP_UNROLLED
        for (uint s = 0; s < GP_STEPS; ++s) {
#if GP_SETS == 1
            if (s > 0) GP_READ_STEP(0, first + s)
#else
            if (s + 1 < GP_STEPS) {
                GP_READ_STEP((s + 1) % GP_SETS, first + s + 1)
            } else if (depth + 1 < depths) {
                stage = stage + 1 < GP_STAGES ? stage + 1 : 0;
                GP_READ_STAGE(0)
            }
#endif
#pragma unroll GP_UNROLLED
            for (uint i = 0; i < GP_ROWS; ++i)
#pragma unroll GP_UNROLLED
                for (uint j = 0; j < 4; ++j)
                    sum[i][j] =
                        GP_MULTIPLY(now_a[s % GP_SETS][i], now_b[s % GP_SETS][j], sum[i][j], GP_BLOCKS_OF(room));
            if (s == 0) {
                GP_FETCH(free);
                free = free + 1 < GP_STAGES ? free + 1 : 0;
            }
        }
#if GP_SETS == 1
        if (depth + 1 < depths) {
            stage = stage + 1 < GP_STAGES ? stage + 1 : 0;
            GP_READ_STAGE(0)
        }
#endif
    }

#if GP_WARPS_K > 1
    // The upper half of the warps that share k hands its sums to the lower one, again and again.
    local Sum *sums = (local Sum *)stages;
#pragma unroll
    for (uint half_warps = GP_WARPS_K / 2; half_warps > 0; half_warps /= 2) {
        const uint items = half_warps * (GP_GROUP / GP_WARPS_K);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id >= items && id < 2 * items) {
#pragma unroll
            for (uint e = 0; e < 4 * GP_ROWS; ++e) sums[e * items + id - items] = sum[e / 4][e % 4];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < items) {
#pragma unroll
            for (uint e = 0; e < 4 * GP_ROWS; ++e) sum[e / 4][e % 4] += sums[e * items + id];
        }
    }
#endif
    const ulong pitch = (n + 1) / 2;                                          // of a row of sums, in vectors
    partial += partial_offset + (product * slices * m + i0) * pitch + j0 / 2; // of the first slice
    const V va = (V)(alpha), vb = (V)(beta);
    // Result number e of a work-item.
#define GP_RESULT_ROW(e) (y + (e) / 8 * 16 + (e) / 4 % 2 * 8 + g)
#define GP_RESULT_COLUMN(e) (x + (e) % 4 * 8 + 2 * t)
#define GP_RESULTS (8 * GP_ROWS)
#define GP_RESULT(e) ((e) / 4 % 2 == 0 ? sum[(e) / 8][(e) % 4].xy : sum[(e) / 8][(e) % 4].zw)
    if (slices > 1) {
#pragma unroll GP_UNROLLED
        for (uint e = 0; e < GP_RESULTS; ++e) {
            const uint i = GP_RESULT_ROW(e), j = GP_RESULT_COLUMN(e);
            if (warp_k == 0 && i < rows && j < columns)
                write_sums(partial + (slice * m + i) * pitch + j / 2, GP_RESULT(e));
        }
#ifndef GP_JOINS
        return;
#endif
    }
#ifdef GP_JOINS
    if (!gp_is_last(ended + ended_offset + number, (uint)slices, (local uint *)stages)) return;
#endif
    if (warp_k > 0) return;
#pragma unroll GP_UNROLLED
    for (uint first_e = 0; first_e < GP_RESULTS; first_e += GP_JOINED) {
        V results[GP_JOINED];
#ifdef GP_JOINS
        global const V *places[GP_JOINED];
#pragma unroll
        for (uint q = 0; q < GP_JOINED; ++q) {
            const uint i = GP_RESULT_ROW(first_e + q), j = GP_RESULT_COLUMN(first_e + q);
            places[q] = i < rows && j < columns ? partial + i * pitch + j / 2 : partial;
        }
        sums_of_slices(results, places, slices, m * pitch);
#else
#pragma unroll
        for (uint q = 0; q < GP_JOINED; ++q) results[q] = GP_RESULT(first_e + q);
#endif
#pragma unroll
        for (uint q = 0; q < GP_JOINED; ++q) {
            const uint i = GP_RESULT_ROW(first_e + q), j = GP_RESULT_COLUMN(first_e + q);
            if (i < rows && j < columns)
                finish(c + i * c_row_stride, j, columns - j, results[q], va, vb,
                       reads_c GP_FINISH_AT(product, i0 + i, j0 + j));
        }
    }
}
