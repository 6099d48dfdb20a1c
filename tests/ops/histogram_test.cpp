// Histogram: every algorithm against one loop, on random, skewed and constant data.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/histogram.h"

namespace {

using namespace test;

constexpr size_t kBins = 256;

enum class Data { random, skewed, constant, runs };
constexpr Data kData[] = {Data::random, Data::skewed, Data::constant, Data::runs};

std::vector<uint8_t> values(Data data, size_t n) {
    std::mt19937_64 random(n + static_cast<size_t>(data));
    std::vector<uint8_t> result(n);
    for (size_t i = 0; i < n; ++i) {
        const auto byte = static_cast<uint8_t>(random());
        switch (data) {
        case Data::random: result[i] = byte; break;
        case Data::skewed: result[i] = byte < 200 ? 255 : byte; break;
        case Data::constant: result[i] = 128; break; // as a signed byte it would be an index below 0
        case Data::runs: result[i] = static_cast<uint8_t>(i / 300); break;
        }
    }
    return result;
}

class Histogram : public testing::TestWithParam<Data> {};
INSTANTIATE_TEST_SUITE_P(Every, Histogram, testing::ValuesIn(kData));

TEST_P(Histogram, EveryAlgorithmAtEverySize) {
    for (const size_t n : sizes()) {
        const auto in = values(GetParam(), n);
        const auto expected = reference::histogram(in, kBins);
        for (const char *algorithm : algorithms(GP_HISTOGRAM)) {
            SCOPED_TRACE("n = " + std::to_string(n) + ", " + name(algorithm));
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.algorithm = algorithm;
            Guarded<uint8_t> source(in);
            Guarded<uint64_t> counts(kBins);
            const gp_status status =
                gp_histogram(context(), GP_UINT8, n, source.data(), kBins, counts.data(), &options);
            if (refused(GP_HISTOGRAM, algorithm, status)) {
                EXPECT_TRUE(counts.untouched());
                continue;
            }
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(expected, counts.values()));
            ASSERT_TRUE(source.intact() && counts.intact()) << "a canary was overwritten";
            ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
        }
    }
}

// With the input at a multiple of 16 bytes, and not.
TEST(Histogram, BuffersAtEveryOffset) {
    for (const size_t n : {size_t(1), size_t(15), size_t(33), size_t(4099)}) {
        if (n > max_n()) continue;
        const auto in = values(Data::random, n);
        const auto expected = reference::histogram(in, kBins);
        for (const char *algorithm : algorithms(GP_HISTOGRAM)) {
            for (const size_t offset : {0, 1, 8, 15, 17}) {
                SCOPED_TRACE("n = " + std::to_string(n) + ", offset " + std::to_string(offset) + ", " +
                             name(algorithm));
                gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
                options.algorithm = algorithm;
                DeviceArray<uint8_t> source(in, offset);
                DeviceArray<uint64_t> counts(std::vector<uint64_t>(kBins, 7), 5);
                gp_event *event = nullptr;
                const gp_status status =
                    gp_enqueue_histogram(context(), GP_UINT8, n, source.buffer(), source.offset(), kBins,
                                         counts.buffer(), counts.offset(), &options, 0, nullptr, &event);
                if (refused(GP_HISTOGRAM, algorithm, status)) continue;
                ASSERT_OK(status);
                ASSERT_OK(gp_event_wait(event));
                ASSERT_OK(gp_event_free(event));
                ASSERT_TRUE(same_bits(expected, counts.values()));
                ASSERT_TRUE(same_bits(in, source.values()));
            }
        }
    }
}

// Counts beside the input, in one buffer.
TEST(Histogram, InOneBuffer) {
    const size_t n = 64;
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context(), n + kBins * sizeof(uint64_t), &buffer));
    const auto in = values(Data::random, n);
    ASSERT_OK(gp_buffer_write(buffer, 0, n, in.data()));
    ASSERT_OK(gp_enqueue_histogram(context(), GP_UINT8, n, buffer, 0, kBins, buffer, n / sizeof(uint64_t), nullptr, 0,
                                   nullptr, nullptr));
    std::vector<uint64_t> counts(kBins);
    ASSERT_OK(gp_buffer_read(buffer, n, kBins * sizeof(uint64_t), counts.data()));
    EXPECT_TRUE(same_bits(reference::histogram(in, kBins), counts));
    ASSERT_OK(gp_buffer_free(buffer));
}

// ---- any type, any bins

using reference::half;
using HistogramTypes =
    testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, half, float, double>;

template <class T> constexpr bool kIsReal = std::is_same_v<T, half> || std::is_floating_point_v<T>;

template <class T> constexpr gp_dtype code() {
    if constexpr (std::is_same_v<T, half>)
        return GP_FLOAT16;
    else
        return dtype<T>();
}

struct TypeNames {
    template <class T> static std::string GetName(int) { return gp_dtype_name(code<T>()); }
};

template <class T> T element(double x) {
    if constexpr (std::is_same_v<T, half>)
        return reference::to_half(x);
    else
        return static_cast<T>(x);
}

// Whole and half numbers around 0 (above it, if there is no sign), some equal to their neighbours,
// and now and then all bits, NaN and infinities among them.
template <class T> std::vector<T> around_zero(size_t n) {
    std::mt19937_64 random(n);
    std::vector<T> in(n);
    const double least = std::is_unsigned_v<T> ? 0 : -100;
    for (size_t i = 0; i < n; ++i) {
        if (i > 0 && random() % 4 == 0)
            in[i] = in[i - 1];
        else if (random() % 16 != 0)
            in[i] = element<T>(least + static_cast<double>(random() % 220) / 2);
        else {
            const uint64_t bits = random();
            std::memcpy(&in[i], &bits, sizeof(T));
        }
    }
    if constexpr (kIsReal<T>) {
        const double special[] = {0.0, -0.0, std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
        for (size_t i = 0; i < n && i < 5; ++i) in[i] = element<T>(special[i]);
    }
    return in;
}

template <class T> void check(const std::vector<T> &in, size_t bins, const gp_histogram_options &given,
                              const std::vector<uint64_t> &expected, bool named) {
    if (testing::Test::HasFailure()) return;
    if (loses_turns(in.size(), bins)) return;
    for (const char *algorithm : algorithms(GP_HISTOGRAM, named)) {
        SCOPED_TRACE("n = " + std::to_string(in.size()) + ", " + std::to_string(bins) + " bins, " + name(algorithm));
        gp_histogram_options options = given;
        options.algorithm = algorithm;
        Guarded<T> source(in);
        Guarded<uint64_t> counts(bins);
        const gp_status status =
            gp_histogram(context(), code<T>(), in.size(), source.data(), bins, counts.data(), &options);
        if (refused(GP_HISTOGRAM, algorithm, status)) {
            EXPECT_TRUE(counts.untouched());
            continue;
        }
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, counts.values()));
        ASSERT_TRUE(source.intact() && counts.intact()) << "a canary was overwritten";
    }
}

// Each type and kind of bins is another program: the named algorithms take one type of each size.
template <class T> bool with_named_algorithms(size_t n) {
    return n < 20000 && (thorough() || std::is_same_v<T, int8_t> || std::is_same_v<T, half> ||
                         std::is_same_v<T, float> || std::is_same_v<T, uint64_t>);
}

template <class T> class HistogramBins : public testing::Test {};
TYPED_TEST_SUITE(HistogramBins, HistogramTypes, TypeNames);

std::vector<size_t> few_sizes() {
    std::vector<size_t> result;
    for (const size_t n :
         {size_t(0), size_t(1), size_t(33), size_t(4099), size_t(16385), size_t(65537), size_t(100003)})
        if (n <= max_n()) result.push_back(n);
    return result;
}

TYPED_TEST(HistogramBins, WholeNumbers) {
    if constexpr (!kIsReal<TypeParam>) {
        for (const size_t n : few_sizes()) {
            const auto in = around_zero<TypeParam>(n);
            for (const double lower : {0.0, std::is_signed_v<TypeParam> ? -100.0 : 7.0}) {
                for (const size_t bins : {size_t(1), size_t(100), size_t(20000)}) {
                    std::vector<uint64_t> expected(bins);
                    for (const TypeParam x : in) {
                        const long double place = static_cast<long double>(x) - lower;
                        if (place >= 0 && place < static_cast<long double>(bins))
                            ++expected[static_cast<size_t>(place)];
                    }
                    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
                    options.lower = options.upper = lower;
                    check(in, bins, options, expected, with_named_algorithms<TypeParam>(n));
                }
            }
        }
    }
}

TYPED_TEST(HistogramBins, EvenEdges) {
    for (const size_t n : few_sizes()) {
        const auto in = around_zero<TypeParam>(n);
        for (const auto &[lower, upper] : {std::pair(0.0, 100.0), std::pair(-10.25, 7.1), std::pair(3.0, 3.0 + 1e-3)}) {
            for (const size_t bins : {size_t(1), size_t(10), size_t(77), size_t(6000)}) {
                gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
                options.lower = lower;
                options.upper = upper;
                const auto edges = reference::even_edges<TypeParam>(bins, lower, upper);
                check(in, bins, options, reference::histogram(in, edges), with_named_algorithms<TypeParam>(n));
            }
        }
    }
}

// Edges that are not even, by a little and by more, so that a bin that is guessed is the next one
// or none near.
TYPED_TEST(HistogramBins, NearlyEvenEdges) {
    std::mt19937_64 random(3);
    for (const size_t n : few_sizes()) {
        const auto in = around_zero<TypeParam>(n);
        for (const double by : {1e-9, 0.2, 0.249, 0.26, 0.9}) {
            for (const size_t bins : {size_t(1), size_t(10), size_t(77)}) {
                const double lower = -20, step = 120.0 / static_cast<double>(bins);
                std::vector<double> edges(bins + 1);
                for (size_t b = 0; b <= bins; ++b) {
                    const double off = b == 0 || b == bins ? 0 : static_cast<double>(random() % 2001) / 1000 - 1;
                    edges[b] = lower + (static_cast<double>(b) + off * by / 2) * step;
                }
                std::sort(edges.begin(), edges.end());
                gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
                options.edges = edges.data();
                options.edges_dtype = GP_FLOAT64;
                check(in, bins, options, reference::histogram(in, edges), false);
            }
        }
    }
}

TYPED_TEST(HistogramBins, GivenEdges) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<std::vector<double>> all = {{-0.0, 0.0},
                                                  {1, 1, 2, 2},
                                                  {-infinity, -3.5, 0, 1e-300, 0.1, 4, infinity},
                                                  {-1e30, 1e19, 1e30},
                                                  {300, 1e5, 1e10},
                                                  {-1e5, -1000.5},
                                                  {5, 5}};
    for (const size_t n : few_sizes()) {
        const auto in = around_zero<TypeParam>(n);
        for (const auto &edges : all) {
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.edges = edges.data();
            check(in, edges.size() - 1, options, reference::histogram(in, edges), with_named_algorithms<TypeParam>(n));
        }
        // As close as the type has them.
        std::vector<TypeParam> own;
        for (int i = 0; i < 5000; ++i) own.push_back(element<TypeParam>(i / 64));
        gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
        options.edges = own.data();
        options.edges_dtype = code<TypeParam>();
        std::vector<double> edges;
        for (const TypeParam x : own) edges.push_back(reference::as_double(x));
        check(in, own.size() - 1, options, reference::histogram(in, edges), with_named_algorithms<TypeParam>(n));
    }
}

// Few edges and more, on either side of 16, 32, 64, 128 and 256 bins, whole numbers among them.
TYPED_TEST(HistogramBins, SomeEdges) {
    std::mt19937_64 random(5);
    for (const size_t n : few_sizes()) {
        const auto in = around_zero<TypeParam>(n);
        for (const size_t bins : {2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257}) {
            if (n > 20'000 && bins % 2 != 0) continue;
            std::vector<double> edges(bins + 1);
            for (double &edge : edges) edge = static_cast<double>(random() % 400) / 2 - 90;
            std::sort(edges.begin(), edges.end());
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.edges = edges.data();
            check(in, bins, options, reference::histogram(in, edges), false);
        }
    }
}

// float64 does not hold these: edges of the elements' own type do.
TEST(Histogram, EdgesOf64Bits) {
    const uint64_t big = uint64_t{1} << 63;
    const std::vector<uint64_t> in = {big - 1, big, big + 1, big + 2, 0, ~uint64_t{0}}, edges = {big, big + 1, big + 2};
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.edges = edges.data();
    options.edges_dtype = GP_UINT64;
    check(in, 2, options, reference::histogram(in, edges), true);
    const std::vector<double> rounded(edges.begin(), edges.end());
    options.edges = rounded.data();
    options.edges_dtype = 0;
    check(in, 2, options, reference::histogram(in, rounded), true);
}

// More bins than local memory holds, and some elements in each.
TEST(Histogram, AMillionBins) {
    const size_t n = std::min<size_t>(max_n(), 300007);
    const size_t bins = size_t{1} << (max_n() <= 100 ? 14 : 20); // simulators have 32 KiB of local memory
    std::mt19937_64 random(7);
    std::vector<float> in(n);
    for (float &x : in) x = std::uniform_real_distribution<float>(-1, 2)(random);
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.lower = -0.5;
    options.upper = 1.5;
    check(in, bins, options, reference::histogram(in, reference::even_edges<float>(bins, -0.5, 1.5)), true);
}

// ---- elements on borders and next to them

struct EvenCase {
    size_t bins;
    double lower, upper;
};
constexpr EvenCase kEvenCases[] = {{1, 0, 1},           {2, -1, 1},         {16, -1, 1},        {256, 0, 1},
                                   {77, -10.25, 7.1},   {1000, 1000, 1001}, {300, -1e30, 1e30}, {256, 1e-38, 3e-38},
                                   {10, -1e-40, 5e-40}, {16384, -1, 1},     {9000, 0.1, 0.7},   {70001, -3, 11},
                                   {1 << 20, 0, 1}};

// Every border or so, the elements next to it on both sides, and what lies outside of all bins.
template <class T> std::vector<T> beside(const std::vector<double> &edges) {
    std::vector<T> in;
    const T infinity = std::numeric_limits<T>::infinity();
    const size_t step = std::max<size_t>(edges.size() / (max_n() <= 100 ? 4 : 20000), 1);
    for (size_t b = 0; b < edges.size(); ++b) {
        if (b % step != 0 && b + 1 != edges.size()) continue;
        const T edge = static_cast<T>(edges[b]);
        for (const T x : {edge, std::nextafter(edge, infinity), std::nextafter(edge, -infinity)}) in.push_back(x);
    }
    for (const T x :
         {infinity, -infinity, std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN(), T{0}, -T{0},
          std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::denorm_min()})
        in.push_back(x);
    // Places that are as far out as whole numbers of 22, 23, 31 and 32 bits, and repeat in those.
    const double lower = edges.front(), width = (edges.back() - lower) / static_cast<double>(edges.size() - 1);
    for (const int bits : {21, 22, 23, 24, 31, 32, 33, 52, 53})
        for (const double more : {-1.0, 0.0, 0.5, 1.0, 5.5})
            for (const int sign : {-1, 1})
                in.push_back(static_cast<T>(lower + sign * (std::ldexp(1, bits) + more) * width));
    std::mt19937 random(3);
    std::shuffle(in.begin(), in.end(), random);
    return in;
}

template <class T> class HistogramBorders : public testing::Test {};
using BorderTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(HistogramBorders, BorderTypes, TypeNames);

TYPED_TEST(HistogramBorders, OfEvenBins) {
    for (const EvenCase &each : kEvenCases) {
        if (each.bins > (max_n() <= 100 ? 16384 : thorough() ? 1 << 20 : 100000)) continue;
        const auto edges = reference::even_edges<TypeParam>(each.bins, each.lower, each.upper);
        const auto in = beside<TypeParam>(edges);
        gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
        options.lower = each.lower;
        options.upper = each.upper;
        SCOPED_TRACE("from " + std::to_string(each.lower) + " to " + std::to_string(each.upper));
        check(in, each.bins, options, reference::histogram(in, edges), true);
    }
}

// The same borders as an array, which NumPy's linspace makes of doubles.
TYPED_TEST(HistogramBorders, OfGivenEdges) {
    for (const EvenCase &each : kEvenCases) {
        if (each.bins > 20000) continue;
        const auto edges = reference::even_edges<double>(each.bins, each.lower, each.upper);
        const auto in = beside<TypeParam>(edges);
        gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
        options.edges = edges.data();
        SCOPED_TRACE("from " + std::to_string(each.lower) + " to " + std::to_string(each.upper));
        check(in, each.bins, options, reference::histogram(in, edges), true);
    }
}

// Edges that gather in places, some of them equal.
TYPED_TEST(HistogramBorders, OfUnevenEdges) {
    for (const size_t bins : {size_t(2), size_t(16), size_t(255), size_t(256), size_t(4096), size_t(12000)}) {
        if (max_n() <= 100 && bins > 300) continue;
        for (const int kind : {0, 1, 2, 3}) {
            std::mt19937_64 random(bins);
            std::vector<double> edges(bins + 1);
            for (double &edge : edges) {
                const double x = std::uniform_real_distribution<double>(-1, 1)(random);
                edge = kind == 0   ? x
                       : kind == 1 ? std::ldexp(x, static_cast<int>(random() % 60) - 30)
                       : kind == 2 ? std::floor(x * 10)
                                   : 1 + x * 0x1p-20;
            }
            if (kind == 1) edges[0] = -std::numeric_limits<double>::infinity();
            std::sort(edges.begin(), edges.end());
            const auto in = beside<TypeParam>(edges);
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.edges = edges.data();
            SCOPED_TRACE("kind " + std::to_string(kind));
            check(in, bins, options, reference::histogram(in, edges), true);
        }
    }
}

// Bins that are asked for again, others in between: none gets another's.
TEST(Histogram, BinsInTurns) {
    const std::vector<float> in = {0, 0.2f, 0.4f, 0.6f, 0.8f, 1, 1.5f};
    for (int turn = 0; turn < 3; ++turn) {
        for (int upper = 1; upper < 25; ++upper) {
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.upper = upper;
            check(in, 5, options, reference::histogram(in, reference::even_edges<float>(5, 0, upper)), false);
            const std::vector<double> edges = {0, 0.3, 0.5 + turn, 2.0 + upper};
            options.upper = 0;
            options.edges = edges.data();
            check(in, 3, options, reference::histogram(in, edges), false);
        }
    }
}

// From elements at any offset, into counts that lie within a buffer.
TEST(Histogram, FloatsAtEveryOffset) {
    for (const size_t bins : {size_t(16), size_t(9000)}) {
        for (const size_t n : {size_t(1), size_t(3), size_t(33), size_t(4099)}) {
            if (n > max_n() || loses_turns(n, bins)) continue;
            std::mt19937_64 random(n);
            std::vector<float> in(n);
            for (float &x : in) x = std::uniform_real_distribution<float>(-1, 2)(random);
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.upper = 1;
            const auto expected = reference::histogram(in, reference::even_edges<float>(bins, 0, 1));
            for (const char *algorithm : algorithms(GP_HISTOGRAM)) {
                for (const size_t offset : {0, 1, 2, 3, 5}) {
                    SCOPED_TRACE("n = " + std::to_string(n) + ", offset " + std::to_string(offset) + ", " +
                                 name(algorithm));
                    options.algorithm = algorithm;
                    DeviceArray<float> source(in, offset);
                    DeviceArray<uint64_t> counts(std::vector<uint64_t>(bins, 7), 5);
                    const gp_status status =
                        gp_enqueue_histogram(context(), GP_FLOAT32, n, source.buffer(), source.offset(), bins,
                                             counts.buffer(), counts.offset(), &options, 0, nullptr, nullptr);
                    if (refused(GP_HISTOGRAM, algorithm, status)) continue;
                    ASSERT_OK(status);
                    ASSERT_TRUE(same_bits(expected, counts.values()));
                    ASSERT_TRUE(same_bits(in, source.values()));
                }
            }
        }
    }
}

// Mostly equal elements, runs of equal ones, and elements on two borders, in few bins and in many.
TEST(Histogram, EqualFloats) {
    const size_t n = std::min<size_t>(max_n(), 40009);
    for (const size_t bins : {size_t(16), size_t(9000), size_t(100000)}) {
        if (loses_turns(n, bins) || (max_n() <= 100 && bins > 9000)) continue;
        for (int kind = 0; kind < 4; ++kind) {
            std::mt19937_64 random(bins);
            std::vector<float> in(n);
            for (size_t i = 0; i < n; ++i) {
                const float x = std::uniform_real_distribution<float>(-0.1f, 1.1f)(random);
                in[i] = kind == 0   ? (random() % 16 != 0 ? 0.3f : x)
                        : kind == 1 ? 0.75f
                        : kind == 2 ? static_cast<float>(i / 300 % 5) / 4
                                    : static_cast<float>(random() % 2);
            }
            if (kind == 3) std::memset(in.data(), 0xff, n / 3 * sizeof(float)); // NaN
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.upper = 1;
            SCOPED_TRACE("kind " + std::to_string(kind));
            check(in, bins, options, reference::histogram(in, reference::even_edges<float>(bins, 0, 1)), true);
        }
    }
}

// More elements than one launch takes, four in turn.
TEST(Histogram, PastTwoToThe32) {
    if (!asked_for("GPCL_TEST_HUGE")) GTEST_SKIP() << "set GPCL_TEST_HUGE=1, with 18 GB of device memory";
    constexpr size_t kN = (size_t(1) << 32) + 5, kOffset = 3;
    const uint64_t turns = kN / 4;
    gp_buffer *data = nullptr;
    ASSERT_OK(gp_buffer_create(context(), (kN + 7) * sizeof(float), &data));
    const auto count = [&](gp_dtype type, size_t bins, gp_histogram_options options, const char *algorithm) {
        SCOPED_TRACE(name(algorithm));
        options.algorithm = algorithm;
        DeviceArray<uint64_t> counts(std::vector<uint64_t>(bins, 7));
        const gp_status status = gp_enqueue_histogram(context(), type, kN, data, kOffset, bins, counts.buffer(),
                                                      counts.offset(), &options, 0, nullptr, nullptr);
        EXPECT_TRUE(status == GP_SUCCESS || status == GP_ERROR_ALGORITHM_REFUSED) << gp_error_message();
        if (status != GP_SUCCESS) return;
        const auto got = counts.values();
        for (size_t b = 0; b < bins; ++b) {
            const uint64_t expected = b == 1 || (type == GP_UINT8 && b == 5) ? turns : b == 3 ? 2 * turns + 1 : 0;
            EXPECT_EQ(expected, got[b]) << "bin " << b;
        }
    };
    const float floats[4] = {-1, 0.75f, 0.25f, 1}; // element 0 is the last of these
    const uint8_t bytes[4] = {5, 3, 1, 3};
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    ASSERT_OK(gp_buffer_fill(data, 0, (kN + 7) * sizeof(float) / 16 * 16, floats, sizeof floats));
    const double even[] = {0, 0.25, 0.5, 0.75, 1}, uneven[] = {0, 1e-9, 0.5, 0.75, 1};
    options.edges = even;
    for (const char *algorithm : {static_cast<const char *>(nullptr), "local-even", "local-bins", "global-bins"})
        count(GP_FLOAT32, 4, options, algorithm);
    options.edges = uneven;
    for (const char *algorithm : {static_cast<const char *>(nullptr), "local-cells"})
        count(GP_FLOAT32, 4, options, algorithm);
    options.edges = nullptr;
    ASSERT_OK(gp_buffer_fill(data, 0, (kN + 7) / 4 * 4, bytes, sizeof bytes));
    for (const char *algorithm : {static_cast<const char *>(nullptr), "lanes"})
        count(GP_UINT8, 256, options, algorithm);
    ASSERT_OK(gp_buffer_free(data));
}

TEST(Histogram, BinsThatAreRefused) {
    const std::vector<float> in(10);
    std::vector<uint64_t> counts(4, 7);
    const auto status = [&](gp_dtype type, size_t bins, const gp_histogram_options &options) {
        return gp_histogram(context(), type, in.size(), in.data(), bins, counts.data(), &options);
    };
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    EXPECT_EQ(GP_ERROR_OPTION, status(GP_INT32, 0, options));
    EXPECT_EQ(GP_ERROR_OPTION, status(GP_INT32, (size_t{1} << 24) + 1, options));
    EXPECT_EQ(GP_ERROR_OPTION, status(GP_FLOAT32, 4, options)) << "whole numbers of a floating type";
    EXPECT_EQ(GP_ERROR_DTYPE, status(99, 4, options));
    options.lower = options.upper = 0.5;
    EXPECT_EQ(GP_ERROR_OPTION, status(GP_INT32, 4, options));
    options.lower = options.upper = 256;
    EXPECT_EQ(GP_ERROR_OPTION, status(GP_UINT8, 4, options));
    options.upper = 0;
    EXPECT_EQ(GP_ERROR_OPTION, status(GP_FLOAT32, 4, options));
    options.upper = std::numeric_limits<double>::infinity();
    EXPECT_EQ(GP_ERROR_OPTION, status(GP_FLOAT32, 4, options));
    options.upper = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(GP_ERROR_OPTION, status(GP_FLOAT32, 4, options));
    const double falling[] = {0, 1, 2, 3, 2.5}, missing[] = {0, 1, std::numeric_limits<double>::quiet_NaN(), 3, 4};
    for (const double *edges : {falling, missing}) {
        options.edges = edges;
        EXPECT_EQ(GP_ERROR_OPTION, status(GP_FLOAT32, 4, options));
    }
    options.edges_dtype = GP_INT32;
    EXPECT_EQ(GP_ERROR_DTYPE, status(GP_FLOAT32, 4, options));

    const auto said = [](const char *words) {
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    options = GP_HISTOGRAM_OPTIONS_INIT;
    options.edges = reinterpret_cast<const char *>(falling) + 4;
    EXPECT_EQ(GP_ERROR_ALIGNMENT, status(GP_FLOAT32, 3, options));
    said("options->edges");
    options = GP_HISTOGRAM_OPTIONS_INIT;
    EXPECT_EQ(GP_ERROR_ALIGNMENT, gp_histogram(context(), GP_INT32, 4, reinterpret_cast<const char *>(in.data()) + 1, 4,
                                               counts.data(), nullptr));
    said("in is");
    EXPECT_EQ(std::vector<uint64_t>(4, 7), counts);
}

} // namespace
