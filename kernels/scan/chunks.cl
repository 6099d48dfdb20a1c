// Scan for CPUs: every work-item owns one contiguous chunk of a row, or some whole rows. Three launches: reduce the chunks,
// scan their sums, scan each chunk from where the sums say it starts. Work-groups of one work-item; the input is read twice,
// the output written once.
//
// Rows of a single chunk need the last launch alone, with chunks = 1.
//
// Macros: those of combine.cl; GP_SEGMENTED, where flags begin segments (without it, `heads` and `begins` are not read).
//         Kind and direction are arguments, so that one program serves all.
// Launch: reduce_chunks, scan_chunks: one work-item a chunk of `chunk` elements (a row's last one may be short), or, with
//         chunks = 1, every `rows` rows; scan_sums: one work-item a row
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, sections 1.2 (more data than processors) and 1.5 (segments)
// SPDX-License-Identifier: MIT
#include "common/chunk.cl"

// Positions count in scan order; in reverse, `count` elements from position p lie at n - p - count.
#define GP_AT(p, count) (reverse ? n - (p) - (count) : (p))

#if GP_WIDTH == 16
#define GP_TURNED(v) (v).sfedcba9876543210
#else
#define GP_TURNED(v) (v).s76543210
#endif

#ifdef GP_SEGMENTED
// Does a segment begin at position p? In reverse it begins with its last element, before the next one's head.
uint begins_at(global const uchar *heads, ulong p, ulong n, uint reverse) {
    return reverse ? p > 0 && heads[n - p] : heads[p];
}

// Does one begin at any of the GP_WIDTH positions from p?
uint begins_near(global const uchar *heads, ulong p, ulong n, uint reverse) {
    if (reverse && p == 0) return 1; // the flag behind the row's last element is not there to be read
    heads += reverse ? n - p - (GP_WIDTH - 1) : p;
#if GP_WIDTH == 16
    const ulong2 flags = as_ulong2(vload16(0, heads));
    return (flags.x | flags.y) != 0;
#else
    return as_ulong(vload8(0, heads)) != 0;
#endif
}
#endif

// begins: whether a segment begins in the chunk; only what follows its last head counts in the sum.
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
reduce_chunks(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset, global T *sums,
              ulong sums_offset, global uchar *begins, ulong begins_offset, ulong n, ulong chunk, ulong chunks,
              ulong stride_in, uint reverse) {
    const ulong row = get_global_id(0) / chunks;
    ulong first = (get_global_id(0) - row * chunks) * chunk; // no remainder beside a quotient: see slices.cl
    const ulong end = min(first + chunk, n);
    in += in_offset + row * stride_in;
#ifdef GP_SEGMENTED
    heads += heads_offset + row * stride_in;
    ulong p = end;
    while (p >= first + GP_WIDTH && !begins_near(heads, p - GP_WIDTH, n, reverse)) p -= GP_WIDTH;
    while (p > first && !begins_at(heads, p - 1, n, reverse)) --p;
    begins[begins_offset + get_global_id(0)] = p > first;
    if (p > first) first = p - 1;
#endif
    T sum;
#ifndef GP_VECTORIZES
    if (reverse) { // the order of operands matters
        sum = GP_ZERO;
        for (ulong i = first; i < end; ++i) {
            const T x = GP_READ(in, GP_AT(i, 1));
            sum = GP_COMBINE(sum, x);
        }
    } else
#endif
        sum = gp_reduce_chunk(in + GP_AT(first, end - first), end - first);
    sums[sums_offset + get_global_id(0)] = sum;
}

// Turns the sums of a row into what comes before each chunk.
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
scan_sums(global T *sums, ulong sums_offset, global const uchar *begins, ulong begins_offset, ulong chunks) {
    const ulong first = get_global_id(0) * chunks;
    T before = GP_ZERO;
    for (ulong i = first; i < first + chunks; ++i) {
        const T sum = sums[sums_offset + i];
        sums[sums_offset + i] = before;
#ifdef GP_SEGMENTED
        if (begins[begins_offset + i]) before = GP_ZERO;
#endif
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

// Scans positions first to end of a row.
void scan_part(global const GP_IN *in, global T *out, global const uchar *heads, ulong n, ulong first, ulong end,
               T before, uint exclusive, uint reverse) {
    ulong p = first;
    while (p < end) {
#ifdef GP_VECTORIZES
        for (; p + GP_WIDTH <= end; p += GP_WIDTH) {
#ifdef GP_SEGMENTED
            if (begins_near(heads, p, n, reverse)) break;
#endif
            TV x = GP_VREAD(in + GP_AT(p, GP_WIDTH));
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
        const ulong stop = min(p + GP_WIDTH, end);
        for (; p < stop; ++p) {
            const T x = GP_READ(in, GP_AT(p, 1));
#ifdef GP_SEGMENTED
            if (begins_at(heads, p, n, reverse)) before = GP_ZERO;
#endif
            const T y = GP_COMBINE(before, x);
            out[GP_AT(p, 1)] = exclusive ? before : y;
            before = y;
        }
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
scan_chunks(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset, global T *out,
            ulong out_offset, global const T *sums, ulong sums_offset, ulong n, ulong chunk, ulong chunks, ulong batch,
            ulong rows, ulong stride_in, ulong stride_out, uint exclusive, uint reverse) {
    const ulong id = get_global_id(0);
    in += in_offset;
    heads += heads_offset;
    out += out_offset;
    if (chunks == 1) {
        for (ulong row = id * rows; row < min((id + 1) * rows, batch); ++row)
            scan_part(in + row * stride_in, out + row * stride_out, heads + row * stride_in, n, 0, n, GP_ZERO,
                      exclusive, reverse);
    } else {
        const ulong row = id / chunks, first = (id - row * chunks) * chunk;
        scan_part(in + row * stride_in, out + row * stride_out, heads + row * stride_in, n, first,
                  min(first + chunk, n), sums[sums_offset + id], exclusive, reverse);
    }
}
