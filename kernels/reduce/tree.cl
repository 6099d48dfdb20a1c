// Reduction for GPUs: every work-group owns a run of consecutive tiles. Launched on the input, then on the sums.
//
// Macros: those of tile.cl
// Launch: work-groups of GP_GROUP work-items, one a run of `tiles` tiles
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#include "common/tile.cl"

// The combination of a run's elements, in order.
T reduce_run(global const T *in, ulong begin, ulong end, local T *tile, local T *room) {
    const uint lane = (uint)get_local_id(0);
    T sum = GP_ZERO;
#ifdef GP_VECTORIZES
    // Operands may change places, so each work-item sums up a strided share, and the group combines once.
    T mine[GP_ITEMS];
    for (uint i = 0; i < GP_ITEMS; ++i) mine[i] = GP_ZERO;
    ulong p = begin + lane;
    for (; p + (GP_ITEMS - 1) * GP_GROUP < end; p += GP_TILE) {
        for (uint i = 0; i < GP_ITEMS; ++i) {
            const T x = in[p + i * GP_GROUP];
            mine[i] = GP_COMBINE(mine[i], x);
        }
    }
    for (; p < end; p += GP_GROUP) {
        const T x = in[p];
        mine[0] = GP_COMBINE(mine[0], x);
    }
    for (uint i = 1; i < GP_ITEMS; ++i) mine[0] = GP_COMBINE(mine[0], mine[i]);
    gp_scan_group(mine[0], room, &sum);
#else
    for (ulong first = begin; first < end; first += GP_TILE) {
        for (uint i = lane; i < GP_TILE; i += GP_GROUP) tile[GP_SLOT(i)] = first + i < end ? in[first + i] : GP_ZERO;
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
reduce_runs(global const T *in, ulong in_offset, global T *sums, ulong sums_offset, ulong n, ulong tiles) {
    local T tile[GP_TILE_SLOTS];
    local T room[GP_GROUP];
    const ulong begin = get_group_id(0) * tiles * GP_TILE;
    const T sum = reduce_run(in + in_offset, begin, min(begin + tiles * GP_TILE, n), tile, room);
    if (get_local_id(0) == 0) sums[sums_offset + get_group_id(0)] = sum;
}
