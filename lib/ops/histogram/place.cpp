// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/histogram/histogram.h"

#include "ops/place.h"

namespace gpcl::histogram {
namespace {

constexpr size_t kFew = 1024;

void sample_bins(place::Sample &s, size_t bins, const gp_histogram_options &options) {
    const void *const in = s.values(s.dtype, s.work);
    auto *const counts = s.room<uint64_t>(bins * sizeof(uint64_t));
    s.time([&] { return gp_histogram(s.context, s.dtype, s.work, in, bins, counts, &options); });
}

void sample_even(place::Sample &s, size_t bins) {
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.upper = is_float(s.dtype) ? 1 : 100;
    sample_bins(s, bins, options);
}

void sample_few(place::Sample &s) { sample_even(s, 256); }
void sample_many(place::Sample &s) { sample_even(s, size_t{1} << 16); }

void sample_edges(place::Sample &s) {
    constexpr size_t kBins = 256;
    auto *const edges = s.room<double>((kBins + 1) * sizeof(double));
    for (size_t i = 0; i <= kBins; ++i) edges[i] = real(i) / (is_float(s.dtype) ? real(kBins) : 2.0);
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.edges = edges;
    sample_bins(s, kBins, options);
}

const place::Kind kOfFew = {"histogram", "elements", sample_few};
const place::Kind kOfMany = {"histogram-many", "elements", sample_many};
const place::Kind kByEdges = {"histogram-edges", "elements", sample_edges};

} // namespace

const place::Kind &kind_of(size_t bins, const gp_histogram_options &options) {
    if (options.edges != nullptr) return kByEdges;
    return bins <= kFew ? kOfFew : kOfMany;
}
const std::array<const place::Kind *, 3> kKinds = {&kOfFew, &kOfMany, &kByEdges};

} // namespace gpcl::histogram
