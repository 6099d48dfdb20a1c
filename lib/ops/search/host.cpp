// Search on "host".
// SPDX-License-Identifier: MIT
#include "host/search.h"
#include "ops/search/search.h"

namespace gpcl::search {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host search", [&] {
        host::search(r.dtype, r.right, r.descending, r.n, r.sorted.host, r.m, r.values.host, r.index, r.positions.host);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL: several values side by side",
                          "Khuong and Morin, Array Layouts for Comparison-Based Searching, 2017", true},
                         refuses,
                         run};

} // namespace gpcl::search
