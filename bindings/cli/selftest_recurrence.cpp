// gpcl selftest: linear recurrences, with coefficients whose results are whole numbers that stay
// small, and so exact.
// SPDX-License-Identifier: MIT
#include "selftest.h"

namespace command {

namespace {

template <typename T> void recurrences(Selftest &test, const char *algorithm) {
    Random random(6);
    for (const auto n : test.sizes())
        for (const size_t order : {1u, 2u, 8u})
            for (const bool in_place : {false, true}) {
                const std::vector<T> c(order, T(-1)); // the answer to a 1 is 1, -1 and zeros, again and again
                const size_t batch = in_place ? 1 : 3;
                std::vector<T> in(batch * n), initial(batch * order), expected(batch * n);
                for (auto &element : in) element = static_cast<T>(between(random, -3, 3));
                for (auto &element : initial) element = static_cast<T>(between(random, -3, 3));
                for (size_t row = 0; row < batch; ++row)
                    for (size_t t = 0; t < n; ++t) {
                        T y = in[row * n + t];
                        for (size_t j = 0; j < order; ++j)
                            y -= j < t ? expected[row * n + t - 1 - j] : initial[row * order + j - t];
                        expected[row * n + t] = y;
                    }
                auto out = in_place ? in : std::vector<T>(batch * n, T(77));
                gp_recurrence_options o = GP_RECURRENCE_OPTIONS_INIT;
                o.batch = batch;
                o.initial = initial.data();
                o.algorithm = algorithm;
                if (test.ran(gp_recurrence(test.context, dtype_of<T>(), n, in_place ? out.data() : in.data(),
                                           out.data(), order, c.data(), &o),
                             algorithm))
                    test.compare(expected, out, "order " + std::to_string(order) + (in_place ? " in place" : ""), n);
            }
}

// Sums of signed numbers that begin anew here and there.
template <typename T> void varying_recurrences(Selftest &test, const char *algorithm) {
    Random random(7);
    for (const auto n : test.sizes())
        for (const bool in_place : {false, true}) {
            const size_t batch = in_place ? 1 : 3;
            std::vector<T> a(batch * n), in(batch * n), initial(batch), expected(batch * n);
            for (auto &element : a) element = static_cast<T>(random() % 50 == 0 ? 0 : random() % 2 == 0 ? 1 : -1);
            for (auto &element : in) element = static_cast<T>(between(random, -3, 3));
            for (auto &element : initial) element = static_cast<T>(between(random, -3, 3));
            for (size_t row = 0; row < batch; ++row) {
                auto y = initial[row];
                for (size_t t = row * n; t < (row + 1) * n; ++t) expected[t] = y = static_cast<T>(in[t] + a[t] * y);
            }
            auto out = in_place ? in : std::vector<T>(batch * n, T(77));
            gp_recurrence_options o = GP_RECURRENCE_OPTIONS_INIT;
            o.batch = batch;
            o.initial = initial.data();
            o.algorithm = algorithm;
            if (test.ran(gp_recurrence_varying(test.context, dtype_of<T>(), n, a.data(),
                                               in_place ? out.data() : in.data(), out.data(), &o),
                         algorithm))
                test.compare(expected, out, in_place ? "in place" : "", n);
        }
}

} // namespace

void check_recurrence(Selftest &test) {
    for_each_dtype({GP_FLOAT32, GP_FLOAT64}, [&](auto type) {
        using T = typename decltype(type)::type;
        const std::string dtype = gp_dtype_name(dtype_of<T>()), name = "recurrence " + dtype;
        const std::string varying = "recurrence-varying " + dtype;
        if (std::is_same_v<T, double> && !test.info.has_float64) {
            for (const auto &each : {name, varying}) test.skip(each, "the device lacks float64");
            return;
        }
        test.group(name, GP_RECURRENCE, [&](const char *algorithm) { recurrences<T>(test, algorithm); });
        test.group(varying, GP_RECURRENCE_VARYING,
                   [&](const char *algorithm) { varying_recurrences<T>(test, algorithm); });
    });
}

} // namespace command
