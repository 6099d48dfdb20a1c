// Whether columns are sorted: work-items side by side. Host side of kernels/is_sorted/columns.cl.
// SPDX-License-Identifier: MIT
#include "ops/columns.h"
#include "ops/is_sorted/is_sorted.h"

namespace gpcl::is_sorted {
namespace {

const ColumnParameters kDivision(GP_IS_SORTED, "columns");
constexpr std::array kParameters = {&kDivision.width, &kDivision.per_unit, &kDivision.least};

void run(cl::Task &task, const Request &r) {
    constexpr size_t kLongest = size_t{1} << 31; // positions within a part have 32 bits
    Columns columns = divide_columns(task.context(), kDivision, r.dtype, r.rows.n, r.batch(), r.rows.stride == 1);
    columns.part = std::min(columns.part, kLongest);
    columns.parts = std::max(ceil_div(r.rows.n, columns.part), size_t{1});
    const auto program = task.program({"is_sorted/columns.cl", key_order_options(r.dtype) + columns.options()});
    const cl::Operand firsts = parts_of(task, r, columns.parts);
    launch(task, *program, "is_sorted_columns", columns.range(), r, uint64_t{columns.part}, firsts);
    combine(task, *program, r, firsts, columns.parts, r.batch(), 1);
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

} // namespace gpcl::is_sorted
