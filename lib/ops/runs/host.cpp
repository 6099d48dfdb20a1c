// Runs on "host".
// SPDX-License-Identifier: MIT
#include "host/runs.h"
#include "ops/runs/runs.h"

namespace gpcl::runs {
host::Runs on_host(const Request &r) {
    host::Runs runs;
    runs.key = r.key;
    runs.n = r.n;
    if (r.has_bound) runs.n = std::min<uint64_t>(r.n, *static_cast<const uint64_t *>(r.bound.host));
    runs.capacity = r.capacity;
    runs.keys = r.keys.host;
    if (r.has_keys) runs.out_keys = r.out_keys.host;
    if (r.has_results) runs.results = r.results.host;
    if (r.has_firsts) runs.firsts = r.firsts.host;
    return runs;
}

namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, r.reduces ? "host reduce_by_key" : "host run_lengths", [&] {
        auto &count = *static_cast<uint64_t *>(r.count.host);
        const host::Runs runs = on_host(r);
        if (!r.reduces)
            count = host::run_lengths(runs, r.dtype);
        else
            count = host::reduce_by_key(runs, r.dtype, r.combine.op, r.from, r.values.host, r.any_order);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

const Algorithm kAlgorithm = {{"host", "CPU threads, without OpenCL: blocks, with vectors where no run begins",
                               "Blelloch, Prefix Sums and Their Applications, 1990", true},
                              refuses,
                              run};

} // namespace

const Algorithms kHost = {kAlgorithm, kAlgorithm};

} // namespace gpcl::runs
