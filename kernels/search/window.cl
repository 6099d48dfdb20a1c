// How elements and values compare, what kernels read, and where positions go.
//
// Macros: those of order.cl; GP_COUNTED_TWO of counted.cl, of n and m
// Gives:  GP_SEARCH, GP_WRITE_POSITION, gp_counts
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/order.cl"

// Parameters of a kernel: n sorted elements, m values. `flip` is that of gp_ordered. Positions are
// of type ulong where they are `wide`, else uint. `right`: elements that equal a value come before
// it.
#define GP_SEARCH                                                                                                      \
    global const Key *sorted, ulong sorted_offset, ulong flip, ulong n, global const Key *values, ulong values_offset, \
        ulong m, global uint *positions, ulong positions_offset, uint wide, uint right

#define GP_WRITE_POSITION(i, position)                                                                                 \
    {                                                                                                                  \
        const ulong position_at = positions_offset + (i);                                                              \
        if (wide)                                                                                                      \
            ((global ulong *)positions)[position_at] = (position);                                                     \
        else                                                                                                           \
            positions[position_at] = (uint)(position);                                                                 \
    }

// 1 where an element comes before the place of a value, else 0. They are as gp_ordered gives them.
uint gp_counts(Key element, Key value, uint right) {
    return (uint)(element < value) | (right & (uint)(element == value));
}
