// The smallest or largest element of rows, and its position, for CPUs: every work-item owns one
// contiguous chunk of a row, or some whole rows.
//
// Computes: of each block of a chunk the least rank, which takes no positions and so goes by
//           vectors; then the position within the first block that has the least of all.
// Macros:   those of best.cl, GP_GROUP 1
// Launch:   work-groups of one. arg_reduce_chunks: one work-item a chunk of `chunk` elements (a
//           row's last one may be short); arg_reduce_rows: one every `rows` rows
// Source:   Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than
//           processors)
// SPDX-License-Identifier: MIT
#include "arg_reduce/best.cl"

#define GP_BLOCK 1024
#define GP_LANES (64 / GP_KEY_BYTES) // ranks that are compared side by side

// The least rank of a block.
Key gp_least(global const Key *in, uint n, ulong step_in, Key flip) {
    Key least[GP_LANES], result = ~(Key)0;
    for (uint lane = 0; lane < GP_LANES; ++lane) least[lane] = ~(Key)0;
    uint i = 0;
    for (; i + GP_LANES <= n; i += GP_LANES)
        for (uint lane = 0; lane < GP_LANES; ++lane) least[lane] = min(least[lane], gp_rank(in[GP_AT(i + lane)], flip));
    for (; i < n; ++i) result = min(result, gp_rank(in[GP_AT(i)], flip));
    for (uint lane = 0; lane < GP_LANES; ++lane) result = min(result, least[lane]);
    return result;
}

// The best of n elements, if there are any, the first of which has the position `first` in its row.
Best gp_best_of_chunk(global const Key *in, ulong first, ulong n, ulong step_in, Key flip) {
    if (n == 0) return (Best){~(Key)0, GP_NOWHERE};
    ulong block = 0;
    Key least = gp_least(in, (uint)min(n, (ulong)GP_BLOCK), step_in, flip);
    for (ulong i = GP_BLOCK; i < n; i += GP_BLOCK) {
        const Key here = gp_least(in + GP_AT(i), (uint)min(n - i, (ulong)GP_BLOCK), step_in, flip);
        if (here < least) {
            least = here;
            block = i;
        }
    }
    while (gp_rank(in[GP_AT(block)], flip) != least) ++block;
    return (Best){least, first + block};
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
arg_reduce_chunks(GP_ROWS, ulong chunk, ulong chunks, global Key *ranks, ulong ranks_offset, global ulong *positions,
                  ulong positions_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong id = get_global_id(0), row = id / chunks, first = min((id - row * chunks) * chunk, n);
    const Best best = gp_best_of_chunk(in + in_offset + row * stride_in + first * step_in, first, min(chunk, n - first),
                                       step_in, (Key)flip);
    ranks[ranks_offset + id] = best.rank;
    positions[positions_offset + id] = best.position;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void arg_reduce_rows(GP_ROWS, ulong rows,
                                                                           GP_RESULTS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong begin = get_global_id(0) * rows;
    for (ulong row = begin; row < min(begin + rows, batch); ++row) {
        const Best best = gp_best_of_chunk(in + in_offset + row * stride_in, 0, n, step_in, (Key)flip);
        GP_WRITE_BEST(row, best)
    }
}
