// How work is divided where one work-item does a core's work.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "core/size.h"
#include "ops/tuning.h"

#include <array>

namespace gpcl {

struct Chunks {
    size_t chunk; // elements of each, but for a row's last
    size_t count; // of a row
    size_t rows;  // whole rows of one work-item, where count is 1
    // Work-items for so many rows.
    size_t items(size_t batch) const { return count > 1 ? batch * count : ceil_div(batch, rows); }
};

// What may be tuned of an algorithm whose work is divided so.
struct ChunkParameters {
    Parameter least;    // elements that are worth a work-item of their own
    Parameter per_unit; // a few for each compute unit, so that a late core does little harm

    ChunkParameters(gp_operation operation, const char *algorithm)
        : least{operation,
                algorithm,
                "chunk",
                "elements that are worth a work-item of their own",
                {1 << 10, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 18},
                always<size_t{1} << 14>},
          per_unit{operation,
                   algorithm,
                   "chunks",
                   "of them for each compute unit, where there are enough",
                   {1, 2, 3, 4, 6, 8, 16, 32},
                   always<4>} {}
};

// Whole cache lines; one chunk for small n. `type` is what the call was given. The division depends
// on the device, its parameters, n and batch only, so floating-point results do not change from run
// to run.
inline Chunks divide(const cl::Context &context, const ChunkParameters &parameters, gp_dtype type, size_t n,
                     size_t batch = 1) {
    constexpr size_t kLine = 64;
    const size_t least = tuned(context, type, parameters.least);
    const size_t wanted = context.info().compute_units * tuned(context, type, parameters.per_unit);
    const size_t parts = std::min(ceil_div(n, least), ceil_div(wanted, batch));
    const size_t chunk = std::max(round_up(ceil_div(n, std::max(parts, size_t{1})), kLine), kLine);
    const size_t rows = std::min(ceil_div(least, std::max(n, size_t{1})), ceil_div(batch, wanted));
    return {chunk, ceil_div(n, chunk), std::max(rows, size_t{1})};
}

} // namespace gpcl
