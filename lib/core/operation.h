// The operations: their names, by which the tuning file knows them.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"

#include <array>

namespace gpcl {

// By code, from GP_MATMUL on.
inline constexpr std::array kOperations = {
    "matmul", "scan", "sort", "reduce", "histogram", "recurrence", "recurrence-varying"};
static_assert(GP_MATMUL == 1 && kOperations.size() == GP_RECURRENCE_VARYING);

inline void require_operation(gp_operation code) {
    if (code >= GP_MATMUL && code <= GP_RECURRENCE_VARYING) return;
    std::string names;
    for (const char *name : kOperations) names += text(names.empty() ? "" : ", ", name);
    fail(GP_ERROR_OPERATION, "operation is ", code, "; expected a gp_operation: 1 to ", kOperations.size(), ", ",
         names);
}

// The name of a code that was checked before.
inline const char *operation_name(gp_operation code) { return kOperations.at(static_cast<size_t>(code - 1)); }

} // namespace gpcl
