// The order of sort keys, as that of unsigned numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"

#include <limits>

namespace gpcl::host {

// Turns the bits of keys into unsigned codes whose ascending order is the order asked for. Keys of
// all types of one width are sorted by the same code.
template <class Bits> class Order {
  public:
    static constexpr Bits kMax = std::numeric_limits<Bits>::max();
    static constexpr Bits kSign = static_cast<Bits>(kMax - kMax / 2);

    Order(gp_dtype dtype, bool descending) : is_float_(is_float(dtype)) {
        if (dtype < GP_UINT8 || is_float_) flip_ = kSign;
        if (descending) flip_ = static_cast<Bits>(~flip_);
        if (is_float_) {
            flip_if_negative_ = kMax / 2;
            infinity_ = static_cast<Bits>(dtype == GP_FLOAT16   ? 0x7c00
                                          : dtype == GP_FLOAT32 ? 0x7f800000
                                                                : 0x7ff0000000000000);
        }
    }

    // One code for each pattern of bits.
    Bits encode(Bits key) const { return static_cast<Bits>(key ^ (negative(key) & flip_if_negative_) ^ flip_); }

    Bits decode(Bits code) const {
        const auto key = static_cast<Bits>(code ^ flip_);
        return static_cast<Bits>(key ^ (negative(key) & flip_if_negative_));
    }

    // One code for each set of equal keys.
    Bits rank(Bits key) const {
        if (is_nan(key)) return kMax;
        return is_float_ && key == kSign ? zero() : encode(key);
    }

    bool is_nan(Bits key) const { return (key & kMax / 2) > infinity_; }
    bool is_float_type() const { return is_float_; }
    Bits zero() const { return encode(0); }
    Bits infinity() const { return infinity_; } // of a floating type

  private:
    // All bits of a key whose sign is set, else none. Without a branch: processors can't predict
    // the signs of random keys.
    static Bits negative(Bits key) { return static_cast<Bits>(0 - (key >> (8 * sizeof(Bits) - 1))); }

    bool is_float_;
    Bits flip_ = 0;
    Bits flip_if_negative_ = 0;
    Bits infinity_ = kMax; // no key is beyond it
};

// Calls f(Bits{}) with the unsigned type as wide as a key.
template <class F> void with_bits(gp_dtype dtype, const F &f) {
    switch (gpcl::dtype(dtype).size) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
    }
}

} // namespace gpcl::host
