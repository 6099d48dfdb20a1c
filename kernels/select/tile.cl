// A tile of elements, of which a work-group finds those that are kept, and moves them.
//
// Of elements of one word that go alone, a work-item has vectors of 16 bytes in registers, those
// with a kept element in them. They go to local memory in order, with GP_REST the others behind
// them, and from there to the outputs. Of other elements their places go that way, and what is
// moved is read by its place, by neighbours.
//
// Macros: those of kept.cl, and of tile_bits.cl but GP_WIDTH
// Gives:  what tile_bits.cl does; Item, what goes through local memory; GP_LATE: elements are asked
//         for when it is known which are kept; Counted, Loaded; gp_load_keys, gp_look_at_tile,
//         gp_load_elements, gp_put_tile, in this order, whose contracts stand there; gp_count_tile;
//         GP_KEYS_OF_16, GP_BITS_OF_16, vectors of keys; GP_MOVE
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3 (packing)
// SPDX-License-Identifier: MIT
#include "select/kept.cl"

#if GP_INDEX_BYTES == 0 && GP_WORDS == 1 && GP_VALUE_WORDS == 0
#define GP_BY_WORDS
#define Item Word
#define GP_WIDTH (16 / GP_WORD_BYTES)
#ifndef GP_PREDICATE
#define GP_LATE
#endif
#else
#define Item ushort
#ifdef GP_PREDICATE
#define GP_WIDTH 1
#else
#define GP_WIDTH (16 / GP_KEY_BYTES)
#endif
#endif
#include "common/tile_bits.cl"

// Keys of 16 bytes, and those of a vector of elements.
#ifndef GP_PREDICATE
#if GP_KEY_BYTES == 8
#define GP_KEYS_OF_16 ulong2
#define GP_BITS_OF_16(keys) (GP_KEEPS((keys).x) | GP_KEEPS((keys).y) << 1)
#else
#define GP_KEYS_OF_16 uint4
#endif
#if GP_KEY_BYTES == 4
#define GP_BITS_OF_16(keys)                                                                                            \
    (GP_KEEPS((keys).x) | GP_KEEPS((keys).y) << 1 | GP_KEEPS((keys).z) << 2 | GP_KEEPS((keys).w) << 3)
#endif
#if GP_KEY_BYTES == 2
// Two keys of a word.
#if GP_KEY_FLOAT
#define GP_PAIR(word) (((word)&0x7fff) != 0 ? 1u : 0u) | (((word)&0x7fff0000) != 0 ? 2u : 0u)
#else
#define GP_PAIR(word) (((word)&0xffff) != 0 ? 1u : 0u) | (((word)&0xffff0000) != 0 ? 2u : 0u)
#endif
#define GP_BITS_OF_16(keys)                                                                                            \
    ((GP_PAIR((keys).x)) | (GP_PAIR((keys).y)) << 2 | (GP_PAIR((keys).z)) << 4 | (GP_PAIR((keys).w)) << 6)
#elif GP_KEY_BYTES == 1
// A bit for each byte of a word that is not zero: the byte's top bit, then all four side by side.
uint gp_four(uint word) {
    const uint top = (((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) & 0x80808080;
    return (top >> 7) * 0x10204080 >> 28 & 15;
}
#define GP_BITS_OF_16(keys)                                                                                            \
    (gp_four((keys).x) | gp_four((keys).y) << 4 | gp_four((keys).z) << 8 | gp_four((keys).w) << 12)
#endif
#if GP_WIDTH * GP_KEY_BYTES == 16
#define Keys GP_KEYS_OF_16
#define GP_BITS GP_BITS_OF_16
#elif GP_WIDTH == 8 // flags
#define Keys uint2
#define GP_BITS(keys) (gp_four((keys).x) | gp_four((keys).y) << 4)
#elif GP_WIDTH == 4
#define Keys uint
#define GP_BITS(keys) gp_four(keys)
#else
#define Keys ushort
#define GP_BITS(keys) gp_four(keys)
#endif
#endif

// What tells which elements are kept, and the elements.
typedef struct {
    global const Kept *kept;
    global const Word *in;
    ulong n;
} Counted;

// What a work-item has of a tile.
typedef struct {
#ifdef GP_BY_WORDS
    uint x[4 * GP_VECTORS]; // elements
#endif
#ifndef GP_PREDICATE
    Keys keys[GP_VECTORS];
#endif
} Loaded;

// Where a tile begins: one behind the end has no elements.
GP_INLINE ulong gp_first_of(const Counted *from, uint tile) { return min((ulong)tile * GP_TILE, from->n); }

// Is a tile loaded by vectors? Only this one's bits and elements may then be taken from Loaded.
GP_INLINE bool gp_is_whole(const Counted *from, ulong first) {
    bool whole = first + GP_TILE <= from->n;
#ifndef GP_PREDICATE
    whole = whole && (size_t)from->kept % sizeof(Keys) == 0;
#endif
#ifdef GP_BY_WORDS
    whole = whole && (size_t)from->in % 16 == 0;
#endif
    return whole;
}

#ifdef GP_BY_WORDS
// Element i of a work-item's, of 32 bits or more.
#if GP_WORD_BYTES == 8
#define GP_ELEMENT(x, i) ((ulong)(x)[2 * (i) + 1] << 32 | (x)[2 * (i)])
#elif GP_WORD_BYTES == 4
#define GP_ELEMENT(x, i) ((x)[i])
#else
#define GP_IN_WORD (4 / GP_WORD_BYTES)
#define GP_ELEMENT(x, i) ((x)[(i) / GP_IN_WORD] >> (i) % GP_IN_WORD * (8 * GP_WORD_BYTES))
#endif

// Loads those vectors of elements of a whole tile in which a bit is set.
GP_INLINE void gp_load_vectors(const Counted *from, ulong first, uint bits, Loaded *to) {
    const uint id = (uint)get_local_id(0);
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v)
        if (GP_BITS_OF(bits, v) != 0) vstore4(*(global const uint4 *)(from->in + first + GP_PLACE(v)), v, to->x);
}

// The same of a tile that is not whole, by way of `stage`, which holds a tile. A barrier must come
// before `stage` is used again.
GP_INLINE void gp_load_staged(const Counted *from, ulong first, Loaded *to, local Word *stage) {
    const uint id = (uint)get_local_id(0), length = (uint)min((ulong)GP_TILE, from->n - first);
    for (uint i = id; i < GP_TILE; i += GP_GROUP) stage[i] = from->in[first + min(i, length - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) vstore4(*(local const uint4 *)(stage + GP_PLACE(v)), v, to->x);
}
#endif

// Begins to load what gp_look_at_tile looks at.
GP_INLINE void gp_load_keys(const Counted *from, ulong first, Loaded *to) {
    const uint id = (uint)get_local_id(0);
    if (!gp_is_whole(from, first)) return;
#if defined(GP_BY_WORDS) && defined(GP_PREDICATE)
    gp_load_vectors(from, first, ~0u, to);
#elif !defined(GP_PREDICATE)
    global const Keys *const keys = (global const Keys *)(from->kept + first);
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) to->keys[v] = keys[GP_PLACE(v) / GP_WIDTH];
#endif
}

// A bit for each element of this work-item that is kept. `stage` is where gp_put_tile will put the
// tile, and free.
GP_INLINE uint gp_look_at_tile(const Counted *from, ulong first, Loaded *tile, local Item *stage) {
    const uint id = (uint)get_local_id(0);
    const bool whole = gp_is_whole(from, first);
    uint bits = 0;
#if defined(GP_BY_WORDS) && defined(GP_PREDICATE)
    if (!whole && first < from->n) gp_load_staged(from, first, tile, stage);
#pragma unroll
    for (uint i = 0; i < GP_ITEMS; ++i) bits |= gp_keeps_word((Word)GP_ELEMENT(tile->x, i)) << i;
    if (whole) return bits;
    const ulong left = from->n - first;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v)
        for (uint i = 0; i < GP_WIDTH; ++i)
            if (GP_PLACE(v) + i >= left) bits &= ~(1u << (v * GP_WIDTH + i));
#else
#ifndef GP_PREDICATE
    if (whole) {
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) bits |= (uint)(GP_BITS(tile->keys[v])) << v * GP_WIDTH;
        return bits;
    }
#endif
    const uint length = (uint)min((ulong)GP_TILE, from->n - first);
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        for (uint i = 0; i < GP_WIDTH; ++i) {
            const uint place = GP_PLACE(v) + i;
            if (place < length) bits |= gp_is_kept(from->kept, first + place) << (v * GP_WIDTH + i);
        }
    }
#endif
    return bits;
}

// With GP_LATE, begins to load the elements: those that are kept, with GP_REST all.
GP_INLINE void gp_load_elements(const Counted *from, ulong first, uint bits, Loaded *to) {
#ifdef GP_LATE
    if (gp_is_whole(from, first)) gp_load_vectors(from, first, GP_REST ? ~0u : bits, to);
#endif
}

// What is kept, in order; with GP_REST then the others. A barrier must come before they are read.
GP_INLINE void gp_put_tile(const Counted *from, ulong first, uint bits, const Ranks *ranks, Loaded *tile,
                           local Item *to) {
    const uint id = (uint)get_local_id(0);
#ifdef GP_LATE
    if (!gp_is_whole(from, first) && first < from->n) {
        gp_load_staged(from, first, tile, to);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    uint running = ranks->below;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        uint at = running + GP_FIELD(ranks->lower, v);
        running += GP_FIELD(ranks->of_warp, v);
#if !GP_REST
        if (GP_BITS_OF(bits, v) == 0) continue;
#endif
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            const uint place = GP_PLACE(v) + i, is_kept = bits >> (v * GP_WIDTH + i) & 1;
#ifdef GP_BY_WORDS
            const Item item = (Item)GP_ELEMENT(tile->x, v * GP_WIDTH + i);
#else
            const Item item = (Item)place;
#endif
#if GP_REST
            to[is_kept ? at : ranks->total + place - at] = item;
#else
            if (is_kept) to[at] = item;
#endif
            at += is_kept;
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
#if GP_INDEX_BYTES == 0 && !defined(GP_BY_WORDS)
GP_DEFINE_MOVE(gp_move_words, Word, GP_WORDS)
#endif
#if GP_VALUE_WORDS != 0
GP_DEFINE_MOVE(gp_move_values, Value, GP_VALUE_WORDS)
#endif

// What begins at `items` goes to the outputs from element `begin` on, as far as there is room.
#define GP_MOVE(items, begin, length)                                                                                  \
    {                                                                                                                  \
        const uint fits = (begin) < capacity ? (uint)min((ulong)(length), capacity - (begin)) : 0;                     \
        GP_MOVE_OUT(items, begin, fits)                                                                                \
        GP_MOVE_VALUES(items, begin, fits)                                                                             \
    }
#ifdef GP_BY_WORDS
#define GP_MOVE_OUT(items, begin, fits)                                                                                \
    _Pragma("unroll 4") for (uint k = (uint)get_local_id(0); k < fits; k += GP_GROUP) out[out_offset + (begin) + k] =  \
        (items)[k];
#elif GP_INDEX_BYTES != 0
#define GP_MOVE_OUT(items, begin, fits)                                                                                \
    _Pragma("unroll 4") for (uint k = (uint)get_local_id(0); k < fits; k += GP_GROUP) out[out_offset + (begin) + k] =  \
        (Out)(first + (items)[k]);
#else
#define GP_MOVE_OUT(items, begin, fits)                                                                                \
    gp_move_words(in + (in_offset + first) * GP_WORDS, out + (out_offset + (begin)) * GP_WORDS, items, fits);
#endif
#if GP_VALUE_WORDS != 0
#define GP_MOVE_VALUES(items, begin, fits)                                                                             \
    gp_move_values(values + (values_offset + first) * GP_VALUE_WORDS,                                                  \
                   out_values + (out_values_offset + (begin)) * GP_VALUE_WORDS, items, fits);
#else
#define GP_MOVE_VALUES(items, begin, fits)
#endif
