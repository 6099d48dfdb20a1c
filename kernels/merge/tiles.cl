// Merges two sorted arrays, tile by tile of the result, in local memory; stable.
//
// Computes: merge_splits: of the keys before each tile, and of all, how many come from a
//           merge_tiles: the result. A work-group reads its part of both arrays side by side, each
//           work-item merges GP_ITEMS neighbours from local memory, and the tile is written side by
//           side. Merged keys without values return to local memory by way of registers; with
//           values their numbers do.
// Macros:   those of arrays.cl; GP_GROUP, a power of two, and GP_ITEMS: work-items of a work-group, and
//           keys of each; GP_OWN: 1 where each work-group finds its part itself, 0 where merge_splits
//           has; GP_STAGED: 1 where values of one word go through local memory
// Launch:   merge_splits: work-groups of GP_GROUP, `lanes` work-items each number of splits;
//           merge_tiles: a work-group of GP_GROUP for each GP_GROUP * GP_ITEMS keys of the result
// Local:    a tile of keys, and of ushorts with values, and of words with GP_STAGED
// Source:   Green, McColl and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "merge/arrays.cl"

#define GP_TILE (GP_GROUP * GP_ITEMS)
#if GP_TILE > 65536
#error "numbers must fit 16 bits"
#endif

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

// Without NaN, floats compare as such.
#if GP_NATIVE
bool gp_is_less(Rank x, Rank y) { return x < y; }
#define GP_MERGE_TILE(take)                                                                                            \
    const bool has_nan = gp_is_nan(keys[count > 0 ? count - 1 : 0]) || gp_is_nan(keys[size - 1]);                      \
    if (has_nan) {                                                                                                     \
        _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k) {                                                        \
            GP_MERGE_STEP(keys, count, size, turned)                                                                   \
            take;                                                                                                      \
        }                                                                                                              \
    } else {                                                                                                           \
        _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k) {                                                        \
            GP_MERGE_STEP_BY(gp_is_less, keys, count, size, turned)                                                    \
            take;                                                                                                      \
        }                                                                                                              \
    }
#else
#define GP_MERGE_TILE(take)                                                                                            \
    _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k) {                                                            \
        GP_MERGE_STEP(keys, count, size, turned)                                                                       \
        take;                                                                                                          \
    }
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void merge_tiles(global const ulong *splits,
                                                                              ulong splits_offset, GP_ARRAYS) {
    local Key keys[GP_TILE + GP_ITEMS + 1]; // some are read behind the last
#if GP_WORD_BYTES
    local ushort numbers[GP_TILE]; // where in `keys` each key of the result is
#if GP_STAGED
    local Word values[GP_TILE];
#endif
#endif
    const uint item = (uint)get_local_id(0);
    GP_TAKE_ARRAYS

    const ulong tile = (ulong)get_group_id(0) * GP_TILE;
    const uint size = (uint)min((ulong)GP_TILE, of_a + of_b - tile);
#if GP_OWN
    local uint firsts[4];
    local uchar found[GP_GROUP];
    local ulong ends[2];
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
    a += first;
    b += tile - first;
    global const Key *const shifted = b - count;
    Key loaded[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint at = min(k * GP_GROUP + item, size - 1);
        loaded[k] = (at < count ? a : shifted)[at];
    }
#if GP_WORD_BYTES
    a_values += first * words;
    b_values += (tile - first) * words;
    out_values += tile * words;
    global const Word *const shifted_values = b_values - (ulong)count * words;
#if GP_STAGED
    Word taken[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint at = min(k * GP_GROUP + item, size - 1);
        taken[k] = (at < count ? a_values : shifted_values)[at];
    }
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) values[k * GP_GROUP + item] = taken[k];
#endif
#endif
    // In local memory keys lie with the bits turned that can be.
    const Key turn = GP_TURNED(order.flip);
    const Order turned = {order.flip & ~GP_TURNED(order.flip)};
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) keys[k * GP_GROUP + item] = loaded[k] ^ turn;
    barrier(CLK_LOCAL_MEM_FENCE);

    GP_BEGIN_MERGE(keys, count, size, min(item * GP_ITEMS, size), turned)
    out += tile;
#if !GP_WORD_BYTES
    Key mine[GP_ITEMS];
    GP_MERGE_TILE(mine[k] = merged)
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) keys[item * GP_ITEMS + k] = mine[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < size; k += GP_GROUP) out[k] = keys[k] ^ turn;
#else
    GP_MERGE_TILE(numbers[item * GP_ITEMS + k] = (ushort)from)
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_STAGED
    for (uint k = item; k < size; k += GP_GROUP) {
        const uint number = numbers[k];
        out[k] = keys[number] ^ turn;
        out_values[k] = values[number];
    }
#else
    for (uint k = item; k < size; k += GP_GROUP) out[k] = keys[numbers[k]] ^ turn;
    for (uint k = item; k < size * words; k += GP_GROUP) {
        const uint value = k / words, word = k - value * words, number = numbers[value];
        out_values[k] = (number < count ? a_values : shifted_values)[(ulong)number * words + word];
    }
#endif
#endif
}
