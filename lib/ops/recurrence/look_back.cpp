// Recurrence in a single pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/recurrence/look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/tiles.h"

#include "core/dtype.h"
#include "ops/shape.h"

#include <tuple>
#include <utility>

namespace gpcl::recurrence {

const Table &powers(const Request &request, size_t items, size_t times) {
    constexpr size_t kPowers = 10;
    using Made = std::tuple<Table, size_t, size_t, size_t>; // of what
    thread_local std::pair<Made, Table> last;               // calls in a row mostly have the same coefficients
    const Made made(coefficients(request), items, times, request.n);
    if (last.first == made) return last.second;
    Table result, matrix = power(step(std::get<Table>(made)), items);
    const Table later = power(matrix, times);
    const auto append = [&](size_t steps) {
        const size_t size = result.size() + kPowers * matrix.size();
        for (size_t k = 0; k < kPowers && steps << k < request.n; ++k) {
            result.insert(result.end(), matrix.begin(), matrix.end());
            matrix = square(matrix);
        }
        result.resize(size, 0);
    };
    append(items);
    matrix = later;
    append(items * times);
    last = {made, std::move(result)};
    return last.second;
}

void run_look_back(cl::Task &task, const Request &request, const LookBack &kernel) {
    const auto &context = task.context();
    const auto &features = context.features();
    const auto program =
        task.program({kernel.file,
                      text(options(request), " -DGP_GROUP=", kernel.group, " -DGP_UNITS=", kernel.units,
                           " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), kernel.options),
                      {},
                      kernel.groups_per_unit});
    const size_t items = items_of(request, kernel.units), tile = kernel.group * items;
    const Table &tables = powers(request, items, kernel.group);
    const bool is_tame = tame(tables, request.dtype);
    const Constants constants = make_constants(task, request, is_tame ? tables : Table{});
    if (!is_tame) return run_rows(task, *program, request, constants, kernel.group);

    const size_t tiles = ceil_div(request.n, tile), all = tiles * request.batch;
    const size_t published_bytes =
        16 + (tiles > 1 ? round_up(all * request.order * dtype(request.dtype).size, size_t{8}) : 0);
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

Refusal refuses_look_back(const cl::Context &context, const Request &request, const LookBack &kernel) {
    constexpr size_t kMostTiles = size_t{1} << 31;
    const size_t size = dtype(request.dtype).size, order = request.order, vectors = kernel.group * kernel.units;
    const size_t room = context.features().shuffles_in_local_memory() ? 2 * kernel.group : 0;
    const size_t tables = order * (1 + 20 * order), states = order * (room + kernel.group / 8);
    const size_t local_bytes = kernel.stages * vectors * 16 + (tables + states) * size + 512;
    if (const Refusal why = refuses_shape(context, kernel.group, local_bytes)) return why;
    if (ceil_div(request.n, kernel.group * items_of(request, kernel.units)) >= kMostTiles / request.batch)
        return "it counts tiles in 32 bits";
    return {};
}

namespace {

// Groups that a compute unit holds. Measured on an H200, float32, n = 2^27, Gelem/s at order 1 and
// 2, before weights took the place of chains of products: 256 x 8 x 4: 378, 315; 256 x 8 x 5: 328,
// 315; 512 x 8 x 2: 317, 329; 256 x 4 x 5: 314, 199; 512 x 4 x 3: 285, 251; 128 x 8 x 8: 273, 175.
// With them 256 x 8 x 4: 362, 358, and at order 4 and 8 201, 79.
struct Shape {
    size_t group, units, groups_per_unit;
};

constexpr size_t kLocalBytes = 48 << 10; // what every GPU's driver grants; simulators have less
constexpr std::array<Row<Shape>, 2> kShapes = {
    {{{.group = 256, .local_bytes = kLocalBytes}, {256, 8, 4}}, {{}, {64, 4, 4}}}};

const Parameter kGroup = {GP_RECURRENCE,
                          "look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 512},
                          of_row<kShapes, &Shape::group>};
const Parameter kUnits = {GP_RECURRENCE,
                          "look-back",
                          "units",
                          "vectors of 16 bytes of a work-item in a tile",
                          {2, 3, 4, 5, 7, 8},
                          of_row<kShapes, &Shape::units>};
const Parameter kGroupsPerUnit = {GP_RECURRENCE,
                                  "look-back",
                                  "groups",
                                  "work-groups that a compute unit holds; half of that from order 5 on",
                                  {1, 2, 3, 4, 5, 6, 8},
                                  of_row<kShapes, &Shape::groups_per_unit>};
const Parameter kFrom = {GP_RECURRENCE,
                         "look-back",
                         "from",
                         "elements of a row from which on it is chosen",
                         {128, 256, 512, 1024, 2048, 4096, 8192, 16384},
                         always<kLongRow>};
constexpr std::array kParameters = {&kGroup, &kUnits, &kGroupsPerUnit, &kFrom};

LookBack kernel(const cl::Context &context, const Request &request) {
    const size_t groups = tuned(context, request.dtype, kGroupsPerUnit);
    return {"recurrence/look_back.cl",
            "recurrence_look_back",
            tuned(context, request.dtype, kGroup),
            tuned(context, request.dtype, kUnits),
            request.order <= 4 ? groups : std::max(groups / 2, size_t{1}),
            1,
            "",
            false};
}

void run(cl::Task &task, const Request &request) { run_look_back(task, request, kernel(task.context(), request)); }

Refusal refuses(const cl::Context &context, const Request &request) {
    return refuses_look_back(context, request, kernel(context, request));
}

// Shorter rows leave most of a work-group idle.
bool fits(const cl::Context &context, const Request &request) {
    return request.n >= tuned(context, request.dtype, kFrom);
}

} // namespace

const Algorithm kLookBack = {
    {"look-back", "one pass: tiles publish their states and combine those before them",
     "Maleki and Burtscher, Automatic Hierarchical Parallelization of Linear Recurrences, 2018", false, Suits::kGpu,
     kLookBackNeeds},
    refuses,
    run,
    fits,
    kParameters};

} // namespace gpcl::recurrence
