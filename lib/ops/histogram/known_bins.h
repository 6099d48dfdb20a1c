// The bins of a call with what kernels need of them, remembered from call to call.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/bins.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace gpcl::histogram {

// How a kernel finds the place of a float32 or float64, in bins, in the elements' type: x * scale +
// middle, less half a bin; or in pairs of floats, (x - lower) * (scale + scale_low). The borders
// are within `near` of their places, rounding included, or within `near_of_pairs`. Above 1/4,
// places are no use.
struct Places {
    double scale = 0, middle = 0, near = 1;
    double lower = 0, scale_low = 0, near_of_pairs = 1;
};

using Table = std::shared_ptr<const std::vector<std::byte>>;

// The range of a float32's or float64's bins, cut evenly: by value, cell (x - lower) * scale, or by
// key, cell (key - first) >> shift.
struct Cells {
    Table table; // for each cell the first of the bins that its elements may be in, as a uint, and from bit 16 on
                 // how many they are; NULL: there are no cells
    size_t count = 0;
    bool by_key = false;
    uint32_t shift = 0;
    double lower = 0, scale = 0;
};

struct Bins : host::Bins {
    Table keys;    // `lows` in the elements' size; NULL if whole
    Table borders; // with places: the same, and the least key above all bins
    Places places;
    Cells cells;
};

// Adds what kernels need.
std::shared_ptr<const Bins> known_bins(gp_dtype dtype, host::Bins bins);

// What bins were made from: equal ones are the same.
struct AskedBins {
    gp_dtype dtype = 0;
    size_t count = 0;
    double lower = 0, upper = 0;
    gp_dtype edges_dtype = 0;           // 0: no edges
    std::span<const std::byte> edges{}; // as they were given
};

// The bins of a call that asked the same, if it was one of the latest; else what `make` returns or
// throws.
std::shared_ptr<const Bins> find_bins(const AskedBins &asked, const std::function<host::Bins()> &make);

} // namespace gpcl::histogram
