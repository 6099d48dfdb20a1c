// Reduction of one contiguous chunk by one work-item, with vectors where the operator allows it.
//
// Macros: those of combine.cl
// Gives:  TV, a vector of 64 bytes; GP_WIDTH, its elements; GP_VREAD(in), the first GP_WIDTH
//         elements of `in` as a TV; gp_reduce_chunk
// SPDX-License-Identifier: MIT
#include "common/combine.cl"

#if GP_TYPE_SIZE == 4
#define GP_WIDTH 16
#else
#define GP_WIDTH 8
#endif
#define TV GP_PASTE(T, GP_WIDTH)
#define GP_VLOAD GP_PASTE(vload, GP_WIDTH)
#define GP_VSTORE GP_PASTE(vstore, GP_WIDTH)

#if defined(GP_READS_T)
#define GP_VREAD(in) GP_VLOAD(0, in)
#elif defined(GP_IN_HALF)
// Through a variable: PoCL's vload_half wants more alignment than that of half.
TV gp_read_halves(global const half *in) {
    GP_PASTE(ushort, GP_WIDTH) bits = GP_VLOAD(0, (global const ushort *)in);
    return GP_PASTE(convert_, TV)(GP_PASTE(vload_half, GP_WIDTH)(0, (half *)&bits));
}
#define GP_VREAD(in) gp_read_halves(in)
#else
#define GP_VREAD(in) GP_PASTE(convert_, TV)(GP_VLOAD(0, in))
#endif

// Combines in[0 .. n) from left to right. Our own operators use four vectors side by side to hide
// their latency.
T gp_reduce_chunk(global const GP_IN *in, ulong n) {
    T sum = GP_ZERO;
    ulong i = 0;
#ifdef GP_VECTORIZES
    if (n >= 4 * GP_WIDTH) {
        TV a = GP_ZERO, b = GP_ZERO, c = GP_ZERO, d = GP_ZERO;
        for (; i + 4 * GP_WIDTH <= n; i += 4 * GP_WIDTH) {
            const TV p = GP_VREAD(in + i), q = GP_VREAD(in + i + GP_WIDTH);
            const TV r = GP_VREAD(in + i + 2 * GP_WIDTH), s = GP_VREAD(in + i + 3 * GP_WIDTH);
            a = GP_COMBINE(a, p);
            b = GP_COMBINE(b, q);
            c = GP_COMBINE(c, r);
            d = GP_COMBINE(d, s);
        }
        const TV e = GP_COMBINE(a, b), f = GP_COMBINE(c, d);
        const TV all = GP_COMBINE(e, f);
        T lanes[GP_WIDTH];
        GP_VSTORE(all, 0, lanes);
        for (uint lane = 0; lane < GP_WIDTH; ++lane) sum = GP_COMBINE(sum, lanes[lane]);
    }
#endif
    for (; i < n; ++i) {
        const T x = GP_READ(in, i);
        sum = GP_COMBINE(sum, x);
    }
    return sum;
}
