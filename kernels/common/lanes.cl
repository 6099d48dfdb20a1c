// Combination of elements by lanes: a power of two of work-items of a work-group, each of which
// reads several vectors of 16 bytes at a time.
//
// Macros: GP_GROUP, the work-group size, a power of two; GP_LOADS, vectors that a lane reads at a
//         time; GP_RAW and GP_RAW_BYTES, the type of elements in memory; GP_WIDTH, elements of a
//         vector, or 1; GP_ANY_ORDER, where operands may change places
// Needs:  the type State; functions gp_none, gp_with and gp_join, which are declared below, and
//         with GP_SHUFFLES gp_state_down, as gp_shuffle_down_word of a State
// Gives:  GP_READS, elements that a lane reads at a time; GP_RAW_AT; gp_read_vector; gp_join_lanes;
//         GP_SHUFFLES: 1 where warps exchange states without local memory
// SPDX-License-Identifier: MIT
#include "common/paste.cl"
#include "device/shuffle.cl"
#if !defined(GP_GROUP) || !defined(GP_LOADS) || !defined(GP_WIDTH)
#error "GP_GROUP, GP_LOADS and GP_WIDTH must be defined"
#endif

#define GP_READS (GP_LOADS * GP_WIDTH)
#define GP_SHUFFLES (!GP_TOGETHER && GP_GROUP % 32 == 0)

// Where element p of a row is, by what its elements lie apart where vectors can't be read.
#if GP_WIDTH > 1
#define GP_RAW_AT(p) (p)
#else
#define GP_RAW_AT(p) ((p)*step_in)
#endif

// The combination of no elements.
GP_INLINE State gp_none(void);
// That of what `state` combines and then element x, at a position; the state alone unless x is
// `valid`. `told` is what the kernel has to tell.
GP_INLINE State gp_with(State state, GP_RAW x, uint position, bool valid, ulong told);
GP_INLINE State gp_join(State left, State right);

// Reads the aligned vector at `from`.
#if GP_WIDTH > 1
#define gp_read_vector(from, number, raw)                                                                              \
    GP_PASTE(vstore, GP_WIDTH)(*(global const GP_PASTE(GP_RAW, GP_WIDTH) *)(from), number, raw)
#else
#define gp_read_vector(from, number, raw) ((raw)[number] = *(from))
#endif

#if GP_SHUFFLES
GP_INLINE State gp_state_down(State x, uint step, local uint *room);
#endif

// The combination of the x of `lanes` neighbouring work-items, in order; the first of them has it.
// lanes: a power of two, at most GP_GROUP. All work-items of the work-group call it together. A
// barrier must come before the next call with the same `room`, which holds GP_GROUP states.
GP_INLINE State gp_join_lanes(State x, uint lanes, local State *room) {
    const uint id = (uint)get_local_id(0);
#if GP_SHUFFLES
    for (uint step = 1; step < min(lanes, 32u); step *= 2) x = gp_join(x, gp_state_down(x, step, 0));
    if (lanes > 32) {
        const uint warps = lanes / 32, warp = id / 32, lane = id % 32;
        if (lane == 0) room[warp] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = lane < warps ? room[(warp & ~(warps - 1)) + lane] : gp_none();
        for (uint step = 1; step < warps; step *= 2) x = gp_join(x, gp_state_down(x, step, 0));
    }
#else
    const uint lane = id & (lanes - 1);
    room[id] = x;
    for (uint step = 1; step < lanes; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane % (2 * step) == 0) {
            const State left = room[id], right = room[id + step];
            room[id] = gp_join(left, right);
        }
    }
    x = room[id];
#endif
    return x;
}
