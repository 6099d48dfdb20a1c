// How work-items share the search for the parts of a merge's tiles, by gp_wide_path of
// kernels/common/merge_path.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/size.h"

#include <algorithm>
#include <bit>

namespace gpcl {

// The launch of a kernel in which a work-group finds its first and last split by `wide` work-items each,
// and then all by `lanes` each. What it reads is far apart in memory, and a compute unit gets few of such
// words at a time: H200, 2^28 uint32, one work-item a split, 50 thousand of them: 75 us of 597.
struct Splits {
    uint32_t lanes, wide;
    cl::Range range;

    Splits(const cl::Context &context, size_t numbers, size_t group, size_t most_lanes)
        : lanes(static_cast<uint32_t>(std::min(most_lanes, group))), wide(1),
          range(cl::Range::groups(ceil_div(numbers * lanes, group), group)) {
        const size_t groups = ceil_div(numbers * lanes, group);
        const size_t fair = std::bit_floor(std::max(size_t{32} * context.info().compute_units / groups, size_t{8}));
        wide = static_cast<uint32_t>(std::min({fair, size_t{64}, std::max<size_t>(group / 2, 1)}));
    }
};

// Work-items that find each end of a work-group's own part.
inline size_t own_lanes(size_t group) { return std::min(size_t{32}, group / 2); }

} // namespace gpcl
