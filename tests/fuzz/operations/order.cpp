// Operations that order keys, and those on runs of keys.
// SPDX-License-Identifier: MIT
#include "operations.h"

#include "reference/merge.h"
#include "reference/merge_runs.h"
#include "reference/operators.h"
#include "reference/scan_by_key.h"
#include "reference/search.h"
#include "reference/sort.h"
#include "reference/unique.h"

namespace fuzz {
namespace {

void put_index(Array &to, size_t i, size_t value) {
    if (to.dtype() == GP_UINT32)
        to.put(i, static_cast<uint32_t>(value));
    else
        to.put(i, uint64_t{value});
}

Array sorted(Case &c, gp_dtype dtype, size_t n, bool descending) {
    const Array any = c.array(dtype, n);
    Array result = any;
    if (gp_dtype_size(dtype) == 0 || dtype == GP_BFLOAT16) return result;
    typed(dtype, [&](auto zero) {
        const auto keys = any.vector<decltype(zero)>();
        const auto order = reference::merge_runs_order(keys, descending);
        for (size_t i = 0; i < order.size(); ++i) result.put(i, keys[order[i]]);
    });
    return result;
}

// The places of each row, or of each segment, in the order in which they lie.
std::vector<std::vector<size_t>> groups_of(const gp_sort_options &o, size_t n, const Rows &rows, const Array &offsets,
                                           const Array &ends) {
    std::vector<std::vector<size_t>> groups;
    if (o.offsets == nullptr) {
        for (size_t row = 0; row < rows.batch; ++row) {
            groups.emplace_back();
            for (size_t i = 0; i < n; ++i) groups.back().push_back(rows.at(row, i));
        }
        return groups;
    }
    for (size_t s = 0; s < o.segments; ++s) {
        groups.emplace_back();
        const size_t end = o.ends != nullptr ? ends.at<uint64_t>(s) : offsets.at<uint64_t>(s + 1);
        require(end <= n, "segments end with the keys");
        for (size_t i = offsets.at<uint64_t>(s); i < end; ++i) groups.back().push_back(i);
    }
    return groups;
}

} // namespace

void sort(Case &c) {
    Options<gp_sort_options> options(c);
    options->algorithm = c.algorithm(GP_SORT);
    options->event = c.event();
    options->offsets = options->ends = nullptr;
    const size_t kind = c.below(3); // keys, pairs, or an argsort
    const gp_dtype dtype = c.dtype(), index = c.index();
    const size_t n = c.size(), value_size = kind == 1 ? c.below(70) : 0;
    gp_sort_options o = options.seen();
    const gp_dtype of_offsets = o.offset_type != 0 ? o.offset_type : GP_UINT64;
    const bool has_segments = o.segments != 0 && c.flag();
    const Array offsets = has_segments ? c.offsets(of_offsets, o.segments + 1, n) : Array(GP_UINT8, 0);
    const Array ends = has_segments ? c.offsets(of_offsets, o.segments, n) : Array(GP_UINT8, 0);
    if (has_segments) options->offsets = offsets.data();
    if (has_segments && c.below(4) == 0) options->ends = ends.data();
    o = options.seen();
    const Rows rows(n, o.batch, o.stride, o.step);
    Array keys = c.array(dtype, rows.extent()), values = c.bytes(value_size, rows.extent()),
          indices = c.array(index, kind == 2 ? rows.extent() : 0);
    const bool ok = c.call("gp_sort", {&keys, &values, &indices}, [&] {
        if (kind == 0) return gp_sort(host(), dtype, n, keys.data(), options.get());
        if (kind == 1) return gp_sort_pairs(host(), dtype, n, keys.data(), value_size, values.data(), options.get());
        return gp_argsort(host(), dtype, n, keys.data(), index, indices.data(), options.get());
    });
    if (!ok) return;
    Array expected = c.before(0), expected_values = c.before(1), expected_indices = c.before(2);
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_arithmetic_v<T>) {
            for (const auto &group : groups_of(o, n, rows, offsets, ends)) {
                std::vector<T> before;
                for (const size_t place : group) before.push_back(c.before(0).at<T>(place));
                const unsigned end_bit = o.end_bit != 0 ? o.end_bit : 8 * sizeof zero;
                const auto order = o.begin_bit == 0 && o.end_bit == 0
                                       ? reference::order(before, o.order != 0)
                                       : reference::order(before, o.order != 0, o.begin_bit, end_bit);
                for (size_t i = 0; i < order.size(); ++i) {
                    if (kind == 2) {
                        put_index(expected_indices, group[i], order[i]);
                        continue;
                    }
                    expected.put(group[i], before[order[i]]);
                    if (kind == 1) expected_values.copy(group[i], c.before(1), group[order[i]], value_size);
                }
            }
        }
    });
    same(keys, expected, "sort's keys");
    same(values, expected_values, "sort's values");
    same(indices, expected_indices, "argsort's indices");
}

void search(Case &c) {
    Options<gp_search_options> options(c);
    options->algorithm = c.algorithm(GP_SEARCH);
    options->event = c.event();
    const gp_search_options o = options.seen();
    const gp_dtype dtype = c.dtype(), index = c.index();
    const size_t n = c.size(), m = c.size();
    if (n > 1 << 16) throw Skip{};
    const Array array = sorted(c, dtype, n, o.order != 0), values = c.array(dtype, m);
    Array positions = c.array(index, m);
    if (!c.call("gp_search", {&positions}, [&] {
            return gp_search(host(), dtype, n, array.data(), m, values.data(), index, positions.data(), options.get());
        }))
        return;
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto elements = array.vector<T>();
        for (size_t i = 0; i < m; ++i)
            require(
                reference::is_position(elements, values.at<T>(i), positions.at<uint64_t>(i), o.side != 0, o.order != 0),
                "search's positions");
    });
}

void merge(Case &c) {
    Options<gp_merge_options> options(c);
    options->algorithm = c.algorithm(GP_MERGE);
    options->event = c.event();
    const gp_merge_options o = options.seen();
    const gp_dtype dtype = c.dtype();
    const size_t n_a = c.size(), n_b = c.size();
    if (n_a > 1 << 16 || n_b > 1 << 16) throw Skip{};
    const size_t value_size = c.flag() ? c.below(70) : 0;
    const bool has_values = value_size != 0 || c.below(64) == 0;
    const Array a = sorted(c, dtype, n_a, o.order != 0), b = sorted(c, dtype, n_b, o.order != 0);
    const Array a_values = c.bytes(value_size, n_a), b_values = c.bytes(value_size, n_b);
    Array out = c.array(dtype, n_a + n_b), out_values = c.bytes(value_size, n_a + n_b);
    const bool ok = c.call("gp_merge", {&out, &out_values}, [&] {
        if (!has_values) return gp_merge(host(), dtype, n_a, a.data(), n_b, b.data(), out.data(), options.get());
        return gp_merge_pairs(host(), dtype, n_a, a.data(), n_b, b.data(), out.data(), value_size, a_values.data(),
                              b_values.data(), out_values.data(), options.get());
    });
    if (!ok) return;
    Array expected = c.before(0), expected_values = c.before(1);
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto order = reference::merge_order(a.vector<T>(), b.vector<T>(), o.order != 0);
        for (size_t i = 0; i < order.size(); ++i) {
            const bool from_a = order[i] < n_a;
            const size_t place = from_a ? order[i] : order[i] - n_a;
            expected.put(i, (from_a ? a : b).at<T>(place));
            if (has_values) expected_values.copy(i, from_a ? a_values : b_values, place, value_size);
        }
    });
    same(out, expected, "merge's keys");
    same(out_values, expected_values, "merge's values");
}

void merge_runs(Case &c) {
    Options<gp_merge_runs_options> options(c);
    options->algorithm = c.algorithm(GP_MERGE_RUNS);
    options->event = c.event();
    const gp_merge_runs_options o = options.seen();
    const gp_dtype dtype = c.dtype(), of_offsets = o.offset_type != 0 ? o.offset_type : GP_UINT64;
    const size_t runs = c.below(40), n = c.size(), value_size = c.flag() ? c.below(70) : 0;
    const bool has_values = value_size != 0 || c.below(64) == 0;
    const Array offsets = c.offsets(of_offsets, runs + 1, n);
    Array keys = c.array(dtype, n), out = c.array(dtype, n);
    const Array values = c.bytes(value_size, n);
    Array out_values = c.bytes(value_size, n);
    if (gp_dtype_size(dtype) != 0 && dtype != GP_BFLOAT16) // each run in order, as far as the offsets are right
        typed(dtype, [&](auto zero) {
            using T = decltype(zero);
            for (size_t run = 0; run < runs; ++run) {
                const size_t begin = offsets.at<uint64_t>(run), end = offsets.at<uint64_t>(run + 1);
                if (begin > end || end > keys.size()) continue;
                std::vector<T> part;
                for (size_t i = begin; i < end; ++i) part.push_back(keys.at<T>(i));
                const auto order = reference::merge_runs_order(part, o.order != 0);
                for (size_t i = begin; i < end; ++i) keys.put(i, part[order[i - begin]]);
            }
        });
    const bool ok = c.call("gp_merge_runs", {&out, &out_values}, [&] {
        if (!has_values)
            return gp_merge_runs(host(), dtype, n, keys.data(), runs, offsets.data(), out.data(), options.get());
        return gp_merge_runs_pairs(host(), dtype, n, keys.data(), runs, offsets.data(), out.data(), value_size,
                                   values.data(), out_values.data(), options.get());
    });
    if (!ok) return;
    Array expected = c.before(0), expected_values = c.before(1);
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto order = reference::merge_runs_order(keys.vector<T>(), o.order != 0);
        for (size_t i = 0; i < order.size(); ++i) {
            expected.put(i, keys.at<T>(order[i]));
            if (has_values) expected_values.copy(i, values, order[i], value_size);
        }
    });
    same(out, expected, "merge_runs' keys");
    same(out_values, expected_values, "merge_runs' values");
}

void unique(Case &c) {
    Options<gp_unique_options> options(c);
    options->algorithm = c.algorithm(GP_UNIQUE);
    options->event = c.event();
    const gp_unique_options o = options.seen();
    const gp_dtype dtype = c.dtype(), index = c.index();
    const size_t n = c.size(), room = o.capacity != 0 ? std::min(o.capacity, n) : n;
    if (n > 1 << 16) throw Skip{};
    const Array in = o.sorted != 0 ? sorted(c, dtype, n, false) : c.array(dtype, n);
    const bool has_values = c.flag(), has_firsts = c.flag(), has_inverse = c.flag(), has_counts = c.flag();
    Array values = c.array(dtype, has_values ? room : 0), firsts = c.array(index, has_firsts ? room : 0),
          inverse = c.array(index, has_inverse ? n : 0), counts = c.array(index, has_counts ? room : 0),
          count = c.array(GP_UINT64, 1);
    const auto wanted = [](bool is, Array &array) { return is ? array.data() : nullptr; };
    if (!c.call("gp_unique", {&values, &firsts, &inverse, &counts, &count}, [&] {
            return gp_unique(host(), dtype, n, in.data(), wanted(has_values, values), index, wanted(has_firsts, firsts),
                             wanted(has_inverse, inverse), wanted(has_counts, counts),
                             reinterpret_cast<uint64_t *>(count.data()), options.get());
        }))
        return;
    Array e_values = c.before(0), e_firsts = c.before(1), e_inverse = c.before(2), e_counts = c.before(3),
          e_count = c.before(4);
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto expected = reference::unique(in.vector<T>());
        e_count.put(0, uint64_t{expected.firsts.size()});
        for (size_t k = 0; k < std::min(room, expected.firsts.size()); ++k) {
            if (has_values) e_values.put(k, in.at<T>(expected.firsts[k]));
            if (has_firsts) put_index(e_firsts, k, expected.firsts[k]);
            if (has_counts) put_index(e_counts, k, expected.counts[k]);
        }
        for (size_t i = 0; i < n && has_inverse; ++i) put_index(e_inverse, i, expected.inverse[i]);
    });
    same(count, e_count, "unique's count");
    same(values, e_values, "unique's values");
    same(firsts, e_firsts, "unique's firsts");
    same(inverse, e_inverse, "unique's inverse");
    same(counts, e_counts, "unique's counts");
}

void run_lengths(Case &c) {
    Options<gp_run_lengths_options> options(c);
    options->algorithm = c.algorithm(GP_RUN_LENGTHS);
    options->event = c.event();
    options->firsts = nullptr;
    const gp_dtype dtype = c.dtype(), index = c.index();
    const size_t n = c.size();
    gp_run_lengths_options o = options.seen();
    const size_t room = o.capacity != 0 ? std::min(o.capacity, n) : n;
    const Array in = c.array(dtype, n);
    const bool has_values = c.flag(), has_lengths = c.flag(), has_firsts = c.flag();
    Array values = c.array(dtype, has_values ? room : 0), lengths = c.array(index, has_lengths ? room : 0),
          firsts = c.array(index, has_firsts ? room : 0), count = c.array(GP_UINT64, 1);
    if (has_firsts) options->firsts = firsts.data();
    o = options.seen();
    if (!c.call("gp_run_lengths", {&values, &lengths, &firsts, &count}, [&] {
            return gp_run_lengths(host(), dtype, n, in.data(), has_values ? values.data() : nullptr, index,
                                  has_lengths ? lengths.data() : nullptr, reinterpret_cast<uint64_t *>(count.data()),
                                  options.get());
        }))
        return;
    Array e_values = c.before(0), e_lengths = c.before(1), e_firsts = c.before(2), e_count = c.before(3);
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto begins = reference::run_firsts(in.vector<T>());
        e_count.put(0, uint64_t{begins.size()});
        for (size_t k = 0; k < std::min(room, begins.size()); ++k) {
            if (has_values) e_values.put(k, in.at<T>(begins[k]));
            if (has_lengths) put_index(e_lengths, k, (k + 1 < begins.size() ? begins[k + 1] : n) - begins[k]);
            if (o.firsts != nullptr) put_index(e_firsts, k, begins[k]);
        }
    });
    same(count, e_count, "run_lengths' count");
    same(values, e_values, "run_lengths' values");
    same(lengths, e_lengths, "run_lengths' lengths");
    same(firsts, e_firsts, "run_lengths' firsts");
}

void reduce_by_key(Case &c) {
    Options<gp_reduce_by_key_options> options(c);
    options->operator_source = options->operator_identity = options->operator_helpers = nullptr;
    options->algorithm = c.algorithm(GP_REDUCE_BY_KEY);
    options->event = c.event();
    const gp_dtype key_dtype = c.dtype(), dtype = c.sums();
    const size_t n = c.size();
    const gp_reduce_by_key_options o = options.seen();
    const gp_dtype sums = o.accumulator != 0 ? o.accumulator : dtype;
    const size_t room = o.capacity != 0 ? std::min(o.capacity, n) : n;
    const Array keys = c.array(key_dtype, n), values = c.array(dtype, n, true);
    const bool has_keys = c.flag();
    Array out_keys = c.array(key_dtype, has_keys ? room : 0), out = c.array(sums, room, true),
          count = c.array(GP_UINT64, 1);
    if (!c.call("gp_reduce_by_key", {&out_keys, &out, &count}, [&] {
            return gp_reduce_by_key(host(), key_dtype, n, keys.data(), dtype, values.data(),
                                    has_keys ? out_keys.data() : nullptr, out.data(),
                                    reinterpret_cast<uint64_t *>(count.data()), options.get());
        }))
        return;
    Array e_keys = c.before(0), e_out = c.before(1), e_count = c.before(2);
    typed(key_dtype, [&](auto key) {
        using K = decltype(key);
        const auto all = keys.vector<K>();
        std::vector<size_t> run(n); // the run of each element
        std::vector<size_t> firsts;
        if (o.any_order != 0) {
            const auto result = reference::unique(all);
            run = result.inverse;
            firsts = result.firsts;
        } else {
            firsts = reference::run_firsts(all);
            for (size_t k = 0; k < firsts.size(); ++k)
                for (size_t i = firsts[k]; i < (k + 1 < firsts.size() ? firsts[k + 1] : n); ++i) run[i] = k;
        }
        e_count.put(0, uint64_t{firsts.size()});
        for (size_t k = 0; k < std::min(room, firsts.size()) && has_keys; ++k) e_keys.put(k, all[firsts[k]]);
        typed(sums, [&](auto zero) {
            using T = decltype(zero);
            if constexpr (std::is_arithmetic_v<T>) {
                std::vector<T> result(firsts.size(), reference::identity<T>(o.op));
                for (size_t i = 0; i < n; ++i)
                    result[run[i]] = reference::combine(o.op, result[run[i]], values.at<T>(i));
                for (size_t k = 0; k < std::min(room, result.size()); ++k) e_out.put(k, result[k]);
            }
        });
    });
    same(count, e_count, "reduce_by_key's count");
    same(out_keys, e_keys, "reduce_by_key's keys");
    equal(out, e_out, "reduce_by_key's values");
}

void scan_by_key(Case &c) {
    Options<gp_scan_by_key_options> options(c);
    options->operator_source = options->operator_identity = options->operator_helpers = nullptr;
    options->algorithm = c.algorithm(GP_SCAN_BY_KEY);
    options->event = c.event();
    options->initial = nullptr;
    const gp_dtype key_dtype = c.dtype(), dtype = c.sums();
    const size_t n = c.size();
    gp_scan_by_key_options o = options.seen();
    const gp_dtype sums = o.accumulator != 0 ? o.accumulator : dtype;
    const Array keys = c.array(key_dtype, n), values = c.array(dtype, n, true), initial = c.array(sums, 1, true);
    Array out = c.array(sums, n, true);
    if (c.flag()) options->initial = initial.data();
    o = options.seen();
    if (!c.call("gp_scan_by_key", {&out}, [&] {
            return gp_scan_by_key(host(), key_dtype, n, keys.data(), dtype, values.data(), out.data(), options.get());
        }))
        return;
    Array expected = c.before(0);
    typed(key_dtype, [&](auto key) {
        typed(sums, [&](auto zero) {
            using T = decltype(zero);
            if constexpr (std::is_arithmetic_v<T>) {
                const T first = o.initial != nullptr ? initial.at<T>(0) : reference::identity<T>(o.op);
                const auto result =
                    reference::scan_by_key(keys.vector<decltype(key)>(), values.vector<T>(), first, o.kind != 0,
                                           [&](T a, T b) { return reference::combine(o.op, a, b); });
                for (size_t i = 0; i < n; ++i) expected.put(i, result[i]);
            }
        });
    });
    equal(out, expected, "scan_by_key");
}

} // namespace fuzz
