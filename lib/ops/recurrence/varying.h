// What the algorithms for coefficients that vary share; the kernels' part is
// kernels/recurrence/maps.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/recurrence/recurrence.h"

namespace gpcl::recurrence {

// The built program of an algorithm and what all its kernels take. An operand that there is not is
// another one in its place, which kernels don't touch.
class Varying {
  public:
    Varying(cl::Task &task, const Request &request, const char *source, const std::string &options = {});

    // Rows by one work-item each, so many one after the other, in work-groups of so many
    // work-items.
    void run_rows(size_t rows, size_t group);

    // `count` parts of each row, by one work-group each: varying_maps, where there is more than
    // one, and varying_outputs. `size` is what the kernels count parts in.
    void run_parts(size_t size, size_t count, size_t group);

    // Rows of so many tiles, in one pass by at most so many work-groups a compute unit.
    void run_look_back(size_t tiles, size_t group, size_t groups_per_unit);

  private:
    cl::Task &task_;
    const Request &request_;
    std::shared_ptr<cl::Program> program_;
    cl::Operand in_, initial_;
    uint32_t has_in_, has_initial_, reverse_;
};

} // namespace gpcl::recurrence
