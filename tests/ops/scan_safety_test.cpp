// Scan and reduce again and again: none hangs, the bits stay the same under load, small ones are
// one launch, and n may pass 2^32. GPCL_TEST_LONG=1 runs the long versions; GPCL_TEST_HUGE=1 those
// that take 22 GB of a device.
// SPDX-License-Identifier: MIT
#include "running.h"

#include "../reference/reduce.h"
#include "../reference/scan.h"
#include "support/patience.h"

#include <atomic>
#include <thread>
#include <unistd.h>

namespace {

using namespace test;

bool is_long() { return asked_for("GPCL_TEST_LONG"); }

// Ends the process, and so the test, when it is not gone in time.
class Watchdog {
  public:
    explicit Watchdog(unsigned seconds) { alarm(patience(seconds)); }
    Watchdog(const Watchdog &) = delete;
    Watchdog &operator=(const Watchdog &) = delete;
    ~Watchdog() { alarm(0); }
};

// The default; those with a look-back, and the ones that force its fallback, which NVIDIA GPUs
// alone accept. The latter compute each sum again for every tile that needs it, so they are for
// smaller n.
constexpr const char *kWatched[] = {
    nullptr,       "look-back",       "look-back-fallback",       "staged-look-back",   "staged-look-back-fallback",
    "staged-rows", "staged-segments", "staged-segments-fallback", "look-back-segments", "look-back-segments-fallback"};

TEST(ScanSafety, ThousandScansUnderAWatchdog) {
    const Watchdog watchdog(is_long() ? 3600 : 500);
    for (const char *algorithm : kWatched) {
        SCOPED_TRACE(name(algorithm));
        const bool fallback = algorithm != nullptr && std::string(algorithm).ends_with("fallback");
        const size_t wanted = is_long() ? (fallback ? size_t(1) << 22 : size_t(1) << 24) : 100003;
        const size_t n = std::min(std::max(max_n(), is_long() ? wanted : 0), wanted);
        const int runs = max_n() <= 100 ? 10 : fallback ? 100 : 1000;
        const auto in = exact_values<int32_t>(GP_ADD, n, false);
        const auto expected = reference::scan(
            in, 0, [](int32_t a, int32_t b) { return reference::wrapping_add(a, b); }, false, false);
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.algorithm = algorithm;
        struct Arrays {
            DeviceArray<int32_t> source, out;
        } const arrays[] = {
            {DeviceArray(in, 16), DeviceArray(std::vector<int32_t>(n, 7), 16)}, // multiples of 16 bytes, and none
            {DeviceArray(in, 3), DeviceArray(std::vector<int32_t>(n, 7), 3)}};
        for (int run = 0; run < runs; ++run) {
            const auto &[source, out] = arrays[run % 3 == 2];
            const bool in_place = run % 100 == 99;
            const auto &from = in_place ? out : source;
            if (in_place) { // from a copy of the input
                ASSERT_OK(gp_enqueue_copy(source.buffer(), 0, out.buffer(), 0, (n + 2 * source.offset()) * 4, 0,
                                          nullptr, nullptr));
            }
            const gp_status status = gp_enqueue_scan(context(), GP_INT32, n, from.buffer(), from.offset(), out.buffer(),
                                                     out.offset(), &options, 0, nullptr, nullptr);
            if (refused(GP_SCAN, algorithm, status)) break;
            ASSERT_OK(status);
            if (run % 100 == 0 || in_place) {
                ASSERT_TRUE(same_bits(expected, out.values())) << "run " << run;
            }
        }
        ASSERT_OK(gp_finish(context()));
    }
}

TEST(ScanSafety, SameBitsUnderLoad) {
    if (max_n() <= 100) GTEST_SKIP() << "kernels are interpreted here, in one thread";
    const Watchdog watchdog(is_long() ? 3600 : 500);
    const size_t n = std::min<size_t>(max_n(), 300007);
    std::atomic<bool> done = false;
    std::thread load([&] { // keeps the device busy
        std::vector<int32_t> keys = exact_values<int32_t>(GP_ADD, 20000, false);
        while (!done) EXPECT_OK(gp_scan(context(), GP_INT32, keys.size(), keys.data(), keys.data(), nullptr));
    });
    constexpr size_t kOffset = 16; // a multiple of 16 bytes
    DeviceArray<float> in(real_values<float>(n), kOffset), out(real_values<float>(n), kOffset),
        sum(real_values<float>(1));
    std::vector<float> first, first_sum;
    for (int run = 0; run < 100 && !testing::Test::HasFailure(); ++run) {
        EXPECT_OK(gp_enqueue_scan(context(), GP_FLOAT32, n, in.buffer(), in.offset(), out.buffer(), out.offset(),
                                  nullptr, 0, nullptr, nullptr));
        EXPECT_OK(gp_enqueue_reduce(context(), GP_FLOAT32, n, in.buffer(), in.offset(), sum.buffer(), sum.offset(),
                                    nullptr, 0, nullptr, nullptr));
        if (run == 0) first = out.values(), first_sum = sum.values();
        EXPECT_TRUE(same_bits(first, out.values())) << "run " << run;
        EXPECT_TRUE(same_bits(first_sum, sum.values())) << "run " << run;
    }
    done = true;
    load.join();
}

// A call on buffers in the steady state is one command, a kernel: nothing is filled, copied or
// waited for.
TEST(ScanSafety, SmallOnesAreOneLaunch) {
    gp_context *own = nullptr;
    ASSERT_OK(gp_open(nullptr, &own));
    ASSERT_OK(gp_profile(own, 1));
    gp_buffer *in = nullptr, *out = nullptr;
    ASSERT_OK(gp_buffer_create(own, 4096 * 4, &in));
    ASSERT_OK(gp_buffer_create(own, 4096 * 4, &out));
    const int32_t one = 1;
    ASSERT_OK(gp_buffer_fill(in, 0, 4096 * 4, &one, 4));
    struct Size {
        size_t n, batch;
        bool columns;
    };
    for (const Size &size : {Size{1, 1, false}, Size{33, 1, false}, Size{1000, 1, false}, Size{4096, 1, false},
                             Size{40, 100, false}, Size{16, 200, true}}) {
        if (size.n * size.batch > max_n()) continue;
        SCOPED_TRACE(std::to_string(size.n) + " x " + std::to_string(size.batch));
        gp_scan_options scan = GP_SCAN_OPTIONS_INIT;
        gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
        scan.batch = reduce.batch = size.batch;
        scan.stride_in = scan.stride_out = reduce.stride_in = size.columns ? 1 : 0;
        scan.step_in = scan.step_out = reduce.step_in = size.columns ? size.batch : 0;
        for (const bool scans : {true, false}) {
            gp_event *event = nullptr;
            ASSERT_OK(scans ? gp_enqueue_scan(own, GP_INT32, size.n, in, 0, out, 0, &scan, 0, nullptr, &event)
                            : gp_enqueue_reduce(own, GP_INT32, size.n, in, 0, out, 0, &reduce, 0, nullptr, &event));
            ASSERT_OK(gp_event_wait(event));
            gp_timing timing = GP_TIMING_INIT;
            ASSERT_OK(gp_event_timing(event, &timing));
            EXPECT_EQ(1u, timing.kernels) << (scans ? "scan" : "reduce");
            EXPECT_EQ(1u, timing.commands) << (scans ? "scan" : "reduce");
            ASSERT_OK(gp_event_free(event));
        }
    }
    ASSERT_OK(gp_buffer_free(in));
    ASSERT_OK(gp_buffer_free(out));
    ASSERT_OK(gp_close(own));
}

// 2^32 + 5 elements that repeat 1, -2, 3, 5: result i follows from i alone. In place, then with
// flags, then as two rows.
TEST(ScanSafety, PastTwoToThe32) {
    if (!asked_for("GPCL_TEST_HUGE")) GTEST_SKIP() << "set GPCL_TEST_HUGE=1, with 22 GB of device memory";
    constexpr size_t kN = (size_t(1) << 32) + 5, kRoom = kN + 3, kHead = (size_t(1) << 32) + 1, kLook = 4096;
    constexpr int32_t kPattern[4] = {1, -2, 3, 5};
    const auto sum_to = [&](size_t i) { // of elements 0 .. i, modulo 2^32
        uint64_t sum = (i + 1) / 4 * 7;
        for (size_t k = 0; k < (i + 1) % 4; ++k) sum += static_cast<uint64_t>(int64_t(kPattern[k]));
        return static_cast<uint32_t>(sum);
    };
    gp_buffer *data = nullptr, *heads = nullptr;
    ASSERT_OK(gp_buffer_create(context(), kRoom * 4, &data));
    ASSERT_OK(gp_buffer_create(context(), kRoom, &heads));
    const uint8_t none = 0, head = 1;
    ASSERT_OK(gp_buffer_fill(heads, 0, kRoom, &none, 1));
    ASSERT_OK(gp_buffer_write(heads, kHead, 1, &head));
    for (int variant = 0; variant < 3; ++variant) {
        SCOPED_TRACE(variant == 0 ? "one row" : variant == 1 ? "two segments" : "two rows");
        ASSERT_OK(gp_buffer_fill(data, 0, kRoom * 4, kPattern, sizeof kPattern));
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        size_t n = kN, begin = 0; // of the second part
        if (variant == 1) options.heads_buffer = heads, begin = kHead;
        if (variant == 2) options.batch = 2, n = kN / 2, begin = n;
        ASSERT_OK(gp_enqueue_scan(context(), GP_INT32, n, data, 0, data, 0, &options, 0, nullptr, nullptr));
        std::vector<size_t> places = {0, size_t(1) << 31, kN - kLook}; // the last across 2^32
        for (size_t i = 1; i < 60; ++i) places.push_back(i * (kN / 61));
        std::vector<uint32_t> got(kLook);
        for (const size_t place : places) {
            ASSERT_OK(gp_buffer_read(data, place * 4, kLook * 4, got.data()));
            for (size_t k = 0; k < kLook; ++k) {
                const size_t i = place + k;
                if (i >= kN - (variant == 2 ? 1 : 0)) continue;
                const uint32_t before = begin > 0 && i >= begin ? sum_to(begin - 1) : 0;
                ASSERT_EQ(sum_to(i) - before, got[k]) << "element " << i;
            }
        }
    }
    ASSERT_OK(gp_buffer_fill(data, 0, kRoom * 4, kPattern, sizeof kPattern));
    gp_buffer *result = nullptr;
    ASSERT_OK(gp_buffer_create(context(), 8, &result));
    gp_reduce_options wide = GP_REDUCE_OPTIONS_INIT;
    wide.accumulator = GP_INT64;
    ASSERT_OK(gp_enqueue_reduce(context(), GP_INT32, kN, data, 0, result, 0, &wide, 0, nullptr, nullptr));
    int64_t sum = 0;
    ASSERT_OK(gp_buffer_read(result, 0, 8, &sum));
    EXPECT_EQ(static_cast<int64_t>(kN / 4 * 7 + 1), sum);
    for (gp_buffer *buffer : {data, heads, result}) ASSERT_OK(gp_buffer_free(buffer));
}

} // namespace
