// gpcl selftest: gather, scatter and transposes.
// SPDX-License-Identifier: MIT
#include "selftest.h"

namespace command {

namespace {

template <typename T> std::vector<T> counted(size_t n) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<T>(i * 7 + 1);
    return values;
}

template <typename T> void movements(Selftest &test, const char *algorithm) {
    Random random(8);
    for (const auto n : test.sizes()) {
        const auto in = counted<T>(n);
        std::vector<int32_t> order(n);
        for (size_t i = 0; i < n; ++i) order[i] = static_cast<int32_t>(i);
        std::shuffle(order.begin(), order.end(), random);
        gp_gather_options o = GP_GATHER_OPTIONS_INIT;
        o.algorithm = algorithm;
        o.from_end = 1;
        std::vector<T> expected(n), got(n), back(n);
        for (size_t i = 0; i < n; ++i) {
            expected[i] = in[static_cast<size_t>(order[i])];
            if (i % 2 != 0) order[i] -= static_cast<int32_t>(n);
        }
        if (!test.ran(gp_gather(test.context, sizeof(T), n, in.data(), GP_INT32, n, order.data(), got.data(), &o),
                      algorithm))
            continue;
        test.compare(expected, got, "gathered", n);
        if (test.ran(gp_scatter(test.context, sizeof(T), n, got.data(), GP_INT32, order.data(), n, back.data(), &o),
                     algorithm))
            test.compare(in, back, "scattered back", n);
    }
}

template <typename T> void transposes(Selftest &test, const char *algorithm) {
    for (const auto &[rows, columns] : {std::pair<size_t, size_t>{1, 7}, {33, 65}, {64, 128}, {1000, 3}, {129, 300}}) {
        if (rows * columns > test.sizes().back()) continue;
        const auto in = counted<T>(rows * columns);
        std::vector<T> expected(in.size()), got(in.size());
        for (size_t i = 0; i < rows; ++i)
            for (size_t j = 0; j < columns; ++j) expected[j * rows + i] = in[i * columns + j];
        gp_transpose_matrix_options o = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
        o.algorithm = algorithm;
        if (test.ran(
                gp_transpose_matrix(test.context, sizeof(T), rows, columns, in.data(), columns, got.data(), rows, &o),
                algorithm))
            test.compare(expected, got, "transposed", rows);
    }
}

} // namespace

void check_movement(Selftest &test) {
    for_each_dtype({GP_UINT8, GP_INT16, GP_FLOAT32, GP_UINT64}, [&](auto type) {
        using T = typename decltype(type)::type;
        const std::string name = gp_dtype_name(dtype_of<T>());
        test.group("gather " + name, GP_GATHER, [&](const char *algorithm) { movements<T>(test, algorithm); });
        test.group("transpose " + name, GP_TRANSPOSE_MATRIX,
                   [&](const char *algorithm) { transposes<T>(test, algorithm); });
    });
}

} // namespace command
