// Merge of sorted arrays on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/segments.h"

namespace gpcl::host {

// A sorted array, or one of sorted runs, with its values; `values` is not read where value_size is
// 0.
struct Sorted {
    const void *keys;
    size_t n;
    const void *values;
};

// Merges as gp_merge_pairs does; value_size 0: as gp_merge.
void merge(gp_dtype dtype, bool descending, const Sorted &a, const Sorted &b, void *out, size_t value_size,
           void *out_values);

// Merges as gp_merge_runs_pairs does; value_size 0: as gp_merge_runs. Where the offsets are wrong,
// the runs are others.
void merge_runs(gp_dtype dtype, bool descending, const Segments &runs, const Sorted &keys, void *out, size_t value_size,
                void *out_values);

} // namespace gpcl::host
