// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/search/search.h"

#include "ops/place.h"

namespace gpcl::search {
namespace {

void sample(place::Sample &s) {
    const void *const sorted = sorted_values(s, s.dtype, s.work);
    const void *const values = s.values(s.dtype, s.work);
    void *const positions = s.room(s.work * sizeof(uint64_t));
    s.time(
        [&] { return gp_search(s.context, s.dtype, s.work, sorted, s.work, values, GP_UINT64, positions, nullptr); });
}

} // namespace

const place::Kind kKind = {"search", "values", sample};

} // namespace gpcl::search
