// The rows of a batch: where their elements lie, and whether they share any.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/size.h"

#include <cstddef>
#include <cstring>

namespace gpcl {

// Element i of row r lies r * stride + i * step elements from the first.
struct Rows {
    size_t n = 0;
    size_t batch = 1;
    size_t stride = 0;
    size_t step = 1;

    bool operator==(const Rows &) const = default;
    // Elements from the first to the last one.
    size_t span() const { return n == 0 ? 0 : (batch - 1) * stride + (n - 1) * step + 1; }
    bool has_gaps() const { return span() != n * batch; }
    // One row after the other, or as columns of a matrix: no element belongs to two rows.
    bool are_apart() const { return batch == 1 || n == 0 || stride > (n - 1) * step || step > (batch - 1) * stride; }
    // Neighbouring rows lie closer than neighbouring elements of a row.
    bool are_columns() const { return batch > 1 && stride < step; }
};

// Rows with the defaults filled in: a step of 1, rows that follow each other.
inline Rows read_rows(size_t n, size_t batch, size_t stride, size_t step, const char *what) {
    Rows rows{n, std::max(batch, size_t{1}), stride, std::max(step, size_t{1})};
    const size_t length = multiply(n, rows.step, what);
    if (stride == 0 || rows.batch == 1) rows.stride = length;
    if (n <= 1) rows.step = 1;
    const size_t apart = std::max(rows.stride, n);
    size_t begins = 0; // of one row more than there are
    require(!__builtin_mul_overflow(rows.batch, apart, &begins) && begins <= kLargestSize, GP_ERROR_SIZE_OVERFLOW, what,
            ": a batch of ", Shown{rows.batch}, " rows with a stride of ", Shown{apart},
            " is more than any memory holds");
    add(begins, length, what);
    return rows;
}

// Copies the elements of the rows, and nothing between them, to memory that is laid out the same
// way.
inline void copy_rows(const Rows &rows, size_t size, const std::byte *from, std::byte *to) {
    const size_t together = rows.step == 1 ? rows.n : 1; // elements
    for (size_t row = 0; row < rows.batch; ++row) {
        for (size_t i = 0; i < rows.n; i += together) {
            const size_t at = (row * rows.stride + i * rows.step) * size;
            std::memcpy(to + at, from + at, together * size);
        }
    }
}

} // namespace gpcl
