// Inclusive scans, of any type and operator, over the work-items of a sub-group or a work-group.
//
// OpenCL C 1.2 has no templates, so macros define the functions. `combine` is a function or a macro
// of two operands, of which the left one comes first.
//
// Gives:  GP_DEFINE_WARP_SCAN, GP_DEFINE_GROUP_SCAN, GP_DEFINE_BLOCK_SCAN; GP_PLUS, an operator for
//         them
// Source: Hillis and Steele, "Data Parallel Algorithms", 1986; Dotsenko et al., "Fast Scan
//         Algorithms on Graphics Processors", 2008 (blocks)
// SPDX-License-Identifier: MIT
#define GP_PLUS(a, b) ((a) + (b))

// Type name(Type x, local uint *room): the combination of the x of this lane and all lower ones of
// the warp. move_up(x, step, room) is the x of the lane `step` lower, as in device/shuffle.cl.
#define GP_DEFINE_WARP_SCAN(name, Type, move_up, combine)                                                              \
    __attribute__((always_inline)) Type name(Type x, local uint *room) {                                               \
        const uint lane = (uint)get_local_id(0) % 32;                                                                  \
        _Pragma("unroll") for (uint step = 1; step < 32; step *= 2) {                                                  \
            const Type left = move_up(x, step, room);                                                                  \
            if (lane >= step) x = combine(left, x);                                                                    \
        }                                                                                                              \
        return x;                                                                                                      \
    }

// local Type *name(Type *x, uint size, local Type *room): *x becomes the combination of the *x of
// this work-item and all lower ones. Returns where all results lie, in order; the caller puts a
// barrier between its last look there and the next use of `room`. `size` is the work-group size, a
// power of two, and `room` holds twice as many.
#define GP_DEFINE_GROUP_SCAN(name, Type, combine)                                                                      \
    local Type *name(Type *x, uint size, local Type *room) {                                                           \
        const uint id = (uint)get_local_id(0);                                                                         \
        Type sum = *x;                                                                                                 \
        uint now = 0; /* where in `room` the sums so far begin */                                                      \
        room[id] = sum;                                                                                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        for (uint step = 1; step < size; step *= 2) {                                                                  \
            if (id >= step) {                                                                                          \
                const Type left = room[now + id - step];                                                               \
                sum = combine(left, sum);                                                                              \
            }                                                                                                          \
            now ^= size;                                                                                               \
            room[now + id] = sum;                                                                                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
        }                                                                                                              \
        *x = sum;                                                                                                      \
        return room + now;                                                                                             \
    }

// Type name(Type x, uint count, Type *total, local Type *room): the combination of the x of all
// lower work-items, by blocks of GP_SCAN_BLOCK of them, in which each reads what those before it
// wrote. *total becomes that of all. `count`, a constant and a multiple of GP_SCAN_BLOCK, is how
// many work-items take part; the results of the others mean nothing. `room` holds as many. `zero`
// is the identity. There are three barriers; one more must come before the next use of `room`.
#define GP_SCAN_BLOCK 16
#define GP_DEFINE_BLOCK_SCAN(name, Type, zero, combine)                                                                \
    Type name(Type x, uint count, Type *total, local Type *room) {                                                     \
        const uint id = (uint)get_local_id(0), block = id / GP_SCAN_BLOCK, end = id < count ? id : 0;                  \
        if (id < count) room[id] = x;                                                                                  \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        Type before = zero;                                                                                            \
        for (uint i = block * GP_SCAN_BLOCK; i < end; ++i) {                                                           \
            const Type one = room[i];                                                                                  \
            before = combine(before, one);                                                                             \
        }                                                                                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        if (end % GP_SCAN_BLOCK == GP_SCAN_BLOCK - 1) room[block] = combine(before, x);                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        Type lower = zero, all = zero;                                                                                 \
        for (uint b = 0; b < count / GP_SCAN_BLOCK; ++b) {                                                             \
            const Type one = room[b];                                                                                  \
            if (b == block) lower = all;                                                                               \
            all = combine(all, one);                                                                                   \
        }                                                                                                              \
        *total = all;                                                                                                  \
        return combine(lower, before);                                                                                 \
    }
