// The system's BLAS, loaded when it is first asked for.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/matmul.h"

namespace gpcl::host {

// Why there is none; NULL where one was loaded.
const char *no_blas();

// False where BLAS can't compute the product, or isn't there.
bool matmul_blas(const MatmulProblem &problem);

} // namespace gpcl::host
