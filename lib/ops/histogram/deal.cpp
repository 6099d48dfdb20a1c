// Histogram on several devices: each counts a part of the elements, and the host adds the counts.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/histogram/histogram.h"

#include <functional>

namespace gpcl::histogram {

bool deal(gp_context *context, const Request &whole, const gp_histogram_options &options, const void *in,
          uint64_t *counts) {
    const size_t size = dtype(whole.dtype).size, bins = whole.bins->count;
    const bool pays = bins * sizeof *counts <= whole.n * size; // there is more to count than to add
    place::Deal deal(context, "histogram", pays ? whole.n : 0, static_cast<double>(size), options);
    if (!deal) return false;
    std::vector<std::vector<uint64_t>> parts(deal.shares().size()); // the first one's are the caller's
    for (size_t k = 1; k < parts.size(); ++k) parts[k].resize(bins);
    deal.on_devices([&](const place::Share &share, size_t k) {
        gp_histogram_options mine = place::part_options(options);
        if (k > 0) mine.accumulate = 0;
        return gp_histogram(share.device, whole.dtype, share.count(), element(in, share.begin, size), bins,
                            k == 0 ? counts : parts[k].data(), &mine);
    });
    deal.on_host([&](gp_context *) {
        for (size_t k = 1; k < parts.size(); ++k)
            std::transform(counts, counts + bins, parts[k].begin(), counts, std::plus<>());
        return gp_status{GP_SUCCESS};
    });
    deal.end();
    return true;
}

} // namespace gpcl::histogram
