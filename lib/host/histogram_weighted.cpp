// Histograms of weights and of pairs on the host. A sum is an integer in units of the weights' least
// number, of as many words as the exponents of the weights need; so it is exact, and threads may
// share the elements as they like.
// SPDX-License-Identifier: MIT
#include "host/histogram_weighted.h"

#include "core/size.h"
#include "host/bin_of.h"
#include "host/parallel.h"

#include <array>
#include <functional>
#include <limits>
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
    constexpr int kOffset = std::is_same_v<Real, Result> ? -static_cast<int>(kDigits) : 1022 - 150;
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

// Calls f(i, cells) with the numbers of the cells that elements i .. i + kBlock - 1 are in, of those
// from `begin` to `end`; kNowhere outside.
template <class F> void for_each_block(const WeightedHistogram &call, size_t begin, size_t end, const F &f) {
    with_bits(call.dtype, [&](auto type) {
        const auto *x = static_cast<const decltype(type) *>(call.x);
        const auto *y = static_cast<const decltype(type) *>(call.y);
        std::array<uint32_t, kBlock> cells, rows;
        for (size_t i = begin; i < end; i += kBlock) {
            const size_t some = std::min(kBlock, end - i);
            cells.fill(kNowhere);
            for_each_in_bins(call.dtype, some, x + i, *call.bins_x,
                             [&](size_t k, size_t bin) { cells[k] = static_cast<uint32_t>(bin); });
            if (y != nullptr) {
                rows = cells;
                cells.fill(kNowhere);
                const auto width = static_cast<uint32_t>(call.bins_y->count);
                for_each_in_bins(call.dtype, some, y + i, *call.bins_y, [&](size_t k, size_t bin) {
                    if (rows[k] != kNowhere) cells[k] = rows[k] * width + static_cast<uint32_t>(bin);
                });
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

template <class Real, class Result> void sum_weights(const WeightedHistogram &call) {
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
        constexpr Result kInfinity = std::numeric_limits<Result>::infinity();
        if (met[c] != 0)
            return met[c] == kPlus    ? kInfinity
                   : met[c] == kMinus ? -kInfinity
                                      : std::numeric_limits<Result>::quiet_NaN();
        if (words.empty()) return 0;
        int64_t *of_cell = words.data() + c * window.count;
        carry(of_cell, window.count);
        return rounded<Real, Result>(of_cell, window);
    };
    parallel_for(ceil_div(cells, kBlock), std::min(cells, kBlock) * 8, [&](size_t k) {
        for (size_t c = k * kBlock; c < std::min(cells, (k + 1) * kBlock); ++c) sums[c] = sum_of(c);
    });
}

} // namespace

void histogram_weighted(const WeightedHistogram &call) {
    if (call.weight_dtype == 0) return count_pairs(call);
    if (call.weight_dtype == GP_FLOAT64) return sum_weights<double, double>(call);
    call.sums_dtype == GP_FLOAT64 ? sum_weights<float, double>(call) : sum_weights<float, float>(call);
}

} // namespace gpcl::host
