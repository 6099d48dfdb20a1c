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
    operator double() const {
        const int exponent = bits >> 10 & 31, fraction = bits & 1023;
        const double magnitude = exponent == 31 ? std::numeric_limits<double>::quiet_NaN() // no data comes near
                                 : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                                : std::ldexp(fraction, -24);
        return bits & 0x8000 ? -magnitude : magnitude;
    }
};

template <typename T> struct WideOf { using type = double; };
template <> struct WideOf<double> { using type = long double; };
template <> struct WideOf<int32_t> { using type = int32_t; };

int32_t add(int32_t a, int32_t b) {
    return std::bit_cast<int32_t>(std::bit_cast<uint32_t>(a) + std::bit_cast<uint32_t>(b));
}
int32_t multiply(int32_t a, int32_t b) {
    return std::bit_cast<int32_t>(std::bit_cast<uint32_t>(a) * std::bit_cast<uint32_t>(b));
}
template <typename W> W add(W a, W b) { return a + b; }
template <typename W> W multiply(W a, W b) { return a * b; }

template <typename T> class Matmul final : public Workload {
    using W = typename WideOf<T>::type;
    static constexpr bool kExact = std::is_same_v<T, int32_t>;
    static constexpr bool kHalf = std::is_same_v<T, Half>;

  public:
    explicit Matmul(const Work &work)
        : dtype_(work.dtype), n_(work.n), semiring_(static_cast<gp_semiring>(work.extra)) {
        if (n_ > size_t{1} << 20) throw std::bad_alloc(); // n * n elements would be more than there are
        Random random(kSeed);
        const auto element = [&] {
            if constexpr (kExact) // short of where min-plus sums wrap
                return static_cast<int32_t>(random() >> 34);
            else
                return T(std::uniform_real_distribution<double>(-1, 1)(random));
        };
        add_input<T>(n_ * n_, element);
        add_input<T>(n_ * n_, element);
        set_output(n_ * n_ * sizeof(T));
        const auto side = static_cast<double>(n_);
        bytes = 3 * side * side * sizeof(T);
        operations = 2 * side * side * side;
        choose_rows(random);
    }

    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = options(algorithm, event);
        return gp_matmul(context, dtype_, n_, n_, n_, input<T>(0), n_, input<T>(1), n_, output<T>(), n_, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = options(algorithm, nullptr);
        return gp_enqueue_matmul(context, dtype_, n_, n_, n_, input_buffer(0), 0, n_, input_buffer(1), 0, n_,
                                 output_buffer(), 0, n_, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        if (semiring_ == GP_MIN_PLUS) return min_plus_rows();
        return plus_times_rows() && (rows_.size() == n_ || product_with_vector());
    }

  private:
    gp_matmul_options options(const char *algorithm, gp_event **event) const {
        gp_matmul_options o = GP_MATMUL_OPTIONS_INIT;
        o.semiring = semiring_;
        o.algorithm = algorithm;
        o.event = event;
        return o;
    }

    // All rows of small matrices, of larger ones as many as take 2^25 steps, at least 4.
    void choose_rows(Random &random) {
        const auto count = std::min(n_, std::max<size_t>(4, (size_t{1} << 25) / (n_ * n_)));
        for (size_t i = 0; i < count; ++i) rows_.push_back(count == n_ ? i : random() % n_);
        how = (count == n_ ? "every element" : std::to_string(count) + " random rows");
        if (semiring_ == GP_MIN_PLUS)
            how += kHalf ? ": a plain loop's, rounded once" : " equal to a plain loop's";
        else
            how += std::string(kExact ? " equal to a plain loop's"
                                      : ": a plain loop's in wider arithmetic, within the error bound") +
                   (count == n_ ? "" : "; all of C by its product with a random vector");
    }

    bool min_plus_rows() {
        const auto *a = input<T>(0), *b = input<T>(1), *c = output<T>();
        using Sum = std::conditional_t<kHalf, double, T>; // the type itself: min and one addition don't need more
        std::vector<Sum> least(n_);
        for (const auto i : rows_) {
            std::fill(least.begin(), least.end(), std::numeric_limits<Sum>::max());
            for (size_t p = 0; p < n_; ++p)
                for (size_t j = 0; j < n_; ++j)
                    least[j] = std::min(least[j], static_cast<Sum>(a[i * n_ + p]) + static_cast<Sum>(b[p * n_ + j]));
            for (size_t j = 0; j < n_; ++j) {
                const auto got = static_cast<Sum>(c[i * n_ + j]);
                if constexpr (kHalf) {
                    if (!(std::abs(got - least[j]) <= 0x1p-11 * std::abs(least[j]) + 0x1p-24)) return false;
                } else if (got != least[j]) {
                    return false;
                }
            }
        }
        return true;
    }

    // Each element within the library's error bound, and all together within what rounding makes of them typically,
    // which is far below the bound.
    bool plus_times_rows() {
        const auto *a = input<T>(0), *b = input<T>(1), *c = output<T>();
        std::vector<W> sum(n_), size(n_);
        W differences = 0, squares = 0;
        for (const auto i : rows_) {
            std::fill(sum.begin(), sum.end(), W(0));
            std::fill(size.begin(), size.end(), W(0));
            for (size_t p = 0; p < n_; ++p) {
                const W x = a[i * n_ + p];
                for (size_t j = 0; j < n_; ++j) {
                    const auto product = multiply(x, static_cast<W>(b[p * n_ + j]));
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
                        static_cast<W>(n_ + 2) * kEps * size[j] + (kHalf ? 0x1p-11 * std::abs(sum[j]) : 0);
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
        std::vector<W> x(n_), bx(n_);
        for (auto &each : x) each = random() & 1 ? 1 : -1;
        const auto row_product = [&](const T *row, const std::vector<W> &vector) {
            W sum = 0;
            for (size_t j = 0; j < n_; ++j) sum = add(sum, multiply(static_cast<W>(row[j]), vector[j]));
            return sum;
        };
        for (size_t p = 0; p < n_; ++p) bx[p] = row_product(b + p * n_, x);
        double differences = 0, squares = 0;
        for (size_t i = 0; i < n_; ++i) {
            const auto expected = row_product(a + i * n_, bx), got = row_product(c + i * n_, x);
            if (kExact && expected != got) return false;
            const auto difference = static_cast<double>(expected) - static_cast<double>(got);
            differences += difference * difference;
            squares += static_cast<double>(expected) * static_cast<double>(expected);
        }
        return kExact || std::sqrt(differences / squares) <= typical();
    }

    static constexpr double kEps = std::is_same_v<T, double> ? 0x1p-52 : 0x1p-23;
    double typical() const { return 4 * std::sqrt(static_cast<double>(n_)) * kEps + (kHalf ? 0x1p-11 : 0.0); }

    const gp_dtype dtype_;
    const size_t n_;
    const gp_semiring semiring_;
    std::vector<size_t> rows_;
};

} // namespace

std::unique_ptr<Workload> matmul_workload(const Work &work) {
    switch (work.dtype) {
    case GP_FLOAT16: return std::make_unique<Matmul<Half>>(work);
    case GP_FLOAT64: return std::make_unique<Matmul<double>>(work);
    case GP_INT32: return std::make_unique<Matmul<int32_t>>(work);
    default: return std::make_unique<Matmul<float>>(work);
    }
}

} // namespace command
