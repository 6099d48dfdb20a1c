// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/is_sorted/is_sorted.h"

#include "ops/place.h"

namespace gpcl::is_sorted {
namespace {

void sample(place::Sample &s) {
    const void *const in = s.room(s.work * dtype(s.dtype).size); // zeros are sorted
    uint64_t position = 0;
    s.time([&] { return gp_is_sorted(s.context, s.dtype, s.work, in, &position, nullptr); });
}

} // namespace

const place::Kind kKind = {"is-sorted", "elements", sample};

} // namespace gpcl::is_sorted
