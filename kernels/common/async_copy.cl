// Copies from global to local memory that run beside the work-item, by instructions of NVIDIA's GPUs; elsewhere the work-item
// copies by itself.
//
// Macros: GP_ASYNC, where there is cp.async (sm_80 and later)
// Gives:  gp_async_word, gp_async_words, gp_async_commit, GP_ASYNC_WAIT
// Source: NVIDIA, "Parallel Thread Execution ISA", cp.async
// SPDX-License-Identifier: MIT

// Begins to copy a word, or writes 0 unless it is there.
void gp_async_word(local uint *to, global const uint *from, bool there) {
#ifdef GP_ASYNC
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((uint)(size_t)to), "l"(from),
                     "r"(there ? 4 : 0)
                     : "memory");
#else
    *to = there ? *from : 0;
#endif
}

// The same of four words, of which the first `count` are there; both pointers are multiples of 16.
void gp_async_words(local uint4 *to, global const uint *from, uint count) {
#ifdef GP_ASYNC
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((uint)(size_t)to), "l"(from),
                     "r"(4 * min(count, 4u))
                     : "memory");
#else
    *to = (uint4)(count > 0 ? from[0] : 0, count > 1 ? from[1] : 0, count > 2 ? from[2] : 0, count > 3 ? from[3] : 0);
#endif
}

// Ends a group of this work-item's copies; it may be empty.
void gp_async_commit(void) {
#ifdef GP_ASYNC
    __asm__ volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for all of this work-item's groups but the latest `groups`, a literal number. A work-group barrier must follow.
#ifdef GP_ASYNC
#define GP_ASYNC_WAIT(groups) __asm__ volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")
#else
#define GP_ASYNC_WAIT(groups)
#endif
