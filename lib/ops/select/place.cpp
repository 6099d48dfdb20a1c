// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/select/select.h"

#include "ops/place.h"

namespace gpcl::select {
namespace {

// Half of the elements.
void sample_flags(place::Sample &s) {
    const size_t n = s.work, size = dtype(s.dtype).size;
    const void *const in = s.values(s.dtype, n);
    auto *const flags = static_cast<uint8_t *>(s.values(GP_UINT8, n));
    for (size_t i = 0; i < n; ++i) flags[i] &= 1;
    void *const out = s.room(n * size);
    uint64_t count = 0;
    s.time([&] { return gp_select(s.context, size, n, in, flags, out, &count, nullptr); });
}

void sample_nonzero(place::Sample &s) {
    const size_t n = s.work, size = dtype(s.dtype).size;
    auto *const in = static_cast<std::byte *>(s.values(s.dtype, n));
    for (size_t i = 0; i + 1 < n; i += 2) std::memset(in + i * size, 0, size);
    void *const out = s.room(n * sizeof(uint64_t));
    uint64_t count = 0;
    s.time([&] { return gp_nonzero(s.context, s.dtype, n, in, GP_UINT64, out, &count, nullptr); });
}

} // namespace

const place::Kind kFlags = {"select", "words", sample_flags}, kNonzero = {"nonzero", "elements", sample_nonzero};
const std::array<const place::Kind *, 2> kKinds = {&kFlags, &kNonzero};

} // namespace gpcl::select
