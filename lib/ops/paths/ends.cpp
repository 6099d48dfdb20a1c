// What comes before and after the search for shortest paths. Host side of kernels/paths/ends.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/paths/paths.h"

namespace gpcl::paths {
namespace {

// Two dimensions of work-items; rows beyond some thousand are taken in turns.
cl::Range range_over(const cl::Context &context, uint64_t columns, uint64_t rows) {
    constexpr uint64_t kMostRows = 4096;
    const size_t group = std::min<size_t>(context.info().work_group_size, 256);
    return cl::Range::groups({ceil_div<size_t>(columns, group), std::min(rows, kMostRows), 1}, {group, 1, 1});
}

std::shared_ptr<cl::Program> program_of(cl::Task &task, gp_dtype dtype) {
    return task.program({"paths/ends.cl", options(dtype)});
}

} // namespace

void begin(cl::Task &task, const Request &r, const cl::Operand &to, uint64_t ld) {
    const auto program = program_of(task, r.dtype);
    const cl::Range range = range_over(task.context(), r.n, r.n);
    if (r.wants_predecessors)
        task.launch(*program, "paths_begin_predecessors", range, r.in, r.ld_in, to, ld, r.predecessors,
                    r.ld_predecessors, r.n);
    else
        task.launch(*program, "paths_begin", range, r.in, r.ld_in, to, ld, r.n);
}

void end(cl::Task &task, const Request &r) {
    if (is_float(r.dtype) && !r.wants_negative) return;
    const auto program = program_of(task, r.dtype);
    if (r.wants_negative) {
        const size_t group = std::min<size_t>(task.context().info().work_group_size, 256);
        task.launch(*program, "paths_negative", cl::Range::groups(1, group), r.out, r.ld_out, r.n, r.negative);
    }
    if (is_float(r.dtype)) return;
    const cl::Range range = range_over(task.context(), r.n, r.n);
    if (r.wants_predecessors)
        task.launch(*program, "paths_end_predecessors", range, r.out, r.ld_out, r.predecessors, r.ld_predecessors, r.n);
    else
        task.launch(*program, "paths_end", range, r.out, r.ld_out, r.n);
}

void copy(cl::Task &task, gp_dtype dtype, const cl::Operand &from, uint64_t ld_from, const cl::Operand &to,
          uint64_t ld_to, uint64_t rows, uint64_t columns) {
    task.launch(*program_of(task, dtype), "paths_copy", range_over(task.context(), columns, rows), from, ld_from, to,
                ld_to, rows, columns);
}

} // namespace gpcl::paths
