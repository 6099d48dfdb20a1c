// Merge on "host".
// SPDX-License-Identifier: MIT
#include "host/merge.h"
#include "ops/merge/merge.h"

namespace gpcl::merge {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host merge", [&] {
        const auto sorted = [](const Sorted &array) {
            return host::Sorted{array.keys.host, array.n, array.values.host};
        };
        host::merge(r.dtype, r.descending, sorted(r.a), sorted(r.b), r.out.host, r.value_size, r.out_values.host);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL; each merges a part of the result",
                          "Odeh, Green, Mwassi, Shmueli and Birk, \"Merge Path: Parallel Merging Made Simple\", 2012",
                          true},
                         refuses,
                         run};

} // namespace gpcl::merge
