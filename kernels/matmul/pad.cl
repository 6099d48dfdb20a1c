// What the algorithms on padded matrices begin and end with.
//
// Computes: matmul_pad: a strided matrix to rows without gaps, `fill` around it; matmul_unpad: C =
//           alpha * P + beta * C
// Macros:   those of semiring.cl, with GP_WIDTH 1
// Launch:   matmul_pad: a work-item for each element of the padded matrix, columns in dimension 0;
//           matmul_unpad: at least n x m work-items
// Source:   Gruber, "GPGPU Computing with OpenCL", 2013, listing 6, which pads while it copies to
//           the device
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"

kernel void matmul_pad(global const Stored *from, ulong from_offset, ulong row_stride, ulong column_stride, ulong rows,
                       ulong columns, Value fill, global Value *to, ulong to_offset) {
    const ulong i = get_global_id(1), j = get_global_id(0);
    from += from_offset;
    to[to_offset + i * get_global_size(0) + j] =
        i < rows && j < columns ? load(from, i * row_stride + j * column_stride) : fill;
}

kernel void matmul_unpad(global const Value *product, ulong product_offset, ulong pitch, global Result *c,
                         ulong c_offset, ulong c_row_stride, ulong m, ulong n, Value alpha, Value beta,
                         uint reads_c GP_FINISH_PARAMETERS) {
    const ulong i = get_global_id(1), j = get_global_id(0);
    if (i >= m || j >= n) return;
    finish(c, c_offset + i * c_row_stride + j, 1, product[product_offset + i * pitch + j], alpha, beta,
           reads_c GP_FINISH_AT(0, i, j));
}
