// Has the library build the programs of every algorithm on the device that pretended.cpp pretends, by calls that compute
// nothing. Fails where a call fails otherwise than by a refusal, and where an algorithm refuses every call on a device that
// has all it may need (GPCL_TEST_COMPLETE=1).
// SPDX-License-Identifier: MIT
#include <gpcl/gpcl.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace {

gp_context *context = nullptr;
gp_buffer *one = nullptr, *two = nullptr, *three = nullptr;
int failed = 0;

constexpr size_t kMany = size_t{1} << 25;

// 1 when the call was not refused.
bool made(gp_status status, const std::string &what) {
    if (status == GP_SUCCESS) return true;
    if (status == GP_ERROR_ALGORITHM_REFUSED || status == GP_ERROR_DTYPE) return false;
    std::printf("%s: %s\n", what.c_str(), gp_error_message());
    failed = 1;
    return false;
}

using Call = std::function<gp_status(const char *algorithm)>;

// Makes the calls as the library chooses, and of each algorithm.
void each(gp_operation operation, const char *name, const std::vector<Call> &calls) {
    for (const Call &call : calls) made(call(nullptr), name);
    size_t count = 0;
    made(gp_algorithms(operation, &count), name);
    for (size_t i = 0; i < count; ++i) {
        gp_algorithm_info info{};
        info.struct_size = sizeof info;
        made(gp_algorithm_describe(operation, i, &info), name);
        if (info.on_host != 0) continue;
        bool any = false;
        for (const Call &call : calls) any |= made(call(info.name), std::string(name) + " " + info.name);
        const char *complete = std::getenv("GPCL_TEST_COMPLETE");
        if (!any && complete != nullptr && std::string(complete) == "1") {
            std::printf("%s %s refuses every call: %s\n", name, info.name, gp_error_message());
            failed = 1;
        }
    }
}

void scans() {
    std::vector<Call> calls;
    for (const gp_dtype type : {GP_INT32, GP_FLOAT64})
        calls.push_back([=](const char *algorithm) {
            gp_scan_options options = GP_SCAN_OPTIONS_INIT;
            options.algorithm = algorithm;
            return gp_enqueue_scan(context, type, kMany, one, 0, two, 0, &options, 0, nullptr, nullptr);
        });
    calls.push_back([=](const char *algorithm) { // of segments
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.heads_buffer = three;
        return gp_enqueue_scan(context, GP_FLOAT32, kMany, one, 0, two, 0, &options, 0, nullptr, nullptr);
    });
    for (const size_t n : {kMany, size_t{0}}) // with carries
        for (const size_t step : {1, 2})
            calls.push_back([=](const char *algorithm) {
                gp_scan_options options = GP_SCAN_OPTIONS_INIT;
                options.algorithm = algorithm;
                options.initial_buffer = options.final_buffer = three;
                options.step_in = options.step_out = step;
                return gp_enqueue_scan(context, GP_INT32, n / step, one, 0, two, 0, &options, 0, nullptr, nullptr);
            });
    calls.push_back([=](const char *algorithm) { // of columns, by an operator's text
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.operator_source = "max(a, b)";
        options.operator_identity = "INT_MIN";
        options.batch = options.step_in = options.step_out = 1024;
        options.stride_in = options.stride_out = 1;
        return gp_enqueue_scan(context, GP_INT32, kMany / 1024, one, 0, two, 0, &options, 0, nullptr, nullptr);
    });
    each(GP_SCAN, "scan", calls);
}

void reductions() {
    std::vector<Call> calls;
    for (const gp_dtype type : {GP_INT32, GP_FLOAT64})
        for (const size_t rows : {size_t{1}, size_t{1000}})
            calls.push_back([=](const char *algorithm) {
                gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
                options.algorithm = algorithm;
                options.batch = rows;
                return gp_enqueue_reduce(context, type, kMany / rows, one, 0, two, 0, &options, 0, nullptr, nullptr);
            });
    calls.push_back([=](const char *algorithm) {
        gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.batch = options.step_in = 1024; // columns
        options.stride_in = 1;
        options.accumulate = 1;
        return gp_enqueue_reduce(context, GP_FLOAT32, kMany / 1024, one, 0, two, 0, &options, 0, nullptr, nullptr);
    });
    each(GP_REDUCE, "reduce", calls);
}

void sorts() {
    std::vector<Call> calls;
    for (const gp_dtype type : {GP_UINT32, GP_INT64, GP_FLOAT32})
        for (const size_t n : {size_t{1000}, kMany})
            for (const size_t value_size : {0, 3, 4, 8})
                calls.push_back([=](const char *algorithm) {
                    gp_sort_options options = GP_SORT_OPTIONS_INIT;
                    options.algorithm = algorithm;
                    if (value_size == 0)
                        return gp_enqueue_sort(context, type, n, one, 0, &options, 0, nullptr, nullptr);
                    return gp_enqueue_sort_pairs(context, type, n, one, 0, value_size, two, 0, &options, 0, nullptr,
                                                 nullptr);
                });
    each(GP_SORT, "sort", calls);
}

void products() {
    std::vector<Call> calls;
    const auto product = [&](gp_dtype type, size_t n, gp_semiring semiring, gp_precision precision) {
        calls.push_back([=](const char *algorithm) {
            gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.semiring = semiring;
            options.precision = precision;
            return gp_enqueue_matmul(context, type, n, n, n, one, 0, n, two, 0, n, three, 0, n, &options, 0, nullptr,
                                     nullptr);
        });
    };
    for (const size_t n : {size_t{200}, size_t{2048}}) {
        for (const gp_dtype type : {GP_FLOAT32, GP_FLOAT64, GP_FLOAT16, GP_INT32})
            product(type, n, GP_PLUS_TIMES, GP_FULL);
        product(GP_FLOAT32, n, GP_PLUS_TIMES, GP_FAST);
        product(GP_FLOAT32, n, GP_MIN_PLUS, GP_FULL);
        for (const gp_semiring semiring : {GP_MIN_PLUS, GP_MAX_PLUS, GP_MAX_MIN})
            product(GP_INT16, n, semiring, GP_FULL);
    }
    calls.push_back([](const char *algorithm) { // a matrix times a vector
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.algorithm = algorithm;
        return gp_enqueue_matmul(context, GP_FLOAT32, 2048, 1, 2048, one, 0, 2048, two, 0, 1, three, 0, 1, &options, 0,
                                 nullptr, nullptr);
    });
    each(GP_MATMUL, "matmul", calls);
}

void histograms() {
    std::vector<Call> calls;
    for (const gp_dtype type : {GP_UINT8, GP_FLOAT32})
        for (const size_t bins : {size_t{16}, size_t{256}, size_t{100000}})
            for (const size_t n : {size_t{1000}, kMany})
                calls.push_back([=](const char *algorithm) {
                    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
                    options.algorithm = algorithm;
                    if (type == GP_FLOAT32) options.upper = 1;
                    options.accumulate = n == kMany ? 1 : 0;
                    return gp_enqueue_histogram(context, type, n, one, 0, bins, two, 0, &options, 0, nullptr, nullptr);
                });
    each(GP_HISTOGRAM, "histogram", calls);
}

void recurrences() {
    static const double coefficients[8] = {0}; // zeros in both types
    std::vector<Call> calls, varying;
    for (const gp_dtype type : {GP_FLOAT32, GP_FLOAT64}) {
        for (const size_t order : {1, 2, 4, 8})
            for (const size_t n : {size_t{64}, size_t{1} << 20})
                calls.push_back([=](const char *algorithm) {
                    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
                    options.algorithm = algorithm;
                    options.initial_buffer = options.final_buffer = three;
                    return gp_enqueue_recurrence(context, type, n, one, 0, two, 0, order, coefficients, &options, 0,
                                                 nullptr, nullptr);
                });
        for (const size_t n : {size_t{64}, size_t{1} << 20})
            varying.push_back([=](const char *algorithm) {
                gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
                options.algorithm = algorithm;
                return gp_enqueue_recurrence_varying(context, type, n, three, 0, one, 0, two, 0, &options, 0, nullptr,
                                                     nullptr);
            });
    }
    each(GP_RECURRENCE, "recurrence", calls);
    each(GP_RECURRENCE_VARYING, "varying recurrence", varying);
}

} // namespace

int main() {
    if (!made(gp_open("gpu", &context), "gp_open")) return 1;
    for (gp_buffer **buffer : {&one, &two, &three})
        if (!made(gp_buffer_create(context, kMany * 8, buffer), "gp_buffer_create")) return 1;
    scans();
    reductions();
    sorts();
    products();
    histograms();
    recurrences();
    for (gp_buffer *buffer : {one, two, three}) made(gp_buffer_free(buffer), "gp_buffer_free");
    made(gp_close(context), "gp_close");
    return failed;
}
