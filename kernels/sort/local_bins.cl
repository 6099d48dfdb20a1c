// Sorts the keys of one work-group in bins in local memory.
//
// Computes: a stable reordering of n keys in place, of their values of any size, or the order as
//           indices. The keys' range is cut into GP_BINS equal bins. A key's place is where its bin
//           begins, and the number of keys of its bin that come before it, which are compared. If a
//           bin is crowded (more than GP_CROWD keys), all keys are sorted digit by digit instead.
//           Values go through local memory, one column of words after the other: a column is read
//           whole before it is written.
// Macros:   those of keys.cl; GP_GROUP, the work-group size, a power of two; GP_ITEMS, keys a
//           work-item; GP_STABLE: 1 where keys that order the same can be told apart; GP_INDEX,
//           indices: 0 (none), 4 or 8 bytes; GP_WORDS, values as words: 0 (none), or of 1, 2, 4 or
//           8 bytes; the form of device/match.cl
// Launch:   one work-group of GP_GROUP; n is at least 1, and at most GP_GROUP * GP_ITEMS
// Source:   Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017
//           (local sorts); Neubert, "The Flashsort1 Algorithm", 1998 (bins by interpolation)
// SPDX-License-Identifier: MIT
#include "device/match.cl"
#include "sort/keys.cl"
#include "sort/lower_sum.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, keys a work-item"
#endif
#if GP_GROUP * GP_ITEMS > 65536
#error "indices must fit 16 bits"
#endif
#ifndef GP_INDEX
#error "GP_INDEX must be defined: 0, 4 or 8"
#elif GP_INDEX == 8
#define Index ulong
#else
#define Index uint
#endif
#ifndef GP_WORDS
#error "GP_WORDS must be defined: 0, 1, 2, 4 or 8"
#elif GP_WORDS == 1
#define Word uchar
#elif GP_WORDS == 2
#define Word ushort
#elif GP_WORDS == 8
#define Word ulong
#else
#define Word uint
#endif
#ifndef GP_STABLE
#error "GP_STABLE must be defined: 0 or 1"
#endif

#define GP_WARPS (GP_GROUP / 32)
#define GP_BINS (8 * GP_GROUP) // as many as there are digits in all warps
#define GP_CROWD 32            // more keys of one bin are too many to compare
#define GP_ROOM (GP_GROUP * GP_ITEMS)
#define GP_RANGES (GP_TOGETHER ? GP_GROUP : GP_WARPS)

typedef struct {
    uint bins[GP_BINS + 4] __attribute__((aligned(16))); // the keys of each; then where they begin
    Key keys[GP_ROOM];
#if GP_STABLE
    ushort from[GP_ROOM]; // where each of `keys` came
#endif
#if GP_WORDS
    Word words[GP_ROOM];   // a column of the values, as they came
    ushort order[GP_ROOM]; // the places from which the sorted ones come
#endif
    uint scan[GP_LOWER_SUM_ROOM(GP_GROUP) < 32 ? 32 : GP_LOWER_SUM_ROOM(GP_GROUP)];
    Key least[GP_RANGES], most[GP_RANGES]; // of each warp, or work-item
    uint crowded;
#ifdef GP_MATCHES_IN_ROOM
    uint peers[GP_BINS];
#endif
} Local;

// What of a key the sort looks at.
typedef struct {
    Key flip, mask;
    uint begin;
} Look;

GP_INLINE Key gp_code(Key key, const Look *look) { return gp_ordered(key, look->flip) >> look->begin & look->mask; }

// How codes go to bins: those of the least key's bin are `least` and more. With `scale`, keys are
// taken as the numbers that they are, whose range is cut, since their codes are logarithmic.
typedef struct {
    Key least;
    uint shift;
#if GP_KEY_FLOAT
    float low, scale; // scale 0: by codes
#endif
} Map;

#if GP_KEY_FLOAT
// The number whose code it is, or close to it, in order; the largest numbers, infinities and NaN are
// cut to one whose double and quadruple are finite.
GP_INLINE float gp_number_of(Key code) {
    const Key bits = code & GP_SIGN ? code : ~code;
    const Key size = bits & ~GP_SIGN;
#if GP_KEY_BYTES == 8
    const uint exponent = (uint)(size >> 52);
    const uint single = exponent <= 1023 - 127   ? 0
                        : exponent >= 1023 + 120 ? 0x7e7fffff
                                                 : (exponent - (1023 - 127)) << 23 | ((uint)(size >> 29) & 0x7fffff);
#else
    const uint single = size;
#endif
    const float number = as_float(min(single, 0x7e7fffffu));
    return code & GP_SIGN ? number : -number;
}
#endif

GP_INLINE uint gp_bin(Key code, const Map *map) {
#if GP_KEY_FLOAT
    if (map->scale != 0) return min((uint)((gp_number_of(code) - map->low) * map->scale), (uint)(GP_BINS - 1));
#endif
    return (uint)((Key)(code - map->least) >> map->shift);
}

// How many bits a number has.
GP_INLINE uint gp_bits(Key number) {
    return GP_KEY_BYTES == 8 ? 64 - (uint)clz((ulong)number) : 32 - clz((uint)number);
}

#if !GP_TOGETHER && GP_KEY_BYTES == 8
GP_INLINE Key gp_shuffle_down_key(Key key, uint delta) {
    const uint low = gp_shuffle_down_word((uint)key, delta, 0);
    return (Key)gp_shuffle_down_word((uint)(key >> 32), delta, 0) << 32 | low;
}
#elif !GP_TOGETHER
#define gp_shuffle_down_key(key, delta) (Key) gp_shuffle_down_word(key, delta, 0)
#endif

// The least and the greatest of the work-group's codes.
GP_INLINE void gp_range(const Key *mine, const Look *look, Key *least, Key *most, local Local *room) {
    const uint id = (uint)get_local_id(0);
    Key low = gp_code(mine[0], look), high = low;
#pragma unroll
    for (uint k = 1; k < GP_ITEMS; ++k) {
        const Key code = gp_code(mine[k], look);
        low = min(low, code);
        high = max(high, code);
    }
#if GP_TOGETHER
    room->least[id] = low;
    room->most[id] = high;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_WARPS)
        for (uint i = id; i < GP_GROUP; i += GP_WARPS) {
            room->least[id] = min(room->least[id], room->least[i]);
            room->most[id] = max(room->most[id], room->most[i]);
        }
#else
#pragma unroll
    for (uint step = 16; step > 0; step /= 2) {
        low = min(low, gp_shuffle_down_key(low, step));
        high = max(high, gp_shuffle_down_key(high, step));
    }
    if (id % 32 == 0) {
        room->least[id / 32] = low;
        room->most[id / 32] = high;
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    low = room->least[0];
    high = room->most[0];
#pragma unroll
    for (uint w = 1; w < GP_WARPS; ++w) {
        low = min(low, room->least[w]);
        high = max(high, room->most[w]);
    }
    *least = low;
    *most = high;
}

GP_INLINE Map gp_map(Key least, Key most, bool whole) {
    const Key range = most - least;
    Map map;
    map.least = least;
    map.shift = gp_bits(range) - min(gp_bits(range), 31 - (uint)clz((uint)GP_BINS));
#if GP_KEY_FLOAT
    map.low = gp_number_of(least);
    const float size = gp_number_of(most) - map.low;
    const bool is_wide = range >> (GP_KEY_BYTES == 8 ? 53 : 24) != 0; // more than some powers of two
    map.scale = whole && is_wide && size > 1e-30f ? GP_BINS / size : 0;
#endif
    return map;
}

// Turns the number of keys of each bin into where the bin begins. It goes by 16 bytes, which has the
// fewest bank conflicts.
GP_INLINE void scan_bins(local Local *room) {
    local uint4 *const mine = (local uint4 *)room->bins + 2 * get_local_id(0);
    const uint4 a = mine[0], b = mine[1];
    const uint4 most = max(a, b);
    if (max(max(most.x, most.y), max(most.z, most.w)) > GP_CROWD) room->crowded = 1;
    const uint4 x = {0, a.x, a.x + a.y, a.x + a.y + a.z};
    const uint4 y = {0, b.x, b.x + b.y, b.x + b.y + b.z};
    const uint half_sum = x.w + a.w, sum = half_sum + y.w + b.w;
#if GP_TOGETHER
    const uint begin = gp_lower_sum(sum, GP_GROUP, room->scan);
#else
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    const uint up_to = gp_sum_lanes(sum, 0);
    if (lane == 31) room->scan[warp] = up_to;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint warps = gp_sum_lanes(lane < GP_WARPS ? room->scan[lane] : 0, 0);
    const uint before = gp_shuffle_word(warps, (warp + 31) % 32, 0);
    const uint begin = up_to - sum + (warp > 0 ? before : 0);
#endif
    mine[0] = begin + x;
    mine[1] = begin + half_sum + y;
    barrier(CLK_LOCAL_MEM_FENCE);
}

GP_INLINE void clear_bins(local Local *room) {
    local uint4 *const bins = (local uint4 *)room->bins;
    bins[get_local_id(0)] = bins[get_local_id(0) + GP_GROUP] = (uint4)(0);
}

#ifdef GP_MATCHES_IN_ROOM
#define GP_PEERS(room, slot) (&(room)->peers[slot])
#else
#define GP_PEERS(room, slot) 0
#endif

// Sorts by each digit in turn, as onesweep.cl sorts a tile. The keys lie as they came. Out of line,
// since it would take registers.
GP_OUT_OF_LINE void sort_crowd(uint n, Key least, uint bits, Key flip, Key mask, uint begin, local Local *room) {
    const Look look = {flip, mask, begin};
    const uint id = (uint)get_local_id(0), warp = id / 32, below = (1u << id % 32) - 1;
    const uint first = warp * (32 * GP_ITEMS) + id % 32;
    for (uint shift = 0; shift < bits; shift += 8) {
        Key mine[GP_ITEMS];
#if GP_STABLE
        ushort from[GP_ITEMS];
#endif
        clear_bins(room);
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            mine[k] = room->keys[first + k * 32];
#if GP_STABLE
            from[k] = room->from[first + k * 32];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // Those behind the last key have the last digit, and stay behind.
#define GP_DIGIT_OF(k) (first + (k)*32 < n ? (uint)((Key)(gp_code(mine[k], &look) - least) >> shift) & 255 : 255)
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) atomic_inc(&room->bins[GP_DIGIT_OF(k) * GP_WARPS + warp]);
        barrier(CLK_LOCAL_MEM_FENCE);
        scan_bins(room);
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint digit = GP_DIGIT_OF(k), slot = digit * GP_WARPS + warp;
            const uint peers = gp_match(digit, GP_PEERS(room, slot));
            const uint before = room->bins[slot], lower = popcount(peers & below);
            gp_join_warp();
            if (lower == 0) room->bins[slot] = before + popcount(peers);
            gp_join_warp();
            room->keys[before + lower] = mine[k];
#if GP_STABLE
            room->from[before + lower] = from[k];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Does key i of a bin come before another, key j?
GP_INLINE bool comes_before(Key code, uint i, Key other, uint j, local const Local *room) {
#if GP_STABLE
    return code < other || (code == other && room->from[i] < room->from[j]);
#else
    return code < other || (code == other && i < j);
#endif
}

// This work-item's keys, i of k.
#define GP_EACH                                                                                                        \
    _Pragma("unroll") for (uint k = 0, i = (uint)get_local_id(0); k < GP_ITEMS; ++k, i += GP_GROUP) if (i < n)

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_local_bins(uint n, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset
#if GP_INDEX
                ,
                global Index *indices, ulong indices_offset
#elif GP_WORDS
                ,
                global Word *values, ulong values_offset, uint words
#endif
) {
    local Local room;
    const uint id = (uint)get_local_id(0);
    const Look look = {(Key)flip, (Key)((Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width)), begin};
    keys += keys_offset;
#if GP_INDEX
    indices += indices_offset;
#elif GP_WORDS
    values += values_offset * words;
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
        return;
    }
#endif
    const Map map = gp_map(least, most, width == 8 * GP_KEY_BYTES);

    uint ranks[(GP_ITEMS + 1) / 2]; // two in a word
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint rank = k * GP_GROUP + id < n ? atomic_inc(&room.bins[gp_bin(gp_code(mine[k], &look), &map)]) : 0;
        ranks[k / 2] = k % 2 == 0 ? rank : ranks[k / 2] | rank << 16;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    scan_bins(&room);
    if (id == 0) room.bins[GP_BINS] = n;
#if GP_STABLE
    const bool are_equal = false;
#else
    const bool are_equal = map.shift == 0; // the keys of a bin
#endif
    const bool crowded = room.crowded && !are_equal;
    GP_EACH {
        const uint place = room.bins[gp_bin(gp_code(mine[k], &look), &map)] + (ranks[k / 2] >> k % 2 * 16 & 0xffff);
        const uint to = crowded ? i : place;
        room.keys[to] = mine[k];
#if GP_STABLE
        room.from[to] = (ushort)i;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sort_crowd(n, least, crowded ? gp_bits(most - least) : 0, look.flip, look.mask, begin, &room);
    GP_EACH {
        const Key key = room.keys[i];
        uint to = i;
        if (!crowded && !are_equal) {
            const Key code = gp_code(key, &look);
            local const uint *const bin = room.bins + gp_bin(code, &map);
            const uint end = bin[1];
            to = bin[0];
            for (uint j = to; j < end; ++j) to += comes_before(gp_code(room.keys[j], &look), j, code, i, &room) ? 1 : 0;
        }
#if GP_INDEX
        indices[to] = room.from[i];
#else
        keys[to] = key;
#endif
#if GP_WORDS
        room.order[to] = room.from[i];
#endif
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
}
