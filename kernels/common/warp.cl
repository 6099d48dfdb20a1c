// Scans over the 32 consecutive work-items of a warp, and over the warps of a work-group.
//
// Macros: those of combine.cl; GP_GROUP, the work-group size, a multiple of 32
// Gives:  GP_WARPS; Warps, the local memory that gp_scan_warps needs; GP_AS_T; gp_scan_warp;
//         gp_scan_warps, and its halves gp_put_warp and gp_read_warps; gp_combine_group; where the
//         form is local memory, gp_scan_items
//
// All work-items of a work-group call them together.
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#include "common/group_scan.cl"
#include "device/shuffle.cl"
#ifndef GP_GROUP
#error "GP_GROUP is not defined"
#endif
#if GP_GROUP % 32 != 0
#error "GP_GROUP must be a multiple of 32"
#endif

#define GP_WARPS (GP_GROUP / 32)

typedef struct {
    T totals[GP_WARPS];
#if GP_LANES
    uint lanes[GP_LANES];
    T items[GP_GROUP];
#endif
} Warps;

#define GP_ROOM(warps) GP_ROOM_OF((warps)->lanes)

#define GP_AS_T GP_PASTE(as_, T)
#if GP_TYPE_SIZE == 4
T gp_shuffle_up(T x, uint delta, local uint *room) { return GP_AS_T(gp_shuffle_up_word(as_uint(x), delta, room)); }
T gp_shuffle(T x, uint lane, local uint *room) { return GP_AS_T(gp_shuffle_word(as_uint(x), lane, room)); }
#else
T gp_shuffle_up(T x, uint delta, local uint *room) {
    const uint2 word = as_uint2(x);
    const uint low = gp_shuffle_up_word(word.x, delta, room);
    return GP_AS_T((uint2)(low, gp_shuffle_up_word(word.y, delta, room)));
}
T gp_shuffle(T x, uint lane, local uint *room) {
    const uint2 word = as_uint2(x);
    const uint low = gp_shuffle_word(word.x, lane, room);
    return GP_AS_T((uint2)(low, gp_shuffle_word(word.y, lane, room)));
}
#endif

GP_DEFINE_WARP_SCAN(gp_scan_lanes, T, gp_shuffle_up, GP_COMBINE)

// Returns the combination of the x of all lower lanes. *total becomes the combination of all lanes.
T gp_scan_warp(T x, T *total, local Warps *warps) {
    x = gp_scan_lanes(x, GP_ROOM(warps));
    *total = gp_shuffle(x, 31, GP_ROOM(warps));
    const T before = gp_shuffle_up(x, 1, GP_ROOM(warps));
    return (uint)get_local_id(0) % 32 > 0 ? before : GP_ZERO;
}

// The first half of gp_scan_warps: puts a warp's x where the second half reads it.
void gp_put_warp(T x, local Warps *warps) {
    const uint id = (uint)get_local_id(0);
    if (id % 32 == 0) warps->totals[id / 32] = x;
}

// The second half, after a barrier.
T gp_read_warps(T *total, local Warps *warps) {
    const uint warp = (uint)get_local_id(0) / 32;
    T before = GP_ZERO, sum = GP_ZERO;
#pragma unroll
    for (uint w = 0; w < GP_WARPS; ++w) {
        const T one = warps->totals[w];
        if (w == warp) before = sum;
        sum = GP_COMBINE(sum, one);
    }
    *total = sum;
    return before;
}

// Returns the combination of the x of all lower warps. *total becomes the combination of all warps.
// `x` is the same in all lanes of a warp. A barrier must come before the next call with the same
// `warps`.
T gp_scan_warps(T x, T *total, local Warps *warps) {
    gp_put_warp(x, warps);
    barrier(CLK_LOCAL_MEM_FENCE);
    return gp_read_warps(total, warps);
}

#if GP_TOGETHER
GP_DEFINE_BLOCK_SCAN(gp_scan_items, T, GP_ZERO, GP_COMBINE)
#endif

// The combination of the x of all work-items. A barrier must come before the next call with the
// same `warps`.
T gp_combine_group(T x, local Warps *warps) {
    T all;
#if GP_TOGETHER
    gp_scan_items(x, GP_GROUP, &all, warps->items);
#else
    T total;
    gp_scan_warp(x, &total, warps);
    gp_scan_warps(total, &all, warps);
#endif
    return all;
}
