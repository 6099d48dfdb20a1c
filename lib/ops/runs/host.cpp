// Runs on "host".
// SPDX-License-Identifier: MIT
#include "host/runs.h"
#include "ops/runs/runs.h"

namespace gpcl::runs {
host::Runs on_host(const Request &r, const cl::Pointers &at) {
    host::Runs runs;
    runs.key = r.key;
    runs.n = r.n;
    if (r.has_bound) runs.n = std::min<uint64_t>(r.n, *static_cast<const uint64_t *>(at(r.bound)));
    runs.capacity = r.capacity;
    runs.keys = at(r.keys);
    if (r.has_keys) runs.out_keys = at(r.out_keys);
    if (r.has_results) runs.results = at(r.results);
    if (r.has_firsts) runs.firsts = at(r.firsts);
    return runs;
}

namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, r.reduces ? "host reduce_by_key" : "host run_lengths", r,
                 [](const Request &r, const auto &at) {
                     auto &count = *static_cast<uint64_t *>(at(r.count));
                     const host::Runs runs = on_host(r, at);
                     if (!r.reduces)
                         count = host::run_lengths(runs, r.dtype);
                     else
                         count = host::reduce_by_key(runs, r.dtype, r.combine.op, r.from, at(r.values), r.any_order);
                 });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

const Algorithm kAlgorithm =
    natively<Request>({{"host", "CPU threads, without OpenCL: blocks, with vectors where no run begins",
                        "Blelloch, Prefix Sums and Their Applications, 1990", true},
                       refuses,
                       run});

} // namespace

const Algorithms kHost = {kAlgorithm, kAlgorithm};

} // namespace gpcl::runs
