// The scan of a vector's lanes.
//
// Macros: those of combine.cl
// Gives: with GP_VECTORIZES scan_lanes; GP_LAST(v), the last lane; GP_SHIFT(first, v), the lanes
//         moved up by one; what chunk.cl does
// SPDX-License-Identifier: MIT
#include "common/chunk.cl"

#ifdef GP_VECTORIZES
// The inclusive scan of a vector's lanes, in log2(GP_WIDTH) steps. z holds identities.
TV scan_lanes(TV x, TV z) {
    TV y;
#if GP_WIDTH == 16
    y = (TV)(z.s0, x.s0, z.s0, x.s2, z.s0, x.s4, z.s0, x.s6, z.s0, x.s8, z.s0, x.sa, z.s0, x.sc, z.s0, x.se);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s01, x.s11, z.s01, x.s55, z.s01, x.s99, z.s01, x.sdd);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s0123, x.s3333, z.s0123, x.sbbbb);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s01234567, x.s77777777);
    x = GP_COMBINE(y, x);
#else
    y = (TV)(z.s0, x.s0, z.s0, x.s2, z.s0, x.s4, z.s0, x.s6);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s01, x.s11, z.s01, x.s55);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s0123, x.s3333);
    x = GP_COMBINE(y, x);
#endif
    return x;
}

#if GP_WIDTH == 16
#define GP_LAST(v) (v).sf
#define GP_SHIFT(first, v) (TV)((first), (v).s01234567, (v).s89ab, (v).scd, (v).se)
#else
#define GP_LAST(v) (v).s7
#define GP_SHIFT(first, v) (TV)((first), (v).s0123, (v).s45, (v).s6)
#endif
#endif
