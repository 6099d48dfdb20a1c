// Bins of a histogram as keys.
// SPDX-License-Identifier: MIT
#include "host/bins.h"

#include "core/dtype.h"
#include "core/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace gpcl::host {
namespace {

// A type's elements as keys, and what they are worth as doubles.
struct Keys {
    gp_dtype dtype;
    unsigned width;
    uint64_t least, greatest; // of numbers: NaN lies outside

    explicit Keys(gp_dtype code) : dtype(code), width(static_cast<unsigned>(8 * gpcl::dtype(code).size)) {
        greatest = ~uint64_t{0} >> (64 - width);
        least = 0;
        if (!is_float(code)) return;
        greatest = of(std::numeric_limits<double>::infinity());
        least = of(-std::numeric_limits<double>::infinity());
    }

    // That of the element nearest to a number, or close to it.
    uint64_t of(double x) const {
        if (dtype == GP_FLOAT64) return key_of(dtype, std::bit_cast<uint64_t>(x), width);
        if (dtype == GP_FLOAT32) return key_of(dtype, std::bit_cast<uint32_t>(static_cast<float>(x)), width);
        if (dtype == GP_FLOAT16) return key_of(dtype, float_to_half(static_cast<float>(x)), width);
        if (!(x > lowest())) return least;
        if (x >= beyond()) return greatest;
        const uint64_t bits = x < 0 ? static_cast<uint64_t>(static_cast<int64_t>(x)) : static_cast<uint64_t>(x);
        return key_of(dtype, bits & greatest, width);
    }

    double value(uint64_t key) const {
        const uint64_t sign = uint64_t{1} << (width - 1);
        if (dtype <= GP_INT64)
            return static_cast<double>(static_cast<int64_t>((key ^ sign) << (64 - width)) >> (64 - width));
        if (dtype <= GP_UINT64) return static_cast<double>(key);
        const uint64_t bits = (key & sign) != 0 ? key ^ sign : ~key & (sign | (sign - 1));
        if (dtype == GP_FLOAT64) return std::bit_cast<double>(bits);
        if (dtype == GP_FLOAT32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
        return half_to_float(static_cast<uint16_t>(bits));
    }

    // Of an integer type: its least value, and one more than its greatest.
    double lowest() const { return dtype <= GP_INT64 ? -std::ldexp(1, static_cast<int>(width) - 1) : 0; }
    double beyond() const { return lowest() + std::ldexp(1, static_cast<int>(width)); }

    // The least key of an element >= x; false where there is none.
    bool least_from(double x, uint64_t *key) const {
        uint64_t k = std::min(std::max(of(x), least), greatest);
        while (k > least && value(k - 1) >= x) --k;
        while (k < greatest && value(k) < x) ++k;
        *key = k;
        return value(k) >= x;
    }

    // The greatest key of an element <= x; false where there is none.
    bool greatest_to(double x, uint64_t *key) const {
        uint64_t k = std::min(std::max(of(x), least), greatest);
        while (k < greatest && value(k + 1) <= x) ++k;
        while (k > least && value(k) > x) --k;
        *key = k;
        return value(k) <= x;
    }
};

Bins between(gp_dtype dtype, const std::vector<double> &edges) {
    const Keys keys(dtype);
    Bins bins;
    bins.count = edges.size() - 1;
    uint64_t key = 0;
    for (size_t b = 0; b < bins.count && keys.least_from(edges[b], &key); ++b) bins.lows.push_back(key);
    if (bins.lows.empty() || !keys.greatest_to(edges.back(), &key)) return bins;
    bins.first = bins.lows.front();
    bins.last = key;
    return bins;
}

// Where an integer's place among bins is counted from, else `lower`.
double place_from(gp_dtype dtype, const Bins &bins, double lower) {
    return is_float(dtype) || bins.empty() ? lower : lower - Keys(dtype).value(bins.first);
}

// Finds out whether each edge lies within a quarter of a bin of where it would if bins were even.
void look_for_even(gp_dtype dtype, const std::vector<double> &edges, Bins &bins) {
    const double lower = edges.front(), length = edges.back() - lower;
    const auto count = static_cast<double>(bins.count);
    if (!(length > 0) || !std::isfinite(length)) return;
    const double step = length / count;
    bins.near_even = true;
    for (size_t b = 0; b < edges.size() && bins.near_even; ++b)
        bins.near_even = std::fabs(edges[b] - (lower + static_cast<double>(b) * step)) <= step / 4;
    bins.lower = place_from(dtype, bins, lower);
    bins.scale = count / length;
}

// To float, but odd where that is not exact: a second rounding then comes out as a single one
// would.
float to_odd(double x) {
    const auto nearest = static_cast<float>(x);
    if (static_cast<double>(nearest) == x || !std::isfinite(nearest)) return nearest;
    const float inner = std::fabs(nearest) < std::fabs(x) ? nearest : std::nextafter(nearest, 0.0f);
    return std::bit_cast<float>(std::bit_cast<uint32_t>(inner) | 1);
}

// The edge as the element type holds it.
double rounded(gp_dtype dtype, double edge) {
    if (dtype == GP_FLOAT32) return static_cast<float>(edge);
    if (dtype == GP_FLOAT16) return half_to_float(float_to_half(to_odd(edge)));
    return edge;
}

// Keys of a 64-bit integer type, whose values double does not hold.
Bins between_integers(gp_dtype dtype, size_t count, const uint64_t *edges) {
    Bins bins;
    bins.count = count;
    for (size_t b = 0; b < count; ++b) bins.lows.push_back(key_of(dtype, edges[b], 64));
    bins.first = bins.lows.front();
    bins.last = key_of(dtype, edges[count], 64);
    return bins;
}

template <class F> decltype(auto) with_values(gp_dtype dtype, F &&f) {
    if (dtype != GP_FLOAT16) return with_type(dtype, [&](auto type) { return f(type, [](auto x) { return x; }); });
    return f(uint16_t{}, [](uint16_t x) { return half_to_float(x); });
}

} // namespace

Bins whole_bins(gp_dtype dtype, size_t count, double lower) {
    const Keys keys(dtype);
    Bins bins;
    bins.count = count;
    bins.whole = true;
    bins.first = keys.of(lower);
    bins.last = keys.greatest - bins.first < count ? keys.greatest : bins.first + (count - 1);
    return bins;
}

// As numpy.linspace: a product and a sum, each rounded, which the two loops keep apart.
Bins even_bins(gp_dtype dtype, size_t count, double lower, double upper) {
    const double length = upper - lower, step = length / static_cast<double>(count);
    std::vector<double> edges(count + 1);
    for (size_t b = 0; b < count; ++b)
        edges[b] =
            step != 0 ? static_cast<double>(b) * step : static_cast<double>(b) / static_cast<double>(count) * length;
    for (size_t b = 0; b < count; ++b) edges[b] = rounded(dtype, edges[b] + lower);
    edges[count] = rounded(dtype, upper);
    Bins bins = between(dtype, edges);
    bins.even = true;
    bins.lower = place_from(dtype, bins, lower);
    bins.scale = static_cast<double>(count) / length;
    return bins;
}

Bins bins_between(gp_dtype dtype, size_t count, const void *edges, gp_dtype edges_dtype) {
    if (edges_dtype == GP_INT64 || edges_dtype == GP_UINT64)
        return between_integers(dtype, count, static_cast<const uint64_t *>(edges));
    return with_values(edges_dtype, [&](auto type, auto value) {
        std::vector<double> numbers(count + 1);
        const auto *from = static_cast<const decltype(type) *>(edges);
        for (size_t b = 0; b <= count; ++b) numbers[b] = static_cast<double>(value(from[b]));
        Bins bins = between(dtype, numbers);
        look_for_even(dtype, numbers, bins);
        return bins;
    });
}

bool ascending(const void *edges, size_t count, gp_dtype edges_dtype) {
    return with_values(edges_dtype, [&](auto type, auto value) {
        const auto *from = static_cast<const decltype(type) *>(edges);
        for (size_t b = 0; b < count; ++b) {
            if (!(value(from[b]) <= value(from[b + 1]))) return false; // NaN neither
        }
        return true;
    });
}

bool holds(gp_dtype dtype, double whole) {
    const Keys keys(dtype);
    return whole == std::floor(whole) && whole >= keys.lowest() && whole < keys.beyond();
}

} // namespace gpcl::host
