// Hostile calls of gp_matmul: borders of tiles in each dimension, both layouts of the factors, a
// batch, fractions.
// SPDX-License-Identifier: MIT
#include "ops/matmul/matmul.h"

#include "ops/proof.h"

namespace gpcl::matmul {
namespace {

struct Shape {
    size_t m, n, k, batch;
};

// The result's element (i, j) is whole and small where the factors are: then it is exact.
void compare(Proof &proof, const Shape &s, gp_transpose transpose_a, gp_transpose transpose_b, bool whole) {
    const auto factor = [&](size_t count, size_t seed) {
        return elements(proof.dtype, count, [&](size_t i) {
            const auto value = static_cast<double>(small(i + seed, whole ? 2 : 1'000'000));
            return whole ? value : value / 1'000'000;
        });
    };
    const Elements a = factor(s.m * s.k * s.batch, 0), b = factor(s.k * s.n * s.batch, 1'000'000);
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.batch = s.batch;
    options.stride_a = s.m * s.k;
    options.stride_b = s.k * s.n;
    options.stride_c = s.m * s.n;
    options.transpose_a = transpose_a;
    options.transpose_b = transpose_b;
    const bool turned_a = transpose_a != GP_NO_TRANSPOSE, turned_b = transpose_b != GP_NO_TRANSPOSE;
    const double eps = proof.dtype == GP_FLOAT64    ? 0x1p-52
                       : proof.dtype == GP_FLOAT32  ? 0x1p-23
                       : proof.dtype == GP_BFLOAT16 ? 0x1p-7
                                                    : 0x1p-10;
    const double roundings = is_half(proof.dtype) ? 1 : static_cast<double>(s.k); // halves are summed in float32
    proof.compare(
        text(s.m, " x ", s.n, " x ", s.k, turned_a ? ", A transposed" : "", turned_b ? ", B transposed" : "",
             whole ? "" : ", fractions"),
        {elements(proof.dtype, s.m * s.n * s.batch, [](size_t) { return 99; })},
        [&](gp_context *context, const char *algorithm, std::vector<Elements> &c) {
            options.algorithm = algorithm;
            options.precision = algorithm != nullptr && kDirectGroups.info.is_named(algorithm) ? GP_FAST : GP_FULL;
            return gp_matmul(context, proof.dtype, s.m, s.n, s.k, a.data(), turned_a ? s.m : s.k, b.data(),
                             turned_b ? s.k : s.n, c[0].data(), s.n, &options);
        },
        whole ? 0 : 4 * eps * roundings);
}

} // namespace

void prove(Proof &proof) {
    for (const Shape &shape : {Shape{64, 64, 64, 1}, Shape{129, 257, 33, 1}, Shape{256, 128, 192, 1},
                               Shape{65, 63, 100, 3}, Shape{64, 64, 100, 3}, Shape{300, 7, 70, 1}}) {
        compare(proof, shape, GP_NO_TRANSPOSE, GP_NO_TRANSPOSE, true);
    }
    compare(proof, {129, 257, 33, 1}, GP_TRANSPOSE, GP_TRANSPOSE, true);
    compare(proof, {132, 260, 36, 1}, GP_TRANSPOSE, GP_TRANSPOSE, true);
    compare(proof, {132, 260, 36, 1}, GP_NO_TRANSPOSE, GP_TRANSPOSE, true);
    // What direct-groups multiplies is rounded.
    if (is_float(proof.dtype) && !kDirectGroups.info.is_named(proof.algorithm))
        compare(proof, {192, 160, 130, 1}, GP_NO_TRANSPOSE, GP_NO_TRANSPOSE, false);
}

} // namespace gpcl::matmul
