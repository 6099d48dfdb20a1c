// Recurrence on a tile of a row that lies in local memory.
//
// Each warp, 32 consecutive work-items, has a part of the tile, and each work-item GP_UNITS vectors
// of 16 bytes of it, side by side. A work-item runs over its elements twice. The first time it
// begins with zeros and finds a state. When the states of all that comes before are combined, it
// begins with the true state and finds the results. Matrices, the powers, take a state over the
// elements of one work-item, of 2, 4 ... work-items, of a part.
//
// Macros: those of rows.cl; GP_GROUP, the work-group size, a multiple of 32; GP_UNITS, a power of
//         two, 2 to 8, or an odd number; the form of device/shuffle.cl; GP_TABLES, where the tables
//         are, if not constant memory
// Tables: coefficients[GP_ORDER]; powers[GP_POWERS][GP_ORDER][GP_ORDER], of which powers[k] takes a
//         state over 2^k * GP_ITEMS elements that are zero
// Gives:  V, GP_ITEMS (elements of a work-item), GP_TILE, Room; matrix products; loads, stores and
//         the steps between
// Source: Maleki and Burtscher, "Automatic Hierarchical Parallelization of Linear Recurrences",
//         2018; Kogge and Stone, "A Parallel Algorithm for the Efficient Solution of a General
//         Class of Recurrence Equations", 1973
// SPDX-License-Identifier: MIT
#include "device/async_copy.cl"
#include "device/shuffle.cl"
#include "recurrence/rows.cl"

#ifndef GP_TABLES
#define GP_TABLES constant // where the kernel has its tables
#endif

#if !defined(GP_GROUP) || GP_GROUP % 32 != 0 || !defined(GP_UNITS)
#error "GP_GROUP and GP_UNITS must be defined: a multiple of 32, vectors of a work-item"
#endif

#ifdef GP_FLOAT64
#define V double2
#define GP_WIDTH 2
#define GP_VLOAD vload2
#define GP_VSTORE vstore2
#else
#define V float4
#define GP_WIDTH 4
#define GP_VLOAD vload4
#define GP_VSTORE vstore4
#endif
#define GP_ITEMS (GP_UNITS * GP_WIDTH)
#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_WARPS (GP_GROUP / 32)
#define GP_PART (32 * GP_ITEMS)
// Where vector q of a part lies. Neither consecutive vectors share a bank, nor do vectors of the
// same number of consecutive work-items.
#if GP_UNITS % 2 == 1
#define GP_SLOT(q) (q)
#else
#define GP_SLOT(q) ((q) ^ ((q) >> 3 & (GP_UNITS - 1)))
#endif
#define GP_SQUARE (GP_ORDER * GP_ORDER)
#define GP_POWERS 10
#define GP_POWER(k) (tables + GP_ORDER + (k)*GP_SQUARE)

typedef struct {
    T totals[2][GP_WARPS][GP_ORDER]; // the states that a tile's parts leave; of two tiles in turn
    T sums[GP_WARPS][GP_ORDER];
#if GP_TOGETHER
    T room[2][GP_ORDER][GP_GROUP];
#endif
} Room;

// to = add + matrix * state
GP_INLINE void add_product(T *to, const T *add, GP_TABLES T *matrix, const T *state) {
    T result[GP_ORDER];
#pragma unroll
    for (uint i = 0; i < GP_ORDER; ++i) {
        result[i] = add[i];
#pragma unroll
        for (uint j = 0; j < GP_ORDER; ++j) result[i] += matrix[i * GP_ORDER + j] * state[j];
    }
#pragma unroll
    for (uint i = 0; i < GP_ORDER; ++i) to[i] = result[i];
}

void clear(T *state) {
    for (uint j = 0; j < GP_ORDER; ++j) state[j] = 0;
}

#if !GP_TOGETHER
#ifdef GP_FLOAT64
#define GP_MOVED(way, value, distance)                                                                                 \
    as_double((uint2)(way(as_uint2(value).x, distance, 0), way(as_uint2(value).y, distance, 0)))
#else
#define GP_MOVED(way, value, distance) as_float(way(as_uint(value), distance, 0))
#endif
#endif

#if GP_TOGETHER
void take_from(T *to, const T *state, uint from, uint turn, local Room *room) {
    for (uint j = 0; j < GP_ORDER; ++j) room->room[turn][j][get_local_id(0)] = state[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < GP_ORDER; ++j) to[j] = room->room[turn][j][from];
}
#endif

// The state of the work-item `distance` lanes lower in the warp, or higher; any state where there
// is none. Every work-item of the group calls them, with a `turn` of 0 and 1 in turn.
GP_INLINE void take_left(T *to, const T *state, uint distance, uint turn, local Room *room) {
#if !GP_TOGETHER
#pragma unroll
    for (uint j = 0; j < GP_ORDER; ++j) to[j] = GP_MOVED(gp_shuffle_up_word, state[j], distance);
#else
    const uint id = (uint)get_local_id(0);
    take_from(to, state, id % 32 >= distance ? id - distance : id, turn, room);
#endif
}

GP_INLINE void take_right(T *to, const T *state, uint distance, uint turn, local Room *room) {
#if !GP_TOGETHER
#pragma unroll
    for (uint j = 0; j < GP_ORDER; ++j) to[j] = GP_MOVED(gp_shuffle_down_word, state[j], distance);
#else
    const uint id = (uint)get_local_id(0);
    take_from(to, state, id % 32 + distance < 32 ? id + distance : id, turn, room);
#endif
}

// The state of lane `lane` of the warp.
GP_INLINE void take_lane(T *to, const T *state, uint lane, local Room *room) {
#if !GP_TOGETHER
#pragma unroll
    for (uint j = 0; j < GP_ORDER; ++j) to[j] = GP_MOVED(gp_shuffle_word, state[j], lane);
#else
    take_from(to, state, ((uint)get_local_id(0) & ~31u) + lane, 0, room);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// Fills this warp's part of the tile that begins with element `first` of the row at `in`; zeros
// behind the row's end, and where there is no input. Whole tiles may still be on their way until
// wait_for_part, unless GP_STAGES is defined: tiles that are copied ahead hardly ever come here,
// and a wait for asynchronous copies in each of them takes a tenth of the kernel's time.
void load_part(local V *part, global const T *in, ulong first, ulong n, uint has_in) {
    const uint lane = (uint)get_local_id(0) % 32;
#ifndef GP_REVERSE
    if (has_in && first + GP_TILE <= n && (size_t)in % 16 == 0) {
        global const V *from = (global const V *)(in + first) + (uint)get_local_id(0) / 32 * (32 * GP_UNITS);
#pragma unroll
        for (uint v = 0; v < GP_UNITS; ++v) {
            const uint q = v * 32 + lane;
#ifdef GP_STAGES
            part[GP_SLOT(q)] = from[q];
#else
            gp_async_vector((local uint4 *)(part + GP_SLOT(q)), (global const uint4 *)(from + q));
#endif
        }
        return;
    }
#endif
    first += (uint)get_local_id(0) / 32 * GP_PART;
    for (uint i = lane; i < GP_PART; i += 32) {
        const ulong p = first + i;
        ((local T *)(part + GP_SLOT(i / GP_WIDTH)))[i % GP_WIDTH] = has_in && p < n ? in[GP_AT(p)] : 0;
    }
}

void wait_for_part(void) {
#ifndef GP_STAGES
    gp_async_wait_all();
#endif
    gp_join_warp();
}

void store_part(local const V *part, global T *out, ulong first, ulong n) {
    const uint lane = (uint)get_local_id(0) % 32;
#ifndef GP_REVERSE
    if (first + GP_TILE <= n && (size_t)out % 16 == 0) {
        global V *to = (global V *)(out + first) + (uint)get_local_id(0) / 32 * (32 * GP_UNITS);
#pragma unroll
        for (uint v = 0; v < GP_UNITS; ++v) to[v * 32 + lane] = part[GP_SLOT(v * 32 + lane)];
        return;
    }
#endif
    first += (uint)get_local_id(0) / 32 * GP_PART;
    for (uint i = lane; i < GP_PART; i += 32) {
        const ulong p = first + i;
        if (p < n) out[GP_AT(p)] = ((local const T *)(part + GP_SLOT(i / GP_WIDTH)))[i % GP_WIDTH];
    }
}

// Takes the state over this work-item's elements.
GP_INLINE void run_items(local const V *part, const T *c, T *state) {
    const uint first = (uint)get_local_id(0) % 32 * GP_UNITS;
#pragma unroll
    for (uint v = 0; v < GP_UNITS; ++v) {
        T x[GP_WIDTH];
        GP_VSTORE(part[GP_SLOT(first + v)], 0, x);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) step(x[i], c, state);
    }
}

// Takes the state over this work-item's elements, and puts the results in their place.
GP_INLINE void solve_items(local V *part, const T *c, T *state) {
    const uint first = (uint)get_local_id(0) % 32 * GP_UNITS;
#pragma unroll
    for (uint v = 0; v < GP_UNITS; ++v) {
        T x[GP_WIDTH];
        GP_VSTORE(part[GP_SLOT(first + v)], 0, x);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) x[i] = step(x[i], c, state);
        part[GP_SLOT(first + v)] = GP_VLOAD(0, x);
    }
}

// `state` is the state that this work-item's elements leave when zeros come before them. `before`
// becomes the state that all lower work-items of the part leave, and `totals`, after a barrier, the
// states that the parts leave. This scan of a warp is its own: it multiplies by another power at
// each step.
GP_INLINE void combine_items(T *before, T *state, GP_TABLES T *tables, local T (*totals)[GP_ORDER], local Room *room) {
    const uint id = (uint)get_local_id(0), lane = id % 32;
    T left[GP_ORDER];
#if !GP_TOGETHER // barriers in unrolled loops keep PoCL's compiler busy for minutes
#pragma unroll
#endif
    for (uint k = 0; k < 5; ++k) {
        take_left(left, state, 1u << k, k % 2, room);
        for (uint j = 0; j < GP_ORDER; ++j) left[j] = lane >> k != 0 ? left[j] : 0;
        add_product(state, state, GP_POWER(k), left);
    }
    take_left(before, state, 1, 1, room);
    for (uint j = 0; j < GP_ORDER; ++j) before[j] = lane != 0 ? before[j] : 0;
    if (lane == 31) {
        for (uint j = 0; j < GP_ORDER; ++j) totals[id / 32][j] = state[j];
    }
}

// The beginning of every tile: waits for its part, runs over the elements, and combines their
// states.
GP_INLINE void combine_part(T *before, local const V *part, const T *c, GP_TABLES T *tables,
                            local T (*totals)[GP_ORDER], local Room *room) {
    T state[GP_ORDER];
    wait_for_part();
    clear(state);
    run_items(part, c, state);
    combine_items(before, state, tables, totals, room);
    barrier(CLK_LOCAL_MEM_FENCE);
}
