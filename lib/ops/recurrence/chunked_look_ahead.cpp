// Recurrence for GPUs: look-ahead over a work-group, runs of tiles. Host side of
// kernels/recurrence/chunked_look_ahead.cl.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/tiles.h"

#include <bit>

namespace gpcl::recurrence {
namespace {

constexpr size_t kWarp = 32;

// On CPUs, where work-items run one after another, large work-groups only cost.
size_t most_group(const cl::Context &context, gp_dtype) {
    const size_t wanted = context.is_cpu() ? kWarp : 512;
    return std::max(std::bit_floor(std::min(wanted, context.info().work_group_size)), kWarp);
}

const Parameter kGroup = {GP_RECURRENCE,
                          "chunked-look-ahead",
                          "group",
                          "work-items of a work-group, or what local memory has room for",
                          {32, 64, 128, 256, 512},
                          most_group};
const Parameter kUnits = {
    GP_RECURRENCE, "chunked-look-ahead", "units", "vectors of 16 bytes of a work-item in a tile", {2, 3, 4, 5, 7, 8},
    always<4>};
const Parameter kRunsPerUnit = {
    GP_RECURRENCE, "chunked-look-ahead", "groups", "work-groups for each compute unit", {1, 2, 4, 8, 16}, always<4>};
constexpr std::array kParameters = {&kGroup, &kUnits, &kRunsPerUnit};

// Local memory of a work-item: its elements, and its state twice; what the group needs beside that
// fits the reserve.
size_t local_bytes(const Request &request, size_t units) {
    return units * 16 + 2 * request.order * dtype(request.dtype).size;
}

// The division depends on the device and the sizes only, so results do not change from run to run.
struct Division {
    size_t group, units;
    size_t tiles, runs; // tiles of a run, runs of a row
};

size_t group_of(const cl::Context &context, const Request &request) {
    constexpr size_t kReserve = 8 << 10;
    const size_t wanted = std::min(tuned(context, request.dtype, kGroup), context.info().work_group_size);
    if (context.info().local_bytes <= kReserve || wanted == 0) return 0;
    const size_t bytes = local_bytes(request, tuned(context, request.dtype, kUnits));
    return std::bit_floor(std::min<uint64_t>(wanted, (context.info().local_bytes - kReserve) / bytes));
}

Division divide_row(const cl::Context &context, const Request &request) {
    const size_t group = group_of(context, request), units = tuned(context, request.dtype, kUnits);
    const size_t per_unit = tuned(context, request.dtype, kRunsPerUnit);
    const size_t tiles = ceil_div(request.n, group * items_of(request, units));
    const size_t wanted = std::max(context.info().compute_units * per_unit / request.batch, size_t{1});
    const size_t run = ceil_div(tiles, std::min({tiles, wanted, group}));
    return {group, units, run, ceil_div(tiles, run)};
}

void run(cl::Task &task, const Request &request) {
    constexpr size_t kShort = 32; // rows that are not worth a work-group
    const auto [group, units, tiles, runs] = divide_row(task.context(), request);
    const auto program = task.program(
        {"recurrence/chunked_look_ahead.cl", text(options(request), " -DGP_GROUP=", group, " -DGP_UNITS=", units)});
    const size_t items = items_of(request, units);
    Table tables;
    if (request.n > kShort) tables = powers(request, items, tiles * group);
    const bool is_tame = !tables.empty() && tame(tables, request.dtype);
    if (!is_tame) tables.clear();
    const Constants constants = make_constants(task, request, tables);
    if (!is_tame) return run_rows(task, *program, request, constants, group);

    const size_t all = request.batch * runs;
    const auto ends = task.work_space(all * request.order * dtype(request.dtype).size);
    const auto range = cl::Range::groups(all, group);
    if (runs > 1)
        task.launch(*program, "recurrence_ends", range, constants.in, ends, constants.tables, uint64_t{request.n},
                    uint64_t{request.stride_in}, uint64_t{tiles}, uint64_t{runs}, constants.has_in);
    task.launch(*program, "recurrence_outputs", range, constants.in, request.out, ends, constants.tables,
                constants.initial, uint64_t{request.n}, uint64_t{request.stride_in}, uint64_t{request.stride_out},
                uint64_t{tiles}, uint64_t{runs}, constants.has_in, constants.has_initial);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (group_of(context, request) >= kWarp) return {};
    const auto &info = context.info();
    return {"it needs work-groups of ", kWarp, " and some local memory; the device has ", info.work_group_size, " and ",
            info.local_bytes >> 10,     " KiB"};
}

} // namespace

const Algorithm kChunkedLookAhead = {
    {"chunked-look-ahead", "work-items run short chunks, a work-group combines their states by matrices; for GPUs",
     "Maleki and Burtscher, Automatic Hierarchical Parallelization of Linear Recurrences, 2018", false, Suits::kGpu},
    refuses,
    run,
    nullptr,
    kParameters};

} // namespace gpcl::recurrence
