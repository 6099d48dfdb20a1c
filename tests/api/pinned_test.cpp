// Pinned host memory: allocated, registered, used by every kind of transfer, refused where it is
// not what it should be.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <numeric>
#include <thread>

#include <unistd.h>

namespace {

constexpr size_t kBytes = 300001;

class Pinned : public testing::TestWithParam<const char *> { // what GPCL_STAGING is
  protected:
    void SetUp() override {
        setenv("GPCL_STAGING", GetParam(), 1);
        ASSERT_OK(gp_open(nullptr, &context_));
        std::iota(values_.begin(), values_.end(), static_cast<unsigned char>(3));
    }
    void TearDown() override {
        if (context_ != nullptr) {
            EXPECT_OK(gp_close(context_));
        }
        unsetenv("GPCL_STAGING");
    }
    unsigned char *allocate(size_t bytes) {
        void *pointer = nullptr;
        EXPECT_OK(gp_host_alloc(context_, bytes, &pointer));
        return static_cast<unsigned char *>(pointer);
    }
    // Every kind of transfer, from `source` and to `destination`.
    void expect_transfers(const unsigned char *source, unsigned char *destination, size_t bytes) {
        gp_buffer *buffer = nullptr;
        ASSERT_OK(gp_buffer_create(context_, bytes, &buffer));
        const auto check = [&] {
            EXPECT_TRUE(std::equal(source, source + bytes, destination));
            std::fill(destination, destination + bytes, static_cast<unsigned char>(0));
        };
        ASSERT_OK(gp_buffer_write(buffer, 0, bytes, source));
        ASSERT_OK(gp_buffer_read(buffer, 0, bytes, destination));
        check();
        gp_event *read = nullptr;
        ASSERT_OK(gp_enqueue_write(buffer, 0, bytes, source, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_read(buffer, 0, bytes, destination, 0, nullptr, &read));
        ASSERT_OK(gp_event_wait(read));
        EXPECT_OK(gp_event_free(read));
        check();
        EXPECT_OK(gp_buffer_free(buffer));
    }

    gp_context *context_ = nullptr;
    std::vector<unsigned char> values_ = std::vector<unsigned char>(kBytes);
};

TEST_P(Pinned, MemoryServesEveryTransfer) {
    unsigned char *source = allocate(kBytes), *destination = allocate(kBytes);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(source) % page);
    EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(destination) % page);
    std::copy(values_.begin(), values_.end(), source);
    expect_transfers(source, destination, kBytes);
    expect_transfers(source + 7, destination + 3, kBytes - 11); // a part of it
    std::vector<unsigned char> plain(kBytes);
    expect_transfers(source, plain.data(), kBytes); // one side of two
    expect_transfers(values_.data(), destination, kBytes);
    EXPECT_OK(gp_host_free(source));
    EXPECT_OK(gp_host_free(destination));
}

TEST_P(Pinned, OperationsTakeIt) {
    const size_t n = 40000;
    auto *in = reinterpret_cast<uint32_t *>(allocate(n * 4)), *out = reinterpret_cast<uint32_t *>(allocate(n * 4));
    for (size_t i = 0; i < n; ++i) in[i] = static_cast<uint32_t>(i * 2654435761u);
    std::vector<uint32_t> sorted(in, in + n), sums(n);
    std::sort(sorted.begin(), sorted.end());
    std::partial_sum(sorted.begin(), sorted.end(), sums.begin());
    ASSERT_OK(gp_sort(context_, GP_UINT32, n, in, nullptr));
    EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), in));
    ASSERT_OK(gp_scan(context_, GP_UINT32, n, in, out, nullptr));
    EXPECT_TRUE(std::equal(sums.begin(), sums.end(), out));
    EXPECT_OK(gp_host_free(in));
    EXPECT_OK(gp_host_free(out));
}

TEST_P(Pinned, MemoryOfTheCallersIsRegistered) {
    std::vector<unsigned char> back(kBytes);
    ASSERT_OK(gp_host_register(context_, values_.data(), kBytes));
    ASSERT_OK(gp_host_register(context_, back.data(), kBytes));
    expect_transfers(values_.data(), back.data(), kBytes);
    expect_transfers(values_.data() + 1, back.data() + 2, kBytes - 2);
    ASSERT_OK(gp_host_unregister(context_, values_.data()));
    ASSERT_OK(gp_host_unregister(context_, back.data()));
    expect_transfers(values_.data(), back.data(), kBytes);
    ASSERT_OK(gp_host_register(context_, back.data(), kBytes)); // again
    expect_transfers(values_.data(), back.data(), kBytes);
    ASSERT_OK(gp_host_unregister(context_, back.data()));
}

// Half in registered memory and half not is ordinary.
TEST_P(Pinned, APartMayBeRegistered) {
    std::vector<unsigned char> back(kBytes);
    ASSERT_OK(gp_host_register(context_, values_.data(), kBytes / 2));
    ASSERT_OK(gp_host_register(context_, back.data() + kBytes / 2, kBytes / 4));
    expect_transfers(values_.data(), back.data(), kBytes);
    ASSERT_OK(gp_host_unregister(context_, values_.data()));
    ASSERT_OK(gp_host_unregister(context_, back.data() + kBytes / 2));
}

TEST_P(Pinned, WhatWasNeverGivenIsRefused) {
    unsigned char *memory = allocate(100);
    int on_the_stack = 0;
    EXPECT_OK(gp_host_free(nullptr));
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_free(&on_the_stack));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "gp_host_alloc")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_free(memory + 1));
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_unregister(context_, memory)) << "was allocated";
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_unregister(context_, values_.data()));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "not registered")) << gp_error_message();
    ASSERT_OK(gp_host_register(context_, values_.data(), kBytes));
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_free(values_.data())) << "was registered";
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_unregister(context_, values_.data() + 1));
    ASSERT_OK(gp_host_unregister(context_, values_.data()));
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_unregister(context_, values_.data())) << "twice";
    ASSERT_OK(gp_host_free(memory));
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_free(memory)) << "twice";
}

TEST_P(Pinned, OverlapsAreRefused) {
    unsigned char *memory = allocate(10000), *values = values_.data();
    ASSERT_OK(gp_host_register(context_, values + 1000, 1000));
    EXPECT_EQ(GP_ERROR_PINNED, gp_host_register(context_, values + 1000, 1000));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "pinned already")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_PINNED, gp_host_register(context_, values, 1001));
    EXPECT_EQ(GP_ERROR_PINNED, gp_host_register(context_, values + 1999, 10));
    EXPECT_EQ(GP_ERROR_PINNED, gp_host_register(context_, values, kBytes));
    EXPECT_EQ(GP_ERROR_PINNED, gp_host_register(context_, memory + 10, 10));
    EXPECT_OK(gp_host_register(context_, values, 1000)); // side by side
    EXPECT_OK(gp_host_register(context_, values + 2000, 1000));
    gp_context *other = nullptr;
    ASSERT_OK(gp_open("host", &other));
    EXPECT_OK(gp_host_register(other, values, kBytes)); // each context for itself
    EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_unregister(other, values + 1000));
    EXPECT_OK(gp_close(other));
    for (const size_t at : {0, 1000, 2000}) EXPECT_OK(gp_host_unregister(context_, values + at));
    EXPECT_OK(gp_host_register(context_, values, kBytes));
    EXPECT_OK(gp_host_unregister(context_, values));
    EXPECT_OK(gp_host_free(memory));
}

TEST_P(Pinned, BadArgumentsAreRefused) {
    void *pointer = &pointer;
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_host_alloc(context_, 1, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_host_alloc(nullptr, 1, &pointer));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, gp_host_alloc(context_, SIZE_MAX, &pointer));
    EXPECT_NE(GP_SUCCESS, gp_host_alloc(context_, PTRDIFF_MAX / 2, &pointer));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_host_register(context_, nullptr, 1));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_host_register(nullptr, values_.data(), 1));
    EXPECT_EQ(GP_ERROR_OPTION, gp_host_register(context_, values_.data(), 0));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, gp_host_register(context_, values_.data(), SIZE_MAX));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_host_unregister(context_, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_host_unregister(nullptr, values_.data()));
    EXPECT_EQ(static_cast<void *>(&pointer), pointer) << "written by a call that failed";
}

TEST_P(Pinned, NoBytesAreMemoryToo) {
    void *first = nullptr, *second = nullptr;
    ASSERT_OK(gp_host_alloc(context_, 0, &first));
    ASSERT_OK(gp_host_alloc(context_, 0, &second));
    EXPECT_NE(nullptr, first);
    EXPECT_NE(first, second);
    EXPECT_OK(gp_host_free(second));
    EXPECT_OK(gp_host_free(first));
}

// As buffers do, what was allocated outlives the context; what was registered ends with it.
TEST_P(Pinned, OutlivesItsContext) {
    unsigned char *memory = allocate(kBytes);
    ASSERT_OK(gp_host_register(context_, values_.data(), kBytes));
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context_, kBytes, &buffer));
    ASSERT_OK(gp_close(context_));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_host_unregister(context_, values_.data()));
    context_ = nullptr;
    EXPECT_OK(gp_buffer_write(buffer, 0, kBytes, values_.data()));
    EXPECT_OK(gp_buffer_read(buffer, 0, kBytes, memory));
    EXPECT_TRUE(std::equal(values_.begin(), values_.end(), memory));
    EXPECT_OK(gp_buffer_free(buffer));
    EXPECT_OK(gp_host_free(memory));
}

TEST_P(Pinned, FromSeveralThreads) {
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&] {
            for (int round = 0; round < 10; ++round) {
                const size_t n = 20000;
                unsigned char *memory = allocate(n);
                std::vector<unsigned char> back(n);
                EXPECT_OK(gp_host_register(context_, back.data(), n));
                std::copy_n(values_.begin(), n, memory);
                expect_transfers(memory, back.data(), n);
                EXPECT_OK(gp_host_unregister(context_, back.data()));
                EXPECT_OK(gp_host_free(memory));
            }
        });
    }
    for (std::thread &thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(With, Pinned, testing::Values("0", "8192"),
                         [](const testing::TestParamInfo<const char *> &info) {
                             return std::string(info.param) == "0" ? std::string("DriversCopies") : "Staging";
                         });

} // namespace
