// Copies rows to where their elements lie otherwise, such as the columns of a matrix to rows.
//
// Computes: element i of row r, `words` words, goes from r * in_stride + i * in_step elements
//           behind the first of `in` to r * out_stride + i * out_step behind that of `out`
// Macros:   those of words.cl; GP_GROUP, the work-group size
// Launch:   a work-group of GP_GROUP for each 32 rows and 32 elements of each; rows come first
// SPDX-License-Identifier: MIT
#include "sort/words.cl"

#ifndef GP_GROUP
#error "GP_GROUP must be defined: the work-group size"
#endif

#define GP_SIDE 32

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_copy_rows(ulong n, ulong batch, uint words, global const Word *in, ulong in_offset, ulong in_stride, ulong in_step,
               global Word *out, ulong out_offset, ulong out_stride, ulong out_step) {
    const ulong across = (batch + GP_SIDE - 1) / GP_SIDE, tile = get_group_id(0);
    const ulong down = tile / across;
    const ulong first_row = (tile - down * across) * GP_SIDE, first = down * GP_SIDE;
    const uint rows = (uint)min(batch - first_row, (ulong)GP_SIDE), count = (uint)min(n - first, (ulong)GP_SIDE);
    in += (in_offset + first_row * in_stride + first * in_step) * words;
    out += (out_offset + first_row * out_stride + first * out_step) * words;
#if GP_GROUP == 1
    for (uint r = 0; r < rows; ++r) {
        for (uint i = 0; i < count; ++i) {
            global const Word *const from = in + (r * in_stride + i * in_step) * words;
            global Word *const to = out + (r * out_stride + i * out_step) * words;
            for (uint word = 0; word < words; ++word) to[word] = from[word];
        }
    }
#else
    // Neighbouring work-items read neighbours, and write neighbours.
    local Word room[GP_SIDE * (GP_SIDE + 1)];
    const bool in_columns = in_stride < in_step, out_columns = out_stride < out_step;
    for (uint word = 0; word < words; ++word) {
        for (uint k = (uint)get_local_id(0); k < GP_SIDE * GP_SIDE; k += GP_GROUP) {
            const uint r = in_columns ? k % GP_SIDE : k / GP_SIDE, i = in_columns ? k / GP_SIDE : k % GP_SIDE;
            if (r < rows && i < count) room[r * (GP_SIDE + 1) + i] = in[(r * in_stride + i * in_step) * words + word];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = (uint)get_local_id(0); k < GP_SIDE * GP_SIDE; k += GP_GROUP) {
            const uint r = out_columns ? k % GP_SIDE : k / GP_SIDE, i = out_columns ? k / GP_SIDE : k % GP_SIDE;
            if (r < rows && i < count)
                out[(r * out_stride + i * out_step) * words + word] = room[r * (GP_SIDE + 1) + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}
