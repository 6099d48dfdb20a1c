// Reduction for CPUs: every work-item owns one contiguous chunk. Launched on the input, then on the sums.
//
// Macros: those of combine.cl
// Launch: one work-item a chunk of `chunk` elements (the last one may be short), work-groups of one
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than processors)
// SPDX-License-Identifier: MIT
#include "common/chunk.cl"

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
reduce_chunks(global const T *in, ulong in_offset, global T *sums, ulong sums_offset, ulong n, ulong chunk) {
    const ulong first = get_global_id(0) * chunk;
    sums[sums_offset + get_global_id(0)] = gp_reduce_chunk(in + in_offset + first, min(chunk, n - first));
}
