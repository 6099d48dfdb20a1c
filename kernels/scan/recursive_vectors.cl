// Recursive scan as recursive.cl, with two vectors of 8 elements a work-item: they are scanned in
// registers, and only their sums go through local memory.
//
// Macros: those of sweeps.cl
// Launch: work-groups of GP_GROUP work-items, one a block of 16 * GP_GROUP elements;
//         scan_vector_blocks, then, if there is more than one block, the sums' own scan and
//         add_vector_sums
// Source: Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007;
//         Gruber, "GPGPU Computing with OpenCL", 2013, 4.5
// SPDX-License-Identifier: MIT
#include "common/positions.cl"
#include "scan/sweeps.cl"

#define T8 GP_PASTE(T, 8)

T8 load_vector(global const T *in, ulong first, ulong n, uint reverse) {
    if (!reverse && first + 8 <= n) return GP_PASTE(vload, 8)(0, in + first);
    T x[8];
    for (uint i = 0; i < 8; ++i) x[i] = first + i < n ? in[GP_AT(first + i)] : GP_ZERO;
    return GP_PASTE(vload, 8)(0, x);
}

void store_vector(T8 v, global T *out, ulong first, ulong n, uint reverse) {
    if (!reverse && first + 8 <= n) {
        GP_PASTE(vstore, 8)(v, 0, out + first);
        return;
    }
    T x[8];
    GP_PASTE(vstore, 8)(v, 0, x);
    for (uint i = 0; i < 8; ++i)
        if (first + i < n) out[GP_AT(first + i)] = x[i];
}

// The sum climbs to s7; the nodes on the way stay in s1, s3 and s5.
T8 up_sweep(T8 v) {
    v.s1 = GP_COMBINE(v.s0, v.s1);
    v.s3 = GP_COMBINE(v.s2, v.s3);
    v.s5 = GP_COMBINE(v.s4, v.s5);
    v.s7 = GP_COMBINE(v.s6, v.s7);
    v.s3 = GP_COMBINE(v.s1, v.s3);
    v.s7 = GP_COMBINE(v.s5, v.s7);
    v.s7 = GP_COMBINE(v.s3, v.s7);
    return v;
}

// `left` and `right` are nodes of one level, `before` what comes before both.
#define GP_DESCEND(left, right)                                                                                        \
    before = right;                                                                                                    \
    right = GP_COMBINE(before, left);                                                                                  \
    left = before

// From the nodes of up_sweep to what comes before each element, with `start` before the first.
T8 down_sweep(T8 v, T start) {
    T before;
    v.s7 = start;
    GP_DESCEND(v.s3, v.s7);
    GP_DESCEND(v.s1, v.s3);
    GP_DESCEND(v.s5, v.s7);
    GP_DESCEND(v.s0, v.s1);
    GP_DESCEND(v.s2, v.s3);
    GP_DESCEND(v.s4, v.s5);
    GP_DESCEND(v.s6, v.s7);
    return v;
}

T8 combine_each(T8 a, T8 b) {
#ifdef GP_VECTORIZES
    return GP_COMBINE(a, b);
#else
    return (T8)(GP_COMBINE(a.s0, b.s0), GP_COMBINE(a.s1, b.s1), GP_COMBINE(a.s2, b.s2), GP_COMBINE(a.s3, b.s3),
                GP_COMBINE(a.s4, b.s4), GP_COMBINE(a.s5, b.s5), GP_COMBINE(a.s6, b.s6), GP_COMBINE(a.s7, b.s7));
#endif
}

// in and out may be the same.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
scan_vector_blocks(global const T *in, ulong in_offset, global T *out, ulong out_offset, global T *sums,
                   ulong sums_offset, ulong n, uint exclusive, uint reverse) {
    local T block[GP_BLOCK_SLOTS]; // the vectors' sums
    const uint i = (uint)get_local_id(0), j = i + GP_GROUP;
    const ulong p = (get_group_id(0) * GP_BLOCK + i) * 8, q = p + 8 * GP_GROUP;
    in += in_offset;
    out += out_offset;
    const T8 x = load_vector(in, p, n, reverse), y = load_vector(in, q, n, reverse);
    T8 up_x = up_sweep(x), up_y = up_sweep(y);
    block[GP_SLOT(i)] = up_x.s7;
    block[GP_SLOT(j)] = up_y.s7;
    const T sum = gp_scan_block(block);
    if (i == 0) sums[sums_offset + get_group_id(0)] = sum;
    up_x = down_sweep(up_x, block[GP_SLOT(i)]);
    up_y = down_sweep(up_y, block[GP_SLOT(j)]);
    store_vector(exclusive ? up_x : combine_each(up_x, x), out, p, n, reverse);
    store_vector(exclusive ? up_y : combine_each(up_y, y), out, q, n, reverse);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
add_vector_sums(global const T *sums, ulong sums_offset, global T *out, ulong out_offset, ulong n, uint reverse) {
    const T8 before = (T8)(sums[sums_offset + get_group_id(0)]);
    out += out_offset;
    for (uint half_block = 0; half_block < 2; ++half_block) {
        const ulong p = (get_group_id(0) * GP_BLOCK + half_block * GP_GROUP + get_local_id(0)) * 8;
        if (p < n) store_vector(combine_each(before, load_vector(out, p, n, reverse)), out, p, n, reverse);
    }
}
