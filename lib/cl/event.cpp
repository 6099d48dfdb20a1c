// Events: waiting, and the times of a call's commands; and their C entry points.
// SPDX-License-Identifier: MIT
#include "cl/event.h"

#include "cl/link.h"
#include "core/options.h"
#include "core/size.h"

#include <algorithm>

namespace gpcl::cl {

EventTable &events() {
    static auto *table = new EventTable("gp_event"); // never destroyed: no OpenCL call when the process ends
    return *table;
}

void Event::wait() const {
    if (!last) return;
    await(last.get(), context->info().name);
    check();
}

void Event::check() const {
    if (transfer) transfer->check();
    for (const auto &native : natives) native->check();
}

bool Event::done() const {
    if (!last) return true;
    const bool complete = is_complete(last.get());
    if (complete) check();
    return complete;
}

std::vector<std::shared_ptr<Event>> wait_list(const Context &context, size_t count, gp_event *const *handles) {
    std::vector<std::shared_ptr<Event>> result;
    if (count == 0) return result;
    require_pointer(handles, "wait");
    multiply(count, sizeof *handles, "wait_count");
    for (size_t i = 0; i < count; ++i) {
        const std::string name = text("wait[", i, "]");
        auto event = events().get(handles[i], name.c_str());
        require(event->context.get() == &context || context.is_stand_in(*event->context), GP_ERROR_WRONG_CONTEXT, name,
                " is an event of another context");
        event->done(); // throws where its work failed; what waits for that never ends on PoCL
        result.push_back(std::move(event));
    }
    return result;
}

namespace {

Span times(const Command &command) {
    if (command.transfer) return command.transfer->span(command.piece);
    if (!command.event) return {command.start_ns, command.end_ns};
    const auto query = [&](cl_profiling_info what) {
        cl_ulong value = 0;
        check(api().GetEventProfilingInfo(command.event.get(), what, sizeof value, &value, nullptr),
              "clGetEventProfilingInfo", command.name);
        return value;
    };
    return {query(CL_PROFILING_COMMAND_START), query(CL_PROFILING_COMMAND_END)};
}

// The event, complete and with times.
std::shared_ptr<Event> timed(const gp_event *handle) {
    auto event = events().get(handle, "event");
    event->wait();
    require(event->profiled, GP_ERROR_NO_PROFILING,
            "event was recorded without times; call gp_profile(context, 1) first");
    return event;
}

// How long at least one of them was under way.
uint64_t together(std::vector<Span> spans) {
    std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) { return a.start < b.start; });
    uint64_t sum = 0, until = 0;
    for (const Span &span : spans) {
        const uint64_t from = std::max(span.start, until);
        until = std::max(span.end, until);
        sum += until - std::min(from, until);
    }
    return sum;
}

gp_timing sum(const Event &event) {
    gp_timing timing{};
    std::vector<Span> uploads, runs, downloads;
    Span whole;
    for (const Command &command : event.commands) {
        const Span span = times(command);
        auto &others = command.kind == GP_UPLOAD ? uploads : command.kind == GP_DOWNLOAD ? downloads : runs;
        others.push_back(span);
        whole.start = std::min(whole.start, span.start);
        whole.end = std::max(whole.end, span.end);
        timing.kernels += command.kind == GP_KERNEL ? 1 : 0;
    }
    timing.upload_ns = together(std::move(uploads));
    timing.run_ns = together(std::move(runs));
    timing.download_ns = together(std::move(downloads));
    timing.commands = event.commands.size();
    timing.span_ns = event.commands.empty() ? 0 : whole.end - whole.start;
    return timing;
}

gp_command describe_command(const Event &event, size_t index) {
    require(index < event.commands.size(), GP_ERROR_INDEX, "index is ", index, "; expected less than ",
            event.commands.size());
    const Command &command = event.commands[index];
    const auto [start, end] = times(command);
    uint64_t first = start; // arrays that go side by side may begin in any order
    for (const Command &each : event.commands) first = std::min(first, times(each).start);
    gp_command result{};
    result.kind = command.kind;
    result.start_ns = start - first;
    result.run_ns = end - start;
    std::copy(command.global.begin(), command.global.end(), result.global_size);
    std::copy(command.local.begin(), command.local.end(), result.local_size);
    result.local_bytes = command.local_bytes;
    result.private_bytes = command.private_bytes;
    command.name.copy(result.name, sizeof result.name - 1);
    return result;
}

} // namespace
} // namespace gpcl::cl

using namespace gpcl;
using gpcl::cl::events;

gp_status gp_event_wait(gp_event *event) {
    return guard("gp_event_wait", [&] { events().get(event, "event")->wait(); });
}

gp_status gp_event_wait_for(gp_event *event, uint64_t milliseconds) {
    return guard("gp_event_wait_for", [&] {
        const auto object = events().get(event, "event");
        CallScope::current()->end_by(from_now(milliseconds));
        object->wait();
    });
}

gp_status gp_event_done(gp_event *event, int32_t *done) {
    return guard("gp_event_done", [&] {
        require_pointer(done, "done");
        *done = events().get(event, "event")->done() ? 1 : 0;
    });
}

gp_status gp_event_free(gp_event *event) {
    return guard("gp_event_free", [&] {
        if (event != nullptr) events().free(event, "event");
    });
}

gp_status gp_event_timing(gp_event *event, gp_timing *timing) {
    return guard("gp_event_timing", [&] {
        require_pointer(timing, "timing");
        write_info(timing, cl::sum(*cl::timed(event)), "timing");
    });
}

gp_status gp_event_command(gp_event *event, size_t index, gp_command *command) {
    return guard("gp_event_command", [&] {
        require_pointer(command, "command");
        write_info(command, cl::describe_command(*cl::timed(event), index), "command");
    });
}
