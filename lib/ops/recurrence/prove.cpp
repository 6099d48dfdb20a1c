// Hostile calls of gp_recurrence and gp_recurrence_varying: states that reach over many tiles, or
// end at any element; both directions, rows, NaN. Numbers are whole, so that results are exact.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/recurrence.h"

#include "ops/proof.h"

#include <limits>

namespace gpcl::recurrence {
namespace {

constexpr size_t kMany = (size_t{1} << 16) + 3;

Elements input(const Proof &proof, size_t n, size_t nan = SIZE_MAX) {
    return elements(proof.dtype, n, [&](size_t i) {
        return i == nan ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(small(i, 2));
    });
}

template <class Call>
void compare(Proof &proof, const std::string &what, const Elements &in, gp_recurrence_options options, Call call) {
    options.struct_size = sizeof options;
    proof.compare(what, {elements(proof.dtype, in.size(), [](size_t) { return 99; })},
                  [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
                      options.algorithm = algorithm;
                      return call(context, out[0].data(), options);
                  });
}

// Calls f(what, options, rows of so many elements, number of rows, where a NaN is).
template <class F> void for_each_shape(F &&f) {
    gp_recurrence_options forward = {}, backward = {}, rows = {};
    backward.direction = GP_REVERSE;
    for (const size_t n : {size_t{1}, size_t{1025}, kMany}) {
        f(text("n = ", n), forward, n, size_t{1}, SIZE_MAX);
        f(text("n = ", n, ", reverse"), backward, n, size_t{1}, SIZE_MAX);
    }
    f("NaN", forward, kMany, size_t{1}, kMany / 2);
    rows.batch = 19;
    f("rows", rows, size_t{3001}, rows.batch, SIZE_MAX);
}

} // namespace

void prove(Proof &proof) {
    // A sum of all, and one whose own solutions have a period of six.
    const std::vector<std::vector<int>> all = {{1}, {1, -1}};
    for (const auto &of_order : all) {
        const size_t order = of_order.size();
        const Elements coefficients = elements(proof.dtype, order, [&](size_t i) { return of_order[i]; });
        for_each_shape([&](const std::string &what, gp_recurrence_options options, size_t n, size_t batch, size_t nan) {
            const Elements in = input(proof, n * batch, nan);
            compare(proof, text("order ", order, ", ", what), in, options,
                    [&](gp_context *context, void *out, const gp_recurrence_options &given) {
                        return gp_recurrence(context, proof.dtype, n, in.data(), out, order, coefficients.data(),
                                             &given);
                    });
        });
    }
}

void prove_varying(Proof &proof) {
    for_each_shape([&](const std::string &what, gp_recurrence_options options, size_t n, size_t batch, size_t nan) {
        const Elements in = input(proof, n * batch, nan);
        const Elements coefficients = elements(proof.dtype, n * batch, [](size_t i) { // seldom 0, which ends a state
            const uint64_t bits = scrambled(i + 1'000'000);
            return bits % 5000 == 0 ? 0 : bits % 2 != 0 ? 1 : -1;
        });
        compare(proof, what, in, options, [&](gp_context *context, void *out, const gp_recurrence_options &given) {
            return gp_recurrence_varying(context, proof.dtype, n, coefficients.data(), in.data(), out, &given);
        });
    });
}

} // namespace gpcl::recurrence
