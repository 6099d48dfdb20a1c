// Merge of many runs by a stable sort of all keys, which gives the same.
// SPDX-License-Identifier: MIT
#include "ops/sort/sort.h"
#include "ops/merge_runs/merge_runs.h"

namespace gpcl::merge_runs {
namespace {

// That of the copy.
sort::Request sorting(const Request &r) {
    sort::Request result = sort::whole_array(r.dtype, r.n);
    result.descending = r.descending;
    result.keys = r.out.keys;
    result.value_size = r.value_size;
    result.value_alignment = r.value_alignment;
    result.values = r.out.values;
    return result;
}

void run(cl::Task &task, const Request &r) {
    const sort::Request sort = sorting(r);
    copy(task, r);
    if (r.runs > 1) sort::choose_for(task.context(), nullptr, sort).run(task, sort);
}

Refusal refuses(const cl::Context &, const Request &r) {
    return r.dtype == GP_FLOAT16 ? "float16 has no sort" : Refusal{};
}

} // namespace

const Algorithm kSort = {
    {"sort", "a stable sort of all keys; for many runs", "as the algorithms of gp_sort", false}, refuses, run};
const Algorithm kHostSort = {{"host-sort", "a stable sort of all keys on CPU threads, without OpenCL; for many runs",
                              "as the algorithms of gp_sort", true},
                             refuses,
                             run};

} // namespace gpcl::merge_runs
