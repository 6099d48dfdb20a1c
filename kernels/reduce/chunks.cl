// Reduction for CPUs: every work-item owns one contiguous chunk of a row, or some whole rows. With
// several chunks a row, the first launch writes their sums, and a second one combines those of each
// row.
//
// Macros: those of combine.cl and counted.cl
// Launch: work-groups of one. reduce_chunks: one work-item a chunk of `chunk` elements (a row's
//         last one may be short), or, with chunks = 1, every `rows` rows; chunk k of row r goes to
//         out[r * stride_out + k]. reduce_sums: one work-item a row
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than
//         processors)
// SPDX-License-Identifier: MIT
#include "common/chunk.cl"
#include "common/counted.cl"

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
reduce_chunks(global const GP_IN *in, ulong in_offset, global T *out, ulong out_offset, ulong n, ulong chunk,
              ulong chunks, ulong batch, ulong rows, ulong stride_in, ulong stride_out GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong id = get_global_id(0);
    in += in_offset;
    out += out_offset;
    if (chunks == 1) {
        for (ulong row = id * rows; row < min((id + 1) * rows, batch); ++row)
            out[row * stride_out] = gp_reduce_chunk(in + row * stride_in, n);
    } else {
        const ulong row = id / chunks, k = id - row * chunks, first = min(k * chunk, n);
        out[row * stride_out + k] = gp_reduce_chunk(in + row * stride_in + first, min(chunk, n - first));
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
reduce_sums(global const T *sums, ulong sums_offset, global T *out, ulong out_offset, ulong chunks, ulong stride_out) {
    const ulong row = get_global_id(0);
    T sum = GP_ZERO;
    for (ulong k = 0; k < chunks; ++k) {
        const T x = sums[sums_offset + row * chunks + k];
        sum = GP_COMBINE(sum, x);
    }
    out[out_offset + row * stride_out] = sum;
}
