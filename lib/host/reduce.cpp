// Reduction on the host: chunks of fixed size, so that the result does not depend on the number of threads.
// SPDX-License-Identifier: MIT
#include "host/reduce.h"

#include "core/size.h"
#include "host/operators.h"
#include "host/parallel.h"
#include "host/read.h"

#include <array>

namespace gpcl::host {
namespace {

constexpr size_t kChunk = 16384;
constexpr size_t kLanes = 16; // independent sums that the compiler keeps in vectors; the operators commute

template <class T, class Operator> T fold(const T *in, size_t n, Operator combine) {
    T lanes[kLanes];
    std::fill(lanes, lanes + kLanes, Operator::identity);
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = combine(lanes[lane], in[i + lane]);
    }
    T result = Operator::identity;
    for (const T lane : lanes) result = combine(result, lane);
    for (; i < n; ++i) result = combine(result, in[i]);
    return result;
}

// Elements begin .. begin + count - 1 of a row.
template <class T, class Operator>
T fold_part(gp_dtype from, const void *row, size_t step, size_t begin, size_t count, Operator combine) {
    std::array<T, kPiece> piece;
    T result = Operator::identity;
    for (size_t done = 0; done < count; done += kPiece) {
        const size_t some = std::min(kPiece, count - done);
        read(from, row, (begin + done) * step, step, some, piece.data());
        result = combine(result, fold(piece.data(), some, combine));
    }
    return result;
}

} // namespace

void reduce(gp_dtype dtype, gp_operator op, gp_dtype from, const Rows &rows, const void *in, size_t stride_out,
            void *out, bool accumulate) {
    if (accumulate && rows.n == 0) return;
    with_operator(dtype, op, [&](auto zero, auto combine) {
        using T = decltype(zero);
        const size_t chunks = ceil_div(rows.n, kChunk); // of a row
        std::vector<T> partial(rows.batch * chunks);
        parallel_for(partial.size(), std::min(rows.n, kChunk) / 4, [&](size_t index) {
            const size_t row = index / chunks, begin = index % chunks * kChunk;
            const size_t count = std::min(kChunk, rows.n - begin);
            const auto *first = static_cast<const std::byte *>(in) + row * rows.stride * gpcl::dtype(from).size;
            partial[index] = from == dtype && rows.step == 1
                                 ? fold(reinterpret_cast<const T *>(first) + begin, count, combine)
                                 : fold_part<T>(from, first, rows.step, begin, count, combine);
        });
        for (size_t row = 0; row < rows.batch; ++row) {
            T &result = static_cast<T *>(out)[row * stride_out];
            const T all = fold(partial.data() + row * chunks, chunks, combine);
            result = accumulate ? combine(result, all) : all;
        }
    });
}

} // namespace gpcl::host
