// What the products of a matrix and a vector share: sums as lanes have them, and elements of X a
// vector of 16 bytes at a time.
//
// Macros: those of semiring.cl, with GP_WIDTH 1; GP_GROUP, the work-group size; GP_LOADS, vectors
//         of a line that a work-item reads at a time; GP_ELEMENTS, of a vector, or 1; GP_ANYWHERE
//         where vectors begin at any element
// Gives:  what semiring.cl, lanes.cl and c_of_line.cl do; State; read_elements, read_anywhere;
//         GP_PUBLISH, GP_LOOK; GP_VECTORS, GP_OF_VECTORS
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "common/semiring.cl"
#ifdef GP_ANYWHERE
#include "common/unaligned.cl"
#endif
#include "device/fence.cl"
#include "matmul/c_of_line.cl"
#if !defined(GP_ELEMENTS) || GP_WIDTH != 1
#error "GP_ELEMENTS must be defined, and GP_WIDTH be 1"
#endif

#if GP_DTYPE == GP_DTYPE_FLOAT16
#define GP_RAW ushort
#else
#define GP_RAW Stored
#endif
typedef Value State;
#include "common/lanes.cl"

GP_INLINE State gp_none(void) { return GP_ZERO; }
GP_INLINE State gp_with(State state, GP_RAW x, uint position, bool valid, ulong told) { return state; }
GP_INLINE State gp_join(State left, State right) { return plus(left, right); }

#define GP_AS_VALUE GP_JOIN(as_, Value)
#if GP_DTYPE == GP_DTYPE_FLOAT64
#if GP_SHUFFLES
GP_INLINE State gp_state_down(State x, uint step, local uint *room) {
    const uint2 word = as_uint2(x);
    const uint low = gp_shuffle_down_word(word.x, step, room);
    return as_double((uint2)(low, gp_shuffle_down_word(word.y, step, room)));
}
#endif
#define GP_PUBLISH(to, x) gp_publish_ulong((volatile global ulong *)(to), as_ulong(x))
#define GP_LOOK(from) as_double(gp_look_ulong((volatile global const ulong *)(from)))
#define GP_SUM Value
#elif GP_COMPUTED == GP_DTYPE_INT16
#if GP_SHUFFLES
GP_INLINE State gp_state_down(State x, uint step, local uint *room) {
    return (State)gp_shuffle_down_word((uint)x, step, room);
}
#endif
#define GP_PUBLISH(to, x) gp_publish_uint((volatile global uint *)(to), (uint)(x))
#define GP_LOOK(from) ((Value)gp_look_uint((volatile global const uint *)(from)))
#define GP_SUM uint
#else
#if GP_SHUFFLES
GP_INLINE State gp_state_down(State x, uint step, local uint *room) {
    return GP_AS_VALUE(gp_shuffle_down_word(as_uint(x), step, room));
}
#endif
#define GP_PUBLISH(to, x) gp_publish_uint((volatile global uint *)(to), as_uint(x))
#define GP_LOOK(from) GP_AS_VALUE(gp_look_uint((volatile global const uint *)(from)))
#define GP_SUM Value
#endif

#if GP_ELEMENTS > 1
#define GP_ALL_OF(name) GP_JOIN(name, GP_ELEMENTS)
#if GP_DTYPE == GP_DTYPE_FLOAT16
typedef ushort8 Vector;
#define GP_AS_VECTOR as_ushort8
#else
typedef GP_ALL_OF(Stored) Vector;
#define GP_AS_VECTOR GP_ALL_OF(GP_JOIN(as_, Stored))
#endif

// The elements of a vector as values.
GP_INLINE void take_elements(Vector x, Value *to) {
#if GP_DTYPE == GP_DTYPE_FLOAT16
    const float8 all = vload_half8(0, (const half *)&x);
#elif GP_DTYPE == GP_DTYPE_BFLOAT16
    const float8 all = as_float8(convert_uint8(x) << 16);
#elif GP_DTYPE != GP_COMPUTED
    const GP_ALL_OF(uint) all = GP_ALL_OF(as_uint)(GP_ALL_OF(convert_int)(x));
#else
    const Vector all = x;
#endif
    GP_ALL_OF(vstore)(GP_FACTOR(GP_ALL_OF(Value), all), 0, to);
}
#endif

// The aligned vector at `from`.
GP_INLINE void read_elements(global const Stored *from, Value *to) {
#if GP_ELEMENTS == 1
    to[0] = load(from, 0);
#else
    take_elements(*(global const Vector *)from, to);
#endif
}

#ifdef GP_ANYWHERE
// The vector at `from`, which begins at any element.
GP_INLINE void read_anywhere(global const Stored *from, Value *to) {
    take_elements(GP_AS_VECTOR(gp_unaligned_vector((global const uchar *)from, sizeof(Stored) < 4)), to);
}
#endif

// How far before `at` the vector begins that has it.
#define GP_HEAD(at) (GP_ELEMENTS > 1 ? (uint)((size_t)(at) / sizeof(Stored)) % GP_ELEMENTS : 0)

// What both kernels take: memory; and the numbers that they are given (given.cl). X has STRIDE from
// one line, or step of k, to the next; WIDE work-items stand side by side.
#define GP_VECTORS                                                                                                     \
    global const Stored *x, global const Stored *y, global Result *c, volatile global GP_SUM *sums,                    \
        volatile global uint *ended GP_BIAS_MEMORY
#define GP_OF_VECTORS(X, STRIDE, WIDE)                                                                                 \
    X(ulong, x_offset)                                                                                                 \
    X(ulong, STRIDE)                                                                                                   \
    X(ulong, x_batch_stride)                                                                                           \
    X(ulong, y_offset)                                                                                                 \
    X(ulong, y_stride)                                                                                                 \
    X(ulong, y_batch_stride)                                                                                           \
    X(ulong, c_offset)                                                                                                 \
    X(ulong, c_stride)                                                                                                 \
    X(ulong, c_batch_stride)                                                                                           \
    X(ulong, sums_offset)                                                                                              \
    X(ulong, ended_offset)                                                                                             \
    X(ulong, lines)                                                                                                    \
    X(ulong, k)                                                                                                        \
    X(uint, WIDE)                                                                                                      \
    X(ulong, share)                                                                                                    \
    X(ulong, groups)                                                                                                   \
    GP_OF_FINISH(X)
