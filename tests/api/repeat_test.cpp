// Calls on buffers that are made again and again, which the library repeats from what it remembers
// of the first ones (lib/cl/recording.h): with the same buffers, others, freed ones, ones that are
// too small, and what else may change between two calls that look alike.
// SPDX-License-Identifier: MIT
#include "reference/paths.h"
#include "support/support.h"

#include <memory>
#include <numeric>
#include <thread>

namespace {

using Ints = std::vector<int32_t>;

constexpr size_t kRounds = 6; // the first two or three are no repetitions

// Of sizes that interpreted kernels take too, and on others of several launches.
std::vector<size_t> some_sizes() {
    std::vector<size_t> sizes = {1, 33, 90};
    if (test::max_n() >= 20000) sizes.push_back(20000);
    return sizes;
}

Ints numbers(size_t n, size_t seed) {
    Ints result(n);
    for (size_t i = 0; i < n; ++i) result[i] = static_cast<int32_t>((i * 7919 + seed * 104729) % 1009) - 500;
    return result;
}

// Runs body(n, round, in, out) with inputs of each round in buffers that are now new ones, now
// those of the round before. `out` holds the same number of elements as `in`.
template <class Body> void repeatedly(size_t bytes_of_out, Body &&body) {
    for (const size_t n : some_sizes()) {
        std::unique_ptr<test::DeviceArray<int32_t>> in;
        std::unique_ptr<test::DeviceArray<int64_t>> out;
        for (size_t round = 0; round < kRounds; ++round) {
            const Ints values = numbers(n, round);
            if (round % 3 != 2 || !in) {
                in = std::make_unique<test::DeviceArray<int32_t>>(values);
                out = std::make_unique<test::DeviceArray<int64_t>>(std::vector<int64_t>(n * bytes_of_out / 8 + 1));
            } else {
                ASSERT_OK(gp_buffer_write(in->buffer(), in->offset() * 4, n * 4, values.data()));
            }
            SCOPED_TRACE(testing::Message() << "n = " << n << ", round " << round);
            body(values, *in, *out);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

using In = test::DeviceArray<int32_t>;
using Out = test::DeviceArray<int64_t>;

template <class T> std::vector<T> read(const Out &out, size_t n) {
    std::vector<T> result(n);
    EXPECT_OK(gp_buffer_read(out.buffer(), out.offset() * 8, n * sizeof(T), result.data()));
    EXPECT_FALSE(out.values().empty()); // which looks at the canaries
    return result;
}

template <class T> size_t offset(const Out &out) { return out.offset() * 8 / sizeof(T); }

TEST(Repeat, Reduce) {
    repeatedly(8, [](const Ints &values, const In &in, const Out &out) {
        ASSERT_OK(gp_enqueue_reduce(test::context(), GP_INT32, values.size(), in.buffer(), in.offset(), out.buffer(),
                                    offset<int32_t>(out), nullptr, 0, nullptr, nullptr));
        EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), read<int32_t>(out, 1)[0]);
    });
}

TEST(Repeat, ReduceThatAccumulates) {
    repeatedly(8, [](const Ints &values, const In &in, const Out &out) {
        const int32_t before = 17;
        ASSERT_OK(gp_buffer_write(out.buffer(), out.offset() * 8, 4, &before));
        gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
        options.accumulate = 1;
        ASSERT_OK(gp_enqueue_reduce(test::context(), GP_INT32, values.size(), in.buffer(), in.offset(), out.buffer(),
                                    offset<int32_t>(out), &options, 0, nullptr, nullptr));
        EXPECT_EQ(std::accumulate(values.begin(), values.end(), before), read<int32_t>(out, 1)[0]);
    });
}

TEST(Repeat, ArgReduce) {
    repeatedly(8, [](const Ints &values, const In &in, const Out &out) {
        ASSERT_OK(gp_enqueue_arg_reduce(test::context(), GP_MAXIMUM, GP_INT32, values.size(), in.buffer(), in.offset(),
                                        GP_UINT64, out.buffer(), out.offset(), nullptr, 0, nullptr, 0, nullptr,
                                        nullptr));
        const auto largest = std::max_element(values.begin(), values.end()) - values.begin();
        EXPECT_EQ(static_cast<uint64_t>(largest), read<uint64_t>(out, 1)[0]);
    });
}

TEST(Repeat, Scan) {
    repeatedly(4, [](const Ints &values, const In &in, const Out &out) {
        ASSERT_OK(gp_enqueue_scan(test::context(), GP_INT32, values.size(), in.buffer(), in.offset(), out.buffer(),
                                  offset<int32_t>(out), nullptr, 0, nullptr, nullptr));
        Ints expected(values.size());
        std::partial_sum(values.begin(), values.end(), expected.begin());
        EXPECT_EQ(expected, read<int32_t>(out, values.size()));
    });
}

TEST(Repeat, ScanInPlace) {
    repeatedly(8, [](const Ints &values, const In &in, const Out &) {
        ASSERT_OK(gp_enqueue_scan(test::context(), GP_INT32, values.size(), in.buffer(), in.offset(), in.buffer(),
                                  in.offset(), nullptr, 0, nullptr, nullptr));
        Ints expected(values.size());
        std::partial_sum(values.begin(), values.end(), expected.begin());
        EXPECT_EQ(expected, in.values());
    });
}

// The carry is copied before it is replaced.
TEST(Repeat, ScanWithCarry) {
    repeatedly(4, [](const Ints &values, const In &in, const Out &out) {
        const test::DeviceArray<int32_t> carry({100});
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.initial_buffer = options.final_buffer = carry.buffer();
        options.initial_offset = options.final_offset = carry.offset();
        ASSERT_OK(gp_enqueue_scan(test::context(), GP_INT32, values.size(), in.buffer(), in.offset(), out.buffer(),
                                  offset<int32_t>(out), &options, 0, nullptr, nullptr));
        Ints expected(values.size());
        std::partial_sum(values.begin(), values.end(), expected.begin());
        for (int32_t &each : expected) each += 100;
        EXPECT_EQ(expected, read<int32_t>(out, values.size()));
        EXPECT_EQ(expected.back(), carry.values()[0]);
    });
}

TEST(Repeat, Sorts) {
    repeatedly(8, [](const Ints &values, const In &in, const Out &out) {
        const size_t n = values.size();
        ASSERT_OK(gp_enqueue_argsort(test::context(), GP_INT32, n, in.buffer(), in.offset(), GP_UINT64, out.buffer(),
                                     out.offset(), nullptr, 0, nullptr, nullptr));
        const auto order = read<uint64_t>(out, n);
        ASSERT_OK(
            gp_enqueue_sort(test::context(), GP_INT32, n, in.buffer(), in.offset(), nullptr, 0, nullptr, nullptr));
        Ints expected = values;
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(expected, in.values());
        for (size_t i = 0; i < n; ++i) ASSERT_EQ(expected[i], values[order[i]]);
    });
}

TEST(Repeat, SortWithLentMemory) {
    gp_buffer *work = nullptr;
    ASSERT_OK(gp_buffer_create(test::context(), 1 << 20, &work));
    repeatedly(8, [&](const Ints &values, const In &in, const Out &) {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.work = work;
        ASSERT_OK(gp_enqueue_sort(test::context(), GP_INT32, values.size(), in.buffer(), in.offset(), &options, 0,
                                  nullptr, nullptr));
        Ints expected = values;
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(expected, in.values());
    });
    gp_buffer_free(work);
}

TEST(Repeat, Histogram) {
    repeatedly(8, [](const Ints &values, const In &in, const Out &) {
        const test::DeviceArray<uint64_t> counts(std::vector<uint64_t>(10));
        gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
        options.lower = -500;
        options.upper = 510;
        ASSERT_OK(gp_enqueue_histogram(test::context(), GP_INT32, values.size(), in.buffer(), in.offset(), 10,
                                       counts.buffer(), counts.offset(), &options, 0, nullptr, nullptr));
        std::vector<uint64_t> expected(10);
        for (const int32_t value : values) ++expected[static_cast<size_t>(value + 500) / 101];
        EXPECT_EQ(expected, counts.values());
    });
}

TEST(Repeat, SearchMergeTopKAndIsSorted) {
    repeatedly(16, [](const Ints &values, const In &in, const Out &out) {
        const size_t n = values.size();
        Ints sorted = values;
        std::sort(sorted.begin(), sorted.end());
        const test::DeviceArray<int32_t> other(sorted);
        ASSERT_OK(gp_enqueue_search(test::context(), GP_INT32, n, other.buffer(), other.offset(), n, in.buffer(),
                                    in.offset(), GP_UINT64, out.buffer(), out.offset(), nullptr, 0, nullptr, nullptr));
        const auto places = read<uint64_t>(out, n);
        for (size_t i = 0; i < n; ++i)
            ASSERT_EQ(std::lower_bound(sorted.begin(), sorted.end(), values[i]) - sorted.begin(),
                      static_cast<std::ptrdiff_t>(places[i]));
        ASSERT_OK(gp_enqueue_merge(test::context(), GP_INT32, n, other.buffer(), other.offset(), n, other.buffer(),
                                   other.offset(), out.buffer(), offset<int32_t>(out), nullptr, 0, nullptr, nullptr));
        const auto merged = read<int32_t>(out, 2 * n);
        for (size_t i = 0; i < 2 * n; ++i) ASSERT_EQ(sorted[i / 2], merged[i]);
        ASSERT_OK(gp_enqueue_top_k(test::context(), GP_ASCENDING, GP_INT32, n, in.buffer(), in.offset(),
                                   std::min<size_t>(n, 5), GP_UINT64, nullptr, 0, out.buffer(), offset<int32_t>(out),
                                   nullptr, 0, nullptr, nullptr));
        EXPECT_EQ(Ints(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(n, 5))),
                  read<int32_t>(out, std::min<size_t>(n, 5)));
        ASSERT_OK(gp_enqueue_is_sorted(test::context(), GP_INT32, n, other.buffer(), other.offset(), out.buffer(),
                                       out.offset(), nullptr, 0, nullptr, nullptr));
        EXPECT_EQ(n, read<uint64_t>(out, 1)[0]);
    });
}

// The coefficients are told by their address too.
// The offsets are read anew each time.
TEST(Repeat, MergeRuns) {
    gp_buffer *work = nullptr;
    ASSERT_OK(gp_buffer_create(test::context(), 1 << 20, &work));
    size_t round = 0;
    repeatedly(8, [&](const Ints &values, const In &in, const Out &out) {
        const size_t n = values.size(), cut = ++round * 7 % (n + 1);
        const test::DeviceArray<uint64_t> offsets({0, cut, n});
        Ints runs = values, expected = values, indices(n);
        std::sort(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(cut));
        std::sort(runs.begin() + static_cast<std::ptrdiff_t>(cut), runs.end());
        std::sort(expected.begin(), expected.end());
        std::iota(indices.begin(), indices.end(), 0);
        const In of_values(indices);
        const test::DeviceArray<int32_t> out_values(Ints(n, -1));
        ASSERT_OK(gp_buffer_write(in.buffer(), in.offset() * 4, n * 4, runs.data()));
        gp_merge_runs_options options = GP_MERGE_RUNS_OPTIONS_INIT;
        options.work = work;
        ASSERT_OK(gp_enqueue_merge_runs(test::context(), GP_INT32, n, in.buffer(), in.offset(), 2, offsets.buffer(),
                                        offsets.offset(), out.buffer(), offset<int32_t>(out), &options, 0, nullptr,
                                        nullptr));
        EXPECT_EQ(expected, read<int32_t>(out, n));
        ASSERT_OK(gp_enqueue_merge_runs_pairs(test::context(), GP_INT32, n, in.buffer(), in.offset(), 2,
                                              offsets.buffer(), offsets.offset(), out.buffer(), offset<int32_t>(out), 4,
                                              of_values.buffer(), of_values.offset(), out_values.buffer(),
                                              out_values.offset(), nullptr, 0, nullptr, nullptr));
        EXPECT_EQ(expected, read<int32_t>(out, n));
        const Ints moved = out_values.values();
        for (size_t i = 0; i < n; ++i) ASSERT_EQ(expected[i], runs[static_cast<size_t>(moved[i])]);
        EXPECT_EQ(GP_ERROR_OVERLAP,
                  gp_enqueue_merge_runs(test::context(), GP_INT32, n, in.buffer(), in.offset(), 2, offsets.buffer(),
                                        offsets.offset(), in.buffer(), in.offset(), &options, 0, nullptr, nullptr));
    });
    gp_buffer_free(work);
}

// In one launch, in several, and by products whose work space goes back between them.
TEST(Repeat, Paths) {
    for (const char *algorithm : {static_cast<const char *>(nullptr), "squaring", "tiles"}) {
        if (algorithm != nullptr && test::on_host()) continue;
        repeatedly(8, [&](const Ints &values, const In &in, const Out &out) {
            const size_t side = values.size() < 90 ? 1 : values.size() == 90 ? 9 : 141;
            Ints edges(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(side * side));
            for (int32_t &edge : edges) edge = edge < 0 ? INT32_MAX : edge; // no edge
            ASSERT_OK(gp_buffer_write(in.buffer(), in.offset() * 4, edges.size() * 4, edges.data()));
            const test::DeviceArray<uint64_t> negative(std::vector<uint64_t>{77});
            gp_paths_options options = GP_PATHS_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.negative_cycle_buffer = negative.buffer();
            options.negative_cycle_offset = negative.offset();
            ASSERT_OK(gp_enqueue_paths(test::context(), GP_INT32, side, in.buffer(), in.offset(), side, out.buffer(),
                                       offset<int32_t>(out), side, nullptr, 0, 0, &options, 0, nullptr, nullptr));
            const reference::Paths<int32_t> expected(side, edges);
            const auto lengths = read<int32_t>(out, side * side);
            for (size_t i = 0; i < side * side; ++i)
                ASSERT_EQ(expected.exists[i] != 0 ? expected.length[i] : INT32_MAX, lengths[i]) << i;
            EXPECT_EQ(0U, negative.values()[0]);
        });
    }
}

TEST(Repeat, RecurrenceWithAnotherCoefficient) {
    const std::vector<float> ones(40, 1.0F);
    const test::DeviceArray<float> in(ones), out(ones);
    float factor = 0;
    for (size_t round = 0; round < 3 * kRounds; ++round) {
        factor = static_cast<float>(round / 3) - 2;
        ASSERT_OK(gp_enqueue_recurrence(test::context(), GP_FLOAT32, ones.size() / 4, in.buffer(), in.offset(),
                                        out.buffer(), out.offset(), 1, &factor, nullptr, 0, nullptr, nullptr));
        std::vector<float> expected = ones;
        for (size_t i = 1; i < ones.size() / 4; ++i) expected[i] = 1 + factor * expected[i - 1]; // all exact
        EXPECT_EQ(expected, out.values());
    }
}

// alpha is told by its address; its value counts.
TEST(Repeat, MatmulWithAnotherAlpha) {
    constexpr size_t kSide = 8;
    const std::vector<float> a(kSide * kSide, 1.0F), b(kSide * kSide, 2.0F);
    const test::DeviceArray<float> left(a), right(b), out(std::vector<float>(kSide * kSide));
    float alpha = 0;
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.alpha = &alpha;
    for (size_t round = 0; round < 3 * kRounds; ++round) {
        alpha = static_cast<float>(round / 3);
        ASSERT_OK(gp_enqueue_matmul(test::context(), GP_FLOAT32, kSide, kSide, kSide, left.buffer(), left.offset(),
                                    kSide, right.buffer(), right.offset(), kSide, out.buffer(), out.offset(), kSide,
                                    &options, 0, nullptr, nullptr));
        EXPECT_EQ(std::vector<float>(kSide * kSide, alpha * 2 * kSide), out.values());
    }
}

// float16 is computed in float32, and so are its numbers: 1 and 2 differ in their upper halves
// alone.
TEST(Repeat, MatmulOfHalvesWithAnotherAlphaAndBounds) {
    constexpr size_t kSide = 8;
    constexpr uint16_t kOne = 0x3c00, kEight = 0x4800, kSixteen = 0x4c00, kTwelve = 0x4a00;
    const std::vector<uint16_t> ones(kSide * kSide, kOne);
    const test::DeviceArray<uint16_t> left(ones), right(ones), out(std::vector<uint16_t>(kSide * kSide));
    float alpha = 0, high = 0;
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.alpha = &alpha;
    options.activation = GP_CLAMP;
    options.clamp_high = &high;
    for (size_t round = 0; round < 4 * kRounds; ++round) {
        const size_t kind = round / 4 % 3;
        alpha = kind == 0 ? 1 : 2;
        high = kind == 2 ? 12 : 128;
        ASSERT_OK(gp_enqueue_matmul(test::context(), GP_FLOAT16, kSide, kSide, kSide, left.buffer(), left.offset(),
                                    kSide, right.buffer(), right.offset(), kSide, out.buffer(), out.offset(), kSide,
                                    &options, 0, nullptr, nullptr));
        const uint16_t expected = kind == 0 ? kEight : kind == 1 ? kSixteen : kTwelve;
        EXPECT_EQ(std::vector<uint16_t>(kSide * kSide, expected), out.values()) << round;
    }
}

// The bias may lie in another buffer each time, and its numbers change where they lie.
TEST(Repeat, MatmulWithAnotherBias) {
    constexpr size_t kSide = 8;
    const std::vector<float> ones(kSide * kSide, 1.0F);
    const test::DeviceArray<float> left(ones), right(ones), out(std::vector<float>(kSide * kSide));
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    for (size_t round = 0; round < 3 * kRounds; ++round) {
        const auto number = static_cast<float>(round);
        const test::DeviceArray<float> bias(std::vector<float>(kSide, number));
        options.bias_buffer = bias.buffer();
        options.bias_offset = bias.offset();
        ASSERT_OK(gp_enqueue_matmul(test::context(), GP_FLOAT32, kSide, kSide, kSide, left.buffer(), left.offset(),
                                    kSide, right.buffer(), right.offset(), kSide, out.buffer(), out.offset(), kSide,
                                    &options, 0, nullptr, nullptr));
        EXPECT_EQ(std::vector<float>(kSide * kSide, kSide + number), out.values()) << round;
    }
}

// So does an operator's text.
TEST(Repeat, AnotherOperatorAtTheSameAddress) {
    if (test::on_host()) GTEST_SKIP() << "\"host\" runs no OpenCL C";
    const Ints values = numbers(33, 1);
    const In in(values);
    const test::DeviceArray<int32_t> out({0});
    char text[] = "a + b";
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = text;
    options.operator_identity = "0";
    for (size_t round = 0; round < 4 * kRounds; ++round) {
        text[2] = round / 4 % 2 == 0 ? '+' : '^';
        ASSERT_OK(gp_enqueue_reduce(test::context(), GP_INT32, values.size(), in.buffer(), in.offset(), out.buffer(),
                                    out.offset(), &options, 0, nullptr, nullptr));
        int32_t expected = 0;
        for (const int32_t value : values) expected = text[2] == '+' ? expected + value : expected ^ value;
        EXPECT_EQ(expected, out.values()[0]) << text;
    }
}

gp_status sum(const gp_buffer *in, size_t in_offset, size_t n, const gp_buffer *out, size_t out_offset,
              gp_event **event = nullptr) {
    return gp_enqueue_reduce(test::context(), GP_INT32, n, const_cast<gp_buffer *>(in), in_offset,
                             const_cast<gp_buffer *>(out), out_offset, nullptr, 0, nullptr, event);
}

// What was refused for the first call is refused for the tenth.
TEST(Repeat, IsCheckedAgain) {
    constexpr size_t kN = 90;
    const In in(numbers(kN, 1));
    const test::DeviceArray<int32_t> out({0, 0});
    for (size_t round = 0; round < kRounds; ++round) ASSERT_OK(sum(in.buffer(), 3, kN, out.buffer(), 3));
    gp_buffer *small = nullptr, *freed = nullptr;
    ASSERT_OK(gp_buffer_create(test::context(), 3 * 4 + kN * 4 - 1, &small));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, sum(small, 3, kN, out.buffer(), 3));
    EXPECT_EQ(GP_ERROR_OVERLAP, sum(in.buffer(), 3, kN, in.buffer(), 3));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, sum(nullptr, 3, kN, out.buffer(), 3));
    ASSERT_OK(gp_buffer_create(test::context(), 4096, &freed));
    ASSERT_OK(gp_buffer_free(freed));
    EXPECT_EQ(GP_ERROR_HANDLE, sum(freed, 3, kN, out.buffer(), 3));
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    gp_event *event = nullptr;
    options.event = &event;
    EXPECT_EQ(GP_ERROR_OPTION, gp_enqueue_reduce(test::context(), GP_INT32, kN, in.buffer(), 3, out.buffer(), 3,
                                                 &options, 0, nullptr, nullptr));
    gp_context *other = nullptr;
    ASSERT_OK(gp_open(nullptr, &other));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT,
              gp_enqueue_reduce(other, GP_INT32, kN, in.buffer(), 3, out.buffer(), 3, nullptr, 0, nullptr, nullptr));
    ASSERT_OK(gp_close(other));
    ASSERT_OK(sum(in.buffer(), 3, kN, out.buffer(), 3));
    gp_buffer_free(small);
}

// The driver may give a new buffer the handle of one that was freed.
TEST(Repeat, BuffersComeAndGo) {
    for (size_t round = 0; round < 50; ++round) {
        const Ints values = numbers(60, round);
        const In in(values);
        const test::DeviceArray<int32_t> out({0});
        ASSERT_OK(sum(in.buffer(), 3, values.size(), out.buffer(), 3));
        EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), out.values()[0]);
        if (round % 10 == 9) {
            ASSERT_OK(gp_trim(test::context()));
        }
    }
}

// Arrays in one buffer.
TEST(Repeat, PlacesInOneBuffer) {
    Ints values = numbers(64, 1);
    const In all(values);
    for (size_t round = 0; round < kRounds; ++round) {
        const size_t to = 60 + round / 3;
        ASSERT_OK(sum(all.buffer(), 3, 50, all.buffer(), 3 + to));
        values[to] = std::accumulate(values.begin(), values.begin() + 50, 0);
        EXPECT_EQ(values, all.values());
    }
    EXPECT_EQ(GP_ERROR_OVERLAP, sum(all.buffer(), 3, 50, all.buffer(), 3 + 49));
}

TEST(Repeat, EventsAndProfiling) {
    const Ints values = numbers(80, 2);
    const In in(values);
    const test::DeviceArray<int32_t> out({0});
    for (size_t round = 0; round < 2 * kRounds; ++round) {
        const bool profiled = round >= kRounds;
        ASSERT_OK(gp_profile(test::context(), profiled ? 1 : 0));
        gp_event *event = nullptr;
        ASSERT_OK(sum(in.buffer(), 3, values.size(), out.buffer(), 3, &event));
        gp_event *after = nullptr;
        ASSERT_OK(gp_enqueue_reduce(test::context(), GP_INT32, values.size(), in.buffer(), 3, out.buffer(), 3, nullptr,
                                    1, &event, &after));
        ASSERT_OK(gp_event_wait(after));
        EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), out.values()[0]);
        if (profiled) {
            gp_timing timing = GP_TIMING_INIT;
            ASSERT_OK(gp_event_timing(after, &timing));
            EXPECT_GT(timing.commands, 0U);
        }
        gp_event_free(event);
        gp_event_free(after);
    }
    ASSERT_OK(gp_profile(test::context(), 0));
}

// Threads that make the same call on buffers of their own.
TEST(Repeat, FromSeveralThreads) {
    if (test::max_n() <= 100) GTEST_SKIP() << "Oclgrind ends the process";
    constexpr size_t kThreads = 4;
    const size_t rounds = test::max_n() >= 20000 ? 300 : 5;
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([t, rounds] {
            const Ints values = numbers(70, t);
            const In in(values);
            const test::DeviceArray<int32_t> out({0});
            const int32_t expected = std::accumulate(values.begin(), values.end(), 0);
            for (size_t round = 0; round < rounds; ++round) {
                EXPECT_OK(sum(in.buffer(), 3, values.size(), out.buffer(), 3));
                if (t == 0 && round % 50 == 49) {
                    EXPECT_OK(gp_trim(test::context()));
                }
                if (round % 20 == 4) {
                    EXPECT_EQ(expected, out.values()[0]);
                }
            }
        });
    for (std::thread &thread : threads) thread.join();
}

} // namespace
