// A combination of elements as lanes have it: a sum, or what another operator makes.
//
// Macros: those of combine.cl; GP_RAW_BYTES, the bytes of an element in memory
// Gives:  GP_RAW, State and the functions that lanes.cl needs; GP_ANY_ORDER, for our own operators
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#include "common/inline.cl"
#include "device/fence.cl"
#include "device/shuffle.cl"
#ifndef GP_RAW_BYTES
#error "GP_RAW_BYTES must be defined"
#endif

#ifdef GP_IN_HALF
#define GP_RAW ushort
T gp_value(ushort x) { return (T)vload_half(0, (const half *)&x); }
#else
#define GP_RAW GP_IN
#define gp_value(x) ((T)(x))
#endif
typedef T State;

#ifdef GP_VECTORIZES
#define GP_ANY_ORDER
#define GP_CHAINS (GP_WIDTH < 4 ? GP_WIDTH : 4)
#else
#define GP_CHAINS 1
#endif

GP_INLINE State gp_none(void) { return GP_ZERO; }

GP_INLINE State gp_with(State state, GP_RAW x, uint position, bool valid, ulong told) {
    const T value = valid ? gp_value(x) : GP_ZERO;
    return GP_COMBINE(state, value);
}

GP_INLINE State gp_join(State left, State right) { return GP_COMBINE(left, right); }

#define GP_AS_T GP_PASTE(as_, T)
GP_INLINE State gp_state_down(State x, uint step, local uint *room) {
#if GP_TYPE_SIZE == 4
    return GP_AS_T(gp_shuffle_down_word(as_uint(x), step, room));
#else
    const uint2 word = as_uint2(x);
    const uint low = gp_shuffle_down_word(word.x, step, room);
    return GP_AS_T((uint2)(low, gp_shuffle_down_word(word.y, step, room)));
#endif
}

// A state that one work-group writes and another one reads.
#if GP_TYPE_SIZE == 4
#define GP_PUBLISH(to, x) gp_publish_uint((volatile global uint *)(to), as_uint(x))
#define GP_LOOK(from) GP_AS_T(gp_look_uint((volatile global const uint *)(from)))
#else
#define GP_PUBLISH(to, x) gp_publish_ulong((volatile global ulong *)(to), as_ulong(x))
#define GP_LOOK(from) GP_AS_T(gp_look_ulong((volatile global const ulong *)(from)))
#endif
