// The operators of scan and reduce in C++.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"

#include <limits>
#include <type_traits>

namespace gpcl::host {

// Integers are added and multiplied in an unsigned type, where overflow wraps.
template <class T, bool = std::is_integral_v<T>> struct Wrapping { using type = T; };
template <class T> struct Wrapping<T, true> { using type = std::make_unsigned_t<T>; };

template <class T> T wrapping_add(T a, T b) {
    using U = typename Wrapping<T>::type;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}

template <class T> T wrapping_multiply(T a, T b) {
    using U = typename Wrapping<T>::type;
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>((0U + static_cast<U>(a)) *
                              static_cast<U>(b)); // small types would become int, and overflow
    else
        return a * b;
}

template <class T> constexpr T largest() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class T> constexpr T lowest() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

// take(a, b) does a = a op b on vectors. Those of integers that are added or multiplied are
// unsigned.
template <class T> struct Add {
    static constexpr T identity = 0;
    T operator()(T a, T b) const { return wrapping_add(a, b); }
    template <class V> [[gnu::always_inline]] static void take(V &a, const V &b) { a += b; }
};

template <class T> struct Multiply {
    static constexpr T identity = 1;
    T operator()(T a, T b) const { return wrapping_multiply(a, b); }
    template <class V> [[gnu::always_inline]] static void take(V &a, const V &b) { a *= b; }
};

// NaN wins. Without a branch, which random numbers would have the processor guess wrongly.
template <class T> struct Minimum {
    static constexpr T identity = largest<T>();
    T operator()(T a, T b) const { return ((a < b) | (a != a)) ? a : b; }
    template <class V> [[gnu::always_inline]] static void take(V &a, const V &b) { a = ((a < b) | (a != a)) ? a : b; }
};

template <class T> struct Maximum {
    static constexpr T identity = lowest<T>();
    T operator()(T a, T b) const { return ((a > b) | (a != a)) ? a : b; }
    template <class V> [[gnu::always_inline]] static void take(V &a, const V &b) { a = ((a > b) | (a != a)) ? a : b; }
};

// Calls f(T{}, operator) for one of the six types and an operator of scan and reduce. Sums and
// products of signed integers have the bits of unsigned ones, and share their code.
template <class F> void with_operator(gp_dtype dtype, gp_operator op, const F &f) {
    with_type(dtype, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (sizeof(T) >= 4) {
            using U = typename Wrapping<T>::type;
            switch (op) {
            case GP_ADD: return f(U{}, Add<U>{});
            case GP_MULTIPLY: return f(U{}, Multiply<U>{});
            case GP_MINIMUM: return f(zero, Minimum<T>{});
            case GP_MAXIMUM: return f(zero, Maximum<T>{});
            default: fail(GP_ERROR_INTERNAL, "no operator ", op);
            }
        } else {
            fail(GP_ERROR_INTERNAL, "scan and reduce have no ", gpcl::dtype(dtype).name);
        }
    });
}

// Calls f(S{}) for the type S that `from` names, whose elements an operator of T then reads where
// they lie; returns false where they are to be converted first. S is T; for sums any narrower type;
// for products one of 32 bits; for the least and greatest of 32 bits those of 8 and 16 bits that it
// holds.
template <class T, template <class> class Operator, class F>
bool with_elements(gp_dtype from, Operator<T> /*combine*/, const F &f) {
    if (from == GP_FLOAT16) return false;
    return with_type(from, [&](auto zero) {
        using S = decltype(zero);
        constexpr bool kIsSum = std::is_same_v<Operator<T>, Add<T>>;
        constexpr bool kIsProduct = std::is_same_v<Operator<T>, Multiply<T>>, kIsOrder = !kIsSum && !kIsProduct;
        constexpr bool kIsHeld = std::is_unsigned_v<S> || std::is_signed_v<T>;
        if constexpr (std::is_floating_point_v<T> == std::is_floating_point_v<S>) {
            if constexpr (sizeof(S) == sizeof(T)) {
                f(T{}); // sums of signed integers are those of unsigned ones
                return true;
            } else if constexpr (sizeof(S) < sizeof(T) && (kIsSum || (kIsProduct && sizeof(S) == 4) ||
                                                           (kIsOrder && sizeof(T) == 4 && kIsHeld))) {
                f(zero);
                return true;
            }
        }
        return false;
    });
}

} // namespace gpcl::host
