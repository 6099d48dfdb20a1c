// Selection of the first k elements of many short rows, which are sorted. Host side of
// kernels/top_k/sorted_rows.cl.
// SPDX-License-Identifier: MIT
#include "ops/shape.h"
#include "ops/top_k/top_k.h"

#include <bit>

namespace gpcl::top_k {
namespace {

size_t group_of(const cl::Context &context, gp_dtype) {
    return std::min(size_t{256}, std::bit_floor(context.info().work_group_size));
}
const Parameter kGroup = {
    GP_TOP_K, "sorted-rows", "group", "work-items of a work-group", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, group_of};
// Measured on an H200 (float32): a row of 1024 takes 15.8 us here, one of 4096 by groups 11.0;
// 65536 rows of 1024 3.1 ms, 16384 of 4096 by groups 0.72 ms; 262144 of 256 here 2.2 ms.
const Parameter kMost = {
    GP_TOP_K,   "sorted-rows", "most", "elements of rows for which it is chosen", {32, 64, 128, 256, 512, 1024, 2048},
    always<256>};
constexpr std::array kParameters = {&kGroup, &kMost};

constexpr size_t kRoom = 1024; // elements in local memory, unless a row has more

size_t room_of(const Request &r) { return std::max(kRoom, std::bit_ceil(r.n())); }

void run(cl::Task &task, const Request &r) {
    const size_t group = tuned(task.context(), r.dtype, kGroup), room = room_of(r), width = std::bit_ceil(r.n());
    const auto program =
        task.program({"top_k/sorted_rows.cl", text(r.options(), " -DGP_GROUP=", group, " -DGP_ROOM=", room)});
    launch(task, *program, "top_k_sorted_rows", cl::Range::groups(ceil_div(r.batch(), room / width), group), r,
           static_cast<uint32_t>(width));
}

Refusal refuses(const cl::Context &context, const Request &r) {
    constexpr size_t kLongest = 2048;
    if (r.n() > kLongest) return {"it sorts rows of up to ", kLongest, " elements, and n is ", r.n()};
    return refuses_shape(context, tuned(context, r.dtype, kGroup),
                         room_of(r) * (dtype(r.dtype).size + sizeof(uint32_t)));
}

bool fits(const cl::Context &context, const Request &r) { return r.n() <= tuned(context, r.dtype, kMost); }

} // namespace

const Algorithm kSortedRows = {{"sorted-rows", "a work-group sorts several short rows in local memory; for GPUs",
                                "Batcher, Sorting Networks and Their Applications, 1968", false, Suits::kGpu},
                               refuses,
                               run,
                               fits,
                               kParameters,
                               kTakesCounted};

} // namespace gpcl::top_k
