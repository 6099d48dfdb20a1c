// Recurrence with coefficients that vary in a single pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/recurrence/varying_look_back.cl.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"
#include "core/size.h"
#include "ops/recurrence/varying.h"

namespace gpcl::recurrence {
namespace {

constexpr size_t kGroup = 256;
constexpr size_t kGroupsPerUnit = 4;
constexpr unsigned kPatience = 100'000; // some ten milliseconds

// Elements of a work-item: an odd number.
size_t items_of(const Request &request) { return 64 / dtype(request.dtype).size - 1; }
size_t tiles_of(const Request &request) { return ceil_div(request.n, kGroup * items_of(request)); }

void run_with(cl::Task &task, const Request &request, const char *option) {
    Varying varying(task, request, "recurrence/varying_look_back.cl",
                    text(" -DGP_SHUFFLE -DGP_GROUP=", kGroup, " -DGP_ITEMS=", items_of(request),
                         " -DGP_PATIENCE=", kPatience, option));
    varying.run_look_back(tiles_of(request), kGroup, kGroupsPerUnit);
}

void run(cl::Task &task, const Request &request) { run_with(task, request, ""); }
void run_no_wait(cl::Task &task, const Request &request) { run_with(task, request, " -DGP_NO_WAIT"); }

std::string refuses(cl::Task &task, const Request &request) {
    constexpr size_t kMostTiles = size_t{1} << 31;
    if (!task.context().has_nvidia_ptx())
        return "it needs NVIDIA's instructions, and work-groups that run side by side: an NVIDIA GPU, Volta or newer";
    if (task.context().info().work_group_size < kGroup) return text("it needs work-groups of ", kGroup);
    if (tiles_of(request) >= kMostTiles / request.batch) return "it counts tiles in 32 bits";
    return {};
}

// Shorter rows leave most of a work-group idle.
bool fits(cl::Task &, const Request &request) { return request.n >= kLongRow; }

} // namespace

const Algorithm kVaryingLookBack = {
    {"look-back", "one pass: tiles publish their maps and compose those before them; for NVIDIA GPUs",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kNvidia},
    refuses,
    run,
    fits};

const Algorithm kVaryingLookBackNoWait = {{"look-back-no-wait",
                                           "as look-back, but every map is found by all who need it; a test of that",
                                           "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName},
                                          refuses,
                                          run_no_wait};

} // namespace gpcl::recurrence
