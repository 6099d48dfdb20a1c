// Sorts up to some hundred thousand keys, or with GP_LIST listed segments of so many: each
// work-group sorts the keys between two samples.
//
// Computes: a stable reordering of n keys, of their values of any size, or the order as indices.
//           First, sort_samples copies what is to be sorted in place, and finds the splitters:
//           samples whose rank among all samples is a multiple of GP_SAMPLES_OF_PART. A key and its
//           index are compared together, so no two are the same, and parts are of much the same
//           size whatever the keys are. In sort_sample_bins each work-group looks through all keys,
//           which is cheap for so few. It counts those before its part, and sorts those of its part
//           in bins. Parts have at most half as many keys as there is room for, on average. A part
//           that local memory does not hold, which hardly any keys lead to, is ranked by comparing
//           all its keys. sort_sample_phases does both in one launch, with GP_SEGMENTS for all
//           segments of an array: those that local memory holds are sorted before
// Macros:   those of bins.cl and counted.cl; GP_MOST_PARTS; GP_INDEX, indices: 0 (none), 4 or 8
//           bytes; GP_WORDS, values as words: 0 (none), or of 1, 2, 4 or 8 bytes; GP_OTHER_MEMORY,
//           if defined: keys go to other memory than theirs, so that there are no copies; for one
//           launch instead of two, those of common/phases.cl; with GP_SEGMENTS those of segment.cl
// Launch:   a work-group of GP_GROUP for each part; or in one launch any number, and `tasks` parts.
//           Where n is less, the last parts have no keys. With GP_LIST, at least as many parts as
//           the segments of class `kind` in `lists` (segment_lists.cl) have; segments that find
//           none stay as they are. `splitters` has room for one more than parts, and in the end
//           `counts` are zeros
// Source:   Leischner, Osipov and Sanders, "GPU Sample Sort", 2010
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "sort/words.cl"
#ifdef GP_SEGMENTS
#define GP_LIST
#endif

#ifndef GP_MOST_PARTS
#error "GP_MOST_PARTS must be defined"
#endif

#define GP_SAMPLES_OF_PART 32

#if defined(GP_OTHER_MEMORY) && GP_WORDS
#error "values are sorted in place"
#endif
#ifdef GP_OTHER_MEMORY
#define GP_COPIES 0
#define GP_WRITES_KEYS 1
#else
#define GP_COPIES (!GP_INDEX)
#define GP_WRITES_KEYS (!GP_INDEX)
#endif

#define From uint
#define GP_MORE_ROOM uint size, before;
#include "sort/bins.cl"

// The index of a sample: somewhere in its share of the keys, lest a pattern in them mislead.
GP_INLINE uint gp_sample(uint sample, uint samples, uint n) {
    const uint share = n / samples;
    return sample * share + (((sample + 1) * 2654435769u) >> 8) % share;
}

GP_INLINE bool gp_is_before(Key code, uint i, Key other, uint j) { return code < other || (code == other && i < j); }

// What is sorted, and where it goes; with GP_LIST, of a segment.
typedef struct {
#if GP_COPIES
    global Key *keys, *copy; // the copy's keys are sorted to where they came from
#else
    global const Key *keys;
#endif
#if !GP_COPIES && GP_WRITES_KEYS
    global Key *sorted;
#endif
#if GP_INDEX
    global Index *indices;
#endif
#if GP_WORDS
    global Word *values, *values_copy;
    uint words;
#endif
    global uint *splitters; // the index of each
} Arrays;

#if GP_COPIES
#define GP_KEYS global Key *keys, ulong keys_offset, global Key *copy, ulong copy_offset,
#define GP_SET_KEYS                                                                                                    \
    arrays.keys = keys + keys_offset;                                                                                  \
    arrays.copy = copy + copy_offset;
#elif GP_WRITES_KEYS
#define GP_KEYS global const Key *keys, ulong keys_offset, global Key *sorted, ulong sorted_offset,
#define GP_SET_KEYS                                                                                                    \
    arrays.keys = keys + keys_offset;                                                                                  \
    arrays.sorted = sorted + sorted_offset;
#else
#define GP_KEYS global const Key *keys, ulong keys_offset,
#define GP_SET_KEYS arrays.keys = keys + keys_offset;
#endif
#if GP_INDEX
#define GP_TO_MOVE global Index *indices, ulong indices_offset,
#define GP_SET_MOVED arrays.indices = indices + indices_offset;
#elif GP_WORDS
#define GP_TO_MOVE                                                                                                     \
    global Word *values, ulong values_offset, global Word *values_copy, ulong values_copy_offset, uint words,
#define GP_SET_MOVED                                                                                                   \
    arrays.values = values + values_offset * words;                                                                    \
    arrays.values_copy = values_copy + values_copy_offset * words;                                                     \
    arrays.words = words;
#else
#define GP_TO_MOVE
#define GP_SET_MOVED
#endif
#ifdef GP_LIST
#define GP_LISTED                                                                                                      \
    , global uint *counts, ulong counts_offset, global uint *lists, ulong lists_offset, uint kind, uint first_listed,  \
        uint end_listed
#else
#define GP_LISTED
#endif
#define GP_PARAMETERS                                                                                                  \
    uint n, uint begin, uint width, ulong flip, GP_KEYS GP_TO_MOVE global uint *splitters,                             \
        ulong splitters_offset GP_LISTED GP_COUNT_PARAMETERS
// Makes `arrays` and `look` of a kernel's parameters.
#define GP_TAKE_PARAMETERS                                                                                             \
    GP_TAKE_COUNT(n)                                                                                                   \
    const Look look = {(Key)flip, (Key)((Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width)), begin};                         \
    Arrays arrays;                                                                                                     \
    GP_SET_KEYS                                                                                                        \
    GP_SET_MOVED                                                                                                       \
    arrays.splitters = splitters + splitters_offset;

// What a work-group does of the array, or of the listed segments: a part. Where none is left for
// it, that is the only part of no keys.
typedef struct {
    uint begin, n;    // the array, or the segment
    uint part, parts; // of it
} Share;

#ifdef GP_LIST
typedef struct {
    Share share;
    uint parts; // of all segments that were looked at
} Found;

// Share `number` of `shares`, of `listed` segments. Each work-item looks at another segment. One
// that went through hundreds of them would take longer than the sort. `sums` is room for
// gp_lower_sum. Every work-item of the group calls it.
GP_INLINE Share gp_share(uint number, uint shares, global const uint *segments, uint listed, local uint *sums,
                         local Found *found) {
    const uint id = (uint)get_local_id(0);
    const Share none = {0, 0, 0, 1};
    if (id == 0) found->share = none;
    uint parts_before = 0;
    for (uint i = 0; i < listed && parts_before <= number; i += GP_GROUP) {
        uint2 segment = 0;
        if (i + id < listed) segment = vload2(i + id, segments);
        const uint parts = min((2 * segment.y + GP_ROOM - 1) / GP_ROOM, (uint)GP_MOST_PARTS);
        const uint begin = parts_before + gp_lower_sum(parts, GP_GROUP, sums);
        // Where segments share keys, there may be too few shares for the last ones.
        if (number >= begin && number - begin < parts && begin + parts <= shares) {
            const Share share = {segment.x, segment.y, number - begin, parts};
            found->share = share;
        }
        if (id == GP_GROUP - 1) found->parts = begin + parts;
        barrier(CLK_LOCAL_MEM_FENCE);
        parts_before = found->parts; // written anew behind the next sum's barrier
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return found->share;
}

GP_INLINE void gp_move_to(Arrays *arrays, uint begin) {
    arrays->keys += begin;
#if GP_COPIES
    arrays->copy += begin;
#endif
#if GP_INDEX
    arrays->indices += begin;
#endif
#if GP_WORDS
    arrays->values += (ulong)begin * arrays->words;
    arrays->values_copy += (ulong)begin * arrays->words;
#endif
}

// Makes `share`, and arrays what they are for it.
#define GP_TAKE_SHARE(sums)                                                                                            \
    local Found found_share;                                                                                           \
    const Share share = gp_share((uint)get_group_id(0), (uint)get_num_groups(0),                                       \
                                 lists + lists_offset + 2 * first_listed, listed, sums, &found_share);                 \
    arrays.splitters += (uint)get_group_id(0) - share.part;                                                            \
    gp_move_to(&arrays, share.begin);
#else
GP_INLINE Share gp_share(uint number, uint shares, uint n) {
    const uint parts = clamp(n / GP_SAMPLES_OF_PART, 1u, shares); // so many have samples
    const Share share = {0, n, number, parts}, none = {0, 0, 0, 1};
    return number < parts ? share : none;
}
#define GP_TAKE_SHARE(sums) const Share share = gp_share((uint)get_group_id(0), (uint)get_num_groups(0), n);
#endif

// What sort_samples takes of local memory.
typedef struct {
    Key codes[GP_MOST_PARTS * GP_SAMPLES_OF_PART];
    uint ranks[GP_WARPS];
} Samples;

// Copies a share of the keys and their values, and finds a share of the splitters.
GP_INLINE void take_samples(const Arrays *arrays, const Look *look, const Share *share, local Samples *room) {
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32, n = share->n;
    const uint samples = share->parts > 1 ? share->parts * GP_SAMPLES_OF_PART : 0;
    const uint first = share->part * GP_GROUP + id, step = share->parts * GP_GROUP;
    for (uint i = id; i < samples; i += GP_GROUP)
        room->codes[i] = gp_code(arrays->keys[gp_sample(i, samples, n)], look);
#if GP_COPIES
    for (uint i = first; i < n; i += step) arrays->copy[i] = arrays->keys[i];
#endif
#if GP_WORDS
    for (uint i = first; i < n * arrays->words; i += step) arrays->values_copy[i] = arrays->values[i];
#endif
    if (lane == 0) room->ranks[warp] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // A warp finds the rank of a sample. Samples come in the order of their indices.
    for (uint from = share->part * GP_WARPS; from < samples; from += share->parts * GP_WARPS) {
        const uint sample = from + warp;
        if (sample < samples) {
            const Key code = room->codes[sample];
            uint before = 0;
            for (uint i = lane; i < samples; i += 32) before += gp_is_before(room->codes[i], i, code, sample) ? 1 : 0;
            atomic_add(&room->ranks[warp], before);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint rank = room->ranks[warp];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0) {
            room->ranks[warp] = 0;
            if (sample < samples && rank % GP_SAMPLES_OF_PART == 0)
                arrays->splitters[rank / GP_SAMPLES_OF_PART] = gp_sample(sample, samples, n);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// What a work-group sorts: keys from `low` on that come before `high`. The first part's `low` is
// before all keys, the last one's `high` behind them. Bounds are codes as gp_whole gives them.
typedef struct {
    Key low, high;
    uint low_index, high_index;
} Part;

// A code whose bits are where the key has them, so that it takes no shift.
GP_INLINE Key gp_whole(Key key, Key flip, Key bits) { return gp_ordered(key, flip) & bits; }

#if GP_COPIES
#define GP_SORTED arrays->keys
#define GP_READ arrays->copy
#else
#define GP_SORTED arrays->sorted
#define GP_READ arrays->keys
#endif
// Writes key i, and what moves with it, to its place.
#if GP_INDEX && GP_WRITES_KEYS
#define GP_PUT(to, i, key)                                                                                             \
    {                                                                                                                  \
        GP_SORTED[to] = (key);                                                                                         \
        arrays->indices[to] = (i);                                                                                     \
    }
#elif GP_INDEX
#define GP_PUT(to, i, key) arrays->indices[to] = (i);
#elif GP_WORDS
#define GP_PUT(to, i, key)                                                                                             \
    {                                                                                                                  \
        GP_SORTED[to] = (key);                                                                                         \
        const uint words = arrays->words;                                                                              \
        for (uint word = 0; word < words; ++word)                                                                      \
            arrays->values[(ulong)(to)*words + word] = arrays->values_copy[(ulong)(i)*words + word];                   \
    }
#else
#define GP_PUT(to, i, key) GP_SORTED[to] = (key);
#endif

#define GP_LOADS 8 // keys on their way at once

// Sorts a share.
GP_INLINE void sort_share(const Arrays *arrays, const Look *look, bool is_whole, const Share *share,
                          local Local *room) {
    const uint id = (uint)get_local_id(0), n = share->n;
    clear_bins(room);
    if (id == 0) room->crowded = room->size = room->before = 0;
    const Key bits = look->mask << look->begin;
    Part part = {0, ~(Key)0, 0, ~0u};
    if (share->part > 0) {
        part.low_index = arrays->splitters[share->part];
        part.low = gp_whole(GP_READ[part.low_index], look->flip, bits);
    }
    if (share->part + 1 < share->parts) {
        part.high_index = arrays->splitters[share->part + 1];
        part.high = gp_whole(GP_READ[part.high_index], look->flip, bits);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Most keys lie clearly before or behind the part.
    uint before = 0;
#define GP_LOOK_AT(key, i)                                                                                             \
    {                                                                                                                  \
        const Key code = gp_whole(key, look->flip, bits);                                                              \
        if (code < part.low) {                                                                                         \
            ++before;                                                                                                  \
        } else if (code <= part.high) {                                                                                \
            if (code == part.low && (i) < part.low_index) {                                                            \
                ++before;                                                                                              \
            } else if (code < part.high || (i) < part.high_index) {                                                    \
                const uint to = atomic_inc(&room->size);                                                               \
                if (to < GP_ROOM) {                                                                                    \
                    room->keys[to] = key;                                                                              \
                    GP_KEEP_FROM(to, i)                                                                                \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
#if GP_STABLE
#define GP_KEEP_FROM(to, i) room->from[to] = (i);
#else
#define GP_KEEP_FROM(to, i)
#endif
    uint first = id;
    for (; first + (GP_LOADS - 1) * GP_GROUP < n; first += GP_LOADS * GP_GROUP) {
        Key seen[GP_LOADS];
#pragma unroll
        for (uint k = 0; k < GP_LOADS; ++k) seen[k] = GP_READ[first + k * GP_GROUP];
#pragma unroll
        for (uint k = 0; k < GP_LOADS; ++k) GP_LOOK_AT(seen[k], first + k * GP_GROUP)
    }
    for (; first < n; first += GP_GROUP) {
        const Key key = GP_READ[first];
        GP_LOOK_AT(key, first)
    }
    if (before != 0) atomic_add(&room->before, before);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint size = room->size;
    before = room->before;
    if (size > GP_ROOM) {
        for (uint i = id; i < n; i += GP_GROUP) {
            const Key key = GP_READ[i], code = gp_code(key, look), whole = gp_whole(key, look->flip, bits);
            if (gp_is_before(whole, i, part.low, part.low_index) || !gp_is_before(whole, i, part.high, part.high_index))
                continue;
            uint to = 0;
            for (uint j = 0; j < n; ++j) to += gp_is_before(gp_code(GP_READ[j], look), j, code, i) ? 1 : 0;
            GP_PUT(to, i, key)
        }
        size = 0; // none is left
    }

    Key mine[GP_ITEMS];
#if GP_STABLE
    uint from[GP_ITEMS];
#endif
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = min(k * GP_GROUP + id, max(size, 1u) - 1);
        mine[k] = room->keys[i];
#if GP_STABLE
        from[k] = room->from[i];
#endif
    }
    Key least, most;
    gp_range(mine, look, &least, &most, room);
    const Map map = gp_map(least, most, is_whole);
    uint ranks[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k)
        ranks[k] = k * GP_GROUP + id < size ? rank_in_bin(gp_bin(gp_code(mine[k], look), &map), room) : 0;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) note_crowd(ranks[k], gp_code(mine[k], look), &map, room);
    barrier(CLK_LOCAL_MEM_FENCE);
    scan_bins(room);
    if (id == 0) room->bins[GP_BINS] = size;
#if GP_STABLE
    const bool are_equal = false;
#else
    const bool are_equal = map.shift == 0; // the keys of a bin
#endif
    const bool crowded = room->crowded && !are_equal;
#define GP_EACH _Pragma("unroll") for (uint k = 0, i = id; k < GP_ITEMS; ++k, i += GP_GROUP) if (i < size)
    if (!crowded) {
        GP_EACH {
            const uint to = room->bins[gp_bin(gp_code(mine[k], look), &map)] + ranks[k];
            room->keys[to] = mine[k];
#if GP_STABLE
            room->from[to] = from[k];
#endif
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sort_crowd(0, size, least, crowded && GP_STABLE ? gp_bits_of(n - 1) : 0, crowded ? gp_bits(most - least) : 0,
               look->flip, look->mask, look->begin, room);
    if (crowded || are_equal) {
        GP_EACH GP_PUT(before + i, room->from[i], room->keys[i])
    } else {
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; k += GP_AT_ONCE) {
            if (k * GP_GROUP >= size) break;
            Key found[GP_AT_ONCE];
            uint places[GP_AT_ONCE];
            places_in_bins(k * GP_GROUP + id, 0, size, &map, look, room, found, places);
#pragma unroll
            for (uint l = 0; l < GP_AT_ONCE; ++l)
                if (places[l] != GP_NOWHERE) GP_PUT(before + places[l], room->from[(k + l) * GP_GROUP + id], found[l])
        }
    }
}

#define GP_KERNEL __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void

#ifdef GP_SPIN_LIMIT
#include "common/phases.cl"
#ifdef GP_SEGMENTS
#include "sort/segment.cl"
#define GP_OF_SEGMENTS , GP_OFFSETS
#else
#define GP_OF_SEGMENTS
#endif

// Sorts `tasks` shares; with GP_SEGMENTS, first each segment of up to GP_ROOM keys, while it lists
// the others.
GP_KERNEL sort_sample_phases(GP_PARAMETERS GP_OF_SEGMENTS, uint tasks, volatile global uint *phases,
                             ulong phases_offset) {
    local union {
        Samples samples;
        Local bins;
    } room;
    local uint drawn;
    GP_TAKE_PARAMETERS
    const Arrays whole = arrays;
    Turn turn = GP_FIRST_TURN;
    uint first = 0;
#ifdef GP_LIST
    local Found found_share;
    const uint most_listed = end_listed - first_listed;
    counts += counts_offset;
    lists += lists_offset + 2 * first_listed;
#endif
#ifdef GP_SEGMENTS
    first = (uint)segments;
    offsets += offsets_offset;
    GP_TAKE_ENDS
#endif
    const Phases all = {first, tasks, 2};
    while (gp_next_task(phases + phases_offset, &all, &turn, &drawn)) {
        const bool is_segment = turn.task < first, is_for_samples = !is_segment && turn.task < first + tasks;
        const uint number = is_segment ? 0 : turn.task - first - (is_for_samples ? 0 : tasks); // of its share
        arrays = whole;
#ifdef GP_LIST
        const uint listed = is_segment ? 0 : min(gp_look_uint(counts + kind - 1), most_listed);
        Share share = gp_share(number, tasks, lists, listed, room.bins.scan, &found_share);
        turn.is_over = !is_segment && listed == 0;
        arrays.splitters += number - share.part;
#ifdef GP_SEGMENTS
        if (is_segment) {
            const uint2 segment = gp_cut(turn.task, n, GP_OFFSET_ARRAYS);
            share.begin = segment.x;
            share.n = segment.y <= GP_ROOM ? segment.y : 0;
            if (segment.y > GP_ROOM && get_local_id(0) == 0) {
                const uint place = atomic_inc(counts + kind - 1);
                if (place < most_listed) vstore2(segment, place, lists);
            }
        }
#endif
        gp_move_to(&arrays, share.begin);
#else
        const Share share = gp_share(number, tasks, n);
#endif
        if (is_for_samples) {
            take_samples(&arrays, &look, &share, &room.samples);
        } else {
#if defined(GP_SEGMENTS) && GP_COPIES
            if (is_segment) arrays.copy = arrays.keys; // local memory holds all before any is written
#if GP_WORDS
            if (is_segment)
                for (uint i = (uint)get_local_id(0); i < share.n * words; i += GP_GROUP)
                    arrays.values_copy[i] = arrays.values[i];
            barrier(CLK_GLOBAL_MEM_FENCE);
#endif
#endif
            sort_share(&arrays, &look, width == 8 * GP_KEY_BYTES, &share, &room.bins);
        }
    }
#ifdef GP_LIST
    if (turn.is_last && get_local_id(0) < 8) counts[get_local_id(0)] = 0;
#endif
}

#else
GP_KERNEL sort_samples(GP_PARAMETERS) {
    local Samples room;
    GP_TAKE_PARAMETERS
#ifdef GP_LIST
    local uint sums[GP_LOWER_SUM_ROOM(GP_GROUP)];
    const uint listed = min(counts[counts_offset + kind - 1], end_listed - first_listed);
    if (get_global_id(0) == 0) arrays.splitters[get_num_groups(0)] = listed; // sort_sample_bins clears the counts
#endif
    GP_TAKE_SHARE(sums)
    take_samples(&arrays, &look, &share, &room);
}

// A work-group without keys does not return early, as PoCL 3.1 then loses work-items behind
// barriers, also of other work-groups.
GP_KERNEL sort_sample_bins(GP_PARAMETERS) {
    local Local room;
    GP_TAKE_PARAMETERS
#ifdef GP_LIST
    const uint listed = arrays.splitters[get_num_groups(0)];
    if (get_global_id(0) < 8) counts[counts_offset + get_global_id(0)] = 0;
#endif
    GP_TAKE_SHARE(room.scan)
    sort_share(&arrays, &look, width == 8 * GP_KEY_BYTES, &share, &room);
}
#endif
