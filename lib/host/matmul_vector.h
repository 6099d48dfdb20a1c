// Matrix by vector on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/matmul.h"

namespace gpcl::host {

// The product where m or n is 1. The matrix is read once, where it lies.
void multiply_vector(const MatmulProblem &problem);

} // namespace gpcl::host
