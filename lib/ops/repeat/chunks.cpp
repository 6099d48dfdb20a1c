// Repeats for CPUs: one work-item a chunk of the output. Host side of kernels/repeat/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/repeat/repeat.h"

namespace gpcl::repeat {
namespace {

const ChunkParameters kChunking(GP_REPEAT, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const cl::Operand ends = scan_repeats(task, r);
    const auto program = task.program({"repeat/chunks.cl", r.options()});
    const Chunks part = divide(task.context(), kChunking, r.type(), std::max(r.capacity, size_t{1}));
    launch(task, *program, "repeat_chunks", cl::Range::groups(part.count, 1), r, ends, uint64_t{part.chunk});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks",
                            "a scan of the repeats, then one work-item writes a chunk of the output; for CPUs",
                            "Green, McColl and Bader, GPU Merge Path, 2012", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters};

} // namespace gpcl::repeat
