// Calls on host pointers whose arrays the device can't hold as a whole: what there is room for.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/stream.h"
#include "ops/algorithm.h"

namespace gpcl {

// The bytes of a call's arrays.
struct Footprint {
    size_t bytes = 0, largest = 0;
    Footprint(std::initializer_list<size_t> arrays) {
        for (const size_t one : arrays) {
            bytes += one;
            largest = std::max(largest, one);
        }
    }
};

// The work space of run(task), which is only planned. What an algorithm refuses takes more than
// there is: it may take parts of that.
template <class Run> std::function<size_t()> planned(const cl::Context &context, const Run &run) {
    return [&context, run]() -> size_t {
        try {
            cl::Plan plan;
            cl::Task task(context, plan);
            run(task);
            return plan.work_bytes;
        } catch (const Error &error) {
            if (error.status != GP_ERROR_ALGORITHM_REFUSED && error.status != GP_ERROR_TOO_LARGE) throw;
            return SIZE_MAX;
        }
    };
}

// Is there room for a call's arrays and that?
template <class Run> bool device_holds(const cl::Context &context, const Footprint &arrays, const Run &run) {
    return context.is_host() || cl::device_holds(context, arrays.bytes, arrays.largest, planned(context, run));
}

// The next count that is tried, about a fourth less; an even one where that makes no difference.
inline size_t fewer(size_t count) {
    constexpr size_t kEven = 256;
    const size_t less = count - std::max(count / 4, size_t{1});
    return less > kEven ? less / kEven * kEven : less;
}

[[noreturn]] inline void fail_to_hold(const cl::Context &context) {
    fail(GP_ERROR_TOO_LARGE, "the smallest part of this call is more than the memory of ", context.info().name,
         " has room for: ", context.room(), " bytes of ", context.info().global_bytes,
         "; free buffers, or raise the bound of GPCL_DEVICE_MEMORY or gp_open_options.memory_bytes");
}

// The largest count from 1 to n of which holds(count), or about that. Throws GP_ERROR_TOO_LARGE
// where there is none.
template <class Holds> size_t most_held(const cl::Context &context, size_t n, const Holds &holds) {
    for (size_t count = n; count > 0; count = fewer(count))
        if (holds(count)) return count;
    fail_to_hold(context);
}

} // namespace gpcl
