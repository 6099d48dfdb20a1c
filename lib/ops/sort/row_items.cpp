// Sorts of rows and of segments on CPUs, a work-item each. Host side of kernels/sort/row_items.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/sort/passes.h"

namespace gpcl::sort {
namespace {

const Parameter kFew = {GP_SORT,
                        "row-items",
                        "few",
                        "keys of a row up to which it is chosen however few rows there are",
                        {256, 1024, 4096, 16384, 65536},
                        always<4096>};
const Parameter kPerUnit = {GP_SORT,          "row-items",
                            "items",          "work-items for each compute unit, where there are enough rows",
                            {1, 2, 4, 8, 16}, always<4>};
constexpr std::array kParameters = {&kFew, &kPerUnit};
// Segments differ in length, so that more work-items are busy as long as each other.
const Parameter kSegmentsPerUnit = {GP_SORT,        "segment-items", "items", "work-items for each compute unit",
                                    {1, 4, 16, 64}, always<16>};
constexpr std::array kSegmentParameters = {&kSegmentsPerUnit};

Refusal refuses(const cl::Context &, const Request &r) {
    constexpr size_t kMost = size_t{1} << 28;
    return r.n <= kMost ? Refusal{} : Refusal{"it sorts rows of up to 2^28 keys, and n is ", r.n};
}

// A row for each compute unit, else several units are better for one row after the other.
bool fits(const cl::Context &context, const Request &r) {
    return r.n <= tuned(context, r.dtype, kFew) || r.batch >= context.info().compute_units;
}

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const size_t groups = std::min(r.batch, context.info().compute_units * tuned(context, r.dtype, kPerUnit));
    const size_t all = multiply(groups, r.n, "rows");
    const cl::Operand codes = task.work_space(multiply(2, all, "rows"), dtype(r.dtype).size),
                      order = task.work_space(multiply(2, all, "rows"), sizeof(uint32_t));
    const auto program = task.program({"sort/row_items.cl", key_options_alone(r) + word_options(r)});
    const auto launch = [&](const auto &...more) {
        launch_in_place(task, *program, "sort_row_items", cl::Range::groups(groups, 1), r, uint64_t{r.batch},
                        uint64_t{r.stride}, codes, order, more...);
    };
    r.value_size != 0 ? launch(task.work_space(all, word_bytes(r))) : launch();
}

Refusal refuses_segments(const cl::Context &, const Request &r) { return refuses_arrays(r); }

void run_segments(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const size_t groups =
        std::min(r.segments, context.info().compute_units * tuned(context, r.dtype, kSegmentsPerUnit));
    const cl::Operand codes = task.work_space(multiply(2, r.n, "n"), dtype(r.dtype).size),
                      order = task.work_space(multiply(2, r.n, "n"), sizeof(uint32_t));
    const auto program =
        task.program({"sort/row_items.cl", key_options_alone(r) + word_options(r) + segment_options(r)});
    const auto launch = [&](const auto &...more) {
        launch_on_segments(task, *program, "sort_segment_items", cl::Range::groups(groups, 1), r, codes, order,
                           more...);
    };
    r.value_size != 0 ? launch(task.work_space(r.n, word_bytes(r))) : launch();
}

} // namespace

const Algorithm kSegmentItems = {{"segment-items",
                                  "one work-item sorts a segment by insertion or digit by digit; for CPUs",
                                  "Knuth, \"The Art of Computer Programming\", volume 3, 5.2", false, Suits::kByName},
                                 refuses_segments,
                                 run_segments,
                                 nullptr,
                                 kSegmentParameters};

const Algorithm kRowItems = {{"row-items", "one work-item sorts a row by insertion or digit by digit; for CPUs",
                              "Knuth, \"The Art of Computer Programming\", volume 3, 5.2", false, Suits::kByName},
                             refuses,
                             run,
                             fits,
                             kParameters};

} // namespace gpcl::sort
