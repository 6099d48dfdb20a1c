// Distinct elements of a type that is not sorted itself: its ranks are, unsigned numbers that equal
// each other where the elements do; and what the distinct elements are is fetched from the input.
//
// Computes: unique_ranks: ranks[i] = the rank of in[i]; unique_values: values[k] = in[firsts[k]],
//           of the first *count, at most `capacity`
// Macros:   those of order.cl; GP_GROUP, the work-group size; GP_INDEX, uint or ulong, the type of
//           positions
// Launch:   work-groups of GP_GROUP, as many as there are chunks: of n elements (unique_ranks), of
//           `capacity` values (unique_values)
// SPDX-License-Identifier: MIT
#include "common/order.cl"
#include "unique/chunk.cl"
#ifndef GP_INDEX
#error "GP_INDEX must be defined: uint or ulong"
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
unique_ranks(global const Key *in, ulong in_offset, global Key *ranks, ulong ranks_offset, ulong n, ulong chunk) {
    GP_CHUNK(n)
    in += in_offset;
    ranks += ranks_offset;
    for (ulong i = first + item; i < end; i += GP_GROUP) ranks[i] = gp_ordered(in[i], 0);
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
unique_values(global const Key *in, ulong in_offset, global const GP_INDEX *firsts, ulong firsts_offset,
              global Key *values, ulong values_offset, global const ulong *count, ulong count_offset, ulong capacity,
              ulong chunk) {
    GP_CHUNK(min(count[count_offset], capacity))
    in += in_offset;
    firsts += firsts_offset;
    values += values_offset;
    for (ulong k = first + item; k < end; k += GP_GROUP) values[k] = in[firsts[k]];
}
