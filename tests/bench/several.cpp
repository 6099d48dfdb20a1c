// Rates of a product and of a sort from host memory by the number of devices; see several.sh.
// SPDX-License-Identifier: MIT
#include "whole_calls.h"

#include <algorithm>
#include <chrono>
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

// Seconds of C = A B, of n x n matrices.
double product(gp_context *context, size_t n, const Run &run) {
    Array<float> a(context, n * n, run.pinned), b(context, n * n, run.pinned), c(context, n * n, run.pinned);
    fill(a.data(), n * n, 0);
    fill(b.data(), n * n, 1);
    clear(c.data(), n * n);
    const double seconds = median(
        run.turns, [] {},
        [&] { check(gp_matmul(context, GP_FLOAT32, n, n, n, a.data(), n, b.data(), n, c.data(), n, nullptr)); });
    require_product(a.data(), b.data(), c.data(), n);
    return seconds;
}

// Seconds of a sort of n keys.
double sort(gp_context *context, size_t n, const Run &run) {
    Array<uint32_t> keys(context, n, run.pinned);
    std::pair<uint64_t, uint64_t> sums;
    const double seconds = median(
        run.turns,
        [&] {
            fill(keys.data(), n);
            sums = sums_of(keys.data(), n);
        },
        [&] { check(gp_sort(context, GP_UINT32, n, keys.data(), nullptr)); });
    require_sorted(keys.data(), n, sums);
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
