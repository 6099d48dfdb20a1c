// Scan for CPUs: one work-item a chunk. Host side of kernels/scan/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"
#include "ops/chunks.h"

namespace gpcl::scan {
namespace {

const ChunkParameters kChunking(GP_SCAN, "chunks");
const Parameter kSlabKib = {GP_SCAN,
                            "chunks",
                            "slab-kib",
                            "KiB for each core that stay in its caches between the launches of long arrays",
                            {128, 256, 512, 1024, 2048, 4096, 8192},
                            always<2048>};
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit, &kSlabKib};

// Elements of a row's slab: what stays in the caches from one launch to the next.
size_t slab_of(const cl::Context &context, const Request &r) {
    const size_t bytes = tuned(context, r.from, kSlabKib) << 10;
    return bytes * context.info().compute_units / (r.batch() * dtype(r.from).size);
}

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"scan/chunks.cl", r.options(), r.combine.preamble()});
    const Chunks rows = divide(task.context(), kChunking, r.from, r.n, r.batch());
    const size_t bytes = r.n * r.batch() * (dtype(r.from).size + dtype(r.dtype).size);
    // Of segments the reduction reads little twice: only what follows a chunk's last head.
    const bool streams = !r.segmented && rows.count > 1 && bytes > task.context().info().cache_bytes;
    const Chunks part =
        streams ? divide(task.context(), kChunking, r.from, slab_of(task.context(), r), r.batch()) : rows;
    const size_t slabs = ceil_div(r.n, part.chunk * part.count);
    const auto heads = r.segmented ? r.heads : cl::Operand{};
    cl::Operand sums, begins;
    if (part.count > 1) {
        const size_t count = slabs * r.batch() * (part.count + 1);
        sums = task.work_space(count * dtype(r.dtype).size);
        if (r.segmented) begins = task.work_space(count);
        r.launch(task, *program, "reduce_chunks", cl::Range::groups(part.items(r.batch()), 1), r.in, heads, sums,
                 begins, uint64_t{r.n}, uint64_t{part.chunk}, uint64_t{part.count}, uint64_t{r.batch()},
                 uint64_t{r.rows_in.stride}, uint32_t{r.reverse});
    }
    for (size_t slab = 0; slab < slabs; ++slab)
        r.launch(task, *program, "scan_chunks", cl::Range::groups(part.items(r.batch()), 1), r.in, heads, r.out, sums,
                 begins, uint64_t{r.n}, uint64_t{part.chunk}, uint64_t{part.count}, uint64_t{r.batch()},
                 uint64_t{part.rows}, uint64_t{slab}, uint64_t{r.rows_in.stride}, uint64_t{r.rows_out.stride},
                 uint32_t{r.exclusive}, uint32_t{r.reverse}, uint32_t{streams});
}

Refusal refuses(const cl::Context &, const Request &request) {
    return request.has_steps() ? "it scans elements side by side, without steps" : Refusal{};
}

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item scans one contiguous chunk, with vectors; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::scan
