// C = min(alpha + A min-plus B, beta + C) in float32: padding and transposing, then blocks in
// registers.
//
// pad.cl has brought A, transposed, and B to k rows each, whose length is a multiple of GP_BLOCK,
// with +infinity behind the elements, so that min_plus_blocks reads neighbours at every step. A
// work-group computes GP_BLOCK x GP_BLOCK elements of C, each work-item GP_RESULTS x GP_RESULTS of
// them, GP_GROUP apart.
//
// Macros: GP_GROUP, GP_RESULTS: work-items along a work-group's edge, results along a work-item's;
//         GP_BLOCK, their product; those of semiring.cl, with GP_SEMIRING 1 and GP_WIDTH 1
// Launch: work-groups of GP_GROUP x GP_GROUP, one a block of C, rows in dimension 0
// Source: Suomela, "Programming Parallel Computers", chapter 4
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"

#if !defined(GP_GROUP) || !defined(GP_RESULTS) || !defined(GP_BLOCK) || GP_BLOCK != GP_GROUP * GP_RESULTS
#error "GP_GROUP, GP_RESULTS and their product GP_BLOCK must be defined"
#endif

__attribute__((reqd_work_group_size(GP_GROUP, GP_GROUP, 1))) kernel void
min_plus_blocks(global const float *a, ulong a_offset, ulong a_pitch, global const float *b, ulong b_offset,
                ulong b_pitch, global float *c, ulong c_offset, ulong c_row_stride, ulong m, ulong n, ulong k,
                float alpha, float beta, uint reads_c GP_FINISH_PARAMETERS) {
    const ulong row = get_group_id(0) * GP_BLOCK + get_local_id(0);
    const ulong column = get_group_id(1) * GP_BLOCK + get_local_id(1);
    a += a_offset + row;
    b += b_offset + column;
    float best[GP_RESULTS][GP_RESULTS];
    for (uint i = 0; i < GP_RESULTS; ++i)
        for (uint j = 0; j < GP_RESULTS; ++j) best[i][j] = INFINITY;
    for (ulong p = 0; p < k; ++p) {
        float x[GP_RESULTS], y[GP_RESULTS];
        for (uint i = 0; i < GP_RESULTS; ++i) x[i] = a[p * a_pitch + i * GP_GROUP];
        for (uint j = 0; j < GP_RESULTS; ++j) y[j] = b[p * b_pitch + j * GP_GROUP];
        for (uint i = 0; i < GP_RESULTS; ++i)
            for (uint j = 0; j < GP_RESULTS; ++j) best[i][j] = fmin(best[i][j], x[i] + y[j]);
    }
    for (uint i = 0; i < GP_RESULTS; ++i) {
        for (uint j = 0; j < GP_RESULTS; ++j) {
            const ulong r = row + i * GP_GROUP, s = column + j * GP_GROUP;
            if (r < m && s < n)
                finish(c, c_offset + r * c_row_stride + s, 1, best[i][j], alpha, beta, reads_c GP_FINISH_AT(0, r, s));
        }
    }
}
