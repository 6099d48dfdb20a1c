// Repeats on "host".
// SPDX-License-Identifier: MIT
#include "host/repeat.h"
#include "ops/repeat/repeat.h"

namespace gpcl::repeat {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host repeat", r, [](const Request &r, const auto &at) {
        const size_t n = r.has_bound ? std::min<uint64_t>(r.n, *static_cast<const uint64_t *>(at(r.bound))) : r.n;
        *static_cast<uint64_t *>(at(r.count)) =
            host::repeat(r.element_size, n, at(r.in), r.index, at(r.repeats), r.capacity, at(r.out));
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = natively<Request>(
    {{"host", "CPU threads, without OpenCL", "Green, McColl and Bader, GPU Merge Path, 2012", true}, refuses, run});

} // namespace gpcl::repeat
