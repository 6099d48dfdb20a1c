// Copies of memory that a device reads next.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace gpcl {

// Copies `bytes` bytes with stores that go past the caches, where the CPU has such of 32 bytes or
// more. They read no line of what they overwrite, and the device finds what it reads in memory. All
// is written when the call returns.
void copy_past_caches(std::byte *to, const std::byte *from, size_t bytes);

} // namespace gpcl
