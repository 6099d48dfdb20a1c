// Waits that are shorter than waking a thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <thread>

namespace gpcl {

// Asks until there is something, or for so long; returns whether there is. Other threads that could
// run do.
template <class F> bool spin(std::chrono::microseconds most, const F &there_is) {
    constexpr int kAsked = 64; // as often as the time is looked at
    const auto until = std::chrono::steady_clock::now() + most;
    do {
        for (int i = 0; i < kAsked; ++i)
            if (there_is()) return true;
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < until);
    return false;
}

} // namespace gpcl
