// How long arrays take to a device and back, and its shortest command: measured once.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"

namespace gpcl::place {

enum class Way { kUp, kUpPinned, kDown, kDownPinned };
inline constexpr std::array kWays = {Way::kUp, Way::kUpPinned, Way::kDown, Way::kDownPinned};
inline constexpr std::array kWayNames = {"up", "up-pinned", "down", "down-pinned"};

struct LinkTimes {
    static constexpr std::array<size_t, 5> kBytes = {size_t{1} << 12, size_t{1} << 16, size_t{1} << 20, size_t{1} << 24,
                                                     size_t{1} << 26};

    double command = 0; // nanoseconds of the shortest command and the wait
    std::array<std::array<double, kBytes.size()>, kWays.size()> ns{}; // by Way; zeros where memory is shared

    bool is_known() const { return command > 0; }
    double time(Way way, double bytes) const;
};

// Takes some 50 ms. `handle` is the context's.
LinkTimes measure_link(gp_context *handle, const std::shared_ptr<cl::Context> &device);

} // namespace gpcl::place
