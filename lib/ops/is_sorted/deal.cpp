// Whether rows are sorted, on several devices: each takes some of the rows, or a part of the one
// row, from the last element of the part before on.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/is_sorted/is_sorted.h"

namespace gpcl::is_sorted {

bool deal(gp_context *context, const Request &whole, const gp_is_sorted_options &options, const void *in,
          uint64_t *positions) {
    const Rows &rows = whole.rows;
    const size_t size = dtype(whole.dtype).size;
    place::Deal deal(context, "is-sorted", units_of(rows), elements_of(rows) * static_cast<double>(size), options);
    if (!deal) return false;
    if (rows.batch > 1) {
        deal.on_devices([&](const place::Share &share, size_t) {
            gp_is_sorted_options mine = place::part_options(options);
            mine.batch = share.count();
            mine.stride_in = rows.stride;
            mine.stride_out = whole.stride_out;
            return gp_is_sorted(share.device, whole.dtype, rows.n, element(in, share.begin * rows.stride, size),
                                positions + share.begin * whole.stride_out, &mine);
        });
    } else {
        std::vector<uint64_t> firsts(deal.shares().size());
        const auto begin_of = [](const place::Share &share) { return share.begin - (share.begin > 0 ? 1 : 0); };
        deal.on_devices([&](const place::Share &share, size_t k) {
            const gp_is_sorted_options mine = place::part_options(options);
            const size_t begin = begin_of(share);
            return gp_is_sorted(share.device, whole.dtype, share.end - begin, element(in, begin, size), &firsts[k],
                                &mine);
        });
        size_t k = 0; // the first part that is out of order, or the last one
        while (k + 1 < firsts.size() && begin_of(deal.shares()[k]) + firsts[k] == deal.shares()[k].end) ++k;
        *positions = begin_of(deal.shares()[k]) + firsts[k];
    }
    deal.end();
    return true;
}

} // namespace gpcl::is_sorted
