// Histogram of bytes on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpcl::host {

// counts[b] = how many of the n bytes equal b, for all 256 values b.
void histogram(size_t n, const uint8_t *in, uint64_t *counts);      // on threads
void histogram_loop(size_t n, const uint8_t *in, uint64_t *counts); // one plain loop

} // namespace gpcl::host
