// Histogram without atomics: every work-item has a sub-histogram of its own in local memory, with
// counters of one byte.
//
// A work-item counts 255 elements, so that no byte overflows. Then the work-group adds its
// sub-histograms up, each work-item some bins, and begins anew. Local memory has banks, usually 32,
// of 4 bytes in turn, and each bank serves one word at a time. So the layout of counters decides
// how many work-items can count at once:
//
//   GP_OWN_BANK 0  item after item, the plain layout: counter k of every work-item is in one bank
//   GP_OWN_BANK 1  words of 4 counters, those of all work-items side by side: each work-item has a
//                  bank of its own
//
// Macros: those of merge.cl; GP_GROUP, the work-group size, a power of two; GP_OWN_BANK
// Launch: work-groups of GP_GROUP work-items, so many that none counts 2^32 elements; then those of
//         merge.cl
// Source: Podlozhnyuk, "Histogram Calculation in CUDA", 2007, section "64-bin histogram" (bytes,
//         bank conflicts)
// SPDX-License-Identifier: MIT
#include "histogram/merge.cl"

#ifndef GP_GROUP
#error "GP_GROUP must be defined: the work-group size"
#endif

#if GP_OWN_BANK == 0
#define GP_COUNTER(item, bin) ((item)*GP_BINS + (bin))
#elif GP_OWN_BANK == 1
#define GP_COUNTER(item, bin) (((bin) / 4 * GP_GROUP + (item)) * 4 + (bin) % 4)
#else
#error "GP_OWN_BANK must be 0 or 1"
#endif

#define GP_ROUND 255 // elements that a work-item counts before a byte could overflow
#define GP_SHARE ((GP_BINS + GP_GROUP - 1) / GP_GROUP)

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
count_groups(global const uchar *in, ulong in_offset, global uint *partial, ulong partial_offset, ulong n) {
    local uchar sub[GP_GROUP * GP_BINS];
    const uint lane = (uint)get_local_id(0);
    in += in_offset;
    uint sums[GP_SHARE]; // of bins lane, lane + GP_GROUP, ...
    for (uint k = 0; k < GP_SHARE; ++k) sums[k] = 0;

    const ulong stride = (ulong)get_num_groups(0) * GP_ROUND * GP_GROUP;
    for (ulong first = (ulong)get_group_id(0) * GP_ROUND * GP_GROUP; first < n; first += stride) {
        for (uint bin = 0; bin < GP_BINS; ++bin) sub[GP_COUNTER(lane, bin)] = 0;
        for (uint i = 0; i < GP_ROUND; ++i) {
            const ulong at = first + i * GP_GROUP + lane;
            if (at < n) {
                const uint bin = in[at];
                ++sub[GP_COUNTER(lane, bin)];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < GP_SHARE; ++k) {
            const uint bin = k * GP_GROUP + lane;
            // In either layout four neighbours read one word, and the next four another bank.
            for (uint i = 0; i < GP_GROUP && bin < GP_BINS; ++i)
                sums[k] += sub[GP_COUNTER((i + lane / 4) % GP_GROUP, bin)];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint k = 0; k < GP_SHARE; ++k) {
        const uint bin = k * GP_GROUP + lane;
        if (bin < GP_BINS) partial[partial_offset + bin * get_num_groups(0) + get_group_id(0)] = sums[k];
    }
}
