// gpcl selftest: scan and reduce.
// SPDX-License-Identifier: MIT
#include "selftest.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace command {

namespace {

// Unsigned arithmetic, since integers wrap.
template <typename T, typename F> T wrapped(T a, T b, F f) {
    if constexpr (std::is_floating_point_v<T>) {
        return f(a, b);
    } else {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
    }
}

template <typename T> T combine(gp_operator op, T a, T b) {
    switch (op) {
    case GP_ADD: return wrapped(a, b, [](auto x, auto y) { return x + y; });
    case GP_MULTIPLY: return wrapped(a, b, [](auto x, auto y) { return x * y; });
    case GP_MINIMUM: return a != a || a < b ? a : b; // NaN wins
    default: return a != a || a > b ? a : b;
    }
}

template <typename T> T identity(gp_operator op) {
    using Limits = std::numeric_limits<T>;
    switch (op) {
    case GP_ADD: return 0;
    case GP_MULTIPLY: return 1;
    case GP_MINIMUM: return Limits::has_infinity ? Limits::infinity() : Limits::max();
    default: return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
}

// Input for which floating-point results are exact in any order: small whole numbers to add, and
// factors whose product over any range stays within a half and 2.
template <typename T> std::vector<T> input(gp_operator op, size_t n, Random &random) {
    std::vector<T> in(n);
    for (size_t i = 0; i < n; ++i) {
        if constexpr (std::is_integral_v<T>)
            in[i] = static_cast<T>(random());
        else if (op != GP_MULTIPLY)
            in[i] = static_cast<T>(between(random, 0, 100) - 50);
        else
            in[i] = static_cast<T>((random() % 2 ? 1.0 : -1.0) * (i % 3 == 0 ? 2.0 : i % 3 == 1 ? 0.5 : 1.0));
    }
    if constexpr (std::is_floating_point_v<T>)
        if (n > 300 && op >= GP_MINIMUM) in[n - n / 4] = std::numeric_limits<T>::quiet_NaN();
    return in;
}

template <typename T, typename F>
std::vector<T> naive_scan(std::vector<T> in, F combine, T running, gp_scan_kind kind, gp_direction direction) {
    if (direction == GP_REVERSE) std::reverse(in.begin(), in.end());
    for (auto &element : in) {
        const auto next = combine(running, element);
        element = kind == GP_EXCLUSIVE ? running : next;
        running = next;
    }
    if (direction == GP_REVERSE) std::reverse(in.begin(), in.end());
    return in;
}

const char *const kNames[] = {"add", "multiply", "minimum", "maximum"};

template <typename T> void scans(Selftest &test, const char *algorithm) {
    Random random(1);
    for (const auto n : test.sizes())
        for (const gp_operator op : {GP_ADD, GP_MULTIPLY, GP_MINIMUM, GP_MAXIMUM}) {
            const auto in = input<T>(op, n, random);
            for (int variant = 0; variant < 8; ++variant) {
                gp_scan_options o = GP_SCAN_OPTIONS_INIT;
                o.op = op;
                o.kind = variant & 1 ? GP_EXCLUSIVE : GP_INCLUSIVE;
                o.direction = variant & 2 ? GP_REVERSE : GP_FORWARD;
                o.algorithm = algorithm;
                const bool in_place = (variant & 4) != 0;
                auto out = in_place ? in : std::vector<T>(n, T(77));
                if (!test.ran(
                        gp_scan(test.context, dtype_of<T>(), n, in_place ? out.data() : in.data(), out.data(), &o),
                        algorithm))
                    continue;
                const auto what = std::string(kNames[op]) + (o.kind == GP_EXCLUSIVE ? " exclusive" : " inclusive") +
                                  (o.direction == GP_REVERSE ? " reverse" : "") + (in_place ? " in place" : "");
                const auto f = [op](T a, T b) { return combine(op, a, b); };
                test.compare(naive_scan<T>(in, f, identity<T>(op), o.kind, o.direction), out, what, n);
            }
        }
}

template <typename T> void reduces(Selftest &test, const char *algorithm) {
    Random random(2);
    for (const auto n : test.sizes())
        for (const gp_operator op : {GP_ADD, GP_MULTIPLY, GP_MINIMUM, GP_MAXIMUM}) {
            const auto in = input<T>(op, n, random);
            auto expected = identity<T>(op);
            for (const auto element : in) expected = combine(op, expected, element);
            gp_reduce_options o = GP_REDUCE_OPTIONS_INIT;
            o.op = op;
            o.algorithm = algorithm;
            std::vector<T> out{T(77)};
            if (test.ran(gp_reduce(test.context, dtype_of<T>(), n, in.data(), out.data(), &o), algorithm))
                test.compare({expected}, out, kNames[op], n);
        }
}

// The place of the first NaN, else of the first element that none is smaller than, or larger.
template <typename T> size_t naive_place(gp_operator op, const std::vector<T> &in) {
    size_t best = 0;
    for (size_t i = 1; i < in.size() && in[best] == in[best]; ++i)
        if (in[i] != in[i] || (op == GP_MINIMUM ? in[i] < in[best] : in[i] > in[best])) best = i;
    return best;
}

template <typename T> void arg_reduces(Selftest &test, const char *algorithm) {
    Random random(3);
    for (const auto n : test.sizes())
        for (const gp_operator op : {GP_MINIMUM, GP_MAXIMUM}) {
            const auto in = input<T>(op, n, random);
            if (in.empty()) continue;
            gp_arg_reduce_options o = GP_ARG_REDUCE_OPTIONS_INIT;
            o.algorithm = algorithm;
            std::vector<uint64_t> position{77};
            if (test.ran(gp_arg_reduce(test.context, op, dtype_of<T>(), n, in.data(), GP_UINT64, position.data(),
                                       nullptr, &o),
                         algorithm))
                test.compare({uint64_t{naive_place(op, in)}}, position, kNames[op], n);
        }
}

template <typename T> void top_ks(Selftest &test, const char *algorithm) {
    Random random(4);
    for (const auto n : test.sizes())
        for (const gp_order order : {GP_ASCENDING, GP_DESCENDING}) {
            const auto in = input<T>(GP_MINIMUM, n, random);
            const size_t k = std::min<size_t>(n, 20);
            std::vector<uint64_t> expected(n), positions(k);
            std::iota(expected.begin(), expected.end(), uint64_t{0});
            const auto before = [&](uint64_t a, uint64_t b) {
                const bool odd_a = in[a] != in[a], odd_b = in[b] != in[b]; // NaN
                if (odd_a || odd_b) return odd_a < odd_b;
                return order == GP_ASCENDING ? in[a] < in[b] : in[b] < in[a];
            };
            std::stable_sort(expected.begin(), expected.end(), before);
            expected.resize(k);
            gp_top_k_options o = GP_TOP_K_OPTIONS_INIT;
            o.algorithm = algorithm;
            if (test.ran(gp_top_k(test.context, order, dtype_of<T>(), n, in.data(), k, GP_UINT64, positions.data(),
                                  nullptr, &o),
                         algorithm))
                test.compare(expected, positions, order == GP_ASCENDING ? "smallest" : "largest", n);
        }
}

// Functions x -> p x + q modulo 2^16, with p in the upper half of a word: a then b. Associative,
// not commutative.
constexpr char kCompose[] = "((a >> 16) * (b >> 16) << 16) | (((a & 65535u) * (b >> 16) + (b & 65535u)) & 65535u)";
constexpr char kComposeIdentity[] = "65536u";
uint32_t compose(uint32_t a, uint32_t b) {
    const uint32_t p = (a >> 16) * (b >> 16), q = (a & 65535) * (b >> 16) + (b & 65535);
    return p << 16 | (q & 65535);
}

std::vector<uint32_t> functions(size_t n) {
    Random random(3);
    std::vector<uint32_t> in(n);
    for (auto &element : in) element = static_cast<uint32_t>(random());
    return in;
}

void own_scan(Selftest &test, const char *algorithm) {
    for (const auto n : test.sizes())
        for (int variant = 0; variant < 4; ++variant) {
            const auto in = functions(n);
            gp_scan_options o = GP_SCAN_OPTIONS_INIT;
            o.kind = variant & 1 ? GP_EXCLUSIVE : GP_INCLUSIVE;
            o.direction = variant & 2 ? GP_REVERSE : GP_FORWARD;
            o.operator_source = kCompose;
            o.operator_identity = kComposeIdentity;
            o.algorithm = algorithm;
            std::vector<uint32_t> out(n, 77);
            if (test.ran(gp_scan(test.context, GP_UINT32, n, in.data(), out.data(), &o), algorithm))
                test.compare(naive_scan<uint32_t>(in, compose, 65536, o.kind, o.direction), out,
                             "operator text, variant " + std::to_string(variant), n);
        }
}

void own_reduce(Selftest &test, const char *algorithm) {
    for (const auto n : test.sizes()) {
        const auto in = functions(n);
        uint32_t expected = 65536;
        for (const auto element : in) expected = compose(expected, element);
        gp_reduce_options o = GP_REDUCE_OPTIONS_INIT;
        o.operator_source = kCompose;
        o.operator_identity = kComposeIdentity;
        o.algorithm = algorithm;
        std::vector<uint32_t> out{77};
        if (test.ran(gp_reduce(test.context, GP_UINT32, n, in.data(), out.data(), &o), algorithm))
            test.compare({expected}, out, "operator text", n);
    }
}

} // namespace

void check_prefix(Selftest &test) {
    const auto own = [&](const std::string &name, gp_operation operation, auto body) {
        if (test.info.kind == GP_DEVICE_HOST) return test.skip(name, "host has no OpenCL C");
        test.group(name, operation, [&](const char *algorithm) { body(test, algorithm); });
    };
    for_each_dtype({GP_INT32, GP_UINT32, GP_INT64, GP_UINT64, GP_FLOAT32, GP_FLOAT64}, [&](auto type) {
        using T = typename decltype(type)::type;
        const std::string name = gp_dtype_name(dtype_of<T>());
        if (std::is_same_v<T, double> && !test.info.has_float64) {
            test.skip("scan " + name, "the device lacks float64");
            test.skip("reduce " + name, "the device lacks float64");
            return;
        }
        test.group("scan " + name, GP_SCAN, [&](const char *algorithm) { scans<T>(test, algorithm); });
        test.group("reduce " + name, GP_REDUCE, [&](const char *algorithm) { reduces<T>(test, algorithm); });
        test.group("arg-reduce " + name, GP_ARG_REDUCE,
                   [&](const char *algorithm) { arg_reduces<T>(test, algorithm); });
        test.group("top-k " + name, GP_TOP_K, [&](const char *algorithm) { top_ks<T>(test, algorithm); });
    });
    own("scan with an operator text", GP_SCAN, own_scan);
    own("reduce with an operator text", GP_REDUCE, own_reduce);
}

} // namespace command
