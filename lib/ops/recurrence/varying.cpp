// What the algorithms for coefficients that vary share: their launches.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/varying.h"

#include "core/dtype.h"
#include "core/size.h"

namespace gpcl::recurrence {

Varying::Varying(cl::Task &task, const Request &request, const char *source, const std::string &options)
    : task_(task), request_(request),
      program_(task.program({source, text("-DT=", dtype(request.dtype).opencl,
                                          request.dtype == GP_FLOAT64 ? " -DGP_FLOAT64" : "", options)})),
      in_(request.has_in ? request.in : request.out), initial_(make_states(task, request, request.out)),
      has_in_(request.has_in), has_initial_(request.has_initial()), reverse_(request.reverse) {}

void Varying::run_rows(size_t rows, size_t group) {
    const size_t items = ceil_div(request_.batch, rows);
    task_.launch(*program_, "varying_rows", cl::Range::groups(ceil_div(items, group), group), request_.varying, in_,
                 request_.out, initial_, uint64_t{request_.n}, uint64_t{request_.batch}, uint64_t{rows},
                 uint64_t{request_.stride_varying}, uint64_t{request_.stride_in}, uint64_t{request_.stride_out},
                 has_in_, has_initial_, reverse_);
}

void Varying::run_parts(size_t size, size_t count, size_t group) {
    const size_t all = request_.batch * count, map_bytes = 3 * dtype(request_.dtype).size; // the exponent with padding
    const auto maps = count > 1 ? task_.work_space(all * map_bytes) : request_.out;
    const auto range = cl::Range::groups(all, group);
    if (count > 1)
        task_.launch(*program_, "varying_maps", range, request_.varying, in_, maps, uint64_t{request_.n},
                     uint64_t{request_.stride_varying}, uint64_t{request_.stride_in}, uint64_t{size}, uint64_t{count},
                     has_in_, reverse_);
    task_.launch(*program_, "varying_outputs", range, request_.varying, in_, request_.out, maps, initial_,
                 uint64_t{request_.n}, uint64_t{request_.stride_varying}, uint64_t{request_.stride_in},
                 uint64_t{request_.stride_out}, uint64_t{size}, uint64_t{count}, has_in_, has_initial_, reverse_);
}

void Varying::run_look_back(size_t tiles, size_t group, size_t groups_per_unit) {
    const size_t all = tiles * request_.batch, map_words = 2 * dtype(request_.dtype).size / 4 + 1;
    const size_t published_bytes = 16 + (tiles > 1 ? all * map_words * 8 : 0);
    const auto published = tiles > 1 ? task_.cleared_space(published_bytes) : task_.work_space(published_bytes);
    const size_t groups = std::min(all, groups_per_unit * task_.context().info().compute_units);
    task_.launch(*program_, "varying_look_back", cl::Range::groups(groups, group), request_.varying, in_, request_.out,
                 initial_, published, uint64_t{request_.n}, uint64_t{request_.stride_varying},
                 uint64_t{request_.stride_in}, uint64_t{request_.stride_out}, static_cast<uint32_t>(tiles),
                 static_cast<uint32_t>(all), has_in_, has_initial_, reverse_);
}

} // namespace gpcl::recurrence
