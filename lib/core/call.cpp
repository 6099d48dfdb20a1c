// Calls and the state of their devices.
// SPDX-License-Identifier: MIT
#include "core/call.h"

#include "core/error.h"

namespace gpcl {

Time from_now(uint64_t milliseconds) {
    constexpr uint64_t kMost = uint64_t{1} << 40; // some 35 years
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(std::min(milliseconds, kMost));
}

void DeviceState::lose(std::string_view why, int32_t opencl) noexcept {
    const std::lock_guard lock(mutex_);
    if (is_lost()) return;
    opencl_ = opencl;
    try {
        why_ = why;
    } catch (...) {
        // No memory for the reason.
    }
    lost_.store(true, std::memory_order_release);
}

void DeviceState::require_present() const {
    if (!is_lost()) return;
    throw Error(GP_ERROR_DEVICE_LOST, text("the device is lost, and the context with it: ", why_), opencl_);
}

void CallScope::enter(const std::shared_ptr<DeviceState> &device) {
    if (current_ == nullptr || current_->device_ != nullptr) return;
    current_->device_ = device;
    const uint64_t deadline = device->deadline_ms;
    current_->has_deadline_ = deadline != 0;
    if (deadline != 0) current_->end_by(from_now(deadline));
}

} // namespace gpcl
