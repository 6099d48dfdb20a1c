// Measures the link.
// SPDX-License-Identifier: MIT
#include "place/link.h"

#include "cl/task.h"
#include "place/clock.h"

#include <algorithm>

namespace gpcl::place {
namespace {

// The shortest of several turns.
template <class F> double shortest(size_t turns, const F &f) {
    double least = 0;
    for (size_t turn = 0; turn <= turns; ++turn) { // the first warms up
        const double took = time_of(f);
        if (turn == 1 || (turn > 1 && took < least)) least = took;
    }
    return least;
}

// Memory of gp_host_alloc, or ordinary memory where there is none of that.
class HostMemory {
  public:
    HostMemory(gp_context *handle, size_t bytes, bool pinned) {
        if (pinned && gp_host_alloc(handle, bytes, &pinned_) == GP_SUCCESS) return;
        pinned_ = nullptr;
        ordinary_.resize(bytes);
    }
    HostMemory(const HostMemory &) = delete;
    HostMemory &operator=(const HostMemory &) = delete;
    ~HostMemory() { gp_host_free(pinned_); }

    void *get() { return pinned_ != nullptr ? pinned_ : ordinary_.data(); }

  private:
    void *pinned_ = nullptr;
    std::vector<std::byte> ordinary_;
};

} // namespace

double LinkTimes::time(Way way, double bytes) const {
    if (bytes <= 0) return 0;
    const auto &times = ns.at(static_cast<size_t>(way));
    if (bytes <= static_cast<double>(kBytes.front())) return times.front();
    size_t next = 1; // the last step goes on for ever
    while (next + 1 < kBytes.size() && bytes > static_cast<double>(kBytes.at(next))) ++next;
    const auto from = static_cast<double>(kBytes.at(next - 1)), to = static_cast<double>(kBytes.at(next));
    return times.at(next - 1) + (times.at(next) - times.at(next - 1)) * (bytes - from) / (to - from);
}

LinkTimes measure_link(gp_context *handle, const std::shared_ptr<cl::Context> &device) {
    constexpr size_t kTurns = 8, kLargeTurns = 3;
    LinkTimes result;
    cl::WorkSpace space = device->take_work_space(LinkTimes::kBytes.back());
    {
        cl::Task task(device, static_cast<gp_event **>(nullptr));
        const cl::Operand memory{space.memory.get(), 0, nullptr};
        result.command = shortest(4 * kTurns, [&] {
            task.clear(memory, 1);
            device->finish();
        });
        for (const bool pinned : {false, true}) {
            if (device->works_in_place(LinkTimes::kBytes.back())) break;
            HostMemory host(handle, LinkTimes::kBytes.back(), pinned);
            for (size_t i = 0; i < LinkTimes::kBytes.size(); ++i) {
                const size_t bytes = LinkTimes::kBytes.at(i), turns = i < 3 ? kTurns : kLargeTurns;
                const auto put = [&](Way ordinary, double took) {
                    result.ns.at(static_cast<size_t>(ordinary) + (pinned ? 1 : 0)).at(i) = took;
                };
                put(Way::kUp, shortest(turns, [&] { task.write(memory.memory, 0, bytes, host.get(), true); }));
                put(Way::kDown, shortest(turns, [&] { task.read(memory.memory, 0, bytes, host.get(), true); }));
            }
        }
        task.end();
    }
    device->give_back(std::move(space));
    return result;
}

} // namespace gpcl::place
