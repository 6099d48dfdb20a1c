// The semirings of the matrix product in C++, on elements of type T.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/operators.h"
#include "host/vectors.h"

#include <cstdint>

namespace gpcl::host {

// Minimum and maximum that leave out NaN.
template <class T> T least(T a, T b) { return b < a || a != a ? b : a; }
template <class T> T greatest(T a, T b) { return b > a || a != a ? b : a; }

// Products are summed a vector at a time.
template <class T> using WrappingVector = Vector<typename Wrapping<T>::type>;

// What a product is computed in, where that is the elements' own type.
template <class T> struct SameValue {
    using Value = T;
    static constexpr bool as_stored = true; // from() changes nothing
    static Value from(T x) { return x; }
    static T to(Value x) { return x; }
};

// accumulate() does sum = plus(sum, times(a, b)) for a sum that began at zero; where NaN is left
// out, such a sum is never NaN, which spares a test.
template <class T> struct PlusTimes : SameValue<T> {
    static constexpr T zero = 0;
    static T plus(T a, T b) { return wrapping_add(a, b); }
    static T times(T a, T b) { return wrapping_multiply(a, b); }
    static void accumulate(Vector<T> &sum, const Vector<T> &a, const Vector<T> &b) {
        using W = WrappingVector<T>;
        sum = (Vector<T>)((W)sum + (W)a * (W)b);
    }
};

template <class T> struct MinPlus : SameValue<T> {
    static constexpr T zero = largest<T>();
    static T plus(T a, T b) { return least(a, b); }
    static T times(T a, T b) { return wrapping_add(a, b); }
    static void accumulate(Vector<T> &sum, const Vector<T> &a, const Vector<T> &b) {
        const auto term = (Vector<T>)((WrappingVector<T>)a + (WrappingVector<T>)b);
        sum = term < sum ? term : sum;
    }
};

template <class T> struct MaxPlus : SameValue<T> {
    static constexpr T zero = lowest<T>();
    static T plus(T a, T b) { return greatest(a, b); }
    static T times(T a, T b) { return wrapping_add(a, b); }
    static void accumulate(Vector<T> &sum, const Vector<T> &a, const Vector<T> &b) {
        const auto term = (Vector<T>)((WrappingVector<T>)a + (WrappingVector<T>)b);
        sum = term > sum ? term : sum;
    }
};

template <class T> struct MaxMin : SameValue<T> {
    static constexpr bool as_stored = std::is_integral_v<T>;
    static constexpr T zero = lowest<T>();
    static T from(T x) { return x != x ? zero : x; } // leaves a NaN's term out
    static T plus(T a, T b) { return greatest(a, b); }
    static T times(T a, T b) { return b < a ? b : a; }
    static void accumulate(Vector<T> &sum, const Vector<T> &a, const Vector<T> &b) {
        const Vector<T> term = b < a ? b : a;
        sum = term > sum ? term : sum;
    }
};

template <class T> struct OrAnd {
    using Value = uint32_t;
    static constexpr bool as_stored = false;
    static Value from(T x) { return x != 0; }
    static T to(Value x) { return static_cast<T>(x); }
    static constexpr Value zero = 0;
    static Value plus(Value a, Value b) { return a | b; }
    static Value times(Value a, Value b) { return a & b; }
    static void accumulate(Vector<Value> &sum, const Vector<Value> &a, const Vector<Value> &b) { sum |= a & b; }
};

// Calls f with a value of the semiring's type.
template <class T, class F> void with_semiring(gp_semiring semiring, const F &f) {
    switch (semiring) {
    case GP_PLUS_TIMES: return f(PlusTimes<T>{});
    case GP_MIN_PLUS: return f(MinPlus<T>{});
    case GP_MAX_PLUS: return f(MaxPlus<T>{});
    case GP_MAX_MIN: return f(MaxMin<T>{});
    case GP_OR_AND: return f(OrAnd<T>{});
    default: fail(GP_ERROR_INTERNAL, "no semiring ", semiring);
    }
}

} // namespace gpcl::host
