// Selection from a long row in several launches: what digits.cpp, filter.cpp and rounds.cpp
// share.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/top_k/top_k.h"

namespace gpcl::top_k {

constexpr size_t kBits = 11;      // GP_BITS of kernels/top_k/bins.cl
constexpr size_t kItems = 8;      // GP_ITEMS of kernels/top_k/taking.cl
constexpr size_t kStateWords = 8; // GP_WORDS of kernels/top_k/state.cl

// The memory of a selection beside its row; see kernels/top_k/state.cl.
struct Selection {
    cl::Operand state, tally;
    cl::Operand list_ranks, list_places; // what the filter keeps; where there is none, the tally
    uint32_t room = 0;                   // entries of the list

    Selection(cl::Task &task, const Request &request, size_t list);
};

// What the kernels of both count and index with.
inline Refusal refuses_long(const Request &r) {
    if (r.n() > UINT32_MAX) return {"it counts elements in 32 bits, and n is ", r.n()};
    if (r.counted.is_there && r.k >> 31 != 0)
        return {"it sorts fewer than 2^31 elements whose number is in a buffer, and k is ", r.k};
    return {};
}

// What becomes of the elements that are taken; as in kernels/top_k/taking.cl.
enum class How : uint32_t { kFinish, kStraight, kBoth, kApart };

// The elements that are taken.
struct Taken {
    How how;
    cl::Operand ranks, places;

    // kFinish where `room` entries, those of local memory, are enough for k, unless k is large and
    // any order will do. Up to `most` elements are taken then, else k.
    Taken(cl::Task &task, const Request &row, size_t room, size_t most);
};

// Sorts what was taken and writes the results, where the kernel that took them did not.
void end_taken(cl::Task &task, const Request &row, const Taken &taken);

// What a device has, or what OpenCL promises of each where it does not tell.
size_t local_bytes_of(const cl::Context &context);

// Selects from the list by one work-group, where k and the list are small; of groups.cpp. What
// comes behind it has nothing to do then.
void finish_list(cl::Task &task, const Request &row, const Selection &selection);

// Launches the kernel that begins a selection, of digits.cl.
void begin_digits(cl::Task &task, const Request &row, const Selection &selection);

// Selects from what the state says, and writes the results of a row.
void end_digits(cl::Task &task, const Request &row, const Selection &selection);

Refusal refuses_digits(const cl::Context &context, const Request &request);

// Selects from the list, or where that is of no use from the row, in one launch, and writes the
// results of a row; of rounds.cpp.
void select_in_rounds(cl::Task &task, const Request &row, const Selection &selection);
Refusal refuses_rounds(const cl::Context &context, const Request &request);

} // namespace gpcl::top_k
