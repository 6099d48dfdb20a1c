// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/merge/merge.h"

#include "ops/place.h"

namespace gpcl::merge {
namespace {

void sample(place::Sample &s) {
    const size_t n = s.work / 2;
    const void *const a = sorted_values(s, s.dtype, n), *const b = sorted_values(s, s.dtype, n);
    void *const out = s.room(2 * n * dtype(s.dtype).size);
    s.time([&] { return gp_merge(s.context, s.dtype, n, a, n, b, out, nullptr); });
}

void sample_pairs(place::Sample &s) {
    const size_t n = s.work / 2;
    const void *const a = sorted_values(s, s.dtype, n), *const b = sorted_values(s, s.dtype, n);
    const void *const values = s.values(GP_UINT32, n);
    void *const out = s.room(2 * n * dtype(s.dtype).size), *const out_values = s.room(2 * n * sizeof(uint32_t));
    s.time([&] {
        return gp_merge_pairs(s.context, s.dtype, n, a, n, b, out, sizeof(uint32_t), values, values, out_values,
                              nullptr);
    });
}

} // namespace

const place::Kind kKeys = {"merge", "keys", sample}, kPairs = {"merge-pairs", "pairs", sample_pairs};
const std::array<const place::Kind *, 2> kKinds = {&kKeys, &kPairs};

} // namespace gpcl::merge
