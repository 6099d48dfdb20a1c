// Radix sort by tiles in local memory, one work-group each; for GPUs. Host side of
// kernels/sort/radix_tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"
#include "ops/tiles.h"

#include <algorithm>

namespace gpcl::sort {
namespace {

// Small work-groups on CPUs, which run work-items one after another: there a tile that is mostly
// empty costs as much as a full one.
size_t group_of(const cl::Context &context, gp_dtype type) {
    const size_t group = TileParameters::computed_group(context, type);
    return context.is_cpu() ? std::min(group, size_t{64}) : group;
}

const TileParameters kTiles(GP_SORT, "radix-tiles", group_of);
constexpr std::array kParameters = {&kTiles.group, &kTiles.per_unit};

Refusal refuses(const cl::Context &context, const Request &r) {
    // Of a tile and the counters that rank it, for each work-item; a few words for each digit.
    constexpr size_t kEach = 108, kFixed = 2 << 10;
    const Refusal why = refuses_tiles(context, kTiles, r.dtype);
    const size_t needed = kFixed + kEach * most_tile_group(context);
    if (why || context.info().local_bytes >= needed) return why;
    return {"it needs ", ceil_div(needed, size_t{1024}), " KiB of local memory; the device has ",
            context.info().local_bytes >> 10};
}

// As divide_tiles for the largest work-groups, each of whose tiles smaller ones take as several.
Tiles divide_keys(const cl::Context &context, gp_dtype type, size_t n, size_t element_bytes) {
    const size_t most = most_tile_group(context), group = std::min(tuned(context, type, kTiles.group), most);
    Tiles tiles = divide_tiles(context, most, tuned(context, type, kTiles.per_unit), n, element_bytes, 1);
    tiles.tiles *= most / group;
    tiles.group = group;
    tiles.runs = ceil_div(n, tiles.tiles * tiles.group * tiles.items);
    return tiles;
}

// The division of work, and what it takes beside the arrays.
struct Plan {
    Tiles tiles;
    cl::Operand counts, totals, varying;

    Plan(cl::Task &task, const Request &r)
        : tiles(divide_keys(task.context(), r.dtype, r.n, std::max(dtype(r.dtype).size, travelling_bytes(r)))) {
        counts = totals = task.work_space(kDigits * tiles.runs, sizeof(uint32_t));
        if (tiles.runs > 1)
            totals = task.work_space(kDigits, sizeof(uint32_t)); // the counts of a single run are the totals
        varying = task.work_space(1, sizeof(uint32_t));
    }
};

void run(cl::Task &task, const Request &r) {
    const Plan plan(task, r);
    const Arrays arrays(task, r);
    const auto &[tiles, counts, totals, varying] = plan;
    const auto program = task.program({"sort/radix_tiles.cl", key_options(r) + tiles.options()});
    const auto groups = cl::Range::groups(tiles.runs, tiles.group);
    const Digits all = digits(r);
    const uint32_t begin = all.begin, last = all.last, passes = all.passes;
    const uint64_t n = r.n;
    const uint64_t flip = flipped_bits(r);
    const auto runs = static_cast<uint32_t>(tiles.runs);
    const auto tiles_of_run = static_cast<uint32_t>(tiles.tiles);
    task.clear(varying, 1);

    run_passes(task, r, arrays, [&](const Pass &pass) {
        launch_pass(task, *program, "sort_tiles_count", groups, r, arrays, pass, n, tiles_of_run, pass.shift, flip,
                    begin, last, passes, plan.counts, plan.varying);
        if (runs > 1)
            task.launch(*program, "sort_tiles_scan", cl::Range::groups(kDigits, plan.tiles.group), runs, pass.number,
                        passes, pass.flags, plan.counts, plan.totals, plan.varying);
        launch_pass(task, *program, "sort_tiles_scatter", groups, r, arrays, pass, n, tiles_of_run, pass.shift, flip,
                    passes, plan.counts, plan.totals, plan.varying);
    });
}

} // namespace

const Algorithm kRadixTiles = {
    {"radix-tiles", "radix sort, each work-group sorts tiles in local memory; for GPUs",
     "Satish, Harris and Garland, \"Designing Efficient Sorting Algorithms for Manycore GPUs\", "
     "2009",
     false, Suits::kGpu},
    refuses,
    run,
    nullptr,
    kParameters,
    kTakesCounted};

} // namespace gpcl::sort
