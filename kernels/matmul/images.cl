// C = A * B of padded float32 matrices: as blocks.cl, with A and B in images, so that reads go
// through the texture units.
//
// Macros: none
// Launch: n / 4 x m / 4 work-items in work-groups of any size. a: an RGBA float image of k / 4 x m;
//         b: of n / 4 x k; m, n and k are multiples of 4
// Source: Gruber, "GPGPU Computing with OpenCL", 2013, 3.6
// SPDX-License-Identifier: MIT
#include "matmul/block.cl"

constant sampler_t kExact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

kernel void matmul_images(read_only image2d_t a, read_only image2d_t b, global float *c, ulong c_offset, ulong n,
                          ulong k) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1) * 4;
    c += c_offset + (ulong)y * n + (ulong)x * 4;
    GP_BLOCK_SUMS;
    for (int p = 0; p < (int)(k / 4); ++p) {
        const float4 b0 = read_imagef(b, kExact, (int2)(x, 4 * p)), b1 = read_imagef(b, kExact, (int2)(x, 4 * p + 1));
        const float4 b2 = read_imagef(b, kExact, (int2)(x, 4 * p + 2));
        const float4 b3 = read_imagef(b, kExact, (int2)(x, 4 * p + 3));
        const float4 a0 = read_imagef(a, kExact, (int2)(p, y)), a1 = read_imagef(a, kExact, (int2)(p, y + 1));
        const float4 a2 = read_imagef(a, kExact, (int2)(p, y + 2)), a3 = read_imagef(a, kExact, (int2)(p, y + 3));
        GP_ADD_BLOCKS;
    }
    GP_STORE_BLOCK(c, n);
}
