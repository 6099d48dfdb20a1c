// Recurrence in a single pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/recurrence/look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/tiles.h"

#include "core/dtype.h"

namespace gpcl::recurrence {

void run_look_back(cl::Task &task, const Request &request, const LookBack &kernel) {
    constexpr unsigned kPatience = 100'000; // some ten milliseconds
    const auto &context = task.context();
    const auto program = task.context().program(
        kernel.file, text(options(request), " -DGP_GROUP=", kernel.group, " -DGP_UNITS=", kernel.units,
                          " -DGP_SHUFFLE -DGP_PATIENCE=", kPatience, " -DGP_GROUPS_PER_UNIT=", kernel.groups_per_unit,
                          kernel.options));
    const size_t items = items_of(request, kernel.units), tile = kernel.group * items;
    Table tables = powers(request, items);
    const Table tile_powers = powers(request, tile);
    tables.insert(tables.end(), tile_powers.begin(), tile_powers.end());
    const bool is_tame = tame(tables, request.dtype);
    if (!is_tame) tables.clear();
    const Constants constants = make_constants(task, request, tables);
    if (!is_tame) return run_rows(task, *program, request, constants, kernel.group);

    const size_t tiles = ceil_div(request.n, tile), all = tiles * request.batch;
    const size_t published_bytes = 16 + (tiles > 1 ? all * request.order * dtype(request.dtype).size * 2 : 0);
    const bool cleared = kernel.clears && all > 1;
    const auto published = cleared ? task.cleared_space(published_bytes) : task.work_space(published_bytes);
    if (!cleared && tiles > 1) {
        const uint32_t zero = 0;
        task.fill(published.memory, 0, published_bytes, &zero, sizeof zero);
    }
    const size_t groups = std::min(all, kernel.groups_per_unit * context.info().compute_units);
    task.launch(*program, kernel.name, cl::Range::groups(groups, kernel.group), constants.in, request.out,
                constants.tables, constants.initial, published, uint64_t{request.n}, uint64_t{request.stride_in},
                uint64_t{request.stride_out}, static_cast<uint32_t>(tiles), static_cast<uint32_t>(all),
                constants.has_in, constants.has_initial);
}

std::string refuses_look_back(cl::Task &task, const Request &request, const LookBack &kernel) {
    constexpr size_t kMostTiles = size_t{1} << 31;
    if (!task.context().has_nvidia_ptx())
        return "it needs NVIDIA's instructions, and work-groups that run side by side: an NVIDIA GPU, Volta or newer";
    if (task.context().info().work_group_size < kernel.group) return text("it needs work-groups of ", kernel.group);
    if (ceil_div(request.n, kernel.group * items_of(request, kernel.units)) >= kMostTiles / request.batch)
        return "it counts tiles in 32 bits";
    return {};
}

namespace {

// Groups that a compute unit holds. Measured on an H200, float32, n = 2^27, Gelem/s at order 1 and 2, before weights took the
// place of chains of products: 256 x 8 x 4: 378, 315; 256 x 8 x 5: 328, 315; 512 x 8 x 2: 317, 329; 256 x 4 x 5: 314, 199;
// 512 x 4 x 3: 285, 251; 128 x 8 x 8: 273, 175. With them 256 x 8 x 4: 362, 358, and at order 4 and 8 201, 79.
LookBack kernel(const cl::Context &context, const Request &request) {
    return {"recurrence/look_back.cl",
            "recurrence_look_back",
            256,
            8,
            request.order <= 4 ? size_t{4} : size_t{2},
            context.device().nvidia_capability >= 8 ? " -DGP_ASYNC" : "",
            false};
}

void run(cl::Task &task, const Request &request) { run_look_back(task, request, kernel(task.context(), request)); }

std::string refuses(cl::Task &task, const Request &request) {
    return refuses_look_back(task, request, kernel(task.context(), request));
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
