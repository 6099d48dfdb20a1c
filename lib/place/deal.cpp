// Divides calls among devices.
// SPDX-License-Identifier: MIT
#include "place/deal.h"

#include "core/files.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <numeric>
#include <optional>
#include <system_error>

namespace gpcl::place {
namespace {

// Starting a thread, and a device's first and last commands, take as long as some megabytes' way.
// On two H100, calls of 8 to 12 MB in all took 1.1 to 1.9 times as long as on one, those of 17 to
// 34 MB 0.8 to 0.9 times.
constexpr double kLeastPart = size_t{8} << 20; // bytes

// GPCL_DEAL is a part's least size for tests; 0: no call is dealt out.
double least_part() {
    const auto forced = number_variable("GPCL_DEAL");
    return forced ? static_cast<double>(*forced) : kLeastPart;
}

uint64_t now() { // of the process' clock, in nanoseconds
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

std::string selector_of(const gp_context *device) { return cl::contexts().find(device)->info().selector; }

// The devices that are not lost.
std::vector<gp_context *> present_of(const cl::Members &members) {
    std::vector<gp_context *> result;
    std::copy_if(members.devices.begin(), members.devices.end(), std::back_inserter(result),
                 [](const gp_context *device) { return !cl::contexts().find(device)->state()->is_lost(); });
    return result;
}

// What the thread's last call of the C interface failed with.
Error last_error(gp_status status, const std::string &where) {
    return {status, text(where, ": ", gp_error_message()), gp_error_opencl(), gp_error_build_log()};
}

thread_local std::string last_deal;

} // namespace

void Deal::divide(size_t units, double unit_bytes) {
    const double least = least_part(), bytes = static_cast<double>(units) * unit_bytes;
    if (least <= 0 || bytes < 2 * least) return;
    std::vector<gp_context *> present = present_of(*members_);
    present.resize(static_cast<size_t>(
        std::min({bytes / least, static_cast<double>(units), static_cast<double>(present.size())})));
    if (present.size() < 2) return;
    std::vector<double> speeds; // so that the division is the same in each run
    for (const gp_context *device : present) {
        const gp_device_info &info = cl::contexts().find(device)->info();
        speeds.push_back(static_cast<double>(info.compute_units) * std::max(info.clock_mhz, 1U));
    }
    const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    double sum = 0;
    for (size_t k = 0, begin = 0; k < present.size(); ++k) {
        sum += speeds[k];
        const bool is_last = k + 1 == present.size();
        const size_t end = is_last ? units : static_cast<size_t>(static_cast<double>(units) * (sum / all));
        if (end > begin) shares_.push_back({present[k], begin, end});
        begin = end;
    }
}

void Deal::timed(const char *name, const std::function<void()> &step) {
    cl::Command command;
    command.name = name;
    command.start_ns = now();
    step();
    command.end_ns = now();
    steps_.push_back(std::move(command));
}

void Deal::on_devices(const std::function<gp_status(const Share &, size_t)> &work) {
    std::vector<std::optional<Error>> errors(shares_.size());
    const auto run = [&](size_t k) {
        const gp_status status = work(shares_[k], k);
        if (status == GP_SUCCESS) return;
        errors[k].emplace(last_error(status, text("the part of ", selector_of(shares_[k].device))));
    };
    timed("devices", [&] {
        std::vector<std::future<void>> others;
        try {
            while (others.size() + 1 < shares_.size())
                others.push_back(std::async(std::launch::async, run, others.size() + 1));
        } catch (const std::system_error &) {
            // No more threads: the parts that are left come one after the other.
        }
        for (size_t k = others.size() + 1; k < shares_.size(); ++k) run(k);
        run(0);
        for (auto &other : others) other.get();
    });
    for (const auto &error : errors)
        if (error) throw *error;
}

void Deal::alone(const char *name, gp_context *where, const std::function<gp_status(gp_context *)> &work) {
    gp_status status = GP_SUCCESS;
    timed(name, [&] { status = work(where); });
    if (status != GP_SUCCESS) throw last_error(status, text("between the parts, on ", selector_of(where)));
}

void Deal::end() {
    if (event_ != nullptr) {
        auto event = std::make_shared<cl::Event>(); // of work that is complete
        event->context = cl::contexts().find(shares_.front().device);
        event->profiled = event->context->profiling();
        event->commands = std::move(steps_);
        *event_ = cl::events().insert(std::move(event));
    }
    last_deal.clear();
    for (const Share &share : shares_)
        append(last_deal, text(last_deal.empty() ? "" : ", ", selector_of(share.device), " from ", share.begin, " on"));
    append(last_deal, text(", of ", shares_.back().end));
    last_call = {context_, operation_, true};
}

std::string explain_deal(const gp_context *context, const cl::Members &members) {
    if (last_call.context != context) return "";
    if (last_call.is_dealt) return text(last_call.operation, " dealt out: ", last_deal);
    const auto present = present_of(members);
    return text(last_call.operation, ": on ", selector_of(present.empty() ? members.devices.front() : present.front()),
                " alone: it is too small to be dealt out, or is of a kind that never is");
}

} // namespace gpcl::place
