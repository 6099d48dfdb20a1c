// Stable sort of rows on the host. Rows whose elements lie apart are gathered a few at a time, so
// that of columns whole lines of the cache are read.
// SPDX-License-Identifier: MIT
#include "host/sort_rows.h"

#include "core/dtype.h"
#include "core/scratch.h"
#include "host/parallel.h"
#include "host/sort_short.h"
#include "host/transpose.h"

#include <cmath>
#include <cstring>

namespace gpcl::host {
namespace {

constexpr size_t kLine = 64;      // bytes of a line of the cache
constexpr size_t kLong = 1 << 19; // keys of a row that keeps all threads busy by itself

void sort_one(gp_dtype dtype, size_t n, const RowArrays &row, const Ordering &ordering) {
    if (row.index != 0)
        argsort(dtype, n, row.keys, row.index, row.indices, ordering);
    else if (row.value_size != 0)
        sort_pairs(dtype, n, row.keys, row.value_size, row.values, ordering);
    else
        sort(dtype, n, row.keys, ordering);
}

void *at(void *array, size_t elements, size_t size) {
    return array == nullptr ? nullptr : static_cast<std::byte *>(array) + elements * size;
}

// Copies `count` neighbouring rows from memory where they lie as `rows` say to memory where they
// follow each other, or back.
template <size_t Size, bool back>
void copy_sized(const Rows &rows, size_t count, size_t any_size, std::byte *apart, std::byte *together) {
    const size_t size = Size != 0 ? Size : any_size;
    for (size_t i = 0; i < rows.n; ++i) {
        for (size_t row = 0; row < count; ++row) {
            std::byte *const a = apart + (row * rows.stride + i * rows.step) * size;
            std::byte *const b = together + (row * rows.n + i) * size;
            std::memcpy(back ? a : b, back ? b : a, size);
        }
    }
}

template <bool back> void copy(const Rows &rows, size_t count, size_t size, void *apart, void *together) {
    if (rows.stride == 1) {
        return back ? transpose({size, count, rows.n, 1, together, rows.n, 0, apart, rows.step, 0})
                    : transpose({size, rows.n, count, 1, apart, rows.step, 0, together, rows.n, 0});
    }
    auto *const a = static_cast<std::byte *>(apart);
    auto *const b = static_cast<std::byte *>(together);
    switch (size) {
    case 1: return copy_sized<1, back>(rows, count, size, a, b);
    case 2: return copy_sized<2, back>(rows, count, size, a, b);
    case 4: return copy_sized<4, back>(rows, count, size, a, b);
    case 8: return copy_sized<8, back>(rows, count, size, a, b);
    default: return copy_sized<0, back>(rows, count, size, a, b);
    }
}

// Nanoseconds of one thread that sorts n keys, roughly.
size_t cost_of(size_t n) {
    const auto keys = static_cast<double>(n);
    return static_cast<size_t>(keys * (1 + std::log2(keys + 1)));
}

// The arrays so many elements further on.
RowArrays shifted(gp_dtype dtype, const RowArrays &from, size_t elements) {
    const size_t index_size = from.index != 0 ? gpcl::dtype(from.index).size : 0;
    return {at(from.keys, elements, gpcl::dtype(dtype).size), from.value_size,
            at(from.values, elements, from.value_size), from.index, at(from.indices, elements, index_size)};
}

// The `count` rows from `first` on.
void sort_some(gp_dtype dtype, const Rows &rows, size_t first, size_t count, const RowArrays &arrays,
               const Ordering &ordering) {
    const size_t key_size = gpcl::dtype(dtype).size, value_size = arrays.value_size,
                 index_size = arrays.index != 0 ? gpcl::dtype(arrays.index).size : 0;
    const RowArrays begin = shifted(dtype, arrays, first * rows.stride);
    if (rows.step == 1) {
        const bool all_bits = ordering.begin_bit == 0 && (ordering.end_bit == 0 || ordering.end_bit == 8 * key_size);
        if (index_size == 0 && value_size == 0 && rows.n <= kMostShort && count >= kLeastTogether && all_bits &&
            sort_short_rows(dtype, ordering.descending, rows.n, count, rows.stride, begin.keys))
            return;
        for (size_t row = 0; row < count; ++row)
            sort_one(dtype, rows.n, shifted(dtype, begin, row * rows.stride), ordering);
        return;
    }
    const size_t all = multiply(count, rows.n, "rows");
    Scratch keys(multiply(all, key_size, "rows")), others(multiply(all, std::max(value_size, index_size), "rows"));
    const RowArrays side_by_side{keys.as<void>(), value_size, value_size != 0 ? others.as<void>() : nullptr,
                                 arrays.index, index_size != 0 ? others.as<void>() : nullptr};
    copy<false>(rows, count, key_size, begin.keys, side_by_side.keys);
    if (value_size != 0) copy<false>(rows, count, value_size, begin.values, side_by_side.values);
    const Rows gathered{rows.n, count, rows.n, 1};
    for (size_t row = 0; row < count; row += kShortTogether)
        sort_some(dtype, gathered, row, std::min(kShortTogether, count - row), side_by_side, ordering);
    if (index_size != 0) return copy<true>(rows, count, index_size, begin.indices, side_by_side.indices);
    copy<true>(rows, count, key_size, begin.keys, side_by_side.keys);
    if (value_size != 0) copy<true>(rows, count, value_size, begin.values, side_by_side.values);
}

// Rows of one key are sorted.
void sort_single(const Rows &rows, const RowArrays &arrays) {
    if (arrays.index == 0 || rows.n == 0) return;
    const size_t size = gpcl::dtype(arrays.index).size;
    for (size_t row = 0; row < rows.batch; ++row) std::memset(at(arrays.indices, row * rows.stride, size), 0, size);
}

} // namespace

void sort_rows(gp_dtype dtype, const Rows &rows, const RowArrays &arrays, const Ordering &ordering) {
    if (rows.n <= 1) return sort_single(rows, arrays);
    const size_t size = gpcl::dtype(dtype).size;
    // Neighbouring rows that are sorted or gathered together; more of short ones, lest each be a
    // step of the loop.
    const size_t together = rows.step == 1 ? kShortTogether : std::max(kLine / size, size_t{1});
    const size_t some = std::max(together, size_t{4096} / std::max(rows.n, size_t{1}));
    const bool few = rows.n >= kLong || (rows.batch < workers() && rows.n > kLong / 16);
    if (few) {
        for (size_t row = 0; row < rows.batch; row += together)
            sort_some(dtype, rows, row, std::min(together, rows.batch - row), arrays, ordering);
        return;
    }
    parallel_for(ceil_div(rows.batch, some), cost_of(rows.n) * some, [&](size_t index) {
        const OneThread alone;
        const size_t end = std::min(rows.batch, (index + 1) * some);
        for (size_t row = index * some; row < end; row += together)
            sort_some(dtype, rows, row, std::min(together, end - row), arrays, ordering);
    });
}

// Long segments first, each by all threads; then the others, divided among threads.
void sort_segments(gp_dtype dtype, size_t n, const Segments &segments, const RowArrays &arrays,
                   const Ordering &ordering) {
    constexpr size_t kTogether = 4096; // keys, of short segments
    const auto is_long = [&](size_t size) { return size >= kLong || (size > kLong / 16 && size > n / workers()); };
    const size_t least = arrays.index != 0 ? 1 : 2; // of which there is something to do
    const auto sort_those = [&](size_t first, size_t last, bool long_ones) {
        for (size_t s = first; s < last; ++s) {
            const Segment one = segments.cut(s, n);
            if (one.size() >= least && is_long(one.size()) == long_ones)
                sort_one(dtype, one.size(), shifted(dtype, arrays, one.begin), ordering);
        }
    };
    if (segments.count == 0) return;
    if (n > kLong / 16) sort_those(0, segments.count, true);
    if (!segments.are_in_order(n)) return sort_those(0, segments.count, false); // lest two threads write a key
    const size_t mean = ceil_div(n, segments.count), some = std::max(kTogether / (mean + 1), size_t{1});
    parallel_for(ceil_div(segments.count, some), cost_of(mean) * some, [&](size_t index) {
        const OneThread alone;
        sort_those(index * some, std::min(segments.count, (index + 1) * some), false);
    });
}

} // namespace gpcl::host
