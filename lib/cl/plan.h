// What a call would do, told without doing any of it.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/program.h"
#include "cl/range.h"

namespace gpcl::cl {

struct Plan {
    struct Launch {
        std::string kernel;
        Range range;
    };

    std::vector<ProgramKey> programs; // each once, in the order in which they are asked for
    std::vector<Launch> launches;
    size_t work_bytes = 0;     // of memory beside the operands
    size_t lendable_bytes = 0; // that a caller has to lend for those that can be lent; see Task::lend
};

} // namespace gpcl::cl
