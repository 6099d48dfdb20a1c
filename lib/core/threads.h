// How many threads the library may use.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace gpcl {

// How many threads may work at once, the caller's included: one for each CPU of the process'
// affinity, and no more than GPCL_THREADS says. The same from count_workers() on.
size_t workers();

// Counts them, unless they are counted. Each call that opens a context does, so that neither what
// its threads are bound to later nor a driver's threads, which may ask first, make a difference.
inline void count_workers() { workers(); }

// Lets the calling thread run on the CPUs that workers() counted, whatever the one that made it is
// bound to.
void run_where_workers_may();

} // namespace gpcl
