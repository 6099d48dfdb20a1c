// Recurrence in a single pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/recurrence/look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/tiles.h"

#include "core/dtype.h"

namespace gpcl::recurrence {
namespace {

// Groups that a compute unit holds. Measured on an H200, float32, n = 2^27, Gelem/s at order 1 and 2: 256 x 8 x 4: 378, 315;
// 256 x 8 x 5: 328, 315; 512 x 8 x 2: 317, 329; 256 x 4 x 5: 314, 199; 512 x 4 x 3: 285, 251; 128 x 8 x 8: 273, 175.
constexpr size_t kGroup = 256;
constexpr size_t kUnits = 8;
constexpr size_t kGroupsPerUnit = 4;
constexpr unsigned kPatience = 100'000; // some ten milliseconds

void run(cl::Task &task, const Request &request) {
    const auto &context = task.context();
    const auto program = task.context().program("recurrence/look_back.cl",
                                                text(options(request), " -DGP_GROUP=", kGroup, " -DGP_UNITS=", kUnits,
                                                     " -DGP_SHUFFLE -DGP_PATIENCE=", kPatience,
                                                     " -DGP_GROUPS_PER_UNIT=", request.order <= 4 ? kGroupsPerUnit : 2,
                                                     context.device().nvidia_capability >= 8 ? " -DGP_ASYNC" : ""));
    const size_t items = items_of(request, kUnits), tile = kGroup * items;
    Table tables = powers(request, items);
    const Table tile_powers = powers(request, tile);
    tables.insert(tables.end(), tile_powers.begin(), tile_powers.end());
    const bool is_tame = tame(tables, request.dtype);
    if (!is_tame) tables.clear();
    const Constants constants = make_constants(task, request, tables);
    if (!is_tame) return run_rows(task, *program, request, constants, kGroup);

    const size_t tiles = ceil_div(request.n, tile), all = tiles * request.batch;
    const size_t published_bytes = 16 + (tiles > 1 ? all * request.order * dtype(request.dtype).size * 2 : 0);
    const auto published = task.work_space(published_bytes);
    if (tiles > 1) {
        const uint32_t zero = 0;
        task.fill(published.memory, 0, published_bytes, &zero, sizeof zero);
    }
    const size_t groups = std::min(all, kGroupsPerUnit * context.info().compute_units);
    task.launch(*program, "recurrence_look_back", cl::Range::groups(groups, kGroup), constants.in, request.out,
                constants.tables, constants.initial, published, uint64_t{request.n}, uint64_t{request.stride_in},
                uint64_t{request.stride_out}, static_cast<uint32_t>(tiles), static_cast<uint32_t>(all),
                constants.has_in, constants.has_initial);
}

std::string refuses(cl::Task &task, const Request &request) {
    constexpr size_t kMostTiles = size_t{1} << 31;
    if (!task.context().has_nvidia_ptx())
        return "it needs NVIDIA's instructions, and work-groups that run side by side: an NVIDIA GPU, Volta or newer";
    if (task.context().info().work_group_size < kGroup) return text("it needs work-groups of ", kGroup);
    if (ceil_div(request.n, kGroup * items_of(request, kUnits)) >= kMostTiles / request.batch)
        return "it counts tiles in 32 bits";
    return {};
}

// Shorter rows leave most of a work-group idle.
bool fits(cl::Task &, const Request &request) { return request.n >= kLongRow; }

} // namespace

const Algorithm kLookBack = {
    {"look-back", "one pass: tiles publish their states and combine those before them; for NVIDIA GPUs",
     "Maleki and Burtscher, Automatic Hierarchical Parallelization of Linear Recurrences, 2018", false, Suits::kNvidia},
    refuses,
    run,
    fits};

} // namespace gpcl::recurrence
