// Loops over independent pieces of work on threads of the pool.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/pool.h"
#include "core/threads.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

namespace gpcl::host {

// What it takes to have another thread work and to wait for it, in nanoseconds of the thread that
// does.
constexpr double kThreadCost = 20e3;

// While it lives, loops of the thread that made it take no other threads: each of several threads
// has work of its own, which may hold loops.
class OneThread {
  public:
    OneThread() : before_(alone) { alone = true; }
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;
    ~OneThread() { alone = before_; }

    inline static thread_local bool alone = false;

  private:
    bool before_;
};

// How many threads end so many nanoseconds of work soonest. Work w on t threads takes
// w / t + (t - 1) * kThreadCost, which is least where t is the root of w / kThreadCost.
inline size_t threads_for(double work) {
    if (work < 4 * kThreadCost || OneThread::alone) return 1; // as most calls' is: without the root
    const auto most = static_cast<double>(workers());
    return static_cast<size_t>(std::clamp(std::sqrt(work / kThreadCost), 1.0, most));
}

// How long they take.
inline double time_of(double work) {
    const auto threads = static_cast<double>(threads_for(work));
    return work / threads + (threads - 1) * kThreadCost;
}

// A thread takes calls of about so many nanoseconds at once, since each taking delays the other
// threads.
constexpr size_t kTakenAtOnce = 5000;

// Calls f(0), f(1), ... f(count - 1) on several threads where that ends sooner: `cost` is an
// estimate of one call's nanoseconds. Threads take calls in this order, several cheap ones at once,
// and make what they took in order; so a call may wait for any before it. The first exception ends
// the loop and reaches the caller.
template <class F> void parallel_for(size_t count, size_t cost, const F &f) {
    const size_t threads = std::min(threads_for(static_cast<double>(count) * static_cast<double>(cost)), count);
    if (threads <= 1) {
        for (size_t i = 0; i < count; ++i) f(i);
        return;
    }

    const size_t share = std::max(count / (4 * threads), size_t{1}); // four for each thread, so that all end together
    const size_t together = std::clamp(kTakenAtOnce / std::max(cost, size_t{1}), size_t{1}, share);
    std::atomic<size_t> next = 0;
    std::exception_ptr error;
    std::mutex error_mutex;
    const auto work = [&] {
        try {
            for (size_t first = next.fetch_add(together); first < count; first = next.fetch_add(together))
                for (size_t i = first; i < std::min(first + together, count); ++i) f(i);
        } catch (...) {
            next = count;
            const std::lock_guard lock(error_mutex);
            if (error == nullptr) error = std::current_exception();
        }
    };
    work_together(std::ref(work), threads - 1);
    if (error != nullptr) std::rethrow_exception(error);
}

} // namespace gpcl::host
