// Additions to global memory whose results nobody waits for.
//
// The form: GP_PTX, NVIDIA's instructions; else OpenCL's atomic functions, on 32 bits at a time
//           where there are none of 64, or GP_NO_INT64_ATOMICS says so
// Gives: gp_add_ulong, without order to other accesses
// SPDX-License-Identifier: MIT
#if defined(cl_khr_int64_base_atomics) && !defined(GP_PTX) && !defined(GP_NO_INT64_ATOMICS)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

void gp_add_ulong(volatile global ulong *to, ulong more) {
#ifdef GP_PTX
    __asm__ volatile("red.global.add.u64 [%0], %1;" ::"l"((ulong)to), "l"(more) : "memory");
#elif defined(cl_khr_int64_base_atomics) && !defined(GP_NO_INT64_ATOMICS)
    atom_add(to, more);
#else // devices of this kind keep the low half first
    volatile global uint *halves = (volatile global uint *)to;
    const uint low = (uint)more, before = atomic_add(halves, low);
    const uint high = (uint)(more >> 32) + (before + low < before ? 1 : 0);
    if (high != 0) atomic_add(halves + 1, high);
#endif
}
