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

    // The program text that defines T gp_combine(T a, T b) and T gp_identity(void); goes before the
    // kernel file.
    std::string preamble() const;
    // -D options for the kernel file: the type of sums, and that of the elements.
    std::string options(gp_dtype dtype, gp_dtype from) const;
    std::string options(gp_dtype dtype) const { return options(dtype, dtype); }
};

// Checks the operator of an options structure.
Combine read_combine(gp_operator op, const char *source, const char *identity, const char *helpers);

// The types of sums. Elements of other types need one of these as accumulator.
inline constexpr std::array<gp_dtype, 6> kSumTypes = {GP_INT32, GP_UINT32, GP_INT64, GP_UINT64, GP_FLOAT32, GP_FLOAT64};

// The type of sums: `dtype`, or the accumulator, where it is not 0. Refuses one that is none of
// scan's and reduce's, that the device can't compute, or that does not hold every value of dtype.
gp_dtype read_sum_dtype(const cl::Context &context, gp_dtype dtype, gp_dtype accumulator, const Combine &combine);

} // namespace gpcl
