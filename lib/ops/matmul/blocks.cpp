// Matrix product, a work-item a block of 4 x 4 elements. Host side of kernels/matmul/blocks.cl,
// blocks_arrays.cl and blocks_and_tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/padded.h"

namespace gpcl::matmul {
namespace {

constexpr size_t kBlock = 4;
constexpr size_t kTile = 16;

// `deep_tiles`: k is padded to whole tiles too.
void launch(cl::Task &task, const Request &request, const char *file, const char *kernel, bool deep_tiles) {
    const size_t side = square_group(task.context(), kTile);
    const auto program = task.program({file, deep_tiles ? text("-DGP_TILE=", side) : std::string()});
    run_padded(task, request, kBlock * side, kBlock * side, deep_tiles ? kBlock * side : kBlock,
               [&](const Padded &padded) {
                   const size_t across = padded.n / kBlock / side, down = padded.m / kBlock / side;
                   task.launch(*program, kernel, cl::Range::groups({across, down, 1}, {side, side, 1}), padded.a,
                               padded.b, padded.c, padded.n, padded.k);
               });
}

void run(cl::Task &task, const Request &request) { launch(task, request, "matmul/blocks.cl", "matmul_blocks", false); }

void run_arrays(cl::Task &task, const Request &request) {
    launch(task, request, "matmul/blocks_arrays.cl", "matmul_blocks_arrays", false);
}

void run_with_tiles(cl::Task &task, const Request &request) {
    launch(task, request, "matmul/blocks_and_tiles.cl", "matmul_blocks_and_tiles", true);
}

Refusal refuses(const cl::Context &, const Request &request) { return refuses_but_float32(request, GP_PLUS_TIMES); }

Refusal refuses_with_tiles(const cl::Context &context, const Request &request) {
    const auto &info = context.info();
    const size_t edge = kBlock * square_group(context, kTile);
    const size_t local_bytes = 2 * edge * edge * sizeof(float);
    if (info.local_bytes < local_bytes)
        return {"it needs ", local_bytes, " bytes of local memory; the device has ", info.local_bytes};
    return refuses(context, request);
}

} // namespace

const Algorithm kBlocks = {{"blocks", "a work-item a block of 4 x 4 elements of C, in float4 vectors",
                            "Gruber, GPGPU Computing with OpenCL, 2013, 3.4", false, Suits::kByName},
                           refuses,
                           run};

const Algorithm kBlocksArrays = {{"blocks-arrays", "as blocks, with private arrays instead of vectors",
                                  "Gruber, GPGPU Computing with OpenCL, 2013, 3.6", false, Suits::kByName},
                                 refuses,
                                 run_arrays};

const Algorithm kBlocksAndTiles = {{"blocks-and-tiles", "as blocks, from tiles of blocks in local memory",
                                    "Gruber, GPGPU Computing with OpenCL, 2013, 3.5", false, Suits::kByName},
                                   refuses_with_tiles,
                                   run_with_tiles};

} // namespace gpcl::matmul
