// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/arg_reduce/arg_reduce.h"

#include "ops/place.h"

namespace gpcl::arg_reduce {
namespace {

void sample(place::Sample &s) {
    const void *const in = s.values(s.dtype, s.work);
    uint64_t position = 0;
    s.time([&] {
        return gp_arg_reduce(s.context, GP_MINIMUM, s.dtype, s.work, in, GP_UINT64, &position, nullptr, nullptr);
    });
}

} // namespace

const place::Kind kKind = {"arg-reduce", "elements", sample};

} // namespace gpcl::arg_reduce
