// Where the tiles of listed segments begin.
//
// Computes: of the segments of class 6 in `lists` (segment_lists.cl), table[0], how many there are;
//           table[1], how many tiles of `tile` keys they have; table[2 + i], how many the segments
//           before i have. Where they have more than `most`, as they may if segments share keys,
//           the last ones are left out. In the end `counts`, which has 8, are zeros
// Macros:   GP_GROUP, the work-group size, a multiple of 32; the form of device/shuffle.cl
// Launch:   one work-group of GP_GROUP
// SPDX-License-Identifier: MIT
#include "sort/lower_sum.cl"

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_segment_table(uint tile, uint most, global uint *counts, ulong counts_offset, global const uint *lists,
                   ulong lists_offset, uint first, uint end, global uint *table, ulong table_offset) {
    local uint scan[GP_LOWER_SUM_ROOM(GP_GROUP)];
    local uint sum, within;
    const uint id = (uint)get_local_id(0);
    lists += lists_offset;
    table += table_offset;
    const uint all = min(counts[counts_offset + 5], end - first);
    uint tiles = 0, segments = 0;
    for (uint from = 0; from < all; from += GP_GROUP) {
        const uint i = from + id, length = i < all ? vload2(first + i, lists).y : 0;
        const uint own = length / tile + (length % tile != 0 ? 1 : 0);
        if (id == 0) within = 0;
        const uint before = tiles + gp_lower_sum(own, GP_GROUP, scan);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < all && before + own <= most) {
            table[2 + i] = before;
            atomic_inc(&within);
        }
        if (id == GP_GROUP - 1) sum = before + own;
        barrier(CLK_LOCAL_MEM_FENCE);
        segments += within;
        if (within < min((uint)GP_GROUP, all - from)) {
            if (i < all && before <= most && before + own > most) sum = before; // the first that is left out
            barrier(CLK_LOCAL_MEM_FENCE);
            tiles = sum;
            break;
        }
        tiles = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_GLOBAL_MEM_FENCE); // all have read their count
    if (id < 8) counts[counts_offset + id] = 0;
    if (id == 0) {
        table[0] = segments;
        table[1] = tiles;
    }
}
