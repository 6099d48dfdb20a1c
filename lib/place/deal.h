// Calls on host pointers that the devices of one context share. Each device's part is a call of its
// own, on a thread of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/event.h"
#include "cl/members.h"

#include <functional>
#include <span>

namespace gpcl::place {

// Units begin .. end - 1 of a call are one device's.
struct Share {
    gp_context *device;
    size_t begin, end;
    size_t count() const { return end - begin; }
};

class Deal {
  public:
    // A call of so many units, which devices can work on apart; a unit takes so many bytes of the
    // host's memory, there and back. Only default algorithms are shared. `operation`: its name.
    template <class Options>
    Deal(gp_context *context, const char *operation, size_t units, double unit_bytes, const Options &options)
        : context_(context), operation_(operation), members_(cl::members_of(context)) {
        bool is_free = members_ != nullptr && options.algorithm == nullptr;
        if constexpr (requires { options.work; }) is_free = is_free && options.work == nullptr;
        if (is_free) divide(units, unit_bytes);
        event_ = options.event;
    }

    // Do several devices share it?
    explicit operator bool() const { return shares_.size() > 1; }
    std::span<const Share> shares() const { return shares_; }

    // Calls work(share, its number) for all shares at once. Then throws what failed first.
    void on_devices(const std::function<gp_status(const Share &, size_t)> &work);
    // Calls work(context) with the context of the host, or of one of the devices, for what is
    // between the devices' steps.
    void on_host(const std::function<gp_status(gp_context *)> &work) { alone("host", members_->host, work); }
    void on_one(const std::function<gp_status(gp_context *)> &work) { alone("one", shares_.front().device, work); }
    // Hands the event out, and notes what gp_explain tells.
    void end();

  private:
    void divide(size_t units, double unit_bytes);
    void timed(const char *name, const std::function<void()> &step);
    void alone(const char *name, gp_context *where, const std::function<gp_status(gp_context *)> &work);

    gp_context *context_;
    const char *operation_;
    std::shared_ptr<const cl::Members> members_;
    std::vector<Share> shares_;
    gp_event **event_ = nullptr;
    std::vector<cl::Command> steps_;
};

// The options of a part: without what is for the whole call.
template <class Options> Options part_options(const Options &options) {
    Options mine = options;
    mine.struct_size = sizeof mine;
    mine.event = nullptr;
    return mine;
}

// A thread's last call on host pointers.
struct LastCall {
    const gp_context *context = nullptr;
    const char *operation = nullptr;
    bool is_dealt = false;
};
inline constinit thread_local LastCall last_call;

// What gp_explain tells of it where its context is of several devices.
std::string explain_deal(const gp_context *context, const cl::Members &members);

} // namespace gpcl::place
