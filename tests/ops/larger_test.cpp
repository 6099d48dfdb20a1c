// Calls on host pointers whose arrays are larger than what the context may take of the device:
// results against naive ones, at random sizes and bounds, so that pieces and runs end anywhere.
// That the bound holds, tests/faults/bound_test.cpp sees.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/sort.h"

#include <numeric>
#include <random>
#include <thread>

namespace {

using namespace test;

constexpr size_t kKiB = 1024;

// A context that may take so many bytes of the device under test.
class Bounded {
  public:
    explicit Bounded(size_t bytes) {
        gp_open_options options = GP_OPEN_OPTIONS_INIT;
        options.memory_bytes = bytes;
        EXPECT_OK(gp_open_with(nullptr, &options, &context_));
    }
    Bounded(const Bounded &) = delete;
    Bounded &operator=(const Bounded &) = delete;
    ~Bounded() { gp_close(context_); }
    operator gp_context *() const { return context_; }

  private:
    gp_context *context_ = nullptr;
};

class Larger : public testing::Test {
  protected:
    void SetUp() override {
        if (on_host()) GTEST_SKIP() << "the host has the memory of the process";
        if (max_n() < 1000000) GTEST_SKIP() << "too few elements to pass a bound";
    }
    size_t up_to(size_t most) { return std::min(most, max_n()); }
    // Around so many times as many elements of so many bytes as the bound holds.
    size_t times(double factor, size_t bytes) {
        const auto n = static_cast<size_t>(factor * static_cast<double>(bound_) / static_cast<double>(bytes));
        return n + random_() % 1000;
    }
    template <class T> std::vector<T> random(size_t n, uint64_t kinds = 0) {
        std::vector<T> values(n);
        for (T &x : values) x = static_cast<T>(kinds == 0 ? random_() : random_() % kinds);
        return values;
    }

    std::mt19937_64 random_{testing::UnitTest::GetInstance()->random_seed() + 7u};
    size_t bound_ = 512 * kKiB + random_() % (256 * kKiB);
};

template <class T> std::vector<T> permuted(const std::vector<T> &values, const std::vector<size_t> &order) {
    std::vector<T> result;
    for (const size_t i : order) result.push_back(values[i]);
    return result;
}

// ---- Sorts

template <class T> class LargerSorts : public Larger {
  protected:
    // Keys that are split unevenly by any digit, too.
    std::vector<std::vector<T>> keys_of(size_t n) {
        std::vector<std::vector<T>> all = {random<T>(n), random<T>(n, 3), std::vector<T>(n, static_cast<T>(5))};
        all.push_back(random<T>(n, 100));
        std::sort(all.back().begin(), all.back().end());
        all.push_back(std::vector<T>(n, static_cast<T>(1)));
        all.back()[n / 2] = 0;
        all.back()[n - 1] = 2;
        if constexpr (std::is_floating_point_v<T>) {
            all.push_back(random<T>(n, 5));
            for (size_t i = 0; i < n; i += 3) all.back()[i] = -0.0f;
            for (size_t i = 1; i < n; i += 7) all.back()[i] = std::numeric_limits<T>::quiet_NaN();
            for (size_t i = 2; i < n; i += 5) all.back()[i] = -std::numeric_limits<T>::infinity();
        }
        return all;
    }
};
using SortTypes = testing::Types<int32_t, float, uint64_t, int8_t>;
TYPED_TEST_SUITE(LargerSorts, SortTypes);

TYPED_TEST(LargerSorts, Keys) {
    const Bounded context(this->bound_);
    const size_t n = this->up_to(this->times(3, sizeof(TypeParam)));
    for (const auto &keys : this->keys_of(n))
        for (const bool descending : {false, true}) {
            gp_sort_options options = GP_SORT_OPTIONS_INIT;
            options.order = descending ? GP_DESCENDING : GP_ASCENDING;
            Guarded<TypeParam> sorted(keys);
            ASSERT_OK(gp_sort(context, dtype<TypeParam>(), n, sorted.data(), &options));
            ASSERT_TRUE(same_bits(permuted(keys, reference::order(keys, descending)), sorted.values()));
            ASSERT_TRUE(sorted.intact());
        }
}

TYPED_TEST(LargerSorts, ByRangesOfBits) {
    const Bounded context(this->bound_);
    const size_t n = this->up_to(this->times(2, sizeof(TypeParam)));
    const unsigned bits = 8 * sizeof(TypeParam);
    for (const auto &[begin, end] : {std::pair{3u, bits}, {0u, 5u}, {bits / 2, bits / 2 + 3}}) {
        const auto keys = this->template random<TypeParam>(n);
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.begin_bit = begin;
        options.end_bit = end;
        auto sorted = keys;
        ASSERT_OK(gp_sort(context, dtype<TypeParam>(), n, sorted.data(), &options));
        ASSERT_TRUE(same_bits(permuted(keys, reference::order(keys, false, begin, end)), sorted));
    }
}

TYPED_TEST(LargerSorts, PairsAndIndices) {
    const Bounded context(this->bound_);
    const size_t n = this->up_to(this->times(2, sizeof(TypeParam)));
    for (const auto &keys : this->keys_of(n)) {
        const auto order = reference::order(keys, true);
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.order = GP_DESCENDING;
        for (const size_t size : {1, 4, 12}) {
            std::vector<uint8_t> values = this->template random<uint8_t>(n * size), expected;
            for (const size_t i : order)
                expected.insert(expected.end(), values.begin() + static_cast<std::ptrdiff_t>(i * size),
                                values.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
            auto sorted = keys;
            ASSERT_OK(gp_sort_pairs(context, dtype<TypeParam>(), n, sorted.data(), size, values.data(), &options));
            ASSERT_TRUE(same_bits(permuted(keys, order), sorted));
            ASSERT_EQ(expected, values);
        }
        std::vector<uint32_t> narrow(n);
        std::vector<uint64_t> wide(n);
        const auto before = keys;
        ASSERT_OK(gp_argsort(context, dtype<TypeParam>(), n, keys.data(), GP_UINT32, narrow.data(), &options));
        ASSERT_OK(gp_argsort(context, dtype<TypeParam>(), n, keys.data(), GP_UINT64, wide.data(), &options));
        ASSERT_TRUE(same_bits(before, keys)) << "argsort only reads its keys";
        for (size_t i = 0; i < n; ++i) {
            ASSERT_EQ(order[i], narrow[i]);
            ASSERT_EQ(order[i], wide[i]);
        }
    }
}

class SortsOfAnySize : public Larger {};

// Each n has its own borders.
TEST_F(SortsOfAnySize, AroundTheBound) {
    for (const size_t bound : {300 * kKiB, 300 * kKiB + 1, 777777 * size_t{1}}) {
        const Bounded context(bound);
        for (int i = 0; i < 12; ++i) {
            const size_t n = up_to(bound / sizeof(int32_t) / 8 + random_() % (bound / sizeof(int32_t)));
            auto keys = random<int32_t>(n, i % 2 == 0 ? 0 : 50);
            auto expected = keys;
            std::sort(expected.begin(), expected.end());
            ASSERT_OK(gp_sort(context, GP_INT32, n, keys.data(), nullptr)) << "n = " << n << ", bound " << bound;
            ASSERT_EQ(expected, keys) << "n = " << n << ", bound " << bound;
        }
    }
}

TEST_F(SortsOfAnySize, RowsThatFitAndRowsThatDoNot) {
    const Bounded context(bound_);
    for (const size_t n : {size_t{1001}, up_to(times(1.5, sizeof(int32_t)))})
        for (const size_t gap : {0, 3}) {
            const size_t batch = n > 1001 ? 3 : 1000, stride = n + gap;
            const auto keys = random<int32_t>(batch * stride);
            auto expected = keys;
            for (size_t row = 0; row < batch; ++row) {
                const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(row * stride);
                std::sort(begin, begin + static_cast<std::ptrdiff_t>(n));
            }
            gp_sort_options options = GP_SORT_OPTIONS_INIT;
            options.batch = batch;
            options.stride = stride;
            auto sorted = keys;
            ASSERT_OK(gp_sort(context, GP_INT32, n, sorted.data(), &options));
            ASSERT_EQ(expected, sorted);
        }
}

// ---- Streams

class Streams : public Larger {};

TEST_F(Streams, Scans) {
    const Bounded context(bound_);
    for (const double factor : {0.2, 0.5, 1.0, 4.0})
        for (const gp_direction direction : {GP_FORWARD, GP_REVERSE})
            for (const bool in_place : {false, true}) {
                const size_t n = up_to(times(factor, sizeof(int32_t)));
                const auto in = random<int32_t>(n);
                std::vector<int32_t> expected(n);
                const int32_t initial = 5;
                uint32_t sum = 5;
                for (size_t k = 0; k < n; ++k) {
                    const size_t i = direction == GP_REVERSE ? n - 1 - k : k;
                    expected[i] = static_cast<int32_t>(sum += static_cast<uint32_t>(in[i]));
                }
                gp_scan_options options = GP_SCAN_OPTIONS_INIT;
                options.direction = direction;
                options.initial = &initial;
                Guarded<int32_t> source(in), target(n);
                Guarded<int32_t> &out = in_place ? source : target;
                ASSERT_OK(gp_scan(context, GP_INT32, n, source.data(), out.data(), &options));
                ASSERT_TRUE(same_bits(expected, out.values()));
                ASSERT_TRUE(source.intact() && target.intact());
            }
}

TEST_F(Streams, ScansOfManyRows) {
    const Bounded context(bound_);
    const size_t n = 7, batch = up_to(times(3, sizeof(int32_t))) / n;
    const auto in = random<int32_t>(n * batch, 1000);
    auto expected = in;
    for (size_t i = 0; i < n * batch; ++i)
        if (i % n != 0) expected[i] += expected[i - 1];
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.batch = batch;
    std::vector<int32_t> out(n * batch);
    ASSERT_OK(gp_scan(context, GP_INT32, n, in.data(), out.data(), &options));
    ASSERT_EQ(expected, out);
}

TEST_F(Streams, ReductionsHistogramsAndRecurrences) {
    const Bounded context(bound_);
    for (const double factor : {0.5, 1.0, 5.0}) {
        const size_t n = up_to(times(factor, sizeof(uint32_t)));
        const auto in = random<uint32_t>(n, 100);
        uint32_t sum = 0;
        ASSERT_OK(gp_reduce(context, GP_UINT32, n, in.data(), &sum, nullptr));
        EXPECT_EQ(std::accumulate(in.begin(), in.end(), uint32_t(0)), sum);
        std::vector<uint64_t> counts(100), expected(100);
        for (const uint32_t x : in) ++expected[x];
        ASSERT_OK(gp_histogram(context, GP_UINT32, n, in.data(), counts.size(), counts.data(), nullptr));
        EXPECT_EQ(expected, counts);
        const std::vector<float> x(n, 1), c = {-1, -1, -1};
        std::vector<float> y(n);
        ASSERT_OK(gp_recurrence(context, GP_FLOAT32, n, x.data(), y.data(), c.size(), c.data(), nullptr));
        for (size_t t = 0; t < n; ++t) ASSERT_EQ(t % 4 == 0 ? 1.0f : 0.0f, y[t]);
    }
}

// ---- Products

class Products : public Larger {};

TEST_F(Products, EveryLayout) {
    struct Size {
        size_t m, n, k;
    };
    const Bounded context(bound_);
    const size_t side = 300 + random_() % 50; // each matrix is more than half of the bound
    for (const Size &size : {Size{side, side, side}, Size{33, 700, 1111}, Size{1500, 31, 257}, Size{700, 900, 17},
                             Size{1, 999, 777}, Size{777, 1, 999}})
        for (const gp_layout layout : {GP_ROW_MAJOR, GP_COLUMN_MAJOR})
            for (const gp_transpose transpose_a : {GP_NO_TRANSPOSE, GP_TRANSPOSE})
                for (const gp_transpose transpose_b : {GP_NO_TRANSPOSE, GP_TRANSPOSE}) {
                    const auto [m, n, k] = size;
                    if (m * n * k > size_t{100} * max_n()) continue;
                    const bool beta = random_() % 2 == 0, rows = layout == GP_ROW_MAJOR;
                    // Small whole numbers, whose sums are exact.
                    const auto a = random<float>(m * k, 10), b = random<float>(k * n, 10);
                    const size_t ldc = (rows ? n : m) + random_() % 3, lines = rows ? m : n;
                    auto c = random<float>(ldc * lines, 10);
                    auto expected = c;
                    const bool a_rows = rows == (transpose_a == GP_NO_TRANSPOSE);
                    const bool b_rows = rows == (transpose_b == GP_NO_TRANSPOSE);
                    std::vector<float> sums(n);
                    for (size_t i = 0; i < m; ++i) {
                        std::fill(sums.begin(), sums.end(), 0.0f);
                        for (size_t x = 0; x < k; ++x) {
                            const float from_a = a[a_rows ? i * k + x : x * m + i];
                            for (size_t j = 0; j < n; ++j) sums[j] += from_a * b[b_rows ? x * n + j : j * k + x];
                        }
                        for (size_t j = 0; j < n; ++j) {
                            float &to = expected[rows ? i * ldc + j : j * ldc + i];
                            to = sums[j] + (beta ? 2 * to : 0);
                        }
                    }
                    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
                    options.layout = layout;
                    options.transpose_a = transpose_a;
                    options.transpose_b = transpose_b;
                    const float two = 2;
                    if (beta) options.beta = &two;
                    ASSERT_OK(gp_matmul(context, GP_FLOAT32, m, n, k, a.data(), a_rows ? k : m, b.data(),
                                        b_rows ? n : k, c.data(), ldc, &options));
                    ASSERT_TRUE(same_bits(expected, c)) << m << " x " << n << " x " << k;
                }
}

// B is not cut along its sums there.
TEST_F(Products, OtherSemiringsAndBiases) {
    const Bounded context(bound_);
    const size_t m = 311, n = 402, k = 350;
    if (m * n * k > size_t{100} * max_n()) GTEST_SKIP() << "too slow here";
    const auto a = random<int32_t>(m * k, 1000), b = random<int32_t>(k * n, 1000), bias = random<int32_t>(n, 50);
    for (const gp_semiring semiring : {GP_PLUS_TIMES, GP_MIN_PLUS}) {
        std::vector<int32_t> c(m * n), expected(m * n);
        for (size_t i = 0; i < m; ++i)
            for (size_t j = 0; j < n; ++j) {
                int64_t sum = semiring == GP_MIN_PLUS ? INT32_MAX : 0;
                for (size_t x = 0; x < k; ++x) {
                    const int64_t one = a[i * k + x], other = b[x * n + j];
                    sum = semiring == GP_MIN_PLUS ? std::min(sum, one + other) : sum + one * other;
                }
                expected[i * n + j] = static_cast<int32_t>(sum + bias[j]);
            }
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.semiring = semiring;
        options.bias = bias.data();
        ASSERT_OK(gp_matmul(context, GP_INT32, m, n, k, a.data(), k, b.data(), n, c.data(), n, &options));
        ASSERT_TRUE(same_bits(expected, c));
    }
}

TEST_F(Products, Batches) {
    const Bounded context(bound_);
    for (const size_t n : {17, 260}) { // many fit; one does not
        const size_t batch = n == 17 ? 1000 : 2;
        if (batch * n * n * n > size_t{100} * max_n()) continue;
        const auto a = random<int32_t>(batch * n * n, 100), b = random<int32_t>(n * n, 100); // one B for all
        const auto bias = random<int32_t>(batch * n, 100);
        std::vector<int32_t> c(batch * n * n), expected(batch * n * n);
        for (size_t g = 0; g < batch; ++g)
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j < n; ++j) {
                    int32_t sum = bias[g * n + j];
                    for (size_t k = 0; k < n; ++k) sum += a[(g * n + i) * n + k] * b[k * n + j];
                    expected[(g * n + i) * n + j] = sum;
                }
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.batch = batch;
        options.stride_a = options.stride_c = n * n;
        options.stride_b = 0;
        options.bias = bias.data();
        options.stride_bias = n;
        ASSERT_OK(gp_matmul(context, GP_INT32, n, n, n, a.data(), n, b.data(), n, c.data(), n, &options));
        ASSERT_TRUE(same_bits(expected, c)) << n;
    }
}

// ---- One part after the other

class Parts : public Larger {};

TEST_F(Parts, TransformsKnowTheirPlaces) {
    const Bounded context(bound_);
    const size_t n = up_to(times(3, sizeof(int32_t)));
    const auto x = random<int32_t>(n, 1000);
    const int32_t one = 7;
    const std::array<gp_dtype, 2> types = {GP_INT32, GP_INT32};
    gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
    options.broadcast = 2;
    for (const bool in_place : {false, true}) {
        Guarded<int32_t> in(x), out(n);
        Guarded<int32_t> &to = in_place ? in : out;
        const std::array<const void *, 2> arrays = {in.data(), &one};
        ASSERT_OK(gp_transform(context, n, 2, types.data(), arrays.data(), GP_INT32, to.data(), "x0 * 2 + x1 + (int)i",
                               &options));
        const auto values = to.values();
        for (size_t i = 0; i < n; ++i) ASSERT_EQ(x[i] * 2 + 7 + static_cast<int32_t>(i), values[i]);
        ASSERT_TRUE(in.intact() && out.intact());
    }
}

TEST_F(Parts, Selections) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(int32_t)));
    const auto in = random<int32_t>(n), values = random<int32_t>(n);
    for (const uint64_t kinds : {1, 2, 3, 1000}) {
        std::vector<uint8_t> flags = random<uint8_t>(n, kinds);
        std::vector<int32_t> kept, kept_values;
        std::vector<uint64_t> places;
        for (size_t i = 0; i < n; ++i) {
            if (flags[i] == 0) continue;
            kept.push_back(in[i]);
            kept_values.push_back(values[i]);
            places.push_back(i);
        }
        for (const size_t capacity : {size_t{0}, std::max<size_t>(kept.size() / 2, 1)}) {
            gp_select_options options = GP_SELECT_OPTIONS_INIT;
            options.capacity = capacity;
            const size_t written = std::min(kept.size(), capacity == 0 ? n : capacity);
            std::vector<int32_t> expected(n, -1), expected_values(n, -1), out(n, -1), out_values(n, -1);
            std::copy_n(kept.begin(), written, expected.begin());
            std::copy_n(kept_values.begin(), written, expected_values.begin());
            uint64_t count = 0;
            ASSERT_OK(gp_select_pairs(context, sizeof(int32_t), n, in.data(), flags.data(), out.data(), sizeof(int32_t),
                                      values.data(), out_values.data(), &count, &options));
            EXPECT_EQ(kept.size(), count);
            ASSERT_EQ(expected, out);
            ASSERT_EQ(expected_values, out_values);
        }
        std::vector<uint64_t> positions(n);
        uint64_t count = 0;
        ASSERT_OK(gp_nonzero(context, GP_UINT8, n, flags.data(), GP_UINT64, positions.data(), &count, nullptr));
        ASSERT_EQ(places.size(), count);
        positions.resize(count);
        ASSERT_EQ(places, positions);
    }
}

TEST_F(Parts, MergesOfPairs) {
    const Bounded context(bound_);
    const size_t n = up_to(times(1, sizeof(int32_t)));
    for (const auto &[n_a, n_b] : {std::pair{n, n / 3}, {n / 7, n}, {n, size_t{0}}, {size_t{1}, n}, {n, n}})
        for (const uint64_t kinds : {1, 3, 1000000}) {
            auto a = random<int32_t>(n_a, kinds), b = random<int32_t>(n_b, kinds);
            std::sort(a.begin(), a.end());
            std::sort(b.begin(), b.end());
            std::vector<uint16_t> a_values(n_a), b_values(n_b), out_values(n_a + n_b), expected_values(n_a + n_b);
            for (size_t i = 0; i < n_a; ++i) a_values[i] = static_cast<uint16_t>(i);
            for (size_t i = 0; i < n_b; ++i) b_values[i] = static_cast<uint16_t>(i * 5 + 1);
            std::vector<int32_t> out(n_a + n_b), expected(n_a + n_b);
            for (size_t i = 0, j = 0; i + j < n_a + n_b;) {
                const size_t k = i + j;
                const bool from_a = j == n_b || (i < n_a && a[i] <= b[j]);
                expected[k] = from_a ? a[i] : b[j];
                expected_values[k] = from_a ? a_values[i++] : b_values[j++];
            }
            ASSERT_OK(gp_merge_pairs(context, GP_INT32, n_a, a.data(), n_b, b.data(), out.data(), sizeof(uint16_t),
                                     a_values.data(), b_values.data(), out_values.data(), nullptr));
            ASSERT_EQ(expected, out);
            ASSERT_EQ(expected_values, out_values);
        }
}

TEST_F(Parts, Searches) {
    const Bounded context(bound_);
    const size_t many = up_to(times(2, sizeof(int32_t)));
    for (const auto &[n, m] : {std::pair{many, size_t{1001}}, {size_t{1001}, many}, {many, many}})
        for (const gp_side side : {GP_LEFT, GP_RIGHT}) {
            auto sorted = random<int32_t>(n, 5000);
            std::sort(sorted.begin(), sorted.end());
            const auto values = random<int32_t>(m, 5002);
            gp_search_options options = GP_SEARCH_OPTIONS_INIT;
            options.side = side;
            std::vector<uint32_t> places(m);
            ASSERT_OK(
                gp_search(context, GP_INT32, n, sorted.data(), m, values.data(), GP_UINT32, places.data(), &options));
            for (size_t i = 0; i < m; ++i) {
                const auto place = side == GP_LEFT ? std::lower_bound(sorted.begin(), sorted.end(), values[i])
                                                   : std::upper_bound(sorted.begin(), sorted.end(), values[i]);
                ASSERT_EQ(place - sorted.begin(), places[i]);
            }
        }
}

TEST_F(Parts, Differences) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(int32_t)));
    const auto in = random<int32_t>(n, 100000);
    for (const bool left_out : {false, true})
        for (const size_t step : {1, 2}) {
            const size_t count = step == 1 ? n : n / 2, results = count - (left_out ? 1 : 0);
            gp_difference_options options = GP_DIFFERENCE_OPTIONS_INIT;
            options.first = left_out ? GP_FIRST_LEFT_OUT : GP_FIRST_KEPT;
            options.step_in = options.step_out = step;
            std::vector<int32_t> expected(n, -1), out(n, -1);
            for (size_t i = left_out ? 1 : 0; i < count; ++i)
                expected[(i - (left_out ? 1 : 0)) * step] = in[i * step] - (i == 0 ? 0 : in[(i - 1) * step]);
            ASSERT_OK(gp_difference(context, GP_INT32, count, in.data(), out.data(), &options));
            ASSERT_EQ(expected, out) << results;
        }
}

TEST_F(Parts, ExtremesAndWhetherSorted) {
    const Bounded context(bound_);
    const size_t n = up_to(times(4, sizeof(int32_t)));
    for (const uint64_t kinds : {1, 2, 0}) {
        const auto in = random<int32_t>(n, kinds);
        for (const gp_operator op : {GP_MINIMUM, GP_MAXIMUM}) {
            const auto found =
                op == GP_MINIMUM ? std::min_element(in.begin(), in.end()) : std::max_element(in.begin(), in.end());
            uint32_t position = 0;
            int32_t value = 0;
            ASSERT_OK(gp_arg_reduce(context, op, GP_INT32, n, in.data(), GP_UINT32, &position, &value, nullptr));
            EXPECT_EQ(found - in.begin(), position);
            EXPECT_EQ(*found, value);
        }
    }
    std::vector<int32_t> sorted(n);
    std::iota(sorted.begin(), sorted.end(), 0);
    uint64_t position = 0;
    ASSERT_OK(gp_is_sorted(context, GP_INT32, n, sorted.data(), &position, nullptr));
    EXPECT_EQ(n, position);
    for (int i = 0; i < 20; ++i) {
        const size_t wrong = 1 + random_() % (n - 1);
        auto broken = sorted;
        broken[wrong] = -1;
        ASSERT_OK(gp_is_sorted(context, GP_INT32, n, broken.data(), &position, nullptr));
        EXPECT_EQ(wrong, position);
    }
}

TEST_F(Parts, TopK) {
    const Bounded context(bound_);
    const size_t n = up_to(times(4, sizeof(int32_t)));
    for (const uint64_t kinds : {1, 50, 0})
        for (const size_t k : {1, 10, 1000})
            for (const bool unsorted : {false, true}) {
                const auto in = random<int32_t>(n, kinds);
                auto order = reference::order(in, true);
                order.resize(k);
                gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
                options.unsorted = unsorted ? 1 : 0;
                std::vector<uint64_t> positions(k);
                std::vector<int32_t> values(k);
                ASSERT_OK(gp_top_k(context, GP_DESCENDING, GP_INT32, n, in.data(), k, GP_UINT64, positions.data(),
                                   values.data(), &options));
                for (size_t i = 0; i < k; ++i) ASSERT_EQ(in[positions[i]], values[i]);
                if (unsorted) {
                    std::sort(order.begin(), order.end());
                    std::sort(positions.begin(), positions.end());
                }
                ASSERT_TRUE(std::equal(order.begin(), order.end(), positions.begin()));
            }
    const auto in = random<int32_t>(n); // k of which nearly all are wanted: the host
    std::vector<int32_t> values(n - 1), expected = in;
    ASSERT_OK(
        gp_top_k(context, GP_ASCENDING, GP_INT32, n, in.data(), n - 1, GP_UINT64, nullptr, values.data(), nullptr));
    std::sort(expected.begin(), expected.end());
    expected.pop_back();
    EXPECT_EQ(expected, values);
}

TEST_F(Parts, GathersAndScatters) {
    const Bounded context(bound_);
    const size_t rows = 5000, m = up_to(times(2, sizeof(int32_t)));
    const auto in = random<int32_t>(rows);
    auto positions = random<uint32_t>(m, rows);
    std::vector<int32_t> out(m);
    ASSERT_OK(
        gp_gather(context, sizeof(int32_t), rows, in.data(), GP_UINT32, m, positions.data(), out.data(), nullptr));
    for (size_t i = 0; i < m; ++i) ASSERT_EQ(in[positions[i]], out[i]);

    for (size_t i = 0; i < m; ++i) positions[i] = static_cast<uint32_t>(i % rows); // each row's last one is its own
    std::vector<int32_t> values(m), spread(rows, -1);
    for (size_t i = 0; i < m; ++i) values[i] = static_cast<int32_t>(i % rows * 3);
    ASSERT_OK(gp_scatter(context, sizeof(int32_t), m, values.data(), GP_UINT32, positions.data(), rows, spread.data(),
                         nullptr));
    for (size_t i = 0; i < std::min(rows, m); ++i) ASSERT_EQ(static_cast<int32_t>(i * 3), spread[i]);

    const auto before = out;
    positions[m - 2] = rows;
    ASSERT_EQ(GP_ERROR_OUT_OF_BOUNDS, gp_gather(context, sizeof(int32_t), rows, in.data(), GP_UINT32, m,
                                                positions.data(), out.data(), nullptr));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), ("positions[" + std::to_string(m - 2) + "]").c_str()))
        << gp_error_message();
    EXPECT_EQ(before, out) << "a refused call wrote";
}

TEST_F(Parts, DistinctElements) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(float)));
    for (const uint64_t kinds : {1, 1000, 0})
        for (const bool sorted : {false, true}) {
            auto in = random<float>(n, kinds);
            if (kinds == 1000)
                for (size_t i = 0; i < n; i += 3) in[i] = i % 2 == 0 ? -0.0f : std::numeric_limits<float>::quiet_NaN();
            auto order = reference::order(in, false);
            if (sorted) {
                in = permuted(in, order);
                std::iota(order.begin(), order.end(), size_t(0));
            }
            std::vector<float> distinct;
            std::vector<uint32_t> firsts, counts, inverse(n);
            for (const size_t i : order) {
                if (distinct.empty() || reference::before(distinct.back(), in[i], false)) {
                    distinct.push_back(in[i]);
                    firsts.push_back(static_cast<uint32_t>(i));
                    counts.push_back(0);
                }
                ++counts.back();
                inverse[i] = static_cast<uint32_t>(distinct.size() - 1);
            }
            gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
            options.sorted = sorted ? 1 : 0;
            options.capacity = kinds == 1000 ? 100 : 0;
            const size_t room = options.capacity == 0 ? n : options.capacity;
            Guarded<float> values(room);
            Guarded<uint32_t> out_firsts(room), out_inverse(n), out_counts(room);
            uint64_t count = 0;
            ASSERT_OK(gp_unique(context, GP_FLOAT32, n, in.data(), values.data(), GP_UINT32, out_firsts.data(),
                                out_inverse.data(), out_counts.data(), &count, &options));
            ASSERT_EQ(distinct.size(), count);
            ASSERT_EQ(inverse, out_inverse.values());
            for (size_t k = 0; k < std::min<size_t>(count, room); ++k) {
                ASSERT_EQ(0, std::memcmp(&distinct[k], &values[k], sizeof(float)));
                ASSERT_EQ(firsts[k], out_firsts[k]);
                ASSERT_EQ(counts[k], out_counts[k]);
            }
            ASSERT_TRUE(values.intact() && out_firsts.intact() && out_inverse.intact() && out_counts.intact());
        }
}

TEST_F(Parts, Transposes) {
    const Bounded context(bound_);
    const size_t all = up_to(times(2, sizeof(uint16_t)));
    for (const size_t columns : {size_t{1}, size_t{7}, size_t{500}, all / 3})
        for (const size_t gap : {0, 3}) {
            const size_t rows = all / columns, batch = 2, ld_in = columns + gap, ld_out = rows + gap;
            const auto in = random<uint16_t>(batch * rows * ld_in);
            std::vector<uint16_t> expected(batch * columns * ld_out, 5), out = expected;
            for (size_t g = 0; g < batch; ++g)
                for (size_t i = 0; i < rows; ++i)
                    for (size_t j = 0; j < columns; ++j)
                        expected[(g * columns + j) * ld_out + i] = in[(g * rows + i) * ld_in + j];
            gp_transpose_matrix_options options = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
            options.batch = batch;
            ASSERT_OK(gp_transpose_matrix(context, sizeof(uint16_t), rows, columns, in.data(), ld_in, out.data(),
                                          ld_out, &options));
            ASSERT_EQ(expected, out) << rows << " x " << columns;
        }
}

// ---- What the host does

class OnHost : public Larger {
  protected:
    // Keys in runs of up to `most`.
    std::vector<int32_t> runs(size_t n, size_t most) {
        std::vector<int32_t> keys;
        for (int32_t key = 0; keys.size() < n; ++key)
            keys.insert(keys.end(), std::min(1 + random_() % most, n - keys.size()), key % 5);
        return keys;
    }
};

TEST_F(OnHost, RunsAndWhatGoesByKey) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(int32_t)));
    for (const size_t most : {size_t{3}, n}) {
        const auto keys = runs(n, most), in = random<int32_t>(n);
        std::vector<int32_t> distinct, scanned(n);
        std::vector<uint32_t> lengths, sums;
        for (size_t i = 0; i < n; ++i) {
            if (i == 0 || keys[i] != keys[i - 1]) {
                distinct.push_back(keys[i]);
                lengths.push_back(0);
                sums.push_back(0);
            }
            ++lengths.back();
            sums.back() += static_cast<uint32_t>(in[i]);
            scanned[i] = static_cast<int32_t>(sums.back());
        }
        Guarded<int32_t> values(n);
        Guarded<uint32_t> of_runs(n);
        uint64_t count = 0;
        const auto expect = [&](const std::vector<uint32_t> &expected) {
            ASSERT_EQ(distinct.size(), count);
            ASSERT_TRUE(std::equal(distinct.begin(), distinct.end(), values.data()));
            ASSERT_TRUE(std::equal(expected.begin(), expected.end(), of_runs.data()));
            ASSERT_TRUE(values.intact() && of_runs.intact());
        };
        ASSERT_OK(gp_run_lengths(context, GP_INT32, n, keys.data(), values.data(), GP_UINT32, of_runs.data(), &count,
                                 nullptr));
        expect(lengths);
        ASSERT_OK(gp_reduce_by_key(context, GP_INT32, n, keys.data(), GP_INT32, in.data(), values.data(),
                                   of_runs.data(), &count, nullptr));
        expect(sums);
        auto out = in;
        ASSERT_OK(gp_scan_by_key(context, GP_INT32, n, keys.data(), GP_INT32, out.data(), out.data(), nullptr));
        ASSERT_EQ(scanned, out);
    }
}

TEST_F(OnHost, PartitionsRepeatsAndGathers) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(int32_t)));
    const auto in = random<int32_t>(n);
    const auto flags = random<uint8_t>(n, 2);
    for (const bool pairs : {false, true}) {
        std::vector<int32_t> expected, out(n), out_values(n);
        for (const bool kept : {true, false})
            for (size_t i = 0; i < n; ++i)
                if ((flags[i] != 0) == kept) expected.push_back(in[i]);
        uint64_t count = 0;
        if (pairs) {
            ASSERT_OK(gp_partition_pairs(context, sizeof(int32_t), n, in.data(), flags.data(), out.data(),
                                         sizeof(int32_t), in.data(), out_values.data(), &count, nullptr));
            ASSERT_EQ(expected, out_values);
        } else {
            ASSERT_OK(gp_partition(context, sizeof(int32_t), n, in.data(), flags.data(), out.data(), &count, nullptr));
        }
        ASSERT_EQ(static_cast<uint64_t>(std::accumulate(flags.begin(), flags.end(), 0)), count);
        ASSERT_EQ(expected, out);
    }

    const auto repeats = random<uint8_t>(n, 3);
    std::vector<int32_t> repeated;
    for (size_t i = 0; i < n; ++i) repeated.insert(repeated.end(), repeats[i], in[i]);
    Guarded<int32_t> out(repeated.size());
    uint64_t count = 0;
    ASSERT_OK(gp_repeat(context, sizeof(int32_t), n, in.data(), GP_UINT8, repeats.data(), repeated.size(), out.data(),
                        &count, nullptr));
    ASSERT_EQ(repeated.size(), count);
    ASSERT_EQ(repeated, out.values());
    ASSERT_TRUE(out.intact());

    const auto positions = random<uint32_t>(100, n);
    std::vector<int32_t> gathered(positions.size());
    ASSERT_OK(gp_gather(context, sizeof(int32_t), n, in.data(), GP_UINT32, positions.size(), positions.data(),
                        gathered.data(), nullptr));
    for (size_t i = 0; i < positions.size(); ++i) ASSERT_EQ(in[positions[i]], gathered[i]);
}

TEST_F(OnHost, WeightsOfBins) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(int32_t))), bins = 37;
    const auto x = random<int32_t>(n, bins), y = random<int32_t>(n, 3);
    const auto weights = random<float>(n, 1000); // whose sums are exact
    std::vector<float> expected(bins), sums(bins);
    std::vector<uint64_t> counts(bins * 3), expected_counts(bins * 3);
    for (size_t i = 0; i < n; ++i) {
        expected[static_cast<size_t>(x[i])] += weights[i];
        ++expected_counts[static_cast<size_t>(x[i] * 3 + y[i])];
    }
    ASSERT_OK(
        gp_histogram_weighted(context, GP_INT32, n, x.data(), GP_FLOAT32, weights.data(), bins, sums.data(), nullptr));
    ASSERT_EQ(expected, sums);
    ASSERT_OK(gp_histogram_2d(context, GP_INT32, n, x.data(), y.data(), 0, nullptr, bins, 3, counts.data(), nullptr));
    ASSERT_EQ(expected_counts, counts);
}

TEST_F(OnHost, RunsThatAreMergedAndSegmentsThatAreSorted) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(int32_t)));
    const std::vector<uint64_t> offsets = {0, n / 5, n / 2, n};
    const auto keys = random<int32_t>(n);
    auto segments = keys;
    for (size_t k = 0; k < 3; ++k)
        std::sort(segments.begin() + static_cast<std::ptrdiff_t>(offsets[k]),
                  segments.begin() + static_cast<std::ptrdiff_t>(offsets[k + 1]));
    auto sorted = keys;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.segments = 3;
    options.offsets = offsets.data();
    ASSERT_OK(gp_sort(context, GP_INT32, n, sorted.data(), &options));
    ASSERT_EQ(segments, sorted);

    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    std::vector<int32_t> out(n), out_values(n);
    ASSERT_OK(gp_merge_runs(context, GP_INT32, n, segments.data(), 3, offsets.data(), out.data(), nullptr));
    ASSERT_EQ(expected, out);
    ASSERT_OK(gp_merge_runs_pairs(context, GP_INT32, n, segments.data(), 3, offsets.data(), out.data(), sizeof(int32_t),
                                  segments.data(), out_values.data(), nullptr));
    ASSERT_EQ(expected, out);
    ASSERT_EQ(expected, out_values);

    const size_t step = 3, some = n / step;
    gp_sort_options apart = GP_SORT_OPTIONS_INIT;
    apart.step = step;
    auto with_gaps = keys;
    ASSERT_OK(gp_sort(context, GP_INT32, some, with_gaps.data(), &apart));
    std::vector<int32_t> stepped;
    for (size_t i = 0; i < some; ++i) stepped.push_back(keys[i * step]);
    std::sort(stepped.begin(), stepped.end());
    for (size_t i = 0; i < n; ++i)
        ASSERT_EQ(i % step == 0 && i / step < some ? stepped[i / step] : keys[i], with_gaps[i]);
}

TEST_F(OnHost, Paths) {
    const Bounded context(bound_);
    size_t n = 1;
    while (n * n * sizeof(int32_t) <= bound_) n += 13;
    auto lengths = random<int32_t>(n * n, 1000);
    for (size_t i = 0; i < n; ++i) lengths[i * n + i] = 0;
    auto expected = lengths;
    for (size_t k = 0; k < n; ++k)
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j)
                expected[i * n + j] = std::min(expected[i * n + j], expected[i * n + k] + expected[k * n + j]);
    std::vector<int32_t> out(n * n);
    ASSERT_OK(gp_paths(context, GP_INT32, n, lengths.data(), n, out.data(), n, nullptr, 0, nullptr));
    EXPECT_EQ(expected, out);
    ASSERT_OK(gp_paths(context, GP_INT32, n, lengths.data(), n, lengths.data(), n, nullptr, 0, nullptr));
    EXPECT_EQ(expected, lengths) << "in place";
}

TEST_F(OnHost, Batches) {
    const Bounded context(bound_);
    const size_t batch = 3, n = up_to(times(2, sizeof(int32_t))) / batch;
    const auto in = random<int32_t>(batch * n);
    gp_difference_options differ = GP_DIFFERENCE_OPTIONS_INIT;
    gp_arg_reduce_options extremes = GP_ARG_REDUCE_OPTIONS_INIT;
    gp_is_sorted_options order = GP_IS_SORTED_OPTIONS_INIT;
    differ.batch = extremes.batch = order.batch = batch;
    differ.first = GP_FIRST_LEFT_OUT;
    std::vector<int32_t> out(batch * (n - 1));
    std::vector<uint64_t> least(batch), unsorted(batch);
    ASSERT_OK(gp_difference(context, GP_INT32, n, in.data(), out.data(), &differ));
    ASSERT_OK(gp_arg_reduce(context, GP_MINIMUM, GP_INT32, n, in.data(), GP_UINT64, least.data(), nullptr, &extremes));
    ASSERT_OK(gp_is_sorted(context, GP_INT32, n, in.data(), unsorted.data(), &order));
    gp_top_k_options top = GP_TOP_K_OPTIONS_INIT;
    top.batch = batch;
    std::vector<int32_t> smallest(batch * 5);
    ASSERT_OK(gp_top_k(context, GP_ASCENDING, GP_INT32, n, in.data(), 5, GP_UINT64, nullptr, smallest.data(), &top));
    for (size_t row = 0; row < batch; ++row) {
        const int32_t *const first = in.data() + row * n;
        for (size_t i = 0; i + 1 < n; ++i)
            ASSERT_EQ(static_cast<int32_t>(static_cast<uint32_t>(first[i + 1]) - static_cast<uint32_t>(first[i])),
                      out[row * (n - 1) + i]);
        EXPECT_EQ(static_cast<uint64_t>(std::min_element(first, first + n) - first), least[row]);
        EXPECT_EQ(static_cast<uint64_t>(std::is_sorted_until(first, first + n) - first), unsorted[row]);
        std::vector<int32_t> sorted(5);
        std::partial_sort_copy(first, first + n, sorted.begin(), sorted.end());
        EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), smallest.data() + row * 5));
    }
}

TEST_F(OnHost, EventsMeetThoseOfTheDevice) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(int32_t)));
    const auto in = random<int32_t>(n, 7);
    std::vector<int32_t> values(n);
    std::vector<uint32_t> lengths(n);
    uint64_t count = 0;
    gp_event *event = nullptr;
    gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
    options.event = &event;
    ASSERT_OK(gp_profile(context, 1));
    ASSERT_OK(
        gp_run_lengths(context, GP_INT32, n, in.data(), values.data(), GP_UINT32, lengths.data(), &count, &options));
    gp_timing timing = GP_TIMING_INIT;
    ASSERT_OK(gp_event_timing(event, &timing));
    EXPECT_GT(timing.span_ns, 0u);
    gp_buffer *buffer = nullptr, *elsewhere = nullptr;
    ASSERT_OK(gp_buffer_create(context, 1000, &buffer));
    ASSERT_OK(gp_buffer_create(test::context(), 1000, &elsewhere));
    const char zero = 0;
    EXPECT_OK(gp_enqueue_fill(buffer, 0, 1000, &zero, 1, 1, &event, nullptr));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, gp_enqueue_fill(elsewhere, 0, 1000, &zero, 1, 1, &event, nullptr))
        << "an event of another context";
    EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
    EXPECT_OK(gp_buffer_free(elsewhere));
}

// OpenCL C runs on no host, and a caller who names an algorithm of the device means it.
TEST_F(OnHost, WhatItCannotDoIsRefused) {
    const Bounded context(bound_);
    const size_t n = up_to(times(2, sizeof(int32_t)));
    auto in = random<int32_t>(n);
    std::vector<int32_t> out(n, 5);
    const auto untouched = out, before = in;
    uint64_t count = 0;
    const auto refused = [&](gp_status status) {
        EXPECT_EQ(GP_ERROR_TOO_LARGE, status);
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "emory")) << gp_error_message();
        EXPECT_EQ(untouched, out);
        EXPECT_EQ(before, in);
    };
    gp_select_options text = GP_SELECT_OPTIONS_INIT;
    text.predicate = "x > 0";
    text.type = "int";
    refused(gp_partition(context, sizeof(int32_t), n, in.data(), nullptr, out.data(), &count, &text));
    gp_scan_by_key_options own = GP_SCAN_BY_KEY_OPTIONS_INIT;
    own.operator_source = "max(a, b)";
    own.operator_identity = "INT_MIN";
    refused(gp_scan_by_key(context, GP_INT32, n, in.data(), GP_INT32, in.data(), out.data(), &own));
    gp_run_lengths_options named = GP_RUN_LENGTHS_OPTIONS_INIT;
    named.algorithm = "chunks";
    refused(gp_run_lengths(context, GP_INT32, n, in.data(), out.data(), GP_UINT32, nullptr, &count, &named));
    refused(gp_sort_by(context, sizeof(int32_t), n, in.data(), "int", "a < b", nullptr));
}

TEST_F(Parts, TheFirstWrongPositionOfAllIsNamed) {
    const Bounded context(bound_);
    const std::vector<int32_t> in(10, 1);
    std::vector<uint64_t> positions(up_to(times(2, sizeof(uint64_t))), 3);
    std::vector<int32_t> out(positions.size(), 5);
    const auto untouched = out;
    for (const size_t wrong : {positions.size() - 1, positions.size() / 2, size_t{0}}) {
        positions[wrong] = 11;
        ASSERT_EQ(GP_ERROR_OUT_OF_BOUNDS, gp_gather(context, sizeof(int32_t), in.size(), in.data(), GP_UINT64,
                                                    positions.size(), positions.data(), out.data(), nullptr));
        EXPECT_NE(std::string::npos,
                  std::string(gp_error_message()).find("positions[" + std::to_string(wrong) + "] is 11"))
            << gp_error_message();
        EXPECT_EQ(untouched, out);
    }
}

TEST_F(Parts, WhatMustFitBesideBuffersIsRefused) {
    const Bounded context(bound_);
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context, bound_ / 2, &buffer));
    const auto in = random<int32_t>(3 * bound_ / 4 / sizeof(int32_t));
    std::vector<int32_t> out(in.size(), 5);
    const auto untouched = out;
    uint64_t count = 7;
    gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
    options.algorithm = "chunks"; // which leaves nothing to the host
    EXPECT_EQ(GP_ERROR_TOO_LARGE, gp_run_lengths(context, GP_INT32, in.size(), in.data(), out.data(), GP_UINT32,
                                                 nullptr, &count, &options));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "; free buffers, or raise the bound")) << gp_error_message();
    EXPECT_EQ(untouched, out);
    EXPECT_EQ(7U, count);
    EXPECT_OK(gp_buffer_free(buffer));
}

// With room for no two elements and their results. A named algorithm leaves nothing to the host.
TEST_F(Parts, SmallerThanAnyIsRefused) {
    const size_t n = 100, few = 10;
    const std::vector<int32_t> in(n, 1), sorted(n, 2);
    const std::vector<uint64_t> places(n);
    std::vector<int32_t> out(n, 5);
    std::vector<uint64_t> numbers(n, 5);
    const auto named = [](auto options) {
        options.algorithm = "chunks";
        return options;
    };
    const auto arg_reduce = named(gp_arg_reduce_options(GP_ARG_REDUCE_OPTIONS_INIT));
    const auto difference = named(gp_difference_options(GP_DIFFERENCE_OPTIONS_INIT));
    const auto is_sorted = named(gp_is_sorted_options(GP_IS_SORTED_OPTIONS_INIT));
    const auto gather = named(gp_gather_options(GP_GATHER_OPTIONS_INIT));
    const auto refuses = [&](const char *name, size_t bound, const auto &call) {
        const Bounded context(bound);
        EXPECT_EQ(GP_ERROR_TOO_LARGE, call(context)) << name << ": " << gp_error_message();
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "has room for")) << name << ": " << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(n, 5), out) << name;
        EXPECT_EQ(std::vector<uint64_t>(n, 5), numbers) << name;
    };
    for (const size_t bound : {1, 16, 24})
        refuses("arg_reduce", bound, [&](gp_context *context) {
            return gp_arg_reduce(context, GP_MINIMUM, GP_INT32, n, in.data(), GP_UINT64, numbers.data(), nullptr,
                                 &arg_reduce);
        });
    for (const size_t bound : {1, 12, 16, 20}) {
        SCOPED_TRACE(bound);
        if (bound < 16) {
            refuses("difference", bound, [&](gp_context *context) {
                return gp_difference(context, GP_INT32, n, in.data(), out.data(), &difference);
            });
            refuses("is_sorted", bound, [&](gp_context *context) {
                return gp_is_sorted(context, GP_INT32, n, in.data(), numbers.data(), &is_sorted);
            });
        }
        refuses("search", bound, [&](gp_context *context) {
            return gp_search(context, GP_INT32, n, sorted.data(), n, in.data(), GP_UINT64, numbers.data(), nullptr);
        });
        refuses("matmul", bound, [&](gp_context *context) {
            return gp_matmul(context, GP_INT32, few, few, few, in.data(), few, sorted.data(), few, out.data(), few,
                             nullptr);
        });
    }
    refuses("transpose_matrix", 1, [&](gp_context *context) {
        return gp_transpose_matrix(context, sizeof(int32_t), few, few, in.data(), few, out.data(), few, nullptr);
    });
    auto top_k = gp_top_k_options(GP_TOP_K_OPTIONS_INIT);
    top_k.algorithm = "groups";
    refuses("top_k", 2000, [&](gp_context *context) {
        return gp_top_k(context, GP_ASCENDING, GP_INT32, n, in.data(), n - 1, GP_UINT64, numbers.data(), out.data(),
                        &top_k);
    });
    refuses("gather", n * sizeof(int32_t) - 1, [&](gp_context *context) {
        return gp_gather(context, sizeof(int32_t), n, in.data(), GP_UINT64, n, places.data(), out.data(), &gather);
    });
}

// ---- Contexts

TEST_F(Larger, SeveralCallsAtOnceShareTheBound) {
    const Bounded context(bound_);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&context, t, n = up_to(times(1.5, sizeof(int32_t)))] {
            std::mt19937 random(t);
            for (int i = 0; i < 3; ++i) {
                std::vector<int32_t> keys(n + t);
                for (int32_t &key : keys) key = static_cast<int32_t>(random());
                auto expected = keys;
                std::sort(expected.begin(), expected.end());
                uint32_t sum = 0, expected_sum = 0;
                for (const int32_t key : keys) expected_sum += static_cast<uint32_t>(key);
                EXPECT_OK(gp_reduce(context, GP_UINT32, keys.size(), keys.data(), &sum, nullptr));
                EXPECT_EQ(expected_sum, sum);
                EXPECT_OK(gp_sort(context, GP_INT32, keys.size(), keys.data(), nullptr));
                EXPECT_EQ(expected, keys);
            }
        });
    for (auto &thread : threads) thread.join();
}

TEST_F(Larger, BuffersAreRefusedBeyondTheBound) {
    const Bounded context(bound_);
    gp_device_info info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gp_describe(context, &info));
    EXPECT_EQ(bound_, info.global_bytes);
    EXPECT_LE(info.allocation_bytes, bound_);
    gp_buffer *buffer = nullptr, *other = nullptr;
    ASSERT_EQ(GP_ERROR_TOO_LARGE, gp_buffer_create(context, bound_ + 1, &buffer));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "GPCL_DEVICE_MEMORY")) << gp_error_message();
    // Work space that is kept makes room.
    std::vector<int32_t> keys = random<int32_t>(up_to(bound_ / 16));
    ASSERT_OK(gp_sort(context, GP_INT32, keys.size(), keys.data(), nullptr));
    ASSERT_OK(gp_buffer_create(context, std::min<size_t>(bound_, info.allocation_bytes), &buffer));
    if (info.allocation_bytes == bound_) {
        ASSERT_EQ(GP_ERROR_DEVICE_MEMORY, gp_buffer_create(context, 1, &other));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "free buffers")) << gp_error_message();
    }
    ASSERT_OK(gp_buffer_free(buffer));
    ASSERT_OK(gp_buffer_create(context, 1, &other));
    ASSERT_OK(gp_buffer_free(other));
}

// Calls make do with what buffers leave.
TEST_F(Larger, BuffersLeaveLessRoom) {
    const Bounded context(bound_);
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context, bound_ / 2, &buffer));
    auto keys = random<int32_t>(up_to(times(0.8, sizeof(int32_t))));
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    ASSERT_OK(gp_sort(context, GP_INT32, keys.size(), keys.data(), nullptr));
    EXPECT_EQ(expected, keys);
    ASSERT_OK(gp_buffer_free(buffer));
}

TEST_F(Larger, TheEnvironmentBoundsToo) {
    for (const auto &[text, bytes] :
         {std::pair{"1000000", size_t{1000000}}, {"512K", 512 * kKiB}, {"3m", 3072 * kKiB}}) {
        setenv("GPCL_DEVICE_MEMORY", text, 1);
        gp_context *context = nullptr;
        gp_device_info info{};
        info.struct_size = sizeof info;
        ASSERT_OK(gp_open(nullptr, &context));
        EXPECT_OK(gp_describe(context, &info));
        EXPECT_EQ(bytes, info.global_bytes) << text;
        EXPECT_OK(gp_close(context));
        const Bounded own(bound_);
        EXPECT_OK(gp_describe(own, &info));
        EXPECT_EQ(bound_, info.global_bytes) << "the option comes before the variable";
    }
    for (const char *wrong : {"8X", "0", "-1", "1.5G", "M", "99999999999999999999", "99999999999T"}) {
        setenv("GPCL_DEVICE_MEMORY", wrong, 1);
        gp_context *context = nullptr;
        EXPECT_EQ(GP_ERROR_OPTION, gp_open(nullptr, &context)) << wrong;
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "GPCL_DEVICE_MEMORY")) << gp_error_message();
        EXPECT_EQ(nullptr, context);
    }
    unsetenv("GPCL_DEVICE_MEMORY");
}

} // namespace
