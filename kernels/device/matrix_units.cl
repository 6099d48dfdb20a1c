// Matrix units, and what numbers for them are made with: by instructions of NVIDIA's Hopper
// generation (GP_PTX of 90 or more).
//
// Macros: GP_BFLOAT_UNITS, where gp_multiply_halves multiplies bfloat16
// Gives: gp_multiply_halves and, where float64 is enabled (GP_FLOAT64_UNITS), gp_multiply_doubles,
//        by all of a warp; gp_halves, gp_floats; gp_largest_of_warp
// Source: NVIDIA, "Parallel Thread Execution ISA", mma.sync
// SPDX-License-Identifier: MIT
#if !defined(GP_PTX) || GP_PTX < 90
#error "matrix units have no form but PTX of 90 and more"
#endif

uint gp_largest_of_warp(uint x) {
    uint result;
    __asm__ volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(result) : "r"(x));
    return result;
}

// Two floats as halves in a word, and back.
uint gp_halves(float low, float high) {
    uint both;
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

float2 gp_floats(uint halves) {
    float low, high;
    __asm__(
        "{\n\t.reg .b16 low, high;\n\tmov.b32 {low, high}, %2;\n\tcvt.f32.f16 %0, low;\n\tcvt.f32.f16 %1, high;\n\t}"
        : "=f"(low), "=f"(high)
        : "r"(halves));
    return (float2)(low, high);
}

#ifdef GP_BFLOAT_UNITS
#define GP_UNIT_KIND "bf16.bf16"
#else
#define GP_UNIT_KIND "f16.f16"
#endif

// sum + a * b of 16 x 16 halves by 16 x 8.
float4 gp_multiply_halves(uint4 a, uint2 b, float4 sum) {
    __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32." GP_UNIT_KIND
                     ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum.x), "+f"(sum.y), "+f"(sum.z), "+f"(sum.w)
                     : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
    return sum;
}

#ifdef GP_FLOAT64_UNITS
// The same of 16 x 8 doubles by 8 x 8.
double4 gp_multiply_doubles(double4 a, double2 b, double4 sum) {
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+d"(sum.x), "+d"(sum.y), "+d"(sum.z), "+d"(sum.w)
                     : "d"(a.x), "d"(a.y), "d"(a.z), "d"(a.w), "d"(b.x), "d"(b.y));
    return sum;
}
#endif
