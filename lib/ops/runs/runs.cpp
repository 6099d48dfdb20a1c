// What gp_run_lengths and gp_reduce_by_key share.
// SPDX-License-Identifier: MIT
#include "ops/runs/runs.h"

#include "core/size.h"

namespace gpcl::runs {

std::string Request::options() const {
    std::string result = reduces ? combine.options(dtype, from) + " -DGP_VALUES"
                                 : text(combine.options(GP_UINT32), " -DGP_RESULT=", gpcl::dtype(dtype).opencl);
    return result + ' ' + key_order_options(key);
}

cl::Operand Outputs::add(const Output &output, const cl::Operand &count) {
    if (output.to == nullptr || capacity_ == 0) return count;
    const size_t bytes = capacity_ * output.bytes;
    if (task_.context().works_in_place(bytes)) return task_.output(output.to, bytes);
    apart_.push_back({task_.work_space(bytes), output});
    return apart_.back().from;
}

cl::Operand Outputs::add_count(uint64_t *count) {
    if (task_.context().is_host()) return task_.output(count, sizeof *count);
    count_ = count;
    return count_apart_ = task_.work_space(sizeof *count);
}

void Outputs::fetch() {
    if (count_ == nullptr) return;
    task_.read(count_apart_.memory, 0, sizeof *count_, count_, true);
    const size_t count = std::min<uint64_t>(*count_, capacity_);
    for (const Apart &one : apart_)
        if (count > 0) task_.read(one.from.memory, 0, count * one.output.bytes, one.output.to, true);
}

void require_apart(std::initializer_list<Named> arrays) {
    for (const Named &one : arrays) {
        if (!one.is_output) continue;
        for (const Named &other : arrays)
            if (&one != &other && (!other.is_output || &one < &other))
                gpcl::require_apart(overlap(one.extent, other.extent), one.argument, other.argument);
    }
}

} // namespace gpcl::runs
