// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/recurrence/recurrence.h"

#include "ops/place.h"

namespace gpcl::recurrence {
namespace {

constexpr size_t kHighOrder = 4;

void sample_order(place::Sample &s, size_t order) {
    const void *const in = s.values(s.dtype, s.work);
    void *const out = s.room(s.work * dtype(s.dtype).size);
    const void *const zeros = s.room(order * sizeof(uint64_t)); // as coefficients
    s.time([&] { return gp_recurrence(s.context, s.dtype, s.work, in, out, order, zeros, nullptr); });
}

void sample_first(place::Sample &s) { sample_order(s, 1); }
void sample_higher(place::Sample &s) { sample_order(s, kHighOrder); }

void sample_varying(place::Sample &s) {
    const void *const in = s.values(s.dtype, s.work), *const coefficients = s.values(s.dtype, s.work);
    void *const out = s.room(s.work * dtype(s.dtype).size);
    s.time([&] { return gp_recurrence_varying(s.context, s.dtype, s.work, coefficients, in, out, nullptr); });
}

const place::Kind kFirst = {"recurrence", "elements", sample_first};
const place::Kind kHigher = {"recurrence-high", "elements", sample_higher};

} // namespace

const place::Kind kVarying = {"recurrence-varying", "elements", sample_varying};
const place::Kind &kind_of(size_t order) { return order <= 1 ? kFirst : kHigher; }
const std::array<const place::Kind *, 2> kKinds = {&kFirst, &kHigher};

} // namespace gpcl::recurrence
