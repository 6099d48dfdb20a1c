// The rate of calls on host memory by size, below and above a bound on device memory; see
// larger.sh.
// SPDX-License-Identifier: MIT
#include "whole_calls.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace {

// An array of the host's that nothing has touched yet.
template <class T> std::unique_ptr<T[]> array(size_t n) { return std::unique_ptr<T[]>(new T[n]); }

std::unique_ptr<uint32_t[]> keys_of(size_t n) {
    auto keys = array<uint32_t>(n);
    fill(keys.get(), n);
    return keys;
}

// A time in seconds, and how much was done.
struct Measured {
    double seconds, work;
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
    const auto keys = keys_of(n);
    const auto sums = sums_of(keys.get(), n);
    const double seconds = seconds_of([&] { return gp_sort(context, GP_UINT32, n, keys.get(), nullptr); });
    require_sorted(keys.get(), n, sums);
    return {seconds, static_cast<double>(bytes)};
}

Measured scan(gp_context *context, size_t bytes) {
    const size_t n = bytes / 2 / sizeof(uint32_t);
    const auto in = keys_of(n), out = array<uint32_t>(n);
    clear(out.get(), n);
    const double seconds = seconds_of([&] { return gp_scan(context, GP_UINT32, n, in.get(), out.get(), nullptr); });
    by_parts(n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) require(out[i] == (i == 0 ? 0 : out[i - 1]) + in[i], "a prefix sum");
    });
    return {seconds, static_cast<double>(bytes)};
}

Measured product(gp_context *context, size_t bytes) {
    const auto n = static_cast<size_t>(std::sqrt(static_cast<double>(bytes) / 3 / sizeof(float)));
    const auto a = array<float>(n * n), b = array<float>(n * n), c = array<float>(n * n);
    fill(a.get(), n * n, 0);
    fill(b.get(), n * n, 1);
    clear(c.get(), n * n);
    const double seconds = seconds_of(
        [&] { return gp_matmul(context, GP_FLOAT32, n, n, n, a.get(), n, b.get(), n, c.get(), n, nullptr); });
    require_product(a.get(), b.get(), c.get(), n);
    const auto side = static_cast<double>(n);
    return {seconds, 2 * side * side * side};
}

struct Operation {
    const char *name, *unit;
    Call call;
};

const Operation kOperations[] = {
    {"sort", "GB/s of keys", sort}, {"scan", "GB/s of input and output", scan}, {"product", "Gflop/s", product}};

} // namespace

int main(int count, char **arguments) {
    size_t bound = size_t{64} << 20, turns = 3;
    std::vector<double> factors;
    std::vector<std::string> names;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--turns" && i + 1 < count)
            turns = std::max<size_t>(std::stoul(arguments[++i]), 1);
        else if (word == "--factor" && i + 1 < count)
            factors.push_back(std::stod(arguments[++i]));
        else if (word.find_first_not_of("0123456789") == word.npos)
            bound = std::stoul(word) << 20;
        else
            names.push_back(word);
    }
    if (factors.empty()) factors = {0.25, 0.5, 1, 2, 4, 8, 16};
    gp_open_options options = GP_OPEN_OPTIONS_INIT;
    options.memory_bytes = bound;
    gp_context *bounded = nullptr, *whole = nullptr;
    check(gp_open_with(nullptr, &options, &bounded));
    check(gp_open(nullptr, &whole));
    gp_device_info info{};
    info.struct_size = sizeof info;
    check(gp_describe(whole, &info));
    std::printf("%s, bound %zu MiB; best of %zu\n", info.name, bound >> 20, turns);
    std::printf("%-10s %12s %12s %12s  %s\n", "operation", "of the bound", "bounded", "unbounded", "unit");
    for (const Operation &operation : kOperations) {
        if (!names.empty() && std::find(names.begin(), names.end(), operation.name) == names.end()) continue;
        for (const double factor : factors) {
            const auto bytes = static_cast<size_t>(factor * static_cast<double>(bound));
            double best[2] = {0, 0};
            for (size_t turn = 0; turn < turns; ++turn)
                for (int side = 0; side < 2; ++side) {
                    if (side == 1 && bytes > info.global_bytes / 3) continue;
                    const auto [seconds, work] = operation.call(side == 0 ? bounded : whole, bytes);
                    best[side] = std::max(best[side], work / seconds / 1e9);
                }
            std::printf("%-10s %12g %12.2f %12.2f  %s\n", operation.name, factor, best[0], best[1], operation.unit);
            std::fflush(stdout);
        }
    }
    check(gp_close(whole));
    check(gp_close(bounded));
    return 0;
}
