// Scan for GPUs: every work-group owns a run of consecutive tiles. Three launches: reduce the runs,
// scan their sums, scan each run from where the sums say it starts. The input is read twice, the
// output written once.
//
// A single run needs the last launch alone, with has_sums = 0.
//
// Macros: those of tile.cl and counted.cl. Kind and direction are arguments, so that one program
//         serves all.
// Launch: work-groups of GP_GROUP work-items. reduce_runs, scan_runs: one work-group a run of
//         `tiles` tiles; scan_sums: one work-group
// Source: Dotsenko et al., "Fast Scan Algorithms on Graphics Processors", 2008
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/counted.cl"
#include "common/positions.cl"
#include "common/tile.cl"

// Brings the tile at position `first` to local memory, coalesced; identities stand past the end.
void load_tile(local T *tile, global const GP_IN *in, ulong first, ulong n, uint reverse) {
    for (uint i = (uint)get_local_id(0); i < GP_TILE; i += GP_GROUP) {
        const ulong p = first + i;
        tile[GP_SLOT(i)] = p < n ? GP_READ(in, GP_AT(p)) : GP_ZERO;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void reduce_runs(global const GP_IN *in, ulong in_offset,
                                                                              global T *sums, ulong sums_offset,
                                                                              ulong n, ulong tiles,
                                                                              uint reverse GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local T tile[GP_TILE_SLOTS];
    local T room[GP_SCAN_ROOM];
    const uint lane = (uint)get_local_id(0);
    const ulong begin = get_group_id(0) * tiles * GP_TILE;
    T sum = GP_ZERO;
    for (ulong t = 0; t < tiles && begin + t * GP_TILE < n; ++t) {
        load_tile(tile, in + in_offset, begin + t * GP_TILE, n, reverse);
        T mine = GP_ZERO;
        for (uint i = 0; i < GP_ITEMS; ++i) {
            const T x = tile[GP_SLOT(lane * GP_ITEMS + i)];
            mine = GP_COMBINE(mine, x);
        }
        T total;
        gp_scan_group(mine, room, &total);
        sum = GP_COMBINE(sum, total);
    }
    if (lane == 0) sums[sums_offset + get_group_id(0)] = sum;
}

// Turns the sums into what comes before each run.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void scan_sums(global T *sums, ulong sums_offset,
                                                                            ulong count) {
    local T room[GP_SCAN_ROOM];
    T before = GP_ZERO;
    for (ulong first = 0; first < count; first += GP_GROUP) {
        const ulong i = first + get_local_id(0);
        const T x = i < count ? sums[sums_offset + i] : GP_ZERO;
        T total;
        const T left = gp_scan_group(x, room, &total);
        if (i < count) sums[sums_offset + i] = GP_COMBINE(before, left);
        before = GP_COMBINE(before, total);
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
scan_runs(global const GP_IN *in, ulong in_offset, global T *out, ulong out_offset, global const T *sums,
          ulong sums_offset, ulong n, ulong tiles, uint has_sums, uint exclusive,
          uint reverse GP_CARRY_PARAMETERS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local T tile[GP_TILE_SLOTS];
    local T room[GP_SCAN_ROOM];
    const uint lane = (uint)get_local_id(0);
    const ulong begin = get_group_id(0) * tiles * GP_TILE;
    out += out_offset;
    T before = has_sums ? sums[sums_offset + get_group_id(0)] : GP_ZERO;
#ifdef GP_CARRY
    const T carry = GP_INITIAL(0);
    before = GP_COMBINE(carry, before);
#endif
    for (ulong t = 0; t < tiles && begin + t * GP_TILE < n; ++t) {
        const ulong first = begin + t * GP_TILE;
        load_tile(tile, in + in_offset, first, n, reverse);
        T mine = GP_ZERO;
        for (uint i = 0; i < GP_ITEMS; ++i) {
            const T x = tile[GP_SLOT(lane * GP_ITEMS + i)];
            mine = GP_COMBINE(mine, x);
        }
        T total;
        const T left = gp_scan_group(mine, room, &total);
        T running = GP_COMBINE(before, left);
        for (uint i = 0; i < GP_ITEMS; ++i) {
            const uint slot = GP_SLOT(lane * GP_ITEMS + i);
            const T x = tile[slot];
            const T next = GP_COMBINE(running, x);
            tile[slot] = exclusive ? running : next;
            running = next;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lane; i < GP_TILE; i += GP_GROUP) {
            const ulong p = first + i;
            if (p < n) out[GP_AT(p)] = tile[GP_SLOT(i)];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the next tile takes this one's place
        before = GP_COMBINE(before, total);
    }
#ifdef GP_CARRY
    if (lane == 0 && get_group_id(0) == get_num_groups(0) - 1) GP_HAND_ON(0, before);
#endif
}
