// The caller's text over arrays, for GPUs: every work-item computes GP_VECTORS vectors, a
// work-group's side by side. Vectors begin where those of the output are aligned, so that the first
// and the last one may be parts, whose elements go one by one.
//
// Computes: out[i] = gp_transform_text(x0[i], ..., i)
// Macros:   those of inputs.cl, but GP_ALIGNED; GP_GROUP, the work-group size
// Launch:   work-groups of GP_GROUP work-items, so many that they have vectors for n + GP_WIDTH - 1
//           elements
// Source:   Luitjens, "CUDA Pro Tip: Increase Performance with Vectorized Memory Access", 2013
// SPDX-License-Identifier: MIT
#ifndef GP_GROUP
#error "GP_GROUP must be defined: the work-group size"
#endif
#define GP_ALIGNED 1
#include "transform/inputs.cl"

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void transform_vectors(GP_PARAMETERS) {
    GP_BEGIN
    const ulong head = (size_t)out / sizeof(Result) & (GP_WIDTH - 1); // elements that the first vector lacks
    const ulong first = (get_group_id(0) * GP_VECTORS * GP_GROUP + get_local_id(0)) * GP_WIDTH;
    const ulong apart = GP_GROUP * GP_WIDTH, end = n + head;
    if (first >= head && first + (GP_VECTORS - 1) * apart + GP_WIDTH <= end) {
        gp_vectors(GP_ARRAYS first - head, apart);
        return;
    }
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const ulong begin = first + v * apart;
        for (ulong at = max(begin, head); at < min(begin + GP_WIDTH, end); ++at) gp_element(GP_ARRAYS at - head);
    }
}
