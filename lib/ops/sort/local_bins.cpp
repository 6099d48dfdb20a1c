// Bucket sort in one work-group, for some thousand keys, or for each of many rows. Host side of
// kernels/sort/local_bins.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/bins.h"

#include "core/size.h"

#include <bit>

namespace gpcl::sort {
namespace {

constexpr size_t kMostItems = 16;

const Parameter kGroup = {GP_SORT,
                          "local-bins",
                          "group",
                          "most work-items of its work-group",
                          {64, 128, 256, 512, 1024},
                          [](const cl::Context &context, gp_dtype) {
                              return std::clamp(std::bit_floor(context.info().work_group_size), kLeastBinsGroup,
                                                size_t{1024});
                          }};
const Parameter kItems = {GP_SORT,      "local-bins", "items", "keys of a work-item before there are more work-items",
                          {1, 2, 4, 8}, always<2>};
// Measured on an H100, Gkey/s of calls in a chain, in one work-group and by sample-bins: uint32,
// random 2^13 0.60, 0.60, 2^14 0.90, 1.08; clustered 0.21, 0.34 and 0.23, 0.77.
const Parameter kMost = {GP_SORT,
                         "local-bins",
                         "most",
                         "keys that it sorts, if local memory has room; for more, several work-groups pay",
                         {1024, 2048, 4096, 8192, 16384},
                         always<4096>};
constexpr std::array kParameters = {&kGroup, &kItems, &kMost};

// Of rows, where units have enough to do with many small work-groups.
const Parameter kRowItemsOfBins = {
    GP_SORT, "row-bins", "items", "keys of a work-item before there are more work-items", {1, 2, 4, 8, 16}, always<8>};
constexpr std::array kRowParameters = {&kRowItemsOfBins};

// Where keys came, and a column of values with their order.
size_t local_bytes(const cl::Context &context, const Request &r, const BinsShape &shape) {
    const size_t word = word_bytes(r);
    return bins_bytes(context, r, shape,
                      (is_stable(r) ? sizeof(uint16_t) : 0) + (word != 0 ? word + sizeof(uint16_t) : 0));
}

bool has_room(const cl::Context &context, const Request &r, const BinsShape &shape) {
    return local_bytes(context, r, shape) <= context.features().local_bytes;
}

// Where local memory stands in for what the device lacks, one shape does, whatever n is.
BinsShape portable_shape(const cl::Context &context, const Request &r) {
    BinsShape shape{std::min(tuned(context, r.dtype, kGroup), size_t{256}), 8};
    while (shape.items > 0 && !has_room(context, r, shape)) shape.items /= 2;
    return shape;
}

// `items` keys of a work-item before there are more than `most` of them.
BinsShape shape_of(size_t n, size_t items, size_t most) {
    const size_t group = std::clamp(std::bit_ceil(ceil_div(n, items)), kLeastBinsGroup, most);
    return {group, std::bit_ceil(ceil_div(n, group))};
}

BinsShape shape_of(const cl::Context &context, const Request &r, size_t n) {
    if (context.features().shuffles_in_local_memory()) return portable_shape(context, r);
    return shape_of(n, tuned(context, r.dtype, kItems), tuned(context, r.dtype, kGroup));
}

// As many as there is room for, but no more than `limit`.
size_t most_keys(const cl::Context &context, const Request &r, size_t limit) {
    if (context.features().shuffles_in_local_memory()) return std::min(limit, portable_shape(context, r).most());
    size_t most = std::min(limit, tuned(context, r.dtype, kGroup) * kMostItems);
    while (most > 0 && !has_room(context, r, shape_of(context, r, most))) most /= 2;
    return most;
}

Refusal refuses(const cl::Context &context, const Request &r) {
    return refuses_local_bins(context, r, tuned(context, r.dtype, kMost));
}

Refusal refuses_rows(const cl::Context &context, const Request &r) { return refuses_local_bins(context, r, SIZE_MAX); }

void run(cl::Task &task, const Request &r) {
    const BinsShape shape = local_bins_shape(task.context(), r);
    const auto program = task.program({"sort/local_bins.cl", bins_options(task.context(), r, shape)});
    launch_in_place(task, *program, "sort_local_bins", cl::Range::groups(1, shape.group), r, r.counted.argument());
}

BinsShape row_shape(const cl::Context &context, const Request &r) {
    if (context.features().shuffles_in_local_memory()) return portable_shape(context, r);
    if (r.batch <= context.info().compute_units) return shape_of(context, r, r.n);
    const size_t most = tuned(context, r.dtype, kGroup);
    BinsShape shape = shape_of(r.n, tuned(context, r.dtype, kRowItemsOfBins), most);
    while (!has_room(context, r, shape) && shape.group < most) shape = {2 * shape.group, shape.items / 2};
    return shape;
}

// Work-groups of rows and segments wait for local memory much of the time, so a unit is to hold
// several. Left to itself, ptxas gives a work-item 77 to 163 registers, by types. Measured on an
// H200, Gkey/s, rows of 1000 and segments of 0 to 2000 keys, before places_in_bins: uint32 110 and
// 61 without a bound, 130 and 77 with 1024 work-items a unit, 132 and 79 with 1280; with 4 bytes 65
// and 40, 82 and 56, 79 and 57. With it, 1024, 1280 and 1536 work-items, the rows: uint32 140, 142,
// 137; with 4 bytes 91, 87, 81; float32 89, 92, 91.
size_t groups_per_unit(const BinsShape &shape) {
    constexpr size_t kLeastItems = 1024; // that a unit has registers for
    return std::max(kLeastItems / shape.group, size_t{1});
}

BinsShape listed_shape(const cl::Context &context, const Request &r, size_t most) {
    if (context.features().shuffles_in_local_memory()) return portable_shape(context, r);
    return shape_of(most, tuned(context, r.dtype, kRowItemsOfBins), tuned(context, r.dtype, kGroup));
}

void run_rows_in_bins(cl::Task &task, const Request &r) {
    const BinsShape shape = row_shape(task.context(), r);
    const auto program = task.program(
        {"sort/local_bins.cl", bins_options(task.context(), r, shape) + " -DGP_ROWS", {}, groups_per_unit(shape)});
    launch_in_place(task, *program, "sort_local_bins", cl::Range::groups(r.batch, shape.group), r, uint64_t{r.stride});
}

} // namespace

BinsShape local_bins_shape(const cl::Context &context, const Request &r) { return shape_of(context, r, r.n); }

Refusal refuses_local_bins(const cl::Context &context, const Request &r, size_t limit) {
    const size_t group = tuned(context, r.dtype, kGroup);
    if (context.info().work_group_size < group)
        return {"it needs work-groups of ", group, "; the device has ", context.info().work_group_size};
    const size_t most = most_keys(context, r, limit);
    return r.n <= most ? Refusal{} : Refusal{"it sorts up to ", most, " of these keys, and n is ", r.n};
}

size_t most_listed(const cl::Context &context, const Request &r) {
    if (context.features().shuffles_in_local_memory()) return portable_shape(context, r).most();
    size_t most = tuned(context, r.dtype, kGroup) * kMostItems;
    while (most > 0 && !has_room(context, r, listed_shape(context, r, most))) most /= 2;
    return most;
}

void sort_listed(cl::Task &task, const Request &r, size_t most, const Lists &lists, const Listed &listed) {
    constexpr size_t kItemsPerUnit = 2048, kGroupsPerUnit = 32; // that a compute unit may hold
    const auto &context = task.context();
    const BinsShape shape = listed_shape(context, r, most);
    const auto program = task.program(
        {"sort/local_bins.cl", bins_options(context, r, shape) + " -DGP_LIST", {}, groups_per_unit(shape)});
    const size_t at_once = std::min(kItemsPerUnit / shape.group, kGroupsPerUnit) * context.info().compute_units;
    const auto range =
        cl::Range::groups(std::clamp(at_once, size_t{1}, size_t{listed.end - listed.first}), shape.group);
    launch_in_place(task, *program, "sort_listed_bins", range, r, lists.counts, lists.entries, listed.kind,
                    listed.first, listed.end);
}

const Algorithm kLocalBins = {{"local-bins", "bucket sort of some thousand keys in one work-group's local memory",
                               "Stehle and Jacobsen, \"A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs\", 2017",
                               false, Suits::kGpu, 0, kShuffle},
                              refuses,
                              run,
                              nullptr,
                              kParameters,
                              kTakesCounted};

const Algorithm kRowBins = {{"row-bins", "bucket sort of each row in one work-group's local memory",
                             "Stehle and Jacobsen, \"A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs\", 2017",
                             false, Suits::kByName, 0, kShuffle},
                            refuses_rows,
                            run_rows_in_bins,
                            nullptr,
                            kRowParameters};

} // namespace gpcl::sort
