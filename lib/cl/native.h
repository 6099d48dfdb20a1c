// A function of ours as a command of a device's queue: OpenCL's native kernel. A device that is the
// host's own CPU runs the host's algorithms on buffers that way.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/opencl.h"

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace gpcl::cl {

struct Operand;
class Native;

// Memory, and where it lies in the host's.
struct Placed {
    cl_mem memory;
    void *address;
};

// Where operands lie in the host's memory. Without memories, operands are host pointers.
class Pointers {
  public:
    Pointers() = default;
    explicit Pointers(std::span<const Placed> memories) : memories_(memories) {}
    void *operator()(const Operand &operand) const;

  private:
    std::span<const Placed> memories_;
};

// Those of a context that have not run yet. One that never runs, since what it waits for failed, is
// kept until the context goes.
class Natives {
  public:
    void add(std::shared_ptr<Native> native);
    std::shared_ptr<Native> take(const Native &native);
    void fail(std::exception_ptr failure);
    // Throws what the last one that failed threw, once.
    void tell_failure();
    void forget(const std::exception_ptr &failure); // somebody was told
    void drop();

  private:
    std::mutex mutex_;
    std::unordered_map<const Native *, std::shared_ptr<Native>> waiting_;
    std::exception_ptr failure_;
};

class Native {
  public:
    using Function = std::function<void(const Pointers &)>;
    // `memories`: all that operands may lie in.
    Native(std::shared_ptr<Natives> home, Function function, std::vector<Placed> memories)
        : home_(std::move(home)), function_(std::move(function)), memories_(std::move(memories)) {}

    cl_int enqueue(cl_command_queue queue, cl_uint count, const cl_event *wait, cl_event *event);
    // Throws what the function threw; when its command is complete. Nobody else is told then.
    void check() const;

  private:
    static void CL_CALLBACK call(void *arguments); // on a thread of the driver's
    void run() noexcept;

    std::shared_ptr<Natives> home_;
    Function function_;
    std::vector<Placed> memories_;
    std::exception_ptr failure_;
};

} // namespace gpcl::cl
