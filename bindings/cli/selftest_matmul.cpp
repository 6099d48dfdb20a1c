// gpcl selftest: matmul in every type and semiring. Small whole numbers, so that results are exact
// in any order.
// SPDX-License-Identifier: MIT
#include "selftest.h"

#include <algorithm>
#include <limits>

namespace command {

namespace {

struct Half {
    uint16_t bits;
};

// For the values that occur here: whole numbers below 2048, and infinity.
Half to_half(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    const auto sign = word >> 16 & 0x8000;
    if (value == 0) return {static_cast<uint16_t>(sign)};
    if (std::isinf(value)) return {static_cast<uint16_t>(sign | 0x7C00)};
    return {static_cast<uint16_t>(sign | (((word >> 13) - (112U << 10)) & 0x7FFF))};
}

float from_half(Half half) {
    const auto magnitude = half.bits & 0x7FFF;
    float value = std::ldexp(static_cast<float>(magnitude & 0x3FF), -24); // subnormal
    if (magnitude >= 0x7C00)
        value = magnitude > 0x7C00 ? NAN : INFINITY;
    else if (magnitude >= 0x400)
        value = std::ldexp(static_cast<float>((magnitude & 0x3FF) | 0x400), (magnitude >> 10) - 25);
    return half.bits & 0x8000 ? -value : value;
}

// Whole numbers up to 256 and infinity have no lower bits; what has, is rounded to nearest.
struct Bfloat {
    uint16_t bits;
};

Bfloat to_bfloat(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    return {static_cast<uint16_t>((word + 0x7FFF + (word >> 16 & 1)) >> 16)};
}

// Element types and the type that each is computed in.
template <typename T> struct Element {
    using Computed = T;
    static constexpr gp_dtype dtype = dtype_of<T>();
    static T load(T element) { return element; }
    static T store(T value) { return value; }
};
template <> struct Element<Half> {
    using Computed = float;
    static constexpr gp_dtype dtype = GP_FLOAT16;
    static float load(Half element) { return from_half(element); }
    static Half store(float value) { return to_half(value); }
};

template <> struct Element<Bfloat> {
    using Computed = float;
    static constexpr gp_dtype dtype = GP_BFLOAT16;
    static float load(Bfloat element) { return bfloat_value(element.bits); }
    static Bfloat store(float value) { return to_bfloat(value); }
};
template <typename T> struct Bytes {
    using Computed = int32_t;
    static constexpr gp_dtype dtype = dtype_of<T>();
    static int32_t load(T element) { return element; }
    static T store(int32_t value) { return static_cast<T>(value); }
};
template <> struct Element<int8_t> : Bytes<int8_t> {};
template <> struct Element<uint8_t> : Bytes<uint8_t> {};

template <typename X> constexpr X largest() {
    using Limits = std::numeric_limits<X>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
}
template <typename X> constexpr X lowest() {
    using Limits = std::numeric_limits<X>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

template <typename X> X add(X a, X b) {
    if constexpr (std::is_integral_v<X>)
        return static_cast<X>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
    else
        return a + b;
}
template <typename X> X multiply(X a, X b) {
    if constexpr (std::is_integral_v<X>)
        return static_cast<X>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    else
        return a * b;
}

template <typename X> struct Semiring {
    gp_semiring id;
    const char *name;
    X zero, one;
    X (*plus)(X, X);
    X (*times)(X, X);
};

template <typename X> const Semiring<X> (&semirings())[5] {
    static constexpr auto min = [](X a, X b) { return std::min(a, b); };
    static constexpr auto max = [](X a, X b) { return std::max(a, b); };
    static constexpr auto either = [](X a, X b) { return X(a != 0 || b != 0); };
    static constexpr auto both = [](X a, X b) { return X(a != 0 && b != 0); };
    static const Semiring<X> all[] = {{GP_PLUS_TIMES, "plus-times", X(0), X(1), add<X>, multiply<X>},
                                      {GP_MIN_PLUS, "min-plus", largest<X>(), X(0), min, add<X>},
                                      {GP_MAX_PLUS, "max-plus", lowest<X>(), X(0), max, add<X>},
                                      {GP_MAX_MIN, "max-min", lowest<X>(), largest<X>(), max, min},
                                      {GP_OR_AND, "or-and", X(0), X(1), either, both}};
    return all;
}

template <typename X> X random_element(gp_semiring semiring, Random &random) {
    const auto value = [&](int64_t limit) { return static_cast<X>(between(random, -limit, limit)); };
    if (semiring == GP_PLUS_TIMES) return std::is_integral_v<X> ? static_cast<X>(random()) : value(2);
    if (semiring == GP_OR_AND) return random() % 16 == 0 ? value(1) : X(0);
    if ((semiring == GP_MIN_PLUS || semiring == GP_MAX_PLUS) && random() % 4 == 0) { // no edge
        const auto sign = semiring == GP_MIN_PLUS ? X(1) : X(-1);
        return sign * (std::is_integral_v<X> ? static_cast<X>(std::numeric_limits<X>::max() / 2 - 100) : largest<X>());
    }
    return value(20);
}

struct Shape {
    size_t m, n, k, batch;
    gp_layout layout;
    gp_transpose transpose_a, transpose_b;
    bool scaled; // alpha and beta given
};

std::string describe(const Shape &s) {
    return std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k) +
           (s.layout == GP_COLUMN_MAJOR ? " column-major" : "") + (s.transpose_a ? " A transposed" : "") +
           (s.transpose_b ? " B transposed" : "") + (s.scaled ? " alpha, beta" : "") + (s.batch > 1 ? " batch" : "");
}

template <typename T> void check_shape(Selftest &test, const Semiring<typename Element<T>::Computed> &semiring,
                                       const Shape &s, const char *algorithm) {
    using E = Element<T>;
    using X = typename E::Computed;
    const bool column_major = s.layout == GP_COLUMN_MAJOR;
    // The stored matrices have gaps of 3 elements after each row (or column), which must stay as
    // they are.
    const auto leading = [&](size_t rows, size_t columns) { return (column_major ? rows : columns) + 3; };
    const auto length = [&](size_t rows, size_t columns) {
        return (column_major ? columns : rows) * leading(rows, columns);
    };
    const auto [a_rows, a_columns] = s.transpose_a ? std::pair(s.k, s.m) : std::pair(s.m, s.k);
    const auto [b_rows, b_columns] = s.transpose_b ? std::pair(s.n, s.k) : std::pair(s.k, s.n);
    const auto lda = leading(a_rows, a_columns), ldb = leading(b_rows, b_columns), ldc = leading(s.m, s.n);
    const auto stride_a = length(a_rows, a_columns), stride_c = length(s.m, s.n);

    Random random(5);
    const auto fill = [&](size_t n) {
        std::vector<X> values(n);
        for (auto &value : values) value = random_element<X>(semiring.id, random);
        return values;
    };
    const auto stored = [](const std::vector<X> &values) {
        std::vector<T> result(values.size());
        std::transform(values.begin(), values.end(), result.begin(), E::store);
        return result;
    };
    const auto a = fill(s.batch * stride_a), b = fill(length(b_rows, b_columns)); // the batch shares B
    auto c = fill(s.batch * stride_c);
    const X alpha = semiring.id == GP_OR_AND ? X(1) : X(2), beta = semiring.id == GP_OR_AND ? X(1) : X(3);

    gp_matmul_options o = GP_MATMUL_OPTIONS_INIT;
    o.layout = s.layout;
    o.transpose_a = s.transpose_a;
    o.transpose_b = s.transpose_b;
    o.semiring = semiring.id;
    o.alpha = s.scaled ? &alpha : nullptr;
    o.beta = s.scaled ? &beta : nullptr;
    o.batch = s.batch;
    o.stride_a = stride_a;
    o.stride_c = stride_c;
    o.algorithm = algorithm;
    const auto device_a = stored(a), device_b = stored(b);
    auto device_c = stored(c);
    if (!test.ran(gp_matmul(test.context, E::dtype, s.m, s.n, s.k, device_a.data(), lda, device_b.data(), ldb,
                            device_c.data(), ldc, &o),
                  algorithm))
        return;

    const auto at = [&](size_t i, size_t j, size_t ld) { return column_major ? j * ld + i : i * ld + j; };
    for (size_t p = 0; p < s.batch; ++p)
        for (size_t i = 0; i < s.m; ++i)
            for (size_t j = 0; j < s.n; ++j) {
                X sum = semiring.zero;
                for (size_t l = 0; l < s.k; ++l) {
                    const auto x = a[p * stride_a + (s.transpose_a ? at(l, i, lda) : at(i, l, lda))];
                    const auto y = b[s.transpose_b ? at(j, l, ldb) : at(l, j, ldb)];
                    sum = semiring.plus(sum, semiring.times(x, y));
                }
                auto &result = c[p * stride_c + at(i, j, ldc)];
                result = s.scaled ? semiring.plus(semiring.times(alpha, sum), semiring.times(beta, result)) : sum;
            }
    for (auto &value : c) value = E::load(E::store(value)); // rounded, or cut
    std::vector<X> got(c.size());
    std::transform(device_c.begin(), device_c.end(), got.begin(), E::load);
    test.compare(c, got, std::string(semiring.name) + " " + describe(s), s.m * s.n);
}

template <typename T> void check_type(Selftest &test, const char *algorithm) {
    struct Size {
        size_t m, n, k, batch;
    };
    constexpr Size kSizes[] = {{0, 3, 2, 1},  {1, 1, 1, 1},    {5, 4, 0, 1},    {2, 3, 4, 1},
                               {1, 70, 9, 1}, {33, 17, 65, 1}, {64, 64, 64, 1}, {20, 31, 18, 3}};
    const auto max_n = test.sizes().back();
    for (const auto &semiring : semirings<typename Element<T>::Computed>()) {
        if (sizeof(T) == 1 && semiring.id != GP_PLUS_TIMES) continue; // which bytes have alone
        for (const auto &size : kSizes)
            for (int variant = 0; variant < 16; ++variant) {
                const Shape shape = {size.m,
                                     size.n,
                                     size.k,
                                     size.batch,
                                     variant & 1 ? GP_COLUMN_MAJOR : GP_ROW_MAJOR,
                                     variant & 2 ? GP_TRANSPOSE : GP_NO_TRANSPOSE,
                                     variant & 4 ? GP_TRANSPOSE : GP_NO_TRANSPOSE,
                                     (variant & 8) != 0};
                // 2 + the largest integer, the scaled empty sum of min-plus, has no meaning.
                if (shape.scaled && size.k == 0 && std::is_integral_v<T> && semiring.id != GP_PLUS_TIMES) continue;
                if (size.m * size.n * size.batch <= max_n) check_shape<T>(test, semiring, shape, algorithm);
            }
        if (size_t{257} * 255 <= max_n)
            check_shape<T>(test, semiring, {257, 255, 129, 1, GP_ROW_MAJOR, GP_NO_TRANSPOSE, GP_NO_TRANSPOSE, false},
                           algorithm);
    }
}

template <typename T> void check_group(Selftest &test) {
    const std::string name = std::string("matmul ") + gp_dtype_name(Element<T>::dtype);
    if (std::is_same_v<T, double> && !test.info.has_float64) return test.skip(name, "the device lacks float64");
    test.group(name, GP_MATMUL, [&](const char *algorithm) { check_type<T>(test, algorithm); });
}

} // namespace

void check_matmul(Selftest &test) {
    check_group<float>(test);
    check_group<double>(test);
    check_group<Half>(test);
    check_group<int32_t>(test);
    check_group<int16_t>(test);
    check_group<Bfloat>(test);
    check_group<int8_t>(test);
    check_group<uint8_t>(test);
}

} // namespace command
