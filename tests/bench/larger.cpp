// The rate of calls on host memory by size, from a fourth of a bound on device memory to 16 times
// as much. larger.sh builds and runs it. Arguments: the bound in MiB; then operations, none for
// all.
// SPDX-License-Identifier: MIT
#include <gpcl/gpcl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

void check(gp_status status) {
    if (status == GP_SUCCESS) return;
    std::fprintf(stderr, "%s\n", gp_error_message());
    std::exit(1);
}

std::vector<uint32_t> keys_of(size_t n) {
    std::vector<uint32_t> keys(n);
    uint32_t state = 1;
    for (uint32_t &key : keys) key = state = state * 1664525 + 1013904223;
    return keys;
}

// A time in seconds, and what was done of the unit.
struct Measured {
    double seconds, work;
    bool is_right;
};

template <class F> double seconds_of(const F &call) {
    const auto start = std::chrono::steady_clock::now();
    check(call());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of arrays of so many bytes in all.
using Call = std::function<Measured(gp_context *, size_t)>;

Measured sort(gp_context *context, size_t bytes) {
    const size_t n = bytes / sizeof(uint32_t);
    std::vector<uint32_t> keys = keys_of(n);
    const double seconds = seconds_of([&] { return gp_sort(context, GP_UINT32, n, keys.data(), nullptr); });
    return {seconds, static_cast<double>(bytes), std::is_sorted(keys.begin(), keys.end())};
}

Measured scan(gp_context *context, size_t bytes) {
    const size_t n = bytes / 2 / sizeof(uint32_t);
    const std::vector<uint32_t> in = keys_of(n);
    std::vector<uint32_t> out(n);
    const double seconds = seconds_of([&] { return gp_scan(context, GP_UINT32, n, in.data(), out.data(), nullptr); });
    uint32_t sum = 0;
    bool is_right = true;
    for (size_t i = 0; i < n; ++i) is_right &= out[i] == (sum += in[i]);
    return {seconds, static_cast<double>(bytes), is_right};
}

// Of which one element in each row is checked.
Measured product(gp_context *context, size_t bytes) {
    const auto n = static_cast<size_t>(std::sqrt(static_cast<double>(bytes) / 3 / sizeof(float)));
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (size_t i = 0; i < n * n; ++i) {
        a[i] = static_cast<float>(i * 7 % 5);
        b[i] = static_cast<float>(i * 3 % 4);
    }
    const double seconds = seconds_of(
        [&] { return gp_matmul(context, GP_FLOAT32, n, n, n, a.data(), n, b.data(), n, c.data(), n, nullptr); });
    bool is_right = true;
    for (size_t i = 0; i < n; ++i) {
        const size_t j = i * 31 % n;
        double sum = 0;
        for (size_t k = 0; k < n; ++k) sum += static_cast<double>(a[i * n + k]) * static_cast<double>(b[k * n + j]);
        is_right &= std::fabs(sum - static_cast<double>(c[i * n + j])) <= 1e-5 * sum;
    }
    const auto side = static_cast<double>(n);
    return {seconds, 2 * side * side * side, is_right};
}

struct Operation {
    const char *name, *unit;
    Call call;
};

const Operation kOperations[] = {
    {"sort", "GB/s of keys", sort}, {"scan", "GB/s of input and output", scan}, {"product", "Gflop/s", product}};

} // namespace

int main(int count, char **arguments) {
    const size_t bound = (count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 64) << 20;
    gp_open_options options = GP_OPEN_OPTIONS_INIT;
    options.memory_bytes = bound;
    gp_context *bounded = nullptr, *whole = nullptr;
    check(gp_open_with(nullptr, &options, &bounded));
    check(gp_open(nullptr, &whole));
    gp_device_info info{};
    info.struct_size = sizeof info;
    check(gp_describe(whole, &info));
    std::printf("%s, bound %zu MiB; best of three\n", info.name, bound >> 20);
    std::printf("%-10s %12s %12s %12s  %s\n", "operation", "of the bound", "bounded", "unbounded", "unit");
    for (const Operation &operation : kOperations) {
        const auto is_named = [&](const char *argument) { return std::strcmp(argument, operation.name) == 0; };
        if (count > 2 && std::none_of(arguments + 2, arguments + count, is_named)) continue;
        for (double factor = 0.25; factor <= 16; factor *= 2) {
            const auto bytes = static_cast<size_t>(factor * static_cast<double>(bound));
            double best[2] = {0, 0};
            for (int turn = 0; turn < 3; ++turn)
                for (int side = 0; side < 2; ++side) {
                    if (side == 1 && bytes > info.global_bytes / 3) continue;
                    const Measured one = operation.call(side == 0 ? bounded : whole, bytes);
                    if (!one.is_right) {
                        std::fprintf(stderr, "%s of %zu bytes is wrong\n", operation.name, bytes);
                        return 1;
                    }
                    best[side] = std::max(best[side], one.work / one.seconds / 1e9);
                }
            std::printf("%-10s %12g %12.2f %12.2f  %s\n", operation.name, factor, best[0], best[1], operation.unit);
            std::fflush(stdout);
        }
    }
    check(gp_close(whole));
    check(gp_close(bounded));
    return 0;
}
