// Merge on "host".
// SPDX-License-Identifier: MIT
#include "host/merge.h"
#include "ops/merge/merge.h"

namespace gpcl::merge {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host merge", r, [](const Request &r, const auto &at) {
        const auto sorted = [&](const Sorted &array) {
            return host::Sorted{at(array.keys), array.n, at(array.values)};
        };
        host::merge(r.dtype, r.descending, sorted(r.a), sorted(r.b), at(r.out), r.value_size, at(r.out_values));
    });
}

// The other count is asked for by all algorithms.
Refusal refuses(const cl::Context &context, const Request &r) {
    if (r.counted_b.is_there && !context.is_host()) return "it takes its numbers from the host, not from a buffer";
    return {};
}

} // namespace

const Algorithm kHost = natively<Request>(
    {{"host", "CPU threads, without OpenCL; each merges a part of the result",
      "Odeh, Green, Mwassi, Shmueli and Birk, \"Merge Path: Parallel Merging Made Simple\", 2012", true},
     refuses,
     run});

} // namespace gpcl::merge
