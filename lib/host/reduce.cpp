// Reduction on the host: chunks of fixed size, so that the result does not depend on the number of threads.
// SPDX-License-Identifier: MIT
#include "host/reduce.h"

#include "core/size.h"
#include "host/operators.h"
#include "host/parallel.h"

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

} // namespace

void reduce(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out) {
    with_operator(dtype, op, [&](auto zero, auto combine) {
        using T = decltype(zero);
        const auto *from = static_cast<const T *>(in);
        std::vector<T> partial(ceil_div(n, kChunk));
        parallel_for(partial.size(), kChunk / 4, [&](size_t chunk) {
            const size_t begin = chunk * kChunk;
            partial[chunk] = fold(from + begin, std::min(kChunk, n - begin), combine);
        });
        *static_cast<T *>(out) = fold(partial.data(), partial.size(), combine);
    });
}

} // namespace gpcl::host
