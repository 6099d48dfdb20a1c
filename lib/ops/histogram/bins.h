// What the algorithms for any type and bins share; the kernels' part is kernels/histogram/bins.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/size.h"
#include "ops/histogram/histogram.h"

namespace gpcl::histogram {

// A guess needs arithmetic on the elements.
inline bool guesses(const cl::Context &context, const Request &r) {
    return r.bins->even && r.dtype != GP_FLOAT16 && (r.dtype != GP_FLOAT64 || context.info().has_float64 != 0);
}

inline std::string bin_options(const cl::Context &context, const Request &r) {
    const int flip = is_float(r.dtype) ? 2 : r.dtype <= GP_INT64 ? 1 : 0;
    return text("-DGP_KEY_BYTES=", dtype(r.dtype).size, " -DGP_FLIP=", flip,
                r.bins->whole         ? " -DGP_WHOLE"
                : guesses(context, r) ? " -DGP_EVEN"
                                      : " -DGP_SEARCH",
                r.dtype == GP_FLOAT64 && guesses(context, r) ? " -DGP_FLOAT64" : "", r.counted.option());
}

// The least key of each bin, on the device, of the elements' size; of whole bins nothing that
// kernels read.
inline cl::Operand table_of(cl::Task &task, const Request &r) {
    return r.bins->whole ? r.in : task.constants(r.bins->keys);
}

// Calls launch(reach, lower, scale), the two in the arithmetic of the kernel's guess.
template <class F> void with_guess(const cl::Context &context, const Request &r, F &&launch) {
    const auto reach = static_cast<uint32_t>(r.bins->lows.size());
    if (r.dtype == GP_FLOAT64 && guesses(context, r)) return launch(reach, r.bins->lower, r.bins->scale);
    launch(reach, static_cast<float>(r.bins->lower), static_cast<float>(r.bins->scale));
}

// Counters of 32 bits that hold zeros, for `parts` parts.
inline cl::Operand zero_parts(cl::Task &task, const Request &r, size_t parts) {
    const size_t bytes = multiply(parts, r.bins->count * sizeof(uint32_t), "counters");
    const auto partial = task.work_space(bytes);
    const uint32_t zero = 0;
    task.fill(partial.memory, 0, bytes, &zero, sizeof zero);
    return partial;
}

inline void add_parts(cl::Task &task, cl::Program &program, const Request &r, const cl::Operand &partial,
                      size_t parts) {
    constexpr size_t kGroup = 64;
    const size_t group = std::min(kGroup, task.context().info().work_group_size);
    task.launch(program, "histogram_add_parts", cl::Range::groups(ceil_div(r.bins->count, group), group), partial,
                r.counts, static_cast<uint32_t>(r.bins->count), static_cast<uint32_t>(parts));
}

} // namespace gpcl::histogram
