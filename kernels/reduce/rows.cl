// Reduction of many rows on GPUs: a power of two of work-items reduces each row, several rows a
// work-group.
//
// Macros: those of combine.cl; GP_GROUP, the work-group size, a power of two
// Launch: work-groups of GP_GROUP work-items, one for every GP_GROUP / lanes rows; lanes:
//         work-items a row, a power of two
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#ifndef GP_GROUP
#error "GP_GROUP must be defined: the work-group size"
#endif

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void reduce_rows(global const GP_IN *in, ulong in_offset,
                                                                              global T *out, ulong out_offset, ulong n,
                                                                              ulong batch, uint lanes, ulong stride_in,
                                                                              ulong step_in, ulong stride_out) {
    local T room[GP_GROUP];
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    const ulong row = get_group_id(0) * (GP_GROUP / lanes) + id / lanes;
    T sum = GP_ZERO;
    if (row < batch) {
        in += in_offset + row * stride_in;
#ifdef GP_VECTORIZES
        const ulong first = lane, end = n, next = lanes; // operands may change places
#else
        const ulong share = (n + lanes - 1) / lanes;
        const ulong first = lane * share, end = min(first + share, n), next = 1;
#endif
        for (ulong p = first; p < end; p += next) {
            const T x = GP_READ(in, p * step_in);
            sum = GP_COMBINE(sum, x);
        }
    }
    room[id] = sum;
    for (uint step = 1; step < lanes; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane % (2 * step) == 0) {
            const T left = room[id], right = room[id + step];
            room[id] = GP_COMBINE(left, right);
        }
    }
    if (lane == 0 && row < batch) out[out_offset + row * stride_out] = room[id];
}
