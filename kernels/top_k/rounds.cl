// The first k elements of a long row in one launch; of the row, or of a list that filter.cl made of
// it.
//
// Computes: top_k_rounds: in each round, work-groups count the digits of what is in the bin, meet,
//           and make the bin smaller, until few enough elements are up to its end. These they take,
//           in any order. Where they are few, work-groups meet once more and write the first k,
//           each element where it belongs. Where not all work-groups run side by side, the last one
//           does all of it alone
// Macros:   those of results.cl; GP_ROOM, entries of local memory, a power of two; GP_SPIN_LIMIT,
//           as in common/meeting.cl; GP_SPLITS, 0 where kept_room is
// Launch:   any number of work-groups of GP_GROUP; without a list (room 0), up to one for each
//           tile. `batch` is 1. `most`: elements up to the end of the bin that are few enough, at
//           most GP_ROOM, where `how` is GP_FINISH; else 0, and just k are taken. place_bits: bits
//           of n - 1. `meeting` holds GP_MEETING zeros, before and after. kept_room: entries of
//           memory for what is kept of the row, so that it is read twice only; may be 0
// Source:   Alabi, Blanchard, Gordon and Steinbach, "Fast k-Selection Algorithms for Graphics
//           Processing Units", 2012; Zhang, Naruse, Li and Wang, "Parallel Top-K Algorithms on GPU:
//           A Comprehensive Study and New Methods", 2023
// SPDX-License-Identifier: MIT
#if GP_GROUP == 1 // a work-item alone waits for nobody; PoCL 6, when it does not optimise, fails with barriers here
#define barrier(flags)
#endif
#include "common/meeting.cl"
#include "device/warp_sum.cl"
#include "top_k/taking.cl"

#define GP_ROUNDS ((8 * GP_KEY_BYTES + GP_BITS - 1) / GP_BITS + 3) // of ranks, and of places of 32 bits

// Words of `meeting`, apart from each other as memory is.
#define GP_ARRIVED 0 // for gp_meet
#define GP_LEFT 32   // for gp_is_last
#define GP_SO_FAR 64 // elements that were taken
#define GP_KEPT 96   // elements that were kept
#define GP_ROUND 128 // GP_BINS counts of each round
#define GP_MEETING (GP_ROUND + GP_ROUNDS * GP_BINS)

// Takes what is before the bin, of the tiles of work-group `group` of `groups`; keeps what is in it
// and counts its digits. *taken and *kept are their numbers so far. The bin is one of ranks. All
// work-items call it, behind a barrier.
GP_INLINE void gp_split(GP_ROWS, GP_RESULTS, GP_TAKEN_MEMORY, uint how, const Source *source, const Bin *bin,
                        uint shift, uint group, uint groups, local uint *counts, volatile global uint *taken,
                        volatile global uint *kept, local uint *count, local uint *base) {
    const uint id = (uint)get_local_id(0);
    if (id == 0) *count = *base = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    GP_FOR_TILES(source->length, GP_GROUP * GP_ITEMS, group, groups) {
        Key rank[GP_ITEMS];
        uint place[GP_ITEMS], digit[GP_ITEMS], before = 0, here = 0;
        gp_load(source, tile, rank, place);
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) {
            const bool there = j * GP_GROUP + id < source->length - tile;
            const bool has = there && gp_has(bin, rank[j], place[j]);
            digit[j] = has ? gp_digit_of(bin, rank[j], place[j], shift, false) : GP_BINS;
            here += has ? 1 : 0;
            if (there && rank[j] < bin->first)
                ++before;
            else if (!has)
                place[j] = GP_NO_PLACE;
        }
        gp_add_digits(digit, counts);
        uint to = gp_entries(before, taken, count, base), keeps = gp_entries(here, kept, count, base);
        GP_UNROLL for (uint j = 0; j < GP_ITEMS; ++j) {
            if (digit[j] < GP_BINS) {
                GP_PUBLISH(source->kept_ranks + keeps, rank[j]);
                gp_publish_uint(source->kept_places + keeps, place[j]);
                ++keeps;
            } else if (place[j] != GP_NO_PLACE) {
                GP_TAKE_ONE(to, rank[j], place[j])
                ++to;
            }
        }
    }
}

#define GP_RANKED 32 // elements taken that are worth a work-group

#if GP_GROUP > 1
// Writes those of the first k of what was taken that are work-group `group`'s of `groups`: an
// element comes behind as many as are before it. `ranks` and `places` have room for all. All
// work-items of all work-groups call it.
GP_INLINE void gp_rank_taken(GP_ROWS, GP_RESULTS, GP_TAKEN_MEMORY, uint count, uint group, uint groups,
                             local Key *ranks, local uint *places) {
    const uint id = (uint)get_local_id(0);
    for (uint i = id; i < count; i += GP_GROUP) {
        ranks[i] = (Key)GP_LOOK(taken_ranks + i);
        places[i] = gp_look_uint(taken_places + i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if defined(GP_PTX) && GP_GROUP >= 32 // a warp for each element
    for (uint one = id / 32 * groups + group; one < count; one += GP_GROUP / 32 * groups) {
        const Key rank = ranks[one];
        const uint place = places[one], lane = id % 32;
        uint before = 0, equal = 0;
        for (uint i = lane; i < count; i += 32) {
            before += ranks[i] < rank ? 1 : 0;
            equal += ranks[i] == rank ? 1 : 0;
        }
        before = gp_sum_of_warp(before, 0);
        if (gp_sum_of_warp(equal, 0) > 1) {
            equal = 0;
            for (uint i = lane; i < count; i += 32) equal += ranks[i] == rank && places[i] < place ? 1 : 0;
            before += gp_sum_of_warp(equal, 0);
        }
        if (lane == 0 && before < k) GP_WRITE_RESULT(0, before, place)
    }
#else
    for (uint one = id * groups + group; one < count; one += GP_GROUP * groups) {
        uint before = 0;
        for (uint i = 0; i < count; ++i) before += gp_before(ranks[i], places[i], ranks[one], places[one]) ? 1 : 0;
        if (before < k) GP_WRITE_RESULT(0, before, places[one])
    }
#endif
}
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
top_k_rounds(GP_ROWS, GP_RESULTS, volatile global uint *tally, ulong tally_offset, GP_LIST, uint how, uint most,
             uint place_bits, GP_TAKEN_MEMORY, volatile global uint *meeting, ulong meeting_offset, uint kept_room,
             volatile global Rank *kept_ranks, ulong kept_ranks_offset, volatile global uint *kept_places,
             ulong kept_places_offset GP_COUNT_PARAMETERS) {
    local Key ranks[GP_ROOM];
    local uint places[GP_ROOM];
    local uint counts[GP_BINS], sums[GP_GROUP], count, base, met;
    local Found found;
    const uint id = (uint)get_local_id(0);
    GP_TAKE_SIZES
#ifdef GP_COUNTED
    if (k == 0) return;
#endif
    tally += tally_offset;
    meeting += meeting_offset;
    taken_ranks += taken_ranks_offset;
    taken_places += taken_places_offset;
    GP_SOURCE(source)
    const uint length = source.length;
    source.kept_ranks = kept_ranks + kept_ranks_offset;
    source.kept_places = kept_places + kept_places_offset;
    // Those that have nothing to count are there for what was taken.
    uint group = (uint)get_group_id(0), taken;
    uint groups = max(source.active, min((uint)get_num_groups(0), (most + GP_RANKED - 1) / GP_RANKED));
    if (group >= groups) return;
    for (;;) {
        Bin bin = GP_WHOLE;
        uint need = (uint)k, before = 0, here = source.length, round = 0;
        uint left = 8 * GP_KEY_BYTES; // bits of the rank, or of the place, that no digit told
        bool of_place = false, together = true;
        for (; here > need && before + here > most && round < GP_ROUNDS; ++round) {
            if (left == 0) {
                of_place = true;
                left = place_bits;
            }
            const uint shift = gp_shift_behind(left);
            for (uint i = id; i < GP_BINS; i += GP_GROUP) counts[i] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            const bool splits =
                GP_SPLITS && round > 0 && !source.kept && !source.listed && !of_place && here <= kept_room;
            if (splits)
                gp_split(GP_ROWS_GIVEN, GP_RESULTS_GIVEN, GP_TAKEN_GIVEN, how, &source, &bin, shift, group, groups,
                         counts, meeting + GP_SO_FAR, meeting + GP_KEPT, &count, &base);
            else
                gp_count(&source, &bin, shift, of_place, group, groups, counts);
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (groups > 1) {
                volatile global uint *const all = meeting + GP_ROUND + round * GP_BINS;
                for (uint i = id; i < GP_BINS; i += GP_GROUP)
                    if (counts[i] != 0) atomic_add(all + i, counts[i]);
                together = gp_meet(meeting + GP_ARRIVED, round + 1, groups, &met);
                if (!together) break;
                for (uint i = id; i < GP_BINS; i += GP_GROUP) counts[i] = gp_look_uint(all + i);
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (splits) {
                source.kept = true;
                source.length = here;
            }
            gp_find(counts, sums, need, &found);
            gp_narrow(&bin, found.digit, shift, of_place);
            need -= found.before;
            before += found.before;
            here = found.here;
            left = shift;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        taken = before + here;
        if (together)
            gp_take(GP_ROWS_GIVEN, GP_RESULTS_GIVEN, GP_TAKEN_GIVEN, how, &source, &bin, group, groups,
                    meeting + GP_SO_FAR, &count, &base);
#if GP_GROUP > 1
        if (together && groups > 1 && how == GP_FINISH && gp_meet(meeting + GP_ARRIVED, round + 1, groups, &met))
            gp_rank_taken(GP_ROWS_GIVEN, GP_RESULTS_GIVEN, GP_TAKEN_GIVEN, taken, group, groups, ranks, places);
#endif
        if (!gp_is_last(meeting + GP_LEFT, groups, &met)) return;
        const bool again = gp_is_called_off(meeting + GP_ARRIVED);
        barrier(CLK_GLOBAL_MEM_FENCE);
        const uint used = again ? GP_ROUNDS : groups > 1 ? round : 0;
        for (uint i = id; i < GP_ROUND + used * GP_BINS; i += GP_GROUP) gp_publish_uint(meeting + i, 0);
        if (!again) break;
        barrier(CLK_GLOBAL_MEM_FENCE);
        source.kept = false;
        source.length = length;
        group = 0;
        groups = 1;
    }
    if ((groups == 1 || GP_GROUP == 1) && how == GP_FINISH)
        gp_sort_taken(GP_ROWS_GIVEN, GP_RESULTS_GIVEN, GP_TAKEN_GIVEN, taken, ranks, places);
}
