// Stable sort of rows and of segments on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/rows.h"
#include "core/segments.h"
#include "host/sort.h"

namespace gpcl::host {

// Where rows have their keys and what is sorted with them; NULL for what there is none of. Values
// and indices lie as the keys do. With indices the keys are only read.
struct RowArrays {
    void *keys = nullptr;
    size_t value_size = 0;
    void *values = nullptr;
    gp_dtype index = 0;
    void *indices = nullptr;
};

// Each row as sort(), sort_pairs() or argsort() sort an array. Short rows are divided among
// threads; long ones are sorted one after the other, each by all threads. When memory is short,
// some rows may be sorted already (std::bad_alloc).
void sort_rows(gp_dtype dtype, const Rows &rows, const RowArrays &arrays, const Ordering &ordering);

// The same for segments, cut to n keys. What several segments hold is undefined afterwards.
void sort_segments(gp_dtype dtype, size_t n, const Segments &segments, const RowArrays &arrays,
                   const Ordering &ordering);

} // namespace gpcl::host
