// Differences for GPUs: vectors of 16 bytes. Host side of kernels/difference/vectors.cl.
// SPDX-License-Identifier: MIT
#include "ops/difference/difference.h"
#include "ops/lanes.h"

namespace gpcl::difference {
namespace {

// Not measured; as those of transform.
const Parameter kGroup = group_parameter(GP_DIFFERENCE, "vectors");
const Parameter kLoads = loads_parameter<4>(GP_DIFFERENCE, "vectors");
constexpr std::array kParameters = {&kGroup, &kLoads};

// Work-items side by side along a row, the most that all have a vector; those of other rows share
// the work-group.
void run(cl::Task &task, const Request &r) {
    const size_t group = tuned(task.context(), r.dtype, kGroup), loads = tuned(task.context(), r.dtype, kLoads);
    const size_t width = kVectorBytes / dtype(r.dtype).size;
    const size_t elements = add(r.n(), width - 1, "n"); // the first vector may hold one of them
    const size_t lanes = std::min(group, std::bit_ceil(ceil_div(elements, width * loads)));
    const size_t parts = ceil_div(elements, width * loads * lanes);
    const auto program = task.program(
        {"difference/vectors.cl",
         text(r.options(), " -DGP_GROUP=", group, " -DGP_WIDTH=", width, " -DGP_VECTORS=", loads), r.preamble()});
    launch(task, *program, "difference_vectors",
           cl::Range::groups(multiply(parts, ceil_div(r.batch(), group / lanes), "work-groups"), group), r,
           static_cast<uint32_t>(lanes), uint64_t{parts});
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (r.rows_in.step != 1 || r.rows_out.step != 1) return {"the elements of a row do not lie side by side"};
    return refuses_shape(context, tuned(context, r.dtype, kGroup), 0);
}

} // namespace

const Algorithm kVectors = {{"vectors", "a work-item takes a few aligned vectors of 16 bytes; for GPUs",
                             "Luitjens, CUDA Pro Tip: Increase Performance with Vectorized Memory Access, 2013", false,
                             Suits::kGpu},
                            refuses,
                            run,
                            nullptr,
                            kParameters,
                            kTakesCounted};

} // namespace gpcl::difference
