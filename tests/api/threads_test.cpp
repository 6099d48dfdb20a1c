// Threads: one context shared from its first call on, contexts side by side, opening and closing.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <barrier>
#include <functional>
#include <numeric>
#include <thread>

namespace {

constexpr size_t kThreads = 8;

// Runs body(0) ... body(count - 1) in that many threads, which begin together.
void together(size_t count, const std::function<void(size_t)> &body) {
    std::barrier start(static_cast<std::ptrdiff_t>(count));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            body(i);
        });
    }
    for (std::thread &thread : threads) thread.join();
}

// 1000 calls a thread; less where GPCL_TEST_MAX_N says that the implementation is slow.
size_t rounds() { return test::max_n() >= 1000000 ? 1000 : 40; }

// One call of every kind in turn, on inputs that differ from thread to thread; all results are
// exact.
class Mixed {
  public:
    Mixed(gp_context *context, size_t seed) : context_(context), n_(200 + seed * 37), values_(n_) {
        for (size_t i = 0; i < n_; ++i) values_[i] = static_cast<int32_t>((i * 7919 + seed * 13) % 1009) - 500;
        sorted_ = values_;
        std::sort(sorted_.begin(), sorted_.end());
        sums_.resize(n_);
        std::partial_sum(values_.begin(), values_.end(), sums_.begin());
    }
    void call(size_t round) {
        switch (round % 6) {
        case 0: sort(); break;
        case 1: scan(); break;
        case 2: reduce(); break;
        case 3: argsort(); break;
        case 4: matmul(); break;
        default: enqueue(); break;
        }
    }

  private:
    void sort() {
        std::vector<int32_t> keys = values_;
        EXPECT_OK(gp_sort(context_, GP_INT32, n_, keys.data(), nullptr));
        EXPECT_EQ(sorted_, keys);
    }
    void scan() {
        std::vector<int32_t> out(n_);
        EXPECT_OK(gp_scan(context_, GP_INT32, n_, values_.data(), out.data(), nullptr));
        EXPECT_EQ(sums_, out);
    }
    void reduce() {
        int32_t sum = 0;
        EXPECT_OK(gp_reduce(context_, GP_INT32, n_, values_.data(), &sum, nullptr));
        EXPECT_EQ(sums_.back(), sum);
    }
    void argsort() {
        std::vector<uint32_t> order(n_);
        EXPECT_OK(gp_argsort(context_, GP_INT32, n_, values_.data(), GP_UINT32, order.data(), nullptr));
        for (size_t i = 0; i < n_; ++i) ASSERT_EQ(sorted_[i], values_[order[i]]);
    }
    void matmul() {
        constexpr size_t kSide = 12;
        std::vector<int32_t> c(kSide * kSide), expected(kSide * kSide);
        for (size_t i = 0; i < kSide; ++i) {
            for (size_t j = 0; j < kSide; ++j) {
                for (size_t k = 0; k < kSide; ++k) {
                    expected[i * kSide + j] += values_[i * kSide + k] * values_[k * kSide + j];
                }
            }
        }
        EXPECT_OK(gp_matmul(context_, GP_INT32, kSide, kSide, kSide, values_.data(), kSide, values_.data(), kSide,
                            c.data(), kSide, nullptr));
        EXPECT_EQ(expected, c);
    }
    void enqueue() {
        const size_t bytes = n_ * sizeof(int32_t);
        gp_buffer *buffer = nullptr, *sums = nullptr;
        gp_event *written = nullptr, *read = nullptr;
        std::vector<int32_t> out(n_);
        EXPECT_OK(gp_buffer_create(context_, bytes, &buffer));
        EXPECT_OK(gp_buffer_create(context_, bytes, &sums));
        EXPECT_OK(gp_enqueue_write(buffer, 0, bytes, values_.data(), 0, nullptr, &written));
        EXPECT_OK(gp_enqueue_scan(context_, GP_INT32, n_, buffer, 0, sums, 0, nullptr, 1, &written, nullptr));
        EXPECT_OK(gp_enqueue_read(sums, 0, bytes, out.data(), 0, nullptr, &read));
        EXPECT_OK(gp_event_wait(read));
        EXPECT_EQ(sums_, out);
        EXPECT_OK(gp_event_free(written));
        EXPECT_OK(gp_event_free(read));
        EXPECT_OK(gp_buffer_free(buffer));
        EXPECT_OK(gp_buffer_free(sums));
    }

    gp_context *context_;
    size_t n_;
    std::vector<int32_t> values_, sorted_, sums_;
};

TEST(Threads, ShareAContextFromItsFirstCallOn) {
    gp_context *context = nullptr;
    ASSERT_OK(gp_open(nullptr, &context));
    together(kThreads, [&](size_t thread) {
        Mixed mixed(context, thread);
        for (size_t round = 0; round < rounds(); ++round) mixed.call(round + thread);
    });
    EXPECT_OK(gp_close(context));
}

TEST(Threads, FirstCallsOfOneOperationMeet) {
    for (size_t kind = 0; kind < 6; ++kind) { // all build the same programs at the same time
        gp_context *context = nullptr;
        ASSERT_OK(gp_open(nullptr, &context));
        together(kThreads, [&](size_t thread) { Mixed(context, thread).call(kind); });
        EXPECT_OK(gp_close(context));
    }
}

TEST(Threads, ContextsWorkSideBySide) {
    together(4, [&](size_t thread) {
        gp_context *context = nullptr;
        EXPECT_OK(gp_open(thread % 2 == 0 ? nullptr : "host", &context));
        Mixed mixed(context, thread);
        for (size_t round = 0; round < rounds() / 4; ++round) mixed.call(round + thread);
        EXPECT_OK(gp_close(context));
    });
}

TEST(Threads, OpenAndCloseTogether) {
    together(kThreads, [&](size_t thread) {
        for (size_t round = 0; round < 5; ++round) {
            gp_context *context = nullptr;
            EXPECT_OK(gp_open(nullptr, &context));
            Mixed(context, thread).call(round);
            EXPECT_OK(gp_close(context));
        }
    });
}

TEST(Threads, EachHasItsOwnErrors) {
    together(kThreads, [&](size_t thread) {
        for (size_t round = 0; round < 100; ++round) {
            int32_t value = 1;
            if (thread % 2 == 0) {
                EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_scan(test::context(), GP_INT32, 1, nullptr, &value, nullptr));
                EXPECT_STRNE("", gp_error_message());
            } else {
                size_t count = 0;
                EXPECT_EQ(GP_SUCCESS, gp_devices(&count));
                EXPECT_STREQ("", gp_error_message());
            }
        }
    });
}

// All that ask for the same source get the same failure; each has the whole log.
TEST(Threads, EachHasTheBuildLog) {
    if (test::on_host()) GTEST_SKIP() << "host takes no OpenCL C";
    for (size_t round = 0; round < 20; ++round) {
        const std::string source = "kernel void f(global int *x) { x[0] = undeclared_" + std::to_string(round) + "; }";
        together(kThreads, [&](size_t) {
            gp_kernel *kernel = nullptr;
            EXPECT_EQ(GP_ERROR_BUILD, gp_kernel_build(test::context(), source.c_str(), nullptr, "f", &kernel));
            EXPECT_NE(nullptr, std::strstr(gp_error_build_log(), "undeclared_")) << gp_error_message();
        });
    }
}

TEST(Threads, OneClosesWhileOthersCall) {
    gp_context *context = nullptr;
    ASSERT_OK(gp_open(nullptr, &context));
    together(kThreads, [&](size_t thread) {
        if (thread == 0) {
            EXPECT_OK(gp_close(context));
            return;
        }
        for (size_t round = 0; round < 20; ++round) { // done, or told that the context is closed
            std::vector<int32_t> values(100, 1);
            const gp_status status = gp_scan(context, GP_INT32, 100, values.data(), values.data(), nullptr);
            EXPECT_TRUE(status == GP_SUCCESS || status == GP_ERROR_HANDLE) << gp_error_message();
            if (status == GP_SUCCESS) {
                EXPECT_EQ(100, values[99]);
            }
        }
    });
}

} // namespace
