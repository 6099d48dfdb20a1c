// The smallest or largest element of rows, and its position, for GPUs: a power of two of work-items
// takes a row, or a run of one.
//
// Macros: those of best.cl
// Launch: work-groups of GP_GROUP. arg_reduce_runs: `lanes` work-items for each run of `run`
//         elements (a row's last one may be short); arg_reduce_rows: `lanes` for each row. lanes: a
//         power of two, at most GP_GROUP
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#include "arg_reduce/best.cl"

#define GP_LOADS 4 // that are on their way at a time

// The best of the elements begin + lane, begin + lane + lanes and so on before `end`.
Best gp_best_of_lane(global const Key *in, ulong begin, ulong end, uint lane, uint lanes, ulong step_in, Key flip) {
    Best best = {~(Key)0, GP_NOWHERE};
    ulong p = begin + lane;
    if (p < end) best = (Best){gp_rank(in[GP_AT(p)], flip), p};
    for (; p + (GP_LOADS - 1) * lanes < end; p += GP_LOADS * lanes) {
        Key ranks[GP_LOADS];
        for (uint i = 0; i < GP_LOADS; ++i) ranks[i] = gp_rank(in[GP_AT(p + i * lanes)], flip);
        for (uint i = 0; i < GP_LOADS; ++i)
            if (ranks[i] < best.rank) best = (Best){ranks[i], p + i * lanes};
    }
    for (; p < end; p += lanes) {
        const Key rank = gp_rank(in[GP_AT(p)], flip);
        if (rank < best.rank) best = (Best){rank, p};
    }
    return best;
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
arg_reduce_runs(GP_ROWS, uint lanes, ulong run, ulong runs, global Key *run_ranks, ulong run_ranks_offset,
                global ulong *run_positions, ulong run_positions_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Key ranks[GP_GROUP];
    local ulong places[GP_GROUP];
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    const ulong number = get_group_id(0) * (GP_GROUP / lanes) + id / lanes, row = number / runs;
    const ulong begin = (number - row * runs) * run;
    Best best = {~(Key)0, GP_NOWHERE};
    if (row < batch)
        best = gp_best_of_lane(in + in_offset + row * stride_in, begin, min(begin + run, n), lane, lanes, step_in,
                               (Key)flip);
    best = gp_best_of_lanes(best, lanes, ranks, places);
    if (lane == 0 && row < batch) {
        run_ranks[run_ranks_offset + number] = best.rank;
        run_positions[run_positions_offset + number] = best.position;
    }
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void arg_reduce_rows(GP_ROWS, uint lanes,
                                                                                  GP_RESULTS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Key ranks[GP_GROUP];
    local ulong places[GP_GROUP];
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    const ulong row = get_group_id(0) * (GP_GROUP / lanes) + id / lanes;
    Best best = {~(Key)0, GP_NOWHERE};
    if (row < batch) best = gp_best_of_lane(in + in_offset + row * stride_in, 0, n, lane, lanes, step_in, (Key)flip);
    best = gp_best_of_lanes(best, lanes, ranks, places);
    if (lane == 0 && row < batch) GP_WRITE_BEST(row, best)
}
