// Gather and scatter for GPUs: each work-group moves the rows of a tile of positions. The work-items of
// a team take neighbouring words of a row. Each has GP_ITEMS rows, whose loads are under way together.
//
// Macros: GP_WORD_BYTES as in moves.cl; GP_GROUP, the work-group size, and GP_ITEMS
// Launch: work-groups of GP_GROUP, one for each tile of (GP_GROUP >> shift) * GP_ITEMS positions; a team
//         is 1 << shift work-items
// SPDX-License-Identifier: MIT
#include "gather/moves.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined"
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void gather_tiles(GP_MOVES, uint shift) {
    GP_BEGIN_MOVES
    const uint item = (uint)get_local_id(0), team = 1u << shift, lane = item & (team - 1), step = GP_GROUP >> shift;
    const ulong first = (ulong)get_group_id(0) * (step * GP_ITEMS) + (item >> shift);
    ulong at[GP_ITEMS];
    bool is_wrong = false;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const ulong i = first + k * step;
        at[k] = n;
        if (i < count) {
            at[k] = gp_position(positions, positions_offset, i, flags, n);
            is_wrong |= at[k] == n;
        }
    }
    if (is_wrong) {
        GP_NOTE(get_group_id(0))
    }

    if (words <= team) { // each work-item has one word of a row, or none
        Word values[GP_ITEMS];
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            values[k] = 0;
            if (lane < words && at[k] < n) values[k] = in[(scatters ? first + k * step : at[k]) * words + lane];
        }
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const ulong i = first + k * step;
            if (lane < words && i < count && (!scatters || at[k] < n))
                out[(scatters ? at[k] : i) * words + lane] = values[k];
        }
        return;
    }
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const ulong i = first + k * step;
        if (i >= count) continue;
        const ulong place = gp_position(positions, positions_offset, i, flags, n); // again: at[] stays in registers
        if (scatters && place == n) continue;
        global const Word *const from = in + (scatters ? i : place) * words;
        global Word *const to = out + (scatters ? place : i) * words;
        if (place == n) {
            for (ulong word = lane; word < words; word += team) to[word] = 0;
            continue;
        }
        ulong word = lane;
        for (; word + 3 * team < words; word += 4 * team) {
            const Word a = from[word], b = from[word + team], c = from[word + 2 * team], d = from[word + 3 * team];
            to[word] = a;
            to[word + team] = b;
            to[word + 2 * team] = c;
            to[word + 3 * team] = d;
        }
        for (; word < words; word += team) to[word] = from[word];
    }
}
