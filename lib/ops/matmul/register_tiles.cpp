// Matrix product for GPUs: a work-group a tile of C. Host side of kernels/matmul/register_tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/split_k.h"

namespace gpcl::matmul {
namespace {

const Parameter kDepth = {GP_MATMUL,
                          "register-tiles",
                          "depth",
                          "how much of k a tile in local memory holds",
                          {8, 16, 32},
                          always<16>,
                          {{"H200", GP_FLOAT32, 32, "28.3 TFLOP/s at n = 4096, 5 % more than 16"}}};
constexpr std::array kParameters = {&kDepth};

// A tile of C is TILE x TILE elements, 8 x 8 a work-item.
constexpr size_t kGroup = 64;
constexpr size_t kTile = 64;

constexpr uint64_t kLeastSlice = 256; // of k that is worth a work-group

void run(cl::Task &task, const Request &request) {
    const auto program = task.program(
        {"matmul/register_tiles.cl",
         semiring_options(request, 4) + text(" -DGP_MINIMUM_BUILTIN -DGP_GROUP=", kGroup, " -DGP_TILE=", kTile,
                                             " -DGP_DEPTH=", tuned(task.context(), request.dtype, kDepth)),
         request.preamble});
    const size_t tiles = multiply(ceil_div<size_t>(request.m, kTile) * ceil_div<size_t>(request.n, kTile),
                                  request.batch, "register-tiles");
    const Slices slices(task, request, slices_of(task.context(), tiles, request.k, kLeastSlice), 4);
    launch_on_matrices(task, *program, "matmul_register_tiles",
                       cl::Range::groups(multiply(tiles, slices.count, "register-tiles"), kGroup), request,
                       slices.count, slices.sums);
    if (slices.count > 1) add_slices(task, *program, request, slices);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    const auto &info = context.info();
    const size_t depth = tuned(context, request.dtype, kDepth);
    const size_t local_bytes = 2 * depth * (kTile + 4) * value_size(request);
    if (info.work_group_size < kGroup)
        return {"it needs work-groups of ", kGroup, "; the device has ", info.work_group_size};
    if (info.local_bytes < local_bytes)
        return {"it needs ", local_bytes, " bytes of local memory; the device has ", info.local_bytes};
    return {};
}

} // namespace

const Algorithm kRegisterTiles = {{"register-tiles", "a work-group a tile of C, from tiles in local memory; for GPUs",
                                   "Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra, 2008", false,
                                   Suits::kGpu},
                                  refuses,
                                  run,
                                  nullptr,
                                  kParameters};

} // namespace gpcl::matmul
