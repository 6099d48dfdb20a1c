// How elements compare, what kernels read, and where results go.
//
// An element's rank is an unsigned number, the smaller the better; of equal ranks the first element
// is the best. So the best of a row is the same in whatever order elements are compared.
//
// Macros: those of order.cl and counted.cl
// Gives:  gp_rank; GP_ROWS, GP_RESULTS, GP_WRITE_PLACE
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/order.cl"

// `flip` is that of gp_ordered; descending order is for the largest element. NaN has the rank 0,
// which no number has.
Key gp_rank(Key element, Key flip) {
#if GP_KEY_FLOAT
    if (gp_is_nan(element)) return 0;
#endif
    return gp_ordered(element, flip);
}

// Parameters of a kernel: what it reads, and where results go. Positions are of type ulong where
// they are `wide`, else uint; there are values only where `has_values` says so.
#define GP_ROWS global const Key *in, ulong in_offset, ulong flip, ulong n, ulong stride_in, ulong step_in, ulong batch
#define GP_RESULTS                                                                                                     \
    global uint *positions, ulong positions_offset, uint wide, global Key *values, ulong values_offset,                \
        uint has_values, ulong stride_out

// Of rows without elements nothing is written.
#define GP_WRITE_PLACE(row, place)                                                                                     \
    if (n > 0) {                                                                                                       \
        const ulong result_at = (row)*stride_out, found_at = (place);                                                  \
        if (wide)                                                                                                      \
            ((global ulong *)positions)[positions_offset + result_at] = found_at;                                      \
        else                                                                                                           \
            positions[positions_offset + result_at] = (uint)found_at;                                                  \
        if (has_values) values[values_offset + result_at] = in[in_offset + (row)*stride_in + found_at * step_in];      \
    }
