// C = A * B of padded float32 matrices: a work-item a block of 4 x 4 elements of C, from tiles of
// blocks in local memory.
//
// Macros: GP_TILE, the blocks along the edge of a tile
// Launch: n / 4 x m / 4 work-items in work-groups of GP_TILE x GP_TILE; m, n and k are multiples of
//         4 * GP_TILE
// Local:  two tiles of 4 * GP_TILE x 4 * GP_TILE floats
// Source: Gruber, "GPGPU Computing with OpenCL", 2013, 3.5; after AMD's APP SDK
// SPDX-License-Identifier: MIT
#include "matmul/block.cl"
#ifndef GP_TILE
#error "GP_TILE is not defined"
#endif

__attribute__((reqd_work_group_size(GP_TILE, GP_TILE, 1))) kernel void
matmul_blocks_and_tiles(global const float *a, ulong a_offset, global const float *b, ulong b_offset, global float *c,
                        ulong c_offset, ulong n, ulong k) {
    local float4 a_tile[4 * GP_TILE][GP_TILE];
    local float4 b_tile[4 * GP_TILE][GP_TILE];
    const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1) * 4;
    const ulong column = get_global_id(0) * 4, row = get_global_id(1) * 4;
    a += a_offset + row * k + x * 4;
    b += b_offset + column + y * n;
    c += c_offset + row * n + column;
    GP_BLOCK_SUMS;
    for (ulong p = 0; p < k; p += 4 * GP_TILE) {
        for (uint i = 0; i < 4; ++i) {
            a_tile[y + i][x] = vload4(0, a + i * k + p);
            b_tile[y + i][x] = vload4(0, b + (p + i) * n);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint q = 0; q < GP_TILE; ++q) {
            const float4 a0 = a_tile[y][q], a1 = a_tile[y + 1][q], a2 = a_tile[y + 2][q], a3 = a_tile[y + 3][q];
            const float4 b0 = b_tile[4 * q][x], b1 = b_tile[4 * q + 1][x];
            const float4 b2 = b_tile[4 * q + 2][x], b3 = b_tile[4 * q + 3][x];
            GP_ADD_BLOCKS;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    GP_STORE_BLOCK(c, n);
}
