// Merges two sorted arrays, tile by tile of the result, in local memory; stable.
//
// Computes: merge_splits: of the keys before each tile, and of all, how many come from a
//           merge_tiles: the result. A work-group reads its part of both arrays side by side, each
//           work-item merges GP_ITEMS neighbours from local memory, and the tile is written side by
//           side. Merged keys without values return to local memory by way of registers; with
//           values their numbers do.
// Macros:   those of arrays.cl; GP_GROUP, GP_ITEMS: work-items of a work-group, and keys of each
// Launch:   merge_splits: work-groups of GP_GROUP, a work-item each number of splits;
//           merge_tiles: a work-group of GP_GROUP for each GP_GROUP * GP_ITEMS keys of the result
// Local:    a tile of keys, and of ushorts with values
// Source:   Green, McColl and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "merge/arrays.cl"

#define GP_TILE (GP_GROUP * GP_ITEMS)
#if GP_TILE > 65536
#error "numbers must fit 16 bits"
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void merge_splits(ulong count, global ulong *splits,
                                                                               ulong splits_offset, GP_ARRAYS) {
    GP_TAKE_ARRAYS
    const ulong tile = get_global_id(0);
    if (tile < count) splits[splits_offset + tile] = gp_path(a, of_a, b, of_b, min(tile * GP_TILE, of_a + of_b), order);
}

// `found`: splits has been written; else the work-group searches itself.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void merge_tiles(uint found, global const ulong *splits,
                                                                              ulong splits_offset, GP_ARRAYS) {
    local Key keys[GP_TILE + GP_ITEMS + 1]; // some are read behind the last
    local ulong ends[2];
    const uint item = (uint)get_local_id(0);
    GP_TAKE_ARRAYS

    const ulong tile = (ulong)get_group_id(0) * GP_TILE;
    const uint size = (uint)min((ulong)GP_TILE, of_a + of_b - tile);
    if (item < 2)
        ends[item] = found ? splits[splits_offset + get_group_id(0) + item]
                           : gp_path(a, of_a, b, of_b, tile + (item == 0 ? 0 : size), order);
    barrier(CLK_LOCAL_MEM_FENCE);
    // Where the arrays are not sorted, the ends may be anywhere within them.
    const ulong first = ends[0], last = max(first, ends[1]);
    const uint count = (uint)min(last - first, (ulong)size); // from a
    a += first;
    b += tile - first;
    global const Key *const shifted = b - count;
    Key loaded[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint at = min(k * GP_GROUP + item, size - 1);
        loaded[k] = (at < count ? a : shifted)[at];
    }
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) keys[k * GP_GROUP + item] = loaded[k];
    barrier(CLK_LOCAL_MEM_FENCE);

    GP_BEGIN_MERGE(keys, count, size, min(item * GP_ITEMS, size), order)
    out += tile;
#if !GP_WORD_BYTES
    Key mine[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        GP_MERGE_STEP(keys, count, size, order)
        mine[k] = merged;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) keys[item * GP_ITEMS + k] = mine[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < size; k += GP_GROUP) out[k] = keys[k];
#else
    local ushort numbers[GP_TILE]; // where in `keys` each key of the result is
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        GP_MERGE_STEP(keys, count, size, order)
        numbers[item * GP_ITEMS + k] = (ushort)from;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < size; k += GP_GROUP) out[k] = keys[numbers[k]];
#if GP_WORD_BYTES
    a_values += first * words;
    b_values += (tile - first) * words;
    out_values += tile * words;
    global const Word *const shifted_values = b_values - (ulong)count * words;
    if (words == 1) {
        for (uint k = item; k < size; k += GP_GROUP) {
            const uint number = numbers[k];
            out_values[k] = (number < count ? a_values : shifted_values)[number];
        }
    } else {
        for (uint k = item; k < size * words; k += GP_GROUP) {
            const uint value = k / words, word = k - value * words, number = numbers[value];
            out_values[k] = (number < count ? a_values : shifted_values)[(ulong)number * words + word];
        }
    }
#endif
#endif
}
