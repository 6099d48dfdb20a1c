// Stable sort on the host. Long arrays of 32-bit and 64-bit keys without values are distributed
// into buckets of ascending ranges, each of which Highway's vqsort finishes; everything else is a
// radix sort from the lowest digit on.
// SPDX-License-Identifier: MIT
#include "host/sort.h"

#include "core/size.h"
#include "host/order.h"
#include "host/parallel.h"

#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#if defined(GPCL_HAVE_VQSORT)
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace gpcl::host {
namespace {

template <class T> std::unique_ptr<T[]> allocate(size_t n) { return std::make_unique_for_overwrite<T[]>(n); }

// Moves elements to their buckets, keeping their order within each.
class Distribution {
  public:
    Distribution(size_t n, size_t buckets)
        : chunks_(std::min(workers(), n / 32768 + 1)), size_(ceil_div(n, chunks_)), n_(n), buckets_(buckets),
          next_(chunks_ * buckets) {}

    // Finds out where each bucket begins; true if there is more than one.
    template <class In, class Bucket> bool count(const In *in, const Bucket &bucket) {
        parallel_for(chunks_, size_, [&](size_t chunk) {
            size_t *const counts = &next_[chunk * buckets_];
            std::fill(counts, counts + buckets_, size_t{0});
            each(chunk, [&](size_t i) { ++counts[bucket(in[i])]; });
        });
        size_t sum = 0;
        bool several = true;
        for (size_t one = 0; one < buckets_; ++one) {
            const size_t before = sum;
            for (size_t chunk = 0; chunk < chunks_; ++chunk) {
                size_t &place = next_[chunk * buckets_ + one];
                sum += std::exchange(place, sum);
            }
            several = several && sum - before < n_;
        }
        return several;
    }

    // After count(). `make` turns an element of `in` into one of `out`.
    template <class In, class Out, class Bucket, class Make>
    void scatter(const In *in, Out *out, const Bucket &bucket, const Make &make) {
        parallel_for(chunks_, 2 * size_, [&](size_t chunk) {
            size_t *const next = &next_[chunk * buckets_];
            each(chunk, [&](size_t i) { out[next[bucket(in[i])]++] = make(in[i]); });
        });
    }

    // After scatter(): where a bucket ends.
    size_t end(size_t bucket) const { return next_[(chunks_ - 1) * buckets_ + bucket]; }

  private:
    template <class F> void each(size_t chunk, const F &f) const {
        const size_t last = std::min(n_, (chunk + 1) * size_);
        for (size_t i = chunk * size_; i < last; ++i) f(i);
    }

    size_t chunks_, size_, n_, buckets_;
    std::vector<size_t> next_; // chunk by chunk, where its next element of each bucket goes
};

// A key and its place before the sort.
template <class Bits, class Index> struct Element {
    Bits key;
    Index index;
};

template <class Bits> Bits key_of(Bits key) { return key; }
template <class Bits, class Index> Bits key_of(const Element<Bits, Index> &element) { return element.key; }

constexpr unsigned kDigitBits = 8;
constexpr size_t kDigits = size_t{1} << kDigitBits;

// The bits [begin, end) of keys' ranks.
struct BitRange {
    unsigned begin, end;
    template <class Bits> static BitRange of(const Ordering &ordering) {
        return {ordering.begin_bit, ordering.end_bit != 0 ? ordering.end_bit : unsigned{8 * sizeof(Bits)}};
    }
    template <class Bits> bool all() const { return begin == 0 && end == 8 * sizeof(Bits); }
};

// Returns where the sorted elements are: `a` or `b`.
template <class Bits, class E>
E *radix_sort(const Order<Bits> &order, BitRange bits, E *a, E *b, Distribution &distribution) {
    for (unsigned shift = bits.begin; shift < bits.end; shift += kDigitBits) {
        const size_t mask = (size_t{1} << std::min(kDigitBits, bits.end - shift)) - 1;
        const auto digit = [order, shift, mask](const E &element) -> size_t {
            return order.rank(key_of(element)) >> shift & mask;
        };
        if (!distribution.count(a, digit)) continue;
        distribution.scatter(a, b, digit, [](const E &element) { return element; });
        std::swap(a, b);
    }
    return a;
}

constexpr size_t kBlock = 16384; // elements of one step of a parallel loop

template <class F> void parallel_blocks(size_t n, size_t cost, const F &f) {
    parallel_for(ceil_div(n, kBlock), kBlock * cost, [&](size_t block) {
        const size_t last = std::min(n, (block + 1) * kBlock);
        for (size_t i = block * kBlock; i < last; ++i) f(i);
    });
}

#if defined(GPCL_HAVE_VQSORT)
constexpr size_t kWorthBuckets = 65536;

// Zeros and NaN get buckets of their own, which are left as they are: so they keep their order and
// their bits.
template <class Bits> void bucket_sort(const Order<Bits> order, Bits *keys, size_t n) {
    constexpr unsigned kBits = 10;
    constexpr size_t kBuckets = (size_t{1} << kBits) + 3;
    const auto codes = allocate<Bits>(n);
    std::vector<Bits> lowest(ceil_div(n, kBlock)), highest(ceil_div(n, kBlock));
    Distribution distribution(n, kBuckets);

    parallel_for(lowest.size(), kBlock, [&](size_t block) {
        Bits low = Order<Bits>::kMax, high = 0;
        for (size_t i = block * kBlock, last = std::min(n, i + kBlock); i < last; ++i) {
            const Bits rank = order.rank(keys[i]);
            low = std::min(low, rank);
            high = std::max(high, order.is_nan(keys[i]) ? Bits{0} : rank);
        }
        lowest[block] = low;
        highest[block] = high;
    });
    const Bits low = *std::min_element(lowest.begin(), lowest.end());
    const Bits high = std::max(low, *std::max_element(highest.begin(), highest.end()));
    const auto width = static_cast<unsigned>(std::bit_width(high - low));
    const unsigned shift = width > kBits ? width - kBits : 0;

    const Bits zero = order.zero();
    const auto bucket = [order, low, shift, zero](Bits key) -> size_t {
        if (order.is_nan(key)) return kBuckets - 1;
        const Bits rank = order.rank(key);
        const size_t range = (rank - low) >> shift;
        return order.is_float_type() ? range + (rank >= zero) + (rank > zero) : range; // splits the range of the zeros
    };
    distribution.count(keys, bucket);
    distribution.scatter(keys, codes.get(), bucket, [order](Bits key) { return order.encode(key); });
    parallel_for(kBuckets, 8 * (n / kBuckets), [&](size_t one) {
        const size_t begin = one == 0 ? 0 : distribution.end(one - 1), end = distribution.end(one);
        if (begin == end) return;
        const Bits first = order.rank(order.decode(codes[begin]));
        const bool equal = order.is_float_type() && (first == zero || first == Order<Bits>::kMax);
        if (!equal) hwy::Sorter()(&codes[begin], end - begin, hwy::SortAscending());
        for (size_t i = begin; i < end; ++i) keys[i] = order.decode(codes[i]);
    });
}
#endif

// Hands the sorted elements to `use`; all of the sort's memory is allocated before.
template <class Bits, class Index, class Use>
void sort_elements(gp_dtype dtype, const Ordering &ordering, const Bits *keys, size_t n, const Use &use) {
    const Order<Bits> order(dtype, ordering.descending);
    using E = Element<Bits, Index>;
    const auto a = allocate<E>(n);
    const auto b = allocate<E>(n);
    Distribution distribution(n, kDigits);
    parallel_blocks(n, 1, [&](size_t i) { a[i] = {keys[i], static_cast<Index>(i)}; });
    use(radix_sort(order, BitRange::of<Bits>(ordering), a.get(), b.get(), distribution));
}

// Calls f(Bits{}, Index{}), the second being a type that can number n elements.
template <class F> void with_bits_and_index(gp_dtype dtype, size_t n, const F &f) {
    with_bits(dtype, [&](auto bits) {
        if (n <= std::numeric_limits<uint32_t>::max())
            f(bits, uint32_t{});
        else
            f(bits, uint64_t{});
    });
}

// A Size other than 0 stands for value_size where the compiler can make use of knowing it.
template <size_t Size, class E>
void gather(const E *elements, size_t n, size_t value_size, const std::byte *from, std::byte *to) {
    const size_t size = Size != 0 ? Size : value_size;
    parallel_blocks(n, 4, [&](size_t i) { std::memcpy(to + i * size, from + elements[i].index * size, size); });
}

} // namespace

void sort(gp_dtype dtype, size_t n, void *keys, const Ordering &ordering) {
    if (n < 2) return;
    with_bits(dtype, [&](auto bits) {
        using Bits = decltype(bits);
        const Order<Bits> order(dtype, ordering.descending);
        const auto range = BitRange::of<Bits>(ordering);
        auto *const all = static_cast<Bits *>(keys);
#if defined(GPCL_HAVE_VQSORT)
        if constexpr (sizeof(Bits) >= 4) {
            if (n >= kWorthBuckets && range.template all<Bits>()) return bucket_sort(order, all, n);
        }
#endif
        const auto scratch = allocate<Bits>(n);
        Distribution distribution(n, kDigits);
        if (radix_sort(order, range, all, scratch.get(), distribution) != all)
            parallel_blocks(n, 1, [&](size_t i) { all[i] = scratch[i]; });
    });
}

void sort_pairs(gp_dtype dtype, size_t n, void *keys, size_t value_size, void *values, const Ordering &ordering) {
    if (n < 2) return;
    const size_t bytes = multiply(n, value_size, "values");
    with_bits_and_index(dtype, n, [&](auto bits, auto index) {
        using Bits = decltype(bits);
        auto *const to_keys = static_cast<Bits *>(keys);
        auto *const to = static_cast<std::byte *>(values);
        const auto from = allocate<std::byte>(bytes);
        sort_elements<Bits, decltype(index)>(dtype, ordering, to_keys, n, [&](const auto *elements) {
            parallel_for(ceil_div(bytes, kBlock), kBlock / 8, [&](size_t i) {
                std::memcpy(&from[i * kBlock], to + i * kBlock, std::min(kBlock, bytes - i * kBlock));
            });
            parallel_blocks(n, 1, [&](size_t i) { to_keys[i] = elements[i].key; });
            switch (value_size) {
            case 4: return gather<4>(elements, n, value_size, from.get(), to);
            case 8: return gather<8>(elements, n, value_size, from.get(), to);
            default: return gather<0>(elements, n, value_size, from.get(), to);
            }
        });
    });
}

void argsort(gp_dtype dtype, size_t n, const void *keys, gp_dtype index, void *indices, const Ordering &ordering) {
    with_bits_and_index(dtype, n, [&](auto bits, auto internal) {
        using Bits = decltype(bits);
        sort_elements<Bits, decltype(internal)>(
            dtype, ordering, static_cast<const Bits *>(keys), n, [&](const auto *elements) {
                parallel_blocks(n, 1, [&](size_t i) {
                    if (index == GP_UINT32)
                        static_cast<uint32_t *>(indices)[i] = static_cast<uint32_t>(elements[i].index);
                    else
                        static_cast<uint64_t *>(indices)[i] = elements[i].index;
                });
            });
    });
}

} // namespace gpcl::host
