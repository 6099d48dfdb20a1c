// C = alpha * A * B + beta * C through matrix units (device/matrix_units.cl).
//
// float32 is split into two halves, x = 2^s (high + 2^-11 low), with a power of two for each row of
// A and column of B. Then A * B = high * high + 2^-11 (high * low + low * high), in units that
// multiply halves and add in float32. The units round toward zero, so they sum only short runs of
// k, and float32 additions add those to the sums. float16 is multiplied as it is, float64 by the
// units for float64. Lines whose numbers are too far apart for halves are reported, and another
// kernel must compute the product.
//
// halves_range finds the largest and smallest magnitude of each line's chunks.
// matrix_units_pack writes the parts in blocks of 64 lines (rows of A, columns of B), in the order
// of the units' registers. matmul_matrix_units copies blocks to local memory in bulk, several
// stages ahead, and multiplies.
//
// Macros: those of semiring.cl, with GP_SEMIRING GP_PLUS_TIMES, GP_WIDTH 4 and a GP_DTYPE of
//         float16, float32 or float64; GP_PARTS, 2 for float32 in full, else 1; GP_WARPS_M,
//         GP_WARPS_N, GP_WARP_N: a warp computes 64 x GP_WARP_N (32 or 64) elements of C, a
//         work-group GP_WARPS_M x GP_WARPS_N times that; GP_STAGES, blocks of k in local memory;
//         GP_LINES, 64, and GP_DEPTH of k in a block: 16 of float64, else 64 / GP_PARTS
// Launch: halves_range: ceil(k / chunk) * blocks of lines of A and B x products, work-groups
//         of 256; matrix_units_pack: blocks of k * blocks of lines of A and B x products,
//         work-groups of 256; matmul_matrix_units: one dimension, a work-group for each tile of C,
//         slice of k and product; with several slices (split-K), their sums go to `partial`
// Source: Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores while
//         surpassing the FP32 theoretical peak performance", 2022
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"
#include "device/bulk_copy.cl"
#if GP_DTYPE == GP_DTYPE_FLOAT64
#define GP_FLOAT64_UNITS
#elif GP_DTYPE == GP_DTYPE_BFLOAT16
#define GP_BFLOAT_UNITS
#endif
#include "device/matrix_units.cl"
#include "matmul/bands.cl"
#if !defined(GP_LINES) || !defined(GP_DEPTH) || !defined(GP_PARTS) || !defined(GP_WARPS_M) || !defined(GP_WARPS_N) ||  \
    !defined(GP_WARP_N) || !defined(GP_STAGES)
#error "GP_LINES, GP_DEPTH, GP_PARTS, GP_WARPS_M, GP_WARPS_N, GP_WARP_N and GP_STAGES must be defined"
#endif
#if GP_SEMIRING != GP_PLUS_TIMES || GP_WIDTH != 4 || !GP_IS_FLOAT
#error "GP_SEMIRING must be 0, GP_WIDTH 4 and GP_DTYPE 9 to 12"
#endif

#define GP_BLOCK 512 // vectors of 16 bytes of a block
#if GP_DTYPE == GP_DTYPE_FLOAT32
#define GP_UNLESS_REPORTED
#endif
#include "matmul/split_k.cl"

#if GP_DTYPE == GP_DTYPE_FLOAT64
#define GP_STEP 8 // of k, in one instruction
#else
#define GP_STEP 16
#endif
#define GP_STEPS (GP_DEPTH / GP_STEP)
#define GP_A_LINES GP_LINES
#define GP_B_LINES GP_LINES
#include "matmul/operands.cl"
#if GP_DTYPE == GP_DTYPE_FLOAT32
#include "matmul/halves.cl"
#endif

// The numbers of a line that the lanes 4 g + t hold: of A, rows g and g + 8; of B, columns such
// that a lane's results are four neighbours.
uint line_of(uint lane, uint second, uint is_b) {
    const uint g = lane / 4;
    return is_b ? g / 2 * 4 + g % 2 + second * 2 : g + second * 8;
}

// `span` is how many powers of two may lie between the numbers of a line; *report becomes 1 where
// there are more. shifts: products x lines of both, padded to blocks.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
matrix_units_pack(GP_OPERANDS, ulong k, global uint4 *packed_a, ulong packed_a_offset, global uint4 *packed_b,
                  ulong packed_b_offset
#if GP_DTYPE == GP_DTYPE_FLOAT32
                  ,
                  ulong chunks, uint span, global const uint2 *ranges, ulong ranges_offset, global int *shifts,
                  ulong shifts_offset, global uint *report, ulong report_offset
#endif
) {
    const uint id = (uint)get_local_id(0);
    const ulong depths = (k + GP_DEPTH - 1) / GP_DEPTH, number = get_group_id(0) / depths;
    const ulong depth = get_group_id(0) - number * depths, k0 = depth * GP_DEPTH;
    const Block block = block_of(number, get_group_id(1), GP_BOTH);
    const ulong line_stride = block.line_stride, k_stride = block.k_stride;
    const uint is_b = block.is_b, here = block.lines, deep = (uint)min((ulong)GP_DEPTH, k - k0);
    global const Stored *x = block.x + k0 * k_stride;
    global uint4 *packed =
        (is_b ? packed_b + packed_b_offset : packed_a + packed_a_offset) + (block.number * depths + depth) * GP_BLOCK;
#if GP_DTYPE == GP_DTYPE_FLOAT32
    local float scales[GP_LINES];
    if (id < GP_LINES) {
        const ulong of_both = get_group_id(1) * (a_blocks + b_blocks) + number;
        scales[id] = find_scale(ranges + ranges_offset + of_both * chunks * GP_LINES + id, chunks, span, depth == 0,
                                shifts + shifts_offset + of_both * GP_LINES + id, report + report_offset);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint i = id; i < GP_BLOCK / GP_PARTS; i += 256) {
        const uint lane = i % 32;
#if GP_DTYPE == GP_DTYPE_FLOAT64
        const uint half_step = i / 32 % 2, lines16 = i / 64 % 4 * 16, p0 = i / 256 * GP_STEP + lane % 4 * 2;
        double numbers[2];
#pragma unroll
        for (uint q = 0; q < 2; ++q) {
            const uint line = lines16 + line_of(lane, is_b ? half_step : q, is_b), p = p0 + (is_b ? q : half_step);
            numbers[q] = line < here && p < deep ? x[line * line_stride + p * k_stride] : 0;
        }
        packed[i] = as_uint4((double2)(numbers[0], numbers[1]));
#else
        uint4 high, low;
        uint *const high_word = (uint *)&high, *const low_word = (uint *)&low;
#pragma unroll
        for (uint second = 0; second < 2; ++second) {
            const uint line = i / 32 % 4 * 16 + line_of(lane, second, is_b), p = i / 128 * GP_STEP + lane % 4 * 4;
            global const Stored *from = x + line * line_stride + p * k_stride;
#if GP_DTYPE != GP_DTYPE_FLOAT32
            ushort4 bits;
            ushort *const bit = (ushort *)&bits;
#pragma unroll
            for (uint q = 0; q < 4; ++q)
                bit[q] = line < here && p + q < deep ? ((global const ushort *)from)[q * k_stride] : 0;
            const uint2 words = as_uint2(bits);
            high_word[is_b ? 2 * second : second] = words.x;
            high_word[is_b ? 2 * second + 1 : second + 2] = words.y;
#else
            const float scale = scales[line];
            float numbers[4];
#pragma unroll
            for (uint q = 0; q < 4; ++q) numbers[q] = line < here && p + q < deep ? from[q * k_stride] * scale : 0;
#pragma unroll
            for (uint q = 0; q < 4; q += 2) {
                const uint both = gp_halves(numbers[q], numbers[q + 1]);
                const uint word = is_b ? 2 * second + q / 2 : second + q;
                high_word[word] = both;
#if GP_PARTS == 2
                const float2 rest = ((float2)(numbers[q], numbers[q + 1]) - gp_floats(both)) * 0x1p11f;
                low_word[word] = gp_halves(rest.x, rest.y);
#endif
            }
#endif
        }
        packed[i] = high;
#if GP_PARTS == 2
        packed[GP_BLOCK / 2 + i] = low;
#endif
#endif
    }
}

#define GP_WARPS (GP_WARPS_M * GP_WARPS_N)
#define GP_TILE_M (64 * GP_WARPS_M)
#define GP_TILE_N (GP_WARP_N * GP_WARPS_N)
#define GP_A_BLOCKS GP_WARPS_M
#define GP_B_BLOCKS (GP_TILE_N / GP_LINES)
#define GP_BLOCKS (GP_A_BLOCKS + GP_B_BLOCKS)
#define GP_QUADS (GP_WARP_N / 16) // 16 columns each, of which a lane holds four neighbours

#if GP_DTYPE == GP_DTYPE_FLOAT64
// Instruction number `step`'s numbers of 16 lines.
#define GP_FRAGMENT double4
double4 fragment(local const uint4 *block, uint step, uint lines16, uint lane) {
    local const uint4 *at = block + (step * 4 + lines16) * 64 + lane;
    return (double4)(as_double2(at[0]), as_double2(at[32]));
}

#define GP_MULTIPLY gp_multiply_doubles
#else
#define GP_FRAGMENT uint4
uint4 fragment(local const uint4 *block, uint step, uint lines16, uint lane) {
    return block[(step * 4 + lines16) * 32 + lane];
}

#define GP_MULTIPLY gp_multiply_halves
#endif

#define GP_A_FRAGMENTS (4 * GP_PARTS)
#define GP_B_FRAGMENTS (GP_QUADS * GP_PARTS)

// What a warp multiplies in one step of k: of each part, 64 rows of A and GP_WARP_N columns of B.
typedef struct {
    GP_FRAGMENT a[GP_A_FRAGMENTS], b[GP_B_FRAGMENTS];
} Fragments;

void read_fragments(Fragments *all, local const uint4 *a, local const uint4 *b, uint step, uint quad0, uint lane) {
#pragma unroll
    for (uint part = 0; part < GP_PARTS; ++part) {
#pragma unroll
        for (uint i = 0; i < 4; ++i) all->a[part * 4 + i] = fragment(a, part * GP_STEPS + step, i, lane);
#pragma unroll
        for (uint j = 0; j < GP_QUADS; ++j)
            all->b[part * GP_QUADS + j] = fragment(b, part * GP_STEPS + step, quad0 + j, lane);
    }
}

void multiply_fragments(V (*sum)[2 * GP_QUADS], const Fragments *all) {
#pragma unroll
    for (uint j = 0; j < GP_QUADS; ++j) {
#pragma unroll
        for (uint i = 0; i < 4; ++i) {
#if GP_PARTS == 2
            const GP_FRAGMENT high = all->a[i], low = all->a[4 + i], b_high = all->b[j], b_low = all->b[GP_QUADS + j];
            const V cross0 = GP_MULTIPLY(high, b_low.xy, GP_MULTIPLY(low, b_high.xy, 0));
            const V cross1 = GP_MULTIPLY(high, b_low.zw, GP_MULTIPLY(low, b_high.zw, 0));
            const V main0 = GP_MULTIPLY(high, b_high.xy, 0), main1 = GP_MULTIPLY(high, b_high.zw, 0);
            sum[i][2 * j] = cross0 * 0x1p-11f + (sum[i][2 * j] + main0);
            sum[i][2 * j + 1] = cross1 * 0x1p-11f + (sum[i][2 * j + 1] + main1);
#else
            sum[i][2 * j] = GP_MULTIPLY(all->a[i], all->b[j].xy, sum[i][2 * j]);
            sum[i][2 * j + 1] = GP_MULTIPLY(all->a[i], all->b[j].zw, sum[i][2 * j + 1]);
#endif
        }
    }
}

// a and b: packed blocks, `all_depths` of them along k.
__attribute__((reqd_work_group_size(32 * GP_WARPS, 1, 1))) kernel void
matmul_matrix_units(global const uint4 *a, ulong a_offset, global const uint4 *b, ulong b_offset, global Result *c,
                    ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m, ulong n, ulong all_depths,
                    ulong slices, global V *partial, ulong partial_offset,
#if GP_DTYPE == GP_DTYPE_FLOAT32
                    global const int *shifts, ulong shifts_offset, global const uint *report, ulong report_offset,
#endif
                    Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local uint4 stages[GP_STAGES][GP_BLOCKS][GP_BLOCK];
    local ulong full[GP_STAGES];
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
#if GP_DTYPE == GP_DTYPE_FLOAT32
    if (report[report_offset] != 0) return;
#endif
    const ulong tile_rows = (m + GP_TILE_M - 1) / GP_TILE_M, tile_columns = (n + GP_TILE_N - 1) / GP_TILE_N;
    const ulong part = get_group_id(0) / (tile_rows * tile_columns), product = part / slices;
    const ulong2 tile = tile_in_bands(get_group_id(0) - part * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * GP_TILE_M, j0 = tile.y * GP_TILE_N;
    const ulong begin = slice_begin(part - product * slices, slices, all_depths, 1);
    const ulong depths = slice_begin(part - product * slices + 1, slices, all_depths, 1) - begin;
    a += a_offset + ((product * tile_rows + tile.x) * GP_A_BLOCKS * all_depths + begin) * GP_BLOCK;
    b += b_offset + ((product * tile_columns + tile.y) * GP_B_BLOCKS * all_depths + begin) * GP_BLOCK;
    c += c_offset + product * c_batch_stride + i0 * c_row_stride + j0;
#if GP_DTYPE == GP_DTYPE_FLOAT32
    global const int *a_shifts =
        shifts + shifts_offset + product * (tile_rows * GP_TILE_M + tile_columns * GP_TILE_N) + i0;
    global const int *b_shifts = a_shifts - i0 + tile_rows * GP_TILE_M + j0;
#endif
    const uint rows = (uint)min((ulong)GP_TILE_M, m - i0), columns = (uint)min((ulong)GP_TILE_N, n - j0);
    if (id == 0)
        for (uint s = 0; s < GP_STAGES; ++s) gp_bulk_begin(&full[s]);
    barrier(CLK_LOCAL_MEM_FENCE);

#define GP_FETCH(depth, stage)                                                                                         \
    gp_bulk_expect(&full[stage], GP_BLOCKS *GP_BLOCK * 16);                                                            \
    for (uint i = 0; i < GP_A_BLOCKS; ++i)                                                                             \
        gp_bulk_copy(stages[stage][i], a + (i * all_depths + depth) * GP_BLOCK, GP_BLOCK * 16, &full[stage]);          \
    for (uint j = 0; j < GP_B_BLOCKS; ++j)                                                                             \
    gp_bulk_copy(stages[stage][GP_A_BLOCKS + j], b + (j * all_depths + depth) * GP_BLOCK, GP_BLOCK * 16, &full[stage])

    if (id == 0) {
        for (uint s = 0; s < GP_STAGES && s < depths; ++s) {
            GP_FETCH(s, s);
        }
    }
    const uint warp_m = warp / GP_WARPS_N, warp_n = warp % GP_WARPS_N;
    V sum[4][2 * GP_QUADS];
#pragma unroll
    for (uint i = 0; i < 4; ++i)
#pragma unroll
        for (uint j = 0; j < 2 * GP_QUADS; ++j) sum[i][j] = 0;
    // While one step's numbers are multiplied, the next one's are on their way to registers.
    Fragments step[2];
    uint stage = 0, phase = 0;
    const uint b_block = GP_A_BLOCKS + warp_n * GP_WARP_N / GP_LINES, quad0 = warp_n * GP_QUADS % 4;
    gp_bulk_wait(&full[0], 0);
    read_fragments(&step[0], stages[0][warp_m], stages[0][b_block], 0, quad0, lane);
    for (ulong depth = 0; depth < depths; ++depth) {
#pragma unroll
        for (uint s = 0; s + 1 < GP_STEPS; ++s) {
            read_fragments(&step[(s + 1) % 2], stages[stage][warp_m], stages[stage][b_block], s + 1, quad0, lane);
            multiply_fragments(sum, &step[s % 2]);
        }
        gp_bulk_release();
        barrier(CLK_LOCAL_MEM_FENCE); // all have read this stage
        if (id == 0 && depth + GP_STAGES < depths) {
            GP_FETCH(depth + GP_STAGES, stage);
        }
        if (++stage == GP_STAGES) {
            stage = 0;
            phase ^= 1;
        }
        if (depth + 1 < depths) {
            gp_bulk_wait(&full[stage], phase);
            read_fragments(&step[0], stages[stage][warp_m], stages[stage][b_block], 0, quad0, lane);
        }
        multiply_fragments(sum, &step[1]);
    }

    const uint g = lane / 4, t = lane % 4;
    const ulong pitch = (n + 3) / 4; // of a row of sums, in vectors
    partial += partial_offset + (part * m + i0) * pitch + j0 / 4;
#pragma unroll
    for (uint j = 0; j < GP_QUADS; ++j) {
        const uint column = warp_n * GP_WARP_N + j * 16 + t * 4;
        if (column >= columns) continue;
#if GP_DTYPE == GP_DTYPE_FLOAT32
        const int4 b_shift = *(global const int4 *)(b_shifts + column);
#endif
#pragma unroll
        for (uint i = 0; i < 4; ++i) {
            const V one = sum[i][2 * j], other = sum[i][2 * j + 1];
            const V results[2] = {(V)(one.xy, other.xy), (V)(one.zw, other.zw)};
#pragma unroll
            for (uint second = 0; second < 2; ++second) {
                const uint row = warp_m * 64 + i * 16 + second * 8 + g;
                if (row >= rows) continue;
                V result = results[second];
#if GP_DTYPE == GP_DTYPE_FLOAT32
                const int4 shift = a_shifts[row] + b_shift;
                result = (V)(times_power(result.s0, shift.s0), times_power(result.s1, shift.s1),
                             times_power(result.s2, shift.s2), times_power(result.s3, shift.s3));
#endif
                if (slices > 1)
                    partial[row * pitch + column / 4] = result;
                else
                    finish(c + row * c_row_stride, column, columns - column, result, (V)(alpha), (V)(beta),
                           reads_c GP_FINISH_AT(product, i0 + row, j0 + column));
            }
        }
    }
}
