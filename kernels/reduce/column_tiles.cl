// Reduction of columns on GPUs in one launch. Each work-group reduces a part of neighbouring
// columns. The last work-group to end of those columns' parts combines their results.
//
// Macros: those of combine.cl and column_lanes.cl
// Launch: work-groups of GP_GROUP work-items; along the first dimension one for every across *
//         GP_WIDTH columns, along the second one for every `part` positions. With several parts,
//         `sums` holds one of each part and column, and `ended` one number for each group along the
//         first dimension, which is zero, and zero again in the end. With one part neither is used
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#include "reduce/state.cl"

#include "common/column_lanes.cl"
#include "common/last_group.cl"

#define GP_AHEAD (GP_WIDTH < 8 ? 4 : 1) // parts whose results are read at a time

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
reduce_column_tiles(global const GP_IN *in, ulong in_offset, global T *out, ulong out_offset, volatile global T *sums,
                    ulong sums_offset, volatile global uint *ended, ulong ended_offset, ulong n, ulong batch,
                    uint across, ulong part, ulong stride_in, ulong step_in, ulong stride_out) {
    local State room[GP_COLUMN_ROOM];
    local uint last;
    const uint id = (uint)get_local_id(0), place = id / across, deep = GP_GROUP / across;
    const uint parts = (uint)get_num_groups(1);
    const ulong column = (get_group_id(0) * across + (id & (across - 1))) * GP_WIDTH, first = get_group_id(1) * part;
    const uint columns = column < batch ? (uint)min(batch - column, (ulong)GP_WIDTH) : 0;
    State mine[GP_WIDTH];
    gp_combine_column((global const GP_RAW *)in + in_offset + column * stride_in + first * step_in,
                      columns != 0 ? (uint)min(part, n - first) : 0, columns, place, deep, step_in, 0, mine);
    gp_join_columns(mine, across, room);
    if (parts > 1) {
        sums += sums_offset + column;
        if (place == 0) {
#pragma unroll
            for (uint c = 0; c < GP_WIDTH; ++c)
                if (c < columns) GP_PUBLISH(sums + get_group_id(1) * batch + c, mine[c]);
        }
        if (!gp_is_last(ended + ended_offset + get_group_id(0), parts, &last)) return;
        const uint each = (parts + deep - 1) / deep, begin = min(place * each, parts), end = min(begin + each, parts);
#pragma unroll
        for (uint c = 0; c < GP_WIDTH; ++c) mine[c] = gp_none();
        for (uint k = begin; k < end; k += GP_AHEAD) {
            State ahead[GP_AHEAD * GP_WIDTH]; // on their way together
#pragma unroll
            for (uint i = 0; i < GP_AHEAD * GP_WIDTH; ++i) {
                const uint number = k + i / GP_WIDTH, c = i % GP_WIDTH;
                ahead[i] = gp_none();
                if (number < end && c < columns) ahead[i] = GP_LOOK(sums + number * batch + c);
            }
#pragma unroll
            for (uint i = 0; i < GP_AHEAD * GP_WIDTH; ++i) mine[i % GP_WIDTH] = gp_join(mine[i % GP_WIDTH], ahead[i]);
        }
        gp_join_columns(mine, across, room);
    }
    if (place == 0) {
#pragma unroll
        for (uint c = 0; c < GP_WIDTH; ++c)
            if (c < columns) out[out_offset + (column + c) * stride_out] = mine[c];
    }
}
