// Shortest paths by blocks of nodes and min-plus products. Host side of kernels/paths/tiles.cl, for
// a tile alone.
//
// When it is the turn of a block's nodes, D are the rows and columns of these, R their rows, P
// their columns. D becomes D*, the shortest paths among them alone. Then every element becomes the
// least of itself and P (D* R): the products bring the block's own rows and columns along.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/matmul.h"
#include "ops/paths/paths.h"

#include <array>

namespace gpcl::paths {
namespace {

const Parameter kEdge = {GP_PATHS,   "products", "edge", "work-items along the edge of a work-group that has a tile",
                         {1, 8, 16}, widest_edge};
// A block's product reads and writes the matrix once, and its tiles have a beginning and an end:
// deep blocks pay for that. The search within a block, by blocks of one tile, keeps few compute
// units busy. Measured on an H200, float32, in ms, by blocks of 128, 256, 512 and 1024: n = 1024
// 0.68, 0.78; n = 2048 1.80, 1.93; n = 4096 8.2 by 256, 7.7 by 512; n = 8192 44.3 by 256, 42.3,
// 44.6; the product alone 33.3.
const Parameter kBlock = {
    GP_PATHS, "products", "block", "nodes whose paths are found before a product", {128, 256, 512, 1024}, always<512>};
const Parameter kAbove = {
    GP_PATHS,    "products", "above", "nodes above which blocks are of more than a tile", {256, 1024, 2048, 3072, 4096},
    always<2048>};
constexpr std::array kParameters = {&kEdge, &kBlock, &kAbove};

// Elements along the edge of a work-item, as many as registers hold.
uint64_t each_of(gp_dtype dtype) { return gpcl::dtype(dtype).size == 8 ? 4 : 8; }

struct Search {
    cl::Task &task;
    gp_dtype dtype;
    uint64_t ld, edge, side, block, above;

    // The paths among n nodes.
    void run(const cl::Operand &matrix, uint64_t n) const {
        if (n <= side) return run_tile(matrix, n);
        const uint64_t most = n > above && n > block ? block : side;
        for (uint64_t first = 0; first < n; first += most) {
            // A plan needs the programs alone; blocks between the first and the last take the same.
            if (task.is_plan() && first > 0 && first + 2 * most < n) continue;
            run_block(matrix, n, first, std::min(most, n - first));
        }
    }

  private:
    void run_tile(const cl::Operand &matrix, uint64_t n) const {
        const auto program =
            task.program({"paths/tiles.cl", options(dtype) + text(" -DGP_MINIMUM_BUILTIN -DGP_ALONE -DGP_EDGE=", edge,
                                                                  " -DGP_REST_EDGE=", edge, " -DGP_SIDE=", side)});
        task.launch(*program, "paths_band", cl::Range::groups({1, 1, 1}, {edge, edge, 1}), matrix, ld, n, uint64_t{0},
                    uint32_t{1});
    }

    void run_block(const cl::Operand &matrix, uint64_t n, uint64_t first, uint64_t count) const {
        const cl::Operand d = matrix + (first * ld + first);
        run(d, count);
        const cl::Task::Step step(task);
        const size_t bytes = multiply(multiply(n, count, "n"), gpcl::dtype(dtype).size, "n");
        const cl::Operand rows = task.work_space(bytes), columns = task.work_space(bytes);
        min_plus_product(task, dtype, count, n, count, {d, ld}, {matrix + first * ld, ld}, {rows, n}, false);
        copy(task, dtype, matrix + first, ld, columns, count, n, count);
        min_plus_product(task, dtype, n, n, count, {columns, count}, {rows, n}, {matrix, ld}, true);
    }
};

void run(cl::Task &task, const Request &r) {
    const uint64_t edge = edge_of(task.context(), r.dtype, kEdge);
    begin(task, r, r.out, r.ld_out);
    const Search search{task,
                        r.dtype,
                        r.ld_out,
                        edge,
                        tile_side(edge, each_of(r.dtype)),
                        tuned(task.context(), r.dtype, kBlock),
                        tuned(task.context(), r.dtype, kAbove)};
    search.run(r.out, r.n);
    end(task, r);
}

Refusal refuses(const cl::Context &, const Request &r) {
    if (r.wants_predecessors) return "products tell no predecessors";
    return {};
}

matmul::Scalar zero_length(gp_dtype dtype) {
    switch (dtype) {
    case GP_INT16: return int16_t{0};
    case GP_INT32: return int32_t{0};
    case GP_FLOAT64: return 0.0;
    default: return 0.0F;
    }
}

} // namespace

void min_plus_product(cl::Task &task, gp_dtype dtype, uint64_t m, uint64_t n, uint64_t k, const Factor &a,
                      const Factor &b, const Factor &c, bool keeps_lesser) {
    matmul::Request product;
    product.dtype = dtype;
    product.semiring = GP_MIN_PLUS;
    product.m = m;
    product.n = n;
    product.k = k;
    product.a = {a.data, a.ld, 1, 0};
    product.b = {b.data, b.ld, 1, 0};
    product.c = {c.data, c.ld, 1, 0};
    product.alpha = product.beta = zero_length(dtype); // the semiring's one
    product.reads_c = keeps_lesser;
    choose_kernels(matmul::algorithms(), task.context(), product).run(task, product);
}

size_t widest_edge(const cl::Context &context, gp_dtype) {
    const size_t limit = context.info().work_group_size;
    return context.is_cpu() || limit < 64 ? 1 : limit < 256 ? 8 : 16;
}

size_t edge_of(const cl::Context &context, gp_dtype dtype, const Parameter &edge) {
    const size_t asked = tuned(context, dtype, edge), limit = context.info().work_group_size;
    return asked * asked > limit ? widest_edge(context, dtype) : asked;
}

const Algorithm kProducts = {{"products", "blocks of nodes one after the other, by min-plus products of all others",
                              "Park, Penner and Prasanna, Optimizing Graph Algorithms for Improved Cache "
                              "Performance, 2004",
                              false},
                             refuses,
                             run,
                             nullptr,
                             kParameters};

} // namespace gpcl::paths
