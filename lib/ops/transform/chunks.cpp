// Transform for CPUs: one work-item a chunk. Host side of kernels/transform/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/transform/transform.h"

namespace gpcl::transform {
namespace {

const ChunkParameters kChunking(GP_TRANSFORM, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    constexpr size_t kVectorBytes = 64, kMostWidth = 16;
    const size_t width = std::min(kVectorBytes / r.largest(), kMostWidth);
    const Chunks part = divide(task.context(), kChunking, r.dtype, r.n);
    const auto program = task.program({"transform/chunks.cl", r.options(width), r.preamble()});
    launch(task, *program, "transform_chunks", cl::Range::groups(part.count, 1), r, uint64_t{part.chunk});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item computes one contiguous chunk, with vectors; for CPUs",
                            "one chunk a work-item", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters};

} // namespace gpcl::transform
