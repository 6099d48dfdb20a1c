// The oracle of histograms of weights and of pairs: exact sums as lists of numbers that do not
// overlap, rounded once in the end.
// SPDX-License-Identifier: MIT
#pragma once

#include "histogram.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace reference {

// The exact sum of what is added; below the greatest double by some bits. Method: Shewchuk,
// "Adaptive Precision Floating-Point Arithmetic", 1997, as Python's math.fsum.
class ExactSum {
  public:
    void add(double x) {
        if (!std::isfinite(x)) {
            special_ += x; // NaN of inf - inf
            is_special_ = true;
            return;
        }
        size_t kept = 0;
        for (double part : parts_) {
            if (std::fabs(x) < std::fabs(part)) std::swap(x, part);
            const volatile double high = x + part, back = high - x;
            const volatile double low = part - back;
            if (low != 0) parts_[kept++] = low;
            x = high;
        }
        parts_.resize(kept);
        if (x != 0) parts_.push_back(x);
    }

    // Rounded to the nearest.
    template <class T> T rounded() const {
        if (is_special_) return static_cast<T>(special_);
        double high = 0, low = 0; // the sum is high + low and nearer to high than to another double
        size_t k = parts_.size();
        while (k > 0 && low == 0) {
            const double before = high, part = parts_[--k];
            high = before + part;
            low = part - (high - before);
        }
        // The parts below tell on which side of low the sum is: low is halfway between two doubles
        // at most.
        if (k > 0 && low != 0 && (low < 0) == (parts_[k - 1] < 0)) {
            const double twice = 2 * low, next = high + twice;
            if (next - high == twice) {
                high = next;
                low = -low;
            }
        }
        if constexpr (std::is_same_v<T, double>) return high;
        uint64_t bits = 0; // else to the neighbour with an odd last digit, so that the next rounding is the first
        std::memcpy(&bits, &high, sizeof bits);
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        if (low != 0 && bits % 2 == 0) high = std::nextafter(high, low < 0 ? -kInfinity : kInfinity);
        return static_cast<T>(high);
    }

  private:
    std::vector<double> parts_; // from the least on
    double special_ = 0;
    bool is_special_ = false;
};

// The bin of each element between edges, as histogram() has it; the number of bins where there is
// none.
template <class T> std::vector<size_t> bins_of(const std::vector<T> &in, const std::vector<double> &edges) {
    std::vector<size_t> bins;
    for (const T x : in) {
        const double value = as_double(x);
        const auto after = std::upper_bound(edges.begin(), edges.end() - 1, value);
        const bool inside = value >= edges.front() && value <= edges.back();
        bins.push_back(inside ? static_cast<size_t>(after - edges.begin()) - 1 : edges.size() - 1);
    }
    return bins;
}

// The sums of weights of each cell; elements in cell `cells` or above are left out.
template <class Result, class Weight>
std::vector<Result> sums_of(const std::vector<size_t> &cell, const std::vector<Weight> &weights, size_t cells) {
    std::vector<ExactSum> sums(cells);
    for (size_t i = 0; i < cell.size(); ++i)
        if (cell[i] < cells) sums[cell[i]].add(static_cast<double>(weights[i]));
    std::vector<Result> result;
    for (const ExactSum &sum : sums) result.push_back(sum.rounded<Result>());
    return result;
}

} // namespace reference
