// Search in a sorted array on the host: without branches, several values side by side, whose loads
// overlap. A block of values that are sorted themselves searches between its first and its last.
//
// Source: Khuong and Morin, "Array Layouts for Comparison-Based Searching", 2017
// SPDX-License-Identifier: MIT
#include "host/search.h"

#include "core/size.h"
#include "host/order.h"
#include "host/parallel.h"

#include <array>
#include <bit>

namespace gpcl::host {
namespace {

constexpr size_t kBlock = 512; // values that are looked at for their order
constexpr size_t kTogether = 16;

// Elements that C++ compares. A NaN comes before nothing and equals nothing.
template <class T, bool right, bool descending> struct Numbers {
    using Element = T;
    explicit Numbers(gp_dtype) {}
    T key(T x) const { return x; }
    static bool is_nan(T x) {
        if constexpr (std::is_floating_point_v<T>)
            return x != x;
        else
            return false;
    }
    // Does an element come before where the value belongs?
    static bool counts(T element, T value) {
        if constexpr (descending)
            return right ? element >= value : element > value;
        else
            return right ? element <= value : element < value;
    }
};

// Elements whose ranks are compared; those of NaN are like others.
template <bool right, bool descending> struct Halves {
    using Element = uint16_t;
    Order<uint16_t> order;
    explicit Halves(gp_dtype dtype) : order(dtype, descending) {}
    uint16_t key(uint16_t x) const { return order.rank(x); }
    static bool is_nan(uint16_t) { return false; }
    static bool counts(uint16_t element, uint16_t value) { return right ? element <= value : element < value; }
};

// at[k] += how many of the `window` elements from sorted + at[k] on come before value k, for
// `count` values.
template <size_t most, class Kind, class Key>
[[gnu::always_inline]] inline void search_window(const Kind &kind, const typename Kind::Element *sorted, size_t window,
                                                 const Key *values, size_t count, size_t *at) {
    const size_t values_here = most == 1 ? 1 : count == most ? most : count;
    if (window == 0) return;
    while (window > 1) {
        const size_t half = window / 2;
        for (size_t k = 0; k < values_here; ++k)
            at[k] += half & (size_t{0} - size_t{kind.counts(kind.key(sorted[at[k] + half - 1]), values[k])});
        window -= half;
    }
    for (size_t k = 0; k < values_here; ++k) at[k] += size_t{kind.counts(kind.key(sorted[at[k]]), values[k])};
}

template <class Kind> class Search {
  public:
    using Element = typename Kind::Element;
    Search(gp_dtype dtype, size_t n, const void *sorted)
        : kind_(dtype), sorted_(static_cast<const Element *>(sorted)), n_(n) {}

    // An estimate of the nanoseconds that each of m values takes, from the first of them: of values
    // in order most elements are cached, and few are looked at.
    size_t cost(const Element *values, size_t m) const {
        std::array<Element, kBlock> keys;
        const size_t count = std::min(m, kBlock);
        for (size_t i = 0; i < count; ++i) keys[i] = kind_.key(values[i]);
        constexpr size_t kCached = 20; // log2 of the bytes that a core has close by
        const size_t far = static_cast<size_t>(std::bit_width(n_ * sizeof(Element)));
        if (is_ordered(keys.data(), count)) return static_cast<size_t>(std::bit_width(n_ / m)) / 2 + 3;
        return static_cast<size_t>(std::bit_width(n_)) + (far > kCached ? 4 * (far - kCached) : 0) + 1;
    }

    // The positions of up to kBlock values.
    void block(const Element *values, size_t count, bool right, size_t *at) const {
        std::array<Element, kBlock> keys;
        bool any_nan = false, in_order = count > 1;
        for (size_t i = 0; i < count; ++i) {
            keys[i] = kind_.key(values[i]);
            any_nan |= Kind::is_nan(keys[i]);
        }
        if (!any_nan && in_order) in_order = is_ordered(keys.data(), count);
        size_t begin = 0, window = n_;
        if (in_order && !any_nan && count >= kTogether) {
            begin = one(0, n_, keys[0]);
            window = one(begin, n_ - begin, keys[count - 1]) - begin;
        }
        std::fill(at, at + count, begin);
        size_t i = 0;
        for (; i + kTogether <= count; i += kTogether)
            search_window<kTogether>(kind_, sorted_, window, keys.data() + i, kTogether, at + i);
        if (i + 1 == count)
            search_window<1>(kind_, sorted_, window, keys.data() + i, 1, at + i);
        else if (i < count)
            search_window<kTogether>(kind_, sorted_, window, keys.data() + i, count - i, at + i);
        if (!any_nan) return;
        const size_t before = right ? n_ : numbers();
        for (size_t k = 0; k < count; ++k)
            if (Kind::is_nan(keys[k])) at[k] = before;
    }

  private:
    // Could the keys be elements of the array, in their order?
    static bool is_ordered(const Element *keys, size_t count) {
        bool ordered = true;
        for (size_t i = 1; i < count; ++i) ordered &= Kind::counts(keys[i - 1], keys[i]) || keys[i - 1] == keys[i];
        return ordered;
    }

    size_t one(size_t begin, size_t window, Element key) const {
        search_window<1>(kind_, sorted_, window, &key, 1, &begin);
        return begin;
    }

    // How many elements are before the NaN.
    size_t numbers() const {
        size_t begin = 0;
        for (size_t window = n_; window > 0;) {
            const size_t half = window / 2;
            const bool counts = !Kind::is_nan(kind_.key(sorted_[begin + half]));
            begin += counts ? half + 1 : 0;
            window = counts ? window - half - 1 : half;
        }
        return begin;
    }

    Kind kind_;
    const Element *sorted_;
    size_t n_;
};

template <class Kind, class Index> void search_all(gp_dtype dtype, bool right, size_t n, const void *sorted, size_t m,
                                                   const void *values, Index *positions) {
    using Element = typename Kind::Element;
    const Search<Kind> search(dtype, n, sorted);
    constexpr size_t kBlocks = 16; // that a thread takes at a time
    const size_t share = kBlocks * kBlock;
    const auto *first = static_cast<const Element *>(values);
    parallel_for(ceil_div(m, share), std::min(m, share) * search.cost(first, m), [&](size_t part) {
        std::array<size_t, kBlock> at;
        const size_t end = std::min(m, (part + 1) * share);
        for (size_t i = part * share; i < end; i += kBlock) {
            const size_t count = std::min(kBlock, end - i);
            search.block(first + i, count, right, at.data());
            for (size_t k = 0; k < count; ++k) positions[i + k] = static_cast<Index>(at[k]);
        }
    });
}

// Calls f with the kind of elements.
template <bool right, bool descending, class F> void with_kind(gp_dtype dtype, const F &f) {
    if (dtype == GP_FLOAT16) return f(Halves<right, descending>(dtype));
    with_type(dtype, [&](auto zero) { f(Numbers<decltype(zero), right, descending>(dtype)); });
}

} // namespace

void search(gp_dtype dtype, bool right, bool descending, size_t n, const void *sorted, size_t m, const void *values,
            gp_dtype index, void *positions) {
    const auto run = [&](auto kind) {
        using Kind = decltype(kind);
        if (index == GP_UINT32)
            search_all<Kind>(dtype, right, n, sorted, m, values, static_cast<uint32_t *>(positions));
        else
            search_all<Kind>(dtype, right, n, sorted, m, values, static_cast<uint64_t *>(positions));
    };
    if (right)
        descending ? with_kind<true, true>(dtype, run) : with_kind<true, false>(dtype, run);
    else
        descending ? with_kind<false, true>(dtype, run) : with_kind<false, false>(dtype, run);
}

} // namespace gpcl::host
