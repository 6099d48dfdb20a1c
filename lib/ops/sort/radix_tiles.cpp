// Radix sort by tiles in local memory, one work-group each; for GPUs. Host side of kernels/sort/radix_tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"
#include "ops/tiles.h"

#include <algorithm>

namespace gpcl::sort {
namespace {

std::string refuses(cl::Task &task, const Request &) {
    constexpr size_t kLocalBytes = 30 << 10; // a tile, the counters that rank it, a few words for each digit
    const auto &context = task.context();
    std::string why = refuses_tiles(context);
    if (!why.empty() || context.info().local_bytes >= kLocalBytes) return why;
    return text("it needs ", kLocalBytes >> 10, " KiB of local memory; the device has ",
                context.info().local_bytes >> 10);
}

// As divide_tiles, but with small work-groups on CPUs, which run work-items one after another: there a tile that is mostly
// empty costs as much as a full one.
Tiles divide_keys(const cl::Context &context, size_t n, size_t element_bytes) {
    constexpr size_t kGroupOnCpus = 64;
    Tiles tiles = divide_tiles(context, n, element_bytes);
    if (!context.is_cpu() || tiles.group <= kGroupOnCpus) return tiles;
    tiles.tiles *= tiles.group / kGroupOnCpus;
    tiles.group = kGroupOnCpus;
    tiles.runs = ceil_div(n, tiles.tiles * tiles.group * tiles.items);
    return tiles;
}

void run(cl::Task &task, const Request &r) {
    const Tiles tiles = divide_keys(task.context(), r.n, std::max(dtype(r.dtype).size, travelling_bytes(r)));
    const auto program = task.context().program("sort/radix_tiles.cl", key_options(r) + tiles.options());
    const auto groups = cl::Range::groups(tiles.runs, tiles.group);
    const auto digits = cl::Range::groups(kDigits, tiles.group);
    const uint64_t n = r.n;
    const uint64_t flip = flipped_bits(r);
    const auto runs = static_cast<uint32_t>(tiles.runs);
    const auto tiles_of_run = static_cast<uint32_t>(tiles.tiles);
    const cl::Operand counts = task.work_space(kDigits * tiles.runs * sizeof(uint32_t));
    const bool many = runs > 1; // the counts of a single run are the totals
    const cl::Operand totals = many ? task.work_space(kDigits * sizeof(uint32_t)) : counts;

    run_passes(task, r, [&](const Pass &pass) {
        const uint32_t shift = pass.shift;
        task.launch(*program, "sort_tiles_count", groups, n, tiles_of_run, shift, flip, pass.keys_in, counts);
        if (many) task.launch(*program, "sort_tiles_scan", digits, runs, counts, totals);
        if (travelling_bytes(r) == 0) {
            task.launch(*program, "sort_tiles_scatter", groups, n, tiles_of_run, shift, flip, pass.keys_in,
                        pass.keys_out, counts, totals);
        } else {
            const Stand values_in = or_else(pass.values_in, pass.values_out);
            const Stand keys_out = or_else(pass.keys_out, counts);
            task.launch(*program, "sort_tiles_scatter", groups, n, tiles_of_run, shift, flip, pass.keys_in,
                        keys_out.operand, counts, totals, values_in.operand, pass.values_out, values_in.absent,
                        keys_out.absent);
        }
    });
}

} // namespace

const Algorithm kRadixTiles = {
    {"radix-tiles", "radix sort, each work-group sorts tiles in local memory; for GPUs",
     "Satish, Harris and Garland, \"Designing Efficient Sorting Algorithms for Manycore GPUs\", "
     "2009",
     false, Suits::kGpu},
    refuses,
    run};

} // namespace gpcl::sort
