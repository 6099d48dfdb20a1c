// Scan on several devices: each takes some of the rows, or a part of the one row. Before the parts
// of a row are scanned they are reduced, on the host where the operator is one of ours: so each
// part knows what comes before it, and passes over the link once.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/scan/scan.h"

namespace gpcl::scan {
namespace {

// What comes before each part, by the parts' order in the scan: their initial values.
std::vector<uint64_t> carries_of(place::Deal &deal, const Request &whole, const gp_scan_options &options,
                                 const void *in) {
    const auto shares = deal.shares();
    const size_t size_in = dtype(whole.from).size, size_out = dtype(whole.dtype).size, last = shares.size() - 1;
    std::vector<uint64_t> sums(shares.size()), carries(shares.size()); // with room for elements of any type
    gp_reduce_options reduction = GP_REDUCE_OPTIONS_INIT;
    reduction.op = options.op;
    reduction.operator_source = options.operator_source;
    reduction.operator_identity = options.operator_identity;
    reduction.operator_helpers = options.operator_helpers;
    reduction.accumulator = options.accumulator;
    const auto reduce = [&](gp_context *where, size_t k) { // all parts but the last
        const place::Share &share = shares[whole.reverse ? last - k : k];
        return gp_reduce(where, whole.from, share.count(), element(in, share.begin, size_in),
                         element(sums.data(), k, size_out), &reduction);
    };
    const bool is_text = whole.combine.is_text();
    if (is_text) {
        deal.on_devices([&](const place::Share &share, size_t k) {
            return k < last ? reduce(share.device, k) : gp_status{GP_SUCCESS};
        });
    } else {
        deal.on_host([&](gp_context *host) {
            gp_status status = GP_SUCCESS;
            for (size_t k = 0; k < last && status == GP_SUCCESS; ++k) status = reduce(host, k);
            return status;
        });
    }
    gp_scan_options of_sums = place::part_options(options);
    of_sums.kind = GP_EXCLUSIVE;
    of_sums.direction = GP_FORWARD;
    of_sums.accumulator = 0;
    of_sums.final_value = nullptr;
    const auto scan = [&](gp_context *where) {
        return gp_scan(where, whole.dtype, sums.size(), sums.data(), carries.data(), &of_sums);
    };
    is_text ? deal.on_one(scan) : deal.on_host(scan);
    return carries;
}

} // namespace

bool deal(gp_context *context, const Request &whole, const gp_scan_options &options, const HostArrays &host) {
    const Rows &rows_in = whole.rows_in, &rows_out = whole.rows_out;
    const size_t size_in = dtype(whole.from).size, size_out = dtype(whole.dtype).size;
    const bool by_rows = rows_in.batch > 1;
    const bool can_be_cut = by_rows || (!whole.segmented && !(whole.combine.is_text() && whole.reverse));
    const size_t units = can_be_cut ? std::min(units_of(rows_in), units_of(rows_out)) : 0;
    place::Deal deal(context, "scan", units, elements_of(rows_in) * static_cast<double>(size_in + size_out), options);
    if (!deal) return false;
    const std::vector<uint64_t> carries = by_rows ? std::vector<uint64_t>{} : carries_of(deal, whole, options, host.in);
    deal.on_devices([&](const place::Share &share, size_t k) {
        gp_scan_options mine = place::part_options(options);
        const size_t last = deal.shares().size() - 1, turn = whole.reverse ? last - k : k;
        if (by_rows) {
            mine.batch = share.count();
            mine.stride_in = rows_in.stride;
            mine.stride_out = rows_out.stride;
            mine.heads = host.heads != nullptr ? host.heads + share.begin * rows_in.stride : nullptr;
            mine.initial = element(host.initial, share.begin, size_out);
            mine.final_value = element(host.last, share.begin, size_out);
        } else {
            const bool has_initial = turn > 0 || whole.has_initial;
            mine.initial = has_initial ? element(carries.data(), turn, size_out) : nullptr;
            mine.final_value = turn == last ? host.last : nullptr;
        }
        return gp_scan(share.device, whole.from, by_rows ? rows_in.n : share.count(),
                       element(host.in, share.begin * apart(rows_in), size_in),
                       element(host.out, share.begin * apart(rows_out), size_out), &mine);
    });
    deal.end();
    return true;
}

} // namespace gpcl::scan
