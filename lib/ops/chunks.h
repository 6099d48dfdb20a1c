// How work is divided where one work-item does a core's work.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "core/size.h"

namespace gpcl {

struct Chunks {
    size_t chunk; // elements of each, but for the last
    size_t count;
};

// A few chunks for each compute unit, so that a late core does little harm; whole cache lines; one chunk for small n. The
// division depends on the device and n only, so floating-point results do not change from run to run.
inline Chunks divide(const cl::Context &context, size_t n) {
    constexpr size_t kLeast = 1 << 14; // elements that are worth a work-item of their own
    constexpr size_t kLine = 64;
    const size_t wanted = std::min(ceil_div(n, kLeast), size_t{context.info().compute_units} * 4);
    const size_t chunk = std::max(round_up(ceil_div(n, std::max(wanted, size_t{1})), kLine), kLine);
    return {chunk, ceil_div(n, chunk)};
}

} // namespace gpcl
