// Order between accesses to global memory of different work-groups, and words that one of them
// publishes for another.
//
// The form: GP_PTX, NVIDIA's instructions (Volta or newer); else OpenCL's fences, and atomic
//           functions for words; GP_PEEKS, for devices whose work-groups go on side by side and
//           whose volatile loads see what atomic functions wrote
// Gives: gp_fence_device; gp_publish_uint and gp_publish_ulong, gp_look_uint and gp_look_ulong, in
//        one go; gp_peek_uint, gp_peek_ulong; gp_look_pair_if, gp_look_one_if of both types
//
// A peek gives what a word is, or was earlier in this launch, for words of which either is right.
// It is for the look-back: many work-groups look at the same words, and atomic functions on one
// word wait for each other. A word that is 0 is looked at by an atomic function as well.
// SPDX-License-Identifier: MIT

#ifdef GP_PTX
// What this work-item, or one that a barrier put before it, has read or written comes before what
// they do next.
void gp_fence_device(void) { __asm__ volatile("fence.acq_rel.gpu;" ::: "memory"); }

void gp_publish_uint(volatile global uint *to, uint word) { *to = word; }
void gp_publish_ulong(volatile global ulong *to, ulong word) { *to = word; }
uint gp_look_uint(volatile global const uint *from) { return *from; }
ulong gp_look_ulong(volatile global const ulong *from) { return *from; }
uint gp_peek_uint(volatile global const uint *from) { return *from; }
ulong gp_peek_ulong(volatile global const ulong *from) { return *from; }

// Loads one word or two; zeros unless `wanted`. One instruction loads and tests, so that no
// compiler makes a branch of it, on which it would wait for the load. For two words, `from` is a
// multiple of their size.
#define GP_LOOK_IF(name, type, bits, letter)                                                                           \
    __attribute__((always_inline)) void gp_look_pair_if##name(type *first, type *second,                               \
                                                              volatile global const type *from, uint wanted) {         \
        __asm__ volatile("{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %3, 0;\n\tmov" bits " %0, 0;\n\tmov" bits     \
                         " %1, 0;\n\t@wanted ld.volatile.global.v2" bits " {%0, %1}, [%2];\n\t}"                       \
                         : "=" letter(*first), "=" letter(*second)                                                     \
                         : "l"((ulong)from), "r"(wanted)                                                               \
                         : "memory");                                                                                  \
    }                                                                                                                  \
    __attribute__((always_inline)) void gp_look_one_if##name(type *word, volatile global const type *from,             \
                                                             uint wanted) {                                            \
        __asm__ volatile("{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %2, 0;\n\tmov" bits                           \
                         " %0, 0;\n\t@wanted ld.volatile.global" bits " %0, [%1];\n\t}"                                \
                         : "=" letter(*word)                                                                           \
                         : "l"((ulong)from), "r"(wanted)                                                               \
                         : "memory");                                                                                  \
    }
GP_LOOK_IF(_uint, uint, ".b32", "r")
GP_LOOK_IF(_ulong, ulong, ".b64", "l")

#else
void gp_fence_device(void) {
#if __OPENCL_C_VERSION__ >= 200
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
#else
    mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
}

void gp_publish_uint(volatile global uint *to, uint word) { atomic_xchg(to, word); }
uint gp_look_uint(volatile global const uint *from) { return atomic_or((volatile global uint *)from, 0); }

#if defined(cl_khr_int64_base_atomics) && !defined(GP_NO_INT64_ATOMICS)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
void gp_publish_ulong(volatile global ulong *to, ulong word) { atom_xchg(to, word); }
ulong gp_look_ulong(volatile global const ulong *from) { return atom_add((volatile global ulong *)from, 0ul); }
#else // devices of 64 bits write and read a word in one go
void gp_publish_ulong(volatile global ulong *to, ulong word) { *to = word; }
ulong gp_look_ulong(volatile global const ulong *from) { return *from; }
#endif

#ifdef GP_PEEKS
uint gp_peek_uint(volatile global const uint *from) {
    const uint word = *from;
    return word != 0 ? word : gp_look_uint(from);
}
ulong gp_peek_ulong(volatile global const ulong *from) {
    const ulong word = *from;
    return word != 0 ? word : gp_look_ulong(from);
}
#else
uint gp_peek_uint(volatile global const uint *from) { return gp_look_uint(from); }
ulong gp_peek_ulong(volatile global const ulong *from) { return gp_look_ulong(from); }
#endif

// By peeks.
#define GP_LOOK_IF(name, type)                                                                                         \
    void gp_look_one_if##name(type *word, volatile global const type *from, uint wanted) {                             \
        *word = wanted ? gp_peek##name(from) : 0;                                                                      \
    }                                                                                                                  \
    void gp_look_pair_if##name(type *first, type *second, volatile global const type *from, uint wanted) {             \
        gp_look_one_if##name(first, from, wanted);                                                                     \
        gp_look_one_if##name(second, from + 1, wanted);                                                                \
    }
GP_LOOK_IF(_uint, uint)
GP_LOOK_IF(_ulong, ulong)
#endif
#undef GP_LOOK_IF
