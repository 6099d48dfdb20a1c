// Sorts keys by a first split into buckets, each of which is then finished in a core's cache; for
// CPUs.
//
// Computes: a stable reordering of n keys. sort_buckets_sample looks at some keys and divides the
//           range that they span into GP_BUCKETS equal parts; keys outside count to the first or
//           the last one. sort_buckets_count counts the keys of each chunk by bucket,
//           sort_buckets_split moves them there, one cache line at a time, and sort_buckets_finish
//           sorts a bucket, digit by digit, back to where the keys were. Where one bucket would
//           hold too much for the cores to share the work nothing is moved, and `state` says that
//           the order is left to do.
// Macros:   those of keys.cl, without values; GP_BUCKETS, at most 1024
// Launch:   sort_buckets_sample: one work-item; count and split: `chunks` work-groups of one
//           work-item, `chunk` keys each (the last ones fewer or none); finish: GP_BUCKETS
//           work-groups of one. `state` holds a plan of zeros, whether the keys are in order, the
//           range's begin and shift, and then, for each bucket, where it begins; `ends` of the keys
// Source:   Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017
//           (most significant digit first, then in fast memory); Satish et al., "Fast Sort on CPUs
//           and GPUs", 2010 (buffers of a line)
// SPDX-License-Identifier: MIT
#include "common/stream.cl"
#include "sort/keys.cl"

#ifndef GP_BUCKETS
#error "GP_BUCKETS must be defined: at most 1024"
#endif
#if GP_VALUE_BYTES
#error "GP_VALUE_BYTES must be 0: this sorts keys alone"
#endif

// What `state` holds, a ulong each; the plan and whether the keys are sorted are the two uints of
// the first.
#define GP_LOWEST 1
#define GP_RANGE_SHIFT 2
#define GP_BEGIN 3 // and where each bucket begins, and n

uint gp_bucket(Key key, Key flip, Key lowest, uint shift) {
    const Key range = gp_ordered(key, flip) >> shift;
    return (uint)min((Key)(max(range, lowest) - lowest), (Key)(GP_BUCKETS - 1));
}

#define GP_SAMPLES 4096

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sort_buckets_sample(ulong n, ulong flip,
                                                                               global const Key *keys,
                                                                               ulong keys_offset, global ulong *state,
                                                                               ulong state_offset) {
    keys += keys_offset;
    state += state_offset;
    Key lowest = ~(Key)0, highest = 0;
    const ulong step = max(n / GP_SAMPLES, (ulong)1);
    for (ulong i = 0; i < n; i += step) {
        const Key ordered = gp_ordered(keys[i], (Key)flip);
        lowest = min(lowest, ordered);
        highest = max(highest, ordered);
    }
    uint shift = 0;
    while ((highest >> shift) - (lowest >> shift) >= GP_BUCKETS) ++shift;
    state[GP_LOWEST] = lowest >> shift;
    state[GP_RANGE_SHIFT] = shift;
}

// counts[c * GP_BUCKETS + b] = how many keys of chunk c belong to bucket b
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sort_buckets_count(ulong n, ulong chunk, ulong flip, global const Key *keys, ulong keys_offset,
                   global const ulong *state, ulong state_offset, global uint *counts, ulong counts_offset) {
    keys += keys_offset;
    state += state_offset;
    const Key lowest = (Key)state[GP_LOWEST];
    const uint shift = (uint)state[GP_RANGE_SHIFT];
    const ulong begin = min(n, get_group_id(0) * chunk), end = min(n, begin + chunk);
    // Two sets of counters, so that a run of equal keys waits less for its own increments.
    uint even[GP_BUCKETS], odd[GP_BUCKETS];
    for (uint bucket = 0; bucket < GP_BUCKETS; ++bucket) even[bucket] = odd[bucket] = 0;
    ulong i = begin;
    for (; i + 1 < end; i += 2) {
        ++even[gp_bucket(keys[i], (Key)flip, lowest, shift)];
        ++odd[gp_bucket(keys[i + 1], (Key)flip, lowest, shift)];
    }
    if (i < end) ++even[gp_bucket(keys[i], (Key)flip, lowest, shift)];
    counts += counts_offset + get_group_id(0) * GP_BUCKETS;
    for (uint bucket = 0; bucket < GP_BUCKETS; ++bucket) counts[bucket] = even[bucket] + odd[bucket];
}

#define GP_LINE (64 / GP_KEY_BYTES) // keys
#if GP_KEY_BYTES == 4
#define Line uint16
#else
#define Line ulong8
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sort_buckets_split(ulong n, ulong chunk, ulong flip, ulong most, global const Key *keys, ulong keys_offset,
                   global Key *split, ulong split_offset, global ulong *state, ulong state_offset,
                   global const uint *counts, ulong counts_offset) {
    keys += keys_offset;
    split += split_offset;
    state += state_offset;
    counts += counts_offset;
    const Key lowest = (Key)state[GP_LOWEST];
    const uint shift = (uint)state[GP_RANGE_SHIFT];
    const uint chunks = (uint)get_num_groups(0), me = (uint)get_group_id(0);
    const ulong begin = min(n, me * chunk), end = min(n, begin + chunk);

    // Where this chunk's keys of each bucket go, counted from the line in which `split` begins.
    const uint skew = (uint)((ulong)split / GP_KEY_BYTES % GP_LINE);
    global Key *const out = split - skew;
    uint first[GP_BUCKETS], next[GP_BUCKETS];
    uint sum = skew;
    bool fits = true;
    for (uint bucket = 0; bucket < GP_BUCKETS; ++bucket) {
        if (me == 0) state[GP_BEGIN + bucket] = sum - skew;
        uint before = 0, total = 0;
        for (uint c = 0; c < chunks; ++c) {
            const uint count = counts[c * GP_BUCKETS + bucket];
            before += c < me ? count : 0;
            total += count;
        }
        first[bucket] = next[bucket] = sum + before;
        sum += total;
        fits = fits && total <= most;
    }
    if (me == 0) {
        state[GP_BEGIN + GP_BUCKETS] = n;
        ((global uint *)state)[1] = fits ? 1 : 0;
    }
    if (!fits) return;

    Key lines[GP_BUCKETS * GP_LINE] __attribute__((aligned(64)));
    for (ulong i = begin; i < end; ++i) {
        const Key key = keys[i];
        const uint bucket = gp_bucket(key, (Key)flip, lowest, shift);
        const uint to = next[bucket]++, place = to % GP_LINE;
        Key *const line = lines + bucket * GP_LINE;
        line[place] = key;
        if (place != GP_LINE - 1) continue;
        const uint start = to - place;
        if (start >= first[bucket])
            GP_STREAM(*(const Line *)line, (global Line *)(out + start));
        else // the neighbour's keys begin this line
            for (uint p = first[bucket]; p <= to; ++p) out[p] = line[p % GP_LINE];
    }
    for (uint bucket = 0; bucket < GP_BUCKETS; ++bucket) {
        const uint stop = next[bucket];
        for (uint p = max(first[bucket], stop / GP_LINE * GP_LINE); p < stop; ++p)
            out[p] = lines[bucket * GP_LINE + p % GP_LINE];
    }
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

#define GP_FINISH_BITS 11 // of a digit: two such digits are what a random uint32 has left

// From `split`, where a bucket's keys are, and back as often as there are digits.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sort_buckets_finish(ulong flip, global Key *keys, ulong keys_offset, global Key *split, ulong split_offset,
                    global const ulong *state, ulong state_offset) {
    state += state_offset;
    if (((global const uint *)state)[1] == 0) return;
    const ulong begin = state[GP_BEGIN + get_group_id(0)], n = state[GP_BEGIN + get_group_id(0) + 1] - begin;
    if (n == 0) return;
    global Key *from = split + split_offset + begin, *to = keys + keys_offset + begin, *const home = to;

    const Key one = gp_ordered(from[0], (Key)flip);
    Key differing = 0;
    for (ulong i = 0; i < n; ++i) differing |= gp_ordered(from[i], (Key)flip) ^ one;
    const uint width = 8 * GP_KEY_BYTES - (uint)clz(differing);
    const uint passes = (width + GP_FINISH_BITS - 1) / GP_FINISH_BITS;
    const uint bits = passes == 0 ? 0 : (width + passes - 1) / passes, mask = (1u << bits) - 1;
    for (uint shift = 0; shift < width; shift += bits) {
        if (((uint)(differing >> shift) & mask) == 0) continue;
        uint next[1 << GP_FINISH_BITS], sum = 0;
        for (uint digit = 0; digit <= mask; ++digit) next[digit] = 0;
        for (ulong i = 0; i < n; ++i) {
            ++next[(uint)(gp_ordered(from[i], (Key)flip) >> shift) & mask];
            if (i % GP_LINE == 0) GP_ASK(to + i, 1); // in no order that a cache would foresee
        }
        for (uint digit = 0; digit <= mask; ++digit) {
            const uint count = next[digit];
            next[digit] = sum;
            sum += count;
        }
        for (ulong i = 0; i < n; ++i) {
            const Key key = from[i];
            to[next[(uint)(gp_ordered(key, (Key)flip) >> shift) & mask]++] = key;
        }
        global Key *const here = from;
        from = to;
        to = here;
    }
    if (from != home)
        for (ulong i = 0; i < n; ++i) home[i] = from[i];
}
