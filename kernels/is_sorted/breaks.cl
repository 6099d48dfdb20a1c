// Which elements are out of order, and where results go.
//
// Macros: those of order.cl and counted.cl
// Gives:  GP_ROWS, gp_breaks, GP_NOWHERE; the kernel is_sorted_results
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/order.cl"

// Parameters of a kernel: what it reads. `flip` is that of gp_ordered.
#define GP_ROWS                                                                                                        \
    global const Key *in, ulong in_offset, ulong flip, uint strict, ulong n, ulong stride_in, ulong step_in, ulong batch

// Is an element out of order behind another one? They are as gp_ordered gives them.
uint gp_breaks(Key before, Key here, uint strict) { return (uint)(here < before) | (strict & (uint)(here == before)); }

#define GP_NOWHERE (~0ul)

// The results of rows from those of their parts, GP_NOWHERE or a position: part k of row r is
// number k * part_stride + r * row_stride. Launch: a work-item a row.
kernel void is_sorted_results(global const ulong *firsts, ulong firsts_offset, ulong parts, ulong part_stride,
                              ulong row_stride, ulong n, ulong batch, global ulong *positions, ulong positions_offset,
                              ulong stride_out GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    ulong first = n;
    for (ulong k = 0; k < parts; ++k) first = min(first, firsts[firsts_offset + k * part_stride + row * row_stride]);
    positions[positions_offset + row * stride_out] = first;
}
