// Whether columns are sorted: every work-item walks along a part of GP_COLUMNS rows of the batch,
// so that work-items side by side, or a work-item's own loop, read elements side by side.
//
// Macros: those of breaks.cl; GP_COLUMNS: rows a work-item takes, 1 on a GPU
// Launch: is_sorted_columns: work-items (batch / GP_COLUMNS, parts), each with `part` positions
//         (the last with the rest); part k of row r goes to firsts[k * batch + r]. Work-groups of
//         any size
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than
//         processors)
// SPDX-License-Identifier: MIT
#include "common/columns.cl"
#include "is_sorted/breaks.cl"

kernel void is_sorted_columns(GP_ROWS, ulong part, global ulong *firsts, ulong firsts_offset) {
    const ulong column = get_global_id(0) * GP_COLUMNS, first = get_global_id(1) * part;
    if (column >= batch) return;
    const uint width = (uint)min((ulong)GP_COLUMNS, batch - column);
    in += in_offset + column * stride_in;
    Key before[GP_COLUMNS];
    uint place[GP_COLUMNS]; // in the part
    const ulong begin = max(first, 1ul);
    for (uint c = 0; c < width; ++c) {
        place[c] = ~0u;
        if (n > 0) before[c] = gp_ordered(in[(begin - 1) * step_in + GP_COLUMN(c, stride_in)], (Key)flip);
    }
    const uint count = (uint)(min(first + part, n) - min(begin, n));
    for (uint p = 0; p < count; ++p) {
        for (uint c = 0; c < width; ++c) {
            const Key here = gp_ordered(in[(begin + p) * step_in + GP_COLUMN(c, stride_in)], (Key)flip);
            place[c] = min(place[c], gp_breaks(before[c], here, strict) != 0 ? p : ~0u);
            before[c] = here;
        }
    }
    for (uint c = 0; c < width; ++c)
        firsts[firsts_offset + get_global_id(1) * batch + column + c] = place[c] == ~0u ? GP_NOWHERE : begin + place[c];
}
