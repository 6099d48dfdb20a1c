// Tuning parameters: what an algorithm declares, and the values that the tuning file has for a
// device.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"

#include <compare>
#include <map>
#include <optional>
#include <vector>

namespace gpcl {

// Which value a tuning file or gp_parameter_set means. An operation is known by its name.
struct TuningKey {
    std::string operation;
    gp_dtype dtype;
    std::string algorithm, parameter;
    auto operator<=>(const TuningKey &) const = default; // NOLINT(modernize-use-nullptr): of clang-tidy 14's own making
};

using TuningValues = std::map<TuningKey, size_t>;

// Numbers the parameters that the library has, from 0 on, while it is loaded; and how many there
// are.
size_t next_tuning_slot();
size_t tuning_slots();

// GPCL_TUNING, else gpcl/tuning in the XDG configuration folder; "" when it is off.
std::string tuning_file();

// What a file says of a device. Nothing where it can't be read or is none of ours; lines that make
// no sense are passed over.
TuningValues read_tuning(const std::string &file, const std::string &device);

// Replaces what the file says of the device; written aside and renamed. Throws GP_ERROR_FILE.
void write_tuning(const std::string &file, const std::string &device, const TuningValues &values);

} // namespace gpcl
