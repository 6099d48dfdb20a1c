// Waits that are shorter than waking a thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
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

// A mutex that is held for less than a microsecond at a time. Who finds it taken asks some
// microseconds before it sleeps, so that threads that are woken together don't send each other to
// sleep again.
class BriefMutex {
  public:
    void lock() {
        constexpr int kLooks = 2000;
        for (int i = 0; i < kLooks; ++i)
            if (!taken_.load(std::memory_order_relaxed) && try_lock()) return;
        mutex_.lock();
        taken_.store(true, std::memory_order_relaxed);
    }
    bool try_lock() {
        if (!mutex_.try_lock()) return false;
        taken_.store(true, std::memory_order_relaxed);
        return true;
    }
    void unlock() {
        taken_.store(false, std::memory_order_relaxed);
        mutex_.unlock();
    }

  private:
    std::mutex mutex_;
    std::atomic<bool> taken_ = false; // what those who look read; no more than a hint
};

} // namespace gpcl
