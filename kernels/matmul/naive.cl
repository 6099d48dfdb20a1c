// C = alpha * A * B + beta * C in a semiring: one work-item an element of C. Runs anywhere; the
// other algorithms' check.
//
// Macros: those of semiring.cl, with GP_WIDTH 1
// Launch: matmul_naive: at least n x m x batch work-items; matmul_naive_1d: one dimension, at least
//         m * n * batch of them; work-groups of any size
// Source: the definition; Gruber, "GPGPU Computing with OpenCL", 2013, 3.2 and 3.6
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"

#define GP_MATRICES                                                                                                    \
    global const Stored *a, ulong a_offset, ulong a_row_stride, ulong a_column_stride, ulong a_batch_stride,           \
        global const Stored *b, ulong b_offset, ulong b_row_stride, ulong b_column_stride, ulong b_batch_stride,       \
        global Result *c, ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m, ulong n, ulong k,         \
        ulong batch, Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS

// Element (i, j) of product g.
#define GP_ELEMENT(g, i, j)                                                                                            \
    a += a_offset + (g)*a_batch_stride + (i)*a_row_stride;                                                             \
    b += b_offset + (g)*b_batch_stride + (j)*b_column_stride;                                                          \
    Value sum = GP_ZERO;                                                                                               \
    for (ulong p = 0; p < k; ++p) sum = accumulate(sum, load(a, p * a_column_stride), load(b, p * b_row_stride));      \
    finish(c, c_offset + (g)*c_batch_stride + (i)*c_row_stride + (j), 1, sum, GP_FACTOR(Value, alpha),                 \
           GP_FACTOR(Value, beta), reads_c GP_FINISH_AT(g, i, j))

kernel void matmul_naive(GP_MATRICES) {
    const ulong j = get_global_id(0), i = get_global_id(1), g = get_global_id(2);
    if (i >= m || j >= n || g >= batch) return;
    GP_ELEMENT(g, i, j);
}

kernel void matmul_naive_1d(GP_MATRICES) {
    const ulong id = get_global_id(0);
    if (id >= m * n * batch) return;
    // A remainder beside a quotient makes compilers "freeze" operands, which Oclgrind does not
    // know.
    const ulong row = id / n;
    const ulong j = id - row * n;
    const ulong g = row / m;
    const ulong i = row - g * m;
    GP_ELEMENT(g, i, j);
}
