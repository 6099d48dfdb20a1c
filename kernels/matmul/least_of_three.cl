// Min-plus of floats, two terms at a time, by Hopper's least of three integers (VIMNMX3): 3 instructions rather than 4. Exact
// for all data: bits of floats that are not below zero order as signed integers; of those that are, the greatest unsigned
// integer is the least, and greater than all others. Only while there may be terms below zero and sums that are not do floats
// compare. NaNs of an addition are 0x7fffffff, which never wins.
//
// Macros: those of bulk_words.cl; GP_COLUMNS, of a work-item's sums
// Gives: Order, add_two_terms, all_below_zero
// Source: NVIDIA, "CUDA C++ Programming Guide", DPX
// SPDX-License-Identifier: MIT
#include "device/shuffle.cl"

// Of a warp's sums and of the terms that are to come.
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

// Whether all sums of a warp are: -0 counts as below.
bool all_below_zero(V (*sum)[GP_COLUMNS]) {
    int4 signs = -1;
#pragma unroll
    for (uint r = 0; r < 8; ++r)
#pragma unroll
        for (uint q = 0; q < GP_COLUMNS; ++q) signs &= as_int4(sum[r][q]);
    return gp_all_of_warp((signs.s0 & signs.s1 & signs.s2 & signs.s3) < 0, 0);
}
