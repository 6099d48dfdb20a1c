// A tile of elements, of which a work-group finds those that are kept, and moves them.
//
// Warps take consecutive parts of a tile. A work-item looks at vectors of 16 bytes of keys, or at
// single elements with GP_PREDICATE. The places of what is kept go to local memory in order, and with GP_REST
// the others' behind them. So what is moved is read once, by neighbours, and what is not kept is not
// read.
//
// Macros: those of kept.cl, and of tile_bits.cl but GP_WIDTH: GP_ITEMS is 16 or 32
// Gives:  what tile_bits.cl does; gp_look_at_tile, gp_count_tile, gp_place_tile; GP_MOVE
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3 (packing)
// SPDX-License-Identifier: MIT
#include "select/kept.cl"

// Elements of a vector.
#ifdef GP_PREDICATE
#define GP_WIDTH 1
#else
#define GP_WIDTH (16 / GP_KEY_BYTES)
#endif
#include "common/tile_bits.cl"

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

// How many elements of a tile are kept. A barrier must come before the next use of `warps`.
GP_INLINE uint gp_count_tile(global const Kept *kept, ulong first, ulong n, local Warps *warps) {
    return gp_sum_of_group(popcount(gp_look_at_tile(kept, first, n)), warps);
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
