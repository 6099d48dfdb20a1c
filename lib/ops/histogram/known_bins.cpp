// The bins of a call with what kernels need of them, remembered from call to call.
// SPDX-License-Identifier: MIT
#include "ops/histogram/known_bins.h"

#include "core/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <type_traits>

namespace gpcl::histogram {
namespace {

template <class T> Table table_of(const std::vector<uint64_t> &keys) {
    std::vector<std::byte> bytes(keys.size() * sizeof(T));
    for (size_t i = 0; i < keys.size(); ++i) {
        const auto key = static_cast<T>(keys[i]);
        std::memcpy(bytes.data() + i * sizeof key, &key, sizeof key);
    }
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

Table table_of(size_t size, const std::vector<uint64_t> &keys) {
    switch (size) {
    case 1: return table_of<uint8_t>(keys);
    case 2: return table_of<uint16_t>(keys);
    case 4: return table_of<uint32_t>(keys);
    default: return table_of<uint64_t>(keys);
    }
}

template <class Real> Real real_of(uint64_t key) {
    using Word = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;
    constexpr Word kSign = Word{1} << (8 * sizeof(Word) - 1);
    const auto word = static_cast<Word>(key);
    return std::bit_cast<Real>((word & kSign) != 0 ? word ^ kSign : static_cast<Word>(~word));
}

// Can a kernel multiply differences by it? Not if it loses those that are too small for a device's
// normal numbers.
template <class Real> bool is_factor(Real scale) {
    return scale >= std::numeric_limits<Real>::min() && scale <= static_cast<Real>(0x1p100);
}

// An element below a border must not seem to lie above it by more than `near`, nor one on it or
// above it below. Places grow with elements, also rounded ones, so those next to each border
// decide.
//
// What is added is for rounding in the kernel: a place's last bit (where a device truncates), and
// the same here for double.
template <class Real> void find_places(Bins &bins, const std::vector<uint64_t> &borders) {
    constexpr double kUnit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
    const auto count = static_cast<double>(bins.count);
    const auto lower = static_cast<Real>(bins.lower), scale = static_cast<Real>(bins.scale);
    const auto scale_low = static_cast<Real>(bins.scale - static_cast<double>(scale));
    const auto middle = static_cast<Real>(std::fma(-bins.lower, bins.scale, -0.5));
    if (!std::isfinite(lower) || !std::isfinite(middle) || !is_factor(scale)) return;
    double off = 0, off_of_pairs = 0; // the most
    for (size_t b = 0; b < borders.size(); ++b) {
        for (const uint64_t key : {borders[b] - 1, borders[b]}) {
            const auto x = static_cast<double>(real_of<Real>(key));
            if (!std::isfinite(x)) return;
            const double sign = key < borders[b] ? 1 : -1, border = static_cast<double>(b);
            const double place = std::fma(x, static_cast<double>(scale), static_cast<double>(middle));
            off = std::max(off, (place - (border - 0.5)) * sign);
            const double from = x - static_cast<double>(lower);
            const double whole = from * static_cast<double>(scale) + from * static_cast<double>(scale_low);
            off_of_pairs = std::max(off_of_pairs, (whole - border) * sign);
        }
    }
    bins.places.scale = static_cast<double>(scale);
    bins.places.middle = static_cast<double>(middle);
    bins.places.near = off + (count + 2) * 4 * kUnit;
    if (sizeof(Real) != 4) return;
    bins.places.lower = static_cast<double>(lower);
    bins.places.scale_low = static_cast<double>(scale_low);
    bins.places.near_of_pairs = off_of_pairs + 0x1p-18 + count * 0x1p-40;
}

// The bins that elements of each cell may be in, and how many steps of a search those take, of
// elements on each low.
template <class Real> void find_cells(Bins &bins, Cells &cells, double &steps) {
    const auto place = [&](uint64_t key) {
        if (cells.by_key) return static_cast<double>((key - bins.first) >> cells.shift);
        return (static_cast<double>(real_of<Real>(key)) - cells.lower) * cells.scale;
    };
    // The kernel's place is off by two roundings, here and there.
    constexpr double kUnit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
    const double count = static_cast<double>(cells.count), slack = cells.by_key ? 0 : (count + 2) * 8 * kUnit;
    std::vector<uint64_t> table;
    const size_t reach = bins.lows.size();
    size_t surely = 0, maybe = 0; // lows that are not above all of a cell's elements; not above any
    for (size_t c = 0; c < cells.count; ++c) {
        const auto begin = static_cast<double>(c);
        const double most = cells.by_key ? begin : begin + 1 + slack;
        while (surely < reach && place(bins.lows[surely]) < begin - slack) ++surely;
        while (maybe < reach && (c + 1 == cells.count || place(bins.lows[maybe]) <= most)) ++maybe;
        const size_t low = c == 0 || surely == 0 ? 0 : surely - 1;
        const size_t span = std::max(maybe, low + 1) - low;
        table.push_back(low | span << 16);
        steps += static_cast<double>((span - 1) * std::bit_width(span - 1));
    }
    cells.table = table_of<uint32_t>(table);
}

template <class Real> void find_cells(Bins &bins) {
    constexpr size_t kFewest = 1024, kMost = 8192, kMostBins = 20000;
    if (bins.count > kMostBins) return;
    const size_t wanted = std::clamp(std::bit_ceil(4 * bins.count), kFewest, kMost);
    Cells by_key;
    by_key.by_key = true;
    const uint64_t length = bins.last - bins.first;
    while (length >> by_key.shift >= wanted) ++by_key.shift;
    by_key.count = (length >> by_key.shift) + 1;
    double steps = 0;
    find_cells<Real>(bins, by_key, steps);
    bins.cells = by_key;

    const auto is_finite = [](uint64_t key) { return std::isfinite(real_of<Real>(key)); };
    const auto first = std::find_if(bins.lows.begin(), bins.lows.end(), is_finite);
    const auto last = std::find_if(bins.lows.rbegin(), bins.lows.rend(), is_finite);
    if (first == bins.lows.end()) return;
    const Real lower = real_of<Real>(*first), upper = real_of<Real>(is_finite(bins.last) ? bins.last : *last);
    const auto scale = static_cast<Real>(static_cast<double>(wanted) / (static_cast<double>(upper) - lower));
    if (!(upper > lower) || !std::isfinite(upper - lower) || !is_factor(scale)) return;
    Cells even{nullptr, wanted, false, 0, static_cast<double>(lower), static_cast<double>(scale)};
    double even_steps = 0;
    find_cells<Real>(bins, even, even_steps);
    if (even_steps <= steps) bins.cells = even;
}

class Memory {
  public:
    std::shared_ptr<const Bins> find(const AskedBins &asked) {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known &one) { return one.is(asked); });
        if (found == known_.end()) return nullptr;
        std::rotate(known_.begin(), found, found + 1);
        return known_.front().bins;
    }
    void keep(const AskedBins &asked, const std::shared_ptr<const Bins> &bins) {
        constexpr size_t kMostKept = 16, kMostBins = size_t{1} << 20; // of all that are kept
        if (asked.count > kMostBins) return;
        Known fresh{asked, {asked.edges.begin(), asked.edges.end()}, bins};
        fresh.asked.edges = {};
        const std::lock_guard lock(mutex_);
        known_.push_front(std::move(fresh));
        size_t kept = 0, all = 0;
        while (kept < known_.size() && kept < kMostKept && (all += known_[kept].asked.count) <= kMostBins) ++kept;
        known_.resize(kept);
    }

  private:
    struct Known {
        AskedBins asked; // but for the edges
        std::vector<std::byte> edges;
        std::shared_ptr<const Bins> bins;

        bool is(const AskedBins &other) const {
            return asked.dtype == other.dtype && asked.count == other.count && same(asked.lower, other.lower) &&
                   same(asked.upper, other.upper) && asked.edges_dtype == other.edges_dtype &&
                   edges.size() == other.edges.size() &&
                   (edges.empty() || std::memcmp(edges.data(), other.edges.data(), edges.size()) == 0);
        }
        static bool same(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }
    };

    std::mutex mutex_;
    std::deque<Known> known_; // the latest first
};

} // namespace

std::shared_ptr<const Bins> known_bins(gp_dtype dtype, host::Bins given) {
    auto bins = std::make_shared<Bins>();
    static_cast<host::Bins &>(*bins) = std::move(given);
    if (bins->whole) return bins;
    const size_t size = gpcl::dtype(dtype).size;
    bins->keys = table_of(size, bins->lows);
    if ((dtype != GP_FLOAT32 && dtype != GP_FLOAT64) || bins->empty()) return bins;
    const auto of_type = [&](auto real) {
        using Real = decltype(real);
        if ((bins->even || bins->near_even) && bins->lows.size() == bins->count) {
            auto borders = bins->lows;
            borders.push_back(bins->last + 1);
            find_places<Real>(*bins, borders);
            bins->borders = table_of(size, borders);
        }
        find_cells<Real>(*bins);
    };
    dtype == GP_FLOAT32 ? of_type(float{}) : of_type(double{});
    return bins;
}

std::shared_ptr<const Bins> find_bins(const AskedBins &asked, const std::function<host::Bins()> &make) {
    static Memory memory;
    if (auto known = memory.find(asked)) return known;
    auto bins = known_bins(asked.dtype, make());
    memory.keep(asked, bins);
    return bins;
}

} // namespace gpcl::histogram
