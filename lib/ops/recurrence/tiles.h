// What the algorithms on tiles share; the kernels' part is kernels/recurrence/tiles.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/size.h"
#include "ops/recurrence/responses.h"

namespace gpcl::recurrence {

// Elements of a work-item that takes so many vectors of 16 bytes.
inline size_t items_of(const Request &request, size_t units) { return units * 16 / dtype(request.dtype).size; }

// Matrices: what a state makes of itself in `items` steps, in twice as many, and so on, one more
// than a group of 512 work-items has bits; then the same of items * times steps. Zeros for n steps
// and more, which lead out of the row. The reference is good until the thread's next call.
const Table &powers(const Request &request, size_t items, size_t times);

constexpr FeatureSet kLookBackNeeds = kForwardProgress | kShuffle;

// A kernel of one pass, and how it is launched.
struct LookBack {
    const char *file, *name;
    size_t group, units;    // work-items of a group, vectors of 16 bytes of each
    size_t groups_per_unit; // that a compute unit holds
    size_t stages;          // tiles in local memory
    std::string options;
    bool clears; // finds its published states cleared and leaves them so
};

// In look_back.cpp, as powers.
void run_look_back(cl::Task &task, const Request &request, const LookBack &kernel);
Refusal refuses_look_back(const cl::Context &context, const Request &request, const LookBack &kernel);

} // namespace gpcl::recurrence
