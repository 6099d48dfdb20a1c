// The smallest or largest element of rows, and its position, on GPUs in one launch. Lanes, a power
// of two of work-items, look through each row, or each part of a long one. The last work-group to
// end of a row's parts compares their results.
//
// Macros: those of results.cl and row_lanes.cl
// Launch: work-groups of GP_GROUP work-items; along the first dimension one for every GP_GROUP /
//         lanes rows, along the second one for every `share` elements of a row. With several parts,
//         lanes is GP_GROUP, `ranks` and `places` hold one of each part, and `ended` one number a
//         row, which is zero, and zero again in the end. With one part none of them is used
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#define GP_BLOCKS
#include "arg_reduce/state.cl"

#include "common/last_group.cl"
#include "common/row_lanes.cl"

#include "arg_reduce/block.cl"

GP_INLINE State gp_with_block(State best, const Key *raw, uint v, uint next, uint head, ulong told) {
    const uint i = gp_place_in_block(raw, (Key)told, &best.rank);
    if (i < GP_READS) best.position = gp_place_of_read(i, v, next) - head;
    return best;
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP void
arg_reduce_lanes(GP_ROWS, uint lanes, ulong share, volatile global Rank *ranks, ulong ranks_offset,
                 volatile global uint *places, ulong places_offset, volatile global uint *ended, ulong ended_offset,
                 GP_RESULTS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local State room[GP_GROUP];
    local uint last;
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    const uint part = (uint)get_group_id(1), parts = (uint)get_num_groups(1);
    const ulong row = get_group_id(0) * (GP_GROUP / lanes) + id / lanes, begin = part * share;
    global const Key *first = in + in_offset;
    const Span span = {first, first + (batch - 1) * stride_in + (n - 1) * step_in + 1};
    State best = gp_none();
    if (row < batch)
        best = gp_combine_lane(&span, first + row * stride_in + begin * step_in, (uint)min(share, n - min(begin, n)),
                               lane, lanes, step_in, flip);
    best = gp_join_lanes(best, lanes, room);
    ulong place = gp_place(best);
    if (parts > 1) {
        ranks += ranks_offset + row * parts;
        places += places_offset + row * parts;
        if (id == 0) {
            GP_PUBLISH(ranks + part, best.rank);
            gp_publish_uint(places + part, (uint)place);
        }
        if (!gp_is_last(ended + ended_offset + row, parts, &last)) return;
        const uint each = (parts + GP_GROUP - 1) / GP_GROUP;
        const bool narrow = n < GP_NOWHERE; // so that positions in the row have 32 bits
        best = gp_none();
        for (uint k = id * each; k < min((id + 1) * each, parts); ++k) {
            const State found = {(Key)GP_LOOK(ranks + k), gp_look_uint(places + k)};
            best = gp_join(best, (State){found.rank, narrow ? (uint)(k * share) + found.position : k});
        }
        best = gp_join_lanes(best, GP_GROUP, room);
        place = best.position;
        if (!narrow) { // only the first work-item has the best of all
            const uint found = min(best.position, parts - 1);
            place = found * share + gp_look_uint(places + found);
        }
    }
    if (lane == 0 && row < batch) GP_WRITE_PLACE(row, place)
}
