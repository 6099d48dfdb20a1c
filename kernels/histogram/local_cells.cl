// Histogram of floating-point numbers between any edges for GPUs: the range of the elements is cut
// into even cells, many for each bin. A table tells which bins a cell touches: mostly one; else a
// search among them finds the element's. Work-groups count with local atomics.
//
// Macros: those of bins.cl but for GP_WHOLE, GP_EVEN and GP_SEARCH; those of counters.cl and
//         counted.cl; GP_ROOM, words of local memory; GP_BY_KEY: cells are even by keys, which are
//         as logarithms, not by values
// Launch: work-groups of GP_GROUP work-items, `sharers` of them. The lows, the cells and bins *
//         copies counters fit GP_ROOM. A cell is the first of its bins and, from bit 16 on, their
//         number. `state` holds zeros, and does so again in the end: a uint a bin, then one. At
//         most 2^31 elements
// Source: our own; counters.cl tells whose the counters are
// SPDX-License-Identifier: MIT
#define GP_TABLE local
#define GP_SEARCH
#include "common/counted.cl"
#include "histogram/bins.cl"
#include "histogram/counters.cl"

#ifndef GP_ROOM
#error "GP_ROOM must be defined"
#endif
#if GP_KEY_BYTES == 4
#define Vector uint4
#define GP_AS_REAL as_float
#else
#define Vector ulong2
#define GP_AS_REAL as_double
#endif

// Of a call.
typedef struct {
    local const Key *lows;
    local const uint *cells;
    Key first, reach; // the least key in any bin; how far the others are above it
    Real lower, scale;
    uint last_cell, shift;
} Cells;

// The bins among which an element's is, as in the table; 0 outside of all bins.
uint gp_cell(Key bits, const Cells *c) {
    const Key off = gp_key(bits) - c->first;
#ifdef GP_BY_KEY
    const uint cell = (uint)min(off >> c->shift, (Key)c->last_cell);
#else
    const Real place = (GP_AS_REAL(bits) - c->lower) * c->scale;
    const uint cell = (uint)fmin(fmax(place, (Real)0), (Real)c->last_cell); // 0 for NaN
#endif
    return off <= c->reach ? c->cells[cell] : 0;
}

void gp_count_bin(uint cell, Key bits, const Cells *c, local uint *mine, uint copies) {
    uint bin = cell & 0xffff;
    for (uint size = cell >> 16; size > 1;) {
        const uint step = size / 2;
        bin += c->lows[bin + step] <= gp_key(bits) ? step : 0;
        size -= step;
    }
    if (cell != 0) atomic_inc(mine + bin * copies);
}

void gp_count_vector(Vector x, const Cells *c, local uint *mine, uint copies) {
    const uint first = gp_cell(x.x, c), second = gp_cell(x.y, c);
#if GP_KEY_BYTES == 4
    const uint third = gp_cell(x.z, c), fourth = gp_cell(x.w, c);
#endif
    gp_count_bin(first, x.x, c, mine, copies);
    gp_count_bin(second, x.y, c, mine, copies);
#if GP_KEY_BYTES == 4
    gp_count_bin(third, x.z, c, mine, copies);
    gp_count_bin(fourth, x.w, c, mine, copies);
#endif
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_local_cells(global const Key *in, ulong in_offset, global const Key *table, ulong table_offset,
                      global const uint *cells, ulong cells_offset, volatile global uint *state, ulong state_offset,
                      global ulong *counts, ulong counts_offset, ulong n, ulong first, ulong last, uint reach,
                      uint cell_count, uint shift, uint bins, uint copies, uint sharers, uint adds, Real lower,
                      Real scale GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local ulong room[GP_ROOM / 2];
    local Key *lows = (local Key *)room;
    local uint *own_cells = (local uint *)(lows + reach), *counters = own_cells + cell_count;
    const uint id = (uint)get_local_id(0), share = (uint)get_group_id(0);
    in += in_offset;
    const uint head = (uint)min(n, (ulong)(-(size_t)in & 15) / sizeof(Key)); // elements before the first whole vector
    const uint vectors = (uint)((n - head) / (16 / sizeof(Key)));
    global const Vector *from = (global const Vector *)(in + head);
    const uint step = sharers * GP_GROUP;
    uint i = share * GP_GROUP + id;
    Vector x[GP_AT_ONCE];
    GP_LOAD(x, from, i, step, vectors, ~(Vector)0); // NaN, which is in no bin

    table += table_offset;
    cells += cells_offset;
    for (uint k = id; k < reach; k += GP_GROUP) lows[k] = table[k];
    for (uint k = id; k < cell_count; k += GP_GROUP) own_cells[k] = cells[k];
    gp_clear_counters(counters, bins * copies);
    const Cells c = {lows, own_cells, (Key)first, (Key)(last - first), lower, scale, cell_count - 1, shift};
    local uint *mine = counters + id % copies;
    while (i < vectors) {
#pragma unroll
        for (uint v = 0; v < GP_AT_ONCE; ++v) gp_count_vector(x[v], &c, mine, copies);
        i += GP_AT_ONCE * step;
        GP_LOAD(x, from, i, step, vectors, ~(Vector)0);
    }
    if (share == 0) { // what is left at both ends
        const ulong tail = head + (ulong)vectors * (16 / sizeof(Key)) + id;
        if (id < head) gp_count_bin(gp_cell(in[id], &c), in[id], &c, mine, copies);
        if (tail < n) gp_count_bin(gp_cell(in[tail], &c), in[tail], &c, mine, copies);
    }
    state += state_offset;
    gp_end_counts(counters, bins, copies, state, state + bins, sharers, counts + counts_offset, adds);
}
