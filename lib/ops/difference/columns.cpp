// Differences of columns: work-items side by side. Host side of kernels/difference/columns.cl.
// SPDX-License-Identifier: MIT
#include "ops/columns.h"
#include "ops/difference/difference.h"

namespace gpcl::difference {
namespace {

const ColumnParameters kDivision(GP_DIFFERENCE, "columns");
constexpr std::array kParameters = {&kDivision.width, &kDivision.per_unit, &kDivision.least};

void run(cl::Task &task, const Request &r) {
    const bool unit = r.rows_in.stride == 1 && r.rows_out.stride == 1;
    const Columns columns = divide_columns(task.context(), kDivision, r.dtype, r.n(), r.batch(), unit);
    const auto program = task.program({"difference/columns.cl", r.options() + columns.options(), r.preamble()});
    launch(task, *program, "difference_columns", columns.range(), r, uint64_t{r.rows_in.step},
           uint64_t{r.rows_out.step}, uint64_t{columns.part});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

bool fits(const cl::Context &, const Request &request) {
    return request.rows_in.are_columns() && request.rows_out.are_columns();
}

} // namespace

const Algorithm kColumns = {{"columns",
                             "work-items side by side each walk along a part of one row; for the columns of a matrix",
                             "one part of a row a work-item", false},
                            refuses,
                            run,
                            fits,
                            kParameters};

} // namespace gpcl::difference
