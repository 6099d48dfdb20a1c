// How many threads the library may use.
// SPDX-License-Identifier: MIT
#include "core/threads.h"

#include "core/files.h"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <vector>

#include <sched.h>

namespace gpcl {
namespace {

// The CPUs that this thread may run on. The kernel refuses a mask that is smaller than its own,
// which one cpu_set_t is on machines of more than 1024 CPUs.
size_t usable_cpus() {
    constexpr size_t kMostSets = 1024;
    for (size_t sets = 1; sets <= kMostSets; sets *= 2) {
        std::vector<cpu_set_t> mask(sets);
        const size_t bytes = sets * sizeof(cpu_set_t);
        if (sched_getaffinity(0, bytes, mask.data()) == 0) return static_cast<size_t>(CPU_COUNT_S(bytes, mask.data()));
        if (errno != EINVAL) break;
    }
    return std::thread::hardware_concurrency();
}

size_t limited_by_user(size_t count) {
    const size_t limit = number_variable("GPCL_THREADS").value_or(0);
    return limit > 0 ? std::min(count, limit) : count;
}

} // namespace

size_t workers() {
    static const size_t count = limited_by_user(std::max(usable_cpus(), size_t{1}));
    return count;
}

} // namespace gpcl
