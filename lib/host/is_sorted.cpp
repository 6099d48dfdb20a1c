// Whether rows are sorted, on the host: block by block whether any element is out of order, by
// vectors; then which one.
// SPDX-License-Identifier: MIT
#include "host/is_sorted.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/parallel.h"
#include "host/read.h"
#include "host/semiring.h"

#include <array>
#include <memory>

namespace gpcl::host {
namespace {

constexpr size_t kBlock = kPiece;
constexpr size_t kChunk = 64 * kBlock; // what a thread takes of a row

// Is x out of order behind `before`? The same for numbers; and `found` is set where any of a
// vector's are, which is passed by reference, as in semiring.h.
template <bool descending, bool strict, class T> bool one_breaks(T before, T x) {
    const T first = strict ? before : x, second = strict ? x : before;
    const bool comes_before = (descending ? first > second : first < second) || (second != second && first == first);
    return comes_before != strict;
}
template <bool descending, bool strict, class T>
[[gnu::always_inline]] inline void find_breaks(const Vector<T> &before, const Vector<T> &x, Vector<uint64_t> &found) {
    const Vector<T> &first = strict ? before : x, &second = strict ? x : before;
    auto comes_before = descending ? first > second : first < second;
    if constexpr (std::is_floating_point_v<T>) comes_before |= (second != second) & (first == first);
    if constexpr (strict) comes_before = ~comes_before;
    found |= (Vector<uint64_t>)comes_before;
}

// Is any of n elements out of order behind the one before it? The first one's is in[-1].
template <bool descending, bool strict, class T>
[[gnu::always_inline]] inline bool any_breaks_inline(const T *in, size_t n) {
    constexpr size_t kLanes = sizeof(Vector<T>) / sizeof(T), kVectors = 4; // at a time
    Vector<uint64_t> found[kVectors] = {};
    size_t i = 0;
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
#pragma GCC unroll 4
        for (size_t v = 0; v < kVectors; ++v) {
            Vector<T> before, x;
            load_vector(in + i + v * kLanes - 1, before);
            load_vector(in + i + v * kLanes, x);
            find_breaks<descending, strict, T>(before, x, found[v]);
        }
    }
    uint64_t any = 0;
    for (size_t v = 0; v < kVectors; ++v)
        for (size_t lane = 0; lane < sizeof(Vector<uint64_t>) / sizeof(uint64_t); ++lane) any |= found[v][lane];
    const T *before = in - 1;
    for (; i < n; ++i) any |= uint64_t{one_breaks<descending, strict>(before[i], in[i])};
    return any != 0;
}

template <bool descending, bool strict, class T> bool any_breaks_portable(const T *in, size_t n) {
    return any_breaks_inline<descending, strict>(in, n);
}
#if defined(GPCL_HAVE_X86)
template <bool descending, bool strict, class T> [[gnu::target("avx2")]] bool any_breaks_avx2(const T *in, size_t n) {
    return any_breaks_inline<descending, strict>(in, n);
}
#endif

template <bool descending, bool strict, class T> auto any_breaks() {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return any_breaks_avx2<descending, strict, T>;
#endif
    return any_breaks_portable<descending, strict, T>;
}

// The first of the elements begin .. end - 1 of a row that is out of order; `end` where there is
// none. direct: they are numbers of T that lie side by side. begin > 0.
template <bool descending, bool strict, class T>
size_t first_of_chunk(gp_dtype dtype, bool direct, const void *row, size_t step, size_t begin, size_t end) {
    const auto any = any_breaks<descending, strict, T>();
    std::array<T, kBlock + 1> piece;
    for (size_t at = begin; at < end; at += kBlock) {
        const size_t count = std::min(kBlock, end - at);
        const T *block = static_cast<const T *>(row) + at;
        if (!direct) {
            read(dtype, row, (at - 1) * step, step, count + 1, piece.data());
            block = piece.data() + 1;
        }
        if (!any(block, count)) continue;
        const T *before = block - 1;
        for (size_t i = 0; i < count; ++i)
            if (one_breaks<descending, strict>(before[i], block[i])) return at + i;
    }
    return end;
}

using First = std::atomic<uint64_t>;

void note(First &first, uint64_t position) {
    uint64_t known = first;
    while (position < known && !first.compare_exchange_weak(known, position)) {
    }
}

// Rows that lie side by side, as the columns of a matrix: `width` of them from `row` on, elements
// begin .. end - 1, begin > 0.
template <bool descending, bool strict, class T> void first_of_columns(gp_dtype dtype, const Rows &rows, const void *in,
                                                                       size_t row, size_t width, size_t begin,
                                                                       size_t end, First *first) {
    constexpr size_t kLanes = sizeof(Vector<T>) / sizeof(T);
    std::array<std::array<T, kPiece>, 2> pieces{};
    size_t left = width; // rows in which nothing is out of order yet
    std::array<bool, kPiece> done{};
    for (size_t i = begin - 1; i < end && left > 0; ++i) {
        std::array<T, kPiece> &here = pieces[i % 2], &before = pieces[1 - i % 2];
        read(dtype, in, i * rows.step + row * rows.stride, rows.stride, width, here.data());
        if (i < begin) continue;
        Vector<uint64_t> found{};
        for (size_t c = 0; c < width; c += kLanes) { // what is behind the width is equal
            Vector<T> x, y;
            load_vector(before.data() + c, x);
            load_vector(here.data() + c, y);
            find_breaks<descending, strict, T>(x, y, found);
        }
        if ((found[0] | found[1] | found[2] | found[3]) == 0) continue;
        for (size_t c = 0; c < width; ++c) {
            if (done[c] || !one_breaks<descending, strict>(before[c], here[c])) continue;
            done[c] = true;
            --left;
            note(first[row + c], i);
        }
    }
}

template <bool descending, bool strict, class T>
void first_of_rows(gp_dtype dtype, const Rows &rows, const void *in, First *first) {
    const size_t size = gpcl::dtype(dtype).size, n = rows.n, batch = rows.batch;
    if (rows.are_columns()) {
        constexpr size_t kLeastPart = 64;
        const size_t part = std::max(ceil_div(kChunk, batch), kLeastPart), pieces = ceil_div(batch, kPiece);
        parallel_for(pieces * ceil_div(n, part), part * std::min(batch, kPiece), [&](size_t index) {
            const size_t row = index % pieces * kPiece, begin = index / pieces * part;
            first_of_columns<descending, strict, T>(dtype, rows, in, row, std::min(kPiece, batch - row),
                                                    std::max(begin, size_t{1}), std::min(begin + part, n), first);
        });
        return;
    }
    const size_t parts = ceil_div(n, kChunk);
    const bool direct = dtype != GP_FLOAT16 && rows.step == 1;
    parallel_for(batch * parts, std::min(n, kChunk) * sizeof(T) / 32, [&](size_t index) {
        const size_t row = index / parts, begin = index % parts * kChunk, end = std::min(begin + kChunk, n);
        if (first[row] < begin) return;
        const auto *from = static_cast<const std::byte *>(in) + row * rows.stride * size;
        const size_t found =
            first_of_chunk<descending, strict, T>(dtype, direct, from, rows.step, std::max(begin, size_t{1}), end);
        if (found < end) note(first[row], found);
    });
}

} // namespace

void is_sorted(gp_dtype dtype, bool descending, bool strict, const Rows &rows, const void *in, size_t stride_out,
               uint64_t *positions) {
    const auto first = std::make_unique<First[]>(rows.batch);
    for (size_t row = 0; row < rows.batch; ++row) first[row] = rows.n;
    const auto run = [&](auto zero) {
        using T = decltype(zero);
        if (descending)
            strict ? first_of_rows<true, true, T>(dtype, rows, in, first.get())
                   : first_of_rows<true, false, T>(dtype, rows, in, first.get());
        else
            strict ? first_of_rows<false, true, T>(dtype, rows, in, first.get())
                   : first_of_rows<false, false, T>(dtype, rows, in, first.get());
    };
    if (rows.n > 1) dtype == GP_FLOAT16 ? run(float{}) : with_type(dtype, run);
    for (size_t row = 0; row < rows.batch; ++row) positions[row * stride_out] = first[row];
}

} // namespace gpcl::host
