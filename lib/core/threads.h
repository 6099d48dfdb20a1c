// How many threads the library may use.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace gpcl {

// How many threads may work at once, the caller's included: one for each CPU of the process'
// affinity, and no more than GPCL_THREADS says. The same from count_workers() on.
size_t workers();

// Makes workers() count now. Each call that opens a context does so: neither a thread that binds
// itself to a CPU later, nor a driver's thread that asks first, may change the number.
inline void count_workers() { workers(); }

// Lets the calling thread run on the CPUs that workers() counted, whatever the one that made it is
// bound to.
void run_where_workers_may();

} // namespace gpcl
