// What "auto" costs beside the host and the device, whichever ends first, or what several devices
// cost beside one; see auto.sh.
// SPDX-License-Identifier: MIT
#include "whole_calls.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

struct Data {
    std::vector<float> in, other, out;
    std::vector<uint32_t> keys, sorted, from, more, ints;
    std::vector<uint64_t> longs;
    std::vector<uint8_t> flags;

    explicit Data(size_t n)
        : in(n), other(n), out(n), keys(n), sorted(n), from(n), more(n), ints(2 * n), longs(std::max<size_t>(n, 65536)),
          flags(n) {
        std::mt19937 random(1);
        for (size_t i = 0; i < n; ++i) {
            from[i] = static_cast<uint32_t>(random());
            in[i] = static_cast<float>(from[i] >> 8) * 0x1p-24F;
            other[i] = 1 - in[i];
            more[i] = static_cast<uint32_t>(from[i] % n);
            flags[i] = static_cast<uint8_t>(from[i] >> 31);
            sorted[i] = static_cast<uint32_t>(i * 4);
        }
    }
};

using Call = std::function<gp_status(gp_context *, size_t, Data &)>;

struct Operation {
    const char *name;
    bool sorts; // takes other keys each time, since a CPU learns the branches of a short sort
    Call call;
};

size_t side(size_t n) { return static_cast<size_t>(std::sqrt(static_cast<double>(n))); }

const Operation kOperations[] = {
    {"sort", true, [](auto *c, size_t n, Data &d) { return gp_sort(c, GP_UINT32, n, d.keys.data(), nullptr); }},
    {"sort-float32", true,
     [](auto *c, size_t n, Data &d) { return gp_sort(c, GP_FLOAT32, n, d.keys.data(), nullptr); }},
    {"sort-pairs", true,
     [](auto *c, size_t n, Data &d) {
         return gp_sort_pairs(c, GP_UINT32, n, d.keys.data(), 4, d.ints.data(), nullptr);
     }},
    {"argsort", true,
     [](auto *c, size_t n, Data &d) {
         return gp_argsort(c, GP_UINT32, n, d.keys.data(), GP_UINT32, d.ints.data(), nullptr);
     }},
    {"scan", false,
     [](auto *c, size_t n, Data &d) { return gp_scan(c, GP_FLOAT32, n, d.in.data(), d.out.data(), nullptr); }},
    {"reduce", false,
     [](auto *c, size_t n, Data &d) { return gp_reduce(c, GP_FLOAT32, n, d.in.data(), d.out.data(), nullptr); }},
    {"arg-reduce", false,
     [](auto *c, size_t n, Data &d) {
         return gp_arg_reduce(c, GP_MINIMUM, GP_FLOAT32, n, d.in.data(), GP_UINT64, d.longs.data(), nullptr, nullptr);
     }},
    {"top-k", false,
     [](auto *c, size_t n, Data &d) {
         return gp_top_k(c, GP_DESCENDING, GP_FLOAT32, n, d.in.data(), std::min<size_t>(n, 32), GP_UINT64,
                         d.longs.data(), nullptr, nullptr);
     }},
    {"search", false,
     [](auto *c, size_t n, Data &d) {
         return gp_search(c, GP_UINT32, n, d.sorted.data(), n, d.from.data(), GP_UINT64, d.longs.data(), nullptr);
     }},
    {"is-sorted", false,
     [](auto *c, size_t n, Data &d) {
         return gp_is_sorted(c, GP_UINT32, n, d.sorted.data(), d.longs.data(), nullptr);
     }},
    {"merge", false,
     [](auto *c, size_t n, Data &d) {
         return gp_merge(c, GP_UINT32, n / 2, d.sorted.data(), n - n / 2, d.sorted.data(), d.ints.data(), nullptr);
     }},
    {"histogram", false,
     [](auto *c, size_t n, Data &d) {
         gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
         options.upper = 1;
         return gp_histogram(c, GP_FLOAT32, n, d.in.data(), 256, d.longs.data(), &options);
     }},
    {"recurrence", false,
     [](auto *c, size_t n, Data &d) {
         const float half = 0.5F;
         return gp_recurrence(c, GP_FLOAT32, n, d.in.data(), d.out.data(), 1, &half, nullptr);
     }},
    {"difference", false,
     [](auto *c, size_t n, Data &d) { return gp_difference(c, GP_FLOAT32, n, d.in.data(), d.out.data(), nullptr); }},
    {"select", false,
     [](auto *c, size_t n, Data &d) {
         return gp_select(c, 4, n, d.in.data(), d.flags.data(), d.out.data(), d.longs.data(), nullptr);
     }},
    {"gather", false,
     [](auto *c, size_t n, Data &d) {
         return gp_gather(c, 4, n, d.in.data(), GP_UINT32, n, d.more.data(), d.out.data(), nullptr);
     }},
    {"transpose", false,
     [](auto *c, size_t n, Data &d) {
         const size_t s = side(n);
         return gp_transpose_matrix(c, 4, s, s, d.in.data(), s, d.out.data(), s, nullptr);
     }},
    {"run-lengths", false,
     [](auto *c, size_t n, Data &d) {
         return gp_run_lengths(c, GP_UINT32, n, d.sorted.data(), d.ints.data(), GP_UINT32, d.keys.data(),
                               d.longs.data(), nullptr);
     }},
    {"unique", false,
     [](auto *c, size_t n, Data &d) {
         return gp_unique(c, GP_UINT32, n, d.more.data(), d.ints.data(), GP_UINT32, nullptr, nullptr, nullptr,
                          d.longs.data(), nullptr);
     }},
    {"matmul", false, // of square matrices with n elements
     [](auto *c, size_t n, Data &d) {
         const size_t s = side(n);
         return gp_matmul(c, GP_FLOAT32, s, s, s, d.in.data(), s, d.other.data(), s, d.out.data(), s, nullptr);
     }},
    {"matmul-vector", false,
     [](auto *c, size_t n, Data &d) {
         const size_t s = side(n);
         return gp_matmul(c, GP_FLOAT32, s, 1, s, d.in.data(), s, d.other.data(), 1, d.out.data(), 1, nullptr);
     }},
};

// Microseconds: the median of turns that take a tenth of a second together, 3 at least.
double time(const Operation &operation, gp_context *context, size_t n, Data &data) {
    std::vector<double> times;
    double sum = -1;
    size_t turn = 0;
    while (times.size() < 3 || (sum < 1e5 && times.size() < 101)) {
        if (operation.sorts) {
            const auto factor = static_cast<uint32_t>(2 * ++turn + 1); // a quarter of all bits are no NaN
            std::transform(data.from.begin(), data.from.end(), data.keys.begin(),
                           [&](uint32_t key) { return key * factor >> 2; });
        }
        const auto start = std::chrono::steady_clock::now();
        check(operation.call(context, n, data));
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
        if (sum >= 0) times.push_back(took.count()); // the first builds programs, and may measure
        sum = std::max(sum, 0.0) + took.count();
        if (took.count() > 5e6 && !times.empty()) break;
    }
    std::nth_element(times.begin(), times.begin() + static_cast<ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

bool is_wanted(const std::vector<std::string> &names, const char *name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// The first device that the selector names beside all of them.
void compare_several(const char *selector, size_t from, size_t to, const std::vector<std::string> &names) {
    gp_context *all = nullptr, *one = nullptr;
    check(gp_open(selector, &all));
    check(gp_context_device(all, 0, &one));
    size_t devices = 0;
    check(gp_context_devices(all, &devices));
    std::printf("# %zu devices; microseconds\n%-14s %10s %11s %11s %9s %s\n", devices, "operation", "n", "one", "all",
                "all/one", "how");
    for (size_t power = from; power <= to; power += 2) {
        const size_t n = size_t{1} << power;
        Data data(n);
        for (const Operation &each : kOperations) {
            if (!is_wanted(names, each.name)) continue;
            const double by_one = time(each, one, n, data), by_all = time(each, all, n, data);
            std::printf("%-14s %10zu %11.2f %11.2f %9.2f %s\n", each.name, n, by_one, by_all, by_all / by_one,
                        std::strstr(gp_explain(all), " dealt out: ") != nullptr ? "dealt out" : "one device");
            std::fflush(stdout);
        }
    }
    check(gp_close(all));
}

} // namespace

int main(int count, char **arguments) {
    size_t from = 0, to = 28;
    const char *several = nullptr;
    std::vector<std::string> names;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if ((word == "--from" || word == "--to") && i + 1 < count)
            (word == "--from" ? from : to) = std::strtoul(arguments[++i], nullptr, 10);
        else if (word == "--several" && i + 1 < count)
            several = arguments[++i];
        else
            names.push_back(word);
    }
    if (several != nullptr) {
        compare_several(several, from, to, names);
        return 0;
    }
    gp_context *host = nullptr, *device = nullptr, *chosen = nullptr;
    check(gp_open("host", &host));
    check(gp_open(nullptr, &device));
    check(gp_open("auto", &chosen));
    gp_device_info info{};
    info.struct_size = sizeof info;
    check(gp_describe(device, &info));
    std::printf("# %s beside the host; microseconds\n%-14s %10s %11s %11s %11s %9s %s\n", info.name, "operation", "n",
                "host", "device", "auto", "auto/best", "place");
    double worst = 0;
    for (size_t power = from; power <= to; power += 2) {
        const size_t n = size_t{1} << power;
        Data data(n);
        for (const Operation &each : kOperations) {
            if (!is_wanted(names, each.name)) continue;
            const double on_host = time(each, host, n, data), on_device = time(each, device, n, data);
            const double by_itself = time(each, chosen, n, data), best = std::min(on_host, on_device);
            const bool is_host = std::string(gp_explain(chosen)).find(": on host;") != std::string::npos;
            worst = std::max(worst, by_itself / best);
            std::printf("%-14s %10zu %11.2f %11.2f %11.2f %9.2f %s\n", each.name, n, on_host, on_device, by_itself,
                        by_itself / best, is_host ? "host" : "device");
            std::fflush(stdout);
        }
    }
    std::printf("# the worst: %.2f\n", worst);
    for (gp_context *each : {host, device, chosen}) check(gp_close(each));
}
