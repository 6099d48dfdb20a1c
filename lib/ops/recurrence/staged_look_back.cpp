// Recurrence in a single pass with tiles copied ahead, for NVIDIA's Hopper generation. Host side of
// kernels/recurrence/staged_look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/tiles.h"

#include "core/dtype.h"

namespace gpcl::recurrence {
namespace {

constexpr size_t kGroup = 384;
constexpr size_t kUnits = 9;

// Measured on an H200, float32, n = 2^27, Gelem/s at order 1, 2, 4 and 8, group x units x stages: 384 x 9 x 4: 489, 485, 332, 142
// (order 4 and 8 without a look ahead 266, 104; order 2 with one 450). Before windows of 32 tiles 454, 427, 338, 127; at order 1
// and 2 512 x 7 x 4: 451, 427; 384 x 7 x 5: 377, 326; 512 x 5 x 5: 376, 353; 512 x 9 x 3: 418, 357.
LookBack kernel(const Request &request) {
    // Four stages leave 11 KB for tables and states, which float64 of order 8 exceeds.
    const bool is_large = request.order * dtype(request.dtype).size > 16;
    return {"recurrence/staged_look_back.cl",
            "recurrence_staged_look_back",
            kGroup,
            kUnits,
            1,
            is_large ? " -DGP_STAGES=3" : " -DGP_STAGES=4",
            true};
}

void run(cl::Task &task, const Request &request) { run_look_back(task, request, kernel(request)); }
void run_no_wait(cl::Task &task, const Request &request) {
    LookBack no_wait = kernel(request);
    no_wait.options += " -DGP_NO_WAIT";
    run_look_back(task, request, no_wait);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (!context.is_hopper()) return "it needs bulk copies: an NVIDIA GPU of the Hopper generation";
    return refuses_look_back(context, request, kernel(request));
}

// Bulk copies go forward, between addresses that are multiples of 16. (A buffer's own address is one.) Rows begin anywhere and
// end amid a tile, so several are left to look-back.
bool fits(const cl::Context &, const Request &request) {
    const size_t size = dtype(request.dtype).size;
    const auto is_aligned = [&](const cl::Operand &operand) { return operand.offset * size % 16 == 0; };
    return request.batch == 1 && !request.reverse && request.n >= kGroup * items_of(request, kUnits) &&
           (!request.has_in || is_aligned(request.in)) && is_aligned(request.out);
}

} // namespace

const Algorithm kStagedLookBack = {
    {"staged-look-back", "as look-back, with tiles copied ahead; for NVIDIA's Hopper generation",
     "Maleki and Burtscher, Automatic Hierarchical Parallelization of Linear Recurrences, 2018", false, Suits::kNvidia},
    refuses,
    run,
    fits};

const Algorithm kStagedLookBackNoWait = {
    {"staged-look-back-no-wait", "as staged-look-back, but every state is found by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName},
    refuses,
    run_no_wait};

} // namespace gpcl::recurrence
