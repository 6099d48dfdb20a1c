// Gather and scatter for GPUs: each work-group moves the rows of a tile of positions. The
// work-items of a team take neighbouring words of a row. Each has GP_ITEMS rows, whose loads are
// under way together.
//
// Macros: GP_WORD_BYTES as in moves.cl; GP_GROUP, the work-group size, and GP_ITEMS
// Launch: work-groups of GP_GROUP, one for each tile of (GP_GROUP >> shift) * GP_ITEMS positions; a
//         team is 1 << shift work-items
// SPDX-License-Identifier: MIT
#include "gather/moves.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined"
#endif

#define GP_EACH for (uint k = 0; k < GP_ITEMS; ++k)

// Loads have no conditions around them, so that the compiler lets those of all rows be under way
// together: what is behind the tile's end is the last row again.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void gather_tiles(GP_MOVES, uint shift) {
    GP_BEGIN_MOVES
    const uint item = (uint)get_local_id(0), team = 1u << shift, lane = item & (team - 1), step = GP_GROUP >> shift;
    const uint tile = step * GP_ITEMS, row = item >> shift;
    const ulong begin = (ulong)get_group_id(0) * tile;
    if (begin >= count) return;
    const uint rows = (uint)min(count - begin, (ulong)tile);
    uint rows_of[GP_ITEMS];
    ulong at[GP_ITEMS];
#pragma unroll
    GP_EACH rows_of[k] = min(row + k * step, rows - 1);
    if ((flags & GP_WIDE) != 0) {
        global const ulong *const from = (global const ulong *)positions + positions_offset + begin;
#pragma unroll
        GP_EACH at[k] = from[rows_of[k]];
    } else {
        global const uint *const from = positions + positions_offset + begin;
        uint narrow[GP_ITEMS];
#pragma unroll
        GP_EACH narrow[k] = from[rows_of[k]];
        const bool is_signed = (flags & GP_SIGNED) != 0;
#pragma unroll
        GP_EACH at[k] = is_signed ? (ulong)(long)as_int(narrow[k]) : (ulong)narrow[k];
    }
    bool is_wrong = false;
#pragma unroll
    GP_EACH {
        if ((flags & GP_FROM_END) != 0 && (long)at[k] < 0) at[k] += n;
        is_wrong |= at[k] >= n;
    }
    if (is_wrong) {
        GP_NOTE(get_group_id(0))
    }

    if (words <= team) { // each work-item has one word of a row, or none
        if (lane >= words) return;
        Word values[GP_ITEMS];
        if (scatters) {
            global const Word *const from = in + begin * words + lane;
#pragma unroll
            GP_EACH values[k] = from[rows_of[k] * words];
#pragma unroll
            GP_EACH if (row + k * step < rows && at[k] < n) out[at[k] * words + lane] = values[k];
        } else {
            global Word *const to = out + begin * words + lane;
#pragma unroll
            GP_EACH {
                values[k] = 0;
                if (at[k] < n) values[k] = in[at[k] * words + lane];
            }
#pragma unroll
            GP_EACH if (row + k * step < rows) to[rows_of[k] * words] = values[k];
        }
        return;
    }
    const ulong first = begin + row;
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
