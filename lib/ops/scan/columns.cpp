// Scan of columns: work-items side by side. Host side of kernels/scan/columns.cl.
// SPDX-License-Identifier: MIT
#include "ops/columns.h"
#include "ops/scan/scan.h"

#include <array>

namespace gpcl::scan {
namespace {

const ColumnParameters kDivision(GP_SCAN, "columns");
constexpr std::array kParameters = {&kDivision.width, &kDivision.per_unit, &kDivision.least};

void run(cl::Task &task, const Request &r) {
    const Rows &in = r.rows_in, &out = r.rows_out;
    const Columns columns =
        divide_columns(task.context(), kDivision, r.from, r.n, r.batch(), in.stride == 1 && out.stride == 1);
    const auto program = task.program({"scan/columns.cl", r.options() + columns.options(), r.combine.preamble()});
    const auto heads = r.segmented ? r.heads : cl::Operand{};
    const bool many = columns.parts > 1;
    cl::Operand sums;
    if (many) {
        const size_t count = multiply(columns.parts, r.batch(), "work space");
        sums = task.work_space(multiply(count, dtype(r.dtype).size, "work space"));
        const auto begins = r.segmented ? task.work_space(count) : cl::Operand{};
        task.launch(*program, "reduce_columns", columns.range(), r.in, heads, sums, begins, uint64_t{r.n},
                    uint64_t{r.batch()}, uint64_t{columns.part}, uint64_t{in.stride}, uint64_t{in.step},
                    uint32_t{r.reverse});
        r.launch(task, *program, "scan_sums", Columns::rows(task.context(), r.batch()), sums, begins,
                 uint64_t{r.batch()}, uint64_t{columns.parts});
    }
    r.launch(task, *program, "scan_columns", columns.range(), r.in, heads, r.out, sums, uint64_t{r.n},
             uint64_t{r.batch()}, uint64_t{columns.part}, uint64_t{in.stride}, uint64_t{in.step}, uint64_t{out.stride},
             uint64_t{out.step}, uint32_t{many}, uint32_t{r.exclusive}, uint32_t{r.reverse});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

bool fits(const cl::Context &, const Request &request) { return request.rows_in.are_columns(); }

} // namespace

const Algorithm kColumns = {{"columns",
                             "work-items side by side each scan a part of one row; for the columns of a matrix",
                             "Blelloch, Prefix Sums and Their Applications, 1990", false},
                            refuses,
                            run,
                            fits,
                            kParameters};

} // namespace gpcl::scan
