// How many threads the library may use.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace gpcl {

// How many threads may work at once, the caller's included: one for each CPU of the process'
// affinity, and no more than GPCL_THREADS says. Found when first asked, and the same from then on.
size_t workers();

// Lets the calling thread run on the CPUs that workers() counted, whatever the one that made it is
// bound to.
void run_where_workers_may();

} // namespace gpcl
