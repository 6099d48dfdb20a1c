// Where a call on host pointers runs: on the device or on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "place/kind.h"

namespace gpcl::place {

// The context that a call of a context opened by "auto" runs on, `device` or its host. `handle` is
// the context's. A type that is none is left to the device's checks.
std::shared_ptr<cl::Context> choose(gp_context *handle, const std::shared_ptr<cl::Context> &device, const Kind &kind,
                                    gp_dtype dtype, const Cost &cost, const Only &only);

} // namespace gpcl::place
