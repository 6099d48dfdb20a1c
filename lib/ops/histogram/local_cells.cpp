// Histogram of floating-point numbers between any edges for GPUs: a table of cells and local
// atomics. Host side of kernels/histogram/local_cells.cl.
// SPDX-License-Identifier: MIT
#include "ops/histogram/bins.h"
#include "ops/histogram/rooms.h"

namespace gpcl::histogram {
namespace {

const RoomParameters kRooms("local-cells");
constexpr std::array kParameters = {&kRooms.group, &kRooms.at_once, &kRooms.per_unit, &kRooms.least};

// What lies in local memory beside the counters: the lows, and the cells.
size_t table_words(const Request &r) {
    return r.bins->lows.size() * dtype(r.dtype).size / sizeof(uint32_t) + r.bins->cells.count;
}

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const size_t size = dtype(r.dtype).size;
    const Cells &cells = r.bins->cells;
    const Rooms rooms = divide_rooms(context, kRooms, r, size, table_words(r));
    const auto program =
        task.program({"histogram/local_cells.cl",
                      text("-DGP_KEY_BYTES=", size, " -DGP_FLIP=2", size == 8 ? " -DGP_FLOAT64" : "",
                           cells.by_key ? " -DGP_BY_KEY" : "", rooms.options(context), r.counted.option()),
                      {},
                      rooms.per_unit});
    const auto table = table_of(task, r), touched = task.constants(cells.table);
    const auto state = rooms.state(task, r);
    for_each_part(r, [&](const cl::Operand &in, size_t n, bool adds) {
        const auto launch = [&](auto real) {
            using Real = decltype(real);
            task.launch(*program, "histogram_local_cells", rooms.range(), in, table, touched, state, r.counts,
                        uint64_t{n}, r.bins->first, r.bins->last, static_cast<uint32_t>(r.bins->lows.size()),
                        static_cast<uint32_t>(cells.count), cells.shift, static_cast<uint32_t>(r.bins->count),
                        rooms.copies, rooms.sharers, uint32_t{adds}, static_cast<Real>(cells.lower),
                        static_cast<Real>(cells.scale), r.counted.argument());
        };
        size == 8 ? launch(double{}) : launch(float{});
    });
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (r.dtype != GP_FLOAT32 && r.dtype != GP_FLOAT64) return "it counts float32 and float64 between edges";
    if (r.dtype == GP_FLOAT64 && context.info().has_float64 == 0) return "it computes in float64";
    if (!r.bins->cells.table || table_words(r) + r.bins->count > most_words(context))
        return "local memory does not hold so many bins";
    return refuses_rooms(context, kRooms, r);
}

} // namespace

const Algorithm kLocalCells = {{"local-cells",
                                "floats between any edges by a table of cells, with local atomics; for GPUs",
                                "Podlozhnyuk, Histogram Calculation in CUDA, 2007", false, Suits::kGpu},
                               refuses,
                               run,
                               nullptr,
                               kParameters,
                               kTakesCounted};

} // namespace gpcl::histogram
