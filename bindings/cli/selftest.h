// The frame of gpcl selftest: groups of checks, data, comparison with what plain loops give.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands.h"
#include "support.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

namespace command {

// What the device got wrong.
struct Wrong {
    std::string what;
    size_t n, index;
    std::string expected, got;
};

class Selftest {
  public:
    Selftest(gp_context *context, const gp_device_info &info, const SelftestOptions &options)
        : context(context), info(info), options_(options) {}

    gp_context *const context;
    const gp_device_info info;

    // Runs a group of checks with each algorithm of `operation` that is asked for, and prints a
    // line for each. `body` takes the algorithm's name, NULL for the default. operation 0: what has
    // no algorithms.
    void group(const std::string &name, gp_operation operation, const std::function<void(const char *)> &body);
    void skip(const std::string &name, const std::string &reason);

    // One check: counts it, and throws what the library reports. A check that the algorithm refuses
    // is left out. Returns whether there is a result.
    bool ran(gp_status status, const char *algorithm);

    // Sizes around those of work-groups and tiles.
    std::vector<size_t> sizes() const;
    void progress(const std::string &text) { progress_.show(text); }

    template <typename T>
    void compare(const std::vector<T> &expected, const std::vector<T> &got, const std::string &what, size_t n) const {
        for (size_t i = 0; i < expected.size(); ++i)
            if (!same(expected[i], got[i])) throw Wrong{what, n, i, to_text(expected[i]), to_text(got[i])};
    }

    size_t groups() const { return groups_; }
    int finish() const; // prints the sum and returns the exit status

  private:
    // By value, all NaN being the same.
    template <typename T> static bool same(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
        return a == b;
    }
    bool wanted(const std::string &name) const { return name.find(options_.only) != std::string::npos; }
    void run(const std::string &name, const char *algorithm, const std::function<void(const char *)> &body);

    const SelftestOptions options_;
    Progress progress_;
    size_t groups_ = 0, failed_ = 0, skipped_ = 0;
    size_t checks_ = 0, refused_ = 0; // of the current group
    size_t all_checks_ = 0;
};

// Calls f(Type<T>()) for each of the types that scan, reduce or sort take.
template <typename F> void for_each_dtype(std::initializer_list<gp_dtype> dtypes, F &&f) {
    for (const auto dtype : dtypes) with_type(dtype, f);
}

using Random = std::mt19937_64;

inline int64_t between(Random &random, int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

void check_prefix(Selftest &test); // scan and reduce
void check_sort(Selftest &test);   // sort, sort_pairs, argsort
void check_matmul(Selftest &test); // all semirings
void check_paths(Selftest &test);
void check_elementwise(Selftest &test); // transform, difference
void check_movement(Selftest &test);    // gather, scatter, transposes
void check_runs(Selftest &test);        // runs, by key, distinct elements, repeats, selections
void check_histogram(Selftest &test);
void check_recurrence(Selftest &test);
void check_buffers(Selftest &test); // buffers, the enqueue forms, the caller's own kernels

} // namespace command
