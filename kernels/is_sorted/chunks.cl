// Whether rows are sorted, for CPUs: every work-item owns one contiguous chunk of a row, or some
// whole rows.
//
// Computes: of each block of a chunk whether any element is out of order, which takes no positions
//           and so goes by vectors; then which one.
// Macros:   those of breaks.cl
// Launch:   work-groups of one. is_sorted_chunks: one work-item a chunk of `chunk` elements (a
//           row's last one may be short); is_sorted_rows: one every `rows` rows
// Source:   Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than
//           processors)
// SPDX-License-Identifier: MIT
#include "is_sorted/breaks.cl"

#define GP_BLOCK 1024

// The first of the elements begin .. end - 1 of a row that is out of order; GP_NOWHERE: none.
ulong gp_first_of_chunk(global const Key *in, ulong begin, ulong end, ulong step_in, Key flip, uint strict) {
    for (ulong at = max(begin, 1ul); at < end; at += GP_BLOCK) {
        const uint count = (uint)min(end - at, (ulong)GP_BLOCK);
        uint any = 0;
        if (step_in == 1)
            for (uint i = 0; i < count; ++i)
                any |= gp_breaks(gp_ordered(in[at + i - 1], flip), gp_ordered(in[at + i], flip), strict);
        else
            any = 1;
        for (uint i = 0; any != 0 && i < count; ++i)
            if (gp_breaks(gp_ordered(in[(at + i - 1) * step_in], flip), gp_ordered(in[(at + i) * step_in], flip),
                          strict))
                return at + i;
    }
    return GP_NOWHERE;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
is_sorted_chunks(GP_ROWS, ulong chunk, ulong chunks, global ulong *firsts, ulong firsts_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong id = get_global_id(0), row = id / chunks, begin = (id - row * chunks) * chunk;
    firsts[firsts_offset + id] =
        gp_first_of_chunk(in + in_offset + row * stride_in, begin, min(begin + chunk, n), step_in, (Key)flip, strict);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void is_sorted_rows(GP_ROWS, ulong rows, global ulong *positions,
                                                                          ulong positions_offset,
                                                                          ulong stride_out GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong begin = get_global_id(0) * rows;
    for (ulong row = begin; row < min(begin + rows, batch); ++row)
        positions[positions_offset + row * stride_out] =
            min(n, gp_first_of_chunk(in + in_offset + row * stride_in, 0, n, step_in, (Key)flip, strict));
}
