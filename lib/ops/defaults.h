// What gp_warmup builds.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"

namespace gpcl {

// The programs that an operation on a type needs with default options, whatever the size; none on "host". Nothing is built.
std::vector<cl::ProgramKey> default_programs(const cl::Context &context, gp_operation operation, gp_dtype dtype);

} // namespace gpcl
