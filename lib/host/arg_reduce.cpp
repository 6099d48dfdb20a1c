// Arg-reduction on the host: the best number of each block, which takes no positions and so goes by
// vectors; and the position within a block that is better than those before.
// SPDX-License-Identifier: MIT
#include "host/arg_reduce.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/best.h"
#include "host/parallel.h"
#include "host/read.h"
#include "host/semiring.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace gpcl::host {
namespace {

constexpr size_t kBlock = kPiece;
constexpr size_t kChunk = 64 * kBlock; // what a thread takes of a row
constexpr size_t kWide = 256;          // elements of several rows of a narrow matrix

template <class T> struct Best {
    T number;
    size_t position;
};

// Is a comparison true in any lane?
template <class V> [[gnu::always_inline]] inline bool is_any(const V &lanes) {
    std::array<uint64_t, sizeof(V) / sizeof(uint64_t)> words;
    std::memcpy(words.data(), &lanes, sizeof lanes);
    uint64_t any = 0;
    for (const uint64_t word : words) any |= word;
    return any != 0;
}

// The position in a block of the first number that equals one which the block has; any NaN equals
// another. Vectors are of 32 bytes: GCC 12 makes scalar code of a comparison's result in 64.
template <class V, class T> [[gnu::always_inline]] inline size_t find_inline(const T *in, size_t n, T number) {
    constexpr size_t kVectors = 8, kLanes = sizeof(V) / sizeof(T); // compared without a branch
    size_t i = 0;
    if (is_nan(number)) {
        while (!is_nan(in[i])) ++i;
        return i;
    }
    // Does one of some vectors from the one at i on have the number?
    const auto have_it = [&]<size_t... v>(std::index_sequence<v...>) __attribute__((always_inline)) {
        V x;
        auto equal = V{} != V{};
        ((std::memcpy(&x, in + i + v * kLanes, sizeof x), equal |= x == number), ...);
        return is_any(equal);
    };
    while (i + kVectors * kLanes <= n && !have_it(std::make_index_sequence<kVectors>())) i += kVectors * kLanes;
    while (i + kLanes <= n && !have_it(std::make_index_sequence<1>())) i += kLanes;
    while (in[i] != number) ++i;
    return i;
}
template <class T> size_t find_portable(const T *in, size_t n, T number) {
    return find_inline<Vector<T>>(in, n, number);
}
#if defined(GPCL_HAVE_X86)
template <class T> [[gnu::target("avx2")]] size_t find_avx2(const T *in, size_t n, T number) {
    return find_inline<Vector<T>>(in, n, number);
}
#endif
template <class T> size_t find(const T *in, size_t n, T number) {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return find_avx2(in, n, number);
#endif
    return find_portable(in, n, number);
}

// Elements of a row up to which one look finds number and place. A byte holds so many places and
// one more; numbers of one or two bytes are sooner looked at twice.
template <class T> constexpr size_t kShort = sizeof(T) <= 2 ? 255 : 512;

// Where the best of n numbers is, at least as many as V has lanes, n <= kShort<T>. Each lane of two
// vectors has its best number and that one's place; two, as each waits for what it had before.
template <bool largest, class V, class T> [[gnu::always_inline]] inline size_t place_inline(const T *in, size_t n) {
    using Place = BitsOf<T>;
    using Places = VectorOf<Place, sizeof(V)>;
    constexpr size_t kLanes = sizeof(V) / sizeof(T);
    constexpr auto kNumbers = [] {
        std::array<Place, kLanes> all{};
        for (size_t k = 0; k < kLanes; ++k) all[k] = static_cast<Place>(k);
        return all;
    }();
    Places lane;
    load_vector(kNumbers.data(), lane);
    V best[2];
    load_vector(in, best[0]);
    best[1] = best[0];
    Places places[2] = {lane, lane};
    auto odd = best[0] != best[0]; // is a number of the lane NaN?
    const auto take = [&](size_t v, size_t i) __attribute__((always_inline)) {
        V x;
        load_vector(in + i, x);
        const auto better = largest ? x > best[v] : x < best[v];
        if constexpr (std::is_floating_point_v<T>) odd |= x != x;
        best[v] = better ? x : best[v];
        places[v] = better ? lane + static_cast<Place>(i) : places[v];
    };
    size_t i = kLanes;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
        take(0, i);
        take(1, i + kLanes);
    }
    if (i + kLanes <= n) take(0, i);
    take(1, n - kLanes); // some of which were taken before
    if constexpr (std::is_floating_point_v<T>)
        if (is_any(odd)) return static_cast<size_t>(std::find_if(in, in + n, is_nan<T>) - in);
    V either = best[0];
    take_better<largest>(either, best[1]);
    const T number = combine_lanes<T>(either, take_better<largest>);
    for (size_t v = 0; v < 2; ++v) places[v] = best[v] == number ? places[v] : ~Places{};
    take_better<false>(places[0], places[1]);
    return combine_lanes<Place>(places[0], take_better<false>);
}
template <bool largest, class T> size_t place_portable(const T *in, size_t n) {
    return place_inline<largest, Vector<T>>(in, n);
}
#if defined(GPCL_HAVE_X86)
template <bool largest, class T> [[gnu::target("avx2")]] size_t place_avx2(const T *in, size_t n) {
    return place_inline<largest, Vector<T>>(in, n);
}
#endif
template <bool largest, class T> size_t place(const T *in, size_t n) {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return place_avx2<largest>(in, n);
#endif
    return place_portable<largest>(in, n);
}

// Of the elements begin .. begin + count - 1 of a row, count > 0. direct: they are numbers of T
// that lie side by side.
template <bool largest, class T>
Best<T> best_of_chunk(gp_dtype dtype, bool direct, const void *row, size_t step, size_t begin, size_t count) {
    if (direct && count <= kShort<T>) {
        const T *in = static_cast<const T *>(row) + begin;
        if (count >= kLanesOf<T>) {
            const size_t at = place<largest>(in, count);
            return {in[at], begin + at};
        }
        T best = in[0];
        size_t at = 0;
        bool odd = is_nan(best);
        for (size_t i = 1; i < count; ++i) { // without a branch, which random numbers would have guessed wrongly
            const T x = in[i];
            const bool better = is_beyond<largest>(x, best);
            at += (i - at) & (size_t{0} - size_t{better});
            best = better ? x : best;
            odd |= is_nan(x);
        }
        if (odd) at = static_cast<size_t>(std::find_if(in, in + count, is_nan<T>) - in);
        return {in[at], begin + at};
    }
    const auto number_of = best_number<largest, T>();
    constexpr size_t kBytes = 32768; // of a block that is not copied
    const size_t block = direct ? std::max(kBlock, kBytes / sizeof(T)) : kBlock;
    std::array<T, kBlock> piece;
    const auto block_at = [&](size_t done) {
        if (direct) return static_cast<const T *>(row) + begin + done;
        read(dtype, row, (begin + done) * step, step, std::min(block, count - done), piece.data());
        return static_cast<const T *>(piece.data());
    };
    // The block that the best number comes from is looked through once, when all have been read.
    T best = number_of(block_at(0), std::min(block, count));
    size_t from = 0;
    for (size_t done = block; done < count && !is_nan(best); done += block) {
        const T number = number_of(block_at(done), std::min(block, count - done));
        if (!is_better<largest>(number, best)) continue;
        best = number;
        from = done;
    }
    return {best, begin + from + find(block_at(from), std::min(block, count - from), best)};
}

// The better of each column's number so far and of row `at`. Places are numbers of the elements'
// size, so that one vector of places goes with one of numbers.
template <bool largest, class T> [[gnu::always_inline]] inline void
take_row_inline(const T *row, size_t width, BitsOf<T> at, T *numbers, BitsOf<T> *places) {
    size_t c = 0;
    for (; c + kLanesOf<T> <= width; c += kLanesOf<T>) {
        Vector<T> x, than;
        Vector<BitsOf<T>> before;
        load_vector(row + c, x);
        load_vector(numbers + c, than);
        load_vector(places + c, before);
        auto better = largest ? x > than : x < than;
        if constexpr (std::is_floating_point_v<T>) better |= (x != x) & (than == than);
        than = better ? x : than;
        before = better ? at - Vector<BitsOf<T>>{} : before;
        store_vector(than, numbers + c);
        store_vector(before, places + c);
    }
    for (; c < width; ++c) {
        const T x = row[c], than = numbers[c];
        const bool better = is_better<largest>(x, than);
        numbers[c] = better ? x : than;
        places[c] = better ? at : places[c];
    }
}
template <bool largest, class T>
void take_row_portable(const T *row, size_t width, BitsOf<T> at, T *numbers, BitsOf<T> *places) {
    take_row_inline<largest>(row, width, at, numbers, places);
}
#if defined(GPCL_HAVE_X86)
template <bool largest, class T>
[[gnu::target("avx2")]] void take_row_avx2(const T *row, size_t width, BitsOf<T> at, T *numbers, BitsOf<T> *places) {
    take_row_inline<largest>(row, width, at, numbers, places);
}
#endif
template <bool largest, class T> auto take_row() {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return take_row_avx2<largest, T>;
#endif
    return take_row_portable<largest, T>;
}

// Rows that lie side by side, as the columns of a matrix: `width` of them from `first` on, elements
// begin .. begin + count - 1.
template <bool largest, class T> void best_of_columns(gp_dtype dtype, bool direct, const Rows &rows, const void *in,
                                                      size_t first, size_t width, size_t begin, size_t count,
                                                      Best<T> *to) {
    constexpr uint64_t kMost = std::numeric_limits<BitsOf<T>>::max(); // rows whose places a number counts
    const auto take = take_row<largest, T>();
    std::array<T, kPiece> piece, numbers;
    std::array<BitsOf<T>, kPiece> places;
    for (size_t done = 0; done < count;) {
        const size_t from = begin + done, some = std::min<uint64_t>(count - done, kMost);
        for (size_t i = 0; i < some; ++i) {
            const size_t at = (from + i) * rows.step + first * rows.stride;
            const T *x = static_cast<const T *>(in) + at;
            if (!direct) {
                read(dtype, in, at, rows.stride, width, piece.data());
                x = piece.data();
            }
            if (i == 0) {
                std::copy_n(x, width, numbers.data());
                std::fill_n(places.data(), width, BitsOf<T>{0});
            } else {
                take(x, width, static_cast<BitsOf<T>>(i), numbers.data(), places.data());
            }
        }
        for (size_t c = 0; c < width; ++c)
            if (done == 0 || is_better<largest>(numbers[c], to[c].number)) to[c] = {numbers[c], from + places[c]};
        done += some;
    }
}

// The same of all columns of a narrow matrix, whose rows follow each other: several rows are taken
// as one of so many more columns, which has more of a vector's lanes; then the best of each column
// is that of several.
template <bool largest, class T>
void best_of_narrow_columns(gp_dtype dtype, const Rows &rows, const void *in, size_t begin, size_t count, Best<T> *to) {
    const size_t width = rows.batch, together = kWide / width, joined = count / together;
    Rows wide = rows;
    wide.batch = width * together;
    wide.step = wide.batch;
    std::array<Best<T>, kWide> of_all;
    const auto *const first = static_cast<const std::byte *>(in) + begin * width * sizeof(T);
    best_of_columns<largest, T>(dtype, true, wide, first, 0, wide.batch, 0, joined, of_all.data());
    for (size_t c = 0; c < width; ++c) {
        Best<T> best = of_all[c];
        best.position *= together;
        for (size_t k = 1; k < together; ++k) {
            const Best<T> other = {of_all[k * width + c].number, of_all[k * width + c].position * together + k};
            if (is_better<largest>(other.number, best.number) ||
                (other.position < best.position && !is_better<largest>(best.number, other.number)))
                best = other;
        }
        to[c] = {best.number, begin + best.position};
    }
    if (const size_t done = joined * together; done < count) {
        std::array<Best<T>, kWide> of_last;
        best_of_columns<largest, T>(dtype, true, rows, in, 0, width, begin + done, count - done, of_last.data());
        for (size_t c = 0; c < width; ++c)
            if (is_better<largest>(of_last[c].number, to[c].number)) to[c] = of_last[c];
    }
}

// Calls put(r, k, best) with the best of part k of row r, for all parts of all rows.
template <bool largest, class T, class Put>
void for_each_best(gp_dtype dtype, const Rows &rows, const void *in, size_t parts, size_t part, const Put &put) {
    const bool is_t = dtype != GP_FLOAT16;
    const auto count = [&](size_t k) { return std::min(part, rows.n - k * part); };
    if (rows.are_columns()) {
        const size_t pieces = ceil_div(rows.batch, kPiece);
        parallel_for(pieces * parts, part * std::min(rows.batch, kPiece) / 4, [&](size_t index) {
            const size_t first = index % pieces * kPiece, k = index / pieces;
            const size_t width = std::min(kPiece, rows.batch - first);
            std::array<Best<T>, kPiece> of_columns;
            const bool direct = is_t && rows.stride == 1;
            if (direct && rows.step == rows.batch && 2 * rows.batch <= kWide && count(k) * width >= kWide)
                best_of_narrow_columns<largest>(dtype, rows, in, k * part, count(k), of_columns.data());
            else
                best_of_columns<largest>(dtype, direct, rows, in, first, width, k * part, count(k), of_columns.data());
            for (size_t c = 0; c < width; ++c) put(first + c, k, of_columns[c]);
        });
    } else {
        constexpr size_t kCostOfARow = 16; // nanoseconds
        const size_t size = gpcl::dtype(dtype).size;
        parallel_for(rows.batch * parts, kCostOfARow + std::min(rows.n, part) * sizeof(T) / 48, [&](size_t index) {
            const size_t row = index / parts, k = index % parts;
            const auto *first = static_cast<const std::byte *>(in) + row * rows.stride * size;
            put(row, k, best_of_chunk<largest, T>(dtype, is_t && rows.step == 1, first, rows.step, k * part, count(k)));
        });
    }
}

} // namespace

void arg_reduce(gp_dtype dtype, bool largest, const Rows &rows, const void *in, gp_dtype index, size_t stride_out,
                void *positions, void *values) {
    constexpr size_t kLeastPart = 64; // of a column
    const size_t part = rows.are_columns() ? std::max(ceil_div(kChunk, rows.batch), kLeastPart) : kChunk;
    const size_t parts = ceil_div(rows.n, part), size = gpcl::dtype(dtype).size;
    const auto run = [&](auto zero, auto is_largest) {
        using T = decltype(zero);
        const auto write = [&](size_t row, const Best<T> &best) {
            if (index == GP_UINT32)
                static_cast<uint32_t *>(positions)[row * stride_out] = static_cast<uint32_t>(best.position);
            else
                static_cast<uint64_t *>(positions)[row * stride_out] = best.position;
            if (values != nullptr)
                std::memcpy(static_cast<std::byte *>(values) + row * stride_out * size,
                            static_cast<const std::byte *>(in) + (row * rows.stride + best.position * rows.step) * size,
                            size);
        };
        if (parts == 1)
            return for_each_best<is_largest, T>(dtype, rows, in, parts, part,
                                                [&](size_t row, size_t, const Best<T> &best) { write(row, best); });
        std::vector<Best<T>> all(multiply(rows.batch, parts, "rows"));
        for_each_best<is_largest, T>(dtype, rows, in, parts, part,
                                     [&](size_t row, size_t k, const Best<T> &best) { all[row * parts + k] = best; });
        for (size_t row = 0; row < rows.batch; ++row) {
            Best<T> best = all[row * parts];
            for (size_t k = 1; k < parts; ++k) {
                const Best<T> &other = all[row * parts + k];
                if (is_better<is_largest>(other.number, best.number)) best = other;
            }
            write(row, best);
        }
    };
    const auto with_direction = [&](auto zero) {
        largest ? run(zero, std::true_type{}) : run(zero, std::false_type{});
    };
    if (dtype == GP_FLOAT16) return with_direction(float{});
    with_type(dtype, with_direction);
}

} // namespace gpcl::host
