// C = A * B of padded float32 matrices: as blocks.cl, with private arrays instead of vectors, to
// see what that costs.
//
// Macros: none
// Launch: n / 4 x m / 4 work-items in work-groups of any size; m, n and k are multiples of 4
// Source: Gruber, "GPGPU Computing with OpenCL", 2013, 3.6
// SPDX-License-Identifier: MIT

kernel void matmul_blocks_arrays(global const float *a, ulong a_offset, global const float *b, ulong b_offset,
                                 global float *c, ulong c_offset, ulong n, ulong k) {
    const ulong column = get_global_id(0) * 4, row = get_global_id(1) * 4;
    a += a_offset + row * k;
    b += b_offset + column;
    c += c_offset + row * n + column;
    float sum[4][4];
    for (uint i = 0; i < 4; ++i)
        for (uint j = 0; j < 4; ++j) sum[i][j] = 0;
    for (ulong p = 0; p < k; p += 4) {
        float a_block[4][4], b_block[4][4];
        for (uint i = 0; i < 4; ++i) {
            for (uint j = 0; j < 4; ++j) {
                a_block[i][j] = a[i * k + p + j];
                b_block[i][j] = b[(p + i) * n + j];
            }
        }
        for (uint i = 0; i < 4; ++i)
            for (uint j = 0; j < 4; ++j)
                for (uint q = 0; q < 4; ++q) sum[i][j] += a_block[i][q] * b_block[q][j];
    }
    for (uint i = 0; i < 4; ++i)
        for (uint j = 0; j < 4; ++j) c[i * n + j] = sum[i][j];
}
