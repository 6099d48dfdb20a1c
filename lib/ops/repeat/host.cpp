// Repeats on "host".
// SPDX-License-Identifier: MIT
#include "host/repeat.h"
#include "ops/repeat/repeat.h"

namespace gpcl::repeat {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host repeat", [&] {
        const size_t n = r.has_bound ? std::min<uint64_t>(r.n, *static_cast<const uint64_t *>(r.bound.host)) : r.n;
        *static_cast<uint64_t *>(r.count.host) =
            host::repeat(r.element_size, n, r.in.host, r.index, r.repeats.host, r.capacity, r.out.host);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {
    {"host", "CPU threads, without OpenCL", "Green, McColl and Bader, GPU Merge Path, 2012", true}, refuses, run};

} // namespace gpcl::repeat
