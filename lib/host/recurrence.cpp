// Linear recurrences on the host.
// SPDX-License-Identifier: MIT
#include "host/recurrence.h"

#include "host/parallel.h"

#include <utility>

namespace gpcl::host {
namespace {

// The last values stay in registers, since their number is known when this is compiled.
template <class T, size_t order> void solve(const Rows &rows, size_t row) {
    const T *x = rows.in != nullptr ? static_cast<const T *>(rows.in) + row * rows.stride_in : nullptr;
    T *y = static_cast<T *>(rows.out) + row * rows.stride_out;
    const T *initial = rows.initial != nullptr ? static_cast<const T *>(rows.initial) + row * order : nullptr;
    T c[order], state[order];
    for (size_t j = 0; j < order; ++j) {
        c[j] = static_cast<const T *>(rows.coefficients)[j];
        state[j] = initial != nullptr ? initial[j] : 0;
    }
    for (size_t i = 0; i < rows.n; ++i) {
        const size_t t = rows.reverse ? rows.n - 1 - i : i;
        T next = x != nullptr ? x[t] : 0;
        for (size_t j = order - 1; j > 0; --j) {
            next += c[j] * state[j];
            state[j] = state[j - 1];
        }
        state[0] = next += c[0] * state[0]; // the one that is known last is added last
        y[t] = next;
    }
}

using Solve = void (*)(const Rows &, size_t);

template <class T, size_t... i> Solve with_order(size_t order, std::index_sequence<i...>) {
    constexpr Solve all[] = {solve<T, i + 1>...};
    return all[order - 1];
}

template <class T> void solve_varying(const Rows &rows, size_t row) {
    const T *a = static_cast<const T *>(rows.coefficients) + row * rows.stride_coefficients;
    const T *x = rows.in != nullptr ? static_cast<const T *>(rows.in) + row * rows.stride_in : nullptr;
    T *y = static_cast<T *>(rows.out) + row * rows.stride_out;
    T last = rows.initial != nullptr ? static_cast<const T *>(rows.initial)[row] : 0;
    for (size_t i = 0; i < rows.n; ++i) {
        const size_t t = rows.reverse ? rows.n - 1 - i : i;
        y[t] = last = (x != nullptr ? x[t] : 0) + a[t] * last;
    }
}

Solve choose(gp_dtype dtype, size_t order) {
    constexpr auto orders = std::make_index_sequence<8>();
    return dtype == GP_FLOAT32 ? with_order<float>(order, orders) : with_order<double>(order, orders);
}

} // namespace

void recurrence(gp_dtype dtype, const Rows &rows) {
    const Solve one = choose(dtype, rows.order);
    parallel_for(rows.batch, rows.n * rows.order, [&](size_t row) { one(rows, row); });
}

void recurrence_loop(gp_dtype dtype, const Rows &rows) {
    const auto loop = [&]<class T>(T) {
        const auto *c = static_cast<const T *>(rows.coefficients);
        for (size_t row = 0; row < rows.batch; ++row) {
            const auto *x = static_cast<const T *>(rows.in) + (rows.in != nullptr ? row * rows.stride_in : 0);
            const auto *initial =
                static_cast<const T *>(rows.initial) + (rows.initial != nullptr ? row * rows.order : 0);
            auto *y = static_cast<T *>(rows.out) + row * rows.stride_out;
            const auto at = [&](size_t t) { return rows.reverse ? rows.n - 1 - t : t; };
            for (size_t t = 0; t < rows.n; ++t) {
                T next = rows.in != nullptr ? x[at(t)] : 0;
                for (size_t j = 0; j < rows.order; ++j) {
                    const T past = j < t ? y[at(t - 1 - j)] : rows.initial != nullptr ? initial[j - t] : 0;
                    next += c[j] * past;
                }
                y[at(t)] = next;
            }
        }
    };
    dtype == GP_FLOAT32 ? loop(float{}) : loop(double{});
}

void recurrence_varying(gp_dtype dtype, const Rows &rows) {
    const Solve one = dtype == GP_FLOAT32 ? solve_varying<float> : solve_varying<double>;
    parallel_for(rows.batch, rows.n, [&](size_t row) { one(rows, row); });
}

} // namespace gpcl::host
