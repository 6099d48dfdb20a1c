// Histogram of floating-point numbers in even bins for GPUs: places and local atomics. Host side of
// kernels/histogram/local_even.cl.
// SPDX-License-Identifier: MIT
#include "ops/histogram/bins.h"
#include "ops/histogram/rooms.h"

namespace gpcl::histogram {
namespace {

const RoomParameters kRooms("local-even");
constexpr std::array kParameters = {&kRooms.group, &kRooms.at_once, &kRooms.per_unit, &kRooms.ranges, &kRooms.least};

// A work-item looks through the vectors that it loads together for the few elements in its range,
// of which a word holds the places. Measured on an H200, n = 2^26, 2^20 bins, GB/s by vectors: 1:
// 130, 2: 160, 4: 203, 8: 243.
constexpr size_t kMoreInPairs = 4, kMostAtOnce = 8;

constexpr double kNearest = 0.25; // places that are farther off are no use

// Does the kernel need pairs of floats? Where few elements are near a border without, it does not.
bool needs_pairs(const Request &r) { return r.dtype == GP_FLOAT32 && r.bins->places.near > 1.0 / 64; }

double near_of(const Request &r) { return needs_pairs(r) ? r.bins->places.near_of_pairs : r.bins->places.near; }

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const size_t size = dtype(r.dtype).size;
    Rooms rooms = divide_rooms(context, kRooms, r, size);
    if (needs_pairs(r)) rooms.at_once = std::min(rooms.at_once * kMoreInPairs, kMostAtOnce);
    const auto program = task.program(
        {"histogram/local_even.cl",
         text("-DGP_KEY_BYTES=", size, size == 8 ? " -DGP_FLOAT64" : "", needs_pairs(r) ? " -DGP_PAIRS" : "",
              rooms.has_fixed_copies() ? " -DGP_COPIES=32" : "", rooms.options(context), r.counted.option()),
         {},
         rooms.per_unit});
    const auto borders = task.constants(r.bins->borders);
    const auto state = rooms.state(task, r);
    const Places &places = r.bins->places;
    const bool pairs = needs_pairs(r);
    const double lower = pairs ? places.lower : places.middle, near = pairs ? near_of(r) : 0.5 - near_of(r);
    for_each_part(r, [&](const cl::Operand &in, size_t n, bool adds) {
        const auto launch = [&](auto real) {
            using Real = decltype(real);
            task.launch(*program, "histogram_local_even", rooms.range(), in, borders, state, r.counts, uint64_t{n},
                        static_cast<uint32_t>(r.bins->count), rooms.width, rooms.copies, rooms.sharers, uint32_t{adds},
                        static_cast<Real>(lower), static_cast<Real>(places.scale), static_cast<Real>(places.scale_low),
                        static_cast<Real>(near), r.counted.argument());
        };
        size == 8 ? launch(double{}) : launch(float{});
    });
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (r.dtype != GP_FLOAT32 && r.dtype != GP_FLOAT64) return "it counts float32 and float64 in even bins";
    if (r.dtype == GP_FLOAT64 && context.info().has_float64 == 0) return "it computes in float64";
    if (!r.bins->borders || !(near_of(r) < kNearest) || r.bins->count > kMostPlaces)
        return "it counts float32 and float64 in even bins";
    return refuses_rooms(context, kRooms, r);
}

bool fits(const cl::Context &context, const Request &r) { return fits_rooms(context, kRooms, r); }

} // namespace

const Algorithm kLocalEven = {{"local-even", "floats in even bins by one product, with local atomics; for GPUs",
                               "Podlozhnyuk, Histogram Calculation in CUDA, 2007", false, Suits::kGpu},
                              refuses,
                              run,
                              fits,
                              kParameters,
                              kTakesCounted};

} // namespace gpcl::histogram
