// Scan for CPUs. Rows are cut into slabs, and slabs into chunks of one work-item each. A launch
// scans the chunks of a slab, each from what comes before it, and reduces the chunks of the next
// slab. The next slab is prefetched while this one is scanned, and stays in the caches until the
// next launch. So each element is read from memory once and written once.
//
// `sums` holds, for each slab and each row of it, what comes before and the sum of each of its
// chunks. Rows of a single chunk need no sums and one launch, with chunks = 1.
//
// Macros: those of combine.cl and counted.cl; GP_SEGMENTED, where flags begin segments (without it,
//         `heads` and `begins` are not read). Kind and direction are arguments, so that one program
//         serves all.
// Launch: one work-item for each of `chunks` chunks of `chunk` elements of each row of a slab (the
//         last ones of a row short or empty), or, with chunks = 1, every `rows` rows; reduce_chunks
//         for the first slab, then scan_chunks for each
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, sections 1.2 (more data than
//         processors) and 1.5 (segments)
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/chunk.cl"
#include "common/counted.cl"
#include "common/stream.cl"
#include "scan/vector.cl"

// Positions count in scan order; in reverse, `count` elements from position p lie at n - p - count.
#define GP_AT(p, count) (reverse ? n - (p) - (count) : (p))

#if GP_WIDTH == 16
#define GP_TURNED(v) (v).sfedcba9876543210
#else
#define GP_TURNED(v) (v).s76543210
#endif

#ifdef GP_SEGMENTED
// Does a segment begin at position p? In reverse it begins with its last element, before the next
// one's head.
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

// Reduces this work-item's chunk of a slab. begins: whether a segment begins in it; only what
// follows its last head counts.
void reduce_chunk(global const GP_IN *in, global const uchar *heads, global T *sums, global uchar *begins, ulong n,
                  ulong chunk, ulong chunks, ulong batch, ulong slab, ulong stride_in, uint reverse) {
    const ulong row = get_global_id(0) / chunks;
    const ulong here = get_global_id(0) - row * chunks; // no remainder beside a quotient: see naive.cl

    const ulong at = (slab * batch + row) * (chunks + 1) + 1 + here;
    ulong first = min((slab * chunks + here) * chunk, n);
    const ulong end = min(first + chunk, n);
    in += row * stride_in;
#ifdef GP_SEGMENTED
    heads += row * stride_in;
    ulong p = end;
    while (p >= first + GP_WIDTH && !begins_near(heads, p - GP_WIDTH, n, reverse)) p -= GP_WIDTH;
    while (p > first && !begins_at(heads, p - 1, n, reverse)) --p;
    begins[at] = p > first;
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
    sums[at] = sum;
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
reduce_chunks(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset, global T *sums,
              ulong sums_offset, global uchar *begins, ulong begins_offset, ulong n, ulong chunk, ulong chunks,
              ulong batch, ulong stride_in, uint reverse GP_CARRY_PARAMETERS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    sums += sums_offset;
    const ulong row = get_global_id(0) / chunks;
    T before = GP_ZERO;
#ifdef GP_CARRY
    before = GP_INITIAL(row);
#endif
    if (get_global_id(0) == row * chunks) sums[row * (chunks + 1)] = before;
    reduce_chunk(in + in_offset, heads + heads_offset, sums, begins + begins_offset, n, chunk, chunks, batch, 0,
                 stride_in, reverse);
}

// Combines what comes before a slab with the sums of its first `count` chunks.
T sum_before(global const T *sums, global const uchar *begins, ulong count) {
    T before = sums[0];
    for (ulong i = 1; i <= count; ++i) {
#ifdef GP_SEGMENTED
        if (begins[i]) before = GP_ZERO;
#endif
        const T sum = sums[i];
        before = GP_COMBINE(before, sum);
    }
    return before;
}

// Scans positions first to end of a row, and returns what comes behind them. streams: the result
// goes past the caches, and what lies `ahead` is asked for.
T scan_part(global const GP_IN *in, global T *out, global const uchar *heads, ulong n, ulong first, ulong end,
            ulong ahead, T before, uint exclusive, uint reverse, uint streams) {
    ulong p = first;
    while (p < end) {
        ulong single = GP_WIDTH; // how many of them go one by one
#ifdef GP_VECTORIZES
        const ulong over = streams ? (ulong)(out + GP_AT(p, 0)) % sizeof(TV) / sizeof(T) : 0;
        if (over != 0) single = reverse ? over : GP_WIDTH - over; // up to where a line begins
        TV carry = before;
        for (; over == 0 && p + GP_WIDTH <= end; p += GP_WIDTH) {
#ifdef GP_SEGMENTED
            if (begins_near(heads, p, n, reverse)) break;
#endif
            TV x = GP_VREAD(in + GP_AT(p, GP_WIDTH));
            if (reverse) x = GP_TURNED(x);
            const TV lanes = scan_lanes(x, (TV)GP_ZERO);
            TV result = GP_COMBINE(carry, lanes);
            if (exclusive) result = GP_SHIFT(carry.s0, result);
            if (reverse) result = GP_TURNED(result);
            if (streams) {
                GP_STREAM(result, (global TV *)(out + GP_AT(p, GP_WIDTH)));
                if (p + ahead + GP_WIDTH <= n) GP_ASK(in + GP_AT(p + ahead, GP_WIDTH), 0);
            } else {
                GP_VSTORE(result, 0, out + GP_AT(p, GP_WIDTH));
            }
            const TV last = GP_LAST(lanes);
            carry = GP_COMBINE(carry, last); // sooner than from the result
        }
        before = carry.s0;
#endif
        const ulong stop = min(p + single, end);
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
    return before;
}

#ifdef GP_CARRY
// What the end of a row hands on.
T end_of(T before, global const uchar *heads, uint reverse) {
#ifdef GP_SEGMENTED
    if (reverse && heads[0]) return GP_ZERO; // the first element's head closes its segment
#endif
    return before;
}
#endif

// Scans a slab, and reduces the next if there is one.
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
scan_chunks(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset, global T *out,
            ulong out_offset, global T *sums, ulong sums_offset, global uchar *begins, ulong begins_offset, ulong n,
            ulong chunk, ulong chunks, ulong batch, ulong rows, ulong slab, ulong stride_in, ulong stride_out,
            uint exclusive, uint reverse, uint streams GP_CARRY_PARAMETERS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong id = get_global_id(0);
    in += in_offset;
    heads += heads_offset;
    out += out_offset;
    if (chunks == 1) {
        for (ulong row = id * rows; row < min((id + 1) * rows, batch); ++row) {
            T before = GP_ZERO;
#ifdef GP_CARRY
            before = GP_INITIAL(row);
#endif
            before = scan_part(in + row * stride_in, out + row * stride_out, heads + row * stride_in, n, 0, n, 0,
                               before, exclusive, reverse, 0);
#ifdef GP_CARRY
            GP_HAND_ON(row, end_of(before, heads + row * stride_in, reverse));
#endif
        }
    } else {
        sums += sums_offset;
        begins += begins_offset;
        const ulong row = id / chunks, here = id - row * chunks, at = (slab * batch + row) * (chunks + 1);
        const ulong first = min((slab * chunks + here) * chunk, n), size = chunks * chunk;
#ifdef GP_COUNTED
        if (first >= n) return; // whose sums nobody may have written
#endif
        const T before = scan_part(in + row * stride_in, out + row * stride_out, heads + row * stride_in, n, first,
                                   min(first + chunk, n), size, sum_before(sums + at, begins + at, here), exclusive,
                                   reverse, streams);
#ifdef GP_CARRY
        if (first < n && n - first <= chunk) GP_HAND_ON(row, end_of(before, heads + row * stride_in, reverse));
#else
        (void)before;
#endif
        if ((slab + 1) * size < n) {
            if (here == 0) sums[at + batch * (chunks + 1)] = sum_before(sums + at, begins + at, chunks);
            reduce_chunk(in, heads, sums, begins, n, chunk, chunks, batch, slab + 1, stride_in, reverse);
        }
    }
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}
