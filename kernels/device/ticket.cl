// Numbers that work-groups draw.
//
// The form: GP_PTX, NVIDIA's instructions; else OpenCL's atomic functions
// Gives: gp_take_ticket
// SPDX-License-Identifier: MIT

// atomic_inc by a single work-item, as long as numbers stay below 2^32 - 1. That one NVIDIA's compiler makes a sum over the
// warp's work-items, all of whom wait for the answer at once; its instruction that wraps is waited for where it is used.
uint gp_take_ticket(volatile global uint *ticket) {
#ifdef GP_PTX
    uint number;
    __asm__ volatile("atom.global.inc.u32 %0, [%1], 0xfffffffe;" : "=r"(number) : "l"((ulong)ticket) : "memory");
    return number;
#else
    return atomic_inc(ticket);
#endif
}
