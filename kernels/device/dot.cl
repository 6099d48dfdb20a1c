// Sums of the products of four bytes each.
//
// The form: GP_PTX, NVIDIA's instruction; else four multiplications
// Gives: gp_dot
// SPDX-License-Identifier: MIT

// sum + the products of a's four bytes, unsigned, and b's, signed. It wraps.
uint gp_dot(uint a, uint b, uint sum) {
#ifdef GP_PTX
    uint result;
    __asm__("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
#else
    const uint4 x = convert_uint4(as_uchar4(a)), y = as_uint4(convert_int4(as_char4(b)));
    return x.s0 * y.s0 + x.s1 * y.s1 + x.s2 * y.s2 + x.s3 * y.s3 + sum;
#endif
}
