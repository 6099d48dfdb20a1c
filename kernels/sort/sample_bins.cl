// Sorts up to some hundred thousand keys, or with GP_LIST listed segments of so many, by two
// launches: each work-group sorts the keys between two samples.
//
// Computes: a stable reordering of n keys, of their values of any size, or the order as indices.
//           sort_samples copies what is to be sorted in place, and finds the splitters: samples
//           whose rank among all samples is a multiple of GP_SAMPLES_OF_PART. A key and its index
//           are compared together, so no two are the same, and parts are of much the same size
//           whatever the keys are. In sort_sample_bins each work-group looks through all keys,
//           which is cheap for so few. It counts those before its part, and sorts those of its part
//           in bins. Parts have at most half as many keys as there is room for, on average. A part
//           that local memory does not hold, which hardly any keys lead to, is ranked by
//           comparing all its keys.
// Macros:   those of bins.cl and counted.cl; GP_MOST_PARTS; GP_INDEX, indices: 0 (none), 4 or 8
//           bytes; GP_WORDS, values as words: 0 (none), or of 1, 2, 4 or 8 bytes; GP_OTHER_MEMORY,
//           if defined: keys go to other memory than theirs, so that there are no copies
// Launch:   sort_samples: any number of work-groups of GP_GROUP; sort_sample_bins: one for each
//           part. `samples` is 0 for a single part, else GP_SAMPLES_OF_PART for each. Where n is
//           less, the last work-groups have none. With GP_LIST, both: the same number of
//           work-groups, at least as many as the segments of class `kind` in `lists`
//           (segment_lists.cl) have parts; segments that find no work-groups stay as they are.
//           `splitters` has room for one more than work-groups, and in the end `counts` are zeros
// Source:   Leischner, Osipov and Sanders, "GPU Sample Sort", 2010
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "sort/words.cl"

#ifndef GP_MOST_PARTS
#error "GP_MOST_PARTS must be defined"
#endif

#define GP_SAMPLES_OF_PART 32
// Of so many at most, as many parts as n keys have samples for.
#define GP_PARTS(n, most) clamp((n) / GP_SAMPLES_OF_PART, 1u, max(most, 1u))

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

#ifdef GP_LIST
// What a work-group does of the listed segments: a part of one. Where none is left for it, that is
// the only part of a segment without keys.
typedef struct {
    uint begin, n;    // the segment
    uint part, parts; // of the segment
} Share;

typedef struct {
    Share share;
    uint parts; // of all segments that were looked at
} Found;

// Of `listed` segments from entry `first` on. Each work-item looks at another segment. One that
// went through hundreds of them would take longer than the sort. `sums` is room for gp_lower_sum.
// Every work-item of the group calls it.
GP_INLINE Share gp_share(global const uint *lists, uint listed, uint first, local uint *sums, local Found *found) {
    const uint id = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const Share none = {0, 0, 0, 1};
    if (id == 0) found->share = none;
    uint parts_before = 0;
    for (uint i = 0; i < listed && parts_before <= group; i += GP_GROUP) {
        uint2 segment = 0;
        if (i + id < listed) segment = vload2(first + i + id, lists);
        const uint parts = min((2 * segment.y + GP_ROOM - 1) / GP_ROOM, (uint)GP_MOST_PARTS);
        const uint begin = parts_before + gp_lower_sum(parts, GP_GROUP, sums);
        // Where segments share keys, there may be too few work-groups for the last ones.
        if (group >= begin && group - begin < parts && begin + parts <= (uint)get_num_groups(0)) {
            const Share share = {segment.x, segment.y, group - begin, parts};
            found->share = share;
        }
        if (id == GP_GROUP - 1) found->parts = begin + parts;
        barrier(CLK_LOCAL_MEM_FENCE);
        parts_before = found->parts; // written anew behind the next sum's barrier
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return found->share;
}
#define GP_LIST_PARAMETERS                                                                                             \
    , global uint *counts, ulong counts_offset, global const uint *lists, ulong lists_offset, uint kind,               \
        uint first_listed, uint end_listed
#define GP_TAKE_SHARE(sums)                                                                                            \
    local Found found_share;                                                                                           \
    const Share share = gp_share(lists + lists_offset, listed, first_listed, sums, &found_share);                      \
    n = share.n;                                                                                                       \
    keys += share.begin;                                                                                               \
    splitters += (uint)get_group_id(0) - share.part;
#else
#define GP_LIST_PARAMETERS
#define GP_TAKE_SHARE(sums)
#endif

// Copies n keys and their values; finds splitters, the index of each.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_samples(uint n, uint samples, uint begin, uint width, ulong flip, global const Key *keys, ulong keys_offset,
             global uint *splitters, ulong splitters_offset
#if GP_COPIES
             ,
             global Key *copy, ulong copy_offset
#endif
#if GP_WORDS
             ,
             global const Word *values, ulong values_offset, global Word *values_copy, ulong values_copy_offset,
             uint words
#endif
                 GP_LIST_PARAMETERS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Key codes[GP_MOST_PARTS * GP_SAMPLES_OF_PART];
    local uint ranks[GP_WARPS];
    const uint id = (uint)get_local_id(0), warp = id / 32, lane = id % 32;
    const Look look = {(Key)flip, (Key)((Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width)), begin};
    keys += keys_offset;
    splitters += splitters_offset;
#ifdef GP_LIST
    local uint sums[GP_LOWER_SUM_ROOM(GP_GROUP)];
    const uint listed = min(counts[counts_offset + kind - 1], end_listed - first_listed);
    if (get_global_id(0) == 0) splitters[get_num_groups(0)] = listed; // sort_sample_bins clears the counts
#endif
    GP_TAKE_SHARE(sums)
#ifdef GP_LIST
    const uint parts = share.parts, group = share.part, groups = share.parts;
#else
    const uint parts = GP_PARTS(n, samples / GP_SAMPLES_OF_PART);
    const uint group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
#endif
    samples = parts > 1 ? parts * GP_SAMPLES_OF_PART : 0;
    for (uint i = id; i < samples; i += GP_GROUP) codes[i] = gp_code(keys[gp_sample(i, samples, n)], &look);
    const uint global_id = group * GP_GROUP + id, step = groups * GP_GROUP;
#if GP_COPIES
    copy += copy_offset;
#ifdef GP_LIST
    copy += share.begin;
#endif
    for (uint i = global_id; i < n; i += step) copy[i] = keys[i];
#endif
#if GP_WORDS
    values += values_offset * words;
    values_copy += values_copy_offset * words;
#ifdef GP_LIST
    values += (ulong)share.begin * words;
    values_copy += (ulong)share.begin * words;
#endif
    for (uint i = global_id; i < n * words; i += step) values_copy[i] = values[i];
#endif
    if (lane == 0) ranks[warp] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // A warp finds the rank of a sample. Samples come in the order of their indices.
    for (uint first = group * GP_WARPS; first < samples; first += step / 32) {
        const uint sample = first + warp;
        if (sample < samples) {
            const Key code = codes[sample];
            uint before = 0;
            for (uint i = lane; i < samples; i += 32) before += gp_is_before(codes[i], i, code, sample) ? 1 : 0;
            atomic_add(&ranks[warp], before);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint rank = ranks[warp];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0) {
            ranks[warp] = 0;
            if (sample < samples && rank % GP_SAMPLES_OF_PART == 0)
                splitters[rank / GP_SAMPLES_OF_PART] = gp_sample(sample, samples, n);
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

#if GP_INDEX && defined(GP_OTHER_MEMORY)
#define GP_PUT(to, i, key)                                                                                             \
    {                                                                                                                  \
        keys_out[to] = (key);                                                                                          \
        indices[to] = (i);                                                                                             \
    }
#elif GP_INDEX
#define GP_PUT(to, i, key) indices[to] = (i);
#elif GP_WORDS
#define GP_PUT(to, i, key)                                                                                             \
    {                                                                                                                  \
        keys_out[to] = (key);                                                                                          \
        for (uint word = 0; word < words; ++word)                                                                      \
            values[(ulong)(to)*words + word] = values_copy[(ulong)(i)*words + word];                                   \
    }
#else
#define GP_PUT(to, i, key) keys_out[to] = (key);
#endif

#define GP_LOADS 8 // keys on their way at once

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_sample_bins(uint n, uint begin, uint width, ulong flip, global const Key *keys, ulong keys_offset,
                 global const uint *splitters, ulong splitters_offset,
#if GP_INDEX
                 global Index *indices, ulong indices_offset
#endif
#if GP_INDEX && GP_WRITES_KEYS
                 ,
#endif
#if GP_WRITES_KEYS
                 global Key *keys_out, ulong keys_out_offset
#endif
#if GP_WORDS
                 ,
                 global Word *values, ulong values_offset, global const Word *values_copy, ulong values_copy_offset,
                 uint words
#endif
                     GP_LIST_PARAMETERS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Local room;
    const uint id = (uint)get_local_id(0);
    // A work-group without keys does not return early, as PoCL 3.1 then loses work-items behind
    // barriers, also of other work-groups.
#ifndef GP_LIST
    uint group = (uint)get_group_id(0), parts = GP_PARTS(n, (uint)get_num_groups(0));
    if (group >= parts) { // the only part of no keys
        group = n = 0;
        parts = 1;
    }
#endif
    const Look look = {(Key)flip, (Key)((Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width)), begin};
    keys += keys_offset;
    splitters += splitters_offset;
#if GP_INDEX
    indices += indices_offset;
#endif
#if GP_WRITES_KEYS
    keys_out += keys_out_offset;
#endif
#if GP_WORDS
    values += values_offset * words;
    values_copy += values_copy_offset * words;
#endif
#ifdef GP_LIST
    const uint listed = splitters[get_num_groups(0)];
    if (get_global_id(0) < 8) counts[counts_offset + get_global_id(0)] = 0;
#endif
    GP_TAKE_SHARE(room.scan)
#ifdef GP_LIST
    const uint group = share.part, parts = share.parts;
#if GP_INDEX
    indices += share.begin;
#endif
#if GP_WRITES_KEYS
    keys_out += share.begin;
#endif
#if GP_WORDS
    values += (ulong)share.begin * words;
    values_copy += (ulong)share.begin * words;
#endif
#endif
    clear_bins(&room);
    if (id == 0) room.crowded = room.size = room.before = 0;
    const Key bits = look.mask << begin;
    Part part = {0, ~(Key)0, 0, ~0u};
    if (group > 0) {
        part.low_index = splitters[group];
        part.low = gp_whole(keys[part.low_index], look.flip, bits);
    }
    if (group + 1 < parts) {
        part.high_index = splitters[group + 1];
        part.high = gp_whole(keys[part.high_index], look.flip, bits);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Most keys lie clearly before or behind the part.
    uint before = 0;
#define GP_LOOK_AT(key, i)                                                                                             \
    {                                                                                                                  \
        const Key code = gp_whole(key, look.flip, bits);                                                               \
        if (code < part.low) {                                                                                         \
            ++before;                                                                                                  \
        } else if (code <= part.high) {                                                                                \
            if (code == part.low && (i) < part.low_index) {                                                            \
                ++before;                                                                                              \
            } else if (code < part.high || (i) < part.high_index) {                                                    \
                const uint to = atomic_inc(&room.size);                                                                \
                if (to < GP_ROOM) {                                                                                    \
                    room.keys[to] = key;                                                                               \
                    GP_KEEP_FROM(to, i)                                                                                \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
#if GP_STABLE
#define GP_KEEP_FROM(to, i) room.from[to] = (i);
#else
#define GP_KEEP_FROM(to, i)
#endif
    uint first = id;
    for (; first + (GP_LOADS - 1) * GP_GROUP < n; first += GP_LOADS * GP_GROUP) {
        Key seen[GP_LOADS];
#pragma unroll
        for (uint k = 0; k < GP_LOADS; ++k) seen[k] = keys[first + k * GP_GROUP];
#pragma unroll
        for (uint k = 0; k < GP_LOADS; ++k) GP_LOOK_AT(seen[k], first + k * GP_GROUP)
    }
    for (; first < n; first += GP_GROUP) {
        const Key key = keys[first];
        GP_LOOK_AT(key, first)
    }
    if (before != 0) atomic_add(&room.before, before);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint size = room.size;
    before = room.before;
    if (size > GP_ROOM) {
        for (uint i = id; i < n; i += GP_GROUP) {
            const Key key = keys[i], code = gp_code(key, &look), whole = gp_whole(key, look.flip, bits);
            if (gp_is_before(whole, i, part.low, part.low_index) || !gp_is_before(whole, i, part.high, part.high_index))
                continue;
            uint to = 0;
            for (uint j = 0; j < n; ++j) to += gp_is_before(gp_code(keys[j], &look), j, code, i) ? 1 : 0;
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
        mine[k] = room.keys[i];
#if GP_STABLE
        from[k] = room.from[i];
#endif
    }
    Key least, most;
    gp_range(mine, &look, &least, &most, &room);
    const Map map = gp_map(least, most, width == 8 * GP_KEY_BYTES);
    uint ranks[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k)
        ranks[k] = k * GP_GROUP + id < size ? rank_in_bin(gp_bin(gp_code(mine[k], &look), &map), &room) : 0;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) note_crowd(ranks[k], gp_code(mine[k], &look), &map, &room);
    barrier(CLK_LOCAL_MEM_FENCE);
    scan_bins(&room);
    if (id == 0) room.bins[GP_BINS] = size;
#if GP_STABLE
    const bool are_equal = false;
#else
    const bool are_equal = map.shift == 0; // the keys of a bin
#endif
    const bool crowded = room.crowded && !are_equal;
#define GP_EACH _Pragma("unroll") for (uint k = 0, i = id; k < GP_ITEMS; ++k, i += GP_GROUP) if (i < size)
    if (!crowded) {
        GP_EACH {
            const uint to = room.bins[gp_bin(gp_code(mine[k], &look), &map)] + ranks[k];
            room.keys[to] = mine[k];
#if GP_STABLE
            room.from[to] = from[k];
#endif
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sort_crowd(0, size, least, crowded && GP_STABLE ? gp_bits_of(n - 1) : 0, crowded ? gp_bits(most - least) : 0,
               look.flip, look.mask, begin, &room);
    if (crowded || are_equal) {
        GP_EACH GP_PUT(before + i, room.from[i], room.keys[i])
    } else {
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; k += GP_AT_ONCE) {
            if (k * GP_GROUP >= size) break;
            Key found[GP_AT_ONCE];
            uint places[GP_AT_ONCE];
            places_in_bins(k * GP_GROUP + id, 0, size, &map, &look, &room, found, places);
#pragma unroll
            for (uint l = 0; l < GP_AT_ONCE; ++l)
                if (places[l] != GP_NOWHERE) GP_PUT(before + places[l], room.from[(k + l) * GP_GROUP + id], found[l])
        }
    }
}
