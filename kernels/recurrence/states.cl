// States that tiles publish, and what comes before a tile by them.
//
// A row's tiles form windows of GP_WINDOW. A work-group takes the row's state over every window before its tile's, and then
// over the tiles before its own: always in the same tree, so results are the same bits from run to run, whichever
// work-group was first. Each work-item waits for one state, of a tile that was taken before its own by a work-group that
// runs; should that not come for long, it is found here too.
//
// Macros: those of tiles.cl, GP_SHUFFLE among them; GP_PATIENCE, how often to look for a state before computing it;
//         GP_NO_WAIT, for tests: take every state for late
// Tables: those of tiles.cl, and the same powers of a whole tile
// Gives:  Row, the tiles of one; Waiting, local memory; Weights, make_weights, combine_parts, publish, Way, View,
//         look_around, no_view, take_state, finish_before; GP_TABLE_SIZE, elements of all tables
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016; Smith, Levien and Owens,
//         "Decoupled Fallback", 2024; the fixed windows are our own
// SPDX-License-Identifier: MIT
#include "common/fence.cl"
#define GP_TABLES local const // which has no delay that constant memory has
#include "recurrence/tiles.cl"

#ifndef GP_PATIENCE
#error "GP_PATIENCE must be defined"
#endif

#define GP_TABLE_SIZE (ORDER + 2 * GP_POWERS * GP_SQUARE)
#define GP_WINDOW (GP_GROUP - 1) // one work-item has the state before the window
#define GP_TILE_POWERS GP_POWER(GP_POWERS)
#if GP_GROUP <= 128
#define GP_ID_BITS 7
#elif GP_GROUP <= 256
#define GP_ID_BITS 8
#else
#define GP_ID_BITS 9
#endif

typedef struct {
    Room room;
    uint missing; // 1 + the last work-item whose state took too long
} Waiting;

// What a row's tiles need of the call.
typedef struct {
    global const T *in;
    ulong n;
    uint has_in;
    volatile global ulong *published; // of the row's first tile
} Row;

// Takes a state over a number of steps of up to so many bits.
GP_INLINE void take_over(T *state, uint steps, uint bits, GP_TABLES T *powers) {
    T moved[ORDER], zero[ORDER];
    clear(zero);
#pragma unroll
    for (uint k = 0; k < bits; ++k) {
        add_product(moved, zero, powers + k * GP_SQUARE, state);
        for (uint j = 0; j < ORDER; ++j) state[j] = steps >> k & 1 ? moved[j] : state[j];
    }
}

// What a state makes of itself in a number of steps that a work-item needs for every tile: a matrix in registers, where it is
// small.
#if ORDER <= 2
typedef struct {
    T matrix[GP_SQUARE];
} Weight;

GP_INLINE Weight weight_of(uint steps, uint bits, GP_TABLES T *powers) {
    Weight weight;
    for (uint j = 0; j < ORDER; ++j) {
        T column[ORDER];
        for (uint i = 0; i < ORDER; ++i) column[i] = i == j;
        take_over(column, steps, bits, powers);
        for (uint i = 0; i < ORDER; ++i) weight.matrix[i * ORDER + j] = column[i];
    }
    return weight;
}

GP_INLINE void weigh(T *state, const Weight *weight) {
    T result[ORDER];
    for (uint i = 0; i < ORDER; ++i) {
        result[i] = 0;
        for (uint j = 0; j < ORDER; ++j) result[i] += weight->matrix[i * ORDER + j] * state[j];
    }
    for (uint i = 0; i < ORDER; ++i) state[i] = result[i];
}
#else
typedef struct {
    uint steps, bits;
    GP_TABLES T *powers;
} Weight;

GP_INLINE Weight weight_of(uint steps, uint bits, GP_TABLES T *powers) {
    const Weight weight = {steps, bits, powers};
    return weight;
}

GP_INLINE void weigh(T *state, const Weight *weight) { take_over(state, weight->steps, weight->bits, weight->powers); }
#endif

// A work-item's steps from the beginning of its part and of its tile; those that part `lane` has to the beginning of this
// warp's, or to the end of the tile for warp 0; in tiles, those that the tile it waits for has to the one that waits.
typedef struct {
    Weight in_part, in_tile, parts, tiles;
} Weights;

GP_INLINE Weights make_weights(GP_TABLES T *tables) {
    const uint id = (uint)get_local_id(0), lane = id % 32, warp = id >= 32 ? id / 32 : GP_WARPS;
    Weights weights;
    weights.in_part = weight_of(lane, 5, GP_POWER(0));
    weights.in_tile = weight_of(id, GP_ID_BITS, GP_POWER(0));
    weights.parts = weight_of(lane < warp ? warp - 1 - lane : 0, GP_ID_BITS - 5, GP_POWER(5));
    weights.tiles = weight_of(id, GP_ID_BITS, GP_TILE_POWERS);
    return weights;
}

// The sum over the warp's lanes, the same bits in each.
GP_INLINE void sum_warp(T *state) {
#pragma unroll
    for (uint step = 1; step < 32; step *= 2) {
#pragma unroll
        for (uint j = 0; j < ORDER; ++j)
            state[j] += GP_MOVED(gp_shuffle_word, state[j], ((uint)get_local_id(0) % 32) ^ step);
    }
}

// After combine_items and a barrier: `before` becomes what all of the tile before this work-item's elements makes of zeros;
// `all`, for warp 0, what the whole tile does.
GP_INLINE void combine_parts(T *before, T *all, const Weights *weights, local T (*totals)[ORDER]) {
    const uint id = (uint)get_local_id(0), lane = id % 32, warp = id >= 32 ? id / 32 : GP_WARPS;
    for (uint j = 0; j < ORDER; ++j) all[j] = lane < warp ? totals[lane][j] : 0;
    weigh(all, &weights->parts);
    sum_warp(all);
    T start[ORDER];
    for (uint j = 0; j < ORDER; ++j) start[j] = id >= 32 ? all[j] : 0;
    weigh(start, &weights->in_part);
    for (uint j = 0; j < ORDER; ++j) before[j] += start[j];
}

// Makes `before`, from combine_parts, the true state before this work-item's elements; `state` is that before the tile.
GP_INLINE void finish_before(T *before, const T *state, const Weights *weights) {
    T mine[ORDER];
    for (uint j = 0; j < ORDER; ++j) mine[j] = state[j];
    weigh(mine, &weights->in_tile);
    for (uint j = 0; j < ORDER; ++j) before[j] += mine[j];
}

// A state is published as words of 32 bits, each beside a mark, written and read in one go.
#define GP_STATE_WORDS (ORDER * (uint)(sizeof(T) / 4))
#define GP_MARK (1ul << 32)

void publish(const Row *row, uint tile, const T *state) {
    volatile global ulong *to = row->published + (ulong)tile * GP_STATE_WORDS;
#pragma unroll
    for (uint j = 0; j < ORDER; ++j) {
#ifdef GP_FLOAT64
        to[2 * j] = GP_MARK | as_uint2(state[j]).x;
        to[2 * j + 1] = GP_MARK | as_uint2(state[j]).y;
#else
        to[j] = GP_MARK | as_uint(state[j]);
#endif
    }
}

// What this work-item found of the one tile whose state it needs: the words as they are, since whoever asks what is in them
// waits for the answer.
typedef struct {
    ulong words[GP_STATE_WORDS];
} Seen;

// Zeros unless `wanted`. One instruction, lest a compiler look at the words on one way of a branch.
GP_INLINE ulong look_at_word(volatile global const ulong *from, uint wanted) {
    ulong word;
    __asm__ volatile("{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %2, 0;\n\tmov.b64 %0, 0;\n\t"
                     "@wanted ld.volatile.global.u64 %0, [%1];\n\t}"
                     : "=l"(word)
                     : "l"((ulong)from), "r"(wanted)
                     : "memory");
    return word;
}

GP_INLINE Seen look(const Row *row, uint tile, uint wanted) {
    volatile global const ulong *from = row->published + (ulong)tile * GP_STATE_WORDS;
    Seen seen;
#pragma unroll
    for (uint i = 0; i < GP_STATE_WORDS; ++i) seen.words[i] = look_at_word(from + i, wanted);
    return seen;
}

// 1 when the state was there.
GP_INLINE uint read_seen(const Seen *seen, T *state) {
    ulong found = GP_MARK;
#pragma unroll
    for (uint j = 0; j < ORDER; ++j) {
#ifdef GP_FLOAT64
        const ulong low = seen->words[2 * j], high = seen->words[2 * j + 1];
        found &= low & high;
        state[j] = as_double((uint2)((uint)low, (uint)high));
#else
        found &= seen->words[j];
        state[j] = as_float((uint)seen->words[j]);
#endif
    }
    return found != 0;
}

// Finds and publishes the state of a tile that is late. Its owner publishes before it overwrites the tile, so what is read
// here is the input, or not needed.
__attribute__((noinline)) void stand_in(Row row, uint tile, GP_TABLES T *tables, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    const ulong n = row.n, first = (ulong)tile * GP_TILE + id * GP_ITEMS;
    const Weights weights = make_weights(tables);
    T c[ORDER], state[ORDER], before[ORDER];
    for (uint j = 0; j < ORDER; ++j) c[j] = tables[j];
    clear(state);
    for (uint i = 0; i < GP_ITEMS; ++i) step(row.has_in && first + i < n ? row.in[GP_AT(first + i)] : 0, c, state);
    combine_items(before, state, tables, room->room.totals[1], &room->room);
    barrier(CLK_LOCAL_MEM_FENCE);
    combine_parts(before, state, &weights, room->room.totals[1]);
    if (id == 0) {
        T published[ORDER];
        gp_fence_device();
        const Seen seen = look(&row, tile, 1);
        if (!read_seen(&seen, published)) publish(&row, tile, state);
        room->missing = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// A first look at `count` tiles from tile `first` on, long enough ahead that nobody waits for the answer.
GP_INLINE Seen look_ahead(const Row *row, uint first, uint count) {
    const uint id = (uint)get_local_id(0);
    return look(row, first + count - 1 - id, id < count);
}

GP_INLINE Seen nothing_seen(void) {
    Seen seen;
    for (uint i = 0; i < GP_STATE_WORDS; ++i) seen.words[i] = 0;
    return seen;
}

// Takes a state over `count` tiles from tile `first` on, the first of a window. A barrier must come before the next call.
GP_INLINE void cross_tiles(T *state, const Row *row, uint first, uint count, Seen seen, GP_TABLES T *tables,
                           const Weights *weights, local Waiting *room) {
    const uint id = (uint)get_local_id(0), lane = id % 32;
    T mine[ORDER], sum[ORDER];
    uint found = read_seen(&seen, mine) || id >= count;
    for (uint j = 0; j < ORDER; ++j) mine[j] = id == count ? state[j] : id < count && found ? mine[j] : 0;
#ifdef GP_NO_WAIT
    for (uint i = 0; i < count; ++i) stand_in(*row, first + i, tables, room);
#endif
    for (;;) {
        for (uint i = 0; i < GP_PATIENCE && !found; ++i) {
            seen = look_ahead(row, first, count);
            found = read_seen(&seen, sum);
            for (uint j = 0; j < ORDER; ++j) mine[j] = found ? sum[j] : 0;
        }
        if (!found) atomic_max(&room->missing, id + 1);
        for (uint j = 0; j < ORDER; ++j) sum[j] = mine[j];
        weigh(sum, &weights->tiles);
        sum_warp(sum);
        if (lane == 0) {
            for (uint j = 0; j < ORDER; ++j) room->room.sums[id / 32][j] = sum[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint missing = room->missing;
        if (missing == 0) break;
        barrier(CLK_LOCAL_MEM_FENCE);
        stand_in(*row, first + count - missing, tables, room);
    }
    for (uint j = 0; j < ORDER; ++j) state[j] = lane < GP_WARPS ? room->room.sums[lane][j] : 0;
    sum_warp(state);
}

// How far a work-group has come, with the tiles that it takes in ascending order.
typedef struct {
    T carry[ORDER]; // the state before `window` of row number `row`
    uint row, window;
} Way;

// A first look at what take_state needs for tile t: the window that it crosses, if it crosses one, and the tiles after.
typedef struct {
    Seen window, tiles;
} View;

GP_INLINE View look_around(const Way *way, uint row_index, uint t, const Row *row) {
    const uint crosses = row_index == way->row && way->window < t / GP_WINDOW;
    const View view = {look_ahead(row, way->window * GP_WINDOW, crosses ? GP_WINDOW : 0),
                       look_ahead(row, t / GP_WINDOW * GP_WINDOW, t % GP_WINDOW)};
    return view;
}

GP_INLINE View no_view(void) {
    const View view = {nothing_seen(), nothing_seen()};
    return view;
}

// The row's state before its tile t, for the next tile on the way. `view` is from look_around, or nothing. A barrier must come
// before the next call.
GP_INLINE void take_state(T *state, Way *way, uint row_index, uint t, View view, const Row *row,
                          global const T *initial, uint has_initial, GP_TABLES T *tables, const Weights *weights,
                          local Waiting *room) {
    if (row_index != way->row) {
        read_state(way->carry, initial, row_index, has_initial);
        way->row = row_index;
        way->window = 0;
    }
    for (; way->window < t / GP_WINDOW; ++way->window) {
        cross_tiles(way->carry, row, way->window * GP_WINDOW, GP_WINDOW, view.window, tables, weights, room);
        barrier(CLK_LOCAL_MEM_FENCE);
        view.window = nothing_seen();
    }
    for (uint j = 0; j < ORDER; ++j) state[j] = way->carry[j];
    if (t > 0)
        cross_tiles(state, row, way->window * GP_WINDOW, t - way->window * GP_WINDOW, view.tiles, tables, weights,
                    room);
}
