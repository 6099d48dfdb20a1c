// Repeated elements on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// Writes each of n elements of `size` bytes as often as its repeats, of the type `index`, say; no
// more than `capacity` of them. Returns how many there are.
uint64_t repeat(size_t size, size_t n, const void *in, gp_dtype index, const void *repeats, size_t capacity, void *out);

} // namespace gpcl::host
