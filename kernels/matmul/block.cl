// A block of 4 x 4 elements of C in four vectors, as blocks.cl, blocks_and_tiles.cl and images.cl
// compute it.
//
// Gives: GP_BLOCK_SUMS, which declares the sums; GP_ADD_BLOCKS, which adds the product of the rows
//        a0 .. a3 of a block of A and b0 .. b3 of one of B; GP_STORE_BLOCK(c, pitch), which writes
//        the sums to rows `pitch` apart
// Source: Gruber, "GPGPU Computing with OpenCL", 2013, 3.4; after AMD's APP SDK
// SPDX-License-Identifier: MIT
#define GP_BLOCK_SUMS float4 sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0

#define GP_ADD_ROW(sum, a) sum += (a).x * b0 + (a).y * b1 + (a).z * b2 + (a).w * b3
#define GP_ADD_BLOCKS                                                                                                  \
    GP_ADD_ROW(sum0, a0);                                                                                              \
    GP_ADD_ROW(sum1, a1);                                                                                              \
    GP_ADD_ROW(sum2, a2);                                                                                              \
    GP_ADD_ROW(sum3, a3)

#define GP_STORE_BLOCK(c, pitch)                                                                                       \
    vstore4(sum0, 0, c);                                                                                               \
    vstore4(sum1, 0, (c) + (pitch));                                                                                   \
    vstore4(sum2, 0, (c) + 2 * (pitch));                                                                               \
    vstore4(sum3, 0, (c) + 3 * (pitch))
