// Select on "host".
// SPDX-License-Identifier: MIT
#include "host/select.h"
#include "ops/select/select.h"

namespace gpcl::select {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host select", [&] {
        host::Selection s;
        s.n = r.counted ? std::min(r.n, static_cast<size_t>(*static_cast<const uint64_t *>(r.n_at.host))) : r.n;
        s.key_type = r.key_type;
        s.keys = r.kept.host;
        if (r.index_size == 0) s.elements = {r.elements.size, r.elements.in.host, r.elements.out.host};
        s.values = {r.values.size, r.values.in.host, r.values.out.host};
        s.index_size = r.index_size;
        s.positions = r.elements.out.host;
        s.rest = r.rest;
        s.capacity = r.capacity;
        *static_cast<uint64_t *>(r.count.host) = host::select(s);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL; bits of what is kept, then 64 elements at a time",
                          "Blelloch, Prefix Sums and Their Applications, 1990", true},
                         refuses,
                         run};

} // namespace gpcl::select
