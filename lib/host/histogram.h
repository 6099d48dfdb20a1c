// Histograms on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/bins.h"

namespace gpcl::host {

// counts[b] = how many of the n elements lie in bin b.
void histogram(gp_dtype dtype, size_t n, const void *in, const Bins &bins, uint64_t *counts);      // chunks on threads
void histogram_loop(gp_dtype dtype, size_t n, const void *in, const Bins &bins, uint64_t *counts); // one plain loop

} // namespace gpcl::host
