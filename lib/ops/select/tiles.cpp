// Select by tiles, without progress between work-groups: a launch where there are a few tiles, else
// counts of runs of tiles, then the outputs. Host side of kernels/select/tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/select/select.h"
#include "ops/shape.h"

namespace gpcl::select {

namespace {

// Not measured: as many flags as a vector holds of each work-item.
constexpr std::array<Row<Shape>, 5> kShapes = {{
    {{.group = 256, .local_bytes = 22 << 10, .most_bytes = 4}, {256, 16}},
    {{.group = 256, .local_bytes = 38 << 10}, {256, 16}},
    {{.group = 128, .local_bytes = 20 << 10}, {128, 16}},
    {{.group = 64, .local_bytes = 11 << 10}, {64, 16}},
    {{}, {32, 16}},
}};

struct Parameters {
    Parameter group, items;

    Parameters(const char *algorithm)
        : group{GP_SELECT,
                algorithm,
                "group",
                "work-items of a work-group",
                {32, 64, 128, 256, 512},
                of_row<kShapes, &Shape::group>},
          items{GP_SELECT, algorithm, "items", "elements of each work-item", {16, 32}, of_row<kShapes, &Shape::items>} {
    }
    Shape shape(const cl::Context &context, const Request &r) const {
        return {tuned(context, r.type, group), tuned(context, r.type, items)};
    }
    Refusal refuses(const cl::Context &context, const Request &r) const {
        constexpr size_t kSums = 2 * sizeof(uint64_t), kOther = 256;
        const Shape how = shape(context, r);
        return refuses_shape(context, how.group,
                             how.tile_bytes(r) + how.group * kSums + lanes_bytes(context, how.group) + kOther);
    }
};

// ---- A few tiles --------------------------------------------------------------------------------

constexpr size_t kMostTiles = 4096; // lest work grow with their square for ever

const Parameters kFew("few-tiles");
const Parameter kMost = {GP_SELECT,
                         "few-tiles",
                         "most",
                         "elements up to which it is chosen; twice as many by flags, and four times for a partition",
                         {1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18},
                         always<size_t{1} << 15>};
constexpr std::array kFewParameters = {&kFew.group, &kFew.items, &kMost};

cl::Range range_of(size_t groups, const Shape &how) {
    return cl::Range::groups(std::max<size_t>(groups, 1), how.group);
}

void run_few(cl::Task &task, const Request &r) {
    const Shape how = kFew.shape(task.context(), r);
    const auto program =
        task.program({"select/tiles.cl",
                      r.options() + how.options() + " -DGP_OWN=1" + task.context().features().options(), r.source});
    launch_with_outputs(task, *program, "select_tiles", range_of(ceil_div(r.n, how.tile()), how), r, r.count);
}

Refusal refuses_few(const cl::Context &context, const Request &r) {
    if (Refusal refusal = kFew.refuses(context, r)) return refusal;
    const size_t most = kMostTiles * kFew.shape(context, r).tile();
    if (r.n > most) return {"each work-group counts what is before its tile; it takes up to ", most, " elements"};
    return {};
}

// A partition of elements of 4 bytes by flags on an H100, us, beside look-back: 2^15 6.3 and 8.4,
// 2^16 6.4 and 8.4, 2^17 7.7 and 8.4, 2^18 10.5 and 8.4. Other keys than flags are more bytes to
// count.
bool fits_few(const cl::Context &context, const Request &r) {
    const bool by_flags = !r.has_text() && dtype(r.key_type).size == 1;
    return r.n <= tuned(context, r.type, kMost) * (by_flags ? (r.rest ? 4 : 2) : 1);
}

// ---- Many ---------------------------------------------------------------------------------------

const Parameters kMany("tiles");
const Parameter kRuns = {GP_SELECT,        "tiles",
                         "groups",         "work-groups for each compute unit, where there are enough tiles",
                         {1, 2, 4, 8, 16}, always<8>};
constexpr std::array kManyParameters = {&kMany.group, &kMany.items, &kRuns};

void run(cl::Task &task, const Request &r) {
    const Shape how = kMany.shape(task.context(), r);
    const auto program =
        task.program({"select/tiles.cl",
                      r.options() + how.options() + " -DGP_OWN=0" + task.context().features().options(), r.source});
    const size_t most = tuned(task.context(), r.type, kRuns) * task.context().info().compute_units;
    const size_t runs = std::min(ceil_div(r.n, how.tile()), most);
    const cl::Operand counts = task.work_space(runs * sizeof(uint64_t));
    launch(task, *program, "select_counts", range_of(runs, how), r, counts);
    launch_with_outputs(task, *program, "select_tiles", range_of(runs, how), r, counts);
}

Refusal refuses(const cl::Context &context, const Request &r) { return kMany.refuses(context, r); }

} // namespace

const Algorithm kFewTiles = {{"few-tiles", "one launch: each work-group counts what is before its tile; for GPUs",
                              "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kGpu},
                             refuses_few,
                             run_few,
                             fits_few,
                             kFewParameters};

const Algorithm kTiles = {{"tiles", "work-groups count runs of tiles, then move them; for GPUs",
                           "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kManyParameters};

} // namespace gpcl::select
