// What tests take away from a device, so that it looks poorer than it is, or like a GPU:
// GPCL_LIMITS, a list such as "work-group=64,local=16384,no-float64".
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpcl::cl {

struct Limits {
    // The most there is of each, where the device has more.
    size_t work_group = SIZE_MAX;    // work-items
    size_t local = SIZE_MAX;         // bytes of local memory
    size_t buffer = SIZE_MAX;        // bytes of a buffer
    std::optional<size_t> sub_group; // work-items, which all sub-groups have
    bool no_float64 = false;
    bool no_int64_atomics = false;
    bool no_images = false;
    bool no_forward_progress = false;
    bool out_of_order = false; // all queues are
    bool no_optimiser = false; // programs are built without
    bool gpu = false;          // it is taken for a GPU
    bool no_host = false;      // the host does no calls for a device that is its own CPU
};

// Throws GP_ERROR_OPTION, naming what there is, for a word that is none.
Limits read_limits(std::string_view list);

} // namespace gpcl::cl
