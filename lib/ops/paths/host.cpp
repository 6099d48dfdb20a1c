// Shortest paths on "host".
// SPDX-License-Identifier: MIT
#include "host/paths.h"
#include "ops/paths/paths.h"

namespace gpcl::paths {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host paths", r, [](const Request &r, const auto &at) {
        host::paths({r.dtype, r.n, at(r.in), r.ld_in, at(r.out), r.ld_out,
                     r.wants_predecessors ? static_cast<int32_t *>(at(r.predecessors)) : nullptr, r.ld_predecessors,
                     r.wants_negative ? static_cast<uint64_t *>(at(r.negative)) : nullptr});
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = natively<Request>(
    {{"host", "CPU threads, without OpenCL",
      "Park, Penner and Prasanna, Optimizing Graph Algorithms for Improved Cache Performance, 2004", true},
     refuses,
     run});

} // namespace gpcl::paths
