// Copies from global to local memory that proceed while the work-item goes on. Where the device has
// none, the work-item copies by itself.
//
// The form: GP_PTX of 80 or more, NVIDIA's instructions; else plain loads and stores
// Gives:  gp_async_word, gp_async_words, gp_async_vector, gp_async_word_part, gp_async_pair_part,
//         gp_async_vector_part, gp_async_commit, GP_ASYNC_WAIT, gp_async_wait_all
// Source: NVIDIA, "Parallel Thread Execution ISA", cp.async
// SPDX-License-Identifier: MIT
#if defined(GP_PTX) && GP_PTX >= 80
// Begins to copy a word. Unless `there`, writes 0.
void gp_async_word(local uint *to, global const uint *from, bool there) {
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((uint)(size_t)to), "l"(from),
                     "r"(there ? 4 : 0)
                     : "memory");
}

// Begins to copy four words, of which the first `count` are there; the others become 0. Both
// pointers are multiples of 16.
void gp_async_words(local uint4 *to, global const uint *from, uint count) {
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((uint)(size_t)to), "l"(from),
                     "r"(4 * min(count, 4u))
                     : "memory");
}

// Begins to copy the first `bytes` of a word, an even number; the others become 0. Both pointers
// are multiples of 4.
void gp_async_word_part(local uint *to, global const ushort *from, uint bytes) {
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((uint)(size_t)to), "l"(from),
                     "r"(min(bytes, 4u))
                     : "memory");
}

// The same of two words. Both pointers are multiples of 8.
void gp_async_pair_part(local uint2 *to, global const ushort *from, uint bytes) {
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"((uint)(size_t)to), "l"(from),
                     "r"(min(bytes, 8u))
                     : "memory");
}

// The same of four words. Both pointers are multiples of 16.
void gp_async_vector_part(local uint4 *to, global const ushort *from, uint bytes) {
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((uint)(size_t)to), "l"(from),
                     "r"(min(bytes, 16u))
                     : "memory");
}

// Begins to copy four words. Both pointers are multiples of 16.
void gp_async_vector(local uint4 *to, global const uint4 *from) {
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint)(size_t)to), "l"(from) : "memory");
}

// Ends a group of this work-item's copies; it may be empty.
void gp_async_commit(void) { __asm__ volatile("cp.async.commit_group;" ::: "memory"); }

// Waits for all of this work-item's groups but the latest `groups`, a literal number. A work-group
// barrier must follow.
#define GP_ASYNC_WAIT(groups) __asm__ volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")

// Waits for all of this work-item's copies.
void gp_async_wait_all(void) { __asm__ volatile("cp.async.wait_all;" ::: "memory"); }

#else
void gp_async_word(local uint *to, global const uint *from, bool there) { *to = there ? *from : 0; }

void gp_async_words(local uint4 *to, global const uint *from, uint count) {
    *to = (uint4)(count > 0 ? from[0] : 0, count > 1 ? from[1] : 0, count > 2 ? from[2] : 0, count > 3 ? from[3] : 0);
}

void gp_async_word_part(local uint *to, global const ushort *from, uint bytes) {
    *to = (bytes > 0 ? (uint)from[0] : 0) | (bytes > 2 ? (uint)from[1] << 16 : 0);
}

void gp_async_pair_part(local uint2 *to, global const ushort *from, uint bytes) {
    for (uint i = 0; i < 2; ++i) gp_async_word_part((local uint *)to + i, from + 2 * i, max(bytes, 4 * i) - 4 * i);
}

void gp_async_vector_part(local uint4 *to, global const ushort *from, uint bytes) {
    for (uint i = 0; i < 4; ++i) gp_async_word_part((local uint *)to + i, from + 2 * i, max(bytes, 4 * i) - 4 * i);
}

void gp_async_vector(local uint4 *to, global const uint4 *from) { *to = *from; }

void gp_async_commit(void) {}
#define GP_ASYNC_WAIT(groups)
void gp_async_wait_all(void) {}
#endif
