// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/sort/sort.h"

#include "ops/place.h"

namespace gpcl::sort {
namespace {

void sample_keys(place::Sample &s) {
    const size_t bytes = s.work * dtype(s.dtype).size;
    const auto next = s.changing_values(s.dtype, s.work);
    void *const keys = s.room(bytes);
    s.time([&] { return gp_sort(s.context, s.dtype, s.work, keys, nullptr); },
           [&] { std::memcpy(keys, next(), bytes); });
}

void sample_pairs(place::Sample &s) {
    const size_t bytes = s.work * dtype(s.dtype).size;
    const auto next = s.changing_values(s.dtype, s.work);
    void *const keys = s.room(bytes), *const values = s.values(GP_UINT32, s.work);
    s.time([&] { return gp_sort_pairs(s.context, s.dtype, s.work, keys, sizeof(uint32_t), values, nullptr); },
           [&] { std::memcpy(keys, next(), bytes); });
}

void sample_argsort(place::Sample &s) {
    const auto next = s.changing_values(s.dtype, s.work);
    const void *keys = nullptr;
    void *const indices = s.room(s.work * sizeof(uint32_t));
    s.time([&] { return gp_argsort(s.context, s.dtype, s.work, keys, GP_UINT32, indices, nullptr); },
           [&] { keys = next(); });
}

constexpr size_t kRow = 256, kShortRows = 4096;

void sample_rows(place::Sample &s) {
    const size_t row = std::min(s.work / 2, kRow), bytes = s.work * dtype(s.dtype).size;
    const auto next = s.changing_values(s.dtype, s.work);
    void *const keys = s.room(bytes);
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.batch = s.work / row;
    s.time([&] { return gp_sort(s.context, s.dtype, row, keys, &options); }, [&] { std::memcpy(keys, next(), bytes); });
}

const place::Kind kKeys = {"sort", "keys", sample_keys}, kPairs = {"sort-pairs", "pairs", sample_pairs};
const place::Kind kIndices = {"argsort", "keys", sample_argsort}, kRows = {"sort-rows", "keys", sample_rows};

} // namespace

const place::Kind &kind_of(size_t n, bool pairs, bool indices, const gp_sort_options &options) {
    const bool short_rows =
        options.segments != 0 ? n / options.segments < kShortRows : options.batch > 1 && n < kShortRows;
    return short_rows ? kRows : pairs ? kPairs : indices ? kIndices : kKeys;
}
const std::array<const place::Kind *, 4> kKinds = {&kKeys, &kPairs, &kIndices, &kRows};

} // namespace gpcl::sort
