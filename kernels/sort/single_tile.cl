// Sorts a few thousand keys in one work-group.
//
// Computes: a stable reordering of n keys in place, of their values of any size, or the order as
//           indices. (key, index) are merged in local memory, runs of 1, 2, 4 ... at a time: a
//           key's place is its place in its own run and the number of keys in the other run that
//           come before it. A work-item that is alone takes the digits one by one instead. Keys and
//           values are then fetched by index, one column of words after the other: a column is read
//           whole before it is written, so that nothing else needs memory.
// Macros:   those of keys.cl; GP_GROUP, the work-group size; GP_ITEMS, keys a work-item; GP_INDEX,
//           indices: 0 (none), 4 or 8 bytes; GP_WORDS, values as words: 0 (none), or of 1, 2, 4 or
//           8 bytes
// Launch:   one work-group of GP_GROUP; n is at most GP_GROUP * GP_ITEMS
// Source:   Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
//           2009 (merging by ranks)
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"
#include "sort/words.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, keys a work-item"
#endif
#if GP_GROUP * GP_ITEMS > 65536
#error "indices must fit 16 bits"
#endif

#define GP_SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// GP_EACH: this work-item's keys, i of k.
#if GP_GROUP == 1
#define GP_ROOM (2 * GP_ITEMS)
#define GP_EACH for (uint k = 0, i = 0; i < n; k = ++i)
#else
#define GP_ROOM (GP_GROUP * GP_ITEMS)
#define GP_EACH                                                                                                        \
    _Pragma("unroll") for (uint k = 0, i = (uint)get_local_id(0); k < GP_ITEMS; ++k, i += GP_GROUP) if (i < n)
#endif

#if GP_GROUP == 1

// Sorts by each digit in turn: counts, then moves to the other array.
void gp_sort_tile(local Key *keys, local ushort *index, uint n, uint width) {
    local Key *to_keys = keys + GP_ITEMS;
    local ushort *to_index = index + GP_ITEMS, *const home = index;
    for (uint shift = 0; shift < width; shift += 8) {
        uint next[GP_DIGITS], sum = 0;
        for (uint digit = 0; digit < GP_DIGITS; ++digit) next[digit] = 0;
        for (uint i = 0; i < n; ++i) ++next[keys[i] >> shift & 255];
        if (next[keys[0] >> shift & 255] == n) continue;
        for (uint digit = 0; digit < GP_DIGITS; ++digit) {
            const uint count = next[digit];
            next[digit] = sum;
            sum += count;
        }
        for (uint i = 0; i < n; ++i) {
            const uint to = next[keys[i] >> shift & 255]++;
            to_keys[to] = keys[i];
            to_index[to] = index[i];
        }
        local Key *const keys_here = keys;
        local ushort *const index_here = index;
        keys = to_keys;
        index = to_index;
        to_keys = keys_here;
        to_index = index_here;
    }
    if (index != home)
        for (uint i = 0; i < n; ++i) to_index[i] = index[i];
}

#else

// How many of the sorted keys[0 .. size) come before `key`; with `equal` = 1, equal ones do.
uint gp_count_before(Key key, local const Key *keys, uint size, uint equal) {
    uint first = 0;
    while (size > 0) {
        const uint half_size = size / 2;
        const Key other = keys[first + half_size];
        const bool before = equal ? other <= key : other < key;
        first += before ? half_size + 1 : 0;
        size = before ? size - half_size - 1 : half_size;
    }
    return first;
}

void gp_sort_tile(local Key *keys, local ushort *index, uint n, uint width) {
    for (uint run = 1; run < n; run *= 2) {
        Key key[GP_ITEMS];
        ushort from[GP_ITEMS], to[GP_ITEMS];
        GP_EACH {
            const uint second = i & run; // is it in the second run of its pair?
            const uint pair = i & ~(2 * run - 1), other = second ? pair : min(pair + run, n);
            key[k] = keys[i];
            from[k] = index[i];
            to[k] = (ushort)(i - (second ? run : 0) +
                             gp_count_before(key[k], keys + other, min(run, n - other), second ? 1 : 0));
        }
        GP_SYNC;
        GP_EACH {
            keys[to[k]] = key[k];
            index[to[k]] = from[k];
        }
        GP_SYNC;
    }
}

#endif

// One column of `array`, whose elements have `words` words.
#define GP_FETCH(Type, array, words)                                                                                   \
    {                                                                                                                  \
        Type column[GP_ITEMS];                                                                                         \
        GP_EACH column[k] = (array)[(ulong)index[i] * (words)];                                                        \
        GP_SYNC;                                                                                                       \
        GP_EACH(array)[(ulong)i * (words)] = column[k];                                                                \
    }

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_single_tile(uint n, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset
#if GP_INDEX
                 ,
                 global Index *indices, ulong indices_offset
#elif GP_WORDS
                 ,
                 global Word *values, ulong values_offset, uint words
#endif
) {
    local Key sorted[GP_ROOM];
    local ushort index[GP_ROOM];
    keys += keys_offset;
    const Key mask = (Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width);
    GP_EACH {
        sorted[i] = gp_ordered(keys[i], (Key)flip) >> begin & mask;
        index[i] = (ushort)i;
    }
    GP_SYNC;
    gp_sort_tile(sorted, index, n, width);
#if GP_INDEX
    indices += indices_offset;
    GP_EACH indices[i] = index[i];
#else
    GP_FETCH(Key, keys, 1)
#if GP_WORDS
    values += values_offset * words;
    for (uint word = 0; word < words; ++word) GP_FETCH(Word, values + word, words)
#endif
#endif
}
