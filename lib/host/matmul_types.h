// What the matrix product on the host stores, what it computes in, and how an element of C ends.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/half.h"
#include "host/matmul.h"
#include "host/semiring.h"

#include <cmath>
#include <optional>

namespace gpcl::host {

struct Half {
    uint16_t bits;
};

struct Bfloat {
    uint16_t bits;
};

// What is stored, of A and B and of C, and what is computed in.
template <class Factor, class OfC, class Value> struct Types {
    using Stored = Factor;
    using Result = OfC;
    using Computed = Value;
};

template <class Value, class Stored> Value load(Stored x) {
    if constexpr (std::is_same_v<Stored, Half>)
        return half_to_float(x.bits);
    else if constexpr (std::is_same_v<Stored, Bfloat>)
        return bfloat_to_float(x.bits);
    else
        return x;
}

template <class Stored, class Value> Stored store(Value x) {
    if constexpr (std::is_same_v<Stored, Half>)
        return {float_to_half(x)};
    else if constexpr (std::is_same_v<Stored, Bfloat>)
        return {float_to_bfloat(x)};
    else
        return static_cast<Stored>(x);
}

// What finishes elements of the type that is computed in, T; the bias is stored as C is.
template <class Result, class T> class Finisher {
  public:
    explicit Finisher(const MatmulFinish &finish)
        : finish_(finish), bias_(static_cast<const Result *>(finish.bias)), low_(*static_cast<const T *>(finish.low)),
          high_(*static_cast<const T *>(finish.high)) {}

    // Element (i, j) of product g.
    T operator()(T x, size_t g, size_t i, size_t j) const {
        if (bias_ != nullptr)
            x = wrapping_add(x, load<T>(bias_[g * finish_.bias_stride + (finish_.bias_by_row ? i : j)]));
        return activated(x);
    }

  private:
    T activated(T x) const {
        switch (finish_.activation) {
        case GP_RELU: return x < 0 ? T{0} : x;
        case GP_CLAMP: return x < low_ ? low_ : x > high_ ? high_ : x;
        default: break;
        }
        if constexpr (std::is_floating_point_v<T>) {
            constexpr T kSqrtHalf = T(0.70710678118654752440), kSqrtTwoOverPi = T(0.79788456080286535588);
            constexpr T kCubic = T(0.044715);
            if (finish_.activation == GP_GELU) return x / 2 * std::erfc(-x * kSqrtHalf);
            if (finish_.activation == GP_GELU_TANH)
                return x / (1 + std::exp(-2 * kSqrtTwoOverPi *
                                         (x + kCubic * (x * x * x)))); // 1 + tanh(z) = 2 / (1 + exp(-2 z))
        }
        return x;
    }

    const MatmulFinish &finish_;
    const Result *bias_;
    T low_, high_;
};

template <class Result, class T> std::optional<Finisher<Result, T>> finisher_of(const MatmulProblem &x) {
    if (x.finish == nullptr) return std::nullopt;
    return Finisher<Result, T>(*x.finish);
}

// What becomes of sums: alpha * sum + beta * C, finished and stored.
template <class S, class T> class Ending {
    using Computed = typename T::Computed;
    using Result = typename T::Result;

  public:
    using Value = typename S::Value;

    explicit Ending(const MatmulProblem &x)
        : alpha_(S::from(*static_cast<const Computed *>(x.alpha))),
          beta_(S::from(*static_cast<const Computed *>(x.beta))), reads_c_(!x.beta_is_zero),
          finisher_(finisher_of<Result, Computed>(x)) {}

    // Writes `count` elements that are `step` apart. at(e, f) calls f(g, i, j) for number e, which
    // is element (i, j) of product g.
    template <class At> void operator()(const Value *sums, size_t count, Result *c, size_t step, const At &at) const {
        const Value alpha = alpha_;
        if (!reads_c_ && !finisher_) {
            for (size_t e = 0; e < count; ++e) c[e * step] = store<Result>(Computed{S::to(S::times(alpha, sums[e]))});
            return;
        }
        for (size_t e = 0; e < count; ++e) {
            Result &to = c[e * step];
            Value value = S::times(alpha, sums[e]);
            if (reads_c_) value = S::plus(value, S::times(beta_, S::from(load<Computed>(to))));
            Computed result = S::to(value);
            if (finisher_) at(e, [&](size_t g, size_t i, size_t j) { result = (*finisher_)(result, g, i, j); });
            to = store<Result>(result);
        }
    }

  private:
    Value alpha_, beta_;
    bool reads_c_;
    std::optional<Finisher<Result, Computed>> finisher_;
};

// Calls f with the product's Types.
template <class F> void with_types(const MatmulProblem &x, F &&f) {
    const auto call = [&]<class Factor, class Computed>(Factor, Computed) {
        if (x.c_dtype == x.dtype) return f(Types<Factor, Factor, Computed>{});
        if constexpr (!std::is_same_v<Factor, Computed>) return f(Types<Factor, Computed, Computed>{});
    };
    switch (x.dtype) {
    case GP_INT8: return call(int8_t{}, int32_t{});
    case GP_UINT8: return call(uint8_t{}, int32_t{});
    case GP_INT16: return x.c_dtype == GP_INT32 ? call(int16_t{}, int32_t{}) : call(int16_t{}, int16_t{});
    case GP_INT32: return call(int32_t{}, int32_t{});
    case GP_FLOAT16: return call(Half{}, float{});
    case GP_BFLOAT16: return call(Bfloat{}, float{});
    case GP_FLOAT32: return call(float{}, float{});
    case GP_FLOAT64: return call(double{}, double{});
    default: fail(GP_ERROR_INTERNAL, "matmul has no ", gpcl::dtype(x.dtype).name);
    }
}

// Calls f with the product's Types and its semiring. Integers that are computed in a wider type
// have the ordinary product alone.
template <class F> void with_types_and_semiring(const MatmulProblem &x, const F &f) {
    with_types(x, [&](auto types) {
        using Stored = typename decltype(types)::Stored;
        using Computed = typename decltype(types)::Computed;
        if constexpr (std::is_integral_v<Stored> && !std::is_same_v<Stored, Computed>)
            f(types, PlusTimes<Computed>{});
        else
            with_semiring<Computed>(x.semiring, [&](auto semiring) { f(types, semiring); });
    });
}

} // namespace gpcl::host
