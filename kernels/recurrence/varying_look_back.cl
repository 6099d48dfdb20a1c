// Recurrence with coefficients that vary, in a single pass: coefficients and input are read once,
// the output is written once. Work-groups take tiles in order, publish the map of each, and compose
// the maps of the tiles before theirs (maps.cl).
//
// The window of the look-back: a row's tiles form windows of 32. A warp composes the maps of one
// window, each work-item looks for one of them. The work-group takes y from window to window, and
// then over the tiles before its own. The tree of compositions is always the same. So results are
// the same bits from run to run, whichever work-group was first.
//
// Macros: those of maps.cl, look_back.cl and async_copy.cl; GP_GROUP, the work-group size, a
//         multiple of 32; GP_ITEMS, elements a work-item, an odd number, 64 at most
// Launch: any number of work-groups of GP_GROUP work-items. There are `tiles` tiles a row.
//         `published` holds zeros, and holds zeros again in the end: 16 bytes and, with several
//         tiles a row, GP_STATE_WORDS ulongs for each of the `all` tiles of all rows. A single tile
//         needs none
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4 (recurrences as scans);
//         Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         the fixed windows are our own
// SPDX-License-Identifier: MIT
#include "common/cleared.cl"
#include "common/group_scan.cl"
#include "device/async_copy.cl"
#include "device/shuffle.cl"
#include "device/ticket.cl"
#include "recurrence/maps.cl"

#if GP_GROUP % 32 != 0 || GP_ITEMS % 2 == 0 || GP_ITEMS > 64
#error "GP_GROUP and GP_ITEMS must be defined: a multiple of 32, an odd number up to 64"
#endif

#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_PART (32 * GP_ITEMS) // elements of a warp
#define GP_WARPS (GP_GROUP / 32)
#define GP_WINDOW 32u

#ifdef GP_FLOAT64
#define GP_STATE_WORDS 5
#else
#define GP_STATE_WORDS 3
#endif

typedef Map State;

// Of a row.
typedef struct {
    global const T *coefficients, *in;
    ulong n;
    uint has_in, reverse;
    volatile global ulong *published; // of the first tile
} Tiles;

typedef struct {
    Map parts[GP_WARPS];      // those of a tile
    Map late_parts[GP_WARPS]; // those of a tile that is late
    Map windows[GP_WARPS];    // of 32 tiles each
    uint late;
    uint tile, last;
#if GP_LANES
    uint lanes[GP_LANES];
#endif
} Waiting;

#include "common/look_back.cl"

#define GP_ROOM(room) GP_ROOM_OF((room)->lanes)

GP_INLINE Words words_of(Map map) {
    Words words;
#ifdef GP_FLOAT64
    words.words[0] = as_uint2(map.scale).x;
    words.words[1] = as_uint2(map.scale).y;
    words.words[2] = as_uint2(map.shift).x;
    words.words[3] = as_uint2(map.shift).y;
#else
    words.words[0] = as_uint(map.scale);
    words.words[1] = as_uint(map.shift);
#endif
    words.words[GP_STATE_WORDS - 1] = (uint)map.exponent;
    return words;
}

GP_INLINE Map map_of_words(Words words) {
    Map map;
#ifdef GP_FLOAT64
    map.scale = as_double((uint2)(words.words[0], words.words[1]));
    map.shift = as_double((uint2)(words.words[2], words.words[3]));
#else
    map.scale = as_float(words.words[0]);
    map.shift = as_float(words.words[1]);
#endif
    map.exponent = (int)words.words[GP_STATE_WORDS - 1];
    return map;
}

// The map of the lane `distance` lower, or higher; any map where there is none.
GP_INLINE Map map_left(Map map, uint distance, local uint *lanes) {
    Words words = words_of(map);
#pragma unroll
    for (uint i = 0; i < GP_STATE_WORDS; ++i) words.words[i] = gp_shuffle_up_word(words.words[i], distance, lanes);
    return map_of_words(words);
}

GP_INLINE Map map_right(Map map, uint distance, local uint *lanes) {
    Words words = words_of(map);
#pragma unroll
    for (uint i = 0; i < GP_STATE_WORDS; ++i) words.words[i] = gp_shuffle_down_word(words.words[i], distance, lanes);
    return map_of_words(words);
}

// The composition of the maps of this lane and those below.
GP_DEFINE_WARP_SCAN(scan_warp, Map, map_left, compose)

// The composition of the warp's maps, in order, for lane 0.
GP_INLINE Map join_warp(Map map, local uint *lanes) {
#pragma unroll
    for (uint step = 1; step < 32; step *= 2)
        map = compose(map, map_right(map, step, lanes)); // lane 0 sees none from beyond
    return map;
}

GP_INLINE void publish(const Tiles *row, uint tile, Map map) {
    gp_publish_words(row->published + (ulong)tile * GP_STATE_WORDS, words_of(map));
}

GP_INLINE uint look(const Tiles *row, uint tile, Map *map) {
    Words words;
    const uint found = gp_look_words(row->published + (ulong)tile * GP_STATE_WORDS, &words);
    *map = map_of_words(words);
    return found;
}

// Of a tile whose parts' maps are in `parts`: its map, for work-item 0.
GP_INLINE Map join_parts(local const Map *parts, local uint *lanes) {
    const uint lane = (uint)get_local_id(0) % 32;
    Map map = identity_map();
    if (lane < GP_WARPS) map = parts[lane];
    return join_warp(map, lanes);
}

GP_INLINE Map late_state(const Tiles *row, uint tile, local Waiting *room) {
    const uint id = (uint)get_local_id(0), reverse = row->reverse;
    const ulong n = row->n, first = (ulong)tile * GP_TILE + id * GP_ITEMS;
    Map map = identity_map();
    for (uint i = 0; i < GP_ITEMS; ++i) { // the tile is whole, since there is one behind it
        const ulong t = first + i;
        map = extended(map, row->coefficients[GP_AT(t)], row->has_in ? row->in[GP_AT(t)] : 0);
    }
    map = scan_warp(normalized(map), GP_ROOM(room));
    if (id % 32 == 31) room->late_parts[id / 32] = map;
    barrier(CLK_LOCAL_MEM_FENCE);
    return join_parts(room->late_parts, GP_ROOM(room));
}

// Leaves in room->windows the maps of the windows from tile `first` on, up to tile t; one window a
// warp.
GP_INLINE void compose_windows(const Tiles *row, uint first, uint t, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    Map mine = identity_map();
    uint found = first + id >= t;
    gp_take_for_late(row, first, min(first + GP_GROUP, t), room);
    do {
        found = gp_await(row, first + id, found, &mine);
        if (GP_TOGETHER || first + (id & ~31u) < t) { // the whole warp
            const Map window = join_warp(mine, GP_ROOM(room));
            if (id % 32 == 0) room->windows[id / 32] = window;
        }
    } while (gp_fell_back(row, found ? 0 : first + id + 1, room));
}

// How far a work-group has come. Its tiles ascend, so no window is composed twice.
typedef struct {
    T y; // that before tile `first`, the first of a window, of row number `row`
    uint row, first;
} Way;

// The y before the row's tile t, where t is not below that of the last call. There is a barrier
// within; another must come before the next call.
GP_INLINE T take_y(Way *way, uint t, const Tiles *row, local Waiting *room) {
    do {
        compose_windows(row, way->first, t, room);
        for (uint w = 0; w < GP_WARPS; ++w) {
            if (way->first + GP_WINDOW > t) return way->first < t ? apply(room->windows[w], way->y) : way->y;
            way->y = apply(room->windows[w], way->y);
            way->first += GP_WINDOW;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (way->first < t);
    return way->y;
}

// Begins to copy an element.
GP_INLINE void load_element(local T *to, global const T *from) {
#pragma unroll
    for (uint i = 0; i < sizeof(T) / 4; ++i) gp_async_word((local uint *)to + i, (global const uint *)from + i, true);
}

// Brings this warp's elements of the tile that begins with element `first` to `part`; zeros past
// the end, and unless `there`. Whole tiles may still be on their way.
GP_INLINE void load_part(local T *part, global const T *from, ulong first, ulong n, uint there, uint reverse) {
    const uint lane = (uint)get_local_id(0) % 32;
    if (there && first + GP_TILE <= n) {
        const ulong t = first + (uint)get_local_id(0) / 32 * GP_PART + lane;
        global const T *at = from + GP_AT(t);
        const long step = reverse ? -32 : 32;
#pragma unroll
        for (uint i = 0; i < GP_ITEMS; ++i) load_element(part + i * 32 + lane, at + (long)i * step);
        return;
    }
    for (uint i = lane; i < GP_PART; i += 32) {
        const ulong t = first + (uint)get_local_id(0) / 32 * GP_PART + i;
        part[i] = there && t < n ? from[GP_AT(t)] : 0;
    }
}

GP_INLINE void store_part(local const T *part, global T *out, ulong first, ulong n, uint reverse) {
    const uint lane = (uint)get_local_id(0) % 32;
    if (first + GP_TILE <= n) {
        const ulong t = first + (uint)get_local_id(0) / 32 * GP_PART + lane;
        global T *at = out + GP_AT(t);
        const long step = reverse ? -32 : 32;
#pragma unroll
        for (uint i = 0; i < GP_ITEMS; ++i) at[(long)i * step] = part[i * 32 + lane];
        return;
    }
    for (uint i = lane; i < GP_PART; i += 32) {
        const ulong t = first + (uint)get_local_id(0) / 32 * GP_PART + i;
        if (t < n) out[GP_AT(t)] = part[i];
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
varying_look_back(global const T *coefficients, ulong coefficients_offset, global const T *in, ulong in_offset,
                  global T *out, ulong out_offset, global const T *initial, ulong initial_offset,
                  global ulong *published, ulong published_offset, ulong n, ulong stride_coefficients, ulong stride_in,
                  ulong stride_out, uint tiles, uint all, uint has_in, uint has_initial, uint reverse) {
    local T elements[2][GP_TILE];
    local Waiting room;
    const uint id = (uint)get_local_id(0), lane = id % 32, warp = id / 32;
    local T *a = elements[0] + warp * GP_PART, *x = elements[1] + warp * GP_PART;
    local T *my_a = a + lane * GP_ITEMS, *my_x = x + lane * GP_ITEMS;
    coefficients += coefficients_offset;
    in += in_offset;
    out += out_offset;
    published += published_offset;
    if (id == 0) room.late = 0;

    Way way;
    way.row = ~0u;
    uint next = (uint)get_group_id(0); // a tile, known to work-item 0
    if (id == 0 && tiles > 1) next = gp_take_ticket((volatile global uint *)published);
    for (;;) {
        if (id == 0) room.tile = next;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = room.tile, index = tile / tiles, t = tile % tiles;
        if (tile >= all) break;
        const ulong first = (ulong)t * GP_TILE;
        const Tiles row = {
            coefficients + index * stride_coefficients,           in + index * stride_in, n, has_in, reverse,
            published + 2 + (ulong)index * tiles * GP_STATE_WORDS};
        load_part(a, row.coefficients, first, n, 1, reverse);
        load_part(x, row.in, first, n, has_in, reverse);
        gp_async_commit();
        GP_ASYNC_WAIT(0);
        gp_join_warp();
        Map map = identity_map();
#pragma unroll
        for (uint i = 0; i < GP_ITEMS; ++i) map = extended(map, my_a[i], my_x[i]);
        map = scan_warp(normalized(map), GP_ROOM(&room));
        if (lane == 31) room.parts[warp] = map;
        const Map before = map_left(map, 1, GP_ROOM(&room)); // none for lane 0
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tiles > 1) {
            if (GP_TOGETHER || warp == 0) {
                const Map whole = join_parts(room.parts, GP_ROOM(&room));
                if (id == 0) {
                    publish(&row, t, whole);
                    if (in == out) gp_fence_device(); // before the tile is overwritten, which a fallback must not read
                }
            }
        }

        if (index != way.row) {
            way.y = has_initial ? initial[initial_offset + index] : 0;
            way.row = index;
            way.first = 0;
        }
        T y = take_y(&way, t, &row, &room); // in place, the map is published before the tile is overwritten
        // The number arrives while this tile is solved. A tile that was taken sooner would keep
        // other work-groups waiting.
        if (id == 0)
            next = tiles > 1 ? gp_take_ticket((volatile global uint *)published) : next + (uint)get_num_groups(0);
        for (uint w = 0; w < warp; ++w) y = apply(room.parts[w], y);
        if (lane > 0) y = apply(before, y);
#pragma unroll
        for (uint i = 0; i < GP_ITEMS; ++i) {
            y = my_x[i] + my_a[i] * y;
            my_x[i] = y;
        }
        gp_join_warp();
        store_part(x, out + index * stride_out, first, n, reverse);
    }
    if (tiles > 1) gp_clear_state(published, 2 + (ulong)all * GP_STATE_WORDS, &room.last);
}
