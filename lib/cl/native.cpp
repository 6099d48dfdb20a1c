// Enqueues native kernels, and runs them.
// SPDX-License-Identifier: MIT
#include "cl/native.h"

#include "cl/task.h"

#include <algorithm>
#include <cfenv>

namespace gpcl::cl {

void *Pointers::operator()(const Operand &operand) const {
    if (operand.memory == nullptr) return operand.host;
    const auto &extent = operand.extent; // in bytes, of the buffer that a sub-buffer is a part of
    const bool is_buffer = extent.memory != nullptr;
    const auto found = std::find_if(memories_.begin(), memories_.end(), [&](const Placed &one) {
        return is_buffer ? one.memory == extent.memory : one.memory == operand.memory;
    });
    require(found != memories_.end() && found->address != nullptr && (is_buffer || operand.offset == 0),
            GP_ERROR_INTERNAL, "an operand of a native kernel lies in none of its memories");
    return static_cast<std::byte *>(found->address) + (is_buffer ? extent.begin : 0);
}

void Natives::add(std::shared_ptr<Native> native) {
    const std::lock_guard lock(mutex_);
    const Native *const key = native.get();
    waiting_.emplace(key, std::move(native));
}

std::shared_ptr<Native> Natives::take(const Native &native) {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(&native);
    if (found == waiting_.end()) return nullptr;
    auto result = std::move(found->second);
    waiting_.erase(found);
    return result;
}

void Natives::fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
}

void Natives::tell_failure() {
    std::unique_lock lock(mutex_);
    if (failure_ == nullptr) return;
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    lock.unlock();
    std::rethrow_exception(failure);
}

void Natives::forget(const std::exception_ptr &failure) {
    const std::lock_guard lock(mutex_);
    if (failure_ == failure) failure_ = nullptr;
}

void Natives::drop() {
    std::unordered_map<const Native *, std::shared_ptr<Native>> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(waiting_);
}

cl_int Native::enqueue(cl_command_queue queue, cl_uint count, const cl_event *wait, cl_event *event) {
    // The driver copies the arguments, and puts addresses behind the first one: so it knows which
    // memory the command uses. They are not looked at (Context::address_of).
    std::vector<const void *> arguments = {this};
    std::vector<cl_mem> memories;
    for (const Placed &one : memories_) memories.push_back(one.memory);
    arguments.resize(1 + memories.size());
    std::vector<const void *> places;
    for (size_t i = 0; i < memories.size(); ++i) places.push_back(&arguments[1 + i]);
    const bool some = !memories.empty();
    return api().EnqueueNativeKernel(queue, call, arguments.data(), arguments.size() * sizeof arguments[0],
                                     static_cast<cl_uint>(memories.size()), some ? memories.data() : nullptr,
                                     some ? places.data() : nullptr, count, wait, event);
}

void CL_CALLBACK Native::call(void *arguments) { (*static_cast<Native **>(arguments))->run(); }

void Native::check() const {
    if (failure_ == nullptr) return;
    home_->forget(failure_);
    std::rethrow_exception(failure_);
}

void Native::run() noexcept {
    const auto kept = home_->take(*this);
    // After a kernel built with -cl-denorms-are-zero PoCL's threads take denormal numbers for 0.
    std::fenv_t drivers;
    std::fegetenv(&drivers);
    std::fesetenv(FE_DFL_ENV);
    try {
        function_(Pointers(memories_));
    } catch (...) {
        failure_ = std::current_exception();
        home_->fail(failure_);
    }
    function_ = nullptr;
    std::fesetenv(&drivers);
}

} // namespace gpcl::cl
