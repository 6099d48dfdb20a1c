// Combination of columns: rows of a batch that lie side by side, so that a vector has an element of
// each of GP_WIDTH neighbouring rows.
//
// `across` work-items side by side, a power of two, take a vector each; GP_GROUP / across below
// each other share the positions.
//
// Macros: those of lanes.cl; with GP_WIDTH > 1 neighbouring rows lie 1 apart
// Gives:  what lanes.cl does; gp_combine_column; gp_join_columns, GP_COLUMN_ROOM
// SPDX-License-Identifier: MIT
#include "common/lanes.cl"

#if GP_WIDTH > 1
#define GP_COLUMN_AT(c) (c)
#else
#define GP_COLUMN_AT(c) 0
#endif
#define GP_SLAB (GP_WIDTH < 4 ? GP_WIDTH : 4)
#define GP_COLUMN_ROOM (GP_SLAB * GP_GROUP)

// Reads GP_WIDTH elements side by side, `columns` of which there are.
GP_INLINE void gp_read_columns(global const GP_RAW *in, bool whole, uint columns, uint number, GP_RAW *raw) {
    if (whole) {
        gp_read_vector(in, number, raw);
        return;
    }
#pragma unroll
    for (uint c = 0; c < GP_WIDTH; ++c) raw[number * GP_WIDTH + c] = c < columns ? in[GP_COLUMN_AT(c)] : 0;
}

// What one of `deep` work-items below each other combines of n positions of GP_WIDTH columns, of
// which there are `columns`. The positions that gp_with is told count from `in`.
GP_INLINE void gp_combine_column(global const GP_RAW *in, uint n, uint columns, uint place, uint deep, ulong step_in,
                                 ulong told, State *mine) {
    const bool whole = columns >= GP_WIDTH && (size_t)in % (GP_WIDTH * GP_RAW_BYTES) == 0;
#ifdef GP_ANY_ORDER
    const uint begin = place, next = deep, end = n;
#else
    const uint share = (n + deep - 1) / deep, begin = min(place * share, n), next = 1, end = min(begin + share, n);
#endif
#pragma unroll
    for (uint c = 0; c < GP_WIDTH; ++c) mine[c] = gp_none();
    for (uint p = begin; p < end; p += GP_LOADS * next) {
        GP_RAW raw[GP_READS];
        if (whole && p + (GP_LOADS - 1) * next < end) {
#pragma unroll
            for (uint k = 0; k < GP_LOADS; ++k) gp_read_vector(in + (ulong)(p + k * next) * step_in, k, raw);
#pragma unroll
            for (uint i = 0; i < GP_READS; ++i)
                mine[i % GP_WIDTH] = gp_with(mine[i % GP_WIDTH], raw[i], p + i / GP_WIDTH * next, true, told);
        } else {
#pragma unroll
            for (uint k = 0; k < GP_LOADS; ++k)
                gp_read_columns(in + (ulong)(p + k * next) * step_in, whole && p + k * next < end,
                                p + k * next < end ? columns : 0, k, raw);
#pragma unroll
            for (uint i = 0; i < GP_READS; ++i)
                mine[i % GP_WIDTH] =
                    gp_with(mine[i % GP_WIDTH], raw[i], p + i / GP_WIDTH * next, p + i / GP_WIDTH * next < end, told);
        }
    }
}

// Combines what the work-items below each other have, in order; those on top have it then. All
// work-items of the work-group call it. `room` holds GP_COLUMN_ROOM states, GP_SLAB for each of
// them.
GP_INLINE void gp_join_columns(State *mine, uint across, local State *room) {
    const uint id = (uint)get_local_id(0);
#pragma unroll
    for (uint c = 0; c < GP_WIDTH; c += GP_SLAB) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = across; step < GP_GROUP; step *= 2) {
            // Who wrote at an earlier step is not read again at this one.
            if ((id & step) != 0 && (id & (step - 1)) / across == 0) {
#pragma unroll
                for (uint s = 0; s < GP_SLAB; ++s) room[s * GP_GROUP + id] = mine[c + s];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if ((id & (2 * step - 1)) / across == 0) {
#pragma unroll
                for (uint s = 0; s < GP_SLAB; ++s) mine[c + s] = gp_join(mine[c + s], room[s * GP_GROUP + id + step]);
            }
        }
    }
}
