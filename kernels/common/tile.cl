// A tile of elements in local memory, from which each work-item of a work-group takes GP_ITEMS consecutive ones.
//
// Macros: those of combine.cl; GP_GROUP, the work-group size (a power of two); GP_ITEMS, elements a work-item
// Gives:  GP_TILE (elements of a tile), GP_SLOT (where element i of a tile lies: padded against bank conflicts),
//         GP_TILE_SLOTS, gp_scan_group
// SPDX-License-Identifier: MIT
#include "common/combine.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, elements a work-item"
#endif

#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_SLOT(i) ((i) + (i) / GP_ITEMS)
#define GP_TILE_SLOTS (GP_TILE + GP_GROUP)

// Combination of all lower work-items' x; *total becomes that of all work-items. `room` holds GP_GROUP elements.
// Hillis and Steele's scan; order of operands is kept.
T gp_scan_group(T x, local T *room, T *total) {
    const uint lane = (uint)get_local_id(0);
    room[lane] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GP_GROUP; step *= 2) {
        const T mine = room[lane];
        const T left = lane >= step ? room[lane - step] : GP_ZERO;
        barrier(CLK_LOCAL_MEM_FENCE);
        room[lane] = GP_COMBINE(left, mine);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *total = room[GP_GROUP - 1];
    const T before = lane > 0 ? room[lane - 1] : GP_ZERO;
    barrier(CLK_LOCAL_MEM_FENCE);
    return before;
}
