// The request of histograms of weights and of pairs, and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/counted.h"
#include "ops/histogram/known_bins.h"
#include "ops/operation.h"

#include <bit>

namespace gpcl::histogram_weighted {

using histogram::Bins;

// A checked call. A cell is a bin of x, or a pair of bins, and has one of the sums. n > 0, and
// there is an element, or a pair, that some cell could hold.
struct Request {
    gp_dtype dtype = GP_FLOAT32;
    size_t n = 0;
    std::shared_ptr<const Bins> bins_x;
    std::shared_ptr<const Bins> bins_y; // NULL: there is no y
    gp_dtype weight_dtype = 0;          // 0: there are none, and the sums are counts of 64 bits
    gp_dtype sums_dtype = GP_UINT64;
    cl::Operand x, y, weights, sums; // what there is none of is x
    Counted counted;

    bool has_y() const { return bins_y != nullptr; }
    size_t cells() const { return bins_x->count * (has_y() ? bins_y->count : 1); }
    bool is_empty() const { return n == 0 || bins_x->empty() || (has_y() && bins_y->empty()); }
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kChunks; // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kLocal;  // local.cpp: sums in local memory, for GPUs
extern const Algorithm kGlobal; // global.cpp: sums in global memory, for GPUs
extern const Algorithm kHost;   // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
// place.cpp
extern const std::array<const place::Kind *, 2> kKinds; // of one axis, of two

// How many words of 32 bits the sum of a cell takes; kernels/histogram_weighted/sums.cl says what
// they hold.
inline size_t words_of_cell(const Request &r) {
    return r.weight_dtype == 0 ? 2 : r.weight_dtype == GP_FLOAT32 ? 11 : 69;
}

// The window of kernels/histogram_weighted/totals.cl.
struct Window {
    size_t totals;          // of a cell
    uint32_t target, limit; // of its places, counted from its first
};

// The sum of n numbers of so many binary digits, each times less than 2^limit, leaves a bit of the
// highest total unused. The greatest weights lie so that the highest bits of a word are left to
// their sum.
inline Window window_of(const Request &r) {
    if (r.weight_dtype == 0) return {1, 0, 0};
    const bool single = r.weight_dtype == GP_FLOAT32;
    const size_t totals = single ? 2 : 3, digits = single ? 24 : 53;
    const size_t places = 32 * (totals - 1) + 63, taken = digits + static_cast<size_t>(std::bit_width(r.n));
    const size_t limit = std::min(places - taken, size_t{64});
    const size_t target = std::min(size_t{single ? 38U : 39U}, limit - 4);
    return {totals, static_cast<uint32_t>(target), static_cast<uint32_t>(limit)};
}

// Bytes of the state of totals.cl.
inline size_t state_bytes(const Request &r, size_t totals) {
    const size_t words = r.weight_dtype == 0 ? 0 : words_of_cell(r);
    return r.cells() * (totals * sizeof(uint64_t) + words * sizeof(uint32_t)) + 3 * sizeof(uint32_t);
}

// Of the kernels.
std::string options(const cl::Context &context, const Request &r);

// Can kernels compute with the elements?
inline bool guesses(const cl::Context &context, const Request &r) {
    return r.dtype != GP_FLOAT16 && (r.dtype != GP_FLOAT64 || context.info().has_float64 != 0);
}

// Do kernels find bins by places (kernels/histogram/places.cl)? Else by tables of lows.
inline bool has_places(const cl::Context &context, const Request &r) {
    constexpr double kNearest = 0.25; // places that are farther off are no use
    constexpr size_t kMost = size_t{1} << 21;
    const auto suits = [](const Bins &bins) {
        return bins.borders != nullptr && bins.places.near < kNearest && bins.count <= kMost;
    };
    return guesses(context, r) && suits(*r.bins_x) && (!r.has_y() || suits(*r.bins_y));
}

// Calls launch(arguments of x and y ...) with what GP_AXES of the kernels takes.
template <class F> void with_axes(cl::Task &task, const Request &r, F &&launch) {
    const bool places = has_places(task.context(), r);
    const auto table_of = [&](const Bins &bins) {
        return bins.whole ? r.x : task.constants(places ? bins.borders : bins.keys);
    };
    const Bins &x = *r.bins_x, &y = r.has_y() ? *r.bins_y : x;
    const cl::Operand table_x = table_of(x), table_y = r.has_y() ? table_of(y) : r.x;
    const auto run = [&](auto real) {
        using Real = decltype(real);
        const auto reach = [&](const Bins &bins) {
            return static_cast<uint32_t>(places ? bins.count : bins.lows.size());
        };
        const auto lower = [&](const Bins &bins) {
            return static_cast<Real>(places ? bins.places.middle : bins.lower);
        };
        const auto scale = [&](const Bins &bins) {
            if (places) return static_cast<Real>(bins.places.scale);
            return bins.even || bins.near_even ? static_cast<Real>(bins.scale) : Real{0};
        };
        const auto near = [&](const Bins &bins) { return static_cast<Real>(0.5 - bins.places.near); };
        launch(r.x, table_x, x.first, x.last, reach(x), uint32_t{x.whole}, lower(x), scale(x), near(x), r.y, table_y,
               y.first, y.last, r.has_y() ? reach(y) : uint32_t{0}, uint32_t{y.whole}, lower(y), scale(y), near(y),
               static_cast<uint32_t>(r.has_y() ? y.count : 1), r.weights);
    };
    guesses(task.context(), r) && r.dtype == GP_FLOAT64 ? run(double{}) : run(float{});
}

} // namespace gpcl::histogram_weighted
