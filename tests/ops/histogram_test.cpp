// Histogram: every algorithm against one loop, on random, skewed and constant data.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/histogram.h"

namespace {

using namespace test;

constexpr size_t kBins = 256;

enum class Data { random, skewed, constant, runs };
constexpr Data kData[] = {Data::random, Data::skewed, Data::constant, Data::runs};

std::vector<uint8_t> values(Data data, size_t n) {
    std::mt19937_64 random(n + static_cast<size_t>(data));
    std::vector<uint8_t> result(n);
    for (size_t i = 0; i < n; ++i) {
        const auto byte = static_cast<uint8_t>(random());
        switch (data) {
        case Data::random: result[i] = byte; break;
        case Data::skewed: result[i] = byte < 200 ? 255 : byte; break;
        case Data::constant: result[i] = 128; break; // as a signed byte it would be an index below 0
        case Data::runs: result[i] = static_cast<uint8_t>(i / 300); break;
        }
    }
    return result;
}

class Histogram : public testing::TestWithParam<Data> {};
INSTANTIATE_TEST_SUITE_P(Every, Histogram, testing::ValuesIn(kData));

TEST_P(Histogram, EveryAlgorithmAtEverySize) {
    for (const size_t n : sizes()) {
        const auto in = values(GetParam(), n);
        const auto expected = reference::histogram(in, kBins);
        for (const char *algorithm : algorithms(GP_HISTOGRAM)) {
            SCOPED_TRACE("n = " + std::to_string(n) + ", " + name(algorithm));
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.algorithm = algorithm;
            Guarded<uint8_t> source(in);
            Guarded<uint64_t> counts(kBins);
            const gp_status status =
                gp_histogram(context(), GP_UINT8, n, source.data(), kBins, counts.data(), &options);
            if (algorithm != nullptr && status == GP_ERROR_ALGORITHM_REFUSED) {
                EXPECT_TRUE(counts.untouched());
                continue;
            }
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(expected, counts.values()));
            ASSERT_TRUE(source.intact() && counts.intact()) << "a canary was overwritten";
            ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
        }
    }
}

// With the input at a multiple of 16 bytes, and not.
TEST(Histogram, BuffersAtEveryOffset) {
    for (const size_t n : {size_t(1), size_t(15), size_t(33), size_t(4099)}) {
        if (n > max_n()) continue;
        const auto in = values(Data::random, n);
        const auto expected = reference::histogram(in, kBins);
        for (const char *algorithm : algorithms(GP_HISTOGRAM)) {
            for (const size_t offset : {0, 1, 8, 15, 17}) {
                SCOPED_TRACE("n = " + std::to_string(n) + ", offset " + std::to_string(offset) + ", " +
                             name(algorithm));
                gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
                options.algorithm = algorithm;
                DeviceArray<uint8_t> source(in, offset);
                DeviceArray<uint64_t> counts(std::vector<uint64_t>(kBins, 7), 5);
                gp_event *event = nullptr;
                const gp_status status =
                    gp_enqueue_histogram(context(), GP_UINT8, n, source.buffer(), source.offset(), kBins,
                                         counts.buffer(), counts.offset(), &options, 0, nullptr, &event);
                if (algorithm != nullptr && status == GP_ERROR_ALGORITHM_REFUSED) continue;
                ASSERT_OK(status);
                ASSERT_OK(gp_event_wait(event));
                ASSERT_OK(gp_event_free(event));
                ASSERT_TRUE(same_bits(expected, counts.values()));
                ASSERT_TRUE(same_bits(in, source.values()));
            }
        }
    }
}

// Counts beside the input, in one buffer.
TEST(Histogram, InOneBuffer) {
    const size_t n = 64;
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context(), n + kBins * sizeof(uint64_t), &buffer));
    const auto in = values(Data::random, n);
    ASSERT_OK(gp_buffer_write(buffer, 0, n, in.data()));
    ASSERT_OK(gp_enqueue_histogram(context(), GP_UINT8, n, buffer, 0, kBins, buffer, n / sizeof(uint64_t), nullptr, 0,
                                   nullptr, nullptr));
    std::vector<uint64_t> counts(kBins);
    ASSERT_OK(gp_buffer_read(buffer, n, kBins * sizeof(uint64_t), counts.data()));
    EXPECT_TRUE(same_bits(reference::histogram(in, kBins), counts));
    ASSERT_OK(gp_buffer_free(buffer));
}

} // namespace
