// Merges neighbouring runs of sorted keys, two by two, with their values; stable.
//
// Computes: sort_merge: out = the runs of in, `run` keys each (the last may be shorter), merged two
//           by two; likewise values of `words` words
//           sort_number: indices[i] = i, of GP_WORD_BYTES
// Macros:   those of keys.cl, without values
//           GP_GROUP, GP_ITEMS  work-items of a group, keys of each in a tile
//           GP_WORD_BYTES       0 without values; else bytes of the words that values are copied
//                               by: 1, 2, 4 or 8, which divides the values' size and address
// Launch:   a work-group for each tile of GP_GROUP * GP_ITEMS keys; tiles divide `run`
// Local:    GP_GROUP * GP_ITEMS keys and as many ushorts
// Source:   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path: Parallel Merging Made Simple", 2012
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#include "common/word.cl"

// The bits of the keys as ordered that count.
typedef struct {
    Key flip, mask;
    uint begin;
} KeyOrder;
#define Element Key
#define Rank Key
#define Order KeyOrder
Rank gp_rank(Key key, Order order) { return gp_ordered(key, order.flip) >> order.begin & order.mask; }
bool gp_is_before(Rank x, Rank y) { return x < y; }
#include "common/merge_path.cl"

#define GP_TILE (GP_GROUP * GP_ITEMS)

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_merge(ulong n, ulong run, ulong flip_bits, uint begin, ulong mask_bits, global const Key *in, ulong in_offset,
           global Key *out, ulong out_offset
#if GP_WORD_BYTES
           ,
           uint words, global const Word *values_in, ulong values_in_offset, global Word *values_out,
           ulong values_out_offset
#endif
) {
    local Key keys[GP_TILE + 1];   // one is read behind the last
    local ushort numbers[GP_TILE]; // where in `keys` a key of the result is
    local ulong ends[2];
    const Order order = {(Key)flip_bits, (Key)mask_bits, begin};
    const uint item = get_local_id(0);
    in += in_offset;
    out += out_offset;

    // The tile's part of both runs.
    const ulong tile = (ulong)get_group_id(0) * GP_TILE;
    const ulong first = tile / (2 * run) * (2 * run), second = min(first + run, n), end = min(first + 2 * run, n);
    const uint size = (uint)min((ulong)GP_TILE, end - tile);
    for (uint i = item; i < 2; i += GP_GROUP)
        ends[i] =
            gp_path(in + first, second - first, in + second, end - second, tile - first + (i == 0 ? 0 : size), order);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint of_a = (uint)(ends[1] - ends[0]), of_b = size - of_a;
    const ulong a = first + ends[0], b = second + (tile - first - ends[0]);
    for (uint i = item; i < size; i += GP_GROUP) keys[i] = in[i < of_a ? a + i : b + (i - of_a)];
    barrier(CLK_LOCAL_MEM_FENCE);

    // Each work-item merges some neighbours.
    const uint mine = min(item * GP_ITEMS, size), stop = min(mine + GP_ITEMS, size);
    GP_BEGIN_MERGE(keys, of_a, size, mine, order)
    for (uint k = mine; k < stop; ++k) {
        GP_MERGE_STEP(keys, of_a, size, order)
        numbers[k] = (ushort)from;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint k = item; k < size; k += GP_GROUP) out[tile + k] = keys[numbers[k]];
#if GP_WORD_BYTES
    values_in += values_in_offset * words;
    values_out += values_out_offset * words;
    for (uint k = item; k < size * words; k += GP_GROUP) {
        const uint source = numbers[k / words];
        values_out[tile * words + k] =
            values_in[(source < of_a ? a + source : b + (source - of_a)) * words + k % words];
    }
#endif
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void sort_number(ulong n, global Word *indices,
                                                                              ulong offset) {
    const ulong tile = (ulong)get_group_id(0) * GP_TILE, end = min(tile + GP_TILE, n);
    for (ulong i = tile + get_local_id(0); i < end; i += GP_GROUP) indices[offset + i] = (Word)i;
}
