// Matrix product, a work-group a tile of C. Host side of kernels/matmul/tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/padded.h"

namespace gpcl::matmul {
namespace {

constexpr size_t kTile = 16;

void run(cl::Task &task, const Request &request) {
    const size_t side = square_group(task.context(), kTile);
    const auto program = task.program({"matmul/tiles.cl", text("-DGP_TILE=", side)});
    run_padded(task, request, side, side, side, [&](const Padded &padded) {
        task.launch(*program, "matmul_tiles", cl::Range::groups({padded.n / side, padded.m / side, 1}, {side, side, 1}),
                    padded.a, padded.b, padded.c, padded.n, padded.k);
    });
}

Refusal refuses(const cl::Context &, const Request &request) { return refuses_but_float32(request, GP_PLUS_TIMES); }

} // namespace

const Algorithm kTiles = {{"tiles", "one work-item an element of C, from 16 x 16 tiles in local memory",
                           "Gruber, GPGPU Computing with OpenCL, 2013, 3.3", false, Suits::kByName},
                          refuses,
                          run};

} // namespace gpcl::matmul
