// C = alpha * A * B + beta * C in a semiring, for small matrices and any number of them: a
// work-item computes 4 rows of GP_WIDTH columns of C straight from memory; a work-group takes
// blocks of as many products as it has room for.
//
// Macros: those of semiring.cl, GP_WIDTH at most 4
// Launch: one dimension, work-groups of any size: at least batch * ceil(m / 4) * ceil(n / GP_WIDTH)
//         work-items
// Source: Gruber, "GPGPU Computing with OpenCL", 2013, 3.4, without its padding
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"
#include "matmul/matrices.cl"

#define GP_ROWS 4

#define GP_GIVEN(X) GP_OF_MATRICES(X) X(ulong, batch) GP_OF_FINISH(X)
GP_STRUCT(Given, GP_GIVEN);

kernel void matmul_small(GP_MATRICES GP_BIAS_MEMORY, Given given) {
    GP_TAKE(GP_GIVEN)
    const ulong across = (n + GP_WIDTH - 1) / GP_WIDTH, down = (m + GP_ROWS - 1) / GP_ROWS;
    if (get_global_id(0) >= across * down * batch) return;
    // A remainder beside a quotient makes compilers "freeze" operands, which Oclgrind does not
    // know.
    const ulong block_row = get_global_id(0) / across;
    const ulong g = block_row / down;
    const ulong i0 = (block_row - g * down) * GP_ROWS;
    const ulong j0 = (get_global_id(0) - block_row * across) * GP_WIDTH;
    const uint rows = (uint)min((ulong)GP_ROWS, m - i0), columns = (uint)min((ulong)GP_WIDTH, n - j0);
    a += a_offset + g * a_batch_stride + i0 * a_row_stride;
    b += b_offset + g * b_batch_stride + j0 * b_column_stride;
    c += c_offset + g * c_batch_stride + i0 * c_row_stride + j0;
    V sum[GP_ROWS];
#pragma unroll
    for (uint r = 0; r < GP_ROWS; ++r) sum[r] = GP_ZERO;
    const bool whole = columns == GP_WIDTH && b_column_stride == 1;
    for (ulong p = 0; p < k; ++p) {
        V row;
        if (whole) {
            row = load_vector(b, p * b_row_stride);
        } else {
            Value x[GP_WIDTH];
            for (uint q = 0; q < GP_WIDTH; ++q)
                x[q] = load(b, p * b_row_stride + min(q, columns - 1) * b_column_stride);
            row = GP_READ(0, x);
        }
#pragma unroll
        for (uint r = 0; r < GP_ROWS; ++r)
            sum[r] = accumulate(sum[r], (V)(load(a, min(r, rows - 1) * a_row_stride + p * a_column_stride)), row);
    }
    const V va = (V)(GP_FACTOR(Value, alpha)), vb = (V)(GP_FACTOR(Value, beta));
#pragma unroll
    for (uint r = 0; r < GP_ROWS; ++r)
        if (r < rows) finish(c, r * c_row_stride, columns, sum[r], va, vb, reads_c GP_FINISH_AT(g, i0 + r, j0));
}
