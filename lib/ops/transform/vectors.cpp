// Transform for GPUs: vectors of 16 bytes. Host side of kernels/transform/vectors.cl.
// SPDX-License-Identifier: MIT
#include "ops/lanes.h"
#include "ops/transform/transform.h"

namespace gpcl::transform {
namespace {

// Not measured. A compute unit of an H200 holds 2048 work-items; 16 bytes of each on their way are
// 33 kB, which is more than its share of the memory's speed times its latency. With 64 a work-item
// has fewer instructions for each element, and as many registers as let all 2048 in.
const Parameter kGroup = group_parameter(GP_TRANSFORM, "vectors");
const Parameter kBytes = {GP_TRANSFORM,      "vectors", "bytes", "of all arrays that a work-item reads at a time",
                          {16, 32, 64, 128}, always<64>};
constexpr std::array kParameters = {&kGroup, &kBytes};

// Elements of a vector: 16 bytes of the largest; where others are smaller, no fewer than four,
// whose loads take as many bytes each as their types are wide.
size_t width_of(const Request &r) {
    const size_t width = kVectorBytes / r.largest();
    const bool is_even = r.bytes_in() == r.largest() * (r.count - static_cast<size_t>(std::popcount(r.broadcast)));
    return is_even ? width : std::max<size_t>(width, 4);
}

void run(cl::Task &task, const Request &r) {
    const size_t group = tuned(task.context(), r.dtype, kGroup), bytes = tuned(task.context(), r.dtype, kBytes);
    const size_t width = width_of(r), read = std::max(r.bytes_in(), size_t{1}) * width;
    const size_t vectors = std::clamp<size_t>(std::bit_floor(std::max(bytes / read, size_t{1})), 1, 4);
    const auto program =
        task.program({"transform/vectors.cl", text(r.options(width), " -DGP_GROUP=", group, " -DGP_VECTORS=", vectors),
                      r.preamble()});
    // The first vector may hold one element only.
    const size_t groups = ceil_div(add(r.n, width - 1, "n"), width * vectors * group);
    launch(task, *program, "transform_vectors", cl::Range::groups(groups, group), r);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    return refuses_shape(context, tuned(context, r.dtype, kGroup), 0);
}

} // namespace

const Algorithm kVectors = {{"vectors", "a work-item computes a few aligned vectors of 16 bytes; for GPUs",
                             "Luitjens, CUDA Pro Tip: Increase Performance with Vectorized Memory Access, 2013", false,
                             Suits::kGpu},
                            refuses,
                            run,
                            nullptr,
                            kParameters};

} // namespace gpcl::transform
