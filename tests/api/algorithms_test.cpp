// The list of algorithms: each listed one runs by its name where tests/ops/manifest says so, and
// gp_warmup prepares them.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <cstring>
#include <numeric>
#include <set>

namespace {

std::vector<gp_algorithm_info> algorithms(gp_operation operation) {
    size_t count = 0;
    EXPECT_OK(gp_algorithms(operation, &count));
    std::vector<gp_algorithm_info> result(count);
    for (size_t i = 0; i < count; ++i) {
        result[i].struct_size = sizeof result[i];
        EXPECT_OK(gp_algorithm_describe(operation, i, &result[i]));
    }
    return result;
}

// Runs a product of small whole numbers with the named algorithm; the test fails when it succeeds
// with a wrong result.
template <class T>
gp_status multiply(const char *name, gp_semiring semiring, size_t columns, gp_precision precision = GP_FULL) {
    constexpr size_t kSide = 12; // of rows that are multiples of 16 bytes
    std::vector<T> a(kSide * kSide), b(kSide * columns), expected(kSide * columns), c(kSide * columns);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(static_cast<int>(i * 7 % 11) - 5);
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<int>(i * 5 % 13) - 6);
    const bool is_min = semiring == GP_MIN_PLUS;
    for (size_t i = 0; i < kSide; ++i)
        for (size_t j = 0; j < columns; ++j) {
            T sum = is_min ? 100 : 0;
            for (size_t k = 0; k < kSide; ++k) {
                const T x = a[i * kSide + k], y = b[k * columns + j];
                sum = static_cast<T>(is_min ? std::min<T>(sum, static_cast<T>(x + y)) : sum + x * y); // wraps
            }
            expected[i * columns + j] = sum;
        }
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.algorithm = name;
    options.semiring = semiring;
    options.precision = precision;
    const gp_status status = gp_matmul(test::context(), test::dtype<T>(), kSide, columns, kSide, a.data(), kSide,
                                       b.data(), columns, c.data(), columns, &options);
    if (status == GP_SUCCESS) {
        EXPECT_EQ(expected, c);
    }
    return status;
}

// A product that the named algorithm does not refuse, if there is one: some do but one semiring,
// take a vector, or do without float32 in full.
gp_status multiply(const char *name) {
    gp_status status = multiply<float>(name, GP_PLUS_TIMES, 12);
    if (status == GP_ERROR_ALGORITHM_REFUSED) status = multiply<float>(name, GP_MIN_PLUS, 12);
    if (status == GP_ERROR_ALGORITHM_REFUSED) status = multiply<float>(name, GP_PLUS_TIMES, 1);
    if (status == GP_ERROR_ALGORITHM_REFUSED && !test::lacks(GP_FLOAT64))
        status = multiply<double>(name, GP_PLUS_TIMES, 12);
    if (status == GP_ERROR_ALGORITHM_REFUSED) status = multiply<int8_t>(name, GP_PLUS_TIMES, 12);
    if (status == GP_ERROR_ALGORITHM_REFUSED) status = multiply<float>(name, GP_PLUS_TIMES, 12, GP_FAST);
    return status;
}

// Runs a small problem with the named algorithm; the test fails when it succeeds with a wrong
// result.
gp_status run(gp_operation operation, const char *name) {
    constexpr size_t kN = 300;
    std::vector<int32_t> values(kN);
    for (size_t i = 0; i < kN; ++i) values[i] = static_cast<int32_t>((i * 7919) % 1000) - 500;
    std::vector<int32_t> expected = values, got = values;
    gp_status status = GP_ERROR_INTERNAL;
    if (operation == GP_MATMUL) {
        return multiply(name);
    } else if (operation == GP_SCAN) {
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.algorithm = name;
        std::partial_sum(values.begin(), values.end(), expected.begin());
        status = gp_scan(test::context(), GP_INT32, kN, values.data(), got.data(), &options);
    } else if (operation == GP_SORT) {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.algorithm = name;
        // Some take rows alone, and only short ones, some segments alone.
        const bool of_rows = name != nullptr && std::strncmp(name, "row-", 4) == 0;
        const bool of_segments = name != nullptr && std::strncmp(name, "segment", 7) == 0;
        const size_t part = of_rows || of_segments ? 10 : kN, n = of_rows ? part : kN;
        std::vector<uint32_t> offsets;
        for (size_t i = 0; i <= kN; i += part) offsets.push_back(static_cast<uint32_t>(i));
        options.batch = kN / n;
        if (of_segments) {
            options.segments = kN / part;
            options.offsets = offsets.data();
            options.offset_type = GP_UINT32;
        }
        for (size_t i = 0; i < kN; i += part)
            std::sort(expected.begin() + static_cast<std::ptrdiff_t>(i),
                      expected.begin() + static_cast<std::ptrdiff_t>(i + part));
        status = gp_sort(test::context(), GP_INT32, n, got.data(), &options);
    } else if (operation == GP_REDUCE) {
        gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
        options.algorithm = name;
        expected = {std::accumulate(values.begin(), values.end(), 0)};
        got = {0};
        status = gp_reduce(test::context(), GP_INT32, kN, values.data(), got.data(), &options);
    } else if (operation == GP_HISTOGRAM) {
        gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
        options.algorithm = name;
        const std::vector<uint8_t> bytes(values.begin(), values.end());
        std::vector<uint64_t> counts(256);
        expected.assign(256, 0);
        for (const uint8_t byte : bytes) ++expected[byte];
        status = gp_histogram(test::context(), GP_UINT8, kN, bytes.data(), 256, counts.data(), &options);
        const std::string why = gp_error_message();
        if (status == GP_ERROR_ALGORITHM_REFUSED && why.find("it counts float32") != std::string::npos) {
            const std::vector<float> floats(bytes.begin(), bytes.end());
            options.upper = 256;
            status = gp_histogram(test::context(), GP_FLOAT32, kN, floats.data(), 256, counts.data(), &options);
        }
        got.assign(counts.begin(), counts.end());
    } else if (operation == GP_RECURRENCE) {
        gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
        options.algorithm = name;
        const std::vector<float> in(values.begin(), values.end());
        std::vector<float> out(kN);
        const float one = 1; // running sums
        std::partial_sum(values.begin(), values.end(), expected.begin());
        status = gp_recurrence(test::context(), GP_FLOAT32, kN, in.data(), out.data(), 1, &one, &options);
        got.assign(out.begin(), out.end());
    } else if (operation == GP_RECURRENCE_VARYING) {
        gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
        options.algorithm = name;
        const std::vector<float> in(values.begin(), values.end()), ones(kN, 1.0f); // running sums
        std::vector<float> out(kN);
        std::partial_sum(values.begin(), values.end(), expected.begin());
        status = gp_recurrence_varying(test::context(), GP_FLOAT32, kN, ones.data(), in.data(), out.data(), &options);
        got.assign(out.begin(), out.end());
    } else if (operation == GP_ARG_REDUCE) {
        gp_arg_reduce_options options = GP_ARG_REDUCE_OPTIONS_INIT;
        options.algorithm = name;
        uint32_t position = 0;
        expected = {static_cast<int32_t>(std::max_element(values.begin(), values.end()) - values.begin())};
        status = gp_arg_reduce(test::context(), GP_MAXIMUM, GP_INT32, kN, values.data(), GP_UINT32, &position, nullptr,
                               &options);
        got = {static_cast<int32_t>(position)};
    } else if (operation == GP_TOP_K) {
        gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
        options.algorithm = name;
        constexpr size_t kCount = 3;
        got.resize(kCount);
        if (name != nullptr && std::string_view(name) == "filter") { // a sample of fewer is of no use on GPUs
            values.resize(9000);
            for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>((i * 7919) % 9001) - 500;
        }
        expected = values;
        std::sort(expected.begin(), expected.end());
        expected.resize(kCount);
        status = gp_top_k(test::context(), GP_ASCENDING, GP_INT32, values.size(), values.data(), kCount, GP_UINT32,
                          nullptr, got.data(), &options);
    } else if (operation == GP_MERGE) {
        gp_merge_options options = GP_MERGE_OPTIONS_INIT;
        options.algorithm = name;
        std::vector<int32_t> a(values.begin(), values.begin() + kN / 3), b(values.begin() + kN / 3, values.end());
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        expected = values;
        std::sort(expected.begin(), expected.end());
        got.resize(kN);
        status = gp_merge(test::context(), GP_INT32, a.size(), a.data(), b.size(), b.data(), got.data(), &options);
    } else if (operation == GP_MERGE_RUNS) {
        gp_merge_runs_options options = GP_MERGE_RUNS_OPTIONS_INIT;
        options.algorithm = name;
        const std::vector<uint64_t> offsets = {0, kN / 3, kN / 2, kN};
        for (size_t run = 0; run < 3; ++run)
            std::sort(values.begin() + static_cast<std::ptrdiff_t>(offsets[run]),
                      values.begin() + static_cast<std::ptrdiff_t>(offsets[run + 1]));
        expected = values;
        std::sort(expected.begin(), expected.end());
        got.resize(kN);
        status = gp_merge_runs(test::context(), GP_INT32, kN, values.data(), 3, offsets.data(), got.data(), &options);
    } else if (operation == GP_HISTOGRAM_WEIGHTED) {
        gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
        options.algorithm = name;
        std::vector<uint8_t> bytes(kN);
        std::vector<float> ones(kN, 1), sums(4);
        expected.assign(4, 0);
        for (size_t i = 0; i < kN; ++i) {
            bytes[i] = static_cast<uint8_t>(i % 4);
            ++expected[i % 4];
        }
        status = gp_histogram_weighted(test::context(), GP_UINT8, kN, bytes.data(), GP_FLOAT32, ones.data(), 4,
                                       sums.data(), &options);
        got.assign(sums.begin(), sums.end());
    } else if (operation == GP_SEARCH) {
        gp_search_options options = GP_SEARCH_OPTIONS_INIT;
        options.algorithm = name;
        std::vector<int32_t> sorted = values;
        std::sort(sorted.begin(), sorted.end());
        std::vector<uint32_t> positions(kN);
        for (size_t i = 0; i < kN; ++i)
            expected[i] =
                static_cast<int32_t>(std::lower_bound(sorted.begin(), sorted.end(), values[i]) - sorted.begin());
        status = gp_search(test::context(), GP_INT32, kN, sorted.data(), kN, values.data(), GP_UINT32, positions.data(),
                           &options);
        got.assign(positions.begin(), positions.end());
    } else if (operation == GP_IS_SORTED) {
        gp_is_sorted_options options = GP_IS_SORTED_OPTIONS_INIT;
        options.algorithm = name;
        uint64_t position = 0;
        expected = {static_cast<int32_t>(std::is_sorted_until(values.begin(), values.end()) - values.begin())};
        status = gp_is_sorted(test::context(), GP_INT32, kN, values.data(), &position, &options);
        got = {static_cast<int32_t>(position)};
    } else if (operation == GP_GATHER) {
        gp_gather_options options = GP_GATHER_OPTIONS_INIT;
        options.algorithm = name;
        std::vector<uint32_t> positions(kN);
        for (size_t i = 0; i < kN; ++i) positions[i] = static_cast<uint32_t>(kN - 1 - i);
        expected.assign(values.rbegin(), values.rend());
        got.resize(kN);
        status =
            gp_gather(test::context(), 4, kN, values.data(), GP_UINT32, kN, positions.data(), got.data(), &options);
    } else if (operation == GP_TRANSPOSE_MATRIX) {
        gp_transpose_matrix_options options = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
        options.algorithm = name;
        constexpr size_t kColumns = 7, kRows = kN / kColumns;
        expected.resize(kRows * kColumns);
        for (size_t i = 0; i < expected.size(); ++i) expected[i % kColumns * kRows + i / kColumns] = values[i];
        got.resize(expected.size());
        status = gp_transpose_matrix(test::context(), 4, kRows, kColumns, values.data(), kColumns, got.data(), kRows,
                                     &options);
    } else if (operation == GP_RUN_LENGTHS || operation == GP_REDUCE_BY_KEY) { // keys in pairs
        std::vector<int32_t> keys(kN), ones(kN, 1), sums(kN);
        std::vector<uint64_t> lengths(kN);
        uint64_t count = 0;
        for (size_t i = 0; i < kN; ++i) keys[i] = static_cast<int32_t>(i / 2);
        expected.assign((kN + 1) / 2, 2);
        if (kN % 2 != 0) expected.back() = 1;
        if (operation == GP_RUN_LENGTHS) {
            gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
            options.algorithm = name;
            status = gp_run_lengths(test::context(), GP_INT32, kN, keys.data(), nullptr, GP_UINT64, lengths.data(),
                                    &count, &options);
            got.assign(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(count));
        } else {
            gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
            options.algorithm = name;
            status = gp_reduce_by_key(test::context(), GP_INT32, kN, keys.data(), GP_INT32, ones.data(), nullptr,
                                      sums.data(), &count, &options);
            got.assign(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(count));
        }
    } else if (operation == GP_UNIQUE) { // each value stands several times, and far apart
        gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
        options.algorithm = name;
        constexpr size_t kValues = 40;
        std::vector<int32_t> in(kN);
        for (size_t i = 0; i < kN; ++i) in[i] = static_cast<int32_t>(i % kValues);
        expected.resize(kValues);
        std::iota(expected.begin(), expected.end(), 0);
        got.resize(kN);
        uint64_t count = 0;
        status = gp_unique(test::context(), GP_INT32, kN, in.data(), got.data(), GP_UINT64, nullptr, nullptr, nullptr,
                           &count, &options);
        got.resize(count);
    } else if (operation == GP_SCAN_BY_KEY) { // ones by keys in pairs
        gp_scan_by_key_options options = GP_SCAN_BY_KEY_OPTIONS_INIT;
        options.algorithm = name;
        std::vector<int32_t> keys(kN);
        const std::vector<int32_t> ones(kN, 1);
        expected.resize(kN);
        for (size_t i = 0; i < kN; ++i) {
            keys[i] = static_cast<int32_t>(i / 2);
            expected[i] = i % 2 == 0 ? 1 : 2;
        }
        got.resize(kN);
        status =
            gp_scan_by_key(test::context(), GP_INT32, kN, keys.data(), GP_INT32, ones.data(), got.data(), &options);
    } else if (operation == GP_REPEAT) { // each number twice
        gp_repeat_options options = GP_REPEAT_OPTIONS_INIT;
        options.algorithm = name;
        std::vector<int32_t> in(kN / 2);
        std::iota(in.begin(), in.end(), 0);
        const std::vector<uint8_t> twice(in.size(), 2);
        got.resize(in.size() * 2);
        expected.resize(got.size());
        for (size_t i = 0; i < got.size(); ++i) expected[i] = static_cast<int32_t>(i / 2);
        uint64_t count = 0;
        status = gp_repeat(test::context(), sizeof(int32_t), in.size(), in.data(), GP_UINT8, twice.data(), got.size(),
                           got.data(), &count, &options);
    } else if (operation == GP_PATHS) { // a ring: from each node to the one before it, all edges but one
        gp_paths_options options = GP_PATHS_OPTIONS_INIT;
        options.algorithm = name;
        constexpr size_t kNodes = 40;
        std::vector<int32_t> edges(kNodes * kNodes, INT32_MAX), lengths(edges.size());
        for (size_t i = 0; i < kNodes; ++i) edges[i * kNodes + (i + 1) % kNodes] = 2;
        status = gp_paths(test::context(), GP_INT32, kNodes, edges.data(), kNodes, lengths.data(), kNodes, nullptr,
                          kNodes, &options);
        expected = {2 * (kNodes - 1)};
        got = {lengths[kNodes - 1 + 0 * kNodes]};
    } else if (operation == GP_TRANSFORM) {
        gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
        options.algorithm = name;
        const gp_dtype type = GP_INT32;
        const void *const in = values.data();
        for (int32_t &value : expected) value = 3 * value + 1;
        status = gp_transform(test::context(), kN, 1, &type, &in, GP_INT32, got.data(), "3 * x0 + 1", &options);
    } else if (operation == GP_DIFFERENCE) {
        gp_difference_options options = GP_DIFFERENCE_OPTIONS_INIT;
        options.algorithm = name;
        std::adjacent_difference(values.begin(), values.end(), expected.begin());
        status = gp_difference(test::context(), GP_INT32, kN, values.data(), got.data(), &options);
    } else if (operation == GP_SELECT) { // every third
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.algorithm = name;
        std::vector<uint8_t> flags(kN);
        expected.clear();
        for (size_t i = 0; i < kN; i += 3) {
            flags[i] = 1;
            expected.push_back(values[i]);
        }
        uint64_t count = 0;
        got.resize(kN);
        status =
            gp_select(test::context(), sizeof(int32_t), kN, values.data(), flags.data(), got.data(), &count, &options);
        got.resize(count);
    }
    if (status == GP_SUCCESS) {
        EXPECT_EQ(expected, got);
    }
    return status;
}

// The caller's text is all that these compute, which "host" can't run.
bool needs_opencl(gp_operation operation) { return operation == GP_TRANSFORM; }

TEST(Algorithms, AreNamedAndExplained) {
    for (const gp_operation operation : test::operations()) {
        SCOPED_TRACE(operation);
        std::set<std::string> names;
        size_t on_host = 0, on_devices = 0;
        for (const gp_algorithm_info &info : algorithms(operation)) {
            EXPECT_STRNE("", info.name);
            EXPECT_GT(std::strlen(info.summary), 10u) << info.name;
            EXPECT_STRNE("", info.source) << info.name;
            EXPECT_TRUE(names.insert(info.name).second) << info.name << " is listed twice";
            ++(info.on_host != 0 ? on_host : on_devices);
        }
        EXPECT_EQ(needs_opencl(operation), on_host == 0);
        EXPECT_GE(on_devices, 1u);
    }
}

TEST(Algorithms, RunWhereTheManifestSaysAndNowhereElse) {
    for (const gp_operation operation : test::operations()) {
        if (test::on_host() && needs_opencl(operation)) {
            EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, run(operation, nullptr));
            continue;
        }
        for (const gp_algorithm_info &info : algorithms(operation)) {
            SCOPED_TRACE(test::name_of(operation) + " " + info.name + " on " + test::implementation());
            const bool listed = test::manifest().runs(operation, info.name, test::implementation());
            if (test::manifest().is_broken(operation, info.name, test::implementation())) continue;
            const gp_status status = run(operation, info.name);
            const std::string message = gp_error_message();
            if (status == GP_SUCCESS) {
                EXPECT_TRUE(listed) << "it runs here, and tests/ops/manifest does not say so";
            } else {
                EXPECT_EQ(GP_ERROR_ALGORITHM_REFUSED, status) << message;
                const auto &implementation =
                    test::implementation(); // `run` asks nothing that a reason of the line excludes
                EXPECT_EQ("", test::manifest().objection(operation, info.name, implementation, message));
                EXPECT_TRUE(!listed || test::manifest().is_family(implementation)) << message;
                EXPECT_NE(std::string::npos, message.find(info.name)) << message;
            }
        }
        EXPECT_EQ(GP_SUCCESS, run(operation, nullptr)) << gp_error_message();
    }
}

TEST(Algorithms, TheManifestHasThoseThereAre) {
    for (const gp_operation operation : test::operations()) {
        std::set<std::string> listed, written;
        for (const gp_algorithm_info &info : algorithms(operation)) listed.insert(info.name);
        for (const auto &row : test::manifest().rows())
            if (row.operation == operation) written.insert(row.algorithm);
        EXPECT_EQ(listed, written) << test::name_of(operation);
    }
}

// Steps of a ladder run when they are named only: each operation has others.
TEST(Algorithms, SomeAreNoSteps) {
    for (const gp_operation operation : test::operations()) {
        size_t on_host = 0, on_devices = 0;
        for (const gp_algorithm_info &info : algorithms(operation)) {
            EXPECT_TRUE(info.by_name == 0 || info.by_name == 1) << info.name;
            if (info.by_name == 0) ++(info.on_host != 0 ? on_host : on_devices);
        }
        EXPECT_EQ(needs_opencl(operation), on_host == 0);
        EXPECT_GE(on_devices, 1u);
    }
}

TEST(Algorithms, AnUnknownNameListsThoseThereAre) {
    for (const gp_operation operation : test::operations()) {
        if (test::on_host() && needs_opencl(operation)) continue; // which is told first
        EXPECT_EQ(GP_ERROR_ALGORITHM, run(operation, "bogosort"));
        const std::string message = gp_error_message();
        EXPECT_NE(std::string::npos, message.find("bogosort")) << message;
        for (const gp_algorithm_info &info : algorithms(operation)) {
            run(operation, "bogosort");
            EXPECT_NE(std::string::npos, message.find(info.name)) << message;
        }
        EXPECT_EQ(GP_ERROR_ALGORITHM, run(operation, "")) << "an empty name is no name";
    }
}

// A device may refuse the algorithm, but the name is known; messages and lists have the new one.
TEST(Algorithms, EarlierNamesAreAccepted) {
    const struct {
        gp_operation operation;
        const char *old_name, *name;
    } renamed[] = {{GP_SCAN, "waves", "look-back"},
                   {GP_SCAN, "staged-waves", "staged-look-back"},
                   {GP_SCAN, "waves-no-wait", "look-back-fallback"},
                   {GP_SCAN, "staged-waves-no-wait", "staged-look-back-fallback"},
                   {GP_RECURRENCE, "staged-look-back-no-wait", "staged-look-back-fallback"},
                   {GP_RECURRENCE_VARYING, "look-back-no-wait", "look-back-fallback"}};
    for (const auto &one : renamed) {
        const gp_status status = run(one.operation, one.old_name);
        EXPECT_EQ(status, run(one.operation, one.name)) << one.old_name;
        if (status == GP_SUCCESS) continue;
        EXPECT_EQ(GP_ERROR_ALGORITHM_REFUSED, status) << one.old_name;
        const std::string message = gp_error_message();
        EXPECT_NE(std::string::npos, message.find(std::string("\"") + one.name + "\"")) << message;
    }
}

TEST(Algorithms, OperationsHaveNames) {
    EXPECT_STREQ("matmul", gp_operation_name(GP_MATMUL));
    EXPECT_STREQ("recurrence-varying", gp_operation_name(GP_RECURRENCE_VARYING));
    std::set<std::string> names;
    for (const gp_operation operation : test::operations())
        EXPECT_TRUE(names.insert(gp_operation_name(operation)).second);
    EXPECT_GE(names.size(), 8U);
    const auto past = static_cast<gp_operation>(names.size() + 1);
    for (const gp_operation bad : {0, -1, past, 1000}) EXPECT_STREQ("unknown", gp_operation_name(bad));
}

TEST(Algorithms, BadArgumentsAreRefused) {
    size_t count = 0;
    gp_algorithm_info info{};
    info.struct_size = sizeof info;
    const auto past = static_cast<gp_operation>(test::operations().size() + 1);
    for (const gp_operation bad : {0, -1, past, 1000}) {
        EXPECT_EQ(GP_ERROR_OPERATION, gp_algorithms(bad, &count));
        EXPECT_EQ(GP_ERROR_OPERATION, gp_algorithm_describe(bad, 0, &info));
        EXPECT_EQ(GP_ERROR_OPERATION, gp_warmup(test::context(), bad, GP_INT32));
    }
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_algorithms(GP_SCAN, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_algorithm_describe(GP_SCAN, 0, nullptr));
    ASSERT_OK(gp_algorithms(GP_SCAN, &count));
    EXPECT_EQ(GP_ERROR_INDEX, gp_algorithm_describe(GP_SCAN, count, &info));
    info.struct_size = 0;
    EXPECT_EQ(GP_ERROR_STRUCT_SIZE, gp_algorithm_describe(GP_SCAN, 0, &info));
}

// Whether an operation computes with elements. The others compare or count them bit for bit.
bool computes(gp_operation operation) {
    return operation == GP_MATMUL || operation == GP_SCAN || operation == GP_REDUCE || operation == GP_RECURRENCE ||
           operation == GP_RECURRENCE_VARYING || operation == GP_PATHS || operation == GP_TRANSFORM ||
           operation == GP_DIFFERENCE || operation == GP_REDUCE_BY_KEY || operation == GP_SCAN_BY_KEY;
}

TEST(Algorithms, WarmUpTakesWhatTheOperationTakes) {
    EXPECT_OK(gp_warmup(test::context(), GP_HISTOGRAM, GP_UINT8));
    EXPECT_OK(gp_warmup(test::context(), GP_HISTOGRAM, GP_FLOAT64));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_warmup(test::context(), GP_RECURRENCE, GP_INT32));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_warmup(test::context(), GP_RECURRENCE_VARYING, GP_INT32));
    size_t turn = 0;
    for (const gp_operation operation : test::operations()) {
        if (test::on_host() && needs_opencl(operation)) {
            EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_warmup(test::context(), operation, GP_INT32));
            continue;
        }
        const bool takes_int32 = operation != GP_RECURRENCE && operation != GP_RECURRENCE_VARYING;
        const bool refuses_float64 = test::lacks(GP_FLOAT64) && computes(operation);
        // Where programs are spared, an operation is warmed up for one type, the next for another.
        const auto takes = [&](size_t type) { return !test::spares_programs() || turn % 3 == type; };
        ++turn;
        if (takes_int32 && takes(0)) {
            EXPECT_OK(gp_warmup(test::context(), operation, GP_INT32));
        }
        if (takes(1) || (!takes_int32 && takes(0))) {
            EXPECT_OK(gp_warmup(test::context(), operation, GP_FLOAT32));
        }
        if (takes(2) || refuses_float64) {
            EXPECT_EQ(refuses_float64 ? GP_ERROR_UNSUPPORTED_TYPE : GP_SUCCESS,
                      gp_warmup(test::context(), operation, GP_FLOAT64))
                << "operation " << operation << ": " << gp_error_message();
        }
    }
    EXPECT_OK(gp_warmup(test::context(), GP_MATMUL, GP_FLOAT16));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_warmup(test::context(), GP_SCAN, GP_FLOAT16));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_warmup(test::context(), GP_MATMUL, GP_UINT32));
}

} // namespace
