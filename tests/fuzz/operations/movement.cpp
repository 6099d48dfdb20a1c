// Operations that move elements, and those that count them.
// SPDX-License-Identifier: MIT
#include "operations.h"

#include "reference/gather.h"
#include "reference/histogram_weighted.h"
#include "reference/select.h"

namespace fuzz {
namespace {

reference::Bytes bytes_of(const Array &array) { return {array.data(), array.data() + array.size()}; }

uint64_t *numbers(Array &array) { return reinterpret_cast<uint64_t *>(array.data()); }

// The cell of each element between the edges of options; `bins` where it is in none.
std::vector<size_t> cells_of(const Array &in, size_t bins, const Array *edges, double lower, double upper) {
    return typed(in.dtype(), [&](auto zero) {
        using T = decltype(zero);
        if (edges == nullptr && lower == upper) { // a bin for each whole number
            std::vector<size_t> cells;
            for (size_t i = 0; i < in.size(); ++i) {
                const long double place = in.at<long double>(i) - static_cast<long double>(lower);
                cells.push_back(place >= 0 && place < static_cast<long double>(bins) ? static_cast<size_t>(place)
                                                                                     : bins);
            }
            return cells;
        }
        const auto all = edges != nullptr ? edges->vector<double>() : reference::even_edges<T>(bins, lower, upper);
        return reference::bins_of(in.vector<T>(), all);
    });
}

// Edges that ascend, or nearly, of float64 or of a type itself.
Array edges_of(Case &c, gp_dtype dtype, size_t bins) {
    if (bins >= 1000) throw Skip{};
    if (dtype != GP_FLOAT64) throw Skip{}; // as the elements are: their own order is another oracle
    Array result(dtype, bins + 1);
    double edge = -3;
    for (size_t i = 0; i <= bins; ++i) {
        result.put(i, edge);
        const size_t step = c.take();
        edge += step == 0xff ? -1 : static_cast<double>(step % 4) / 2;
    }
    return result;
}

// Bounds that few bytes say.
void set_bounds(Case &c, double &lower, double &upper) {
    lower = c.below(4) == 0 ? c.take<double>() : static_cast<double>(c.below(8)) - 4;
    upper = c.below(4) == 0 ? lower : c.below(8) == 0 ? c.take<double>() : lower + static_cast<double>(c.below(16)) / 4;
}

} // namespace

void select(Case &c) {
    Options<gp_select_options> options(c);
    options->algorithm = c.algorithm(GP_SELECT);
    options->event = c.event();
    options->predicate = options->type = options->helpers = nullptr;
    gp_select_options o = options.seen();
    const size_t size = c.below(70), n = c.size(), value_size = c.flag() ? c.below(70) : 0;
    const bool is_partition = c.flag(), has_values = value_size != 0;
    const size_t room = o.capacity != 0 && !is_partition ? std::min(o.capacity, n) : n;
    const Array in = c.bytes(size, n), flags = c.array(GP_UINT8, n), values = c.bytes(value_size, n);
    Array out = c.bytes(size, room), out_values = c.bytes(value_size, room), count = c.array(GP_UINT64, 2);
    const bool ok = c.call("gp_select", {&out, &out_values, &count}, [&] {
        if (has_values) {
            const auto call = is_partition ? gp_partition_pairs : gp_select_pairs;
            return call(host(), size, n, in.data(), flags.data(), out.data(), value_size, values.data(),
                        out_values.data(), numbers(count), options.get());
        }
        const auto call = is_partition ? gp_partition : gp_select;
        return call(host(), size, n, in.data(), flags.data(), out.data(), numbers(count), options.get());
    });
    if (!ok) return;
    Array e_out = c.before(0), e_values = c.before(1), e_count = c.before(2);
    std::vector<size_t> places;
    if (is_partition && o.parts == 3) {
        const auto part = [&](size_t i) { return flags.at<uint8_t>(i) == 1 ? 0 : flags.at<uint8_t>(i) == 2 ? 1 : 2; };
        for (int which = 0; which < 3; ++which) {
            for (size_t i = 0; i < n; ++i)
                if (part(i) == which) places.push_back(i);
            if (which < 2) e_count.put(static_cast<size_t>(which), uint64_t{places.size()});
        }
    } else {
        std::vector<bool> kept;
        for (size_t i = 0; i < n; ++i) kept.push_back(flags.at<uint8_t>(i) != 0);
        places = reference::kept_places(kept, is_partition);
        e_count.put(0, static_cast<uint64_t>(std::count(kept.begin(), kept.end(), true)));
    }
    for (size_t k = 0; k < std::min(room, places.size()); ++k) {
        e_out.copy(k, in, places[k], size);
        if (has_values) e_values.copy(k, values, places[k], value_size);
    }
    same(count, e_count, "select's count");
    same(out, e_out, "select's elements");
    same(out_values, e_values, "select's values");
}

void nonzero(Case &c) {
    Options<gp_select_options> options(c);
    options->algorithm = c.algorithm(GP_SELECT);
    options->event = c.event();
    options->predicate = options->type = options->helpers = nullptr;
    const gp_select_options o = options.seen();
    const gp_dtype dtype = c.dtype(), index = c.index();
    const size_t n = c.size(), room = o.capacity != 0 ? std::min(o.capacity, n) : n;
    const Array in = c.array(dtype, n);
    Array positions = c.array(index, room), count = c.array(GP_UINT64, 1);
    if (!c.call("gp_nonzero", {&positions, &count}, [&] {
            return gp_nonzero(host(), dtype, n, in.data(), index, positions.data(), numbers(count), options.get());
        }))
        return;
    Array expected = c.before(0), e_count = c.before(1);
    typed(dtype, [&](auto zero) {
        std::vector<bool> kept;
        for (const auto value : in.vector<decltype(zero)>()) kept.push_back(reference::as_double(value) != 0);
        const auto places = reference::kept_places(kept, false);
        e_count.put(0, uint64_t{places.size()});
        for (size_t k = 0; k < std::min(room, places.size()); ++k) {
            if (index == GP_UINT32)
                expected.put(k, static_cast<uint32_t>(places[k]));
            else
                expected.put(k, uint64_t{places[k]});
        }
    });
    same(count, e_count, "nonzero's count");
    same(positions, expected, "nonzero's positions");
}

void gather(Case &c) {
    Options<gp_gather_options> options(c);
    options->algorithm = c.algorithm(GP_GATHER);
    options->event = c.event();
    const gp_gather_options o = options.seen();
    const bool is_scatter = c.flag();
    const size_t size = c.below(70), n = c.size(), m = c.size();
    const gp_dtype index = c.dtype({GP_INT32, GP_UINT32, GP_INT64, GP_UINT64});
    const size_t row = o.row != 0 ? o.row : 1;
    const Size row_bytes = Size{size} * row;
    Array positions = c.array(index, m);
    for (size_t i = 0; i < positions.size() && n > 0 && gp_dtype_size(index) >= 4; ++i) // most of them within bounds
        if (i != 7 || c.below(4) != 0)
            typed(index, [&](auto zero) {
                if constexpr (std::is_integral_v<decltype(zero)>)
                    positions.put(
                        i, static_cast<decltype(zero)>(positions.at<uint64_t>(i) * 7 % std::min<size_t>(n, 1 << 20)));
            });
    const Array in = c.array(GP_UINT8, row_bytes * (is_scatter ? m : n));
    Array out = c.array(GP_UINT8, row_bytes * (is_scatter ? n : m));
    const bool ok = c.call("gp_gather", {&out}, [&] {
        return is_scatter
                   ? gp_scatter(host(), size, m, in.data(), index, positions.data(), n, out.data(), options.get())
                   : gp_gather(host(), size, n, in.data(), index, m, positions.data(), out.data(), options.get());
    });
    if (!ok) return;
    std::vector<size_t> rows;
    for (size_t i = 0; i < m; ++i)
        rows.push_back(
            reference::row_of(positions.at<int64_t>(i), index == GP_INT32 || index == GP_INT64, o.from_end != 0, n));
    if (is_scatter) { // equal positions leave open which element is there
        auto distinct = rows;
        std::sort(distinct.begin(), distinct.end());
        if (std::adjacent_find(distinct.begin(), distinct.end()) != distinct.end()) return;
    }
    const auto bytes = static_cast<size_t>(row_bytes);
    const auto expected = is_scatter ? reference::scatter(bytes_of(in), bytes, n, rows, bytes_of(c.before(0)))
                                     : reference::gather(bytes_of(in), bytes, n, rows);
    require(bytes_of(out) == expected, "gather");
}

void transpose(Case &c) {
    Options<gp_transpose_matrix_options> options(c);
    options->algorithm = c.algorithm(GP_TRANSPOSE_MATRIX);
    options->event = c.event();
    const gp_transpose_matrix_options o = options.seen();
    const size_t size = c.below(70), rows = c.size(), columns = c.size(), ld_in = c.flag() ? columns : c.size(),
                 ld_out = c.flag() ? rows : c.size();
    const bool is_empty = rows == 0 || columns == 0;
    // Rows of rows: a matrix is a row, its rows the elements.
    const Rows from(is_empty ? 0 : rows, o.batch, o.stride_in, ld_in, Size{rows} * ld_in),
        to(is_empty ? 0 : columns, o.batch, o.stride_out, ld_out, Size{columns} * ld_out);
    if (ld_in < columns || ld_out < rows) c.impossible();
    const Array in = c.bytes(size, is_empty ? 0 : from.extent() - 1 + columns);
    Array out = c.bytes(size, is_empty ? 0 : to.extent() - 1 + rows);
    if (!c.call("gp_transpose_matrix", {&out}, [&] {
            return gp_transpose_matrix(host(), size, rows, columns, in.data(), ld_in, out.data(), ld_out,
                                       options.get());
        }))
        return;
    Array expected = c.before(0);
    for (size_t g = 0; g < from.batch && !is_empty; ++g)
        for (size_t i = 0; i < rows; ++i)
            for (size_t j = 0; j < columns; ++j) expected.copy(to.at(g, j) + i, in, from.at(g, i) + j, size);
    same(out, expected, "transpose_matrix");
}

void repeat(Case &c) {
    Options<gp_repeat_options> options(c);
    options->algorithm = c.algorithm(GP_REPEAT);
    options->event = c.event();
    const size_t size = c.below(70), n = c.size(), capacity = c.size();
    const gp_dtype index = c.dtype({GP_UINT8, GP_UINT16, GP_UINT32});
    const Array in = c.bytes(size, n), repeats = c.array(index, n);
    Array out = c.bytes(size, capacity), count = c.array(GP_UINT64, 1);
    if (!c.call("gp_repeat", {&out, &count}, [&] {
            return gp_repeat(host(), size, n, in.data(), index, repeats.data(), capacity, out.data(), numbers(count),
                             options.get());
        }))
        return;
    Array expected = c.before(0), e_count = c.before(1);
    uint64_t sum = 0;
    size_t k = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t times = repeats.at<uint64_t>(i);
        if (sum + times < sum) return; // wraps: some of the elements
        sum += times;
        for (; k < std::min<uint64_t>(sum, capacity); ++k) expected.copy(k, in, i, size);
    }
    e_count.put(0, sum);
    same(count, e_count, "repeat's count");
    same(out, expected, "repeat's elements");
}

void histogram(Case &c) {
    Options<gp_histogram_options> options(c);
    options->algorithm = c.algorithm(GP_HISTOGRAM);
    options->event = c.event();
    options->edges = nullptr;
    set_bounds(c, options->lower, options->upper);
    const gp_dtype dtype = c.dtype();
    const size_t n = c.size(), bins = c.size();
    const bool has_edges = c.flag();
    const Array edges = has_edges ? edges_of(c, GP_FLOAT64, bins) : Array(GP_FLOAT64, 0);
    if (has_edges) {
        options->edges = edges.data();
        options->edges_dtype = c.flag() ? GP_FLOAT64 : 0;
    }
    const gp_histogram_options o = options.seen();
    const Array in = c.array(dtype, n);
    Array counts = c.array(GP_UINT64, bins);
    if (!c.call("gp_histogram", {&counts},
                [&] { return gp_histogram(host(), dtype, n, in.data(), bins, numbers(counts), options.get()); }))
        return;
    Array expected = c.before(0);
    for (size_t b = 0; b < bins && o.accumulate == 0; ++b) expected.put(b, uint64_t{0});
    for (const size_t cell : cells_of(in, bins, o.edges != nullptr ? &edges : nullptr, o.lower, o.upper))
        if (cell < bins) expected.put(cell, expected.at<uint64_t>(cell) + 1);
    same(counts, expected, "histogram");
}

void histogram_weighted(Case &c) {
    Options<gp_histogram_weighted_options> options(c);
    options->algorithm = c.algorithm(GP_HISTOGRAM_WEIGHTED);
    options->event = c.event();
    options->edges = nullptr;
    set_bounds(c, options->lower, options->upper);
    const gp_histogram_weighted_options o = options.seen();
    const gp_dtype dtype = c.dtype(), weight = c.dtype({GP_FLOAT32, GP_FLOAT64}),
                   sums = o.sums_dtype != 0 ? o.sums_dtype : weight;
    const size_t n = c.size(), bins = c.size();
    const Array in = c.array(dtype, n), weights = c.array(weight, n);
    Array out = c.array(sums, bins);
    if (!c.call("gp_histogram_weighted", {&out}, [&] {
            return gp_histogram_weighted(host(), dtype, n, in.data(), weight, weights.data(), bins, out.data(),
                                         options.get());
        }))
        return;
    Array expected = c.before(0);
    const auto cells = cells_of(in, bins, nullptr, o.lower, o.upper);
    const auto put = [&](auto zero) {
        const auto result = reference::sums_of<decltype(zero)>(cells, weights.vector<double>(), bins);
        for (size_t b = 0; b < bins; ++b) expected.put(b, result[b]);
    };
    if (sums == GP_FLOAT32)
        put(float{});
    else
        put(double{});
    equal(out, expected, "histogram_weighted");
}

void histogram_2d(Case &c) {
    Options<gp_histogram_2d_options> options(c);
    options->algorithm = c.algorithm(GP_HISTOGRAM_WEIGHTED);
    options->event = c.event();
    options->edges_x = options->edges_y = nullptr;
    set_bounds(c, options->lower_x, options->upper_x);
    set_bounds(c, options->lower_y, options->upper_y);
    const gp_histogram_2d_options o = options.seen();
    const gp_dtype dtype = c.dtype();
    const size_t n = c.size(), bins_x = c.size(), bins_y = c.size();
    const Array x = c.array(dtype, n), y = c.array(dtype, n);
    Array out = c.array(GP_UINT64, Size{bins_x} * bins_y);
    if (!c.call("gp_histogram_2d", {&out}, [&] {
            return gp_histogram_2d(host(), dtype, n, x.data(), y.data(), 0, nullptr, bins_x, bins_y, out.data(),
                                   options.get());
        }))
        return;
    std::vector<uint64_t> counts(out.size());
    const auto cells_x = cells_of(x, bins_x, nullptr, o.lower_x, o.upper_x),
               cells_y = cells_of(y, bins_y, nullptr, o.lower_y, o.upper_y);
    for (size_t i = 0; i < n; ++i)
        if (cells_x[i] < bins_x && cells_y[i] < bins_y) ++counts[cells_x[i] * bins_y + cells_y[i]];
    require(out.vector<uint64_t>() == counts, "histogram_2d");
}

} // namespace fuzz
