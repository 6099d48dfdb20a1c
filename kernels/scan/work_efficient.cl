// Scan by Blelloch: sums climb a binary tree of a power of two leaves (up-sweep), then what comes
// before each node descends it (down-sweep), in place in global memory. 2 n combinations, 2 log n
// launches.
//
// Macros: those of combine.cl
// Launch: work_efficient_begin: a work-item a leaf; up_sweep: offset = 1, 2, 4 ... half the leaves,
//         a work-item each pair of nodes, `offset` apart; clear_root: one work-item; down_sweep:
//         the same offsets in falling order; work_efficient_end: at least n work-items. Work-groups
//         of any size.
// Source: Blelloch, "Prefix Sums and Their Applications", 1990; Gruber, "GPGPU Computing with
//         OpenCL", 2013, 4.3
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#include "common/positions.cl"

kernel void work_efficient_begin(global const T *in, ulong in_offset, global T *tree, ulong tree_offset, ulong n,
                                 uint reverse) {
    const ulong p = get_global_id(0);
    tree[tree_offset + p] = p < n ? in[in_offset + GP_AT(p)] : GP_ZERO;
}

kernel void up_sweep(global T *tree, ulong tree_offset, ulong offset) {
    const ulong right = tree_offset + (get_global_id(0) + 1) * 2 * offset - 1;
    const T a = tree[right - offset], b = tree[right];
    tree[right] = GP_COMBINE(a, b);
}

kernel void clear_root(global T *tree, ulong tree_offset, ulong leaves) { tree[tree_offset + leaves - 1] = GP_ZERO; }

kernel void down_sweep(global T *tree, ulong tree_offset, ulong offset) {
    const ulong right = tree_offset + (get_global_id(0) + 1) * 2 * offset - 1;
    const T before = tree[right], left = tree[right - offset];
    tree[right - offset] = before;
    tree[right] = GP_COMBINE(before, left);
}

// in and out may be the same.
kernel void work_efficient_end(global const T *in, ulong in_offset, global const T *tree, ulong tree_offset,
                               global T *out, ulong out_offset, ulong n, uint exclusive, uint reverse) {
    const ulong p = get_global_id(0);
    if (p >= n) return;
    const T before = tree[tree_offset + p], here = in[in_offset + GP_AT(p)];
    out[out_offset + GP_AT(p)] = exclusive ? before : GP_COMBINE(before, here);
}
