// Shortest paths of every type, of graphs of many kinds, with and without predecessors, against
// three nested loops.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/paths.h"
#include "support/process_memory.h"

#include <array>

namespace {

using namespace test;
using reference::kNoPath;

using Types = testing::Types<float, double, int32_t, int16_t>;

struct TypeNames {
    template <class T> static std::string GetName(int) { return gp_dtype_name(dtype<T>()); }
};

template <class T> class Paths : public testing::Test {};
TYPED_TEST_SUITE(Paths, Types, TypeNames);

// All lengths are whole numbers, so that sums are exact in any order.
enum class Graph { dense, sparse, ties, negative, chain, none, nan };
constexpr std::array kGraphs = {Graph::dense, Graph::sparse, Graph::ties, Graph::negative,
                                Graph::chain, Graph::none,   Graph::nan};
constexpr std::array kNames = {"dense", "sparse", "ties", "negative", "chain", "none", "nan"};

template <class T> std::vector<T> edges_of(Graph graph, size_t n) {
    std::mt19937_64 random(n * 10 + static_cast<size_t>(graph));
    const auto below = [&](size_t most) { return static_cast<int>(random() % most); };
    std::vector<int> heights(n);
    for (int &height : heights) height = below(100);
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<T> edges(n * n, kNoPath<T>);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            T &edge = edges[i * n + j];
            const bool few = random() % n < 3;
            switch (graph) {
            case Graph::dense: edge = static_cast<T>(below(1000)); break;
            case Graph::sparse:
                if (few) edge = static_cast<T>(below(100));
                break;
            case Graph::ties:
                if (random() % 4 == 0) edge = static_cast<T>(below(3) == 2 ? 1 : 0);
                break;
            case Graph::negative: // whose cycles are not: what a height adds here, it takes away there
                if (few || random() % 8 == 0)
                    edge = static_cast<T>(i == j ? 0 : below(20) / 3 + heights[i] - heights[j]);
                break;
            case Graph::none:
            case Graph::chain: break;
            case Graph::nan:
                if (random() % 2 == 0) edge = static_cast<T>(below(50));
                if constexpr (std::is_floating_point_v<T>)
                    if (random() % 3 == 0) edge = std::numeric_limits<T>::quiet_NaN();
                break;
            }
        }
    }
    if (graph == Graph::chain)
        for (size_t i = 0; i + 1 < n; ++i) edges[order[i] * n + order[i + 1]] = static_cast<T>(i % 3);
    return edges;
}

// A matrix as it lies in memory; what is between its rows must stay.
template <class T> struct Matrix {
    size_t n, ld;
    Guarded<T> values;
    static constexpr T kBetween = T(77);

    Matrix(size_t nodes, size_t gap) : n(nodes), ld(nodes + gap), values(n == 0 ? 0 : (n - 1) * ld + n) {
        std::fill_n(values.data(), values.size(), kBetween);
    }
    Matrix(size_t nodes, size_t gap, const std::vector<T> &elements) : Matrix(nodes, gap) {
        for (size_t i = 0; i < n; ++i) std::copy_n(elements.begin() + static_cast<ptrdiff_t>(i * n), n, row(i));
    }
    T *row(size_t i) { return values.data() + i * ld; }
    std::vector<T> elements() {
        std::vector<T> result;
        for (size_t i = 0; i < n; ++i) result.insert(result.end(), row(i), row(i) + n);
        return result;
    }
    bool intact() {
        for (size_t i = 0; i + 1 < n; ++i)
            if (std::any_of(row(i) + n, row(i + 1), [](T x) { return x != kBetween; })) return false;
        return values.intact();
    }
};

template <class T>
testing::AssertionResult has_lengths(const reference::Paths<T> &expected, const std::vector<T> &got) {
    const auto value = [&](size_t i) { return expected.exists[i] ? static_cast<T>(expected.length[i]) : kNoPath<T>; };
    return none(
        got.size(), [&](size_t i) { return got[i] != value(i); },
        [&](size_t i) { return "expected " + text(value(i)) + ", got " + text(got[i]); });
}

// Any shortest path is right: the predecessors lead back, along edges whose lengths add up.
template <class T> testing::AssertionResult has_paths(const reference::Paths<T> &expected, const std::vector<T> &edges,
                                                      const std::vector<int32_t> &predecessors) {
    const size_t n = expected.n;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            const int32_t first = predecessors[i * n + j];
            const bool has_none = i == j || !expected.exists[i * n + j];
            if ((first == -9999) != has_none)
                return testing::AssertionFailure() << "predecessor of " << j << " from " << i << " is " << first;
            reference::Length<T> length = 0;
            size_t at = j;
            for (size_t step = 0; at != i && !has_none; ++step) {
                const int32_t before = predecessors[i * n + at];
                if (before < 0 || static_cast<size_t>(before) >= n || step == n)
                    return testing::AssertionFailure() << "from " << j << " nothing leads back to " << i << ", "
                                                       << before << " before " << at << " in step " << step;
                const T edge = edges[static_cast<size_t>(before) * n + at];
                if (!reference::Paths<T>::is_edge(edge))
                    return testing::AssertionFailure() << "there is no edge from " << before << " to " << at;
                length += static_cast<reference::Length<T>>(edge);
                at = static_cast<size_t>(before);
            }
            if (!has_none && length != expected.length[i * n + j])
                return testing::AssertionFailure() << "the path from " << i << " to " << j << " has length " << length
                                                   << ", expected " << expected.length[i * n + j];
        }
    }
    return testing::AssertionSuccess();
}

struct Form {
    bool predecessors = false, in_place = false;
    size_t gap = 0; // what the leading dimensions have beyond a row: this for in, twice for out, thrice beyond
};

template <class T> void check(const std::vector<T> &edges, size_t n, const Form &form, bool named = true) {
    const reference::Paths<T> expected(n, edges);
    ASSERT_FALSE(expected.has_negative_cycle());
    for (const char *algorithm : algorithms(GP_PATHS, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE("n = " + std::to_string(n) + ", gap " + std::to_string(form.gap) +
                     (form.predecessors ? ", predecessors, " : ", ") + (form.in_place ? "in place, " : "") +
                     name(algorithm));
        gp_paths_options options = GP_PATHS_OPTIONS_INIT;
        options.algorithm = algorithm;
        uint64_t negative = 7;
        options.negative_cycle = n % 2 == 0 ? &negative : nullptr;
        Matrix<T> in(n, form.gap, edges), out(n, 2 * form.gap);
        Matrix<int32_t> nodes(n, 3 * form.gap);
        Matrix<T> &result = form.in_place ? in : out;
        const gp_status status =
            gp_paths(context(), dtype<T>(), n, in.values.data(), in.ld, result.values.data(), result.ld,
                     form.predecessors ? nodes.values.data() : nullptr, nodes.ld, &options);
        if (refused(GP_PATHS, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(has_lengths(expected, result.elements()));
        if (form.predecessors) {
            ASSERT_TRUE(has_paths(expected, edges, nodes.elements()));
        }
        ASSERT_TRUE(in.intact() && out.intact() && nodes.intact()) << "what is not the matrix was overwritten";
        if (!form.in_place) {
            ASSERT_TRUE(same_bits(edges, in.elements())) << "the input was changed";
        }
        if (options.negative_cycle != nullptr) {
            ASSERT_EQ(0u, negative);
        }
    }
}

bool is_slow() { return max_n() <= 1000; } // a simulator

// As many nodes as a device, or a type that shows nothing new there, has time for.
template <class T> size_t most_nodes() {
    if (is_slow()) return 40;
    if (is_sanitized()) return 140;
    if (std::string_view(device().platform) == "rusticl" && !all_types()) return std::is_same_v<T, float> ? 140 : 70;
    return on_host() || all_types() || std::is_same_v<T, float> ? 400 : 140;
}

TYPED_TEST(Paths, EverySizeAndGraph) {
    using T = TypeParam;
    if (lacks(dtype<T>())) GTEST_SKIP() << "the device lacks float64";
    for (const size_t n : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 97u, 127u, 128u, 129u, 257u, 307u}) {
        if (n > most_nodes<T>()) continue;
        for (const Graph graph : kGraphs) {
            const auto number = static_cast<size_t>(graph);
            if ((n > 100 || is_slow()) && (n + number) % (is_slow() ? 7 : 3) != 0) continue;
            SCOPED_TRACE(kNames[number]);
            for (const bool predecessors : {false, true}) {
                const bool odd = (n + number + predecessors) % 2 != 0;
                check(edges_of<T>(graph, n), n, {predecessors, odd, number % 2 * 5});
                if (this->HasFatalFailure()) return;
            }
        }
    }
}

// Between blocks of blocks.
TYPED_TEST(Paths, BlocksOfEveryDepth) {
    using T = TypeParam;
    if (lacks(dtype<T>())) GTEST_SKIP() << "the device lacks float64";
    if (on_host() || most_nodes<T>() < 300) GTEST_SKIP() << "without blocks, or too slow";
    ASSERT_OK(gp_parameter_set(context(), GP_PATHS, dtype<T>(), "products", "block", 128));
    for (const size_t n : {129u, 256u, 300u}) check(edges_of<T>(Graph::negative, n), n, {false, false, 3});
    ASSERT_OK(gp_parameter_set(context(), GP_PATHS, dtype<T>(), "products", "block", 0));
}

TYPED_TEST(Paths, BuffersAtOddOffsets) {
    using T = TypeParam;
    if (lacks(dtype<T>())) GTEST_SKIP() << "the device lacks float64";
    for (const size_t n : {size_t{1}, size_t{33}, size_t{70}}) {
        if (n > most_nodes<T>()) continue;
        const auto edges = edges_of<T>(Graph::sparse, n);
        const reference::Paths<T> expected(n, edges);
        for (const bool in_place : {false, true}) {
            DeviceArray<T> in(edges, 3), out(std::vector<T>(n * n), 5);
            DeviceArray<int32_t> nodes(std::vector<int32_t>(n * n), 1);
            DeviceArray<uint64_t> negative({7}, 3);
            const DeviceArray<T> &to = in_place ? in : out;
            gp_paths_options options = GP_PATHS_OPTIONS_INIT;
            options.negative_cycle_buffer = negative.buffer();
            options.negative_cycle_offset = negative.offset();
            ASSERT_OK(gp_enqueue_paths(context(), dtype<T>(), n, in.buffer(), in.offset(), n, to.buffer(), to.offset(),
                                       n, nodes.buffer(), nodes.offset(), n, &options, 0, nullptr, nullptr));
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(has_lengths(expected, to.values()));
            ASSERT_TRUE(has_paths(expected, edges, nodes.values()));
            ASSERT_EQ(std::vector<uint64_t>{0}, negative.values());
            if (!in_place) {
                ASSERT_TRUE(same_bits(edges, in.values()));
            }
        }
    }
}

// Wherever the cycle is, and however short.
TYPED_TEST(Paths, NegativeCyclesAreFound) {
    using T = TypeParam;
    if (lacks(dtype<T>())) GTEST_SKIP() << "the device lacks float64";
    for (const size_t n : {1u, 2u, 33u, 70u, 133u}) {
        if (n > most_nodes<T>()) continue;
        for (const size_t length : {size_t{1}, size_t{2}, n / 2, n}) {
            if (length == 0 || length > n) continue;
            for (const Graph graph : {Graph::none, Graph::dense, Graph::negative}) {
                if (is_slow() && (n + length + static_cast<size_t>(graph)) % 3 != 0) continue;
                auto edges = edges_of<T>(graph, n);
                const size_t first = n - length; // the nodes of the cycle are the last ones
                for (size_t i = first; i < n; ++i) edges[i * n + (i + 1 < n ? i + 1 : first)] = static_cast<T>(-1);
                for (const char *algorithm : algorithms(GP_PATHS, std::is_same_v<T, float> || all_types())) {
                    SCOPED_TRACE("n = " + std::to_string(n) + ", length " + std::to_string(length) + ", " +
                                 kNames[static_cast<size_t>(graph)] + ", " + name(algorithm));
                    gp_paths_options options = GP_PATHS_OPTIONS_INIT;
                    options.algorithm = algorithm;
                    uint64_t negative = 7;
                    options.negative_cycle = &negative;
                    std::vector<T> out(n * n);
                    std::vector<int32_t> nodes(n * n);
                    const bool predecessors = length % 2 == 0;
                    const gp_status status = gp_paths(context(), dtype<T>(), n, edges.data(), n, out.data(), n,
                                                      predecessors ? nodes.data() : nullptr, n, &options);
                    if (refused(GP_PATHS, algorithm, status)) continue;
                    ASSERT_OK(status);
                    ASSERT_EQ(1u, negative);
                    bool any = false;
                    for (size_t i = 0; i < n; ++i) any = any || out[i * n + i] < 0;
                    ASSERT_TRUE(any);
                }
            }
        }
    }
}

// Sums of real numbers, in whatever order: each is a path's length but for rounding.
TYPED_TEST(Paths, RealLengths) {
    using T = TypeParam;
    if (std::is_integral_v<T> || lacks(dtype<T>())) GTEST_SKIP() << "no real numbers";
    for (const size_t n : {33u, 129u, 211u}) {
        if (n > most_nodes<T>()) continue;
        std::mt19937_64 random(n);
        std::vector<T> edges(n * n);
        for (T &edge : edges)
            edge =
                random() % 8 == 0 ? static_cast<T>(std::uniform_real_distribution<double>(0, 1)(random)) : kNoPath<T>;
        const reference::Paths<T> expected(n, edges);
        const double eps = std::numeric_limits<T>::epsilon();
        for (const char *algorithm : algorithms(GP_PATHS)) {
            SCOPED_TRACE(std::to_string(n) + ", " + name(algorithm));
            gp_paths_options options = GP_PATHS_OPTIONS_INIT;
            options.algorithm = algorithm;
            std::vector<T> out(n * n);
            const gp_status status =
                gp_paths(context(), dtype<T>(), n, edges.data(), n, out.data(), n, nullptr, n, &options);
            if (refused(GP_PATHS, algorithm, status)) continue;
            ASSERT_OK(status);
            for (size_t i = 0; i < n * n; ++i) {
                const auto length = static_cast<double>(expected.length[i]);
                ASSERT_EQ(expected.exists[i] != 0, out[i] != kNoPath<T>) << "element " << i;
                if (!expected.exists[i]) continue;
                ASSERT_LE(std::fabs(static_cast<double>(out[i]) - length), 50 * eps * length) << "element " << i;
            }
        }
    }
}

// Up to a sixth of the largest value.
TYPED_TEST(Paths, LongIntegers) {
    using T = TypeParam;
    if constexpr (std::is_integral_v<T>) {
        constexpr T most = std::numeric_limits<T>::max() / 6, none = kNoPath<T>;
        const std::vector<T> edges = {0,    most, none, none,  none,        //
                                      none, 0,    none, none,  none,        //
                                      none, none, 0,    -most, none,        //
                                      none, none, none, 5,     T(most + 1), //
                                      none, none, none, none,  none};
        const std::vector<T> expected = {0,    most, none, none,  none, //
                                         none, 0,    none, none,  none, //
                                         none, none, 0,    -most, none, //
                                         none, none, none, 0,     none, //
                                         none, none, none, none,  0};
        for (const char *algorithm : algorithms(GP_PATHS)) {
            gp_paths_options options = GP_PATHS_OPTIONS_INIT;
            options.algorithm = algorithm;
            std::vector<T> out(25);
            const gp_status status =
                gp_paths(context(), dtype<T>(), 5, edges.data(), 5, out.data(), 5, nullptr, 5, &options);
            if (refused(GP_PATHS, algorithm, status)) continue;
            ASSERT_OK(status);
            EXPECT_TRUE(same_bits(expected, out)) << name(algorithm);
        }
    }
}

class PathsArguments : public testing::Test {
  protected:
    gp_status call(gp_dtype type = GP_INT32, size_t n = 3, size_t ld = 3) {
        return gp_paths(context(), type, n, in_.data(), ld, out_.data(), ld, nodes_.data(), ld, &options_);
    }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(9, 9), out_);
        EXPECT_EQ(std::vector<int32_t>(9, 9), nodes_);
    }
    std::vector<int32_t> in_ = {0, 4, 9, INT32_MAX, 0, 1, INT32_MAX, INT32_MAX, 0};
    std::vector<int32_t> out_ = std::vector<int32_t>(9, 9), nodes_ = std::vector<int32_t>(9, 9);
    gp_paths_options options_ = GP_PATHS_OPTIONS_INIT;
};

TEST_F(PathsArguments, TheSmallGraph) {
    ASSERT_OK(call());
    EXPECT_EQ((std::vector<int32_t>{0, 4, 5, INT32_MAX, 0, 1, INT32_MAX, INT32_MAX, 0}), out_);
    EXPECT_EQ((std::vector<int32_t>{-9999, 0, 1, -9999, -9999, 1, -9999, -9999, -9999}), nodes_);
}

TEST_F(PathsArguments, Errors) {
    refuses(GP_ERROR_DTYPE, call(GP_INT64), "dtype");
    refuses(GP_ERROR_DTYPE, call(GP_FLOAT16), "dtype");
    refuses(GP_ERROR_LEADING_DIMENSION, call(GP_INT32, 3, 2), "ld_in is 2; expected at least n, which is 3");
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, call(), "there are");
    options_ = GP_PATHS_OPTIONS_INIT;
    options_.algorithm = "products";
    refuses(GP_ERROR_ALGORITHM_REFUSED, call(), on_host() ? "OpenCL device" : "no predecessors");
    options_ = GP_PATHS_OPTIONS_INIT;
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, call(), "struct_size");
    options_ = GP_PATHS_OPTIONS_INIT;
    options_.negative_cycle_offset = 1;
    refuses(GP_ERROR_OPTION, call(), "options->negative_cycle_offset is 1");
    options_ = GP_PATHS_OPTIONS_INIT;
    options_.negative_cycle_buffer = reinterpret_cast<gp_buffer *>(&options_);
    refuses(GP_ERROR_OPTION, call(), "options->negative_cycle_buffer is for gp_enqueue_paths");
    const auto with = [&](const void *in, void *out, int32_t *nodes, size_t n = 3, size_t ld = 3, size_t ld_out = 3) {
        return gp_paths(context(), GP_INT32, n, in, ld, out, ld_out, nodes, ld_out, nullptr);
    };
    refuses(GP_ERROR_NULL_POINTER, with(nullptr, out_.data(), nullptr), "in");
    refuses(GP_ERROR_NULL_POINTER, with(in_.data(), nullptr, nullptr), "out");
    refuses(GP_ERROR_LEADING_DIMENSION, with(in_.data(), out_.data(), nullptr, 3, 3, 1), "ld_out is 1");
    refuses(GP_ERROR_ALIGNMENT, with(reinterpret_cast<char *>(in_.data()) + 1, out_.data(), nullptr), "in");
    const auto odd = [](std::vector<int32_t> &array) {
        return reinterpret_cast<int32_t *>(reinterpret_cast<char *>(array.data()) + 1);
    };
    refuses(GP_ERROR_ALIGNMENT, with(in_.data(), out_.data(), odd(nodes_), 2), "predecessors is");
    std::vector<uint64_t> negative(2);
    options_ = GP_PATHS_OPTIONS_INIT;
    options_.negative_cycle = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(negative.data()) + 4);
    refuses(GP_ERROR_ALIGNMENT, call(), "options->negative_cycle is");
    refuses(GP_ERROR_OVERLAP, with(out_.data() + 1, out_.data(), nullptr, 2), "in and out overlap");
    refuses(GP_ERROR_OVERLAP, with(out_.data(), out_.data(), nullptr, 2, 3, 2), "in and out overlap");
    refuses(GP_ERROR_OVERLAP, with(in_.data(), out_.data(), out_.data()), "predecessors overlaps out");
    refuses(GP_ERROR_OVERLAP, with(nodes_.data(), out_.data(), nodes_.data()), "predecessors overlaps in");
    refuses(GP_ERROR_SIZE_OVERFLOW, with(in_.data(), out_.data(), nullptr, ~size_t{0}, ~size_t{0}, ~size_t{0}),
            "n rows of in");
}

TEST_F(PathsArguments, ErrorsOfBuffers) {
    DeviceArray<int32_t> in(in_), out(out_);
    const auto enqueue = [&](gp_buffer *to, size_t in_offset, size_t out_offset, size_t ld = 3) {
        return gp_enqueue_paths(context(), GP_INT32, 3, in.buffer(), in_offset, ld, to, out_offset, 3, nullptr, 0, 3,
                                &options_, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(out.buffer(), 7, 3));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(out.buffer(), 3, 7));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(out.buffer(), 3, 3, 6));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, enqueue(nullptr, 3, 3));
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(in.buffer(), 3, 4));
    uint64_t negative = 7;
    options_.negative_cycle = &negative;
    EXPECT_EQ(GP_ERROR_OPTION, enqueue(out.buffer(), 3, 3));
    options_.negative_cycle = nullptr;
    options_.negative_cycle_buffer = out.buffer();
    options_.negative_cycle_offset = 1;
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(out.buffer(), 3, 3));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ(out_, out.values());
}

TEST_F(PathsArguments, NoNodesHaveNoCycle) {
    uint64_t negative = 7;
    options_.negative_cycle = &negative;
    EXPECT_OK(gp_paths(context(), GP_FLOAT32, 0, nullptr, 0, nullptr, 0, nullptr, 0, &options_));
    EXPECT_EQ(0u, negative);
    DeviceArray<uint64_t> flag({7});
    options_.negative_cycle = nullptr;
    options_.negative_cycle_buffer = flag.buffer();
    options_.negative_cycle_offset = flag.offset();
    EXPECT_OK(gp_enqueue_paths(context(), GP_FLOAT32, 0, nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0, &options_, 0,
                               nullptr, nullptr));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ(std::vector<uint64_t>{0}, flag.values());
}

TEST_F(PathsArguments, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    gp_event *event = nullptr;
    options_.event = &event;
    ASSERT_OK(call());
    ASSERT_OK(gp_profile(context(), 0));
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_OK(gp_event_timing(event, &timing));
    EXPECT_GE(timing.commands, 1u);
    EXPECT_OK(gp_event_free(event));
}

} // namespace
