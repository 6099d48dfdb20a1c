// Whether a device has what an algorithm's division of work takes.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "ops/refusal.h"

namespace gpcl {

// Has a device room for work-groups of this size with so many bytes of arrays in local memory?
inline bool has_room(const cl::Context &context, size_t group, size_t local_bytes) {
    return group <= context.info().work_group_size && local_bytes <= context.features().local_bytes;
}

// What kernels/device/shuffle.cl takes of local memory for a work-group.
inline size_t lanes_bytes(const cl::Context &context, size_t group) {
    return context.features().shuffles_in_local_memory() ? group * sizeof(uint32_t) : 0;
}

// Why a device can't run work-groups of this size with so many bytes of arrays in local memory; nothing when it can.
inline Refusal refuses_shape(const cl::Context &context, size_t group, size_t local_bytes) {
    const size_t most_group = context.info().work_group_size, most_bytes = context.features().local_bytes;
    if (most_group < group) return {"it needs work-groups of ", group, "; the device has ", most_group};
    if (most_bytes < local_bytes)
        return {"it needs ", local_bytes, " bytes of local memory; the device has ", most_bytes};
    return {};
}

} // namespace gpcl
