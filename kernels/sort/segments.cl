// Sorts short segments of an array, and divides the others into classes by their length.
//
// Computes: a stable reordering of the keys of each segment of up to GP_WIDTH, in place, of their
//           values of any size, or the order as indices; and lists of the others. A work-group
//           takes GP_GROUP segments, as many at once as local memory has room for. Each is sorted
//           by a network in the registers of a work-item, a network of 8, 16, 32 or 64 numbers;
//           segments are dealt out by the size of their network, so that neighbouring work-items
//           have the same. Numbers are keys, where equal ones are the same bits, else keys with
//           their places.
// Macros:   those of keys.cl, words.cl, segment.cl and segment_lists.cl; GP_GROUP, the work-group
//           size, a multiple of 32; GP_WIDTH, 8, 16, 32 or 64; GP_ROOM, how many keys it has room
//           for, at least GP_WIDTH and at most 65536; GP_STABLE: 1 where keys that order the same
//           can be told apart; the form of device/shuffle.cl
// Launch:   a work-group of GP_GROUP for each GP_GROUP segments
// Source:   Batcher, "Sorting Networks and their Applications", 1968
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"
#include "sort/lower_sum.cl"
#include "sort/segment.cl"
#include "sort/segment_lists.cl"
#include "sort/words.cl"

#if !defined(GP_GROUP) || !defined(GP_WIDTH) || !defined(GP_ROOM) || !defined(GP_STABLE)
#error "GP_GROUP, GP_WIDTH, GP_ROOM and GP_STABLE must be defined"
#endif
#if GP_ROOM < GP_WIDTH || GP_ROOM > 65536
#error "there must be room for a segment, and places must fit 16 bits"
#endif

// Keys with their places: in one integer, where they fit.
#if !GP_STABLE
#define Number Key
#define GP_NUMBER_OF(code, place) (code)
#elif GP_KEY_BYTES <= 2
#define Number uint
#define GP_NUMBER_OF(code, place) ((uint)(code) << 16 | (place))
#define GP_PLACE_OF(number) ((number)&0xffff)
#elif GP_KEY_BYTES == 4
#define Number ulong
#define GP_NUMBER_OF(code, place) ((ulong)(code) << 32 | (place))
#define GP_PLACE_OF(number) (uint)(number)
#else
typedef struct {
    Key code;
    uint place;
} Number;
#define GP_EXCHANGE(a, b)                                                                                              \
    {                                                                                                                  \
        const Key one = x[a].code, other = x[b].code;                                                                  \
        const uint place = x[a].place, other_place = x[b].place;                                                       \
        const bool turn = other < one || (other == one && other_place < place);                                        \
        x[a].code = turn ? other : one;                                                                                \
        x[a].place = turn ? other_place : place;                                                                       \
        x[b].code = turn ? one : other;                                                                                \
        x[b].place = turn ? place : other_place;                                                                       \
    }
#define GP_PLACE_OF(number) (number).place
#endif
#include "sort/networks.cl"

// Longer segments of up to so many keys are passed through unchanged, lest there are gaps between
// the others; they are sorted afterwards.
#if GP_ROOM < 4 * GP_WIDTH
#define GP_MOST_PASSED GP_ROOM
#else
#define GP_MOST_PASSED (4 * GP_WIDTH)
#endif

#define GP_NETWORKS 4 // of 8, 16, 32 and 64

#if GP_WORDS > GP_KEY_BYTES
#define GP_ROOM_BYTES (GP_WORDS * GP_ROOM)
#else
#define GP_ROOM_BYTES (GP_KEY_BYTES * GP_ROOM)
#endif

typedef struct {
    union {
        Key keys[GP_ROOM];
#if GP_WORDS
        Word words[GP_ROOM]; // a column of the values
#endif
    };
    uint at[GP_GROUP];    // where each segment begins in `keys`
    uint shift[GP_GROUP]; // from there to where it begins in the array
    uint scan[GP_LOWER_SUM_ROOM(GP_GROUP)];
    uint counts[GP_CLASSES + GP_NETWORKS], firsts[GP_CLASSES];
    uint total, next, first_shift, is_apart;
#if GP_STABLE
    ushort order[GP_ROOM]; // which key comes to each place; with indices, of its segment
#endif
    ushort turn[GP_GROUP]; // segments by their networks
    ushort lengths[GP_GROUP];
} Segments;

// Where in the array a place of local memory is from.
GP_INLINE uint gp_source(uint place, local const Segments *room) {
    uint low = 0, high = GP_GROUP; // the last segment that begins at `place` or before is in [low, high)
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (room->at[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return place + room->shift[low];
}

// This work-item's places of local memory, each with where it lies in the array. Where segments
// follow each other without gaps, several loads are under way at once.
#define GP_EACH(statement)                                                                                             \
    if (room.is_apart) {                                                                                               \
        for (uint i = id; i < total; i += GP_GROUP) {                                                                  \
            const uint there = gp_source(i, &room);                                                                    \
            statement;                                                                                                 \
        }                                                                                                              \
    } else {                                                                                                           \
        const uint shift = room.first_shift;                                                                           \
        _Pragma("unroll 8") for (uint i = id; i < total; i += GP_GROUP) {                                              \
            const uint there = i + shift;                                                                              \
            statement;                                                                                                 \
        }                                                                                                              \
    }

// Sorts a segment of `length` keys, at most `width`.
#if GP_STABLE
#if GP_INDEX
#define GP_ORDER(k) GP_PLACE_OF(x[k])
#else
#define GP_ORDER(k) (at + GP_PLACE_OF(x[k]))
#endif
#define GP_PUT(k) room.order[at + k] = (ushort)GP_ORDER(k);
#else
#define GP_PUT(k) room.keys[at + k] = x[k] ^ (Key)flip;
#endif
#if GP_STABLE && GP_KEY_BYTES == 8
#define GP_SET_NUMBER(k)                                                                                               \
    x[k].code = code;                                                                                                  \
    x[k].place = k;
#else
#define GP_SET_NUMBER(k) x[k] = GP_NUMBER_OF(code, k);
#endif
// Behind the last key: what no number comes after.
#if GP_STABLE && GP_KEY_BYTES == 8
#define GP_SET_LAST(k)                                                                                                 \
    x[k].code = ~(Key)0;                                                                                               \
    x[k].place = ~0u;
#else
#define GP_SET_LAST(k) x[k] = ~(Number)0;
#endif
#define GP_SORT_SEGMENT(width)                                                                                         \
    {                                                                                                                  \
        Number x[width];                                                                                               \
        _Pragma("unroll") for (uint k = 0; k < width; ++k) {                                                           \
            if (k < length) {                                                                                          \
                const Key code = GP_CODE(room.keys[at + k]);                                                           \
                GP_SET_NUMBER(k)                                                                                       \
            } else {                                                                                                   \
                GP_SET_LAST(k)                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
        GP_SORT_NUMBERS(width, x);                                                                                     \
        _Pragma("unroll") for (uint k = 0; k < width; ++k) if (k < length) GP_PUT(k)                                   \
    }
#if GP_STABLE
#define GP_CODE(key) (gp_ordered(key, (Key)flip) >> begin & mask)
#else
#define GP_CODE(key) gp_ordered(key, (Key)flip)
#endif

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_segments(uint n, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset, GP_MOVED GP_OFFSETS,
              GP_LISTS, GP_ZEROS) {
    local Segments room;
    const uint id = (uint)get_local_id(0);
    GP_FILL_ZEROS
    const ulong segment = get_group_id(0) * (ulong)GP_GROUP + id;
#if GP_STABLE
    const Key mask = (Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width);
#endif
    keys += keys_offset;
    offsets += offsets_offset;
    GP_TAKE_ENDS
    counts += counts_offset;
    lists += lists_offset;
#if GP_INDEX
    indices += indices_offset;
#elif GP_WORDS
    values += values_offset * words;
#endif
    uint2 mine = (uint2)(0, 0);
    if (segment < segments) mine = gp_cut(segment, n, GP_OFFSET_ARRAYS);
    if (id < GP_CLASSES) room.counts[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint kind = GP_KIND(mine.y, GP_WIDTH);
    uint rank = 0;
    if (kind > 0) rank = atomic_inc(&room.counts[kind - 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_CLASSES && room.counts[id] > 0) room.firsts[id] = atomic_add(&counts[id], room.counts[id]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (kind > 0) {
        const uint place = room.firsts[kind - 1] + rank;
        GP_PUT_LISTED(mine, kind, place)
    }

    const uint own = kind == 0 || mine.y <= GP_MOST_PASSED ? mine.y : 0;
    for (uint from = 0; from < GP_GROUP;) { // segments from this one on are left
        const uint wanted = id >= from ? own : 0;
        const uint at = gp_lower_sum(wanted, GP_GROUP, room.scan);
        const bool fits = at + wanted <= GP_ROOM;
        const uint length = fits ? wanted : 0;
        if (id == 0) {
            room.next = GP_GROUP;
            room.total = 0;
            room.is_apart = 0;
        }
        if (id < GP_NETWORKS) room.counts[GP_CLASSES + id] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        room.at[id] = fits ? at : GP_ROOM; // none of the places
        room.shift[id] = mine.x - at;
        room.lengths[id] = (ushort)length;
        if (length > 0 && at == 0) room.first_shift = mine.x;
        if (!fits) atomic_min(&room.next, id);
        if (length > 0) atomic_max(&room.total, at + length);
        const uint network = length <= 8 ? 0 : length <= 16 ? 1 : length <= 32 ? 2 : 3;
        uint before = 0;
        const bool is_sorted_here = kind == 0 && length > 1;
        if (is_sorted_here) before = atomic_inc(&room.counts[GP_CLASSES + network]);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint total = room.total, next = room.next;
        if (length > 0 && mine.x - at != room.first_shift) room.is_apart = 1;
        uint networks = 0;
#pragma unroll
        for (uint i = 0; i < GP_NETWORKS; ++i) {
            if (i < network) before += room.counts[GP_CLASSES + i];
            networks += room.counts[GP_CLASSES + i];
        }
        if (is_sorted_here) room.turn[before] = (ushort)id;
#if GP_STABLE
        if (!is_sorted_here)
            for (uint k = 0; k < length; ++k) room.order[at + k] = (ushort)(GP_INDEX ? k : at + k);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        GP_EACH(room.keys[i] = keys[there])
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (id < networks) {
            const uint other = room.turn[id], length = room.lengths[other], at = room.at[other];
            if (length <= 8) GP_SORT_SEGMENT(8)
#if GP_WIDTH >= 16
            else if (length <= 16)
                GP_SORT_SEGMENT(16)
#endif
#if GP_WIDTH >= 32
            else if (length <= 32)
                GP_SORT_SEGMENT(32)
#endif
#if GP_WIDTH >= 64
            else
                GP_SORT_SEGMENT(64)
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if GP_INDEX
        GP_EACH(indices[there] = room.order[i])
#elif GP_STABLE
        GP_EACH(keys[there] = room.keys[room.order[i]])
#else
        GP_EACH(keys[there] = room.keys[i])
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#if GP_WORDS
        for (uint word = 0; word < words; ++word) {
            GP_EACH(room.words[i] = values[(ulong)there * words + word])
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            GP_EACH(values[(ulong)there * words + word] = room.words[room.order[i]])
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
        from = next;
    }
}
