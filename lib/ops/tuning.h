// The parameters of the algorithms, their presets by device, and their look-up.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"

#include <span>

namespace gpcl {

struct Parameter {
    gp_operation operation;
    const char *algorithm, *name;
    const char *summary;                               // one line
    std::vector<size_t> values;                        // what it can be, at most 16
    size_t (*computed)(const cl::Context &, gp_dtype); // from the device's limits; always fits
};

// A preset that was measured. `device` occurs in the name of the device or its vendor.
struct Preset {
    const char *device;
    gp_dtype dtype; // 0: all
    const Parameter *parameter;
    size_t value;
};

// What was measured, else computed.
size_t preset(const cl::Context &context, gp_dtype dtype, const Parameter &parameter, std::span<const Preset> measured);

// What was set or stands in the tuning file, if the parameter can have that value; else the preset.
size_t tuned(const cl::Context &context, gp_dtype dtype, const Parameter &parameter, std::span<const Preset> measured);

} // namespace gpcl
