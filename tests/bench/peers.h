// What the comparisons with other libraries share: random data, times taken alternately, one line
// of the table a result.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace peers {

inline void check(gp_status status) {
    if (status == GP_SUCCESS) return;
    std::fprintf(stderr, "gpcl: %s\n", gp_error_message());
    std::exit(1);
}

// NAME [DEVICE] [--quick] [--by-n] [--n N] [--only OPERATION]; peers.sh gives the device's peaks.
struct Settings {
    std::string device;
    bool quick = false;
    bool by_n = false;                     // n from 2^10 to 2^30
    size_t n = 0;                          // in place of the listed numbers of elements; 0: those
    std::string only;                      // an operation; empty: all
    double copy = 0, fma32 = 0, fma64 = 0; // GB/s, Gop/s; 0: not known

    Settings(int argc, char **argv) {
        for (int i = 1; i < argc; ++i) {
            if (std::string(argv[i]) == "--quick")
                quick = true;
            else if (std::string(argv[i]) == "--by-n")
                by_n = true;
            else if (std::string(argv[i]) == "--n" && i + 1 < argc)
                n = std::strtoull(argv[++i], nullptr, 10);
            else if (std::string(argv[i]) == "--only" && i + 1 < argc)
                only = argv[++i];
            else
                device = argv[i];
        }
        const auto peak = [](const char *name) {
            const char *text = std::getenv(name);
            return text ? std::atof(text) : 0;
        };
        copy = peak("PEERS_COPY");
        fma32 = peak("PEERS_FMA32");
        fma64 = peak("PEERS_FMA64");
    }
    bool wants(const char *operation) const { return only.empty() || only == operation; }
    size_t count(size_t small, size_t all) const { return n != 0 ? n : quick ? small : all; }
    template <typename T> std::vector<T> sizes(std::vector<T> small, std::vector<T> all) const {
        if constexpr (std::is_same_v<T, size_t>)
            if (n != 0) return {n};
        return quick ? small : all;
    }
};

// ---- Random data, the same in every program -----------------------------------------------------

// The i-th number of SplitMix64 (Steele, Lea and Flood, 2014), which a compiler can compute several
// at a time.
inline uint64_t random_bits(uint64_t seed, uint64_t i) {
    uint64_t x = (seed + i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

template <typename T> std::vector<T> random_keys(size_t n, uint64_t seed = 2013) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<T>(random_bits(seed << 40, i));
    return values;
}

template <typename T> std::vector<T> random_reals(size_t n, uint64_t seed) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i)
        values[i] = static_cast<T>(static_cast<double>(random_bits(seed << 40, i) >> 11) * 0x1p-52 - 1);
    return values;
}

// Keys that a sort may find hard or easy: some named as in `gpcl bench sort --distribution`;
// "range" begins anywhere and is narrow, "range, some out" has 16 keys elsewhere.
enum class Keys { random, sorted, reversed, equal, few, one_bit, zipf, outlier, clustered, range, range_some_out };
constexpr const char *kKeysNames[] = {"random",  "sorted",    "reversed", "equal",          "few", "one-bit", "zipf",
                                      "outlier", "clustered", "range",    "range, some out"};

template <typename T> T key_of(Keys keys, T random, size_t i, size_t n) {
    constexpr int kBits = 8 * sizeof(T);
    constexpr T kWidth = T(1) << (kBits - 9), kBegin = (T(1) << (kBits - 2)) + kWidth / 2;
    const auto part = [&](size_t of) { // of the largest key
        return static_cast<T>(std::ldexp(static_cast<double>(of) / static_cast<double>(n), kBits));
    };
    switch (keys) {
    case Keys::random: return random;
    case Keys::sorted: return part(i);
    case Keys::reversed: return part(n - 1 - i);
    case Keys::equal: return 42;
    case Keys::few: return random % 16;
    case Keys::one_bit: return T(1) << random % kBits;
    case Keys::zipf: return static_cast<T>(std::exp2(20 * std::ldexp(static_cast<double>(random), -kBits)));
    case Keys::outlier: return i == n / 2 ? static_cast<T>(-1) : 1;
    case Keys::clustered: return i % 8 != 0 ? random % 4096 : random;
    case Keys::range: return kBegin + random % kWidth;
    case Keys::range_some_out: return i % (n / 16) == 5 ? random : kBegin + random % kWidth;
    }
    return random;
}

template <typename T> std::vector<T> keys_like(Keys which, size_t n) {
    auto keys = random_keys<T>(n);
    for (size_t i = 0; i < n; ++i) keys[i] = key_of(which, keys[i], i, n);
    return keys;
}

// ---- Times --------------------------------------------------------------------------------------

// One of two that are compared: `prepare` is not timed, `start` may return before the work is done,
// `finish` waits.
struct Side {
    std::function<void()> start, finish = [] {}, prepare = [] {};
};

inline double milliseconds(const std::function<void()> &run) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// Milliseconds of one start, of as many as fill 2 ms, up to 50; work that needs preparing runs one
// at a time. One that is not timed comes first: a device takes some 100 us to turn from the other
// library to this one, which programs that use one library do not pay.
inline double once(const Side &side, bool single, int batch) {
    side.prepare();
    side.start();
    side.finish();
    if (single) {
        side.prepare();
        side.finish();
    }
    return milliseconds([&] {
               for (int i = 0; i < batch; ++i) side.start();
               side.finish();
           }) /
           batch;
}

struct Times {
    double ours, theirs; // medians in ms
};

inline Times alternately(const Side &ours, const Side &theirs, bool single = false) {
    const Side *sides[] = {&ours, &theirs};
    int batch[] = {1, 1};
    std::vector<double> times[2];
    double longest = 0;
    for (int i = 0; i < 2; ++i) {
        once(*sides[i], single, 1);
        const auto time = once(*sides[i], single, 1);
        longest = std::max(longest, time);
        if (!single) batch[i] = static_cast<int>(std::min(50.0, std::max(1.0, 2 / time)));
    }
    const int repeat = longest > 2000 ? 1 : longest > 300 ? 3 : 9;
    for (int r = 0; r < repeat; ++r)
        for (int i = 0; i < 2; ++i) times[i].push_back(once(*sides[i], single, batch[i]));
    for (auto &each : times) std::sort(each.begin(), each.end());
    return {times[0][times[0].size() / 2], times[1][times[1].size() / 2]};
}

// ---- The table ----------------------------------------------------------------------------------

class Table {
  public:
    // `amount` in billions a millisecond is the rate's unit times 1e-3: GB for GB/s, Gop for Gop/s.
    // limit 0: not known.
    void row(const char *operation, const char *type, const std::string &n, const Times &times, const char *peer,
             double amount, const char *unit, double limit, bool verified) {
        const auto rate = [&](double ms) { return amount / ms * 1e-6; };
        char at_most[32] = "-";
        if (limit > 0) std::snprintf(at_most, sizeof at_most, "%.4g", limit);
        std::printf("%-14s %-9s %10s %10.4g %-6s %-22s %10.4g %7.2f %10s  %s\n", operation, type, n.c_str(),
                    rate(times.ours), unit, peer, rate(times.theirs), times.theirs / times.ours, at_most,
                    verified ? "yes" : "NO");
        std::fflush(stdout);
        if (tsv_ != nullptr)
            std::fprintf(tsv_.get(), "%s\t%s\t%s\t%g\t%s\t%s\t%g\t%g\n", operation, type, n.c_str(), rate(times.ours),
                         unit, peer, rate(times.theirs), limit);
        wrong_ = wrong_ || !verified;
    }
    int status() const { return wrong_ ? 1 : 0; }

  private:
    struct Close {
        void operator()(std::FILE *file) const { std::fclose(file); }
    };
    static std::FILE *open_tsv() {
        const char *path = std::getenv("PEERS_TSV");
        std::FILE *file = path != nullptr ? std::fopen(path, "a") : nullptr;
        if (path == nullptr || file != nullptr) return file;
        std::perror(path);
        std::exit(1);
    }

    std::unique_ptr<std::FILE, Close> tsv_{open_tsv()}; // the rows for peers_figures.py, where PEERS_TSV names a file
    bool wrong_ = false;
};

inline std::string size_text(size_t n) {
    return n >= 4096 && (n & (n - 1)) == 0 ? "2^" + std::to_string(static_cast<int>(std::log2(n))) : std::to_string(n);
}

// Keys a second when each digit of 8 bits takes a pass that reads and writes, after one that reads
// for the counts.
inline double sort_limit(double copy, size_t key_bytes, size_t value_bytes) {
    const double traffic = static_cast<double>(key_bytes * 2 * (key_bytes + value_bytes) + key_bytes);
    return copy / traffic;
}

// Whether two products agree as two orders of rounding do; `error` is what one addition's may be.
template <typename T> bool agree(const std::vector<T> &a, const std::vector<T> &b, double error) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        difference += d * d;
        size += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    return size > 0 && std::sqrt(difference / size) <= error;
}

// ---- gpcl's side --------------------------------------------------------------------------------

class Context {
  public:
    explicit Context(const std::string &device) { check(gp_open(device.c_str(), &context_)); }
    Context(const Context &) = delete;
    ~Context() { gp_close(context_); }
    operator gp_context *() const { return context_; }
    void finish() const { check(gp_finish(context_)); }

  private:
    gp_context *context_ = nullptr;
};

template <typename T> class Buffer {
  public:
    Buffer(gp_context *context, size_t n) : n_(n) { check(gp_buffer_create(context, n * sizeof(T), &buffer_)); }
    Buffer(gp_context *context, const std::vector<T> &values) : Buffer(context, values.size()) {
        check(gp_buffer_write(buffer_, 0, n_ * sizeof(T), values.data()));
    }
    Buffer(const Buffer &) = delete;
    ~Buffer() { gp_buffer_free(buffer_); }
    operator gp_buffer *() const { return buffer_; }
    void copy_from(const Buffer &other) { check(gp_buffer_copy(other, 0, buffer_, 0, n_ * sizeof(T))); }
    std::vector<T> values() const {
        std::vector<T> result(n_);
        check(gp_buffer_read(buffer_, 0, n_ * sizeof(T), result.data()));
        return result;
    }

  private:
    gp_buffer *buffer_ = nullptr;
    size_t n_;
};

template <typename T> constexpr gp_dtype dtype() {
    if (std::is_same_v<T, float>) return GP_FLOAT32;
    if (std::is_same_v<T, double>) return GP_FLOAT64;
    if (sizeof(T) == 1) return GP_UINT8;
    return (std::is_signed_v<T> ? GP_INT8 : GP_UINT8) + (sizeof(T) == 8 ? 3 : sizeof(T) == 4 ? 2 : 1);
}

// Of a product: C is m x n, k is what is summed over.
struct Shape {
    size_t m, n, k;
    Shape(size_t side) : m(side), n(side), k(side) {}
    Shape(size_t m_, size_t n_, size_t k_) : m(m_), n(n_), k(k_) {}
    std::string text() const {
        if (m == n && n == k) return size_text(n);
        return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    }
    double operations() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

// Sides on buffers.
template <typename T> Side matmul(const Context &context, const Shape &s, const Buffer<T> &a, const Buffer<T> &b,
                                  Buffer<T> &c, gp_precision precision = GP_FULL, const char *algorithm = nullptr) {
    return {[&context, s, &a, &b, &c, precision, algorithm] {
                gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
                options.precision = precision;
                options.algorithm = algorithm;
                check(gp_enqueue_matmul(context, dtype<T>(), s.m, s.n, s.k, a, 0, s.k, b, 0, s.n, c, 0, s.n, &options,
                                        0, nullptr, nullptr));
            },
            [&context] { context.finish(); }};
}

template <typename T> Side exclusive_scan(const Context &context, size_t n, const Buffer<T> &in, Buffer<T> &out) {
    return {[&context, n, &in, &out] {
                gp_scan_options options = GP_SCAN_OPTIONS_INIT;
                options.kind = GP_EXCLUSIVE;
                check(gp_enqueue_scan(context, dtype<T>(), n, in, 0, out, 0, &options, 0, nullptr, nullptr));
            },
            [&context] { context.finish(); }};
}

template <typename T> Side reduce(const Context &context, size_t n, const Buffer<T> &in, Buffer<T> &out) {
    return {[&context, n, &in, &out] {
                check(gp_enqueue_reduce(context, dtype<T>(), n, in, 0, out, 0, nullptr, 0, nullptr, nullptr));
            },
            [&context] { context.finish(); }};
}

// In place, so the keys are brought back before each.
template <typename T> Side sort(const Context &context, size_t n, const Buffer<T> &in, Buffer<T> &keys) {
    return {
        [&context, n, &keys] { check(gp_enqueue_sort(context, dtype<T>(), n, keys, 0, nullptr, 0, nullptr, nullptr)); },
        [&context] { context.finish(); }, [&in, &keys] { keys.copy_from(in); }};
}

} // namespace peers
