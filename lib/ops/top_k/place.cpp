// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/top_k/top_k.h"

#include "ops/place.h"

namespace gpcl::top_k {
namespace {

void sample_k(place::Sample &s, size_t k) {
    const void *const in = s.values(s.dtype, s.work);
    void *const positions = s.room(k * sizeof(uint64_t)), *const values = s.room(k * dtype(s.dtype).size);
    s.time([&] {
        return gp_top_k(s.context, GP_ASCENDING, s.dtype, s.work, in, k, GP_UINT64, positions, values, nullptr);
    });
}

constexpr size_t kFew = 1024;

void sample_few(place::Sample &s) { sample_k(s, std::min<size_t>(s.work, 32)); }
void sample_many(place::Sample &s) { sample_k(s, s.work / 4); }

const place::Kind kOfFew = {"top-k", "elements", sample_few}, kOfMany = {"top-k-many", "elements", sample_many};

} // namespace

const place::Kind &kind_of(size_t k) { return k <= kFew ? kOfFew : kOfMany; }
const std::array<const place::Kind *, 2> kKinds = {&kOfFew, &kOfMany};

} // namespace gpcl::top_k
