// Differences of neighbouring elements of columns: every work-item walks along a part of GP_COLUMNS
// rows of the batch, so that work-items side by side, or a work-item's own loop, read elements side
// by side.
//
// Macros: those of pair.cl; GP_COLUMNS: rows a work-item takes, 1 on a GPU; more need neighbouring
//         rows 1 apart
// Launch: work-items (batch / GP_COLUMNS, parts), each with `part` results of a row (the last with
//         the rest). Work-groups of any size
// Source: one part of a row a work-item
// SPDX-License-Identifier: MIT
#include "common/columns.cl"
#include "difference/pair.cl"

kernel void difference_columns(GP_ROWS, ulong step_in, ulong step_out, ulong part) {
    const ulong column = get_global_id(0) * GP_COLUMNS, begin = get_global_id(1) * part;
    if (column >= batch) return;
    const uint width = (uint)min((ulong)GP_COLUMNS, batch - column);
    in += in_offset + column * stride_in;
    out += out_offset + column * stride_out;
    for (ulong i = begin; i < min(begin + part, n); ++i)
        for (uint c = 0; c < width; ++c)
            gp_result(in + GP_COLUMN(c, stride_in), step_in, out + GP_COLUMN(c, stride_out), step_out, i);
}
