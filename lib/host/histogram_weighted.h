// Histograms of weights and of pairs on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/bins.h"

namespace gpcl::host {

// As gp_histogram_weighted and gp_histogram_2d have it: the bins of x, and those of y where y is
// not NULL; weights of float32 or float64 and sums of sums_dtype, or no weights (0 and NULL) and
// counts of 64 bits.
struct WeightedHistogram {
    gp_dtype dtype;
    size_t n;
    const void *x;
    const Bins *bins_x;
    const void *y;
    const Bins *bins_y;
    gp_dtype weight_dtype;
    const void *weights;
    gp_dtype sums_dtype;
    void *sums;

    size_t cells() const { return bins_x->count * (y != nullptr ? bins_y->count : 1); }
};

void histogram_weighted(const WeightedHistogram &call);

} // namespace gpcl::host
