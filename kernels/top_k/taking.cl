// What a selection digit by digit looks through, a long row or a list that filter.cl made of it,
// and how work-groups count the digits in it and take what is among the first k.
//
// Macros: those of results.cl
// Gives: what state.cl does; GP_ITEMS; Source, GP_SOURCE, GP_LIST; gp_count; GP_FINISH ...
//         GP_APART; GP_TAKEN_MEMORY, GP_TAKEN_GIVEN; gp_take, gp_sort_taken
// SPDX-License-Identifier: MIT
#include "top_k/state.cl"

#include "common/inline.cl"

// A lone work-item has no use for it, and some compilers of CPUs take many seconds then.
#if GP_GROUP == 1
#define GP_UNROLL
#else
#define GP_UNROLL _Pragma("unroll")
#endif

#define GP_ITEMS 8 // elements of a work-item in a tile

// What is looked through: the list, or the row, or what the same kernel kept of it.
typedef struct {
    global const Key *in, *ranks;
    global const uint *places;
    volatile global Rank *kept_ranks;
    volatile global uint *kept_places;
    ulong step;
    Key flip;
    bool listed, kept;
    uint length, active; // elements; work-groups that have any
} Source;

#define GP_SOURCE(source)                                                                                              \
    Source source;                                                                                                     \
    {                                                                                                                  \
        const uint filled = tally[GP_FILLED];                                                                          \
        source.in = in + in_offset;                                                                                    \
        source.ranks = list_ranks + list_ranks_offset;                                                                 \
        source.places = list_places + list_places_offset;                                                              \
        source.kept = false;                                                                                           \
        source.step = step_in;                                                                                         \
        source.flip = (Key)flip;                                                                                       \
        source.listed = filled >= k && filled <= room;                                                                 \
        source.length = source.listed ? filled : (uint)n;                                                              \
        source.active = min((uint)get_num_groups(0), (source.length - 1) / (GP_GROUP * GP_ITEMS) + 1);                 \
    }

// This work-item's elements of a tile. Those behind the end are as the last one is: loads that
// depend on nothing are on their way together.
GP_INLINE void gp_load(const Source *source, uint tile, Key *rank, uint *place) {
    const uint id = (uint)get_local_id(0), most = source->length - tile - 1;
    if (source->kept) {
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) {
            const uint i = tile + min(j * GP_GROUP + id, most);
            rank[j] = (Key)GP_LOOK(source->kept_ranks + i);
            place[j] = gp_look_uint(source->kept_places + i);
        }
    } else if (source->listed) {
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) rank[j] = source->ranks[tile + min(j * GP_GROUP + id, most)];
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) place[j] = source->places[tile + min(j * GP_GROUP + id, most)];
    } else {
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) {
            place[j] = tile + min(j * GP_GROUP + id, most);
            rank[j] = source->in[place[j] * source->step];
        }
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) rank[j] = gp_ordered(rank[j], source->flip);
    }
}

#define GP_LIST                                                                                                        \
    uint room, global const Key *list_ranks, ulong list_ranks_offset, global const uint *list_places,                  \
        ulong list_places_offset

// Adds up this work-item's digits of a tile; GP_BINS: none. Where many are equal, lanes, or else
// the work-item's own, are added as one.
GP_INLINE void gp_add_digits(const uint *digit, local uint *counts) {
#if defined(GP_PTX) && GP_GROUP >= 32
    const uint few = 4; // equal ones that a warp adds one after the other
    const uint lane = (uint)get_local_id(0) % 32;
    const uint some = gp_ballot(digit[0] < GP_BINS, 0), lowest = 31 - clz(some & (~some + 1));
    const uint likely = gp_shuffle_word(digit[0], lowest & 31, 0);
    const bool many = popcount(some & gp_ballot(digit[0] == likely, 0)) > few;
    if (many) {
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) {
            const uint here = gp_ballot(digit[j] < GP_BINS, 0);
            const uint leader = 31 - clz(here & (~here + 1)), first = gp_shuffle_word(digit[j], leader & 31, 0);
            const uint equal = gp_ballot(digit[j] == first, 0);
            if (digit[j] < GP_BINS && (digit[j] != first || lane == leader))
                atomic_add(counts + digit[j], digit[j] == first ? popcount(equal) : 1);
        }
        return;
    }
#else
    bool alike = true;
    GP_UNROLL for (uint j = 1; j < GP_ITEMS; ++j) alike = alike && digit[j] == digit[0];
    if (alike) {
        if (digit[0] < GP_BINS) atomic_add(counts + digit[0], (uint)GP_ITEMS);
        return;
    }
#endif
    GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) if (digit[j] < GP_BINS) atomic_inc(counts + digit[j]);
}

// Counts the digits of what is in the bin, of the tiles of work-group `group` of `groups`. All
// work-items call it, behind a barrier.
GP_INLINE void gp_count(const Source *source, const Bin *bin, uint shift, bool of_place, uint group, uint groups,
                        local uint *counts) {
    const uint id = (uint)get_local_id(0);
    GP_FOR_TILES(source->length, GP_GROUP * GP_ITEMS, group, groups) {
        Key rank[GP_ITEMS];
        uint place[GP_ITEMS], digit[GP_ITEMS];
        gp_load(source, tile, rank, place);
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) {
            const bool has = j * GP_GROUP + id < source->length - tile && gp_has(bin, rank[j], place[j]);
            digit[j] = has ? gp_digit_of(bin, rank[j], place[j], shift, of_place) : GP_BINS;
        }
        gp_add_digits(digit, counts);
    }
}

// What becomes of the elements that are taken.
#define GP_FINISH 0   // few: they are sorted and written at once
#define GP_STRAIGHT 1 // they are written in any order
#define GP_BOTH 2     // rank and place as one number each
#define GP_APART 3    // ranks and places

// Where they go, unless they are written at once.
#define GP_TAKEN_MEMORY                                                                                                \
    volatile global Rank *taken_ranks, ulong taken_ranks_offset, volatile global uint *taken_places,                   \
        ulong taken_places_offset
#define GP_TAKEN_GIVEN taken_ranks, taken_ranks_offset, taken_places, taken_places_offset

// Element number `to` of those taken.
#define GP_TAKE_ONE(to, rank, place)                                                                                   \
    if (how == GP_STRAIGHT) {                                                                                          \
        GP_WRITE_RESULT(0, to, place)                                                                                  \
    } else if (how == GP_BOTH) {                                                                                       \
        ((global ulong *)taken_ranks)[to] = (ulong)(rank) << 32 | (place);                                             \
    } else {                                                                                                           \
        GP_PUBLISH(taken_ranks + (to), rank);                                                                          \
        gp_publish_uint(taken_places + (to), place);                                                                   \
    }

// The first of `mine` entries for this work-item, of a list that has *length so far. All work-items
// call it; *count is zero before and after.
GP_INLINE uint gp_entries(uint mine, volatile global uint *length, local uint *count, local uint *base) {
    uint at = 0;
#if defined(GP_PTX) && GP_GROUP >= 32
    const uint upto = gp_sum_lanes(mine, 0);
    if ((uint)get_local_id(0) % 32 == 31 && upto > 0) at = atomic_add(count, upto);
    at = gp_shuffle_word(at, 31, 0) + upto - mine;
#else
    if (mine > 0) at = atomic_add(count, mine);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && *count > 0) {
        *base = atomic_add(length, *count);
        *count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return *base + at;
}

// Takes what is before the bin or in it, of the tiles of work-group `group` of `groups`. *taken is
// their number so far. All work-items call it.
GP_INLINE void gp_take(GP_ROWS, GP_RESULTS, GP_TAKEN_MEMORY, uint how, const Source *source, const Bin *bin, uint group,
                       uint groups, volatile global uint *taken, local uint *count, local uint *base) {
    const uint id = (uint)get_local_id(0);
    if (id == 0) *count = *base = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    GP_FOR_TILES(source->length, GP_GROUP * GP_ITEMS, group, groups) {
        Key rank[GP_ITEMS];
        uint place[GP_ITEMS], mine = 0;
        gp_load(source, tile, rank, place);
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) {
            const bool there = j * GP_GROUP + id < source->length - tile;
            const bool takes = there && gp_takes(bin, rank[j], place[j]);
            mine += takes ? 1 : 0;
            if (!takes) place[j] = GP_NO_PLACE;
        }
        uint to = gp_entries(mine, taken, count, base);
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) {
            if (place[j] == GP_NO_PLACE) continue;
            GP_TAKE_ONE(to, rank[j], place[j])
            ++to;
        }
    }
}

// Sorts what was taken and writes the first k of it. `ranks` and `places` have room for `count`
// rounded up to a power of two. All work-items of the last work-group call it.
GP_INLINE void gp_sort_taken(GP_ROWS, GP_RESULTS, GP_TAKEN_MEMORY, uint count, local Key *ranks, local uint *places) {
    const uint id = (uint)get_local_id(0), width = count > 1 ? 1u << (32 - clz(count - 1)) : 1;
    for (uint i = id; i < width; i += GP_GROUP) {
        ranks[i] = i < count ? (Key)GP_LOOK(taken_ranks + i) : GP_NO_RANK;
        places[i] = i < count ? gp_look_uint(taken_places + i) : GP_NO_PLACE;
    }
    gp_sort_places(ranks, places, width, width);
    for (uint i = id; i < k; i += GP_GROUP) GP_WRITE_RESULT(0, i, places[i])
}
