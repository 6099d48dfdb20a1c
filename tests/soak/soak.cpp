// soak SECONDS [THREADS]: mixed calls of random sizes from many threads, on contexts that are
// closed and opened anew meanwhile, with wrong arguments and OpenCL calls that fail
// (faults/faults.h). Every call that succeeds must be right, memory must stay flat, and no OpenCL
// object may be left in the end.
// SPDX-License-Identifier: MIT
#include "faults/faults.h"
#include "support/process_memory.h"

#include <gpcl/gpcl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kSample{50};

std::array<std::atomic<gp_context *>, 4> contexts;
std::atomic<uint64_t> calls, failures, opened;
std::atomic<bool> is_over;
std::atomic<long> warm;          // threads that have made their first calls
constexpr int kFirstCalls = 200; // of a thread, after which everything has been in use

[[noreturn]] void fail(const std::string &what) {
    std::fprintf(stderr, "soak: %s: %s\n", what.c_str(), gp_error_message());
    std::_Exit(1);
}

gp_context *opened_anew() {
    gp_context *context = nullptr;
    for (int tries = 0; tries < 100; ++tries) { // an OpenCL call may be made to fail
        if (gp_open(nullptr, &context) == GP_SUCCESS) {
            ++opened;
            return context;
        }
    }
    fail("gp_open");
}

// A thread's calls.
class Worker {
  public:
    explicit Worker(unsigned seed) : random_(seed) {}

    void run() {
        for (int i = 0; i < kFirstCalls; ++i) one();
        ++warm;
        while (!is_over) one();
    }

  private:
    size_t below(size_t bound) { return random_() % bound; }
    // Mostly small, sometimes of several tiles or pieces.
    size_t size() { return below(20) == 0 ? below(200'000) : below(1000); }
    std::vector<int32_t> values(size_t n) {
        std::vector<int32_t> result(n);
        for (int32_t &one : result) one = static_cast<int32_t>(random_() % 2001) - 1000;
        return result;
    }

    // Notes a call; false where it failed, which a closed context or a failing driver may cause.
    bool succeeds(gp_status status) {
        ++calls;
        if (status == GP_SUCCESS) return true;
        ++failures;
        if (status == GP_ERROR_INTERNAL || *gp_error_message() == '\0') fail(gp_status_name(status));
        return false;
    }
    static void require(bool is_right, const char *call) {
        if (!is_right) fail(std::string(call) + " gave a wrong result");
    }

    void one() {
        gp_context *const context = contexts[below(contexts.size())];
        switch (below(9)) {
        case 0: sort(context); break;
        case 1: scan(context); break;
        case 2: reduce(context); break;
        case 3: select(context); break;
        case 4: top_k(context); break;
        case 5: histogram(context); break;
        case 6: matmul(context); break;
        case 7: buffers(context); break;
        default: go_wrong(context);
        }
    }

    void sort(gp_context *context) {
        std::vector<int32_t> keys = values(size()), expected = keys;
        if (!succeeds(gp_sort(context, GP_INT32, keys.size(), keys.data(), nullptr))) return;
        std::sort(expected.begin(), expected.end());
        require(keys == expected, "gp_sort");
    }
    void scan(gp_context *context) {
        std::vector<int32_t> in = values(size()), out(in.size());
        if (!succeeds(gp_scan(context, GP_INT32, in.size(), in.data(), out.data(), nullptr))) return;
        std::partial_sum(in.begin(), in.end(), in.begin());
        require(in == out, "gp_scan");
    }
    void reduce(gp_context *context) {
        const std::vector<int32_t> in = values(size());
        int32_t sum = 0;
        if (!succeeds(gp_reduce(context, GP_INT32, in.size(), in.data(), &sum, nullptr))) return;
        require(sum == std::accumulate(in.begin(), in.end(), 0), "gp_reduce");
    }
    void select(gp_context *context) {
        const std::vector<int32_t> in = values(size());
        std::vector<uint8_t> flags(in.size());
        std::vector<int32_t> out(in.size()), expected;
        for (size_t i = 0; i < in.size(); ++i)
            if ((flags[i] = in[i] % 3 == 0)) expected.push_back(in[i]);
        uint64_t count = 0;
        if (!succeeds(
                gp_select(context, sizeof(int32_t), in.size(), in.data(), flags.data(), out.data(), &count, nullptr)))
            return;
        out.resize(count);
        require(out == expected, "gp_select");
    }
    void top_k(gp_context *context) {
        std::vector<int32_t> in = values(size() + 5), out(5);
        if (!succeeds(gp_top_k(context, GP_DESCENDING, GP_INT32, in.size(), in.data(), out.size(), GP_UINT64, nullptr,
                               out.data(), nullptr)))
            return;
        std::partial_sort(in.begin(), in.begin() + 5, in.end(), std::greater<>());
        in.resize(5);
        require(in == out, "gp_top_k");
    }
    void histogram(gp_context *context) {
        std::vector<uint8_t> in(size());
        std::vector<uint64_t> counts(256), expected(256);
        for (uint8_t &one : in) ++expected[one = static_cast<uint8_t>(random_())];
        if (!succeeds(gp_histogram(context, GP_UINT8, in.size(), in.data(), counts.size(), counts.data(), nullptr)))
            return;
        require(counts == expected, "gp_histogram");
    }
    void matmul(gp_context *context) {
        const size_t m = below(40), n = below(40), k = below(40);
        const std::vector<int32_t> a = values(m * k), b = values(k * n);
        std::vector<int32_t> c(m * n), expected(m * n);
        if (!succeeds(gp_matmul(context, GP_INT32, m, n, k, a.data(), k, b.data(), n, c.data(), n, nullptr))) return;
        for (size_t i = 0; i < m; ++i)
            for (size_t p = 0; p < k; ++p)
                for (size_t j = 0; j < n; ++j) expected[i * n + j] += a[i * k + p] * b[p * n + j];
        require(c == expected, "gp_matmul");
    }

    // A chain of calls on the device's memory; what one of them hands out is freed in any case.
    void buffers(gp_context *context) {
        const std::vector<int32_t> in = values(size() + 1);
        const size_t bytes = in.size() * sizeof in[0];
        std::vector<int32_t> out(in.size());
        gp_buffer *memory = nullptr;
        gp_event *sorted = nullptr, *summed = nullptr;
        const bool is_done =
            succeeds(gp_buffer_create(context, bytes, &memory)) &&
            succeeds(gp_buffer_write(memory, 0, bytes, in.data())) &&
            succeeds(gp_enqueue_sort(context, GP_INT32, in.size(), memory, 0, nullptr, 0, nullptr, &sorted)) &&
            succeeds(
                gp_enqueue_scan(context, GP_INT32, in.size(), memory, 0, memory, 0, nullptr, 1, &sorted, &summed)) &&
            succeeds(gp_event_wait(summed)) && succeeds(gp_buffer_read(memory, 0, bytes, out.data()));
        gp_event_free(sorted);
        gp_event_free(summed);
        gp_buffer_free(memory);
        if (!is_done) return;
        std::vector<int32_t> expected = in;
        std::sort(expected.begin(), expected.end());
        std::partial_sum(expected.begin(), expected.end(), expected.begin());
        require(out == expected, "gp_enqueue_sort and gp_enqueue_scan");
    }

    // Wrong arguments, an OpenCL call that fails, memory given back, another context.
    void go_wrong(gp_context *context) {
        int32_t value = 0;
        switch (below(16)) {
        case 0: faults_arm(static_cast<long>(below(200)) + 1); break;
        case 1: {
            gp_context *const other = opened_anew();
            gp_close(contexts[below(contexts.size())].exchange(other));
            break;
        }
        case 2: succeeds(gp_trim(context)); break;
        case 3: require(!succeeds(gp_sort(context, 99, 1, &value, nullptr)), "an unknown type"); break;
        case 4: require(!succeeds(gp_sort(context, GP_INT32, SIZE_MAX, &value, nullptr)), "a size"); break;
        default: require(!succeeds(gp_scan(context, GP_INT32, 1, nullptr, &value, nullptr)), "NULL");
        }
    }

    std::mt19937 random_;
};

} // namespace

int main(int argc, char **argv) {
    const long seconds = argc > 1 ? std::atol(argv[1]) : 10;
    const long count = argc > 2 ? std::atol(argv[2]) : 16;
    for (auto &context : contexts) context = opened_anew();
    std::vector<std::thread> threads;
    for (long i = 0; i < count; ++i) threads.emplace_back([i] { Worker(static_cast<unsigned>(i)).run(); });

    while (warm < count) std::this_thread::sleep_for(kSample);
    const auto end = Clock::now() + std::chrono::seconds(seconds),
               half = end - std::chrono::milliseconds(500 * seconds);
    size_t first = test::resident_bytes(), second = first; // the most in each half
    for (auto now = Clock::now(); now < end; now = Clock::now()) {
        std::this_thread::sleep_for(kSample);
        size_t &most = now < half ? first : second;
        most = std::max(most, test::resident_bytes());
    }
    is_over = true;
    for (std::thread &thread : threads) thread.join();
    faults_arm(0);
    for (auto &context : contexts) gp_close(context);
    const std::string left = faults_live();
    std::printf("%llu calls, %llu failed, %llu contexts, %zu MiB and then %zu MiB\n",
                static_cast<unsigned long long>(calls), static_cast<unsigned long long>(failures),
                static_cast<unsigned long long>(opened), first >> 20, second >> 20);
    constexpr size_t kNoise = size_t{32} << 20; // of malloc's arenas and the driver
    if (!test::is_sanitized() && second > first + first / 8 + kNoise) fail("memory grows");
    if (!left.empty()) fail("left in the driver: " + left);
}
