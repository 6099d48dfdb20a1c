// Merges two sorted arrays, tile by tile of the result, in local memory; stable.
//
// Computes: merge_splits: of the keys before each tile, and of all, how many come from a
//           merge_tiles: the result. A work-group reads its part of both arrays side by side, each
//           work-item merges GP_ITEMS neighbours from local memory, and the tile is written side by
//           side. Merged keys without values return to local memory by way of registers; with
//           values their numbers do.
// Macros:   those of arrays.cl; GP_GROUP, a power of two, and GP_ITEMS: work-items of a work-group, and
//           keys of each; GP_OWN: how many work-items find an end of their work-group's part, a power of
//           two, at most half of it; 0 where merge_splits has found it; GP_STAGED: 1 where values of one word go through local memory
// Launch:   merge_splits: work-groups of GP_GROUP, `lanes` work-items each number of splits; `wide`, a power
//           of two, is at most half of them;
//           merge_tiles: a work-group of GP_GROUP for each GP_GROUP * GP_ITEMS keys of the result
// Local:    a tile of keys, and of ushorts with values, and of words with GP_STAGED
// Source:   Green, McColl and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "merge/arrays.cl"

#define GP_TILE (GP_GROUP * GP_ITEMS)
#if GP_TILE > 65536
#error "numbers must fit 16 bits"
#endif

#if !GP_OWN
// A work-group finds the first and the last of its splits, by `wide` work-items each; the others lie
// between them.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
merge_splits(ulong count, uint lanes, uint wide, global ulong *splits, ulong splits_offset, GP_ARRAYS) {
    local uint first[2 * GP_GROUP];
    local uchar found[GP_GROUP];
    local ulong ends[2];
    GP_TAKE_ARRAYS
    const uint item = (uint)get_local_id(0), numbers = GP_GROUP / lanes, team = item / wide;
    const ulong n = of_a + of_b, begin = get_group_id(0) * (ulong)numbers, end = min(begin + numbers, count - 1);
    const ulong from = min(begin * GP_TILE, n), to = min(end * GP_TILE, n);
    const ulong at_end = team == 0 ? from : team == 1 ? to : 0;
    const ulong found_end = gp_wide_path(a, b, at_end, at_end - min(at_end, of_b), min(at_end, of_a), min(of_a, of_b),
                                         wide, order, first, found);
    if (team < 2 && item == team * wide) ends[team] = found_end;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong number = begin + item / lanes, at = min(number * GP_TILE, n);
    ulong low = 0, high = 0;
    if (number < count) {
        low = max(ends[0], at - min(at, to - ends[1]));
        high = max(low, min(ends[1], at - (from - ends[0])));
    }
    const ulong split = gp_wide_path(a, b, at, low, high, numbers * GP_TILE, lanes, order, first, found);
    if (number < count && (item & (lanes - 1)) == 0) splits[splits_offset + number] = split;
}
#endif

// For every number `at` of the tile's keys that is the work-item's to write.
#define GP_EACH_OF_TILE(write)                                                                                         \
    _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k) {                                                            \
        const uint at = k * GP_GROUP + item;                                                                           \
        if (at < size) {                                                                                               \
            write;                                                                                                     \
        }                                                                                                              \
    }

// Without NaN, floats compare as such.
#if GP_NATIVE
bool gp_is_less(Rank x, Rank y) { return x < y; }
#define GP_MERGE_TILE(take)                                                                                            \
    const bool has_nan = gp_is_nan(keys[count > 0 ? count - 1 : 0]) || gp_is_nan(keys[size - 1]);                      \
    if (has_nan) {                                                                                                     \
        GP_MERGE_ITEMS(gp_is_before, keys, count, size, turned, false, take)                                           \
    } else {                                                                                                           \
        GP_MERGE_ITEMS(gp_is_less, keys, count, size, turned, true, take)                                              \
    }
#else
#define GP_MERGE_TILE(take) GP_MERGE_ITEMS(gp_is_before, keys, count, size, turned, true, take)
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
    local uint firsts[2 * GP_GROUP / GP_OWN];
    local uchar found[GP_GROUP];
    local ulong ends[2];
    const uint team = item / GP_OWN;
    const ulong at_end = team == 0 ? tile : team == 1 ? tile + size : 0;
    const ulong split = gp_wide_path(a, b, at_end, at_end - min(at_end, of_b), min(at_end, of_a), min(of_a, of_b),
                                     GP_OWN, order, firsts, found);
    if (team < 2 && item == team * GP_OWN) ends[team] = split;
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
    GP_LOAD_PARTS(loaded, size, count, a, shifted)
#if GP_WORD_BYTES
    a_values += first * words;
    b_values += (tile - first) * words;
    out_values += tile * words;
    global const Word *const shifted_values = b_values - (ulong)count * words;
#if GP_STAGED
    Word taken[GP_ITEMS];
    GP_LOAD_PARTS(taken, size, count, a_values, shifted_values)
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
    GP_EACH_OF_TILE(out[at] = keys[at] ^ turn)
#else
    GP_MERGE_TILE(numbers[item * GP_ITEMS + k] = (ushort)from)
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_STAGED
    GP_EACH_OF_TILE(out[at] = keys[numbers[at]] ^ turn; out_values[at] = values[numbers[at]])
#else
    GP_EACH_OF_TILE(out[at] = keys[numbers[at]] ^ turn)
    for (uint k = item; k < size * words; k += GP_GROUP) {
        const uint value = k / words, word = k - value * words, number = numbers[value];
        out_values[k] = (number < count ? a_values : shifted_values)[(ulong)number * words + word];
    }
#endif
#endif
}
