// The sizes of a launch.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/opencl.h"

#include <array>

namespace gpcl::cl {

// A zero local size leaves the choice to OpenCL.
struct Range {
    std::array<size_t, 3> global{};
    std::array<size_t, 3> local{};
    cl_uint dimensions = 1;

    // `groups` work-groups of `size` work-items.
    static Range groups(size_t groups, size_t size) { return {{groups * size, 0, 0}, {size, 0, 0}, 1}; }
    static Range groups(std::array<size_t, 3> groups, std::array<size_t, 3> size) {
        return {{groups[0] * size[0], groups[1] * size[1], groups[2] * size[2]}, size, 3};
    }
};

} // namespace gpcl::cl
