// The first k elements of a long row, narrowed down digit by digit; of the row, or of a list that
// filter.cl made of it.
//
// Computes: top_k_begin: the state, for the whole row. top_k_count: counts the digits of what is in
//           the bin; the work-group that ends last makes the bin smaller, until all of it is among
//           the first k. top_k_gather: takes these, in any order; where they are few, the last
//           work-group sorts them and writes results. top_k_write_places, top_k_write_numbers:
//           results of what was sorted since
// Macros:   those of results.cl; GP_ROOM, entries of local memory, a power of two
// Launch:   top_k_begin: one work-group. top_k_count, top_k_gather: any number of work-groups of
//           GP_GROUP. top_k_write_*: any number of work-items. `batch` is 1. One call for each digit,
//           those of the ranks and then those of the places, each of which reads one state and writes the
//           next; those that nobody needs only hand it on.
//           `tally` is zero but for what top_k_begin and filter.cl put there
// Source:   Alabi, Blanchard, Gordon and Steinbach, "Fast k-Selection Algorithms for Graphics
//           Processing Units", 2012
// SPDX-License-Identifier: MIT
#include "top_k/state.cl"

#define GP_ITEMS 8 // elements of a work-item in a tile

// What is looked through: the list, or the row.
typedef struct {
    global const Key *in, *ranks;
    global const uint *places;
    ulong step;
    Key flip;
    bool listed;
    uint length, active; // elements; work-groups that have any
} Source;

#define GP_SOURCE(source)                                                                                              \
    Source source;                                                                                                     \
    {                                                                                                                  \
        const uint filled = tally[GP_FILLED];                                                                          \
        source.in = in + in_offset;                                                                                    \
        source.ranks = list_ranks + list_ranks_offset;                                                                 \
        source.places = list_places + list_places_offset;                                                              \
        source.step = step_in;                                                                                         \
        source.flip = (Key)flip;                                                                                       \
        source.listed = filled >= k && filled <= room;                                                                 \
        source.length = source.listed ? filled : (uint)n;                                                              \
        source.active = min((uint)get_num_groups(0), (source.length - 1) / (GP_GROUP * GP_ITEMS) + 1);                 \
    }

// Entry i, which is there.
Key gp_rank_of(const Source *source, uint i) {
    return source->listed ? source->ranks[i] : gp_ordered(source->in[i * source->step], source->flip);
}
uint gp_place_of(const Source *source, uint i) { return source->listed ? source->places[i] : i; }

#define GP_LIST                                                                                                        \
    uint room, global const Key *list_ranks, ulong list_ranks_offset, global const uint *list_places,                  \
        ulong list_places_offset

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void top_k_begin(GP_ROWS, GP_RESULTS, GP_STATE) {
    state += state_offset;
    tally += tally_offset;
    gp_begin(state, tally, k);
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void top_k_count(GP_ROWS, GP_RESULTS, GP_STATE, GP_LIST,
                                                                              uint shift, uint of_place) {
    local uint counts[GP_BINS], sums[GP_GROUP], last;
    local Found found;
    const uint id = (uint)get_local_id(0), group = (uint)get_group_id(0);
    state += state_offset;
    tally += tally_offset;
    global ulong *const next = state + GP_WORDS;
    if (state[GP_DONE] != 0) {
        if (group == 0 && id == 0)
            for (uint i = 0; i < GP_WORDS; ++i) next[i] = state[i];
        return;
    }
    GP_SOURCE(source)
    if (group >= source.active) return;
    Bin bin;
    gp_load_bin(state, &bin);
    const uint need = (uint)state[GP_NEED];
    for (uint i = id; i < GP_BINS; i += GP_GROUP) counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    GP_FOR_TILES(source.length, GP_GROUP * GP_ITEMS, source.active) {
        Key rank[GP_ITEMS];
        uint place[GP_ITEMS];
        _Pragma("unroll") for (uint j = 0; j < GP_ITEMS; ++j) {
            const uint i = tile + j * GP_GROUP + id;
            rank[j] = i - tile < source.length - tile ? gp_rank_of(&source, i) : 0;
            place[j] = i - tile < source.length - tile ? gp_place_of(&source, i) : 0;
        }
        _Pragma("unroll") for (uint j = 0; j < GP_ITEMS; ++j) {
            if (j * GP_GROUP + id < source.length - tile && gp_has(&bin, rank[j], place[j]))
                atomic_inc(counts + gp_digit_of(&bin, rank[j], place[j], shift, of_place != 0));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile global uint *const all = tally + GP_COUNTS;
    for (uint i = id; i < GP_BINS; i += GP_GROUP)
        if (counts[i] != 0) atomic_add(all + i, counts[i]);
    if (!gp_is_last(tally + GP_ENDED, source.active, &last)) return;
    for (uint i = id; i < GP_BINS; i += GP_GROUP) {
        counts[i] = gp_look_uint(all + i);
        gp_publish_uint(all + i, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gp_find(counts, sums, need, &found);
    if (id != 0) return;
    gp_narrow(&bin, found.digit, shift, of_place != 0);
    gp_store_bin(next, &bin);
    next[GP_NEED] = need - found.before;
    next[GP_DONE] = need - found.before == found.here ? 1 : 0;
}

// What becomes of the elements that are taken.
#define GP_FINISH 0   // few: they are sorted and written at once
#define GP_STRAIGHT 1 // they are written in any order
#define GP_BOTH 2     // rank and place as one number each
#define GP_APART 3    // ranks and places

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
top_k_gather(GP_ROWS, GP_RESULTS, GP_STATE, GP_LIST, uint how, volatile global Rank *taken_ranks,
             ulong taken_ranks_offset, volatile global uint *taken_places, ulong taken_places_offset) {
    local Key ranks[GP_ROOM];
    local uint places[GP_ROOM];
    local uint count, base, last;
    const uint id = (uint)get_local_id(0), group = (uint)get_group_id(0);
    state += state_offset;
    tally += tally_offset;
    taken_ranks += taken_ranks_offset;
    taken_places += taken_places_offset;
    if (state[GP_DONE] == GP_WRITTEN) return;
    GP_SOURCE(source)
    if (group >= source.active) return;
    Bin bin;
    gp_load_bin(state, &bin);
    if (id == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    GP_FOR_TILES(source.length, GP_GROUP * GP_ITEMS, source.active) {
        Key rank[GP_ITEMS];
        uint place[GP_ITEMS], mine = 0, at = 0;
        _Pragma("unroll") for (uint j = 0; j < GP_ITEMS; ++j) {
            const uint i = tile + j * GP_GROUP + id;
            const bool there = i - tile < source.length - tile;
            rank[j] = there ? gp_rank_of(&source, i) : GP_NO_RANK;
            place[j] = there ? gp_place_of(&source, i) : GP_NO_PLACE;
            const bool takes = there && gp_takes(&bin, rank[j], place[j]);
            mine += takes ? 1 : 0;
            if (!takes) place[j] = GP_NO_PLACE;
        }
        if (mine > 0) at = atomic_add(&count, mine);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id == 0 && count > 0) {
            base = atomic_add(tally + GP_TAKEN, count);
            count = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        _Pragma("unroll") for (uint j = 0; j < GP_ITEMS; ++j) {
            if (place[j] == GP_NO_PLACE) continue;
            const uint to = base + at++;
            if (how == GP_STRAIGHT) {
                GP_WRITE_RESULT(0, to, place[j])
            } else if (how == GP_BOTH) {
                ((global ulong *)taken_ranks)[to] = (ulong)rank[j] << 32 | place[j];
            } else {
                GP_PUBLISH(taken_ranks + to, rank[j]);
                gp_publish_uint(taken_places + to, place[j]);
            }
        }
    }
    if (how != GP_FINISH || !gp_is_last(tally + GP_ENDED, source.active, &last)) return;
    const uint few = (uint)k, width = few > 1 ? 1u << (32 - clz(few - 1)) : 1;
    for (uint i = id; i < width; i += GP_GROUP) {
        ranks[i] = i < few ? (Key)GP_LOOK(taken_ranks + i) : GP_NO_RANK;
        places[i] = i < few ? gp_look_uint(taken_places + i) : GP_NO_PLACE;
    }
    gp_sort_places(ranks, places, width, width);
    for (uint i = id; i < few; i += GP_GROUP) GP_WRITE_RESULT(0, i, places[i])
}

// Results of what was sorted: places, or numbers that end with a place.
#define GP_WRITER(name, Number)                                                                                        \
    kernel void name(GP_ROWS, GP_RESULTS, global const Number *sorted, ulong sorted_offset) {                          \
        for (ulong i = get_global_id(0); i < k; i += get_global_size(0))                                               \
            GP_WRITE_RESULT(0, i, (uint)sorted[sorted_offset + i])                                                     \
    }
GP_WRITER(top_k_write_places, uint)
GP_WRITER(top_k_write_numbers, ulong)
