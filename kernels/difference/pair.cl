// Neighbouring elements and what becomes of two of them.
//
// Macros: GP_STORED, the type of elements in memory; GP_HALF, where it is half; GP_FLOAT64, where
//         it is double; GP_KEPT: 1 where a row's first element is kept, 0 where it is left out T,
//         the type that is computed in, integers without a sign, which wrap; or
//         GP_OPERATOR_TEXT, and then the program begins with T and T gp_difference_text(T a, T b)
//         (lib/ops/difference/difference.cpp writes them)
// Gives: GP_ROWS; GP_GET(from, i), an element; gp_change(a, b), of an element and the one behind
//         it; gp_put(value, to, i)
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/inline.cl"
#ifdef GP_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if !defined(GP_STORED) || !defined(GP_KEPT)
#error "GP_STORED and GP_KEPT must be defined"
#endif

// Parameters of a kernel. n: the results of a row.
#define GP_ROWS                                                                                                        \
    global const GP_STORED *in, ulong in_offset, global GP_STORED *out, ulong out_offset, ulong n, ulong batch,        \
        ulong stride_in, ulong stride_out

// n, the results of a row, of so many elements as counted.cl says.
#ifdef GP_COUNTED
#define GP_TAKE_RESULTS                                                                                                \
    n += 1 - GP_KEPT;                                                                                                  \
    GP_TAKE_COUNT(n)                                                                                                   \
    n -= min(n, (ulong)(1 - GP_KEPT));
#else
#define GP_TAKE_RESULTS
#endif

#ifdef GP_HALF
#define GP_GET(from, i) vload_half(i, from)
#else
#define GP_GET(from, i) ((from)[i])
#endif

GP_INLINE T gp_change(T a, T b) {
#ifdef GP_OPERATOR_TEXT
    return gp_difference_text(a, b);
#else
    return b - a;
#endif
}

GP_INLINE void gp_put(T value, global GP_STORED *to, ulong i) {
#ifdef GP_HALF
    vstore_half_rte(value, i, to);
#else
    to[i] = value;
#endif
}

// Result i of a row, whose first element is in[0].
GP_INLINE void gp_result(global const GP_STORED *in, ulong step_in, global GP_STORED *out, ulong step_out, ulong i) {
    if (GP_KEPT && i == 0)
#ifdef GP_HALF // is no type to copy with
        *(global ushort *)out = *(global const ushort *)in;
#else
        *out = *in;
#endif
    else
        gp_put(gp_change(GP_GET(in, (i - GP_KEPT) * step_in), GP_GET(in, (i - GP_KEPT + 1) * step_in)), out,
               i * step_out);
}
