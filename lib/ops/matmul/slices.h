// Products cut along k, for small C and large k. Host side of kernels/matmul/slices.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/matmul/matmul.h"

namespace gpcl::matmul {

// Into how many slices to cut k, at least `least` long, so that `groups` work-groups for each fill the device. Depends on the
// device and the shape alone, so that results don't change from run to run.
uint64_t slices_of(const cl::Context &context, uint64_t groups, uint64_t k, uint64_t least);

// Memory for the sums of all slices; a small one where there is but one slice.
cl::Operand partial_sums(cl::Task &task, const Request &request, uint64_t slices);

// Adds them up and finishes C.
void add_slices(cl::Task &task, cl::Program &program, const Request &request, const cl::Operand &partial,
                uint64_t slices);

} // namespace gpcl::matmul
