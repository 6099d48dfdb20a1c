// Numbers that work-groups draw.
//
// The form: GP_PTX, NVIDIA's instructions; else OpenCL's atomic functions
// Gives: gp_take_ticket
// SPDX-License-Identifier: MIT

// atomic_inc, called by a single work-item, for numbers below 2^32 - 1. NVIDIA's compiler turns
// atomic_inc into a sum over the warp's work-items, which waits for the result at once. The
// instruction here is waited for where its result is used.
uint gp_take_ticket(volatile global uint *ticket) {
#ifdef GP_PTX
    uint number;
    __asm__ volatile("atom.global.inc.u32 %0, [%1], 0xfffffffe;" : "=r"(number) : "l"((ulong)ticket) : "memory");
    return number;
#else
    return atomic_inc(ticket);
#endif
}
