// What a recurrence makes of a state in several steps.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/responses.h"

#include "core/dtype.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace gpcl::recurrence {
namespace {

// Each call of a recurrence makes some thirty products, so the compiler shall know their size.
template <size_t ORDER> void multiply(const long double *a, const long double *b, long double *result) {
    for (size_t i = 0; i < ORDER; ++i) {
        for (size_t j = 0; j < ORDER; ++j) {
            long double sum = 0;
            for (size_t k = 0; k < ORDER; ++k) sum += a[i * ORDER + k] * b[k * ORDER + j];
            result[i * ORDER + j] = sum;
        }
    }
}

Table product(const Table &a, const Table &b) {
    constexpr auto kMultiply = [&]<size_t... I>(std::index_sequence<I...>) { return std::array{&multiply<I + 1>...}; }
    (std::make_index_sequence<kLargestOrder>());
    size_t order = 1;
    while (order * order < a.size()) ++order;
    Table result(a.size());
    kMultiply[order - 1](a.data(), b.data(), result.data());
    return result;
}

} // namespace

Table coefficients(const Request &request) {
    return with_type(request.dtype, [&](auto type) {
        const auto *c = static_cast<const decltype(type) *>(request.coefficients);
        return Table(c, c + request.order);
    });
}

Table responses(const Table &coefficients, size_t length) {
    const size_t order = coefficients.size();
    Table result(length * order, 0);
    for (size_t j = 0; j < order; ++j) {
        for (size_t i = 0; i < length; ++i) {
            long double y = 0;
            for (size_t k = 0; k < order; ++k) { // y[i - 1 - k] is a result, or place k - i of the state
                const long double past = k < i ? result[(i - 1 - k) * order + j] : k - i == j ? 1 : 0;
                y += coefficients[k] * past;
            }
            result[i * order + j] = y;
        }
    }
    return result;
}

Table step(const Table &coefficients) {
    const size_t order = coefficients.size();
    Table result(order * order, 0);
    for (size_t j = 0; j < order; ++j) result[j] = coefficients[j];
    for (size_t i = 1; i < order; ++i) result[i * order + i - 1] = 1;
    return result;
}

Table power(Table base, size_t times) {
    for (; times % 2 == 0; times /= 2) base = square(base);
    Table result = base;
    while ((times /= 2) > 0) {
        base = square(base);
        if (times % 2 != 0) result = product(result, base);
    }
    return result;
}

Table square(const Table &matrix) { return product(matrix, matrix); }

bool tame(const Table &table, gp_dtype dtype) {
    const double largest = dtype == GP_FLOAT64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
    const long double limit = std::sqrt(largest);
    for (const long double x : table) {
        if (!(std::fabs(x) <= limit)) return false; // NaN neither
    }
    return true;
}

} // namespace gpcl::recurrence
