// How work is divided where one work-item does a core's work.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "core/size.h"

namespace gpcl {

struct Chunks {
    size_t chunk; // elements of each, but for a row's last
    size_t count; // of a row
    size_t rows;  // whole rows of one work-item, where count is 1
    // Work-items for so many rows.
    size_t items(size_t batch) const { return count > 1 ? batch * count : ceil_div(batch, rows); }
};

// A few chunks for each compute unit, so that a late core does little harm; whole cache lines; one chunk for small n. The
// division depends on the device, n and batch only, so floating-point results do not change from run to run.
inline Chunks divide(const cl::Context &context, size_t n, size_t batch = 1) {
    constexpr size_t kLeast = 1 << 14; // elements that are worth a work-item of their own
    constexpr size_t kLine = 64;
    const size_t wanted = size_t{context.info().compute_units} * 4;
    const size_t parts = std::min(ceil_div(n, kLeast), ceil_div(wanted, batch));
    const size_t chunk = std::max(round_up(ceil_div(n, std::max(parts, size_t{1})), kLine), kLine);
    const size_t rows = std::min(ceil_div(kLeast, std::max(n, size_t{1})), ceil_div(batch, wanted));
    return {chunk, ceil_div(n, chunk), std::max(rows, size_t{1})};
}

} // namespace gpcl
