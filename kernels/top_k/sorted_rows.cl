// The first k elements of many short rows: a work-group sorts several of them in local memory.
//
// Macros: those of results.cl; GP_ROOM, elements in local memory, a power of two
// Launch: work-groups of GP_GROUP, one for every GP_ROOM / width rows; `width` is the power of two
//         from n on, at most GP_ROOM
// Source: Batcher, "Sorting Networks and Their Applications", 1968
// SPDX-License-Identifier: MIT
#include "top_k/results.cl"

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void top_k_sorted_rows(GP_ROWS, GP_RESULTS,
                                                                                    uint width GP_COUNT_PARAMETERS) {
    GP_TAKE_SIZES
    local Key ranks[GP_ROOM];
    local uint places[GP_ROOM];
    const uint rows = GP_ROOM / width, lowest = 31 - clz(width), rows_lowest = 31 - clz(rows);
    const ulong first = get_group_id(0) * rows;
    // Columns are read side by side, rows one after the other.
    const bool columns = stride_in < step_in;
    for (uint i = (uint)get_local_id(0); i < GP_ROOM; i += GP_GROUP) {
        const uint row = columns ? i & (rows - 1) : i >> lowest, place = columns ? i >> rows_lowest : i & (width - 1);
        const bool there = first + row < batch && place < n;
        const uint to = row * width + place;
        ranks[to] =
            there ? gp_ordered(in[in_offset + (first + row) * stride_in + place * step_in], (Key)flip) : GP_NO_RANK;
        places[to] = there ? place : GP_NO_PLACE;
    }
    gp_sort_places(ranks, places, GP_ROOM, width);
    for (uint i = (uint)get_local_id(0); i < GP_ROOM; i += GP_GROUP) {
        const ulong row = first + (i >> lowest);
        const uint number = i & (width - 1);
        if (row < batch && number < k) GP_WRITE_RESULT(row, number, places[i])
    }
}
