// How work is divided where a work-item walks along rows that lie side by side, as the columns of a
// matrix.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/rows.h"
#include "ops/tuning.h"

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

// What may be tuned of an algorithm whose work is divided so.
struct ColumnParameters {
    Parameter width;    // a page of int32 on a CPU, so that it reads long runs; a GPU's work-items stand side by side
    Parameter per_unit; // enough to keep the device busy
    Parameter least;

    ColumnParameters(gp_operation operation, const char *algorithm)
        : width{operation,
                algorithm,
                "rows",
                "neighbouring rows of a work-item, where they lie 1 apart",
                {1, 2, 4, 16, 64, 256, 1024, 4096},
                [](const cl::Context &context, gp_dtype) { return context.is_cpu() ? size_t{1024} : size_t{1}; }},
          per_unit{operation,
                   algorithm,
                   "items",
                   "work-items for each compute unit, where there is enough work",
                   {1, 2, 4, 8, 16, 256, 512, 1024, 2048, 4096},
                   [](const cl::Context &context, gp_dtype) { return context.is_cpu() ? size_t{4} : size_t{2048}; }},
          least{operation,
                algorithm,
                "part",
                "positions of a row that are worth a work-item of their own",
                {4, 8, 16, 32, 64, 256},
                always<16>} {}
};

// The division depends on the device, its parameters, n, batch and strides only, so floating-point
// results do not change from run to run. `type` is what the call was given; `unit`: neighbouring
// rows lie 1 apart.
inline Columns divide_columns(const cl::Context &context, const ColumnParameters &parameters, gp_dtype type, size_t n,
                              size_t batch, bool unit) {
    const bool cpu = context.is_cpu();
    Columns result{};
    result.width = unit ? tuned(context, type, parameters.width) : 1;
    result.items = ceil_div(batch, result.width);
    result.group = cpu ? 1 : std::min(context.info().work_group_size, size_t{64});
    const size_t wanted =
        ceil_div(context.info().compute_units * tuned(context, type, parameters.per_unit), result.items);
    result.part = std::max(ceil_div(n, wanted), tuned(context, type, parameters.least));
    result.parts = std::max(ceil_div(n, result.part), size_t{1});
    return result;
}

} // namespace gpcl
