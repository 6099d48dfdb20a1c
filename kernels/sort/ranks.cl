// Sorts short segments in local memory by counting: a key's place is how many others of its segment
// come before it.
//
// A segment lies in blocks of GP_BLOCK slots; slots behind its end hold codes that come last. A
// work-item takes one block after the other and compares it with the others of its segment. So
// work-items have as much to do as each other wherever segments begin and whatever the keys are.
//
// Macros: those of keys.cl and words.cl; GP_GROUP, the work-group size; GP_ROOM, the number of
//         slots, a multiple of GP_BLOCK, at most 65536; GP_KEEP: 1 where the codes don't tell the
//         keys' bits
// Gives:  Slots, in local memory; GP_BLOCK; gp_put_segment; gp_sort_slots; GP_SLOTS_OF(length)
// Source: Knuth, "The Art of Computer Programming", volume 3, 5.2 (comparison counting)
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "sort/keys.cl"
#include "sort/words.cl"

#if !defined(GP_GROUP) || !defined(GP_ROOM) || !defined(GP_KEEP)
#error "GP_GROUP, GP_ROOM and GP_KEEP must be defined"
#endif

#define GP_BLOCK 4
#define GP_SLOTS_OF(length) (((length) + GP_BLOCK - 1) / GP_BLOCK * GP_BLOCK)
#if GP_ROOM % GP_BLOCK != 0 || GP_ROOM > 65536
#error "GP_ROOM must be a multiple of GP_BLOCK, and places must fit 16 bits"
#endif

#if GP_KEY_BYTES == 8
typedef ulong Code;
typedef ulong4 Codes;
#else
typedef uint Code;
typedef uint4 Codes;
#endif

typedef struct {
    ulong start;          // where it begins in the array
    ushort first, length; // its first slot, and how many keys it has
    ushort before;        // how many those of the slots before have
} Segment;

typedef struct {
    Codes codes[GP_ROOM / GP_BLOCK];
    Segment segments[GP_GROUP];
    // What is sorted: behind each other, or at their slots.
#if GP_INDEX
    ushort places[GP_ROOM];
#else
    Key keys[GP_ROOM];
#endif
#if GP_WORDS
    Word words[GP_ROOM];                 // a column of the values
    ushort4 targets[GP_ROOM / GP_BLOCK]; // where in it the values of each block go
#endif
    ushort owners[GP_ROOM / GP_BLOCK]; // whose segment each block belongs to
} Slots;

// Makes a segment number `id` of the slots.
GP_INLINE void gp_put_segment(ulong start, uint first, uint length, uint before, uint id, local Slots *slots) {
    const Segment segment = {start, (ushort)first, (ushort)length, (ushort)before};
    slots->segments[id] = segment;
    for (uint k = 0; k < length; k += GP_BLOCK) slots->owners[(first + k) / GP_BLOCK] = (ushort)id;
}

// Adds to `rank` how many codes of another block come before the code `own`: those below it, and
// equal ones too if that block `is_before`.
#if GP_KEY_BYTES == 8
// With all bits turned by `turn`, codes above `own` are below it. They are counted if the block is
// before; the block's others come before.
#define GP_ADD_BEFORE(rank, own)                                                                                       \
    {                                                                                                                  \
        const Code limit = (own) ^ turn;                                                                               \
        const uint below = ((other.x ^ turn) < limit ? 1 : 0) + ((other.y ^ turn) < limit ? 1 : 0) +                   \
                           ((other.z ^ turn) < limit ? 1 : 0) + ((other.w ^ turn) < limit ? 1 : 0);                    \
        rank += is_before ? GP_BLOCK - below : below;                                                                  \
    }
#else
// Codes have up to 32 bits, and `limit` is one more if the block is before. The upper half of
// code - limit is -1 for a code below the limit, else 0.
#define GP_IS_BELOW(code) (0 - (uint)(((ulong)(code)-limit) >> 32))
#define GP_ADD_BEFORE(rank, own)                                                                                       \
    {                                                                                                                  \
        const ulong limit = (ulong)(own) + (is_before ? 1 : 0);                                                        \
        rank += GP_IS_BELOW(other.x) + GP_IS_BELOW(other.y) + GP_IS_BELOW(other.z) + GP_IS_BELOW(other.w);             \
    }
#endif
// Two codes of a block, the first of which comes before the second if they are equal.
#define GP_COMPARE(one, other)                                                                                         \
    {                                                                                                                  \
        const uint turn = mine.other < mine.one ? 1 : 0;                                                               \
        ranks.one += turn;                                                                                             \
        ranks.other += 1 - turn;                                                                                       \
    }

// How many keys of their segment come before each of a block's.
GP_INLINE uint4 gp_ranks(uint block, Segment segment, local const Slots *slots) {
    const uint blocks = GP_SLOTS_OF(segment.length) / GP_BLOCK, end = segment.first / GP_BLOCK + blocks;
    const Codes mine = slots->codes[block];
    uint4 ranks = (uint4)(0);
    GP_COMPARE(x, y)
    GP_COMPARE(x, z)
    GP_COMPARE(x, w)
    GP_COMPARE(y, z)
    GP_COMPARE(y, w)
    GP_COMPARE(z, w)
    for (uint k = 1, at = block; k < blocks; ++k) { // from the next one on, and around
        ++at;
        if (at == end) at -= blocks;
        const bool is_before = at < block;
        const Codes other = slots->codes[at];
#if GP_KEY_BYTES == 8
        const Code turn = is_before ? ~(Code)0 : 0;
#endif
        GP_ADD_BEFORE(ranks.x, mine.x)
        GP_ADD_BEFORE(ranks.y, mine.y)
        GP_ADD_BEFORE(ranks.z, mine.z)
        GP_ADD_BEFORE(ranks.w, mine.w)
    }
    return ranks;
}

// Loads the `left` elements of a block that there are, up to GP_BLOCK; the last one again for each
// that there is not.
#define GP_LOAD_BLOCK(to, array, step)                                                                                 \
    _Pragma("unroll") for (uint i = 0; i < GP_BLOCK; ++i)(to)[i] = (array)[min(i, left - 1) * (step)];
#define GP_PUT_BLOCK(array, what)                                                                                      \
    {                                                                                                                  \
        (array)[to.x] = (what)[0];                                                                                     \
        if (left > 1) (array)[to.y] = (what)[1];                                                                       \
        if (left > 2) (array)[to.z] = (what)[2];                                                                       \
        if (left > 3) (array)[to.w] = (what)[3];                                                                       \
    }
#define GP_AT_ONCE 2 // blocks whose loads a work-item has under way
#define GP_EACH_BLOCK for (uint block = id; block < blocks; block += GP_GROUP)
// Looks up a block: its segment; its first key's place in that, and where it lies in the array; how
// many keys of the segment there are from it on.
#define GP_LOOK                                                                                                        \
    const Segment segment = slots->segments[slots->owners[block]];                                                     \
    const uint place = GP_BLOCK * block - segment.first, left = segment.length - place;                                \
    const ulong there = segment.start + place;

// A statement that moves what lies at place `from` of what is sorted to place `there` of the array.
// Neighbours write to neighbours.
#define GP_EACH_SORTED(statement)                                                                                      \
    if (is_apart) {                                                                                                    \
        for (uint from = id; from < total; from += GP_GROUP) {                                                         \
            const Segment segment = slots->segments[slots->owners[from / GP_BLOCK]];                                   \
            const uint place = from - segment.first;                                                                   \
            const ulong there = segment.start + place;                                                                 \
            if (place < segment.length) statement;                                                                     \
        }                                                                                                              \
    } else {                                                                                                           \
        _Pragma("unroll 4") for (uint from = id; from < count; from += GP_GROUP) {                                     \
            const ulong there = start + from;                                                                          \
            statement;                                                                                                 \
        }                                                                                                              \
    }

// Sorts the segments of the first `total` slots by the bits of `mask` from `begin` on. Unless they
// lie apart, they follow each other from `start` on and have `count` keys. All work-items call it,
// behind a barrier; a barrier must come before the next call.
GP_INLINE void gp_sort_slots(local Slots *slots, global Key *keys, GP_MOVED uint total, bool is_apart, ulong start,
                             uint count, uint begin, Key mask, Key flip) {
#if GP_INDEX
    indices += indices_offset;
#elif GP_WORDS
    values += values_offset * words;
#endif
    // A work-item's loads are under way together. Where it has no block, it loads the last one.
    const uint id = (uint)get_local_id(0), blocks = total / GP_BLOCK;
    for (uint base = 0; base < blocks; base += GP_AT_ONCE * GP_GROUP) {
        Key loaded[GP_AT_ONCE][GP_BLOCK];
        uint lefts[GP_AT_ONCE];
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) {
            if (base + k * GP_GROUP >= blocks) continue; // no work-item has one
            const uint block = min(base + k * GP_GROUP + id, blocks - 1);
            GP_LOOK
            GP_LOAD_BLOCK(loaded[k], keys + there, 1)
            lefts[k] = left;
        }
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) {
            const uint block = base + k * GP_GROUP + id;
            if (block >= blocks) continue;
#define GP_CODE(i) (lefts[k] > i ? (Code)(gp_ordered(loaded[k][i], flip) >> begin & mask) : ~(Code)0)
            slots->codes[block] = (Codes)(GP_CODE(0), GP_CODE(1), GP_CODE(2), GP_CODE(3));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    GP_EACH_BLOCK {
        GP_LOOK
#if GP_WORDS
        Word moved[GP_BLOCK];
        GP_LOAD_BLOCK(moved, values + there * words, words)
#endif
#if GP_KEEP
        Key sorted[GP_BLOCK];
        GP_LOAD_BLOCK(sorted, keys + there, 1)
#endif
        const uint4 to = gp_ranks(block, segment, slots) + (is_apart ? segment.first : segment.before);
#if GP_INDEX
        const ushort here[GP_BLOCK] = {place, place + 1, place + 2, place + 3};
        GP_PUT_BLOCK(slots->places, here)
#elif GP_KEEP
        GP_PUT_BLOCK(slots->keys, sorted)
#else
        const Codes codes = slots->codes[block];
        const Key sorted[GP_BLOCK] = {(Key)codes.x ^ flip, (Key)codes.y ^ flip, (Key)codes.z ^ flip,
                                      (Key)codes.w ^ flip};
        GP_PUT_BLOCK(slots->keys, sorted)
#endif
#if GP_WORDS
        GP_PUT_BLOCK(slots->words, moved)
        slots->targets[block] = convert_ushort4(to);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if GP_INDEX
    GP_EACH_SORTED(indices[there] = slots->places[from])
#else
    GP_EACH_SORTED(keys[there] = slots->keys[from])
#endif
#if GP_WORDS
    GP_EACH_SORTED(values[there * words] = slots->words[from])
    for (uint word = 1; word < words; ++word) {
        barrier(CLK_LOCAL_MEM_FENCE);
        GP_EACH_BLOCK {
            GP_LOOK
            Word moved[GP_BLOCK];
            GP_LOAD_BLOCK(moved, values + there * words + word, words)
            const uint4 to = convert_uint4(slots->targets[block]);
            GP_PUT_BLOCK(slots->words, moved)
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        GP_EACH_SORTED(values[there * words + word] = slots->words[from])
    }
#endif
}
