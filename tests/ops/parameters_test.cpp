// Parameters: whatever value one has, results are right, or the algorithm says why it can't run.
// Those of products are in matmul_test.cpp.
// SPDX-License-Identifier: MIT
#include "running.h"

#include "../reference/arg_reduce.h"
#include "../reference/histogram.h"
#include "../reference/histogram_weighted.h"
#include "../reference/merge.h"
#include "../reference/paths.h"
#include "../reference/recurrence.h"
#include "../reference/repeat.h"
#include "../reference/scan_by_key.h"
#include "../reference/search.h"
#include "../reference/sort.h"
#include "../reference/top_k.h"
#include "../reference/unique.h"
#include "support/process_memory.h"

#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>

namespace {

using namespace test;
using reference::widen;

// Runs `algorithm` on n elements and checks the result, unless it is refused; returns whether it
// ran.
using Check = std::function<bool(const char *algorithm, size_t n)>;

// Whether a parameter has another value than its preset, for which a device may lack room.
bool is_tuned = false;

bool ran(gp_operation operation, gp_status status, const char *algorithm) {
    const bool may_refuse = is_tuned && algorithm != nullptr && status == GP_ERROR_ALGORITHM_REFUSED;
    if (may_refuse || refused(operation, algorithm, status)) return false;
    EXPECT_OK(status);
    return status == GP_SUCCESS;
}

std::vector<gp_parameter_info> parameters(gp_operation operation, gp_dtype dtype) {
    size_t count = 0;
    EXPECT_OK(gp_parameters(operation, &count));
    std::vector<gp_parameter_info> result(count);
    for (size_t i = 0; i < count; ++i) {
        result[i].struct_size = sizeof result[i];
        EXPECT_OK(gp_parameter_describe(context(), operation, dtype, i, &result[i]));
    }
    return result;
}

// Sizes of no group and no tile; and, where the parameter says which sizes an algorithm is for,
// those next to its value.
std::vector<size_t> sizes_for(const gp_parameter_info &parameter, size_t value) {
    std::vector<size_t> sizes = {1, 61, 1000, 5003, 70001};
    const std::string name = parameter.name;
    if (name == "from" || name == "above" || name == "most") sizes.insert(sizes.end(), {value - 1, value, value + 1});
    const size_t most = std::min<size_t>(max_n(), 100'000);
    sizes.erase(std::remove_if(sizes.begin(), sizes.end(), [=](size_t n) { return n > most; }), sizes.end());
    return sizes;
}

// Each value is a program or several: where not all is to be tried, the smallest and the largest
// are.
bool takes_every_value(const gp_parameter_info &parameter, gp_operation operation) {
    if (thorough() || !all_types() || spares_programs()) return thorough();
    // Several programs each, or one that takes PoCL seconds.
    const std::string_view name = parameter.algorithm;
    switch (operation) {
    case GP_SORT:
    case GP_TOP_K:
    case GP_SEARCH:
    case GP_IS_SORTED:
    case GP_MERGE:
    case GP_MERGE_RUNS:
    case GP_SELECT:
    case GP_HISTOGRAM_WEIGHTED:
    case GP_GATHER:
    case GP_TRANSPOSE_MATRIX:
    case GP_RUN_LENGTHS:
    case GP_REDUCE_BY_KEY: return false;
    default:
        return name != "staged-rows" && name != "staged-segments" && name != "look-back-segments" &&
               name != "local-even" && name != "local-cells" && !name.starts_with("row-");
    }
}

void check_every_value(gp_operation operation, gp_dtype dtype, const Check &check) {
    if (lacks(dtype)) GTEST_SKIP() << "the device lacks float64";
    const auto all = parameters(operation, dtype);
    ASSERT_FALSE(all.empty());
    for (const gp_parameter_info &each : all) {
        const char *algorithm = on_host() ? nullptr : each.algorithm; // no algorithm of "host" has parameters
        if (algorithm != nullptr && manifest().is_broken(operation, algorithm, implementation())) continue;
        const bool runs = check(algorithm, 61);
        const size_t last = each.value_count - 1,
                     step = takes_every_value(each, operation) ? 1 : std::max(last, size_t{1});
        for (size_t v = 0; v <= last; v += step) {
            const size_t value = each.values[v];
            SCOPED_TRACE(std::string(each.algorithm) + ", " + each.name + " " + std::to_string(value));
            ASSERT_OK(gp_parameter_set(context(), operation, dtype, each.algorithm, each.name, value));
            is_tuned = value != each.preset;
            for (const size_t n : sizes_for(each, value)) {
                SCOPED_TRACE("n = " + std::to_string(n));
                const bool right = check(algorithm, n);
                EXPECT_TRUE(right || !runs || value != each.preset || n > 61) << "the preset does not fit";
                check(nullptr, n);
                if (testing::Test::HasFailure()) break;
            }
            if (testing::Test::HasFailure() || !runs) break;
        }
        is_tuned = false;
        ASSERT_OK(gp_parameter_set(context(), operation, dtype, each.algorithm, each.name, 0));
        if (testing::Test::HasFailure()) return;
    }
}

// Small whole numbers.
template <class T> std::vector<T> numbers(size_t n, int least, int most) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<T> result(n);
    for (T &x : result)
        x = static_cast<T>(least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1)));
    return result;
}

template <class T> void check_reductions() {
    check_every_value(GP_REDUCE, dtype<T>(), [](const char *algorithm, size_t n) {
        gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<T> in(numbers<T>(n, -9, 9)), out(1);
        if (!ran(GP_REDUCE, gp_reduce(context(), dtype<T>(), n, in.data(), out.data(), &options), algorithm))
            return false;
        EXPECT_EQ(std::accumulate(in.data(), in.data() + n, T{0}), out[0]);
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfReductions) {
    check_reductions<int32_t>();
    if (thorough()) check_reductions<float>();
}

template <class T> void check_scans() {
    check_every_value(GP_SCAN, dtype<T>(), [](const char *algorithm, size_t n) {
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<T> in(numbers<T>(n, -9, 9)), out(n);
        if (!ran(GP_SCAN, gp_scan(context(), dtype<T>(), n, in.data(), out.data(), &options), algorithm)) return false;
        std::vector<T> expected(n);
        std::partial_sum(in.data(), in.data() + n, expected.begin());
        EXPECT_TRUE(same_bits(expected, out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfScans) {
    check_scans<int32_t>();
    if (thorough()) check_scans<float>();
}

// The same over the rows of a matrix and over its columns, for algorithms that divide several rows.
template <class T> void check_matrices(gp_operation operation, bool columns) {
    const char *const of = columns ? "columns" : "rows";
    check_every_value(operation, dtype<T>(), [&](const char *algorithm, size_t n) {
        if (algorithm != nullptr && std::string_view(algorithm) != of) return false;
        const size_t width = std::min<size_t>(n, columns ? 1300 : 90), rows = n / width; // of the matrix
        const size_t length = columns ? rows : width, batch = columns ? width : rows;    // of what is summed up
        const size_t step = columns ? width : 1, stride = columns ? 1 : width;
        const bool sums = operation == GP_REDUCE;
        Guarded<T> in(numbers<T>(rows * width, -9, 9)), out(sums ? batch : rows * width);
        gp_status status = GP_SUCCESS;
        if (sums) {
            gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.batch = batch;
            options.stride_in = stride;
            options.step_in = step;
            status = gp_reduce(context(), dtype<T>(), length, in.data(), out.data(), &options);
        } else {
            gp_scan_options options = GP_SCAN_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.batch = batch;
            options.stride_in = options.stride_out = stride;
            options.step_in = options.step_out = step;
            status = gp_scan(context(), dtype<T>(), length, in.data(), out.data(), &options);
        }
        if (!ran(operation, status, algorithm)) return false;
        std::vector<T> expected(out.values().size());
        for (size_t row = 0; row < batch; ++row) {
            T sum = 0;
            for (size_t i = 0; i < length; ++i) {
                sum += in.data()[row * stride + i * step];
                expected[sums ? row : row * stride + i * step] = sum;
            }
        }
        EXPECT_TRUE(same_bits(expected, out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

// Of rows or of columns; algorithms take both.
void check_arg_reductions(bool columns) {
    check_every_value(GP_ARG_REDUCE, GP_INT32, [columns](const char *algorithm, size_t n) {
        const size_t batch = std::min<size_t>(n, columns ? 1300 : 3), length = n / batch;
        gp_arg_reduce_options options = GP_ARG_REDUCE_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.batch = batch;
        options.stride_in = columns ? 1 : length;
        options.step_in = columns ? batch : 1;
        Guarded<int32_t> in(numbers<int32_t>(batch * length, -900, 900));
        Guarded<uint32_t> out(batch);
        const gp_status status =
            gp_arg_reduce(context(), GP_MAXIMUM, GP_INT32, length, in.data(), GP_UINT32, out.data(), nullptr, &options);
        if (!ran(GP_ARG_REDUCE, status, algorithm)) return false;
        std::vector<uint32_t> expected(batch);
        for (size_t row = 0; row < batch; ++row) {
            std::vector<int32_t> elements(length);
            for (size_t i = 0; i < length; ++i) elements[i] = in[row * options.stride_in + i * options.step_in];
            expected[row] = static_cast<uint32_t>(reference::arg_reduce(elements, true));
        }
        EXPECT_TRUE(same_bits(expected, out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfArgReductionsOfRows) { check_arg_reductions(false); }
// With values or without.
void check_merges(bool with_values) {
    check_every_value(GP_MERGE, GP_INT32, [with_values](const char *algorithm, size_t n) {
        gp_merge_options options = GP_MERGE_OPTIONS_INIT;
        options.algorithm = algorithm;
        std::vector<int32_t> a = numbers<int32_t>(n / 3, -900, 900), b = numbers<int32_t>(n - n / 3, -900, 900);
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        Guarded<int32_t> from_a(a), from_b(b), out(n), values(n);
        const gp_status status =
            with_values
                ? gp_merge_pairs(context(), GP_INT32, a.size(), from_a.data(), b.size(), from_b.data(), out.data(), 4,
                                 from_a.data(), from_b.data(), values.data(), &options)
                : gp_merge(context(), GP_INT32, a.size(), from_a.data(), b.size(), from_b.data(), out.data(), &options);
        if (!ran(GP_MERGE, status, algorithm)) return false;
        const auto order = reference::merge_order(a, b, false);
        std::vector<int32_t> expected;
        for (const size_t i : order) expected.push_back(i < a.size() ? a[i] : b[i - a.size()]);
        EXPECT_TRUE(same_bits(expected, out.values()));
        EXPECT_TRUE(!with_values || same_bits(expected, values.values()));
        EXPECT_TRUE(out.intact() && values.intact());
        return true;
    });
}

void check_merges_of_runs(bool with_values) {
    check_every_value(GP_MERGE_RUNS, GP_INT32, [with_values](const char *algorithm, size_t n) {
        gp_merge_runs_options options = GP_MERGE_RUNS_OPTIONS_INIT;
        options.algorithm = algorithm;
        const std::vector<uint64_t> offsets = {0, n / 7, n / 7, n / 2, n - n / 3, n};
        std::vector<int32_t> keys = numbers<int32_t>(n, -900, 900);
        for (size_t run = 0; run + 1 < offsets.size(); ++run)
            std::sort(keys.begin() + static_cast<std::ptrdiff_t>(offsets[run]),
                      keys.begin() + static_cast<std::ptrdiff_t>(offsets[run + 1]));
        Guarded<int32_t> in(keys), out(n), values(n);
        const gp_status status =
            with_values ? gp_merge_runs_pairs(context(), GP_INT32, n, in.data(), 5, offsets.data(), out.data(), 4,
                                              in.data(), values.data(), &options)
                        : gp_merge_runs(context(), GP_INT32, n, in.data(), 5, offsets.data(), out.data(), &options);
        if (!ran(GP_MERGE_RUNS, status, algorithm)) return false;
        std::sort(keys.begin(), keys.end());
        EXPECT_TRUE(same_bits(keys, out.values()));
        EXPECT_TRUE(!with_values || same_bits(keys, values.values()));
        EXPECT_TRUE(out.intact() && values.intact());
        return true;
    });
}

TEST(Parameters, OfSelect) {
    check_every_value(GP_SELECT, GP_UINT32, [](const char *algorithm, size_t n) {
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.algorithm = algorithm;
        const std::vector<int32_t> values = numbers<int32_t>(n, -900, 900);
        std::vector<uint8_t> flags(n);
        std::vector<int32_t> expected;
        for (size_t i = 0; i < n; ++i) {
            flags[i] = values[i] > 100 ? 1 : 0;
            if (flags[i] != 0) expected.push_back(values[i]);
        }
        Guarded<int32_t> in(values), out(n);
        uint64_t count = 0;
        const gp_status status =
            gp_select(context(), sizeof(int32_t), n, in.data(), flags.data(), out.data(), &count, &options);
        if (!ran(GP_SELECT, status, algorithm)) return false;
        EXPECT_EQ(expected.size(), count);
        std::vector<int32_t> got = out.values();
        got.resize(std::min(got.size(), expected.size()));
        EXPECT_TRUE(same_bits(expected, got));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfGathers) {
    check_every_value(GP_GATHER, GP_UINT32, [](const char *algorithm, size_t n) {
        gp_gather_options options = GP_GATHER_OPTIONS_INIT;
        options.algorithm = algorithm;
        const std::vector<int32_t> in = numbers<int32_t>(n, -900, 900);
        std::vector<uint32_t> positions(n);
        for (size_t i = 0; i < n; ++i) positions[i] = static_cast<uint32_t>(i * 7 % n);
        std::vector<int32_t> expected(n);
        for (size_t i = 0; i < n; ++i) expected[i] = in[positions[i]];
        Guarded<int32_t> out(n);
        const gp_status status =
            gp_gather(context(), 4, n, in.data(), GP_UINT32, n, positions.data(), out.data(), &options);
        if (!ran(GP_GATHER, status, algorithm)) return false;
        EXPECT_TRUE(same_bits(expected, out.values()) && out.intact());
        return true;
    });
}

TEST(Parameters, OfTransposes) {
    check_every_value(GP_TRANSPOSE_MATRIX, GP_UINT32, [](const char *algorithm, size_t n) {
        gp_transpose_matrix_options options = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
        options.algorithm = algorithm;
        // Tiles of one shape, whatever n: each is a program.
        const bool is_small = max_n() < 10'000;
        const size_t columns = is_small ? 8 : 132, rows = is_small ? 4 : std::max<size_t>(n / columns / 4 * 4, 68);
        const std::vector<int32_t> in = numbers<int32_t>(rows * columns, -900, 900);
        std::vector<int32_t> expected(in.size());
        for (size_t i = 0; i < in.size(); ++i) expected[i % columns * rows + i / columns] = in[i];
        DeviceArray<int32_t> from(in, 4), out(std::vector<int32_t>(in.size()), 4);
        const gp_status status = gp_enqueue_transpose_matrix(context(), 4, rows, columns, from.buffer(), 4, columns,
                                                             out.buffer(), 4, rows, &options, 0, nullptr, nullptr);
        if (!ran(GP_TRANSPOSE_MATRIX, status, algorithm)) return false;
        EXPECT_TRUE(same_bits(expected, out.values()));
        return true;
    });
}

TEST(Parameters, OfMergesOfRuns) { check_merges_of_runs(false); }
TEST(Parameters, OfMergesOfRunsWithValues) { check_merges_of_runs(true); }

TEST(Parameters, OfMerges) { check_merges(false); }
TEST(Parameters, OfMergesWithValues) { check_merges(true); }

TEST(Parameters, OfArgReductionsOfColumns) { check_arg_reductions(true); }

// Of n values, sorted and not, in as many elements.
void check_searches(bool sorted_values) {
    check_every_value(GP_SEARCH, GP_INT32, [sorted_values](const char *algorithm, size_t n) {
        gp_search_options options = GP_SEARCH_OPTIONS_INIT;
        options.algorithm = algorithm;
        auto sorted = numbers<int32_t>(n, -9000, 9000), values = numbers<int32_t>(n, -9001, 9001);
        std::sort(sorted.begin(), sorted.end());
        if (sorted_values) std::sort(values.begin(), values.end());
        Guarded<uint32_t> out(n);
        const gp_status status =
            gp_search(context(), GP_INT32, n, sorted.data(), n, values.data(), GP_UINT32, out.data(), &options);
        if (!ran(GP_SEARCH, status, algorithm)) return false;
        for (size_t i = 0; i < n; ++i)
            if (!reference::is_position(sorted, values[i], out[i], false, false)) return ADD_FAILURE(), true;
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfSearches) { check_searches(false); }
TEST(Parameters, OfSearchesOfSortedValues) { check_searches(true); }

void check_sortedness(bool columns) {
    check_every_value(GP_IS_SORTED, GP_INT32, [columns](const char *algorithm, size_t n) {
        const size_t batch = std::min<size_t>(n, columns ? 1300 : 3), length = n / batch;
        gp_is_sorted_options options = GP_IS_SORTED_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.batch = batch;
        options.stride_in = columns ? 1 : length;
        options.step_in = columns ? batch : 1;
        std::vector<int32_t> in(batch * length);
        std::vector<uint64_t> expected(batch);
        for (size_t row = 0; row < batch; ++row) {
            std::vector<int32_t> elements(length);
            std::iota(elements.begin(), elements.end(), 5);
            if (row % 2 == 0) elements[(row * 7919 + n / 3) % length] = 1;
            for (size_t i = 0; i < length; ++i) in[row * options.stride_in + i * options.step_in] = elements[i];
            expected[row] = reference::first_break(elements, false, false);
        }
        Guarded<uint64_t> out(batch);
        const gp_status status = gp_is_sorted(context(), GP_INT32, length, in.data(), out.data(), &options);
        if (!ran(GP_IS_SORTED, status, algorithm)) return false;
        EXPECT_TRUE(same_bits(expected, out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfIsSortedOfRows) { check_sortedness(false); }
TEST(Parameters, OfIsSortedOfColumns) { check_sortedness(true); }

// A product and an addition; both are exact.
TEST(Parameters, OfTransforms) {
    if (on_host()) GTEST_SKIP() << "the host can't run OpenCL C";
    check_every_value(GP_TRANSFORM, GP_INT32, [](const char *algorithm, size_t n) {
        gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
        options.algorithm = algorithm;
        const auto in = numbers<int32_t>(n, -9000, 9000);
        std::vector<int32_t> expected(n);
        for (size_t i = 0; i < n; ++i) expected[i] = 3 * in[i] + static_cast<int32_t>(i);
        const gp_dtype type = GP_INT32;
        const void *const source = in.data();
        Guarded<int32_t> out(n);
        const gp_status status =
            gp_transform(context(), n, 1, &type, &source, GP_INT32, out.data(), "3 * x0 + (int)i", &options);
        if (!ran(GP_TRANSFORM, status, algorithm)) return false;
        EXPECT_TRUE(same_bits(expected, out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

// Keys of which one in nine differs from the one before it.
std::vector<int32_t> keys_in_runs(size_t n) {
    std::vector<int32_t> keys(n);
    std::mt19937_64 random(n);
    for (size_t i = 1; i < n; ++i) keys[i] = keys[i - 1] + (random() % 9 == 0 ? 1 : 0);
    return keys;
}

TEST(Parameters, OfRunLengths) {
    check_every_value(GP_RUN_LENGTHS, GP_INT32, [](const char *algorithm, size_t n) {
        const auto keys = keys_in_runs(n);
        const auto firsts = reference::run_firsts(keys);
        std::vector<uint64_t> expected(firsts.size());
        for (size_t k = 0; k < firsts.size(); ++k)
            expected[k] = (k + 1 < firsts.size() ? firsts[k + 1] : n) - firsts[k];
        gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<uint64_t> lengths(expected.size());
        options.capacity = expected.size();
        uint64_t count = 0;
        const gp_status status =
            gp_run_lengths(context(), GP_INT32, n, keys.data(), nullptr, GP_UINT64, lengths.data(), &count, &options);
        if (!ran(GP_RUN_LENGTHS, status, algorithm)) return false;
        EXPECT_EQ(expected.size(), count);
        EXPECT_TRUE(same_bits(expected, lengths.values()));
        EXPECT_TRUE(lengths.intact());
        return true;
    });
}

TEST(Parameters, OfScanByKey) {
    check_every_value(GP_SCAN_BY_KEY, GP_INT32, [](const char *algorithm, size_t n) {
        std::vector<int32_t> keys(n);
        for (size_t i = 0; i < n; ++i) keys[i] = static_cast<int32_t>(i / 700);
        const auto values = numbers<int32_t>(n, -50, 50);
        const auto expected =
            reference::scan_by_key<int32_t>(keys, values, 0, false, [](int32_t a, int32_t b) { return a + b; });
        gp_scan_by_key_options options = GP_SCAN_BY_KEY_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<int32_t> out(n);
        const gp_status status =
            gp_scan_by_key(context(), GP_INT32, n, keys.data(), GP_INT32, values.data(), out.data(), &options);
        if (!ran(GP_SCAN_BY_KEY, status, algorithm)) return false;
        EXPECT_TRUE(same_bits(expected, out.values()) && out.intact());
        return true;
    });
}

TEST(Parameters, OfRepeat) {
    check_every_value(GP_REPEAT, GP_INT32, [](const char *algorithm, size_t n) {
        const auto in = numbers<int32_t>(n, 0, 1 << 20);
        const auto times = numbers<uint8_t>(n, 0, 3);
        const auto expected = reference::repeat(in, times);
        gp_repeat_options options = GP_REPEAT_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<int32_t> out(expected.size());
        uint64_t count = 0;
        const gp_status status = gp_repeat(context(), sizeof(int32_t), n, in.data(), GP_UINT8, times.data(),
                                           expected.size(), out.data(), &count, &options);
        if (!ran(GP_REPEAT, status, algorithm)) return false;
        EXPECT_EQ(expected.size(), count);
        EXPECT_TRUE(same_bits(expected, out.values()) && out.intact());
        return true;
    });
}

TEST(Parameters, OfUnique) {
    check_every_value(GP_UNIQUE, GP_INT32, [](const char *algorithm, size_t n) {
        const auto in = numbers<int32_t>(n, 0, static_cast<int>(n / 2));
        const auto distinct = reference::unique(in);
        const std::vector<uint32_t> inverse(distinct.inverse.begin(), distinct.inverse.end());
        const std::vector<uint32_t> firsts(distinct.firsts.begin(), distinct.firsts.end());
        gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.capacity = firsts.size();
        Guarded<uint32_t> our_firsts(firsts.size()), our_inverse(n);
        uint64_t count = 0;
        const gp_status status = gp_unique(context(), GP_INT32, n, in.data(), nullptr, GP_UINT32, our_firsts.data(),
                                           our_inverse.data(), nullptr, &count, &options);
        if (!ran(GP_UNIQUE, status, algorithm)) return false;
        EXPECT_EQ(firsts.size(), count);
        EXPECT_TRUE(same_bits(firsts, our_firsts.values()));
        EXPECT_TRUE(same_bits(inverse, our_inverse.values()));
        EXPECT_TRUE(our_firsts.intact() && our_inverse.intact());
        return true;
    });
}

void check_differences(bool columns) {
    check_every_value(GP_DIFFERENCE, GP_INT32, [columns](const char *algorithm, size_t n) {
        const size_t batch = std::min<size_t>(n, columns ? 1300 : 3), length = n / batch;
        gp_difference_options options = GP_DIFFERENCE_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.batch = batch;
        options.stride_in = options.stride_out = columns ? 1 : length;
        options.step_in = options.step_out = columns ? batch : 1;
        const auto in = numbers<int32_t>(batch * length, -9000, 9000);
        std::vector<int32_t> expected = in;
        for (size_t row = 0; row < batch; ++row)
            for (size_t i = 1; i < length; ++i)
                expected[row * options.stride_in + i * options.step_in] -=
                    in[row * options.stride_in + (i - 1) * options.step_in];
        Guarded<int32_t> out(batch * length);
        const gp_status status = gp_difference(context(), GP_INT32, length, in.data(), out.data(), &options);
        if (!ran(GP_DIFFERENCE, status, algorithm)) return false;
        EXPECT_TRUE(same_bits(expected, out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfReduceByKey) {
    check_every_value(GP_REDUCE_BY_KEY, GP_INT32, [](const char *algorithm, size_t n) {
        const auto keys = keys_in_runs(n);
        const auto values = exact_values<int32_t>(GP_ADD, n, false);
        std::vector<int32_t> expected;
        for (size_t i = 0; i < n; ++i) {
            if (i == 0 || keys[i] != keys[i - 1]) expected.push_back(0);
            expected.back() = reference::wrapping_add(expected.back(), values[i]);
        }
        gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<int32_t> sums(expected.size());
        options.capacity = expected.size();
        uint64_t count = 0;
        const gp_status status = gp_reduce_by_key(context(), GP_INT32, n, keys.data(), GP_INT32, values.data(), nullptr,
                                                  sums.data(), &count, &options);
        if (!ran(GP_REDUCE_BY_KEY, status, algorithm)) return false;
        EXPECT_EQ(expected.size(), count);
        EXPECT_TRUE(same_bits(expected, sums.values()));
        EXPECT_TRUE(sums.intact());
        return true;
    });
}

TEST(Parameters, OfDifferencesOfRows) { check_differences(false); }
TEST(Parameters, OfDifferencesOfColumns) { check_differences(true); }

// As many nodes, a few hundred at most: of a ring with some edges across.
TEST(Parameters, OfPaths) {
    std::map<size_t, reference::Paths<float>> known;
    check_every_value(GP_PATHS, GP_FLOAT32, [&](const char *algorithm, size_t n) {
        gp_paths_options options = GP_PATHS_OPTIONS_INIT;
        options.algorithm = algorithm;
        n = std::min<size_t>(n, max_n() < 1000 ? 33 : is_sanitized() ? 129 : 300);
        std::vector<float> edges(n * n, reference::kNoPath<float>);
        for (size_t i = 0; i < n; ++i)
            edges[i * n + (i + 1) % n] = edges[i * n + i * 7 % n] = static_cast<float>(i % 5);
        const reference::Paths<float> &expected = known.try_emplace(n, n, edges).first->second;
        Guarded<float> out(n * n);
        Guarded<int32_t> nodes(n * n);
        const bool wants_nodes = algorithm != nullptr && algorithm == std::string_view("tiles");
        const gp_status status = gp_paths(context(), GP_FLOAT32, n, edges.data(), n, out.data(), n,
                                          wants_nodes ? nodes.data() : nullptr, n, &options);
        if (!ran(GP_PATHS, status, algorithm)) return false;
        for (size_t i = 0; i < n * n; ++i)
            if (static_cast<double>(out[i]) != expected.length[i]) return ADD_FAILURE() << "element " << i, true;
        // The last edge of each path comes after a path that is shorter by its length.
        for (size_t i = 0; wants_nodes && i < n * n; ++i) {
            if (i / n == i % n) continue;
            const auto before = static_cast<size_t>(nodes[i]);
            if (before >= n || out[i / n * n + before] + edges[before * n + i % n] != out[i])
                return ADD_FAILURE() << "predecessor " << i, true;
        }
        EXPECT_TRUE(out.intact() && nodes.intact());
        return true;
    });
}

TEST(Parameters, OfReductionsOfRows) { check_matrices<int32_t>(GP_REDUCE, false); }
TEST(Parameters, OfReductionsOfColumns) { check_matrices<int32_t>(GP_REDUCE, true); }
TEST(Parameters, OfScansOfColumns) { check_matrices<int32_t>(GP_SCAN, true); }

// Of a long row, and of several short ones.
void check_top_ks(size_t batch) {
    check_every_value(GP_TOP_K, GP_FLOAT32, [batch](const char *algorithm, size_t n) {
        const size_t k = n / 30 + 1;
        gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.batch = batch;
        Guarded<float> in(numbers<float>(n * batch, -9000, 9000));
        Guarded<uint32_t> out(k * batch);
        const gp_status status =
            gp_top_k(context(), GP_DESCENDING, GP_FLOAT32, n, in.data(), k, GP_UINT32, out.data(), nullptr, &options);
        if (!ran(GP_TOP_K, status, algorithm)) return false;
        std::vector<uint32_t> expected;
        for (size_t row = 0; row < batch; ++row) {
            const std::vector<float> elements(in.data() + row * n, in.data() + (row + 1) * n);
            const auto places = reference::top_k(elements, k, true);
            expected.insert(expected.end(), places.begin(), places.end());
        }
        EXPECT_TRUE(same_bits(expected, out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfTopKs) { check_top_ks(1); }
TEST(Parameters, OfTopKsOfRows) { check_top_ks(3); }

template <class T> void check_sorts() {
    check_every_value(GP_SORT, dtype<T>(), [](const char *algorithm, size_t n) {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.algorithm = algorithm;
        std::mt19937_64 random(n);
        std::vector<T> expected(n);
        for (T &x : expected) x = static_cast<T>(random());
        Guarded<T> keys(expected);
        const std::array<uint64_t, 4> offsets = {0, n / 8, n / 8, n};
        const bool by_segments = algorithm != nullptr && std::string_view(algorithm).substr(0, 7) == "segment";
        if (by_segments) options.offsets = offsets.data();
        if (by_segments) options.segments = offsets.size() - 1;
        if (!ran(GP_SORT, gp_sort(context(), dtype<T>(), n, keys.data(), &options), algorithm)) return false;
        const auto middle = expected.begin() + static_cast<std::ptrdiff_t>(by_segments ? n / 8 : 0);
        std::sort(expected.begin(), middle);
        std::sort(middle, expected.end());
        EXPECT_TRUE(same_bits(expected, keys.values()));
        EXPECT_TRUE(keys.intact());
        return true;
    });
}

TEST(Parameters, OfSorts) {
    check_sorts<uint32_t>();
    if (thorough()) check_sorts<int64_t>();
}

// What a caller has to lend follows the values.
TEST(Parameters, OfSortsOnLentMemory) {
    if (on_host()) GTEST_SKIP() << "\"host\" lends nothing";
    for (const auto &each : parameters(GP_SORT, GP_UINT32)) {
        for (const size_t value : {each.values[0], each.values[each.value_count - 1]}) {
            SCOPED_TRACE(std::string(each.algorithm) + ", " + each.name + " " + std::to_string(value));
            ASSERT_OK(gp_parameter_set(context(), GP_SORT, GP_UINT32, each.algorithm, each.name, value));
            gp_sort_options options = GP_SORT_OPTIONS_INIT;
            const size_t n = std::min<size_t>(max_n(), 30'011);
            size_t bytes = 0;
            ASSERT_OK(gp_sort_work_bytes(context(), GP_UINT32, n, 0, 0, &options, &bytes));
            std::vector<uint32_t> expected(n);
            std::mt19937 random(5);
            for (uint32_t &x : expected) x = static_cast<uint32_t>(random());
            DeviceArray<uint32_t> keys(expected);
            ASSERT_OK(gp_buffer_create(context(), std::max<size_t>(bytes, 1), &options.work));
            options.work_bytes = bytes;
            EXPECT_OK(
                gp_enqueue_sort(context(), GP_UINT32, n, keys.buffer(), keys.offset(), &options, 0, nullptr, nullptr));
            EXPECT_OK(gp_finish(context()));
            EXPECT_OK(gp_buffer_free(options.work));
            std::sort(expected.begin(), expected.end());
            EXPECT_TRUE(same_bits(expected, keys.values()));
        }
        ASSERT_OK(gp_parameter_set(context(), GP_SORT, GP_UINT32, each.algorithm, each.name, 0));
    }
}

TEST(Parameters, OfHistograms) {
    check_every_value(GP_HISTOGRAM, GP_UINT8, [](const char *algorithm, size_t n) {
        gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
        options.algorithm = algorithm;
        const std::vector<uint8_t> in = numbers<uint8_t>(n, 0, 255);
        Guarded<uint64_t> counts(256);
        if (!ran(GP_HISTOGRAM, gp_histogram(context(), GP_UINT8, n, in.data(), 256, counts.data(), &options),
                 algorithm))
            return false;
        EXPECT_TRUE(same_bits(reference::histogram(in, 256), counts.values()));
        EXPECT_TRUE(counts.intact());
        return true;
    });
}

TEST(Parameters, OfWeightedHistograms) {
    check_every_value(GP_HISTOGRAM_WEIGHTED, GP_FLOAT32, [](const char *algorithm, size_t n) {
        std::mt19937_64 random(n);
        std::vector<float> values(n), weights(n);
        for (float &x : values) x = static_cast<float>(random() % 1000) / 900;
        for (float &w : weights)
            w = std::ldexp(static_cast<float>(random() % 2001) - 1000, static_cast<int>(random() % 60));
        Guarded<float> in(values), weighing(weights);
        for (const size_t bins : {size_t(5), size_t(max_n() <= 100 ? 200 : 1500)}) {
            Guarded<float> sums(bins);
            gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.upper = 1;
            const gp_status status = gp_histogram_weighted(context(), GP_FLOAT32, n, in.data(), GP_FLOAT32,
                                                           weighing.data(), bins, sums.data(), &options);
            if (!ran(GP_HISTOGRAM_WEIGHTED, status, algorithm)) continue;
            const auto cells = reference::bins_of(values, reference::even_edges<float>(bins, 0, 1));
            EXPECT_TRUE(same_bits(reference::sums_of<float>(cells, weights, bins), sums.values()));
            EXPECT_TRUE(sums.intact());
        }
        return true;
    });
}

// Even bins of floats, and bins that are not even. Unless all is to be tried, of the algorithms
// that no other test gives other parameters.
TEST(Parameters, OfHistogramsOfFloats) {
    check_every_value(GP_HISTOGRAM, GP_FLOAT32, [](const char *algorithm, size_t n) {
        const std::string_view named = algorithm != nullptr ? algorithm : "";
        if (!thorough() && !on_host() && named != "local-even" && named != "local-cells") return false;
        std::vector<float> in = numbers<float>(n, -500, 500);
        for (float &x : in) x *= 0.01f;
        bool any = false;
        for (const size_t bins : {size_t(300), size_t(0)}) {
            if (loses_turns(n, bins)) continue;
            const std::vector<double> edges =
                bins > 0 ? reference::even_edges<float>(bins, -4, 4) : std::vector<double>{-4, -1, 0, 0.1, 0.2, 3, 4.5};
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.lower = -4;
            options.upper = 4;
            if (bins == 0) options.edges = edges.data();
            Guarded<uint64_t> counts(edges.size() - 1);
            const gp_status status =
                gp_histogram(context(), GP_FLOAT32, n, in.data(), counts.size(), counts.data(), &options);
            if (!ran(GP_HISTOGRAM, status, algorithm)) continue;
            any = true;
            EXPECT_TRUE(same_bits(reference::histogram(in, edges), counts.values()));
            EXPECT_TRUE(counts.intact());
        }
        return any;
    });
}

// Coefficients of -1 keep whole numbers small, which are exact.
template <class T> void check_recurrences() {
    check_every_value(GP_RECURRENCE, dtype<T>(), [](const char *algorithm, size_t n) {
        gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
        options.algorithm = algorithm;
        const std::vector<T> in = numbers<T>(n, -3, 3), coefficients = {-1, -1};
        Guarded<T> out(n);
        if (!ran(GP_RECURRENCE,
                 gp_recurrence(context(), dtype<T>(), n, in.data(), out.data(), 2, coefficients.data(), &options),
                 algorithm))
            return false;
        EXPECT_TRUE(close_to<T>(reference::recurrence(widen(in), widen(coefficients), {0, 0}), out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

template <class T> void check_varying_recurrences() {
    check_every_value(GP_RECURRENCE_VARYING, dtype<T>(), [](const char *algorithm, size_t n) {
        gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
        options.algorithm = algorithm;
        const std::vector<T> in = numbers<T>(n, -3, 3), coefficients = numbers<T>(n + 1, -1, 1);
        const std::vector<T> first(coefficients.begin(), coefficients.begin() + static_cast<std::ptrdiff_t>(n));
        Guarded<T> out(n);
        if (!ran(GP_RECURRENCE_VARYING,
                 gp_recurrence_varying(context(), dtype<T>(), n, first.data(), in.data(), out.data(), &options),
                 algorithm))
            return false;
        EXPECT_TRUE(
            close_to<T>(reference::recurrence_varying(widen(first), widen(in), reference::Wide<T>(0)), out.values()));
        EXPECT_TRUE(out.intact());
        return true;
    });
}

TEST(Parameters, OfRecurrences) {
    check_recurrences<float>();
    if (thorough()) check_recurrences<double>();
}

TEST(Parameters, OfVaryingRecurrences) {
    check_varying_recurrences<float>();
    if (thorough()) check_varying_recurrences<double>();
}

} // namespace
