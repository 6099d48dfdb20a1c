// Loops over independent pieces of work on short-lived threads.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/threads.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gpcl::host {

// Calls f(0), f(1), ... f(count - 1), begun in this order, on several threads where the work is
// worth it: `cost` is an estimate of one call's nanoseconds. The first exception ends the loop and
// reaches the caller.
template <class F> void parallel_for(size_t count, size_t cost, const F &f) {
    constexpr double kWorthAThread = 1e5; // nanoseconds
    const double worthwhile = 1 + static_cast<double>(count) * static_cast<double>(cost) / kWorthAThread;
    const size_t limit = std::min(workers(), count);
    const size_t threads = worthwhile < static_cast<double>(limit) ? static_cast<size_t>(worthwhile) : limit;
    if (threads <= 1) {
        for (size_t i = 0; i < count; ++i) f(i);
        return;
    }

    std::atomic<size_t> next = 0;
    std::exception_ptr error;
    std::mutex error_mutex;
    const auto work = [&] {
        try {
            for (size_t i = next++; i < count; i = next++) f(i);
        } catch (...) {
            next = count;
            const std::lock_guard lock(error_mutex);
            if (error == nullptr) error = std::current_exception();
        }
    };
    std::vector<std::thread> helpers;
    try {
        while (helpers.size() + 1 < threads) helpers.emplace_back(work);
    } catch (const std::exception &) { // no more threads to be had: those there are do the work
    }
    work();
    for (auto &helper : helpers) helper.join();
    if (error != nullptr) std::rethrow_exception(error);
}

} // namespace gpcl::host
