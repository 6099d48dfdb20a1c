// Recurrence for GPUs: look-ahead over a work-group, runs of tiles. Host side of kernels/recurrence/chunked_look_ahead.cl.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"
#include "ops/recurrence/responses.h"
#include "ops/tiles.h"

namespace gpcl::recurrence {
namespace {

struct Division {
    size_t group, items; // a tile
    size_t tiles, runs;  // tiles of a run, runs of a row
};

// The division depends on the device and the sizes only, so results do not change from run to run.
Division divide_row(const cl::Context &context, const Request &request) {
    constexpr size_t kGroup = 128;
    constexpr size_t kRunsPerUnit = 4;
    Division result{};
    result.group = std::min(kGroup, tile_group(context));
    result.items = request.dtype == GP_FLOAT64 ? 8 : 16;
    const size_t tiles = ceil_div(request.n, result.group * result.items);
    const size_t runs =
        std::min(tiles, std::max(context.info().compute_units * kRunsPerUnit / request.batch, size_t{1}));
    result.tiles = ceil_div(tiles, runs);
    result.runs = ceil_div(tiles, result.tiles);
    return result;
}

// Responses and powers as the kernel wants them, and then what a state makes of itself within a run; empty where they are
// no good. Powers that span more than n elements stay zero.
Table tables_of(const Request &request, const Division &division) {
    const Table c = coefficients(request);
    Table result = responses(c, division.items);
    Table matrix = power(c, division.items);
    for (size_t distance = 1; distance < division.group; distance *= 2) {
        if (distance * division.items >= request.n) matrix.assign(matrix.size(), 0);
        result.insert(result.end(), matrix.begin(), matrix.end());
        matrix = square(matrix);
    }
    if (division.runs > 1) {
        const Table carry = power(c, division.tiles * division.group * division.items);
        result.insert(result.end(), carry.begin(), carry.end());
    }
    if (!tame(result, request.dtype)) result.clear();
    return result;
}

void run(cl::Task &task, const Request &request) {
    constexpr size_t kShort = 32; // rows that are not worth a work-group
    const Division division = divide_row(task.context(), request);
    const auto [group, items, tiles, runs] = division;
    const auto program = task.context().program("recurrence/chunked_look_ahead.cl",
                                                options(request) + text(" -DGP_GROUP=", group, " -DGP_ITEMS=", items));
    Table tables;
    if (request.n > kShort) tables = tables_of(request, division);
    const Constants constants = make_constants(task, request, tables);
    if (tables.empty()) return run_rows(task, *program, request, constants, group);

    const size_t square = request.order * request.order;
    const size_t all = request.batch * runs;
    const auto ends = runs > 1 ? task.work_space(all * request.order * dtype(request.dtype).size) : constants.tables;
    const auto range = cl::Range::groups(all, group);
    if (runs > 1) {
        task.launch(*program, "recurrence_ends", range, constants.in, ends, constants.tables, constants.initial,
                    uint64_t{request.n}, uint64_t{request.stride_in}, uint64_t{tiles}, uint64_t{runs}, constants.has_in,
                    constants.has_initial);
        task.launch(*program, "recurrence_carries", cl::Range::groups(request.batch, 1), ends,
                    constants.tables + (request.order + tables.size() - square), uint64_t{request.batch},
                    uint64_t{runs});
    }
    task.launch(*program, "recurrence_outputs", range, constants.in, request.out, ends, constants.tables,
                constants.initial, uint64_t{request.n}, uint64_t{request.stride_in}, uint64_t{request.stride_out},
                uint64_t{tiles}, uint64_t{runs}, constants.has_in, constants.has_initial);
}

std::string refuses(cl::Task &task, const Request &) { return refuses_tiles(task.context()); }

} // namespace

const Algorithm kChunkedLookAhead = {
    {"chunked-look-ahead", "work-items run short chunks, a work-group combines their states by matrices; for GPUs",
     "Kogge and Stone, A Parallel Algorithm for ... a General Class of Recurrence Equations, 1973", false, Suits::kGpu},
    refuses,
    run};

} // namespace gpcl::recurrence
