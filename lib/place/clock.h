// Nanoseconds of a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace gpcl::place {

template <class F> double time_of(const F &f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count();
}

} // namespace gpcl::place
