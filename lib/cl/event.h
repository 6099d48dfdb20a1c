// What stands behind a gp_event: the commands of one call.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"

#include <array>
#include <chrono>

namespace gpcl::cl {

// One command of a call. OpenCL keeps its times in `event`; on "host" they are noted here. An array
// that was staged is one command.
struct Command {
    gp_command_kind kind = GP_KERNEL;
    std::string name;
    Ref<cl_event> event;
    std::shared_ptr<const Transfer> transfer; // instead: its array number `piece`
    size_t piece = 0;
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    std::array<size_t, 3> global{};
    std::array<size_t, 3> local{};
    uint64_t local_bytes = 0;
    uint64_t private_bytes = 0;
};

struct Event {
    std::shared_ptr<Context> context;
    Ref<cl_event> last; // empty when the work was complete at once
    bool profiled = false;
    std::vector<Command> commands; // kept when profiled
    // What `last` tells the end of, but not whether it failed.
    std::shared_ptr<const Transfer> transfer;
    std::vector<std::shared_ptr<const Native>> natives;

    const std::shared_ptr<DeviceState> &state() const { return context->state(); }
    void wait() const;
    bool done() const;
    void check() const; // when it is done: throws what its work failed with
};

using EventTable = HandleTable<Event, gp_event>;
EventTable &events();

// The events of a wait list, checked to belong to the context.
std::vector<std::shared_ptr<Event>> wait_list(const Context &context, size_t count, gp_event *const *handles);

} // namespace gpcl::cl
