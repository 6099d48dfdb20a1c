// How many threads the library may use.
// SPDX-License-Identifier: MIT
#include "core/threads.h"

#include "core/files.h"
#include "core/system.h"

#include <algorithm>

namespace gpcl {
namespace {

size_t limited_by_user(size_t count) {
    const size_t limit = number_variable("GPCL_THREADS").value_or(0);
    return limit > 0 ? std::min(count, limit) : count;
}

const Cpus &cpus() {
    static const Cpus found = Cpus::of_this_thread();
    return found;
}

} // namespace

size_t workers() {
    static const size_t count = limited_by_user(std::max(cpus().count(), size_t{1}));
    return count;
}

void run_where_workers_may() { cpus().bind(); }

} // namespace gpcl
