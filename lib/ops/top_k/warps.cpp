// Selection of the first k elements of many short rows, a warp a row. Host side of
// kernels/top_k/warps.cl.
// SPDX-License-Identifier: MIT
#include "ops/shape.h"
#include "ops/top_k/top_k.h"

#include <bit>

namespace gpcl::top_k {
namespace {

constexpr size_t kLanes = 32;
constexpr size_t kMostResults = 128;

const Parameter kGroup = {GP_TOP_K,
                          "warps",
                          "group",
                          "work-items of a work-group",
                          {32, 64, 128, 256},
                          [](const cl::Context &context, gp_dtype) {
                              const size_t most = std::bit_floor(context.info().work_group_size);
                              return std::clamp(most, size_t{32}, size_t{128});
                          }};
constexpr std::array kParameters = {&kGroup};

// Elements of a lane, and results of one.
struct Shape {
    size_t group, each, takes;

    Shape(const cl::Context &context, const Request &r)
        : group(tuned(context, r.dtype, kGroup)), each(std::bit_ceil(ceil_div(r.n(), kLanes))),
          takes(each == 1 || r.k <= kLanes ? 1 : kMostResults / kLanes) {}
    size_t bytes(const Request &r) const { return group * takes * (dtype(r.dtype).size + sizeof(uint32_t)); }
};

size_t longest(const Request &r) { return kLanes * 128 / std::max(dtype(r.dtype).size, sizeof(uint32_t)); }

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const Shape shape(context, r);
    const auto program =
        task.program({"top_k/warps.cl", text(r.options(), " -DGP_GROUP=", shape.group, " -DGP_EACH=", shape.each,
                                             " -DGP_TAKES=", shape.takes, context.features().options())});
    const size_t width = std::min(std::bit_ceil(shape.each == 1 ? r.n() : r.k), kLanes);
    const size_t rows = shape.group / (shape.each == 1 ? width : kLanes); // of a work-group
    launch(task, *program, "top_k_warps", cl::Range::groups(ceil_div(r.batch(), rows), shape.group), r,
           static_cast<uint32_t>(width));
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (r.n() > longest(r)) return {"it takes rows of up to ", longest(r), " elements, and n is ", r.n()};
    if (r.k > kMostResults) return {"it takes up to ", kMostResults, " elements, and k is ", r.k};
    const Shape shape(context, r);
    return refuses_shape(context, shape.group, shape.bytes(r) + lanes_bytes(context, shape.group));
}

// Measured on an H200 (float32, 2^24 elements, k 16): rows of 16 take 230 us here and 192 sorted in
// local memory; of 64 216 and 353, of 1024 84 and 240 by groups. A lone row of 1024 takes 12.7 us,
// 10.0 by groups. Columns are read side by side elsewhere.
bool fits(const cl::Context &context, const Request &r) {
    constexpr size_t kShort = 256; // a lone warp is quick with so many
    const bool enough = r.n() <= kShort || r.batch() >= context.info().compute_units;
    return r.n() > kLanes && enough && (r.batch() == 1 || r.rows.stride >= r.rows.step);
}

} // namespace

const Algorithm kWarps = {{"warps", "a warp finds the first elements of a short row in registers; for GPUs",
                           "Batcher, Sorting Networks and Their Applications, 1968", false, Suits::kGpu, 0, kShuffle},
                          refuses,
                          run,
                          fits,
                          kParameters,
                          kTakesCounted};

} // namespace gpcl::top_k
