// The oracle of the linear recurrence: the plain loop in wider arithmetic, and how far rounding may
// lead away from it.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace reference {

// y[t] = x[t] + c[0] y[t - 1] + ...; initial holds y[-1], y[-2] ...
template <class W>
std::vector<W> recurrence(const std::vector<W> &x, const std::vector<W> &c, const std::vector<W> &initial) {
    std::vector<W> y(x.size());
    for (size_t t = 0; t < x.size(); ++t) {
        y[t] = x[t];
        for (size_t j = 0; j < c.size(); ++j) y[t] += c[j] * (j < t ? y[t - 1 - j] : initial[j - t]);
    }
    return y;
}

// The bound that gpcl.h states, in a sharper form: what is i steps old went through (order + 2) (i
// + 1) roundings at most.
template <class W>
std::vector<W> recurrence_bounds(std::vector<W> x, std::vector<W> c, std::vector<W> initial, W epsilon) {
    for (auto *values : {&x, &c, &initial}) {
        for (W &value : *values) value = std::fabs(value);
    }
    auto bounds = recurrence(recurrence(x, c, initial), c, std::vector<W>(c.size()));
    for (W &bound : bounds) bound *= epsilon * static_cast<W>(c.size() + 2);
    return bounds;
}

// y[t] = x[t] + a[t] y[t - 1], where initial is y[-1].
template <class W> std::vector<W> recurrence_varying(const std::vector<W> &a, const std::vector<W> &x, W initial) {
    std::vector<W> y(x.size());
    for (size_t t = 0; t < x.size(); ++t) y[t] = initial = x[t] + a[t] * initial;
    return y;
}

// The bound that gpcl.h states, in a sharper form: what is i steps old went through 3 (i + 1)
// roundings at most, and through some more on its way from block to block; `tiny` is what a step
// loses by underflow.
template <class W>
std::vector<W> recurrence_varying_bounds(std::vector<W> a, std::vector<W> x, W initial, W epsilon, W tiny) {
    constexpr W kBlocks = 16;
    for (auto *values : {&a, &x}) {
        for (W &value : *values) value = std::fabs(value);
    }
    const auto sizes = recurrence_varying(a, x, std::fabs(initial));
    auto bounds = recurrence_varying(a, sizes, W(0));
    const auto lost = recurrence_varying(a, std::vector<W>(x.size(), tiny), W(0));
    for (size_t t = 0; t < bounds.size(); ++t)
        bounds[t] = lost[t] + 3 * epsilon * std::min(bounds[t] + kBlocks * sizes[t], static_cast<W>(t + 1) * sizes[t]);
    return bounds;
}

} // namespace reference
