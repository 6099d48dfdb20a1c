// Reduction for GPUs: every work-group owns a run of consecutive tiles of a row. With several runs
// a row, the first launch writes their sums, and in a second one a work-group combines those of
// each row.
//
// Macros: those of tile.cl and counted.cl; GP_STEPS, where neighbouring elements of a row lie
//         step_in apart
// Launch: work-groups of GP_GROUP work-items. reduce_runs: one a run of `tiles` tiles; run k of row
//         r goes to out[r * stride_out + k]. reduce_sums: one a row
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/tile.cl"

#ifdef GP_STEPS
#define GP_AT(p) ((p)*step_in)
#else
#define GP_AT(p) (p)
#endif

#ifdef GP_VECTORIZES
#define GP_ROOM GP_SCAN_ROOM
#else
#define GP_ROOM (GP_SCAN_ROOM + GP_TILE_SLOTS)
#endif

// The combination of a run's elements, in order. `room` holds GP_ROOM elements.
T reduce_run(global const GP_IN *in, ulong begin, ulong end, ulong step_in, local T *room) {
    const uint lane = (uint)get_local_id(0);
    T sum = GP_ZERO;
#ifdef GP_VECTORIZES
    // Operands may change places. So each work-item sums up a strided share, and the group combines
    // the shares once.
    T mine[GP_ITEMS];
    for (uint i = 0; i < GP_ITEMS; ++i) mine[i] = GP_ZERO;
    ulong p = begin + lane;
    for (; p + (GP_ITEMS - 1) * GP_GROUP < end; p += GP_TILE) {
        for (uint i = 0; i < GP_ITEMS; ++i) {
            const T x = GP_READ(in, GP_AT(p + i * GP_GROUP));
            mine[i] = GP_COMBINE(mine[i], x);
        }
    }
    for (; p < end; p += GP_GROUP) {
        const T x = GP_READ(in, GP_AT(p));
        mine[0] = GP_COMBINE(mine[0], x);
    }
    for (uint i = 1; i < GP_ITEMS; ++i) mine[0] = GP_COMBINE(mine[0], mine[i]);
    gp_scan_group(mine[0], room, &sum);
#else
    local T *const tile = room + GP_SCAN_ROOM;
    for (ulong first = begin; first < end; first += GP_TILE) {
        for (uint i = lane; i < GP_TILE; i += GP_GROUP)
            tile[GP_SLOT(i)] = first + i < end ? GP_READ(in, GP_AT(first + i)) : GP_ZERO;
        barrier(CLK_LOCAL_MEM_FENCE);
        T mine = GP_ZERO;
        for (uint i = 0; i < GP_ITEMS; ++i) mine = GP_COMBINE(mine, tile[GP_SLOT(lane * GP_ITEMS + i)]);
        T total;
        gp_scan_group(mine, room, &total);
        sum = GP_COMBINE(sum, total);
    }
#endif
    return sum;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
reduce_runs(global const GP_IN *in, ulong in_offset, global T *out, ulong out_offset, ulong n, ulong tiles, ulong runs,
            ulong stride_in, ulong step_in, ulong stride_out GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local T room[GP_ROOM];
    const ulong row = get_group_id(0) / runs, run = get_group_id(0) - row * runs;
    const ulong begin = run * tiles * GP_TILE;
    const T sum = reduce_run(in + in_offset + row * stride_in, begin, min(begin + tiles * GP_TILE, n), step_in, room);
    if (get_local_id(0) == 0) out[out_offset + row * stride_out + run] = sum;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
reduce_sums(global const T *sums, ulong sums_offset, global T *out, ulong out_offset, ulong runs, ulong stride_out) {
    local T room[GP_SCAN_ROOM];
    const ulong share = (runs + GP_GROUP - 1) / GP_GROUP, first = get_local_id(0) * share;
    sums += sums_offset + get_group_id(0) * runs;
    T mine = GP_ZERO, all;
    for (ulong k = first; k < min(first + share, runs); ++k) {
        const T x = sums[k];
        mine = GP_COMBINE(mine, x);
    }
    gp_scan_group(mine, room, &all);
    if (get_local_id(0) == 0) out[out_offset + get_group_id(0) * stride_out] = all;
}
