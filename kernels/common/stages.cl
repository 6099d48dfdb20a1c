// Tiles in local memory that are copied there ahead.
//
// A stage is the local memory of one tile. The tile's elements lie there as they do in global
// memory. Each work-item takes GP_VECTORS vectors side by side.
//
// Macros: those of warp.cl; GP_VECTORS, vectors of 16 bytes of a work-item, an odd number, so that
//         neighbours do not share banks; GP_STAGES, how many tiles a work-group has
// Gives:  what vectors.cl does; is_bulk, first_of, begin_tile, wait_for_tile; place; take_vector
//         and put_vector, a work-item's vectors in order; combine_tile
// SPDX-License-Identifier: MIT
#include "common/positions.cl"
#include "common/source.cl"
#include "common/vectors.cl"
#include "common/warp.cl"
#include "device/bulk_copy.cl"

#if GP_VECTORS % 2 == 0 || !defined(GP_STAGES)
#error "GP_STAGES must be defined, GP_VECTORS odd"
#endif

#if GP_WIDTH == 4
#define GP_TURN(x) ((x).wzyx)
#else
#define GP_TURN(x) ((x).yx)
#endif

// Bulk copies take whole tiles of aligned memory. The work-items copy the others.
uint is_bulk(global const T *at, const Source *source, ulong tile) {
    const ulong n = source->n;
    return (tile + 1) * GP_TILE <= n && (size_t)(source->reverse ? at + n : at) % 16 == 0;
}

ulong first_of(const Source *source, ulong tile) {
    return source->reverse ? source->n - (tile + 1) * GP_TILE : tile * GP_TILE;
}

// Called by work-item 0, once the stage is free. The phase of the stage's barrier counts tiles,
// whether they are copied in bulk or not.
void begin_tile(local T *stage, local ulong *arrived, const Source *source, ulong tile) {
    const uint bulk = is_bulk(source->in, source, tile);
    gp_bulk_expect(arrived, bulk ? GP_TILE * sizeof(T) : 0);
    if (bulk) gp_bulk_copy(stage, source->in + first_of(source, tile), GP_TILE * sizeof(T), arrived);
}

// Where element number i of a tile lies in its stage.
uint place(const Source *source, uint i) { return source->reverse ? GP_TILE - 1 - i : i; }

void wait_for_tile(local T *stage, local ulong *arrived, uint phase, const Source *source, ulong tile) {
    if (is_bulk(source->in, source, tile)) {
        gp_bulk_wait(arrived, phase);
        return;
    }
    const ulong n = source->n;
    const uint reverse = source->reverse;
    for (uint i = (uint)get_local_id(0); i < GP_TILE; i += GP_GROUP) {
        const ulong p = tile * GP_TILE + i;
        stage[place(source, i)] = p < n ? source->in[GP_AT(p)] : GP_ZERO;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

uint vector_of(uint v, uint reverse) {
    const uint q = (uint)get_local_id(0) * GP_VECTORS + v;
    return reverse ? GP_GROUP * GP_VECTORS - 1 - q : q;
}

// Vector v of this work-item, from its stage.
void take_vector(T *x, local const T *stage, uint v, uint reverse) {
    const TV whole = ((local const TV *)stage)[vector_of(v, reverse)];
    GP_STORE(reverse ? GP_TURN(whole) : whole, 0, x);
}

void put_vector(local T *stage, uint v, uint reverse, const T *x) {
    const TV whole = GP_LOAD(0, x);
    ((local TV *)stage)[vector_of(v, reverse)] = reverse ? GP_TURN(whole) : whole;
}

// Returns the combination of what comes before this work-item's elements in the tile, and in *sum
// the tile's.
T combine_tile(local const T *stage, uint reverse, T *sum, local Warps *warps) {
    T all = GP_ZERO;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T x[GP_WIDTH];
        take_vector(x, stage, v, reverse);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            if (v + i == 0)
                all = x[0];
            else
                all = GP_COMBINE(all, x[i]);
        }
    }
    T total;
    const T in_warp = gp_scan_warp(all, &total, warps);
    const T before = gp_scan_warps(total, sum, warps);
    return GP_COMBINE(before, in_warp);
}
