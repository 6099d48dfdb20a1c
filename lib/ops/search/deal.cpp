// Search on several devices: each takes a part of the values, and the whole array.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/search/search.h"

namespace gpcl::search {

bool deal(gp_context *context, const Request &whole, const gp_search_options &options, const void *sorted,
          const void *values, void *positions) {
    const size_t size = dtype(whole.dtype).size, index_size = dtype(whole.index).size;
    place::Deal deal(context, "search", whole.m, static_cast<double>(size + index_size), options);
    if (!deal) return false;
    deal.on_devices([&](const place::Share &share, size_t) {
        const gp_search_options mine = place::part_options(options);
        return gp_search(share.device, whole.dtype, whole.n, sorted, share.count(), element(values, share.begin, size),
                         whole.index, element(positions, share.begin, index_size), &mine);
    });
    deal.end();
    return true;
}

} // namespace gpcl::search
