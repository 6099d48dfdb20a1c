// Results of elements that were sorted.
//
// Computes: top_k_write_places, top_k_write_numbers: results of a row, of places or of numbers that
//           end with a place, in their order
// Macros:   those of results.cl
// Launch:   any number of work-items; `batch` is 1
// SPDX-License-Identifier: MIT
#include "top_k/results.cl"

#define GP_WRITER(name, Number)                                                                                        \
    kernel void name(GP_ROWS, GP_RESULTS, global const Number *sorted, ulong sorted_offset GP_COUNT_PARAMETERS) {      \
        GP_TAKE_SIZES                                                                                                  \
        for (ulong i = get_global_id(0); i < k; i += get_global_size(0))                                               \
            GP_WRITE_RESULT(0, i, (uint)sorted[sorted_offset + i])                                                     \
    }
GP_WRITER(top_k_write_places, uint)
GP_WRITER(top_k_write_numbers, ulong)
