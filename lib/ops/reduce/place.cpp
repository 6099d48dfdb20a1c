// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"

#include "ops/place.h"

namespace gpcl::reduce {
namespace {

void sample(place::Sample &s) {
    const void *const in = s.values(s.dtype, s.work);
    uint64_t out = 0;
    s.time([&] { return gp_reduce(s.context, s.dtype, s.work, in, &out, nullptr); });
}

} // namespace

const place::Kind kKind = {"reduce", "elements", sample};

} // namespace gpcl::reduce
