// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/matmul/matmul.h"

#include "ops/place.h"

#include <cmath>

namespace gpcl::matmul {
namespace {

void sample_shape(place::Sample &s, size_t m, size_t n, size_t k, const gp_matmul_options &options) {
    const size_t batch = std::max<size_t>(options.batch, 1);
    const void *const a = s.values(s.dtype, batch * m * k), *const b = s.values(s.dtype, batch * k * n);
    void *const c = s.room(batch * m * n * dtype(s.dtype).size);
    s.time([&] { return gp_matmul(s.context, s.dtype, m, n, k, a, k, b, n, c, n, &options); });
}

size_t side_of(const place::Sample &s) { return static_cast<size_t>(std::cbrt(real(s.work))); }

void sample_cube(place::Sample &s) {
    const size_t n = side_of(s);
    sample_shape(s, n, n, n, GP_MATMUL_OPTIONS_INIT);
}

void sample_vector(place::Sample &s) {
    const auto n = static_cast<size_t>(std::sqrt(real(s.work)));
    sample_shape(s, n, 1, n, GP_MATMUL_OPTIONS_INIT);
}

constexpr size_t kShort = 128; // sides of small products

void sample_small(place::Sample &s) {
    const size_t n = std::min<size_t>(side_of(s), 16);
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.batch = std::max<size_t>(s.work / (n * n * n), 1);
    options.stride_a = options.stride_b = options.stride_c = n * n;
    sample_shape(s, n, n, n, options);
}

void sample_semiring(place::Sample &s) {
    const size_t n = side_of(s);
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.semiring = GP_MIN_PLUS;
    sample_shape(s, n, n, n, options);
}

const place::Kind kCube = {"matmul", "steps", sample_cube}, kByVector = {"matmul-vector", "steps", sample_vector};
const place::Kind kOfSmall = {"matmul-small", "steps", sample_small};
const place::Kind kSemiring = {"matmul-semiring", "steps", sample_semiring};

} // namespace

const place::Kind &kind_of(size_t m, size_t n, size_t k, const gp_matmul_options &options) {
    if (options.semiring != GP_PLUS_TIMES) return kSemiring;
    if (options.batch > 1 && std::max({m, n, k}) <= kShort) return kOfSmall;
    return m == 1 || n == 1 ? kByVector : kCube;
}
const std::array<const place::Kind *, 4> kKinds = {&kCube, &kByVector, &kOfSmall, &kSemiring};

} // namespace gpcl::matmul
