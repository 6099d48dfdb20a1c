// Scan by Hillis and Steele: in pass d every element is combined with the one 2^d places before it.
// Two buffers take turns, so that no pass reads what it has written. n log n combinations.
//
// Macros: those of combine.cl
// Launch: at least n work-items, work-groups of any size; scan_naive_begin, then scan_naive_pass
//         with offset = 1, 2, 4 ... while offset < n, then scan_naive_end
// Source: Hillis and Steele, "Data Parallel Algorithms", 1986; Gruber, "GPGPU Computing with
//         OpenCL", 2013, 4.2
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/combine.cl"
#include "common/positions.cl"

kernel void scan_naive_begin(global const T *in, ulong in_offset, global T *to, ulong to_offset, ulong n,
                             uint reverse GP_CARRY_PARAMETERS) {
    const ulong p = get_global_id(0);
    if (p >= n) return;
    T x = in[in_offset + GP_AT(p)];
#ifdef GP_CARRY
    const T before = GP_INITIAL(0);
    if (p == 0) x = GP_COMBINE(before, x);
#endif
    to[to_offset + p] = x;
}

kernel void scan_naive_pass(global const T *from, ulong from_offset, global T *to, ulong to_offset, ulong n,
                            ulong offset) {
    const ulong p = get_global_id(0);
    from += from_offset;
    to += to_offset;
    if (p >= n) return;
    if (p >= offset) {
        const T before = from[p - offset], here = from[p];
        to[p] = GP_COMBINE(before, here);
    } else if (p >= offset / 2) {
        to[p] = from[p]; // elements further to the front have not changed for two passes
    }
}

kernel void scan_naive_end(global const T *from, ulong from_offset, global T *out, ulong out_offset, ulong n,
                           uint exclusive, uint reverse GP_CARRY_PARAMETERS) {
    const ulong p = get_global_id(0);
    if (p >= n) return;
    from += from_offset;
    T first = GP_ZERO; // of an exclusive scan
#ifdef GP_CARRY
    first = GP_INITIAL(0);
    if (p == n - 1) GP_HAND_ON(0, from[p]);
#endif
    out[out_offset + GP_AT(p)] = !exclusive ? from[p] : p > 0 ? from[p - 1] : first;
}
