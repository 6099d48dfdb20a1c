// The parameters of the algorithms, their presets by device, and their look-up.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "core/dtype.h"

#include <span>
#include <vector>

namespace gpcl {

// A value that was measured to be better than the computed one.
struct Preset {
    const char *device; // occurs in the name of the device or its vendor
    gp_dtype dtype;     // 0: all
    size_t value;
    const char *measured; // what, and how much that is
};

// A number that another device may want otherwise. It stands beside its algorithm, which lists it.
struct Parameter {
    gp_operation operation;
    const char *algorithm, *name;
    const char *summary;                               // one line
    std::vector<size_t> values;                        // what it can be, in order, at most 16
    size_t (*computed)(const cl::Context &, gp_dtype); // from the device's limits; always fits
    std::vector<Preset> presets = {};
    size_t slot = next_tuning_slot();
};

// What was measured, else computed.
size_t preset(const cl::Context &context, gp_dtype dtype, const Parameter &parameter);

// Finds what tuned() returns, and has the context remember it.
size_t find_tuned(const cl::Context &context, gp_dtype dtype, const Parameter &parameter);

// What was set or stands in the tuning file, if the parameter can have that value; else the preset.
// `dtype` is what the call was given.
inline size_t tuned(const cl::Context &context, gp_dtype dtype, const Parameter &parameter) {
    const size_t known = context.tuned(parameter.slot, dtype);
    return known != 0 ? known : find_tuned(context, dtype, parameter);
}

// Parameter::computed of one that no limit of the device decides.
template <size_t value> size_t always(const cl::Context &, gp_dtype) { return value; }

} // namespace gpcl
