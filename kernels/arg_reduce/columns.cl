// The smallest or largest element of columns, and its position: every work-item walks along a part
// of GP_COLUMNS rows of the batch, so that work-items side by side, or a work-item's own loop, read
// elements side by side.
//
// Macros: those of best.cl; GP_COLUMNS: rows a work-item takes, 1 on a GPU
// Launch: arg_reduce_columns: work-items (batch / GP_COLUMNS, parts), each with `part` positions
//         (the last with the rest); part k of row r goes to ranks[k * batch + r]. Work-groups of
//         any size
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than
//         processors)
// SPDX-License-Identifier: MIT
#include "arg_reduce/best.cl"
#include "common/columns.cl"

kernel void arg_reduce_columns(GP_ROWS, ulong part, global Key *ranks, ulong ranks_offset, global ulong *positions,
                               ulong positions_offset) {
    const ulong column = get_global_id(0) * GP_COLUMNS, first = get_global_id(1) * part;
    if (column >= batch) return;
    const uint width = (uint)min((ulong)GP_COLUMNS, batch - column);
    in += in_offset + column * stride_in;
    const ulong at = get_global_id(1) * batch + column;
    Key rank[GP_COLUMNS];
    uint place[GP_COLUMNS]; // in the part
    for (uint c = 0; c < width; ++c) {
        rank[c] = gp_rank(in[first * step_in + GP_COLUMN(c, stride_in)], (Key)flip);
        place[c] = 0;
    }
    const uint count = (uint)min(part, n - first);
    for (uint p = 1; p < count; ++p) {
        for (uint c = 0; c < width; ++c) {
            const Key here = gp_rank(in[(first + p) * step_in + GP_COLUMN(c, stride_in)], (Key)flip);
            place[c] = here < rank[c] ? p : place[c];
            rank[c] = min(here, rank[c]);
        }
    }
    for (uint c = 0; c < width; ++c) {
        ranks[ranks_offset + at + c] = rank[c];
        positions[positions_offset + at + c] = first + place[c];
    }
}
