// The sort on "host": lib/host.
// SPDX-License-Identifier: MIT
#include "host/sort_rows.h"

#include "ops/sort/sort.h"

namespace gpcl::sort {
namespace {

Refusal refuses(const cl::Context &, const Request &) { return {}; }

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host sort", r, [](const Request &r, const auto &at) {
        const host::Ordering ordering{r.descending, r.begin_bit, r.end_bit};
        const host::RowArrays arrays{at(r.keys), r.value_size, at(r.values), r.index, at(r.indices)};
        if (r.has_segments) {
            host::sort_segments(r.dtype, r.n, {r.segments, r.offset_type, at(r.offsets), at(r.ends)}, arrays, ordering);
        } else if (!r.is_one_array()) {
            host::sort_rows(r.dtype, r.rows(), arrays, ordering);
        } else if (r.index != 0) {
            host::argsort(r.dtype, r.n, at(r.keys), r.index, at(r.indices), ordering);
        } else if (r.value_size != 0) {
            host::sort_pairs(r.dtype, r.n, at(r.keys), r.value_size, at(r.values), ordering);
        } else {
            host::sort(r.dtype, r.n, at(r.keys), ordering);
        }
    });
}

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "this process's own cores, by quicksort and networks on vectors where they fit",
                        "Blacher, Giesen, Sanders and Wassenberg, \"Vectorized and performance-portable Quicksort\", "
                        "2022; least-significant-digit radix sort where stability shows",
                        true},
                       refuses,
                       run});

} // namespace gpcl::sort
