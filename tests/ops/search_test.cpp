// Search in sorted arrays, of every type, against what makes a position right.
// SPDX-License-Identifier: MIT
#include "rows.h"

#include "../reference/search.h"

namespace {

using namespace test;

template <class T> class Search : public testing::Test {};
TYPED_TEST_SUITE(Search, EveryType, EveryTypeNames);

// How far elements lie apart, and what is among them.
enum class Kind { random, few, equal, zeros, nan };
constexpr Kind kKinds[] = {Kind::random, Kind::few, Kind::equal, Kind::zeros, Kind::nan};

template <class T> std::vector<T> elements(Kind kind, size_t n, std::mt19937_64 &random) {
    std::vector<T> values(n);
    for (T &value : values) {
        const uint64_t bits = random();
        switch (kind) {
        case Kind::random:
            value = kFloat<T> ? number<T>(static_cast<int>(bits % 20011) - 10000) : from_bits<T>(bits);
            break;
        case Kind::few: value = number<T>(static_cast<int>(bits % 5)); break;
        case Kind::equal: value = number<T>(7); break;
        case Kind::zeros: value = kFloat<T> ? from_bits<T>(bits % 3 == 0 ? kSign<T> : 0) : number<T>(0); break;
        case Kind::nan: // any bits: numbers, infinities and NaN of both signs
            value = from_bits<T>(
                kFloat<T> && bits % 4 == 0 ? kInfinity<T> | (bits >> 40 & 3) | (bits >> 3 & 1) * kSign<T> : bits);
            break;
        }
    }
    return values;
}

template <class T> void sort(std::vector<T> &values, bool descending) {
    std::stable_sort(values.begin(), values.end(),
                     [=](const T &a, const T &b) { return reference::comes_before(a, b, descending); });
}

gp_search_options options_for(bool right, bool descending) {
    gp_search_options options = GP_SEARCH_OPTIONS_INIT;
    options.side = right ? GP_RIGHT : GP_LEFT;
    options.order = descending ? GP_DESCENDING : GP_ASCENDING;
    return options;
}

template <class T, class Index> void expect_positions(const std::vector<T> &sorted, const std::vector<T> &values,
                                                      const std::vector<Index> &positions, bool right,
                                                      bool descending) {
    for (size_t i = 0; i < values.size(); ++i)
        ASSERT_TRUE(reference::is_position(sorted, values[i], positions[i], right, descending))
            << "value " << i << " of " << values.size() << " in " << sorted.size() << ": " << positions[i];
}

template <class T, class Index>
void check(const std::vector<T> &sorted, const std::vector<T> &values, bool right, bool descending, bool named) {
    gp_search_options options = options_for(right, descending);
    for (const char *algorithm : algorithms(GP_SEARCH, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(std::to_string(values.size()) + " values in " + std::to_string(sorted.size()) +
                     (right ? ", right" : ", left") + (descending ? ", descending, " : ", ") + name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> in(sorted), asked(values);
        Guarded<Index> out(std::vector<Index>(values.size(), Index{77}));
        const gp_status status = gp_search(context(), code<T>(), sorted.size(), in.data(), values.size(), asked.data(),
                                           dtype<Index>(), out.data(), &options);
        if (refused(GP_SEARCH, algorithm, status)) continue;
        ASSERT_OK(status);
        expect_positions(sorted, values, out.values(), right, descending);
        ASSERT_TRUE(in.intact() && asked.intact() && out.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(sorted, in.values()) && same_bits(values, asked.values())) << "an input was changed";
    }
}

constexpr std::pair<size_t, size_t> kSizes[] = {
    {0, 5},       {1, 1},       {2, 3},       {3, 1},        {33, 40},      {255, 257},       {1, 300},
    {1009, 33},   {1024, 1025}, {4097, 4095}, {5003, 0},     {65537, 1009}, {300, 70'001},    {1'048'577, 2048},
    {16, 16'384}, {40'961, 1},  {100, 9'000}, {16'384, 100}, {4096, 2049},  {262'139, 50'021}};

TYPED_TEST(Search, EveryKindOfElementsAtEverySize) {
    using T = TypeParam;
    for (const auto &[n, m] : kSizes) {
        if (n + m > max_n() || (n + m > 5000 && !is_named<T>())) continue;
        for (const Kind kind : kKinds) {
            if (n + m > 20'000 && kind != Kind::random && kind != Kind::nan) continue;
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
            std::mt19937_64 random(n * 8 + m + static_cast<size_t>(kind));
            for (const bool descending : {false, true}) {
                auto sorted = elements<T>(kind, n, random), values = elements<T>(kind, m, random);
                sort(sorted, descending);
                for (const bool ordered : {false, true}) {
                    if (ordered) sort(values, descending);
                    check<T, uint64_t>(sorted, values, ordered == descending, descending, is_named<T>());
                    if (n + m < 5000) check<T, uint32_t>(sorted, values, ordered != descending, descending, false);
                    if (this->HasFatalFailure()) return;
                }
            }
        }
    }
}

// Values that are sorted but for one, in each place of a tile.
TYPED_TEST(Search, OneValueOutOfOrder) {
    using T = TypeParam;
    if (!is_named<T>()) GTEST_SKIP() << "as other types do";
    std::mt19937_64 random(3);
    auto sorted = elements<T>(Kind::random, std::min<size_t>(max_n(), 3000) / 2, random);
    sort(sorted, false);
    for (const size_t m : {2u, 17u, 256u, 2048u, 2999u, 70'001u}) { // the last: several tiles a work-group
        if (m > max_n()) continue;
        for (const size_t at : {size_t{0}, m / 2, m - 1}) {
            auto values = elements<T>(Kind::random, m, random);
            sort(values, false);
            std::swap(values[at], values[m - 1 - at]);
            check<T, uint64_t>(sorted, values, false, false, true);
            if (this->HasFatalFailure()) return;
        }
    }
}

// An array that is not sorted: some positions in 0 .. n, and no element beside it is read, which
// Oclgrind and the address sanitizer tell.
TYPED_TEST(Search, UnsortedArraysGiveSomePositions) {
    using T = TypeParam;
    for (const auto &[n, m] : {std::pair<size_t, size_t>{1, 7}, {33, 100}, {700, 1000}, {5000, 3000}}) {
        if (n + m > max_n()) continue;
        std::mt19937_64 random(n);
        const auto in = elements<T>(Kind::nan, n, random);
        for (const bool ordered : {false, true}) {
            auto values = elements<T>(Kind::nan, m, random);
            if (ordered) sort(values, false);
            gp_search_options options = options_for(n % 2 == 0, false);
            for (const char *algorithm : algorithms(GP_SEARCH, is_named<T>())) {
                options.algorithm = algorithm;
                Guarded<T> exact(in);
                Guarded<uint64_t> out(std::vector<uint64_t>(m, ~uint64_t{0}));
                const gp_status status =
                    gp_search(context(), code<T>(), n, exact.data(), m, values.data(), GP_UINT64, out.data(), &options);
                if (refused(GP_SEARCH, algorithm, status)) continue;
                ASSERT_OK(status);
                for (const uint64_t position : out.values()) ASSERT_LE(position, n) << name(algorithm);
                ASSERT_TRUE(out.intact());
            }
        }
    }
}

TYPED_TEST(Search, BuffersAtOddOffsets) {
    using T = TypeParam;
    std::mt19937_64 random(11);
    for (const auto &[n, m] : {std::pair<size_t, size_t>{0, 4}, {33, 7}, {50, 60}}) {
        auto sorted = elements<T>(Kind::nan, n, random);
        const auto values = elements<T>(Kind::nan, m, random);
        sort(sorted, true);
        const gp_search_options options = options_for(true, true);
        DeviceArray<T> in(sorted, 3), asked(values, 1);
        DeviceArray<uint32_t> out(std::vector<uint32_t>(m), 5);
        ASSERT_OK(gp_enqueue_search(context(), code<T>(), n, in.buffer(), in.offset(), m, asked.buffer(),
                                    asked.offset(), GP_UINT32, out.buffer(), out.offset(), &options, 0, nullptr,
                                    nullptr));
        ASSERT_OK(gp_finish(context()));
        expect_positions(sorted, values, out.values(), true, true);
    }
}

class SearchArguments : public testing::Test {
  protected:
    gp_status call(gp_dtype type, size_t n, gp_dtype index) {
        return gp_search(context(), type, n, sorted_.data(), 3, values_.data(), index, positions_.data(), &options_);
    }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<uint64_t>(3, 9), positions_);
    }
    std::vector<int32_t> sorted_ = {1, 2, 2, 3}, values_ = {2, 0, 9};
    std::vector<uint64_t> positions_ = std::vector<uint64_t>(3, 9);
    gp_search_options options_ = GP_SEARCH_OPTIONS_INIT;
};

TEST_F(SearchArguments, Errors) {
    refuses(GP_ERROR_DTYPE, call(99, 4, GP_UINT64), "dtype");
    refuses(GP_ERROR_DTYPE, call(GP_INT32, 4, GP_INT64), "index");
    refuses(GP_ERROR_TOO_LARGE, call(GP_INT8, size_t{1} << 32, GP_UINT32), "2^32 - 1");
    refuses(GP_ERROR_SIZE_OVERFLOW, call(GP_INT32, ~size_t{0}, GP_UINT64), "n elements");
    options_.side = 2;
    refuses(GP_ERROR_OPTION, call(GP_INT32, 4, GP_UINT64), "options->side is");
    options_ = GP_SEARCH_OPTIONS_INIT;
    options_.order = -1;
    refuses(GP_ERROR_OPTION, call(GP_INT32, 4, GP_UINT64), "options->order is");
    options_ = GP_SEARCH_OPTIONS_INIT;
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, call(GP_INT32, 4, GP_UINT64), "there are");
    options_ = GP_SEARCH_OPTIONS_INIT;
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, call(GP_INT32, 4, GP_UINT64), "struct_size");
    DeviceArray<uint64_t> number({4});
    options_ = GP_SEARCH_OPTIONS_INIT;
    options_.n_buffer = number.buffer();
    refuses(GP_ERROR_OPTION, call(GP_INT32, 4, GP_UINT64), "options->n_buffer is for the calls on buffers");
    const auto with = [&](const void *sorted, const void *values, void *positions) {
        return gp_search(context(), GP_INT32, 4, sorted, 3, values, GP_UINT64, positions, nullptr);
    };
    refuses(GP_ERROR_NULL_POINTER, with(nullptr, values_.data(), positions_.data()), "sorted");
    refuses(GP_ERROR_NULL_POINTER, with(sorted_.data(), nullptr, positions_.data()), "values");
    refuses(GP_ERROR_NULL_POINTER, with(sorted_.data(), values_.data(), nullptr), "positions");
    const auto *odd = reinterpret_cast<const char *>(sorted_.data()) + 1;
    refuses(GP_ERROR_ALIGNMENT, with(odd, values_.data(), positions_.data()), "sorted");
    refuses(GP_ERROR_OVERLAP, with(sorted_.data(), positions_.data(), positions_.data()), "values");
    refuses(GP_ERROR_OVERLAP, with(positions_.data(), values_.data(), positions_.data()), "sorted");
    refuses(GP_ERROR_NULL_POINTER,
            gp_search(nullptr, GP_INT32, 4, sorted_.data(), 3, values_.data(), GP_UINT64, positions_.data(), nullptr),
            "context");
}

TEST_F(SearchArguments, NothingIsTakenOfNoElements) {
    EXPECT_OK(gp_search(context(), GP_INT32, 4, sorted_.data(), 0, nullptr, GP_UINT64, nullptr, nullptr));
    EXPECT_EQ(std::vector<uint64_t>(3, 9), positions_);
    EXPECT_OK(gp_search(context(), GP_INT32, 0, nullptr, 3, values_.data(), GP_UINT64, positions_.data(), nullptr));
    EXPECT_EQ(std::vector<uint64_t>(3, 0), positions_);
}

// An array may be searched for its own elements.
TEST_F(SearchArguments, ValuesMayBeTheArray) {
    std::vector<uint32_t> positions(4);
    EXPECT_OK(
        gp_search(context(), GP_INT32, 4, sorted_.data(), 4, sorted_.data(), GP_UINT32, positions.data(), nullptr));
    EXPECT_EQ((std::vector<uint32_t>{0, 1, 1, 3}), positions);
}

TEST_F(SearchArguments, ErrorsOfBuffers) {
    DeviceArray<int32_t> in({1, 2, 2, 3}), values({2, 0});
    DeviceArray<uint64_t> out({9, 9});
    const auto enqueue = [&](size_t in_offset, size_t values_offset, size_t out_offset) {
        return gp_enqueue_search(context(), GP_INT32, 4, in.buffer(), in_offset, 2, values.buffer(), values_offset,
                                 GP_UINT64, out.buffer(), out_offset, nullptr, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(7, 3, 3));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(3, 7, 3));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(3, 3, 7));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_search(context(), GP_INT32, 4, in.buffer(), 0, 2, values.buffer(), 0,
                                                  GP_UINT32, in.buffer(), 3, nullptr, 0, nullptr, nullptr));
    gp_context *other = nullptr;
    gp_buffer *foreign = nullptr;
    ASSERT_OK(gp_open(device().selector, &other));
    ASSERT_OK(gp_buffer_create(other, 64, &foreign));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, gp_enqueue_search(context(), GP_INT32, 4, foreign, 0, 2, values.buffer(), 3,
                                                        GP_UINT64, out.buffer(), 3, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_buffer_free(foreign));
    EXPECT_OK(gp_close(other));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ((std::vector<uint64_t>{9, 9}), out.values());
}

TEST_F(SearchArguments, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    gp_event *event = nullptr;
    options_.event = &event;
    ASSERT_OK(call(GP_INT32, 4, GP_UINT64));
    ASSERT_OK(gp_profile(context(), 0));
    EXPECT_EQ((std::vector<uint64_t>{1, 0, 4}), positions_);
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_OK(gp_event_timing(event, &timing));
    EXPECT_GE(timing.commands, 1u);
    EXPECT_OK(gp_event_free(event));
}

} // namespace
