// Reduction of rows on GPUs in one launch. Lanes, a power of two of work-items, reduce each row, or
// each part of a long one. The last work-group to end of a row's parts combines their results.
//
// Macros: those of combine.cl, row_lanes.cl and counted.cl
// Launch: work-groups of GP_GROUP work-items; along the first dimension one for every GP_GROUP /
//         lanes rows, along the second one for every `share` elements of a row. With several parts,
//         lanes is GP_GROUP, `sums` holds one of each part, and `ended` one number a row, which is
//         zero, and zero again in the end. With one part neither is used
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#include "reduce/state.cl"

#include "common/counted.cl"
#include "common/last_group.cl"
#include "common/row_lanes.cl"

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
reduce_rows(global const GP_IN *in, ulong in_offset, global T *out, ulong out_offset, volatile global T *sums,
            ulong sums_offset, volatile global uint *ended, ulong ended_offset, ulong n, ulong batch, uint lanes,
            ulong share, ulong stride_in, ulong step_in, ulong stride_out GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local State room[GP_GROUP];
    local uint last;
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    const uint part = (uint)get_group_id(1), parts = (uint)get_num_groups(1);
    const ulong row = get_group_id(0) * (GP_GROUP / lanes) + id / lanes, begin = part * share;
    global const GP_RAW *first = (global const GP_RAW *)in + in_offset;
    const Span span = {first, first + (batch - 1) * stride_in + (n - 1) * step_in + 1};
    State sum = gp_none();
    if (row < batch && begin < n)
        sum = gp_combine_lane(&span, first + row * stride_in + begin * step_in, (uint)min(share, n - begin), lane,
                              lanes, step_in, 0);
    sum = gp_join_lanes(sum, lanes, room);
    if (parts > 1) {
        sums += sums_offset + row * parts;
        if (id == 0) GP_PUBLISH(sums + part, sum);
        if (!gp_is_last(ended + ended_offset + row, parts, &last)) return;
        const uint each = (parts + GP_GROUP - 1) / GP_GROUP;
        sum = gp_none();
#pragma unroll 4
        for (uint k = id * each; k < min((id + 1) * each, parts); ++k) sum = gp_join(sum, GP_LOOK(sums + k));
        sum = gp_join_lanes(sum, GP_GROUP, room);
    }
    if (lane == 0 && row < batch) out[out_offset + row * stride_out] = sum;
}

// One row without steps, by one work-group.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
reduce_array(global const GP_IN *in, ulong in_offset, global T *out, ulong out_offset, ulong n GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local State room[GP_GROUP];
    const uint id = (uint)get_local_id(0);
    global const GP_RAW *first = (global const GP_RAW *)in + in_offset;
    const Span span = {first, first + n};
    State sum = gp_combine_lane(&span, first, (uint)n, id, GP_GROUP, 1, 0);
    sum = gp_join_lanes(sum, GP_GROUP, room);
    if (id == 0) out[out_offset] = sum;
}
