// Search on "host".
// SPDX-License-Identifier: MIT
#include "host/search.h"
#include "ops/search/search.h"

namespace gpcl::search {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host search", r, [](const Request &r, const auto &at) {
        host::search(r.dtype, r.right, r.descending, r.n, at(r.sorted), r.m, at(r.values), r.index, at(r.positions));
    });
}

// The other count is asked for by all algorithms.
Refusal refuses(const cl::Context &context, const Request &r) {
    if (r.counted_m.is_there && !context.is_host()) return "it takes its numbers from the host, not from a buffer";
    return {};
}

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL: several values side by side",
                        "Khuong and Morin, Array Layouts for Comparison-Based Searching, 2017", true},
                       refuses,
                       run});

} // namespace gpcl::search
