// float32 as halves: each row of A and column of B is multiplied by a power of two of its own, such
// that its largest number is nearly the largest half.
//
// Macros: those of semiring.cl, with a GP_DTYPE of float32; those of operands.cl, with GP_LINES,
//         64, lines of a block of A and of B
// Gives: the kernel halves_range, the ranges of the lines' chunks; find_scale, and times_power,
//        which takes a scale back
// Launch: halves_range: ceil(k / chunk) * blocks of lines of A and B x products, work-groups of 256
// Source: Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores while
//         surpassing the FP32 theoretical peak performance", 2022
// SPDX-License-Identifier: MIT
#define GP_SCALED_EXPONENT 14 // of a line's largest magnitude, as a half

// The bits of the largest magnitude, and the complement of those of the smallest but 0, among those
// found so far and x.
uint2 further(uint2 found, float x) {
    const uint bits = as_uint(x) & 0x7fffffff;
    return max(found, (uint2)(bits, bits == 0 ? 0 : ~bits));
}

// ranges: products x blocks of lines of both x chunks x GP_LINES.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
halves_range(GP_OPERANDS, ulong k, ulong chunk, global uint2 *ranges, ulong ranges_offset, global uint *report,
             ulong report_offset) {
    local uint2 found_by[8][GP_LINES];
    const uint id = (uint)get_local_id(0), lane = id % 32, warp = id / 32;
    if (get_group_id(0) + get_group_id(1) + id == 0) report[report_offset] = 0;
    const ulong chunks = (k + chunk - 1) / chunk, number = get_group_id(0) / chunks;
    const ulong k0 = (get_group_id(0) - number * chunks) * chunk;
    const Block block = block_of(number, get_group_id(1), GP_BOTH);
    const ulong stride = block.line_stride;
    global const float *x = block.x + k0 * block.k_stride;
    const uint deep = (uint)min(chunk, k - k0);
    ranges += ranges_offset + (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * GP_LINES;
    // Neighbours in memory go to neighbouring work-items, and many loads are on their way at a
    // time.
    if (block.k_stride == 1) {
        uint2 found[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        const bool vectors = (size_t)x % 16 == 0 && stride % 4 == 0;
        const uint whole = vectors ? deep / 4 * 4 : 0;
        for (uint p = lane * 4; p < whole; p += 128) {
#pragma unroll
            for (uint j = 0; j < 8; ++j)
                if (warp + 8 * j < block.lines) {
                    const float4 four = *(global const float4 *)(x + (warp + 8 * j) * stride + p);
                    found[j] = further(further(further(further(found[j], four.s0), four.s1), four.s2), four.s3);
                }
        }
        for (uint p = whole + lane; p < deep; p += 32) {
#pragma unroll
            for (uint j = 0; j < 8; ++j)
                if (warp + 8 * j < block.lines) found[j] = further(found[j], x[(warp + 8 * j) * stride + p]);
        }
#pragma unroll
        for (uint j = 0; j < 8; ++j) {
            const uint2 of_line = (uint2)(gp_largest_of_warp(found[j].x), gp_largest_of_warp(found[j].y));
            if (lane == 0) ranges[warp + 8 * j] = of_line;
        }
    } else {
        uint2 found[2] = {0, 0};
#pragma unroll 8
        for (uint p = warp; p < deep; p += 8) {
#pragma unroll
            for (uint j = 0; j < 2; ++j)
                if (lane + 32 * j < block.lines)
                    found[j] = further(found[j], x[(lane + 32 * j) * stride + p * block.k_stride]);
        }
        found_by[warp][lane] = found[0];
        found_by[warp][lane + 32] = found[1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (block.k_stride != 1 && id < GP_LINES) {
        uint2 of_line = 0;
        for (uint w = 0; w < 8; ++w) of_line = max(of_line, found_by[w][id]);
        ranges[id] = of_line;
    }
}

int exponent_of(uint bits) { return (int)(bits >> 23) - 127; }

// The power of two by which a line is multiplied, from its largest magnitude.
float scale_of(uint largest) {
    return largest == 0 ? 1 : as_float((uint)(127 + GP_SCALED_EXPONENT - exponent_of(largest)) << 23);
}

// The exponent that takes this back.
int shift_of(uint largest) { return largest == 0 ? 0 : exponent_of(largest) - GP_SCALED_EXPONENT; }

// Are the line's numbers finite, its scale a float, and the smallest one far enough above what the
// halves can tell apart?
bool fits_halves(uint largest, uint smallest, uint span) {
    if (largest == 0) return true;
    const int high = exponent_of(largest), low = exponent_of(~smallest);
    return high >= -100 && high < 128 && high - low <= (int)span;
}

// The scale of a line, from the ranges of its chunks. Where asked to tell, *shift becomes what
// takes it back, and *report 1 if halves don't hold the line.
float find_scale(global const uint2 *ranges, ulong chunks, uint span, bool tell, global int *shift,
                 global uint *report) {
    uint2 found = 0;
#pragma unroll 4
    for (ulong c = 0; c < chunks; ++c) found = max(found, ranges[c * GP_LINES]);
    if (tell) {
        *shift = shift_of(found.x);
        if (!fits_halves(found.x, found.y, span)) *report = 1;
    }
    return scale_of(found.x);
}

// x 2^exponent, in two steps, each of which is a float.
float times_power(float x, int exponent) {
    const int first = exponent / 2;
    return x * as_float((uint)(127 + first) << 23) * as_float((uint)(127 + exponent - first) << 23);
}
