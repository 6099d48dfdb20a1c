// The best elements of parts of rows, and how they become results.
//
// Macros: those of order.cl; GP_GROUP, the work-group size, a power of two; GP_STEPS, where
//         neighbouring elements of a row lie step_in apart
// Gives:  what results.cl does; Best; gp_better; gp_best_of_lanes; GP_AT, GP_WRITE_BEST; the kernel
//         arg_reduce_results
// SPDX-License-Identifier: MIT
#include "arg_reduce/results.cl"
#ifndef GP_GROUP
#error "GP_GROUP must be defined: the work-group size"
#endif

// Where element p of a row is.
#ifdef GP_STEPS
#define GP_AT(p) ((p)*step_in)
#else
#define GP_AT(p) (p)
#endif

typedef struct {
    Key rank;
    ulong position; // in its row; GP_NOWHERE: none
} Best;
#define GP_NOWHERE (~0ul)

Best gp_better(Best a, Best b) {
    const bool first = a.rank < b.rank || (a.rank == b.rank && a.position <= b.position);
    return first ? a : b;
}

// The best of `lanes` neighbouring work-items, a power of two of which GP_GROUP is a multiple; the
// first of them has it. `ranks` and `positions` hold GP_GROUP elements.
Best gp_best_of_lanes(Best mine, uint lanes, local Key *ranks, local ulong *positions) {
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    ranks[id] = mine.rank;
    positions[id] = mine.position;
    for (uint step = lanes / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step) {
            mine = gp_better(mine, (Best){ranks[id + step], positions[id + step]});
            ranks[id] = mine.rank;
            positions[id] = mine.position;
        }
    }
    return mine;
}

#define GP_WRITE_BEST(row, best) GP_WRITE_PLACE(row, (best).position)

// The results of rows from those of their parts: part k of row r is number k * part_stride + r *
// row_stride. Launch: work-groups of GP_GROUP, `lanes` work-items a row, a power of two, at most
// GP_GROUP.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
arg_reduce_results(GP_ROWS, uint lanes, ulong parts, ulong part_stride, ulong row_stride, global const Key *part_ranks,
                   ulong part_ranks_offset, global const ulong *part_positions, ulong part_positions_offset,
                   GP_RESULTS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Key ranks[GP_GROUP];
    local ulong places[GP_GROUP];
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    const ulong row = get_group_id(0) * (GP_GROUP / lanes) + id / lanes;
    Best best = {~(Key)0, GP_NOWHERE};
    for (ulong k = lane; row < batch && k < parts; k += lanes) {
        const ulong at = k * part_stride + row * row_stride;
        best = gp_better(best, (Best){part_ranks[part_ranks_offset + at], part_positions[part_positions_offset + at]});
    }
    best = gp_best_of_lanes(best, lanes, ranks, places);
    if (lane == 0 && row < batch) GP_WRITE_BEST(row, best)
}
