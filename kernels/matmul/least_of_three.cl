// Min-plus of floats, two terms at a time, by the three-way integer minimum of Hopper GPUs
// (VIMNMX3): 3 instructions instead of 4.
//
// The result is exact for all data. Floats that are not below zero have the same order as their
// bits as signed integers. Floats below zero have the opposite order of their bits as unsigned
// integers, and as such are greater than all others. So integers compare as long as no term is
// below zero, or as long as all sums are. Else floats compare. The NaN that an addition returns is
// 0x7fffffff, which is never the minimum.
//
// Macros: those of bulk_words.cl; GP_COLUMNS, of a work-item's sums
// Gives: Order, add_two_terms, all_below_zero
// Source: NVIDIA, "CUDA C++ Programming Guide", DPX
// SPDX-License-Identifier: MIT
#include "device/shuffle.cl"

// What is known of a warp's sums and of the terms to come.
typedef enum {
    MIXED,      // may be anything
    NONE_BELOW, // no term is below zero
    ALL_BELOW   // all sums are
} Order;

V add_two_terms(V sum, V x, V y, Order order) {
    if (order == NONE_BELOW) return as_float4(min(min(as_int4(x), as_int4(y)), as_int4(sum)));
    if (order == ALL_BELOW) return as_float4(max(max(as_uint4(x), as_uint4(y)), as_uint4(sum)));
    return fmin(fmin(sum, x), y);
}

// Are all sums of the warp below zero? -0 counts as below.
bool all_below_zero(V (*sum)[GP_COLUMNS]) {
    int4 signs = -1;
#pragma unroll
    for (uint r = 0; r < 8; ++r)
#pragma unroll
        for (uint q = 0; q < GP_COLUMNS; ++q) signs &= as_int4(sum[r][q]);
    return gp_all_of_warp((signs.s0 & signs.s1 & signs.s2 & signs.s3) < 0, 0);
}
