// Runs of keys that equal their neighbours: where they begin, and what a kernel writes of each.
//
// Macros: those of order.cl; those of combine.cl. GP_VALUES: each run has the combination of its
//         values, of type T, as its result; else its length, of type GP_RESULT, uint or ulong, and
//         T is uint
// Gives: Result; what differs.cl does; GP_RUNS, parameters of kernels, and GP_BEGIN_RUNS, which
//         takes them in; GP_KEYS_WANTED, GP_RESULTS_WANTED, GP_FIRSTS_WANTED
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#include "common/differs.cl"

#ifdef GP_VALUES
typedef T Result;
#else
#ifndef GP_RESULT
#error "GP_RESULT must be defined: uint or ulong"
#endif
typedef GP_RESULT Result;
#endif

#define GP_KEYS_WANTED 1
#define GP_RESULTS_WANTED 2
#define GP_FIRSTS_WANTED 4

// What is read, and how much there is: n elements, or fewer where `bounded` and `bound` says so.
// What is written, as far as `wanted` says so, of the first `capacity` runs; the count is that of
// all. Without GP_VALUES there are no values, with it no first positions.
#define GP_RUNS                                                                                                        \
    global const Key *keys, ulong keys_offset, global const GP_IN *values, ulong values_offset,                        \
        global const ulong *bound, ulong bound_offset, uint bounded, ulong n, global Key *out_keys,                    \
        ulong out_keys_offset, global Result *results, ulong results_offset, global Result *firsts,                    \
        ulong firsts_offset, global ulong *count, ulong count_offset, uint wanted, ulong capacity

#define GP_BEGIN_RUNS                                                                                                  \
    if (bounded) n = min(n, bound[bound_offset]);                                                                      \
    keys += keys_offset;                                                                                               \
    values += values_offset;                                                                                           \
    out_keys += out_keys_offset;                                                                                       \
    results += results_offset;                                                                                         \
    firsts += firsts_offset;                                                                                           \
    count += count_offset;
