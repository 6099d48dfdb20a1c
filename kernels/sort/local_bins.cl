// Sorts the keys of one work-group in bins in local memory; with GP_ROWS a row in each work-group,
// with GP_LIST listed segments, which work-groups take in turns.
//
// Computes: a stable reordering of n keys in place, of their values of any size, or the order as
//           indices. The keys' range is cut into GP_BINS equal bins. A key's place is where its bin
//           begins, and the number of keys of its bin that come before it, which are compared. What
//           becomes of crowded bins stands in bins.cl.
//           Values go through local memory, one column of words after the other: a column is read
//           whole before it is written.
// Macros:   those of keys.cl, and of counted.cl for one array; GP_GROUP, the work-group size, a
//           power of two; GP_ITEMS, keys a work-item; GP_STABLE: 1 where keys that order the same
//           can be told apart; GP_INDEX, indices: 0 (none), 4 or 8 bytes; GP_WORDS, values as
//           words: 0 (none), or of 1, 2, 4 or 8 bytes; the form of device/match.cl
// Launch:   one work-group of GP_GROUP, or one for each row, which lie `stride` apart; n is at
//           least 1, unless it is counted, and at most GP_GROUP * GP_ITEMS. With GP_LIST, any
//           number of work-groups, which sort the segments of class `kind` of segment_lists.cl
// Source:   Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017
//           (local sorts); Neubert, "The Flashsort1 Algorithm", 1998 (bins by interpolation)
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "sort/words.cl"

#if GP_GROUP * GP_ITEMS > 65536
#error "indices must fit 16 bits"
#endif

#define From ushort
#if GP_WORDS
// A column of the values as they came, and the places from which the sorted ones come.
#define GP_MORE_ROOM                                                                                                   \
    Word words[GP_ROOM];                                                                                               \
    ushort order[GP_ROOM];
#endif
#include "sort/bins.cl"

// Writes key i to its place.
#if GP_INDEX
#define GP_PUT_KEY(to, i, key) indices[to] = room.from[i];
#elif GP_WORDS
#define GP_PUT_KEY(to, i, key)                                                                                         \
    {                                                                                                                  \
        keys[to] = key;                                                                                                \
        room.order[to] = room.from[i];                                                                                 \
    }
#else
#define GP_PUT_KEY(to, i, key) keys[to] = key;
#endif

// This work-item's keys, i of k.
#define GP_EACH                                                                                                        \
    _Pragma("unroll") for (uint k = 0, i = (uint)get_local_id(0); k < GP_ITEMS; ++k, i += GP_GROUP) if (i < n)

#ifdef GP_LIST
#define GP_DONE continue
#else
#define GP_DONE return
#endif

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
#ifdef GP_LIST
sort_listed_bins(uint all,
#else
sort_local_bins(uint n,
#endif
                 uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset
#if GP_INDEX
                 ,
                 global Index *indices, ulong indices_offset
#elif GP_WORDS
                ,
                global Word *values, ulong values_offset,
                uint words
#endif
#ifdef GP_ROWS
                 ,
                 ulong stride
#endif
#ifdef GP_LIST
                 ,
                 global const uint *counts, ulong counts_offset, global const uint *lists, ulong lists_offset,
                 uint kind, uint first,
                 uint end
#endif
                     GP_COUNT_PARAMETERS) {
#ifdef GP_COUNTED
    GP_TAKE_COUNT(n)
    if (n == 0) return;
#endif
    local Local room;
    const uint id = (uint)get_local_id(0);
    const Look look = {(Key)flip, (Key)((Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width)), begin};
    keys += keys_offset;
#if GP_INDEX
    indices += indices_offset;
#elif GP_WORDS
    values += values_offset * words;
#endif
#ifdef GP_ROWS
    const ulong row = get_group_id(0) * stride;
    keys += row;
#if GP_INDEX
    indices += row;
#elif GP_WORDS
    values += row * words;
#endif
#endif
#ifdef GP_LIST
    lists += lists_offset;
    const uint listed = min(counts[counts_offset + kind - 1], end - first);
    global Key *const all_keys = keys;
#if GP_INDEX
    global Index *const all_indices = indices;
#elif GP_WORDS
    global Word *const all_values = values;
#endif
    for (uint at = (uint)get_group_id(0); at < listed; at += (uint)get_num_groups(0)) {
        const uint2 segment = vload2(first + at, lists);
        const uint n = segment.y;
        barrier(CLK_LOCAL_MEM_FENCE); // nobody looks at the segment before any more
        keys = all_keys + segment.x;
#if GP_INDEX
        indices = all_indices + segment.x;
#elif GP_WORDS
        values = all_values + (ulong)segment.x * words;
#endif
#endif
        Key mine[GP_ITEMS];
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) mine[k] = keys[min(k * GP_GROUP + id, n - 1)];
#if GP_WORDS
        Word column[GP_ITEMS];
        GP_EACH column[k] = values[(ulong)i * words];
        GP_EACH room.words[i] = column[k];
#endif
        clear_bins(&room);
        if (id == 0) room.crowded = 0;
        Key least, most;
        gp_range(mine, &look, &least, &most, &room);
#if !GP_TOGETHER
        if (least == most) { // they lie in order
#if GP_INDEX
            GP_EACH indices[i] = i;
#endif
            GP_DONE;
        }
#endif
        const Map map = gp_map(least, most, width == 8 * GP_KEY_BYTES);

        uint ranks[(GP_ITEMS + 1) / 2]; // two in a word
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint rank = k * GP_GROUP + id < n ? rank_in_bin(gp_bin(gp_code(mine[k], &look), &map), &room) : 0;
            ranks[k / 2] = k % 2 == 0 ? rank : ranks[k / 2] | rank << 16;
        }
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k)
            note_crowd(ranks[k / 2] >> k % 2 * 16 & 0xffff, gp_code(mine[k], &look), &map, &room);
        barrier(CLK_LOCAL_MEM_FENCE);
        scan_bins(&room);
        if (id == 0) room.bins[GP_BINS] = n;
#if GP_STABLE
        const bool are_equal = false;
#else
    const bool are_equal = map.shift == 0; // the keys of a bin
#endif
        const uint crowds = are_equal ? 0 : room.crowded;
        const bool by_digits = crowds > GP_CROWDS;
        GP_EACH {
            const uint place = room.bins[gp_bin(gp_code(mine[k], &look), &map)] + (ranks[k / 2] >> k % 2 * 16 & 0xffff);
            const uint to = by_digits ? i : place;
            room.keys[to] = mine[k];
#if GP_STABLE
            room.from[to] = (ushort)i;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // all keys are read before any is written
        if (by_digits) sort_crowd(0, n, least, 0, gp_bits(most - least), look.flip, look.mask, begin, &room);
        if (by_digits || are_equal) {
            GP_EACH GP_PUT_KEY(i, i, room.keys[i])
        } else {
#pragma unroll
            for (uint first = 0; first < GP_ITEMS; first += GP_AT_ONCE) {
#ifdef GP_LIST // segments may fill a small part of the room
                if (first * GP_GROUP >= n) break;
#endif
                Key found[GP_AT_ONCE];
                uint places[GP_AT_ONCE];
                places_in_bins(first * GP_GROUP + id, 0, n, &map, &look, &room, found, places);
#pragma unroll
                for (uint k = 0; k < GP_AT_ONCE; ++k)
                    if (places[k] != GP_NOWHERE) GP_PUT_KEY(places[k], (first + k) * GP_GROUP + id, found[k])
            }
        }
        if (crowds > 0 && !by_digits) {
            uint2 crowd[GP_CROWDS]; // where each begins and ends
#pragma unroll
            for (uint c = 0; c < GP_CROWDS; ++c)
                if (c < crowds) crowd[c] = (uint2)(room.bins[room.crowds[c]], room.bins[room.crowds[c] + 1]);
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint c = 0; c < GP_CROWDS; ++c) {
                if (c >= crowds) break;
                const uint2 place = crowd[c];
                sort_part(place.x, place.y - place.x, gp_bits_of(n - 1), 0, look.flip, look.mask, begin, &room);
                for (uint i = place.x + id; i < place.y; i += GP_GROUP) GP_PUT_KEY(i, i, room.keys[i])
            }
        }
#if GP_WORDS
        for (uint word = 0;;) {
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            GP_EACH values[(ulong)i * words + word] = room.words[room.order[i]];
            if (++word == words) break;
            GP_EACH column[k] = values[(ulong)i * words + word];
            barrier(CLK_LOCAL_MEM_FENCE);
            GP_EACH room.words[i] = column[k];
        }
#endif
#ifdef GP_LIST
    }
#endif
}
