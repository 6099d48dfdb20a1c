// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/paths/paths.h"

#include "ops/place.h"

#include <cmath>

namespace gpcl::paths {
namespace {

void sample(place::Sample &s) {
    const auto n = static_cast<size_t>(std::cbrt(real(s.work)));
    const void *const in = s.values(s.dtype, n * n);
    void *const out = s.room(n * n * dtype(s.dtype).size);
    s.time([&] { return gp_paths(s.context, s.dtype, n, in, n, out, n, nullptr, 0, nullptr); });
}

} // namespace

const place::Kind kKind = {"paths", "steps", sample};

} // namespace gpcl::paths
