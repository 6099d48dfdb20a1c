// Recurrence with coefficients that vary, for GPUs: every work-group owns a run of consecutive
// tiles of a row. The first launch finds the map of each run but a row's last. In the second, each
// work-group composes the maps of the runs before its own, which gives the y before it, and solves
// its tiles from there. Coefficients and input are read twice, the output is written once.
//
// Rows of one run need varying_outputs alone, short ones varying_rows (maps.cl).
//
// Macros: those of maps.cl; GP_GROUP, the work-group size (a power of two); GP_ITEMS, elements a
//         work-item, 64 at most
// Launch: work-groups of GP_GROUP work-items, one for each of the batch * runs runs of `tiles`
//         tiles (a row's last may be short)
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4 (recurrences as scans);
//         Dotsenko et al., "Fast Scan Algorithms on Graphics Processors", 2008 (the shape)
// SPDX-License-Identifier: MIT
#include "common/group_scan.cl"
#include "recurrence/maps.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS) || GP_ITEMS > 64
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, elements a work-item, 64 at most"
#endif

#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_SLOT(i) ((i) + (i) / GP_ITEMS) // padded against bank conflicts
#define GP_TILE_SLOTS (GP_TILE + GP_GROUP)

// The tile's elements are in registers while its maps are scanned.
typedef union {
    T tile[GP_TILE_SLOTS];
    Map maps[2 * GP_GROUP];
} Local;

// Loads this work-item's elements of the tile that begins with element `first`; zeros past the end,
// and unless `there`. They come through local memory, so that neighbours read neighbours.
void load_items(T *items, local T *tile, global const T *from, ulong first, ulong n, uint there, uint reverse) {
    const uint lane = (uint)get_local_id(0);
    for (uint i = lane; i < GP_TILE; i += GP_GROUP) {
        const ulong t = first + i;
        tile[GP_SLOT(i)] = there && t < n ? from[GP_AT(t)] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < GP_ITEMS; ++i) items[i] = tile[GP_SLOT(lane * GP_ITEMS + i)];
    barrier(CLK_LOCAL_MEM_FENCE);
}

Map map_of(const T *a, const T *x) {
    Map map = identity_map();
#pragma unroll
    for (uint i = 0; i < GP_ITEMS; ++i) map = extended(map, a[i], x[i]);
    return normalized(map);
}

GP_DEFINE_GROUP_SCAN(scan_maps, Map, compose)

// Returns y after the maps of all lower work-items. *map, this work-item's, becomes the map of all
// work-items together.
T lead_here(Map *map, T y, local Map *room) {
    const uint id = (uint)get_local_id(0);
    local const Map *maps = scan_maps(map, GP_GROUP, room);
    *map = maps[GP_GROUP - 1];
    const T here = id > 0 ? apply(maps[id - 1], y) : y;
    barrier(CLK_LOCAL_MEM_FENCE);
    return here;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
varying_maps(global const T *coefficients, ulong coefficients_offset, global const T *in, ulong in_offset,
             global Map *maps, ulong maps_offset, ulong n, ulong stride_coefficients, ulong stride_in, ulong tiles,
             ulong runs, uint has_in, uint reverse) {
    local Local room;
    const ulong row = get_group_id(0) / runs, k = get_group_id(0) - row * runs;
    if (k + 1 == runs) return;
    coefficients += coefficients_offset + row * stride_coefficients;
    in += in_offset + row * stride_in;
    Map map = identity_map();
    for (ulong t = k * tiles; t < (k + 1) * tiles; ++t) {
        T a[GP_ITEMS], x[GP_ITEMS];
        load_items(a, room.tile, coefficients, t * GP_TILE, n, 1, reverse);
        load_items(x, room.tile, in, t * GP_TILE, n, has_in, reverse);
        Map mine = map_of(a, x);
        lead_here(&mine, 0, room.maps);
        map = compose(map, mine);
    }
    if (get_local_id(0) == 0) maps[maps_offset + get_group_id(0)] = map;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
varying_outputs(global const T *coefficients, ulong coefficients_offset, global const T *in, ulong in_offset,
                global T *out, ulong out_offset, global const Map *maps, ulong maps_offset, global const T *initial,
                ulong initial_offset, ulong n, ulong stride_coefficients, ulong stride_in, ulong stride_out,
                ulong tiles, ulong runs, uint has_in, uint has_initial, uint reverse) {
    local Local room;
    const uint lane = (uint)get_local_id(0);
    const ulong row = get_group_id(0) / runs, k = get_group_id(0) - row * runs;
    coefficients += coefficients_offset + row * stride_coefficients;
    in += in_offset + row * stride_in;
    out += out_offset + row * stride_out;
    maps += maps_offset + row * runs;
    T y = has_initial ? initial[initial_offset + row] : 0;
    if (k > 0) { // each work-item takes as many of the runs before this one
        const ulong count = (k + GP_GROUP - 1) / GP_GROUP, end = min((lane + 1) * count, k);
        Map before = identity_map();
        for (ulong i = lane * count; i < end; ++i) before = compose(before, maps[i]);
        lead_here(&before, y, room.maps);
        y = apply(before, y);
    }
    for (ulong t = k * tiles; t < (k + 1) * tiles && t * GP_TILE < n; ++t) {
        T a[GP_ITEMS], x[GP_ITEMS];
        load_items(a, room.tile, coefficients, t * GP_TILE, n, 1, reverse);
        load_items(x, room.tile, in, t * GP_TILE, n, has_in, reverse);
        Map map = map_of(a, x);
        T here = lead_here(&map, y, room.maps);
#pragma unroll
        for (uint i = 0; i < GP_ITEMS; ++i) {
            here = x[i] + a[i] * here;
            room.tile[GP_SLOT(lane * GP_ITEMS + i)] = here;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lane; i < GP_TILE; i += GP_GROUP) {
            const ulong p = t * GP_TILE + i;
            if (p < n) out[GP_AT(p)] = room.tile[GP_SLOT(i)];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the next tile takes this one's place
        y = apply(map, y);
    }
}
