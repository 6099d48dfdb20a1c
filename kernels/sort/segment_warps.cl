// Sorts segments, each by the 32 work-items of a warp in their registers: listed ones; or with
// GP_ALL those of an array that are short enough, while it lists the longer ones; or with GP_ROWS
// rows.
//
// Computes: a stable reordering of the keys of each segment, in place, of their values of any size,
//           or the order as indices. Each work-item holds GP_ITEMS numbers, or one of a segment of
//           up to 32 keys. Numbers are keys, where equal ones are the same bits, else keys with
//           their places. A bitonic network whose comparators all point the same way sorts those of
//           a warp; numbers of other work-items come by shuffles. Values go one column of words
//           after the other: a column is read whole before it is written.
// Macros:   those of keys.cl and words.cl; GP_GROUP, the work-group size, a multiple of 32;
//           GP_ITEMS, 1, 2 or 4; GP_STABLE: 1 where keys that order the same can be told apart; the
//           form of device/shuffle.cl; with GP_ALL, those of segment.cl and segment_lists.cl
// Launch:   any number of work-groups; listed segments are those of class `kind` in
//           segment_lists.cl, of at most 32 * GP_ITEMS keys, as rows are, which lie `stride` apart
// Source:   Batcher, "Sorting Networks and their Applications", 1968
// SPDX-License-Identifier: MIT
#include "device/shuffle.cl"
#include "sort/keys.cl"
#include "sort/words.cl"
#ifdef GP_ALL
#include "sort/segment.cl"
#include "sort/segment_lists.cl"
#endif

#if !defined(GP_GROUP) || !defined(GP_ITEMS) || !defined(GP_STABLE)
#error "GP_GROUP, GP_ITEMS and GP_STABLE must be defined"
#endif

#define GP_WIDTH (32 * GP_ITEMS) // keys of a segment
#define GP_SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#if GP_TOGETHER
#define GP_LANE_ROOM room->lanes
#else
#define GP_LANE_ROOM 0
#endif

typedef struct {
    Key keys[GP_GROUP / 32][GP_WIDTH];
#if GP_STABLE
    uchar order[GP_GROUP / 32][GP_WIDTH]; // which key comes to each place
#endif
#if GP_TOGETHER
    uint lanes[GP_LANES];
#endif
} Room;

// A number: a key, and its place in its segment where that counts.
typedef struct {
    Key code;
#if GP_STABLE
    uint place;
#endif
} Number;

GP_INLINE bool comes_before(Number a, Number b) {
#if GP_STABLE
    return a.code < b.code || (a.code == b.code && a.place < b.place);
#else
    return a.code < b.code;
#endif
}

// The number of another lane.
GP_INLINE Number number_of(Number x, uint lane, local uint *room) {
    Number y;
#if GP_KEY_BYTES == 8
    const uint low = gp_shuffle_word((uint)x.code, lane, room);
    y.code = (Key)gp_shuffle_word((uint)(x.code >> 32), lane, room) << 32 | low;
#else
    y.code = (Key)gp_shuffle_word(x.code, lane, room);
#endif
#if GP_STABLE
    y.place = gp_shuffle_word(x.place, lane, room);
#endif
    return y;
}

// Puts the lesser number first.
GP_INLINE void exchange(Number *a, Number *b) {
    const Number one = *a, other = *b;
    const bool turn = comes_before(other, one);
    *a = turn ? other : one;
    *b = turn ? one : other;
}

// Functions take how many numbers a work-item has, a constant: 1, 2 or 4. Arrays have room for 4.

// Compares with numbers of the lanes whose number differs from this one's in the bits of `mask`;
// with `turned`, in the opposite order. The lower lane keeps the lesser ones.
GP_INLINE void exchange_lanes(Number *x, uint items, uint mask, bool turned, local uint *room) {
    const uint lane = (uint)get_local_id(0) % 32, other = lane ^ mask;
    const bool is_lower = lane < other;
    Number y[4];
#pragma unroll
    for (uint r = 0; r < items; ++r) y[r] = number_of(x[turned ? items - 1 - r : r], other, room);
#pragma unroll
    for (uint r = 0; r < items; ++r)
        if (comes_before(y[r], x[r]) == is_lower) x[r] = y[r];
}

// The last steps of a merge: those among a work-item's own numbers.
GP_INLINE void halve_own(Number *x, uint items) {
    if (items == 4) {
        exchange(&x[0], &x[2]);
        exchange(&x[1], &x[3]);
        exchange(&x[0], &x[1]);
        exchange(&x[2], &x[3]);
    } else if (items == 2) {
        exchange(&x[0], &x[1]);
    }
}

GP_INLINE void sort_numbers(Number *x, uint items, local uint *room) {
    if (items == 4) {
        exchange(&x[0], &x[1]);
        exchange(&x[2], &x[3]);
        exchange(&x[0], &x[3]);
        exchange(&x[1], &x[2]);
        exchange(&x[0], &x[1]);
        exchange(&x[2], &x[3]);
    } else if (items == 2) {
        exchange(&x[0], &x[1]);
    }
#pragma unroll
    for (uint lanes = 1; lanes < 32; lanes *= 2) {
        exchange_lanes(x, items, 2 * lanes - 1, true, room);
        // Where shuffles have barriers, no round may leave them out: PoCL 6, when it does not
        // optimise, gets that wrong.
#pragma unroll
        for (uint apart = GP_TOGETHER ? lanes / 2 : 16; apart > 0; apart /= 2)
            if (GP_TOGETHER || apart < lanes) exchange_lanes(x, items, apart, false, room);
        halve_own(x, items);
    }
}

// This work-item's keys of its segment: number i, which is k of its own.
#define GP_EACH                                                                                                        \
    _Pragma("unroll") for (uint k = 0, i = (uint)get_local_id(0) % 32; k < GP_ITEMS; ++k, i += 32) if (i < length)

// Reads the n keys of a segment, up to 32 * items, and sorts them. The room then holds what is to
// be written.
GP_INLINE void sort_in_room(global const Key *mine, uint n, uint items, uint begin, Key mask, Key flip,
                            local Room *room) {
    const uint lane = (uint)get_local_id(0) % 32, warp = (uint)get_local_id(0) / 32;
    Number x[4];
#pragma unroll
    for (uint r = 0; r < items; ++r) { // in any order
        const uint place = r * 32 + lane;
        x[r].code = ~(Key)0; // behind the last key
#if GP_STABLE
        x[r].place = GP_WIDTH;
#endif
        if (place >= n) continue;
        const Key key = mine[place];
#if GP_STABLE
        x[r].place = place;
        room->keys[warp][place] = key;
#endif
        x[r].code = gp_ordered(key, flip) >> begin & mask;
    }
    sort_numbers(x, items, GP_LANE_ROOM);
#pragma unroll
    for (uint r = 0; r < items; ++r) {
#if GP_STABLE
        room->order[warp][lane * items + r] = (uchar)x[r].place;
#else
        room->keys[warp][lane * items + r] = x[r].code ^ flip;
#endif
    }
}

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
#ifdef GP_ALL
sort_segment_warps(uint all, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset,
                   GP_MOVED GP_OFFSETS, GP_LISTS, GP_ZEROS) {
    GP_FILL_ZEROS
    offsets += offsets_offset;
    GP_TAKE_ENDS
    counts += counts_offset;
    lists += lists_offset;
#elif defined(GP_ROWS)
sort_row_warps(uint n, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset, GP_MOVED ulong segments,
               ulong stride) {
#else
sort_listed_warps(uint all, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset,
                  GP_MOVED global const uint *counts, ulong counts_offset, global const uint *lists, ulong lists_offset,
                  uint kind, uint first, uint end) {
    lists += lists_offset;
    const ulong segments = min(counts[counts_offset + kind - 1], end - first);
#endif
    local Room room;
    const uint lane = (uint)get_local_id(0) % 32, warp = (uint)get_local_id(0) / 32;
    const uint warps = GP_GROUP / 32;
    const Key mask = (Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width);
    // All warps of a work-group go through the loop as often.
    for (ulong from = get_group_id(0) * warps; from < segments; from += get_num_groups(0) * warps) {
#ifdef GP_ROWS
        const ulong at = (from + warp) * stride;
        const uint length = from + warp < segments ? n : 0;
#else
        uint2 segment = (uint2)(0, 0);
#ifdef GP_ALL
        if (from + warp < segments) segment = gp_cut(from + warp, all, GP_OFFSET_ARRAYS);
        const uint kind = GP_KIND(segment.y, (uint)GP_WIDTH);
        if (kind > 0) {
            if (lane == 0) {
                const uint place = atomic_inc(&counts[kind - 1]);
                GP_PUT_LISTED(segment, kind, place)
            }
            segment.y = 0;
        }
#else
        if (from + warp < segments) segment = vload2(first + from + warp, lists);
#endif
        const ulong at = segment.x;
        const uint length = segment.y;
#endif
        global Key *const mine = keys + keys_offset + at;
        if (!GP_TOGETHER && length <= 32)
            sort_in_room(mine, length, 1, begin, mask, (Key)flip, &room);
        else
            sort_in_room(mine, length, GP_ITEMS, begin, mask, (Key)flip, &room);
        GP_SYNC;
#if GP_INDEX
        global Index *const mine_indices = indices + indices_offset + at;
        GP_EACH mine_indices[i] = room.order[warp][i];
#elif GP_STABLE
        GP_EACH mine[i] = room.keys[warp][room.order[warp][i]];
#else
        GP_EACH mine[i] = room.keys[warp][i];
#endif
#if GP_WORDS
        global Word *const mine_values = values + (values_offset + at) * words;
        for (uint word = 0; word < words; ++word) {
            Word column[GP_ITEMS];
            GP_EACH column[k] = mine_values[(ulong)room.order[warp][i] * words + word];
            GP_SYNC;
            GP_EACH mine_values[(ulong)i * words + word] = column[k];
        }
#endif
        GP_SYNC; // the room is free
    }
}
