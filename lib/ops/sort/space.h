// Where a sort's work space comes from.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/size.h"

namespace gpcl::sort {

// Pieces of the caller's buffer, or of the context's pool; or none at all, to learn how many bytes there would be. So what
// gp_sort_work_bytes says is what a sort takes.
class Space {
  public:
    Space() = default;
    // `lent` counts bytes; without memory, the pool serves.
    Space(cl::Task &task, const cl::Operand &lent) : task_(&task), lent_(lent), used_(lent.offset) {}

    // `count` elements of `size` bytes, in which its offset counts.
    cl::Operand take(size_t count, size_t size) {
        const size_t bytes = multiply(count, size, "work space");
        if (bytes == 0) return {};
        const size_t step = kAlignment * size;
        if (task_ == nullptr) { // the caller's offset may be any
            used_ = add(used_, add(bytes, step, "work space"), "work space");
            return {};
        }
        if (lent_.memory == nullptr) return task_->work_space(bytes);
        const size_t begin = round_up(used_, step);
        used_ = begin + bytes;
        return {lent_.memory, begin / size, nullptr};
    }

    size_t bytes() const { return used_; }

  private:
    static constexpr size_t kAlignment = 128; // what a GPU reads at once

    cl::Task *task_ = nullptr;
    cl::Operand lent_;
    size_t used_ = 0;
};

} // namespace gpcl::sort
