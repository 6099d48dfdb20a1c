// A tile of elements in local memory, from which each work-item of a work-group takes GP_ITEMS
// consecutive ones.
//
// Macros: those of combine.cl; GP_GROUP, the work-group size (a power of two); GP_ITEMS, elements a
//         work-item
// Gives:  GP_TILE (elements of a tile), GP_SLOT (where element i of a tile lies: padded against
//         bank conflicts), GP_TILE_SLOTS; gp_scan_group, GP_SCAN_ROOM
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#include "common/group_scan.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, elements a work-item"
#endif

#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_SLOT(i) ((i) + (i) / GP_ITEMS)
#define GP_TILE_SLOTS (GP_TILE + GP_GROUP)

#define GP_SCAN_ROOM (2 * GP_GROUP)

GP_DEFINE_GROUP_SCAN(gp_scan_items, T, GP_COMBINE)

// Returns the combination of the x of all lower work-items. *total becomes the combination of all
// work-items. `room` holds GP_SCAN_ROOM elements.
T gp_scan_group(T x, local T *room, T *total) {
    const uint id = (uint)get_local_id(0);
    local const T *sums = gp_scan_items(&x, GP_GROUP, room);
    *total = sums[GP_GROUP - 1];
    const T before = id > 0 ? sums[id - 1] : GP_ZERO;
    barrier(CLK_LOCAL_MEM_FENCE);
    return before;
}
