// Selection of the first k elements on "host".
// SPDX-License-Identifier: MIT
#include "host/top_k.h"
#include "ops/top_k/top_k.h"

namespace gpcl::top_k {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host top_k", r, [](const Request &r, const auto &at) {
        host::top_k(r.dtype, r.descending, r.sorted, r.rows, at(r.in), r.k, r.index, r.stride_out,
                    r.has_positions ? at(r.positions) : nullptr, r.has_values ? at(r.values) : nullptr);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = natively<Request>(
    {{"host", "CPU threads, without OpenCL: each keeps the best of its part", "Hoare, Algorithm 65: Find, 1961", true},
     refuses,
     run});

} // namespace gpcl::top_k
