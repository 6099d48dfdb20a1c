// Merge of runs on "host".
// SPDX-License-Identifier: MIT
#include "host/merge.h"
#include "ops/merge_runs/merge_runs.h"

namespace gpcl::merge_runs {
namespace {

constexpr unsigned kMostPasses = 3;

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host merge of runs", [&] {
        const Segments runs{r.runs, r.offset_type, r.offsets.host};
        host::merge_runs(r.dtype, r.descending, runs, {r.in.keys.host, r.n, r.in.values.host}, r.out.keys.host,
                         r.value_size, r.out.values.host);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

bool fits(const cl::Context &, const Request &r) { return r.passes() <= kMostPasses; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL, which merge runs two by two",
                          "Odeh, Green, Mwassi, Shmueli and Birk, \"Merge Path: Parallel Merging Made Simple\", 2012",
                          true},
                         refuses,
                         run,
                         fits};

} // namespace gpcl::merge_runs
