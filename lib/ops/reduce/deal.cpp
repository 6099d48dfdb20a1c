// Reduce on several devices: each takes some of the rows, or a part of the one row, whose results
// are reduced in their order.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/reduce/reduce.h"

namespace gpcl::reduce {

bool deal(gp_context *context, const Request &whole, const gp_reduce_options &options, const void *in, void *out) {
    const Rows &rows = whole.rows;
    const size_t size_in = dtype(whole.from).size, size_out = dtype(whole.dtype).size;
    place::Deal deal(context, "reduce", units_of(rows), elements_of(rows) * static_cast<double>(size_in), options);
    if (!deal) return false;
    const auto reduce = [&](const place::Share &share, void *to, gp_reduce_options mine) {
        const void *const from = element(in, share.begin * apart(rows), size_in);
        return gp_reduce(share.device, whole.from, rows.batch > 1 ? rows.n : share.count(), from, to, &mine);
    };
    if (rows.batch > 1) {
        deal.on_devices([&](const place::Share &share, size_t) {
            gp_reduce_options mine = place::part_options(options);
            mine.batch = share.count();
            mine.stride_in = rows.stride;
            mine.stride_out = whole.stride_out;
            return reduce(share, element(out, share.begin * whole.stride_out, size_out), mine);
        });
    } else {
        std::vector<uint64_t> results(deal.shares().size()); // each has room for an element of any type
        deal.on_devices([&](const place::Share &share, size_t k) {
            gp_reduce_options mine = place::part_options(options);
            mine.accumulate = 0;
            return reduce(share, element(results.data(), k, size_out), mine);
        });
        gp_reduce_options mine = place::part_options(options);
        mine.accumulator = 0;
        const auto combine = [&](gp_context *where) {
            return gp_reduce(where, whole.dtype, deal.shares().size(), results.data(), out, &mine);
        };
        whole.combine.is_text() ? deal.on_one(combine) : deal.on_host(combine);
    }
    deal.end();
    return true;
}

} // namespace gpcl::reduce
