// Parts of a sequence in which segments begin: a part's sum is that of what follows its last head,
// and two parts side by side combine to one.
//
// Macros: those of warp.cl
// Gives:  Part, GP_NO_PART, gp_join_parts; PartWarps, the local memory that gp_scan_parts needs;
//         gp_scan_parts
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator); Sengupta, Harris and Garland, "Efficient Parallel Scan Algorithms for GPUs",
//         2008 (how far a lane looks, from the heads of its warp)
// SPDX-License-Identifier: MIT
#include "common/warp.cl"

typedef struct {
    T sum;    // since the last head, or of all
    uint any; // is there a head?
} Part;

GP_INLINE Part gp_join_parts(Part left, Part right) {
    const T both = GP_COMBINE(left.sum, right.sum);
    const Part result = {right.any ? right.sum : both, left.any | right.any};
    return result;
}

typedef struct {
    Warps warps;
    uint any[GP_WARPS];
} PartWarps;

// Returns the parts of all lower work-items of the group, joined. *total becomes that of all.
// A barrier must come before the next call with the same `room`.
GP_INLINE Part gp_scan_parts(Part mine, Part *total, local PartWarps *room) {
    const uint id = (uint)get_local_id(0), lane = id % 32, warp = id / 32;
    local Warps *warps = &room->warps;
    const uint heads = gp_ballot(mine.any != 0, GP_ROOM(warps));
    const uint up_to_here = heads & (~0u >> (31 - lane));
    const uint reach = up_to_here != 0 ? clz(up_to_here) - (31 - lane) : lane; // lanes back to the last head
    T x = mine.sum;
#pragma unroll
    for (uint step = 1; step < 32; step *= 2) {
        const T left = gp_shuffle_up(x, step, GP_ROOM(warps));
        if (step <= reach) x = GP_COMBINE(left, x);
    }
    const T all = gp_shuffle(x, 31, GP_ROOM(warps)), left = gp_shuffle_up(x, 1, GP_ROOM(warps));
    if (lane == 0) {
        warps->totals[warp] = all;
        room->any[warp] = heads != 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    Part before = {GP_ZERO, 0}, sum = {GP_ZERO, 0};
#pragma unroll
    for (uint w = 0; w < GP_WARPS; ++w) {
        const Part one = {warps->totals[w], room->any[w]};
        if (w == warp) before = sum;
        sum = gp_join_parts(sum, one);
    }
    *total = sum;
    const Part in_warp = {lane > 0 ? left : GP_ZERO, (heads & ((1u << lane) - 1)) != 0};
    return gp_join_parts(before, in_warp);
}
