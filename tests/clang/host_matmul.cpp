// The products of "host", built by another compiler than the library's: each against three nested
// loops, on sizes that no tile divides.
// SPDX-License-Identifier: MIT
#include "host/matmul.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr size_t kM = 67, kN = 45, kK = 300;
int failed = 0;

// `element` makes what is stored of a whole number from -3 to 3.
template <class Stored, class Scalar, class Element>
void check(gp_dtype dtype, gp_semiring semiring, const Element &element) {
    std::vector<Stored> a(kM * kK), b(kK * kN), c(kM * kN), expected(kM * kN);
    for (size_t i = 0; i < a.size(); ++i) a[i] = element(static_cast<int>(i * 7 % 5) - 2);
    for (size_t i = 0; i < b.size(); ++i) b[i] = element(static_cast<int>(i * 11 % 7) - 3);
    for (size_t i = 0; i < c.size(); ++i) c[i] = expected[i] = element(static_cast<int>(i % 3));
    const Scalar alpha = 2, beta = 3;
    gpcl::host::MatmulProblem problem{dtype, dtype, semiring,        kM, kN,     kK,    a.data(), kK, 1, b.data(),
                                      kN,    1,     expected.data(), kN, &alpha, &beta, false,    1,  0, 0,
                                      0};
    gpcl::host::matmul_loop(problem);
    problem.c = c.data();
    gpcl::host::matmul(problem);
    if (std::memcmp(c.data(), expected.data(), c.size() * sizeof(Stored)) == 0) return;
    std::printf("type %d, semiring %d: wrong\n", dtype, semiring);
    ++failed;
}

} // namespace

int main() {
    for (const gp_semiring semiring : {GP_PLUS_TIMES, GP_MIN_PLUS, GP_MAX_PLUS, GP_MAX_MIN, GP_OR_AND}) {
        check<float, float>(GP_FLOAT32, semiring, [](int x) { return static_cast<float>(x); });
        check<double, double>(GP_FLOAT64, semiring, [](int x) { return static_cast<double>(x); });
        check<int32_t, int32_t>(GP_INT32, semiring, [](int x) { return x; });
        check<int16_t, int16_t>(GP_INT16, semiring, [](int x) { return static_cast<int16_t>(x); });
        check<uint16_t, float>(GP_FLOAT16, semiring, [](int x) { // the bits of 0 to 3, either sign
            constexpr uint16_t kBits[] = {0, 0x3c00, 0x4000, 0x4200};
            return static_cast<uint16_t>(x < 0 ? 0x8000 | kBits[-x] : kBits[x]);
        });
    }
    if (failed == 0) std::puts("all products are right");
    return failed;
}
