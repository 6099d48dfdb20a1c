// An operation, as listings, tuning and warm-up see it: one object in each operation's own header.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/needed.h"
#include "place/kind.h"

#include <vector>

namespace gpcl {

class Proof;

struct Operation {
    gp_operation code;
    const char *name;                // by which the tuning file and messages know it
    std::span<const gp_dtype> types; // that it takes with default options
    std::vector<AlgorithmInfo> (*algorithms)();
    std::vector<const Parameter *> (*parameters)(); // of its algorithms, one after the other
    // What calls with default options on arrays of all sizes need.
    void (*add_defaults)(Needed &, gp_dtype);
    // The smallest default calls of each kind. They tell what the operation refuses; and some
    // drivers compile a kernel, or load it, when it is first launched.
    gp_status (*smallest_calls)(gp_context *, gp_dtype);
    // Of its calls on host pointers that can run on the host and on the device.
    std::span<const place::Kind *const> kinds = {};
    // Makes hostile calls with one of the algorithms (proof.h); NULL: nothing is proved. `list`
    // tells the operation by the list that its algorithms are chosen from.
    void (*prove)(Proof &) = nullptr;
    const void *(*list)() = nullptr;
};

// In algorithms.cpp: all operations, by their codes, and the one with a code. Throws
// GP_ERROR_OPERATION.
std::span<const Operation *const> operations();
const Operation &operation(gp_operation code);

// Operation::kinds of one kind.
template <const place::Kind &kKind> inline constexpr std::array<const place::Kind *, 1> one_kind = {&kKind};

// Operation::algorithms and parameters, from the function that lists an operation's algorithms.
template <auto kAlgorithms> std::vector<AlgorithmInfo> infos() {
    std::vector<AlgorithmInfo> result;
    for (const auto &one : kAlgorithms()) result.push_back(one.info);
    return result;
}
template <auto kAlgorithms> std::vector<const Parameter *> parameters() {
    std::vector<const Parameter *> result;
    for (const auto &one : kAlgorithms()) result.insert(result.end(), one.parameters.begin(), one.parameters.end());
    return result;
}

// Operation::list.
template <auto kAlgorithms> const void *list() { return kAlgorithms().data(); }

// The programs that an operation on a type needs with default options, whatever the size; none on
// "host". Nothing is built.
std::vector<cl::ProgramKey> default_programs(const cl::Context &context, const Operation &operation, gp_dtype dtype);

} // namespace gpcl
