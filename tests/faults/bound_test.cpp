// A context whose device memory is bounded never takes more, by the account of a layer that sees
// every allocation. What fails midway leaves inputs as they were, and takes nothing away.
// SPDX-License-Identifier: MIT
#include "faults/support.h"

#include <cstring>
#include <random>
#include <thread>

namespace {

constexpr size_t kBound = 1 << 20;
constexpr size_t kMany = 3 * kBound / sizeof(int32_t) + 17; // elements that the bound does not hold

std::vector<int32_t> many(unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<int32_t> values(kMany);
    for (int32_t &x : values) x = static_cast<int32_t>(random());
    return values;
}

class Bound : public testing::Test {
  protected:
    void SetUp() override {
        gp_open_options options = GP_OPEN_OPTIONS_INIT;
        options.memory_bytes = kBound;
        ASSERT_EQ(GP_SUCCESS, gp_open_with(nullptr, &options, &context_.handle)) << gp_error_message();
        faults_memory_peak();
    }
    void TearDown() override { faults_arm(0); }

    gp_status sort(std::vector<int32_t> &keys) {
        return NOTED(gp_sort(context_.handle, GP_INT32, keys.size(), keys.data(), nullptr));
    }
    gp_status argsort(const std::vector<int32_t> &keys, std::vector<uint32_t> &indices) {
        return NOTED(
            gp_argsort(context_.handle, GP_INT32, keys.size(), keys.data(), GP_UINT32, indices.data(), nullptr));
    }
    gp_status scan(const std::vector<int32_t> &in, std::vector<int32_t> &out) {
        return NOTED(gp_scan(context_.handle, GP_INT32, in.size(), in.data(), out.data(), nullptr));
    }
    gp_status multiply(size_t n, const std::vector<int32_t> &a, std::vector<int32_t> &c) {
        return NOTED(
            gp_matmul(context_.handle, GP_INT32, n, n, n, a.data(), n, a.data() + n * n, n, c.data(), n, nullptr));
    }
    static void expect_bound(const char *what) {
        const size_t peak = faults_memory_peak();
        EXPECT_LE(peak, kBound) << what;
        EXPECT_GT(peak, kBound / 8) << what << " hardly used the device";
    }

    Context context_;
};

TEST_F(Bound, HoldsForEveryCall) {
    const std::vector<int32_t> in = many();
    std::vector<int32_t> keys = in, expected = in;
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(GP_SUCCESS, sort(keys)) << said;
    EXPECT_EQ(expected, keys);
    expect_bound("sort");

    std::vector<int32_t> values = in;
    keys = in;
    ASSERT_EQ(GP_SUCCESS, NOTED(gp_sort_pairs(context_.handle, GP_INT32, kMany, keys.data(), sizeof(int32_t),
                                              values.data(), nullptr)))
        << said;
    EXPECT_EQ(expected, keys);
    EXPECT_EQ(expected, values);
    expect_bound("sort of pairs");

    std::vector<uint32_t> indices(kMany);
    ASSERT_EQ(GP_SUCCESS, argsort(in, indices)) << said;
    for (size_t i = 0; i < kMany; ++i) ASSERT_EQ(expected[i], in[indices[i]]);
    expect_bound("argsort");

    std::vector<int32_t> sums(kMany);
    ASSERT_EQ(GP_SUCCESS, scan(in, sums)) << said;
    EXPECT_EQ(summed(in), sums);
    expect_bound("scan");

    int32_t sum = 0;
    ASSERT_EQ(GP_SUCCESS, NOTED(gp_reduce(context_.handle, GP_INT32, kMany, in.data(), &sum, nullptr))) << said;
    EXPECT_EQ(sums.back(), sum);
    expect_bound("reduce");

    const size_t n = 500;
    std::vector<int32_t> c(n * n), product(n * n);
    ASSERT_EQ(GP_SUCCESS, multiply(n, in, c)) << said;
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n; ++k)
            for (size_t j = 0; j < n; ++j)
                product[i * n + j] = static_cast<int32_t>(static_cast<uint32_t>(product[i * n + j]) +
                                                          static_cast<uint32_t>(in[i * n + k]) *
                                                              static_cast<uint32_t>(in[n * n + k * n + j]));
    EXPECT_EQ(product, c);
    expect_bound("product");
}

TEST_F(Bound, HoldsForBuffersAndWorkSpace) {
    std::vector<int32_t> keys = many();
    keys.resize(kBound / 64);
    ASSERT_EQ(GP_SUCCESS, sort(keys)) << said;
    Buffer first, second;
    ASSERT_EQ(GP_SUCCESS, NOTED(gp_buffer_create(context_.handle, kBound / 2, &first.handle))) << said;
    ASSERT_EQ(GP_SUCCESS, sort(keys)) << said;
    EXPECT_EQ(GP_ERROR_DEVICE_MEMORY, NOTED(gp_buffer_create(context_.handle, kBound / 2 + 1, &second.handle)));
    EXPECT_NE(std::string::npos, said.find("free buffers")) << said;
    EXPECT_EQ(GP_SUCCESS, NOTED(gp_buffer_create(context_.handle, kBound / 2, &second.handle)))
        << "what is kept for later calls is given back: " << said;
    EXPECT_EQ(GP_ERROR_DEVICE_MEMORY, NOTED(gp_enqueue_sort(context_.handle, GP_INT32, kBound / 8, first.handle, 0,
                                                            nullptr, 0, nullptr, nullptr)));
    expect_bound("buffers");
}

TEST_F(Bound, HoldsForSeveralThreads) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([this, t] {
            for (unsigned i = 0; i < 3; ++i) {
                std::vector<int32_t> keys = many(10 * t + i), expected = keys, sums(kMany);
                EXPECT_EQ(GP_SUCCESS, gp_scan(context_.handle, GP_INT32, kMany, keys.data(), sums.data(), nullptr))
                    << gp_error_message();
                EXPECT_EQ(summed(keys), sums);
                EXPECT_EQ(GP_SUCCESS, gp_sort(context_.handle, GP_INT32, kMany, keys.data(), nullptr))
                    << gp_error_message();
                std::sort(expected.begin(), expected.end());
                EXPECT_EQ(expected, keys);
            }
        });
    for (auto &thread : threads) thread.join();
    expect_bound("threads");
}

// Each allocation of a call fails in turn, and each other call of OpenCL's now and then.
TEST_F(Bound, FailuresLeaveInputsAndTakeNothing) {
    const std::vector<int32_t> in = many();
    std::vector<uint32_t> indices(kMany);
    ASSERT_EQ(GP_SUCCESS, argsort(in, indices)) << said;
    for (long call = 1; call < 4000; call += call < 40 ? 1 : 97) {
        ASSERT_EQ(GP_SUCCESS, gp_trim(context_.handle));
        faults_arm(call);
        std::vector<int32_t> keys = in;
        const gp_status status = argsort(keys, indices);
        const char *hit = faults_hit();
        faults_arm(0);
        ASSERT_EQ(in, keys) << "a failed call changed its input; call " << call;
        if (hit == nullptr) break;
        EXPECT_TRUE(status == GP_SUCCESS || !said.empty());
    }
    std::vector<int32_t> keys = in, expected = in;
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(GP_SUCCESS, sort(keys)) << "memory was lost: " << said;
    EXPECT_EQ(expected, keys);
    expect_bound("calls after failures");
}

// A call that the device has no memory for goes to the host. One that wrote to its input before
// must not.
TEST(InPlace, WhatFailsMidwayIsNotDoneOnTheHost) {
    Context context;
    ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
    constexpr size_t n = 100000;
    const std::vector<int32_t> keys(n, 1);
    const std::vector<int32_t> ones(n, 1);
    size_t failed = 0;
    for (long call = 1;; ++call) {
        ASSERT_LT(call, 1000);
        std::vector<int32_t> values = ones;
        ASSERT_EQ(GP_SUCCESS, gp_trim(context.handle));
        faults_arm(call);
        const gp_status status = NOTED(
            gp_scan_by_key(context.handle, GP_INT32, n, keys.data(), GP_INT32, values.data(), values.data(), nullptr));
        const bool hit = faults_hit() != nullptr;
        faults_arm(0);
        failed += status != GP_SUCCESS;
        if (status == GP_SUCCESS) {
            for (size_t i = 0; i < n; ++i)
                ASSERT_EQ(static_cast<int32_t>(i + 1), values[i]) << "call " << call << " that failed left this";
        }
        if (!hit) break;
    }
    EXPECT_GT(failed, 0u);
}

} // namespace

int main(int argc, char **argv) { return run_with_layer(argc, argv); }
