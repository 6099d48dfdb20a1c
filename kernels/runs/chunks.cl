// Runs for CPUs: every work-item owns one contiguous chunk. The first launch counts the runs that
// begin in each chunk, and finds what comes since the last one did; the second one writes. A run's
// result is written by the chunk in which it ends.
//
// A chunk goes block by block: whether any run begins in it is found by vectors; only then where.
//
// Macros: those of runs.cl
// Launch: work-groups of one, a work-item a chunk of `chunk` elements (the last with the rest);
//         runs_count, where there are several chunks, then runs_write. heads[k] is how many runs
//         begin in chunk k, tails[k] the combination of its elements from the last of these on, or
//         of all of them; where lengths are wanted, the position of the last one, if there is any
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, sections 1.2 (more data than
//         processors) and 1.5 (the segmented operator)
// SPDX-License-Identifier: MIT
#include "runs/runs.cl"

#ifdef GP_VALUES
#include "common/chunk.cl"
typedef T Tail;
#else
typedef ulong Tail;
#endif

#define GP_BLOCK 512

// Whether any of keys[0 .. count) differs from the one before it; the first one's is keys[-1].
uint gp_any_head(global const Key *keys, uint count) {
    uint any = 0;
    for (uint i = 0; i < count; ++i) any |= gp_differs(keys[(long)i - 1], keys[i]);
    return any;
}

// How many of them do, and at which places.
uint gp_find_heads(global const Key *keys, uint count, uint *places) {
    uint heads = 0;
    for (uint i = 0; i < count; ++i) {
        places[heads] = i;
        heads += gp_differs(keys[(long)i - 1], keys[i]);
    }
    return heads;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
runs_count(GP_RUNS, ulong chunk, global ulong *heads, ulong heads_offset, global Tail *tails, ulong tails_offset) {
    GP_BEGIN_RUNS
    const ulong id = get_global_id(0), begin = min(id * chunk, n), end = min(begin + chunk, n);
    ulong all = id == 0 && n > 0, last = begin, block = begin; // the last block in which runs begin
    for (ulong at = max(begin, 1ul); at < end; at += GP_BLOCK) {
        const uint size = (uint)min(end - at, (ulong)GP_BLOCK);
        uint some = 0;
        for (uint i = 0; i < size; ++i) some += gp_differs(keys[at + i - 1], keys[at + i]);
        if (some != 0) block = at;
        all += some;
    }
    for (ulong i = min(block + GP_BLOCK, end); i > max(block, 1ul); --i)
        if (gp_differs(keys[i - 2], keys[i - 1])) {
            last = i - 1;
            break;
        }
    heads[heads_offset + id] = all;
#ifdef GP_VALUES
    tails[tails_offset + id] = gp_reduce_chunk(values + last, end - last);
#else
    tails[tails_offset + id] = last;
#endif
}

// What has come before: how many runs have begun, and where the last one did, or the combination of
// its elements.
typedef struct {
    ulong runs;
    Tail tail;
} Past;

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void runs_write(GP_RUNS, ulong chunk, global const ulong *heads,
                                                                      ulong heads_offset, global const Tail *tails,
                                                                      ulong tails_offset) {
    GP_BEGIN_RUNS
    const ulong id = get_global_id(0), begin = min(id * chunk, n), end = min(begin + chunk, n);
#ifdef GP_VALUES
    T carry = GP_ZERO; // of the run that has begun before this chunk
#endif
    ulong runs = 0, last = 0;
    for (ulong k = 0; k < id; ++k) {
        const ulong some = heads[heads_offset + k];
        const Tail tail = tails[tails_offset + k];
#ifdef GP_VALUES
        const T both = GP_COMBINE(carry, tail);
        carry = some != 0 ? tail : both;
#else
        if (some != 0) last = tail;
#endif
        runs += some;
    }
#ifdef GP_VALUES
    ulong from = begin; // where this chunk's part of the open run begins
    uint carries = 1;
#endif
    if (id == 0 && n > 0) {
        if ((wanted & GP_KEYS_WANTED) && capacity > 0) out_keys[0] = keys[0];
        if ((wanted & GP_FIRSTS_WANTED) && capacity > 0) firsts[0] = 0;
        runs = 1;
    }
    for (ulong at = max(begin, 1ul); at < end; at += GP_BLOCK) {
        const uint size = (uint)min(end - at, (ulong)GP_BLOCK);
        uint places[GP_BLOCK];
        if (!gp_any_head(keys + at, size)) continue;
        const uint some = gp_find_heads(keys + at, size, places);
        const uint room = (uint)min((ulong)some, capacity - min(runs, capacity));           // runs that begin here
        const uint closed = (uint)min((ulong)some, capacity + 1 - min(runs, capacity + 1)); // that end here
        if (wanted & GP_KEYS_WANTED)
            for (uint j = 0; j < room; ++j) out_keys[runs + j] = keys[at + places[j]];
                // Run number 0 has begun before the first place, so `runs` is not 0.
#ifdef GP_VALUES
        for (uint j = 0; j < some; ++j) {
            const ulong here = at + places[j];
            T sum = gp_reduce_chunk(values + from, here - from);
            if (carries) sum = GP_COMBINE(carry, sum);
            carries = 0;
            from = here;
            if (j < closed) results[runs - 1 + j] = sum;
        }
#else
        if (wanted & GP_FIRSTS_WANTED)
            for (uint j = 0; j < room; ++j) firsts[runs + j] = (Result)(at + places[j]);
        if (wanted & GP_RESULTS_WANTED) {
            if (closed > 0) results[runs - 1] = (Result)(at + places[0] - last);
            for (uint j = 1; j < closed; ++j) results[runs - 1 + j] = (Result)(places[j] - places[j - 1]);
        }
        last = at + places[some - 1];
#endif
        runs += some;
    }
    if (end == n && (begin < n || id == 0)) { // the last element is here, if there is any
        *count = runs;
        if (n > 0 && runs <= capacity && (wanted & GP_RESULTS_WANTED)) {
#ifdef GP_VALUES
            T sum = gp_reduce_chunk(values + from, n - from);
            if (carries) sum = GP_COMBINE(carry, sum);
            results[runs - 1] = sum;
#else
            results[runs - 1] = (Result)(n - last);
#endif
        }
    }
}
