// C = alpha * A * B + beta * C through NVIDIA's matrix units, for the Hopper generation (sm_90).
//
// float32 is split into two halves, x = 2^s (high + 2^-11 low), with a power of two for each row of A and column of B, and
// A * B = high * high + 2^-11 (high * low + low * high) in units that multiply halves and add in float32. Each short run of
// k is summed by the units and added to the sums by float32 addition, for the units round toward zero. float16 goes in as
// it is, float64 through the units for float64. Lines whose numbers are too far apart for halves are reported, and another
// kernel must compute the product.
//
// Three steps: matrix_units_range finds each line's largest and smallest magnitude; matrix_units_pack writes the parts in
// blocks of 64 lines (rows of A, columns of B) in the order in which the units' registers want them; matmul_matrix_units
// copies blocks to local memory in bulk, several stages ahead, and multiplies.
//
// Macros: those of semiring.cl, with SEMIRING 0, WIDTH 4 and DTYPE 9, 10 or 11; PARTS, 2 for float32 in full, else 1;
//         WARPS_M, WARPS_N, WARP_N: a warp computes 64 x WARP_N (32 or 64) elements of C, a work-group WARPS_M x WARPS_N
//         times that; STAGES, blocks of k in local memory
// Launch: matrix_units_range: ceil(k / CHUNK) x blocks of lines x products, work-groups of 256; matrix_units_pack: blocks of
//         k x blocks of lines x products, work-groups of 256; matmul_matrix_units: one dimension, a work-group for each tile
//         of C and product
// Source: Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores while surpassing the FP32 theoretical
//         peak performance", 2022
// SPDX-License-Identifier: MIT
#include "common/bulk_copy.cl"
#include "common/semiring.cl"
#include "matmul/bands.cl"
#if !defined(PARTS) || !defined(WARPS_M) || !defined(WARPS_N) || !defined(WARP_N) || !defined(STAGES)
#error "PARTS, WARPS_M, WARPS_N, WARP_N and STAGES must be defined"
#endif
#if SEMIRING != PLUS_TIMES || WIDTH != 4 || DTYPE == 3
#error "SEMIRING must be 0, WIDTH 4 and DTYPE 9, 10 or 11"
#endif

#define LINES 64           // of a block
#define BLOCK 512          // vectors of 16 bytes of a block
#define CHUNK 512          // of k, that a work-group of matrix_units_range reads; as in matrix_units.cpp
#define SCALED_EXPONENT 14 // of a line's largest magnitude, as a half
#if DTYPE == 11
#define DEPTH 16 // of k, in a block
#define STEP 8   // of k, in one instruction
#else
#define DEPTH (64 / PARTS)
#define STEP 16
#endif
#define STEPS (DEPTH / STEP)

// The numbers of a line that the lanes 4 g + t hold: of A, rows g and g + 8; of B, columns such that a lane's results are
// four neighbours.
uint line_of(uint lane, uint second, uint is_b) {
    const uint g = lane / 4;
    return is_b ? g / 2 * 4 + g % 2 + second * 2 : g + second * 8;
}

#if DTYPE == 10
// The bits of the largest magnitude, and the complement of those of the smallest but 0, among those found so far and x.
uint2 further(uint2 found, float x) {
    const uint bits = as_uint(x) & 0x7fffffff;
    return max(found, (uint2)(bits, bits == 0 ? 0 : ~bits));
}

uint largest_of_warp(uint x) {
    uint result;
    __asm__ volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(result) : "r"(x));
    return result;
}

kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
matrix_units_range(global const float *x, ulong x_offset, ulong line_stride, ulong k_stride, ulong batch_stride,
                   ulong lines, ulong k, global uint *ranges, ulong ranges_offset) {
    local uint2 found_by[8][LINES];
    const ulong line0 = get_group_id(1) * LINES, k0 = get_group_id(0) * CHUNK;
    const uint here = (uint)min((ulong)LINES, lines - line0), deep = (uint)min((ulong)CHUNK, k - k0);
    const uint lane = (uint)get_local_id(0) % 32, warp = (uint)get_local_id(0) / 32;
    x += x_offset + get_group_id(2) * batch_stride + line0 * line_stride + k0 * k_stride;
    if (lines <= line0) return; // the last blocks may be padding
    global volatile uint *range = ranges + ranges_offset + 2 * (get_group_id(2) * get_num_groups(1) * LINES + line0);
    // Neighbours in memory go to neighbouring work-items.
    if (k_stride == 1) {
        for (uint line = warp; line < here; line += 8) {
            uint2 found = 0;
#pragma unroll 4
            for (uint p = lane; p < deep; p += 32) found = further(found, x[line * line_stride + p]);
            found = (uint2)(largest_of_warp(found.x), largest_of_warp(found.y));
            if (lane < 2) atomic_max(range + 2 * line + lane, lane == 0 ? found.x : found.y);
        }
    } else {
        for (uint line = lane; line < LINES; line += 32) {
            uint2 found = 0;
            if (line < here) {
#pragma unroll 4
                for (uint p = warp; p < deep; p += 8) found = further(found, x[line * line_stride + p * k_stride]);
            }
            found_by[warp][line] = found;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint line = (uint)get_local_id(0);
        if (line < here) {
            uint2 found = 0;
            for (uint w = 0; w < 8; ++w) found = max(found, found_by[w][line]);
            atomic_max(range + 2 * line, found.x);
            atomic_max(range + 2 * line + 1, found.y);
        }
    }
}

int exponent_of(uint bits) { return (int)(bits >> 23) - 127; }

// The power of two by which a line is multiplied, from its largest magnitude.
float scale_of(uint largest) {
    return largest == 0 ? 1 : as_float((uint)(127 + SCALED_EXPONENT - exponent_of(largest)) << 23);
}

// Are the line's numbers finite, its scale a float, and the smallest one far enough above what the halves can tell apart?
bool fits_halves(uint largest, uint smallest, uint span) {
    if (largest == 0) return true;
    const int high = exponent_of(largest), low = exponent_of(~smallest);
    return high >= -100 && high < 128 && high - low <= (int)span;
}

uint halves(float low, float high) {
    uint both;
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

float2 floats(uint halves) {
    float low, high;
    __asm__(
        "{\n\t.reg .b16 low, high;\n\tmov.b32 {low, high}, %2;\n\tcvt.f32.f16 %0, low;\n\tcvt.f32.f16 %1, high;\n\t}"
        : "=f"(low), "=f"(high)
        : "r"(halves));
    return (float2)(low, high);
}
#endif

// `span` is how many powers of two may lie between the numbers of a line; *report becomes 1 where there are more.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
matrix_units_pack(global const STORED *x, ulong x_offset, ulong line_stride, ulong k_stride, ulong batch_stride,
                  ulong lines, ulong k, uint is_b, uint span, global const uint *ranges, ulong ranges_offset,
                  global uint *report, ulong report_offset, global uint4 *packed, ulong packed_offset) {
    const ulong line0 = get_group_id(1) * LINES, k0 = get_group_id(0) * DEPTH;
    const ulong block = get_group_id(2) * get_num_groups(1) + get_group_id(1);
    x += x_offset + get_group_id(2) * batch_stride + line0 * line_stride + k0 * k_stride;
    packed += packed_offset + (block * get_num_groups(0) + get_group_id(0)) * BLOCK;
    ranges += ranges_offset + 2 * block * LINES;
    const uint here = lines > line0 ? (uint)min((ulong)LINES, lines - line0) : 0; // the last blocks may be padding
    const uint deep = (uint)min((ulong)DEPTH, k - k0);
    for (uint i = (uint)get_local_id(0); i < BLOCK / PARTS; i += 256) {
        const uint lane = i % 32;
#if DTYPE == 11
        const uint half_step = i / 32 % 2, lines16 = i / 64 % 4 * 16, p0 = i / 256 * STEP + lane % 4 * 2;
        double number[2];
#pragma unroll
        for (uint q = 0; q < 2; ++q) {
            const uint line = lines16 + line_of(lane, is_b ? half_step : q, is_b), p = p0 + (is_b ? q : half_step);
            number[q] = line < here && p < deep ? x[line * line_stride + p * k_stride] : 0;
        }
        packed[i] = as_uint4((double2)(number[0], number[1]));
#else
        uint4 high, low;
        uint *const high_word = (uint *)&high, *const low_word = (uint *)&low;
#pragma unroll
        for (uint second = 0; second < 2; ++second) {
            const uint line = i / 32 % 4 * 16 + line_of(lane, second, is_b), p = i / 128 * STEP + lane % 4 * 4;
            global const STORED *from = x + line * line_stride + p * k_stride;
#if DTYPE == 9
            ushort4 bits;
            ushort *const bit = (ushort *)&bits;
#pragma unroll
            for (uint q = 0; q < 4; ++q)
                bit[q] = line < here && p + q < deep ? ((global const ushort *)from)[q * k_stride] : 0;
            const uint2 words = as_uint2(bits);
            high_word[is_b ? 2 * second : second] = words.x;
            high_word[is_b ? 2 * second + 1 : second + 2] = words.y;
#else
            const uint largest = line < here ? ranges[2 * line] : 0;
            if (line < here && lane % 4 == 0 && !fits_halves(largest, ranges[2 * line + 1], span))
                report[report_offset] = 1;
            const float scale = scale_of(largest);
            float number[4];
#pragma unroll
            for (uint q = 0; q < 4; ++q) number[q] = line < here && p + q < deep ? from[q * k_stride] * scale : 0;
#pragma unroll
            for (uint q = 0; q < 4; q += 2) {
                const uint both = halves(number[q], number[q + 1]);
                const uint word = is_b ? 2 * second + q / 2 : second + q;
                high_word[word] = both;
#if PARTS == 2
                const float2 rest = ((float2)(number[q], number[q + 1]) - floats(both)) * 0x1p11f;
                low_word[word] = halves(rest.x, rest.y);
#endif
            }
#endif
        }
        packed[i] = high;
#if PARTS == 2
        packed[BLOCK / 2 + i] = low;
#endif
#endif
    }
}

#define WARPS (WARPS_M * WARPS_N)
#define TILE_M (64 * WARPS_M)
#define TILE_N (WARP_N * WARPS_N)
#define A_BLOCKS WARPS_M
#define B_BLOCKS (TILE_N / LINES)
#define BLOCKS (A_BLOCKS + B_BLOCKS)
#define QUADS (WARP_N / 16) // 16 columns each, of which a lane holds four neighbours

#if DTYPE == 11
// Instruction number `step`'s numbers of 16 lines.
#define FRAGMENT double4
double4 fragment(local const uint4 *block, uint step, uint lines16, uint lane) {
    local const uint4 *at = block + (step * 4 + lines16) * 64 + lane;
    return (double4)(as_double2(at[0]), as_double2(at[32]));
}

V multiply(double4 a, double2 b, V sum) {
    double r0, r1, r2, r3;
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%10, %11, %12, %13};"
                     : "=d"(r0), "=d"(r1), "=d"(r2), "=d"(r3)
                     : "d"(a.x), "d"(a.y), "d"(a.z), "d"(a.w), "d"(b.x), "d"(b.y), "d"(sum.x), "d"(sum.y), "d"(sum.z),
                       "d"(sum.w));
    return (V)(r0, r1, r2, r3);
}
#else
#define FRAGMENT uint4
uint4 fragment(local const uint4 *block, uint step, uint lines16, uint lane) {
    return block[(step * 4 + lines16) * 32 + lane];
}

V multiply(uint4 a, uint2 b, V sum) {
    float r0, r1, r2, r3;
    __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%10, %11, %12, %13};"
                     : "=f"(r0), "=f"(r1), "=f"(r2), "=f"(r3)
                     : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "f"(sum.x), "f"(sum.y), "f"(sum.z),
                       "f"(sum.w));
    return (V)(r0, r1, r2, r3);
}
#endif

#define A_FRAGMENTS (4 * PARTS)
#define B_FRAGMENTS (QUADS * PARTS)

// What a warp multiplies in one step of k: of each part, 64 rows of A and WARP_N columns of B.
typedef struct {
    FRAGMENT a[A_FRAGMENTS], b[B_FRAGMENTS];
} Fragments;

void read_fragments(Fragments *all, local const uint4 *a, local const uint4 *b, uint step, uint quad0, uint lane) {
#pragma unroll
    for (uint part = 0; part < PARTS; ++part) {
#pragma unroll
        for (uint i = 0; i < 4; ++i) all->a[part * 4 + i] = fragment(a, part * STEPS + step, i, lane);
#pragma unroll
        for (uint j = 0; j < QUADS; ++j) all->b[part * QUADS + j] = fragment(b, part * STEPS + step, quad0 + j, lane);
    }
}

void multiply_fragments(V (*sum)[2 * QUADS], const Fragments *all) {
#pragma unroll
    for (uint j = 0; j < QUADS; ++j) {
#pragma unroll
        for (uint i = 0; i < 4; ++i) {
#if PARTS == 2
            const FRAGMENT high = all->a[i], low = all->a[4 + i], b_high = all->b[j], b_low = all->b[QUADS + j];
            const V cross0 = multiply(high, b_low.xy, multiply(low, b_high.xy, 0));
            const V cross1 = multiply(high, b_low.zw, multiply(low, b_high.zw, 0));
            const V main0 = multiply(high, b_high.xy, 0), main1 = multiply(high, b_high.zw, 0);
            sum[i][2 * j] = cross0 * 0x1p-11f + (sum[i][2 * j] + main0);
            sum[i][2 * j + 1] = cross1 * 0x1p-11f + (sum[i][2 * j + 1] + main1);
#else
            sum[i][2 * j] = multiply(all->a[i], all->b[j].xy, sum[i][2 * j]);
            sum[i][2 * j + 1] = multiply(all->a[i], all->b[j].zw, sum[i][2 * j + 1]);
#endif
        }
    }
}

#if DTYPE == 10
// The exponent that takes a line's scale back.
int shift_of(global const uint *ranges, ulong line) {
    const uint largest = ranges[2 * line];
    return largest == 0 ? 0 : exponent_of(largest) - SCALED_EXPONENT;
}

// x 2^exponent, in two steps, each of which is a float.
float times_power(float x, int exponent) {
    const int first = exponent / 2;
    return x * as_float((uint)(127 + first) << 23) * as_float((uint)(127 + exponent - first) << 23);
}
#endif

// a and b: packed blocks, `depths` of them along k.
__attribute__((reqd_work_group_size(32 * WARPS, 1, 1))) kernel void
matmul_matrix_units(global const uint4 *a, ulong a_offset, global const uint4 *b, ulong b_offset,
                    global const uint *a_ranges, ulong a_ranges_offset, global const uint *b_ranges,
                    ulong b_ranges_offset, global const uint *report, ulong report_offset, global STORED *c,
                    ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m, ulong n, ulong depths,
                    VALUE alpha, VALUE beta, uint reads_c) {
    local uint4 stages[STAGES][BLOCKS][BLOCK];
    local ulong full[STAGES];
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
#if DTYPE == 10
    if (report[report_offset] != 0) return;
#endif
    const ulong tile_rows = (m + TILE_M - 1) / TILE_M, tile_columns = (n + TILE_N - 1) / TILE_N;
    const ulong product = get_group_id(0) / (tile_rows * tile_columns);
    const ulong2 tile = tile_in_bands(get_group_id(0) - product * (tile_rows * tile_columns), tile_rows, tile_columns);
    const ulong i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;
    const ulong a_lines = product * tile_rows * TILE_M + i0, b_lines = product * tile_columns * TILE_N + j0;
    a += a_offset + a_lines / LINES * depths * BLOCK;
    b += b_offset + b_lines / LINES * depths * BLOCK;
    a_ranges += a_ranges_offset + 2 * a_lines;
    b_ranges += b_ranges_offset + 2 * b_lines;
    c += c_offset + product * c_batch_stride + i0 * c_row_stride + j0;
    const uint rows = (uint)min((ulong)TILE_M, m - i0), columns = (uint)min((ulong)TILE_N, n - j0);
    if (id == 0)
        for (uint s = 0; s < STAGES; ++s) gp_bulk_begin(&full[s]);
    barrier(CLK_LOCAL_MEM_FENCE);

#define FETCH(depth, stage)                                                                                            \
    gp_bulk_expect(&full[stage], BLOCKS *BLOCK * 16);                                                                  \
    for (uint i = 0; i < A_BLOCKS; ++i)                                                                                \
        gp_bulk_copy(stages[stage][i], a + (i * depths + depth) * BLOCK, BLOCK * 16, &full[stage]);                    \
    for (uint j = 0; j < B_BLOCKS; ++j)                                                                                \
    gp_bulk_copy(stages[stage][A_BLOCKS + j], b + (j * depths + depth) * BLOCK, BLOCK * 16, &full[stage])

    if (id == 0) {
        for (uint s = 0; s < STAGES && s < depths; ++s) {
            FETCH(s, s);
        }
    }
    const uint warp_m = warp / WARPS_N, warp_n = warp % WARPS_N;
    V sum[4][2 * QUADS];
#pragma unroll
    for (uint i = 0; i < 4; ++i)
#pragma unroll
        for (uint j = 0; j < 2 * QUADS; ++j) sum[i][j] = 0;
    // While one step's numbers are multiplied, the next one's are on their way to registers.
    Fragments step[2];
    uint stage = 0, phase = 0;
    const uint b_block = A_BLOCKS + warp_n * WARP_N / LINES, quad0 = warp_n * QUADS % 4;
    gp_bulk_wait(&full[0], 0);
    read_fragments(&step[0], stages[0][warp_m], stages[0][b_block], 0, quad0, lane);
    for (ulong depth = 0; depth < depths; ++depth) {
#pragma unroll
        for (uint s = 0; s + 1 < STEPS; ++s) {
            read_fragments(&step[(s + 1) % 2], stages[stage][warp_m], stages[stage][b_block], s + 1, quad0, lane);
            multiply_fragments(sum, &step[s % 2]);
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
            read_fragments(&step[0], stages[stage][warp_m], stages[stage][b_block], 0, quad0, lane);
        }
        multiply_fragments(sum, &step[1]);
    }

    const uint g = lane / 4, t = lane % 4;
#pragma unroll
    for (uint j = 0; j < QUADS; ++j) {
        const uint column = warp_n * WARP_N + j * 16 + t * 4;
        if (column >= columns) continue;
#if DTYPE == 10
        int shifts[4];
#pragma unroll
        for (uint q = 0; q < 4; ++q) shifts[q] = column + q < columns ? shift_of(b_ranges, column + q) : 0;
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
#if DTYPE == 10
                const int shift = shift_of(a_ranges, row);
                result = (V)(times_power(result.s0, shift + shifts[0]), times_power(result.s1, shift + shifts[1]),
                             times_power(result.s2, shift + shifts[2]), times_power(result.s3, shift + shifts[3]));
#endif
                finish(c + row * c_row_stride, column, columns - column, result, (V)(alpha), (V)(beta), reads_c);
            }
        }
    }
}
