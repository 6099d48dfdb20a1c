// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/repeat/repeat.h"

#include "ops/place.h"

#include <algorithm>

namespace gpcl::repeat {
namespace {

// Each element four times.
void sample(place::Sample &s) {
    constexpr size_t kRepeats = 4;
    const size_t n = std::max(s.work / kRepeats, size_t{1}), size = dtype(s.dtype).size;
    const void *const in = s.values(s.dtype, n);
    auto *const repeats = static_cast<uint8_t *>(s.room(n));
    std::fill_n(repeats, n, uint8_t{kRepeats});
    void *const out = s.room(n * kRepeats * size);
    uint64_t count = 0;
    s.time([&] { return gp_repeat(s.context, size, n, in, GP_UINT8, repeats, n * kRepeats, out, &count, nullptr); });
}

} // namespace

const place::Kind kKind = {"repeat", "elements", sample};

} // namespace gpcl::repeat
