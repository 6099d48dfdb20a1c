// Distinct elements, against a stable sort and one loop.
// SPDX-License-Identifier: MIT
#include "elements.h"
#include "running.h"

#include "../reference/unique.h"

namespace {

using namespace test;

// Numbers of so many values; 0: of as many as the type has, or more than there are elements.
template <class T> std::vector<T> elements_of(size_t n, size_t values) {
    std::mt19937_64 random(n * 16 + values);
    std::vector<T> result(n);
    for (T &each : result) {
        const uint64_t bits = random();
        each = values != 0 ? number<T>(static_cast<int>(bits % values)) : element<T>(Kind::random, 0, n, bits);
    }
    return result;
}

template <class T> T filler() { return number<T>(77); }

constexpr unsigned kValues = 1, kFirsts = 2, kInverse = 4, kCounts = 8, kAll = 15;

struct Asked {
    unsigned wanted = kAll;
    size_t capacity = 0; // 0: as many as there are elements
    bool sorted = false;
    bool named = false; // by every algorithm
};

// The first elements of an output of so much room, as far as there is room; behind them it is as it
// was.
template <class Index> std::vector<Index> some_of(const std::vector<size_t> &all, size_t room, size_t most) {
    std::vector<Index> result(room, filler<Index>());
    for (size_t k = 0; k < std::min(all.size(), most); ++k) result[k] = static_cast<Index>(all[k]);
    return result;
}

// The outputs have a few elements more than is asked for.
template <class T, class Index> void check_unique(const std::vector<T> &given, const Asked &asked) {
    const size_t n = given.size(), most = asked.capacity == 0 ? n : asked.capacity, room = most + 3;
    const auto expected = reference::unique(given);
    const auto if_asked = [&](unsigned which, size_t size) { return (asked.wanted & which) != 0 ? size : 0; };
    std::vector<T> values(room, filler<T>());
    for (size_t k = 0; k < std::min(expected.firsts.size(), if_asked(kValues, most)); ++k)
        values[k] = given[expected.firsts[k]];
    gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
    options.capacity = asked.capacity;
    options.sorted = asked.sorted ? 1 : 0;
    for (const char *algorithm : algorithms(GP_UNIQUE, asked.named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(std::to_string(expected.firsts.size()) + " values of " + std::to_string(n) + ", capacity " +
                     std::to_string(asked.capacity) + ", wanted " + std::to_string(asked.wanted) +
                     (asked.sorted ? ", sorted, " : ", ") + name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> in(given), out(std::vector<T>(room, filler<T>()));
        Guarded<Index> firsts(std::vector<Index>(room, filler<Index>())), counts(firsts.values()),
            inverse(std::vector<Index>(n + 3, filler<Index>()));
        const auto if_wanted = [&](unsigned which, void *array) {
            return (asked.wanted & which) != 0 ? array : nullptr;
        };
        uint64_t count = 77;
        const gp_status status =
            gp_unique(context(), code<T>(), n, in.data(), if_wanted(kValues, out.data()), dtype<Index>(),
                      if_wanted(kFirsts, firsts.data()), if_wanted(kInverse, inverse.data()),
                      if_wanted(kCounts, counts.data()), &count, &options);
        if (refused(GP_UNIQUE, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_EQ(expected.firsts.size(), count);
        ASSERT_TRUE(same_bits(values, out.values()));
        ASSERT_TRUE(same_bits(some_of<Index>(expected.firsts, room, if_asked(kFirsts, most)), firsts.values()));
        ASSERT_TRUE(same_bits(some_of<Index>(expected.inverse, n + 3, if_asked(kInverse, n)), inverse.values()));
        ASSERT_TRUE(same_bits(some_of<Index>(expected.counts, room, if_asked(kCounts, most)), counts.values()));
        ASSERT_TRUE(in.intact() && out.intact() && firsts.intact() && inverse.intact() && counts.intact())
            << "a canary was overwritten";
        ASSERT_TRUE(same_bits(given, in.values())) << "the input was changed";
    }
}

template <class T> std::vector<T> sorted(const std::vector<T> &in) {
    std::vector<T> result;
    for (const size_t i : reference::ascending_order(in)) result.push_back(in[i]);
    return result;
}

// On either side of tiles of 2048, chunks of 16384 and what a work-group sorts.
constexpr size_t kSizes[] = {0,    1,    2,    33,   511,   513,   1009,  2047,   2048,
                             2049, 4095, 4097, 5003, 16383, 16385, 70001, 262139, (1 << 20) + 1};

template <class T> void check_sizes() {
    for (const size_t n : kSizes) {
        if (n > max_n() || (n > 5000 && !on_host() && !is_named<T>())) continue;
        for (const size_t values : {size_t{0}, size_t{100}, size_t{1}, n / 2}) {
            if (n > 100'000 && values != 100 && values != 0) continue;
            const auto in = elements_of<T>(n, std::min<size_t>(values, 1 << 24));
            check_unique<T, uint32_t>(in, {.named = true});
            if (n > 100'000) continue;
            check_unique<T, uint64_t>(in, {.wanted = kValues | kCounts});
            check_unique<T, uint32_t>(in, {.wanted = kValues | kFirsts});
            check_unique<T, uint32_t>(sorted(in), {.sorted = true, .named = true});
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}
TEST(Unique, EverySizeOfInt32) { check_sizes<int32_t>(); }
TEST(Unique, EverySizeOfFloat) { check_sizes<float>(); }
// Which is sorted by ranks.
TEST(Unique, EverySizeOfHalf) { check_sizes<half>(); }
TEST(Unique, EverySizeOfInt16) {
    if (!on_host() && !all_types()) GTEST_SKIP() << "as other types";
    check_sizes<int16_t>();
}

template <class T> class UniqueTypes : public testing::Test {};
TYPED_TEST_SUITE(UniqueTypes, EveryType, EveryTypeNames);

// Zeros of both signs, NaN, the ends of the type.
TYPED_TEST(UniqueTypes, OfEveryKind) {
    using T = TypeParam;
    for (const size_t size : {1009, 2003}) { // the host hashes some of the latter
        const size_t n = std::min<size_t>(max_n(), size);
        if (n != size && !on_host()) continue;
        for (const Kind kind : {Kind::random, Kind::zeros, Kind::most_nan, Kind::extremes, Kind::falling}) {
            const auto in = elements<T>(kind, n);
            check_unique<T, uint64_t>(sorted(in), {.sorted = true});
            check_unique<T, uint64_t>(in, {});
            if (!is_brief()) check_unique<T, uint64_t>(in, {.wanted = kValues | kCounts});
            if (this->HasFatalFailure()) return;
        }
        if (!on_host()) return;
    }
}

// Ten values, but for `others` that each stand alone, beside those that the host's sample takes:
// one in n / 256.
template <class T> void check_few_in_a_sample(size_t n, size_t others) {
    const auto value = [](size_t i) {
        const auto wide = static_cast<int>(i) * (std::is_integral_v<T> ? 1'000'003 : 1);
        return i % 2 == 0 ? number<T>(wide) : number<T>(-wide);
    };
    std::vector<T> in(n);
    const size_t step = n / 256;
    size_t left = others;
    for (size_t i = 0; i < n; ++i) in[i] = value(i % step != 0 && left > 0 ? 10 + left-- : i % 10);
    check_unique<T, uint32_t>(in, {});
    check_unique<T, uint64_t>(in, {.wanted = kValues, .capacity = 300});
    check_unique<T, uint32_t>(in, {.wanted = kInverse});
}
TEST(UniqueCalls, FewInASample) {
    if (!on_host()) GTEST_SKIP() << "the host takes the sample";
    for (const size_t n : {size_t{2048}, size_t{5003}, (size_t{1} << 18) + 1}) {
        if (n > 2 * max_n()) break;
        for (const size_t others : {0, 500, 501, 502, 503, 1700}) {
            check_few_in_a_sample<int32_t>(n, others);
            check_few_in_a_sample<int64_t>(n, others);
            check_few_in_a_sample<float>(n, others);
            check_few_in_a_sample<double>(n, others);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

// Elements are sorted to other memory than theirs, by each algorithm that does so on GPUs: fewer
// than by default lead to those for many.
template <class T> void check_behind_sorts(size_t n) {
    if (n > max_n()) return;
    const auto others = elements_of<T>(n, 90); // which lie in the work space before each call
    for (const size_t values : {size_t{0}, size_t{1}, n / 2}) {
        const auto in = values == 1 ? std::vector<T>(n, number<T>(5)) : elements_of<T>(n, values);
        check_unique<T, uint32_t>(others, {});
        check_unique<T, uint32_t>(in, {});
        check_unique<T, uint32_t>(others, {});
        check_unique<T, uint64_t>(in, {.wanted = kInverse | kFirsts});
        check_unique<T, uint32_t>(others, {.wanted = kValues | kCounts});
        check_unique<T, uint32_t>(in, {.wanted = kValues | kCounts, .capacity = n / 3});
    }
}

TEST(UniqueCalls, BehindEverySort) {
    if (on_host()) GTEST_SKIP() << "the host sorts otherwise";
    const auto set = [](const char *algorithm, const char *parameter, gp_dtype type, size_t value) {
        ASSERT_OK(gp_parameter_set(context(), GP_SORT, type, algorithm, parameter, value));
    };
    for (const gp_dtype type : {GP_INT32, GP_INT64, GP_FLOAT64}) {
        set("sample-bins", "most", type, 1 << 14);
        set("split-once", "from", type, 1 << 16);
        set("split-once", "most", type, 1 << 18);
        set("split", "from", type, 1 << 18);
    }
    const auto set_parts = [](size_t from) { // of inverses
        for (const gp_dtype type : {GP_UINT8, GP_INT32, GP_INT64, GP_FLOAT64})
            ASSERT_OK(gp_parameter_set(context(), GP_UNIQUE, type, "sorted-runs", "parts", from));
    };
    set_parts(1 << 14);
    for (const size_t n : {size_t{1} << 14, (size_t{1} << 14) + 1, size_t{70'001}, (size_t{1} << 18) + 9}) {
        check_behind_sorts<uint8_t>(n); // one pass
        check_behind_sorts<int32_t>(n);
        check_behind_sorts<int64_t>(n);
        check_behind_sorts<double>(n);
        if (HasFatalFailure()) break;
    }
    for (const gp_dtype type : {GP_INT32, GP_INT64, GP_FLOAT64}) {
        set("sample-bins", "most", type, 0);
        set("split-once", "from", type, 0);
        set("split-once", "most", type, 0);
        set("split", "from", type, 0);
    }
    set_parts(0);
}

// Nothing is written past the room that there is, and the count is that of all values; the inverse
// is whole.
TEST(UniqueCalls, LittleRoom) {
    for (const size_t n : {size_t{40}, size_t{5000}}) {
        if (n > max_n()) continue;
        for (const bool wide : {false, true}) { // which is sorted on "host", not counted
            check_unique<half, uint32_t>(elements_of<half>(n, wide ? 0 : 30), {.capacity = 7});
            const auto in = elements_of<int32_t>(n, wide ? 0 : 30);
            const size_t values = reference::unique(in).firsts.size();
            for (const size_t capacity : {size_t{1}, values / 2, values - 1, values, values + 1})
                for (const unsigned wanted : {kAll, kValues | kCounts, kAll & ~kInverse, kAll & ~kFirsts}) {
                    check_unique<int32_t, uint32_t>(in, {.wanted = wanted, .capacity = capacity});
                    check_unique<int32_t, uint32_t>(sorted(in),
                                                    {.wanted = wanted, .capacity = capacity, .sorted = true});
                    if (HasFatalFailure()) return;
                }
        }
    }
}

TEST(UniqueCalls, LeaveOutOutputs) {
    for (const bool wide : {false, true}) {
        auto in = elements_of<int32_t>(std::min<size_t>(max_n(), 300), 20);
        if (wide) in[0] = INT32_MAX;
        for (unsigned wanted = 0; wanted <= kAll; ++wanted) {
            check_unique<int32_t, uint32_t>(in, {.wanted = wanted});
            check_unique<int32_t, uint32_t>(sorted(in), {.wanted = wanted, .sorted = true});
            check_unique<half, uint32_t>(elements_of<half>(in.size(), wide ? 0 : 20), {.wanted = wanted});
        }
    }
}

// What is said to be sorted and is not: the runs, and nothing out of bounds.
TEST(UniqueCalls, NotSortedAsSaid) {
    const std::vector<int32_t> given = {4, 4, 9, 9, 9, 4};
    Guarded<int32_t> in(given), values(6);
    Guarded<uint32_t> firsts(6), inverse(6), counts(6);
    uint64_t count = 0;
    gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
    options.sorted = 1;
    for (const char *algorithm : algorithms(GP_UNIQUE)) {
        SCOPED_TRACE(name(algorithm));
        options.algorithm = algorithm;
        const gp_status status = gp_unique(context(), GP_INT32, 6, in.data(), values.data(), GP_UINT32, firsts.data(),
                                           inverse.data(), counts.data(), &count, &options);
        if (refused(GP_UNIQUE, algorithm, status)) continue;
        ASSERT_OK(status);
        EXPECT_EQ(3u, count);
        EXPECT_EQ((std::vector<uint32_t>{0, 0, 1, 1, 1, 2}), inverse.values());
        EXPECT_TRUE(values.intact() && firsts.intact() && inverse.intact() && counts.intact());
    }
}

// Buffers with offsets. The distinct values are counted once more: how many there are comes from
// the buffer into which the first call wrote it.
TEST(UniqueCalls, SizesFromBuffers) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    const auto given = elements_of<int32_t>(n, 300);
    const auto expected = reference::unique(given);
    const size_t size = expected.firsts.size();
    DeviceArray<int32_t> in(given), values(std::vector<int32_t>(n, 77)), again(std::vector<int32_t>(n, 77));
    const std::vector<uint32_t> filler(n, 77);
    DeviceArray<uint32_t> firsts(filler), inverse(filler), counts(filler), places(filler), numbers(filler);
    DeviceArray<uint64_t> sizes(std::vector<uint64_t>{99, 99});
    gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
    options.sorted = 1;
    options.n_buffer = sizes.buffer();
    options.n_offset = sizes.offset();
    for (int repeat = 0; repeat < 4; ++repeat) { // which the device is asked for in shorter ways
        ASSERT_OK(gp_enqueue_unique(context(), GP_INT32, n, in.buffer(), in.offset(), values.buffer(), values.offset(),
                                    GP_UINT32, firsts.buffer(), firsts.offset(), inverse.buffer(), inverse.offset(),
                                    counts.buffer(), counts.offset(), sizes.buffer(), sizes.offset(), nullptr, 0,
                                    nullptr, nullptr));
        ASSERT_OK(gp_enqueue_unique(context(), GP_INT32, n, values.buffer(), values.offset(), again.buffer(),
                                    again.offset(), GP_UINT32, places.buffer(), places.offset(), numbers.buffer(),
                                    numbers.offset(), nullptr, 0, sizes.buffer(), sizes.offset() + 1, &options, 0,
                                    nullptr, nullptr));
    }
    ASSERT_OK(gp_finish(context()));
    ASSERT_EQ((std::vector<uint64_t>{size, size}), sizes.values());
    EXPECT_TRUE(same_bits(given, in.values()));
    EXPECT_TRUE(same_bits(some_of<uint32_t>(expected.firsts, n, n), firsts.values()));
    EXPECT_TRUE(same_bits(some_of<uint32_t>(expected.counts, n, n), counts.values()));
    EXPECT_TRUE(same_bits(some_of<uint32_t>(expected.inverse, n, n), inverse.values()));
    std::vector<size_t> all(size);
    std::iota(all.begin(), all.end(), size_t{0});
    EXPECT_TRUE(same_bits(some_of<uint32_t>(all, n, n), places.values()));
    EXPECT_TRUE(same_bits(some_of<uint32_t>(all, n, n), numbers.values())) << "behind the last value";
    EXPECT_TRUE(same_bits(values.values(), again.values()));
}

TEST(UniqueCalls, Errors) {
    const int32_t in[4] = {1, 1, 2, 3};
    int32_t values[4] = {};
    uint64_t firsts[4] = {}, inverse[4] = {}, counts[4] = {}, count = 77;
    gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
    const auto call = [&](gp_dtype type, size_t n, const void *from, void *out, gp_dtype index, void *to,
                          uint64_t *to_count) {
        return gp_unique(context(), type, n, from, out, index, to, inverse, counts, to_count, &options);
    };
    EXPECT_EQ(GP_ERROR_DTYPE, call(99, 4, in, values, GP_UINT64, firsts, &count));
    EXPECT_EQ(GP_ERROR_DTYPE, call(GP_BFLOAT16, 4, in, values, GP_UINT64, firsts, &count));
    EXPECT_EQ(GP_ERROR_DTYPE, call(GP_INT32, 4, in, values, GP_INT32, firsts, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, 4, nullptr, values, GP_UINT64, firsts, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, 4, in, values, GP_UINT64, firsts, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, values, values, GP_UINT64, firsts, &count));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, in, firsts, GP_UINT64, firsts, &count));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, in, values, GP_UINT64, inverse + 3, &count));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, in, values, GP_UINT64, counts, &count));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, in, values, GP_UINT64, &count, &count));
    EXPECT_EQ(GP_ERROR_TOO_LARGE, call(GP_INT32, (size_t{1} << 32) + 1, in, values, GP_UINT32, firsts, &count));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, call(GP_INT32, SIZE_MAX, in, values, GP_UINT64, firsts, &count));
    EXPECT_EQ(GP_ERROR_ALIGNMENT,
              call(GP_INT32, 1, reinterpret_cast<const char *>(in) + 1, values, GP_UINT64, firsts, &count));
    const auto misaligned = [&](const char *words, void *out, void *first, void *index, void *many, void *number) {
        EXPECT_EQ(GP_ERROR_ALIGNMENT, gp_unique(context(), GP_INT32, 1, in, out, GP_UINT64, first, index, many,
                                                static_cast<uint64_t *>(number), &options));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    const auto odd = [](void *array) { return static_cast<char *>(array) + 1; };
    misaligned("values is", odd(values), firsts, inverse, counts, &count);
    misaligned("firsts is", values, odd(firsts), inverse, counts, &count);
    misaligned("inverse is", values, firsts, odd(inverse), counts, &count);
    misaligned("counts is", values, firsts, inverse, odd(counts), &count);
    misaligned("count is", values, firsts, inverse, nullptr, odd(counts));
    options.n_offset = 1;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, in, values, GP_UINT64, firsts, &count));
    options.n_offset = 0;
    options.sorted = 2;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, in, values, GP_UINT64, firsts, &count));
    options.sorted = 1;
    DeviceArray<uint64_t> sizes(std::vector<uint64_t>{4});
    options.n_buffer = sizes.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, in, values, GP_UINT64, firsts, &count));
    options = GP_UNIQUE_OPTIONS_INIT;
    options.algorithm = "none";
    EXPECT_EQ(GP_ERROR_ALGORITHM, call(GP_INT32, 4, in, values, GP_UINT64, firsts, &count));
    EXPECT_EQ(77u, count);
}

} // namespace
