// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/scan_by_key/scan_by_key.h"

#include "ops/place.h"

namespace gpcl::scan_by_key {
namespace {

// Runs of some elements each: sorted keys.
void sample(place::Sample &s) {
    const void *const keys = sorted_values(s, s.dtype, s.work), *const values = s.values(GP_FLOAT32, s.work);
    void *const out = s.room(s.work * sizeof(float));
    s.time([&] { return gp_scan_by_key(s.context, s.dtype, s.work, keys, GP_FLOAT32, values, out, nullptr); });
}

} // namespace

const place::Kind kKind = {"scan-by-key", "elements", sample};

} // namespace gpcl::scan_by_key
