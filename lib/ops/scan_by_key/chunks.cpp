// Scans by key for CPUs: one work-item a chunk. Host side of kernels/scan_by_key/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/scan_by_key/scan_by_key.h"

namespace gpcl::scan_by_key {
namespace {

const ChunkParameters kChunking(GP_SCAN_BY_KEY, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"scan_by_key/chunks.cl", r.options(), r.combine.preamble()});
    const Chunks part = divide(task.context(), kChunking, r.from, r.n);
    const cl::Range range = cl::Range::groups(part.count, 1);
    cl::Operand sums, begins;
    if (part.count > 1) {
        sums = task.work_space(part.count * dtype(r.dtype).size);
        begins = task.work_space(part.count);
        launch(task, *program, "scan_by_key_reduce", range, r, uint64_t{part.chunk}, sums, begins);
    }
    launch(task, *program, "scan_by_key_scan", range, r, uint64_t{part.chunk}, sums, begins);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item scans one contiguous chunk, with vectors in long runs; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters};

} // namespace gpcl::scan_by_key
