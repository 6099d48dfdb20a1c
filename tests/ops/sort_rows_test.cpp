// Sorts of rows: each row bit for bit the stable order of NumPy, and nothing between rows touched.
// SPDX-License-Identifier: MIT
#include "rows.h"
#include "stable.h"

#include <cstring>
#include <set>

namespace {

using namespace test;

constexpr Shape kShapes[] = {{0, 3},
                             {1, 1},
                             {1, 300},
                             {2, 33, false, 1},
                             {3, 5, false, 0, 2},
                             {4, 257},
                             {5, 1, false, 0, 3},
                             {7, 97, false, 2},
                             {9, 86, false, 1},
                             {10, 321},
                             {32, 65},
                             {10, 37, true},
                             {33, 3, true},
                             {100, 21, true, 1},
                             {3, 33, true, 2},
                             {127, 9, false, 5},
                             {128, 17},
                             {129, 4, true, 1},
                             {1000, 3},
                             {1000, 5, true, 3},
                             {1021, 2, false, 9, 2},
                             {2048, 2},
                             {4097, 3, false, 1},
                             {5000, 3, true},
                             {16385, 3},
                             {40000, 2, true, 3},
                             {70001, 2, false, 7}};

template <class T> std::vector<T> keys_of(const Shape &shape, bool few) {
    return test::keys_of<T>(shape.span(), shape.n + 7 * shape.batch, few);
}

// Where in the arrays what is at each place comes from.
template <class T> std::vector<size_t> sources(const std::vector<T> &keys, const Shape &shape, bool descending) {
    std::vector<size_t> from(keys.size());
    std::iota(from.begin(), from.end(), size_t(0));
    for (size_t row = 0; row < shape.batch; ++row) {
        std::vector<T> one;
        for (size_t i = 0; i < shape.n; ++i) one.push_back(keys[shape.at(row, i)]);
        const auto order = reference::order(one, descending);
        for (size_t i = 0; i < shape.n; ++i) from[shape.at(row, i)] = shape.at(row, order[i]);
    }
    return from;
}

// What argsort leaves where it began with `before`.
template <class Index>
std::vector<Index> indices_of(const Shape &shape, const std::vector<size_t> &from, const std::vector<Index> &before) {
    std::vector<Index> result(before);
    for (size_t row = 0; row < shape.batch; ++row)
        for (size_t i = 0; i < shape.n; ++i)
            result[shape.at(row, i)] =
                static_cast<Index>((from[shape.at(row, i)] - row * shape.stride()) / shape.next());
    return result;
}

gp_sort_options options_for(const Shape &shape, bool descending, const char *algorithm) {
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.order = descending ? GP_DESCENDING : GP_ASCENDING;
    options.algorithm = algorithm;
    options.batch = shape.batch;
    options.stride = shape.stride();
    options.step = shape.next();
    return options;
}

template <class T> void check(const Shape &shape, bool few, bool descending, size_t value_size, const char *algorithm) {
    SCOPED_TRACE(shape.text() + (descending ? ", descending, " : ", ascending, ") + name(algorithm) + ", values of " +
                 std::to_string(value_size) + " bytes");
    const auto keys = keys_of<T>(shape, few);
    const auto from = sources(keys, shape, descending);
    const auto expected = permuted(keys, from);
    const auto values = random_bytes(keys.size() * value_size);
    const gp_sort_options options = options_for(shape, descending, algorithm);
    { // host memory
        Guarded<T> alone(keys), paired(keys);
        Guarded<uint8_t> moved(values);
        Guarded<uint32_t> indices(std::vector<uint32_t>(keys.size(), 77));
        const gp_status status = gp_sort(context(), dtype<T>(), shape.n, alone.data(), &options);
        if (refused(options, status)) return;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, alone.values()));
        const gp_status paired_status =
            gp_sort_pairs(context(), dtype<T>(), shape.n, paired.data(), value_size, moved.data(), &options);
        if (refused(options, paired_status)) return;
        ASSERT_OK(paired_status);
        ASSERT_TRUE(same_bits(expected, paired.values()));
        ASSERT_TRUE(same_bits(permuted(values, from, value_size), moved.values()));
        ASSERT_OK(gp_argsort(context(), dtype<T>(), shape.n, keys.data(), GP_UINT32, indices.data(), &options));
        ASSERT_TRUE(same_bits(indices_of(shape, from, std::vector<uint32_t>(keys.size(), 77)), indices.values()));
        ASSERT_TRUE(alone.intact() && paired.intact() && moved.intact() && indices.intact())
            << "a canary was overwritten";
    }
    { // buffers
        DeviceArray<T> alone(keys), paired(keys);
        DeviceArray<uint8_t> moved(values, value_size);
        DeviceArray<uint64_t> indices(std::vector<uint64_t>(keys.size(), 77));
        ASSERT_OK(gp_enqueue_argsort(context(), dtype<T>(), shape.n, alone.buffer(), alone.offset(), GP_UINT64,
                                     indices.buffer(), indices.offset(), &options, 0, nullptr, nullptr));
        ASSERT_TRUE(same_bits(keys, alone.values())) << "argsort changed the keys";
        ASSERT_OK(gp_enqueue_sort(context(), dtype<T>(), shape.n, alone.buffer(), alone.offset(), &options, 0, nullptr,
                                  nullptr));
        ASSERT_TRUE(same_bits(expected, alone.values()));
        ASSERT_TRUE(same_bits(indices_of(shape, from, std::vector<uint64_t>(keys.size(), 77)), indices.values()));
        const gp_status status = gp_enqueue_sort_pairs(context(), dtype<T>(), shape.n, paired.buffer(), paired.offset(),
                                                       value_size, moved.buffer(), 1, &options, 0, nullptr, nullptr);
        if (refused(options, status)) return;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, paired.values()));
        ASSERT_TRUE(same_bits(permuted(values, from, value_size), moved.values()));
    }
}

// Algorithms that go launch by launch through row after row get few rows.
bool takes_all_rows(const char *algorithm) {
    static const std::set<std::string> all = {"row-networks", "row-warps", "row-tiles", "row-bins",
                                              "row-sweeps",   "row-items", "host"};
    return algorithm == nullptr || all.count(algorithm) != 0;
}

template <class T> void check_shapes(bool named) {
    size_t turn = 0;
    for (const Shape &shape : kShapes) {
        if (shape.span() > max_n()) continue;
        for (const char *algorithm : algorithms(GP_SORT, named)) {
            if (!takes_all_rows(algorithm) && (shape.batch > 5 || shape.n > 1000)) continue;
            if (algorithm != nullptr && std::string(algorithm) == "odd-even") continue; // n launches a row
            ++turn;
            check<T>(shape, turn % 2 == 0, turn % 3 == 0, value_size_in<T>(turn), algorithm);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

constexpr char kOtherType[] = "neither int32 nor float32: not in the short form";

TEST(SortRows, EveryAlgorithm) { check_shapes<int32_t>(true); }
TEST(SortRows, Floats) { check_shapes<float>(false); }
TEST(SortRows, Doubles) {
    if (is_short()) GTEST_SKIP() << kOtherType;
    check_shapes<double>(false);
}
TEST(SortRows, Bytes) {
    if (is_short()) GTEST_SKIP() << kOtherType;
    check_shapes<int8_t>(false);
}
TEST(SortRows, Shorts) {
    if (is_short()) GTEST_SKIP() << kOtherType;
    check_shapes<uint16_t>(false);
}
TEST(SortRows, LongIntegers) {
    if (is_short()) GTEST_SKIP() << kOtherType;
    check_shapes<uint64_t>(false);
}

// Rows that "host" sorts in one vector and in a few, and across vectors; some at a time and one.
template <class T> void check_short_rows() {
    for (size_t n = 2; n <= 257; n += n < 70 ? 1 : n == 70 ? 57 : n == 129 ? 126 : 1)
        for (const size_t batch : {size_t{3}, size_t{16}, size_t{21}}) {
            for (const size_t gap : {size_t{0}, size_t{3}})
                check<T>({n, batch, false, gap}, n % 5 == 0, (n + batch) % 2 == 0, 4, nullptr);
            if (testing::Test::HasFatalFailure()) return;
        }
}
TEST(SortRows, ShortOnTheHost) {
    if (!on_host()) GTEST_SKIP() << "for the host's vectors";
    check_short_rows<int32_t>();
    check_short_rows<uint32_t>();
    check_short_rows<int64_t>();
    check_short_rows<uint64_t>();
    check_short_rows<float>();
    check_short_rows<double>();
}

TEST(SortRows, OnLentMemory) {
    for (const Shape &shape : kShapes) {
        if (shape.span() > max_n() || shape.n == 0) continue;
        SCOPED_TRACE(shape.text());
        const auto keys = keys_of<int32_t>(shape, true);
        check_on_lent_memory(options_for(shape, false, nullptr), shape.n, keys,
                             permuted(keys, sources(keys, shape, false)));
        if (HasFatalFailure()) return;
    }
}

// Bits of keys, in rows as in one array.
TEST(SortRows, RangesOfBits) {
    for (const Shape &shape : {Shape{10, 30}, Shape{300, 5}, Shape{5000, 2}}) {
        if (shape.span() > max_n()) continue;
        const auto keys = keys_of<uint32_t>(shape, false);
        gp_sort_options options = options_for(shape, false, nullptr);
        options.begin_bit = 3;
        options.end_bit = 9;
        Guarded<uint32_t> array(keys);
        ASSERT_OK(gp_sort(context(), GP_UINT32, shape.n, array.data(), &options));
        for (size_t row = 0; row < shape.batch; ++row) {
            const auto first = keys.begin() + static_cast<std::ptrdiff_t>(row * shape.n);
            const std::vector<uint32_t> one(first, first + static_cast<std::ptrdiff_t>(shape.n));
            const auto order = reference::order(one, false, 3, 9);
            for (size_t i = 0; i < shape.n; ++i)
                ASSERT_EQ(one[order[i]], array[row * shape.n + i]) << shape.text() << ", row " << row << ", key " << i;
        }
    }
}

// A few rows of which nothing is given but how many there are.
TEST(SortRows, Defaults) {
    std::vector<int32_t> keys = {3, 1, 2, 9, 7, 8};
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.batch = 2;
    ASSERT_OK(gp_sort(context(), GP_INT32, 3, keys.data(), &options));
    EXPECT_EQ((std::vector<int32_t>{1, 2, 3, 7, 8, 9}), keys);
    options.step = 2; // rows of 1, 3 and 7, 9 with something between
    keys = {3, 5, 1, 6, 9, 5, 7, 6};
    ASSERT_OK(gp_sort(context(), GP_INT32, 2, keys.data(), &options));
    EXPECT_EQ((std::vector<int32_t>{1, 5, 3, 6, 7, 5, 9, 6}), keys);
}

TEST(SortRows, WrongArguments) {
    std::vector<int32_t> keys(10);
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.batch = 3;
    options.stride = 2; // rows of 3
    EXPECT_EQ(GP_ERROR_BATCH_STRIDE, gp_sort(context(), GP_INT32, 3, keys.data(), &options));
    options.stride = SIZE_MAX / 2;
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, gp_sort(context(), GP_INT32, 3, keys.data(), &options));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "a batch of 3 rows with a stride of 9223372036854775807"))
        << gp_error_message();
    options.stride = 4;
    options.step = SIZE_MAX;
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, gp_sort(context(), GP_INT32, 3, keys.data(), &options));
    options.step = 0;
    DeviceArray<int32_t> array(keys, 0);
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS,
              gp_enqueue_sort(context(), GP_INT32, 3, array.buffer(), 0, &options, 0, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_sort_pairs(context(), GP_INT32, 1, keys.data(), 4, keys.data() + 8, &options));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_argsort(context(), GP_INT32, 1, keys.data(), GP_UINT32, keys.data() + 8, &options));
}

} // namespace
