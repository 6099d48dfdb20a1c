// Proof before use: an algorithm beyond the portable ones is compared with "host" on hostile inputs
// before a device chooses it by itself for the first time.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/half.h"

#include <functional>
#include <vector>

namespace gpcl {

// Elements of one type.
struct Elements {
    gp_dtype dtype;
    std::vector<std::byte> bytes;

    const void *data() const { return bytes.data(); }
    void *data() { return bytes.data(); }
    size_t size() const { return bytes.size() / gpcl::dtype(dtype).size; }
};

// n elements; value(i) is converted to their type.
template <class F> Elements elements(gp_dtype type, size_t n, F &&value) {
    Elements result{type, std::vector<std::byte>(n * dtype(type).size)};
    const auto fill = [&](auto convert) {
        auto *to = reinterpret_cast<decltype(convert(value(size_t{0}))) *>(result.bytes.data());
        for (size_t i = 0; i < n; ++i) to[i] = convert(value(i));
    };
    if (type == GP_FLOAT16)
        fill([](auto x) { return float_to_half(static_cast<float>(x)); });
    else if (type == GP_BFLOAT16)
        fill([](auto x) { return float_to_bfloat(static_cast<float>(x)); });
    else
        with_type(type, [&](auto zero) { fill([](auto x) { return static_cast<decltype(zero)>(x); }); });
    return result;
}

// What an output holds before a call.
inline Elements unwritten(gp_dtype type, size_t n) {
    return elements(type, n, [](size_t) { return 99; });
}

// Spread over 64 bits.
inline uint64_t scrambled(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15U;
    i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9U;
    return i ^ i >> 32;
}

// Whole numbers from -most to most.
inline int64_t small(uint64_t i, int64_t most) {
    return static_cast<int64_t>(scrambled(i) % static_cast<uint64_t>(2 * most + 1)) - most;
}

// The proof of one algorithm for one type. An operation's `prove` makes calls until one is wrong.
class Proof {
  public:
    Proof(gp_context *device, gp_context *host, const char *algorithm, gp_dtype dtype)
        : algorithm(algorithm), dtype(dtype), device_(device), host_(host) {}

    const char *const algorithm;
    const gp_dtype dtype;

    // call(context, algorithm, outputs) is made on the device by the algorithm and on "host" by
    // what that chooses. Outputs begin as they are given; afterwards those of the device must be
    // the others' bits, but that a NaN may be any. `bound`: how far a floating-point number may be
    // from the other, for each of the larger one. An algorithm may refuse the call. Throws what
    // else the device fails with.
    using Call = std::function<gp_status(gp_context *, const char *, std::vector<Elements> &)>;
    void compare(const std::string &what, const std::vector<Elements> &outputs, const Call &call, double bound = 0);

    // What came out wrong first, with the case; "" so far nothing.
    const std::string &wrong() const { return wrong_; }
    // How many calls were not refused.
    size_t calls() const { return calls_; }

  private:
    gp_context *device_, *host_;
    std::string wrong_;
    size_t calls_ = 0;
};

} // namespace gpcl
