// Scan of columns: every work-item walks along a part of GP_COLUMNS rows of the batch, so that
// work-items side by side, or a work-item's own loop, touch elements side by side. Three launches,
// as chunks.cl; rows in one part need the last alone.
//
// Macros: those of combine.cl; GP_COLUMNS: rows a work-item takes, 1 on a GPU; more need
//         neighbouring rows 1 apart. GP_SEGMENTED, where flags begin segments (without it, `heads`
//         and `begins` are not read).
// Launch: reduce_columns, scan_columns: work-items (batch / GP_COLUMNS, parts), each with `part`
//         positions (the last with the rest); scan_sums: one work-item a row. Work-groups of any
//         size.
// Source: Blelloch, "Prefix Sums and Their Applications", 1990
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/columns.cl"
#include "common/combine.cl"
#include "common/positions.cl"

#ifdef GP_SEGMENTED
// The flag by which position p begins a segment lies with the element before it, in reverse; the
// first needs none, but to part it from what comes before the row.
#ifdef GP_CARRY
#define GP_BEGINS_AT_FIRST (!reverse)
#else
#define GP_BEGINS_AT_FIRST 0
#endif
#define GP_BEGINS(p, c)                                                                                                \
    (((p) > 0 || GP_BEGINS_AT_FIRST) && heads[(GP_AT(p) + reverse) * step_in + GP_COLUMN(c, stride_in)])
#endif

// begins: whether a segment begins in the part; only what follows its last head counts in the sum.
kernel void reduce_columns(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset,
                           global T *sums, ulong sums_offset, global uchar *begins, ulong begins_offset, ulong n,
                           ulong batch, ulong part, ulong stride_in, ulong step_in, uint reverse) {
    const ulong column = get_global_id(0) * GP_COLUMNS, first = get_global_id(1) * part;
    if (column >= batch) return;
    const uint width = (uint)min((ulong)GP_COLUMNS, batch - column);
    const ulong to = get_global_id(1) * batch + column;
    in += in_offset + column * stride_in;
    heads += heads_offset + column * stride_in;
    sums += sums_offset + to;
    T sum[GP_COLUMNS];
    for (uint c = 0; c < width; ++c) sum[c] = GP_ZERO;
#ifdef GP_SEGMENTED
    uchar any[GP_COLUMNS];
    for (uint c = 0; c < width; ++c) any[c] = 0;
#endif
    for (ulong p = first; p < min(first + part, n); ++p) {
        for (uint c = 0; c < width; ++c) {
            const T x = GP_READ(in, GP_AT(p) * step_in + GP_COLUMN(c, stride_in));
            T before = sum[c];
#ifdef GP_SEGMENTED
            const uint fresh = GP_BEGINS(p, c);
            any[c] |= fresh;
            before = fresh ? GP_ZERO : before;
#endif
            sum[c] = GP_COMBINE(before, x);
        }
    }
    for (uint c = 0; c < width; ++c) sums[c] = sum[c];
#ifdef GP_SEGMENTED
    for (uint c = 0; c < width; ++c) begins[begins_offset + to + c] = any[c];
#endif
}

// Turns the sums of a row into what comes before each part.
kernel void scan_sums(global T *sums, ulong sums_offset, global const uchar *begins, ulong begins_offset, ulong batch,
                      ulong parts GP_CARRY_PARAMETERS) {
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    T before = GP_ZERO;
#ifdef GP_CARRY
    before = GP_INITIAL(row);
#endif
    for (ulong k = 0; k < parts; ++k) {
        const T sum = sums[sums_offset + k * batch + row];
        sums[sums_offset + k * batch + row] = before;
#ifdef GP_SEGMENTED
        if (begins[begins_offset + k * batch + row]) before = GP_ZERO;
#endif
        before = GP_COMBINE(before, sum);
    }
}

kernel void scan_columns(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset,
                         global T *out, ulong out_offset, global const T *sums, ulong sums_offset, ulong n, ulong batch,
                         ulong part, ulong stride_in, ulong step_in, ulong stride_out, ulong step_out, uint has_sums,
                         uint exclusive, uint reverse GP_CARRY_PARAMETERS) {
    const ulong column = get_global_id(0) * GP_COLUMNS, first = get_global_id(1) * part;
    if (column >= batch) return;
    const uint width = (uint)min((ulong)GP_COLUMNS, batch - column);
    in += in_offset + column * stride_in;
    heads += heads_offset + column * stride_in;
    out += out_offset + column * stride_out;
    sums += sums_offset + get_global_id(1) * batch + column;
    T before[GP_COLUMNS],
        result[GP_COLUMNS]; // results of their own, since out may be in, which the compiler can't know
    for (uint c = 0; c < width; ++c) before[c] = has_sums ? sums[c] : GP_ZERO;
#ifdef GP_CARRY
    for (uint c = 0; c < width && !has_sums; ++c) before[c] = GP_INITIAL(column + c);
#endif
    for (ulong p = first; p < min(first + part, n); ++p) {
        for (uint c = 0; c < width; ++c) {
            const T x = GP_READ(in, GP_AT(p) * step_in + GP_COLUMN(c, stride_in));
            T running = before[c];
#ifdef GP_SEGMENTED
            running = GP_BEGINS(p, c) ? GP_ZERO : running;
#endif
            const T next = GP_COMBINE(running, x);
            result[c] = exclusive ? running : next;
            before[c] = next;
        }
        for (uint c = 0; c < width; ++c) out[GP_AT(p) * step_out + GP_COLUMN(c, stride_out)] = result[c];
    }
#ifdef GP_CARRY
    for (uint c = 0; c < width && first < n && n - first <= part; ++c) {
#ifdef GP_SEGMENTED
        if (reverse && heads[GP_COLUMN(c, stride_in)]) before[c] = GP_ZERO; // it closes its segment
#endif
        GP_HAND_ON(column + c, before[c]);
    }
#endif
}
