// Histogram with one counter a bin in global memory, which all work-items share: the shortest, and
// the slowest where many elements are equal.
//
// Macros: those of merge.cl
// Launch: count_slice once for each slice of fewer than 2^32 elements, with any number of
//         work-items, on counters that are zero; then merge.cl's, on the slices
// Source: the definition
// SPDX-License-Identifier: MIT
#include "histogram/merge.cl"

// Counter `bin` is partial[bin * parts].
kernel void count_slice(global const uchar *in, ulong in_offset, global uint *partial, ulong partial_offset, ulong n,
                        ulong parts) {
    in += in_offset;
    partial += partial_offset;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(partial + in[i] * parts);
}
