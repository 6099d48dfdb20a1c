// Large copies through pinned slots: the same bytes at every size, in the queue's order, from many
// threads, whenever the program closes or ends. GPCL_STAGING makes small arrays large.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/process_memory.h"
#include "support/support.h"

#include <functional>
#include <numeric>
#include <thread>

#include <sys/wait.h>

namespace {

using Bytes = std::vector<unsigned char>;

constexpr size_t kLeast = 65536; // what GPCL_STAGING is set to; chunks are of 4096 to 65536 bytes then
const char *const kForced = "65536";

Bytes noise(size_t n, size_t seed) {
    Bytes bytes(n);
    uint64_t state = seed * 2 + 1;
    for (unsigned char &byte : bytes) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        byte = static_cast<unsigned char>(state >> 56);
    }
    return bytes;
}

template <class T> std::vector<T> numbers(size_t n, size_t seed) {
    const Bytes bytes = noise(n * sizeof(T), seed);
    std::vector<T> values(n);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

gp_buffer *buffer_of(gp_context *context, size_t bytes) {
    gp_buffer *buffer = nullptr;
    EXPECT_OK(gp_buffer_create(context, bytes, &buffer));
    return buffer;
}

class Transfer : public testing::Test {
  protected:
    void SetUp() override {
        setenv("GPCL_STAGING", kForced, 1);
        ASSERT_OK(gp_open(nullptr, &context_));
    }
    void TearDown() override {
        EXPECT_OK(gp_close(context_));
        unsetenv("GPCL_STAGING");
    }
    gp_context *context_ = nullptr;
};

std::vector<size_t> sizes() {
    std::vector<size_t> sizes;
    for (const size_t near : {kLeast, kLeast + 4096, 2 * kLeast, 3 * kLeast, 4 * kLeast, 8 * kLeast, 24 * kLeast,
                              48 * kLeast, 97 * kLeast}) {
        for (const size_t size : {near - 1, near, near + 1}) sizes.push_back(size);
    }
    for (size_t prime : {70001, 123457, 499979, 1299709}) sizes.push_back(prime);
    return sizes;
}

TEST_F(Transfer, TheSameBytesAtEverySize) {
    for (const size_t n : sizes()) {
        for (const size_t offset : {size_t{0}, size_t{1}, size_t{4095}}) {
            SCOPED_TRACE(testing::Message() << n << " bytes at " << offset);
            const Bytes around(n + 2 * offset + 64, 0x5a), sent = noise(n, n + offset);
            gp_buffer *buffer = buffer_of(context_, around.size());
            ASSERT_OK(gp_buffer_write(buffer, 0, around.size(), around.data()));
            test::Guarded<unsigned char> source(sent), back(n);
            ASSERT_OK(gp_buffer_write(buffer, offset, n, source.data()));
            ASSERT_OK(gp_buffer_read(buffer, offset, n, back.data()));
            EXPECT_TRUE(sent == back.values());
            EXPECT_TRUE(back.intact());
            Bytes whole(around.size()), expected = around;
            std::copy(sent.begin(), sent.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
            ASSERT_OK(gp_buffer_read(buffer, 0, whole.size(), whole.data()));
            EXPECT_TRUE(expected == whole) << "bytes beside the array were written";
            EXPECT_OK(gp_buffer_free(buffer));
        }
    }
}

TEST_F(Transfer, OfHostPointersInEveryOperation) {
    const size_t n = std::min<size_t>(test::max_n(), 100003);
    if (n * 4 < kLeast) GTEST_SKIP() << "too small to be staged";
    const std::vector<uint32_t> values = numbers<uint32_t>(n, 1);
    std::vector<uint32_t> keys = values, sorted = values, sums(n), expected(n);
    std::sort(sorted.begin(), sorted.end());
    std::partial_sum(values.begin(), values.end(), expected.begin());
    for (int round = 0; round < 3; ++round) {
        keys = values;
        ASSERT_OK(gp_sort(context_, GP_UINT32, n, keys.data(), nullptr));
        EXPECT_TRUE(sorted == keys);
        ASSERT_OK(gp_scan(context_, GP_UINT32, n, values.data(), sums.data(), nullptr));
        EXPECT_TRUE(expected == sums);
        uint32_t sum = 0;
        ASSERT_OK(gp_reduce(context_, GP_UINT32, n, values.data(), &sum, nullptr));
        EXPECT_EQ(expected.back(), sum);
        keys = values;
        std::vector<uint64_t> carried(values.begin(), values.end());
        ASSERT_OK(gp_sort_pairs(context_, GP_UINT32, n, keys.data(), sizeof(uint64_t), carried.data(), nullptr));
        EXPECT_TRUE(sorted == keys);
        EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), carried.begin()));
    }
}

TEST_F(Transfer, OfMatrices) {
    const size_t side = test::max_n() < 100000 ? 130 : 150;
    const std::vector<int32_t> a = numbers<int32_t>(side * side, 1), b = numbers<int32_t>(side * side, 2);
    std::vector<int32_t> c(side * side);
    ASSERT_OK(gp_matmul(context_, GP_INT32, side, side, side, a.data(), side, b.data(), side, c.data(), side, nullptr));
    for (size_t i = 0; i < side; ++i) {
        for (size_t j = 0; j < side; ++j) {
            uint32_t sum = 0;
            for (size_t k = 0; k < side; ++k) {
                sum += static_cast<uint32_t>(a[i * side + k]) * static_cast<uint32_t>(b[k * side + j]);
            }
            ASSERT_EQ(static_cast<int32_t>(sum), c[i * side + j]) << i << ", " << j;
        }
    }
}

// Every command sees what those before it left, and nothing of those behind it.
TEST_F(Transfer, EnqueuedOnesKeepTheOrder) {
    const size_t n = 5 * kLeast + 77;
    gp_buffer *first = buffer_of(context_, n), *second = buffer_of(context_, n);
    const unsigned char seven = 7, nine = 9;
    for (size_t round = 0; round < 20; ++round) {
        const Bytes a = noise(n, 2 * round), b = noise(n, 2 * round + 1);
        Bytes at_first(n), copied(n), then(n), last(n);
        ASSERT_OK(gp_enqueue_fill(first, 0, n, &seven, 1, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_read(first, 0, n, at_first.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_write(first, 0, n, a.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_copy(first, 0, second, 0, n, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_write(first, 0, n, b.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_read(second, 0, n, copied.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_read(first, 0, n, then.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_fill(first, 0, n, &nine, 1, 0, nullptr, nullptr));
        ASSERT_OK(gp_buffer_read(first, 0, n, last.data()));
        ASSERT_OK(gp_finish(context_));
        EXPECT_TRUE(at_first == Bytes(n, 7));
        EXPECT_TRUE(copied == a);
        EXPECT_TRUE(then == b);
        EXPECT_TRUE(last == Bytes(n, 9));
    }
    EXPECT_OK(gp_buffer_free(first));
    EXPECT_OK(gp_buffer_free(second));
}

TEST_F(Transfer, EnqueuedOnesHaveEvents) {
    const size_t n = 1 << 16;
    const std::vector<uint32_t> values = numbers<uint32_t>(n, 3);
    std::vector<uint32_t> expected = values, back(n);
    std::sort(expected.begin(), expected.end());
    gp_buffer *buffer = buffer_of(context_, n * 4);
    for (int round = 0; round < 10; ++round) {
        gp_event *written = nullptr, *sorted = nullptr, *read = nullptr;
        ASSERT_OK(gp_enqueue_write(buffer, 0, n * 4, values.data(), 0, nullptr, &written));
        ASSERT_OK(gp_enqueue_sort(context_, GP_UINT32, n, buffer, 0, nullptr, 1, &written, &sorted));
        ASSERT_OK(gp_enqueue_read(buffer, 0, n * 4, back.data(), 1, &sorted, &read));
        ASSERT_OK(gp_flush(context_));
        int32_t done = 0;
        if (round % 2 == 0) {
            while (done == 0) ASSERT_OK(gp_event_done(read, &done));
        } else {
            ASSERT_OK(gp_event_wait(read));
        }
        EXPECT_TRUE(expected == back);
        ASSERT_OK(gp_event_done(written, &done));
        EXPECT_EQ(1, done);
        for (gp_event *event : {written, sorted, read}) EXPECT_OK(gp_event_free(event));
    }
    EXPECT_OK(gp_buffer_free(buffer));
}

TEST_F(Transfer, HandlesMayBeFreedBeforeItIsOver) {
    const size_t n = 20 * kLeast;
    const Bytes sent = noise(n, 5);
    for (int round = 0; round < 10; ++round) {
        gp_context *context = nullptr;
        ASSERT_OK(gp_open(nullptr, &context));
        Bytes back(n);
        gp_buffer *buffer = buffer_of(context, n);
        gp_event *event = nullptr;
        ASSERT_OK(gp_enqueue_write(buffer, 0, n, sent.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_read(buffer, 0, n, back.data(), 0, nullptr, &event));
        EXPECT_OK(gp_buffer_free(buffer));
        if (round % 2 == 0) {
            EXPECT_OK(gp_event_free(event));
        }
        EXPECT_OK(gp_close(context)); // which waits
        EXPECT_TRUE(sent == back);
        if (round % 2 != 0) {
            EXPECT_OK(gp_event_wait(event));
            EXPECT_OK(gp_event_free(event));
        }
    }
}

TEST_F(Transfer, EightThreadsAtOnce) {
    const size_t n = 6 * kLeast + 5;
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&, thread] {
            gp_buffer *buffer = buffer_of(context_, n);
            for (size_t round = 0; round < 12; ++round) {
                const Bytes sent = noise(n, thread * 100 + round);
                Bytes back(n);
                if (round % 2 == 0) {
                    EXPECT_OK(gp_buffer_write(buffer, 0, n, sent.data()));
                    EXPECT_OK(gp_buffer_read(buffer, 0, n, back.data()));
                } else {
                    gp_event *event = nullptr;
                    EXPECT_OK(gp_enqueue_write(buffer, 0, n, sent.data(), 0, nullptr, nullptr));
                    EXPECT_OK(gp_enqueue_read(buffer, 0, n, back.data(), 0, nullptr, &event));
                    EXPECT_OK(gp_event_wait(event));
                    EXPECT_OK(gp_event_free(event));
                }
                EXPECT_TRUE(sent == back) << "thread " << thread << ", round " << round;
                if (round % 4 == 3) {
                    EXPECT_OK(gp_trim(context_));
                }
            }
            EXPECT_OK(gp_buffer_free(buffer));
        });
    }
    for (std::thread &thread : threads) thread.join();
}

TEST_F(Transfer, EightThreadsOfHostPointers) {
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&, thread] {
            for (size_t round = 0; round < 8; ++round) {
                std::vector<uint32_t> keys = numbers<uint32_t>(kLeast / 4 + 100, thread * 8 + round), sorted = keys;
                std::sort(sorted.begin(), sorted.end());
                EXPECT_OK(gp_sort(context_, GP_UINT32, keys.size(), keys.data(), nullptr));
                EXPECT_TRUE(sorted == keys);
            }
        });
    }
    for (std::thread &thread : threads) thread.join();
}

TEST_F(Transfer, IsOneCommandWithTimes) {
    const bool has_clock = std::strcmp(test::device().platform, "rusticl") != 0; // whose events have no times
    const size_t n = 40 * kLeast;
    const Bytes sent = noise(n, 6);
    Bytes back(n);
    gp_buffer *buffer = buffer_of(context_, n);
    ASSERT_OK(gp_profile(context_, 1));
    gp_event *written = nullptr, *read = nullptr;
    ASSERT_OK(gp_enqueue_write(buffer, 0, n, sent.data(), 0, nullptr, &written));
    ASSERT_OK(gp_enqueue_read(buffer, 0, n, back.data(), 0, nullptr, &read));
    for (gp_event *event : {written, read}) {
        gp_timing timing = GP_TIMING_INIT;
        gp_command command = GP_COMMAND_INIT;
        ASSERT_OK(gp_event_timing(event, &timing));
        ASSERT_OK(gp_event_command(event, 0, &command));
        const bool up = event == written;
        EXPECT_EQ(1u, timing.commands);
        EXPECT_EQ(up ? GP_UPLOAD : GP_DOWNLOAD, command.kind);
        EXPECT_EQ(0u, command.start_ns);
        if (has_clock) {
            EXPECT_GT(command.run_ns, 0u);
        }
        EXPECT_LT(command.run_ns, 60'000'000'000u);
        EXPECT_EQ(command.run_ns, up ? timing.upload_ns : timing.download_ns);
        EXPECT_EQ(0u, up ? timing.download_ns : timing.upload_ns);
        EXPECT_EQ(timing.span_ns, command.run_ns);
        EXPECT_OK(gp_event_free(event));
    }
    EXPECT_TRUE(sent == back);
    gp_event *event = nullptr;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.event = &event;
    std::vector<uint32_t> keys = numbers<uint32_t>(kLeast / 2, 7);
    ASSERT_OK(gp_sort(context_, GP_UINT32, keys.size(), keys.data(), &options));
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    gp_timing timing = GP_TIMING_INIT;
    ASSERT_OK(gp_event_timing(event, &timing));
    if (!test::on_host() && has_clock) {
        EXPECT_GT(timing.upload_ns, 0u);
        EXPECT_GT(timing.run_ns, 0u);
        EXPECT_GT(timing.download_ns, 0u);
        EXPECT_GE(timing.span_ns, timing.upload_ns);
        EXPECT_GE(timing.span_ns, timing.download_ns);
        uint64_t last = 0;
        for (size_t i = 0; i < timing.commands; ++i) {
            gp_command command = GP_COMMAND_INIT;
            ASSERT_OK(gp_event_command(event, i, &command));
            EXPECT_EQ(i == 0, command.kind == GP_UPLOAD);
            EXPECT_EQ(i + 1 == timing.commands, command.kind == GP_DOWNLOAD);
            EXPECT_GE(command.start_ns, last) << "command " << i << " begins before the one before it has ended";
            last = command.start_ns + command.run_ns;
        }
    }
    EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
}

TEST_F(Transfer, MemoryStaysFlat) {
    const size_t n = 3 * kLeast;
    gp_buffer *buffer = buffer_of(context_, n);
    Bytes bytes = noise(n, 8);
    const auto go = [&](int rounds) {
        for (int i = 0; i < rounds; ++i) {
            gp_event *event = nullptr;
            ASSERT_OK(gp_buffer_write(buffer, 0, n, bytes.data()));
            ASSERT_OK(gp_enqueue_write(buffer, 0, n, bytes.data(), 0, nullptr, nullptr));
            ASSERT_OK(gp_enqueue_read(buffer, 0, n, bytes.data(), 0, nullptr, &event));
            ASSERT_OK(gp_event_wait(event));
            ASSERT_OK(gp_event_free(event));
            ASSERT_OK(gp_buffer_read(buffer, 0, n, bytes.data()));
        }
    };
    const int rounds = test::max_n() >= 1000000 ? 2000 : 100;
    go(rounds / 4);
    const size_t before = test::resident_bytes();
    go(rounds);
    const size_t after = test::resident_bytes();
    if (!test::is_sanitized()) {
        EXPECT_LT(after, before + (size_t{8} << 20));
    }
    EXPECT_TRUE(bytes == noise(n, 8));
    EXPECT_OK(gp_buffer_free(buffer));
}

// As the library does by itself, where it does: sizes around the real bounds.
TEST(LargeTransfer, TheSameBytes) {
    if (test::max_n() < 1000000) GTEST_SKIP() << "large arrays take this implementation too long";
    constexpr size_t kMiB = 1 << 20;
    for (const size_t n : {kMiB / 8 - 1, kMiB / 8, kMiB / 8 + 1, kMiB + 5, 4 * kMiB - 1, 4 * kMiB, 4 * kMiB + 1,
                           13 * kMiB + 3, 70 * kMiB + 1, 101 * kMiB}) {
        const Bytes sent = noise(n, n);
        test::Guarded<unsigned char> back(n);
        gp_buffer *buffer = buffer_of(test::context(), n);
        EXPECT_OK(gp_buffer_write(buffer, 0, n, sent.data()));
        EXPECT_OK(gp_buffer_read(buffer, 0, n, back.data()));
        EXPECT_TRUE(sent == back.values()) << n;
        EXPECT_TRUE(back.intact());
        EXPECT_OK(gp_buffer_free(buffer));
    }
}

// ---- Programs of their own: environment and end

int write_and_read() {
    static const size_t n = 30 * kLeast + 9; // static: transfers may be under way when the process ends
    static const Bytes sent = noise(n, 9);
    static Bytes back(n);
    gp_context *context = nullptr;
    gp_buffer *buffer = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_OK(gp_buffer_create(context, n, &buffer));
    for (int round = 0; round < 3; ++round) {
        std::fill(back.begin(), back.end(), static_cast<unsigned char>(0));
        CHILD_OK(gp_buffer_write(buffer, 0, n, sent.data()));
        CHILD_OK(gp_buffer_read(buffer, 0, n, back.data()));
        CHILD_CHECK(sent == back);
        std::fill(back.begin(), back.end(), static_cast<unsigned char>(0));
        CHILD_OK(gp_enqueue_write(buffer, 0, n, sent.data(), 0, nullptr, nullptr));
        CHILD_OK(gp_enqueue_read(buffer, 0, n, back.data(), 0, nullptr, nullptr));
        CHILD_OK(gp_finish(context));
        CHILD_CHECK(sent == back);
        CHILD_OK(gp_trim(context));
    }
    CHILD_OK(gp_buffer_free(buffer));
    CHILD_OK(gp_close(context));
    return 0;
}

int leave_under_way() {
    static const size_t n = 200 * kLeast;
    static Bytes *const sent = new Bytes(noise(n, 9)), *const back = new Bytes(n); // outlive the process' end
    gp_context *context = nullptr;
    gp_buffer *buffer = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_OK(gp_buffer_create(context, n, &buffer));
    for (int round = 0; round < 5; ++round) {
        CHILD_OK(gp_enqueue_write(buffer, 0, n, sent->data(), 0, nullptr, nullptr));
        CHILD_OK(gp_enqueue_read(buffer, 0, n, back->data(), 0, nullptr, nullptr));
    }
    CHILD_OK(gp_flush(context));
    return 0;
}

int fork_afterwards() {
    if (write_and_read() != 0) return 1;
    const pid_t child = fork();
    if (child == 0) std::exit(7); // with the handlers of the library
    int status = 0;
    CHILD_CHECK(waitpid(child, &status, 0) == child);
    CHILD_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    return write_and_read();
}

TEST(TransferOfAProgram, WithEveryBoundOfPinnedMemory) {
    for (const char *bytes : {"0", "4096", "100000", "1000000", ""}) {
        SCOPED_TRACE(bytes);
        test::expect_right("write_and_read", {{"GPCL_STAGING", kForced}, {"GPCL_PINNED_BYTES", bytes}});
    }
}

TEST(TransferOfAProgram, WithEveryLeastSize) {
    for (const char *bytes : {"0", "1", "100", "4096", "1000000", "100000000"}) {
        SCOPED_TRACE(bytes);
        test::expect_right("write_and_read", {{"GPCL_STAGING", bytes}});
    }
}

TEST(TransferOfAProgram, EndsWhileSomeAreUnderWay) {
    for (int i = 0; i < 5; ++i) {
        test::expect_right("leave_under_way", {{"GPCL_STAGING", kForced}, {"ASAN_OPTIONS", "detect_leaks=0"}});
    }
}

TEST(TransferOfAProgram, Forks) {
    // In the forked process the leak sanitizer would look for threads that are not there.
    test::expect_right("fork_afterwards", {{"GPCL_STAGING", kForced}, {"ASAN_OPTIONS", "detect_leaks=0"}});
}

const test::Children children({{"write_and_read", write_and_read},
                               {"leave_under_way", leave_under_way},
                               {"fork_afterwards", fork_afterwards}});

} // namespace
