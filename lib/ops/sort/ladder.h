// What the steps of the ladder share: the algorithms that lead, one idea each, to the radix sorts
// that gpcl chooses. They sort keys alone.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/sort/sort.h"

#include <functional>

namespace gpcl::sort {

// Why a step refuses a request; nothing when it does not. Equal integers are the same bits, so that
// a sort is not stable shows on floating-point keys only.
Refusal refuses_step(const Request &request, bool stable);

// At least `items` work-items in work-groups of a power of two: up to 256, `most`, and what the
// device allows.
cl::Range work_items(const cl::Context &context, size_t items, size_t most = 256);

// ---- Bitonic networks ---------------------------------------------------------------------------

Refusal refuses_network(const cl::Context &context, const Request &request);

// Runs a sorting network for powers of two: behind the keys come such as none comes after.
void run_network(cl::Task &task, const Request &request,
                 const std::function<void(const cl::Operand &keys, uint32_t size)> &network);

// ---- Radix sorts by blocks ----------------------------------------------------------------------

// Each work-item counts a block of consecutive keys by 4 bits; gpcl's own scan turns all counts
// into places; each work-item moves its block there.
struct Blocks {
    const char *file;
    const char *count, *permute; // kernels
    size_t keys;                 // of a block
    bool local;                  // counters are in local memory
};

Refusal refuses_blocks(const cl::Context &context, const Request &request, const Blocks &blocks);
void run_blocks(cl::Task &task, const Request &request, const Blocks &blocks);

} // namespace gpcl::sort
