// Scan for CPUs: every work-item owns one contiguous chunk. Three launches: reduce the chunks, scan their sums, scan each
// chunk from where the sums say it starts. Work-groups of one work-item; the input is read twice, the output written once.
//
// A single chunk needs the last launch alone, with has_sums = 0.
//
// Macros: those of combine.cl. Kind and direction are arguments, so that one program serves all.
// Launch: reduce_chunks, scan_chunks: one work-item a chunk of `chunk` elements (the last one may be short);
//         scan_sums: one work-item
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than processors)
// SPDX-License-Identifier: MIT
#include "common/chunk.cl"

// Positions count in scan order; in reverse, `count` elements from position p lie at n - p - count.
#define GP_AT(p, count) (reverse ? n - (p) - (count) : (p))

#if GP_WIDTH == 16
#define GP_TURNED(v) (v).sfedcba9876543210
#else
#define GP_TURNED(v) (v).s76543210
#endif

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void reduce_chunks(global const T *in, ulong in_offset,
                                                                         global T *sums, ulong sums_offset, ulong n,
                                                                         ulong chunk, uint reverse) {
    const ulong first = get_global_id(0) * chunk;
    const ulong count = min(chunk, n - first);
    in += in_offset;
    T sum;
#ifndef GP_VECTORIZES
    if (reverse) { // the order of operands matters
        sum = GP_ZERO;
        for (ulong p = first; p < first + count; ++p) {
            const T x = in[GP_AT(p, 1)];
            sum = GP_COMBINE(sum, x);
        }
    } else
#endif
        sum = gp_reduce_chunk(in + GP_AT(first, count), count);
    sums[sums_offset + get_global_id(0)] = sum;
}

// Turns the sums into what comes before each chunk.
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void scan_sums(global T *sums, ulong sums_offset, ulong count) {
    T before = GP_ZERO;
    for (ulong i = 0; i < count; ++i) {
        const T sum = sums[sums_offset + i];
        sums[sums_offset + i] = before;
        before = GP_COMBINE(before, sum);
    }
}

#ifdef GP_VECTORIZES
// The inclusive scan of a vector's lanes, in log2(GP_WIDTH) steps. z holds identities.
TV scan_lanes(TV x, TV z) {
    TV y;
#if GP_WIDTH == 16
    y = (TV)(z.s0, x.s01234567, x.s89ab, x.scd, x.se);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s01, x.s01234567, x.s89ab, x.scd);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s0123, x.s01234567, x.s89ab);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s01234567, x.s01234567);
    x = GP_COMBINE(y, x);
#else
    y = (TV)(z.s0, x.s0123, x.s45, x.s6);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s01, x.s0123, x.s45);
    x = GP_COMBINE(y, x);
    y = (TV)(z.s0123, x.s0123);
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

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
scan_chunks(global const T *in, ulong in_offset, global T *out, ulong out_offset, global const T *sums,
            ulong sums_offset, ulong n, ulong chunk, uint has_sums, uint exclusive, uint reverse) {
    const ulong first = get_global_id(0) * chunk;
    const ulong end = first + min(chunk, n - first);
    T before = has_sums ? sums[sums_offset + get_global_id(0)] : GP_ZERO;
    in += in_offset;
    out += out_offset;
    ulong p = first;
#ifdef GP_VECTORIZES
    for (; p + GP_WIDTH <= end; p += GP_WIDTH) {
        TV x = GP_VLOAD(0, in + GP_AT(p, GP_WIDTH));
        if (reverse) x = GP_TURNED(x);
        const TV lanes = scan_lanes(x, (TV)GP_ZERO);
        const TV carry = before;
        const TV y = GP_COMBINE(carry, lanes);
        TV result = y;
        if (exclusive) result = GP_SHIFT(before, y);
        if (reverse) result = GP_TURNED(result);
        GP_VSTORE(result, 0, out + GP_AT(p, GP_WIDTH));
        before = GP_LAST(y);
    }
#endif
    for (; p < end; ++p) {
        const T x = in[GP_AT(p, 1)];
        const T y = GP_COMBINE(before, x);
        out[GP_AT(p, 1)] = exclusive ? before : y;
        before = y;
    }
}
