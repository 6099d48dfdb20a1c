// Histograms of weights and of pairs on the host. Sums are exact, in one of two forms, so threads
// may share the elements as they like.
//
// Slices: a sum is one double or two, of weights that are rounded to multiples of a unit so large
// that no addition rounds (Demmel and Nguyen, "Parallel Reproducible Summation", 2015). What is
// left of the weights goes to the second double likewise. A weight of which still something is
// left, or that is too large, is put aside.
// Words: a sum is an integer in units of the weights' least number, of as many words as the
// exponents of the weights need.
// SPDX-License-Identifier: MIT
#include "host/histogram_weighted.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/bin_of.h"
#include "host/parallel.h"

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

namespace gpcl::host {
namespace {

constexpr size_t kBlock = 1024;
constexpr uint32_t kNowhere = ~uint32_t{0};
constexpr unsigned kWordBits = 32;              // of a sum's word, which an int64_t holds with room for carries
constexpr size_t kMostAtOnce = size_t{1} << 30; // words that may be added before their carries are

template <class Real> struct Format {
    using Bits = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;
    static constexpr unsigned kDigits = sizeof(Real) == 4 ? 24 : 53;
    static constexpr unsigned kSpecial = sizeof(Real) == 4 ? 255 : 2047; // exponent of inf and NaN
    static constexpr unsigned kPieces = sizeof(Real) == 4 ? 2 : 3;       // words that a number touches
};

// A number is sign * digits * 2^place units, the least number above 0.
template <class Real> struct Parts {
    using F = Format<Real>;
    uint64_t digits;
    unsigned place, exponent;
    bool negative;

    explicit Parts(Real x) {
        const auto bits = std::bit_cast<typename F::Bits>(x);
        negative = bits >> (8 * sizeof x - 1) != 0;
        exponent = static_cast<unsigned>(bits >> (F::kDigits - 1)) & F::kSpecial;
        digits = bits & ((uint64_t{1} << (F::kDigits - 1)) - 1);
        place = exponent == 0 ? 0 : exponent - 1;
        if (exponent != 0) digits |= uint64_t{1} << (F::kDigits - 1);
    }
};

// The words that sums of these weights need, counted from that of a unit.
struct Window {
    unsigned first = 0, count = 0;
    bool special = false; // is there an inf or NaN?
};

template <class Real> Window window_of(size_t n, const Real *weights) {
    constexpr size_t kChunk = size_t{1} << 16;
    using F = Format<Real>;
    using Bits = typename F::Bits;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Real) - 1), kInfinity = Bits{F::kSpecial} << (F::kDigits - 1);
    Bits least = kSign, most = 0; // of finite magnitudes but 0
    bool special = false;
    std::mutex mutex;
    parallel_for(ceil_div(n, kChunk), std::min(kChunk, n) * sizeof(Real) / 8, [&](size_t k) {
        Bits low = kSign, high = 0, highest = 0;
        for (size_t i = k * kChunk; i < std::min(n, (k + 1) * kChunk); ++i) {
            const Bits bits = std::bit_cast<Bits>(weights[i]) & static_cast<Bits>(~kSign);
            const Bits finite = bits < kInfinity ? bits : 0;
            highest = std::max(highest, bits);
            high = std::max(high, finite);
            low = std::min(low, finite == 0 ? kSign : finite);
        }
        const std::lock_guard lock(mutex);
        least = std::min(least, low);
        most = std::max(most, high);
        special = special || highest >= kInfinity;
    });
    Window window;
    window.special = special;
    if (most == 0) return window;
    const auto word_of = [](Bits bits) { return Parts<Real>(std::bit_cast<Real>(bits)).place / kWordBits; };
    window.first = word_of(least);
    window.count = word_of(most) - window.first + F::kPieces + 1; // and one for the sign, and carries
    return window;
}

// Moves what is above 32 bits to the next word: each but the last becomes 0 to 2^32 - 1.
void carry(int64_t *words, unsigned count) {
    for (unsigned j = 0; j + 1 < count; ++j) {
        words[j + 1] += words[j] >> kWordBits;
        words[j] &= 0xffffffff;
    }
}

// The sum of words that went through carry, rounded once.
template <class Real, class Result> Result rounded(int64_t *words, const Window &window) {
    constexpr unsigned kDigits = Format<Result>::kDigits;
    using Bits = typename Format<Result>::Bits;
    const unsigned count = window.count;
    const bool negative = count > 0 && words[count - 1] < 0;
    if (negative) {
        for (unsigned j = 0; j < count; ++j) words[j] = -words[j];
        carry(words, count);
    }
    unsigned top = count;
    while (top > 0 && words[top - 1] == 0) --top;
    if (top == 0) return 0;
    // The 64 bits that begin with the first that is set, and whether any is set below.
    const auto word = [&](unsigned back) { return top > back ? static_cast<uint64_t>(words[top - 1 - back]) : 0; };
    const auto zeros = static_cast<unsigned>(std::countl_zero(static_cast<uint32_t>(word(0)))); // of the first word
    const uint64_t ahead = word(0) << 32 | word(1);
    const uint64_t bits = ahead << zeros | word(2) >> (kWordBits - zeros);
    bool below = (word(2) << zeros & 0xffffffff) != 0;
    for (unsigned j = 0; j + 3 < top; ++j) below = below || words[j] != 0;
    const unsigned length = (window.first + top) * kWordBits - zeros; // of the sum, in bits
    const unsigned dropped = 64 - kDigits;
    uint64_t digits = bits >> dropped;
    const uint64_t rest = bits << kDigits, half = uint64_t{1} << 63;
    if (rest > half || (rest == half && (below || (digits & 1) != 0))) ++digits;
    // Of a number of `length` bits that begins with 1, of units of Real, as Result has it.
    constexpr int kOffset = std::is_same_v<Real, Result> ? -static_cast<int>(kDigits)
                            : sizeof(Real) == 4          ? 1022 - 150
                                                         : 149 - 1074 - static_cast<int>(kDigits);
    const int exponent = static_cast<int>(length) + kOffset;
    const Bits sign = negative ? Bits{1} << (8 * sizeof(Result) - 1) : 0;
    constexpr Bits kInfinity = Bits{Format<Result>::kSpecial} << (kDigits - 1);
    if (exponent < 0) return std::bit_cast<Result>(static_cast<Bits>(sign | static_cast<Bits>(digits >> -exponent)));
    if (exponent >= static_cast<int>(Format<Result>::kSpecial)) return std::bit_cast<Result>(sign | kInfinity);
    const Bits magnitude = (static_cast<Bits>(exponent) << (kDigits - 1)) + static_cast<Bits>(digits);
    return std::bit_cast<Result>(static_cast<Bits>(sign | std::min(magnitude, kInfinity)));
}

// Which of +inf, -inf and NaN a bin has had, in bits.
enum : uint8_t { kPlus = 1, kMinus = 2, kNaN = 4 };

template <class Real> void add_special(const Parts<Real> &x, uint8_t &met) {
    const uint64_t fraction = x.digits & ((uint64_t{1} << (Format<Real>::kDigits - 1)) - 1);
    met |= fraction != 0 ? kNaN : x.negative ? kMinus : kPlus;
}

template <class Real> void add(Real x, unsigned first, int64_t *words, uint8_t *met) {
    const Parts<Real> parts(x);
    if (parts.exponent == Format<Real>::kSpecial) return add_special(parts, *met);
    if (parts.digits == 0) return;
    int64_t *to = words + (parts.place / kWordBits - first);
    const unsigned shift = parts.place % kWordBits;
    const uint64_t low = (parts.digits & 0xffffffff) << shift; // 64 bits hold the shifted halves
    const int64_t sign = parts.negative ? -1 : 0;
    const auto signed_one = [&](uint64_t piece) { return (static_cast<int64_t>(piece) ^ sign) - sign; };
    to[0] += signed_one(low & 0xffffffff);
    if constexpr (Format<Real>::kPieces == 2) {
        to[1] += signed_one(low >> kWordBits);
    } else {
        const uint64_t high = ((parts.digits >> kWordBits) << shift) + (low >> kWordBits);
        to[1] += signed_one(high & 0xffffffff);
        to[2] += signed_one(high >> kWordBits);
    }
}

// The bins of elements; kNowhere outside of all. Whole numbers: key `first` is the first, and
// `span` how far the last one is.
template <class Bits> [[gnu::always_inline]] inline void whole_cells_inline(size_t n, const Bits *in, Bits flip,
                                                                            Bits first, Bits span, uint32_t *cells) {
    for (size_t k = 0; k < n; ++k) {
        const auto bin = static_cast<Bits>(static_cast<Bits>(in[k] ^ flip) - first);
        cells[k] = bin <= span ? static_cast<uint32_t>(bin) : kNowhere;
    }
}
template <class Bits>
void whole_cells_portable(size_t n, const Bits *in, Bits flip, Bits first, Bits span, uint32_t *cells) {
    whole_cells_inline(n, in, flip, first, span, cells);
}
#if defined(GPCL_HAVE_X86)
template <class Bits> [[gnu::target("avx2")]] void whole_cells_avx2(size_t n, const Bits *in, Bits flip, Bits first,
                                                                    Bits span, uint32_t *cells) {
    whole_cells_inline(n, in, flip, first, span, cells);
}
#endif

template <class Bits> void find_cells(gp_dtype dtype, size_t n, const Bits *in, const Bins &bins, uint32_t *cells) {
    if (bins.whole) {
        const auto flip = static_cast<Bits>(dtype <= GP_INT64 ? uint64_t{1} << (8 * sizeof(Bits) - 1) : 0);
        const auto first = static_cast<Bits>(bins.first), span = static_cast<Bits>(bins.last - bins.first);
#if defined(GPCL_HAVE_X86)
        if (has_avx2()) return whole_cells_avx2(n, in, flip, first, span, cells);
#endif
        return whole_cells_portable(n, in, flip, first, span, cells);
    }
    const uint64_t *lows = bins.lows.data();
    const size_t reach = bins.lows.size();
    const bool guesses = bins.even || bins.near_even;
    const auto loop = [&](auto type) { // a constant, where the work for an element depends on it most
        const auto last = static_cast<double>(reach - 1);
        for (size_t k = 0; k < n; ++k) {
            const uint64_t key = key_of(type, in[k], 8 * sizeof(Bits));
            cells[k] = kNowhere;
            if (key < bins.first || key > bins.last) continue;
            const double place = place_of(type, in[k], key, bins);
            if (guesses && place >= 0) { // not NaN, and right but near borders
                const auto guess = static_cast<uint32_t>(static_cast<int64_t>(std::min(place, last)));
                cells[k] = guess;
                if (lows[guess] <= key && (guess + 1 == reach || key < lows[guess + 1])) continue;
            }
            cells[k] = static_cast<uint32_t>(bin_of(bins, key, place));
        }
    };
    if (dtype == GP_FLOAT32) return loop(std::integral_constant<gp_dtype, GP_FLOAT32>{});
    if (dtype == GP_FLOAT64) return loop(std::integral_constant<gp_dtype, GP_FLOAT64>{});
    loop(dtype);
}

// Calls f(i, cells) with the numbers of the cells that elements i .. i + kBlock - 1 are in, of
// those from `begin` to `end`; kNowhere outside.
template <class F> void for_each_block(const WeightedHistogram &call, size_t begin, size_t end, const F &f) {
    with_bits(call.dtype, [&](auto type) {
        const auto *x = static_cast<const decltype(type) *>(call.x);
        const auto *y = static_cast<const decltype(type) *>(call.y);
        std::array<uint32_t, kBlock> cells, columns;
        for (size_t i = begin; i < end; i += kBlock) {
            const size_t some = std::min(kBlock, end - i);
            find_cells(call.dtype, some, x + i, *call.bins_x, cells.data());
            if (y != nullptr) {
                find_cells(call.dtype, some, y + i, *call.bins_y, columns.data());
                const auto width = static_cast<uint32_t>(call.bins_y->count);
                for (size_t k = 0; k < some; ++k)
                    cells[k] =
                        cells[k] == kNowhere || columns[k] == kNowhere ? kNowhere : cells[k] * width + columns[k];
            }
            f(i, some, cells.data());
        }
    });
}

// Calls f(begin, end) for parts of the elements: few, since each costs `cost` words to begin and to
// end.
template <class F> void in_parts(size_t n, size_t cost, const F &f) {
    constexpr size_t kLeast = size_t{1} << 15, kNanoseconds = 6;
    if (n == 0) return;
    const size_t parts = std::clamp(n / std::max(kLeast, 2 * cost), size_t{1}, workers());
    const size_t part = round_up(ceil_div(n, parts), kBlock);
    parallel_for(ceil_div(n, part), std::min(n, part) * kNanoseconds,
                 [&](size_t k) { f(k * part, std::min(n, (k + 1) * part)); });
}

void count_pairs(const WeightedHistogram &call) {
    auto *counts = static_cast<uint64_t *>(call.sums);
    const size_t cells = call.cells();
    std::fill(counts, counts + cells, 0);
    std::mutex mutex;
    in_parts(call.n, cells, [&](size_t begin, size_t end) {
        std::vector<uint64_t> own;
        const bool alone = begin == 0 && end == call.n;
        if (!alone) own.resize(cells);
        uint64_t *mine = alone ? counts : own.data();
        for_each_block(call, begin, end, [&](size_t, size_t some, const uint32_t *cell) {
            for (size_t k = 0; k < some; ++k)
                if (cell[k] != kNowhere) ++mine[cell[k]];
        });
        if (alone) return;
        const std::lock_guard lock(mutex);
        for (size_t c = 0; c < cells; ++c) counts[c] += mine[c];
    });
}

// The sum of a cell that went through carry, or what inf and NaN make of it.
template <class Real, class Result> Result result_of(int64_t *words, const Window &window, uint8_t met) {
    constexpr Result kInfinity = std::numeric_limits<Result>::infinity();
    if (met == kPlus) return kInfinity;
    if (met == kMinus) return -kInfinity;
    return met != 0 ? std::numeric_limits<Result>::quiet_NaN() : rounded<Real, Result>(words, window);
}

template <class Real, class Result> void sum_in_words(const WeightedHistogram &call) {
    const auto *weights = static_cast<const Real *>(call.weights);
    auto *sums = static_cast<Result *>(call.sums);
    const Window window = window_of(call.n, weights);
    const size_t cells = call.cells(), size = multiply(cells, window.count, "sums");
    std::vector<int64_t> words;
    std::vector<uint8_t> met(cells);
    std::mutex mutex;
    in_parts(call.n, size, [&](size_t begin, size_t end) {
        std::vector<int64_t> mine(size);
        std::vector<uint8_t> mine_met(window.special ? cells : 1);
        for (size_t from = begin; from < end; from += std::min(kMostAtOnce, end - from)) {
            for_each_block(call, from, std::min(end, from + kMostAtOnce),
                           [&](size_t i, size_t some, const uint32_t *cell) {
                               for (size_t k = 0; k < some; ++k)
                                   if (cell[k] != kNowhere)
                                       add(weights[i + k], window.first, mine.data() + cell[k] * size_t{window.count},
                                           mine_met.data() + (window.special ? cell[k] : 0));
                           });
            for (size_t c = 0; c < cells && window.count > 0; ++c) carry(mine.data() + c * window.count, window.count);
        }
        const std::lock_guard lock(mutex);
        if (window.special) std::transform(met.begin(), met.end(), mine_met.begin(), met.begin(), std::bit_or<>());
        if (words.empty()) return words.swap(mine);
        for (size_t j = 0; j < size; ++j) words[j] += mine[j];
    });
    const auto sum_of = [&](size_t c) -> Result {
        int64_t *of_cell = words.data() + c * window.count;
        carry(of_cell, window.count);
        return result_of<Real, Result>(of_cell, window, met[c]);
    };
    parallel_for(ceil_div(cells, kBlock), std::min(cells, kBlock) * 8, [&](size_t k) {
        for (size_t c = k * kBlock; c < std::min(cells, (k + 1) * kBlock); ++c) sums[c] = sum_of(c);
    });
}

// ---- sums in slices

// A sum is high + low; each is a whole number of units below 2^53.
struct alignas(16) Slices {
    double high, low;
};

// How weights are cut into two: w to the multiple of a unit that is nearest, which adding and
// taking away `cut` gives, and what is left, below half of that unit, to a multiple of a smaller
// one.
struct Cuts {
    double limit = 0; // finite weights below this can be cut
    double high = 0, low = 0;
    size_t between = 0; // so many weights may be added before `settle`

    // For n weights below 2^exponent.
    Cuts(size_t n, size_t cells, int exponent) {
        constexpr int kDigits = 53;
        constexpr size_t kLeast = size_t{1} << 16;
        between = std::max(kLeast, 8 * cells);
        const int unit = exponent + 1 - (kDigits - static_cast<int>(std::bit_width(n)) - 1);
        const int next = unit - (kDigits - static_cast<int>(std::bit_width(between)) - 1);
        limit = std::ldexp(1.0, exponent);
        high = std::ldexp(1.5, unit + kDigits - 1);
        low = std::ldexp(1.5, next + kDigits - 1);
    }

    // Makes `low` of a sum at most half of a unit of `high` again.
    void settle(Slices &sum) const {
        const double more = (sum.low + high) - high;
        sum.high += more;
        sum.low -= more;
    }
};

// Can exponents like these be cut? Units and the numbers that cut are normal doubles then.
constexpr int kLeastExponent = -800, kGreatestExponent = 800;

// Cuts weights; is each of them its slices' sum?
template <class Real>
[[gnu::always_inline]] inline bool cut_inline(const Cuts &cuts, size_t n, const Real *weights, Slices *slices) {
    uint64_t left = 0;
    for (size_t k = 0; k < n; ++k) {
        const double w = weights[k], high = (w + cuts.high) - cuts.high, rest = w - high;
        const double low = (rest + cuts.low) - cuts.low;
        slices[k] = {high, low};
        left |= static_cast<uint64_t>(!(low == rest)) | static_cast<uint64_t>(!(std::abs(w) < cuts.limit));
    }
    return left == 0;
}
template <class Real> bool cut_portable(const Cuts &cuts, size_t n, const Real *weights, Slices *slices) {
    return cut_inline(cuts, n, weights, slices);
}
#if defined(GPCL_HAVE_X86)
template <class Real>
[[gnu::target("avx2")]] bool cut_avx2(const Cuts &cuts, size_t n, const Real *weights, Slices *slices) {
    return cut_inline(cuts, n, weights, slices);
}
#endif
template <class Real> auto cutter() {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return cut_avx2<Real>;
#endif
    return cut_portable<Real>;
}

struct Aside {
    uint32_t cell;
    double weight;
};

// The exponent of the greatest of some weights.
template <class Real> int exponent_of_some(size_t n, const Real *weights) {
    constexpr size_t kSome = 256;
    double most = 0;
    for (size_t k = 0; k < std::min(n, kSome); ++k) {
        const double w = std::abs(static_cast<double>(weights[n <= kSome ? k : n / kSome * k]));
        if (w <= std::numeric_limits<double>::max()) most = std::max(most, w);
    }
    return most == 0 ? 0 : std::ilogb(most) + 1;
}

// Rounds high + low once.
template <class Result> Result rounded(const Slices &sum) {
    const double high = sum.high + sum.low;
    if constexpr (std::is_same_v<Result, double>) return high;
    // To the neighbour with an odd last digit, so that the next rounding is the first.
    const double back = high - sum.high, low = (sum.high - (high - back)) + (sum.low - back);
    auto bits = std::bit_cast<uint64_t>(high);
    if (low != 0 && bits % 2 == 0) bits = (low < 0) == (high < 0) ? bits + 1 : bits - 1;
    return static_cast<Result>(std::bit_cast<double>(bits));
}

// The sum of a cell and of weights that were put aside.
template <class Result> Result sum_with(const Slices &sum, std::span<const Aside> aside) {
    std::vector<double> numbers = {sum.high, sum.low};
    for (const Aside &one : aside) numbers.push_back(one.weight);
    const Window window = window_of(numbers.size(), numbers.data());
    std::vector<int64_t> words(window.count);
    uint8_t met = 0;
    for (const double x : numbers) add(x, window.first, words.data(), &met);
    carry(words.data(), window.count);
    return result_of<double, Result>(words.data(), window, met);
}

// Cuts the weights of a thread, and keeps those that are put aside.
template <class Real> class Cutter {
  public:
    explicit Cutter(const Cuts &cuts) : cuts_(cuts), cut_(cutter<Real>()) {}

    // The slices of up to kBlock weights in such cells; zeros of those put aside.
    const Slices *cut(size_t n, const Real *weights, const uint32_t *cell) {
        if (cut_(cuts_, n, weights, slices_.data())) return slices_.data();
        for (size_t k = 0; k < n; ++k) {
            const double w = weights[k];
            if (std::abs(w) < cuts_.limit && slices_[k].low == w - slices_[k].high) continue;
            slices_[k] = {};
            if (cell[k] != kNowhere) aside_.push_back({cell[k], w});
        }
        return slices_.data();
    }

    std::vector<Aside> &aside() { return aside_; }

  private:
    const Cuts &cuts_;
    bool (*cut_)(const Cuts &, size_t, const Real *, Slices *);
    std::array<Slices, kBlock> slices_;
    std::vector<Aside> aside_;
};

void add_to(Slices &sum, const Slices &more) {
    sum.high += more.high;
    sum.low += more.low;
}

// Several sums of a cell, so that neighbouring elements of equal cells don't wait for each other.
constexpr size_t kSums = 4, kMostCellsWithSums = 1024;

// Sums of one thread.
class SlicedSums {
  public:
    SlicedSums(size_t cells, const Cuts &cuts)
        : cells_(cells), copies_(cells <= kMostCellsWithSums ? kSums : 1), cuts_(cuts), sums_((cells + 1) * copies_) {
    } // and one for elements in no bin

    // Up to kBlock slices for such cells; kNowhere is one above all.
    void add(size_t n, const Slices *slices, const uint32_t *cell) {
        if (added_ + n > cuts_.between) settle();
        added_ += n;
        const auto nowhere = static_cast<uint32_t>(cells_);
        Slices *const sums = sums_.data();
        if (copies_ == 1) {
            constexpr size_t kAhead = 16; // elements whose sums are fetched
            for (size_t k = 0; k < n; ++k) {
                if (k + kAhead < n) __builtin_prefetch(&sums[std::min(cell[k + kAhead], nowhere)], 1);
                add_to(sums[std::min(cell[k], nowhere)], slices[k]);
            }
            return;
        }
        const size_t step = cells_ + 1;
        size_t k = 0;
        for (; k + kSums <= n; k += kSums)
#pragma GCC unroll 4
            for (size_t j = 0; j < kSums; ++j) add_to(sums[j * step + std::min(cell[k + j], nowhere)], slices[k + j]);
        for (; k < n; ++k) add_to(sums[std::min(cell[k], nowhere)], slices[k]);
    }

    // Adds all copies up in the first. They hold as much as one could. `goes_on`: to sums of
    // others.
    void end(bool goes_on) {
        for (size_t j = 1; j < copies_; ++j)
            for (size_t c = 0; c < cells_; ++c) add_to(sums_[c], sums_[j * (cells_ + 1) + c]);
        copies_ = 1;
        if (goes_on) settle();
    }

    void add(const SlicedSums &other) {
        for (size_t c = 0; c < cells_; ++c) add_to(sums_[c], other.sums_[c]);
        settle();
    }

    const Slices &operator[](size_t c) const { return sums_[c]; }

  private:
    void settle() {
        added_ = 0;
        for (Slices &sum : sums_) cuts_.settle(sum);
    }

    size_t cells_, copies_, added_ = 0;
    const Cuts &cuts_;
    std::vector<Slices> sums_;
};

// Corrects the results of cells with weights that were put aside.
template <class Result, class Sums> void add_aside(std::vector<Aside> &aside, const Sums &sums, Result *results) {
    std::sort(aside.begin(), aside.end(), [](const Aside &a, const Aside &b) { return a.cell < b.cell; });
    for (size_t i = 0; i < aside.size();) {
        size_t end = i + 1;
        while (end < aside.size() && aside[end].cell == aside[i].cell) ++end;
        results[aside[i].cell] = sum_with<Result>(sums[aside[i].cell], {aside.data() + i, end - i});
        i = end;
    }
}

// Few weights in many cells: of the sums only those that are needed are touched.
template <class Real, class Result>
void sum_few(const WeightedHistogram &call, const Cuts &cuts, const Real *weights, Result *results) {
    constexpr Result kMet = 1;
    std::fill(results, results + call.cells(), Result{0});
    const auto sums = std::make_unique_for_overwrite<Slices[]>(call.cells());
    Cutter<Real> cutter(cuts);
    for_each_block(call, 0, call.n, [&](size_t i, size_t some, const uint32_t *cell) {
        const Slices *slices = cutter.cut(some, weights + i, cell);
        for (size_t k = 0; k < some; ++k) {
            const uint32_t c = cell[k];
            if (c == kNowhere) continue;
            if (results[c] == 0) sums[c] = {};
            results[c] = kMet;
            add_to(sums[c], slices[k]);
        }
    });
    for_each_block(call, 0, call.n, [&](size_t, size_t some, const uint32_t *cell) {
        for (size_t k = 0; k < some; ++k)
            if (cell[k] != kNowhere) results[cell[k]] = rounded<Result>(sums[cell[k]]);
    });
    add_aside(cutter.aside(), sums, results);
}

// Does the caller's thread compute as is usual: to the nearest, with subnormal numbers?
bool rounds_to_nearest() {
    const volatile double one = 1, little = 0x1p-55, least = std::numeric_limits<double>::denorm_min();
    const volatile float small = std::numeric_limits<float>::min();
    const volatile double above = one + little, below = one - little;
    const volatile float half = small / 2;
    return above == 1 && below == 1 && least != 0 && half != 0;
}

// Can all but few weights be cut, as far as some of them show?
template <class Real> bool cuts_most(const Cuts &cuts, size_t n, const Real *weights) {
    constexpr size_t kOneIn = 64; // which, put aside, costs as much as the others
    constexpr size_t kLeast = 64, kMost = 512;
    size_t left = 0;
    Slices slices{};
    const size_t count = std::min(n, std::clamp(n / 16, kLeast, kMost)), step = n / count;
    for (size_t k = 0; k < count; ++k) left += cut_inline(cuts, 1, weights + k * step, &slices) ? 0 : 1;
    return left <= 1 + count / kOneIn;
}

// Few weights in few cells, each sum as a number and what its additions rounded off (Knuth, The Art
// of Computer Programming 2, 4.2.2, theorem B). Returns false where that was rounded, too: then
// nothing is known.
template <class Real, class Result>
bool sum_in_pairs(const WeightedHistogram &call, const Real *weights, Result *sums) {
    constexpr size_t kMostCells = 256, kMostWeights = 256;
    const size_t cells = call.cells();
    if (call.n > kMostWeights || cells > kMostCells || !rounds_to_nearest()) return false;
    std::array<Slices, kMostCells> pairs;
    std::fill_n(pairs.begin(), cells, Slices{});
    const auto error_of = [](double a, double b, double sum) {
        const double b_in_sum = sum - a;
        return (a - (sum - b_in_sum)) + (b - b_in_sum);
    };
    bool exact = true;
    for_each_block(call, 0, call.n, [&](size_t i, size_t some, const uint32_t *cell) {
        for (size_t k = 0; k < some; ++k) {
            if (cell[k] == kNowhere) continue;
            auto &[high, low] = pairs[cell[k]];
            const double weight = weights[i + k], sum = high + weight, error = error_of(high, weight, sum);
            const double all = low + error;
            exact &= error_of(low, error, all) == 0; // not NaN, and so no number is infinite
            high = sum;
            low = all;
        }
    });
    if (!exact) return false;
    for (size_t c = 0; c < cells; ++c) sums[c] = rounded<Result>(pairs[c]);
    return true;
}

template <class Real, class Result> void sum_weights(const WeightedHistogram &call) {
    const auto *weights = static_cast<const Real *>(call.weights);
    auto *results = static_cast<Result *>(call.sums);
    const size_t cells = call.cells();
    if (call.n == 0) {
        std::fill(results, results + cells, Result{0});
        return;
    }
    if (sum_in_pairs(call, weights, results)) return;
    const int exponent = exponent_of_some(call.n, weights);
    const bool can_cut = exponent > kLeastExponent && exponent < kGreatestExponent && rounds_to_nearest();
    const Cuts cuts(call.n, cells, can_cut ? exponent + 1 : 0);
    if (!can_cut || uint64_t{call.n} >> 36 != 0 || !cuts_most(cuts, call.n, weights))
        return sum_in_words<Real, Result>(call);

    constexpr size_t kFew = size_t{1} << 15; // for one thread
    if (call.n < std::min(kFew, cells / 2)) return sum_few(call, cuts, weights, results);
    std::optional<SlicedSums> sums;
    std::vector<Aside> aside;
    std::mutex mutex;
    std::atomic<bool> too_many = false; // are put aside
    in_parts(call.n, 4 * cells, [&](size_t begin, size_t end) {
        SlicedSums mine(cells, cuts);
        Cutter<Real> cutter(cuts);
        const size_t most = (end - begin) / 16 + kBlock;
        for_each_block(call, begin, end, [&](size_t i, size_t some, const uint32_t *cell) {
            if (too_many) return;
            mine.add(some, cutter.cut(some, weights + i, cell), cell);
            if (cutter.aside().size() > most) too_many = true;
        });
        if (too_many) return;
        mine.end(begin != 0 || end != call.n);
        const std::lock_guard lock(mutex);
        aside.insert(aside.end(), cutter.aside().begin(), cutter.aside().end());
        if (!sums)
            sums.emplace(std::move(mine));
        else
            sums->add(mine);
    });
    if (too_many) return sum_in_words<Real, Result>(call);
    parallel_for(ceil_div(cells, kBlock), std::min(cells, kBlock), [&](size_t k) {
        for (size_t c = k * kBlock; c < std::min(cells, (k + 1) * kBlock); ++c)
            results[c] = rounded<Result>((*sums)[c]);
    });
    add_aside(aside, *sums, results);
}

} // namespace

void histogram_weighted(const WeightedHistogram &call) {
    if (call.weight_dtype == 0) return count_pairs(call);
    if (call.weight_dtype == GP_FLOAT64) return sum_weights<double, double>(call);
    call.sums_dtype == GP_FLOAT64 ? sum_weights<float, double>(call) : sum_weights<float, float>(call);
}

} // namespace gpcl::host
