// Stable sort on the host. Keys of which equal ones can't be told apart are sorted by vectors: by
// simd_sort.h on x86, by Highway's vqsort elsewhere; so are numbers that end in a key's place,
// which makes it stable. Where several threads end sooner, they split ranges of the former, or sort
// buckets of ascending ranges. Keys of 8 and 16 bits are counted. A radix sort from the lowest
// digit on does the rest.
// SPDX-License-Identifier: MIT
#include "host/sort.h"

#include "core/cpu.h"
#include "core/scratch.h"
#include "core/size.h"
#include "host/is_sorted.h"
#include "host/order.h"
#include "host/parallel.h"
#include "host/simd_sort.h"

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#if defined(GPCL_HAVE_VQSORT)
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace gpcl::host {
namespace {

template <class T> std::unique_ptr<T[]> allocate(size_t n) { return std::make_unique_for_overwrite<T[]>(n); }

// Moves elements to their buckets, keeping their order within each. bucket(i) is the i-th
// element's.
class Distribution {
  public:
    Distribution(size_t n, size_t buckets)
        : chunks_(std::min(workers(), n / 32768 + 1)), size_(ceil_div(n, chunks_)), n_(n), buckets_(buckets),
          next_(chunks_ * buckets) {}

    // Fewer elements than it was made for.
    void shrink(size_t n) {
        n_ = n;
        size_ = ceil_div(n, chunks_);
    }

    // Finds out where each bucket begins; true if more than one has elements.
    template <class Bucket> bool count(const Bucket &bucket) {
        parallel_for(chunks_, size_, [&](size_t chunk) {
            const Bucket own = bucket; // which no store changes
            size_t *const counts = &next_[chunk * buckets_];
            std::fill(counts, counts + buckets_, size_t{0});
            each(chunk, [&](size_t i) { ++counts[own(i)]; });
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

    // After count(): calls put(place, i), where `place` is that of element i.
    template <class Bucket, class Put> void scatter(const Bucket &bucket, const Put &put) {
        parallel_for(chunks_, 2 * size_, [&](size_t chunk) {
            const Bucket own = bucket;
            const Put own_put = put;
            size_t *const next = &next_[chunk * buckets_];
            each(chunk, [&](size_t i) { own_put(next[own(i)]++, i); });
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

// Returns where the sorted keys are: `a` or `b`.
template <class Bits>
Bits *radix_sort(const Order<Bits> &order, BitRange bits, Bits *a, Bits *b, Distribution &distribution) {
    for (unsigned shift = bits.begin; shift < bits.end; shift += kDigitBits) {
        const size_t mask = (size_t{1} << std::min(kDigitBits, bits.end - shift)) - 1;
        const auto digit = [order, shift, mask, a](size_t i) -> size_t { return order.rank(a[i]) >> shift & mask; };
        if (!distribution.count(digit)) continue;
        distribution.scatter(digit, [a, b](size_t place, size_t i) { b[place] = a[i]; });
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

// Keys up to this number are sorted by insertion, which takes as long as vqsort's start.
constexpr size_t kFew = 40;

// Sorts few keys, and whatever `move` moves along: move(to, from), where `from` or `to` is kHeld
// for the element at hand. rank(i) is asked once for each i, in order, before i moves.
constexpr size_t kHeld = kFew;
template <class Bits, class Rank, class Move> void insertion_sort(size_t n, const Rank &rank, const Move &move) {
    std::array<Bits, kFew> ranks;
    for (size_t i = 0; i < n; ++i) {
        const Bits mine = rank(i);
        size_t place = i;
        if (place > 0 && mine < ranks[place - 1]) {
            move(kHeld, i);
            do {
                ranks[place] = ranks[place - 1];
                move(place, place - 1);
                --place;
            } while (place > 0 && mine < ranks[place - 1]);
            move(place, kHeld);
        }
        ranks[place] = mine;
    }
}

// Keys from this number on are sorted by vectors where there are some.
constexpr size_t kLeastNumbers = 4;

// The bits of a rank that count.
template <class Bits> class Rank {
  public:
    Rank(const Order<Bits> &order, const BitRange &bits)
        : order_(order), begin_(bits.begin),
          mask_(static_cast<Bits>(Order<Bits>::kMax >> (8 * sizeof(Bits) - (bits.end - bits.begin)))) {}
    Bits operator()(Bits key) const {
        constexpr bool kIntegers = sizeof(Bits) <= 2; // there are no sorts of float16
        const Bits rank = kIntegers ? static_cast<Bits>(key ^ order_.zero()) : order_.rank(key);
        return static_cast<Bits>(rank >> begin_ & mask_);
    }

  private:
    Order<Bits> order_;
    unsigned begin_;
    Bits mask_;
};

// The order of few keys as places in `from`.
template <class Bits> std::array<uint8_t, kFew + 1> few_places(const Rank<Bits> &rank, const Bits *from, size_t n) {
    std::array<uint8_t, kFew + 1> places;
    for (size_t i = 0; i < n; ++i) places[i] = static_cast<uint8_t>(i);
    insertion_sort<Bits>(
        n, [&](size_t i) { return rank(from[i]); }, [&](size_t to, size_t at) { places[to] = places[at]; });
    return places;
}

// From how many keys of 8 and 16 bits on they are counted: below, going through all values takes
// longer than sorting.
template <class Bits> constexpr size_t kLeastCounted = sizeof(Bits) == 1 ? 257 : 131072;

// Keys of 8 and 16 bits, of integer types: as many of each value as there were.
template <class Bits> void counting_sort(const Order<Bits> &order, Bits *keys, size_t n) {
    constexpr size_t kValues = size_t{1} << 8 * sizeof(Bits);
    const size_t chunks = threads_for(static_cast<double>(n)), size = ceil_div(n, chunks); // some 1 ns a key
    std::vector<size_t> counts(chunks * kValues), ends(kValues);
    parallel_for(chunks, size, [&](size_t chunk) {
        size_t *const mine = &counts[chunk * kValues];
        const size_t end = std::min(n, (chunk + 1) * size);
        for (size_t i = chunk * size; i < end; ++i) ++mine[keys[i]];
    });
    size_t sum = 0;
    for (size_t code = 0; code < kValues; ++code) {
        const size_t key = order.decode(static_cast<Bits>(code));
        for (size_t chunk = 0; chunk < chunks; ++chunk) sum += counts[chunk * kValues + key];
        ends[code] = sum;
    }
    const size_t codes = ceil_div(kValues, chunks);
    parallel_for(chunks, size, [&](size_t chunk) {
        const size_t last = std::min(kValues, (chunk + 1) * codes);
        for (size_t code = chunk * codes; code < last; ++code)
            std::fill(keys + (code == 0 ? 0 : ends[code - 1]), keys + ends[code],
                      order.decode(static_cast<Bits>(code)));
    });
}

#if defined(GPCL_HAVE_SIMD_SORT)
// Quicksort halves the array, about, at each of log2(n) levels: nanoseconds of one level for a
// number.
template <class Number> constexpr double kNumberLevel = sizeof(Number) == 4 ? 0.2 : 0.45;

// Sorts n numbers in ascending order, on several threads where that ends sooner. These split ranges
// until each is small beside a thread's share. All memory is there once it is made.
template <class Number> class NumberSort {
  public:
    explicit NumberSort(size_t n) : threads_(threads(n)), grain_(std::max(n / (8 * threads_), kLeastSimdSplit)) {
        if (threads_ > 1) ranges_.reserve(n / grain_ + 1); // each range that waits is longer than grain_
    }

    // No more than n.
    void sort(Number *numbers, size_t n) {
        if (threads_ == 1) return simd_sort(numbers, n);
        ranges_.emplace_back(numbers, n);
        constexpr size_t kMuch = 1'000'000'000; // nanoseconds, so that all start
        parallel_for(threads_, kMuch, [this](size_t) { work(); });
    }

  private:
    using Range = SimdRange<Number>;

    // The first split is one thread's, each of the two that follow one of half as much, and so on.
    static size_t threads(size_t n) {
        const double level = static_cast<double>(n) * kNumberLevel<Number>;
        const double all = level * std::log2(static_cast<double>(n));
        return all > 4 * kThreadCost && time_of(all) + 2 * level < all ? threads_for(all) : 1;
    }

    // Until nothing is left to do.
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return !ranges_.empty() || busy_ == 0; });
            if (ranges_.empty()) return;
            Range range = ranges_.back();
            ranges_.pop_back();
            ++busy_;
            lock.unlock();
            while (range.n > grain_ && range.levels > 0) {
                auto [more, less] = simd_split(range);
                if (more.n < less.n) std::swap(more, less);
                if (less.n > grain_) {
                    lock.lock();
                    ranges_.push_back(less);
                    lock.unlock();
                    changed_.notify_one();
                } else {
                    simd_sort(less);
                }
                range = more;
            }
            simd_sort(range);
            lock.lock();
            if (--busy_ == 0 && ranges_.empty()) changed_.notify_all();
        }
    }

    const size_t threads_, grain_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Range> ranges_; // that wait
    size_t busy_ = 0;           // threads that sort or split
};

// Keys as signed numbers, whose ascending order is the order asked for. In place.
template <class Bits> class Numbers {
  public:
    using Number = std::make_signed_t<Bits>;
    explicit Numbers(const Order<Bits> &order)
        : order_(order), is_same_(!order.is_float_type() && number(order, 1) == 1) {}

    // False where equal keys may differ: NaN, or zeros of both signs.
    bool encode(Bits *keys, size_t n) const {
        if (is_same_) return true;
        std::atomic<unsigned> seen = 0;
        for_each_block(keys, n, [&](Bits *block, size_t count) { seen |= encode_block(block, count); });
        return (seen & kNan) == 0 && seen != (kPlus | kMinus);
    }

    void decode(Bits *keys, size_t n) const {
        if (is_same_) return;
        for_each_block(keys, n, [&](Bits *block, size_t count) { decode_block(block, count); });
    }

  private:
    static constexpr unsigned kNan = 4, kPlus = 2, kMinus = 1;

    template <class F> static void for_each_block(Bits *keys, size_t n, const F &f) {
        if (n <= kBlock) return f(keys, n);
        parallel_for(ceil_div(n, kBlock), kBlock / 4,
                     [&](size_t block) { f(keys + block * kBlock, std::min(kBlock, n - block * kBlock)); });
    }

    static Number number(const Order<Bits> &order, Bits key) {
        return static_cast<Number>(order.encode(key) ^ Order<Bits>::kSign);
    }

    [[gnu::target("avx2")]] unsigned encode_block(Bits *keys, size_t n) const {
        const Order<Bits> order = order_; // which no store to keys changes
        if (!order.is_float_type()) {
            for (size_t i = 0; i < n; ++i) keys[i] = static_cast<Bits>(number(order, keys[i]));
            return 0;
        }
        const Number plus = number(order, 0), minus = number(order, Order<Bits>::kSign);
        Number least = 0, most = 0;
        Bits has_plus = 0, has_minus = 0;
        for (size_t i = 0; i < n; ++i) {
            const Number one = number(order, keys[i]);
            keys[i] = static_cast<Bits>(one);
            least = one < least ? one : least;
            most = one > most ? one : most;
            has_plus |= one == plus;
            has_minus |= one == minus;
        }
        const Number first = number(order, order.infinity()),
                     last = number(order, order.infinity() | Order<Bits>::kSign);
        const bool has_nan = least < std::min(first, last) || most > std::max(first, last);
        return (has_nan ? kNan : 0) | (has_plus != 0 ? kPlus : 0) | (has_minus != 0 ? kMinus : 0);
    }

    [[gnu::target("avx2")]] void decode_block(Bits *keys, size_t n) const {
        const Order<Bits> order = order_;
        for (size_t i = 0; i < n; ++i) keys[i] = order.decode(static_cast<Bits>(keys[i] ^ Order<Bits>::kSign));
    }

    Order<Bits> order_;
    bool is_same_;
};

// False, and nothing changed, where equal keys may differ.
template <class Bits> bool sort_as_numbers(const Order<Bits> &order, Bits *keys, size_t n) {
    using Number = std::make_signed_t<Bits>;
    NumberSort<Number> numbers(n);
    const Numbers<Bits> codes(order);
    const bool done = codes.encode(keys, n);
    if (done) numbers.sort(reinterpret_cast<Number *>(keys), n);
    codes.decode(keys, n);
    return done;
}

// Of some floats, in bits: 1 where one is -0, 2 where one is +0, 4 where one is NaN.
template <class Float> [[gnu::target("avx2")]] unsigned zeros_and_nan(const Float *keys, size_t n) {
    using Number = std::conditional_t<sizeof(Float) == 4, int32_t, int64_t>;
    constexpr auto kInfinity = std::bit_cast<Number>(std::numeric_limits<Float>::infinity());
    Number nan = 0, zero = 0;
    for (size_t i = 0; i < n; ++i) {
        const Number magnitude = std::bit_cast<Number>(keys[i]) & std::numeric_limits<Number>::max();
        nan |= -Number{magnitude > kInfinity}; // by numbers, since signaling NaN may trap
        zero |= -Number{magnitude == 0};
    }
    unsigned result = nan != 0 ? 4 : 0;
    for (size_t i = 0; i < n && zero != 0; ++i) {
        const auto key = std::bit_cast<Number>(keys[i]);
        if ((key & std::numeric_limits<Number>::max()) == 0) result |= key < 0 ? 1 : 2;
    }
    return result;
}

// Floats as they are, without a pass to encode and one to decode them. False, and nothing changed,
// where equal keys may differ.
template <class Float> bool sort_as_floats(bool descending, Float *keys, size_t n) {
    NumberSort<Float> numbers(n);
    std::atomic<unsigned> seen = 0;
    parallel_for(ceil_div(n, kBlock), kBlock / 4, [&](size_t block) {
        seen |= zeros_and_nan(keys + block * kBlock, std::min(kBlock, n - block * kBlock));
    });
    if (seen >= 3) return false;
    numbers.sort(keys, n);
    if (descending) std::reverse(keys, keys + n);
    return true;
}

// Keys of 8 and 16 bits.
template <class Bits> void sort_as_wider_numbers(const Order<Bits> &order, Bits *keys, size_t n) {
    NumberSort<int32_t> sorter(n);
    Scratch memory(multiply(n, sizeof(int32_t), "n"));
    auto *const numbers = memory.as<int32_t>();
    for (size_t i = 0; i < n; ++i) numbers[i] = order.encode(keys[i]);
    sorter.sort(numbers, n);
    for (size_t i = 0; i < n; ++i) keys[i] = order.decode(static_cast<Bits>(numbers[i]));
}
#endif

// Takes the sorted order: key places[i] comes (first + i)-th. It is called for parts of the order,
// on several threads.
using PutPlaces = std::function<void(size_t first, size_t count, const size_t *places)>;

// Puts the order's part from `begin` to `end`: the key that comes i-th is at place_at(i).
template <class PlaceAt> void put_part(size_t begin, size_t end, const PutPlaces &put, const PlaceAt &place_at) {
    constexpr size_t kAtOnce = 512;
    std::array<size_t, kAtOnce> places; // NOLINT(cppcoreguidelines-pro-type-member-init): the loop fills it
    for (size_t first = begin; first < end; first += kAtOnce) {
        const size_t count = std::min(kAtOnce, end - first);
        for (size_t i = 0; i < count; ++i) places[i] = place_at(first + i);
        put(first, count, places.data());
    }
}

template <class PlaceAt> void put_all(size_t n, const PutPlaces &put, const PlaceAt &place_at) {
    parallel_for(ceil_div(n, kBlock), kBlock,
                 [&](size_t block) { put_part(block * kBlock, std::min(n, (block + 1) * kBlock), put, place_at); });
}

#if defined(GPCL_HAVE_VQSORT)
using hwy::uint128_t;

// Highway 1.0 has the class alone, which later versions keep for old programs.
template <class T, class Direction> void vqsort(T *keys, size_t n, Direction direction) {
#if HWY_MAJOR > 1 || HWY_MINOR >= 1
    hwy::VQSort(keys, n, direction);
#else
    hwy::Sorter()(keys, n, direction);
#endif
}

template <class Code> void vector_sort(Code *codes, size_t n) {
#if defined(GPCL_HAVE_SIMD_SORT)
    if constexpr (sizeof(Code) <= 8) {
        if (has_simd_sort()) {
            const auto flip = [&] {
                for (size_t i = 0; i < n; ++i) codes[i] ^= Order<Code>::kSign;
            };
            flip();
            simd_sort(reinterpret_cast<std::make_signed_t<Code> *>(codes), n);
            return flip();
        }
    }
#endif
    vqsort(codes, n, hwy::SortAscending());
}

// vqsort halves the array, about, at each of log2(n) levels: nanoseconds of one level for a code.
template <class Code> constexpr double kLevel = sizeof(Code) == 4 ? 0.4 : sizeof(Code) == 8 ? 0.7 : 1.8;
// Finding an element's bucket, twice, moving it there and taking it from there, in nanoseconds.
template <class Code> constexpr double kToBucket = 14 + static_cast<double>(sizeof(Code)) / 4;
// Placing an element by a digit of 8 bits: by the first one, of keys that are read in their order,
// and by each of the others, where elements are moved between. Going through the counts of a digit
// takes a nanosecond each.
constexpr double kToDigit = 3, kToNextDigit = 13;

template <class Code> double vector_sort_cost(size_t n) {
    return static_cast<double>(n) * std::log2(static_cast<double>(n)) * kLevel<Code>;
}

template <class Code> double bucket_sort_cost(size_t n, size_t buckets) {
    return static_cast<double>(n) * kToBucket<Code> +
           static_cast<double>(buckets) * vector_sort_cost<Code>(ceil_div(n, buckets) + 1);
}

// Enough for threads to share evenly, few enough for the first-level caches to write to all at
// once.
size_t bucket_count() { return std::clamp<size_t>(4 * workers(), 32, 256); }

template <class Code> bool worth_buckets(size_t n) {
    return workers() > 1 && n > 64 * bucket_count() &&
           3 * kThreadCost + time_of(bucket_sort_cost<Code>(n, bucket_count())) < vector_sort_cost<Code>(n);
}

// The part of a code by which it finds its bucket.
template <class Code> Code head_of(Code code) { return code; }
inline uint64_t head_of(const uint128_t &code) { return code.hi; }

constexpr size_t kSample = 2048; // elements, by which buckets are chosen

// Ascending ranges of heads that hold about as many elements each, by a sample of them. The span of
// the sample but for its ends is cut evenly into slots, each of which belongs to one bucket.
template <class Head> class Ranges {
  public:
    template <class HeadAt> Ranges(size_t n, const HeadAt &head_at) : slots_(kSlots) {
        std::vector<Head> sample(kSample);
        for (size_t i = 0; i < kSample; ++i) sample[i] = head_at(i * (n / kSample) + i % (n / kSample));
        vector_sort(sample.data(), kSample);
        low_ = sample[kEnds];
        const auto width = static_cast<unsigned>(std::bit_width(static_cast<Head>(sample[kSample - 1 - kEnds] - low_)));
        shift_ = width > kSlotBits ? width - kSlotBits : 0;
        // The last slot takes what lies beyond.
        const size_t buckets = bucket_count();
        for (size_t i = 0, slot = 0; slot < kSlots; ++slot) {
            slots_[slot] = static_cast<uint8_t>(std::min(i * buckets / kSample, buckets - 1));
            while (i < kSample && slot_of(sample[i], low_, shift_) <= slot) ++i;
        }
    }
    // Finds buckets while these ranges live; by value, since loops that write keep nothing of what
    // they refer to.
    auto finder() const {
        return [low = low_, shift = shift_, slots = slots_.data()](Head head) -> size_t {
            return slots[slot_of(head, low, shift)];
        };
    }

  private:
    static constexpr unsigned kSlotBits = 12;
    static constexpr size_t kSlots = size_t{1} << kSlotBits, kEnds = kSample / 256;
    static size_t slot_of(Head head, Head low, unsigned shift) {
        return head < low ? 0 : static_cast<size_t>(std::min<Head>((head - low) >> shift, kSlots - 1));
    }

    Head low_ = 0;
    unsigned shift_ = 0;
    std::vector<uint8_t> slots_;
};

// Sorts n codes: code_at(i) makes the i-th one, put(begin, end, codes) takes the sorted ones from
// `begin` to `end`. It is called for parts of them, on several threads. All are made before any is
// put, and all memory is there before any is made. Not for codes of one thread that could be sorted
// in place.
template <class Code> class CodeSort {
  public:
    explicit CodeSort(size_t n) : memory_(multiply(n, sizeof(Code), "n")) {
#if defined(GPCL_HAVE_SIMD_SORT)
        if constexpr (sizeof(Code) <= 8) {
            if (has_simd_sort()) {
                numbers_.emplace(n);
                return;
            }
        }
#endif
        if (worth_buckets<Code>(n)) distribution_.emplace(n, bucket_count());
    }

    template <class CodeAt, class Put> void sort(size_t n, const CodeAt &code_at, const Put &put) {
        if (distribution_ && n >= kSample)
            sort_buckets(n, memory_.as<Code>(), code_at, put);
        else
            sort_whole(n, code_at, put, [](Code *) { return true; });
    }

    // Does sort_whole take several threads where they pay?
    static bool shares_whole() {
#if defined(GPCL_HAVE_SIMD_SORT)
        return sizeof(Code) <= 8 && has_simd_sort();
#else
        return false;
#endif
    }

    // settle(codes) is called with the sorted codes and may change their order. All of them may
    // have their signs inverted. If it returns false, nothing is put, and this returns false.
    template <class CodeAt, class Put, class Settle>
    bool sort_whole(size_t n, const CodeAt &code_at, const Put &put, const Settle &settle) {
        Code *const codes = memory_.as<Code>();
#if defined(GPCL_HAVE_SIMD_SORT)
        if constexpr (sizeof(Code) <= 8) {
            if (numbers_) {
                constexpr auto kSign = Order<Code>::kSign;
                parallel_blocks(n, 1, [=](size_t i) { codes[i] = code_at(i) ^ kSign; });
                numbers_->sort(reinterpret_cast<std::make_signed_t<Code> *>(codes), n);
                if (!settle(codes)) return false;
                parallel_for(ceil_div(n, kBlock), kBlock, [&](size_t block) {
                    const size_t begin = block * kBlock, end = std::min(n, begin + kBlock);
                    for (size_t i = begin; i < end; ++i) codes[i] ^= kSign;
                    put(begin, end, codes);
                });
                return true;
            }
        }
#endif
        for (size_t i = 0; i < n; ++i) codes[i] = code_at(i);
        vector_sort(codes, n);
        if (!settle(codes)) return false;
        put(0, n, codes);
        return true;
    }

  private:
    template <class CodeAt, class Put> void sort_buckets(size_t n, Code *codes, const CodeAt &code_at, const Put &put) {
        const auto head_at = [code_at](size_t i) { return head_of(code_at(i)); };
        const Ranges<decltype(head_at(0))> ranges(n, head_at);
        const auto bucket = [code_at, find = ranges.finder()](size_t i) { return find(head_of(code_at(i))); };
        distribution_->shrink(n);
        distribution_->count(bucket);
        distribution_->scatter(bucket, [codes, code_at](size_t place, size_t i) { codes[place] = code_at(i); });
        const size_t buckets = bucket_count();
        const auto cost = static_cast<size_t>(vector_sort_cost<Code>(n / buckets + 1));
        parallel_for(buckets, cost, [&](size_t one) {
            const size_t begin = one == 0 ? 0 : distribution_->end(one - 1), end = distribution_->end(one);
            if (begin < end) vector_sort(codes + begin, end - begin);
            put(begin, end, codes);
        });
    }

    Scratch memory_;
    std::optional<Distribution> distribution_;
#if defined(GPCL_HAVE_SIMD_SORT)
    std::optional<NumberSort<std::conditional_t<sizeof(Code) == 4, int32_t, int64_t>>> numbers_;
#endif
};

// How many keys are NaN, -0 and +0.
struct Special {
    size_t nan = 0, minus = 0, plus = 0;
};

template <class Bits> [[gnu::always_inline]] inline Special count_special(const Bits *keys, size_t n, Bits infinity) {
    using Signed = std::make_signed_t<Bits>; // compared by fewer instructions, and in lanes as wide as keys
    constexpr auto kMagnitude = static_cast<Bits>(Order<Bits>::kMax / 2);
    Bits nan = 0, minus = 0, zero = 0;
    for (size_t i = 0; i < n; ++i) {
        const auto magnitude = static_cast<Signed>(keys[i] & kMagnitude);
        nan += magnitude > static_cast<Signed>(infinity);
        minus += keys[i] == Order<Bits>::kSign;
        zero += magnitude == 0;
    }
    return {nan, minus, zero - minus};
}

template <class Bits> Special count_special_portable(const Bits *keys, size_t n, Bits infinity) {
    return count_special(keys, n, infinity);
}

#if defined(GPCL_HAVE_X86)
template <class Bits> [[gnu::target("avx2")]] Special count_special_avx2(const Bits *keys, size_t n, Bits infinity) {
    return count_special(keys, n, infinity);
}

template <class Bits> auto best_count_special() {
    return has_avx2() ? count_special_avx2<Bits> : count_special_portable<Bits>;
}
#else
template <class Bits> auto best_count_special() { return count_special_portable<Bits>; }
#endif

// NaN and zeros of both signs, which have to keep their order and their bits: NaN are taken out of
// the array, of zeros the signs are noted. Its memory is there before the array changes.
template <class Bits> class SetAside {
  public:
    SetAside(const Order<Bits> &order, Bits *keys, size_t n) : order_(order), keys_(keys) {
        if (!order.is_float_type()) return;
        std::vector<Special> counts(ceil_div(n, kBlock));
        parallel_for(counts.size(), kBlock / 4, [&](size_t block) {
            const size_t begin = block * kBlock;
            counts[block] = best_count_special<Bits>()(keys + begin, std::min(kBlock, n - begin), order.infinity());
        });
        size_t minus = 0, plus = 0;
        for (const Special &each : counts) {
            nan_count_ += each.nan;
            minus += each.minus;
            plus += each.plus;
        }
        if (nan_count_ > 0) nan_ = allocate<Bits>(nan_count_);
        if (minus > 0 && plus > 0) zero_count_ = minus + plus;
        if (zero_count_ > 0) zeros_ = allocate<Bits>(zero_count_);
    }

    // How many keys of n are left, at the front.
    size_t take(size_t n) {
        size_t left = 0;
        if (nan_count_ > 0) {
            Bits *nan = nan_.get();
            for (size_t i = 0; i < n; ++i) (order_.is_nan(keys_[i]) ? *nan++ : keys_[left++]) = keys_[i];
        } else {
            left = n;
        }
        if (zero_count_ > 0) {
            Bits *zero = zeros_.get();
            for (size_t i = 0; i < left; ++i)
                if (is_zero(keys_[i])) *zero++ = keys_[i];
        }
        return left;
    }

    // To the sorted `left` ones.
    void put_back(size_t left) {
        if (zero_count_ > 0) {
            const Bits first = std::min(order_.encode(0), order_.encode(Order<Bits>::kSign));
            Bits *const to =
                std::partition_point(keys_, keys_ + left, [&](Bits key) { return order_.encode(key) < first; });
            std::copy(zeros_.get(), zeros_.get() + zero_count_, to);
        }
        std::copy(nan_.get(), nan_.get() + nan_count_, keys_ + left);
    }

  private:
    static bool is_zero(Bits key) { return (key & Order<Bits>::kMax / 2) == 0; }

    Order<Bits> order_;
    Bits *keys_;
    size_t nan_count_ = 0, zero_count_ = 0;
    std::unique_ptr<Bits[]> nan_, zeros_;
};

// Keys of which all bits count and none is set aside, in this thread and in place. Floats are
// sorted by codes: vqsort of Highway before 1.1 takes numbers nearer to each other than an epsilon
// for equal where it splits off a pivot that is there many times, and the largest finite number for
// the last.
template <class Bits> void sort_here(gp_dtype dtype, const Order<Bits> &order, bool descending, Bits *keys, size_t n) {
    const auto sort_as = [&](auto *numbers) {
        descending ? vqsort(numbers, n, hwy::SortDescending()) : vqsort(numbers, n, hwy::SortAscending());
    };
    if (!is_float(dtype)) {
        dtype < GP_UINT8 ? sort_as(reinterpret_cast<std::make_signed_t<Bits> *>(keys)) : sort_as(keys);
    } else {
        for (size_t i = 0; i < n; ++i) keys[i] = order.encode(keys[i]);
        vector_sort(keys, n);
        for (size_t i = 0; i < n; ++i) keys[i] = order.decode(keys[i]);
    }
}

template <class Bits> void sort_keys(gp_dtype dtype, const Order<Bits> &order, bool descending, Bits *keys, size_t n) {
#if defined(GPCL_HAVE_SIMD_SORT)
    if (has_simd_sort()) {
        using Number = std::make_signed_t<Bits>;
        NumberSort<Number> numbers(n);
        SetAside aside(order, keys, n);
        const size_t left = aside.take(n);
        const Numbers<Bits> codes(order);
        codes.encode(keys, left);
        numbers.sort(reinterpret_cast<Number *>(keys), left);
        codes.decode(keys, left);
        return aside.put_back(left);
    }
#endif
    std::optional<CodeSort<Bits>> on_threads;
    if (worth_buckets<Bits>(n)) on_threads.emplace(n);
    SetAside aside(order, keys, n);
    const size_t left = aside.take(n);
    if (on_threads)
        on_threads->sort(
            left, [order, keys](size_t i) { return order.encode(keys[i]); },
            [order, keys](size_t begin, size_t end, const Bits *codes) {
                for (size_t i = begin; i < end; ++i) keys[i] = order.decode(codes[i]);
            });
    else
        sort_here(dtype, order, descending, keys, left);
    aside.put_back(left);
}

// A rank, and behind it a number that tells equal ones apart.
inline uint64_t numbered(uint32_t rank, size_t number) { return uint64_t{rank} << 32 | number; }
inline uint128_t numbered(uint64_t rank, size_t number) {
    uint128_t code;
    code.lo = number;
    code.hi = rank;
    return code;
}
inline uint32_t numbered(uint16_t rank, size_t number) { return uint32_t{rank} << 16 | static_cast<uint32_t>(number); }
inline size_t number_of(uint32_t code) { return static_cast<uint16_t>(code); }
inline size_t number_of(uint64_t code) { return static_cast<uint32_t>(code); }
inline size_t number_of(const uint128_t &code) { return code.lo; }

// The least and the greatest of so many ranks.
struct Ends {
    uint64_t low = ~uint64_t{0}, high = 0;

    void add(uint64_t least, uint64_t greatest) {
        low = std::min(low, least);
        high = std::max(high, greatest);
    }
};
template <class RankAt> Ends ends_of(size_t n, const RankAt &rank_at) {
    std::vector<Ends> blocks(ceil_div(n, kBlock));
    parallel_for(blocks.size(), kBlock, [&](size_t block) {
        Ends ends;
        for (size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) {
            const uint64_t rank = rank_at(i);
            ends.add(rank, rank);
        }
        blocks[block] = ends;
    });
    Ends all;
    for (const Ends &one : blocks) all.add(one.low, one.high);
    return all;
}

// Codes whose upper bits are equal follow each other in `sorted`, and their ranks may differ in
// bits that the codes lack. This puts them in the order of their ranks. False, and nothing done,
// where they are many.
template <class RankOf>
bool settle_short_codes(size_t n, uint64_t *sorted, unsigned place_bits, const RankOf &rank_of) {
    struct Run {
        size_t begin, end;
    };
    std::vector<Run> runs; // that are not in order
    size_t all = 0;
    std::mutex mutex;
    const auto upper = [=](size_t i) { return sorted[i] >> place_bits; };
    parallel_for(ceil_div(n, kBlock), kBlock, [&](size_t block) {
        const size_t last = std::min(n, (block + 1) * kBlock);
        size_t begin = block * kBlock;
        while (begin > 0 && begin < last && upper(begin) == upper(begin - 1)) ++begin; // another block's run
        for (size_t end = begin; begin < last; begin = end) {
            bool in_order = true;
            for (end = begin + 1; end < n && upper(end) == upper(begin); ++end)
                in_order = in_order && rank_of(sorted[end - 1]) <= rank_of(sorted[end]);
            if (in_order) continue;
            const std::lock_guard lock(mutex);
            runs.push_back({begin, end});
            all += end - begin;
        }
    });
    if (all > n / 8 && worth_buckets<uint128_t>(n)) return false;
    parallel_for(runs.size(), static_cast<size_t>(vector_sort_cost<uint128_t>(all)) / (runs.size() + 1), [&](size_t i) {
        const auto [begin, end] = runs[i];
        Scratch memory((end - begin) * sizeof(uint128_t));
        auto *const whole = memory.as<uint128_t>();
        for (size_t j = begin; j < end; ++j) whole[j - begin] = numbered(rank_of(sorted[j]), sorted[j]);
        vector_sort(whole, end - begin);
        for (size_t j = begin; j < end; ++j) sorted[j] = number_of(whole[j - begin]);
    });
    return true;
}

// Puts the places of ranks of 64 bits in their order, by codes of 64 bits: what a rank has beyond
// the least one, without its lowest bits where there is no room for them, and the place. Ranks that
// differ in these bits alone are sorted after. False, and nothing done, where those are many, or
// one thread would have to do what several could.
template <class RankAt> bool sort_short_codes(size_t n, const RankAt &rank_at, const PutPlaces &put) {
    const Ends ends = ends_of(n, rank_at);
    const auto place_bits = static_cast<unsigned>(std::bit_width(n - 1));
    const auto width = static_cast<unsigned>(std::bit_width(ends.high - ends.low));
    const unsigned dropped = width + place_bits > 64 ? width + place_bits - 64 : 0;
    const uint64_t mask = (uint64_t{1} << place_bits) - 1;
    const auto place_of = [mask](uint64_t code) { return static_cast<size_t>(code & mask); };
    const auto code_at = [=](size_t i) { return (rank_at(i) - ends.low) >> dropped << place_bits | i; };
    const auto put_codes = [&](size_t begin, size_t end, const uint64_t *sorted) {
        put_part(begin, end, put, [=](size_t i) { return place_of(sorted[i]); });
    };
    if (dropped > 0 && !CodeSort<uint64_t>::shares_whole() && worth_buckets<uint128_t>(n)) return false;
    CodeSort<uint64_t> codes(n);
    if (dropped == 0) {
        codes.sort(n, code_at, put_codes);
        return true;
    }
    return codes.sort_whole(n, code_at, put_codes, [&](uint64_t *sorted) {
        return settle_short_codes(n, sorted, place_bits, [&](uint64_t code) { return rank_at(place_of(code)); });
    });
}

// Whether keys are sorted by numbers that end in their place, rather than digit by digit.
template <class Code> bool worth_numbers(const BitRange &bits, size_t n) {
    const auto digits = static_cast<double>(ceil_div(bits.end - bits.begin, kDigitBits));
    const double of_key = kToDigit + (digits - 1) * kToNextDigit, of_counts = digits * static_cast<double>(kDigits);
    return vector_sort_cost<Code>(n) < static_cast<double>(n) * of_key + of_counts;
}
#endif

// Puts the places of keys in their order by the digits of `width` bits of ranks, from the lowest
// one on. The last digit moves places alone, and to memory of its own: the results may be far from
// the caches, where writes to many lines at once wait.
template <class Index, class Bits>
void sort_by_digits(const Rank<Bits> &rank, unsigned width, const Bits *keys, size_t n, const PutPlaces &put) {
    struct Element {
        Bits rank;
        Index place;
    };
    const auto memory_for = [=](unsigned digits) {
        return multiply(width > digits * kDigitBits ? n : 0, sizeof(Element), "n");
    };
    Scratch a(memory_for(1)), b(memory_for(2)), memory(multiply(n, sizeof(Index), "n"));
    auto *const places = memory.as<Index>();
    Distribution distribution(n, kDigits);
    const Element *from = nullptr; // none has moved
    for (unsigned shift = 0; shift < width; shift += kDigitBits) {
        const bool is_last = shift + kDigitBits >= width;
        Element *const to = from == a.as<Element>() ? b.as<Element>() : a.as<Element>();
        const auto move = [&](const auto &element) {
            const auto digit = [=](size_t i) -> size_t { return element(i).rank >> shift & (kDigits - 1); };
            if (!distribution.count(digit)) return false;
            if (is_last)
                distribution.scatter(digit, [=](size_t place, size_t i) { places[place] = element(i).place; });
            else
                distribution.scatter(digit, [=](size_t place, size_t i) { to[place] = element(i); });
            return true;
        };
        const bool moved = from == nullptr ? move([=](size_t i) -> Element {
            return {rank(keys[i]), static_cast<Index>(i)};
        })
                                           : move([=](size_t i) { return from[i]; });
        if (moved && is_last) return put_all(n, put, [=](size_t i) { return size_t{places[i]}; });
        if (moved) from = to;
    }
    put_all(n, put, [=](size_t i) { return from == nullptr ? i : size_t{from[i].place}; });
}

// Puts the places of keys in their order, after all keys are read and all memory is there.
template <class Bits>
void sort_places(const Order<Bits> &order, const BitRange &bits, const Bits *keys, size_t n, const PutPlaces &put) {
    const Rank<Bits> rank(order, bits);
    if (n <= kFew) {
        const auto places = few_places(rank, keys, n);
        return put_part(0, n, put, [&](size_t i) { return size_t{places[i]}; });
    }
#if defined(GPCL_HAVE_VQSORT)
    // By a rank of this type and the place, as one number.
    const auto by_numbers = [&](auto wide) {
        using Code = decltype(numbered(wide, size_t{0}));
        if (!worth_numbers<Code>(bits, n)) return false;
        CodeSort<Code> codes(n);
        codes.sort(
            n, [&](size_t i) { return numbered(decltype(wide){rank(keys[i])}, i); },
            [&](size_t begin, size_t end, const Code *sorted) {
                put_part(begin, end, put, [=](size_t i) { return number_of(sorted[i]); });
            });
        return true;
    };
    if constexpr (sizeof(Bits) == 8) {
        const bool worth = CodeSort<uint64_t>::shares_whole() ? worth_numbers<uint64_t>(bits, n)
                                                              : worth_numbers<decltype(numbered(Bits{}, n))>(bits, n);
        if (worth && sort_short_codes(
                         n, [=](size_t i) { return rank(keys[i]); }, put))
            return;
        if (by_numbers(uint64_t{})) return;
    } else if (sizeof(Bits) <= 2 && n - 1 <= std::numeric_limits<uint16_t>::max()) {
        if (by_numbers(std::conditional_t<sizeof(Bits) <= 2, uint16_t, uint32_t>{})) return;
    } else if (n - 1 <= std::numeric_limits<uint32_t>::max()) {
        if (by_numbers(uint32_t{})) return;
    }
#endif
    if (n <= std::numeric_limits<uint32_t>::max())
        sort_by_digits<uint32_t>(rank, bits.end - bits.begin, keys, n, put);
    else
        sort_by_digits<uint64_t>(rank, bits.end - bits.begin, keys, n, put);
}

// Are the keys in order already? Takes little time where an early one is not.
bool are_sorted(gp_dtype dtype, size_t n, const void *keys, const Ordering &ordering) {
    constexpr size_t kFirst = 16;
    for (const size_t some : {std::min(n, kFirst), n}) {
        uint64_t sorted = 0;
        is_sorted(dtype, ordering.descending, false, Rows{some}, keys, 1, &sorted);
        if (sorted != some) return false;
    }
    return true;
}

// 0, 1, 2 and so on.
void put_places(size_t n, gp_dtype index, void *indices) {
    const auto put = [&](auto *to) {
        using Index = std::remove_pointer_t<decltype(to)>;
        parallel_blocks(n, 1, [=](size_t i) { to[i] = static_cast<Index>(i); });
    };
    index == GP_UINT32 ? put(static_cast<uint32_t *>(indices)) : put(static_cast<uint64_t *>(indices));
}

} // namespace

void sort(gp_dtype dtype, size_t n, void *keys, const Ordering &ordering) {
    if (n < 2) return;
    with_bits(dtype, [&](auto bits) {
        using Bits = decltype(bits);
        const Order<Bits> order(dtype, ordering.descending);
        const auto range = BitRange::of<Bits>(ordering);
        auto *const all = static_cast<Bits *>(keys);
        if constexpr (sizeof(Bits) <= 2) {
            if (range.template all<Bits>() && n >= kLeastCounted<Bits>) return counting_sort(order, all, n);
        }
#if defined(GPCL_HAVE_SIMD_SORT)
        if (range.template all<Bits>() && n > kLeastNumbers && has_simd_sort()) {
            if constexpr (sizeof(Bits) <= 2) {
                return sort_as_wider_numbers(order, all, n);
            } else {
                using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
                if (is_float(dtype) && takes_subnormal()) {
                    if (sort_as_floats(ordering.descending, static_cast<Float *>(keys), n)) return;
                } else if (sort_as_numbers(order, all, n)) {
                    return;
                }
            }
        }
#endif
        if (n <= kFew) {
            const Rank<Bits> rank(order, range);
            Bits held = 0;
            return insertion_sort<Bits>(
                n, [&](size_t i) { return rank(all[i]); },
                [&](size_t to, size_t from) { (to == kHeld ? held : all[to]) = from == kHeld ? held : all[from]; });
        }
#if defined(GPCL_HAVE_VQSORT)
        if constexpr (sizeof(Bits) >= 4) {
            if (range.template all<Bits>()) return sort_keys(dtype, order, ordering.descending, all, n);
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
    with_bits(dtype, [&](auto bits) {
        using Bits = decltype(bits);
        auto *const to_keys = static_cast<Bits *>(keys);
        auto *const to = static_cast<std::byte *>(values);
        Scratch old_keys(multiply(n, sizeof(Bits), "keys")), old_values(multiply(n, value_size, "values"));
        const auto copy = [n](const void *original, size_t size, void *copied) {
            parallel_for(ceil_div(n * size, kBlock), kBlock / 8, [=](size_t i) {
                std::memcpy(static_cast<std::byte *>(copied) + i * kBlock,
                            static_cast<const std::byte *>(original) + i * kBlock,
                            std::min(kBlock, n * size - i * kBlock));
            });
        };
        const Bits *const from_keys = old_keys.as<Bits>();
        const std::byte *const from = old_values.as<std::byte>();
        copy(keys, sizeof(Bits), old_keys.as<void>());
        copy(values, value_size, old_values.as<void>());
        // A size other than 0 stands for value_size where the compiler can make use of knowing it.
        const auto sort_with = [&](auto size) {
            sort_places(Order<Bits>(dtype, ordering.descending), BitRange::of<Bits>(ordering), from_keys, n,
                        [=](size_t first, size_t count, const size_t *places) {
                            const size_t bytes = size() != 0 ? size() : value_size;
                            for (size_t i = 0; i < count; ++i) {
                                to_keys[first + i] = from_keys[places[i]];
                                std::memcpy(to + (first + i) * bytes, from + places[i] * bytes, bytes);
                            }
                        });
        };
        switch (value_size) {
        case 1: return sort_with(std::integral_constant<size_t, 1>());
        case 4: return sort_with(std::integral_constant<size_t, 4>());
        case 8: return sort_with(std::integral_constant<size_t, 8>());
        default: return sort_with(std::integral_constant<size_t, 0>());
        }
    });
}

void argsort(gp_dtype dtype, size_t n, const void *keys, gp_dtype index, void *indices, const Ordering &ordering) {
    with_bits(dtype, [&](auto bits) {
        using Bits = decltype(bits);
        const auto range = BitRange::of<Bits>(ordering);
        if (n > kFew && range.template all<Bits>() && are_sorted(dtype, n, keys, ordering))
            return put_places(n, index, indices);
        const auto sort_to = [&](auto *to) {
            using Index = std::remove_pointer_t<decltype(to)>;
            sort_places(Order<Bits>(dtype, ordering.descending), range, static_cast<const Bits *>(keys), n,
                        [to](size_t first, size_t count, const size_t *places) {
                            std::transform(places, places + count, to + first,
                                           [](size_t place) { return static_cast<Index>(place); });
                        });
        };
        index == GP_UINT32 ? sort_to(static_cast<uint32_t *>(indices)) : sort_to(static_cast<uint64_t *>(indices));
    });
}

} // namespace gpcl::host
