// Arg-reduction of columns: work-items side by side. Host side of kernels/arg_reduce/columns.cl.
// SPDX-License-Identifier: MIT
#include "ops/columns.h"
#include "ops/arg_reduce/arg_reduce.h"

#include <bit>

namespace gpcl::arg_reduce {
namespace {

const ColumnParameters kDivision(GP_ARG_REDUCE, "columns");
constexpr std::array kParameters = {&kDivision.width, &kDivision.per_unit, &kDivision.least};

void run(cl::Task &task, const Request &r) {
    constexpr size_t kLongest = size_t{1} << 31; // positions within a part have 32 bits
    Columns columns = divide_columns(task.context(), kDivision, r.dtype, r.rows.n, r.batch(), r.rows.stride == 1);
    columns.part = std::min(columns.part, kLongest);
    columns.parts = ceil_div(r.rows.n, columns.part);
    const size_t group = std::bit_floor(columns.group);
    const auto program = task.program({"arg_reduce/columns.cl", r.options(group, false) + columns.options()});
    const Parts parts(task, r, columns.parts);
    launch(task, *program, "arg_reduce_columns", columns.range(), r, uint64_t{columns.part}, parts.ranks,
           parts.positions);
    combine(task, *program, r, group, parts, r.batch(), 1);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

bool fits(const cl::Context &, const Request &request) { return request.rows.are_columns(); }

} // namespace

const Algorithm kColumns = {{"columns",
                             "work-items side by side each look through a part of one row; for the columns of a matrix",
                             "Blelloch, Prefix Sums and Their Applications, 1990", false},
                            refuses,
                            run,
                            fits,
                            kParameters};

} // namespace gpcl::arg_reduce
