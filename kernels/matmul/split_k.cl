// Sums of a product that was cut along k: slice after slice, in that order, so that results are the
// same bits every time. For small C and large k, where one work-item for each element, or one
// work-group for each tile, would not fill a device.
//
// Macros: those of semiring.cl; GP_UNLESS_REPORTED, to do nothing where *report is set
// Launch: matmul_add_split_k: one dimension, at least batch * m * pitch / width work-items
// SPDX-License-Identifier: MIT

// Where slice `slice` of `slices` begins in k, at a multiple of `step`. None is empty where k has
// as many steps.
ulong slice_begin(ulong slice, ulong slices, ulong k, uint step) {
    return min(k, (k + step - 1) / step * slice / slices * step);
}

// partial: batch x slices x m x pitch. `width` neighbours a work-item: 1, or GP_WIDTH, of which
// pitch is a multiple then.
kernel void matmul_add_split_k(global const Value *partial, ulong partial_offset, ulong slices, ulong pitch,
                               ulong width, global Result *c, ulong c_offset, ulong c_row_stride, ulong c_batch_stride,
                               ulong m, ulong n, ulong batch,
#ifdef GP_UNLESS_REPORTED
                               global const uint *report, ulong report_offset,
#endif
                               Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
#ifdef GP_UNLESS_REPORTED
    if (report[report_offset] != 0) return;
#endif
    // A remainder beside a quotient makes compilers "freeze" operands, which Oclgrind does not
    // know.
    const ulong in_row = pitch / width, row = get_global_id(0) / in_row;
    const ulong column = (get_global_id(0) - row * in_row) * width, g = row / m;
    if (g >= batch || column >= n) return;
    partial += partial_offset + (g * (slices - 1) * m + row) * pitch + column;
    V sum;
    if (width == 1) {
        sum = (V)(partial[0]);
#pragma unroll 4
        for (ulong s = 1; s < slices; ++s) sum = plus(sum, (V)(partial[s * m * pitch]));
    } else {
        sum = *(global const V *)partial;
#pragma unroll 4
        for (ulong s = 1; s < slices; ++s) sum = plus(sum, *(global const V *)(partial + s * m * pitch));
    }
    finish(c, c_offset + g * c_batch_stride + (row - g * m) * c_row_stride + column, (uint)min(width, n - column), sum,
           GP_FACTOR(V, (V)(alpha)), GP_FACTOR(V, (V)(beta)), reads_c GP_FINISH_AT(g, row - g * m, column));
}
