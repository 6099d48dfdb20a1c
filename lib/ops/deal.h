// What calls are dealt out by: the rows of a batch, or the elements of one array.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"
#include "place/deal.h"

namespace gpcl {

// How many units the rows are. 0, which is never dealt out: they lie as columns do, or in steps.
inline size_t units_of(const Rows &rows) {
    if (rows.batch > 1) return rows.are_columns() ? 0 : rows.batch;
    return rows.step == 1 ? rows.n : 0;
}

// Elements from one unit to the next, and of a unit.
inline size_t apart(const Rows &rows) { return rows.batch > 1 ? rows.stride : 1; }
inline double elements_of(const Rows &rows) { return rows.batch > 1 ? static_cast<double>(rows.n) : 1; }

// Element number `at` of an array; NULL stays NULL.
inline const void *element(const void *array, size_t at, size_t size) {
    return array != nullptr ? static_cast<const std::byte *>(array) + at * size : nullptr;
}
inline void *element(void *array, size_t at, size_t size) {
    return array != nullptr ? static_cast<std::byte *>(array) + at * size : nullptr;
}

// Writes element number `at` of an array of GP_UINT32 or GP_UINT64.
inline void put_position(void *positions, size_t at, gp_dtype index, uint64_t position) {
    if (index == GP_UINT32)
        static_cast<uint32_t *>(positions)[at] = static_cast<uint32_t>(position);
    else
        static_cast<uint64_t *>(positions)[at] = position;
}

} // namespace gpcl
