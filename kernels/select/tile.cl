// A tile of elements, of which a work-group finds those that are kept, and moves them.
//
// Warps take consecutive parts of a tile. A work-item looks at vectors of 16 bytes of keys, or at
// single elements with GP_PREDICATE. The places of what is kept go to local memory in order, and with GP_REST
// the others' behind them. So what is moved is read once, by neighbours, and what is not kept is not
// read.
//
// Macros: those of kept.cl; GP_GROUP, work-items of a work-group, a multiple of 32; GP_ITEMS, elements
//         of each: 16 or 32, a bit each
// Gives:  GP_TILE; Warps, local memory; gp_look_at_tile, gp_sum_of_group, gp_count_tile; Ranks,
//         gp_rank_tile, gp_place_tile; GP_MOVE
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3 (packing)
// SPDX-License-Identifier: MIT
#include "common/group_scan.cl"
#include "device/shuffle.cl"
#include "device/warp_sum.cl"
#include "select/kept.cl"

#define GP_WARPS (GP_GROUP / 32)
#define GP_TILE (GP_GROUP * GP_ITEMS)
#if GP_TILE > 65536 || GP_ITEMS > 32
#error "places in a tile have 16 bits, a work-item's elements 32"
#endif

// Elements of a vector, and vectors of a work-item.
#ifdef GP_PREDICATE
#define GP_WIDTH 1
#else
#define GP_WIDTH (16 / GP_KEY_BYTES)
#endif
#define GP_VECTORS (GP_ITEMS / GP_WIDTH)

typedef struct {
    uint totals[GP_WARPS];
#if GP_LANES
    uint lanes[GP_LANES];
#endif
} Warps;

GP_DEFINE_WARP_SCAN(gp_scan_counts, uint, gp_shuffle_up_word, GP_PLUS)

// Where vector v of this work-item begins in its tile.
#define GP_PLACE(v) (((id / 32) * GP_VECTORS + (v)) * (32 * GP_WIDTH) + id % 32 * GP_WIDTH)

#ifndef GP_PREDICATE
#if GP_KEY_BYTES == 8
#define Keys ulong2
#define GP_BITS(keys) (GP_KEEPS(keys.x) | GP_KEEPS(keys.y) << 1)
#elif GP_KEY_BYTES == 4
#define Keys uint4
#define GP_BITS(keys) (GP_KEEPS(keys.x) | GP_KEEPS(keys.y) << 1 | GP_KEEPS(keys.z) << 2 | GP_KEEPS(keys.w) << 3)
#else
#define Keys uint4
#endif
#if GP_KEY_BYTES == 2
// Two keys of a word.
#if GP_KEY_FLOAT
#define GP_PAIR(word) (((word)&0x7fff) != 0 ? 1u : 0u) | (((word)&0x7fff0000) != 0 ? 2u : 0u)
#else
#define GP_PAIR(word) (((word)&0xffff) != 0 ? 1u : 0u) | (((word)&0xffff0000) != 0 ? 2u : 0u)
#endif
#define GP_BITS(keys) ((GP_PAIR(keys.x)) | (GP_PAIR(keys.y)) << 2 | (GP_PAIR(keys.z)) << 4 | (GP_PAIR(keys.w)) << 6)
#elif GP_KEY_BYTES == 1
// A bit for each byte of a word that is not zero: the byte's top bit, then all four side by side.
uint gp_four(uint word) {
    const uint top = (((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) & 0x80808080;
    return (top >> 7) * 0x10204080 >> 28 & 15;
}
#define GP_BITS(keys) (gp_four(keys.x) | gp_four(keys.y) << 4 | gp_four(keys.z) << 8 | gp_four(keys.w) << 12)
#endif
#endif

// A bit for each element of this work-item that is kept, those of its first vector lowest.
GP_INLINE uint gp_look_at_tile(global const Kept *kept, ulong first, ulong n) {
    const uint id = (uint)get_local_id(0);
    uint bits = 0;
#ifndef GP_PREDICATE
    if (first + GP_TILE <= n && (size_t)kept % 16 == 0) {
        global const Keys *const from = (global const Keys *)(kept + first);
        Keys x[GP_VECTORS];
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) x[v] = from[GP_PLACE(v) / GP_WIDTH];
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) bits |= (GP_BITS(x[v])) << v * GP_WIDTH;
        return bits;
    }
#endif
    const uint length = (uint)min((ulong)GP_TILE, n - first);
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        for (uint i = 0; i < GP_WIDTH; ++i) {
            const uint place = GP_PLACE(v) + i;
            if (place < length) bits |= gp_is_kept(kept, first + place) << (v * GP_WIDTH + i);
        }
    }
    return bits;
}

// The sum of x over the work-group. A barrier must come before the next use of `warps`.
GP_INLINE uint gp_sum_of_group(uint x, local Warps *warps) {
    const uint id = (uint)get_local_id(0);
    x = gp_sum_of_warp(x, GP_ROOM_OF(warps->lanes));
    if (id % 32 == 0) warps->totals[id / 32] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
#pragma unroll
    for (uint warp = 0; warp < GP_WARPS; ++warp) sum += warps->totals[warp];
    return sum;
}

// How many elements of a tile are kept. A barrier must come before the next use of `warps`.
GP_INLINE uint gp_count_tile(global const Kept *kept, ulong first, ulong n, local Warps *warps) {
    return gp_sum_of_group(popcount(gp_look_at_tile(kept, first, n)), warps);
}

// How many elements of a vector are kept in a warp takes 8 bits, or 10; so several vectors' counts go
// through a scan as the fields of a word.
#if GP_WIDTH <= 4
#define GP_FIELDS 4
#else
#define GP_FIELDS 2
#endif
#define GP_FIELD_BITS (32 / GP_FIELDS)
#define GP_FIELD(words, v) ((words)[(v) / GP_FIELDS] >> (v) % GP_FIELDS * GP_FIELD_BITS & ((1u << GP_FIELD_BITS) - 1))
#define GP_WORDS_OF_FIELDS ((GP_VECTORS + GP_FIELDS - 1) / GP_FIELDS)
#define GP_BITS_OF(bits, v) ((bits) >> (v)*GP_WIDTH & (uint)((1ul << GP_WIDTH) - 1))

// Of each vector how many are kept in lower lanes, and in the warp; what is kept in lower warps; and
// of all the tile.
typedef struct {
    uint lower[GP_WORDS_OF_FIELDS], of_warp[GP_WORDS_OF_FIELDS];
    uint below, total;
} Ranks;

// A barrier must come before the next use of `warps`.
GP_INLINE Ranks gp_rank_tile(uint bits, local Warps *warps) {
    const uint id = (uint)get_local_id(0);
    Ranks ranks;
#pragma unroll
    for (uint q = 0; q < GP_WORDS_OF_FIELDS; ++q) {
        uint mine = 0;
#pragma unroll
        for (uint k = 0; k < GP_FIELDS; ++k) {
            const uint v = q * GP_FIELDS + k;
            if (v < GP_VECTORS) mine |= popcount(GP_BITS_OF(bits, v)) << k * GP_FIELD_BITS;
        }
        const uint scanned = gp_scan_counts(mine, GP_ROOM_OF(warps->lanes));
        ranks.of_warp[q] = gp_shuffle_word(scanned, 31, GP_ROOM_OF(warps->lanes));
        ranks.lower[q] = scanned - mine;
    }
    uint sum = 0;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) sum += GP_FIELD(ranks.of_warp, v);
    if (id % 32 == 0) warps->totals[id / 32] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    ranks.below = ranks.total = 0;
#pragma unroll
    for (uint warp = 0; warp < GP_WARPS; ++warp) {
        if (warp == id / 32) ranks.below = ranks.total;
        ranks.total += warps->totals[warp];
    }
    return ranks;
}

// The places of what is kept, in order; with GP_REST then those of the others. A barrier must come
// before they are read.
GP_INLINE void gp_place_tile(uint bits, const Ranks *ranks, local ushort *places) {
    const uint id = (uint)get_local_id(0);
    uint running = ranks->below;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        uint to = running + GP_FIELD(ranks->lower, v);
        running += GP_FIELD(ranks->of_warp, v);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            const uint place = GP_PLACE(v) + i, is_kept = bits >> (v * GP_WIDTH + i) & 1;
#if GP_REST
            places[is_kept ? to : ranks->total + place - to] = (ushort)place;
#else
            if (is_kept) places[to] = (ushort)place;
#endif
            to += is_kept;
        }
    }
}

// Copies `count` elements, of which each has so many words, by their places. Words go by four of a
// work-item, whose loads are on their way at once.
#define GP_DEFINE_MOVE(name, Type, each)                                                                               \
    GP_INLINE void name(global const Type *from, global Type *to, local const ushort *places, uint count) {            \
        const uint words = count * (each);                                                                             \
        uint k = (uint)get_local_id(0);                                                                                \
        for (; k + 3 * GP_GROUP < words; k += 4 * GP_GROUP) {                                                          \
            Type x[4];                                                                                                 \
            _Pragma("unroll") for (uint j = 0; j < 4; ++j) {                                                           \
                const uint word = k + j * GP_GROUP;                                                                    \
                x[j] = from[places[word / (each)] * (each) + word % (each)];                                           \
            }                                                                                                          \
            _Pragma("unroll") for (uint j = 0; j < 4; ++j) to[k + j * GP_GROUP] = x[j];                                \
        }                                                                                                              \
        for (; k < words; k += GP_GROUP) to[k] = from[places[k / (each)] * (each) + k % (each)];                       \
    }
#if GP_INDEX_BYTES == 0
GP_DEFINE_MOVE(gp_move_words, Word, GP_WORDS)
#endif
#if GP_VALUE_WORDS != 0
GP_DEFINE_MOVE(gp_move_values, Value, GP_VALUE_WORDS)
#endif

// What begins at `places` goes to the outputs from element `begin` on, as far as there is room.
#define GP_MOVE(places, begin, length)                                                                                 \
    {                                                                                                                  \
        const uint fits = (begin) < capacity ? (uint)min((ulong)(length), capacity - (begin)) : 0;                     \
        GP_MOVE_OUT(places, begin, fits)                                                                               \
        GP_MOVE_VALUES(places, begin, fits)                                                                            \
    }
#if GP_INDEX_BYTES != 0
#define GP_MOVE_OUT(places, begin, fits)                                                                               \
    for (uint k = (uint)get_local_id(0); k < fits; k += GP_GROUP)                                                      \
        out[out_offset + (begin) + k] = (Out)(first + (places)[k]);
#else
#define GP_MOVE_OUT(places, begin, fits)                                                                               \
    gp_move_words(in + (in_offset + first) * GP_WORDS, out + (out_offset + (begin)) * GP_WORDS, places, fits);
#endif
#if GP_VALUE_WORDS != 0
#define GP_MOVE_VALUES(places, begin, fits)                                                                            \
    gp_move_values(values + (values_offset + first) * GP_VALUE_WORDS,                                                  \
                   out_values + (out_values_offset + (begin)) * GP_VALUE_WORDS, places, fits);
#else
#define GP_MOVE_VALUES(places, begin, fits)
#endif
