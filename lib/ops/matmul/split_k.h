// Products cut along k, for small C and large k. Host side of kernels/matmul/split_k.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/size.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {

// Into how many slices to cut k, at least `least` long, so that `groups` work-groups for each fill
// the device. Depends on the device and the shape alone, so that results don't change from run to
// run.
uint64_t slices_of(const cl::Context &context, uint64_t groups, uint64_t k, uint64_t least);

// The same for large tiles, of which a compute unit holds few: so that all units end at about the
// same time. A tile takes `steps` along k; writing and adding up one slice of it takes as long as
// `sums` of them.
uint64_t slices_of_tiles(const cl::Context &context, uint64_t tiles, uint64_t steps, uint64_t sums);

// A product's slices, and memory for the sums of each; a small one where there is but one slice.
// matmul_add_split_k takes `width` neighbours at a time.
struct Slices {
    Slices(cl::Task &task, const Request &request, uint64_t count, uint64_t width);

    uint64_t count, width;
    uint64_t pitch; // of a row of sums
    cl::Operand sums;
};

// Adds them up and finishes C. `more` are arguments before the scalars.
template <class... More> void add_slices(cl::Task &task, cl::Program &program, const Request &request,
                                         const Slices &slices, const More &...more) {
    const size_t group = std::min<size_t>(task.context().info().work_group_size, slices.width > 1 ? 256 : 64);
    const size_t items = request.m * request.batch * (slices.pitch / slices.width);
    const Matrix &c = request.c;
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch(program, "matmul_add_split_k", cl::Range::groups(ceil_div(items, group), group), slices.sums,
                    slices.count, slices.pitch, slices.width, c.data, c.row_stride, c.batch_stride, request.m,
                    request.n, request.batch, more..., alpha, beta, uint32_t{request.reads_c},
                    request.finish_arguments(alpha));
    });
}

} // namespace gpcl::matmul
