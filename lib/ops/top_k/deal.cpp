// Top k on several devices: each takes some of the rows, or a part of the one row, and the host
// takes the best of what the parts give.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/top_k/top_k.h"

namespace gpcl::top_k {
namespace {

// What the parts of one row give, in the order of their positions where they are equal.
struct Candidates {
    std::vector<uint64_t> positions;
    std::vector<std::byte> values;
};

void take_best(place::Deal &deal, const Request &whole, const gp_top_k_options &options, const Candidates &of,
               void *positions, void *values) {
    std::vector<uint64_t> best(whole.k);
    deal.on_host([&](gp_context *host) {
        const gp_top_k_options mine = place::part_options(options);
        return gp_top_k(host, whole.descending ? GP_DESCENDING : GP_ASCENDING, whole.dtype, of.positions.size(),
                        of.values.data(), whole.k, GP_UINT64, best.data(), values, &mine);
    });
    if (positions == nullptr) return;
    for (size_t i = 0; i < whole.k; ++i) put_position(positions, i, whole.index, of.positions[best[i]]);
}

} // namespace

bool deal(gp_context *context, const Request &whole, const gp_top_k_options &options, const void *in, void *positions,
          void *values) {
    const Rows &rows = whole.rows;
    const gp_order order = whole.descending ? GP_DESCENDING : GP_ASCENDING;
    const size_t size = dtype(whole.dtype).size, index_size = dtype(whole.index).size;
    const bool has_few = rows.batch > 1 || whole.k <= rows.n / 16; // else the parts give nearly all
    place::Deal deal(context, "top-k", has_few && whole.k > 0 ? units_of(rows) : 0,
                     elements_of(rows) * static_cast<double>(size), options);
    if (!deal) return false;
    const auto from = [&](const place::Share &share) { return element(in, share.begin * apart(rows), size); };
    if (rows.batch > 1) {
        deal.on_devices([&](const place::Share &share, size_t) {
            gp_top_k_options mine = place::part_options(options);
            mine.batch = share.count();
            mine.stride_in = rows.stride;
            mine.stride_out = whole.stride_out;
            const size_t to = share.begin * whole.stride_out;
            return gp_top_k(share.device, order, whole.dtype, rows.n, from(share), whole.k, whole.index,
                            element(positions, to, index_size), element(values, to, size), &mine);
        });
    } else {
        std::vector<size_t> begins = {0}; // of each part's candidates
        for (const place::Share &share : deal.shares())
            begins.push_back(begins.back() + std::min(whole.k, share.count()));
        Candidates all{std::vector<uint64_t>(begins.back()), std::vector<std::byte>(begins.back() * size)};
        deal.on_devices([&](const place::Share &share, size_t k) {
            gp_top_k_options mine = place::part_options(options);
            mine.unsorted = 0; // of equal ones the first are taken
            uint64_t *const places = all.positions.data() + begins[k];
            const size_t count = begins[k + 1] - begins[k];
            const gp_status status = gp_top_k(share.device, order, whole.dtype, share.count(), from(share), count,
                                              GP_UINT64, places, element(all.values.data(), begins[k], size), &mine);
            for (size_t i = 0; i < count; ++i) places[i] += share.begin;
            return status;
        });
        take_best(deal, whole, options, all, positions, values);
    }
    deal.end();
    return true;
}

} // namespace gpcl::top_k
