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

#define GP_TILE (GP_GROUP * GP_ITEMS)

#if GP_WORD_BYTES == 8
#define Word ulong
#elif GP_WORD_BYTES == 4
#define Word uint
#elif GP_WORD_BYTES == 2
#define Word ushort
#else
#define Word uchar
#endif

// Of the first `diagonal` keys of two merged arrays, how many come from the first one; `keys` reads
// either kind of memory.
#define GP_DEFINE_PATH(name, memory)                                                                                   \
    ulong name(memory const Key *a, ulong of_a, memory const Key *b, ulong of_b, ulong diagonal, Key flip, uint begin, \
               Key mask) {                                                                                             \
        ulong low = diagonal - min(diagonal, of_b), high = min(diagonal, of_a);                                        \
        while (low < high) {                                                                                           \
            const ulong middle = (low + high) / 2;                                                                     \
            const Key x = gp_ordered(a[middle], flip) >> begin & mask;                                                 \
            const Key y = gp_ordered(b[diagonal - 1 - middle], flip) >> begin & mask;                                  \
            if (x <= y)                                                                                                \
                low = middle + 1;                                                                                      \
            else                                                                                                       \
                high = middle;                                                                                         \
        }                                                                                                              \
        return low;                                                                                                    \
    }
GP_DEFINE_PATH(gp_path, global)
GP_DEFINE_PATH(gp_local_path, local)

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_merge(ulong n, ulong run, ulong flip_bits, uint begin, ulong mask_bits, global const Key *in, ulong in_offset,
           global Key *out, ulong out_offset
#if GP_WORD_BYTES
           ,
           uint words, global const Word *values_in, ulong values_in_offset, global Word *values_out,
           ulong values_out_offset
#endif
) {
    local Key keys[GP_TILE];
    local ushort from[GP_TILE]; // where in `keys` a key of the result is
    local ulong ends[2];
    const Key flip = (Key)flip_bits, mask = (Key)mask_bits;
    const uint item = get_local_id(0);
    in += in_offset;
    out += out_offset;

    // The tile's part of both runs.
    const ulong tile = (ulong)get_group_id(0) * GP_TILE;
    const ulong first = tile / (2 * run) * (2 * run), second = min(first + run, n), end = min(first + 2 * run, n);
    const uint size = (uint)min((ulong)GP_TILE, end - tile);
    for (uint i = item; i < 2; i += GP_GROUP)
        ends[i] = gp_path(in + first, second - first, in + second, end - second, tile - first + (i == 0 ? 0 : size),
                          flip, begin, mask);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint of_a = (uint)(ends[1] - ends[0]), of_b = size - of_a;
    const ulong a = first + ends[0], b = second + (tile - first - ends[0]);
    for (uint i = item; i < size; i += GP_GROUP) keys[i] = in[i < of_a ? a + i : b + (i - of_a)];
    barrier(CLK_LOCAL_MEM_FENCE);

    // Each work-item merges some neighbours.
    const uint mine = min(item * GP_ITEMS, size), stop = min(mine + GP_ITEMS, size);
    uint i = (uint)gp_local_path(keys, of_a, keys + of_a, of_b, mine, flip, begin, mask), j = mine - i;
    for (uint k = mine; k < stop; ++k) {
        const bool takes_a = j >= of_b || (i < of_a && (gp_ordered(keys[i], flip) >> begin & mask) <=
                                                           (gp_ordered(keys[of_a + j], flip) >> begin & mask));
        from[k] = (ushort)(takes_a ? i++ : of_a + j++);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint k = item; k < size; k += GP_GROUP) out[tile + k] = keys[from[k]];
#if GP_WORD_BYTES
    values_in += values_in_offset * words;
    values_out += values_out_offset * words;
    for (uint k = item; k < size * words; k += GP_GROUP) {
        const uint source = from[k / words];
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
