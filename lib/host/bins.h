// Bins of a histogram as keys: unsigned integers that order as the elements do, so that one search
// serves every type, also where it can't be computed in.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <vector>

namespace gpcl::host {

struct Bins {
    size_t count = 0;
    bool whole = false;           // bin b is key first + b
    bool even = false;            // as far as rounding allows, so that a bin can be guessed
    uint64_t first = 1, last = 0; // the least and the greatest key in any bin; first > last: there is none
    std::vector<uint64_t> lows; // least key of each bin, but for bins at the end that no element reaches; none if whole
    bool near_even = false;     // not even, but so nearly that a bin can be guessed from the next two
    // If even or nearly: x lies in bin (x - lower) * scale, or beside it. Integers count from the
    // one that `first` stands for.
    double lower = 0, scale = 0;

    bool empty() const { return first > last; }
};

// `count` bins for each whole number from `lower` on, which is one of the type's values.
Bins whole_bins(gp_dtype dtype, size_t count, double lower);
// From lower to upper, both finite.
Bins even_bins(gp_dtype dtype, size_t count, double lower, double upper);
// Between count + 1 ascending edges, of the elements' type or double.
Bins bins_between(gp_dtype dtype, size_t count, const void *edges, gp_dtype edges_dtype);

// Is every edge a number, and none less than the one before?
bool ascending(const void *edges, size_t count, gp_dtype edges_dtype);

// Can this type hold that whole number?
bool holds(gp_dtype dtype, double whole);

// The key of an element's bits, which lie in the low bytes.
inline uint64_t key_of(gp_dtype dtype, uint64_t bits, unsigned width) {
    const uint64_t sign = uint64_t{1} << (width - 1), all = sign | (sign - 1);
    if (dtype <= GP_INT64) return bits ^ sign;
    if (dtype <= GP_UINT64) return bits;
    return (bits & sign) != 0 ? ~bits & all : bits | sign;
}

} // namespace gpcl::host
