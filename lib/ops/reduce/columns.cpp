// Reduction of columns: work-items side by side. Host side of kernels/reduce/columns.cl.
// SPDX-License-Identifier: MIT
#include "ops/columns.h"
#include "ops/reduce/reduce.h"

#include <array>

namespace gpcl::reduce {
namespace {

const ColumnParameters kDivision(GP_REDUCE, "columns");
constexpr std::array kParameters = {&kDivision.width, &kDivision.per_unit, &kDivision.least};

void run(cl::Task &task, const Request &r) {
    const Columns columns = divide_columns(task.context(), kDivision, r.from, r.n, r.batch(), r.rows.stride == 1);
    const auto program = task.program({"reduce/columns.cl", r.options() + columns.options(), r.combine.preamble()});
    const bool many = columns.parts > 1;
    const size_t count = multiply(columns.parts, r.batch(), "work space");
    const auto sums = many ? task.work_space(multiply(count, dtype(r.dtype).size, "work space")) : r.out;
    task.launch(*program, "reduce_columns", columns.range(), r.in, sums, uint64_t{r.n}, uint64_t{r.batch()},
                uint64_t{columns.part}, uint64_t{r.rows.stride}, uint64_t{r.rows.step},
                uint64_t{many ? 1 : r.stride_out});
    if (many)
        task.launch(*program, "reduce_sums", Columns::rows(task.context(), r.batch()), sums, r.out, uint64_t{r.batch()},
                    uint64_t{columns.parts}, uint64_t{r.stride_out});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

bool fits(const cl::Context &, const Request &request) { return request.rows.are_columns(); }

} // namespace

const Algorithm kColumns = {{"columns",
                             "work-items side by side each reduce a part of one row; for the columns of a matrix",
                             "Blelloch, Prefix Sums and Their Applications, 1990", false},
                            refuses,
                            run,
                            fits,
                            kParameters};

} // namespace gpcl::reduce
