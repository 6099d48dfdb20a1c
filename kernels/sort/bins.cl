// Sorting keys in bins in the local memory of a work-group.
//
// The range of the keys is cut into GP_BINS equal bins. A key's place is where its bin begins, and
// the number of keys of its bin that come before it, which are compared. If a bin is crowded (more
// than GP_CROWD keys), its own keys' range is cut into bins; or if many are, all keys are sorted
// digit by digit instead.
//
// Macros: those of keys.cl; GP_GROUP, the work-group size, a power of two; GP_ITEMS, keys a
//         work-item; GP_STABLE: 1 where keys that order the same can be told apart, which takes
//         From, an unsigned type of where keys came; GP_MORE_ROOM, further members of Local, if
//         defined; the form of device/match.cl
// Gives:  Look, gp_code; Local, what it takes of local memory; Map, gp_bin, gp_range, gp_map;
//         clear_bins, rank_in_bin, note_crowd, gp_sum_before, scan_bins, sort_crowd,
//         places_in_bins for GP_AT_ONCE keys, sort_part
// SPDX-License-Identifier: MIT
#include "device/match.cl"
#include "sort/keys.cl"
#include "sort/lower_sum.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, keys a work-item"
#endif
#ifndef GP_STABLE
#error "GP_STABLE must be defined: 0 or 1"
#endif

#define GP_WARPS (GP_GROUP / 32)
#define GP_BINS (8 * GP_GROUP) // as many as there are digits in all warps
#define GP_CROWD 32            // more keys of one bin are too many to compare
#define GP_CROWDS GP_KEY_BYTES // crowded bins that cost as much, one by one, as the passes over all digits
#define GP_ROOM (GP_GROUP * GP_ITEMS)
#define GP_RANGES (GP_TOGETHER ? GP_GROUP : GP_WARPS)

typedef struct {
    uint bins[GP_BINS + 4] __attribute__((aligned(16))); // the keys of each; then where they begin
    Key keys[GP_ROOM];
#if GP_STABLE
    From from[GP_ROOM]; // where each of `keys` came
#endif
#ifdef GP_MORE_ROOM
    GP_MORE_ROOM
#endif
    uint scan[GP_LOWER_SUM_ROOM(GP_GROUP) < 32 ? 32 : GP_LOWER_SUM_ROOM(GP_GROUP)];
    Key least[GP_RANGES], most[GP_RANGES]; // of each warp, or work-item
    uint crowded;                          // bins, those of them that have room:
    uint crowds[GP_CROWDS];
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
// The number whose code it is, or close to it, in order; the largest numbers, infinities and NaN
// are cut to one whose double and quadruple are finite.
GP_INLINE float gp_number_of(Key code) {
    // In this form, since Intel's compiler for CPUs, 2026.2, makes wrong numbers of ~code, of a
    // negated number and of a difference, or an instruction that no CPU has.
    const Key most = GP_SIGN - 1, size = (code ^ (code & GP_SIGN ? 0 : most)) & most;
#if GP_KEY_BYTES == 8
    const uint exponent = (uint)(size >> 52);
    const uint single = exponent <= 1023 - 127   ? 0
                        : exponent >= 1023 + 120 ? 0x7e7fffff
                                                 : (exponent - (1023 - 127)) << 23 | ((uint)(size >> 29) & 0x7fffff);
#else
    const uint single = size;
#endif
    const uint sign = ((uint)(code >> (8 * GP_KEY_BYTES - 32)) & 0x80000000u) ^ 0x80000000u;
    return as_float(min(single, 0x7e7fffffu) | sign);
}
#endif

GP_INLINE uint gp_bin(Key code, const Map *map) {
#if GP_KEY_FLOAT
    if (map->scale != 0) return min((uint)((gp_number_of(code) - map->low) * map->scale), (uint)(GP_BINS - 1));
#endif
    return (uint)((Key)(code - map->least) >> map->shift);
}

// How many bits a number has.
GP_INLINE uint gp_bits_of(uint number) { return 32 - clz(number); }
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

// Counts a key to its bin; its rank there.
GP_INLINE uint rank_in_bin(uint bin, local Local *room) { return atomic_inc(&room->bins[bin]); }

// Notes the bin of a key of this rank, if that is the one that makes it crowded. A work-item counts
// all its keys before, since counts behind branches would wait for one another.
GP_INLINE void note_crowd(uint rank, Key code, const Map *map, local Local *room) {
    if (rank != GP_CROWD) return;
    const uint crowd = atomic_inc(&room->crowded);
    if (crowd < GP_CROWDS) room->crowds[crowd] = gp_bin(code, map);
}

// The sum of the x of all lower work-items. Every work-item of the group calls it; a barrier must
// come before the next call.
GP_INLINE uint gp_sum_before(uint x, local Local *room) {
#if GP_TOGETHER
    return gp_lower_sum(x, GP_GROUP, room->scan);
#else
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    const uint up_to = gp_sum_lanes(x, 0);
    if (lane == 31) room->scan[warp] = up_to;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint warps = gp_sum_lanes(lane < GP_WARPS ? room->scan[lane] : 0, 0);
    const uint before = gp_shuffle_word(warps, (warp + 31) % 32, 0);
    return up_to - x + (warp > 0 ? before : 0);
#endif
}

// Turns the number of keys of each bin into where the bin begins. It goes by 16 bytes, which has
// the fewest bank conflicts.
GP_INLINE void scan_bins(local Local *room) {
    local uint4 *const mine = (local uint4 *)room->bins + 2 * get_local_id(0);
    const uint4 a = mine[0], b = mine[1];
    const uint4 x = {0, a.x, a.x + a.y, a.x + a.y + a.z};
    const uint4 y = {0, b.x, b.x + b.y, b.x + b.y + b.z};
    const uint half_sum = x.w + a.w;
    const uint begin = gp_sum_before(half_sum + y.w + b.w, room);
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

// Sorts n keys, from place `base` on, by each digit in turn, as onesweep.cl sorts a tile: those of
// `from_bits` bits of where keys came, 0 if they lie so already, then those of `bits` bits of the
// codes. Out of line, since it would take registers.
GP_OUT_OF_LINE void sort_crowd(uint base, uint n, Key least, uint from_bits, uint bits, Key flip, Key mask, uint begin,
                               local Local *room) {
    const Look look = {flip, mask, begin};
    const uint first_code = (from_bits + 7) / 8, passes = first_code + (bits + 7) / 8;
    const uint id = (uint)get_local_id(0), warp = id / 32, below = (1u << id % 32) - 1;
    const uint first = warp * (32 * GP_ITEMS) + id % 32;
    for (uint pass = 0; pass < passes; ++pass) {
        const uint shift = 8 * (pass < first_code ? pass : pass - first_code);
        Key mine[GP_ITEMS];
#if GP_STABLE
        From from[GP_ITEMS];
#endif
        clear_bins(room);
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            mine[k] = first + k * 32 < n ? room->keys[base + first + k * 32] : 0;
#if GP_STABLE
            from[k] = first + k * 32 < n ? room->from[base + first + k * 32] : 0;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // Those behind the last key have the last digit, and stay behind.
#define GP_CODE_DIGIT(k) ((uint)((Key)(gp_code(mine[k], &look) - least) >> shift) & 255)
#if GP_STABLE
#define GP_DIGIT_OF(k) (first + (k)*32 >= n ? 255 : pass < first_code ? (uint)from[k] >> shift & 255 : GP_CODE_DIGIT(k))
#else
#define GP_DIGIT_OF(k) (first + (k)*32 >= n ? 255 : GP_CODE_DIGIT(k))
#endif
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
            if (before + lower >= n) continue; // what lies there is another's
            room->keys[base + before + lower] = mine[k];
#if GP_STABLE
            room->from[base + before + lower] = from[k];
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

#define GP_AT_ONCE (GP_ITEMS < 4 ? GP_ITEMS : 4) // keys whose places are found together
#define GP_NOWHERE (~0u)
#if GP_ITEMS > 4 && GP_ITEMS % 4 != 0
#error "more than 4 keys of a work-item must be a multiple of 4"
#endif

// Finds GP_AT_ONCE of the n keys from place `base` on, keys i, i + GP_GROUP and so on, and their
// places. Each key lies in its bin's own part. Its place is where the bin begins, and how many of
// the bin's keys come before it. Keys of crowded bins, and what lies behind the last key, have the
// place GP_NOWHERE. The loads of all keys are under way together.
GP_INLINE void places_in_bins(uint i, uint base, uint n, const Map *map, const Look *look, local const Local *room,
                              Key *keys, uint *places) {
    uint begins[GP_AT_ONCE], sizes[GP_AT_ONCE], longest = 0;
#pragma unroll
    for (uint k = 0; k < GP_AT_ONCE; ++k) keys[k] = room->keys[base + min(i + k * GP_GROUP, n - 1)];
#pragma unroll
    for (uint k = 0; k < GP_AT_ONCE; ++k) {
        local const uint *const bin = room->bins + gp_bin(gp_code(keys[k], look), map);
        begins[k] = bin[0];
        sizes[k] = bin[1] - bin[0];
    }
#pragma unroll
    for (uint k = 0; k < GP_AT_ONCE; ++k) {
        const bool is_left = sizes[k] > GP_CROWD || i + k * GP_GROUP >= n;
        if (is_left) sizes[k] = 0;
        begins[k] += base;
        places[k] = is_left ? GP_NOWHERE : begins[k];
        longest = max(longest, sizes[k]);
    }
    for (uint j = 0; j < longest; ++j) {
        Key others[GP_AT_ONCE];
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) others[k] = room->keys[min(begins[k] + j, base + n - 1)];
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k)
            if (j < sizes[k] && comes_before(gp_code(others[k], look), begins[k] + j, gp_code(keys[k], look),
                                             base + i + k * GP_GROUP, room))
                ++places[k];
    }
}

// Sorts n keys from place `base` on, such as those of a crowded bin, in bins of their own range.
// `from_bits`: as sort_crowd takes it. `whole`: as gp_map does.
GP_OUT_OF_LINE void sort_part(uint base, uint n, uint from_bits, uint whole, Key flip, Key mask, uint begin,
                              local Local *room) {
    const Look look = {flip, mask, begin};
    const uint id = (uint)get_local_id(0);
    Key mine[GP_ITEMS];
#if GP_STABLE
    From from[GP_ITEMS];
#endif
    clear_bins(room);
    if (id == 0) room->crowded = 0;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = base + min(k * GP_GROUP + id, n - 1);
        mine[k] = room->keys[i];
#if GP_STABLE
        from[k] = room->from[i];
#endif
    }
    Key least, most;
    gp_range(mine, &look, &least, &most, room);
    const Map map = gp_map(least, most, whole != 0);
    uint places[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k)
        places[k] = k * GP_GROUP + id < n ? rank_in_bin(gp_bin(gp_code(mine[k], &look), &map), room) : 0;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) note_crowd(places[k], gp_code(mine[k], &look), &map, room);
    barrier(CLK_LOCAL_MEM_FENCE);
    scan_bins(room);
    if (id == 0) room->bins[GP_BINS] = n;
    const bool in_order = !GP_STABLE && map.shift == 0; // the keys of a bin are equal
    const bool crowded = room->crowded && !in_order;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + id;
        if (i >= n) continue;
        const uint to = base + (crowded ? i : room->bins[gp_bin(gp_code(mine[k], &look), &map)] + places[k]);
        room->keys[to] = mine[k];
#if GP_STABLE
        room->from[to] = from[k];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (crowded) sort_crowd(base, n, least, from_bits, gp_bits(most - least), flip, mask, begin, room);
#if GP_TOGETHER // PoCL 6 can't compile a return here, which takes fewer registers
    if (crowded || in_order) {
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            places[k] = base + min(k * GP_GROUP + id, n - 1);
            mine[k] = room->keys[places[k]];
        }
    } else
#else
    if (crowded || in_order) return;
#endif
    {
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; k += GP_AT_ONCE)
            places_in_bins(k * GP_GROUP + id, base, n, &map, &look, room, mine + k, places + k);
    }
#if GP_STABLE
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) from[k] = room->from[base + min(k * GP_GROUP + id, n - 1)];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        if (k * GP_GROUP + id >= n) continue;
        room->keys[places[k]] = mine[k];
#if GP_STABLE
        room->from[places[k]] = from[k];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
