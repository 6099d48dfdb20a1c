// float32 as halves. Host side of kernels/matmul/halves.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/matmul/packed.h"

#include <bit>

namespace gpcl::matmul {

// The scales of the lines of products that are packed together, and the report on those that halves
// don't hold. `a` and `b` are padded to tiles.
struct Scales {
    static constexpr uint64_t kLines = 64;      // of a block
    static constexpr uint64_t kReportWords = 4; // the report, before the shifts

    Scales(cl::Task &task, const Request &request, const Lines &a, const Lines &b)
        : chunk(chunk_of(task.context(), request.k, (a.padded + b.padded) / kLines)),
          chunks(ceil_div(request.k, chunk)),
          // Numbers further apart than this lose more to the halves than float32's own sums of k
          // terms do.
          span(request.precision == GP_FULL ? 24 + static_cast<uint32_t>(std::bit_width(request.k)) - 1 : 254) {
        const uint64_t lines = request.batch * (a.padded + b.padded);
        ranges = task.work_space((1 + lines * chunks) * 2 * sizeof(uint32_t));
        report = task.work_space((kReportWords + lines) * sizeof(uint32_t));
        shifts = report + kReportWords;
    }

    void find(cl::Task &task, cl::Program &program, const Request &part, const Lines &a, const Lines &b) const {
        const size_t blocks = multiply((a.padded + b.padded) / kLines, chunks, "blocks");
        launch_on_lines(task, program, "halves_range", cl::Range::groups({blocks, part.batch, 1}, {256, 1, 1}), a,
                        kLines, b, kLines, part.k, chunk, ranges, report);
    }

    uint64_t chunk, chunks; // of k
    uint32_t span;
    cl::Operand ranges, report, shifts;

  private:
    // How much of k a work-group of halves_range reads, such that they fill the device, and a block
    // of lines has few of them.
    static uint64_t chunk_of(const cl::Context &context, uint64_t k, uint64_t blocks) {
        const uint64_t most = std::clamp<uint64_t>(uint64_t{4} * context.info().compute_units / blocks, 8, 64);
        return std::max<uint64_t>(128, round_up<uint64_t>(ceil_div(k, most), 32));
    }
};

} // namespace gpcl::matmul
