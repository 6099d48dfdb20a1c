// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/histogram_weighted/histogram_weighted.h"

#include "ops/place.h"

namespace gpcl::histogram_weighted {
namespace {

constexpr size_t kBins = 256;

void sample(place::Sample &s) {
    const void *const in = s.values(s.dtype, s.work), *const weights = s.values(GP_FLOAT32, s.work);
    void *const sums = s.room(kBins * sizeof(float));
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.upper = is_float(s.dtype) ? 1 : 100;
    s.time([&] {
        return gp_histogram_weighted(s.context, s.dtype, s.work, in, GP_FLOAT32, weights, kBins, sums, &options);
    });
}

void sample_2d(place::Sample &s) {
    constexpr size_t kSide = 16;
    const void *const x = s.values(s.dtype, s.work), *const y = s.values(s.dtype, s.work);
    void *const sums = s.room(kBins * sizeof(uint64_t));
    gp_histogram_2d_options options = GP_HISTOGRAM_2D_OPTIONS_INIT;
    options.upper_x = options.upper_y = is_float(s.dtype) ? 1 : 100;
    s.time([&] { return gp_histogram_2d(s.context, s.dtype, s.work, x, y, 0, nullptr, kSide, kSide, sums, &options); });
}

} // namespace

const place::Kind kOneAxis = {"histogram-weighted", "elements", sample};
const place::Kind kTwoAxes = {"histogram-2d", "elements", sample_2d};
const std::array<const place::Kind *, 2> kKinds = {&kOneAxis, &kTwoAxes};

} // namespace gpcl::histogram_weighted
