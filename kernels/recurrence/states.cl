// The state before a tile, by the states that tiles publish: the window of a recurrence's
// look-back.
//
// A tile publishes the state that it leaves when zeros come before it. A row's tiles form windows
// of 32. A warp combines the states of one window, each work-item one of them. The work-group takes
// the row's state from window to window, and then over the tiles before its own. The tree of
// combinations is always the same. So results are the same bits from run to run, whichever
// work-group was first.
//
// Macros: those of tiles.cl and look_back.cl
// Tables: those of tiles.cl, and the same powers of a whole tile
// Gives:  Tiles, of a row; Waiting, local memory; Weights, make_weights, combine_parts, publish,
//         Way, Seen, look_ahead, nothing_seen, take_state, finish_before; GP_TABLE_SIZE, elements
//         of all tables
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         the fixed windows are our own
// SPDX-License-Identifier: MIT
#define GP_TABLES local const // which has no delay that constant memory has
#include "recurrence/tiles.cl"

#define GP_TABLE_SIZE (GP_ORDER + 2 * GP_POWERS * GP_SQUARE)
#define GP_WINDOW 32u
#define GP_TILE_POWERS GP_POWER(GP_POWERS)
#if GP_GROUP <= 128
#define GP_ID_BITS 7
#elif GP_GROUP <= 256
#define GP_ID_BITS 8
#else
#define GP_ID_BITS 9
#endif

// Each element of a state is published as its inverted bits, in one go. Zero says that it is not
// there yet. The one NaN whose inverted bits are zero is published as another NaN.
#ifdef GP_FLOAT64
typedef ulong Word;
#define GP_TO_WORD as_ulong
#define GP_FROM_WORD as_double
#define GP_PUBLISH gp_publish_ulong
#define GP_LOOK_ONE_IF gp_look_one_if_ulong
#define GP_LOOK_PAIR_IF gp_look_pair_if_ulong
#else
typedef uint Word;
#define GP_TO_WORD as_uint
#define GP_FROM_WORD as_float
#define GP_PUBLISH gp_publish_uint
#define GP_LOOK_ONE_IF gp_look_one_if_uint
#define GP_LOOK_PAIR_IF gp_look_pair_if_uint
#endif

typedef struct {
    T values[GP_ORDER];
} State;

// Of a row.
typedef struct {
    global const T *in;
    ulong n;
    uint has_in;
    volatile global Word *published; // of the first tile
    GP_TABLES T *tables;
} Tiles;

typedef struct {
    Room room;
    uint late;
} Waiting;

#include "common/look_back.cl"

// Takes a state over a number of steps of up to so many bits.
GP_INLINE void take_over(T *state, uint steps, uint bits, GP_TABLES T *powers) {
    T moved[GP_ORDER], zero[GP_ORDER];
    clear(zero);
#pragma unroll
    for (uint k = 0; k < bits; ++k) {
        add_product(moved, zero, powers + k * GP_SQUARE, state);
        for (uint j = 0; j < GP_ORDER; ++j) state[j] = steps >> k & 1 ? moved[j] : state[j];
    }
}

// Takes a state over a number of steps that a work-item needs for every tile. For small orders it
// is a matrix in registers, else the number of steps.
#if GP_ORDER <= 2
typedef struct {
    T matrix[GP_SQUARE];
} Weight;

GP_INLINE Weight weight_of(uint steps, uint bits, GP_TABLES T *powers) {
    Weight weight;
    for (uint j = 0; j < GP_ORDER; ++j) {
        T column[GP_ORDER];
        for (uint i = 0; i < GP_ORDER; ++i) column[i] = i == j;
        take_over(column, steps, bits, powers);
        for (uint i = 0; i < GP_ORDER; ++i) weight.matrix[i * GP_ORDER + j] = column[i];
    }
    return weight;
}

GP_INLINE void weigh(T *state, const Weight *weight) {
    T result[GP_ORDER];
    for (uint i = 0; i < GP_ORDER; ++i) {
        result[i] = 0;
        for (uint j = 0; j < GP_ORDER; ++j) result[i] += weight->matrix[i * GP_ORDER + j] * state[j];
    }
    for (uint i = 0; i < GP_ORDER; ++i) state[i] = result[i];
}

// The weight of another lane.
GP_INLINE Weight weight_of_lane(const Weight *weight, uint lane, local Room *room) {
    Weight result;
    for (uint i = 0; i < GP_SQUARE; i += GP_ORDER) take_lane(result.matrix + i, weight->matrix + i, lane, room);
    return result;
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

GP_INLINE Weight weight_of_lane(const Weight *weight, uint lane, local Room *room) {
    const uint steps = gp_shuffle_word(weight->steps, lane, GP_ROOM_OF((local uint *)room->room));
    const Weight result = {steps, weight->bits, weight->powers};
    return result;
}
#endif

// Steps of a work-item: in_part, from the beginning of its part; in_tile, from the beginning of its
// tile; parts, from the end of part `lane` to the beginning of this warp's part, or for warp 0 to
// the end of the tile; tiles, counted in tiles, from the end of the tile it looks for to the end of
// the window.
typedef struct {
    Weight in_part, in_tile, parts, tiles;
} Weights;

GP_INLINE Weights make_weights(GP_TABLES T *tables) {
    const uint id = (uint)get_local_id(0), lane = id % 32, warp = id >= 32 ? id / 32 : GP_WARPS;
    Weights weights;
    weights.in_part = weight_of(lane, 5, GP_POWER(0));
    weights.in_tile = weight_of(id, GP_ID_BITS, GP_POWER(0));
    weights.parts = weight_of(lane < warp ? warp - 1 - lane : 0, GP_ID_BITS - 5, GP_POWER(5));
    weights.tiles = weight_of(lane, 5, GP_TILE_POWERS);
    return weights;
}

// The sum over the warp's lanes, the same bits in each.
GP_INLINE void sum_warp(T *state, local Room *room) {
#pragma unroll
    for (uint step = 1; step < 32; step *= 2) {
        T other[GP_ORDER];
        take_lane(other, state, ((uint)get_local_id(0) % 32) ^ step, room);
#pragma unroll
        for (uint j = 0; j < GP_ORDER; ++j) state[j] += other[j];
    }
}

// Called after combine_items and a barrier. `before` becomes the state that the tile's elements
// before this work-item's leave when zeros come before the tile. `all` becomes, for warp 0, the
// state that the whole tile leaves.
GP_INLINE void combine_parts(T *before, T *all, const Weights *weights, local T (*totals)[GP_ORDER], local Room *room) {
    const uint id = (uint)get_local_id(0), lane = id % 32, warp = id >= 32 ? id / 32 : GP_WARPS;
    for (uint j = 0; j < GP_ORDER; ++j) all[j] = lane < warp ? totals[lane][j] : 0;
    weigh(all, &weights->parts);
    sum_warp(all, room);
    T start[GP_ORDER];
    for (uint j = 0; j < GP_ORDER; ++j) start[j] = id >= 32 ? all[j] : 0;
    weigh(start, &weights->in_part);
    for (uint j = 0; j < GP_ORDER; ++j) before[j] += start[j];
}

// Turns `before`, from combine_parts, into the true state before this work-item's elements. `state`
// is the state before the tile.
GP_INLINE void finish_before(T *before, const T *state, const Weights *weights) {
    T mine[GP_ORDER];
    for (uint j = 0; j < GP_ORDER; ++j) mine[j] = state[j];
    weigh(mine, &weights->in_tile);
    for (uint j = 0; j < GP_ORDER; ++j) before[j] += mine[j];
}

GP_INLINE void publish(const Tiles *row, uint tile, State state) {
    volatile global Word *to = row->published + (ulong)tile * GP_ORDER;
#pragma unroll
    for (uint j = 0; j < GP_ORDER; ++j) GP_PUBLISH(to + j, max(~GP_TO_WORD(state.values[j]), (Word)1));
}

// What this work-item found of the one tile whose state it needs: the words as they came. Looking
// into them would wait for the load.
typedef struct {
    Word words[GP_ORDER];
} Seen;

GP_INLINE Seen nothing_seen(void) {
    Seen seen;
    for (uint j = 0; j < GP_ORDER; ++j) seen.words[j] = 0;
    return seen;
}

// Zeros, unless `wanted`.
GP_INLINE Seen look_if(const Tiles *row, uint tile, uint wanted) {
    volatile global const Word *from = row->published + (ulong)tile * GP_ORDER;
    Seen seen;
#if GP_ORDER % 2 == 0
#pragma unroll
    for (uint j = 0; j < GP_ORDER; j += 2) GP_LOOK_PAIR_IF(&seen.words[j], &seen.words[j + 1], from + j, wanted);
#else
#pragma unroll
    for (uint j = 0; j < GP_ORDER; ++j) GP_LOOK_ONE_IF(&seen.words[j], from + j, wanted);
#endif
    return seen;
}

// 1 when the state was there.
GP_INLINE uint read_seen(const Seen *seen, State *state) {
    uint found = 1;
#pragma unroll
    for (uint j = 0; j < GP_ORDER; ++j) {
        found &= seen->words[j] != 0;
        state->values[j] = GP_FROM_WORD(~seen->words[j]);
    }
    return found;
}

GP_INLINE uint look(const Tiles *row, uint tile, State *state) {
    const Seen seen = look_if(row, tile, 1);
    return read_seen(&seen, state);
}

GP_INLINE State late_state(const Tiles *row, uint tile, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    const ulong n = row->n, first = (ulong)tile * GP_TILE + id * GP_ITEMS;
    const Weights weights = make_weights(row->tables);
    T c[GP_ORDER], before[GP_ORDER];
    State state;
    for (uint j = 0; j < GP_ORDER; ++j) c[j] = row->tables[j];
    clear(state.values);
    for (uint i = 0; i < GP_ITEMS; ++i)
        step(row->has_in && first + i < n ? row->in[GP_AT(first + i)] : 0, c, state.values);
    combine_items(before, state.values, row->tables, room->room.totals[1], &room->room);
    barrier(CLK_LOCAL_MEM_FENCE);
    combine_parts(before, state.values, &weights, room->room.totals[1], &room->room);
    return state;
}

#define GP_NO_TILE (~0u)

// The tile whose state work-item `id` looks for, of the windows from tile `first` on, up to tile t.
// Lane 0 has the last tile of its warp's window.
GP_INLINE uint tile_of(uint id, uint first, uint t) {
    const uint lane = id % 32, begin = first + (id - lane);
    return begin + lane < t ? min(begin + GP_WINDOW, t) - 1 - lane : GP_NO_TILE;
}

// Leaves in room->room.sums the states that the windows from tile `first` on, up to tile t, leave
// when zeros come before them; one window a warp. `seen` is what this work-item found before.
GP_INLINE void sum_windows(const Tiles *row, uint first, uint t, Seen seen, const Weights *weights,
                           local Waiting *room) {
    const uint id = (uint)get_local_id(0), tile = tile_of(id, first, t);
    State mine;
    uint found = read_seen(&seen, &mine) || tile == GP_NO_TILE;
    for (uint j = 0; j < GP_ORDER; ++j) mine.values[j] = tile == GP_NO_TILE ? 0 : mine.values[j];
    gp_take_for_late(row, first, min(first + GP_GROUP, t), room);
    do {
        found = gp_await(row, tile, found, &mine);
        if (GP_TOGETHER || first + (id & ~31u) < t) { // the whole warp
            T sum[GP_ORDER];
            for (uint j = 0; j < GP_ORDER; ++j) sum[j] = mine.values[j];
            weigh(sum, &weights->tiles);
            sum_warp(sum, &room->room);
            if (id % 32 == 0) {
                for (uint j = 0; j < GP_ORDER; ++j) room->room.sums[id / 32][j] = sum[j];
            }
        }
    } while (gp_fell_back(row, found ? 0 : tile + 1, room));
}

// How far a work-group has come. Its tiles ascend, so no window is combined twice.
typedef struct {
    T carry[GP_ORDER]; // the state before tile `first`, that of a window, of row number `row`
    uint row, first;
} Way;

// Looks for what take_state will need, so far ahead that nobody waits for the load.
GP_INLINE Seen look_ahead(const Way *way, uint row_index, uint t, const Tiles *row) {
    const uint tile = tile_of((uint)get_local_id(0), way->first, t);
    return look_if(row, tile, row_index == way->row && tile != GP_NO_TILE);
}

// The row's state before its tile t, where t is not below that of the last call. `seen` comes from
// look_ahead or nothing_seen. A barrier must come before the next call.
GP_INLINE void take_state(T *state, Way *way, uint row_index, uint t, Seen seen, const Tiles *row,
                          global const T *initial, uint has_initial, const Weights *weights, local Waiting *room) {
    GP_TABLES T *tables = row->tables;
    const Weight rest = weight_of_lane(&weights->tiles, t % GP_WINDOW, &room->room);
    if (row_index != way->row) {
        read_state(way->carry, initial, row_index, has_initial);
        way->row = row_index;
        way->first = 0;
    }
    uint w = 0;
    while (way->first < t) {
        sum_windows(row, way->first, t, seen, weights, room);
        for (w = 0; w < GP_WARPS && way->first + GP_WINDOW <= t; ++w) {
            T sum[GP_ORDER];
            for (uint j = 0; j < GP_ORDER; ++j) sum[j] = room->room.sums[w][j];
            add_product(way->carry, sum, GP_TILE_POWERS + 5 * GP_SQUARE, way->carry);
            way->first += GP_WINDOW;
        }
        if (w < GP_WARPS) break;
        barrier(CLK_LOCAL_MEM_FENCE);
        seen = nothing_seen();
    }
    for (uint j = 0; j < GP_ORDER; ++j) state[j] = way->carry[j];
    if (way->first < t) {
        weigh(state, &rest);
        for (uint j = 0; j < GP_ORDER; ++j) state[j] += room->room.sums[w][j];
    }
}
