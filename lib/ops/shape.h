// Shapes, the division of an algorithm's work, as rows of data; and whether a device has what a
// shape takes.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "ops/refusal.h"
#include "ops/tuning.h"

#include <algorithm>
#include <array>
#include <bit>

namespace gpcl {

// Has a device room for work-groups of this size with so many bytes of arrays in local memory?
inline bool has_room(const cl::Context &context, size_t group, size_t local_bytes) {
    return group <= context.info().work_group_size && local_bytes <= context.features().local_bytes;
}

// What kernels/device/shuffle.cl takes of local memory for a work-group.
inline size_t lanes_bytes(const cl::Context &context, size_t group) {
    return context.features().shuffles_in_local_memory() ? group * sizeof(uint32_t) : 0;
}

// The same of Warps in kernels/common/warp.cl, and of PartWarps in kernels/scan/segment_parts.cl.
inline size_t warps_bytes(const cl::Context &context, size_t group, size_t element = sizeof(uint64_t)) {
    return context.features().shuffles_in_local_memory() ? group * (sizeof(uint32_t) + element) : 0;
}
inline size_t part_warps_bytes(const cl::Context &context, size_t group, size_t element = sizeof(uint64_t)) {
    return context.features().shuffles_in_local_memory() ? group * 2 * element : 0;
}

// How many work-items look for a tile's part of a merge together, where a kernel finds all parts:
// up to `most`, while there are fewer tiles than a unit's work-group has work-items for.
inline size_t path_lanes(const cl::Context &context, size_t most, size_t tiles, size_t group) {
    const size_t spare = std::max(context.info().compute_units * group / tiles, size_t{1});
    return std::min({most, std::bit_floor(spare), group});
}

// Where a row applies. What is left out does not matter.
struct Where {
    size_t group = 0, local_bytes = 0; // there is room for work-groups of this size with so many bytes
    size_t most_bytes = SIZE_MAX;      // of an element
    size_t most_n = SIZE_MAX;          // elements
    bool in_room = false;              // the form that exchanges words in local memory only
};

// A row of a table of shapes. What was measured of them stands beside the table.
template <class Shape> struct Row {
    Where where;
    Shape shape;
};

// The shape of the first row that applies and has room, where shapes tell what they take; else the
// last row's, which is for simulators and whatever else has little.
template <class Shape, size_t N> const Shape &shape_for(const std::array<Row<Shape>, N> &rows,
                                                        const cl::Context &context, size_t bytes = 0, size_t n = 0) {
    const auto applies = [&](const Row<Shape> &row) {
        const Where &where = row.where;
        if (bytes > where.most_bytes || n > where.most_n) return false;
        if (where.in_room && !context.features().shuffles_in_local_memory()) return false;
        if constexpr (requires { row.shape.local_bytes(context); })
            if (!has_room(context, row.shape.group, row.shape.local_bytes(context))) return false;
        return has_room(context, where.group, where.local_bytes);
    };
    return std::find_if(rows.begin(), rows.end() - 1, applies)->shape;
}

// Parameter::computed: a number of the row for elements of the parameter's type.
template <const auto &kRows, auto kNumber> size_t of_row(const cl::Context &context, gp_dtype type) {
    return shape_for(kRows, context, dtype(type).size).*kNumber;
}

// Why a device can't run work-groups of this size with so many bytes of arrays in local memory;
// nothing when it can.
inline Refusal refuses_shape(const cl::Context &context, size_t group, size_t local_bytes) {
    const size_t most_group = context.info().work_group_size, most_bytes = context.features().local_bytes;
    if (most_group < group) return {"it needs work-groups of ", group, "; the device has ", most_group};
    if (most_bytes < local_bytes)
        return {"it needs ", local_bytes, " bytes of local memory; the device has ", most_bytes};
    return {};
}

} // namespace gpcl
