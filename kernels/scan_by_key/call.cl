// Scans that start anew with each run of equal keys: what kernels read and write.
//
// Macros: those of differs.cl and combine.cl
// Gives:  GP_SCAN_BY_KEY, parameters of kernels, and GP_BEGIN_SCAN, which takes them in and gives
//         `fresh`, what comes before each run; what differs.cl and combine.cl do
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#include "common/differs.cl"

// There are n elements, or fewer where `bounded` and `bound` says so. `out` may be `values`.
#define GP_SCAN_BY_KEY                                                                                                 \
    global const Key *keys, ulong keys_offset, global const GP_IN *values, ulong values_offset, global T *out,         \
        ulong out_offset, global const ulong *bound, ulong bound_offset, uint bounded, ulong n,                        \
        global const T *initial, ulong initial_offset, uint has_initial, uint exclusive

#define GP_BEGIN_SCAN                                                                                                  \
    if (bounded) n = min(n, bound[bound_offset]);                                                                      \
    keys += keys_offset;                                                                                               \
    values += values_offset;                                                                                           \
    out += out_offset;                                                                                                 \
    const T fresh = has_initial ? initial[initial_offset] : GP_ZERO;
