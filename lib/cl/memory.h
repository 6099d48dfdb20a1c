// Device memory, and the account of what a context takes of it.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/opencl.h"

#include <condition_variable>
#include <optional>
#include <thread>

namespace gpcl::cl {

// What a context and those apart from it have taken, and the most they may.
class Account {
  public:
    explicit Account(size_t bound = SIZE_MAX) : bound_(bound) {}
    size_t bound() const { return bound_; }
    bool is_bounded() const { return bound_ != SIZE_MAX; }
    size_t taken() const { return taken_; }
    bool take(size_t bytes); // false where that would be more than the bound
    void give_back(size_t bytes) noexcept { taken_ -= bytes; }

  private:
    const size_t bound_;
    std::atomic<size_t> taken_{0};
};

// Bytes that GPCL_DEVICE_MEMORY allows; nothing where it is not set. Throws GP_ERROR_OPTION where
// it is no number of bytes.
std::optional<size_t> bound_of_environment();

// A reference to an object of device memory. The account has its bytes back with the last one.
class Memory {
  public:
    Memory() = default;
    // The caller's own, which is on no account.
    explicit Memory(Ref<cl_mem> object) : held_(std::make_shared<Held>(std::move(object))) {}
    // Memory that create() makes. Throws where the account has no room for it, and what create
    // throws.
    template <class Create> Memory(const std::shared_ptr<Account> &account, size_t bytes, const Create &create)
        : held_(std::make_shared<Held>(account, bytes)) {
        held_->object = create();
    }
    cl_mem get() const { return held_ ? held_->object.get() : nullptr; }
    explicit operator bool() const { return get() != nullptr; }
    // Where it lies in the host's memory, if native kernels may be told.
    void *address() const { return held_ ? held_->address : nullptr; }
    void set_address(void *address) { held_->address = address; }

  private:
    struct Held {
        explicit Held(Ref<cl_mem> of_caller) : object(std::move(of_caller)) {}
        Held(std::shared_ptr<Account> account, size_t bytes);
        Held(const Held &) = delete;
        Held &operator=(const Held &) = delete;
        ~Held();

        Ref<cl_mem> object;
        std::shared_ptr<Account> account;
        size_t bytes = 0;
        void *address = nullptr;
    };
    std::shared_ptr<Held> held_;
};

// What calls on host pointers wait for where memory is scarce: one at a time has a context's. A
// call waits before it has taken any, so no two wait for each other.
class Turns {
  public:
    // While it lives, the thread has its turn; a call within another one shares that.
    class Turn {
      public:
        Turn() = default;
        explicit Turn(Turns &turns); // waits; throws GP_ERROR_TIMEOUT when the call must have ended
        Turn(Turn &&other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        Turn &operator=(Turn &&other) noexcept {
            std::swap(of_, other.of_);
            return *this;
        }
        ~Turn();

      private:
        Turns *of_ = nullptr;
    };

  private:
    std::mutex mutex_;
    std::condition_variable over_;
    std::thread::id holder_; // none: nobody's turn
};

} // namespace gpcl::cl
