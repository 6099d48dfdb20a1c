// Rates of a product and of a sort from host memory by the number of devices; see several.sh.
// SPDX-License-Identifier: MIT
#include "whole_calls.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace {

// An array of the host's, pinned or not.
template <class T> class Array {
  public:
    Array(gp_context *context, size_t n, bool pinned) {
        if (pinned)
            check(gp_host_alloc(context, n * sizeof(T), &pinned_));
        else
            ordinary_.reset(new T[n]);
        data_ = pinned ? static_cast<T *>(pinned_) : ordinary_.get();
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array() { gp_host_free(pinned_); }
    T *data() { return data_; }
    T &operator[](size_t i) { return data_[i]; }

  private:
    void *pinned_ = nullptr;
    std::unique_ptr<T[]> ordinary_;
    T *data_ = nullptr;
};

// The median of so many turns after a first one, in seconds.
double median(size_t turns, const std::function<void()> &before, const std::function<void()> &turn) {
    std::vector<double> times;
    for (size_t i = 0; i <= turns; ++i) {
        before();
        const auto start = std::chrono::steady_clock::now();
        turn();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (i > 0) times.push_back(took.count());
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

struct Run {
    size_t turns;
    bool pinned;
};

// Seconds of C = A B, of n x n matrices. Some elements are compared with sums in float64.
double product(gp_context *context, size_t n, const Run &run) {
    Array<float> a(context, n * n, run.pinned), b(context, n * n, run.pinned), c(context, n * n, run.pinned);
    by_parts(n * n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            a[i] = static_cast<float>(mixed(i) >> 40) * 0x1p-23F - 1;
            b[i] = static_cast<float>(mixed(i + n * n) >> 40) * 0x1p-23F - 1;
            c[i] = 0;
        }
    });
    const double seconds = median(
        run.turns, [] {},
        [&] { check(gp_matmul(context, GP_FLOAT32, n, n, n, a.data(), n, b.data(), n, c.data(), n, nullptr)); });
    for (size_t t = 0; t < 200; ++t) {
        const size_t row = t < 2 ? t * (n - 1) : mixed(t) % n, column = mixed(t + 1000) % n;
        double sum = 0, magnitudes = 0;
        for (size_t k = 0; k < n; ++k) {
            const double term = static_cast<double>(a[row * n + k]) * b[k * n + column];
            sum += term;
            magnitudes += std::abs(term);
        }
        const double bound = static_cast<double>(n + 2) * 0x1p-24 * magnitudes;
        require(std::abs(sum - c[row * n + column]) <= bound, "an element of the product");
    }
    return seconds;
}

// Seconds of a sort of n keys. That the keys are in order, and have the sum and the sum of squares
// that they had, is checked.
double sort(gp_context *context, size_t n, const Run &run) {
    Array<uint32_t> keys(context, n, run.pinned);
    const auto sums = [&](uint64_t &sum, uint64_t &squares) {
        std::atomic<uint64_t> all = 0, all_squares = 0;
        by_parts(n, [&](size_t begin, size_t end) {
            uint64_t some = 0, some_squares = 0;
            for (size_t i = begin; i < end; ++i) {
                some += keys[i];
                some_squares += uint64_t{keys[i]} * keys[i];
            }
            all += some;
            all_squares += some_squares;
        });
        sum = all;
        squares = all_squares;
    };
    uint64_t sum = 0, squares = 0, sum_after = 0, squares_after = 0;
    const double seconds = median(
        run.turns,
        [&] {
            by_parts(n, [&](size_t begin, size_t end) {
                for (size_t i = begin; i < end; ++i) keys[i] = static_cast<uint32_t>(mixed(i));
            });
            sums(sum, squares);
        },
        [&] { check(gp_sort(context, GP_UINT32, n, keys.data(), nullptr)); });
    by_parts(n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) require(i == 0 || keys[i - 1] <= keys[i], "the order of the keys");
    });
    sums(sum_after, squares_after);
    require(sum == sum_after && squares == squares_after, "the keys");
    return seconds;
}

// What the selector names, one by one.
std::vector<std::string> devices_of(const std::string &selector) {
    gp_context *context = nullptr;
    check(gp_open(selector.c_str(), &context));
    size_t count = 0;
    check(gp_context_devices(context, &count));
    std::vector<std::string> result;
    for (size_t i = 0; i < count; ++i) {
        gp_context *device = nullptr;
        check(gp_context_device(context, i, &device));
        gp_device_info info = {};
        info.struct_size = sizeof info;
        check(gp_describe(device, &info));
        std::printf("# %s: %s, %u compute units\n", info.selector, info.name, info.compute_units);
        result.emplace_back(info.selector);
    }
    check(gp_close(context));
    return result;
}

} // namespace

int main(int argc, char **argv) {
    size_t n_product = 32768, n_sort = size_t{1} << 32;
    Run run{3, false};
    std::string selector = "gpu*";
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto value = [&] {
            if (++i < argc) return size_of(argv[i]);
            std::fprintf(stderr, "%s needs a number\n", argument.c_str());
            std::exit(2);
        };
        if (argument == "--product")
            n_product = value();
        else if (argument == "--sort")
            n_sort = value();
        else if (argument == "--turns")
            run.turns = std::max(size_t{1}, value());
        else if (argument == "--pinned")
            run.pinned = true;
        else
            selector = argument;
    }
    const std::vector<std::string> devices = devices_of(selector);
    std::printf("%-10s %12s %8s %12s %14s %8s\n", "operation", "n", "devices", "seconds", "rate", "times");
    const auto measure = [&](const char *name, size_t n, double work, const char *unit,
                             double (*call)(gp_context *, size_t, const Run &)) {
        double one = 0;
        for (size_t count = 1; n > 0; count = std::min(2 * count, devices.size())) {
            std::string some = devices[0];
            for (size_t i = 1; i < count; ++i) some += "," + devices[i];
            gp_context *context = nullptr;
            check(gp_open(some.c_str(), &context));
            const double seconds = call(context, n, run);
            if (count == 1) one = seconds;
            std::printf("%-10s %12zu %8zu %12.6f %9.1f %-4s %8.2f\n", name, n, count, seconds, work / seconds / 1e9,
                        unit, one / seconds);
            std::printf("#   %s\n", gp_explain(context));
            std::fflush(stdout);
            check(gp_close(context));
            if (count == devices.size()) break;
        }
    };
    const auto real = static_cast<double>(n_product);
    measure("product", n_product, 2 * real * real * real, "Gop", product);
    measure("sort", n_sort, 4.0 * static_cast<double>(n_sort), "GB", sort);
    return 0;
}
