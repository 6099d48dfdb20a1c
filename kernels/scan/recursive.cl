// Recursive scan: each work-group scans a block in local memory and hands its sum up; the sums are
// scanned the same way, and added to the blocks.
//
// Macros: those of sweeps.cl
// Launch: work-groups of GP_GROUP work-items, one a block; scan_blocks, then, if there is more than
//         one block, the sums' own scan and add_sums
// Source: Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007;
//         Gruber, "GPGPU Computing with OpenCL", 2013, 4.4 and 4.6
// SPDX-License-Identifier: MIT
#include "common/positions.cl"
#include "scan/sweeps.cl"

// in and out may be the same.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void scan_blocks(global const T *in, ulong in_offset,
                                                                              global T *out, ulong out_offset,
                                                                              global T *sums, ulong sums_offset,
                                                                              ulong n, uint exclusive, uint reverse) {
    local T block[GP_BLOCK_SLOTS];
    const uint i = (uint)get_local_id(0), j = i + GP_GROUP;
    const ulong p = get_group_id(0) * GP_BLOCK + i, q = p + GP_GROUP;
    in += in_offset;
    out += out_offset;
    const T x = p < n ? in[GP_AT(p)] : GP_ZERO, y = q < n ? in[GP_AT(q)] : GP_ZERO;
    block[GP_SLOT(i)] = x;
    block[GP_SLOT(j)] = y;
    const T sum = gp_scan_block(block);
    if (i == 0) sums[sums_offset + get_group_id(0)] = sum;
    const T before_x = block[GP_SLOT(i)], before_y = block[GP_SLOT(j)];
    if (p < n) out[GP_AT(p)] = exclusive ? before_x : GP_COMBINE(before_x, x);
    if (q < n) out[GP_AT(q)] = exclusive ? before_y : GP_COMBINE(before_y, y);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
add_sums(global const T *sums, ulong sums_offset, global T *out, ulong out_offset, ulong n, uint reverse) {
    const T before = sums[sums_offset + get_group_id(0)];
    out += out_offset;
    for (uint half_block = 0; half_block < 2; ++half_block) {
        const ulong p = get_group_id(0) * GP_BLOCK + half_block * GP_GROUP + get_local_id(0);
        if (p >= n) continue;
        const T x = out[GP_AT(p)];
        out[GP_AT(p)] = GP_COMBINE(before, x);
    }
}
