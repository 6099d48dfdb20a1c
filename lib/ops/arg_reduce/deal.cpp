// Places of extremes on several devices: each takes some of the rows, or a part of the one row, and
// the host finds the best of the parts, of equals the first.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/arg_reduce/arg_reduce.h"

namespace gpcl::arg_reduce {

bool deal(gp_context *context, const Request &whole, const gp_arg_reduce_options &options, const void *in,
          void *positions, void *values) {
    const Rows &rows = whole.rows;
    const gp_operator op = whole.largest ? GP_MAXIMUM : GP_MINIMUM;
    const size_t size = dtype(whole.dtype).size, index_size = dtype(whole.index).size;
    place::Deal deal(context, "arg-reduce", units_of(rows), elements_of(rows) * static_cast<double>(size), options);
    if (!deal) return false;
    const auto from = [&](const place::Share &share) { return element(in, share.begin * apart(rows), size); };
    if (rows.batch > 1) {
        deal.on_devices([&](const place::Share &share, size_t) {
            gp_arg_reduce_options mine = place::part_options(options);
            mine.batch = share.count();
            mine.stride_in = rows.stride;
            mine.stride_out = whole.stride_out;
            const size_t to = share.begin * whole.stride_out;
            return gp_arg_reduce(share.device, op, whole.dtype, rows.n, from(share), whole.index,
                                 element(positions, to, index_size), element(values, to, size), &mine);
        });
    } else {
        const size_t count = deal.shares().size();
        std::vector<uint64_t> places(count), best(count); // with room for values of any type
        deal.on_devices([&](const place::Share &share, size_t k) {
            const gp_arg_reduce_options mine = place::part_options(options);
            return gp_arg_reduce(share.device, op, whole.dtype, share.count(), from(share), GP_UINT64, &places[k],
                                 element(best.data(), k, size), &mine);
        });
        deal.on_host([&](gp_context *host) {
            uint64_t which = 0;
            const gp_status status =
                gp_arg_reduce(host, op, whole.dtype, count, best.data(), GP_UINT64, &which, values, nullptr);
            if (status != GP_SUCCESS) return status;
            put_position(positions, 0, whole.index, deal.shares()[which].begin + places[which]);
            return status;
        });
    }
    deal.end();
    return true;
}

} // namespace gpcl::arg_reduce
