// Reduction of columns: every work-item walks along a part of GP_COLUMNS rows of the batch, so that
// work-items side by side, or a work-item's own loop, read elements side by side. With several
// parts a row, the first launch writes their sums, and a second one combines those of each row.
//
// Macros: those of combine.cl; GP_COLUMNS: rows a work-item takes, 1 on a GPU; more need
//         neighbouring rows 1 apart
// Launch: reduce_columns: work-items (batch / GP_COLUMNS, parts), each with `part` positions (the
//         last with the rest); part k of row r goes to out[k * batch + r * stride_out].
//         reduce_sums: one work-item a row. Work-groups of any size.
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than
//         processors)
// SPDX-License-Identifier: MIT
#include "common/columns.cl"
#include "common/combine.cl"

kernel void reduce_columns(global const GP_IN *in, ulong in_offset, global T *out, ulong out_offset, ulong n,
                           ulong batch, ulong part, ulong stride_in, ulong step_in, ulong stride_out) {
    const ulong column = get_global_id(0) * GP_COLUMNS, first = get_global_id(1) * part;
    if (column >= batch) return;
    const uint width = (uint)min((ulong)GP_COLUMNS, batch - column);
    in += in_offset + column * stride_in;
    out += out_offset + get_global_id(1) * batch + column * stride_out;
    T sum[GP_COLUMNS];
    for (uint c = 0; c < width; ++c) sum[c] = GP_ZERO;
    for (ulong p = first; p < min(first + part, n); ++p) {
        for (uint c = 0; c < width; ++c) {
            const T x = GP_READ(in, p * step_in + GP_COLUMN(c, stride_in));
            sum[c] = GP_COMBINE(sum[c], x);
        }
    }
    for (uint c = 0; c < width; ++c) out[c * stride_out] = sum[c];
}

kernel void reduce_sums(global const T *sums, ulong sums_offset, global T *out, ulong out_offset, ulong batch,
                        ulong parts, ulong stride_out) {
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    T sum = GP_ZERO;
    for (ulong k = 0; k < parts; ++k) {
        const T x = sums[sums_offset + k * batch + row];
        sum = GP_COMBINE(sum, x);
    }
    out[out_offset + row * stride_out] = sum;
}
