// Many small matrix products on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/matmul.h"

namespace gpcl::host {

// Whether multiply_lanes() takes less time than a product after the other.
bool is_for_lanes(const MatmulProblem &problem);

// The product, of which each lane of vectors has one of the batch.
void multiply_lanes(const MatmulProblem &problem);

} // namespace gpcl::host
