// gpcl selftest: transform and difference.
// SPDX-License-Identifier: MIT
#include "selftest.h"

namespace command {

void check_elementwise(Selftest &test) {
    if (test.info.kind == GP_DEVICE_HOST)
        test.skip("transform", "it runs OpenCL C, which \"host\" can't");
    else
        test.group("transform int32", GP_TRANSFORM, [&](const char *algorithm) {
            Random random(6);
            for (const auto n : test.sizes()) {
                std::vector<int32_t> in(n), expected(n), out(n, 77);
                for (size_t i = 0; i < n; ++i) {
                    in[i] = static_cast<int32_t>(between(random, -1000, 1000));
                    expected[i] = 3 * in[i] + static_cast<int32_t>(i);
                }
                gp_transform_options o = GP_TRANSFORM_OPTIONS_INIT;
                o.algorithm = algorithm;
                const gp_dtype type = GP_INT32;
                const void *const source = in.data();
                const auto status =
                    gp_transform(test.context, n, 1, &type, &source, GP_INT32, out.data(), "3 * x0 + (int)i", &o);
                if (test.ran(status, algorithm)) test.compare(expected, out, "random", n);
            }
        });
    for_each_dtype({GP_INT8, GP_INT32, GP_UINT64, GP_FLOAT32}, [&](auto type) {
        using T = typename decltype(type)::type;
        test.group(
            std::string("difference ") + gp_dtype_name(dtype_of<T>()), GP_DIFFERENCE, [&](const char *algorithm) {
                Random random(7);
                for (const auto n : test.sizes()) {
                    std::vector<T> in(n), expected(n), out(n, T{77});
                    for (size_t i = 0; i < n; ++i) {
                        in[i] = static_cast<T>(between(random, 0, 60));
                        expected[i] = static_cast<T>(i > 0 ? in[i] - in[i - 1] : in[i]);
                    }
                    gp_difference_options o = GP_DIFFERENCE_OPTIONS_INIT;
                    o.algorithm = algorithm;
                    if (test.ran(gp_difference(test.context, dtype_of<T>(), n, in.data(), out.data(), &o), algorithm))
                        test.compare(expected, out, "random", n);
                }
            });
    });
}

} // namespace command
