// Select on "host".
// SPDX-License-Identifier: MIT
#include "host/select.h"
#include "ops/select/select.h"

namespace gpcl::select {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host select", r, [](const Request &r, const auto &at) {
        host::Selection s;
        s.n = r.counted ? std::min(r.n, static_cast<size_t>(*static_cast<const uint64_t *>(at(r.n_at)))) : r.n;
        s.key_type = r.key_type;
        s.keys = at(r.kept);
        if (r.index_size == 0) s.elements = {r.elements.size, at(r.elements.in), at(r.elements.out)};
        s.values = {r.values.size, at(r.values.in), at(r.values.out)};
        s.index_size = r.index_size;
        s.positions = at(r.elements.out);
        s.rest = r.rest;
        s.capacity = r.capacity;
        *static_cast<uint64_t *>(at(r.count)) = host::select(s);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL; bits of what is kept, then 64 elements at a time",
                        "Blelloch, Prefix Sums and Their Applications, 1990", true},
                       refuses,
                       run});

} // namespace gpcl::select
