// Parts of a sequence in which segments begin: a part's sum is that of what follows its last head,
// and two parts side by side join to one.
//
// Macros: those of warp.cl; GP_COUNTS_HEADS: a part tells how many heads there are in it, not only
//         whether there is one
// Gives:  Part, a vector, so that functions return it in registers; GP_PART(sum, any), GP_SUM(part)
//         and GP_ANY(part), whether there is a head, or how many; gp_join_parts; PartWarps, the
//         local memory that gp_scan_parts needs; gp_scan_parts
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator); Sengupta, Harris and Garland, "Efficient Parallel Scan Algorithms for GPUs",
//         2008 (how far a lane looks, from the heads of its warp)
// SPDX-License-Identifier: MIT
#include "common/warp.cl"

#if GP_TYPE_SIZE == 4
typedef uint2 Part;
#define GP_PART(sum, any) ((uint2)(as_uint(sum), any))
#define GP_SUM(part) GP_AS_T((part).x)
#define GP_ANY(part) ((part).y)
#else
typedef uint4 Part;
#define GP_PART(sum, any) ((uint4)(as_uint2(sum), any, 0))
#define GP_SUM(part) GP_AS_T((part).xy)
#define GP_ANY(part) ((part).z)
#endif
#define GP_NO_PART GP_PART(GP_ZERO, 0)

#ifdef GP_COUNTS_HEADS
#define GP_JOIN_ANY(a, b) ((a) + (b))
#if !GP_TOGETHER
GP_DEFINE_WARP_SCAN(gp_scan_heads, uint, gp_shuffle_up_word, GP_PLUS)
#endif
#else
#define GP_JOIN_ANY(a, b) ((a) | (b))
#endif

GP_INLINE T gp_join_sum(T left, Part right) {
    const T sum = GP_SUM(right), both = GP_COMBINE(left, sum);
    return GP_ANY(right) ? sum : both;
}

GP_INLINE Part gp_join_parts(Part left, Part right) {
    const T sum = gp_join_sum(GP_SUM(left), right);
    return GP_PART(sum, GP_JOIN_ANY(GP_ANY(left), GP_ANY(right)));
}

#if GP_TOGETHER
typedef struct {
    Part items[GP_GROUP];
} PartWarps;

GP_DEFINE_BLOCK_SCAN(gp_scan_part_items, Part, GP_NO_PART, gp_join_parts)
#else
typedef struct {
    Warps warps;
    uint any[GP_WARPS];
} PartWarps;
#endif

// Returns the parts of all lower work-items of the group, joined. *total becomes that of all.
// A barrier must come before the next call with the same `room`.
GP_INLINE Part gp_scan_parts(Part mine, Part *total, local PartWarps *room) {
#if GP_TOGETHER
    return gp_scan_part_items(mine, GP_GROUP, total, room->items);
#else
    const uint id = (uint)get_local_id(0), lane = id % 32, warp = id / 32;
    local Warps *warps = &room->warps;
    const uint heads = gp_ballot(GP_ANY(mine) != 0, GP_ROOM(warps));
    const uint up_to_here = heads & (~0u >> (31 - lane));
    const uint reach = up_to_here != 0 ? clz(up_to_here) - (31 - lane) : lane; // lanes back to the last head
    T x = GP_SUM(mine);
#pragma unroll
    for (uint step = 1; step < 32; step *= 2) {
        const T left = gp_shuffle_up(x, step, GP_ROOM(warps));
        if (step <= reach) x = GP_COMBINE(left, x);
    }
#if defined(GP_COUNTS_HEADS)
    const uint up_to_this = gp_scan_heads(GP_ANY(mine), GP_ROOM(warps));
    const uint any_of_warp = gp_shuffle_word(up_to_this, 31, GP_ROOM(warps)), any_before = up_to_this - GP_ANY(mine);
#else
    const uint any_of_warp = heads != 0, any_before = (heads & ((1u << lane) - 1)) != 0;
#endif
    const T all = gp_shuffle(x, 31, GP_ROOM(warps)), left = gp_shuffle_up(x, 1, GP_ROOM(warps));
    if (lane == 0) {
        warps->totals[warp] = all;
        room->any[warp] = any_of_warp;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    Part before = GP_NO_PART, sum = GP_NO_PART;
#pragma unroll
    for (uint w = 0; w < GP_WARPS; ++w) {
        const T one = warps->totals[w];
        if (w == warp) before = sum;
        sum = gp_join_parts(sum, GP_PART(one, room->any[w]));
    }
    *total = sum;
    const T in_warp = lane > 0 ? left : GP_ZERO;
    return gp_join_parts(before, GP_PART(in_warp, any_before));
#endif
}
