// One pass of a least-significant-digit radix sort in which each work-item sorts a contiguous
// chunk; for CPUs.
//
// Computes: a stable reordering of n keys, and of their values, by the 8-bit digit at `shift`.
//           First sort_chunks_count counts the digits of each chunk; then sort_chunks_scatter sums
//           up where each chunk's keys of each digit begin and moves them there.
// Macros:   those of keys.cl and counted.cl
// Launch:   both kernels: `chunks` work-groups of one work-item; `chunk` keys each (the last ones
//           fewer or none). `state` is a zero before the first pass, whose count makes it what
//           gp_plan takes, and then 1 where the keys are in order already: nothing is done
// Source:   Zagha and Blelloch, "Radix Sort for Vector Multiprocessors", 1991; Satish, Harris and
//           Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "sort/keys.cl"

// counts[c * GP_DIGITS + d] = how often digit d occurs in chunk c
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sort_chunks_count(ulong n, ulong chunk, uint shift, ulong flip, uint begin, uint last, uint passes, global uint *counts,
                  ulong counts_offset, global uint *state, ulong state_offset, GP_ARRAYS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    state += state_offset;
    // Whether the first pass runs it finds out itself.
    const uint plan = pass == 0 ? 1 : gp_plan(state[0], passes, flags);
    if (!(plan >> pass & 1) || state[1]) return;
    GP_PICK_KEYS_IN(plan)
    const ulong start = min(n, get_group_id(0) * chunk), end = min(n, start + chunk);
    if (pass == 0) {
        const Key one = gp_ordered(keys_in[0], (Key)flip);
        Key differing = 0;
        for (ulong i = start; i < end; ++i) differing |= gp_ordered(keys_in[i], (Key)flip) ^ one;
        const uint seen = gp_varying(differing, begin, last, passes);
        if (seen != 0) atomic_or(state, seen);
    }
    // Two sets of counters, so that a run of equal digits waits less for its own increments.
    uint even[GP_DIGITS], odd[GP_DIGITS];
    for (uint digit = 0; digit < GP_DIGITS; ++digit) even[digit] = odd[digit] = 0;
    ulong i = start;
    for (; i + 1 < end; i += 2) {
        ++even[gp_digit(keys_in[i], (Key)flip, shift)];
        ++odd[gp_digit(keys_in[i + 1], (Key)flip, shift)];
    }
    if (i < end) ++even[gp_digit(keys_in[i], (Key)flip, shift)];
    counts += counts_offset + get_group_id(0) * GP_DIGITS;
    for (uint digit = 0; digit < GP_DIGITS; ++digit) counts[digit] = even[digit] + odd[digit];
}

// GP_ASK(out, to): with 256 open ends the caches' prefetchers lose their way, and each store that
// begins a line would wait for it; so ask for the next one early. This halves the time of a pass
// where the compiler's target is the CPU itself; intermediate languages have no word for it
// (OpenCL's prefetch() is for loads, and often does nothing).
#if defined(__x86_64__) || defined(__aarch64__)
#define GP_LINE 64
#define GP_ASK(out, to)                                                                                                \
    if ((to) % (GP_LINE / sizeof(*(out))) == 0) __builtin_prefetch((const void *)(size_t)((out) + (to)) + GP_LINE, 1)
#else
#define GP_ASK(out, to)
#endif

// `number`: a key's value is its index, and values_in is not read. `drop_keys`: keys_out is not
// written.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sort_chunks_scatter(ulong n, ulong chunk, uint shift, ulong flip, uint passes, global const uint *counts,
                    ulong counts_offset, global const uint *state, ulong state_offset, GP_ARRAYS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    state += state_offset;
    const uint plan = gp_plan(state[0], passes, flags);
    if (!(plan >> pass & 1) || state[1]) return;
    GP_PICK_ARRAYS(plan)
    counts += counts_offset;
    const uint chunks = (uint)get_num_groups(0), me = (uint)get_group_id(0);
    const ulong begin = min(n, me * chunk), end = min(n, begin + chunk);

    // next[d]: where this chunk's next key of digit d goes.
    uint next[GP_DIGITS], total[GP_DIGITS];
    for (uint digit = 0; digit < GP_DIGITS; ++digit) next[digit] = total[digit] = 0;
    for (uint c = 0; c < chunks; ++c, counts += GP_DIGITS) {
        const uint before = c < me ? ~0u : 0;
        for (uint digit = 0; digit < GP_DIGITS; ++digit) {
            next[digit] += counts[digit] & before;
            total[digit] += counts[digit];
        }
    }
    uint sum = 0;
    for (uint digit = 0; digit < GP_DIGITS; ++digit) {
        next[digit] += sum;
        sum += total[digit];
    }

#if GP_VALUE_BYTES
    for (ulong i = begin; i < end; ++i) {
        const Key key = keys_in[i];
        const uint to = next[gp_digit(key, (Key)flip, shift)]++;
        if (!drop_keys) {
            keys_out[to] = key;
            GP_ASK(keys_out, to);
        }
        values_out[to] = number ? (Value)i : values_in[i];
        GP_ASK(values_out, to);
    }
#else
    for (ulong i = begin; i < end; ++i) {
        const Key key = keys_in[i];
        const uint to = next[gp_digit(key, (Key)flip, shift)]++;
        keys_out[to] = key;
        GP_ASK(keys_out, to);
    }
#endif
}
