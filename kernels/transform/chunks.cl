// The caller's text over arrays, for CPUs: every work-item owns one contiguous chunk.
//
// Computes: out[i] = gp_transform_text(x0[i], ..., i)
// Macros:   those of inputs.cl, but GP_VECTORS and GP_ALIGNED
// Launch:   work-groups of one, one work-item for each `chunk` elements
// Source:   one chunk a work-item
// SPDX-License-Identifier: MIT
#define GP_VECTORS 1
#define GP_ALIGNED 0
#include "transform/inputs.cl"

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void transform_chunks(GP_PARAMETERS, ulong chunk) {
    GP_BEGIN
    ulong p = get_global_id(0) * chunk;
    const ulong end = min(p + chunk, n);
    for (; p + GP_WIDTH <= end; p += GP_WIDTH) gp_vectors(GP_ARRAYS p, 0);
    for (; p < end; ++p) gp_element(GP_ARRAYS p);
}
