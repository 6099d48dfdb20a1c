// Scan: every type, operator, kind and direction, in place and not, against one loop.
// SPDX-License-Identifier: MIT
#include "running.h"

#include "../reference/scan.h"

namespace {

using namespace test;
using reference::Wide;
using reference::widen;

constexpr gp_scan_kind kKinds[] = {GP_INCLUSIVE, GP_EXCLUSIVE};
constexpr gp_direction kDirections[] = {GP_FORWARD, GP_REVERSE};

std::string text_of(const gp_scan_options &options) {
    std::string words = options.operator_source != nullptr ? options.operator_source : operator_name(options.op);
    words += options.kind == GP_EXCLUSIVE ? ", exclusive" : ", inclusive";
    words += options.direction == GP_REVERSE ? ", reverse" : ", forward";
    return words;
}

gp_scan_options options_of(gp_operator op, gp_scan_kind kind = GP_INCLUSIVE, gp_direction direction = GP_FORWARD) {
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.op = op;
    options.kind = kind;
    options.direction = direction;
    return options;
}

// Every operator, kind and direction. Each is a program of its own: unless the test is to be
// thorough, each type takes every operator with one kind and direction, so that the types together
// have them all.
template <class T> std::vector<gp_scan_options> combinations() {
    std::vector<gp_scan_options> all;
    for (const gp_operator op : kOperators)
        for (const gp_scan_kind kind : kKinds)
            for (const gp_direction direction : kDirections) {
                const size_t turn = static_cast<size_t>(op) + sizeof(T) / 4 + (std::is_unsigned_v<T> ? 2 : 0);
                if (thorough() || turn % 4 == static_cast<size_t>(2 * kind + direction))
                    all.push_back(options_of(op, kind, direction));
            }
    return all;
}

template <class T> std::vector<Wide<T>> expected_of(const std::vector<T> &in, const gp_scan_options &options) {
    using W = Wide<T>;
    const auto combine = [op = options.op](W a, W b) { return reference::combine(op, a, b); };
    return reference::scan(widen(in), reference::identity<W>(options.op), combine, options.kind == GP_EXCLUSIVE,
                           options.direction == GP_REVERSE);
}

// Scans out of place and in place.
template <class T> void check(const std::vector<T> &in, gp_scan_options options, const std::vector<Wide<T>> &expected,
                              const std::vector<Wide<T>> &bounds, bool named) {
    if (testing::Test::HasFailure()) return;
    for (const char *algorithm : algorithms(GP_SCAN, named)) {
        options.algorithm = algorithm;
        for (const bool in_place : {false, true}) {
            SCOPED_TRACE(std::string(gp_dtype_name(dtype<T>())) + ", n = " + std::to_string(in.size()) + ", " +
                         text_of(options) + (in_place ? ", in place, " : ", ") + name(algorithm));
            Guarded<T> source(in), target(in.size());
            Guarded<T> &out = in_place ? source : target;
            const gp_status status = gp_scan(context(), dtype<T>(), in.size(), source.data(), out.data(), &options);
            if (refused(GP_SCAN, algorithm, status)) {
                EXPECT_TRUE(target.untouched());
                EXPECT_TRUE(same_bits(in, source.values()));
                continue;
            }
            ASSERT_OK(status);
            ASSERT_TRUE(close_to(expected, out.values(), bounds));
            ASSERT_TRUE(source.intact() && target.intact()) << "a canary was overwritten";
            ASSERT_TRUE(in_place || same_bits(in, source.values())) << "the input was changed";
        }
    }
}

template <class T>
void check(const std::vector<T> &in, const gp_scan_options &options, const std::vector<Wide<T>> &bounds = {}) {
    check(in, options, expected_of(in, options), bounds, with_named_algorithms<T>(options.op));
}

template <class T> class Scan : public RunningTest<T> {};
TYPED_TEST_SUITE(Scan, RunningTypes, TypeNames);

template <class T> class ScanReals : public RunningTest<T> {};
TYPED_TEST_SUITE(ScanReals, RealTypes, TypeNames);

template <class T> class ScanText : public RunningTest<T> {};
TYPED_TEST_SUITE(ScanText, TextTypes, TypeNames);

TYPED_TEST(Scan, EverySize) {
    for (const size_t n : sizes())
        for (const auto &options : combinations<TypeParam>()) {
            const auto in = exact_values<TypeParam>(options.op, n, options.direction == GP_REVERSE);
            check(in, options);
        }
}

// More than the caches hold, which CPUs scan slab by slab.
TYPED_TEST(Scan, PastTheCaches) {
    const size_t n = past_caches(2 * sizeof(TypeParam));
    if (!takes_past_caches()) GTEST_SKIP() << "so many elements take too long here";
    for (const auto &options : combinations<TypeParam>()) {
        const auto in = exact_values<TypeParam>(options.op, n, options.direction == GP_REVERSE);
        check(in, options, expected_of(in, options), {}, false);
    }
}

TYPED_TEST(ScanReals, RandomRealsStayWithinTheBound) {
    using W = Wide<TypeParam>;
    for (const size_t n : sizes())
        for (const auto &options : combinations<TypeParam>()) {
            if (options.op != GP_ADD) continue;
            const auto in = real_values<TypeParam>(n);
            // eps * (i + 1) * sum |in[0..i]|, i counted in the direction of the scan
            auto magnitudes = in;
            for (TypeParam &x : magnitudes) x = std::fabs(x);
            auto bounds = expected_of(magnitudes, options);
            for (size_t i = 0; i < n; ++i) {
                const size_t terms = options.direction == GP_REVERSE ? n - i : i + 1;
                bounds[i] *= W(std::numeric_limits<TypeParam>::epsilon()) * static_cast<W>(terms);
            }
            check(in, options, bounds);
        }
}

TYPED_TEST(ScanReals, NanInfinityAndNegativeZero) {
    for (const size_t n : {size_t(5), size_t(300), size_t(5000)})
        for (const Special special : kSpecials)
            for (const auto &options : combinations<TypeParam>()) {
                if (n > max_n()) continue;
                const auto in = special_values<TypeParam>(special, n);
                check(in, options);
            }
}

TYPED_TEST(ScanReals, SameBitsFromRunToRun) {
    const size_t n = std::min<size_t>(max_n(), 1000003);
    const auto in = real_values<TypeParam>(n);
    for (const char *algorithm : algorithms(GP_SCAN, with_named_algorithms<TypeParam>(GP_ADD))) {
        SCOPED_TRACE(name(algorithm));
        auto options = combinations<TypeParam>().front();
        options.algorithm = algorithm;
        std::vector<TypeParam> first;
        for (int run = 0; run < 20; ++run) {
            Guarded<TypeParam> source(in), out(n);
            const gp_status status = gp_scan(context(), dtype<TypeParam>(), n, source.data(), out.data(), &options);
            if (refused(GP_SCAN, algorithm, status)) break;
            ASSERT_OK(status);
            if (run == 0) first = out.values();
            ASSERT_TRUE(same_bits(first, out.values())) << "run " << run;
        }
    }
}

TYPED_TEST(Scan, BuffersAtOddOffsets) {
    for (const size_t n : {size_t(1), size_t(33), size_t(257), size_t(10007)})
        for (const auto &options : combinations<TypeParam>()) {
            if (n > max_n()) continue;
            SCOPED_TRACE("n = " + std::to_string(n) + ", " + text_of(options));
            const auto in = exact_values<TypeParam>(options.op, n, options.direction == GP_REVERSE);
            const auto expected = expected_of(in, options);
            DeviceArray<TypeParam> source(in, 3), target(std::vector<TypeParam>(n), 5);
            gp_event *first = nullptr, *second = nullptr;
            ASSERT_OK(gp_enqueue_scan(context(), dtype<TypeParam>(), n, source.buffer(), source.offset(),
                                      target.buffer(), target.offset(), &options, 0, nullptr, &first));
            // In place, after the first: source becomes its own scan.
            ASSERT_OK(gp_enqueue_scan(context(), dtype<TypeParam>(), n, source.buffer(), source.offset(),
                                      source.buffer(), source.offset(), &options, 1, &first, &second));
            ASSERT_OK(gp_event_wait(second));
            ASSERT_OK(gp_event_free(first));
            ASSERT_OK(gp_event_free(second));
            ASSERT_TRUE(close_to(expected, target.values()));
            ASSERT_TRUE(close_to(expected, source.values()));
        }
}

TYPED_TEST(Scan, TwoRangesOfOneBuffer) {
    const size_t n = std::min<size_t>(max_n(), 1009);
    const auto options = combinations<TypeParam>().front();
    const auto in = exact_values<TypeParam>(options.op, n, false);
    auto both = in;
    both.insert(both.end(), in.begin(), in.end());
    DeviceArray<TypeParam> array(both, 1);
    ASSERT_OK(gp_enqueue_scan(context(), dtype<TypeParam>(), n, array.buffer(), 1, array.buffer(), 1 + n, &options, 0,
                              nullptr, nullptr));
    ASSERT_OK(gp_finish(context()));
    const auto result = array.values();
    const auto middle = result.begin() + static_cast<std::ptrdiff_t>(n);
    EXPECT_TRUE(same_bits(in, std::vector<TypeParam>(result.begin(), middle)));
    EXPECT_TRUE(close_to(expected_of(in, options), std::vector<TypeParam>(middle, result.end())));
}

// The last value that is not zero, as the caller's operator: it does not commute.
TYPED_TEST(ScanText, LastThatIsNotZero) {
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.operator_source = "b != 0 ? b : a";
    options.operator_identity = "0";
    if (on_host()) {
        Guarded<TypeParam> in(sparse_values<TypeParam>(10)), out(10);
        EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE,
                  gp_scan(context(), dtype<TypeParam>(), 10, in.data(), out.data(), &options));
        EXPECT_TRUE(out.untouched());
        return;
    }
    const auto last = [](Wide<TypeParam> a, Wide<TypeParam> b) { return b != 0 ? b : a; };
    if (std::is_floating_point_v<TypeParam>) options.kind = GP_EXCLUSIVE, options.direction = GP_REVERSE;
    for (const size_t n : sizes()) {
        const auto in = sparse_values<TypeParam>(n);
        const auto expected = reference::scan(widen(in), Wide<TypeParam>(0), last, options.kind == GP_EXCLUSIVE,
                                              options.direction == GP_REVERSE);
        check(in, options, expected, {}, thorough());
    }
}

TEST(ScanAffineText, ComposesMaps) {
    if (on_host()) GTEST_SKIP() << "the host takes no operator text";
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.operator_source = kAffineSource;
    options.operator_identity = kAffineIdentity;
    options.operator_helpers = kAffineHelpers;
    for (const gp_direction direction : kDirections) {
        options.direction = direction;
        for (const size_t n : sizes()) {
            const auto in = affine_maps(n);
            const auto expected = reference::scan(in, kAffineOne, affine, false, direction == GP_REVERSE);
            check(in, options, expected, {}, thorough() || direction == GP_FORWARD);
        }
    }
}

} // namespace
