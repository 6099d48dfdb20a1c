// The products that gpcl bench runs, ordinary and min-plus, and how their results are checked.
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace command {

namespace {

// IEEE 754 binary16 that holds a normal number or zero, as the data here does.
struct Half {
    uint16_t bits = 0;
    Half() = default;
    // Cuts off the digits that don't fit; for making data, not for rounding results.
    explicit Half(double value) {
        const auto magnitude = std::abs(value);
        if (magnitude < 0x1p-14) return;
        const auto exponent = std::ilogb(magnitude);
        const auto fraction = static_cast<unsigned>(std::ldexp(magnitude, 10 - exponent)); // 1024 to 2047
        bits =
            static_cast<uint16_t>((value < 0 ? 0x8000u : 0u) + (static_cast<unsigned>(exponent + 14) << 10) + fraction);
    }
    operator double() const { return half_value(bits); }
};

// bfloat16, cut off likewise.
struct Bfloat {
    uint16_t bits = 0;
    Bfloat() = default;
    explicit Bfloat(double value)
        : bits(static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16)) {}
    operator double() const { return bfloat_value(bits); }
};

template <typename T> struct WideOf { using type = double; };
template <> struct WideOf<double> { using type = long double; };
template <> struct WideOf<int32_t> { using type = int32_t; };
template <> struct WideOf<int16_t> { using type = int16_t; };
template <> struct WideOf<int8_t> { using type = int8_t; };
template <> struct WideOf<uint8_t> { using type = uint8_t; };

// Integers wrap.
template <typename W> W add(W a, W b) {
    if constexpr (std::is_integral_v<W>)
        return static_cast<W>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
    else
        return a + b;
}
template <typename W> W multiply(W a, W b) {
    if constexpr (std::is_integral_v<W>)
        return static_cast<W>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    else
        return a * b;
}

template <typename T> class Matmul final : public Workload {
    using W = typename WideOf<T>::type;
    static constexpr bool kExact = std::is_integral_v<T>;
    static constexpr bool kHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;
    static constexpr double kLast = !kHalf ? 0 : std::is_same_v<T, Half> ? 0x1p-11 : 0x1p-8; // half the last place

  public:
    explicit Matmul(const Work &work)
        : dtype_(work.dtype), m_(work.shape.m), n_(work.shape.n), k_(work.shape.k), batch_(work.shape.batch),
          semiring_(static_cast<gp_semiring>(work.extra)) {
        const auto elements = [&](size_t rows, size_t columns) {
            const auto count = static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(batch_);
            if (count > 0x1p40) throw std::bad_alloc(); // more than there are
            return rows * columns * batch_;
        };
        Random random(kSeed);
        const auto element = [&] {
            if constexpr (kExact) // short of where min-plus sums wrap
                return static_cast<T>(random() >> (66 - 8 * sizeof(T)));
            else
                return T(std::uniform_real_distribution<double>(-1, 1)(random));
        };
        const auto a = elements(m_, k_), b = elements(k_, n_), c = elements(m_, n_);
        add_input<T>(a, element);
        add_input<T>(b, element);
        set_output(c * sizeof(T));
        bytes = static_cast<double>(a + b + c) * sizeof(T);
        operations = 2 * static_cast<double>(c) * static_cast<double>(k_);
        choose_rows(random);
    }

    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = options(algorithm, event);
        return gp_matmul(context, dtype_, m_, n_, k_, input<T>(0), k_, input<T>(1), n_, output<T>(), n_, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = options(algorithm, nullptr);
        return gp_enqueue_matmul(context, dtype_, m_, n_, k_, input_buffer(0), 0, k_, input_buffer(1), 0, n_,
                                 output_buffer(), 0, n_, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        if (semiring_ == GP_MIN_PLUS) return min_plus_rows();
        return plus_times_rows() && (rows_.size() == m_ * batch_ || product_with_vector());
    }

  private:
    gp_matmul_options options(const char *algorithm, gp_event **event) const {
        gp_matmul_options o = GP_MATMUL_OPTIONS_INIT;
        o.semiring = semiring_;
        o.algorithm = algorithm;
        o.event = event;
        o.batch = batch_;
        o.stride_a = m_ * k_;
        o.stride_b = k_ * n_;
        o.stride_c = m_ * n_;
        return o;
    }

    // All rows of small matrices, of larger ones as many as take 2^25 steps, at least 4. Rows are
    // counted over the batch.
    void choose_rows(Random &random) {
        const auto all = m_ * batch_;
        const auto count = std::min(all, std::max<size_t>(4, (size_t{1} << 25) / (n_ * k_)));
        for (size_t i = 0; i < count; ++i) rows_.push_back(count == all ? i : random() % all);
        how = (count == all ? "every element" : std::to_string(count) + " random rows");
        if (semiring_ == GP_MIN_PLUS)
            how += kHalf ? ": a plain loop's, rounded once" : " equal to a plain loop's";
        else
            how += std::string(kExact ? " equal to a plain loop's"
                                      : ": a plain loop's in wider arithmetic, within the error bound") +
                   (count == all ? "" : "; all of C by its product with a random vector");
    }

    bool min_plus_rows() {
        const auto *a = input<T>(0), *b = input<T>(1), *c = output<T>();
        using Sum = std::conditional_t<kHalf, double, T>; // the type itself: min and one addition don't need more
        std::vector<Sum> least(n_);
        for (const auto i : rows_) {
            std::fill(least.begin(), least.end(), std::numeric_limits<Sum>::max());
            for (size_t p = 0; p < k_; ++p)
                for (size_t j = 0; j < n_; ++j)
                    least[j] = std::min(least[j], static_cast<Sum>(static_cast<Sum>(a[i * k_ + p]) +
                                                                   static_cast<Sum>(b[first(i) + p * n_ + j])));
            for (size_t j = 0; j < n_; ++j) {
                const auto got = static_cast<Sum>(c[i * n_ + j]);
                if constexpr (kHalf) {
                    if (!(std::abs(got - least[j]) <= kLast * std::abs(least[j]) + 0x1p-24)) return false;
                } else if (got != least[j]) {
                    return false;
                }
            }
        }
        return true;
    }

    // Each element within the library's error bound, and all together within what rounding makes of
    // them typically, which is far below the bound.
    bool plus_times_rows() {
        const auto *a = input<T>(0), *b = input<T>(1), *c = output<T>();
        std::vector<W> sum(n_), size(n_);
        W differences = 0, squares = 0;
        for (const auto i : rows_) {
            std::fill(sum.begin(), sum.end(), W(0));
            std::fill(size.begin(), size.end(), W(0));
            for (size_t p = 0; p < k_; ++p) {
                const W x = a[i * k_ + p];
                for (size_t j = 0; j < n_; ++j) {
                    const auto product = multiply(x, static_cast<W>(b[first(i) + p * n_ + j]));
                    sum[j] = add(sum[j], product);
                    if constexpr (!kExact) size[j] += std::abs(product);
                }
            }
            for (size_t j = 0; j < n_; ++j) {
                const W got = c[i * n_ + j];
                if constexpr (kExact) {
                    if (got != sum[j]) return false;
                } else {
                    const auto difference = std::abs(got - sum[j]);
                    const auto bound =
                        static_cast<W>(k_ + 2) * kEps * size[j] + static_cast<W>(kLast) * std::abs(sum[j]);
                    if (!(difference <= bound)) return false;
                    differences += difference * difference;
                    squares += sum[j] * sum[j];
                }
            }
        }
        if constexpr (!kExact) {
            error = static_cast<double>(std::sqrt(differences / squares));
            return error <= typical();
        }
        return true;
    }

    // C x against A (B x) for a vector of random signs: one wrong element anywhere shows.
    bool product_with_vector() {
        const auto *a = input<T>(0), *b = input<T>(1), *c = output<T>();
        Random random(kSeed + 1);
        std::vector<W> x(n_), bx(k_);
        for (auto &each : x) each = random() & 1 ? 1 : -1;
        const auto row_product = [](const T *row, const std::vector<W> &vector) {
            W sum = 0;
            for (size_t j = 0; j < vector.size(); ++j) sum = add(sum, multiply(static_cast<W>(row[j]), vector[j]));
            return sum;
        };
        double differences = 0, squares = 0;
        for (size_t i = 0; i < m_ * batch_; ++i) {
            if (i % m_ == 0)
                for (size_t p = 0; p < k_; ++p) bx[p] = row_product(b + first(i) + p * n_, x);
            const auto expected = row_product(a + i * k_, bx), got = row_product(c + i * n_, x);
            if (kExact && expected != got) return false;
            const auto difference = static_cast<double>(expected) - static_cast<double>(got);
            differences += difference * difference;
            squares += static_cast<double>(expected) * static_cast<double>(expected);
        }
        return kExact || std::sqrt(differences / squares) <= typical();
    }

    static constexpr double kEps = std::is_same_v<T, double> ? 0x1p-52 : 0x1p-23;
    double typical() const { return 4 * std::sqrt(static_cast<double>(k_)) * kEps + kLast; }

    // Where the B begins that row i is multiplied with.
    size_t first(size_t i) const { return i / m_ * k_ * n_; }

    const gp_dtype dtype_;
    const size_t m_, n_, k_, batch_;
    const gp_semiring semiring_;
    std::vector<size_t> rows_;
};

} // namespace

std::unique_ptr<Workload> matmul_workload(const Work &work) {
    switch (work.dtype) {
    case GP_FLOAT16: return std::make_unique<Matmul<Half>>(work);
    case GP_BFLOAT16: return std::make_unique<Matmul<Bfloat>>(work);
    case GP_FLOAT64: return std::make_unique<Matmul<double>>(work);
    case GP_INT8: return std::make_unique<Matmul<int8_t>>(work);
    case GP_UINT8: return std::make_unique<Matmul<uint8_t>>(work);
    case GP_INT32: return std::make_unique<Matmul<int32_t>>(work);
    case GP_INT16: return std::make_unique<Matmul<int16_t>>(work);
    default: return std::make_unique<Matmul<float>>(work);
    }
}

} // namespace command
