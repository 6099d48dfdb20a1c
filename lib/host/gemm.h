// The ordinary matrix product of float32 and float64 on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/matmul.h"

#include <algorithm>
#include <type_traits>

namespace gpcl::host {

// T: float or double, which the problem's elements are; its semiring is GP_PLUS_TIMES. Each element
// of C is the same bits for any number of threads.
template <class T> void gemm(const MatmulProblem &problem);

extern template void gemm<float>(const MatmulProblem &problem);
extern template void gemm<double>(const MatmulProblem &problem);

// An estimate of the nanoseconds that an m x k times k x n product takes one thread, of which
// `each` are done in a nanosecond.
size_t product_cost(size_t m, size_t n, size_t k, size_t each);

// Part number `index` of `parts`, which are as equal as can be, of what has `count` pieces.
struct Part {
    size_t begin, end;
};
inline Part part_of(size_t count, size_t parts, size_t index) {
    const size_t least = count / parts, longer = count % parts;
    const size_t begin = index * least + std::min(index, longer);
    return {begin, begin + least + (index < longer ? 1 : 0)};
}

// Calls f(std::integral_constant<size_t, rows>) for 1 to `most` rows.
template <size_t most, class F> [[gnu::always_inline]] inline void with_rows(size_t rows, const F &f) {
    if constexpr (most > 1)
        if (rows < most) return with_rows<most - 1>(rows, f);
    f(std::integral_constant<size_t, most>{});
}

} // namespace gpcl::host
