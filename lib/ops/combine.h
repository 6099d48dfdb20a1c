// The associative operator of a scan or reduce: one of ours, or the caller's OpenCL C text.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "core/dtype.h"

namespace gpcl {

struct Combine {
    gp_operator op = GP_ADD;
    std::string source;   // the caller's expression of a and b; "" when op counts
    std::string identity; // the caller's
    std::string helpers;  // the caller's

    bool is_text() const { return !source.empty(); }

    // The program text that defines T gp_combine(T a, T b) and T gp_identity(void); goes before the kernel file.
    std::string preamble() const;
    // -D options for the kernel file.
    std::string options(gp_dtype dtype) const;
};

// Checks the operator of an options structure.
Combine read_combine(gp_operator op, const char *source, const char *identity, const char *helpers);

// Refuses a type that is not one of scan's and reduce's, and one that the device can't compute.
void require_combine_dtype(const cl::Context &context, gp_dtype dtype, const Combine &combine);

} // namespace gpcl
