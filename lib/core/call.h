// The call that a thread is in: whose device it uses, and when it must have ended.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace gpcl {

using Time = std::chrono::steady_clock::time_point;

// So many milliseconds from now on, or the end of all days where that is later.
Time from_now(uint64_t milliseconds);

// What all calls on a context share. A lost device is called no more: its objects are not released,
// and memory that it may still use is not freed.
class DeviceState {
  public:
    bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire); }
    void lose(std::string_view why, int32_t opencl) noexcept; // the first reason stays
    void require_present() const;                             // throws GP_ERROR_DEVICE_LOST where it is lost

    std::atomic<uint64_t> deadline_ms{0}; // of every call, from its beginning on; 0: none
    // Whether the device gives a sign of life. Set before the first call.
    std::function<bool()> answers;

  private:
    std::atomic<bool> lost_{false};
    mutable std::mutex mutex_;
    std::string why_;
    int32_t opencl_ = 0;
};

// While it lives, it is the thread's current call. Every entry point has one (guard()), and every
// thread that works for one. Handles that the call looks up tell it its device.
class CallScope {
  public:
    CallScope() noexcept : outer_(std::exchange(current_, this)) {}
    // Within another call, its end is the end of this one too.
    explicit CallScope(std::shared_ptr<DeviceState> device) : CallScope(std::move(device), end_of(current_)) {}
    CallScope(std::shared_ptr<DeviceState> device, Time end)
        : outer_(std::exchange(current_, this)), device_(std::move(device)), end_(end),
          has_deadline_(device_->deadline_ms != 0) {}
    CallScope(const CallScope &) = delete;
    CallScope &operator=(const CallScope &) = delete;
    ~CallScope() { current_ = outer_; }

    static CallScope *current() noexcept { return current_; } // NULL outside of calls
    static Time end_of(const CallScope *call) { return call != nullptr ? call->end_ : Time::max(); }

    // The device of the first handle is the call's.
    static void enter(const std::shared_ptr<DeviceState> &device);
    const std::shared_ptr<DeviceState> &device() const { return device_; }

    // Whether waits have to look at the time, and whether the device was lost meanwhile.
    bool is_bounded() const { return has_deadline_ || end_ != Time::max(); }
    Time end() const { return end_; }
    void end_by(Time end) { end_ = std::min(end_, end); }

  private:
    static inline thread_local constinit CallScope *current_ = nullptr;

    CallScope *const outer_;
    std::shared_ptr<DeviceState> device_;
    Time end_ = Time::max();
    bool has_deadline_ = false;
};

} // namespace gpcl
