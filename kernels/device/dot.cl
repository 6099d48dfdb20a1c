// Four bytes of a word: sums of products with those of another, and words of four low bytes.
//
// The form: GP_PTX, NVIDIA's instructions; else multiplications and shifts
// Gives: gp_dot, gp_dot_unsigned, gp_low_bytes, gp_transposed
// SPDX-License-Identifier: MIT

#ifndef GP_PTX
uint gp_sum_of_products(uint4 x, uint4 y, uint sum) {
    return x.s0 * y.s0 + x.s1 * y.s1 + x.s2 * y.s2 + x.s3 * y.s3 + sum;
}
#endif

// sum + the products of a's four bytes, unsigned, and b's, signed. It wraps.
uint gp_dot(uint a, uint b, uint sum) {
#ifdef GP_PTX
    uint result;
    __asm__("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
#else
    return gp_sum_of_products(convert_uint4(as_uchar4(a)), as_uint4(convert_int4(as_char4(b))), sum);
#endif
}

// The same of b's bytes as unsigned ones.
uint gp_dot_unsigned(uint a, uint b, uint sum) {
#ifdef GP_PTX
    uint result;
    __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
#else
    return gp_sum_of_products(convert_uint4(as_uchar4(a)), convert_uint4(as_uchar4(b)), sum);
#endif
}

// The low bytes of four words, the first one's lowest.
uint gp_low_bytes(uint first, uint second, uint third, uint fourth) {
#ifdef GP_PTX
    uint low, high, result;
    __asm__("prmt.b32 %0, %1, %2, 0x0040;" : "=r"(low) : "r"(first), "r"(second));
    __asm__("prmt.b32 %0, %1, %2, 0x0040;" : "=r"(high) : "r"(third), "r"(fourth));
    __asm__("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(result) : "r"(low), "r"(high));
    return result;
#else
    return (first & 255) | (second & 255) << 8 | (third & 255) << 16 | fourth << 24;
#endif
}

// Words of the first bytes of four words, of the second ones, and so on.
uint4 gp_transposed(uint first, uint second, uint third, uint fourth) {
#ifdef GP_PTX
    uint4 pairs, result;
    __asm__("prmt.b32 %0, %1, %2, 0x5140;" : "=r"(pairs.s0) : "r"(first), "r"(second));
    __asm__("prmt.b32 %0, %1, %2, 0x7362;" : "=r"(pairs.s1) : "r"(first), "r"(second));
    __asm__("prmt.b32 %0, %1, %2, 0x5140;" : "=r"(pairs.s2) : "r"(third), "r"(fourth));
    __asm__("prmt.b32 %0, %1, %2, 0x7362;" : "=r"(pairs.s3) : "r"(third), "r"(fourth));
    __asm__("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(result.s0) : "r"(pairs.s0), "r"(pairs.s2));
    __asm__("prmt.b32 %0, %1, %2, 0x7632;" : "=r"(result.s1) : "r"(pairs.s0), "r"(pairs.s2));
    __asm__("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(result.s2) : "r"(pairs.s1), "r"(pairs.s3));
    __asm__("prmt.b32 %0, %1, %2, 0x7632;" : "=r"(result.s3) : "r"(pairs.s1), "r"(pairs.s3));
    return result;
#else
    return (uint4)(gp_low_bytes(first, second, third, fourth),
                   gp_low_bytes(first >> 8, second >> 8, third >> 8, fourth >> 8),
                   gp_low_bytes(first >> 16, second >> 16, third >> 16, fourth >> 16),
                   gp_low_bytes(first >> 24, second >> 24, third >> 24, fourth >> 24));
#endif
}
