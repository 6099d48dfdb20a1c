// Search for GPUs: a work-group a tile of values. Host side of kernels/search/tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/search/search.h"
#include "ops/shape.h"

#include <bit>

namespace gpcl::search {
namespace {

constexpr size_t kLeastGroup = 16;
constexpr size_t kLeastSamples = 64;
constexpr size_t kSamplesOfAValue = 4;
constexpr size_t kBounds = 32; // GP_BOUNDS of the kernel file, where work-groups have as many work-items

// Of local memory beside the samples: bounds, counts, pivots and flags.
size_t other_local_bytes(size_t group, size_t items) {
    return kBounds * (sizeof(uint64_t) + 3 * sizeof(uint32_t)) + (items * std::max(group / 32, size_t{1}) + 1) * 4 + 64;
}

const Parameter kGroup = {GP_SEARCH,
                          "tiles",
                          "group",
                          "work-items of a work-group",
                          {16, 32, 64, 128, 256, 512, 1024},
                          [](const cl::Context &context, gp_dtype) {
                              const size_t most = std::bit_floor(context.info().work_group_size);
                              return std::clamp(most, kLeastGroup, size_t{256});
                          }};
const Parameter kItems = {GP_SEARCH,        "tiles",  "items", "values of a work-item, where there are many",
                          {1, 2, 4, 8, 16}, always<8>};
const Parameter kTogether = {
    GP_SEARCH,        "tiles",
    "together",       "values that a work-item searches for side by side, where they are in no order",
    {1, 2, 4, 8, 16}, always<2>};
const Parameter kSamples = {GP_SEARCH,
                            "tiles",
                            "samples",
                            "elements of the array in local memory",
                            {64, 256, 512, 1024, 2048, 4096, 8192, 16384},
                            [](const cl::Context &context, gp_dtype type) {
                                constexpr size_t kBytes = 16 << 10, kMost = 4096;
                                const size_t bytes = std::min(kBytes, context.features().local_bytes / 2);
                                return std::clamp(std::bit_floor(bytes / dtype(type).size), kLeastSamples, kMost);
                            }};
const Parameter kGroups = {GP_SEARCH,
                           "tiles",
                           "groups",
                           "work-groups for each compute unit, where there are enough tiles",
                           {1, 2, 4, 8, 16, 32, 64},
                           always<16>};
const Parameter kLast = {GP_SEARCH, "tiles",
                         "last",    "2: the last few elements are read as vectors of 16 bytes; 1: one by one",
                         {1, 2},    always<2>};
constexpr std::array kParameters = {&kGroup, &kItems, &kTogether, &kSamples, &kGroups, &kLast};

void run(cl::Task &task, const Request &r) {
    constexpr size_t kLongest = size_t{1} << 31; // of an array whose places have 32 bits
    const cl::Context &context = task.context();
    const size_t group = tuned(context, r.dtype, kGroup), units = context.info().compute_units;
    size_t items = tuned(context, r.dtype, kItems);
    if (r.m < 2 * units * group * items) items = 1;
    const size_t tiles = ceil_div(r.m, group * items);
    const size_t wanted = ceil_div(tiles, std::min(tiles, units * tuned(context, r.dtype, kGroups)));
    const size_t run = std::min(wanted, std::min(group, kBounds) - 1);
    // A sample takes a work-group a read, and saves each of its values less than one.
    const size_t worth = std::bit_ceil(kSamplesOfAValue * group * items);
    const size_t samples = std::min(tuned(context, r.dtype, kSamples), worth);
    const auto program =
        task.program({"search/tiles.cl", text(r.options(), " -DGP_GROUP=", group, " -DGP_ITEMS=", items,
                                              " -DGP_TOGETHER=", std::min(items, tuned(context, r.dtype, kTogether)),
                                              " -DGP_SAMPLES=", samples, " -DGP_LAST=", tuned(context, r.dtype, kLast),
                                              r.n > kLongest ? " -DGP_WIDE" : "")});
    launch(task, *program, "search_tiles", cl::Range::groups(ceil_div(tiles, run), group), r, uint64_t{tiles},
           uint64_t{run});
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const size_t group = tuned(context, r.dtype, kGroup);
    return refuses_shape(context, group,
                         tuned(context, r.dtype, kSamples) * dtype(r.dtype).size +
                             other_local_bytes(group, tuned(context, r.dtype, kItems)));
}

} // namespace

const Algorithm kTiles = {{"tiles", "a work-group searches for a tile of values, first among samples; for GPUs",
                           "Khuong and Morin, Array Layouts for Comparison-Based Searching, 2017", false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kParameters,
                          kTakesCounted};

} // namespace gpcl::search
