// The sort on "host": lib/host.
// SPDX-License-Identifier: MIT
#include "host/sort_rows.h"

#include "ops/sort/sort.h"

namespace gpcl::sort {
namespace {

Refusal refuses(const cl::Context &, const Request &) { return {}; }

void run(cl::Task &task, const Request &r) {
    const host::Ordering ordering{r.descending, r.begin_bit, r.end_bit};
    task.on_host(GP_KERNEL, "host sort", [&] {
        const host::RowArrays arrays{r.keys.host, r.value_size, r.values.host, r.index, r.indices.host};
        if (r.has_segments) {
            host::sort_segments(r.dtype, r.n, {r.segments, r.offset_type, r.offsets.host, r.ends.host}, arrays,
                                ordering);
        } else if (!r.is_one_array()) {
            host::sort_rows(r.dtype, r.rows(), arrays, ordering);
        } else if (r.index != 0) {
            host::argsort(r.dtype, r.n, r.keys.host, r.index, r.indices.host, ordering);
        } else if (r.value_size != 0) {
            host::sort_pairs(r.dtype, r.n, r.keys.host, r.value_size, r.values.host, ordering);
        } else {
            host::sort(r.dtype, r.n, r.keys.host, ordering);
        }
    });
}

} // namespace

const Algorithm kHost = {{"host", "this process's own cores, by quicksort and networks on vectors where they fit",
                          "Blacher, Giesen, Sanders and Wassenberg, \"Vectorized and performance-portable Quicksort\", "
                          "2022; least-significant-digit radix sort where stability shows",
                          true},
                         refuses,
                         run};

} // namespace gpcl::sort
