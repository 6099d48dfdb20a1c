// Words between the 32 consecutive work-items of a warp, by NVIDIA's instructions.
//
// Macros: GP_SHUFFLE, where inline PTX is understood
// Gives:  gp_join_warp, which is the whole work-group's barrier elsewhere; with GP_SHUFFLE gp_shuffle_up_word,
//         gp_shuffle_down_word and gp_shuffle_word
// SPDX-License-Identifier: MIT
#ifdef GP_SHUFFLE
// Of the lane so many below, or above; its own where there is none.
uint gp_shuffle_up_word(uint x, uint delta) {
    uint result;
    __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(result) : "r"(x), "r"(delta));
    return result;
}

uint gp_shuffle_down_word(uint x, uint delta) {
    uint result;
    __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(x), "r"(delta));
    return result;
}

uint gp_shuffle_word(uint x, uint lane) {
    uint result;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(x), "r"(lane));
    return result;
}
#endif

// What the warp's work-items wrote to local memory is there for all of them.
void gp_join_warp(void) {
#ifdef GP_SHUFFLE
    __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
#else
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}
