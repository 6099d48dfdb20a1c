// Differences on several devices: each takes some of the rows, or a part of the one row, from the
// last element of the part before on.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/difference/difference.h"

namespace gpcl::difference {

bool deal(gp_context *context, const Request &whole, const gp_difference_options &options, const void *in, void *out) {
    const Rows &rows_in = whole.rows_in, &rows_out = whole.rows_out;
    const size_t size = dtype(whole.dtype).size;
    const size_t units = std::min(units_of(rows_in), units_of(rows_out)); // of one row its results
    place::Deal deal(context, "difference", units, 2 * elements_of(rows_in) * static_cast<double>(size), options);
    if (!deal) return false;
    deal.on_devices([&](const place::Share &share, size_t) {
        gp_difference_options mine = place::part_options(options);
        void *const to = element(out, share.begin * apart(rows_out), size);
        if (rows_in.batch > 1) {
            mine.batch = share.count();
            mine.stride_in = rows_in.stride;
            mine.stride_out = rows_out.stride;
            return gp_difference(share.device, whole.dtype, rows_in.n, element(in, share.begin * rows_in.stride, size),
                                 to, &mine);
        }
        const bool is_first_kept = whole.kept && share.begin == 0;
        if (!is_first_kept) mine.first = GP_FIRST_LEFT_OUT;
        const size_t before = whole.kept && !is_first_kept ? 1 : 0; // results lie one element further
        return gp_difference(share.device, whole.dtype, share.count() + (is_first_kept ? 0 : 1),
                             element(in, share.begin - before, size), to, &mine);
    });
    deal.end();
    return true;
}

} // namespace gpcl::difference
