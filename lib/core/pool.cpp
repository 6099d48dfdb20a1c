// Threads are made when jobs find none idle, and stay. When the process exits, jobs that were
// started come to their end.
// SPDX-License-Identifier: MIT
#include "core/pool.h"

#include "core/spin.h"
#include "core/system.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

namespace gpcl {
namespace {

constexpr size_t kMostThreads = 24;
constexpr std::chrono::seconds kPatience(10);   // at the process' exit
constexpr std::chrono::milliseconds kLook(1);   // how often it is looked at then
constexpr std::chrono::microseconds kSpin(200); // a call's next transfer often follows so soon

class Pool {
  public:
    bool ready() noexcept {
        if (process_ != process_id()) return false;
        const std::lock_guard lock(mutex_);
        return threads_ > 0 || grow();
    }

    void start(const std::function<void()> &job, size_t times) {
        std::unique_lock lock(mutex_);
        const size_t before = jobs_.size();
        try {
            for (size_t i = 0; i < times; ++i) jobs_.push_back(job);
        } catch (...) {
            jobs_.resize(before);
            throw;
        }
        waiting_ = static_cast<uint32_t>(jobs_.size());
        for (size_t i = idle_; i < jobs_.size() && threads_ < kMostThreads; ++i) grow();
        // Each thread that looks takes a job; the others sleep, or will see `waiting_`.
        const size_t sleep = idle_ - looking_,
                     wanted = std::min(times, jobs_.size() - std::min(jobs_.size(), looking_));
        lock.unlock(); // who wakes finds it free
        if (wanted >= sleep)
            waiting_.notify_all();
        else
            for (size_t i = 0; i < wanted; ++i) waiting_.notify_one();
    }

  private:
    // One thread more; the lock is held.
    bool grow() noexcept {
        const bool grown = start_without_signals([this] { serve(); });
        // Handlers run in reverse: the drivers', which were there first, run later.
        if (grown && threads_++ == 0) std::atexit([] { the().settle(); });
        return grown;
    }

    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            ++idle_;
            ++looking_;
            lock.unlock();
            spin(kSpin, [&] { return waiting_.load(std::memory_order_relaxed) > 0; });
            lock.lock();
            --looking_;
            while (jobs_.empty()) {
                lock.unlock();
                waiting_.wait(0);
                lock.lock();
            }
            --idle_;
            std::function<void()> job = std::move(jobs_.front());
            jobs_.pop_front();
            waiting_ = static_cast<uint32_t>(jobs_.size());
            lock.unlock();
            job();
            job = nullptr; // what it holds is let go outside the lock
            lock.lock();
        }
    }

    // Waits until no job is left, so that no thread calls a driver that is being taken down.
    void settle() {
        if (process_ != process_id()) return;
        const auto until = std::chrono::steady_clock::now() + kPatience;
        const auto settled = [&] {
            const std::lock_guard lock(mutex_);
            return jobs_.empty() && idle_ == threads_;
        };
        while (!settled() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kLook);
    }

  public:
    static Pool &the() {
        static auto *pool = new Pool; // never destroyed: its threads run until the process ends
        return *pool;
    }

  private:
    const int64_t process_ = process_id();
    BriefMutex mutex_;
    std::deque<std::function<void()>> jobs_;
    std::atomic<uint32_t> waiting_ = 0; // jobs; idle threads sleep while it is 0
    size_t threads_ = 0, idle_ = 0;
    size_t looking_ = 0; // idle threads that don't sleep yet
};

} // namespace

bool pool_ready() noexcept {
    try {
        return Pool::the().ready();
    } catch (...) {
        return false;
    }
}

void pool_start(const std::function<void()> &job, size_t times) { Pool::the().start(job, times); }

} // namespace gpcl
