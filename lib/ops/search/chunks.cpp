// Search for CPUs: one work-item a chunk of values. Host side of kernels/search/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/search/search.h"

namespace gpcl::search {
namespace {

const ChunkParameters kChunking = [] {
    ChunkParameters result(GP_SEARCH, "chunks");
    result.least.computed = always<size_t{1} << 12>; // a value takes several times what an element of a sum does
    return result;
}();
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"search/chunks.cl", r.options()});
    const Chunks part = divide(task.context(), kChunking, r.dtype, r.m);
    launch(task, *program, "search_chunks", cl::Range::groups(part.count, 1), r, uint64_t{part.chunk});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item searches for several values side by side; for CPUs",
                            "Khuong and Morin, Array Layouts for Comparison-Based Searching, 2017", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::search
