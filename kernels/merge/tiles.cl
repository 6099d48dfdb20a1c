// Merges two sorted arrays, tile by tile of the result, in local memory; stable.
//
// Computes: merge_splits: of the keys before each tile, and of all, how many come from a
//           merge_tiles: the result
// Macros:   those of arrays.cl and tile.cl; GP_OWN: 1 where each work-group finds its part itself,
//           0 where merge_splits has
// Launch:   merge_splits: work-groups of GP_GROUP, `lanes` work-items each number of splits;
//           merge_tiles: a work-group of GP_GROUP for each GP_GROUP * GP_ITEMS keys of the result
// Local:    a TileRoom
// Source:   Green, McColl and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "merge/arrays.cl"
#include "merge/tile.cl"

#if GP_OWN
#define GP_HALF (GP_GROUP / 2)
#else
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
merge_splits(ulong count, uint lanes, global ulong *splits, ulong splits_offset, GP_ARRAYS) {
    local uint first[2 * GP_GROUP];
    local uchar found[GP_GROUP];
    GP_TAKE_ARRAYS
    const ulong number = get_global_id(0) / lanes, at = number < count ? min(number * GP_TILE, of_a + of_b) : 0;
    const ulong split = gp_wide_path(a, of_a, b, of_b, at, min(of_a, of_b), lanes, order, first, found);
    if (number < count && (get_local_id(0) & (lanes - 1)) == 0) splits[splits_offset + number] = split;
}
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void merge_tiles(global const ulong *splits,
                                                                              ulong splits_offset, GP_ARRAYS) {
    local TileRoom room;
    GP_TAKE_ARRAYS

    const ulong tile = (ulong)get_group_id(0) * GP_TILE;
#ifdef GP_COUNTED_TWO
    if (tile >= of_a + of_b) return;
#endif
    const uint size = (uint)min((ulong)GP_TILE, of_a + of_b - tile);
#if GP_OWN
    local uint firsts[4];
    local uchar found[GP_GROUP];
    local ulong ends[2];
    const uint item = (uint)get_local_id(0);
    const bool is_first = item < GP_HALF;
    const ulong split =
        gp_wide_path(a, of_a, b, of_b, is_first ? tile : tile + size, min(of_a, of_b), GP_HALF, order, firsts, found);
    if (item % GP_HALF == 0) ends[is_first ? 0 : 1] = split;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong first = ends[0], end = ends[1];
#else
    const ulong first = splits[splits_offset + get_group_id(0)], end = splits[splits_offset + get_group_id(0) + 1];
#endif
    // Where the arrays are not sorted, the ends may be anywhere within them.
    const uint count = (uint)min(max(first, end) - first, (ulong)size); // from a
    const ulong from_b = tile - first;
#if GP_WORD_BYTES
    gp_merge_tile(a + first, b + from_b, out + tile, count, size, order, &room, words, a_values + first * words,
                  b_values + from_b * words, out_values + tile * words);
#else
    gp_merge_tile(a + first, b + from_b, out + tile, count, size, order, &room);
#endif
}
