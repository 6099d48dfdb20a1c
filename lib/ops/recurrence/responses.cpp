// What a recurrence makes of a state in several steps.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/responses.h"

#include "core/dtype.h"

#include <cmath>
#include <limits>

namespace gpcl::recurrence {
namespace {

Table product(const Table &a, const Table &b, size_t order) {
    Table result(order * order, 0);
    for (size_t i = 0; i < order; ++i) {
        for (size_t k = 0; k < order; ++k) {
            for (size_t j = 0; j < order; ++j) result[i * order + j] += a[i * order + k] * b[k * order + j];
        }
    }
    return result;
}

size_t order_of(const Table &matrix) {
    size_t order = 1;
    while (order * order < matrix.size()) ++order;
    return order;
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

Table power(const Table &coefficients, size_t steps) {
    const size_t order = coefficients.size();
    Table base(order * order, 0), result(order * order, 0); // one step, none
    for (size_t j = 0; j < order; ++j) base[j] = coefficients[j];
    for (size_t i = 1; i < order; ++i) base[i * order + i - 1] = 1;
    for (size_t i = 0; i < order; ++i) result[i * order + i] = 1;
    for (; steps > 0; steps /= 2) {
        if (steps % 2 != 0) result = product(result, base, order);
        if (steps > 1) base = product(base, base, order);
    }
    return result;
}

Table square(const Table &matrix) { return product(matrix, matrix, order_of(matrix)); }

bool tame(const Table &table, gp_dtype dtype) {
    const double largest = dtype == GP_FLOAT64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
    const long double limit = std::sqrt(largest);
    for (const long double x : table) {
        if (!(std::fabs(x) <= limit)) return false; // NaN neither
    }
    return true;
}

} // namespace gpcl::recurrence
