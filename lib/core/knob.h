// Throw-away: numbers of an experiment.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdlib>
namespace gpcl {
inline size_t knob(const char *name, size_t otherwise) {
    const char *text = std::getenv(name);
    return text != nullptr && *text != 0 ? static_cast<size_t>(std::strtoull(text, nullptr, 10)) : otherwise;
}
} // namespace gpcl
