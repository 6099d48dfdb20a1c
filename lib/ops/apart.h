// Results between which host memory holds something else.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/rows.h"

#include <vector>

namespace gpcl {

// Waits, and copies the elements of the rows, and nothing between them, to memory that is laid out
// the same way.
inline void read_apart(cl::Task &task, const cl::Operand &from, const Rows &rows, size_t size, void *to) {
    std::vector<std::byte> all(rows.span() * size);
    task.read(from.memory, 0, all.size(), all.data(), true);
    copy_rows(rows, size, all.data(), static_cast<std::byte *>(to));
}

} // namespace gpcl
