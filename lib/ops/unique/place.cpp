// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/unique/unique.h"

#include "ops/place.h"

namespace gpcl::unique {
namespace {

void sample(place::Sample &s) {
    const auto next = s.changing_values(s.dtype, s.work);
    const void *in = nullptr;
    void *const values = s.room(s.work * dtype(s.dtype).size), *const counts = s.room(s.work * sizeof(uint64_t));
    uint64_t count = 0;
    s.time(
        [&] {
            return gp_unique(s.context, s.dtype, s.work, in, values, GP_UINT64, nullptr, nullptr, counts, &count,
                             nullptr);
        },
        [&] { in = next(); });
}

void sample_sorted(place::Sample &s) {
    const void *const in = sorted_values(s, s.dtype, s.work);
    void *const values = s.room(s.work * dtype(s.dtype).size), *const counts = s.room(s.work * sizeof(uint64_t));
    uint64_t count = 0;
    gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
    options.sorted = 1;
    s.time([&] {
        return gp_unique(s.context, s.dtype, s.work, in, values, GP_UINT64, nullptr, nullptr, counts, &count, &options);
    });
}

const place::Kind kAny = {"unique", "elements", sample}, kSorted = {"unique-sorted", "elements", sample_sorted};

} // namespace

const place::Kind &kind_of(bool sorted) { return sorted ? kSorted : kAny; }
const std::array<const place::Kind *, 2> kKinds = {&kAny, &kSorted};

} // namespace gpcl::unique
