// C = A * B of padded float32 matrices: a work-group a tile of C, from tiles of A and B in local
// memory.
//
// Every element of a tile is read from global memory once for each work-group instead of once for
// each work-item.
//
// Macros: GP_TILE, the edge of a tile
// Launch: n x m work-items in work-groups of GP_TILE x GP_TILE; m, n and k are multiples of GP_TILE
// Source: Gruber, "GPGPU Computing with OpenCL", 2013, 3.3
// SPDX-License-Identifier: MIT
#ifndef GP_TILE
#error "GP_TILE is not defined"
#endif

__attribute__((reqd_work_group_size(GP_TILE, GP_TILE, 1))) kernel void
matmul_tiles(global const float *a, ulong a_offset, global const float *b, ulong b_offset, global float *c,
             ulong c_offset, ulong n, ulong k) {
    local float a_tile[GP_TILE][GP_TILE];
    local float b_tile[GP_TILE][GP_TILE];
    const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1);
    const ulong column = get_global_id(0), row = get_global_id(1);
    a += a_offset + row * k;
    b += b_offset + column;
    float sum = 0;
    for (ulong p = 0; p < k; p += GP_TILE) {
        a_tile[y][x] = a[p + x];
        b_tile[y][x] = b[(p + y) * n];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < GP_TILE; ++i) sum += a_tile[y][i] * b_tile[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[c_offset + row * n + column] = sum;
}
