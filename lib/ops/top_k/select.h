// Selection from a long row in several launches: what digits.cpp and filter.cpp share.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/top_k/top_k.h"

namespace gpcl::top_k {

// The memory of a selection beside its row; see kernels/top_k/state.cl.
struct Selection {
    cl::Operand state, tally;
    cl::Operand list_ranks, list_places; // what the filter keeps; where there is none, the tally
    uint32_t room = 0;                   // entries of the list

    Selection(cl::Task &task, const Request &request, size_t list);
};

// What the kernels of both count and index with.
inline Refusal refuses_long(const Request &r) {
    if (r.n() >> 32 != 0) return {"it counts elements in 32 bits, and n is ", r.n()};
    return {};
}

// Selects from the list by one work-group, where k and the list are small; of groups.cpp. What comes
// behind it has nothing to do then.
void finish_list(cl::Task &task, const Request &row, const Selection &selection);

// Launches the kernel that begins a selection, of digits.cl.
void begin_digits(cl::Task &task, const Request &row, const Selection &selection);

// Selects from what the state says, and writes the results of a row.
void end_digits(cl::Task &task, const Request &row, const Selection &selection);

Refusal refuses_digits(const cl::Context &context, const Request &request);

} // namespace gpcl::top_k
