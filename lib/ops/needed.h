// The programs that calls with default options need, found by planning them.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/algorithm.h"

#include <set>

namespace gpcl {

// Collects what default calls on arrays of all sizes need that a device holds.
class Needed {
  public:
    explicit Needed(const cl::Context &context) : context_(context) {}

    // The programs of the algorithm that is chosen. Arrays of the request may be stand-ins.
    template <class Request> void add(std::span<const Algorithm<Request>> algorithms, const Request &request) {
        add(choose(algorithms, nullptr, context_, request), request);
    }
    template <class Request> void add(const Algorithm<Request> &algorithm, const Request &request) {
        add_step([&](cl::Task &task) { algorithm.run(task, request); });
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

  private:
    const cl::Context &context_;
    std::set<cl::ProgramKey> programs_;
};

} // namespace gpcl
