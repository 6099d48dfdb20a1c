// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/gather/gather.h"

#include "ops/place.h"

namespace gpcl::gather {
namespace {

void *positions_in(place::Sample &s, size_t n) {
    auto *const positions = static_cast<uint32_t *>(s.values(GP_UINT32, n));
    for (size_t i = 0; i < n; ++i) positions[i] = static_cast<uint32_t>(positions[i] % n);
    return positions;
}

void sample_gather(place::Sample &s) {
    const size_t n = s.work, size = dtype(s.dtype).size;
    const void *const in = s.values(s.dtype, n), *const positions = positions_in(s, n);
    void *const out = s.room(n * size);
    s.time([&] { return gp_gather(s.context, size, n, in, GP_UINT32, n, positions, out, nullptr); });
}

void sample_scatter(place::Sample &s) {
    const size_t n = s.work, size = dtype(s.dtype).size;
    const void *const in = s.values(s.dtype, n), *const positions = positions_in(s, n);
    void *const out = s.room(n * size);
    s.time([&] { return gp_scatter(s.context, size, n, in, GP_UINT32, positions, n, out, nullptr); });
}

} // namespace

const place::Kind kGather = {"gather", "words", sample_gather}, kScatter = {"scatter", "words", sample_scatter};
const std::array<const place::Kind *, 2> kKinds = {&kGather, &kScatter};

} // namespace gpcl::gather
