// The ordinary matrix product of float32 and float64 on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/matmul.h"

namespace gpcl::host {

// T: float or double, which the problem's elements are; its semiring is GP_PLUS_TIMES. Each element
// of C is the same bits for any number of threads.
template <class T> void gemm(const MatmulProblem &problem);

extern template void gemm<float>(const MatmulProblem &problem);
extern template void gemm<double>(const MatmulProblem &problem);

// An estimate of the nanoseconds that an m x k times k x n product takes one thread, of which
// `each` are done in a nanosecond.
size_t product_cost(size_t m, size_t n, size_t k, size_t each);

} // namespace gpcl::host
