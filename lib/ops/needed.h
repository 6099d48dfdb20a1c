// The programs that calls with default options need, found by planning them; and calls that launch
// their kernels.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/algorithm.h"
#include "ops/counted.h"

#include <functional>
#include <set>

namespace gpcl {

// Collects what default calls on arrays of all sizes need that a device holds.
class Needed {
  public:
    explicit Needed(const cl::Context &context) : context_(context) {}

    // The programs of the algorithm that is chosen, and of the one that is with n in a buffer.
    // Arrays of the request may be stand-ins.
    template <class Request> void add(std::span<const Algorithm<Request>> algorithms, const Request &request) {
        add(choose(algorithms, nullptr, context_, request), request);
        add_counted(algorithms, request);
    }
    template <class Request> void add(const Algorithm<Request> &algorithm, const Request &request) {
        add_step([&](cl::Task &task) { algorithm.run(task, request); });
    }

    // The same of a request that `call(context)` makes, on arrays of so many bytes. If it launches
    // a kernel in a way that no request before it did, calls() has the call.
    template <class Request, class Call>
    void add(std::span<const Algorithm<Request>> algorithms, const Request &request, size_t bytes, Call call) {
        const cl::Plan made = plan(context_, choose(algorithms, nullptr, context_, request), request);
        programs_.insert(made.programs.begin(), made.programs.end());
        constexpr size_t kMostBytes = size_t{1} << 25;
        if (bytes <= kMostBytes && has_new_launch(made)) calls_.push_back(call);
        add_counted(algorithms, request);
    }
    // Of so many elements there may be none that takes it.
    template <class Request> void add_counted(std::span<const Algorithm<Request>> algorithms, const Request &request) {
        for (const Request &counted : counted_forms(request))
            if (const auto *chosen = find_choice(algorithms, nullptr, context_, counted)) add(*chosen, counted);
    }

    // Those of what calls do beside an algorithm.
    template <class Step> void add_step(const Step &step) {
        cl::Plan made;
        cl::Task task(context_, made);
        step(task);
        programs_.insert(made.programs.begin(), made.programs.end());
    }

    // Calls f(n) with sizes from 1 on, of arrays of so many bytes an element: `steps` of every
    // octave, and one more than each, since programs change at powers of two, and where sizes are
    // no multiples.
    template <class F> void for_each_size(size_t bytes, size_t steps, F &&f) const {
        for_each_size_to(context_.info().allocation_bytes / bytes, steps, f);
    }
    template <class F> static void for_each_size_to(size_t most, size_t steps, F &&f) {
        for (size_t octave = 1; octave <= most; octave *= 2) {
            for (size_t step = 0, last = 0; step < steps; ++step) {
                const size_t n = octave + octave * step / steps;
                if (n == last || n > most) continue;
                f(n);
                if (n < most) f(n + 1);
                last = n;
            }
        }
    }

    const cl::Context &context() const { return context_; }
    std::vector<cl::ProgramKey> programs() const { return {programs_.begin(), programs_.end()}; }
    // Drivers compile or load a kernel when it is first launched; PoCL does for each size of
    // work-groups, and once more for ranges of 65536 work-items and more.
    using Call = std::function<gp_status(gp_context *)>;
    const std::vector<Call> &calls() const { return calls_; }

  private:
    bool has_new_launch(const cl::Plan &made) {
        std::string programs;
        for (const cl::ProgramKey &one : made.programs) programs += text(one.path, ' ', one.options, ' ');
        bool is_new = false;
        for (const auto &[kernel, range] : made.launches) {
            const size_t most = std::max({range.global[0], range.global[1], range.global[2]});
            is_new |= launches_
                          .insert(text(programs, kernel, ' ', range.local[0], ' ', range.local[1], ' ', range.local[2],
                                       most >> 16 != 0 ? " wide" : ""))
                          .second;
        }
        return is_new;
    }

    const cl::Context &context_;
    std::set<cl::ProgramKey> programs_;
    std::set<std::string> launches_;
    std::vector<Call> calls_;
};

// Memory for a call of a warm-up, full of zeros, for so many elements of so many bytes.
inline std::vector<uint64_t> zeros(size_t count, size_t size) {
    return std::vector<uint64_t>(count * size / sizeof(uint64_t) + 1);
}

} // namespace gpcl
