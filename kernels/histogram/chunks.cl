// Histogram for CPUs: every work-item counts one contiguous chunk.
//
// Neighbouring elements go to different sub-histograms: equal ones, as in runs, would wait for each
// other's counter.
//
// Macros: those of merge.cl and counted.cl
// Launch: one work-item a chunk of `chunk` elements (the last one may be short; fewer than 2^32),
//         work-groups of one; then merge.cl's
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than
//         processors)
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "histogram/merge.cl"

#define GP_COPIES 4

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void count_chunks(global const uchar *in, ulong in_offset,
                                                                        global uint *partial, ulong partial_offset,
                                                                        ulong n, ulong chunk GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    uint sub[GP_COPIES][GP_BINS];
    for (uint copy = 0; copy < GP_COPIES; ++copy) {
        for (uint bin = 0; bin < GP_BINS; ++bin) sub[copy][bin] = 0;
    }
    const ulong first = min(get_global_id(0) * chunk, n);
    const ulong size = min(chunk, n - first);
    in += in_offset + first;
    ulong i = 0;
    for (; i + 8 <= size; i += 8) {
        const ulong word = as_ulong(vload8(0, in + i));
        ++sub[0][word & 255];
        ++sub[1][word >> 8 & 255];
        ++sub[2][word >> 16 & 255];
        ++sub[3][word >> 24 & 255];
        ++sub[0][word >> 32 & 255];
        ++sub[1][word >> 40 & 255];
        ++sub[2][word >> 48 & 255];
        ++sub[3][word >> 56];
    }
    for (; i < size; ++i) ++sub[0][in[i]];
    partial += partial_offset + get_global_id(0);
    for (uint bin = 0; bin < GP_BINS; ++bin)
        partial[bin * get_global_size(0)] = sub[0][bin] + sub[1][bin] + sub[2][bin] + sub[3][bin];
}
