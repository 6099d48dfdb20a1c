// Sums of a product that was cut along k: slice after slice, in that order, so that results are the same bits every time.
// For small C and large k, where one work-item for each element, or one work-group for each tile, would not fill a device.
//
// Macros: those of semiring.cl
// Launch: matmul_slices: one dimension, at least batch * m * n work-items
// SPDX-License-Identifier: MIT

// Where slice `slice` of `slices` begins in k, at a multiple of `step`.
ulong slice_begin(ulong slice, ulong slices, ulong k, uint step) {
    return min(k, (k + slices * step - 1) / (slices * step) * step * slice);
}

// partial: slices x batch x m x n without gaps.
kernel void matmul_slices(global const VALUE *partial, ulong partial_offset, ulong slices, global STORED *c,
                          ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m, ulong n, ulong batch,
                          VALUE alpha, VALUE beta, uint reads_c) {
    const ulong id = get_global_id(0);
    if (id >= m * n * batch) return;
    // No remainder beside a quotient: compilers "freeze" its operands, which Oclgrind does not know.
    const ulong row = id / n, g = row / m;
    partial += partial_offset + id;
    V sum = (V)(partial[0]);
    for (ulong s = 1; s < slices; ++s) sum = plus(sum, (V)(partial[s * m * n * batch]));
    finish(c, c_offset + g * c_batch_stride + (row - g * m) * c_row_stride + (id - row * n), 1, sum,
           FACTOR(V, (V)(alpha)), FACTOR(V, (V)(beta)), reads_c);
}
