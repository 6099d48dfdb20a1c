// The account of device memory, and turns.
// SPDX-License-Identifier: MIT
#include "cl/memory.h"

#include "core/files.h"
#include "core/size.h"

namespace gpcl::cl {

bool Account::take(size_t bytes) {
    size_t before = taken_;
    do {
        if (bytes > bound_ - std::min(before, bound_)) return false;
    } while (!taken_.compare_exchange_weak(before, before + bytes));
    return true;
}

std::optional<size_t> bound_of_environment() {
    const char *const given = variable("GPCL_DEVICE_MEMORY");
    if (given == nullptr) return std::nullopt;
    const auto bytes = bytes_variable("GPCL_DEVICE_MEMORY");
    require(bytes.has_value() && *bytes > 0, GP_ERROR_OPTION, "GPCL_DEVICE_MEMORY is \"", given,
            "\"; expected a number of bytes from 1, such as 67108864, 64M or 8G");
    return bytes;
}

Memory::Held::Held(std::shared_ptr<Account> of, size_t count) : account(std::move(of)), bytes(count) {
    require(account->take(bytes), GP_ERROR_DEVICE_MEMORY, Shown{bytes},
            " bytes are more than is left: ", account->taken(), " of ", account->bound(),
            " bytes that GPCL_DEVICE_MEMORY or gp_open_options.memory_bytes allows are taken; free buffers, or "
            "raise the bound");
}

Memory::Held::~Held() {
    object = {};
    if (account) account->give_back(bytes);
}

Turns::Turn::Turn(Turns &turns) {
    const auto self = std::this_thread::get_id();
    std::unique_lock lock(turns.mutex_);
    if (turns.holder_ == self) return;
    const auto is_free = [&] { return turns.holder_ == std::thread::id{}; };
    const Time end = CallScope::end_of(CallScope::current());
    if (end == Time::max())
        turns.over_.wait(lock, is_free);
    else
        require(turns.over_.wait_until(lock, end, is_free), GP_ERROR_TIMEOUT,
                "other calls that use the bounded memory of this context did not end in time");
    turns.holder_ = self;
    of_ = &turns;
}

Turns::Turn::~Turn() {
    if (of_ == nullptr) return;
    {
        const std::lock_guard lock(of_->mutex_);
        of_->holder_ = {};
    }
    of_->over_.notify_one();
}

} // namespace gpcl::cl
