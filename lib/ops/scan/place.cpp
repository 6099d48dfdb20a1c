// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "ops/place.h"

namespace gpcl::scan {
namespace {

void sample(place::Sample &s) {
    const void *const in = s.values(s.dtype, s.work);
    void *const out = s.room(s.work * dtype(s.dtype).size);
    s.time([&] { return gp_scan(s.context, s.dtype, s.work, in, out, nullptr); });
}

} // namespace

const place::Kind kKind = {"scan", "elements", sample};

} // namespace gpcl::scan
