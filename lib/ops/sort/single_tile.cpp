// Merge sort in one work-group, for few keys. Host side of kernels/sort/single_tile.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"

#include <bit>

namespace gpcl::sort {
namespace {

const Parameter kMost = {GP_SORT,
                         "single-tile",
                         "most",
                         "keys that it sorts, if local memory has room; for more, several work-groups pay",
                         {256, 512, 1024, 2048, 4096, 8192},
                         always<4096>};
constexpr std::array kParameters = {&kMost};

struct Shape {
    size_t group, items;
    size_t most() const { return group * items; }
};

// As many keys as local memory holds with an index of 16 bits each; two of both where a work-item
// is alone.
Shape shape(const cl::Context &context, const Request &r) {
    const size_t key_bytes = dtype(r.dtype).size + sizeof(uint16_t);
    const bool alone = context.is_cpu() || context.info().work_group_size < 64;
    const size_t most =
        std::min<uint64_t>(tuned(context, r.dtype, kMost),
                           std::bit_floor(context.info().local_bytes / (alone ? 2 * key_bytes : key_bytes)));
    const size_t group = alone ? 1 : std::min({size_t{512}, std::bit_floor(context.info().work_group_size), most});
    return {group, most / group};
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const size_t most = shape(context, r).most();
    return r.n <= most ? Refusal{} : Refusal{"it sorts up to ", most, " of these keys, and n is ", r.n};
}

void run(cl::Task &task, const Request &r) {
    const auto [group, items] = shape(task.context(), r);
    const auto program = task.program({"sort/single_tile.cl", text(key_options_alone(r), " -DGP_GROUP=", group,
                                                                   " -DGP_ITEMS=", items, word_options(r))});
    launch_in_place(task, *program, "sort_single_tile", cl::Range::groups(1, group), r);
}

} // namespace

const Algorithm kSingleTile = {{"single-tile", "merge sort of a few thousand keys in one work-group",
                                "Satish, Harris and Garland, \"Designing Efficient Sorting Algorithms for Manycore "
                                "GPUs\", 2009",
                                false},
                               refuses,
                               run,
                               nullptr,
                               kParameters};

} // namespace gpcl::sort
