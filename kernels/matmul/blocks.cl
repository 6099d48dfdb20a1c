// C = A * B of padded float32 matrices: a work-item a block of 4 x 4 elements of C, in vectors,
// from global memory.
//
// Macros: none
// Launch: n / 4 x m / 4 work-items in work-groups of any size; m, n and k are multiples of 4
// Source: Gruber, "GPGPU Computing with OpenCL", 2013, 3.4; after AMD's APP SDK
// SPDX-License-Identifier: MIT
#include "matmul/block.cl"

kernel void matmul_blocks(global const float *a, ulong a_offset, global const float *b, ulong b_offset, global float *c,
                          ulong c_offset, ulong n, ulong k) {
    const ulong column = get_global_id(0) * 4, row = get_global_id(1) * 4;
    a += a_offset + row * k;
    b += b_offset + column;
    c += c_offset + row * n + column;
    GP_BLOCK_SUMS;
    for (ulong p = 0; p < k; p += 4) {
        const float4 b0 = vload4(0, b + p * n), b1 = vload4(0, b + (p + 1) * n);
        const float4 b2 = vload4(0, b + (p + 2) * n), b3 = vload4(0, b + (p + 3) * n);
        const float4 a0 = vload4(0, a + p), a1 = vload4(0, a + k + p);
        const float4 a2 = vload4(0, a + 2 * k + p), a3 = vload4(0, a + 3 * k + p);
        GP_ADD_BLOCKS;
    }
    GP_STORE_BLOCK(c, n);
}
