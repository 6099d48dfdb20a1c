// Sums over the lower of some work-items.
//
// The form: as in device/shuffle.cl
// Gives:  gp_lower_sum; GP_LOWER_SUM_ROOM(count), how many uints it needs
// SPDX-License-Identifier: MIT
#include "common/group_scan.cl"
#include "device/shuffle.cl"

#if !GP_TOGETHER
GP_DEFINE_WARP_SCAN(gp_sum_lanes, uint, gp_shuffle_up_word, GP_PLUS)
#define GP_LOWER_SUM_ROOM(count) ((count) / 32)
#else
GP_DEFINE_BLOCK_SCAN(gp_sum_items, uint, 0, GP_PLUS)
#define GP_LOWER_SUM_ROOM(count) (count)
#endif

// The sum of the x of all lower work-items, for each of the first `count` work-items, a multiple of
// 32. Every work-item of the group calls it; the results of the others mean nothing. A barrier must
// come before the next call with the same `room`.
uint gp_lower_sum(uint x, uint count, local uint *room) {
#if !GP_TOGETHER
    const uint id = (uint)get_local_id(0);
    uint sum = gp_sum_lanes(x, 0);
    if (id < count && id % 32 == 31) room[id / 32] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = 0; w < id / 32 && w < count / 32; ++w) sum += room[w];
    return sum - x;
#else
    uint all;
    return gp_sum_items(x, count, &all, room);
#endif
}
