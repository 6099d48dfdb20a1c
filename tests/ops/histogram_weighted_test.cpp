// Histograms of weights and of pairs against exact sums: every algorithm, type of elements, weights
// and sums, bits for bits.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/histogram_weighted.h"

#include <cfenv>

namespace {

using namespace test;
using reference::half;

template <class T> constexpr gp_dtype code() {
    if constexpr (std::is_same_v<T, half>)
        return GP_FLOAT16;
    else
        return dtype<T>();
}

// Weights whose sums are hard: of all magnitudes, that cancel, at halves, beyond the greatest.
enum class Weights { uniform, wide, cancelling, ties, subnormal, special, huge, negative_zeros };
constexpr Weights kWeights[] = {Weights::uniform,   Weights::wide,    Weights::cancelling, Weights::ties,
                                Weights::subnormal, Weights::special, Weights::huge,       Weights::negative_zeros};

template <class W> std::vector<W> weights(Weights kind, size_t n) {
    std::mt19937_64 random(n * 8 + static_cast<size_t>(kind));
    const auto real = [&] { return static_cast<W>(static_cast<double>(random() >> 11) * 0x1p-53); };
    const int least = std::numeric_limits<W>::min_exponent - std::numeric_limits<W>::digits;
    const int most = std::numeric_limits<W>::max_exponent - 64; // so that doubles in the oracle don't overflow
    const W inf = std::numeric_limits<W>::infinity(), nan = std::numeric_limits<W>::quiet_NaN();
    std::vector<W> result(n);
    for (size_t i = 0; i < n; ++i) {
        const W sign = random() % 2 == 0 ? W{1} : W{-1};
        switch (kind) {
        case Weights::uniform: result[i] = real(); break;
        case Weights::wide:
            result[i] =
                sign * std::ldexp(real(), least + static_cast<int>(random() % static_cast<unsigned>(most - least)));
            break;
        case Weights::cancelling:
            result[i] = i % 2 == 1 ? -result[i - 1] : sign * std::ldexp(real(), static_cast<int>(random() % 40));
            if (random() % 64 == 0) result[i] += W{1} / 1024;
            break;
        case Weights::ties: // 1 and odd multiples of half of its last digit
            result[i] = i % 5 == 0 ? W{1}
                        : i % 5 == 1
                            ? std::ldexp(W{1}, -std::numeric_limits<W>::digits)
                            : sign * std::ldexp(W{1}, -std::numeric_limits<W>::digits - static_cast<int>(i % 40));
            break;
        case Weights::subnormal:
            result[i] = sign * static_cast<W>(random() % 1000) * std::numeric_limits<W>::denorm_min();
            break;
        case Weights::special:
            result[i] = i % 97 == 5 ? inf : i % 193 == 7 ? -inf : i % 389 == 11 ? nan : sign * real();
            break;
        case Weights::huge: result[i] = std::numeric_limits<W>::max() / (i % 7 == 0 ? 1 : 3); break;
        case Weights::negative_zeros: result[i] = -W{0}; break;
        }
    }
    return result;
}

// What a sum of huge weights is, which the oracle can't add: it adds them scaled.
template <class R, class W>
std::vector<R> expected_sums(Weights kind, const std::vector<size_t> &cell, std::vector<W> weight, size_t cells) {
    if (kind != Weights::huge) return reference::sums_of<R>(cell, weight, cells);
    constexpr int kScale = 100;
    for (W &w : weight) w = std::ldexp(w, -kScale);
    std::vector<R> sums = reference::sums_of<R>(cell, weight, cells);
    for (R &sum : sums) sum = std::ldexp(sum, kScale);
    return sums;
}

// Elements from below `lower` to above `upper`, and some on edges.
template <class T> std::vector<T> elements(size_t n, uint64_t seed) {
    std::mt19937_64 random(n + seed);
    std::vector<T> in(n);
    for (size_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(random() % 256) / 2;
        if constexpr (std::is_same_v<T, half>)
            in[i] = reference::to_half(x);
        else
            in[i] = static_cast<T>(x);
    }
    if constexpr (std::is_floating_point_v<T>)
        if (n > 3) in[n / 2] = std::numeric_limits<T>::quiet_NaN();
    return in;
}

template <class T> bool same(const std::vector<T> &expected, const std::vector<T> &got, size_t *where) {
    for (*where = 0; *where < expected.size(); ++*where) {
        const T e = expected[*where], g = got[*where];
        if (std::memcmp(&e, &g, sizeof e) != 0 && !(e != e && g != g)) return false;
    }
    return true;
}

constexpr double kLower = 3, kUpper = 103;

std::vector<size_t> some_sizes() {
    std::vector<size_t> result;
    for (const size_t n : {size_t(0), size_t(1), size_t(2), size_t(33), size_t(1023), size_t(1025), size_t(40009)})
        if (n <= max_n()) result.push_back(n);
    return result;
}

template <class T, class W, class R> void check_weighted(Weights kind, size_t n, size_t bins, bool named) {
    const auto in = elements<T>(n, 1);
    const auto weight = weights<W>(kind, n);
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.lower = kLower;
    options.upper = kUpper;
    options.sums_dtype = dtype<R>();
    const auto edges = reference::even_edges<T>(bins, kLower, kUpper);
    const auto expected = expected_sums<R>(kind, reference::bins_of(in, edges), weight, bins);
    if (loses_turns(n, bins * 70)) return;
    for (const char *algorithm : algorithms(GP_HISTOGRAM_WEIGHTED, named)) {
        SCOPED_TRACE("n = " + std::to_string(n) + ", " + std::to_string(bins) + " bins, weights " +
                     std::to_string(static_cast<int>(kind)) + " of " + gp_dtype_name(dtype<W>()) + ", sums of " +
                     gp_dtype_name(dtype<R>()) + ", " + name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> source(in);
        Guarded<W> weighing(weight);
        Guarded<R> sums(bins);
        const gp_status status = gp_histogram_weighted(context(), code<T>(), n, source.data(), dtype<W>(),
                                                       weighing.data(), bins, sums.data(), &options);
        if (refused(GP_HISTOGRAM_WEIGHTED, algorithm, status)) {
            EXPECT_TRUE(sums.untouched());
            continue;
        }
        ASSERT_OK(status);
        size_t where = 0;
        ASSERT_TRUE(same(expected, sums.values(), &where))
            << "bin " << where << ": expected " << text(expected[where]) << ", got " << text(sums.values()[where]);
        ASSERT_TRUE(source.intact() && weighing.intact() && sums.intact()) << "a canary was overwritten";
    }
}

// Every kind of weights.
TEST(HistogramWeighted, EveryAlgorithmSumsExactly) {
    for (const size_t n : some_sizes()) {
        for (const Weights kind : kWeights) {
            for (const size_t bins : {size_t(1), size_t(50)}) {
                check_weighted<float, float, float>(kind, n, bins, true);
                check_weighted<float, double, double>(kind, n, bins, true);
                if (kind != Weights::huge) check_weighted<float, float, double>(kind, n, bins, n < 2000);
                if (HasFailure()) return;
            }
        }
    }
}

// Weights of one magnitude, and a few that are farther off from bin to bin, by one octave each: up
// to one of these they are added one way, beyond it another one. In each bin great ones cancel.
template <class W, class R> void check_octaves(int scale, int step, bool special) {
    constexpr size_t kBlock = 16, kBins = 110;
    const size_t blocks = std::clamp<size_t>(max_n() / kBlock, 1, 256), n = blocks * kBlock;
    std::mt19937_64 random(static_cast<uint64_t>(scale + step));
    const auto number = [&](int exponent) {
        const W sign = random() % 2 == 0 ? W{1} : W{-1};
        return sign *
               static_cast<W>(std::ldexp(static_cast<W>(1 + static_cast<double>(random() >> 11) * 0x1p-53), exponent));
    };
    std::vector<float> in;
    std::vector<W> weight;
    for (size_t j = 0; j < blocks; ++j) { // what is far off stands where whoever looks at some weights seldom looks
        for (size_t k = 0; k < kBlock; ++k) in.push_back(static_cast<float>(j % kBins) + 0.5F);
        for (size_t k = 0; k < 9; ++k) weight.push_back(k % 2 == 1 ? -weight.back() : number(scale));
        const int far = scale + step * static_cast<int>(j % kBins);
        const W great = number(scale), one = number(far);
        for (const W w : {one, -weight[j * kBlock + 8], great, number(far - 3), -great, -W{0}, number(far)})
            weight.push_back(w);
        if (special && j % 9 == 4) weight.back() = std::numeric_limits<W>::infinity();
        if (special && j % 18 == 4) weight[j * kBlock + 9] = -std::numeric_limits<W>::infinity();
        if (special && j % 9 == 5) weight[j * kBlock + 12] = std::numeric_limits<W>::quiet_NaN();
    }
    std::vector<size_t> cell;
    for (const float x : in) cell.push_back(static_cast<size_t>(x));
    const auto expected = reference::sums_of<R>(cell, weight, kBins);
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.upper = kBins;
    options.sums_dtype = dtype<R>();
    for (const char *algorithm : algorithms(GP_HISTOGRAM_WEIGHTED)) {
        SCOPED_TRACE("weights of " + std::string(gp_dtype_name(dtype<W>())) + " about 2^" + std::to_string(scale) +
                     ", octaves of " + std::to_string(step) + ", sums of " + gp_dtype_name(dtype<R>()) + ", " +
                     name(algorithm));
        options.algorithm = algorithm;
        Guarded<R> sums(kBins);
        const gp_status status = gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), dtype<W>(), weight.data(),
                                                       kBins, sums.data(), &options);
        if (refused(GP_HISTOGRAM_WEIGHTED, algorithm, status)) continue;
        ASSERT_OK(status);
        size_t where = 0;
        ASSERT_TRUE(same(expected, sums.values(), &where))
            << "bin " << where << ": expected " << text(expected[where]) << ", got " << text(sums.values()[where]);
        ASSERT_TRUE(sums.intact()) << "a canary was overwritten";
    }
}

TEST(HistogramWeighted, EveryOctaveApart) {
    for (const bool special : {false, true}) {
        check_octaves<float, float>(0, -1, special);
        check_octaves<float, double>(-20, 1, special);
        check_octaves<float, float>(-125, 1, special); // from subnormal numbers
        check_octaves<float, double>(110, -2, special);
        check_octaves<double, double>(0, -1, special);
        check_octaves<double, double>(-30, 1, special);
        check_octaves<double, double>(-1022, 1, special);
        check_octaves<double, double>(-950, -1, special); // to subnormal ones
        check_octaves<double, double>(890, -1, special);
        if (HasFailure()) return;
    }
}

// Sums as large as their number allows, and sums that come back to zero.
TEST(HistogramWeighted, GreatestSumsOfOneMagnitude) {
    const size_t n = std::min<size_t>(max_n(), 300007);
    for (const bool cancels : {false, true}) {
        std::vector<float> in(n, 0.5F), weight(n, std::nextafter(2.0F, 0.0F));
        std::vector<double> wide(n, -std::nextafter(2.0, 0.0));
        if (cancels)
            for (size_t i = n / 2; i < n; ++i) weight[i] = -weight[i], wide[i] = -wide[i];
        const std::vector<size_t> cell(n, 0);
        gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
        options.upper = 1;
        for (const char *algorithm : algorithms(GP_HISTOGRAM_WEIGHTED)) {
            SCOPED_TRACE(name(algorithm));
            options.algorithm = algorithm;
            std::vector<float> sum(1);
            std::vector<double> sum_of_wide(1);
            const gp_status status = gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), GP_FLOAT32,
                                                           weight.data(), 1, sum.data(), &options);
            if (refused(GP_HISTOGRAM_WEIGHTED, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_OK(gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), GP_FLOAT64, wide.data(), 1,
                                            sum_of_wide.data(), &options));
            EXPECT_TRUE(same_bits(reference::sums_of<float>(cell, weight, 1), sum));
            EXPECT_TRUE(same_bits(reference::sums_of<double>(cell, wide, 1), sum_of_wide));
        }
    }
}

template <class T> class HistogramWeightedTypes : public testing::Test {};
using Types =
    testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, half, float, double>;
struct Names {
    template <class T> static std::string GetName(int) { return gp_dtype_name(code<T>()); }
};
TYPED_TEST_SUITE(HistogramWeightedTypes, Types, Names);

TYPED_TEST(HistogramWeightedTypes, EveryTypeOfElements) {
    const bool named = thorough() || std::is_same_v<TypeParam, uint8_t> || std::is_same_v<TypeParam, double>;
    for (const size_t n : some_sizes()) {
        check_weighted<TypeParam, float, float>(Weights::wide, n, 10, named && n > 1000);
        if (this->HasFailure()) return;
    }
}

// Cells that no local memory holds.
TEST(HistogramWeighted, ManyBins) {
    const size_t n = std::min<size_t>(max_n(), 50021);
    check_weighted<float, float, float>(Weights::wide, n, max_n() <= 100 ? 3000 : 30000, true);
    check_weighted<double, double, double>(Weights::wide, n, max_n() <= 100 ? 500 : 5000, true);
}

// No weight is finite but zeros.
TEST(HistogramWeighted, InfinitiesAlone) {
    const size_t n = std::min<size_t>(max_n(), 3000);
    const std::vector<float> in(n, 0.5F), weight(n, -std::numeric_limits<float>::infinity());
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.upper = 2;
    for (const char *algorithm : algorithms(GP_HISTOGRAM_WEIGHTED)) {
        options.algorithm = algorithm;
        std::vector<float> sums(2);
        const gp_status status = gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), GP_FLOAT32, weight.data(),
                                                       2, sums.data(), &options);
        if (refused(GP_HISTOGRAM_WEIGHTED, algorithm, status)) continue;
        ASSERT_OK(status);
        EXPECT_EQ((std::vector<float>{weight[0], 0}), sums) << name(algorithm);
    }
}

// Few elements in many bins, and so many that threads share them.
TEST(HistogramWeighted, FewAndManyElements) {
    const size_t many = max_n() <= 100 ? 200 : 2500;
    for (const Weights kind : {Weights::uniform, Weights::cancelling, Weights::special}) {
        for (const size_t n : {size_t(1), size_t(33), size_t(1023)}) {
            if (n > max_n()) continue;
            check_weighted<float, float, float>(kind, n, many, false);
            check_weighted<double, double, double>(kind, n, many, false);
        }
        const size_t n = std::min<size_t>(max_n(), 200003);
        for (const size_t bins : {size_t(50), 2 * many}) {
            check_weighted<float, float, double>(kind, n, bins, false);
            check_weighted<double, double, double>(kind, n, bins, false);
        }
        if (HasFailure()) return;
    }
}

// What a thread has set for its own arithmetic does not matter.
TEST(HistogramWeighted, TheCallersRoundingDoesNotMatter) {
    const size_t n = std::min<size_t>(max_n(), 1023), bins = 3;
    const auto in = elements<float>(n, 1);
    const auto weight = weights<double>(Weights::uniform, n);
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.lower = kLower;
    options.upper = kUpper;
    std::vector<double> usual(bins), other(bins);
    const auto call = [&](std::vector<double> &sums) {
        return gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), GP_FLOAT64, weight.data(), bins, sums.data(),
                                     &options);
    };
    ASSERT_OK(call(usual));
    for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        ASSERT_EQ(0, std::fesetround(rounding));
        const gp_status status = call(other);
        std::fesetround(FE_TONEAREST);
        ASSERT_OK(status);
        EXPECT_TRUE(same_bits(usual, other));
    }
}

// The sums do not depend on where elements stand, so threads and devices divide them as they like.
TEST(HistogramWeighted, TheOrderDoesNotMatter) {
    const size_t n = std::min<size_t>(max_n(), 200003), bins = 7;
    auto in = elements<float>(n, 1);
    auto weight = weights<float>(Weights::wide, n);
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.lower = kLower;
    options.upper = kUpper;
    std::vector<float> once(bins), again(bins);
    ASSERT_OK(gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), GP_FLOAT32, weight.data(), bins, once.data(),
                                    &options));
    std::reverse(in.begin(), in.end());
    std::reverse(weight.begin(), weight.end());
    ASSERT_OK(gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), GP_FLOAT32, weight.data(), bins, again.data(),
                                    &options));
    EXPECT_TRUE(same_bits(once, again));
}

TEST(HistogramWeighted, EdgesAndWholeNumbers) {
    const size_t n = std::min<size_t>(max_n(), 3001);
    const std::vector<double> edges = {0, 0.5, 1, 8, 8, 100, 200};
    const auto in = elements<float>(n, 3);
    const auto weight = weights<double>(Weights::wide, n);
    const size_t bins = edges.size() - 1;
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.edges = edges.data();
    std::vector<double> sums(bins);
    ASSERT_OK(gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), GP_FLOAT64, weight.data(), bins, sums.data(),
                                    &options));
    EXPECT_TRUE(same_bits(reference::sums_of<double>(reference::bins_of(in, edges), weight, bins), sums));

    const auto whole = elements<uint8_t>(n, 4);
    std::vector<size_t> cell;
    for (const uint8_t x : whole) cell.push_back(x >= 20 ? x - 20u : 999);
    options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.lower = options.upper = 20;
    sums.resize(60);
    ASSERT_OK(gp_histogram_weighted(context(), GP_UINT8, n, whole.data(), GP_FLOAT64, weight.data(), 60, sums.data(),
                                    &options));
    EXPECT_TRUE(same_bits(reference::sums_of<double>(cell, weight, 60), sums));
}

// ---- pairs

struct Pairs {
    gp_histogram_2d_options options = GP_HISTOGRAM_2D_OPTIONS_INIT;
    std::vector<double> edges_x, edges_y;

    template <class T> static Pairs even(size_t bins_x, size_t bins_y) {
        Pairs p;
        p.options.lower_x = kLower;
        p.options.upper_x = kUpper;
        p.options.lower_y = -7.5;
        p.options.upper_y = 90;
        p.edges_x = reference::even_edges<T>(bins_x, kLower, kUpper);
        p.edges_y = reference::even_edges<T>(bins_y, -7.5, 90);
        return p;
    }
    size_t bins_x() const { return edges_x.size() - 1; }
    size_t bins_y() const { return edges_y.size() - 1; }
    size_t cells() const { return bins_x() * bins_y(); }
    template <class T> std::vector<size_t> cells_of(const std::vector<T> &x, const std::vector<T> &y) const {
        auto rows = reference::bins_of(x, edges_x);
        const auto columns = reference::bins_of(y, edges_y);
        for (size_t i = 0; i < rows.size(); ++i)
            rows[i] = columns[i] < bins_y() ? rows[i] * bins_y() + columns[i] : cells();
        return rows;
    }
};

template <class T, class S> void check_pairs(const Pairs &given, const std::vector<T> &x, const std::vector<T> &y,
                                             gp_dtype weight_dtype, const void *weight, const std::vector<S> &expected,
                                             bool named) {
    if (loses_turns(x.size(), given.cells() * 70)) return;
    for (const char *algorithm : algorithms(GP_HISTOGRAM_WEIGHTED, named)) {
        SCOPED_TRACE("n = " + std::to_string(x.size()) + ", " + std::to_string(given.bins_x()) + " * " +
                     std::to_string(given.bins_y()) + " bins, weights " + std::to_string(weight_dtype) + ", " +
                     name(algorithm));
        gp_histogram_2d_options options = given.options;
        options.algorithm = algorithm;
        Guarded<T> first(x), second(y);
        Guarded<S> sums(given.cells());
        const gp_status status =
            gp_histogram_2d(context(), code<T>(), x.size(), first.data(), second.data(), weight_dtype, weight,
                            given.bins_x(), given.bins_y(), sums.data(), &options);
        if (refused(GP_HISTOGRAM_WEIGHTED, algorithm, status)) {
            EXPECT_TRUE(sums.untouched());
            continue;
        }
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, sums.values()));
        ASSERT_TRUE(first.intact() && second.intact() && sums.intact()) << "a canary was overwritten";
    }
}

template <class T> void check_counts(const Pairs &given, size_t n, bool named) {
    const auto x = elements<T>(n, 5), y = elements<T>(n, 6);
    std::vector<uint64_t> expected(given.cells());
    for (const size_t cell : given.cells_of(x, y))
        if (cell < given.cells()) ++expected[cell];
    check_pairs(given, x, y, 0, nullptr, expected, named);
}

TYPED_TEST(HistogramWeightedTypes, PairsAreCounted) {
    const bool named = thorough() || std::is_same_v<TypeParam, int8_t> || std::is_same_v<TypeParam, float>;
    for (const size_t n : some_sizes()) {
        check_counts<TypeParam>(Pairs::even<TypeParam>(7, 13), n, named && n > 1000);
        if (this->HasFailure()) return;
    }
}

TEST(Histogram2D, PairsAreWeighed) {
    for (const size_t n : some_sizes()) {
        const auto x = elements<float>(n, 5), y = elements<float>(n, 6);
        const auto single = weights<float>(Weights::wide, n);
        const auto wide = weights<double>(Weights::wide, n);
        Pairs given = Pairs::even<float>(5, 9);
        const auto cell = given.cells_of(x, y);
        check_pairs(given, x, y, GP_FLOAT32, single.data(), reference::sums_of<float>(cell, single, 45), true);
        check_pairs(given, x, y, GP_FLOAT64, wide.data(), reference::sums_of<double>(cell, wide, 45), true);
        given.options.sums_dtype = GP_FLOAT64;
        check_pairs(given, x, y, GP_FLOAT32, single.data(), reference::sums_of<double>(cell, single, 45), n < 2000);
        if (HasFailure()) return;
    }
}

TEST(Histogram2D, ManyCells) {
    const size_t n = std::min<size_t>(max_n(), 60013), side = max_n() <= 100 ? 60 : 500;
    check_counts<float>(Pairs::even<float>(side, side), n, true);
}

TEST(Histogram2D, EdgesOfEach) {
    Pairs given;
    given.edges_x = {0, 1, 1, 50};
    given.edges_y = {-1, 3, 4.5, 77, 127.5};
    given.options.edges_x = given.edges_x.data();
    given.options.edges_y = given.edges_y.data();
    given.options.edges_dtype_y = GP_FLOAT64;
    for (const size_t n : some_sizes()) check_counts<float>(given, n, n > 1000);
    given.options.edges_x = nullptr;
    given.options.lower_x = 0;
    given.options.upper_x = 100;
    given.edges_x = reference::even_edges<double>(10, 0, 100);
    for (const size_t n : some_sizes()) check_counts<double>(given, n, false);
}

// Bins of x that hold no element of the type.
TEST(Histogram2D, BinsThatNoElementReaches) {
    Pairs given = Pairs::even<int8_t>(4, 3);
    given.options.lower_x = 1000;
    given.options.upper_x = 2000;
    const auto x = elements<int8_t>(20, 1);
    check_pairs(given, x, x, 0, nullptr, std::vector<uint64_t>(12), false);
}

// ---- buffers and arguments

TEST(HistogramWeighted, BuffersAtEveryOffset) {
    const size_t n = std::min<size_t>(max_n(), 1501), bins = 20;
    const auto in = elements<uint16_t>(n, 1), other = elements<uint16_t>(n, 2);
    const auto weight = weights<float>(Weights::wide, n);
    const auto edges = reference::even_edges<uint16_t>(bins, kLower, kUpper);
    const auto expected = reference::sums_of<float>(reference::bins_of(in, edges), weight, bins);
    Pairs pairs = Pairs::even<uint16_t>(4, 5);
    std::vector<uint64_t> counts(20);
    for (const size_t cell : pairs.cells_of(in, other))
        if (cell < 20) ++counts[cell];
    for (const char *algorithm : algorithms(GP_HISTOGRAM_WEIGHTED)) {
        for (const size_t offset : {size_t(0), size_t(1), size_t(9)}) {
            SCOPED_TRACE(std::string(name(algorithm)) + ", offset " + std::to_string(offset));
            gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
            options.algorithm = pairs.options.algorithm = algorithm;
            options.lower = kLower;
            options.upper = kUpper;
            DeviceArray<uint16_t> source(in, offset), second(other, offset + 2);
            DeviceArray<float> weighing(weight, offset + 1), sums(std::vector<float>(bins, 7), offset);
            DeviceArray<uint64_t> counted(std::vector<uint64_t>(20, 7), offset);
            const gp_status status = gp_enqueue_histogram_weighted(
                context(), GP_UINT16, n, source.buffer(), source.offset(), GP_FLOAT32, weighing.buffer(),
                weighing.offset(), bins, sums.buffer(), sums.offset(), &options, 0, nullptr, nullptr);
            if (refused(GP_HISTOGRAM_WEIGHTED, algorithm, status)) continue;
            ASSERT_OK(status);
            gp_event *event = nullptr;
            ASSERT_OK(gp_enqueue_histogram_2d(context(), GP_UINT16, n, source.buffer(), source.offset(),
                                              second.buffer(), second.offset(), 0, nullptr, 0, 4, 5, counted.buffer(),
                                              counted.offset(), &pairs.options, 0, nullptr, &event));
            ASSERT_OK(gp_event_wait(event));
            ASSERT_OK(gp_event_free(event));
            ASSERT_TRUE(same_bits(expected, sums.values()));
            ASSERT_TRUE(same_bits(counts, counted.values()));
        }
    }
}

class HistogramWeightedArguments : public testing::Test {
  protected:
    gp_status weighted(gp_dtype type, size_t n, const void *in, gp_dtype weight_dtype, const void *weight, size_t bins,
                       void *sums) {
        return gp_histogram_weighted(context(), type, n, in, weight_dtype, weight, bins, sums, &one_);
    }
    gp_status pairs(size_t n, const void *x, const void *y, gp_dtype weight_dtype, const void *weight, size_t bins_x,
                    size_t bins_y, void *sums) {
        return gp_histogram_2d(context(), GP_FLOAT32, n, x, y, weight_dtype, weight, bins_x, bins_y, sums, &two_);
    }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<double>(4, 9), out_);
    }
    void SetUp() override { one_.upper = two_.upper_x = two_.upper_y = 1; }
    std::vector<float> in_ = {0.5F, 0.25F, 0, 1}, other_ = in_;
    std::vector<double> weights_ = {1, 2, 3, 4}, out_ = std::vector<double>(4, 9);
    gp_histogram_weighted_options one_ = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    gp_histogram_2d_options two_ = GP_HISTOGRAM_2D_OPTIONS_INIT;
};

TEST_F(HistogramWeightedArguments, BadOnesAreRefused) {
    const void *in = in_.data(), *weight = weights_.data();
    void *out = out_.data();
    refuses(GP_ERROR_DTYPE, weighted(99, 4, in, GP_FLOAT64, weight, 4, out), "dtype");
    refuses(GP_ERROR_DTYPE, weighted(GP_FLOAT32, 4, in, GP_INT32, weight, 4, out), "weight_dtype");
    refuses(GP_ERROR_DTYPE, weighted(GP_FLOAT32, 4, in, 0, weight, 4, out), "weight_dtype");
    refuses(GP_ERROR_NULL_POINTER, weighted(GP_FLOAT32, 4, nullptr, GP_FLOAT64, weight, 4, out), "in");
    refuses(GP_ERROR_NULL_POINTER, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, nullptr, 4, out), "weights");
    refuses(GP_ERROR_NULL_POINTER, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, weight, 4, nullptr), "sums");
    refuses(GP_ERROR_OPTION, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, weight, 0, out), "bins");
    refuses(GP_ERROR_OVERLAP, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, out, 4, out), "weights");
    refuses(GP_ERROR_ALIGNMENT,
            weighted(GP_FLOAT32, 3, in, GP_FLOAT64, reinterpret_cast<const char *>(weight) + 4, 4, out), "weights");
    refuses(GP_ERROR_ALIGNMENT,
            weighted(GP_FLOAT32, 3, reinterpret_cast<const char *>(in) + 1, GP_FLOAT64, weight, 4, out), "in is");
    refuses(GP_ERROR_ALIGNMENT, weighted(GP_FLOAT32, 3, in, GP_FLOAT64, weight, 3, reinterpret_cast<char *>(out) + 4),
            "sums is");
    refuses(GP_ERROR_OVERLAP, weighted(GP_FLOAT32, 4, out, GP_FLOAT64, weight, 4, out), "sums overlaps in");
    DeviceArray<uint64_t> number({4});
    one_.n_buffer = two_.n_buffer = number.buffer();
    refuses(GP_ERROR_OPTION, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, weight, 4, out), "options->n_buffer is for");
    refuses(GP_ERROR_OPTION, pairs(4, in, other_.data(), 0, nullptr, 2, 2, out), "options->n_buffer is for");
    one_.n_buffer = two_.n_buffer = nullptr;
    refuses(GP_ERROR_SIZE_OVERFLOW, weighted(GP_FLOAT32, SIZE_MAX / 2, in, GP_FLOAT64, weight, 4, out), "n");
    one_.sums_dtype = GP_FLOAT32;
    refuses(GP_ERROR_DTYPE, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, weight, 4, out), "sums_dtype");
    one_.sums_dtype = 0;
    one_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, weight, 4, out), "there are");
    one_ = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    refuses(GP_ERROR_OPTION, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, weight, 4, out), "lower < upper");
    one_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, weighted(GP_FLOAT32, 4, in, GP_FLOAT64, weight, 4, out), "struct_size");

    const void *y = other_.data();
    refuses(GP_ERROR_NULL_POINTER, pairs(4, in, nullptr, 0, nullptr, 2, 2, out), "y");
    refuses(GP_ERROR_NULL_POINTER, pairs(4, nullptr, y, 0, nullptr, 2, 2, out), "x");
    refuses(GP_ERROR_DTYPE, pairs(4, in, y, 0, weight, 2, 2, out), "weight_dtype");
    refuses(GP_ERROR_OPTION, pairs(4, in, y, 0, nullptr, 2, 0, out), "bins_y");
    refuses(GP_ERROR_OPTION, pairs(4, in, y, 0, nullptr, 0, 2, out), "bins_x");
    refuses(GP_ERROR_OPTION, pairs(4, in, y, 0, nullptr, 1 << 13, 1 << 12, out), "bins_x * bins_y");
    refuses(GP_ERROR_OVERLAP, pairs(4, in, out, 0, nullptr, 2, 2, out), "y");
    refuses(GP_ERROR_ALIGNMENT, pairs(3, in, reinterpret_cast<const char *>(y) + 1, 0, nullptr, 2, 2, out), "y is");
    two_.upper_y = -1;
    refuses(GP_ERROR_OPTION, pairs(4, in, y, 0, nullptr, 2, 2, out), "lower_y");
    two_.upper_y = 1;
    two_.sums_dtype = GP_FLOAT64;
    refuses(GP_ERROR_OPTION, pairs(4, in, y, 0, nullptr, 2, 2, out), "sums_dtype");
    two_.sums_dtype = 0;
    const double falling[] = {1, 0, 2};
    two_.edges_y = falling;
    refuses(GP_ERROR_OPTION, pairs(4, in, y, 0, nullptr, 2, 2, out), "edges_y");
    two_.edges_dtype_x = GP_FLOAT64;
    refuses(GP_ERROR_OPTION, pairs(4, in, y, 0, nullptr, 2, 2, out), "edges_dtype_x");
    two_ = GP_HISTOGRAM_2D_OPTIONS_INIT;
    two_.reserved = 1;
    refuses(GP_ERROR_OPTION, pairs(4, in, y, 0, nullptr, 2, 2, out), "reserved");
}

TEST_F(HistogramWeightedArguments, BuffersAreChecked) {
    DeviceArray<float> in({0.5F, 0.25F});
    DeviceArray<double> weight({1, 2}), out({9, 9});
    const auto call = [&](size_t in_offset, size_t weights_offset, gp_buffer *sums, size_t sums_offset) {
        return gp_enqueue_histogram_weighted(context(), GP_FLOAT32, 2, in.buffer(), in_offset, GP_FLOAT64,
                                             weight.buffer(), weights_offset, 2, sums, sums_offset, &one_, 0, nullptr,
                                             nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, call(99, weight.offset(), out.buffer(), out.offset()));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, call(in.offset(), 99, out.buffer(), out.offset()));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, call(in.offset(), weight.offset(), out.buffer(), 99));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(in.offset(), weight.offset(), weight.buffer(), weight.offset()));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_histogram_2d(context(), GP_FLOAT32, 2, in.buffer(), 0, in.buffer(), 0, 0,
                                                        nullptr, 0, 1, 1, in.buffer(), 0, &two_, 0, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP,
              gp_enqueue_histogram_2d(context(), GP_FLOAT32, 2, in.buffer(), in.offset(), out.buffer(), 0, 0, nullptr,
                                      0, 1, 1, out.buffer(), 0, &two_, 0, nullptr, nullptr));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "sums overlaps y")) << gp_error_message();
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ((std::vector<double>{9, 9}), out.values());
}

TEST_F(HistogramWeightedArguments, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    gp_event *event = nullptr;
    one_.event = &event;
    ASSERT_OK(weighted(GP_FLOAT32, 4, in_.data(), GP_FLOAT64, weights_.data(), 4, out_.data()));
    ASSERT_OK(gp_profile(context(), 0));
    EXPECT_EQ((std::vector<double>{3, 2, 1, 4}), out_);
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_OK(gp_event_timing(event, &timing));
    EXPECT_GE(timing.commands, 1u);
    EXPECT_OK(gp_event_free(event));
}

} // namespace
