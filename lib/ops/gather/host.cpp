// Gather and scatter on "host".
// SPDX-License-Identifier: MIT
#include "host/gather.h"

#include "ops/gather/gather.h"

namespace gpcl::gather {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, r.scatters ? "host scatter" : "host gather", r, [](const Request &r, const auto &at) {
        host::Moves moves{r.scatters, r.from_end,      r.index,  r.n,       r.m,       r.row_bytes,
                          r.word,     at(r.positions), at(r.in), at(r.out), r.is_right};
        if (r.is_counted) moves.m = std::min(r.m, static_cast<size_t>(*static_cast<const uint64_t *>(at(r.count))));
        if (r.wants_first) *static_cast<uint64_t *>(at(r.first)) = host::first_wrong(moves);
        if (r.moves) host::move(moves);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL: by blocks whose positions fit a cache",
                        "textbook: one pass, by blocks whose positions fit a cache", true},
                       refuses,
                       run});

} // namespace gpcl::gather
