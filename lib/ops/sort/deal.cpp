// Sorts on several devices: each takes some of the rows. One array stays on one device: what two or
// four devices exchange through the host's memory takes as long as they save (peers.md, "several
// devices").
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/sort/sort.h"

namespace gpcl::sort {
namespace {

size_t index_size(const Request &r) { return r.index != 0 ? dtype(r.index).size : 0; }

// Bytes of a key, of its value and of its index.
size_t bytes_of(const Request &r) { return dtype(r.dtype).size + r.value_size + index_size(r); }

void sort_rows(place::Deal &deal, const Request &whole, const gp_sort_options &options, const HostArrays &host) {
    deal.on_devices([&](const place::Share &share, size_t) {
        gp_sort_options mine = place::part_options(options);
        mine.batch = share.count();
        mine.stride = whole.stride;
        const size_t at = share.begin * whole.stride;
        void *const keys = element(host.keys, at, dtype(whole.dtype).size);
        if (whole.index != 0)
            return gp_argsort(share.device, whole.dtype, whole.n, keys, whole.index,
                              element(host.indices, at, index_size(whole)), &mine);
        if (whole.value_size == 0) return gp_sort(share.device, whole.dtype, whole.n, keys, &mine);
        return gp_sort_pairs(share.device, whole.dtype, whole.n, keys, whole.value_size,
                             element(host.values, at, whole.value_size), &mine);
    });
}

} // namespace

bool deal(gp_context *context, const Request &whole, const gp_sort_options &options, const HostArrays &host) {
    const bool are_rows = !whole.has_segments && whole.batch > 1;
    const double bytes = elements_of(whole.rows()) * static_cast<double>(2 * bytes_of(whole));
    place::Deal deal(context, "sort", are_rows ? units_of(whole.rows()) : 0, bytes, options);
    if (!deal) return false;
    sort_rows(deal, whole, options, host);
    deal.end();
    return true;
}

} // namespace gpcl::sort
