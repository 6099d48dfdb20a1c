// How work is divided where a work-item walks along rows that lie side by side, as the columns of a
// matrix.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/rows.h"

namespace gpcl {

struct Columns {
    size_t width; // rows a work-item
    size_t items; // work-items side by side
    size_t group; // of them in a work-group
    size_t part;  // positions of a row for each
    size_t parts; // of a row

    std::string options() const { return text(" -DGP_COLUMNS=", width); }
    cl::Range range() const { return cl::Range::groups({ceil_div(items, group), parts, 1}, {group, 1, 1}); }
    // A work-item a row.
    static cl::Range rows(const cl::Context &context, size_t batch) {
        const size_t group = std::min(context.info().work_group_size, size_t{64});
        return cl::Range::groups(ceil_div(batch, group), group);
    }
};

// Enough parts to keep the device busy. The division depends on the device, n, batch and strides
// only, so floating-point results do not change from run to run. `unit`: neighbouring rows lie 1
// apart.
inline Columns divide_columns(const cl::Context &context, size_t n, size_t batch, bool unit) {
    // A page of int32, so that a CPU reads long runs.
    constexpr size_t kCpuWidth = 1024;
    constexpr size_t kItemsPerUnit = 2048; // of a GPU, whose work-items read one element each
    constexpr size_t kLeastPart = 16;      // positions that are worth a sum of their own
    const bool cpu = context.is_cpu();
    Columns result{};
    result.width = cpu && unit ? kCpuWidth : 1;
    result.items = ceil_div(batch, result.width);
    result.group = cpu ? 1 : std::min(context.info().work_group_size, size_t{64});
    const size_t wanted = ceil_div(context.info().compute_units * (cpu ? 4 : kItemsPerUnit), result.items);
    result.part = std::max(ceil_div(n, wanted), kLeastPart);
    result.parts = std::max(ceil_div(n, result.part), size_t{1});
    return result;
}

} // namespace gpcl
