// Operations on rows of a batch.
// SPDX-License-Identifier: MIT
#include "operations.h"

#include "reference/arg_reduce.h"
#include "reference/difference.h"
#include "reference/operators.h"
#include "reference/reduce.h"
#include "reference/scan.h"
#include "reference/search.h"
#include "reference/top_k.h"

namespace fuzz {
namespace {

template <class T> std::vector<T> row_of(const Array &in, const Rows &rows, size_t row) {
    std::vector<T> result;
    for (size_t i = 0; i < rows.n; ++i) result.push_back(in.at<T>(rows.at(row, i)));
    return result;
}

// Calls f with a value of a type that sums have.
template <class F> void with_sums(gp_dtype dtype, F &&f) {
    typed(dtype, [&](auto zero) {
        if constexpr (std::is_arithmetic_v<decltype(zero)> && sizeof zero >= sizeof(float)) f(zero);
    });
}

} // namespace

void scan(Case &c) {
    Options<gp_scan_options> options(c);
    options->operator_source = options->operator_identity = options->operator_helpers = nullptr;
    options->algorithm = c.algorithm(GP_SCAN);
    options->event = c.event();
    options->heads = nullptr;
    options->initial = nullptr;
    options->final_value = nullptr;
    const gp_dtype dtype = c.sums();
    const size_t n = c.size();
    gp_scan_options o = options.seen();
    const gp_dtype sums = o.accumulator != 0 ? o.accumulator : dtype;
    const Rows from(n, o.batch, o.stride_in, o.step_in), to(n, o.batch, o.stride_out, o.step_out);
    const Array in = c.array(dtype, from.extent(), true);
    const bool has_initial = c.flag(), has_last = c.flag();
    Array out = c.array(sums, to.extent(), true), heads = c.array(GP_UINT8, in.size()),
          initial = c.array(sums, has_initial ? from.batch : 0, true),
          last = c.array(sums, has_last ? from.batch : 0, true);
    if (c.flag()) options->heads = heads.data();
    if (has_initial) options->initial = initial.data();
    if (has_last) options->final_value = last.data();
    o = options.seen();
    if (!c.call("gp_scan", {&out, &last},
                [&] { return gp_scan(host(), dtype, n, in.data(), out.data(), options.get()); }))
        return;
    Array expected = c.before(0), expected_last = c.before(1);
    with_sums(sums, [&](auto zero) {
        using T = decltype(zero);
        const auto combine = [&](T a, T b) { return reference::combine(o.op, a, b); };
        for (size_t row = 0; row < from.batch; ++row) {
            std::vector<bool> begins(n);
            for (size_t i = 0; i < n && o.heads != nullptr; ++i) begins[i] = heads.at<uint8_t>(from.at(row, i)) != 0;
            const T identity = reference::identity<T>(o.op);
            T carry = o.initial != nullptr ? initial.at<T>(row) : identity;
            const auto result = reference::scan_piece(row_of<T>(in, from, row), begins, identity, combine, o.kind != 0,
                                                      o.direction != 0, &carry);
            for (size_t i = 0; i < n; ++i) expected.put(to.at(row, i), result[i]);
            if (o.final_value != nullptr) expected_last.put(row, carry);
        }
    });
    equal(out, expected, "scan");
    equal(last, expected_last, "scan's final values");
}

void reduce(Case &c) {
    Options<gp_reduce_options> options(c);
    options->operator_source = options->operator_identity = options->operator_helpers = nullptr;
    options->algorithm = c.algorithm(GP_REDUCE);
    options->event = c.event();
    const gp_dtype dtype = c.sums();
    const size_t n = c.size();
    const gp_reduce_options o = options.seen();
    const gp_dtype sums = o.accumulator != 0 ? o.accumulator : dtype;
    const Rows from(n, o.batch, o.stride_in, o.step_in), to(1, o.batch, o.stride_out, 1);
    const Array in = c.array(dtype, from.extent(), true);
    Array out = c.array(sums, to.extent(), true);
    if (!c.call("gp_reduce", {&out}, [&] { return gp_reduce(host(), dtype, n, in.data(), out.data(), options.get()); }))
        return;
    Array expected = c.before(0);
    with_sums(sums, [&](auto zero) {
        using T = decltype(zero);
        const auto combine = [&](T a, T b) { return reference::combine(o.op, a, b); };
        for (size_t row = 0; row < to.batch; ++row) {
            const T first = o.accumulate != 0 ? expected.at<T>(to.at(row, 0)) : reference::identity<T>(o.op);
            expected.put(to.at(row, 0), reference::reduce(row_of<T>(in, from, row), first, combine));
        }
    });
    equal(out, expected, "reduce");
}

void arg_reduce(Case &c) {
    Options<gp_arg_reduce_options> options(c);
    options->algorithm = c.algorithm(GP_ARG_REDUCE);
    options->event = c.event();
    const gp_dtype dtype = c.dtype(), index = c.index();
    const gp_operator op = static_cast<gp_operator>(c.below(6));
    const size_t n = c.size();
    const gp_arg_reduce_options o = options.seen();
    const Rows from(n, o.batch, o.stride_in, o.step_in), to(1, o.batch, o.stride_out, 1);
    const Array in = c.array(dtype, from.extent());
    const bool has_values = c.flag();
    Array positions = c.array(index, to.extent()), values = c.array(dtype, has_values ? to.extent() : 0);
    if (!c.call("gp_arg_reduce", {&positions, &values}, [&] {
            return gp_arg_reduce(host(), op, dtype, n, in.data(), index, positions.data(),
                                 has_values ? values.data() : nullptr, options.get());
        }))
        return;
    Array expected = c.before(0), expected_values = c.before(1);
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        for (size_t row = 0; row < to.batch; ++row) {
            const auto elements = row_of<T>(in, from, row);
            const size_t place = reference::arg_reduce(elements, op == GP_MAXIMUM);
            if (index == GP_UINT32)
                expected.put(to.at(row, 0), static_cast<uint32_t>(place));
            else
                expected.put(to.at(row, 0), uint64_t{place});
            if (has_values) expected_values.put(to.at(row, 0), elements.at(place));
        }
    });
    same(positions, expected, "arg_reduce's positions");
    same(values, expected_values, "arg_reduce's values");
}

void difference(Case &c) {
    Options<gp_difference_options> options(c);
    options->operator_source = options->operator_helpers = nullptr;
    options->algorithm = c.algorithm(GP_DIFFERENCE);
    options->event = c.event();
    const gp_dtype dtype = c.dtype();
    const size_t n = c.size();
    const gp_difference_options o = options.seen();
    const size_t results = o.first == GP_FIRST_KEPT || n == 0 ? n : n - 1;
    const Rows from(n, o.batch, o.stride_in, o.step_in), to(results, o.batch, o.stride_out, o.step_out);
    const Array in = c.array(dtype, from.extent(), true);
    Array out = c.array(dtype, to.extent(), true);
    if (!c.call("gp_difference", {&out},
                [&] { return gp_difference(host(), dtype, n, in.data(), out.data(), options.get()); }))
        return;
    Array expected = c.before(0);
    typed(dtype, [&](auto zero) {
        for (size_t row = 0; row < from.batch; ++row) {
            const auto result = reference::differences(row_of<decltype(zero)>(in, from, row), o.first == GP_FIRST_KEPT);
            for (size_t i = 0; i < result.size(); ++i) expected.put(to.at(row, i), result[i]);
        }
    });
    equal(out, expected, "difference");
}

void is_sorted(Case &c) {
    Options<gp_is_sorted_options> options(c);
    options->algorithm = c.algorithm(GP_IS_SORTED);
    options->event = c.event();
    const gp_dtype dtype = c.dtype();
    const size_t n = c.size();
    const gp_is_sorted_options o = options.seen();
    const Rows from(n, o.batch, o.stride_in, o.step_in), to(1, o.batch, o.stride_out, 1);
    const Array in = c.array(dtype, from.extent());
    Array positions = c.array(GP_UINT64, to.extent());
    if (!c.call("gp_is_sorted", {&positions}, [&] {
            return gp_is_sorted(host(), dtype, n, in.data(), reinterpret_cast<uint64_t *>(positions.data()),
                                options.get());
        }))
        return;
    Array expected = c.before(0);
    typed(dtype, [&](auto zero) {
        for (size_t row = 0; row < to.batch; ++row)
            expected.put(to.at(row, 0), uint64_t{reference::first_break(row_of<decltype(zero)>(in, from, row),
                                                                        o.order != 0, o.strict != 0)});
    });
    same(positions, expected, "is_sorted");
}

void top_k(Case &c) {
    Options<gp_top_k_options> options(c);
    options->algorithm = c.algorithm(GP_TOP_K);
    options->event = c.event();
    options->unsorted = c.below(32) == 0 ? 2 : 0; // any order would need another oracle
    const gp_dtype dtype = c.dtype(), index = c.index();
    const gp_order order = static_cast<gp_order>(c.below(3));
    const size_t n = c.size(), k = c.flag() ? c.size() : n / 2;
    const gp_top_k_options o = options.seen();
    const Rows from(n, o.batch, o.stride_in, o.step_in), to(k, o.batch, o.stride_out, 1);
    const Array in = c.array(dtype, from.extent());
    const bool has_values = c.flag(), has_positions = c.flag();
    Array positions = c.array(index, has_positions ? to.extent() : 0),
          values = c.array(dtype, has_values ? to.extent() : 0);
    if (!c.call("gp_top_k", {&positions, &values}, [&] {
            return gp_top_k(host(), order, dtype, n, in.data(), k, index, has_positions ? positions.data() : nullptr,
                            has_values ? values.data() : nullptr, options.get());
        }))
        return;
    Array expected = c.before(0), expected_values = c.before(1);
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        for (size_t row = 0; row < to.batch && k > 0; ++row) {
            const auto elements = row_of<T>(in, from, row);
            const auto places = reference::top_k(elements, k, order == GP_DESCENDING);
            for (size_t i = 0; i < k; ++i) {
                if (has_values) expected_values.put(to.at(row, i), elements.at(places[i]));
                if (!has_positions) continue;
                if (index == GP_UINT32)
                    expected.put(to.at(row, i), static_cast<uint32_t>(places[i]));
                else
                    expected.put(to.at(row, i), places[i]);
            }
        }
    });
    same(positions, expected, "top_k's positions");
    same(values, expected_values, "top_k's values");
}

} // namespace fuzz
