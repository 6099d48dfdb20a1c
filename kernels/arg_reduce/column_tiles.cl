// The smallest or largest element of columns, and its position, on GPUs in one launch. Each
// work-group looks through a part of neighbouring columns. The last work-group to end of those
// columns' parts compares their results.
//
// Macros: those of results.cl and column_lanes.cl
// Launch: work-groups of GP_GROUP work-items; along the first dimension one for every across *
//         GP_WIDTH columns, along the second one for every `part` positions. With several parts,
//         `ranks` and `places` hold one of each part and column, and `ended` one number for each
//         group along the first dimension, which is zero, and zero again in the end. With one part
//         none of them is used
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#include "arg_reduce/state.cl"

#include "common/column_lanes.cl"
#include "common/last_group.cl"

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP void
arg_reduce_column_tiles(GP_ROWS, uint across, ulong part, volatile global Rank *ranks, ulong ranks_offset,
                        volatile global uint *places, ulong places_offset, volatile global uint *ended,
                        ulong ended_offset, GP_RESULTS) {
    local State room[GP_COLUMN_ROOM];
    local uint last;
    const uint id = (uint)get_local_id(0), below = id / across, deep = GP_GROUP / across;
    const uint parts = (uint)get_num_groups(1);
    const ulong column = (get_group_id(0) * across + (id & (across - 1))) * GP_WIDTH, first = get_group_id(1) * part;
    const uint columns = column < batch ? (uint)min(batch - column, (ulong)GP_WIDTH) : 0;
    State mine[GP_WIDTH];
    gp_combine_column(in + in_offset + column * stride_in + first * step_in,
                      columns != 0 ? (uint)min(part, n - first) : 0, columns, below, deep, step_in, flip, mine);
    gp_join_columns(mine, across, room);
    ulong place[GP_WIDTH];
#pragma unroll
    for (uint c = 0; c < GP_WIDTH; ++c) place[c] = gp_place(mine[c]);
    if (parts > 1) {
        ranks += ranks_offset + column;
        places += places_offset + column;
        if (below == 0) {
#pragma unroll
            for (uint c = 0; c < GP_WIDTH; ++c) {
                if (c < columns) {
                    GP_PUBLISH(ranks + get_group_id(1) * batch + c, mine[c].rank);
                    gp_publish_uint(places + get_group_id(1) * batch + c, (uint)place[c]);
                }
            }
        }
        if (!gp_is_last(ended + ended_offset + get_group_id(0), parts, &last)) return;
        const uint each = (parts + deep - 1) / deep;
#pragma unroll
        for (uint c = 0; c < GP_WIDTH; ++c) {
            mine[c] = gp_none();
            if (c < columns)
                for (uint k = below * each; k < min((below + 1) * each, parts); ++k)
                    mine[c] = gp_join(mine[c], (State){(Key)GP_LOOK(ranks + k * batch + c), k});
        }
        gp_join_columns(mine, across, room);
#pragma unroll
        for (uint c = 0; c < GP_WIDTH; ++c) {
            const uint found = min(mine[c].position, parts - 1); // only those on top have the best of all
            place[c] = c < columns ? found * part + gp_look_uint(places + found * batch + c) : 0;
        }
    }
    if (below == 0) {
#pragma unroll
        for (uint c = 0; c < GP_WIDTH; ++c)
            if (c < columns) GP_WRITE_PLACE(column + c, place[c])
    }
}
